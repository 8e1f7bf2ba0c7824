//! Recordings of simulations as tables.

use std::ops::ControlFlow;
use std::sync::Arc;

use gametape_core::At;
use gametape_core::table::kit::{self, fact, flat};
use gametape_core::table::{Lane, Owned, Scan};
use gametape_core::tape::{Depth, Format, Options, Source, Tape, Work};
use gametape_murk::engine::{EngineError, EngineWorld, World};
use gametape_murk::tape::Murk;
use gametape_murk::{CommandBuf, Commands, Simulation, snapshot_hash};
use gametape_samples::murk::{ALL, HEAT};

use crate::common::tapes::{described, heat, played, stoves, tape as murk_tape};
use crate::common::{only, recording, set};

fn open(bytes: Vec<u8>) -> Arc<dyn Tape> {
    Murk::new().open(Source::new(bytes)).unwrap()
}

fn rows(tape: &dyn Tape, scan: &Scan) -> Vec<Vec<Owned>> {
    let mut rows = Vec::new();
    tape.scan_table(scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            let values = batch.columns().iter().map(|column| column.get(row).into());
            rows.push(values.collect());
        }
        Ok(ControlFlow::Continue(()))
    })
    .unwrap()
    .whole()
    .unwrap();
    rows
}

#[test]
fn the_tables_of_every_kind_of_world_keep_to_the_rules_of_tables() {
    for (name, text) in ALL {
        println!("{name}");
        let world = World::from_toml(text).unwrap();
        let ndim = world.space.ndim();
        let commands = |tick: u64| match tick {
            3 => only(&set(&vec![2; ndim], 0, 1.5)),
            _ => CommandBuf::new(),
        };
        kit::check(&open(played(&world, 5, commands)));
    }
    // Commands of every kind, and no world.
    kit::check(&open(recording(40, 1)));
}

#[test]
fn a_field_of_many_components_has_a_row_for_each() {
    let long = "[[field]]\nname = \"long\"\ntype = \"vector\"\ndims = 100\nmutability = \"sparse\"\nboundary = \"clamp\"\n\n[[propagator]]";
    let text = HEAT.replacen("[[propagator]]", long, 1);
    let world = World::from_toml(&text).unwrap();
    let tape = open(played(&world, 2, |_| CommandBuf::new()));
    let tables = tape.tables().unwrap();
    let table = tables.iter().find(|table| table.name == "long").unwrap();
    let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["row", "col", "component", "value"]);
    assert_eq!(table.shape, [16, 16, 100]);
    let at = Scan::table("long").key("row", "3").key("col", "4");
    assert_eq!(rows(&*tape, &at).len(), 100);
    kit::check(&tape);
}

#[test]
fn facts_of_a_run_have_the_values_of_its_description_and_statistics() {
    let tape = open(played(&heat(), 30, stoves));
    let table = &tape.tables().unwrap()[0];
    let info = flat(&described(&*tape, Depth::Whole).value.details);
    let stats = tape.stats(&Options::new(), &Work::default()).unwrap();
    let stats = flat(&stats.value.stats);
    for name in info.keys().chain(stats.keys()) {
        // A key for each source can't be a column.
        let made_up = name.starts_with("sources_");
        assert!(made_up || table.column(name).is_some(), "{name}");
    }
    let facts = rows(&*tape, &Scan::table("run")).swap_remove(0);
    for (column, value) in table.columns.iter().zip(facts) {
        let json = info.get(&*column.name).or(stats.get(&*column.name));
        assert_eq!(value, fact(column.kind, json), "{}", column.name);
    }
}

#[test]
fn a_grid_is_what_the_world_has_after_each_tick_and_a_command_says_what_became_of_it() {
    let world = heat();
    let tape = open(played(&world, 60, stoves));
    let tables = tape.tables().unwrap();
    let grids: Vec<&str> = tables
        .iter()
        .filter(|table| table.lane == Lane::Grid)
        .map(|table| &*table.name)
        .collect();
    assert_eq!(grids.len(), world.fields.len());
    let mut play = tape.playback().unwrap();
    let mut engine = world.build().unwrap();
    for tick in 1..=60 {
        engine.step(tick, stoves(tick).as_commands()).unwrap();
        if tick % 13 != 0 {
            continue;
        }
        play.seek(At::Tick(tick)).unwrap();
        for (field, grid) in (0..).zip(&grids) {
            let values = engine.field(field).unwrap();
            let wanted: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
            let components = wanted.len() / world.cell_count() as usize;
            let state = play.state(&Scan::table(*grid)).unwrap();
            let columns = &state.columns()[world.space.ndim()..];
            assert_eq!(columns.len(), components);
            for cell in 0..state.len() {
                for (component, column) in columns.iter().enumerate() {
                    let bits = wanted[cell * components + component];
                    assert_eq!(Owned::from(column.get(cell)), Owned::Float32(bits));
                }
            }
        }
    }
    let outcomes = rows(&*tape, &Scan::table("commands").columns(["outcome"]));
    assert!(!outcomes.is_empty());
    assert!(
        outcomes
            .iter()
            .all(|row| row[0] == Owned::Text("applied".into()))
    );
}

/// The recorded and the replayed hash of each tick, and the problem.
fn hashes(tape: &dyn Tape, from: Option<At>) -> (Vec<[Option<String>; 2]>, Option<String>) {
    let scan = Scan {
        from,
        ..Scan::table("ticks").columns(["hash", "replayed_hash"])
    };
    let mut rows = Vec::new();
    let scanned = tape.scan_table(&scan, &Work::default(), |batch| {
        for row in 0..batch.len() {
            rows.push([0, 1].map(|column| match batch.get(row, column).into() {
                Owned::Text(text) => Some(text),
                _ => None,
            }));
        }
        Ok(ControlFlow::Continue(()))
    });
    (
        rows,
        scanned.unwrap().problem.map(|error| error.to_string()),
    )
}

#[test]
fn the_replayed_hash_of_a_sound_recording_is_the_recorded_one() {
    for (name, text) in ALL {
        let world = World::from_toml(text).unwrap();
        let tape = open(played(&world, 40, |_| CommandBuf::new()));
        let (rows, problem) = hashes(&*tape, None);
        assert_eq!((rows.len(), problem), (40, None), "{name}");
        assert!(
            rows.iter()
                .all(|[hash, replayed]| hash == replayed && hash.is_some())
        );
    }
    let (rows, problem) = hashes(&*open(recording(20, 7)), None);
    assert_eq!((rows.len(), problem), (20, None));
    assert!(
        rows.iter()
            .all(|[hash, replayed]| hash.is_some() && replayed.is_none())
    );
}

/// A world that leaves out the commands of a tick.
struct Deaf(EngineWorld, u64);

impl Simulation for Deaf {
    type Error = EngineError;

    fn step(&mut self, tick: u64, commands: Commands<'_>) -> Result<(), EngineError> {
        let nothing = CommandBuf::new();
        let deaf = tick == self.1;
        self.0.step(
            tick,
            if deaf {
                nothing.as_commands()
            } else {
                commands
            },
        )
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        self.0.field(field)
    }
}

#[test]
fn the_replayed_hash_of_a_faulty_recording_is_that_of_the_replay() {
    let world = heat();
    let (ticks, deaf) = (50, 23);
    let bytes = murk_tape(
        &world.header(),
        Deaf(world.build().unwrap(), deaf),
        ticks,
        stoves,
    );
    let mut engine = world.build().unwrap();
    let right: Vec<Option<String>> = (1..=ticks)
        .map(|tick| {
            engine.step(tick, stoves(tick).as_commands()).unwrap();
            let fields = (0..).map_while(|field| engine.field(field));
            Some(format!("{:016x}", snapshot_hash(fields)))
        })
        .collect();
    let tape = open(bytes.clone());
    let (rows, problem) = hashes(&*tape, None);
    let problem = problem.unwrap();
    assert!(problem.contains("23"), "{problem}");
    assert_eq!(
        rows.iter().map(|row| row[1].clone()).collect::<Vec<_>>(),
        right
    );
    for (tick, [hash, replayed]) in (1..).zip(&rows) {
        assert_eq!(hash == replayed, tick < deaf, "{tick}");
    }
    // A range, before and after the difference, has the same hashes; a cut, those before it.
    for from in [5, 40] {
        let (part, _) = hashes(&*tape, Some(At::Tick(from)));
        assert_eq!(part[..], rows[from as usize - 1..], "{from}");
    }
    let (part, problem) = hashes(&*open(bytes[..bytes.len() - 5].to_vec()), None);
    assert_eq!(part[..], rows[..rows.len() - 1]);
    assert!(problem.is_some());
    // Where nobody asks for it, nothing is replayed, and nothing differs.
    assert_eq!(rows_of(&*tape, ["hash", "commands"]), 50);
    kit::check(&tape);
}

fn rows_of(tape: &dyn Tape, columns: [&str; 2]) -> usize {
    rows(tape, &Scan::table("ticks").columns(columns)).len()
}

#[test]
fn without_a_world_there_are_ticks_and_commands_and_no_outcomes() {
    let tape = open(recording(20, 7));
    let names: Vec<String> = tape
        .tables()
        .unwrap()
        .iter()
        .map(|table| table.name.to_string())
        .collect();
    assert_eq!(names, ["run", "ticks", "commands"]);
    assert_eq!(rows(&*tape, &Scan::table("ticks")).len(), 20);
    let commands = rows(
        &*tape,
        &Scan::table("commands").columns(["kind", "outcome"]),
    );
    assert!(commands.len() > 20);
    assert!(commands.iter().all(|row| row[1] == Owned::Null));
}

#[test]
fn a_torn_recording_gives_its_rows_and_says_what_is_wrong() {
    let bytes = played(&heat(), 30, stoves);
    let tape = open(bytes[..bytes.len() - 5].to_vec());
    for table in ["run", "ticks", "heat"] {
        let mut last = 0;
        let scanned = tape.scan_table(&Scan::table(table), &Work::default(), |batch| {
            last = batch.steps().last().copied().unwrap_or(0);
            Ok(ControlFlow::Continue(()))
        });
        assert!(scanned.unwrap().problem.is_some(), "{table}");
        assert!(table == "run" || last == 28, "{table}: {last}");
    }
}

#[test]
fn a_world_says_what_it_is_made_of() {
    let tape = open(played(&heat(), 3, |_| CommandBuf::new()));
    let parameter = |part: &str, number: &str, name: &str| {
        let scan = Scan::table("parameters").columns(["of", "value", "amount"]);
        let scan = scan
            .key("part", part)
            .key("number", number)
            .key("parameter", name);
        rows(&*tape, &scan)
    };
    let text = |text: &str| Owned::Text(text.to_owned());
    let number = |number: f64| Owned::Float64(number.to_bits());
    let world = World::from_toml(HEAT).unwrap();
    let dt = vec![text(""), text(&format!("{:?}", world.dt)), number(world.dt)];
    assert_eq!(parameter("world", "0", "dt"), [dt]);
    let rows_of_cells = parameter("space", "0", "rows");
    assert_eq!(
        rows_of_cells,
        [vec![text("square4"), text("16"), number(16.0)]]
    );
    let field = &world.fields[0];
    let kind = parameter("field", "0", "type");
    assert_eq!(kind, [vec![text(&field.name), text("scalar"), Owned::Null]]);
    // A default that the file does not have.
    let scan = Scan::table("parameters").columns(["of", "value", "amount"]);
    let scan = scan
        .key("part", "propagator")
        .key("parameter", "max_degree");
    let degree = vec![text("scalar_diffusion"), text("12"), number(12.0)];
    assert_eq!(rows(&*tape, &scan), [degree.clone(), degree]);
    // Without a world there are no parameters.
    let bare = open(recording(4, 1));
    assert!(
        bare.tables()
            .unwrap()
            .iter()
            .all(|table| table.name != "parameters")
    );
}
