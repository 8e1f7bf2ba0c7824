//! Packets as tables.

use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_capture::tape::{Delta, Mcap};
use gametape_core::At;
use gametape_core::surface::{diff_tables, event_markers};
use gametape_core::table::kit::{self, Row};
use gametape_core::table::{Kind, Owned, Scan, Value};
use gametape_core::tape::{Format, OptionValue, Options, Secrets, Source, Tape, Work};
use gametape_delta::{Encoder, Snapshot};

use crate::common::{SHAPES, capture_of, schema, small, stream};

fn open(bytes: Vec<u8>) -> Arc<dyn Tape> {
    Mcap.open(Source::new(bytes)).unwrap()
}

#[test]
fn the_tables_of_streams_of_every_shape_keep_to_the_rules_of_tables() {
    for (full_every, lag, added) in SHAPES {
        println!("{full_every} {lag} {added:?}");
        let (packets, _) = stream(60, 9, full_every, lag);
        let options = gametape_capture::Options {
            keyframe_every: added,
            tick_ns: Some(33_333_333),
            ..small()
        };
        kit::check(&open(capture_of(&packets, options)));
    }
}

#[test]
fn columns_are_the_fields_in_their_units_and_say_how_precise_they_are() {
    let (packets, _) = stream(3, 4, 1000, 1);
    let tables = open(capture_of(&packets, small())).tables().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| &*table.name).collect();
    assert_eq!(
        names,
        ["packets", "parts", "bits_by_field", "ship", "component_2"]
    );
    let columns: Vec<_> = tables[3]
        .columns
        .iter()
        .map(|column| (&*column.name, column.kind, column.precision))
        .collect();
    assert_eq!(
        columns,
        [
            ("entity", Kind::Uint, None),
            ("x", Kind::Float64, Some(0.005)),
            ("yaw", Kind::Uint, None),
            ("firing", Kind::Bool, None),
        ]
    );
    assert_eq!(tables[4].columns[1].name, "field_1");
}

/// The rows of a scan, and whether it has a problem.
fn scanned(tape: &dyn Tape, scan: &Scan) -> (Vec<Row>, bool) {
    let mut rows = Vec::new();
    let scanned = tape.scan_table(scan, &Work::default(), |batch| {
        rows.extend(kit::rows_of(&batch));
        Ok(ControlFlow::Continue(()))
    });
    (rows, scanned.unwrap().problem.is_some())
}

fn text(row: &Row, column: usize) -> Option<&str> {
    match &row.values[column] {
        Owned::Text(text) => Some(text),
        _ => None,
    }
}

fn number(row: &Row, column: usize) -> Option<u64> {
    match row.values[column] {
        Owned::Uint(number) => Some(number),
        _ => None,
    }
}

/// The sum of the bits, which both tables have in their last column.
fn bits<'r>(rows: impl IntoIterator<Item = &'r Row>) -> u64 {
    rows.into_iter().map(|row| number(row, 5).unwrap()).sum()
}

#[test]
fn the_parts_of_a_packet_add_up_to_its_bytes() {
    for (full_every, lag, keyframe_every) in SHAPES {
        let (packets, states) = stream(60, 9, full_every, lag);
        let options = gametape_capture::Options {
            keyframe_every,
            ..small()
        };
        let tape = open(capture_of(&packets, options));
        let (all, problem) = scanned(&*tape, &Scan::table("parts"));
        assert!(!problem);
        for (step, packet) in (0..).zip(&packets) {
            let of = || all.iter().filter(|part| part.stamp.step == step);
            assert_eq!(bits(of()), packet.len() as u64 * 8, "packet {step}");
            let ids = of()
                .filter(|part| text(part, 1) == Some("entity"))
                .filter_map(|part| number(part, 3));
            let state = &states[step as usize];
            // A full snapshot names the entities of its state.
            if step == 0 {
                assert!(ids.eq(state.ids().iter().map(|id| u64::from(*id))));
                let ships = of().filter(|part| text(part, 4) == Some("ship"));
                assert_eq!(ships.count(), state.len());
            }
        }
        for (component, there) in [("ship", true), ("component_2", true), ("gun", false)] {
            let mut of = all.iter().filter(|part| text(part, 4) == Some(component));
            assert_eq!(of.next().is_some(), there, "{component}");
        }
        // A range has the same parts.
        let scan = Scan::table("parts").from(At::Step(20)).to(At::Step(30));
        let within = |part: &&Row| (20..=30).contains(&part.stamp.step);
        assert!(all.iter().filter(within).eq(&scanned(&*tape, &scan).0));
    }
}

#[test]
fn bits_by_field_are_the_sums_of_the_parts() {
    for (full_every, lag, keyframe_every) in SHAPES {
        let (packets, _) = stream(60, 9, full_every, lag);
        let options = gametape_capture::Options {
            keyframe_every,
            ..small()
        };
        let tape = open(capture_of(&packets, options));
        let (all, problem) = scanned(&*tape, &Scan::table("bits_by_field"));
        assert!(!problem);
        let bytes: usize = packets.iter().map(Vec::len).sum();
        assert_eq!(bits(&all), bytes as u64 * 8);
        let (parts, _) = scanned(&*tape, &Scan::table("parts"));
        // The bits of the rows that have a text in a column.
        let of = |rows: &[Row], column, wanted| {
            bits(rows.iter().filter(|row| text(row, column) == Some(wanted)))
        };
        for part in ["header", "framing", "entity", "padding"] {
            assert_eq!(of(&all, 1, part), of(&parts, 1, part), "{part}");
        }
        for component in ["ship", "component_2"] {
            assert_eq!(of(&all, 2, component), of(&parts, 4, component));
        }
        let fields: Vec<_> = all
            .iter()
            .filter(|row| text(row, 1) == Some("field"))
            .collect();
        let names = fields.iter().map(|row| text(row, 3).unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["x", "yaw", "firing", "field_1"]);
        assert!(
            fields
                .iter()
                .all(|row| number(row, 4) > Some(0) && number(row, 5) >= number(row, 4))
        );
        assert_eq!(number(&all[0], 4), Some(packets.len() as u64));
        // Facts are about all packets, whatever the range.
        let scan = Scan::table("bits_by_field")
            .from(At::Step(20))
            .to(At::Step(30));
        assert_eq!(scanned(&*tape, &scan).0, all);
    }
}

#[test]
fn a_packet_that_cannot_be_read_has_a_part_of_the_rest() {
    let (mut packets, _) = stream(3, 9, 1000, 1);
    // A section loses the end of its last entity.
    let packet = &mut packets[1];
    let length = packet.len() - 1;
    packet.truncate(length);
    packet[24..28].copy_from_slice(&(length as u32 - 28).to_le_bytes());
    packet[29] -= 1;
    let options = Options::new().with(
        "schema",
        OptionValue::File {
            path: "schema.json".into(),
            bytes: serde_json::to_vec(&schema()).unwrap(),
        },
    );
    let source = Source {
        options,
        ..Source::new(packets.concat())
    };
    let tape = Delta.open(source).unwrap();
    let (all, problem) = scanned(&*tape, &Scan::table("parts"));
    assert!(problem);
    // The bits of the two others.
    let (sums, problem) = scanned(&*tape, &Scan::table("bits_by_field"));
    assert!(problem);
    assert_eq!(
        bits(&sums),
        (packets[0].len() + packets[2].len()) as u64 * 8
    );
    for (step, packet) in (0..).zip(&packets) {
        let of = || all.iter().filter(|part| part.stamp.step == step);
        assert_eq!(bits(of()), packet.len() as u64 * 8);
        assert_eq!(
            of().any(|part| text(part, 1) == Some("unreadable")),
            step == 1
        );
        assert!(of().any(|part| text(part, 1) == Some("component")));
    }
}

/// Comparisons, markers and captures have what is asked for, and nobody asked for this.
#[test]
fn parts_are_there_for_those_who_name_them() {
    let (packets, _) = stream(30, 9, 1000, 1);
    let tape = open(capture_of(&packets, small()));
    let markers = event_markers(&*tape, Secrets::Hide).unwrap();
    let names: Vec<&str> = markers.iter().map(|events| &*events.table().name).collect();
    assert_eq!(names, ["packets"]);
    let (other, _) = stream(30, 8, 1000, 1);
    let other = open(capture_of(&other, small()));
    let found = diff_tables([&tape, &other], &Work::default())
        .unwrap()
        .value
        .tables;
    assert!(found.iter().any(|table| table.table == "packets"));
    assert!(found.iter().all(|table| table.table != "parts"));
    assert!(found.iter().all(|table| table.table != "bits_by_field"));
}

#[test]
fn what_holds_at_a_tick_is_the_state_of_the_stream() {
    let (packets, states) = stream(60, 9, 30, 7);
    let tape = open(capture_of(&packets, small()));
    let mut play = tape.playback().unwrap();
    for state in states.iter().rev().step_by(7) {
        play.seek(At::Tick(state.tick().into())).unwrap();
        let ships = play.state(&Scan::table("ship")).unwrap();
        let wanted: Vec<_> = state
            .iter()
            .filter_map(|entity| Some((entity.id(), entity.component(1)?)))
            .collect();
        assert_eq!(ships.len(), wanted.len());
        for (row, (id, part)) in wanted.into_iter().enumerate() {
            assert_eq!(ships.get(row, 0), Value::from(id));
            let Some(gametape_delta::Value::FixedPoint(x)) = part.values().next() else {
                panic!("no position");
            };
            let Value::Float64(shown) = ships.get(row, 1) else {
                panic!("{:?}", ships.get(row, 1));
            };
            assert!((shown * 100.0 - x as f64).abs() < 1e-6, "{shown} {x}");
        }
    }
}

#[test]
fn rows_end_at_the_damage_and_then_it_is_told() {
    let (packets, _) = stream(60, 9, 20, 3);
    let sound = capture_of(&packets, small());
    let whole = open(sound.clone());
    let tables = whole.tables().unwrap();
    let mut shorter = 0;
    for at in (0..sound.len()).step_by(61) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x55;
        let tape = open(bytes);
        // A recording that cannot be opened gives no rows.
        if tape.tables().ok().as_ref() != Some(&tables) {
            continue;
        }
        for table in &tables {
            let scan = kit::all_of(table);
            let rows = kit::scanned(&*whole, &scan);
            let mut found = Vec::new();
            let Ok(scanned) = tape.scan_table(&scan, &Work::default(), |batch| {
                found.extend(kit::rows_of(&batch));
                Ok(ControlFlow::Continue(()))
            }) else {
                continue;
            };
            if table.name == "bits_by_field" {
                // Sums of the packets before the damage.
                assert!(found == rows || scanned.problem.is_some());
                continue;
            }
            assert!(rows.starts_with(&found), "{} with {at} flipped", table.name);
            assert!(found.len() == rows.len() || scanned.problem.is_some());
            shorter += usize::from(found.len() < rows.len());
        }
    }
    assert!(shorter > 10, "{shorter}");
}

#[test]
fn before_the_first_full_snapshot_nothing_holds() {
    let mut encoder = Encoder::new(&schema());
    let (packets, states) = stream(4, 4, 1000, 1);
    // The first packet is a delta to a state that is not recorded.
    let mut first = Vec::new();
    let nothing = Snapshot::new(&schema(), 1);
    encoder.delta(&nothing, &states[1], &mut first).unwrap();
    let mut full = Vec::new();
    encoder.full(&states[2], &mut full).unwrap();
    let tape = open(capture_of(&[first, full, packets[3].clone()], small()));
    let mut play = tape.playback().unwrap();
    let ships = Scan::table("ship");
    assert_eq!(play.state(&ships).unwrap().len(), 0);
    play.step().unwrap();
    assert!(!play.state(&ships).unwrap().is_empty());
    let mut rows = 0;
    let scanned = tape.scan_table(&ships, &Work::default(), |batch| {
        rows += batch.len();
        Ok(ControlFlow::Continue(()))
    });
    assert!(rows > 0 && scanned.unwrap().problem.is_some());
}
