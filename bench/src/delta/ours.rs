//! gametape-delta.

use std::mem;

use gametape_delta::{
    Codec, Component, Decoder, Encoder, Field, Limits, ReadOptions, Schema, Snapshot, Value,
};

use super::Contender;
use super::sim::{Body, POSITION, SCALE, VELOCITY, World, YAW_BITS};

const COMPONENT: u16 = 1;

pub struct Ours {
    encoder: Encoder,
    decoder: Decoder,
    baseline: Snapshot,
    state: Snapshot,
    held: Snapshot,
    applied: Snapshot,
    out: Vec<u8>,
}

pub fn schema() -> Schema {
    let fixed = |bound: i32| Codec::FixedPoint {
        min_q: -i64::from(bound),
        max_q: bound.into(),
        scale: SCALE,
    };
    let (position, velocity) = (fixed(POSITION), fixed(VELOCITY));
    let yaw = Codec::UInt { bits: YAW_BITS };
    let codecs = [
        [position; 3],
        [velocity; 3],
        [yaw, Codec::Bool, Codec::Bool],
    ];
    let mut fields: Vec<Field> = (1..)
        .zip(codecs.into_iter().flatten())
        .map(|(id, codec)| Field::new(id, codec))
        .collect();
    // The last flag of the demo has a threshold, which flags ignore.
    fields.push(Field::new(10, Codec::Bool).threshold(1));
    Schema::new([Component::new(COMPONENT, fields)]).expect("a sound schema")
}

impl Ours {
    pub fn new() -> Self {
        let schema = schema();
        let empty = Snapshot::new(&schema, 0);
        Self {
            encoder: Encoder::new(&schema).limits(Limits::NONE),
            decoder: Decoder::with_options(&schema, ReadOptions::strict().limits(Limits::NONE)),
            baseline: empty.clone(),
            state: empty.clone(),
            held: empty.clone(),
            applied: empty,
            out: Vec::new(),
        }
    }
}

fn values(body: &Body) -> [Value; 10] {
    let [x, y, z] = body.position.map(|q| Value::FixedPoint(q.into()));
    let [u, v, w] = body.velocity.map(|q| Value::FixedPoint(q.into()));
    let [a, b, c] = body.flags.map(Value::Bool);
    [x, y, z, u, v, w, Value::UInt(body.yaw.into()), a, b, c]
}

impl Contender for Ours {
    fn name(&self) -> &'static str {
        "gametape-delta"
    }

    fn load(&mut self, world: &World) {
        mem::swap(&mut self.baseline, &mut self.state);
        self.state.clear();
        self.state.set_tick(world.tick);
        for body in &world.bodies {
            let mut entity = self.state.entry(body.id);
            entity.set(COMPONENT, &values(body)).expect("within bounds");
        }
    }

    fn encode(&mut self) -> usize {
        self.encoder
            .delta(&self.baseline, &self.state, &mut self.out)
            .expect("encodes");
        self.out.len()
    }

    fn encode_full(&mut self) -> usize {
        self.encoder
            .full(&self.state, &mut self.out)
            .expect("encodes");
        self.out.len()
    }

    fn packet(&mut self, full: bool) -> Vec<u8> {
        if full {
            self.encode_full();
        } else {
            self.encode();
        }
        self.out.clone()
    }

    fn apply(&mut self, packet: &[u8]) {
        self.decoder
            .delta(&self.held, packet, &mut self.applied)
            .expect("applies");
    }

    fn decode_full(&mut self, packet: &[u8]) {
        self.decoder
            .full(packet, &mut self.applied)
            .expect("decodes");
    }

    fn advance(&mut self) {
        mem::swap(&mut self.held, &mut self.applied);
    }

    fn holds(&self, world: &World) -> bool {
        self.held == self.state && self.held.len() == world.bodies.len()
    }
}
