//! The slip that an edit of a log stands for.

use super::edit::Edit;
use super::window::Window;
use crate::divergence::{CommandAt, Slip, Target};
use crate::payload::Payload;
use crate::simulation::Simulation;
use crate::text::CommandText;

/// Returns the slip that an edit stands for.
pub(super) fn slip<S: Simulation>(window: &Window, simulation: &S, edit: &Edit) -> Option<Slip> {
    let (index, tick) = (|place| window.index(place), |place| window.tick(place));
    let command = |frame: usize, at: usize| {
        let command = window.commands(frame).iter().nth(at)?;
        Some(CommandAt {
            frame: index(frame),
            tick: tick(frame),
            command: at as u32,
            text: CommandText::of(&command),
        })
    };
    Some(match *edit {
        Edit::Drop {
            frame,
            command: which,
        } => Slip::Dropped(command(frame, which)?),
        Edit::Double {
            frame,
            command: which,
            into,
        } => Slip::Doubled {
            command: command(frame, which)?,
            again: tick(into),
        },
        Edit::Move {
            frame,
            command: which,
            to,
            ..
        } => Slip::Moved {
            command: command(frame, which)?,
            to: tick(to),
        },
        Edit::Swap {
            frame,
            command: which,
            with,
        } => Slip::Swapped {
            one: command(frame, which)?,
            other: command(frame, with)?,
        },
        Edit::SwapTicks { frame } => Slip::Swapped {
            one: command(frame, window.commands(frame).len().checked_sub(1)?)?,
            other: command(frame + 1, 0)?,
        },
        Edit::Take { frame, taken } => Slip::Cut {
            frame: index(frame),
            tick: tick(frame),
            taken: taken as u32,
            of: window.commands(frame).len() as u32,
        },
        Edit::Aim {
            frame,
            command: which,
            field,
            element,
            ..
        } => Slip::Aimed {
            command: command(frame, which)?,
            at: Target::of(simulation, field, element),
        },
        Edit::Give {
            frame,
            command: which,
            value: wrote,
        } => {
            let stored = window.commands(frame).iter().nth(which)?;
            let Ok(Payload::SetField { value: says, .. }) = stored.payload() else {
                return None;
            };
            Slip::OtherValue {
                command: command(frame, which)?,
                says,
                wrote,
            }
        }
        Edit::Insert { frame, ticks } => Slip::Missing {
            before: tick(frame),
            ticks: ticks as u32,
        },
        Edit::Remove { frame } => Slip::Repeated {
            frame: index(frame),
            tick: tick(frame),
        },
        Edit::Exchange { frame } => Slip::Exchanged {
            frame: index(frame),
            tick: tick(frame),
        },
    })
}
