//! Checks of tables and of parts of recordings, for every format.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use gametape::core::table::{Batch, Lane, Owned, Playback, Scan, TableDef};
use gametape::core::tape::{Cut, Cutout, Options};
use gametape::{At, Recording, Secrets, Tape, Time, Work};
use gametape_murk::engine::World;
use gametape_murk::{CommandBuf, Envelope, Payload, Writer};

use crate::{Check, capture, echo, murk, rmv};

/// The checks of tables and parts for all formats, with their seeds.
pub const CHECKS: &[Check] = &[
    Check::new("tables", tables, smallest),
    Check::new("cut", cut, cut_seeds),
];

/// The smallest recordings of each kind with a few steps, one for each number of tables: with a
/// world, and without.
fn smallest() -> Vec<Vec<u8>> {
    let kinds = [
        rmv::seeds::recordings(),
        [murk::seeds::recordings(), vec![simulated()]].concat(),
        capture::seeds(),
        echo::seeds::butters(),
        echo::seeds::texts(),
    ];
    let smallest = |seeds: Vec<Vec<u8>>| {
        let tables = |bytes: &Vec<u8>| {
            let recording = Recording::from_bytes(bytes.clone(), "a").ok()?;
            let info = recording.info(Secrets::Hide).ok()?;
            let sound = info.value.steps > Some(2) && info.problem.is_none();
            sound.then_some(recording.tables().ok()?.len())
        };
        let mut smallest = BTreeMap::new();
        for (count, seed) in seeds.into_iter().filter_map(|s| Some((tables(&s)?, s))) {
            let held = smallest.entry(count).or_insert_with(|| seed.clone());
            if seed.len() < held.len() {
                *held = seed;
            }
        }
        smallest.into_values()
    };
    kinds.into_iter().flat_map(smallest).collect()
}

/// A recording with a small world; its hashes are not real.
fn simulated() -> Vec<u8> {
    const WORLD: &str = r#"dt = 0.1
[space]
kind = "ring1d"
len = 3
[[field]]
name = "heat"
type = "scalar"
mutability = "sparse"
[[field]]
name = "haze"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "scalar_diffusion"
input_field = "heat"
output_field = "haze"
coefficient = 0.05
"#;
    let world = World::from_toml(WORLD).expect("a world");
    let mut writer = Writer::new(Vec::new(), &world.header()).expect("a header");
    for tick in 1..=4 {
        let mut commands = CommandBuf::new();
        let payload = Payload::SetField {
            coord: (&[1]).into(),
            field: 0,
            value: tick as f32,
        };
        commands.push(&Envelope::default(), &payload).expect("room");
        let commands = commands.as_commands();
        writer.push(tick, commands, 0).expect("room");
    }
    writer.finish().expect("room")
}

/// The rows of a scan: steps and values.
type Rows = Vec<(u64, Vec<Owned>)>;

/// The most rows of a table that are examined: a small input can claim a large board.
const MOST: usize = 4096;

fn put(batch: &Batch, rows: &mut Rows) {
    for row in 0..batch.len().min(MOST) {
        let values = batch.columns().iter().map(|column| column.get(row).into());
        rows.push((batch.steps()[row], values.collect()));
    }
}

/// The rows of a table, and whether these are all; `None` if the table cannot be read.
fn rows(tape: &dyn Tape, scan: &Scan) -> Option<(Rows, bool)> {
    let (mut rows, mut all) = (Vec::new(), true);
    let scanned = tape.scan_table(scan, &Work::default(), |batch| {
        assert!(!batch.is_empty());
        put(&batch, &mut rows);
        all = rows.len() < MOST;
        Ok(if all {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    });
    scanned.ok().map(|_| (rows, all))
}

/// A step has one row of each key: else `ORDER BY step` gives no order, and a query another answer in each run.
fn assert_one_row_a_key(table: &TableDef, rows: &Rows) {
    let keys = table.columns.iter().enumerate();
    let keys: Vec<usize> = keys
        .filter_map(|(at, column)| column.key.then_some(at))
        .collect();
    let mut seen = HashSet::new();
    for (step, values) in rows {
        let key: Vec<&Owned> = keys.iter().map(|at| &values[*at]).collect();
        let text = format!("{step} {key:?}");
        assert!(
            seen.insert(text),
            "{}: two rows of step {step}, key {key:?}",
            table.name
        );
    }
}

/// Scans the tables of any recording. Tables are described, and each is scanned to its end or to an
/// error. Steps ascend. A single column has the same values as among all columns, and a range has
/// exactly the matching rows; a step has one row of each key. The states at the end and at the start can be requested in any order.
pub fn tables(data: &[u8]) {
    let Ok(recording) = Recording::from_bytes(data.to_vec(), "a") else {
        return;
    };
    let tape = &**recording.tape();
    let Ok(tables) = tape.tables() else {
        return;
    };
    for table in &tables {
        let scan = Scan::table(&*table.name);
        let Some((all, whole)) = rows(tape, &scan) else {
            continue;
        };
        assert!(all.is_sorted_by_key(|(step, _)| *step), "{}", table.name);
        assert_one_row_a_key(table, &all);
        let last = table.columns.len() - 1;
        let one = scan.clone().columns([&*table.columns[last].name]);
        let (one, _) = rows(tape, &one).expect("it could be read before");
        let column = |(step, values): &(u64, Vec<Owned>)| (*step, vec![values[last].clone()]);
        assert_eq!(
            one,
            all.iter().map(column).collect::<Rows>(),
            "{}",
            table.name
        );
        if let Some((middle, _)) = all.get(all.len() / 2).filter(|_| whole) {
            let (range, _) = rows(tape, &scan.clone().from(At::Step(*middle))).expect("as before");
            let wanted: Rows = all
                .iter()
                .filter(|(step, _)| step >= middle)
                .cloned()
                .collect();
            assert_eq!(range, wanted, "{} from step {middle}", table.name);
        }
    }
    let Ok(mut play) = recording.tape().playback() else {
        return;
    };
    let span = play.span();
    for at in [span.last, span.first, span.last] {
        if play.seek(At::Step(at.step)).is_err() {
            continue;
        }
        for table in tables.iter().filter(|table| table.lane != Lane::Events) {
            let _ = play.state(&Scan::table(&*table.name));
        }
    }
    while let Ok(Some(now)) = play.step() {
        assert_eq!(now, play.now());
    }
}

/// The length of a range in bytes: its kind and two numbers.
const RANGE: usize = 5;

/// The smallest recording of each kind, combined with ranges of every kind.
fn cut_seeds() -> Vec<Vec<u8>> {
    let recordings = smallest();
    let ranges = [
        [0b0000_0001, 0, 0, 0, 0],
        [0b0000_0010, 0, 0, 1, 0],
        [0b0000_0011, 1, 0, 1, 0],
        [0b0000_0001, 2, 0, 0, 0],
        [0b0001_0111, 1, 0, 2, 0],
        [0b0010_1011, 30, 0, 200, 0],
        [0b0010_0001, 1, 0, 0, 0],
    ];
    let with =
        |recording: Vec<u8>| ranges.map(|range| [range.to_vec(), recording.clone()].concat());
    recordings.into_iter().flat_map(with).collect()
}

/// A range of any kind. The bits of `kind` select the ends that it has, and their clocks.
fn range([kind, from_low, from_high, to_low, to_high]: [u8; RANGE]) -> Cut {
    let at = |clock: u8, number: u16| match clock & 3 {
        0 => At::Step(number.into()),
        1 => At::Tick(number.into()),
        _ => At::Time(Time::from_ms(i64::from(number.cast_signed()))),
    };
    let from = at(kind >> 2, u16::from_le_bytes([from_low, from_high]));
    let to = at(kind >> 4, u16::from_le_bytes([to_low, to_high]));
    Cut::new(
        (kind & 1 != 0).then_some(from),
        (kind & 2 != 0).then_some(to),
    )
}

/// The part, if there is one.
fn part(recording: &Recording, range: &Cut) -> Option<(Vec<u8>, Cutout)> {
    let made = recording.cut(range, &Options::new()).ok()?;
    let bytes = made.content.bytes().expect("a file of ours");
    Some((bytes, made.outcome))
}

/// The rows of a table before a step, if there are few; `None` if they cannot be read.
fn rows_before(tape: &dyn Tape, table: &str, end: u64) -> Option<Rows> {
    let (mut rows, _) = rows(tape, &Scan::table(table))?;
    rows.retain(|(step, _)| *step < end);
    rows.truncate(MOST);
    Some(rows)
}

/// The rows of a state table at a step; `None` if they cannot be read.
fn held(play: &mut dyn Playback, table: &TableDef, step: u64) -> Option<Vec<Vec<Owned>>> {
    play.seek(At::Step(step)).ok()?;
    let mut rows = Rows::new();
    put(&play.state(&Scan::table(&*table.name)).ok()?, &mut rows);
    Some(rows.into_iter().map(|(_, values)| values).collect())
}

/// The state and grid tables; facts belong to the whole recording.
fn of_states(recording: &Recording) -> Vec<TableDef> {
    let mut tables = recording.tables().unwrap_or_default();
    tables.retain(|table| matches!(table.lane, Lane::State | Lane::Grid));
    tables
}

/// Cuts a part out of any recording. The part is a whole recording of the same format with as many
/// steps as reported, or there is an error with a reason. Cutting it again with the same range
/// removes nothing more, and a part of everything is a copy. If no number was rounded, the state at
/// the first, the middle and the last step of the part is the original one. If the part is the
/// start of a recording, every row is the original one.
pub fn cut(data: &[u8]) {
    let Some((kind, data)) = data.split_first_chunk::<RANGE>() else {
        return;
    };
    let Ok(recording) = Recording::from_bytes(data.to_vec(), "a") else {
        return;
    };
    let all = Cut::new(Some(At::Step(0)), None);
    if let Some((bytes, cutout)) = part(&recording, &all) {
        assert!(bytes == data, "all of it is a copy");
        assert!(cutout.kept.is_all, "{:?}", cutout.kept);
    }
    let range = range(*kind);
    let Some((bytes, cutout)) = part(&recording, &range) else {
        return;
    };
    let kept = &cutout.kept;
    assert!(!kept.steps.is_empty(), "{kept:?}");
    if kept.is_all {
        assert!(bytes == data, "all of it is a copy");
        return;
    }
    let cut = Recording::from_bytes(bytes.clone(), "a").expect("a recording of the same format");
    assert_eq!(cut.format().name(), recording.format().name());
    let info = cut
        .info(Secrets::Hide)
        .expect("a recording that can be read");
    assert!(info.problem.is_none(), "{:?}", info.problem);
    let count = kept.steps.end - kept.steps.start;
    if let Some(steps) = info.value.steps {
        assert_eq!(steps, count, "{kept:?}");
    }
    let (again, _) = part(&cut, &all).expect("a part of a part");
    assert!(again == bytes, "a part is cut no further");
    if cutout.converted.report.is_some() {
        return;
    }
    holds_what_was_there(&recording, &cut, kept.steps.start, count);
    if kept.steps.start == 0 {
        for table in recording.tables().unwrap_or_default() {
            if table.lane == Lane::Facts {
                continue;
            }
            let of_all = rows_before(&**recording.tape(), &table.name, count);
            let of_part = rows_before(&**cut.tape(), &table.name, count);
            assert_eq!(of_all, of_part, "{}", table.name);
        }
    }
}

/// Compares the states at the first step, in the middle and at the last step.
fn holds_what_was_there(recording: &Recording, cut: &Recording, start: u64, count: u64) {
    let (Ok(mut then), Ok(mut now)) = (recording.playback(), cut.playback()) else {
        return;
    };
    let span = now.span();
    assert_eq!(span.last.step - span.first.step + 1, count);
    for table in of_states(recording) {
        for step in [0, count / 2, count - 1] {
            let wanted = held(&mut *then, &table, start + step);
            if wanted.is_some() {
                let found = held(&mut *now, &table, step);
                assert_eq!(found, wanted, "{} at step {step} of the part", table.name);
            }
        }
    }
}
