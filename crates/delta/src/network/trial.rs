//! A session over a simulated network, and a judge of what its receiver shows.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::link::{Conditions, Link};
use crate::decode::Decoder;
use crate::schema::{Change, Schema};
use crate::session::{
    Feedback, Mode, ReceiveError, Receiver, ReceiverOptions, SendError, Sender, SenderOptions,
    Sent, ViewEvent, World,
};
use crate::snapshot::{Entity, Snapshot};
use crate::wire::{Header, Tag};

/// The components of an entity, with their values; `None` while it does not exist.
type Values = Option<Vec<(u16, Vec<i128>)>>;

/// A world, a sender, a receiver, and a network between them. After each packet, a judge that shares
/// no code with the session compares what the receiver shows with the states of the game:
///
/// - every entity has values that it had at the tick that the receiver names, within the thresholds;
/// - no entity is shown with older values than before;
/// - another entity with the same id is shown as another one;
/// - the events of each packet lead from the view before it to the view after it;
/// - no entity is lost, unless it ended or was hidden, or the session began again;
/// - no packet exceeds the budget, and the receiver refuses none.
///
/// [The module](super) has an example.
#[derive(Clone, Debug)]
pub struct Trial {
    schema: Schema,
    world: World,
    sender: Sender,
    receiver: Receiver,
    down: Link<Vec<u8>>,
    up: Link<Feedback>,
    seed: u64,
    packet: Vec<u8>,
    sent: Option<Sent>,
    /// The changes of each entity, by tick.
    past: BTreeMap<u32, Vec<(u32, Values)>>,
    /// The ticks at which an entity with an id began.
    births: BTreeMap<u32, Vec<u32>>,
    /// The entities that ended since the last state.
    ended: BTreeSet<u32>,
    /// The tick of each entity's values in the view.
    shown: BTreeMap<u32, u32>,
    /// The view, as the events tell it.
    told: Told,
    /// The entities that the last state lets the receiver see.
    visible: BTreeSet<u32>,
    resyncs: u32,
    applied: u32,
}

impl Trial {
    /// Creates a session with default options over a perfect network. `seed` is that of the
    /// network.
    #[must_use]
    pub fn new(schema: &Schema, seed: u64) -> Self {
        Self {
            schema: schema.clone(),
            world: World::new(schema),
            sender: Sender::new(schema),
            receiver: Receiver::new(schema),
            down: Link::new(Conditions::PERFECT, seed),
            up: Link::new(Conditions::PERFECT, !seed),
            seed,
            packet: Vec::new(),
            sent: None,
            past: BTreeMap::new(),
            births: BTreeMap::new(),
            ended: BTreeSet::new(),
            shown: BTreeMap::new(),
            told: Told::default(),
            visible: BTreeSet::new(),
            resyncs: 0,
            applied: 0,
        }
    }

    /// Sets the options of the sender, and of the receiver to match.
    #[must_use]
    pub fn options(mut self, options: SenderOptions) -> Self {
        let SenderOptions {
            window,
            limits,
            mode,
            ..
        } = options;
        self.sender = Sender::with_options(&self.schema, options);
        let options = ReceiverOptions {
            window,
            limits,
            mode,
        };
        self.receiver = Receiver::with_options(&self.schema, options);
        self
    }

    /// Sets the conditions of both directions.
    #[must_use]
    pub fn both(self, conditions: Conditions) -> Self {
        let (down, up) = (self.seed, !self.seed);
        self.links(Link::new(conditions, down), Link::new(conditions, up))
    }

    /// Sets the links to the receiver and back, for example to replay [fates](super::Fate).
    #[must_use]
    pub fn links(mut self, down: Link<Vec<u8>>, up: Link<Feedback>) -> Self {
        (self.down, self.up) = (down, up);
        self
    }

    /// Changes the conditions of both directions from now on.
    pub const fn set_conditions(&mut self, conditions: Conditions) {
        self.down.set_conditions(conditions);
        self.up.set_conditions(conditions);
    }

    /// Makes the network perfect from now on.
    pub const fn calm(&mut self) {
        self.set_conditions(Conditions::PERFECT);
    }

    /// Sends a state, of which the receiver may see everything, and lets packets and feedback
    /// arrive.
    pub fn step(&mut self, state: &Snapshot) -> Result<(), Fault> {
        self.step_visible(state, |_| 1)
    }

    /// Sends a state with the weights of
    /// [`Sender::encode_visible`](crate::Sender::encode_visible), and lets packets and feedback
    /// arrive.
    pub fn step_visible(
        &mut self,
        state: &Snapshot,
        mut weight: impl FnMut(u32) -> u32,
    ) -> Result<(), Fault> {
        let tick = state.tick();
        self.remember(state, &mut weight);
        let failed = |error| Fault::Send { tick, error };
        self.world.update(state).map_err(failed)?;
        let mut packet = core::mem::take(&mut self.packet);
        let sent = self
            .sender
            .encode_visible(&mut self.world, weight, &mut packet);
        let sent = sent.map_err(failed)?;
        let (bytes, budget) = (packet.len(), self.sender.options().budget);
        if bytes > budget {
            return Err(Fault::Budget {
                tick,
                bytes,
                budget,
            });
        }
        self.sent = Some(sent);
        self.down.send(tick, bytes, packet.clone());
        self.packet = packet;
        self.deliver(tick)
    }

    /// Ends an entity between two states: see [`World::despawn`](crate::World::despawn).
    pub fn despawn(&mut self, id: u32) {
        self.world.despawn(id);
        self.ended.insert(id);
    }

    /// Lets packets and feedback arrive that are due.
    fn deliver(&mut self, now: u32) -> Result<(), Fault> {
        while let Some(packet) = self.down.arrive(now) {
            let feedback = match self.receiver.apply(&packet) {
                Ok(received) => {
                    self.applied += u32::from(received.fresh);
                    let (view, events) = (self.receiver.view(), self.receiver.events());
                    let told = self.told.follow(view, events);
                    told.map_err(|entity| Fault::Events { entity, tick: now })?;
                    self.judge(&packet, received.fresh, now)?;
                    Some(received.ack)
                }
                Err(error @ ReceiveError::NeedFull { .. }) => {
                    self.resyncs += 1;
                    error.feedback()
                }
                Err(error) => return Err(Fault::Receive { tick: now, error }),
            };
            if let Some(feedback) = feedback {
                self.up.send(now, Feedback::BYTES, feedback);
            }
        }
        while let Some(feedback) = self.up.arrive(now) {
            self.sender.feedback(&feedback);
        }
        Ok(())
    }

    /// Steps with unchanged states until the receiver shows the world, for at most `ticks` ticks.
    /// `state` gets their ticks.
    pub fn converges(&mut self, state: &mut Snapshot, ticks: u32) -> Result<bool, Fault> {
        for _ in 0..ticks {
            if self.agrees() {
                break;
            }
            state.set_tick(state.tick() + 1);
            self.step(state)?;
        }
        Ok(self.agrees())
    }

    /// Returns true if the receiver shows exactly what it may see of the newest state, with the
    /// values that thresholds have kept.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let view = self.receiver.view();
        view.ids().iter().eq(&self.visible)
            && view.iter().all(|shown| {
                let now = self.world.state().entity(shown.id());
                now.is_some_and(|now| values(&now) == values(&shown))
            })
    }

    /// Restarts the receiver. Packets on their way do not reach it.
    pub fn restart(&mut self) {
        self.receiver.reset();
        self.down.drop_flying();
        self.shown.clear();
        self.told = Told::default();
    }

    /// Returns the world.
    #[must_use]
    pub const fn world(&self) -> &World {
        &self.world
    }

    /// Returns the sender.
    #[must_use]
    pub const fn sender(&self) -> &Sender {
        &self.sender
    }

    /// Returns the receiver.
    #[must_use]
    pub const fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// Returns the link to the receiver.
    #[must_use]
    pub const fn down(&self) -> &Link<Vec<u8>> {
        &self.down
    }

    /// Returns the link to the sender.
    #[must_use]
    pub const fn up(&self) -> &Link<Feedback> {
        &self.up
    }

    /// Returns what the last packet contained.
    #[must_use]
    pub const fn sent(&self) -> Option<Sent> {
        self.sent
    }

    /// Returns how often the receiver asked for a baseline that it lacked.
    #[must_use]
    pub const fn resyncs(&self) -> u32 {
        self.resyncs
    }

    /// Returns the number of packets that the receiver has applied.
    #[must_use]
    pub const fn applied(&self) -> u32 {
        self.applied
    }

    /// Notes what changed in a state.
    fn remember(&mut self, state: &Snapshot, weight: &mut impl FnMut(u32) -> u32) {
        let tick = state.tick();
        for id in state.ids() {
            if self.world.state().entity(*id).is_none() || self.ended.contains(id) {
                self.births.entry(*id).or_default().push(tick);
            }
        }
        self.ended.clear();
        self.visible.clear();
        for entity in state.iter().filter(|entity| weight(entity.id()) > 0) {
            self.visible.insert(entity.id());
            let now = Some(values(&entity));
            let past = self.past.entry(entity.id()).or_default();
            if past.last().is_none_or(|(_, last)| *last != now) {
                past.push((tick, now));
            }
        }
        for (id, past) in &mut self.past {
            let is_there = past.last().is_some_and(|(_, last)| last.is_some());
            if is_there && !self.visible.contains(id) {
                past.push((tick, None));
            }
        }
    }

    /// Returns the values of an entity at a tick.
    fn at(&self, id: u32, tick: u32) -> Option<&Vec<(u16, Vec<i128>)>> {
        let past = self.past.get(&id)?;
        let after = past.partition_point(|(at, _)| *at <= tick);
        past.get(after.checked_sub(1)?)?.1.as_ref()
    }

    /// Returns true if an entity was absent at some tick of a range.
    fn was_absent(&self, id: u32, from: u32, to: u32) -> bool {
        self.at(id, from).is_none()
            || self.past.get(&id).is_some_and(|past| {
                let within = |(at, now): &(u32, Values)| (from..=to).contains(at) && now.is_none();
                past.iter().any(within)
            })
    }

    /// Compares the view with the past.
    fn judge(&mut self, packet: &[u8], fresh: bool, now: u32) -> Result<(), Fault> {
        let view = self.receiver.view();
        let mut shown = BTreeMap::new();
        for entity in view.iter() {
            let id = entity.id();
            let as_of = self.receiver.confirmed(id).map_or(0, |seen| seen.at);
            let truth = self.at(id, as_of);
            if !truth.is_some_and(|truth| is_close(&self.schema, truth, &values(&entity))) {
                return Err(Fault::Untrue { entity: id, as_of });
            }
            if let Some(before) = self.shown.get(&id).filter(|before| **before > as_of) {
                return Err(Fault::Older {
                    entity: id,
                    before: *before,
                    now: as_of,
                });
            }
            if fresh && self.is_mistaken(packet, id, as_of) {
                return Err(Fault::Mistaken {
                    entity: id,
                    tick: now,
                });
            }
            shown.insert(id, as_of);
        }
        self.judge_losses(packet, fresh, &shown)?;
        self.shown = shown;
        Ok(())
    }

    /// Returns true if the events of a delta say that another entity has the id now and it is the same,
    /// or the other way round. The wire does not tell it from an entity with other components, so that
    /// only those count that never had others; going back in strict mode says nothing of it.
    fn is_mistaken(&self, packet: &[u8], entity: u32, as_of: u32) -> bool {
        let is_delta = Header::read(packet).is_ok_and(|(header, _)| header.baseline().is_some());
        let is_merged = self.sender.options().mode == Mode::Merged;
        let Some(before) = self.shown.get(&entity).filter(|_| is_merged && is_delta) else {
            return false;
        };
        let births = self.births.get(&entity).into_iter().flatten().copied();
        let last_before = |tick| births.clone().filter(|at| *at <= tick).max().unwrap_or(0);
        let (first, born) = (last_before(*before), last_before(as_of));
        let events = self.receiver.events().iter();
        let mut own = events.filter(|event| event.entity() == entity);
        if !self.keeps_parts(entity) {
            return false;
        }
        if born > first {
            return own.all(|event| matches!(event, ViewEvent::Changed { .. }));
        }
        let was_there = !self.was_absent(entity, born, as_of);
        was_there && own.any(|event| matches!(event, ViewEvent::Despawned { .. }))
    }

    /// Returns true if all entities with an id had the same components.
    fn keeps_parts(&self, id: u32) -> bool {
        let past = self.past.get(&id).into_iter().flatten();
        let mut parts = past.filter_map(|(_, values)| {
            let parts = values.as_ref()?.iter();
            Some(parts.map(|(component, _)| *component).collect::<Vec<_>>())
        });
        let first = parts.next();
        parts.all(|parts| Some(parts) == first)
    }

    /// Checks that all entities that are no longer shown were destroyed, and rightly so.
    fn judge_losses(
        &self,
        packet: &[u8],
        fresh: bool,
        shown: &BTreeMap<u32, u32>,
    ) -> Result<(), Fault> {
        let Ok(packet) = Decoder::new(&self.schema).packet(packet) else {
            return Ok(());
        };
        let tick = packet.header.tick;
        if fresh && packet.header.baseline().is_none() {
            return Ok(()); // A full snapshot begins again.
        }
        let sections = packet.sections.iter();
        let destroys = sections.filter(|section| section.tag == Tag::Destroy);
        let destroys = destroys.flat_map(|section| &section.entities);
        let destroyed: BTreeSet<u32> = destroys.map(|entity| entity.id).collect();
        for (id, before) in &self.shown {
            if shown.contains_key(id) {
                continue;
            }
            let entity = *id;
            let was_absent = self.was_absent(entity, *before, tick);
            if fresh && destroyed.contains(id) && !was_absent {
                return Err(Fault::Killed { entity, tick });
            }
            // In strict mode the sender may go back to a state that lacks an entity.
            let is_merged = self.sender.options().mode == Mode::Merged;
            if is_merged && !(fresh && destroyed.contains(id)) {
                return Err(Fault::Vanished { entity, tick });
            }
        }
        Ok(())
    }
}

/// Returns true if the values differ by no more than their thresholds.
fn is_close(schema: &Schema, truth: &[(u16, Vec<i128>)], shown: &[(u16, Vec<i128>)]) -> bool {
    let allowed = |component: u16, at: usize| {
        let (_, component) = schema.component(component)?;
        match component.fields.get(at)?.change {
            Change::Threshold { threshold_q } => Some(u128::from(threshold_q)),
            Change::Always => Some(0),
        }
    };
    truth.len() == shown.len()
        && truth.iter().zip(shown).all(|(truth, shown)| {
            let mut values = truth.1.iter().zip(&shown.1).enumerate();
            truth.0 == shown.0
                && truth.1.len() == shown.1.len()
                && values
                    .all(|(at, (was, is))| was.abs_diff(*is) <= allowed(truth.0, at).unwrap_or(0))
        })
}

/// A fault of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A state cannot be sent.
    #[error("tick {tick}: {error}")]
    Send {
        /// The tick of the state.
        tick: u32,
        /// The reason.
        error: SendError,
    },
    /// The receiver refuses a packet of its own sender.
    #[error("at tick {tick}: {error}")]
    Receive {
        /// The tick at which the packet arrived.
        tick: u32,
        /// The reason.
        error: ReceiveError,
    },
    /// A packet is larger than its budget.
    #[error("tick {tick}: a packet of {bytes} bytes, the budget is {budget}")]
    Budget {
        /// The tick of the packet.
        tick: u32,
        /// Its size.
        bytes: usize,
        /// The budget.
        budget: usize,
    },
    /// An entity is shown with values that it did not have, or that the receiver may not see.
    #[error("entity {entity} is shown as of tick {as_of}, and was not so")]
    Untrue {
        /// The id of the entity.
        entity: u32,
        /// The tick of its values, as the receiver says.
        as_of: u32,
    },
    /// An entity is shown with older values than before.
    #[error("entity {entity} went back from tick {before} to tick {now}")]
    Older {
        /// The id of the entity.
        entity: u32,
        /// The tick of its values before.
        before: u32,
        /// The tick of its values now.
        now: u32,
    },
    /// An entity is no longer shown, and no packet destroyed it.
    #[error("entity {entity} vanished with tick {tick}")]
    Vanished {
        /// The id of the entity.
        entity: u32,
        /// The tick of the packet.
        tick: u32,
    },
    /// The events of a packet do not lead from what was shown to what is shown.
    #[error("the events of the packet at tick {tick} do not say what became of entity {entity}")]
    Events {
        /// The id of the entity.
        entity: u32,
        /// The tick at which the packet arrived.
        tick: u32,
    },
    /// Another entity is shown as the one that had its id before, or the same one as another.
    #[error(
        "the events of the packet at tick {tick} take entity {entity} for another one, or another one for it"
    )]
    Mistaken {
        /// The id of the entity.
        entity: u32,
        /// The tick at which the packet arrived.
        tick: u32,
    },
    /// A packet destroys an entity that lives and that the receiver may see.
    #[error("entity {entity} was destroyed with tick {tick} and lives")]
    Killed {
        /// The id of the entity.
        entity: u32,
        /// The tick of the packet.
        tick: u32,
    },
}

/// The components and values of each entity, from nothing but events, and the values that they say
/// are new.
#[derive(Clone, Default, Debug)]
pub(super) struct Told(BTreeMap<u32, BTreeMap<u16, Vec<i128>>>);

impl Told {
    /// Follows the events of a packet, and compares the result with the view. Returns the first
    /// entity of which they do not say what became of it.
    pub fn follow(&mut self, view: &Snapshot, events: &[ViewEvent]) -> Result<(), u32> {
        for event in events {
            self.take(view, *event).ok_or(event.entity())?;
        }
        let mut told = self.0.iter();
        for shown in view.iter() {
            let now = values(&shown).into_iter().collect();
            if told.next() != Some((&shown.id(), &now)) {
                return Err(shown.id());
            }
        }
        told.next().map_or(Ok(()), |(entity, _)| Err(*entity))
    }

    /// Returns `None` if the event contradicts those before it, or the view.
    fn take(&mut self, view: &Snapshot, event: ViewEvent) -> Option<()> {
        let entity = event.entity();
        let shown = view.entity(entity);
        let shown_values = |component| {
            let values = shown?.component(component)?.values();
            Some(values.map(|value| value.as_i128()).collect::<Vec<_>>())
        };
        let is_right = match event {
            ViewEvent::Spawned { .. } => {
                let shown = values(&shown?).into_iter().collect();
                self.0.insert(entity, shown).is_none()
            }
            ViewEvent::Despawned { .. } => self.0.remove(&entity).is_some(),
            ViewEvent::Gained { component, .. } => {
                let told = self.0.get_mut(&entity)?;
                told.insert(component, shown_values(component)?).is_none()
            }
            ViewEvent::Lost { component, .. } => {
                self.0.get_mut(&entity)?.remove(&component).is_some()
            }
            ViewEvent::Changed {
                component, fields, ..
            } => {
                let now = shown_values(component)?;
                let told = self.0.get_mut(&entity)?.get_mut(&component)?;
                let named = |at: &usize| fields >> at & 1 == 1;
                let mut all_new = true;
                for at in (0..now.len()).filter(named) {
                    let (told, now) = (told.get_mut(at)?, now.get(at)?);
                    all_new &= told != now;
                    *told = *now;
                }
                all_new
            }
        };
        is_right.then_some(())
    }
}

/// Returns the components of an entity, with their values.
pub(super) fn values(entity: &Entity<'_>) -> Vec<(u16, Vec<i128>)> {
    let parts = entity.components();
    parts
        .map(|part| (part.id(), part.values().map(|v| v.as_i128()).collect()))
        .collect()
}
