//! The traces of `vectors/sessions.json`: what happens in each.

use gametape_delta::{
    Codec, Component, Feedback, Field, Limits, Mode, Receiver, ReceiverOptions, Schema, Sender,
    SenderOptions, Snapshot, Value, World,
};
use serde_json::{Value as Json, json};

use crate::common::{Random, hex, state_to_json};

pub fn schema() -> Schema {
    let place = Codec::FixedPoint {
        min_q: -1000,
        max_q: 1000,
        scale: 10,
    };
    Schema::new([
        Component::new(1, [Field::new(1, place), Field::new(2, place)]),
        Component::new(2, [Field::new(1, Codec::UInt { bits: 7 })]),
    ])
    .unwrap()
}

pub const fn options(mode: Mode) -> ReceiverOptions {
    ReceiverOptions {
        window: 8,
        limits: Limits::DEFAULT,
        mode,
    }
}

/// A game, its sender, and a receiver whose answers are written down.
pub struct Trace {
    name: &'static str,
    why: &'static str,
    mode: Mode,
    pub state: Snapshot,
    pub world: World,
    pub sender: Sender,
    pub receiver: Receiver,
    steps: Vec<Json>,
}

impl Trace {
    pub fn new(name: &'static str, why: &'static str, mode: Mode, budget: usize) -> Self {
        let options = options(mode);
        let sender = SenderOptions {
            budget,
            window: options.window,
            limits: options.limits,
            mode,
            ..SenderOptions::default()
        };
        Self {
            name,
            why,
            mode,
            state: Snapshot::new(&schema(), 0),
            world: World::new(&schema()),
            sender: Sender::with_options(&schema(), sender),
            receiver: Receiver::with_options(&schema(), options),
            steps: Vec::new(),
        }
    }

    pub fn place(&mut self, id: u32, x: i64, y: i64) {
        let values = [x, y].map(Value::FixedPoint);
        self.state.entry(id).set(1, &values).unwrap();
    }

    pub fn send_at(&mut self, tick: u32) -> Vec<u8> {
        self.state.set_tick(tick);
        self.world.update(&self.state).unwrap();
        let mut packet = Vec::new();
        self.sender.encode(&mut self.world, &mut packet).unwrap();
        packet
    }

    fn send(&mut self) -> Vec<u8> {
        self.send_at(self.state.tick() + 1)
    }

    /// Delivers a packet, writes the answer down, and returns it.
    fn deliver(&mut self, packet: &[u8]) -> Option<Feedback> {
        let feedback = match self.receiver.apply(packet) {
            Ok(received) => Some(received.ack),
            Err(error) => error.feedback(),
        };
        self.steps.push(step(packet, feedback, &self.receiver));
        feedback
    }

    fn step(&mut self) {
        let packet = self.send();
        if let Some(feedback) = self.deliver(&packet) {
            self.sender.feedback(&feedback);
        }
    }

    /// The receiver forgets everything. A step without a packet says so.
    fn reset(&mut self) {
        self.receiver.reset();
        self.steps.push(json!({ "reset": true }));
    }

    fn json(self) -> Json {
        json!({
            "name": self.name,
            "why": self.why,
            "schema": schema(),
            "mode": if self.mode == Mode::Strict { "strict" } else { "merged" },
            "window": options(self.mode).window,
            "steps": self.steps,
        })
    }
}

fn step(packet: &[u8], feedback: Option<Feedback>, receiver: &Receiver) -> Json {
    let view = receiver.view();
    let ticks = view.ids().iter();
    let ticks = ticks.map(|id| receiver.confirmed(*id).map_or(0, |seen| seen.at));
    json!({
        "packet": hex(packet),
        "feedback": feedback.map(|feedback| hex(&feedback.to_bytes())),
        "view": state_to_json(view),
        "ticks": ticks.collect::<Vec<_>>(),
    })
}

/// A trace by its name, and what it is about.
struct Script {
    name: &'static str,
    why: &'static str,
    mode: Mode,
    budget: usize,
    run: fn(&mut Trace),
}

const fn merged(name: &'static str, why: &'static str, run: fn(&mut Trace)) -> Script {
    Script {
        name,
        why,
        mode: Mode::Merged,
        budget: 1200,
        run,
    }
}

#[rustfmt::skip] // A trace a line.
const SCRIPTS: [Script; 20] = [
    Script { budget: 70, ..merged("join", "a full snapshot with what fits, and deltas on it before it is acknowledged", join) },
    merged("modes", "what tells merged states from those of the packets: a delta on an older state brings what it names, and the rest stays; what is under way is created again; the next one builds on all of it", modes),
    merged("loss", "each packet moves one entity, every third is lost: its entity is named again", loss),
    merged("ends", "an entity ends, another one begins with its id, and one gets a component", ends),
    merged("late", "a packet comes after the next one, and again: what it updates and is shown with older values is taken, and stays until a newer packet names it; a packet that also creates or destroys is not taken", late),
    merged("late-alone", "the state on which a late packet builds is no longer there: it is late, and that is the answer", late_alone),
    merged("late-damaged", "a late packet whose body is damaged has no answer; if it came before, or its baseline is gone, its body is not looked at; one whose framing is damaged never has an answer", late_damaged),
    merged("damaged", "cut, of another schema, with a changed byte that breaks a rule: no answer, and nothing changes", damaged),
    merged("unknown-damaged", "a damaged body on a state that is not there: the state is asked for; damaged framing: nothing is", unknown_damaged),
    merged("window", "more packets on one baseline than are kept: the baseline stays, the oldest after it goes, and a delta on that asks for it", window),
    merged("window-kept", "the oldest state that is kept can be built on", window_kept),
    merged("full-again", "a full snapshot in the middle: older states and late values are forgotten, the bits are not; a full snapshot that comes late is late", full_again),
    merged("restart", "the receiver loses all it has, and asks for a full snapshot", restart),
    merged("gaps", "bits of an acknowledgement reach 64 ticks back, and not one more", gaps),
    merged("random-1", "losses, delays, reordering, repetition, births, ends, components that come and go", |trace| random(trace, 1)),
    Script { budget: 70, ..merged("random-2", "the same with small packets, and a receiver that loses all it has", |trace| random(trace, 2)) },
    Script { mode: Mode::Strict, ..merged("strict", "a loss breaks the chain: what follows cannot be applied until the sender goes back", strict) },
    Script { mode: Mode::Strict, ..merged("strict-patience", "the sender goes back to a state that lacks an entity, and does not name it again: it is shown for eight more packets", strict_patience) },
    Script { mode: Mode::Strict, budget: 80, ..merged("strict-newest", "the sender goes back to a state in which entities have older values than the view: it shows the newest until they are named again", strict_newest) },
    Script { mode: Mode::Strict, budget: 70, ..merged("strict-random", "losses, delays, reordering, repetition, births, ends", |trace| random(trace, 3)) },
];

fn join(trace: &mut Trace) {
    for id in 1..=8 {
        trace.place(id, i64::from(id), 0);
    }
    let packets = [(); 4].map(|()| trace.send());
    for packet in packets {
        trace.deliver(&packet);
    }
}

fn modes(trace: &mut Trace) {
    trace.place(1, 0, 0);
    trace.place(2, 0, 0);
    trace.step();
    // The sender hears of what follows a packet later.
    trace.place(2, 3, 3);
    trace.place(5, 0, 0);
    trace.place(6, 0, 0);
    let packet = trace.send();
    trace.deliver(&packet);
    trace.place(1, 4, 4);
    trace.place(6, 9, 9);
    let packet = trace.send();
    let ack = trace.deliver(&packet).unwrap();
    trace.sender.feedback(&ack);
    trace.place(5, 7, 7);
    trace.state.remove(6);
    trace.step();
    trace.step();
}

fn loss(trace: &mut Trace) {
    for id in 1..=4 {
        trace.place(id, 0, 0);
    }
    trace.step();
    for tick in 2..=10 {
        trace.place(1 + tick % 4, i64::from(tick), -1);
        if tick % 3 == 0 {
            trace.send();
        } else {
            trace.step();
        }
    }
}

fn ends(trace: &mut Trace) {
    for id in 1..=3 {
        trace.place(id, 5, 5);
    }
    trace.step();
    trace.world.despawn(1);
    trace.state.remove(2);
    trace.state.entry(3).set(2, &[Value::UInt(100)]).unwrap();
    trace.step();
    trace.step();
}

fn late(trace: &mut Trace) {
    for id in 1..=3 {
        trace.place(id, 0, 0);
    }
    trace.step();
    trace.place(1, 7, 7);
    trace.place(2, 7, 7);
    let late = trace.send();
    trace.place(2, 8, 8);
    let next = trace.send();
    let ack = trace.deliver(&next).unwrap();
    trace.deliver(&late);
    trace.deliver(&late);
    for x in 9..11 {
        trace.place(3, x, x);
        let packet = trace.send();
        trace.deliver(&packet);
    }
    trace.sender.feedback(&ack);
    trace.step();
    for destroys in [false, true] {
        trace.place(1, 11, i64::from(destroys));
        if destroys {
            trace.state.remove(3);
        } else {
            trace.place(4, 9, 9);
        }
        let late = trace.send();
        let next = trace.send();
        let ack = trace.deliver(&next).unwrap();
        trace.deliver(&late);
        trace.sender.feedback(&ack);
        trace.step();
    }
}

/// Sends two packets, delivers the second and those after it until the state on which the first one
/// builds is forgotten. Returns the first.
fn overtaken(trace: &mut Trace) -> Vec<u8> {
    trace.place(1, 0, 0);
    trace.step();
    trace.place(1, 1, 1);
    let late = trace.send();
    for x in 2..5 {
        trace.place(1, x, x);
        trace.step();
    }
    late
}

fn late_alone(trace: &mut Trace) {
    let late = overtaken(trace);
    trace.deliver(&late);
    trace.step();
}

/// Changes the id of the first entity, which the packet updates, so that the body breaks a rule.
fn spoilt(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[34] ^= 0xff;
    packet
}

fn late_damaged(trace: &mut Trace) {
    let late = overtaken(trace);
    trace.deliver(&spoilt(&late));
    trace.place(1, 9, 9);
    let late = trace.send();
    trace.place(1, 10, 10);
    let next = trace.send();
    trace.deliver(&next);
    trace.deliver(&spoilt(&late));
    trace.deliver(&late[..late.len() - 1]);
    trace.deliver(&spoilt(&next));
    trace.deliver(&next[..next.len() - 1]);
    trace.deliver(&late);
}

fn damaged(trace: &mut Trace) {
    trace.place(1, 1, 1);
    trace.step();
    trace.place(1, 2, 2);
    let packet = trace.send();
    trace.deliver(&packet[..packet.len() - 1]);
    for at in [8, 28] {
        let mut bad = packet.clone();
        bad[at] ^= 0xff;
        assert_eq!(trace.deliver(&bad), None);
    }
    trace.deliver(&[]);
    trace.deliver(&packet);
}

fn unknown_damaged(trace: &mut Trace) {
    trace.place(1, 1, 1);
    trace.step();
    trace.reset();
    trace.place(1, 2, 2);
    let packet = trace.send();
    trace.deliver(&spoilt(&packet));
    trace.deliver(&packet[..packet.len() - 1]);
}

/// Delivers packets of which the sender hears nothing, and then an acknowledgement of an early one.
fn many(trace: &mut Trace, heard: usize) {
    let sender = SenderOptions {
        window: 64,
        ..trace.sender.options()
    };
    trace.sender = Sender::with_options(&schema(), sender);
    trace.place(1, 0, 0);
    trace.step();
    let mut acks = Vec::new();
    for x in 1..14 {
        trace.place(1 + x % 2, x.into(), 0);
        let packet = trace.send();
        acks.extend(trace.deliver(&packet));
    }
    trace.sender.feedback(&acks[heard]);
    for x in 20..23 {
        trace.place(1, x, 0);
        trace.step();
    }
}

fn window(trace: &mut Trace) {
    // Ticks 2 to 14 came after the full snapshot, and 6 to 14 are kept with it.
    many(trace, 3);
}

fn window_kept(trace: &mut Trace) {
    many(trace, 4);
}

fn full_again(trace: &mut Trace) {
    trace.place(1, 0, 0);
    trace.place(2, 0, 0);
    trace.step();
    trace.place(1, 1, 1);
    let late = trace.send();
    trace.place(2, 2, 2);
    let packet = trace.send();
    trace.deliver(&packet);
    trace.deliver(&late);
    trace.sender.resync();
    trace.state.remove(2);
    trace.place(3, 3, 3);
    trace.place(1, 0, 0);
    let first = trace.send();
    trace.sender.resync();
    trace.step();
    trace.deliver(&first);
    trace.place(1, 4, 4);
    trace.step();
}

fn restart(trace: &mut Trace) {
    trace.place(1, 1, 1);
    trace.step();
    trace.place(2, 1, 1);
    trace.step();
    trace.reset();
    for x in 2..5 {
        trace.place(1, x, x);
        trace.step();
    }
}

fn gaps(trace: &mut Trace) {
    for tick in [1, 2, 65, 66, 67, 200] {
        trace.place(1, i64::from(tick), 0);
        let packet = trace.send_at(tick);
        if let Some(feedback) = trace.deliver(&packet) {
            trace.sender.feedback(&feedback);
        }
    }
}

fn strict(trace: &mut Trace) {
    for id in 1..=3 {
        trace.place(id, 0, 0);
    }
    for tick in 1..=9 {
        trace.place(1 + tick % 3, i64::from(tick), 0);
        if tick == 4 {
            trace.send();
        } else {
            trace.step();
        }
    }
}

fn strict_patience(trace: &mut Trace) {
    trace.place(1, 0, 0);
    trace.place(2, 0, 0);
    trace.step();
    // The sender does not hear that 9 was created and 2 destroyed, and 9 ends in a packet that is lost.
    trace.place(9, 1, 1);
    trace.state.remove(2);
    let packet = trace.send();
    trace.deliver(&packet);
    trace.place(1, 50, 0);
    let packet = trace.send();
    trace.deliver(&packet);
    trace.state.remove(9);
    trace.send();
    for x in 1..14 {
        trace.place(1, x, 0);
        trace.step();
    }
}

fn strict_newest(trace: &mut Trace) {
    for id in 1..=6 {
        trace.place(id, 0, 0);
    }
    for _ in 0..4 {
        trace.step();
    }
    // All move. The sender does not hear of the two packets that bring it, and then one is lost.
    for x in 1..=2 {
        for id in 1..=6 {
            trace.place(id, x, 1);
        }
        let packet = trace.send();
        trace.deliver(&packet);
    }
    trace.send();
    for _ in 0..5 {
        trace.step();
    }
}

/// A game at random, over a network that loses, delays, repeats and reorders.
fn random(trace: &mut Trace, seed: u64) {
    let mut rng = Random(seed);
    let mut waiting: Vec<Vec<u8>> = Vec::new();
    for round in 0..36 {
        for id in 1..6 {
            match rng.below(16) {
                0 => drop(trace.state.remove(id)),
                1 => {
                    let value = Value::UInt(rng.below(128) as u64);
                    trace.state.entry(id).set(2, &[value]).unwrap();
                }
                2 => drop(trace.state.entry(id).remove(2)),
                3 => drop(trace.world.despawn(id)),
                4..8 => trace.place(id, rng.below(200) as i64, round),
                _ => {}
            }
        }
        waiting.push(trace.send());
        while !waiting.is_empty() && rng.below(4) > 0 {
            let newest = waiting.len() - 1;
            let packet = waiting[newest - rng.below(3).min(newest)].clone();
            if !rng.one_in(8) {
                waiting.retain(|other| *other != packet);
            }
            if rng.one_in(8) {
                continue;
            }
            let answer = trace.deliver(&packet);
            if let Some(answer) = answer.filter(|_| !rng.one_in(4)) {
                trace.sender.feedback(&answer);
            }
        }
        if seed == 2 && round == 24 {
            trace.reset();
        }
    }
}

pub fn traces() -> Vec<Json> {
    let trace = |script: &Script| {
        let mut trace = Trace::new(script.name, script.why, script.mode, script.budget);
        (script.run)(&mut trace);
        trace.json()
    };
    SCRIPTS.iter().map(trace).collect()
}
