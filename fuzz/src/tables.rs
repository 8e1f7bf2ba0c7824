//! Checks of tables, for every format.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use gametape::core::table::{Batch, Lane, Owned, Scan, TableDef};
use gametape::{At, Recording, Secrets, Tape, Work};
use gametape_murk::engine::World;
use gametape_murk::{CommandBuf, Envelope, Payload, Writer};

use crate::{Check, capture, echo, murk, rmv};

/// The check of tables for all formats, with its seeds.
pub const CHECKS: &[Check] = &[Check::new("tables", tables, smallest)];

/// The smallest recordings of each kind with a few steps, one for each number of tables: with a
/// world, and without.
pub(crate) fn smallest() -> Vec<Vec<u8>> {
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
    for row in 0..batch.len() {
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
