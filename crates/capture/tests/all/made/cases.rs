//! The cases that a user would notice first.

use gametape_capture::tape::Mcap;
use gametape_core::table::kit::{self, Made, Row, assert_same};
use gametape_core::table::{ColumnDef, Kind, Lane, Owned, Scan, TableDef, Value};
use gametape_core::tape::{
    Converted, Depth, Error, Format, OptionValue, Options, Secrets, Tape, Target, Verdict, Work,
};
use gametape_core::{At, Clocks, Stamp, Time};
use proptest::prelude::*;

use super::{capture, column, open, scanned};

fn stamp(step: u64) -> Stamp {
    Stamp {
        step,
        tick: None,
        time: Some(Time::from_ms(step as i64 * 20)),
    }
}

fn row(step: u64, values: impl Into<Vec<Owned>>) -> Row {
    Row {
        stamp: stamp(step),
        ended: false,
        values: values.into(),
    }
}

fn float(value: f64) -> Owned {
    Owned::Float64(value.to_bits())
}

/// Things that move, their names, and their messages; the second thing disappears at step 600.
fn things() -> Made {
    let things = TableDef::new("things", Lane::State, "Things that move.")
        .with(column("thing", Kind::Text).key())
        .with(column("x", Kind::Float64).unit("m").within(0.01))
        .with(ColumnDef {
            secret: true,
            ..column("token", Kind::Text)
        })
        .with(column("mood", Kind::Text));
    let says =
        TableDef::new("says", Lane::Events, "What they say.").with(column("what", Kind::Text));
    let of = |name: &str, step: u64| {
        let mood = ["glad", "sad"][step as usize / 100 % 2];
        let x = step as f64 / 7.0;
        let texts = [name, "s3cret", mood].map(|text| Owned::Text(text.to_owned()));
        let [name, token, mood] = texts;
        row(step, [name, float(x), token, mood])
    };
    let mut rows = Vec::new();
    for step in 0..1000 {
        rows.push(of("Ada", step));
        match step {
            600 => rows.push(Row {
                ended: true,
                values: vec![
                    Owned::Text("Bob".into()),
                    Owned::Null,
                    Owned::Null,
                    Owned::Null,
                ],
                ..row(step, [])
            }),
            0..600 => rows.push(of("Bob", step)),
            _ => {}
        }
    }
    let said = (0..10).map(|at| row(at * 97 + 3, [Owned::Text(format!("\u{1f409} {at}\n\"\\"))]));
    Made::new(
        Clocks::ticks(true),
        vec![(things, rows), (says, said.collect())],
    )
}

fn make(of: &Made, options: &Options) -> Result<Converted, Error> {
    let mut out = std::io::Cursor::new(Vec::new());
    let of = of.clone().shared();
    Mcap.maker()
        .unwrap()
        .make(&of, options, &mut out, &Work::default())
}

fn contains(bytes: &[u8], text: &str) -> bool {
    let bytes = mcap_messages(bytes).concat();
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn mcap_messages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let stream = mcap::MessageStream::new(bytes).unwrap();
    stream
        .map(|message| message.unwrap().data.into_owned())
        .collect()
}

#[test]
fn another_reader_of_mcap_finds_packets_labels_and_events_by_an_index() {
    let bytes = capture(&things(), &Options::new());
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    assert!(!summary.chunk_indexes.is_empty());
    let stats = summary.stats.as_ref().unwrap();
    let on = |topic: &str| {
        let mut channels = summary.channels.values();
        let channel = channels.find(|channel| channel.topic == topic).unwrap();
        stats
            .channel_message_counts
            .get(&channel.id)
            .copied()
            .unwrap_or(0)
    };
    assert_eq!(on("keyframes") + on("deltas"), 1000);
    assert_eq!(on("tables/events"), 10);
    // Two things and two moods.
    assert_eq!(on("tables/labels"), 4);
    assert!(on("keyframes/added") >= 5);
    let tables = summary
        .metadata_indexes
        .iter()
        .find(|index| index.name == "gametape.tables");
    let at = tables.unwrap().offset as usize + 9;
    let metadata = String::from_utf8_lossy(&bytes[at..at + 5000]);
    assert!(metadata.contains(r#""format":"made""#), "{metadata}");
    let events = mcap_messages(&bytes);
    let events = events
        .iter()
        .filter(|data| data.starts_with(br#"{"table":"says""#));
    assert_eq!(events.count(), 10);
}

#[test]
fn what_is_secret_is_left_out_unless_it_is_asked_for() {
    let tape = things();
    let hidden = capture(&tape, &Options::new());
    assert!(!contains(&hidden, "s3cret"));
    let copy = open(hidden);
    let table = &copy.tables().unwrap()[0];
    assert_eq!(table.column("token"), None);
    let notes = make(&tape, &Options::new()).unwrap().notes;
    assert!(notes[0].contains("things.token"), "{notes:?}");
    assert!(notes[0].contains("--show-secrets"), "{notes:?}");

    let shown = capture(&tape, &Options::new().flag("show-secrets"));
    assert!(contains(&shown, "s3cret"));
    let copy = open(shown);
    let token = |secrets| {
        let mut play = copy.playback().unwrap();
        let scan = Scan::table("things").columns(["token"]);
        let state = play.state(&Scan { secrets, ..scan }).unwrap();
        Owned::from(state.get(0, 0))
    };
    assert_eq!(token(Secrets::Show), Owned::Text("s3cret".into()));
    assert_eq!(token(Secrets::Hide), Owned::Text("<hidden>".into()));
    assert!(
        make(&tape, &Options::new().flag("show-secrets"))
            .unwrap()
            .notes[0]
            .contains("precision")
    );
}

#[test]
fn a_table_that_secrets_tell_apart_is_left_out_as_a_whole() {
    let mut tape = things();
    tape.tables[0].0.columns[0].secret = true;
    let converted = make(&tape, &Options::new()).unwrap();
    assert!(
        converted.notes[0].contains(": things ("),
        "{:?}",
        converted.notes
    );
    let copy = open(capture(&tape, &Options::new()));
    let names: Vec<String> = copy
        .tables()
        .unwrap()
        .iter()
        .map(|t| t.name.to_string())
        .collect();
    assert_eq!(names, ["says", "packets"]);
}

#[test]
fn one_seeks_to_a_step_of_the_recording() {
    let copy = open(capture(&things(), &Options::new().flag("show-secrets")));
    let mut play = copy.playback().unwrap();
    assert_eq!(play.span().last, stamp(999));
    for (at, things) in [
        (At::Step(599), 2),
        (At::Time(Time::from_ms(12_000)), 1),
        (At::Step(0), 2),
    ] {
        let now = play.seek(at).unwrap();
        assert!(at.is(now), "{at}: {now:?}");
        let state = play.state(&Scan::table("things")).unwrap();
        assert_eq!(state.len(), things, "{at}");
        let Value::Float64(x) = state.get(0, 1) else {
            panic!()
        };
        assert!((x - now.step as f64 / 7.0).abs() <= 0.01);
    }
    assert!(play.seek(At::Step(1000)).is_err());
    assert!(play.seek(At::Tick(1)).is_err());
}

#[test]
fn a_capture_of_tables_is_checked_repaired_and_carried_over_as_any() {
    let tape = things();
    let table = &tape.tables[0].0;
    let all = Options::new().flag("show-secrets");
    let bytes = capture(&tape, &all);
    let copy = open(bytes.clone());
    let passes = |tape: &dyn Tape| {
        let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
        audit.verdict() == Verdict::Pass
    };
    assert!(passes(&*copy));
    let rows = scanned(&*copy, table);
    // With other keyframes.
    let to = |format: &str, options: &Options| {
        let mut out = std::io::Cursor::new(Vec::new());
        let target = Target { format, options };
        let converted = copy.convert(target, &mut out, &Work::default());
        (converted, out.into_inner())
    };
    let every = Options::new().with("keyframe-every", OptionValue::Count(10));
    let (converted, again) = to("capture", &every);
    assert!(!converted.unwrap().is_lossy());
    assert_same(table, &rows, &scanned(&*open(again), table));
    // As bare packets.
    let (converted, packets) = to("delta", &Options::new());
    assert!(!packets.is_empty());
    let losses = converted.unwrap().losses;
    assert!(
        losses[0].starts_with("the tables of the recording"),
        "{losses:?}"
    );
    assert!(
        to("capture", &all)
            .0
            .unwrap_err()
            .to_string()
            .contains("nothing of them is secret")
    );
    // After a cut, the complete part remains, including its tables.
    let cut = open(bytes[..bytes.len() * 2 / 3].to_vec());
    let mut out = std::io::Cursor::new(Vec::new());
    cut.repair(&Options::new(), &mut out, &Work::default())
        .unwrap();
    let repaired = open(out.into_inner());
    assert!(passes(&*repaired));
    let kept = scanned(&*repaired, table);
    assert!(
        kept.len() > 100 && kept.len() < rows.len(),
        "{}",
        kept.len()
    );
    assert_same(table, &rows[..kept.len()], &kept);
}

#[test]
fn rows_up_to_the_damage_are_read_and_then_it_is_told() {
    let tape = things();
    let bytes = capture(&tape, &Options::new());
    let cut = open(bytes[..bytes.len() * 2 / 3].to_vec());
    let mut count = 0;
    let scanned = cut.scan_table(&Scan::table("things"), &Work::default(), |batch| {
        count += batch.len();
        Ok(std::ops::ControlFlow::Continue(()))
    });
    assert!(count > 100 && count < 1600, "{count}");
    assert!(scanned.unwrap().problem.unwrap().is_broken());
    // The same for damage in the middle: rows after it are not returned.
    let scan = Scan::table("things");
    let rows = kit::scanned(&*open(bytes.clone()), &scan);
    let mut shorter = 0;
    for at in (bytes.len() / 4..bytes.len() * 3 / 4).step_by(997) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let mut found = Vec::new();
        let scanned = open(bytes).scan_table(&scan, &Work::default(), |batch| {
            found.extend(kit::rows_of(&batch));
            Ok(std::ops::ControlFlow::Continue(()))
        });
        let Ok(scanned) = scanned else { continue };
        assert!(rows.starts_with(&found), "with {at} flipped");
        assert!(found.len() == rows.len() || scanned.problem.is_some());
        shorter += usize::from(found.len() < rows.len());
    }
    assert!(shorter > 3, "{shorter}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 50, ..ProptestConfig::default() })]

    /// Any kind of damage, including that of the description of the tables.
    #[test]
    fn damaged_ones_never_panic(flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), any::<bool>()), 1..6), cut: proptest::sample::Index) {
        let mut bytes = capture(&things(), &Options::new());
        for (at, value, early) in &flips {
            // Half of the changes are in the description of the tables.
            let most = if *early { 6000 } else { bytes.len() };
            let at = at.index(most.min(bytes.len()));
            bytes[at] ^= value;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        let copy = open(bytes);
        copy.audit(&Options::new(), &Work::default()).ok();
        copy.describe(Depth::Whole, Secrets::Hide, &Work::default()).ok();
        let Ok(tables) = copy.tables() else { return Ok(()) };
        let play = copy.playback();
        for table in &tables {
            copy.scan_table(&Scan::table(&*table.name), &Work::default(), |_| Ok(std::ops::ControlFlow::Continue(()))).ok();
        }
        if let Ok(mut play) = play {
            play.seek(At::Step(500)).ok();
            for table in &tables {
                play.state(&Scan::table(&*table.name)).ok();
            }
        }
        let mut out = std::io::Cursor::new(Vec::new());
        if copy.repair(&Options::new(), &mut out, &Work::default()).is_ok() {
            open(out.into_inner()).audit(&Options::new(), &Work::default()).ok();
        }
    }
}

#[test]
fn inspect_says_what_it_was_made_of() {
    let copy = open(capture(&things(), &Options::new()));
    for info in [
        copy.describe(Depth::Header, Secrets::Hide, &Work::default()),
        copy.describe(Depth::Whole, Secrets::Hide, &Work::default()),
    ] {
        let info = info.unwrap().value;
        assert_eq!(info.duration_ms, Some(19_980));
        let made_of = &info.details["made_of"];
        assert_eq!(made_of["format"], "made");
        assert_eq!(made_of["steps"], 1000);
        assert_eq!(info.details["tables"][1], "says");
    }
}

#[test]
fn a_broken_recording_is_refused() {
    let tape = things().broken(|| gametape_capture::read(b"none").unwrap_err().into());
    assert!(make(&tape, &Options::new()).unwrap_err().is_broken());
}

#[test]
fn a_table_of_many_columns_has_several_components() {
    let mut wide = TableDef::new("wide", Lane::State, "Wide.");
    for at in 0..200 {
        wide = wide.with(column("x", Kind::Uint));
        wide.columns[at].name = format!("x{at}").into();
    }
    let some = |step: u64, at: u64| !(step + at).is_multiple_of(7);
    let of = |step: u64| {
        let value = |at| {
            if some(step, at) {
                Owned::Uint(at * step)
            } else {
                Owned::Null
            }
        };
        row(step, (0..200).map(value).collect::<Vec<_>>())
    };
    let rows: Vec<Row> = (0..20).map(of).collect();
    let copy = open(capture(
        &Made::new(Clocks::ticks(true), vec![(wide.clone(), rows.clone())]),
        &Options::new(),
    ));
    assert_same(&wide, &rows, &scanned(&*copy, &wide));
    // Forty such wide tables need more components than a packet can have.
    let many = (0..40).map(|at| {
        let mut table = wide.clone();
        table.name = format!("wide_{at}").into();
        (table, rows.clone())
    });
    let refused = make(
        &Made::new(Clocks::ticks(true), many.collect()),
        &Options::new(),
    )
    .unwrap_err();
    assert!(refused.to_string().contains("64 components"), "{refused}");
    assert!(refused.to_string().contains("wide_9"), "{refused}");
}

#[test]
fn a_recording_without_tables_or_steps_is_a_capture_without_packets() {
    for tables in [
        vec![],
        vec![(
            TableDef::new("empty", Lane::State, "Empty.").with(column("x", Kind::Bool)),
            vec![],
        )],
    ] {
        let copy = open(capture(
            &Made::new(Clocks::ticks(true), tables.clone()),
            &Options::new(),
        ));
        for (table, _) in &tables {
            assert_eq!(scanned(&*copy, table), []);
        }
        let audit = copy.audit(&Options::new(), &Work::default()).unwrap();
        let codes: Vec<&str> = audit
            .findings
            .iter()
            .map(|finding| finding.rule.code)
            .collect();
        assert_eq!(codes, ["capture.empty"]);
    }
}

#[test]
fn a_full_disk_is_an_error_of_the_output() {
    struct Full(std::io::Cursor<Vec<u8>>);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.get_ref().len() > 20_000 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.0.write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    impl std::io::Seek for Full {
        fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
            self.0.seek(to)
        }
    }
    let mut out = Full(std::io::Cursor::new(Vec::new()));
    let made = Mcap.maker().unwrap().make(
        &things().shared(),
        &Options::new(),
        &mut out,
        &Work::default(),
    );
    assert!(matches!(made, Err(Error::Output(_))), "{made:?}");
}
