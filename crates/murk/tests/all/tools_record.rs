//! Recording from a moment of another recording, in a changed world, and with an agent.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use gametape_core::table::Needs;
use gametape_core::tape::{Depth, Error, Format, Options, Secrets, Source, Tape, Work};
use gametape_murk::engine::World;
use gametape_murk::engine::own::{
    FieldId, FieldSet, Kinds, Own, ParameterError, Parameters, Propagator, PropagatorError,
    StepContext, WriteMode,
};
use gametape_murk::tape::{Murk, MurkTape};
use gametape_murk::tools::{
    Agent as _, Asked, Branch, Commands, LineAgent, Moment, RecordOptions, Reset, Watch, ask,
    record, record_asking,
};
use gametape_murk::{Commands as OfTick, Simulation as _, read, verify};
use gametape_samples::murk::{CRYSTAL, FORAGING, HEAT, WEATHER};
use proptest::prelude::*;

use crate::common::tapes::{
    audit, file, found, heat, in_memory, options, played, stoves, temporary,
};

fn branching(output: &Path, from: &[u8], tick: Option<u64>, ticks: u64) -> RecordOptions {
    let tape = in_memory(from);
    RecordOptions {
        world: None,
        from: Some(Branch { tape, tick }),
        ..options(output, ticks)
    }
}

fn listed(lines: &str) -> Commands {
    Commands::read(lines.as_bytes(), "list".as_ref(), &heat()).unwrap()
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
            std::cmp::Ordering::Greater if now == tick + more => listed_buffer(&line(now)),
            std::cmp::Ordering::Greater => gametape_murk::CommandBuf::new(),
            _ => stoves(now),
        };
        prop_assert_eq!(bytes, played(&world, tick + more, both));
    }
}

/// Returns the commands of one line.
fn listed_buffer(_: &str) -> gametape_murk::CommandBuf {
    let set = gametape_murk::Payload::SetField {
        coord: (&[3, 4]).into(),
        field: 0,
        value: 9.0,
    };
    let mut buffer = gametape_murk::CommandBuf::new();
    buffer
        .push(&gametape_murk::Envelope::default(), &set)
        .unwrap();
    buffer
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
        record(&from(&wrong, 4, 12), &Commands::none())
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
        record(&from(cut, 11, 20), &Commands::none()).unwrap().ticks,
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
    let made = record(&changed, &Commands::none()).unwrap();
    assert_eq!((made.branched_after, made.ticks), (12, 3));
    let commands = |tick| {
        if tick <= 12 {
            stoves(tick)
        } else {
            gametape_murk::CommandBuf::new()
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
    assert_eq!(
        set("field.a.b.units", "K").unwrap().fields[2]
            .units
            .as_deref(),
        Some("K")
    );
    assert_eq!(
        set("field.a.units", "K").unwrap().fields[3]
            .units
            .as_deref(),
        Some("K")
    );
    assert_eq!(
        set("propagator.0.coefficient", "0.5")
            .unwrap()
            .propagators
            .len(),
        1
    );
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
    for (parameter, value, expected) in [
        ("dt", "-1", "dt: must be finite and above 0, not -1.0"),
        (
            "speed",
            "1",
            "speed: unknown key; known keys: seed, dt, max_ingress_queue, space, field, propagator",
        ),
        (
            "space",
            "1",
            "space: is a part of the world: name one of its parameters, such as space.kind",
        ),
        (
            "field.snow.units",
            "K",
            "field.snow.units: names none of the fields; they are 0 (stove), ",
        ),
        (
            "propagator.9.coefficient",
            "1",
            "propagator.9.coefficient: names none of the propagators; they are 0 (scalar_diffusion), ",
        ),
        (
            "propagator.coefficient",
            "1",
            "propagator.coefficient: names none of the propagators; they are 0 (scalar_diffusion), ",
        ),
        (
            "wind.0.x",
            "1",
            "wind.0.x: is not a parameter: known are seed, dt, ",
        ),
        (
            "propagator.0.coeff",
            "1",
            "propagator 0 (scalar_diffusion), coeff: unknown key; known keys: kind, input_field,",
        ),
        (
            "propagator.0.coefficient",
            "fast",
            "propagator 0 (scalar_diffusion), coefficient: a number is needed, this is the string \"fast\"",
        ),
        // More than one value is not valid.
        (
            "dt",
            "0.1\nseed = 3",
            "dt: a number is needed, this is the string \"0.1\\\\nseed = 3\"",
        ),
    ] {
        let error = set(parameter, value).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
}

/// Puts a drop into a cell in each tick, as many as the tick's number.
struct Drip(FieldId);

impl Propagator for Drip {
    fn name(&self) -> &'static str {
        "drip"
    }

    fn reads(&self) -> FieldSet {
        FieldSet::empty()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        vec![(self.0, WriteMode::Incremental)]
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        let tick = ctx.tick_id().0 as f32;
        ctx.writes().write(self.0).unwrap()[0] += tick;
        Ok(())
    }
}

fn drip(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    Ok(Box::new(Drip(keys.field("into")?)))
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
    assert_eq!(
        strange
            .describe(Depth::Whole, Secrets::Hide, &Work::default())
            .unwrap()
            .value
            .duration_ms,
        Some(900)
    );
    let needs = |tape: &Arc<dyn Tape>| {
        let info = tape.describe(Depth::Header, Secrets::Hide, &Work::default());
        info.unwrap().value.needs.map(Needs::name)
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
    let error = record(&from(&Kinds::new()), &Commands::none())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"drip\" is not defined; known kinds:"),
        "{error}"
    );
    record(&from(&kinds), &Commands::none()).unwrap();
    let branch = fs::read(&path).unwrap();
    let replay = read(&branch).unwrap();
    assert_eq!(
        verify(&replay, &mut world.build().unwrap()).unwrap().frames,
        9
    );
}

/// The other end: answers each line with the script for its tick.
#[derive(Clone)]
struct Script {
    seen: Rc<RefCell<String>>,
    said: Rc<RefCell<Vec<u8>>>,
    answer: fn(&serde_json::Value) -> Option<String>,
}

impl io::Write for Script {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.seen
            .borrow_mut()
            .push_str(std::str::from_utf8(bytes).unwrap());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let seen = self.seen.borrow();
        let last: serde_json::Value = serde_json::from_str(seen.lines().last().unwrap()).unwrap();
        if let Some(answer) = (self.answer)(&last) {
            self.said.borrow_mut().extend(answer.into_bytes());
        }
        Ok(())
    }
}

impl Read for Script {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut said = self.said.borrow_mut();
        let count = out.len().min(said.len());
        for (to, from) in out.iter_mut().zip(said.drain(..count)) {
            *to = from;
        }
        Ok(count)
    }
}

fn asked(
    ticks: u64,
    answer: fn(&serde_json::Value) -> Option<String>,
) -> (
    Result<gametape_murk::tools::Recorded, Error>,
    String,
    Vec<u8>,
    u64,
) {
    let world = heat();
    let checker = world.checker().unwrap();
    let watches = ["stove@7,9", "heat", "1@0,0"];
    let watches = watches.map(|text| Watch::parse(text, &world, &checker).unwrap());
    let script = Script {
        seen: Rc::default(),
        said: Rc::default(),
        answer,
    };
    let (_folder, path) = temporary("asked.murk");
    let input = BufReader::with_capacity(7, script.clone());
    let mut agent = LineAgent::new(input, script.clone(), "-".into(), &world, watches.to_vec());
    let recorded = record_asking(&options(&path, ticks), &mut agent, |_| {
        ControlFlow::Continue(())
    });
    let recorded = recorded.map(|asked| asked.recorded);
    let unfinished = agent.unfinished();
    let seen = script.seen.borrow().clone();
    (
        recorded,
        seen,
        fs::read(&path).unwrap_or_default(),
        unfinished,
    )
}

const LIGHT: &str = "{\"kind\":\"set_field\",\"coord\":[7,9],\"field\":\"stove\",\"value\":2}\n";

/// An agent lights the stove when it is out, as it sees it after each tick.
#[test]
fn an_agent_sees_each_tick_and_answers_it() {
    let (recorded, seen, bytes, unfinished) = asked(6, |seen| {
        let out = seen["cells"]["stove@7,9"] == 0.0;
        let light = if out { LIGHT } else { "\n" };
        Some(format!(
            "{light}{{\"tick\":{},\"commands\":[]}}\n",
            seen["tick"].as_u64()? + 1
        ))
    });
    let recorded = recorded.unwrap();
    assert_eq!((recorded.ticks, recorded.applied, unfinished), (6, 1, 0));
    let replay = read(&bytes).unwrap();
    verify(&replay, &mut heat().build().unwrap()).unwrap();
    let hashes = replay
        .frames()
        .map(|frame| Some(frame.unwrap().snapshot_hash));
    let hashes = std::iter::once(None).chain(hashes);
    let mut lines = 0;
    for ((tick, line), hash) in (0..).zip(seen.lines()).zip(hashes) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["tick"], tick);
        assert_eq!(line["time_ms"], f64::from(tick) * 100.0);
        let hash = hash.map(|hash| format!("{hash:016x}"));
        assert_eq!(line["hash"].as_str(), hash.as_deref());
        let expected = if tick == 1 { vec!["applied"] } else { vec![] };
        assert_eq!(line["outcomes"], serde_json::json!(expected));
        assert_eq!(
            line["cells"]["stove@7,9"],
            if tick == 0 { 0.0 } else { 2.0 }
        );
        assert_eq!(line["cells"]["heat"].as_array().unwrap().len(), 256);
        assert!(line["cells"]["1@0,0"].is_number());
        lines += 1;
    }
    assert_eq!(lines, 7);
}

/// The end of the input is the end of the recording, which is whole. A tick in which the input ends
/// is not made.
#[test]
fn the_end_of_the_input_ends_the_recording() {
    let (recorded, seen, bytes, unfinished) =
        asked(u64::MAX, |seen| match seen["tick"].as_u64()? {
            0 => Some("{\"commands\":[]}\n".into()),
            1 => Some(LIGHT.repeat(2)),
            _ => None,
        });
    assert_eq!(
        (recorded.unwrap().ticks, seen.lines().count(), unfinished),
        (1, 2, 2)
    );
    verify(&read(&bytes).unwrap(), &mut heat().build().unwrap()).unwrap();
}

#[test]
fn what_an_agent_says_wrong_is_named_by_its_line() {
    for (answer, expected) in [
        (
            (|_| Some("\n{\"kind\":\"sat_field\"}\n".into())) as fn(&_) -> _,
            "line 2: the kind \"sat_field\" is none of move, ",
        ),
        (
            |_| Some("{\"tick\":3,\"commands\":[]}\n".into()),
            "line 1: tick 1 is next, not tick 3",
        ),
        (|_| Some("{\"commands\":[]\n".into()), "line 1: not JSON: "),
        (
            |_| Some("{\"commands\":[{\"kind\":\"despawn\",\"entity_id\":1},{}]}\n".into()),
            "line 1: command 1: \"kind\" is missing",
        ),
        (|_| Some("{}\n".into()), "line 1: \"kind\" is missing"),
    ] {
        let (recorded, _, bytes, _) = asked(3, answer);
        let error = recorded.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(read(&bytes).unwrap().frames().count(), 0);
    }
    let world: World = heat();
    let checker = world.checker().unwrap();
    let watch = |text: &str| Watch::parse(text, &world, &checker).unwrap_err();
    assert!(watch("snow@1,1").starts_with("the world has no field \"snow\"; it has stove, "));
    assert!(watch("9").starts_with("the world has no field \"9\""));
    for cell in ["16,0", "1", "a,b", ""] {
        assert_eq!(
            watch(&format!("heat@{cell}")),
            format!("{cell:?} is not a cell of the world: its coordinate, with commas between")
        );
    }
}

/// A place of an array is that of the cell with this coordinate, also where cells are stored in another order;
/// a place without a cell is null.
#[test]
fn arrays_for_agents_have_their_shapes() {
    for (text, field, shape) in [
        (FORAGING, "grass", vec![12_u64, 20]),
        (FORAGING, "1", vec![12, 20]),
        (FORAGING, "sheep@3,4", vec![]),
        (HEAT, "gradient", vec![16, 16, 2]),
        (HEAT, "gradient@3,4", vec![2]),
        (WEATHER, "pressure", vec![24, 18]),
        (CRYSTAL, "", vec![]),
    ] {
        let world = World::from_toml(text).unwrap();
        let (checker, mut simulation) = (world.checker().unwrap(), world.build().unwrap());
        (1..4).for_each(|tick| simulation.step(tick, OfTick::default()).unwrap());
        let field = if field.is_empty() {
            &world.fields[0].name
        } else {
            field
        };
        let watch = Watch::parse(field, &world, &checker).unwrap();
        let values = watch.values(&simulation).to_vec();
        let mut out = Vec::new();
        let mut agent = LineAgent::new(
            io::empty(),
            &mut out,
            "-".into(),
            &world,
            vec![watch.clone()],
        );
        for hash in [None, Some(1)] {
            let moment = Moment {
                tick: 0,
                hash,
                world: &simulation,
            };
            assert!(agent.see(moment).unwrap().is_continue());
        }
        let out = String::from_utf8(out).unwrap();
        let mut lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
        let [first, later]: [serde_json::Value; 2] = [(); 2].map(|()| lines.next().unwrap());
        assert_eq!(later.get("shapes"), None);
        assert_eq!(first["cells"], later["cells"]);
        let shown = first["shapes"][field].as_array().unwrap();
        let shown: Vec<u64> = shown.iter().map(|edge| edge.as_u64().unwrap()).collect();
        if text == CRYSTAL {
            assert_eq!(shown.len(), 3);
        } else {
            assert_eq!(shown, shape, "{field}");
        }
        let Some(array) = first["cells"][field].as_array() else {
            assert_eq!(shown, Vec::<u64>::new());
            continue;
        };
        assert_eq!(array.len() as u64, shown.iter().product::<u64>());
        if watch.is_cell() {
            continue;
        }
        let cells = world.cell_count();
        let components = values.len() as u64 / cells;
        for cell in 0..cells {
            let coord = world.space.coord(cell).unwrap();
            let at = coord.iter().zip(&shown);
            let place = at.fold(0, |place, (at, edge)| place * edge + *at as u64);
            for component in 0..components {
                let value = &array[(place * components + component) as usize];
                let stored = values[(cell * components + component) as usize];
                let value = value.as_f64().map(|value| value as f32);
                assert_eq!(value, Some(stored), "{field} at {coord:?}");
            }
        }
        let gaps = array.iter().filter(|value| value.is_null()).count();
        assert_eq!(gaps as u64, array.len() as u64 - cells * components);
        assert_eq!(gaps > 0, text == CRYSTAL);
    }
}

/// The lines of an agent whose answers are these.
fn lines(world: &World, options: &RecordOptions, answers: &str, kept: bool) -> (Asked, String) {
    let mut out = Vec::new();
    let mut agent = LineAgent::new(answers.as_bytes(), &mut out, "-".into(), world, vec![]);
    let each = |_: &_| ControlFlow::Continue(());
    let asked = if kept {
        record_asking(options, &mut agent, each)
    } else {
        ask(options, &mut agent, each)
    };
    (asked.unwrap(), String::from_utf8(out).unwrap())
}

#[test]
fn what_is_asked_without_a_file_is_what_is_recorded() {
    let world = World::from_toml(WEATHER).unwrap();
    let (folder, path) = temporary("asked.murk");
    let of = |seed| RecordOptions {
        world: Some(file(WEATHER)),
        seed,
        ..options(&path, 9)
    };
    let tick = "{\"commands\":[]}\n";
    let answers = format!("{tick}{tick}{}\n{tick}", r#"{"reset":{"seed":5}}"#);
    let (made, seen) = lines(&world, &of(Some(3)), &answers, true);
    let (bare, same) = lines(&world, &of(Some(3)), &answers, false);
    assert_eq!((&made, &seen), (&bare, &same));
    assert_eq!((made.recorded.ticks, seen.lines().count()), (2, 3));
    assert_eq!(made.reset, Some(Reset { seed: Some(5) }));
    // A recording carries the seed, and its frames have it.
    let bytes = fs::read(&path).unwrap();
    let carried = World::from_descriptor(&read(&bytes).unwrap().header().space_descriptor);
    assert_eq!(carried, Some(Ok(world.with_seed(3))));
    let (_, other) = lines(&world, &of(None), &answers, false);
    assert_ne!(seen, other);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // A branch keeps its seed.
    let branch = |seed| RecordOptions {
        seed,
        from: Some(Branch {
            tape: in_memory(bytes.clone()),
            tick: Some(1),
        }),
        world: None,
        ..options(&path, 9)
    };
    let (asked, seen) = lines(&world, &branch(Some(3)), tick, false);
    assert_eq!(
        (asked.recorded.branched_after, asked.recorded.ticks),
        (1, 1)
    );
    assert!(seen.starts_with("{\"tick\":1,"), "{seen}");
    assert_eq!(asked.recorded.last_hash, made.recorded.last_hash);
    let error = branch(Some(4)).chosen_world().unwrap_err().to_string();
    assert_eq!(
        error,
        "a recording that branches from another one keeps its seed, 3"
    );
}

#[test]
fn a_wrong_reset_is_named_by_its_line() {
    let world = heat();
    for (answer, expected) in [
        (
            "{\"reset\":7}",
            "line 1: \"reset\" must be an object: {}, or with a seed, {\"seed\":7}",
        ),
        (
            "\n{\"reset\":{\"sed\":7}}",
            "line 2: reset: \"sed\" is not a known key",
        ),
        (
            "{\"reset\":{\"seed\":-7}}",
            "line 1: reset: \"seed\" must be a whole number from 0 to 18446744073709551615",
        ),
        (
            "{\"reset\":{},\"commands\":[]}",
            "line 1: \"commands\" is not a known key",
        ),
    ] {
        let mut agent = LineAgent::new(answer.as_bytes(), io::sink(), "-".into(), &world, vec![]);
        let error = agent.reply(1).unwrap_err().to_string();
        assert_eq!(error, expected);
    }
    let late = format!("{LIGHT}{LIGHT}{{\"reset\":{{}}}}");
    let mut agent = LineAgent::new(late.as_bytes(), io::sink(), "-".into(), &world, vec![]);
    assert_eq!(
        agent.reply(4).unwrap_err().to_string(),
        "line 3: reset comes after 2 commands of tick 4, which is not made: a line with \"commands\" makes it"
    );
}
