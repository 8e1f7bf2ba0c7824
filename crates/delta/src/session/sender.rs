//! The side that sends states.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use super::budget::{Budget, DESTROY_BYTES};
use super::candidate::{Candidate, Gone, Known, What, put};
use super::feedback::Feedback;
use super::options::{SendError, SenderOptions, Sent};
use crate::baseline::Baselines;
use crate::bits::BitWriter;
use crate::encode::{Changed, changes, settle_row, write_create, write_update};
use crate::error::EncodeError;
use crate::limits::Limit;
use crate::schema::{Layout, Schema};
use crate::snapshot::{Row, Snapshot};
use crate::wire::{HEADER_BYTES, Header, Kind, Tag, push_section};

/// Sends states to one receiver.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Receiver, Schema, Sender, Snapshot, Value};
///
/// let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
/// let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
/// let mut world = Snapshot::new(&schema, 0);
/// let mut packet = Vec::new();
/// for tick in 1..=10 {
///     world.set_tick(tick);
///     world.entry(7).set(1, &[Value::UInt(tick.into())])?;
///     sender.encode(&world, &mut packet)?;
///     if tick % 3 != 0 { // The network loses every third packet.
///         let received = receiver.apply(&packet)?;
///         sender.feedback(&received.ack);
///     }
/// }
/// assert!(receiver.view().same_entities(&world));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sender {
    schema: Schema,
    options: SenderOptions,
    /// What the receiver holds if it applied the packet of that tick.
    states: Baselines,
    /// Which entities each packet named.
    named: VecDeque<(u32, Vec<u32>)>,
    spare_names: Vec<Vec<u32>>,
    /// The acknowledged state that packets build on.
    acked: Option<u32>,
    last_tick: u32,
    /// Ascending by id.
    known: Vec<Known>,
    /// The values each entity was last sent with.
    shown: Snapshot,
    /// Ascending by id.
    gone: Vec<Gone>,
    /// Entities that a state had and the next one lacked, after the baseline: when. Ascending.
    absent: Vec<(u32, u32)>,
    /// The largest weight of the last packet.
    heaviest: u32,
    // Kept for their memory.
    next_known: Vec<Known>,
    next_shown: Snapshot,
    next_gone: Vec<Gone>,
    next_absent: Vec<(u32, u32)>,
    target: Snapshot,
    candidates: Vec<Candidate>,
    order: Vec<usize>,
    bits: BitWriter,
    changed: Vec<Changed>,
    bodies: [(u32, Vec<u8>); 3],
}

impl Sender {
    /// A sender of default options.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self::with_options(schema, SenderOptions::default())
    }

    /// A sender.
    #[must_use]
    pub fn with_options(schema: &Schema, options: SenderOptions) -> Self {
        let empty = || Snapshot::new(schema, 0);
        Self {
            schema: schema.clone(),
            options,
            states: Baselines::new(schema, options.window.max(2)),
            named: VecDeque::new(),
            spare_names: Vec::new(),
            acked: None,
            last_tick: 0,
            known: Vec::new(),
            shown: empty(),
            gone: Vec::new(),
            absent: Vec::new(),
            heaviest: 1,
            next_known: Vec::new(),
            next_shown: empty(),
            next_gone: Vec::new(),
            next_absent: Vec::new(),
            target: empty(),
            candidates: Vec::new(),
            order: Vec::new(),
            bits: BitWriter::new(),
            changed: Vec::new(),
            bodies: [(0, Vec::new()), (0, Vec::new()), (0, Vec::new())],
        }
    }

    /// Changes the budget, as a congested network demands.
    pub const fn set_budget(&mut self, budget: usize) {
        self.options.budget = budget;
    }

    /// The acknowledged tick that the next packet will build on; none if that will be a full
    /// snapshot.
    #[must_use]
    pub const fn baseline(&self) -> Option<u32> {
        self.acked
    }

    /// Writes the packet of this state to `packet`, whatever that held. The receiver may see all
    /// entities, all alike.
    pub fn encode(&mut self, world: &Snapshot, packet: &mut Vec<u8>) -> Result<Sent, SendError> {
        self.encode_visible(world, |_| 1, packet)
    }

    /// Writes the packet of this state to `packet`, whatever that held. `weight` says how much an
    /// entity matters to the receiver: its priority grows by that much with each packet it has to
    /// wait for. 0: the receiver may not see it.
    pub fn encode_visible(
        &mut self,
        world: &Snapshot,
        mut weight: impl FnMut(u32) -> u32,
        packet: &mut Vec<u8>,
    ) -> Result<Sent, SendError> {
        self.check(world)?;
        let schema = self.schema.clone();
        self.look(schema.layout(), world, &mut weight)?;
        let waiting = self.choose();
        let tick = world.tick();
        let state = self.build(tick);
        self.write(&schema, tick, packet);
        self.remember(tick, state);
        let named = self.named.back().map_or(0, |(_, names)| names.len());
        Ok(Sent {
            tick,
            baseline: self.acked,
            bytes: packet.len(),
            named,
            waiting,
        })
    }

    fn check(&self, world: &Snapshot) -> Result<(), SendError> {
        if world.schema().hash() != self.schema.hash() {
            return Err(SendError::Encode(EncodeError::Schema {
                expected: self.schema.hash(),
                found: world.schema().hash(),
            }));
        }
        let limits = &self.options.limits;
        if let Err(crate::Rule::Limit { limit, max, found }) = self.schema.layout().within(limits) {
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        let budget = self.options.budget.min(limits.max_packet_bytes);
        if budget < HEADER_BYTES {
            return Err(SendError::NoRoom { budget });
        }
        match world.tick() {
            0 => Err(SendError::TickZero),
            tick if tick <= self.last_tick => Err(SendError::TickOrder {
                tick,
                last: self.last_tick,
            }),
            _ => Ok(()),
        }
    }

    /// Finds what there is to say, of all entities that are or were visible.
    fn look(
        &mut self,
        layout: &Layout,
        world: &Snapshot,
        weight: &mut impl FnMut(u32) -> u32,
    ) -> Result<(), SendError> {
        self.next_known.clear();
        self.next_gone.clear();
        self.target.clear();
        self.candidates.clear();
        self.bits.clear();
        let baseline = self.acked.and_then(|tick| self.states.get(tick));
        let (mut held_at, mut known_at, mut shown_at, mut gone_at) = (0, 0, 0, 0);
        let last = self.states.latest().map_or(&[][..], Snapshot::ids);
        let (mut last_at, mut absent_at) = (0, 0);
        let mut heaviest = 1;
        let mut rows = crate::encode::rows(world).peekable();
        loop {
            let held = baseline.and_then(|baseline| baseline.row(held_at));
            let row = match (rows.peek(), held) {
                (None, None) => break,
                (Some(row), Some(held)) if held.id < row.id => None,
                (row, _) => row.copied(),
            };
            rows.next_if(|next| row.is_some_and(|row| row.id == next.id));
            let id = row.or(held).map_or(0, |row| row.id);
            let held = held.filter(|held| held.id == id);
            held_at += usize::from(held.is_some());
            let grows = row.map_or(0, |row| weight(row.id));
            heaviest = heaviest.max(grows);
            gone_at += skip(self.gone.get(gone_at..), |gone| gone.id < id);
            let gone = self.gone.get(gone_at).filter(|gone| gone.id == id);
            last_at += skip(last.get(last_at..), |last| *last < id);
            absent_at += skip(self.absent.get(absent_at..), |(absent, _)| *absent < id);
            let absent = self
                .absent
                .get(absent_at)
                .filter(|(absent, _)| *absent == id);
            let sticky = if held.is_some() {
                absent.is_some_and(|(_, tick)| Some(*tick) > self.acked)
            } else {
                last.get(last_at) == Some(&id)
            };
            let Some(row) = row.filter(|_| grows > 0) else {
                if held.is_some() {
                    // What is no more matters as much as anything, and no more.
                    let grows = u64::from(self.heaviest);
                    let priority = gone.map_or(0, |gone| gone.priority) + grows;
                    self.next_gone.push(Gone { id, priority });
                    let from = self.bits.aligned().len();
                    let candidate = Candidate {
                        id,
                        what: What::Destroy,
                        from,
                        to: from,
                        sticky,
                        priority,
                        chosen: false,
                    };
                    self.check_alone(&candidate)?;
                    self.candidates.push(candidate);
                }
                continue;
            };
            known_at += skip(self.known.get(known_at..), |known| known.id < id);
            let mut known = match self.known.get(known_at) {
                Some(known) if known.id == id => *known,
                _ => Known {
                    id,
                    since: 0,
                    confirmed: false,
                    priority: 0,
                },
            };
            shown_at += skip(self.shown.ids().get(shown_at..), |shown| *shown < id);
            let shown = self.shown.row(shown_at).filter(|shown| shown.id == id);
            self.target.push_row(row);
            // Packets in flight build on several states, whose values may differ within the
            // thresholds: what was said last is what all of them come to.
            let alike = |old: &Row<'_>| held.is_some() && old.mask == row.mask;
            if let Some(old) = shown.filter(alike).or(held.filter(alike)) {
                let last = self.target.len() - 1;
                settle_row(layout, old, self.target.codes_mut(last));
            }
            let settled = self.target.row(self.target.len() - 1).unwrap_or(row);
            let from = self.bits.aligned().len();
            let what = match held {
                None => Some(What::Create),
                Some(held) if held.mask != row.mask => Some(What::Replace),
                Some(held) => {
                    let differs = changes(layout, false, held, settled, &mut self.changed);
                    let seen = known.confirmed && shown.is_some_and(|s| s == settled);
                    (differs || !seen || sticky).then_some(What::Update)
                }
            };
            if let Some(what) = what {
                known.priority = known.priority.saturating_add(grows.into());
                match what {
                    What::Update => {
                        write_update(layout, settled, &self.changed, &mut self.bits);
                    }
                    _ => write_create(layout, settled, &mut self.bits),
                }
                let candidate = Candidate {
                    id,
                    what,
                    from,
                    to: self.bits.aligned().len(),
                    sticky,
                    priority: known.priority,
                    chosen: false,
                };
                self.check_alone(&candidate)?;
                self.candidates.push(candidate);
            }
            self.next_known.push(known);
        }
        self.heaviest = heaviest;
        let (max, found) = (self.options.limits.max_entities, self.next_known.len());
        if found > max {
            let limit = Limit::Entities;
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        Ok(())
    }

    /// A candidate has to fit into a packet of its own.
    fn check_alone(&self, candidate: &Candidate) -> Result<(), SendError> {
        let limits = &self.options.limits;
        let alone = candidate.alone(Budget::new(self.options.budget, limits, 0));
        match alone.exceeded() {
            None => Ok(()),
            Some((Limit::PacketBytes, budget, needed)) if budget == self.options.budget => {
                Err(SendError::BudgetTooSmall {
                    entity: candidate.id,
                    needed,
                    budget,
                })
            }
            Some((limit, max, found)) => {
                Err(SendError::Encode(EncodeError::Limit { limit, max, found }))
            }
        }
    }

    /// Chooses what goes into the packet; how many candidates have to wait.
    fn choose(&mut self) -> usize {
        let held = self.acked.and_then(|tick| self.states.get(tick));
        let held = held.map_or(0, Snapshot::len);
        let limits = &self.options.limits;
        let mut budget = Budget::new(self.options.budget, limits, held);
        self.order.clear();
        self.order.extend(0..self.candidates.len());
        let candidates = &mut self.candidates;
        self.order.sort_unstable_by_key(|at| {
            candidates
                .get(*at)
                .map(|c| (!c.sticky, core::cmp::Reverse(c.priority), c.id))
        });
        // Destroys that are said again take the least, and whatever is back can be one of them.
        let again = |c: &Candidate| c.is_back() || c.sticky && c.what == What::Destroy;
        for candidate in candidates.iter_mut().filter(|candidate| again(candidate)) {
            candidate.chosen = budget.take(&[(Tag::Destroy, DESTROY_BYTES)], 0);
        }
        let mut waiting = 0;
        // Of those: creates that wait for an entity to go.
        let mut crowded = 0;
        for at in &self.order {
            let Some(candidate) = candidates.get_mut(*at) else {
                continue;
            };
            if candidate.chosen {
                if candidate.is_back() && !candidate.fit_for_destroy(&mut budget) {
                    candidate.what = What::Destroy;
                    waiting += 1;
                }
                continue;
            }
            // What comes or goes stays in each packet until it is acknowledged. Were it let in
            // before something that waits for room, that room might never come.
            // Only what goes makes room for what waits for an entity to go.
            let before = match candidate.what {
                What::Create => waiting,
                What::Destroy => waiting - crowded,
                What::Update | What::Replace => 0,
            };
            let blocked = before > 0 && !candidate.sticky;
            let no_room = candidate.what == What::Create && budget.is_crowded();
            candidate.chosen = !blocked && candidate.fit(&mut budget);
            if !candidate.chosen {
                waiting += 1;
                crowded += usize::from(no_room);
            }
        }
        waiting
    }

    /// The state the receiver will hold; what is known and shown goes along.
    fn build(&mut self, tick: u32) -> Snapshot {
        let mut state = self.states.take_spare();
        state.set_tick(tick);
        let mut names = self.spare_names.pop().unwrap_or_default();
        names.clear();
        self.next_shown.clear();
        for (count, body) in &mut self.bodies {
            *count = 0;
            body.clear();
        }
        let baseline = self.acked.and_then(|acked| self.states.get(acked));
        let bytes = self.bits.aligned();
        let (mut held_at, mut shown_at, mut target_at, mut gone_at) = (0, 0, 0, 0);
        let mut candidates = self.candidates.iter().copied().peekable();
        let mut last = self
            .states
            .latest()
            .map_or(&[][..], Snapshot::ids)
            .iter()
            .peekable();
        let mut absent = self
            .absent
            .iter()
            .filter(|(_, tick)| Some(*tick) > self.acked)
            .peekable();
        self.next_absent.clear();
        loop {
            let held = baseline.and_then(|baseline| baseline.row(held_at));
            let target = self.target.row(target_at);
            let ids = [held, target].map(|row| row.map(|row| row.id));
            let also = [last.peek().map(|id| **id), absent.peek().map(|(id, _)| *id)];
            let Some(id) = ids.into_iter().chain(also).flatten().min() else {
                break;
            };
            let in_last = last.next_if(|last| **last == id).is_some();
            let was_absent = absent.next_if(|(absent, _)| *absent == id);
            let held = held.filter(|row| row.id == id);
            let target = target.filter(|row| row.id == id);
            held_at += usize::from(held.is_some());
            let chosen = candidates
                .next_if(|candidate| candidate.id == id)
                .filter(|candidate| candidate.chosen);
            if let Some(candidate) = chosen {
                put(&mut self.bodies, bytes, &candidate);
            }
            let destroyed = chosen.is_some_and(|candidate| candidate.what == What::Destroy);
            let named = chosen.is_some() && !destroyed;
            if destroyed {
                gone_at += skip(self.next_gone.get(gone_at..), |gone| gone.id < id);
                let gone = self.next_gone.get_mut(gone_at);
                if let Some(gone) = gone.filter(|gone| gone.id == id) {
                    gone.priority = 0;
                }
            }
            let now = if named {
                target
            } else {
                held.filter(|_| !destroyed)
            };
            match now {
                Some(row) => {
                    state.push_row(row);
                    self.next_absent.extend(was_absent);
                }
                None if in_last || held.is_some() => self.next_absent.push((id, tick)),
                None => self.next_absent.extend(was_absent),
            }
            // A destroyed entity is gone from state and view alike: nothing to confirm.
            names.extend(named.then_some(id));
            let Some(target) = target else {
                continue;
            };
            shown_at += skip(self.shown.ids().get(shown_at..), |shown| *shown < id);
            let shown = self.shown.row(shown_at).filter(|shown| shown.id == id);
            if let Some(known) = self.next_known.get_mut(target_at) {
                if named {
                    known.priority = 0;
                }
                if named && shown != Some(target) {
                    known.since = tick;
                    known.confirmed = false;
                }
            }
            if let Some(row) = named.then_some(target).or(shown) {
                self.next_shown.push_row(row);
            }
            target_at += 1;
        }
        self.named.push_back((tick, names));
        mem::swap(&mut self.known, &mut self.next_known);
        mem::swap(&mut self.shown, &mut self.next_shown);
        mem::swap(&mut self.gone, &mut self.next_gone);
        mem::swap(&mut self.absent, &mut self.next_absent);
        state
    }

    fn write(&self, schema: &Schema, tick: u32, packet: &mut Vec<u8>) {
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        for tag in [Tag::Destroy, Tag::Create, Tag::Update] {
            if let Some((count @ 1.., body)) = self.bodies.get(tag as usize - 1) {
                push_section(packet, tag, *count, body);
            }
        }
        Header {
            kind: match self.acked {
                None => Kind::Full,
                Some(baseline) => Kind::Delta { baseline },
            },
            schema_hash: schema.hash(),
            tick,
        }
        .write(packet);
    }

    fn remember(&mut self, tick: u32, state: Snapshot) {
        self.last_tick = tick;
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.acked);
        }
        // The tick is newer than all: looked at before.
        let _ = self.states.push(state);
        if self.named.len() > self.states.capacity() {
            let oldest = self.named.pop_front();
            self.spare_names.extend(oldest.map(|(_, names)| names));
        }
    }

    /// Takes what the receiver says. False if it tells nothing new: an ack of something never
    /// sent, or no longer remembered; a request that was answered already.
    pub fn feedback(&mut self, feedback: &Feedback) -> bool {
        match *feedback {
            Feedback::NeedFull { baseline } => {
                let asked = self.acked == Some(baseline);
                if asked {
                    self.resync();
                }
                asked
            }
            Feedback::Ack { tick, earlier } => {
                for tick in Feedback::ticks(tick, earlier) {
                    self.confirm(tick);
                }
                let newer = self.acked.is_none_or(|acked| acked < tick);
                let held = newer && self.states.get(tick).is_some();
                if held {
                    self.acked = Some(tick);
                    self.states.drop_before(tick);
                }
                held
            }
        }
    }

    /// The packet of this tick arrived: so did what it named.
    fn confirm(&mut self, tick: u32) {
        let Ok(at) = self.named.binary_search_by_key(&tick, |(tick, _)| *tick) else {
            return;
        };
        let Some((_, names)) = self.named.get_mut(at) else {
            return;
        };
        let mut at = 0;
        for id in names.drain(..) {
            at += skip(self.known.get(at..), |known| known.id < id);
            if let Some(known) = self.known.get_mut(at)
                && known.id == id
                && known.since <= tick
            {
                known.confirmed = true;
            }
        }
    }

    /// Starts anew: packets are full snapshots until one is acknowledged. For a receiver that
    /// asks for it by other means than [`Feedback::NeedFull`].
    pub fn resync(&mut self) {
        self.acked = None;
        self.states.clear();
        self.spare_names
            .extend(self.named.drain(..).map(|(_, names)| names));
        self.known.clear();
        self.shown.clear();
        self.gone.clear();
        self.absent.clear();
    }
}

/// How many at the front are passed.
fn skip<T>(rest: Option<&[T]>, pass: impl Fn(&T) -> bool) -> usize {
    rest.unwrap_or_default()
        .iter()
        .take_while(|item| pass(item))
        .count()
}
