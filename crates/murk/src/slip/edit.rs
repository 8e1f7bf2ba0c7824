//! Changes of a log, the ticks that follow from them, and the slips that they stand for.

use super::window::Window;
use crate::divergence::{CommandAt, Slip, Target};
use crate::layout::encode::CommandBuf;
use crate::model::command::{Command, Commands};
use crate::model::payload::{CommandText, Payload};
use crate::simulation::Simulation;

/// A command: the place of its frame in the window, and its own place in the frame.
pub(super) type CommandPlace = (usize, usize);

/// An element of a field, with the coordinate that a command needs to write it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct AimedCell {
    pub field: u32,
    pub element: usize,
    pub coord: Vec<i32>,
}

/// A single change of the log. Frames are numbered by their places in the window.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Edit {
    /// A command is left out.
    Drop(CommandPlace),
    /// A command is taken a second time, at the end of the tick of this frame.
    Double(CommandPlace, usize),
    /// A command is taken in the tick of this frame instead; if true, before the commands there, else after
    /// them.
    Move(CommandPlace, usize, bool),
    /// A command and a later one of the same tick, at this place, are swapped.
    Swap(CommandPlace, usize),
    /// The last command of a tick and the first of the next one are swapped.
    SwapTicks(usize),
    /// Only this many commands of a tick are taken.
    Take(usize, usize),
    /// A command writes to another place.
    Aim(CommandPlace, AimedCell),
    /// A command writes another value.
    Give(CommandPlace, f32),
    /// This many ticks without commands come before a frame.
    Insert(usize, usize),
    /// A frame is left out.
    Remove(usize),
    /// A frame and the one after it are swapped.
    Exchange(usize),
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

impl EditedTick {
    /// Returns the tick of a frame as it is recorded.
    fn recorded(window: &Window, place: usize) -> Option<Self> {
        let frame = window.frame(place)?;
        let mut commands = CommandBuf::new();
        commands.assign(frame.commands());
        Some(Self {
            tick: frame.tick,
            commands,
            expects: Some(place),
        })
    }
}

/// Returns a copy of some commands.
pub(crate) fn stored<'c>(commands: impl IntoIterator<Item = Command<'c>>) -> Option<CommandBuf> {
    let mut buffer = CommandBuf::new();
    for command in commands {
        buffer.push_stored(&command).ok()?;
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
            Self::Aim((frame, command), _) | Self::Give((frame, command), _) => {
                Some((frame, command, frame))
            }
            Self::Move((frame, command), to, _) if frame.abs_diff(to) > 1 => {
                Some((frame, command, to.max(frame)))
            }
            _ => None,
        }
    }

    /// Returns the ticks of the changed log; `None` if the edit changes nothing or is not possible.
    pub fn script(&self, window: &Window) -> Option<Script> {
        let (from, steps, then) = match *self {
            Self::Insert(frame, ticks) => {
                let tick = || EditedTick {
                    tick: window.tick(frame),
                    commands: CommandBuf::new(),
                    expects: None,
                };
                (frame, (0..ticks).map(|_| tick()).collect(), frame)
            }
            Self::Remove(frame) => (frame, Vec::new(), frame + 1),
            Self::Exchange(frame) => {
                let step = |place| EditedTick::recorded(window, place);
                (frame, vec![step(frame + 1)?, step(frame)?], frame + 2)
            }
            _ => {
                let changed = self.changed(window)?;
                let places = || changed.iter().map(|(place, _)| *place);
                let (from, then) = (places().min()?, places().max()? + 1);
                let steps = (from..then).map(|place| {
                    let recorded = EditedTick::recorded(window, place)?;
                    let changed = changed.iter().find(|(at, _)| *at == place);
                    Some(match changed {
                        Some((_, commands)) => EditedTick {
                            commands: commands.clone(),
                            ..recorded
                        },
                        None => recorded,
                    })
                });
                (from, steps.collect::<Option<_>>()?, then)
            }
        };
        Some(Script { from, steps, then })
    }

    /// Returns the frames whose commands are changed, with these. The number and the order of frames stay the
    /// same.
    fn changed(&self, window: &Window) -> Option<Vec<(usize, CommandBuf)>> {
        let all = |frame: usize| window.commands(frame).iter();
        let get = |(frame, at): CommandPlace| all(frame).nth(at);
        let without = |(frame, at): CommandPlace| {
            let others = all(frame).enumerate();
            let others = others.filter(move |(place, _)| *place != at);
            others.map(|(_, command)| command)
        };
        Some(match *self {
            Self::Drop(place) => vec![(place.0, stored(without(place))?)],
            Self::Double(place, into) => {
                let again = get(place)?;
                vec![(into, stored(all(into).chain([again]))?)]
            }
            Self::Move(place, to, first) => {
                let moved = get(place)?;
                window.frame(to)?;
                let (before, after) = (first.then_some(moved), (!first).then_some(moved));
                let there = before.into_iter().chain(all(to)).chain(after);
                vec![(place.0, stored(without(place))?), (to, stored(there)?)]
            }
            Self::Swap((frame, at), with) => {
                let (one, other) = (get((frame, at))?, get((frame, with))?);
                if one == other {
                    return None;
                }
                let swapped = all(frame).enumerate().map(|(place, command)| match place {
                    _ if place == at => other,
                    _ if place == with => one,
                    _ => command,
                });
                vec![(frame, stored(swapped)?)]
            }
            Self::SwapTicks(frame) => {
                let last = (frame, window.commands(frame).len().checked_sub(1)?);
                let next = (frame + 1, 0);
                let (one, other) = (get(last)?, get(next)?);
                if one == other {
                    return None;
                }
                let earlier = stored(without(last).chain([other]))?;
                let later = stored([one].into_iter().chain(without(next)))?;
                vec![(frame, earlier), (frame + 1, later)]
            }
            Self::Take(frame, taken) => vec![(frame, stored(all(frame).take(taken))?)],
            Self::Aim((frame, at), ref cell) => {
                let aim = Some((cell.field, &*cell.coord));
                let commands = window.commands(frame);
                vec![(frame, replaced(commands, at, aim, None)?)]
            }
            Self::Give((frame, at), value) => {
                let commands = window.commands(frame);
                vec![(frame, replaced(commands, at, None, Some(value))?)]
            }
            Self::Insert(..) | Self::Remove(_) | Self::Exchange(_) => return None,
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
    let one = set(&commands.iter().nth(which)?, aim, given)?;
    let changed = one.as_commands().iter().next()?;
    let commands = commands.iter().enumerate();
    stored(commands.map(|(at, command)| if at == which { changed } else { command }))
}

/// Returns the slip that an edit stands for.
pub(super) fn slip<S: Simulation>(window: &Window, simulation: &S, edit: &Edit) -> Option<Slip> {
    let (index, tick) = (|place| window.index(place), |place| window.tick(place));
    let command = |(frame, at): CommandPlace| {
        let command = window.commands(frame).iter().nth(at)?;
        Some(CommandAt {
            frame: index(frame),
            tick: tick(frame),
            command: at as u32,
            text: CommandText::of(&command),
        })
    };
    Some(match *edit {
        Edit::Drop(place) => Slip::Dropped(command(place)?),
        Edit::Double(place, into) => Slip::Doubled {
            command: command(place)?,
            again: tick(into),
        },
        Edit::Move(place, to, _) => Slip::Moved {
            command: command(place)?,
            to: tick(to),
        },
        Edit::Swap(place, with) => Slip::Swapped {
            one: command(place)?,
            other: command((place.0, with))?,
        },
        Edit::SwapTicks(frame) => Slip::Swapped {
            one: command((frame, window.commands(frame).len().checked_sub(1)?))?,
            other: command((frame + 1, 0))?,
        },
        Edit::Take(frame, taken) => Slip::Cut {
            frame: index(frame),
            tick: tick(frame),
            taken: taken as u32,
            of: window.commands(frame).len() as u32,
        },
        Edit::Aim(place, ref cell) => Slip::Aimed {
            command: command(place)?,
            at: Target::of(simulation, cell.field, cell.element),
        },
        Edit::Give(place, wrote) => {
            let stored = window.commands(place.0).iter().nth(place.1)?;
            let Ok(Payload::SetField { value: says, .. }) = stored.payload() else {
                return None;
            };
            Slip::OtherValue {
                command: command(place)?,
                says,
                wrote,
            }
        }
        Edit::Insert(frame, ticks) => Slip::Missing {
            before: tick(frame),
            ticks: ticks as u32,
        },
        Edit::Remove(frame) => Slip::Repeated {
            frame: index(frame),
            tick: tick(frame),
        },
        Edit::Exchange(frame) => Slip::Exchanged {
            frame: index(frame),
            tick: tick(frame),
        },
    })
}
