//! The states of a recording, one after the other.

use std::ops::ControlFlow;

use gametape_core::tape;
use gametape_delta::Snapshot;

use crate::cursor::Cursor;
use crate::layout::Role;
use crate::packet::Packet;
use crate::replay::Replay;
use crate::rule::{Error, fault};

/// Follows packets, and gives each state that one of them leads to with the state before it, until it is
/// told to stop. It ends where the stream can't be followed any more: what held in what is lost, nobody
/// knows; before the first state there is nothing to be lost. Gives what is wrong as far as it came;
/// `behind` is what is wrong behind the last packet.
///
/// With a tick it begins with the full snapshot of that tick.
pub(crate) fn follow(
    mut cursor: Cursor<'_>,
    replay: Replay,
    from: Option<u32>,
    behind: impl FnOnce() -> Option<Error>,
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
            Ok(None) => return Ok(steps.problem.or_else(behind)),
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

/// The states that packets lead to.
pub(crate) struct Steps {
    replay: Replay,
    before: Option<Snapshot>,
    /// What was wrong first.
    pub problem: Option<Error>,
    /// The stream can't be followed any more.
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

    /// Whether a packet builds on a state that is held no more.
    pub fn is_forgotten(&self, packet: &Packet<'_>) -> bool {
        self.replay.may_have_held(packet)
    }

    /// Gives the state that a packet leads to, with the state before it. Breaks where the stream can't be
    /// followed any more, and where it is told to.
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
            // It says what the stream says, unless that could not be followed.
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
