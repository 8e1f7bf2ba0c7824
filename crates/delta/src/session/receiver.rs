//! The receiving side of a session.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use gametape_core::text::Grouped;

use super::feedback::Feedback;
use super::lane::Lane;
use super::options::DEFAULT_WINDOW;
use crate::apply::Decoder;
use crate::baseline::Baselines;
use crate::limits::{Limits, ReadOptions};
use crate::rule::Error;
use crate::schema::Schema;
use crate::snapshot::Snapshot;
use crate::wire::Kind;

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

/// Receives the packets of one [`Sender`](crate::Sender), or of any source that codes deltas
/// against acknowledged states.
#[derive(Clone, Debug)]
pub struct Receiver {
    decoder: Decoder,
    states: Baselines,
    /// For each of these states, the ticks of its entities' values.
    ticks: VecDeque<(u32, Vec<u32>)>,
    spare_ticks: Vec<Vec<u32>>,
    /// The baseline of the last delta, which the sender may continue to use.
    pinned: Option<u32>,
    /// The applied ticks before the newest one: bit i is for tick - 1 - i.
    earlier: u64,
    view: Snapshot,
    /// The ticks of the values in the view, one for each entity.
    view_ticks: Vec<u32>,
    // Kept to reuse their memory.
    named: Vec<u32>,
    next_view: Snapshot,
    next_view_ticks: Vec<u32>,
}

impl Receiver {
    /// Creates a receiver that keeps [`DEFAULT_WINDOW`] states and has default limits.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self::with_window(schema, DEFAULT_WINDOW, Limits::DEFAULT)
    }

    /// Creates a receiver that keeps `window` states. If it keeps at least as many as its sender,
    /// it only needs a full snapshot at the start.
    #[must_use]
    pub fn with_window(schema: &Schema, window: usize, limits: Limits) -> Self {
        Self {
            decoder: Decoder::with_options(schema, ReadOptions::strict().limits(limits)),
            states: Baselines::new(schema, window.max(2)),
            ticks: VecDeque::new(),
            spare_ticks: Vec::new(),
            pinned: None,
            earlier: 0,
            view: Snapshot::new(schema, 0),
            view_ticks: Vec::new(),
            named: Vec::new(),
            next_view: Snapshot::new(schema, 0),
            next_view_ticks: Vec::new(),
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
        self.named.clear();
        let named = &mut self.named;
        let result = match header.kind {
            Kind::Full => self
                .decoder
                .full(packet, &mut state)
                .map_err(ReceiveError::Packet),
            Kind::Delta { baseline } => match self.states.get(baseline) {
                Some(held) => self
                    .decoder
                    .delta_naming(held, packet, &mut state, |id| named.push(id))
                    .map_err(ReceiveError::Packet),
                None => Err(ReceiveError::NeedFull {
                    tick: header.tick,
                    baseline,
                }),
            },
        };
        if let Err(error) = result {
            self.states.give_back(state);
            return Err(error);
        }
        if header.kind == Kind::Full {
            self.named.extend_from_slice(state.ids());
        } else {
            // An entity that was created and then updated is named twice.
            self.named.sort_unstable();
            self.named.dedup();
        }
        self.see(&state, header.baseline());
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

    /// Updates the view. For each entity of the state, it takes the newest values: those of the
    /// packet, else those of the previous view, else those of the baseline.
    fn see(&mut self, state: &Snapshot, baseline: Option<u32>) {
        let tick = state.tick();
        self.next_view.clear();
        self.next_view.set_tick(tick);
        self.next_view_ticks.clear();
        let mut ticks = self.spare_ticks.pop().unwrap_or_default();
        ticks.clear();
        let held = baseline.and_then(|baseline| {
            let as_of = self.ticks.iter().find(|(tick, _)| *tick == baseline);
            Some((self.states.get(baseline)?.ids(), as_of?.1.as_slice()))
        });
        let (held_ids, held_as_of) = held.unwrap_or_default();
        let mut held = Lane::new(held_ids.iter().zip(held_as_of));
        let mut named = Lane::new(&self.named);
        let mut seen = Lane::new(self.view.rows.ids().iter().zip(0..));
        for row in state.rows.iter() {
            let is_named = named.at(row.id).is_some();
            // An entity that the packet does not name has the values of the baseline.
            let held_as_of = held.at(row.id).filter(|_| !is_named);
            let as_of = held_as_of.map_or(tick, |(_, as_of)| *as_of);
            ticks.push(as_of);
            let seen = seen.at(row.id).filter(|_| !is_named);
            let seen = seen.and_then(|(_, at)| {
                let as_of = self.view_ticks.get(at)?;
                Some((self.view.rows.get(at)?, *as_of))
            });
            let (row, as_of) = seen.unwrap_or((row, as_of));
            self.next_view.rows.push(row);
            self.next_view_ticks.push(as_of);
        }
        self.ticks.push_back((tick, ticks));
        mem::swap(&mut self.view, &mut self.next_view);
        mem::swap(&mut self.view_ticks, &mut self.next_view_ticks);
    }

    fn keep(&mut self, state: Snapshot, baseline: Option<u32>) {
        if let Some(baseline) = baseline {
            // A sender's baselines only move forward, so older states are not used again.
            self.states.drop_before(baseline);
        }
        self.pinned = baseline;
        if self.states.len() == self.states.capacity() {
            self.states.drop_oldest_but(self.pinned);
        }
        // The tick is newer than all others, which was checked before.
        let _ = self.states.push(state);
        let (states, spare) = (&self.states, &mut self.spare_ticks);
        self.ticks.retain_mut(|(tick, ticks)| {
            let held = states.get(*tick).is_some();
            if !held {
                spare.push(mem::take(ticks));
            }
            held
        });
    }

    /// Returns the view: the newest values that have arrived for each entity, with the tick of the
    /// newest packet.
    #[must_use]
    pub const fn view(&self) -> &Snapshot {
        &self.view
    }

    /// Returns the tick of the values that [`view`](Self::view) shows for an entity.
    #[must_use]
    pub fn tick_of(&self, entity: u32) -> Option<u32> {
        let at = self.view.rows.find(entity).ok()?;
        self.view_ticks.get(at).copied()
    }

    /// Returns the state of the newest packet, as the wire defines it: the baseline with the
    /// changes of the packet.
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
        self.view.clear();
        self.view_ticks.clear();
        self.spare_ticks
            .extend(self.ticks.drain(..).map(|(_, ticks)| ticks));
    }
}
