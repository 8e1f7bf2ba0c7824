//! Recording from a moment of another recording, in a changed world, and with another seed.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use gametape_core::table::Needs;
use gametape_core::tape::{Depth, Format, Options, Source, Tape, Work};
use gametape_murk::engine::World;
use gametape_murk::engine::own::{Kinds, Own, ParameterError, Parameters, Propagator, WriteMode};
use gametape_murk::tape::{Murk, MurkTape};
use gametape_murk::tools::{Branch, CommandList, RecordOptions, record};
use gametape_murk::{CommandBuf, read, verify};
use gametape_samples::murk::WEATHER;
use proptest::prelude::*;

use crate::common::runs::Acting;
use crate::common::tapes::{
    audit, described, found, heat, in_memory, options, played, stoves, temporary,
};
use crate::common::{only, refusals, set};

fn branching(output: &Path, from: &[u8], tick: Option<u64>, ticks: u64) -> RecordOptions {
    let tape = in_memory(from);
    RecordOptions {
        world: None,
        from: Some(Branch { tape, tick }),
        ..options(output, ticks)
    }
}

fn listed(lines: &str) -> CommandList {
    CommandList::read(lines.as_bytes(), "list".as_ref(), &heat()).unwrap()
}

/// Returns the frames of a recording as numbers.
fn frames(bytes: &[u8]) -> Vec<(u64, u64, usize)> {
    let replay = read(bytes).unwrap();
    let frames = replay.frames().map(|frame| {
        let frame = frame.unwrap();
        (frame.tick, frame.snapshot_hash, frame.commands().len())
    });
    frames.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// A branch has the frames of the other recording up to there, and continues like a world that
    /// was given both lists of commands.
    #[test]
    fn a_branch_is_what_its_commands_make(tick in 0_u64..30, more in 0_u64..9) {
        let world = heat();
        let source = played(&world, 30, stoves);
        let (_folder, path) = temporary("branch.murk");
        let line = |tick: u64| format!(
            "{{\"tick\":{tick},\"kind\":\"set_field\",\"coord\":[3,4],\"field\":\"stove\",\"value\":9}}\n"
        );
        let lines = if more > 0 { line(tick + more) } else { String::new() };
        let made = record(&branching(&path, &source, Some(tick), tick + more), &listed(&lines)).unwrap();
        prop_assert_eq!((made.branched_after, made.ticks), (tick, more));
        let bytes = fs::read(&path).unwrap();
        let taken = tick as usize;
        prop_assert_eq!(&frames(&bytes)[..taken], &frames(&source)[..taken]);
        prop_assert_eq!(bytes.get(..100), source.get(..100));
        let both = |now: u64| match now.cmp(&tick) {
            std::cmp::Ordering::Greater if now == tick + more => only(&set(&[3, 4], 0, 9.0)),
            std::cmp::Ordering::Greater => CommandBuf::new(),
            _ => stoves(now),
        };
        prop_assert_eq!(bytes, played(&world, tick + more, both));
    }
}

#[test]
fn what_can_not_be_branched_from_leaves_no_file() {
    let source = played(&heat(), 12, stoves);
    let (_folder, path) = temporary("branch.murk");
    let refused = |options: &RecordOptions, lines: &str| {
        let error = record(options, &listed(lines)).unwrap_err();
        assert!(!path.exists(), "{error}");
        error.to_string()
    };
    let from = |bytes: &[u8], tick, ticks| branching(&path, bytes, Some(tick), ticks);
    assert_eq!(
        refused(&from(&source, 13, 20), ""),
        "there is no tick 13 to branch from; the recording has ticks 1 to 12"
    );
    assert_eq!(
        refused(&from(&source, 9, 8), ""),
        "it is to have 8 ticks, but branches from tick 9"
    );
    let early = "{\"tick\":9,\"kind\":\"despawn\",\"entity_id\":1}\n";
    assert_eq!(
        refused(&from(&source, 9, 12), early),
        "line 1: tick 9 is made already; new commands begin with tick 10"
    );
    // The hash of tick 5 is wrong; the first four ticks can be branched from.
    let mut wrong = source.clone();
    let replay = read(&source).unwrap();
    let fifth = replay.frames().nth(5).unwrap().unwrap().offset as usize;
    wrong[fifth - 1] ^= 1;
    let error = refused(&from(&wrong, 5, 12), "");
    assert!(
        error.starts_with("the recording that it branches from can't be replayed: tick 5: "),
        "{error}"
    );
    assert_eq!(
        record(&from(&wrong, 4, 12), &CommandList::none())
            .unwrap()
            .ticks,
        8
    );
    fs::remove_file(&path).unwrap();
    // A recording that is cut: the whole of it can't be used, the part before the cut can.
    let cut = &source[..source.len() - 3];
    let whole = RecordOptions {
        from: Some(Branch {
            tape: in_memory(cut),
            tick: None,
        }),
        ..from(cut, 0, 20)
    };
    assert!(
        refused(&whole, "").contains("the file ends in"),
        "{whole:?}"
    );
    let error = refused(&from(cut, 12, 20), "");
    assert!(error.contains("the file ends in"), "{error}");
    assert_eq!(
        record(&from(cut, 11, 20), &CommandList::none())
            .unwrap()
            .ticks,
        9
    );
}

/// With a parameter of the world changed, the commands are those of the other recording, and the
/// states the world's own.
#[test]
fn a_branch_in_a_changed_world_has_the_commands_alone() {
    let source = played(&heat(), 20, stoves);
    let (_folder, path) = temporary("branch.murk");
    let changed = RecordOptions {
        set: vec![("propagator.1.coefficient".into(), "0.05".into())],
        ..branching(&path, &source, Some(12), 15)
    };
    let world = changed.chosen_world().unwrap();
    let made = record(&changed, &CommandList::none()).unwrap();
    assert_eq!((made.branched_after, made.ticks), (12, 3));
    let commands = |tick| {
        if tick <= 12 {
            stoves(tick)
        } else {
            CommandBuf::new()
        }
    };
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes, played(&world, 15, commands));
    assert_ne!(frames(&bytes)[11].1, frames(&source)[11].1);
    assert_eq!(frames(&bytes)[11].2, frames(&source)[11].2);
}

/// A plate on which one field spreads, and two have names with dots.
const PLATE: &str = "dt = 0.1\nspace = { kind = 'square4', rows = 16, cols = 16, edge = 'absorb' }
[[field]]\nname = 'stove'\ntype = 'scalar'\nmutability = 'sparse'
[[field]]\nname = 'heat'\ntype = 'scalar'\nmutability = 'per_tick'
[[field]]\nname = 'a.b'\ntype = 'scalar'\nmutability = 'sparse'
[[field]]\nname = 'a'\ntype = 'scalar'\nmutability = 'sparse'
[[propagator]]\nkind = 'scalar_diffusion'\ninput_field = 'heat'\noutput_field = 'heat'\n";

#[test]
fn parameters_are_set_by_their_names() {
    let world = World::from_toml(PLATE).unwrap();
    let set = |parameter: &str, value: &str| world.with_parameter(parameter, value, &Kinds::new());
    assert_eq!(set("dt", "0.05").unwrap().dt.to_bits(), 0.05_f64.to_bits());
    assert_eq!(set("seed", "0xff").unwrap().seed, 255);
    // A value that is not TOML is a string.
    let renamed = set("field.stove.name", "a \"stove\"").unwrap();
    assert_eq!(renamed.fields[0].name, "a \"stove\"");
    assert_eq!(set("field.0.name", "'b'").unwrap().fields[0].name, "b");
    for (name, field) in [("a.b", 2), ("a", 3)] {
        let units = set(&format!("field.{name}.units"), "K").unwrap();
        assert_eq!(units.fields[field].units.as_deref(), Some("K"));
    }
    let faster = set("propagator.0.coefficient", "0.5").unwrap();
    assert_eq!(faster.propagators.len(), 1);
    // A key that the canonical text leaves out.
    let units = set("field.heat.units", "K").unwrap();
    let field = units.fields.iter().find(|field| field.name == "heat");
    assert_eq!(field.unwrap().units.as_deref(), Some("K"));
    assert_eq!(
        units.with_parameter("field.heat.units", "K", &Kinds::new()),
        Ok(units.clone())
    );
    assert_eq!(
        set("space.rows", "8").unwrap().cell_count(),
        world.cell_count() / 2
    );
    refusals(
        r#"
        dt = -1
            dt: must be finite and above 0, not -1.0
        speed = 1
            speed: unknown key; known keys: seed, dt, max_ingress_queue, space, field, propagator
        space = 1
            space: is a part of the world: name one of its parameters, such as space.kind
        field.snow.units = K
            field.snow.units: names none of the fields; they are 0 (stove), …
        propagator.9.coefficient = 1
            propagator.9.coefficient: names none of the propagators; they are 0 (scalar_diffusion), …
        propagator.coefficient = 1
            propagator.coefficient: names none of the propagators; they are 0 (scalar_diffusion), …
        wind.0.x = 1
            wind.0.x: is not a parameter: known are seed, dt, …
        propagator.0.coeff = 1
            propagator 0 (scalar_diffusion), coeff: unknown key; known keys: kind, input_field,…
        propagator.0.coefficient = fast
            propagator 0 (scalar_diffusion), coefficient: a number is needed, this is the string "fast"
        dt = 0.1\nseed = 3
            dt: a number is needed, this is the string "0.1\\nseed = 3"…
        "#,
        |case| {
            let (parameter, value) = case.split_once(" = ").unwrap();
            set(parameter, value).unwrap_err().to_string()
        },
    );
}

/// Puts a drop into a cell in each tick, as many as the tick's number.
fn drip(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    let into = keys.field("into")?;
    Ok(Acting::boxed(into, WriteMode::Incremental, move |ctx| {
        let tick = ctx.tick_id().0 as f32;
        ctx.writes().write(into).unwrap()[0] += tick;
    }))
}

/// A recording of a world with registered propagators is replayed by programs that know the kinds,
/// and read by all.
#[test]
fn recordings_of_ones_own_worlds_are_read_by_everybody() {
    let kinds = Kinds::new().with("drip", drip);
    let mut world = heat();
    let heats = world.field_number("heat").unwrap();
    let into = &world.fields[heats as usize].name;
    world.propagators = vec![
        Own::new("drip", &format!("into = '{into}'"), &kinds)
            .unwrap()
            .into(),
    ];
    let bytes = played(&world, 9, stoves);
    let open = |murk: Murk| murk.open(Source::new(bytes.clone())).unwrap();

    let known = open(Murk::with_kinds(kinds.clone()));
    let said = known.audit(&Options::new(), &Work::default()).unwrap();
    assert_eq!(said.summary, "9 ticks, replayed: every hash is right");
    assert!(
        known
            .tables()
            .unwrap()
            .iter()
            .any(|table| table.name == "heat")
    );
    let mut play = known.own_playback(&Work::default()).unwrap().unwrap();
    for step in [8, 2, 5, 0] {
        play.seek(gametape_core::At::Step(step)).unwrap();
    }

    let strange = open(Murk::new());
    let said = strange.audit(&Options::new(), &Work::default()).unwrap();
    assert_eq!(said.summary, "9 ticks, not replayed");
    let has = |code: &str| said.findings.iter().any(|finding| finding.code() == code);
    assert!(has("murk.unknown-kind") && !has("murk.not-simulated"));
    let (severity, _, message) = found(&audit(&bytes), "murk.unknown-kind");
    assert_eq!(severity, gametape_murk::Severity::Warning);
    assert_eq!(
        message,
        "checked, but not re-simulated: propagator 0 of its world is of the kind \"drip\", which this program does not know; the program that recorded it does"
    );
    // Every program can read the length of a tick and the world.
    assert_eq!(
        strange.attachment("world").unwrap().as_bytes(),
        world.canonical()
    );
    let info = described(&*strange, Depth::Whole).value;
    assert_eq!(info.duration_ms, Some(900));
    let needs = |tape: &Arc<dyn Tape>| {
        let info = described(&**tape, Depth::Header).value;
        info.needs.map(Needs::name)
    };
    assert_eq!(needs(&strange), Some("program"));
    assert_eq!(needs(&known), None);

    // It can be branched from if its kinds are known.
    let (_folder, path) = temporary("branch.murk");
    let tape = |kinds: &Kinds| MurkTape::with_kinds(Source::new(bytes.clone()), kinds);
    let from = |kinds: &Kinds| RecordOptions {
        from: Some(Branch {
            tape: tape(kinds),
            tick: Some(4),
        }),
        ..branching(&path, &bytes, None, 9)
    };
    let error = record(&from(&Kinds::new()), &CommandList::none())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"drip\" is not defined; known kinds:"),
        "{error}"
    );
    record(&from(&kinds), &CommandList::none()).unwrap();
    let branch = fs::read(&path).unwrap();
    let replay = read(&branch).unwrap();
    assert_eq!(
        verify(&replay, &mut world.build().unwrap()).unwrap().frames,
        9
    );
}

#[test]
fn a_branch_keeps_its_seed() {
    let world = World::from_toml(WEATHER).unwrap().with_seed(3);
    let bytes = played(&world, 1, |_| CommandBuf::new());
    let (_folder, path) = temporary("seeded.murk");
    let branch = |seed| RecordOptions {
        seed: Some(seed),
        ..branching(&path, &bytes, Some(1), 9)
    };
    assert_eq!(branch(3).chosen_world().unwrap().seed, 3);
    assert_eq!(
        branch(4).chosen_world().unwrap_err().to_string(),
        "a recording that branches from another one keeps its seed, 3"
    );
}
