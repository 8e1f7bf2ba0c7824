//! Changes of a log, and the ticks that they lead to.

use super::window::Window;
use crate::command::{Command, Commands};
use crate::command_buf::CommandBuf;
use crate::payload::Payload;

/// One thing that is done to the log. Frames are places in the window, commands are places in
/// their frame.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Edit {
    /// A command is left out.
    Drop { frame: usize, command: usize },
    /// A command is taken again, at the end of a tick.
    Double {
        frame: usize,
        command: usize,
        into: usize,
    },
    /// A command is taken at another tick, before the others there or behind them.
    Move {
        frame: usize,
        command: usize,
        to: usize,
        first: bool,
    },
    /// A command and a later one of the same tick are taken in each other's place.
    Swap {
        frame: usize,
        command: usize,
        with: usize,
    },
    /// The last command of a tick and the first of the next one are taken in each other's place.
    SwapTicks { frame: usize },
    /// Only the first commands of a tick are taken.
    Take { frame: usize, taken: usize },
    /// A command writes elsewhere.
    Aim {
        frame: usize,
        command: usize,
        field: u32,
        element: usize,
        coord: Vec<i32>,
    },
    /// A command writes something else.
    Give {
        frame: usize,
        command: usize,
        value: f32,
    },
    /// Ticks without commands come before a frame.
    Insert { frame: usize, ticks: usize },
    /// A frame is left out.
    Remove { frame: usize },
    /// A frame and the one behind it stand in each other's place.
    Exchange { frame: usize },
}

/// A tick of a changed log.
pub(super) struct Step {
    pub tick: u64,
    pub commands: CommandBuf,
    /// Which recorded hash it has to lead to.
    pub expects: Option<usize>,
}

/// The ticks that an edit changes.
pub(super) struct Script {
    /// The place before which the replay is as recorded.
    pub from: usize,
    pub steps: Vec<Step>,
    /// Where the recorded frames go on.
    pub then: usize,
}

impl Script {
    /// True where as many ticks are made as were recorded, and the last one is the last that was: what
    /// leads to all their hashes is then where the recording was. (Two frames that were exchanged end
    /// with the first one's state.)
    pub fn keeps_count(&self) -> bool {
        let is_last = |step: &Step| step.expects.is_some_and(|place| place + 1 == self.then);
        self.steps.len() == self.then - self.from && self.steps.last().is_some_and(is_last)
    }
}

/// The commands without one, with more before or behind them.
fn without(
    commands: Commands<'_>,
    left_out: Option<usize>,
    before: Option<&Command<'_>>,
    behind: Option<&Command<'_>>,
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
        .chain(behind.copied())
    {
        buffer.push_stored(&command).ok()?;
    }
    Some(buffer)
}

/// The commands, each as `change` makes it.
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

/// A command that sets a value, with another field, cell or value.
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
    /// The command that it is of, where it is the same as dropping that unless it has an effect of its
    /// own: there is no end to what has none. With the place from which that shows.
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

    /// The ticks that it leads to; `None` where it changes nothing, or can't be.
    pub fn script(&self, window: &Window) -> Option<Script> {
        match self {
            Self::Insert { frame, ticks } => Some(Script {
                from: *frame,
                steps: (0..*ticks)
                    .map(|_| Step {
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
                    let held = window.frame(place)?;
                    let mut commands = CommandBuf::new();
                    commands.assign(held.commands());
                    Some(Step {
                        tick: held.tick,
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

    /// Of edits that change the commands of frames, and neither their number nor their order.
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
            steps.push(Step {
                tick: frame.tick,
                commands,
                expects: Some(place),
            });
        }
        Some(Script { from, steps, then })
    }

    /// The frames that it changes, with their commands.
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
                let (before, behind) = if first {
                    (Some(&moved), None)
                } else {
                    (None, Some(&moved))
                };
                window.frame(to)?;
                vec![
                    (frame, without(all(frame), Some(at), None, None)?),
                    (to, without(all(to), None, before, behind)?),
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

/// The commands, one of which sets something else.
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
