//! An artificial world, its stream, and recordings of it.

pub mod container;

use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gametape_capture::{Options, Packets, Role, Writer};
use gametape_core::ReadAt;
use gametape_delta::{
    Codec, Component, Encoder, EntityMut, Field, Limits, Schema, Snapshot, Value,
};

pub fn schema() -> Schema {
    Schema::new([
        Component::new(
            1,
            [
                Field::new(
                    1,
                    Codec::FixedPoint {
                        min_q: -5000,
                        max_q: 5000,
                        scale: 100,
                    },
                )
                .named("x"),
                Field::new(2, Codec::UInt { bits: 12 }).named("yaw"),
                Field::new(3, Codec::Bool).named("firing"),
            ],
        )
        .named("ship"),
        Component::new(2, [Field::new(1, Codec::VarSInt)]),
    ])
    .unwrap()
}

/// A changed schema: finer positions with a threshold, a yaw only as wide as needed, no gun, and
/// new armour.
pub fn next_schema() -> Schema {
    Schema::new([
        Component::new(5, [Field::new(1, Codec::Bool)]),
        Component::new(
            1,
            [
                Field::new(3, Codec::UInt { bits: 2 }),
                Field::new(
                    1,
                    Codec::FixedPoint {
                        min_q: -60_000,
                        max_q: 60_000,
                        scale: 1000,
                    },
                )
                .threshold(50_000),
                Field::new(7, Codec::UInt { bits: 7 }),
                Field::new(2, Codec::VarUInt),
            ],
        ),
    ])
    .unwrap()
}

/// A schema that no state fits.
pub fn narrow_schema() -> Schema {
    Schema::new([Component::new(1, [Field::new(2, Codec::UInt { bits: 3 })])]).unwrap()
}

/// A world that moves, grows and shrinks; its state depends only on the arguments.
pub fn world(tick: u32, entities: u32) -> Snapshot {
    let mut state = Snapshot::new(&schema(), tick);
    for id in 1..=entities {
        // Every entity disappears for a while now and then.
        if (tick / 7 + id).is_multiple_of(11) {
            continue;
        }
        let mut entity = state.insert(id).unwrap();
        let x = i64::from((tick * 37 + id * 101) % 10_000) - 5000;
        let ship = [
            Value::FixedPoint(x),
            Value::UInt(u64::from((tick * id) % 4096)),
            Value::Bool((tick + id).is_multiple_of(5)),
        ];
        entity.set(1, &ship).unwrap();
        if id.is_multiple_of(3) {
            gun(&mut entity, i32::try_from(tick).unwrap() * -3);
        }
    }
    state
}

fn gun(entity: &mut EntityMut<'_>, value: i32) {
    entity.set(2, &[Value::VarSInt(value)]).unwrap();
}

/// Shapes of streams and of their captures: the interval of full snapshots in ticks; how many ticks
/// ago the baseline of a delta is; the interval of added full snapshots.
pub const SHAPES: [(u32, u32, Option<u32>); 6] = [
    (1000, 1, None),
    (1000, 1, Some(10)),
    (16, 1, None),
    (1000, 7, Some(10)),
    (30, 7, Some(10)),
    (1000, 10, Some(10)),
];

/// A stream of packets, and the state at each tick. Tick 1 and every `full_every`-th tick are full
/// snapshots; deltas build on the state of `lag` ticks ago (as acknowledged by a receiver).
pub fn stream(
    ticks: u32,
    entities: u32,
    full_every: u32,
    lag: u32,
) -> (Vec<Vec<u8>>, Vec<Snapshot>) {
    let mut encoder = Encoder::new(&schema()).limits(Limits::NONE);
    let states: Vec<Snapshot> = (1..=ticks).map(|tick| world(tick, entities)).collect();
    let packets = states.iter().map(|state| {
        let mut packet = Vec::new();
        let tick = state.tick();
        if tick == 1 || (tick - 1).is_multiple_of(full_every) {
            encoder.full(state, &mut packet).unwrap();
        } else {
            let baseline = tick.saturating_sub(lag).max(1);
            let baseline = &states[baseline as usize - 1];
            encoder.delta(baseline, state, &mut packet).unwrap();
        }
        packet
    });
    (packets.collect(), states.clone())
}

pub fn capture_of(packets: &[Vec<u8>], options: Options) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for packet in packets {
        let pushed = writer.push(packet).unwrap();
        assert_eq!(pushed.problem, None);
    }
    writer.finish().unwrap()
}

/// Bytes that are counted each time they are read.
pub struct Counted {
    bytes: Vec<u8>,
    read: AtomicU64,
}

impl Counted {
    pub fn new(bytes: Vec<u8>) -> Arc<Self> {
        let read = AtomicU64::new(0);
        Arc::new(Self { bytes, read })
    }

    /// The number of bytes that were read since the last call.
    pub fn taken(&self) -> u64 {
        self.read.swap(0, Relaxed)
    }
}

impl ReadAt for Counted {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.read(into)?;
        self.read.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

pub fn small() -> Options {
    Options {
        chunk_bytes: 400,
        ..Options::default()
    }
}

/// A capture by another program: messages with the number of their channel (0 keyframes, 1 deltas,
/// 2 added, 3 something else) and their tick.
#[cfg(feature = "tape")]
pub fn by_hand(messages: &[(usize, u32, &[u8])]) -> Vec<u8> {
    by_hand_with(mcap::WriteOptions::new(), messages)
}

/// Like [`by_hand`], with options of the MCAP library.
pub fn by_hand_with(options: mcap::WriteOptions, messages: &[(usize, u32, &[u8])]) -> Vec<u8> {
    let mut writer = options
        .profile("gametape")
        .create(io::Cursor::new(Vec::new()))
        .unwrap();
    let none = std::collections::BTreeMap::new();
    let json = serde_json::to_vec(&schema()).unwrap();
    let id = writer
        .add_schema("gametape.Snapshot", "gametape.schema+json", &json)
        .unwrap();
    let ours = "snapshot-delta-v0";
    let channels = [
        (id, "keyframes", ours),
        (id, "deltas", ours),
        (id, "keyframes/added", ours),
        (0, "chat", "text"),
    ]
    .map(|(id, topic, encoding)| writer.add_channel(id, topic, encoding, &none).unwrap());
    for &(channel, tick, data) in messages {
        let header = mcap::records::MessageHeader {
            channel_id: channels[channel],
            sequence: tick,
            log_time: u64::from(tick) * 1_000_000,
            publish_time: u64::from(tick) * 1_000_000,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// The packets of a recording, concatenated.
pub fn bytes_of(packets: &Packets<'_>) -> Vec<u8> {
    let mut all = Vec::new();
    let mut cursor = packets.cursor();
    while let Some(packet) = cursor.next_packet().unwrap() {
        if packet.role != Role::Added {
            all.extend_from_slice(packet.bytes);
        }
    }
    all
}

pub fn assert_seeks(packets: &Packets<'_>, states: &[Snapshot]) {
    for state in states {
        assert_eq!(&packets.state_at(state.tick()).unwrap(), state);
    }
    let last = states.last().unwrap();
    assert_eq!(&packets.state_at(u32::MAX).unwrap(), last);
    let error = packets.state_at(0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no state at tick 0: the first full snapshot is of tick 1"
    );
}
