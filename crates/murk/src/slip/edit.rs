//! Changes of a log, the ticks that follow from them, and the slips that they stand for.

use super::window::Window;
use crate::divergence::{CommandAt, Slip, Target};
use crate::layout::encode::CommandBuf;
use crate::model::command::{Command, Commands};
use crate::model::payload::CommandText;
use crate::model::payload::Payload;
use crate::simulation::Simulation;

/// A single change of the log. Frames are numbered by their places in the window, commands by their
/// places in the frame.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Edit {
    /// A command is left out.
    Drop { frame: usize, command: usize },
    /// A command is taken a second time, at the end of a tick.
    Double {
        frame: usize,
        command: usize,
        into: usize,
    },
    /// A command is taken at another tick, before or after the commands there.
    Move {
        frame: usize,
        command: usize,
        to: usize,
        first: bool,
    },
    /// A command and a later one of the same tick are swapped.
    Swap {
        frame: usize,
        command: usize,
        with: usize,
    },
    /// The last command of a tick and the first of the next one are swapped.
    SwapTicks { frame: usize },
    /// Only the first commands of a tick are taken.
    Take { frame: usize, taken: usize },
    /// A command writes to another place.
    Aim {
        frame: usize,
        command: usize,
        field: u32,
        element: usize,
        coord: Vec<i32>,
    },
    /// A command writes another value.
    Give {
        frame: usize,
        command: usize,
        value: f32,
    },
    /// Ticks without commands come before a frame.
    Insert { frame: usize, ticks: usize },
    /// A frame is left out.
    Remove { frame: usize },
    /// A frame and the one after it are swapped.
    Exchange { frame: usize },
}

/// A tick of a changed log.
pub(super) struct EditedTick {
    pub tick: u64,
    pub commands: CommandBuf,
    /// The recorded hash that it must lead to.
    pub expects: Option<usize>,
}

/// The ticks that an edit changes.
pub(super) struct Script {
    /// The replay is unchanged before this place.
    pub from: usize,
    pub steps: Vec<EditedTick>,
    /// The place where the recorded frames continue.
    pub then: usize,
}

impl Script {
    /// Returns true if as many ticks are made as were recorded, and the last one is unchanged. A
    /// candidate that explains all their hashes is then in the recorded state. (Two exchanged
    /// frames end with the state of the first one.)
    pub fn keeps_count(&self) -> bool {
        let is_last = |step: &EditedTick| step.expects.is_some_and(|place| place + 1 == self.then);
        self.steps.len() == self.then - self.from && self.steps.last().is_some_and(is_last)
    }
}

/// Returns the commands without one, with others before or after them.
fn without(
    commands: Commands<'_>,
    left_out: Option<usize>,
    before: Option<&Command<'_>>,
    after: Option<&Command<'_>>,
) -> Option<CommandBuf> {
    let mut buffer = CommandBuf::new();
    let kept = commands
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != left_out)
        .map(|(_, command)| command);
    for command in before
        .copied()
        .into_iter()
        .chain(kept)
        .chain(after.copied())
    {
        buffer.push_stored(&command).ok()?;
    }
    Some(buffer)
}

/// Returns the commands, each changed by `change`.
fn each<'c>(
    commands: Commands<'c>,
    mut change: impl FnMut(usize, Command<'c>, &mut CommandBuf) -> Option<()>,
) -> Option<CommandBuf> {
    let mut buffer = CommandBuf::new();
    for (at, command) in commands.iter().enumerate() {
        change(at, command, &mut buffer)?;
    }
    Some(buffer)
}

/// Returns a command that sets a value, with another field, cell or value.
pub(crate) fn set(
    command: &Command<'_>,
    aim: Option<(u32, &[i32])>,
    given: Option<f32>,
) -> Option<CommandBuf> {
    let Ok(Payload::SetField {
        coord,
        field,
        value,
    }) = command.payload()
    else {
        return None;
    };
    let (field, coord) = aim.map_or((field, coord), |(field, coord)| (field, coord.into()));
    let payload = Payload::SetField {
        coord,
        field,
        value: given.unwrap_or(value),
    };
    let mut one = CommandBuf::new();
    one.push(&command.envelope, &payload).ok()?;
    Some(one)
}

impl Edit {
    /// Returns the command of an edit that equals dropping the command, unless the edit has an
    /// effect of its own; there are countless edits without one. The last number is the place from
    /// which on the effect is visible.
    pub fn needs_effect(&self) -> Option<(usize, usize, usize)> {
        match *self {
            Self::Aim { frame, command, .. } | Self::Give { frame, command, .. } => {
                Some((frame, command, frame))
            }
            Self::Move {
                frame, command, to, ..
            } if frame.abs_diff(to) > 1 => Some((frame, command, to.max(frame))),
            _ => None,
        }
    }

    /// Returns the ticks of the changed log; `None` if the edit changes nothing or is not possible.
    pub fn script(&self, window: &Window) -> Option<Script> {
        match self {
            Self::Insert { frame, ticks } => Some(Script {
                from: *frame,
                steps: (0..*ticks)
                    .map(|_| EditedTick {
                        tick: window.tick(*frame),
                        commands: CommandBuf::new(),
                        expects: None,
                    })
                    .collect(),
                then: *frame,
            }),
            Self::Remove { frame } => Some(Script {
                from: *frame,
                steps: Vec::new(),
                then: frame + 1,
            }),
            Self::Exchange { frame } => {
                let step = |place| {
                    let frame = window.frame(place)?;
                    let mut commands = CommandBuf::new();
                    commands.assign(frame.commands());
                    Some(EditedTick {
                        tick: frame.tick,
                        commands,
                        expects: Some(place),
                    })
                };
                Some(Script {
                    from: *frame,
                    steps: vec![step(frame + 1)?, step(*frame)?],
                    then: frame + 2,
                })
            }
            _ => self.edited(window),
        }
    }

    /// Returns the ticks of an edit that changes the commands of frames, but not the number or the
    /// order of frames.
    fn edited(&self, window: &Window) -> Option<Script> {
        let changed = self.changed(window)?;
        let from = changed.iter().map(|(place, _)| *place).min()?;
        let then = changed.iter().map(|(place, _)| *place).max()? + 1;
        let mut steps = Vec::with_capacity(then - from);
        for place in from..then {
            let frame = window.frame(place)?;
            let changed = changed.iter().find(|(at, _)| *at == place);
            let commands = if let Some((_, commands)) = changed {
                commands.clone()
            } else {
                let mut commands = CommandBuf::new();
                commands.assign(frame.commands());
                commands
            };
            steps.push(EditedTick {
                tick: frame.tick,
                commands,
                expects: Some(place),
            });
        }
        Some(Script { from, steps, then })
    }

    /// Returns the changed frames with their commands.
    fn changed(&self, window: &Window) -> Option<Vec<(usize, CommandBuf)>> {
        let all = |place: usize| window.commands(place);
        let command = |place: usize, at: usize| all(place).iter().nth(at);
        Some(match *self {
            Self::Drop { frame, command } => {
                vec![(frame, without(all(frame), Some(command), None, None)?)]
            }
            Self::Double {
                frame,
                command: at,
                into,
            } => {
                let again = command(frame, at)?;
                vec![(into, without(all(into), None, None, Some(&again))?)]
            }
            Self::Move {
                frame,
                command: at,
                to,
                first,
            } => {
                let moved = command(frame, at)?;
                let (before, after) = if first {
                    (Some(&moved), None)
                } else {
                    (None, Some(&moved))
                };
                window.frame(to)?;
                vec![
                    (frame, without(all(frame), Some(at), None, None)?),
                    (to, without(all(to), None, before, after)?),
                ]
            }
            Self::Swap {
                frame,
                command: at,
                with,
            } => {
                let (one, other) = (command(frame, at)?, command(frame, with)?);
                if one == other {
                    return None;
                }
                let swapped = each(all(frame), |place, command, out| {
                    let command = match place {
                        _ if place == at => other,
                        _ if place == with => one,
                        _ => command,
                    };
                    out.push_stored(&command).ok()
                })?;
                vec![(frame, swapped)]
            }
            Self::SwapTicks { frame } => {
                let last = all(frame).len().checked_sub(1)?;
                let (one, other) = (command(frame, last)?, command(frame + 1, 0)?);
                if one == other {
                    return None;
                }
                vec![
                    (frame, without(all(frame), Some(last), None, Some(&other))?),
                    (
                        frame + 1,
                        without(all(frame + 1), Some(0), Some(&one), None)?,
                    ),
                ]
            }
            Self::Take { frame, taken } => {
                let mut buffer = CommandBuf::new();
                for command in all(frame).iter().take(taken) {
                    buffer.push_stored(&command).ok()?;
                }
                vec![(frame, buffer)]
            }
            Self::Aim {
                frame,
                command: at,
                field,
                ref coord,
                ..
            } => vec![(frame, replaced(all(frame), at, Some((field, coord)), None)?)],
            Self::Give {
                frame,
                command: at,
                value,
            } => vec![(frame, replaced(all(frame), at, None, Some(value))?)],
            Self::Insert { .. } | Self::Remove { .. } | Self::Exchange { .. } => return None,
        })
    }
}

/// Returns the commands, one of which sets another value.
fn replaced(
    commands: Commands<'_>,
    which: usize,
    aim: Option<(u32, &[i32])>,
    given: Option<f32>,
) -> Option<CommandBuf> {
    each(commands, |at, command, out| {
        if at != which {
            return out.push_stored(&command).ok();
        }
        let one = set(&command, aim, given)?;
        let command = one.as_commands().iter().next()?;
        out.push_stored(&command).ok()
    })
}

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
