//! Recordings by the origin's own writer, of worlds built from the origin's own parts, replayed
//! from our description of them.

use std::collections::HashSet;

use gametape_murk::engine::{EngineError, Outcome};
use gametape_murk::{CommandBuf, Envelope, Rejection, Simulation, read};
use murk_core::IngressError;
use murk_engine::LockstepWorld;

use super::commands::{Dice, commands, hash, record, replay, ticks};
use super::worlds::{all, failing};
use crate::common::{only, set};

#[test]
fn recordings_of_the_origin_are_made_again() {
    for twin in all().iter().filter(|twin| twin.name != "failing") {
        let world = twin.world();
        let ticks = ticks(&world, 7, 150);
        let bytes = record(twin.config(), world.field_count(), &ticks);
        let recording = read(&bytes).unwrap();
        assert_eq!(
            recording.header().cell_count,
            world.cell_count(),
            "{}",
            twin.name
        );
        let mut engine = world.build().unwrap();
        let hashes = replay(&mut engine, &recording);
        assert_eq!(engine.tick(), 150);
        // A world that never changes would prove nothing.
        let different: HashSet<_> = hashes.iter().collect();
        assert!(different.len() > 25, "{}: {}", twin.name, different.len());
    }
}

#[test]
fn another_world_gives_other_hashes() {
    for (twin, from, to) in all()
        .iter()
        .zip(["0.3", "0.5", "5", "0.75", "5", "9", "3", "'wrap'", "2.0"])
        .zip([
            "0.31", "0.51", "6", "0.76", "6", "8", "4", "'absorb'", "2.1",
        ])
        .map(|((twin, from), to)| (twin, from, to))
    {
        let world = twin.world();
        let ticks = ticks(&world, 7, 40);
        let bytes = record(twin.config(), world.field_count(), &ticks);
        let recording = read(&bytes).unwrap();
        let changed = twin.toml().replace(from, to);
        assert_ne!(changed, twin.toml(), "{}", twin.name);
        let Ok(changed) = gametape_murk::engine::World::from_toml(&changed) else {
            panic!("{}", twin.name)
        };
        let mut engine = changed.build().unwrap();
        let differs = recording.frames().any(|frame| {
            let frame = frame.unwrap();
            engine.step(frame.tick, frame.commands()).unwrap();
            hash(&engine, world.field_count()) != frame.snapshot_hash
        });
        assert!(differs, "{}", twin.name);
    }
}

/// The origin's receipts agree with the predictions of the checker.
#[test]
fn receipts_are_the_origins() {
    let mut seen = HashSet::new();
    for twin in all() {
        let world = twin.world();
        let checker = world.checker().unwrap();
        let mut dice = Dice(99);
        let mut origin = LockstepWorld::new(twin.config()).unwrap();
        let mut engine = world.build().unwrap();
        for tick in 1..=3 {
            let submitted = commands(&mut dice, &world, tick);
            let bytes = record(
                twin.config(),
                world.field_count(),
                std::slice::from_ref(&submitted),
            );
            let recording = read(&bytes).unwrap();
            let frame = recording.frames().next().unwrap().unwrap();
            let engine_tick = engine.tick() + 1;
            engine.step(tick, frame.commands()).unwrap();
            let receipts = match origin.step_sync(submitted) {
                Ok(result) => result.receipts,
                Err(error) => error.receipts,
            };
            assert_eq!(engine.receipts().outcomes().len(), receipts.len());
            assert_eq!(
                engine.receipts().counts().iter().sum::<usize>(),
                receipts.len()
            );
            for receipt in receipts {
                let outcome = engine.receipts().outcomes()[receipt.command_index];
                let expected = match receipt.reason_code {
                    None => Outcome::Applied,
                    Some(IngressError::Stale) => Outcome::Expired,
                    Some(IngressError::UnsupportedCommand) => Outcome::Unsupported,
                    Some(IngressError::NotApplied) => Outcome::NotApplied,
                    Some(IngressError::TickRollback) => Outcome::RolledBack,
                    Some(other) => panic!("{other}"),
                };
                assert_eq!(outcome, expected, "{}", twin.name);
                let command = frame.commands().iter().nth(receipt.command_index).unwrap();
                let foretold = checker.check(&command, engine_tick);
                let fits = match outcome {
                    Outcome::Applied | Outcome::RolledBack => foretold.is_none(),
                    Outcome::Expired => foretold == Some(Rejection::Expired),
                    Outcome::Unsupported => foretold == Some(Rejection::Unsupported),
                    Outcome::NotApplied => matches!(
                        foretold,
                        Some(Rejection::Outside | Rejection::UnknownField | Rejection::StaticField)
                    ),
                    _ => false,
                };
                assert!(fits, "{}: {outcome:?}, {foretold:?}", twin.name);
                // A command that is applied has a target; one without a target is not applied.
                if outcome == Outcome::Applied {
                    assert!(checker.target(&command).is_some());
                }
                seen.insert((outcome, foretold));
            }
        }
    }
    for rejection in [
        Rejection::Expired,
        Rejection::Unsupported,
        Rejection::Outside,
        Rejection::UnknownField,
        Rejection::StaticField,
    ] {
        assert!(
            seen.iter().any(|(_, one)| *one == Some(rejection)),
            "{rejection:?}"
        );
    }
}

#[test]
fn a_failed_tick_is_as_the_origin_has_it() {
    let twin = failing();
    let world = twin.world();
    for seed in 0..200 {
        let ticks = ticks(&world, seed, 3);
        let bytes = record(twin.config(), world.field_count(), &ticks);
        let mut engine = world.build().unwrap();
        let recording = read(&bytes).unwrap();
        replay(&mut engine, &recording);
        assert_eq!(engine.tick(), 0);
        assert!(engine.failure().unwrap().contains("GradientCompute"));
        let frame = recording.frames().next().unwrap().unwrap();
        let error = engine.step(4, frame.commands()).unwrap_err();
        assert!(
            matches!(&error, EngineError::TickingDisabled { reason } if reason.contains("need 8")),
            "{error}"
        );
        assert_eq!(
            engine.receipts().count(Outcome::Refused),
            frame.commands().len()
        );
    }
}

/// After a second failed tick, the origin shows other values of a sparse field than before,
/// although it publishes nothing. A replay must show them, too.
#[test]
fn the_origin_spoils_sparse_fields_in_failed_ticks() {
    use murk_core::FieldReader;
    let set = |field, value| murk_core::Command {
        payload: murk_core::CommandPayload::SetField {
            coord: vec![1].into(),
            field_id: murk_core::FieldId(field),
            value,
        },
        expires_after_tick: murk_core::TickId(u64::MAX),
        source_id: None,
        source_seq: None,
        priority_class: 1,
        arrival_seq: 0,
    };
    let twin = failing();
    let mut origin = LockstepWorld::new(twin.config()).unwrap();
    let shown = |origin: &LockstepWorld| origin.snapshot().read(murk_core::FieldId(2)).unwrap()[1];
    origin.step_sync(vec![set(2, 5.0)]).err().unwrap();
    assert_eq!(shown(&origin).to_bits(), 0.0_f32.to_bits());
    origin.step_sync(vec![set(3, 6.0)]).err().unwrap();
    // Field 2 shows what a failed tick wrote to field 3.
    assert_eq!(shown(&origin).to_bits(), 6.0_f32.to_bits());

    let ticks = [vec![set(2, 5.0)], vec![set(3, 6.0)]];
    let bytes = record(twin.config(), 5, &ticks);
    replay(&mut twin.world().build().unwrap(), &read(&bytes).unwrap());
}

/// Commands after a full queue are refused; an unreadable one takes a place in it.
#[test]
fn the_queue_is_bounded() {
    let text = all()[7]
        .toml()
        .replacen("dt = 1.0", "dt = 1.0\nmax_ingress_queue = 3", 1);
    let world = gametape_murk::engine::World::from_toml(&text).unwrap();
    let mut engine = world.build().unwrap();
    let mut buffer = CommandBuf::new();
    buffer
        .push(&Envelope::default(), &set(&[0, 0], 0, 1.0))
        .unwrap();
    let unknown = gametape_murk::Command {
        payload_type: 77,
        payload: &[1, 2],
        envelope: Envelope::default(),
    };
    buffer.push_stored(&unknown).unwrap();
    let short = gametape_murk::Command {
        payload_type: 3,
        ..unknown
    };
    buffer.push_stored(&short).unwrap();
    buffer
        .push(&Envelope::default(), &set(&[0, 0], 0, 2.0))
        .unwrap();
    engine.step(1, buffer.as_commands()).unwrap();
    assert_eq!(
        engine.receipts().outcomes(),
        [
            Outcome::Applied,
            Outcome::Unsupported,
            Outcome::Unsupported,
            Outcome::Refused
        ]
    );
    assert_eq!(engine.field(0).unwrap()[0].to_bits(), 1.0_f32.to_bits());
    let checker = world.checker().unwrap();
    assert_eq!(checker.max_ingress_queue(), 3);
    assert_eq!(checker.check(&short, 1), Some(Rejection::Unsupported));
    // Expiry is checked first, as in the origin.
    let mut old = short;
    old.envelope.expires_after_tick = 4;
    assert_eq!(checker.check(&old, 5), Some(Rejection::Expired));
    assert_eq!(checker.check(&old, 4), Some(Rejection::Unsupported));
}

/// A command that names a cell hits the element of that number, which belongs to another cell in a
/// vector field.
#[test]
fn a_command_hits_the_element_of_the_cells_number() {
    let world = all()[7].world();
    let mut engine = world.build().unwrap();
    let buffer = only(&set(&[1, 2], 3, 4.0));
    engine.step(1, buffer.as_commands()).unwrap();
    let command = buffer.as_commands().iter().next().unwrap();
    assert_eq!(engine.target(&command), Some((3, 5)));
    let values = engine.field(3).unwrap();
    assert_eq!(values.len(), 18);
    assert_eq!(values.iter().position(|value| *value != 0.0), Some(5));
    let hit = engine.locate(3, 5).unwrap();
    assert_eq!(
        (hit.coord, hit.component, hit.components),
        (vec![0, 2], 1, 2)
    );
    assert_eq!(engine.field_name(3), Some("vectors"));
    assert_eq!(engine.locate(3, 18), None);
    assert_eq!(engine.locate(8, 0), None);
    assert_eq!(engine.field(8), None);
}

/// A command into a field that a propagator writes, too, is overwritten in the same tick.
#[test]
fn a_propagator_overwrites_what_a_command_writes() {
    for twin in all().iter().filter(|twin| twin.name != "failing") {
        let world = twin.world();
        for field in 0..world.field_count() {
            let scalar = world.fields[field as usize].field_type.components() == 1;
            if !scalar || world.writer(field).is_none() {
                continue;
            }
            let (mut with, mut without) = (world.build().unwrap(), world.build().unwrap());
            for tick in 1..5 {
                let coord = world.space.coord(tick % world.cell_count()).unwrap();
                let buffer = only(&set(&coord, field, 1e6));
                with.step(tick, buffer.as_commands()).unwrap();
                without.step(tick, CommandBuf::new().as_commands()).unwrap();
                assert_eq!(with.receipts().count(Outcome::Applied), 1);
                assert_eq!(
                    hash(&with, world.field_count()),
                    hash(&without, world.field_count()),
                    "{} {field}",
                    twin.name
                );
            }
        }
    }
}
