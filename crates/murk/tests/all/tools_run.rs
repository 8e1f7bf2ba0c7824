//! Worlds that run in memory, sweeps over them, and verification with an explanation.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gametape_core::tape::{Error, Work};
use gametape_murk::engine::World;
use gametape_murk::engine::own::{
    FieldId, FieldSet, Kinds, Own, ParameterError, Parameters, Propagator, PropagatorError,
    StepContext, WriteMode,
};
use gametape_murk::tools::{Branch, Commands, Measure, RecordOptions, Run, Sweep, check, record};
use gametape_murk::{Commands as OfTick, Simulation as _, Slip, State};
use gametape_samples::murk::{ALL, CRYSTAL, FORAGING, HEAT, WEATHER};
use serde_json::json;

use crate::common::tapes::{file, heat, in_memory, options, played, stoves, temporary};

fn worlds() -> Vec<World> {
    let worlds = ALL.iter().map(|(_, text)| World::from_toml(text).unwrap());
    worlds.collect()
}

fn lit(tick: u64) -> serde_json::Value {
    json!({"tick": tick, "kind": "set_field", "coord": [3, 4], "field": "stove", "value": 1.5})
}

#[test]
fn a_run_has_the_states_and_the_recording_that_record_writes() {
    let world = heat();
    let commands = Commands::of_values([lit(2), lit(5)], "list".as_ref(), &world).unwrap();
    let (_folder, path) = temporary("run.murk");
    let made = record(&options(&path, 12), &commands).unwrap();
    let mut run = Run::new(&world, true).unwrap();
    for tick in 1..=12 {
        run.step(commands.of(tick)).unwrap();
    }
    assert_eq!(run.recording().unwrap(), std::fs::read(&path).unwrap());
    assert_eq!(made.last_hash, Some(run.hash().to_string()));
    assert_eq!((run.made().ticks, run.made().applied), (12, made.applied));
    let mut bare = Run::new(&world, false).unwrap();
    bare.step(commands.of(1)).unwrap();
    assert_eq!((bare.recording(), bare.tick()), (None, 1));
}

#[test]
fn a_branch_in_memory_is_what_a_branch_in_a_file_is() {
    let world = heat();
    let source = played(&world, 20, stoves);
    let branch = Branch {
        tape: in_memory(source.clone()),
        tick: Some(8),
    };
    for set in [vec![], vec![("dt".to_owned(), "0.05".to_owned())]] {
        let (_folder, path) = temporary("branch.murk");
        let wanted = RecordOptions {
            world: None,
            from: Some(branch.clone()),
            set: set.clone(),
            ..options(&path, 10)
        };
        record(&wanted, &Commands::none()).unwrap();
        for keep in [true, false] {
            let of = RecordOptions {
                set: set.clone(),
                ..RecordOptions::default()
            };
            let mut run = Run::branch(&branch, of, keep, &Work::default()).unwrap();
            assert_eq!((run.tick(), run.made().branched_after), (8, 8));
            run.step(OfTick::default()).unwrap();
            run.step(OfTick::default()).unwrap();
            let recording = std::fs::read(&path).unwrap();
            assert_eq!(run.recording(), keep.then_some(recording.as_slice()));
            assert!(recording.ends_with(&run.hash().0.to_le_bytes()));
        }
    }
    let beyond = Branch {
        tick: Some(21),
        ..branch
    };
    let error =
        Run::branch(&beyond, RecordOptions::default(), false, &Work::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("there is no tick 21 to branch from"),
        "{error}"
    );
}

#[test]
fn every_parameter_can_be_set_to_what_it_is() {
    for world in worlds() {
        let parameters = world.parameters();
        let names: BTreeSet<&String> = parameters.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), parameters.len());
        // Each line of a key in the description is there.
        let text = String::from_utf8(world.canonical()).unwrap();
        let keys = text.lines().filter(|line| line.contains(" = "));
        assert_eq!(parameters.len(), keys.count());
        for (name, value) in &parameters {
            let same = world.with_parameter(name, value, &Kinds::new());
            assert_eq!(same.as_ref(), Ok(&world), "{name} = {value}");
        }
    }
}

#[test]
fn seeds_change_the_noise_and_nothing_else() {
    let end = |world: &World| {
        let mut run = Run::new(world, false).unwrap();
        (0..8).for_each(|_| run.step(OfTick::default()).unwrap());
        State::of(run.simulation(), world.field_count())
    };
    let weather = World::from_toml(WEATHER).unwrap();
    assert_eq!(weather.with_seed(weather.seed), weather);
    assert_eq!(weather.with_seed(9).with_seed(4), weather.with_seed(4));
    assert_eq!(end(&weather.with_seed(4)), end(&weather.with_seed(4)));
    let ends: BTreeSet<u64> = (0..20)
        .map(|seed| end(&weather.with_seed(seed)).hash())
        .collect();
    assert_eq!(ends.len(), 20);
    // A recording carries the world with its seed.
    let carried = World::from_descriptor(&weather.with_seed(4).canonical());
    assert_eq!(carried, Some(Ok(weather.with_seed(4))));
    // The offset of a noise is combined with the tick, so small seeds must not share noise at other ticks.
    let offsets: BTreeSet<u64> = (0..20)
        .map(|seed| {
            let parameters = weather.with_seed(seed).parameters();
            let offset = parameters
                .iter()
                .find(|(name, _)| name.ends_with("seed_offset"));
            let text = offset.unwrap().1.trim_matches('"').to_owned();
            let number = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            number.unwrap() >> 32
        })
        .collect();
    assert_eq!(offsets.len(), 20);
    let heat = heat();
    assert_eq!(end(&heat.with_seed(1)), end(&heat.with_seed(2)));
}

#[test]
fn an_array_is_indexed_by_coordinates() {
    for world in worlds() {
        let layout = world.space.layout();
        let cells = world.cell_count();
        let values: Vec<f32> = (0..cells * 2).map(|at| at as f32).collect();
        let array = layout.array(&values, 2);
        let mut filled = 0;
        for cell in 0..cells {
            let coord = world.space.coord(cell).unwrap();
            let place = coord
                .iter()
                .zip(layout.shape())
                .fold(0, |place, (at, edge)| place * edge + *at as usize);
            for component in 0..2 {
                let value = array[place * 2 + component];
                assert_eq!(
                    value.to_bits(),
                    values[cell as usize * 2 + component].to_bits()
                );
                filled += 1;
            }
        }
        let gaps = array.iter().filter(|value| value.is_nan()).count();
        assert_eq!(filled + gaps, array.len());
        assert_eq!(array.len(), layout.shape().iter().product::<usize>() * 2);
    }
    assert!(
        World::from_toml(CRYSTAL)
            .unwrap()
            .space
            .layout()
            .array(&[1.0; 192], 1)
            .len()
            > 192
    );
}

#[test]
fn a_sweep_is_the_runs_that_it_is_made_of() {
    let world = World::from_toml(WEATHER).unwrap();
    let checker = world.checker().unwrap();
    let measures: Vec<Measure> = ["pressure.mean", "pressure.std", "pressure@3,4", "wind.max"]
        .iter()
        .map(|name| Measure::parse(name, &world, &checker).unwrap())
        .collect();
    let sweep = Sweep {
        grid: vec![
            ("dt".into(), vec!["0.05".into(), "0.1".into()]),
            (
                "propagator.0.scale".into(),
                vec!["0.1".into(), "0.3".into(), "0.5".into()],
            ),
        ],
        seeds: vec![3, 1 << 60],
        ticks: 7,
        commands: Commands::none(),
        world: world.clone(),
        kinds: Kinds::new(),
    };
    let of = |run: &Run| -> Result<Vec<f64>, Error> {
        let of = |measure: &Measure| measure.of(run.simulation());
        Ok(measures.iter().map(of).collect())
    };
    let runs = sweep.run(&of, &Work::default()).unwrap();
    assert_eq!((runs.len(), sweep.runs()), (12, Some(12)));
    let mut seen = BTreeSet::new();
    for (at, run) in runs.iter().enumerate() {
        let values = sweep.values(at);
        let set = ["dt", "propagator.0.scale"]
            .into_iter()
            .zip(values.iter().copied());
        let changed = world.with_parameters(set, &Kinds::new()).unwrap();
        let mut alone = Run::new(&changed.with_seed(sweep.seed(at)), false).unwrap();
        (0..7).for_each(|_| alone.step(OfTick::default()).unwrap());
        assert_eq!(run.measured, of(&alone).unwrap());
        // What is measured is what the values say.
        let field = alone
            .simulation()
            .field(world.field_number("pressure").unwrap())
            .unwrap();
        let mean = field.iter().copied().map(f64::from).sum::<f64>() / field.len() as f64;
        assert_eq!(run.measured[0].to_bits(), mean.to_bits());
        seen.insert((values.join(" "), sweep.seed(at)));
    }
    assert_eq!(seen.len(), 12);
}

#[test]
fn a_sweep_refuses_what_the_world_refuses_before_it_runs() {
    let sweep = |name: &str, value: &str| Sweep {
        world: heat(),
        kinds: Kinds::new(),
        grid: vec![(name.into(), vec!["0.1".into(), value.into()])],
        seeds: vec![],
        ticks: 1,
        commands: Commands::none(),
    };
    let ran = AtomicBool::new(false);
    let of = |_: &_| -> Result<(), Error> {
        ran.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    };
    let error = |sweep: Sweep| sweep.run(&of, &Work::default()).unwrap_err().to_string();
    assert!(error(sweep("dt", "-1")).starts_with("dt=-1 can't be set: dt: "));
    assert!(error(sweep("td", "1")).contains("td: unknown key; known keys: seed, dt"));
    assert!(error(sweep("td", "1")).ends_with(" (did you mean \"dt\"?)"));
    let many = Sweep {
        seeds: vec![0; 6_000_000],
        ..sweep("dt", "0.2")
    };
    assert_eq!(error(many), "a sweep has at most 10,000,000 runs");
    let late = Sweep {
        commands: Commands::of_values([lit(2)], "list".as_ref(), &heat()).unwrap(),
        ..sweep("dt", "0.2")
    };
    assert_eq!(error(late), "line 1: tick 2 is not made; only tick 1 is");
    let cancelled = AtomicBool::new(true);
    let work = Work {
        cancel: Some(&cancelled),
        ..Work::default()
    };
    assert!(matches!(
        sweep("dt", "0.2").run(&of, &work),
        Err(Error::Cancelled)
    ));
    assert!(!ran.into_inner());
}

#[test]
fn an_unknown_parameter_is_refused_with_the_nearest() {
    for (parameter, meant) in [
        ("propagator.1.coefficent", Some("propagator.1.coefficient")),
        ("propagater.1.coefficient", Some("propagator.1.coefficient")),
        ("coefficient", Some("propagator.1.coefficient")),
        ("propagator.9.intensity", Some("propagator.0.intensity")),
        ("space.row", Some("space.rows")),
        ("field.haet.units", Some("field.heat.units")),
        ("td", Some("dt")),
        ("temperature", None),
        // It is known, and its value is wrong.
        ("dt", None),
        ("propagator.1.kind", None),
    ] {
        let error = heat().with_parameters([(parameter, "x")], &Kinds::new());
        let error = error.unwrap_err();
        let said = error.rsplit_once(" (did you mean ").map(|(_, said)| said);
        let meant = meant.map(|meant| format!("{meant:?}?)"));
        assert_eq!(said, meant.as_deref(), "{error}");
    }
}

/// Fails in each tick, if its limit is 0.
struct Dry(FieldId, u32);

impl Propagator for Dry {
    fn name(&self) -> &'static str {
        "dry"
    }

    fn reads(&self) -> FieldSet {
        FieldSet::empty()
    }

    fn writes(&self) -> Vec<(FieldId, WriteMode)> {
        vec![(self.0, WriteMode::Full)]
    }

    fn step(&self, ctx: &mut StepContext<'_>) -> Result<(), PropagatorError> {
        if self.1 == 0 {
            let reason = "there is no water".to_owned();
            return Err(PropagatorError::ExecutionFailed { reason });
        }
        ctx.writes().write(self.0).unwrap().fill(self.1 as f32);
        Ok(())
    }
}

fn dry(keys: &mut Parameters<'_>) -> Result<Box<dyn Propagator>, ParameterError> {
    Ok(Box::new(Dry(
        keys.field("water")?,
        keys.take_or("limit", 1)?,
    )))
}

/// Propagators of a program's own are swept, too. A run in which ticks fail counts them, and one that can't go on
/// is named.
#[test]
fn a_run_that_stops_is_named() {
    let kinds = Kinds::new().with("dry", dry);
    let mut world = heat();
    let own = Own::new("dry", "water = 'heat'\nlimit = 5", &kinds).unwrap();
    world.propagators = vec![own.into()];
    let sweep = |values: &[&str], ticks| Sweep {
        world: world.clone(),
        kinds: kinds.clone(),
        grid: vec![(
            "propagator.0.limit".into(),
            values.iter().map(|value| (*value).to_owned()).collect(),
        )],
        seeds: vec![3, 4],
        ticks,
        commands: Commands::none(),
    };
    let measure = Measure::parse("heat.max", &world, &world.checker().unwrap()).unwrap();
    let of = |run: &Run| Ok::<f64, Error>(measure.of(run.simulation()));
    let made = sweep(&["7", "0"], 2).run(&of, &Work::default()).unwrap();
    let made: Vec<(f64, u64)> = made
        .iter()
        .map(|run| (run.measured, run.failed_ticks))
        .collect();
    assert_eq!(made, [(7.0, 0), (7.0, 0), (0.0, 2), (0.0, 2)]);
    let error = sweep(&["7", "0"], 9)
        .run(&of, &Work::default())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("propagator.0.limit=0, seed 3: tick 4: "),
        "{error}"
    );
}

#[test]
fn a_measure_names_a_number() {
    let world = World::from_toml(FORAGING).unwrap();
    let checker = world.checker().unwrap();
    let error = |text: &str| Measure::parse(text, &world, &checker).unwrap_err();
    assert!(error("gras.mean").starts_with("the world has no field \"gras\"; it has sheep, grass"));
    assert!(error("grass").contains("is nothing to measure"));
    assert!(error("wind@3,4").contains("is nothing to measure"));
    assert!(error("grass@99,4").contains("is not a cell of the world"));
    let all = Measure::of_all(&world);
    let names: Vec<&str> = all.iter().map(Measure::name).take(4).collect();
    assert_eq!(
        names,
        ["sheep.mean", "sheep.min", "sheep.max", "grass.mean"]
    );
    assert_eq!(all.len(), 15);
}

#[test]
fn a_check_finds_the_bit_and_explains_it() {
    let world = heat();
    let mut bytes = played(&world, 30, stoves);
    let whole = check(
        &in_memory(bytes.clone()),
        None,
        Duration::from_secs(9),
        &Work::default(),
    );
    let whole = whole.unwrap();
    assert_eq!(
        (whole.frames, whole.divergence, whole.explanation),
        (30, None, None)
    );
    let end = bytes.len();
    bytes[end - 3] ^= 1 << 4;
    let tape = in_memory(bytes.clone());
    let silent = check(&tape, Some(&file(HEAT)), Duration::ZERO, &Work::default()).unwrap();
    assert_eq!((silent.frames, silent.explanation), (29, None));
    let found = check(&tape, None, Duration::from_secs(9), &Work::default()).unwrap();
    let slips = found.explanation.unwrap().slips;
    assert_eq!(slips, [Slip::Hash { bits: 1, bit: 44 }]);
    assert_eq!(found.divergence.unwrap().tick, 30);
    // Another world is refused, and so is a recording that ends within a frame.
    let other = check(
        &tape,
        Some(&file(FORAGING)),
        Duration::ZERO,
        &Work::default(),
    );
    assert!(other.unwrap_err().to_string().contains("cell_count"));
    let warmer = file(&HEAT.replace("dt = 0.1", "dt = 0.05"));
    let other = check(&tape, Some(&warmer), Duration::ZERO, &Work::default());
    assert!(
        other
            .unwrap_err()
            .to_string()
            .starts_with("the recording's config_hash is")
    );
    bytes.truncate(end - 4);
    assert!(check(&in_memory(bytes), None, Duration::ZERO, &Work::default()).is_err());
}
