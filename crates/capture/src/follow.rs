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
    mut replay: Replay,
    from: Option<u32>,
    behind: impl FnOnce() -> Option<Error>,
    mut visit: impl FnMut(
        &Packet<'_>,
        Option<&Snapshot>,
        &Snapshot,
    ) -> Result<ControlFlow<()>, tape::Error>,
) -> Result<Option<Error>, tape::Error> {
    let mut before: Option<Snapshot> = None;
    let mut problem = None;
    let mut skipped_to = from;
    loop {
        let packet = match cursor.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(problem.or_else(behind)),
            Err(error) => return Ok(problem.or(Some(fault(error)?.into()))),
        };
        if skipped_to.is_some() {
            if packet.role == Role::Delta || packet.tick() != skipped_to {
                continue;
            }
            skipped_to = None;
        }
        let applied = if packet.role == Role::Added {
            // It says what the stream says, unless that could not be followed.
            replay.apply_added(&packet).map(|_| ())
        } else {
            replay.apply(&packet).map(|_| ())
        };
        if let Err(error) = applied {
            problem.get_or_insert(error);
            if before.is_some() {
                return Ok(problem);
            }
            continue;
        }
        let Some(state) = replay.state() else {
            continue;
        };
        if visit(&packet, before.as_ref(), state)?.is_break() {
            return Ok(None);
        }
        match &mut before {
            Some(before) => before.clone_from(state),
            None => before = Some(state.clone()),
        }
    }
}
