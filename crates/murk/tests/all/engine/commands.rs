//! Commands for a world: some have an effect, and some never can.

use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{Replay, Simulation, snapshot_hash};
use murk_core::{Command, CommandPayload, Coord, FieldId, ParameterKey, TickId};
use murk_engine::{LockstepWorld, WorldConfig};
use murk_replay::{BuildMetadata, InitDescriptor, ReplayWriter};

/// Pseudo-random numbers, the same in each run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % sides
    }

    fn maybe(&mut self, sides: u64) -> Option<u64> {
        (self.roll(2) == 0).then(|| self.roll(sides))
    }

    /// Returns ordinary numbers, and numbers that differ only in their bits.
    pub fn value(&mut self) -> f32 {
        match self.roll(12) {
            0 => -0.0,
            1 => f32::from_bits(0x7fc0_0001 + self.roll(9) as u32),
            2 => f32::from_bits(0xff80_0001),
            3 => f32::INFINITY,
            4 => f32::MIN_POSITIVE / 8.0,
            5 => 0.0,
            n => n as f32 - 7.25,
        }
    }
}

/// Returns the commands of tick `tick`: about eight, a quarter of which have no effect.
pub fn commands(dice: &mut Dice, world: &World, tick: u64) -> Vec<Command> {
    let count = dice.roll(17);
    (0..count).map(|_| command(dice, world, tick)).collect()
}

/// Returns the commands of ticks 1 to `count`.
pub fn ticks(world: &World, seed: u64, count: u64) -> Vec<Vec<Command>> {
    let mut dice = Dice(seed);
    (1..=count)
        .map(|tick| commands(&mut dice, world, tick))
        .collect()
}

fn coord(dice: &mut Dice, world: &World) -> Coord {
    let mut coord = world.space.coord(dice.roll(world.cell_count())).unwrap();
    match dice.roll(16) {
        0 => coord.push(0),
        1 => coord[0] = -1,
        2 => *coord.last_mut().unwrap() += 1_000,
        // In a face-centred lattice, this is often not a cell.
        3 => coord[0] += 1,
        4 => coord.clear(),
        _ => {}
    }
    coord.into_iter().collect()
}

fn command(dice: &mut Dice, world: &World, tick: u64) -> Command {
    let payload = match dice.roll(16) {
        0 => CommandPayload::Move {
            entity_id: dice.roll(9),
            target_coord: coord(dice, world),
        },
        1 => CommandPayload::Spawn {
            coord: coord(dice, world),
            field_values: vec![(FieldId(0), dice.value())],
        },
        2 => CommandPayload::Despawn { entity_id: 7 },
        3 => CommandPayload::Custom {
            type_id: 1,
            data: vec![1, 2, 3],
        },
        4 => CommandPayload::SetParameter {
            key: ParameterKey(0),
            value: 0.5,
        },
        5 => CommandPayload::SetParameterBatch {
            params: vec![(ParameterKey(1), 0.25); 2],
        },
        _ => CommandPayload::SetField {
            // Few cells, so that commands compete.
            coord: match dice.roll(3) {
                0 => coord(dice, world),
                _ => world
                    .space
                    .coord(dice.roll(world.cell_count().min(3)))
                    .unwrap()
                    .into(),
            },
            field_id: FieldId(dice.roll(u64::from(world.field_count()) + 1) as u32),
            value: dice.value(),
        },
    };
    Command {
        payload,
        expires_after_tick: TickId(match dice.roll(4) {
            0 => (tick + dice.roll(3)).saturating_sub(1),
            1 => 0,
            _ => u64::MAX,
        }),
        source_id: dice.maybe(3),
        source_seq: dice.maybe(4),
        priority_class: dice.roll(3) as u8,
        arrival_seq: dice.roll(5),
    }
}

/// Returns a recording by the origin's own writer, of a world built from the origin's parts.
pub fn record(config: WorldConfig, field_count: u32, ticks: &[Vec<Command>]) -> Vec<u8> {
    let metadata = BuildMetadata {
        toolchain: "1".into(),
        target_triple: "2".into(),
        murk_version: "3".into(),
        compile_flags: "4".into(),
    };
    let init = InitDescriptor {
        seed: config.seed,
        config_hash: 0,
        field_count,
        cell_count: config.space.cell_count() as u64,
        space_descriptor: Vec::new(),
    };
    let mut bytes = Vec::new();
    let mut writer = ReplayWriter::new(&mut bytes, &metadata, &init).unwrap();
    let mut world = LockstepWorld::new(config).unwrap();
    for (tick, commands) in (1..).zip(ticks) {
        // A tick that fails is recorded with the state after it.
        let _ = world.step_sync(commands.clone());
        writer
            .write_frame(tick, commands, &world.snapshot())
            .unwrap();
    }
    drop(writer);
    bytes
}

/// Returns the hash of a world's visible state.
pub fn hash(world: &EngineWorld, fields: u32) -> u64 {
    snapshot_hash((0..fields).map(|field| world.field(field).unwrap_or_default()))
}

/// Returns the hashes of a recording as replayed by a world.
pub fn replay(world: &mut EngineWorld, replay: &Replay<'_>) -> Vec<u64> {
    let fields = replay.header().field_count;
    let frames = replay.frames().map(|frame| {
        let frame = frame.unwrap();
        world.step(frame.tick, frame.commands()).unwrap();
        let now = hash(world, fields);
        assert_eq!(
            format!("{now:016x}"),
            format!("{:016x}", frame.snapshot_hash),
            "tick {}",
            frame.tick
        );
        now
    });
    frames.collect()
}
