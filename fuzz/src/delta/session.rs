//! Sessions over an arbitrarily bad network.

use std::collections::{BTreeMap, BTreeSet};

use gametape_delta::{
    Change, Codec, Decoder, Entity, Feedback, Limit, Limits, Mode, ReceiveError, Received,
    Receiver, ReceiverOptions, Schema, SendError, Sender, SenderOptions, Sent, Snapshot, Value,
    World,
};

use super::model::Model;
use super::structured::{Script, bounds, edit, mutate, schema, state, value_of};

/// A sender and a receiver, connected by a network that loses, repeats, reorders, delays and
/// damages packets, forges feedback, and lets either side restart.
///
/// No packet exceeds the budget, and every packet can be read strictly. A packet that the receiver
/// refuses changes nothing. Each entity that the receiver shows has the sender's values of one
/// tick, which the receiver names, within the thresholds; later views are never older. The
/// receiver's acks name exactly the packets that it applied. Once the network is good again, the
/// receiver gets the sender's state within as many packets as there are entities, plus a few; and
/// while all entities keep moving, none is neglected. A state that the sender refuses changes
/// nothing else.
///
/// The wire has no checksum. A damaged but readable packet is applied only if the script asks for
/// it; then only a restart must repair the state. The same is true for acks of packets that never
/// arrived.
pub fn delta_session(data: &[u8]) {
    let mut script = Script::new(data);
    let mut session = Session::new(&mut script);
    let mut steps = 0;
    while !script.is_empty() && steps < 60 {
        steps += 1;
        if session.tick > u32::MAX - 2000 {
            break;
        }
        edit(&mut script, &mut session.world);
        if !session.send(match script.byte() {
            byte @ 250.. => u32::from(byte - 249) * 16,
            byte => 1 + u32::from(byte) % 2,
        }) {
            return;
        }
        let events = script.below(5);
        for _ in 0..events {
            session.event(&mut script);
        }
    }
    session.ends_well();
}

struct Session {
    /// The script's choices for the whole session.
    kind: u8,
    schema: Schema,
    mode: Mode,
    log: World,
    sender: Sender,
    receiver: Receiver,
    budget: usize,
    tick: u32,
    world: Snapshot,
    /// The entities that the receiver may see: bit i for those whose id is i modulo 16.
    visible: u16,
    /// The number of different weights.
    weights: u32,
    /// The state that the receiver may see, by tick.
    history: BTreeMap<u32, Model>,
    packets: Vec<Vec<u8>>,
    feedback: Vec<Feedback>,
    /// The ticks that the receiver has applied since its last start.
    applied: BTreeSet<u32>,
    /// Whether a damaged packet was applied.
    poisoned: bool,
    /// Whether an ack was forged.
    deceived: bool,
    /// Whether the receiver keeps all states on which the sender may build; then it never requests
    /// a full snapshot.
    keeps_up: bool,
    /// The delay of feedback on the good network, in ticks.
    delay: usize,
}

impl Session {
    fn new(script: &mut Script<'_>) -> Self {
        let kind = script.byte();
        let schema = schema(script);
        let tick = match script.byte() {
            byte @ 0..250 => byte.into(),
            _ => script.word::<u32>().min(u32::MAX - 5000),
        };
        let world = state(script, &schema, tick, 12);
        let windows = [2, 3, 5, 16, 64];
        let window = windows[script.below(windows.len())];
        let options = SenderOptions {
            // Everything at once, or a few entities at a time.
            budget: [1200, 300, 100, 60][usize::from(kind & 3)],
            window,
            limits: Limits::DEFAULT,
            mode: match kind & 4 {
                0 => Mode::Merged,
                _ => Mode::Strict,
            },
            ..SenderOptions::default()
        };
        let window = match kind & 0x30 {
            0 => windows[script.below(windows.len())],
            _ => window,
        };
        let receiver = ReceiverOptions {
            window,
            limits: Limits::DEFAULT,
            mode: options.mode,
        };
        // An ack of a forgotten state would be useless.
        let delay = window.min(options.window) - 2;
        Self {
            sender: Sender::with_options(&schema, options),
            receiver: Receiver::with_options(&schema, receiver),
            log: World::new(&schema),
            mode: options.mode,
            schema,
            budget: options.budget,
            tick,
            world,
            visible: u16::MAX,
            weights: 3,
            history: BTreeMap::new(),
            packets: Vec::new(),
            feedback: Vec::new(),
            applied: BTreeSet::new(),
            kind,
            poisoned: false,
            deceived: false,
            keeps_up: window >= options.window,
            delay: delay.min(usize::from(kind >> 3 & 1) * 2),
        }
    }

    /// Encodes the world `later` ticks after the last one; returns false if some entity fits in no
    /// packet, whatever the budget.
    fn send(&mut self, later: u32) -> bool {
        self.encode(later).is_some_and(|(_, packet)| {
            self.packets.push(packet);
            if self.packets.len() > 16 {
                self.packets.remove(0);
            }
            true
        })
    }

    fn encode(&mut self, later: u32) -> Option<(Sent, Vec<u8>)> {
        self.tick += later;
        self.world.set_tick(self.tick);
        let (visible, weights) = (self.visible, self.weights);
        let weight = |id: u32| match visible >> (id % 16) & 1 {
            0 => 0,
            _ => 1 + id % weights,
        };
        let mut packet = vec![7];
        self.log
            .update(&self.world)
            .expect("a later state of the schema");
        let sent = self
            .sender
            .encode_visible(&mut self.log, weight, &mut packet);
        let sent = sent.expect("the limits are those of the states");
        assert!(packet.len() <= self.budget, "{} bytes", packet.len());
        assert_eq!(sent.bytes, packet.len());
        assert!(sent.tick == self.tick || sent.stalled && sent.bytes == 28);
        let read = Decoder::new(&self.schema).packet(&packet);
        let read = read.expect("a strict reader takes it");
        assert_eq!(read.header.baseline(), sent.baseline);
        assert_eq!(read.header.tick, sent.tick);
        // Refused states change nothing: the same state again, or an older one.
        let mut other = Vec::new();
        let refused = self
            .sender
            .encode_visible(&mut self.log, weight, &mut other);
        assert!(matches!(refused, Err(SendError::TickOrder { .. })));
        let mut model = Model::of(&self.world);
        model.0.retain(|id, _| weight(*id) > 0);
        self.history.insert(self.tick, model);
        if let Some(held) = sent.held_back {
            // From now on it fits, unless it never can.
            if held.limit != Limit::PacketBytes || held.needed > Limits::DEFAULT.max_section_bytes {
                return None;
            }
            assert!(held.max == self.budget && held.needed > held.max, "{held}");
            self.budget = held.needed;
            self.sender.set_budget(held.needed);
        }
        Some((sent, packet))
    }

    /// Lets something happen between the two sides.
    fn event(&mut self, script: &mut Script<'_>) {
        let kind = script.byte();
        let packet = script.below(self.packets.len());
        let feedback = script.below(self.feedback.len());
        match (kind % 16, self.packets.is_empty(), self.feedback.is_empty()) {
            (0..=4, false, _) => {
                let packet = self.packets.remove(0);
                self.deliver(&packet);
            }
            (5, false, _) => {
                let packet = self.packets.remove(packet);
                self.deliver(&packet);
            }
            (6, false, _) => {
                let packet = self.packets[packet].clone();
                self.deliver(&packet);
            }
            (7, false, _) => {
                self.packets.remove(packet);
            }
            (8, false, _) => {
                let mut packet = self.packets[packet].clone();
                mutate(script, &mut packet);
                self.damaged(&packet);
            }
            (9..=11, _, false) => {
                let feedback = self.feedback.remove(0);
                self.sender.feedback(&feedback);
            }
            (12, _, false) => {
                let feedback = self.feedback[feedback];
                self.sender.feedback(&feedback);
            }
            (13, _, false) => {
                self.feedback.remove(feedback);
            }
            (14, ..) => self.forge(script),
            (15, ..) => match kind >> 4 {
                0..=3 => self.visible = script.word::<u16>() | script.word::<u16>(),
                4 | 5 => self.visible = u16::MAX,
                6 => self.reset(),
                7 => self.sender.resync(),
                8 => self.packets.clear(),
                9 => self.feedback.clear(),
                10..=12 => {
                    self.budget = 40 + usize::from(script.byte());
                    self.sender.set_budget(self.budget);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn reset(&mut self) {
        self.keeps_up = false;
        self.receiver.reset();
        self.applied.clear();
        assert!(self.receiver.view().is_empty());
        assert!(self.receiver.state().is_none());
    }

    /// Forges feedback that the receiver never gave.
    fn forge(&mut self, script: &mut Script<'_>) {
        let mut bytes = [0; Feedback::BYTES];
        bytes.fill_with(|| script.byte());
        bytes[0] %= 4;
        let some = Feedback::from_bytes(&bytes);
        if let Some(feedback) = some {
            assert_eq!(feedback.to_bytes(), bytes);
        }
        // Close to what was sent.
        let tick = self.tick.saturating_sub(u32::from(bytes[1]) % 8);
        let baseline = self.sender.baseline().unwrap_or(tick);
        let earlier = u64::from_le_bytes([bytes[5], bytes[6], 0, bytes[8], 0, 0, 0, bytes[12]]);
        let feedback = match (bytes[0], some) {
            (0, _) => Feedback::Ack { tick, earlier },
            (3, _) => Feedback::NeedFull { baseline },
            (_, some) => some.unwrap_or(Feedback::NeedFull { baseline: tick }),
        };
        assert_eq!(Feedback::from_bytes(&feedback.to_bytes()), Some(feedback));
        if let Feedback::Ack { .. } = feedback {
            self.deceived = true;
        }
        self.sender.feedback(&feedback);
    }

    /// Delivers an unchanged packet; returns true if it is applied.
    fn deliver(&mut self, packet: &[u8]) -> bool {
        let before = Shown::of(&self.receiver);
        let result = self.receiver.apply(packet);
        match result {
            Ok(Received { ack, fresh }) => {
                self.feedback.push(ack);
                let Feedback::Ack { tick, earlier } = ack else {
                    panic!("{ack:?} of a packet that was applied");
                };
                if fresh {
                    self.applied.insert(tick);
                    self.shows_the_truth(&before);
                } else {
                    before.is_still(&self.receiver);
                }
                if !self.poisoned {
                    self.acks_what_was_applied(tick, earlier);
                }
                fresh
            }
            Err(error) => {
                before.is_still(&self.receiver);
                match (error, error.feedback()) {
                    (ReceiveError::NeedFull { baseline, .. }, Some(feedback)) => {
                        // A full snapshot or a link of the chain may be lost; a state that was
                        // acknowledged is kept.
                        let had = self.applied.contains(&baseline) && self.mode == Mode::Merged;
                        let at_fault = had && self.keeps_up && !self.deceived && !self.poisoned;
                        assert!(!at_fault, "{error}");
                        self.feedback.push(feedback);
                    }
                    _ => assert!(self.poisoned || self.deceived, "{error}"),
                }
                false
            }
        }
    }

    /// Delivers a damaged packet.
    fn damaged(&mut self, packet: &[u8]) {
        let before = Shown::of(&self.receiver);
        let mut other = self.receiver.clone();
        let result = other.apply(packet);
        Model::of(other.view());
        match result {
            Err(_) => before.is_still(&other),
            Ok(received) if !received.fresh => before.is_still(&other),
            // The script asks for it to be applied as it is.
            Ok(received) if self.kind & 0xc0 == 0xc0 => {
                self.poisoned = true;
                self.receiver = other;
                self.feedback.push(received.ack);
            }
            // Otherwise the transport's checksum would have dropped it.
            Ok(_) => {}
        }
    }

    fn acks_what_was_applied(&self, tick: u32, earlier: u64) {
        assert_eq!(self.applied.last(), Some(&tick));
        for back in 1..=64 {
            let acked = earlier >> (back - 1) & 1 == 1;
            let applied = tick.checked_sub(back);
            let applied = applied.is_some_and(|tick| self.applied.contains(&tick));
            assert_eq!(acked, applied, "tick {tick} - {back}");
        }
    }

    /// Each entity has its values of one tick, not older than before.
    fn shows_the_truth(&self, before: &Shown) {
        if self.poisoned {
            return;
        }
        let shown = Shown::of(&self.receiver);
        for (id, components) in &shown.model.0 {
            let tick = shown.ticks[id];
            let past = self.history.get(&tick).expect("a tick that was sent");
            let past = past.0.get(id);
            let past = past.unwrap_or_else(|| panic!("no entity {id} at tick {tick}"));
            assert!(
                within(&self.schema, past, components),
                "entity {id}: {components:?} is shown, {past:?} was at tick {tick}"
            );
            let seen = before.ticks.get(id);
            assert!(
                seen.is_none_or(|seen| *seen <= tick),
                "entity {id}: tick {tick} is shown after {seen:?}"
            );
        }
        let state = self.receiver.state().expect("one was applied");
        assert_eq!(state.tick(), self.receiver.view().tick());
        if self.mode == Mode::Merged {
            assert_eq!(state.ids(), self.receiver.view().ids());
        }
    }

    /// Ends the session on a good network.
    fn ends_well(mut self) {
        if self.tick > u32::MAX - 2000 {
            return;
        }
        if self.poisoned || self.deceived {
            self.sender.resync();
        }
        if self.poisoned {
            self.poisoned = false;
            self.reset();
        }
        self.feedback.clear();
        // Enough packets to send everything one by one, plus a request and its answer.
        let enough = 2 * (self.world.len() + self.receiver.view().len()) + 40;
        let enough = enough * (self.delay + 1);
        // A packet before may be lost and not known to be: one without content says little. In strict
        // mode, what the sender went back from stays in the view for eight packets.
        let until = match self.mode {
            Mode::Merged => self.delay + 3,
            Mode::Strict => self.delay + 12,
        };
        let mut quiet = 0;
        for _ in 0..enough {
            let Some((sent, packet)) = self.encode(1) else {
                return;
            };
            let applied = self.answer(&packet);
            if applied && sent.baseline.is_some() && sent.bytes == 28 && !sent.stalled {
                assert_eq!((sent.named, sent.waiting), (0, 0));
                quiet += 1;
            } else {
                quiet = 0;
            }
            if quiet == until {
                break;
            }
        }
        assert!(
            quiet > self.delay,
            "after {enough} packets there is more to say"
        );
        let shown = Model::of(self.receiver.view());
        let truth = self.history.last_key_value().expect("one was sent").1;
        assert!(
            shown.0.keys().eq(truth.0.keys()),
            "{shown:?}, not {truth:?}"
        );
        for (shown, truth) in shown.0.values().zip(truth.0.values()) {
            assert!(
                within(&self.schema, truth, shown),
                "{shown:?}, not {truth:?}"
            );
        }
        self.leaves_none_behind();
    }

    fn answer(&mut self, packet: &[u8]) -> bool {
        let applied = self.deliver(packet);
        while self.feedback.len() > self.delay {
            let feedback = self.feedback.remove(0);
            self.sender.feedback(&feedback);
        }
        applied
    }

    /// All entities change with each tick and have the same weight: each waits at most once for
    /// every other.
    fn leaves_none_behind(&mut self) {
        let Some((component, field)) = self.schema.components().iter().find_map(|component| {
            let mut fields = component.fields.iter();
            let field = fields.find(|field| {
                let (min, max) = bounds(field.codec);
                max - min >= 255 && field.change == Change::Always
            })?;
            Some((component.id, field.clone()))
        }) else {
            return;
        };
        let value = |entity: Option<Entity<'_>>| entity?.value(component, field.id);
        let ids: Vec<u32> = self.receiver.view().ids().to_vec();
        let start = self.tick;
        self.weights = 1;
        self.delay = 0;
        for _ in 0..2 * ids.len() + 4 {
            for id in &ids {
                let Some(old) = value(self.world.entity(*id)) else {
                    continue;
                };
                // An entity returns to its old value only after all others have had their turn.
                let (min, max) = bounds(field.codec);
                let next = old.as_i128() + 1;
                let next = if next > max { min } else { next };
                let entity = self.world.entity_mut(*id);
                let next = value_of(field.codec, next);
                let set =
                    entity.map(|mut entity| entity.set_value(component, field.id, next).is_ok());
                assert_eq!(set, Some(true));
            }
            let Some((_, packet)) = self.encode(1) else {
                return;
            };
            assert!(self.answer(&packet), "a packet of a good network");
        }
        for id in ids {
            let tick = self.receiver.tick_of(id).expect("it is shown");
            let moving = value(self.world.entity(id));
            assert!(tick > start || moving.is_none(), "entity {id} waits on");
        }
    }
}

/// True if the values are those of the past, or within their thresholds of them.
fn within(
    schema: &Schema,
    past: &BTreeMap<u16, Vec<Value>>,
    shown: &BTreeMap<u16, Vec<Value>>,
) -> bool {
    let fields = |component: &u16| {
        let (_, definition) = schema.component(*component).expect("of this schema");
        &definition.fields
    };
    past.keys().eq(shown.keys())
        && past.iter().zip(shown.values()).all(|((id, past), shown)| {
            let mut values = past.iter().zip(shown).zip(fields(id));
            values.all(|((past, shown), field)| {
                let off = (past.as_i128() - shown.as_i128()).unsigned_abs();
                match (field.codec, field.change) {
                    (Codec::Bool, _) | (_, Change::Always) => off == 0,
                    (_, Change::Threshold { threshold_q }) => off <= threshold_q.into(),
                }
            })
        })
}

/// The receiver's view at a moment.
struct Shown {
    model: Model,
    ticks: BTreeMap<u32, u32>,
    tick: u32,
    state: Option<Snapshot>,
}

impl Shown {
    fn of(receiver: &Receiver) -> Self {
        let view = receiver.view();
        let ids = view.ids().iter();
        Self {
            model: Model::of(view),
            ticks: ids
                .map(|id| (*id, receiver.tick_of(*id).expect("it is shown")))
                .collect(),
            tick: view.tick(),
            state: receiver.state().cloned(),
        }
    }

    fn is_still(&self, receiver: &Receiver) {
        let now = Self::of(receiver);
        assert!(self.tick == now.tick && self.state == now.state);
        assert!(self.ticks == now.ticks && self.model == now.model);
    }
}
