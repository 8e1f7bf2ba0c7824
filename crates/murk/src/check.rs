//! Checks of commands that need no simulation: which commands are never applied.

use crate::command::Command;
use crate::payload::Payload;

/// A world's check of a command before it is submitted. Feature `engine` has an implementation for
/// Murk's own worlds.
pub trait CommandCheck {
    /// Returns why the command is never applied at this tick; `None` if it is. The tick is the
    /// engine's own count, which starts with 1.
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection>;

    /// Returns the number of commands that the engine takes in one tick.
    fn queue_limit(&self) -> u64 {
        MAX_INGRESS_QUEUE
    }
}

/// The number of commands that Murk's engine takes in a tick, unless it is configured otherwise.
pub const MAX_INGRESS_QUEUE: u64 = 1024;

/// Why a command is never applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// It expired before the tick it was submitted at.
    Expired,
    /// The engine does not apply commands of this kind.
    Unsupported,
    /// The coordinate is not a cell of the world.
    Outside,
    /// The world has no field of this number.
    UnknownField,
    /// The field never changes.
    StaticField,
    /// A propagator writes the field after the commands, in each tick.
    Overwritten,
}

/// The rules that hold in every world of Murk's lockstep engine, for recordings without a world.
#[derive(Clone, Copy, Default, Debug)]
pub struct AnyWorld;

impl CommandCheck for AnyWorld {
    #[inline]
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection> {
        if command.envelope.expires_after_tick < engine_tick {
            return Some(Rejection::Expired);
        }
        match command.payload() {
            Ok(Payload::SetField { .. }) | Err(_) => None,
            Ok(_) => Some(Rejection::Unsupported),
        }
    }
}
