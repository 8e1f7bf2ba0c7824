//! The side that sends states.

mod build;
mod feedback;
mod look;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use gametape_core::text::Hash;

use super::candidate::{Candidate, Gone, Known};
use super::options::{SendError, SenderOptions, Sent};
use crate::baseline::Baselines;
use crate::bits::BitWriter;
use crate::body::check_schema;
use crate::encode::Changed;
use crate::error::EncodeError;
use crate::rule::Rule;
use crate::schema::Schema;
use crate::snapshot::Snapshot;
use crate::wire::HEADER_BYTES;

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
                expected: Hash(self.schema.hash()),
                found: Hash(world.schema().hash()),
            }));
        }
        let limits = &self.options.limits;
        if let Err(Rule::Limit { limit, max, found }) = check_schema(self.schema.layout(), limits) {
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
}

/// How many at the front are passed.
fn skip<T>(rest: Option<&[T]>, pass: impl Fn(&T) -> bool) -> usize {
    rest.unwrap_or_default()
        .iter()
        .take_while(|item| pass(item))
        .count()
}
