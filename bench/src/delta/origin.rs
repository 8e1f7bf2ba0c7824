//! `sdec-codec`, the origin of the wire format, with its fastest calls.

use std::mem;

use codec::{
    CodecLimits, CodecScratch, ComponentSnapshot, EntityId, EntitySnapshot, FieldValue, Snapshot,
    SnapshotTick, apply_delta_snapshot_from_packet, decode_full_snapshot_from_packet,
    encode_delta_snapshot_with_scratch, encode_full_snapshot,
};
use schema::{ComponentDef, ComponentId, FieldCodec, FieldDef, FieldId, Schema};

use super::Contender;
use super::sim::{Body, POSITION, SCALE, VELOCITY, World, YAW_BITS};

pub struct Origin {
    schema: Schema,
    limits: CodecLimits,
    wire_limits: wire::Limits,
    scratch: CodecScratch,
    baseline: Snapshot,
    state: Snapshot,
    held: Snapshot,
    applied: Snapshot,
    /// The output: the codec writes to a slice.
    out: Vec<u8>,
}

fn schema() -> Schema {
    let fixed = |bound: i32| FieldCodec::fixed_point(-i64::from(bound), bound.into(), SCALE);
    let (position, velocity) = (fixed(POSITION), fixed(VELOCITY));
    let yaw = FieldCodec::uint(YAW_BITS);
    let flag = FieldCodec::bool();
    let codecs = [[position; 3], [velocity; 3], [yaw, flag, flag]];
    let id = |id| FieldId::new(id).expect("not zero");
    let mut fields: Vec<FieldDef> = (1..)
        .zip(codecs.into_iter().flatten())
        .map(|(number, codec)| FieldDef::new(id(number), codec))
        .collect();
    fields.push(FieldDef::with_threshold(id(10), flag, 1));
    Schema::new(vec![ComponentDef::with_fields(component(), fields)]).expect("a sound schema")
}

fn component() -> ComponentId {
    ComponentId::new(1).expect("not zero")
}

impl Origin {
    pub fn new() -> Self {
        let empty = Snapshot {
            tick: SnapshotTick::new(0),
            entities: Vec::new(),
        };
        Self {
            schema: schema(),
            limits: CodecLimits::unlimited(),
            wire_limits: wire::Limits::unlimited(),
            scratch: CodecScratch::new(),
            baseline: empty.clone(),
            state: empty.clone(),
            held: empty.clone(),
            applied: empty,
            out: Vec::new(),
        }
    }
}

fn values(body: &Body, fields: &mut Vec<FieldValue>) {
    fields.clear();
    let fixed = |q: i32| FieldValue::FixedPoint(q.into());
    fields.extend(body.position.map(fixed));
    fields.extend(body.velocity.map(fixed));
    fields.push(FieldValue::UInt(body.yaw.into()));
    fields.extend(body.flags.map(FieldValue::Bool));
}

impl Contender for Origin {
    fn name(&self) -> &'static str {
        "sdec-codec"
    }

    fn load(&mut self, world: &World) {
        mem::swap(&mut self.baseline, &mut self.state);
        self.state.tick = SnapshotTick::new(world.tick);
        self.state.entities.resize_with(world.bodies.len(), || {
            let component = ComponentSnapshot {
                id: component(),
                fields: Vec::new(),
            };
            EntitySnapshot {
                id: EntityId::new(0),
                components: vec![component],
            }
        });
        for (entity, body) in self.state.entities.iter_mut().zip(&world.bodies) {
            entity.id = EntityId::new(body.id);
            values(body, &mut entity.components[0].fields);
        }
        // Enough space for any packet.
        self.out.resize(64 + 64 * world.bodies.len(), 0);
    }

    fn encode(&mut self) -> usize {
        encode_delta_snapshot_with_scratch(
            &self.schema,
            self.state.tick,
            self.baseline.tick,
            &self.baseline,
            &self.state,
            &self.limits,
            &mut self.scratch,
            &mut self.out,
        )
        .expect("encodes")
    }

    fn encode_full(&mut self) -> usize {
        encode_full_snapshot(
            &self.schema,
            self.state.tick,
            &self.state.entities,
            &self.limits,
            &mut self.out,
        )
        .expect("encodes")
    }

    fn packet(&mut self, full: bool) -> Vec<u8> {
        let len = if full {
            self.encode_full()
        } else {
            self.encode()
        };
        self.out[..len].to_vec()
    }

    fn apply(&mut self, packet: &[u8]) {
        let packet = wire::decode_packet(packet, &self.wire_limits).expect("sound");
        self.applied =
            apply_delta_snapshot_from_packet(&self.schema, &self.held, &packet, &self.limits)
                .expect("applies");
    }

    fn decode_full(&mut self, packet: &[u8]) {
        let packet = wire::decode_packet(packet, &self.wire_limits).expect("sound");
        self.applied =
            decode_full_snapshot_from_packet(&self.schema, &packet, &self.limits).expect("decodes");
    }

    fn advance(&mut self) {
        mem::swap(&mut self.held, &mut self.applied);
    }

    fn holds(&self, world: &World) -> bool {
        self.held == self.state && self.held.entities.len() == world.bodies.len()
    }
}
