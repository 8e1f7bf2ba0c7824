//! The receiving side of a session.

mod chain;
mod merge;

use alloc::boxed::Box;
use alloc::vec::Vec;

use gametape_core::text::Grouped;

use self::chain::Chain;
use self::merge::Merged;
use super::feedback::Feedback;
use super::options::{Mode, ReceiverOptions};
use crate::apply::Decoder;
use crate::baseline::Baselines;
use crate::limits::ReadOptions;
use crate::rule::Error;
use crate::schema::Schema;
use crate::snapshot::Snapshot;
use crate::wire::{Header, Kind};

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
    /// Whether the packet was applied; false if it was not newer than the packets before and was
    /// ignored.
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
    /// The entities that the packet creates or updates. Kept to reuse its memory.
    named: Vec<u32>,
}

/// The view of the receiver, beside its states.
#[derive(Clone, Debug)]
enum Shows {
    Merged(Merged),
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
                Mode::Merged => Shows::Merged(Merged::new(schema)),
                Mode::Strict => Shows::Chain(Box::new(Chain::new(schema))),
            },
            named: Vec::new(),
        }
    }

    /// Applies a packet, completely or not at all.
    ///
    /// A packet that is not newer than the newest one is ignored; this is not an error.
    pub fn apply(&mut self, packet: &[u8]) -> Result<Received, ReceiveError> {
        let header = self.decoder.header(packet).map_err(ReceiveError::Packet)?;
        let latest = self.states.latest().map(Snapshot::tick);
        if let Some(tick) = latest.filter(|latest| header.tick <= *latest) {
            let earlier = self.earlier;
            return Ok(Received {
                ack: Feedback::Ack { tick, earlier },
                fresh: false,
            });
        }
        let mut state = self.states.take_spare();
        if let Err(error) = self.take(header, packet, &mut state) {
            self.states.give_back(state);
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
            fresh: true,
        })
    }

    /// Makes the state of the packet's tick, and shows it.
    fn take(
        &mut self,
        header: Header,
        packet: &[u8],
        state: &mut Snapshot,
    ) -> Result<(), ReceiveError> {
        let Kind::Delta { baseline } = header.kind else {
            self.decoder
                .full(packet, state)
                .map_err(ReceiveError::Packet)?;
            match &mut self.shows {
                Shows::Merged(merged) => {
                    // A full snapshot begins again.
                    self.states.clear();
                    merged.begin(state);
                }
                Shows::Chain(chain) => {
                    self.named.clear();
                    self.named.extend_from_slice(state.ids());
                    chain.see(state, None, &self.named);
                }
            }
            return Ok(());
        };
        let Some(held) = self.states.get(baseline) else {
            return Err(ReceiveError::NeedFull {
                tick: header.tick,
                baseline,
            });
        };
        self.named.clear();
        let (named, decoder) = (&mut self.named, &self.decoder);
        let mut decode = |state: &mut Snapshot| {
            decoder
                .delta_naming(held, packet, state, |id| named.push(id))
                .map_err(ReceiveError::Packet)?;
            // An entity that was created and then updated is named twice.
            named.sort_unstable();
            named.dedup();
            Ok(())
        };
        match &mut self.shows {
            Shows::Merged(merged) => {
                decode(&mut merged.decoded)?;
                let newest = self.states.latest().unwrap_or(held);
                merged
                    .merge(held, newest, &self.named, decoder.limits, state)
                    .map_err(ReceiveError::Packet)
            }
            Shows::Chain(chain) => {
                decode(state)?;
                chain.see(state, Some(held), &self.named);
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
            // The newest merged state is the view.
            Shows::Merged(merged) => self.states.latest().unwrap_or(&merged.decoded),
            Shows::Chain(chain) => &chain.view,
        }
    }

    /// Returns the tick of the values that [`view`](Self::view) shows for an entity.
    #[must_use]
    pub fn tick_of(&self, entity: u32) -> Option<u32> {
        let at = self.view().rows.find(entity).ok()?;
        let ticks = match &self.shows {
            Shows::Merged(merged) => &merged.ticks,
            Shows::Chain(chain) => &chain.view_ticks,
        };
        ticks.get(at).copied()
    }

    /// Returns the state of the newest packet, on which later packets may build. In merged mode it
    /// is the view; in strict mode it is the baseline with the changes of the packet.
    #[must_use]
    pub fn state(&self) -> Option<&Snapshot> {
        self.states.latest()
    }

    /// Removes all states: the next delta causes a request for a full snapshot.
    ///
    /// The sender does not know about the reset until [`ReceiveError::NeedFull`] reaches it.
    /// Packets that were sent before and are still on their way should not be applied. A transport
    /// that reconnects excludes them anyway.
    pub fn reset(&mut self) {
        self.states.clear();
        self.pinned = None;
        self.earlier = 0;
        match &mut self.shows {
            Shows::Merged(merged) => merged.clear(),
            Shows::Chain(chain) => chain.clear(),
        }
    }
}
