//! The state at a moment equals that of a scan up to there, however it is reached.

use std::fs;
use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::At;
use gametape_core::surface::ScanPlayback;
use gametape_core::table::{Batch, Lane, Owned, Playback, Scan};
use gametape_core::tape::{Tape, Work};
use gametape_murk::engine::World;
use gametape_murk::tape::MurkTape;
use gametape_murk::{CommandBuf, Envelope, Fault, Faulty, Writer};
use gametape_samples::murk::ALL;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::tapes::{heat, in_memory, open, played, put_index, stoves, tape, temporary};
use crate::common::{bounds, only, recording, set};

fn grids(tape: &MurkTape) -> Vec<String> {
    let tables = tape.tables().unwrap();
    let grids = tables.iter().filter(|table| table.lane == Lane::Grid);
    grids.map(|table| table.name.to_string()).collect()
}

/// The values of a state, with cells in one order. A NaN equals itself.
fn values(batch: &Batch) -> Vec<Vec<Owned>> {
    let row = |row| {
        let columns = batch.columns().iter();
        columns.map(|column| column.get(row).into()).collect()
    };
    let mut rows: Vec<Vec<Owned>> = (0..batch.len()).map(row).collect();
    rows.sort();
    rows
}

/// A way to another moment: seeking to a part of the recording by its step, tick or time, or
/// stepping.
#[derive(Clone, Copy, Debug)]
enum Way {
    Step(f64),
    Tick(f64),
    Time(f64),
    On(u8),
}

fn ways() -> impl Strategy<Value = Vec<Way>> {
    let way = prop_oneof![
        (0.0..1.0).prop_map(Way::Step),
        (0.0..1.0).prop_map(Way::Tick),
        (0.0..1.0).prop_map(Way::Time),
        (0u8..6).prop_map(Way::On)
    ];
    vec(way, 1..10)
}

fn walk(play: &mut dyn Playback, scanned: &mut ScanPlayback, tables: &[String], ways: &[Way]) {
    let span = play.span();
    assert_eq!(span, scanned.span());
    assert_eq!(play.now(), span.first);
    let (first, last) = (span.first, span.last);
    let between = |from: u64, to: u64, part: f64| from + (part * (to - from + 1) as f64) as u64;
    for way in ways {
        let at = match way {
            Way::Step(part) => Some(At::Step(between(0, last.step, *part))),
            Way::Tick(part) => {
                let [from, to] = [first, last].map(|stamp| stamp.tick.unwrap());
                Some(At::Tick(between(from, to, *part)))
            }
            Way::Time(part) => last.time.zip(first.time).map(|(to, from)| {
                let ns = from.0 + (part * (to.0 - from.0) as f64) as i64;
                At::Time(gametape_core::Time(ns))
            }),
            Way::On(_) => None,
        };
        if let Way::On(steps) = way {
            for _ in 0..*steps {
                assert_eq!(play.step().unwrap(), scanned.step().unwrap());
            }
        }
        if let Some(at) = at {
            assert_eq!(play.seek(at).unwrap(), scanned.seek(at).unwrap(), "{at}");
        }
        assert_eq!(play.now(), scanned.now());
        for table in tables {
            let scan = Scan::table(table);
            let [now, wanted] = [play.state(&scan), scanned.state(&scan)];
            let (now, wanted) = (values(&now.unwrap()), values(&wanted.unwrap()));
            assert!(now == wanted, "{table} at {:?}", play.now());
        }
    }
    let after = At::Step(last.step + 1);
    let now = play.now();
    assert!(play.seek(after).is_err() && play.now() == now);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 16,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_way_through_a_world_leads_to_what_a_scan_gives(
        world in 0..ALL.len(),
        ticks in 1u64..30,
        most in prop_oneof![Just(0), Just(u64::MAX), 1000u64..100_000],
        cut in 0usize..12,
        ways in ways(),
    ) {
        let world = World::from_toml(ALL[world].1).unwrap();
        let ndim = world.space.ndim();
        let commands = |tick: u64| match tick % 3 {
            1 => only(&set(&vec![(tick % 4) as i32; ndim], 0, tick as f32)),
            _ => CommandBuf::new(),
        };
        let mut bytes = played(&world, ticks, commands);
        if ticks > 1 {
            bytes.truncate(bytes.len() - cut);
        }
        let tape = in_memory(bytes);
        let mut names = grids(&tape);
        names.push("run".into());
        let mut scanned = ScanPlayback::new(Arc::new(tape.clone()), &Work::default()).unwrap();
        let mut play = tape.playback_within(most).unwrap();
        walk(&mut play, &mut scanned, &names, &ways);
    }
}

#[test]
fn without_a_world_moments_are_found_with_an_index_and_without() {
    let (_folder, path) = temporary("run.murk");
    fs::write(&path, recording(500, 3)).unwrap();
    let ways = [0.9, 0.1, 0.5, 0.51, 0.0, 0.999].map(Way::Tick);
    let ways = [&ways[..], &[Way::On(3), Way::Step(0.3), Way::On(200)]].concat();
    for indexed in [false, true] {
        if indexed {
            put_index(&path);
        }
        let tape = open(&path);
        let mut scanned = ScanPlayback::new(Arc::new(tape.clone()), &Work::default()).unwrap();
        let mut play = tape.own_playback(&Work::default()).unwrap().unwrap();
        assert_eq!(play.reach(), play.span().last);
        walk(&mut *play, &mut scanned, &["run".into()], &ways);
        assert!(play.seek(At::Time(gametape_core::Time(0))).is_err());
    }
}

#[test]
fn an_index_that_leads_elsewhere_is_not_followed() {
    let (_folder, path) = temporary("run.murk");
    let bytes = recording(100, 3);
    fs::write(&path, &bytes).unwrap();
    let (index, _) = put_index(&path);
    let mut entries = fs::read(&index).unwrap();
    // The entry of frame 40 has another tick, and the offset of the frame before.
    let (head, entry) = (48, 20);
    entries.copy_within(head + 39 * entry..head + 39 * entry + 8, head + 40 * entry);
    fs::write(&index, entries).unwrap();
    let tape = open(&path);
    let mut play = tape.own_playback(&Work::default()).unwrap().unwrap();
    assert_eq!(play.seek(At::Step(40)).unwrap().tick, Some(41));
    assert_eq!(play.seek(At::Step(99)).unwrap().step, 99);

    // The recording ends at the damage, whatever the index says about the part after it.
    put_index(&path);
    let mut damaged = bytes.clone();
    let at = bounds(&bytes)[50];
    damaged[at + 8..at + 12].fill(0xff);
    fs::write(&path, damaged).unwrap();
    let tape = open(&path);
    let mut play = tape.own_playback(&Work::default()).unwrap().unwrap();
    assert_eq!(play.span().last.step, 99);
    assert_eq!(play.seek(At::Step(30)).unwrap().step, 30);
    assert!(play.seek(At::Step(50)).is_err());
    assert_eq!(play.span().last.step, 49);
}

fn rows(tape: &dyn Tape, scan: &Scan) -> Vec<(u64, Vec<Owned>)> {
    let mut rows = Vec::new();
    tape.scan_table(scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            let columns = batch.columns().iter();
            let values = columns.map(|column| column.get(row).into());
            rows.push((batch.stamp(row).step, values.collect()));
        }
        Ok(ControlFlow::Continue(()))
    })
    .unwrap()
    .readable();
    rows
}

#[test]
fn a_scan_from_a_moment_on_gives_the_same_with_an_index() {
    let (_folder, path) = temporary("run.murk");
    let world = heat();
    for bytes in [recording(300, 9), played(&world, 300, stoves)] {
        fs::write(&path, &bytes).unwrap();
        put_index(&path);
        let [plain, indexed] = [in_memory(bytes), open(&path)];
        let has_times = !grids(&plain).is_empty();
        let froms = [
            At::Step(0),
            At::Step(1),
            At::Step(150),
            At::Step(299),
            At::Step(300),
            At::Tick(0),
            At::Tick(1),
            At::Tick(200),
            At::Tick(1000),
            At::Time(gametape_core::Time::from_ms(15_050)),
        ];
        for from in froms {
            if matches!(from, At::Time(_)) && !has_times {
                continue;
            }
            for scan in [
                Scan::table("ticks"),
                Scan::table("commands"),
                Scan::table("commands").columns(["number", "kind"]),
            ] {
                let scan = scan.from(from);
                assert_eq!(rows(&indexed, &scan), rows(&plain, &scan), "{scan:?}");
            }
        }
    }
}

#[test]
fn a_scan_from_a_moment_on_does_not_read_what_is_before() {
    let (_folder, path) = temporary("run.murk");
    let bytes = recording(300, 9);
    fs::write(&path, &bytes).unwrap();
    put_index(&path);
    // A scan ends here. The first and the last frame, which identify the recording, are sound.
    let mut damaged = bytes.clone();
    let at = bounds(&bytes)[50];
    damaged[at + 8..at + 12].fill(0xff);
    fs::write(&path, damaged).unwrap();
    let scan = Scan::table("ticks").from(At::Tick(200));
    assert_eq!(rows(&open(&path), &scan).len(), 101);
    assert!(rows(&open(&path), &Scan::table("ticks")).len() == 50);
}

#[test]
fn saved_states_stay_within_what_they_may_take_and_say_how_far_they_reach() {
    let tape = in_memory(played(&heat(), 200, stoves));
    for most in [0, 20_000, 200_000, u64::MAX] {
        let mut play = tape.playback_within(most).unwrap();
        let first = play.span().first;
        assert_eq!((play.reach(), play.saved_bytes()), (first, 0));
        play.seek(At::Step(120)).unwrap();
        // Seeking alone replays nothing: only rows that are asked for do.
        assert_eq!(play.reach(), first);
        play.state(&Scan::table("heat")).unwrap();
        assert_eq!(play.reach().step, 120);
        play.seek(At::Step(7)).unwrap();
        play.state(&Scan::table("smoke")).unwrap();
        assert_eq!(play.reach().step, 120);
        play.seek(At::Step(199)).unwrap();
        play.state(&Scan::table("heat")).unwrap();
        assert_eq!(play.reach(), play.span().last);
        // The initial state is always kept.
        let one = 16 * 16 * 6 * 4 + 256;
        assert!(play.saved_bytes() <= most.saturating_add(one), "{most}");
        assert!(most < 200_000 || play.saved_bytes() > 100_000);
    }
}

#[test]
fn a_recording_that_the_replay_parts_from_plays_what_the_replay_gives() {
    let world = heat();
    let fault = Fault {
        step: 20,
        field: 3,
        element: 5,
        bit: 30,
    };
    let bytes = tape(
        &world.header(),
        Faulty::new(world.build().unwrap(), fault),
        40,
        stoves,
    );
    let [faulty, sound] = [bytes, played(&world, 40, stoves)].map(in_memory);
    assert!(rows(&faulty, &Scan::table("ticks")) != rows(&sound, &Scan::table("ticks")));
    let [mut faulty, mut sound] =
        [&faulty, &sound].map(|tape| tape.own_playback(&Work::default()).unwrap().unwrap());
    for step in [39, 19, 20] {
        let states = [&mut faulty, &mut sound].map(|play| {
            play.seek(At::Step(step)).unwrap();
            values(&play.state(&Scan::table("heat")).unwrap())
        });
        assert!(states[0] == states[1], "{step}");
    }
}

#[test]
fn a_world_whose_ticks_fail_plays_as_far_as_it_goes_and_can_be_gone_back_in() {
    let fields = ["a", "narrow", "sparse"].map(|name| {
        let kind = if name == "sparse" {
            "sparse"
        } else {
            "per_tick"
        };
        format!("[[field]]\nname = '{name}'\ntype = 'scalar'\nmutability = '{kind}'\n")
    });
    // A gradient has as many components as the space has dimensions, and here only one value.
    let text = format!(
        "dt = 1.0\n[space]\nkind = 'square4'\nrows = 2\ncols = 2\nedge = 'absorb'\n{}\
         [[propagator]]\nkind = 'identity_copy'\nfield = 'a'\n\
         [[propagator]]\nkind = 'gradient_compute'\ninput_field = 'a'\noutput_field = 'narrow'\n",
        fields.concat()
    );
    let world = World::from_toml(&text).unwrap();
    let mut writer = Writer::new(Vec::new(), &world.header()).unwrap();
    for tick in 1..=6 {
        let mut commands = CommandBuf::new();
        let set = set(&[0, 1], 2, tick as f32);
        commands.push(&Envelope::default(), &set).unwrap();
        writer.push(tick, commands.as_commands(), 0).unwrap();
    }
    let tape = in_memory(writer.finish().unwrap());
    let mut play = tape.playback_within(u64::MAX).unwrap();
    let scan = Scan::table("sparse");
    let mut before = Vec::new();
    for step in 0..3 {
        play.seek(At::Step(step)).unwrap();
        before.push(values(&play.state(&scan).unwrap()));
    }
    for (step, wanted) in [
        (4, None),
        (1, Some(1)),
        (5, None),
        (2, Some(2)),
        (0, Some(0)),
    ] {
        play.seek(At::Step(step)).unwrap();
        match (play.state(&scan), wanted) {
            (Ok(state), Some(wanted)) => assert_eq!(values(&state), before[wanted], "{step}"),
            (Err(error), None) => assert!(error.to_string().contains("tick 4"), "{error}"),
            (state, _) => panic!("{step}: {state:?}"),
        }
    }
    assert_eq!(play.reach().step, 2);
}
