//! Worlds that run in memory, arrays of their states, and verification with an explanation.

use std::collections::BTreeSet;
use std::time::Duration;

use gametape_core::tape::Work;
use gametape_murk::engine::World;
use gametape_murk::engine::own::Kinds;
use gametape_murk::tools::{Branch, CommandList, RecordOptions, Run, Watch, check, record};
use gametape_murk::{Commands, Slip, State};
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
    let commands = CommandList::of_values([lit(2), lit(5)], "list".as_ref(), &world).unwrap();
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
        record(&wanted, &CommandList::none()).unwrap();
        for keep in [true, false] {
            let of = RecordOptions {
                set: set.clone(),
                ..RecordOptions::default()
            };
            let mut run = Run::branch(&branch, of, keep, &Work::default()).unwrap();
            assert_eq!((run.tick(), run.made().branched_after), (8, 8));
            run.step(Commands::default()).unwrap();
            run.step(Commands::default()).unwrap();
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
        (0..8).for_each(|_| run.step(Commands::default()).unwrap());
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
fn watched_values_have_their_shapes() {
    for (text, name, shape) in [
        (FORAGING, "grass", vec![12_usize, 20]),
        (FORAGING, "1", vec![12, 20]),
        (FORAGING, "sheep@3,4", vec![]),
        (HEAT, "gradient", vec![16, 16, 2]),
        (HEAT, "gradient@3,4", vec![2]),
        (WEATHER, "pressure", vec![24, 18]),
    ] {
        let world = World::from_toml(text).unwrap();
        let (checker, layout) = (world.checker().unwrap(), world.space.layout());
        let watch = Watch::parse(name, &world, &checker).unwrap();
        assert_eq!(watch.shape(&layout, &checker), shape, "{name}");
        let array = watch.array(&layout, &world.build().unwrap()).len();
        assert_eq!(array, shape.iter().product::<usize>(), "{name}");
    }
    let (world, checker) = (heat(), heat().checker().unwrap());
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
