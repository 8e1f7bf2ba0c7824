//! The states of a recording, one after the other.

use std::ops::ControlFlow;

use gametape_core::tape;
use gametape_delta::Snapshot;
use gametape_delta::wire::Header;

use crate::cursor::Cursor;
use crate::layout::Role;
use crate::packets::Packet;
use crate::replay::Replay;
use crate::rule::{Error, fault};

/// Follows packets and passes each resulting state to `visit`, together with the state before it,
/// until `visit` breaks. If `from` is given, it starts with the full snapshot of that tick.
///
/// It stops where the stream can no longer be followed, because the lost part may have changed
/// anything; before the first state there is nothing to lose. Returns the first problem on the way;
/// `at_end` returns a problem after the last packet.
pub(crate) fn follow(
    mut cursor: Cursor<'_>,
    replay: Replay,
    from: Option<u32>,
    at_end: impl FnOnce() -> Option<Error>,
    mut visit: impl FnMut(
        &Packet<'_>,
        Option<&Snapshot>,
        &Snapshot,
    ) -> Result<ControlFlow<()>, tape::Error>,
) -> Result<Option<Error>, tape::Error> {
    let mut steps = Steps::new(replay);
    let mut skipped_to = from;
    loop {
        let packet = match cursor.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(steps.problem.or_else(at_end)),
            Err(error) => return Ok(steps.problem.or(Some(fault(error)?.into()))),
        };
        if skipped_to.is_some() {
            if packet.role == Role::Delta || packet.tick() != skipped_to {
                continue;
            }
            skipped_to = None;
        }
        if steps.packet(&packet, &mut visit)?.is_break() {
            return Ok(if steps.is_lost { steps.problem } else { None });
        }
    }
}

/// Turns packets into states.
pub(crate) struct Steps {
    replay: Replay,
    before: Option<Snapshot>,
    /// The first problem.
    pub problem: Option<Error>,
    /// Whether the stream can no longer be followed.
    pub is_lost: bool,
}

impl Steps {
    pub const fn new(replay: Replay) -> Self {
        Self {
            replay,
            before: None,
            problem: None,
            is_lost: false,
        }
    }

    /// Whether there is a state.
    pub const fn has_state(&self) -> bool {
        self.before.is_some()
    }

    /// Whether a packet is a full snapshot, or builds on a state that is kept.
    pub fn can_apply(&self, packet: &Packet<'_>) -> bool {
        Header::read(packet.bytes).is_ok_and(|(header, _)| {
            let baseline = header.baseline();
            baseline.is_none_or(|baseline| self.replay.held(baseline).is_some())
        })
    }

    /// Whether a packet builds on a state that is no longer kept.
    pub fn is_forgotten(&self, packet: &Packet<'_>) -> bool {
        self.replay.may_have_held(packet)
    }

    /// Passes the state that results from a packet to `visit`, together with the state before it.
    /// Breaks if the stream can no longer be followed, or if `visit` breaks.
    pub fn packet(
        &mut self,
        packet: &Packet<'_>,
        visit: impl FnOnce(
            &Packet<'_>,
            Option<&Snapshot>,
            &Snapshot,
        ) -> Result<ControlFlow<()>, tape::Error>,
    ) -> Result<ControlFlow<()>, tape::Error> {
        let applied = if packet.role == Role::Added {
            // An added snapshot repeats the state of the stream, unless the stream could not be
            // followed.
            self.replay.apply_added(packet).map(|_| ())
        } else {
            self.replay.apply(packet).map(|_| ())
        };
        if let Err(error) = applied {
            self.problem.get_or_insert(error);
            self.is_lost = self.before.is_some();
            return Ok(if self.is_lost {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            });
        }
        let Some(state) = self.replay.state() else {
            return Ok(ControlFlow::Continue(()));
        };
        let flow = visit(packet, self.before.as_ref(), state)?;
        match &mut self.before {
            Some(before) => before.clone_from(state),
            None => self.before = Some(state.clone()),
        }
        Ok(flow)
    }
}
