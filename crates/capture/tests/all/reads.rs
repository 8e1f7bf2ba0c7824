//! The rows of a range are those of the whole table that lie in it, and no more of a capture is read
//! than the range needs.

use std::cmp::Ordering;
use std::sync::Arc;

use gametape_capture::Options;
use gametape_capture::tape::Mcap;
use gametape_core::table::kit::{self, Made, Row};
use gametape_core::table::{ColumnDef, Kind, Lane, Late, Owned, Scan, TableDef};
use gametape_core::tape::{Format, Source, Tape, Work};
use gametape_core::{At, Clocks, Input, Stamp, Time};
use gametape_delta::{Encoder, Limits};
use proptest::prelude::*;

use crate::common::{Counted, by_hand_with, capture_of, schema, stream, world};
use crate::made;

fn open(bytes: Vec<u8>) -> Arc<dyn Tape> {
    Mcap.open(Source::new(bytes)).unwrap()
}

/// The rows of a scan, found in all rows of the table.
fn by_hand(all: &[Row], scan: &Scan) -> Vec<Row> {
    let order = |at: Option<At>, row: &Row| at.and_then(|at| at.order(row.stamp));
    let mut found = Vec::new();
    for row in all {
        if order(scan.from, row) == Some(Ordering::Less) {
            continue;
        }
        if order(scan.to, row) == Some(Ordering::Greater) {
            if scan.late == Late::End || matches!(scan.to, Some(At::Step(_))) {
                break;
            }
            continue;
        }
        found.push(row.clone());
    }
    found
}

/// The ranges between two stamps, by each clock that both have.
fn ranges(scan: &Scan, a: Stamp, b: Stamp) -> Vec<Scan> {
    let moments = [
        (Some(At::Step(a.step)), Some(At::Step(b.step))),
        (a.tick.map(At::Tick), b.tick.map(At::Tick)),
        (a.time.map(At::Time), b.time.map(At::Time)),
    ];
    let mut scans = Vec::new();
    for (from, to) in moments.into_iter().filter_map(|(a, b)| a.zip(b)) {
        if from.is_behind(to) {
            continue;
        }
        for (from, to) in [
            (Some(from), Some(to)),
            (Some(from), None),
            (None, Some(to)),
            (Some(from), Some(from)),
        ] {
            for late in [Late::End, Late::Skip] {
                scans.push(Scan {
                    from,
                    to,
                    late,
                    ..scan.clone()
                });
            }
        }
    }
    scans
}

/// Checks all ranges between the stamps of some rows of each table, each alone and all tables at
/// once.
fn assert_ranges(tape: &dyn Tape, places: &[(f64, f64)]) {
    let tables = tape.tables().unwrap();
    let all: Vec<Vec<Row>> = tables
        .iter()
        .map(|table| kit::scanned(tape, &kit::all_of(table)))
        .collect();
    for (a, b) in places {
        let mut together: Vec<(usize, Scan)> = Vec::new();
        for (at, (table, rows)) in tables.iter().zip(&all).enumerate() {
            if table.lane == Lane::Facts || rows.is_empty() {
                continue;
            }
            let stamp = |share: f64| rows[(share * (rows.len() - 1) as f64) as usize].stamp;
            for scan in ranges(&kit::all_of(table), stamp(*a), stamp(*b)) {
                let found = kit::scanned(tape, &scan);
                let wanted = by_hand(rows, &scan);
                assert_eq!(found.len(), wanted.len(), "{scan:?}");
                assert!(found == wanted, "{scan:?}");
                together.push((at, scan));
            }
        }
        let scans: Vec<Scan> = together.iter().map(|(_, scan)| scan.clone()).collect();
        let mut found = vec![Vec::new(); scans.len()];
        let mut visit = |scan: usize, batch: gametape_core::table::Batch| {
            found[scan].extend(kit::rows_of(&batch));
            Ok(std::ops::ControlFlow::Continue(()))
        };
        tape.scan(&scans, &Work::default(), &mut visit).unwrap();
        for ((at, scan), found) in together.iter().zip(found) {
            assert!(found == by_hand(&all[*at], scan), "{scan:?}");
        }
    }
}

/// The largest share of a capture that ranges of ten steps in each table read, opening included.
fn most_read(bytes: &[u8], step: u64, by: &[&str]) -> f64 {
    let counted = Counted::new(bytes.to_vec());
    let input = Input::at(counted.clone()).unwrap();
    let tape = Mcap.open(Source::new(input)).unwrap();
    // Packets have the stamps of all steps.
    let packets = kit::scanned(&*tape, &Scan::table("packets"));
    let stamp = |step: u64| {
        let row = packets.iter().find(|row| row.stamp.step == step);
        row.unwrap().stamp
    };
    let (a, b) = (stamp(step), stamp(step + 9));
    let mut most: f64 = 0.0;
    for table in tape.tables().unwrap() {
        if table.lane == Lane::Facts {
            continue;
        }
        let rows = kit::scanned(&*tape, &kit::all_of(&table));
        for scan in ranges(&kit::all_of(&table), a, b) {
            let clock = match scan.from {
                Some(At::Step(_)) => "step",
                Some(At::Tick(_)) => "tick",
                Some(At::Time(_)) => "time",
                None => continue,
            };
            if scan.to.is_none() || !by.contains(&clock) {
                continue;
            }
            let input = Input::at(counted.clone()).unwrap();
            let again = Mcap.open(Source::new(input)).unwrap();
            counted.taken();
            let found = kit::scanned(&*again, &scan);
            let share = counted.taken() as f64 / bytes.len() as f64;
            assert!(found == by_hand(&rows, &scan), "{scan:?}");
            most = most.max(share);
        }
    }
    most
}

/// A capture of many chunks whose ticks last a 60th of a second.
fn long(full_every: u32, lag: u32, keyframe_every: Option<u32>) -> Vec<u8> {
    let (packets, _) = stream(3000, 30, full_every, lag);
    let options = Options {
        keyframe_every,
        chunk_bytes: 16 << 10,
        tick_ns: Some(16_666_667),
        view: false,
    };
    capture_of(&packets, options)
}

const CLOCKS: [&str; 3] = ["step", "tick", "time"];

#[test]
fn a_range_of_packets_and_states_reads_a_few_chunks_of_a_capture() {
    for (full_every, lag, keyframe_every) in
        [(10_000, 1, Some(60)), (60, 1, None), (10_000, 6, Some(40))]
    {
        let bytes = long(full_every, lag, keyframe_every);
        let most = most_read(&bytes, 1700, &CLOCKS);
        assert!(most < 0.25, "{most} with baselines of {lag} ticks ago");
        // A recorder that was killed leaves no summary: opening walks from chunk to chunk.
        let cut = &bytes[..bytes.len() * 95 / 100];
        let most = most_read(cut, 1700, &CLOCKS);
        assert!(most < 0.75, "{most} without a summary");
    }
}

fn texts(stamps: &[Stamp]) -> Made {
    let column = |name, kind| ColumnDef::new(name, kind, "It.");
    let things = TableDef::new("things", Lane::State, "Things.")
        .with(column("thing", Kind::Uint).key())
        .with(column("x", Kind::Float64).within(0.01))
        .with(column("mood", Kind::Text));
    let rare =
        TableDef::new("rare", Lane::State, "What seldom changes.").with(column("is", Kind::Uint));
    let heat = TableDef::new("heat", Lane::Grid, "How hot it is.")
        .with(column("cell", Kind::Uint).key())
        .with(column("degrees", Kind::Int))
        .shape([8]);
    let says =
        TableDef::new("says", Lane::Events, "What is said.").with(column("what", Kind::Text));
    let goals = TableDef::new("goals", Lane::Events, "Goals.").with(column("by", Kind::Uint));
    let row = |at: usize, values: Vec<Owned>| Row {
        stamp: stamps[at],
        ended: false,
        values,
    };
    let float = |value: f64| Owned::Float64(value.to_bits());
    let text = |text: &str| Owned::Text(text.to_owned());
    let all = 0..stamps.len();
    let things_rows = all.clone().flat_map(|at| {
        (0..6).map(move |thing| {
            let x = (at * 7919 * (thing + 1) % 10_007) as f64 / 13.0;
            let mood = text(["glad", "sad"][at / 500 % 2]);
            row(at, vec![Owned::Uint(thing as u64), float(x), mood])
        })
    });
    let every = |count: usize| all.clone().step_by(count);
    let rare_rows = every(1700).map(|at| row(at, vec![Owned::Uint(at as u64)]));
    let heat_rows = every(2).flat_map(|at| {
        (0..8).map(move |cell| {
            row(
                at,
                vec![
                    Owned::Uint(cell),
                    Owned::Int((at as i64 * 31 * cell as i64) % 97),
                ],
            )
        })
    });
    let says_rows = every(3).map(|at| row(at, vec![text(&format!("word {}", at * 7919 % 10_007))]));
    let goals_rows = every(850).map(|at| row(at, vec![Owned::Uint(at as u64)]));
    Made::new(
        Clocks::ticks(true),
        vec![
            (things, things_rows.collect()),
            (rare, rare_rows.collect()),
            (heat, heat_rows.collect()),
            (says, says_rows.collect()),
            (goals, goals_rows.collect()),
        ],
    )
}

fn stamps(count: u64, tick: impl Fn(u64) -> u64) -> Vec<Stamp> {
    let stamp = |step| Stamp {
        step,
        tick: Some(tick(step)),
        time: Some(Time::from_ms(tick(step) as i64 * 20)),
    };
    (0..count).map(stamp).collect()
}

#[test]
fn a_range_of_the_tables_of_another_recording_reads_a_few_chunks() {
    let of = texts(&stamps(12_000, |step| step * 3 + 7));
    let bytes = made::capture(&of, &gametape_core::tape::Options::new());
    // The nearest rows of the rare tables are hundreds of steps away.
    let most = most_read(&bytes, 7300, &CLOCKS);
    assert!(most < 0.25, "{most}");
}

#[test]
fn where_clocks_go_back_ranges_of_steps_read_little_and_all_are_right() {
    // Ticks and times start anew in the middle.
    let of = texts(&stamps(12_000, |step| step % 6000 + 100));
    let bytes = made::capture(&of, &gametape_core::tape::Options::new());
    let most = most_read(&bytes, 7300, &["step"]);
    assert!(most < 0.25, "{most}");
    let of = texts(&stamps(3000, |step| step % 1500 + 100));
    let bytes = made::capture(&of, &gametape_core::tape::Options::new());
    assert_ranges(&*open(bytes), &[(0.3, 0.31), (0.7, 0.71)]);
}

/// The same capture in chunks of another size.
fn in_chunks_of(bytes: &[u8], size: u64) -> Vec<u8> {
    use mcap::records::Record;
    let options = mcap::WriteOptions::new().chunk_size(Some(size));
    let to = std::io::Cursor::new(Vec::new());
    let mut writer = options.profile("gametape").create(to).unwrap();
    let mut put = |record: Record<'_>| match record {
        Record::Metadata(metadata) => writer.write_metadata(&metadata).unwrap(),
        Record::Schema { header, data } => {
            writer
                .add_schema(&header.name, &header.encoding, &data)
                .unwrap();
        }
        Record::Channel(channel) => {
            let (id, schema) = (channel.id, channel.schema_id);
            let (topic, encoding) = (&channel.topic, &channel.message_encoding);
            let added = writer.add_channel_with_id(id, schema, topic, encoding, &channel.metadata);
            added.unwrap();
        }
        Record::Message { header, data } => {
            writer.write_to_known_channel(&header, &data).unwrap();
        }
        _ => {}
    };
    for record in mcap::read::LinearReader::new(bytes).unwrap() {
        match record.unwrap() {
            Record::Chunk { header, data } => {
                let inside = mcap::read::ChunkReader::new(header, &data).unwrap();
                inside.for_each(|record| put(record.unwrap()));
            }
            // The summary repeats what was before it.
            Record::DataEnd(_) => break,
            record => put(record),
        }
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// A share of the rows.
fn share() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64]
}

fn places() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((share(), share()), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn ranges_of_any_capture_are_what_a_whole_scan_has_there(
        full_every in 1..60_u32,
        lag in 1..9_u32,
        keyframe_every in proptest::option::of(1..30_u32),
        chunk_bytes in 1..3000_u64,
        tick_ns in proptest::option::of(1..40_000_000_u64),
        cut in 0..3_usize,
        places in places(),
    ) {
        let (packets, _) = stream(120, 5, full_every, lag);
        let options = Options { keyframe_every, chunk_bytes, tick_ns, view: false };
        let mut bytes = capture_of(&packets, options);
        // Without the footer, without the summary, without the last chunks.
        let kept = [bytes.len(), bytes.len() - 20, bytes.len() * 4 / 5][cut];
        bytes.truncate(kept);
        assert_ranges(&*open(bytes), &places);
    }

    /// Captures by other programs: their ticks may go back, and they may lack indexes.
    #[test]
    fn so_are_those_of_captures_by_other_programs(
        jumps in proptest::collection::vec((1..200_u32, 1..30_u32), 1..5),
        chunk_bytes in 1..3000_u64,
        indexed in any::<bool>(),
        listed in any::<bool>(),
        late_by in 0..2_u32,
        places in places(),
    ) {
        let mut encoder = Encoder::new(&schema()).limits(Limits::NONE);
        let mut messages = Vec::new();
        for (start, count) in jumps {
            for tick in start..start + count {
                let (mut packet, state) = (Vec::new(), world(tick, 5));
                if tick == start {
                    encoder.full(&state, &mut packet).unwrap();
                } else {
                    encoder.delta(&world(tick - 1, 5), &state, &mut packet).unwrap();
                }
                messages.push((usize::from(tick > start), tick, packet));
            }
        }
        let messages: Vec<(usize, u32, &[u8])> = messages
            .iter()
            .map(|(channel, tick, packet)| (*channel, *tick + late_by * 50, &**packet))
            .collect();
        let options = mcap::WriteOptions::new()
            .chunk_size(Some(chunk_bytes))
            .emit_message_indexes(indexed)
            .emit_chunk_indexes(listed);
        assert_ranges(&*open(by_hand_with(options, &messages)), &places);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn ranges_of_a_capture_of_tables_are_what_a_whole_scan_has_there(
        tick in prop_oneof![Just((1_u64, 1_000_000_u64)), Just((3, 57)), Just((0, 5))],
        every in 1..40_u64,
        chunk_bytes in 100..5000_u64,
        cut in 0..2_usize,
        places in places(),
    ) {
        let (times, turn) = tick;
        let of = texts(&stamps(150, |step| step * times % turn));
        let mut options = gametape_core::tape::Options::new();
        options.set("keyframe-every", gametape_core::tape::OptionValue::Count(every));
        let mut bytes = in_chunks_of(&made::capture(&of, &options), chunk_bytes);
        prop_assert!(gametape_capture::read(&bytes).unwrap().chunks().len() > 5);
        bytes.truncate([bytes.len(), bytes.len() - 20][cut]);
        assert_ranges(&*open(bytes), &places);
    }
}

/// The parts into which a scan is divided, and the share of the capture that the part which reads
/// most reads.
fn pieces(bytes: &[u8], table: &str) -> (usize, f64) {
    let counted = Counted::new(bytes.to_vec());
    let input = Input::at(counted.clone()).unwrap();
    let tape = Mcap.open(Source::new(input)).unwrap();
    let pieces = tape.pieces(&Scan::table(table), 4).unwrap();
    let share = |piece: &Scan| {
        counted.taken();
        assert!(!kit::scanned(&*tape, piece).is_empty());
        counted.taken() as f64 / bytes.len() as f64
    };
    (pieces.len(), pieces.iter().map(share).fold(0.0, f64::max))
}

#[test]
fn a_summary_is_read_once_however_often_a_capture_is_scanned() {
    let bytes = in_chunks_of(&long(30, 1, None), 400);
    // The summary has a record for each chunk.
    assert!(gametape_capture::read(&bytes).unwrap().chunks().len() > 300);
    let counted = Counted::new(bytes.clone());
    let tape = Mcap
        .open(Source::new(Input::at(counted.clone()).unwrap()))
        .unwrap();
    let scan = Scan::table("packets").from(At::Step(7)).to(At::Step(9));
    let read = || {
        assert_eq!(kit::scanned(&*tape, &scan).len(), 3);
        counted.taken()
    };
    let (first, then) = (read(), read());
    assert!(first > 20_000 && then < first / 4, "{first} {then}");
}

#[test]
fn parts_of_a_table_each_read_their_part_of_a_capture() {
    let bytes = long(10_000, 6, Some(40));
    for table in ["packets", "parts"] {
        let (count, most) = pieces(&bytes, table);
        assert!(count == 4 && most < 0.4, "{table}: {count} {most}");
    }
    // The headers are read first, to know which states are needed again.
    let (count, most) = pieces(&bytes, "ship");
    assert!(count == 4 && most < 0.7, "{count} {most}");
    // Without full snapshots, only the first part could start.
    let (count, _) = pieces(&long(10_000, 1, None), "ship");
    assert_eq!(count, 1);

    let of = texts(&stamps(12_000, |step| step % 1000));
    let bytes = made::capture(&of, &gametape_core::tape::Options::new());
    for table in ["things", "heat", "says", "packets"] {
        let (count, most) = pieces(&bytes, table);
        assert!(count == 4 && most < 0.5, "{table}: {count} {most}");
    }
}

#[test]
fn a_capture_that_says_of_a_wrong_clock_that_it_rises_is_told() {
    let mut at = stamps(300, |step| step);
    for stamp in &mut at[200..] {
        stamp.time = stamp.time.map(|time| Time(time.0 - 1_000_000_000));
    }
    let bytes = made::capture(&texts(&at), &gametape_core::tape::Options::new());
    let capture = gametape_capture::read(&bytes).unwrap();
    assert_eq!(capture.rises(), Clocks::ticks(false));
    let place = bytes.windows(5).rposition(|word| word == b"ticks").unwrap();
    let mut forged = bytes.clone();
    forged[place..place + 5].copy_from_slice(b"times");
    let codes = |bytes: &[u8]| {
        let options = gametape_core::tape::Options::new();
        let audit = open(bytes.to_vec()).audit(&options, &Work::default());
        let findings = audit.unwrap().findings.into_iter();
        findings
            .map(|finding| finding.rule.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(&bytes), [""; 0]);
    assert!(codes(&forged).contains(&"capture.tables"));
}

#[test]
fn damage_after_a_range_concerns_only_scans_that_look_everywhere() {
    let of = texts(&stamps(2000, |step| step));
    for bytes in [
        long(60, 1, None),
        made::capture(&of, &gametape_core::tape::Options::new()),
    ] {
        // Past the last packet, in the index.
        let tape = open(bytes[..bytes.len() - 20].to_vec());
        for table in tape.tables().unwrap() {
            let all = kit::all_of(&table);
            let problem = |scan: &Scan| {
                let scanned = tape.scan_table(scan, &Work::default(), |_| {
                    Ok(std::ops::ControlFlow::Continue(()))
                });
                scanned.unwrap().problem.is_some()
            };
            let name = &table.name;
            assert!(problem(&all), "{name}");
            assert!(problem(&all.clone().from(At::Step(900))), "{name}");
            if name == "bits_by_field" {
                // It is about all packets, whatever the range.
                assert!(problem(&all.to(At::Step(20))));
                continue;
            }
            let range = all.clone().from(At::Step(10)).to(At::Step(20));
            assert!(!problem(&range), "{name}");
            assert!(!problem(&range.wherever()), "{name}");
            let ticks = all.from(At::Tick(10)).to(At::Tick(20));
            assert!(problem(&ticks.wherever()), "{name}");
        }
    }
}
