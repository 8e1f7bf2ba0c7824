//! The traces in `vectors/sessions.json`, for receivers in any language: packets in, feedback and view
//! out. Two receivers follow them: the crate's, and a model that is written from the book alone.
//!
//! `GAMETAPE_BLESS=1` makes them anew.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gametape_delta::{
    Decoder, Feedback, Mode, Packet, Receiver, ReceiverOptions, Schema, Snapshot, Tag, Value,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::common::{Random, hex, state_to_json, unhex};
use crate::session_traces::{Trace, options, schema, traces};

/// The components of an entity, with their values.
type Values = Vec<(u16, Vec<Value>)>;

/// The receiver of the book, in merged mode, rule by rule. It decodes packets with the crate; that is
/// not what a session is about.
struct Model {
    schema: Schema,
    window: usize,
    /// The merged states, and the tick of each entity's values in them.
    states: BTreeMap<u32, (Snapshot, BTreeMap<u32, u32>)>,
    baseline: u32,
    applied: Vec<u32>,
    /// The updates of late packets.
    late: BTreeMap<u32, (u32, Values)>,
}

fn values(state: &Snapshot, id: u32) -> Option<Values> {
    let parts = state.entity(id)?.components();
    Some(
        parts
            .map(|part| (part.id(), part.values().collect()))
            .collect(),
    )
}

fn put(state: &mut Snapshot, id: u32, values: &[(u16, Vec<Value>)]) {
    state.remove(id);
    let mut entity = state.entry(id);
    for (component, values) in values {
        entity.set(*component, values).unwrap();
    }
}

fn ids(packet: &Packet, tag: Tag) -> Vec<u32> {
    let sections = packet.sections.iter().filter(|section| section.tag == tag);
    let entities = sections.flat_map(|section| &section.entities);
    entities.map(|entity| entity.id).collect()
}

impl Model {
    fn new(schema: &Schema, window: usize) -> Self {
        Self {
            schema: schema.clone(),
            window,
            states: BTreeMap::new(),
            baseline: 0,
            applied: Vec::new(),
            late: BTreeMap::new(),
        }
    }

    fn ack(&self) -> Option<Feedback> {
        let tick = *self.applied.last()?;
        let bit = |other: &u32| match tick - other {
            back @ 1..=64 => 1 << (back - 1),
            _ => 0,
        };
        let earlier = self
            .applied
            .iter()
            .map(bit)
            .fold(0_u64, |bits, bit| bits | bit);
        Some(Feedback::Ack { tick, earlier })
    }

    fn apply(&mut self, bytes: &[u8]) -> Option<Feedback> {
        let decoder = Decoder::new(&self.schema);
        let header = decoder.header(bytes).ok()?;
        let mut decoded = Snapshot::new(&self.schema, 0);
        if self
            .applied
            .last()
            .is_some_and(|newest| header.tick <= *newest)
        {
            // Rule 1.
            let held = header.baseline().and_then(|tick| self.states.get(&tick));
            if let Some((held, _)) = held.filter(|_| !self.applied.contains(&header.tick)) {
                decoder.delta(held, bytes, &mut decoded).ok()?;
                let packet = decoder.packet(bytes).ok()?;
                self.take_late(&packet, &decoded);
            }
            return self.ack();
        }
        let Some(baseline) = header.baseline() else {
            // Rule 2.
            decoder.full(bytes, &mut decoded).ok()?;
            self.states.clear();
            self.late.clear();
            let ticks = decoded.ids().iter().map(|id| (*id, header.tick)).collect();
            self.states.insert(header.tick, (decoded, ticks));
            self.applied.push(header.tick);
            return self.ack();
        };
        // Rule 3.
        let Some((held, _)) = self.states.get(&baseline) else {
            return Some(Feedback::NeedFull { baseline });
        };
        decoder.delta(held, bytes, &mut decoded).ok()?;
        let packet = decoder.packet(bytes).ok()?;
        // Rule 4.
        let (mut next, mut ticks) = self.states.values().last()?.clone();
        next.set_tick(header.tick);
        let gone = held
            .ids()
            .iter()
            .filter(|id| decoded.entity(**id).is_none());
        for id in gone {
            next.remove(*id);
            ticks.remove(id);
        }
        for tag in [Tag::Create, Tag::Update] {
            for id in ids(&packet, tag) {
                put(&mut next, id, &values(&decoded, id)?);
                ticks.insert(id, header.tick);
            }
        }
        self.late
            .retain(|id, (tick, _)| ticks.get(id).is_some_and(|now| now < tick));
        // Rule 5.
        self.baseline = baseline;
        self.states.retain(|tick, _| *tick >= baseline);
        self.states.insert(header.tick, (next, ticks));
        while self.states.len() > self.window + 2 {
            let mut ticks = self.states.keys();
            let oldest = ticks.find(|tick| **tick != self.baseline).copied();
            self.states.remove(&oldest?);
        }
        self.applied.push(header.tick);
        self.ack()
    }

    fn take_late(&mut self, packet: &Packet, decoded: &Snapshot) {
        let tick = packet.header.tick;
        let others = [Tag::Create, Tag::Destroy];
        if others.iter().any(|tag| !ids(packet, *tag).is_empty()) {
            return;
        }
        for id in ids(packet, Tag::Update) {
            let (view, ticks) = self.view();
            let shown = values(&view, id).zip(ticks.get(&id));
            let new = values(decoded, id).unwrap();
            let kinds = |values: &[(u16, Vec<Value>)]| -> Vec<u16> {
                values.iter().map(|(component, _)| *component).collect()
            };
            let older = shown.is_some_and(|(old, at)| *at < tick && kinds(&old) == kinds(&new));
            if older {
                self.late.insert(id, (tick, new));
            }
        }
    }

    fn view(&self) -> (Snapshot, BTreeMap<u32, u32>) {
        let newest = self.states.values().last().cloned();
        let empty = || (Snapshot::new(&self.schema, 0), BTreeMap::new());
        let (mut view, mut ticks) = newest.unwrap_or_else(empty);
        for (id, (tick, values)) in &self.late {
            put(&mut view, *id, values);
            ticks.insert(*id, *tick);
        }
        (view, ticks)
    }

    fn agrees(&self, receiver: &Receiver) -> bool {
        let (view, ticks) = self.view();
        let at = |id: &u32| receiver.confirmed(*id).map(|seen| seen.at);
        view == *receiver.view() && ticks.iter().all(|(id, tick)| at(id) == Some(*tick))
    }
}

/// Runs a trace; `apply` returns the answer to a packet, the view, and its ticks.
fn run(
    trace: &Json,
    mut reset: impl FnMut(),
    mut apply: impl FnMut(&[u8]) -> (Option<Feedback>, Snapshot, Vec<u32>),
) {
    for (at, step) in trace["steps"].as_array().unwrap().iter().enumerate() {
        if step["reset"] == json!(true) {
            reset();
            continue;
        }
        let packet = unhex(step["packet"].as_str().unwrap());
        let (feedback, view, ticks) = apply(&packet);
        let feedback = feedback.map(|feedback| hex(&feedback.to_bytes()));
        let name = &trace["name"];
        assert_eq!(json!(feedback), step["feedback"], "{name}, step {at}");
        assert_eq!(state_to_json(&view), step["view"], "{name}, step {at}");
        assert_eq!(json!(ticks), step["ticks"], "{name}, step {at}");
    }
}

#[test]
fn the_receivers_answer_and_show_what_the_traces_say() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors/sessions.json");
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        let lines: Vec<_> = traces().iter().map(Json::to_string).collect();
        std::fs::write(&path, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    let stored: Vec<Json> = serde_json::from_str(&stored).unwrap();
    let names = |traces: &[Json]| -> Vec<Json> {
        traces.iter().map(|trace| trace["name"].clone()).collect()
    };
    assert_eq!(
        names(&stored),
        names(&traces()),
        "GAMETAPE_BLESS=1 makes them anew"
    );
    for trace in &stored {
        let schema: Schema = serde_json::from_value(trace["schema"].clone()).unwrap();
        let is_strict = trace["mode"] == json!("strict");
        let mode = if is_strict {
            Mode::Strict
        } else {
            Mode::Merged
        };
        let window = trace["window"].as_u64().unwrap() as usize;
        let receiver = Receiver::with_options(
            &schema,
            ReceiverOptions {
                window,
                ..options(mode)
            },
        );
        let receiver = std::cell::RefCell::new(receiver);
        run(
            trace,
            || receiver.borrow_mut().reset(),
            |packet| {
                let mut receiver = receiver.borrow_mut();
                let feedback = match receiver.apply(packet) {
                    Ok(received) => Some(received.ack),
                    Err(error) => error.feedback(),
                };
                let view = receiver.view().clone();
                let at = |id: &u32| receiver.confirmed(*id).unwrap().at;
                let ticks = view.ids().iter().map(at).collect();
                (feedback, view, ticks)
            },
        );
        if is_strict {
            continue;
        }
        let model = std::cell::RefCell::new(Model::new(&schema, window));
        run(
            trace,
            || *model.borrow_mut() = Model::new(&schema, window),
            |packet| {
                let mut model = model.borrow_mut();
                let feedback = model.apply(packet);
                let (view, ticks) = model.view();
                (feedback, view, ticks.into_values().collect())
            },
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever comes in which order, once, twice or never: the receiver is that of the book.
    #[test]
    fn the_receiver_follows_the_rules_of_the_book(seed: u64, budget in 60..300_usize, loss in 0..6_usize) {
        let mut rng = Random(seed);
        let mut trace = Trace::new("", "", Mode::Merged, budget);
        let mut model = Model::new(&schema(), options(Mode::Merged).window);
        let mut waiting: Vec<Vec<u8>> = Vec::new();
        for _ in 0..80 {
            for id in 1..12 {
                match rng.below(12) {
                    0 => drop(trace.state.remove(id)),
                    1 => drop(trace.state.entry(id).set(2, &[Value::UInt(rng.below(128) as u64)]).unwrap()),
                    2 => drop(trace.world.despawn(id)),
                    3..7 => trace.place(id, rng.below(2000) as i64 - 1000, 3),
                    _ => {}
                }
            }
            let packet = trace.send_at(trace.state.tick() + 1 + rng.below(3) as u32 / 2);
            waiting.push(packet);
            while !waiting.is_empty() && rng.below(3) > 0 {
                let newest = waiting.len() - 1;
                let packet = waiting[newest - rng.below(3).min(newest)].clone();
                if rng.below(5) > 0 {
                    waiting.retain(|other| *other != packet);
                }
                if rng.below(10) < loss {
                    continue;
                }
                let answer = match trace.receiver.apply(&packet) {
                    Ok(received) => Some(received.ack),
                    Err(error) => error.feedback(),
                };
                prop_assert_eq!(answer, model.apply(&packet));
                prop_assert!(model.agrees(&trace.receiver));
                if let Some(answer) = answer.filter(|_| rng.below(4) > 0) {
                    trace.sender.feedback(&answer);
                }
            }
        }
    }
}
