//! Every sample world can be read and built, and its state changes.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use gametape_murk::engine::World;
use gametape_murk::{CommandBuf, Envelope, Payload, Simulation, snapshot_hash, verify};
use gametape_samples::murk::{ALL, FORAGING, HEAT, record};

#[test]
fn the_samples_live() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("worlds");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let world = World::from_toml(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let mut engine = world.build().unwrap();
        let mut hashes = HashSet::new();
        for tick in 1..=100 {
            let mut commands = CommandBuf::new();
            // Each sample has a field for commands: one that no propagator writes.
            let field = (0..world.field_count()).find(|&field| world.writer(field).is_none());
            let coord = world.space.coord(tick * 7 % world.cell_count()).unwrap();
            let payload = Payload::SetField {
                coord: coord.as_slice().into(),
                field: field.unwrap(),
                value: 1.0,
            };
            if tick % 10 == 0 {
                commands.push(&Envelope::default(), &payload).unwrap();
            }
            engine.step(tick, commands.as_commands()).unwrap();
            assert_eq!(engine.failure(), None, "{path:?}");
            let fields = (0..world.field_count()).map(|field| engine.field(field).unwrap());
            hashes.insert(snapshot_hash(fields));
            for field in 0..world.field_count() {
                let values = engine.field(field).unwrap();
                assert!(values.iter().all(|value| value.is_finite()), "{path:?}");
            }
        }
        assert!(hashes.len() > 90, "{path:?}: {}", hashes.len());
        for field in 0..world.field_count() {
            let values = engine.field(field).unwrap();
            assert!(
                values.iter().any(|value| *value != 0.0),
                "{path:?}: field {field}"
            );
        }
        count += 1;
    }
    assert_eq!(count, ALL.len());
}

#[test]
fn recordings_are_the_same_for_each_seed_and_replay() {
    for text in [HEAT, FORAGING] {
        let world = World::from_toml(text).unwrap();
        let [first, again, other] =
            [1, 1, 2].map(|seed| record(&world, world.build().unwrap(), seed, 60).unwrap());
        assert_eq!(first, again);
        assert_ne!(first, other);
        let replay = gametape_murk::read(&first).unwrap();
        let verified = verify(&replay, &mut world.build().unwrap()).unwrap();
        assert_eq!(verified.frames, 60);
    }
}
