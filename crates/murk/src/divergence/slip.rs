//! What can have gone wrong once, and how it is said.

use std::fmt;

use gametape_core::text::Grouped;
use gametape_core::{Datum, ToDatum};

use super::difference::Difference;
use crate::command_text::CommandText;
use crate::simulation::{Location, Simulation};
use crate::value::Value;

/// A command of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandAt {
    /// The frame, from 0.
    pub frame: u64,
    /// The `tick_id` of that frame.
    pub tick: u64,
    /// The command's place in the frame, from 0.
    pub command: u32,
    /// What it asks for.
    pub text: CommandText,
}

/// A value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The field's number, from 0.
    pub field: u32,
    /// Its name, where the simulation knows it.
    pub field_name: Option<String>,
    /// The value's place in the field.
    pub element: usize,
    /// The cell, where the simulation knows it.
    pub location: Option<Location>,
}

impl Target {
    pub(crate) fn of<S: Simulation + ?Sized>(simulation: &S, field: u32, element: usize) -> Self {
        Self {
            field,
            field_name: simulation.field_name(field).map(str::to_owned),
            element,
            location: simulation.locate(field, element),
        }
    }
}

/// One thing that went wrong when a recording was made, or is wrong in it.
///
/// All of them speak of the simulation that was recorded, as if the log were right. "It did not take
/// this command" is as well "the log has a command too many"; only who was there can say which.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Slip {
    /// The recorded hash is damaged in so many bits, and the state was the replay's. (Several values that
    /// last for a tick only can have been others, too: of many bits that can't be told.)
    Hash {
        /// How many bits of it differ.
        bits: u32,
        /// The lowest of them, from 0.
        bit: u32,
    },
    /// The command was not taken, or took no effect.
    Dropped(CommandAt),
    /// The command was taken a second time, at the end of a tick.
    Doubled {
        /// Which.
        command: CommandAt,
        /// The tick in which it was taken again.
        again: u64,
    },
    /// The command was taken at another tick.
    Moved {
        /// Which.
        command: CommandAt,
        /// The tick in which it was taken.
        to: u64,
    },
    /// Two commands were taken in each other's place.
    Swapped {
        /// The earlier one.
        one: CommandAt,
        /// The later one.
        other: CommandAt,
    },
    /// Only the first commands of a tick were taken: the queue was full, or the rest was lost. (Where
    /// but one is missing it is [`Dropped`](Self::Dropped).)
    Cut {
        /// The frame, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
        /// Commands that were taken.
        taken: u32,
        /// Commands that the log has.
        of: u32,
    },
    /// The command wrote another value than the one it names: another cell, or another field.
    Aimed {
        /// Which.
        command: CommandAt,
        /// What it wrote.
        at: Target,
    },
    /// The command wrote something else.
    Given {
        /// Which.
        command: CommandAt,
        /// What it says.
        says: f32,
        /// What it wrote.
        wrote: f32,
    },
    /// Ticks without commands were made and not recorded.
    Missing {
        /// The tick before which they were made.
        before: u64,
        /// How many.
        ticks: u32,
    },
    /// The frame is recorded twice.
    Repeated {
        /// The second one, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
    },
    /// Two frames stand in each other's place.
    Exchanged {
        /// The first of them, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
    },
    /// One parameter of the world was another.
    Parameter {
        /// Which, as the world's description has it: `dt`, `propagator 0 (wave_propagation), damping`.
        key: String,
        /// What the world has, as its description spells it.
        now: String,
        /// What the recorded simulation had.
        then: String,
    },
    /// Two propagators ran in each other's place.
    Order {
        /// The earlier one's number and kind: `0 (emission)`.
        one: String,
        /// The later one's.
        other: String,
    },
    /// This value became another by itself: nothing in the log writes it so.
    Value {
        /// Which.
        value: Difference,
        /// False where it was so in this tick's hash alone: behind it the replay is right again.
        lasts: bool,
    },
}

impl Slip {
    /// The kind, in a word or two.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Hash { .. } => "hash",
            Self::Dropped(_) => "dropped",
            Self::Doubled { .. } => "doubled",
            Self::Moved { .. } => "moved",
            Self::Swapped { .. } => "swapped",
            Self::Cut { .. } => "cut",
            Self::Aimed { .. } => "aimed",
            Self::Given { .. } => "given",
            Self::Missing { .. } => "missing-ticks",
            Self::Repeated { .. } => "repeated-frame",
            Self::Exchanged { .. } => "exchanged-frames",
            Self::Parameter { .. } => "parameter",
            Self::Order { .. } => "order",
            Self::Value { .. } => "value",
        }
    }

    /// The command, where it is of one.
    #[must_use]
    pub const fn command(&self) -> Option<&CommandAt> {
        match self {
            Self::Dropped(command)
            | Self::Doubled { command, .. }
            | Self::Moved { command, .. }
            | Self::Swapped { one: command, .. }
            | Self::Aimed { command, .. }
            | Self::Given { command, .. } => Some(command),
            _ => None,
        }
    }

    /// True where frames were left out, doubled or exchanged: the replay has the recorded states at other ticks.
    pub(crate) const fn is_of_frames(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. } | Self::Repeated { .. } | Self::Exchanged { .. }
        )
    }

    /// How much it leaves open: of two that explain the same, the one that leaves less open is the
    /// simpler one.
    pub(crate) const fn freedom(&self) -> u8 {
        match self {
            Self::Hash { bits: 1, .. } => 0,
            Self::Repeated { .. } | Self::Exchanged { .. } | Self::Missing { .. } => 1,
            Self::Dropped(_) | Self::Doubled { .. } => 2,
            Self::Moved { .. } | Self::Swapped { .. } | Self::Order { .. } => 3,
            Self::Cut { .. } | Self::Parameter { .. } => 4,
            Self::Aimed { .. } => 5,
            Self::Given { .. } => 6,
            Self::Value { .. } => 7,
            Self::Hash { .. } => 8,
        }
    }
}

impl fmt::Display for CommandAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tick = Grouped(self.tick);
        write!(f, "command {} of tick {tick} ({})", self.command, self.text)
    }
}

/// What the recorded simulation did, a sentence without its end.
impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash { bits: 1, bit } => {
                write!(
                    f,
                    "bit {bit} of the recorded hash is flipped, and the state was right"
                )
            }
            Self::Hash { bits, .. } => write!(
                f,
                "the recorded hash itself is damaged, in {bits} bits, and the state was right; or several values were others in this tick alone"
            ),
            Self::Dropped(command) => write!(
                f,
                "the recorded simulation did not take {command}, or it had no effect"
            ),
            Self::Doubled { command, again } if command.tick == *again => {
                write!(f, "the recorded simulation took {command} twice")
            }
            Self::Doubled { command, again } => write!(
                f,
                "the recorded simulation took {command} again at tick {}",
                Grouped(*again)
            ),
            Self::Moved { command, to } => write!(
                f,
                "the recorded simulation took {command} at tick {}",
                Grouped(*to)
            ),
            Self::Swapped { one, other } => write!(
                f,
                "the recorded simulation took {one} and {other} in each other's place"
            ),
            Self::Cut {
                tick, taken, of, ..
            } => write!(
                f,
                "the recorded simulation took the first {taken} of the {of} commands of tick {}, and not the others: a queue was full, or they were lost",
                Grouped(*tick)
            ),
            Self::Aimed { command, at } => {
                write!(f, "what {command} wrote in the recorded simulation is {at}")
            }
            Self::Given { command, wrote, .. } => write!(
                f,
                "{command} wrote {} in the recorded simulation",
                Value(*wrote)
            ),
            Self::Missing { before, ticks: 1 } => write!(
                f,
                "the recorded simulation made a tick before tick {} that was not recorded",
                Grouped(*before)
            ),
            Self::Missing { before, ticks } => write!(
                f,
                "the recorded simulation made {ticks} ticks before tick {} that were not recorded",
                Grouped(*before)
            ),
            Self::Repeated { tick, .. } => {
                write!(f, "the frame of tick {} is recorded twice", Grouped(*tick))
            }
            Self::Exchanged { tick, .. } => write!(
                f,
                "the frame of tick {} and the one behind it stand in each other's place",
                Grouped(*tick)
            ),
            Self::Parameter { key, now, then } => write!(
                f,
                "the recorded simulation ran from here on with {key} = {then} in place of {now}"
            ),
            Self::Order { one, other } => write!(
                f,
                "the recorded simulation ran propagators {one} and {other} in each other's place from here on"
            ),
            Self::Value { value, lasts } => write!(
                f,
                "{} became {} by itself{}: nothing in the log writes that",
                value.place(),
                Value(value.recorded),
                if *lasts { "" } else { ", for this tick alone" }
            ),
        }
    }
}

impl ToDatum for CommandAt {
    fn to_datum(&self) -> Datum {
        Datum::Map(vec![
            ("step", self.frame.to_datum()),
            ("tick", self.tick.to_datum()),
            ("command", self.command.to_datum()),
            ("text", self.text.0.as_str().to_datum()),
        ])
    }
}

/// `kind`, and what there is to say of it.
impl ToDatum for Slip {
    fn to_datum(&self) -> Datum {
        let mut map = vec![("kind", self.kind().to_datum())];
        map.extend(self.figures());
        map.push(("message", self.to_string().to_datum()));
        Datum::Map(map)
    }
}

impl Slip {
    fn figures(&self) -> Vec<(&'static str, Datum)> {
        let of = |command: &CommandAt| match command.to_datum() {
            Datum::Map(figures) => figures,
            _ => Vec::new(),
        };
        let with = |command: &CommandAt, more: Vec<(&'static str, Datum)>| {
            let mut figures = of(command);
            figures.extend(more);
            figures
        };
        match self {
            Self::Hash { bits, bit } => {
                vec![("bits", bits.to_datum()), ("bit", bit.to_datum())]
            }
            Self::Dropped(command) => of(command),
            Self::Doubled { command, again } => with(command, vec![("to_tick", again.to_datum())]),
            Self::Moved { command, to } => with(command, vec![("to_tick", to.to_datum())]),
            Self::Swapped { one, other } => with(one, vec![("other", other.to_datum())]),
            Self::Cut {
                frame,
                tick,
                taken,
                of,
            } => vec![
                ("step", frame.to_datum()),
                ("tick", tick.to_datum()),
                ("taken", taken.to_datum()),
                ("of", of.to_datum()),
            ],
            Self::Aimed { command, at } => with(command, vec![("at", at.to_datum())]),
            Self::Given {
                command,
                says,
                wrote,
            } => with(
                command,
                vec![
                    ("says", Value(*says).to_datum()),
                    ("wrote", Value(*wrote).to_datum()),
                ],
            ),
            Self::Missing { before, ticks } => {
                vec![("tick", before.to_datum()), ("ticks", ticks.to_datum())]
            }
            Self::Repeated { frame, tick } | Self::Exchanged { frame, tick } => {
                vec![("step", frame.to_datum()), ("tick", tick.to_datum())]
            }
            Self::Parameter { key, now, then } => vec![
                ("parameter", key.as_str().to_datum()),
                ("now", now.as_str().to_datum()),
                ("then", then.as_str().to_datum()),
            ],
            Self::Order { one, other } => vec![
                ("propagator", one.as_str().to_datum()),
                ("other", other.as_str().to_datum()),
            ],
            Self::Value { value, lasts } => {
                let mut figures = match value.to_datum() {
                    Datum::Map(figures) => figures,
                    _ => Vec::new(),
                };
                figures.push(("lasts", lasts.to_datum()));
                figures
            }
        }
    }
}

/// As [`Difference::place`] has it.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field {}", self.field)?;
        if let Some(name) = &self.field_name {
            write!(f, " ({name})")?;
        }
        match &self.location {
            Some(location) => write!(f, " at {location}"),
            None => write!(f, ", element {}", self.element),
        }
    }
}

impl ToDatum for Target {
    fn to_datum(&self) -> Datum {
        let location = self.location.as_ref();
        Datum::Map(vec![
            ("field", self.field.to_datum()),
            ("field_name", self.field_name.as_ref().to_datum()),
            ("cell", location.map(|at| &at.coord).to_datum()),
            ("component", location.map(|at| at.component).to_datum()),
            ("element", self.element.to_datum()),
        ])
    }
}
