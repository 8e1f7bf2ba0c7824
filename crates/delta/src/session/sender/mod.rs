//! The sending side of a session.

mod build;
mod choose;
mod draft;
mod history;
mod look;
mod memory;

use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Hash;

use self::draft::Draft;
use self::history::History;
use self::memory::Memory;
use super::feedback::Feedback;
use super::options::{SendError, SenderOptions, Sent};
use crate::body::check_schema;
use crate::error::EncodeError;
use crate::rule::Rule;
use crate::schema::Schema;
use crate::snapshot::Snapshot;
use crate::wire::{HEADER_BYTES, Header, Kind};

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
    history: History,
    memory: Memory,
    draft: Draft,
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
            history: History::new(schema, options.window.max(2)),
            memory: Memory::new(schema),
            draft: Draft::new(schema),
        }
    }

    /// Changes the budget, for example when the network is congested.
    pub const fn set_budget(&mut self, budget: usize) {
        self.options.budget = budget;
    }

    /// Returns the acknowledged tick that is the baseline of the next packet; `None` if that will
    /// be a full snapshot.
    #[must_use]
    pub const fn baseline(&self) -> Option<u32> {
        self.history.acked()
    }

    /// Writes the packet for this state to `packet`, replacing the content. The receiver may see
    /// all entities, and all have the same weight.
    pub fn encode(&mut self, world: &Snapshot, packet: &mut Vec<u8>) -> Result<Sent, SendError> {
        self.encode_visible(world, |_| 1, packet)
    }

    /// Writes the packet for this state to `packet`, replacing the content. `weight` returns how
    /// important an entity is to the receiver: its priority grows by that much with each packet for
    /// which it waits. With weight 0 the receiver may not see the entity.
    pub fn encode_visible(
        &mut self,
        world: &Snapshot,
        mut weight: impl FnMut(u32) -> u32,
        packet: &mut Vec<u8>,
    ) -> Result<Sent, SendError> {
        self.check(world)?;
        let Self {
            options,
            history,
            memory,
            draft,
            ..
        } = self;
        draft.look(world, history, memory, options, &mut weight)?;
        let waiting = draft.choose(history.baseline().len(), options);
        let tick = world.tick();
        let baseline = history.acked();
        let (state, names) = draft.build(tick, history, memory);
        let header = Header {
            kind: baseline.map_or(Kind::Full, |baseline| Kind::Delta { baseline }),
            schema_hash: self.schema.hash(),
            tick,
        };
        draft.write(header, packet);
        let named = names.len();
        history.push(state, names);
        mem::swap(memory, &mut draft.next);
        Ok(Sent {
            tick,
            baseline,
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
            tick if tick <= self.history.last_tick() => Err(SendError::TickOrder {
                tick,
                last: self.history.last_tick(),
            }),
            _ => Ok(()),
        }
    }

    /// Handles a message of the receiver. Returns true if the baseline changes: a newer state was
    /// acknowledged, or the receiver lacks the current baseline. Returns false for acknowledgements
    /// of states that are older, unknown or no longer kept, and for requests that were already
    /// answered.
    pub fn feedback(&mut self, feedback: &Feedback) -> bool {
        match *feedback {
            Feedback::NeedFull { baseline } => {
                let asked = self.baseline() == Some(baseline);
                if asked {
                    self.resync();
                }
                asked
            }
            Feedback::Ack { tick, earlier } => {
                for tick in Feedback::ticks(tick, earlier) {
                    self.memory.confirm(tick, self.history.take_names(tick));
                }
                self.history.ack(tick)
            }
        }
    }

    /// Restarts the session: packets are full snapshots until one is acknowledged. Use it if a
    /// receiver asks for this by other means than [`Feedback::NeedFull`].
    pub fn resync(&mut self) {
        self.history.clear();
        self.memory.clear();
    }
}
