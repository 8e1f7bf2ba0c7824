//! The receiving side of a session.

use alloc::boxed::Box;
use alloc::vec::Vec;

use gametape_core::text::Grouped;

use self::chain::Chain;
use self::events::Names;
use self::merge::Merged;
use super::model::{Feedback, Mode, ReceiverOptions};
use crate::decode::Decoder;
use crate::limits::ReadOptions;
use crate::rule::Error;
use crate::schema::Schema;
use crate::snapshot::{Baselines, Snapshot};
use crate::wire::{Header, Kind, Tag};

mod chain;
mod events;
mod merge;

pub(super) use self::events::note;
pub use self::events::{Confirmed, ViewEvent};

/// Why a packet was not applied. The receiver is unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiveError {
    /// The packet breaks a rule of the wire.
    #[error("{0}")]
    Packet(Error),
    /// The receiver does not have the baseline of the packet. [`feedback`](Self::feedback) returns
    /// a request for a full snapshot.
    #[error("tick {} builds on tick {}, which is not held: a full snapshot is needed", Grouped((*.tick).into()), Grouped((*.baseline).into()))]
    NeedFull {
        /// The tick of the packet.
        tick: u32,
        /// The tick of the baseline.
        baseline: u32,
    },
}

impl ReceiveError {
    /// Returns the message to send back, if the sender can help.
    #[must_use]
    pub const fn feedback(&self) -> Option<Feedback> {
        match *self {
            Self::NeedFull { baseline, .. } => Some(Feedback::NeedFull { baseline }),
            Self::Packet(_) => None,
        }
    }
}

/// The result of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// The message to send back.
    pub ack: Feedback,
    /// The tick of the packet.
    pub tick: u32,
    /// The tick of the state on which it builds; `None` for a full snapshot.
    pub baseline: Option<u32>,
    /// Whether the packet is newer than all before; false if it was repeated or came late.
    pub fresh: bool,
}

/// Receives the packets of one [`Sender`](crate::Sender), or in [strict mode](Mode::Strict) of any
/// source that codes deltas against states that were acknowledged or sent before.
#[derive(Clone, Debug)]
pub struct Receiver {
    decoder: Decoder,
    /// The states on which packets may build.
    states: Baselines,
    /// The baseline of the last delta, which the sender may continue to use.
    pinned: Option<u32>,
    /// The applied ticks before the newest one: bit i is for tick - 1 - i.
    earlier: u64,
    shows: Shows,
    /// The entities of the last packet.
    names: Names,
    /// The changes of the view by the last packet.
    events: Vec<ViewEvent>,
}

/// The view of the receiver, beside its states.
#[derive(Clone, Debug)]
enum Shows {
    Merged(Box<Merged>),
    Chain(Box<Chain>),
}

impl Receiver {
    /// Creates a receiver with default options.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self::with_options(schema, ReceiverOptions::default())
    }

    /// Creates a receiver.
    #[must_use]
    pub fn with_options(schema: &Schema, options: ReceiverOptions) -> Self {
        let read = ReadOptions::strict().limits(options.limits);
        // The baseline, a whole window under way, and the packet that asks for an answer.
        let states = options.window.max(2).saturating_add(2);
        Self {
            decoder: Decoder::with_options(schema, read),
            states: Baselines::new(schema, states),
            pinned: None,
            earlier: 0,
            shows: match options.mode {
                Mode::Merged => Shows::Merged(Box::new(Merged::new(schema))),
                Mode::Strict => Shows::Chain(Box::new(Chain::new(schema))),
            },
            names: Names::default(),
            events: Vec::new(),
        }
    }

    /// Applies a packet, completely or not at all.
    ///
    /// A packet that is not newer than the newest one changes no state on which others build: its
    /// sender counts it as lost. In [merged mode](Mode::Merged), if it has updates alone, the view takes
    /// from it those that are newer than what it shows.
    pub fn apply(&mut self, packet: &[u8]) -> Result<Received, ReceiveError> {
        self.forget_last();
        let header = self.decoder.header(packet).map_err(ReceiveError::Packet)?;
        let latest = self.states.latest().map(Snapshot::tick);
        if let Some(tick) = latest.filter(|latest| header.tick <= *latest) {
            self.take_late(header, packet, tick)?;
            let earlier = self.earlier;
            return Ok(Received {
                ack: Feedback::Ack { tick, earlier },
                tick: header.tick,
                baseline: header.baseline(),
                fresh: false,
            });
        }
        let mut state = self.states.take_spare();
        if let Err(error) = self.take(header, packet, &mut state) {
            self.states.give_back(state);
            self.forget_last();
            return Err(error);
        }
        self.keep(state, header.baseline());
        self.earlier = match latest.map(|latest| header.tick - latest) {
            Some(step @ 1..64) => self.earlier << step | 1 << (step - 1),
            Some(64) => 1 << 63,
            _ => 0,
        };
        Ok(Received {
            ack: Feedback::Ack {
                tick: header.tick,
                earlier: self.earlier,
            },
            tick: header.tick,
            baseline: header.baseline(),
            fresh: true,
        })
    }

    fn forget_last(&mut self) {
        self.events.clear();
        self.names.clear();
    }

    /// Shows what is new in a packet that came late.
    fn take_late(
        &mut self,
        header: Header,
        packet: &[u8],
        latest: u32,
    ) -> Result<(), ReceiveError> {
        let back = latest - header.tick;
        let is_known = back == 0 || back > 64 || self.earlier >> (back - 1) & 1 == 1;
        let (Shows::Merged(merged), Kind::Delta { baseline }, false) =
            (&mut self.shows, header.kind, is_known)
        else {
            return Ok(());
        };
        let (Some(held), Some(newest)) = (self.states.get(baseline), self.states.latest()) else {
            return Ok(());
        };
        let names = &mut self.names;
        let decoded = decode(&self.decoder, held, packet, &mut merged.decoded, names);
        if decoded.is_err() {
            names.clear();
        }
        decoded?;
        if names.creates || !names.destroyed.is_empty() {
            names.clear();
            merged.decoded.clear();
            return Ok(());
        }
        merged.take_late(newest, names, &mut self.events);
        Ok(())
    }

    /// Makes the state of the packet's tick, and shows it.
    fn take(
        &mut self,
        header: Header,
        packet: &[u8],
        state: &mut Snapshot,
    ) -> Result<(), ReceiveError> {
        let (names, events, decoder) = (&mut self.names, &mut self.events, &self.decoder);
        let Kind::Delta { baseline } = header.kind else {
            decoder.full(packet, state).map_err(ReceiveError::Packet)?;
            names.named.extend_from_slice(state.ids());
            match &mut self.shows {
                Shows::Merged(merged) => {
                    merged.begin(self.states.latest(), state, events);
                    // A full snapshot begins again.
                    self.states.clear();
                }
                Shows::Chain(chain) => chain.see(state, None, names, events),
            }
            return Ok(());
        };
        let Some(held) = self.states.get(baseline) else {
            return Err(ReceiveError::NeedFull {
                tick: header.tick,
                baseline,
            });
        };
        match &mut self.shows {
            Shows::Merged(merged) => {
                decode(decoder, held, packet, &mut merged.decoded, names)?;
                let newest = self.states.latest().unwrap_or(held);
                merged
                    .merge((held, newest), names, decoder.limits, state, events)
                    .map_err(ReceiveError::Packet)
            }
            Shows::Chain(chain) => {
                decode(decoder, held, packet, state, names)?;
                chain.see(state, Some(held), names, events);
                Ok(())
            }
        }
    }

    fn keep(&mut self, state: Snapshot, baseline: Option<u32>) {
        if let (Shows::Merged(_), Some(baseline)) = (&self.shows, baseline) {
            // A sender's baselines only move forward, so older states are not used again.
            self.states.drop_before(baseline);
        }
        self.pinned = baseline;
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.pinned);
        }
        // The tick is newer than all others, which was checked before.
        let _ = self.states.push(state);
        if let Shows::Chain(chain) = &mut self.shows {
            chain.keep_those_of(&self.states);
        }
    }

    /// Returns the view: the newest values that have arrived for each entity, with the tick of the
    /// newest packet.
    #[must_use]
    pub fn view(&self) -> &Snapshot {
        match &self.shows {
            Shows::Merged(merged) => merged.view(self.states.latest()),
            Shows::Chain(chain) => &chain.view,
        }
    }

    /// Returns the changes of the view by the last call of [`apply`](Self::apply), by entity. After
    /// an error and after a repeated packet there are none.
    ///
    /// A full snapshot in the middle of a session is compared with the view before it, since it
    /// does not say what ended.
    ///
    /// ```
    /// use gametape_delta::{Codec, Component, Field, Receiver, Schema, Sender, Snapshot, Value, ViewEvent, World};
    ///
    /// let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
    /// let (mut world, mut sender) = (World::new(&schema), Sender::new(&schema));
    /// let mut receiver = Receiver::new(&schema);
    /// let mut state = Snapshot::new(&schema, 0);
    /// let mut packet = Vec::new();
    /// for hull in [100, 75] {
    ///     state.set_tick(state.tick() + 1);
    ///     state.entry(7).set(1, &[Value::UInt(hull)])?;
    ///     world.update(&state)?;
    ///     sender.encode(&mut world, &mut packet)?;
    ///     receiver.apply(&packet)?;
    ///     if hull == 100 {
    ///         assert_eq!(receiver.events(), [ViewEvent::Spawned { entity: 7 }]);
    ///     } else {
    ///         let hull = ViewEvent::Changed { entity: 7, component: 1, fields: 0b1 };
    ///         assert_eq!(receiver.events(), [hull]);
    ///     }
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn events(&self) -> &[ViewEvent] {
        &self.events
    }

    /// Returns the entities that the last packet named and that the view shows as it had them.
    pub(super) fn named(&self) -> &[u32] {
        &self.names.named
    }

    /// Returns how long entities that move waited for the update in the last packet, in ticks.
    pub(super) fn gaps(&self) -> &[u32] {
        &self.names.gaps
    }

    /// Returns the newest confirmed state of an entity in the view, and its ticks. A client that
    /// predicts compares this with its own prediction for that tick.
    #[must_use]
    pub fn confirmed(&self, entity: u32) -> Option<Confirmed<'_>> {
        let view = self.view();
        let place = view.rows.find(entity).ok()?;
        let seen = match &self.shows {
            Shows::Merged(merged) => merged.seen(place, entity),
            Shows::Chain(chain) => chain.seen(place),
        }?;
        Some(Confirmed {
            entity: view.entity(entity)?,
            at: seen.at,
            changed_at: seen.changed_at,
        })
    }

    /// Returns the state of the newest packet, on which later packets may build. In merged mode it
    /// is the view without what came late; in strict mode it is the baseline with the changes of
    /// the packet.
    #[must_use]
    pub fn state(&self) -> Option<&Snapshot> {
        self.states.latest()
    }

    /// Removes all states, without events: the next delta causes a request for a full snapshot.
    ///
    /// The sender does not know about the reset until [`ReceiveError::NeedFull`] reaches it.
    /// Packets that were sent before and are still on their way should not be applied. A transport
    /// that reconnects excludes them anyway.
    pub fn reset(&mut self) {
        self.states.clear();
        self.pinned = None;
        self.earlier = 0;
        self.forget_last();
        match &mut self.shows {
            Shows::Merged(merged) => merged.clear(),
            Shows::Chain(chain) => chain.clear(),
        }
    }
}

/// Decodes a delta, and notes the entities of its sections.
fn decode(
    decoder: &Decoder,
    held: &Snapshot,
    packet: &[u8],
    state: &mut Snapshot,
    names: &mut Names,
) -> Result<(), ReceiveError> {
    let result = decoder.delta_naming(held, packet, state, |tag, id| match tag {
        Tag::Destroy => names.destroyed.push(id),
        Tag::Create => {
            names.creates = true;
            names.named.push(id);
        }
        Tag::Update => names.named.push(id),
    });
    result.map_err(ReceiveError::Packet)?;
    // An entity that was created and then updated is named twice.
    names.named.sort_unstable();
    names.named.dedup();
    Ok(())
}
