//! What can be told of commands without simulating: which are never applied.

use crate::command::Command;
use crate::payload::Payload;

/// What a world says of commands before they are submitted to it. Feature `engine` has one for
/// Murk's own worlds.
pub trait CommandCheck {
    /// Why the command is never applied at this tick of the engine's own count (which starts with
    /// 1); `None` if it is.
    fn check(&self, command: &Command<'_>, engine_tick: u64) -> Option<Rejection>;

    /// How many commands of one tick the engine takes.
    fn queue_limit(&self) -> u64 {
        MAX_INGRESS_QUEUE
    }
}

/// What Murk's engine takes in a tick, unless it is configured otherwise.
pub const MAX_INGRESS_QUEUE: u64 = 1024;

/// Why a command is never applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// It expired before the tick it was submitted at.
    Expired,
    /// A kind that the engine does not apply.
    Unsupported,
    /// The coordinate is no cell of the world.
    Outside,
    /// The world has not so many fields.
    UnknownField,
    /// The field never changes.
    StaticField,
    /// Something of the world's own writes the field after the commands, in each tick.
    Overwritten,
}

/// The semantics that every world of Murk's lockstep engine has: for recordings without a world.
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
