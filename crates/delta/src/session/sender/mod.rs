//! The sending side of a session.

use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Hash;

use self::flights::{Flight, Flights, arrived, lost};
use self::rate::Rate;
use self::scan::Scan;
use super::audience::Relevance;
use super::grid::{Area, Grid, Near};
use super::known::Known;
use super::model::{Feedback, Mode, REACH, SendError, SenderOptions, Sent, Totals};
use super::world::World;
use crate::decode::body::check_schema;
use crate::error::EncodeError;
use crate::limits::Limit;
use crate::rule::Rule;
use crate::schema::Schema;
use crate::wire::{HEADER_BYTES, Header, Kind};

mod flights;
mod groups;
mod pack;
mod rate;
mod scan;

pub use self::rate::Estimates;

/// After so many packets without any acknowledgement, the session begins again: the receiver may
/// have come later.
const PATIENCE: u32 = 96;

/// Sends a [`World`] to one receiver.
///
/// It keeps no states: of each entity that the receiver may have, only the tick that was
/// acknowledged, the tick under way, and since when it waits.
///
/// ```
/// use gametape_delta::{Codec, Component, Field, Receiver, Schema, Sender, Snapshot, Value, World};
///
/// let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
/// let mut world = World::new(&schema); // one for all receivers
/// let (mut sender, mut receiver) = (Sender::new(&schema), Receiver::new(&schema));
/// let mut state = Snapshot::new(&schema, 0);
/// let mut packet = Vec::new();
/// for tick in 1..=10 {
///     state.set_tick(tick);
///     state.entry(7).set(1, &[Value::UInt(tick.into())])?;
///     world.update(&state)?;
///     sender.encode(&mut world, &mut packet)?;
///     if tick % 3 != 0 { // The network loses every third packet.
///         let received = receiver.apply(&packet)?;
///         sender.feedback(&received.ack);
///     }
/// }
/// assert!(receiver.view().same_entities(&state));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sender {
    schema: Schema,
    options: SenderOptions,
    /// The entities that the receiver may have or should have, ascending by id.
    known: Vec<Known>,
    /// The groups of these entities, by id.
    groups: Vec<(u32, u32)>,
    flights: Flights,
    /// The tick whose state is [`Known::acked`]. After a full snapshot it is that one's at once:
    /// what follows can only arrive if the snapshot has.
    baseline: Option<u32>,
    /// Whether the receiver has acknowledged something since the last full snapshot.
    is_confirmed: bool,
    last_tick: u32,
    /// The number of packets since the last full snapshot that were sent before the first
    /// acknowledgement.
    unanswered: u32,
    /// The largest weight in the last packet.
    heaviest: u32,
    /// The tick of the last packet that only kept the session alive.
    kept_alive: u32,
    rate: Rate,
    totals: Totals,
}

impl Sender {
    /// Creates a sender with default options.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self::with_options(schema, SenderOptions::default())
    }

    /// Creates a sender.
    #[must_use]
    pub fn with_options(schema: &Schema, options: SenderOptions) -> Self {
        Self {
            schema: schema.clone(),
            options,
            known: Vec::new(),
            groups: Vec::new(),
            flights: Flights::default(),
            baseline: None,
            is_confirmed: false,
            last_tick: 0,
            unanswered: 0,
            heaviest: 1,
            kept_alive: 0,
            rate: Rate::new(&options),
            totals: Totals::default(),
        }
    }

    /// Returns what acknowledgements say of the network.
    #[must_use]
    pub fn estimates(&self) -> Estimates {
        self.rate.estimates(&self.options)
    }

    /// Returns the numbers of packets, bytes and entities so far. [`Sizes`](crate::Sizes) has the
    /// bytes of each component.
    #[must_use]
    pub const fn totals(&self) -> Totals {
        self.totals
    }

    /// Changes the budget, for example when the network is congested. If the budget follows the loss
    /// of packets, this is the largest one.
    pub const fn set_budget(&mut self, budget: usize) {
        self.options.budget = budget;
    }

    /// Returns the options.
    #[must_use]
    pub const fn options(&self) -> SenderOptions {
        self.options
    }

    /// Returns the newest acknowledged tick; `None` before the first acknowledgement, and after the
    /// session was restarted.
    #[must_use]
    pub fn baseline(&self) -> Option<u32> {
        self.baseline.filter(|_| self.is_confirmed)
    }

    /// Writes the packet for the world's tick to `packet`, replacing the content. The receiver may
    /// see all entities, and all have the same weight.
    pub fn encode(&mut self, world: &mut World, packet: &mut Vec<u8>) -> Result<Sent, SendError> {
        self.encode_visible(world, |_| 1_u32, packet)
    }

    /// Writes the packet for the world's tick to `packet`, replacing the content. `relevance` returns
    /// how much an entity matters to the receiver, as a weight or a [`Relevance`]: the longer a change
    /// waits and the larger its weight, the sooner it is sent. With weight 0 the receiver may not see
    /// the entity.
    pub fn encode_visible<R: Into<Relevance>>(
        &mut self,
        world: &mut World,
        relevance: impl FnMut(u32) -> R,
        packet: &mut Vec<u8>,
    ) -> Result<Sent, SendError> {
        self.encode_with(world, packet, |scan, known, world| {
            scan.entities(known, world, relevance);
        })
    }

    /// Like [`encode_visible`](Self::encode_visible), for the entities in an area: those that came as
    /// near as it says, and those without a position. Others are not visible, and `relevance` is not
    /// asked for them. The grid must be [updated](Grid::update) after the world.
    pub fn encode_near<R: Into<Relevance>>(
        &mut self,
        world: &mut World,
        grid: &Grid,
        area: &Area,
        relevance: impl FnMut(Near) -> R,
        packet: &mut Vec<u8>,
    ) -> Result<Sent, SendError> {
        self.check_schema(grid.schema())?;
        grid.check(world, area)?;
        self.encode_with(world, packet, |scan, known, world| {
            scan.near(known, world, (grid, area), relevance);
        })
    }

    fn encode_with(
        &mut self,
        world: &mut World,
        packet: &mut Vec<u8>,
        find: impl FnOnce(&mut Scan<'_>, &[Known], &World),
    ) -> Result<Sent, SendError> {
        self.check(world)?;
        let tick = world.tick();
        let restarts = !self.is_confirmed && self.unanswered >= PATIENCE;
        if !restarts && self.is_stalled(tick) {
            self.last_tick = tick;
            self.unanswered = self.unanswered.saturating_add(1);
            let sent = self.keep_alive(packet);
            self.count(&sent);
            return Ok(sent);
        }
        let mut scratch = mem::take(&mut world.scratch);
        let mut scan = Scan {
            scratch: &mut scratch,
            tick,
            mode: self.options.mode,
            heaviest: 1,
            before: self.heaviest,
            visible: 0,
            held: 0,
        };
        let again: Vec<Known>;
        let mut known = &self.known;
        if restarts {
            again = known.iter().map(Known::again).collect();
            known = &again;
        }
        find(&mut scan, known, world);
        let (heaviest, held, visible) = (scan.heaviest, scan.held, scan.visible);
        let max = self.options.limits.max_entities;
        if visible > max {
            world.scratch = scratch;
            let (limit, found) = (Limit::Entities, visible);
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        if restarts {
            self.resync();
        }
        self.heaviest = heaviest;
        self.unanswered = self.unanswered.saturating_add(1);
        groups::collect(world, &self.groups, &mut scratch, self.options.mode);
        let sent = self.pack(world, &mut scratch, held, packet);
        keep(&mut self.known, &mut scratch.known);
        keep(&mut self.groups, &mut scratch.groups);
        world.scratch = scratch;
        self.last_tick = tick;
        self.count(&sent);
        Ok(sent)
    }

    const fn count(&mut self, sent: &Sent) {
        self.totals.packets += 1;
        self.totals.bytes += sent.bytes as u64;
    }

    /// The fate of the packet of a tick is known.
    fn verdict(&mut self, tick: u32, is_lost: bool) {
        self.totals.lost += u64::from(is_lost);
        self.rate.verdict(tick, is_lost);
    }

    fn check_schema(&self, schema: &Schema) -> Result<(), SendError> {
        if schema.hash() == self.schema.hash() {
            return Ok(());
        }
        Err(SendError::Encode(EncodeError::Schema {
            expected: Hash(self.schema.hash()),
            found: Hash(schema.hash()),
        }))
    }

    fn check(&self, world: &World) -> Result<(), SendError> {
        self.check_schema(world.schema())?;
        let limits = &self.options.limits;
        if let Err(Rule::Limit { limit, max, found }) = check_schema(self.schema.layout(), limits) {
            return Err(SendError::Encode(EncodeError::Limit { limit, max, found }));
        }
        let budget = self.rate.budget(&self.options);
        let budget = budget.min(limits.max_packet_bytes);
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

    /// Returns true if an acknowledgement of another packet might not reach back to the oldest one
    /// under way, or too many are under way.
    fn is_stalled(&self, tick: u32) -> bool {
        let is_far = |first: u32| {
            // One tick is left for the packet that keeps the session alive.
            self.options.mode == Mode::Merged && tick - first >= REACH
        };
        let first = self.flights.first();
        first.is_some_and(|first| self.flights.len() >= self.options.window.max(2) || is_far(first))
    }

    /// Returns the tick on which the next packet builds.
    fn tip(&self) -> Option<u32> {
        match self.options.mode {
            Mode::Merged => self.baseline,
            Mode::Strict => self.flights.last().or(self.baseline),
        }
    }

    /// Writes a packet without content. Whatever the receiver answers says which of the packets
    /// under way have arrived.
    fn keep_alive(&mut self, packet: &mut Vec<u8>) -> Sent {
        let repeated = self.flights.pop_empty();
        let baseline = self.tip();
        let last = self.flights.last().unwrap_or(self.last_tick);
        let tick = repeated.unwrap_or(last + 1);
        self.kept_alive = tick;
        self.flights.push(tick, (0, 0), [].into_iter());
        packet.clear();
        packet.extend_from_slice(&[0; HEADER_BYTES]);
        self.header(tick, baseline).write(packet);
        Sent {
            tick,
            baseline,
            bytes: packet.len(),
            named: 0,
            waiting: 0,
            held_back: None,
            stalled: true,
        }
    }

    fn header(&self, tick: u32, baseline: Option<u32>) -> Header {
        Header {
            kind: baseline.map_or(Kind::Full, |baseline| Kind::Delta { baseline }),
            schema_hash: self.schema.hash(),
            tick,
        }
    }

    /// Handles a message of the receiver. Returns true if the baseline changes: a newer state was
    /// acknowledged, or the receiver lacks a state on which packets build. Returns false for
    /// acknowledgements of states that are older or unknown, and for requests that were already
    /// answered.
    pub fn feedback(&mut self, feedback: &Feedback) -> bool {
        match *feedback {
            Feedback::NeedFull { baseline } => self.need(baseline),
            Feedback::Ack { tick, earlier } => self.ack(tick, earlier),
        }
    }

    fn need(&mut self, baseline: u32) -> bool {
        if self.baseline == Some(baseline) {
            self.resync();
            return true;
        }
        // A link of the chain was lost.
        let broken = self.options.mode == Mode::Strict && self.flights.has(baseline);
        if broken {
            self.verdict(baseline, true);
            self.rate.adapt(self.last_tick, &self.options);
        }
        if broken && self.is_confirmed {
            self.flights.clear();
            for known in &mut self.known {
                known.go_back();
            }
        } else if broken {
            self.resync();
        }
        broken
    }

    fn ack(&mut self, tick: u32, earlier: u64) -> bool {
        if self.baseline == Some(tick) {
            let is_first = !mem::replace(&mut self.is_confirmed, true);
            if is_first {
                self.rate.took(self.last_tick.saturating_sub(tick));
            }
            return is_first;
        }
        if !self.flights.has(tick) {
            return false;
        }
        let has = |other: u32| match tick - other {
            0 => true,
            back @ 1..=REACH => earlier >> (back - 1) & 1 == 1,
            _ => false,
        };
        let is_strict = self.options.mode == Mode::Strict;
        if let Some(baseline) = self.baseline
            && !is_strict
            && tick.saturating_sub(baseline) <= REACH
            && !has(baseline)
        {
            // It had this state once: it was restarted, and took a packet of before.
            self.resync();
            return true;
        }
        while let Some(flight) = self.flights.pop_until(tick) {
            // A strict receiver that has a packet has all on which it builds.
            let is_lost = !is_strict && !has(flight.tick);
            if is_lost {
                lost(&mut self.known, &flight);
            } else {
                arrived(&mut self.known, &flight);
            }
            self.verdict(flight.tick, is_lost);
            self.flights.give_back(flight);
        }
        if tick != self.kept_alive {
            self.rate.took(self.last_tick.saturating_sub(tick));
        }
        self.rate.adapt(self.last_tick, &self.options);
        self.baseline = Some(tick);
        self.is_confirmed = true;
        true
    }

    /// Restarts the session: the next packet is a full snapshot. Use it if a receiver asks for this
    /// by other means than [`Feedback::NeedFull`].
    pub fn resync(&mut self) {
        self.flights.clear();
        // An entity that was near stays near.
        self.known.retain(|known| known.shown);
        self.known
            .iter_mut()
            .for_each(|known| *known = known.again());
        self.groups.clear();
        self.baseline = None;
        self.is_confirmed = false;
        self.unanswered = 0;
    }

    /// Returns the bytes of memory that this sender takes beside itself. They depend on the number of
    /// entities and on the options, and not on how long a receiver is silent:
    /// [`SenderOptions::max_memory`] has the bound.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.known.capacity() * size_of::<Known>()
            + self.groups.capacity() * size_of::<(u32, u32)>()
            + self.flights.memory()
    }
}

impl SenderOptions {
    /// Returns the most bytes of memory that a sender with these options takes beside itself, for a
    /// receiver that sees, or has not yet destroyed, so many entities at once. So many receivers fit
    /// into the memory of a server, whatever their networks do:
    ///
    /// ```
    /// # use gametape_delta::SenderOptions;
    /// let options = SenderOptions { window: 32, ..SenderOptions::default() };
    /// let receivers = 64_000_000 / options.max_memory(1000);
    /// assert_eq!(receivers, 434);
    /// ```
    ///
    /// A sender of a fixed budget takes much less if its packets are small, or few are under way:
    /// [`Sender::memory`](crate::Sender::memory) has what it takes now. If the budget was changed, the
    /// largest one counts. A number that does not fit is `usize::MAX`.
    #[must_use]
    pub const fn max_memory(&self, entities: usize) -> usize {
        // Lists have up to twice the room that they need. An id takes 4 bytes of a packet, or more.
        let entity = size_of::<Known>() + size_of::<(u32, u32)>();
        let ids = self.budget / 4;
        let ids = if entities < ids { entities } else { ids };
        let flight = ids.saturating_mul(size_of::<u32>());
        let flight = flight.saturating_add(size_of::<Flight>() + size_of::<Vec<u32>>());
        let known = entities.saturating_add(4).saturating_mul(2 * entity);
        let flights = self.window.saturating_add(4).saturating_mul(2);
        known.saturating_add(flights.saturating_mul(flight))
    }
}

/// Takes a list out of the shared memory. Lists are exchanged if the other one is of a like size;
/// otherwise a sender of few entities would come to hold the memory of one of many.
pub(crate) fn keep<T: Copy>(own: &mut Vec<T>, list: &mut Vec<T>) {
    if list.capacity() <= 2 * list.len() {
        mem::swap(own, list);
    } else {
        own.clear();
        own.extend_from_slice(list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_does_not_fit_is_the_largest_number() {
        let options = SenderOptions::default();
        assert_eq!(options.max_memory(usize::MAX), usize::MAX);
        let options = SenderOptions {
            window: usize::MAX,
            budget: usize::MAX,
            ..options
        };
        assert_eq!(options.max_memory(9), usize::MAX);
    }
}
