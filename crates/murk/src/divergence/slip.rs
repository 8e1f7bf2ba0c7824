//! Slips: the single mistakes that can explain a divergence.

use std::fmt;

use gametape_core::text::{Counted, Grouped};
use gametape_core::{Datum, ToDatum};

use super::cause::{Cause, Difference, Evidence, Hashes};
use super::parted::Parted;
use crate::model::payload::{CommandText, ShownValue};
use crate::simulation::{Location, Simulation};

/// A command of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandAt {
    /// The frame, from 0.
    pub frame: u64,
    /// The `tick_id` of that frame.
    pub tick: u64,
    /// The command's place in the frame, from 0.
    pub command: u32,
    /// The command in words.
    pub text: CommandText,
}

/// A value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The field's number, from 0.
    pub field: u32,
    /// The field's name, if the simulation knows it.
    pub field_name: Option<String>,
    /// The value's place in the field.
    pub element: usize,
    /// The cell, if the simulation knows it.
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

/// A single mistake that was made when a recording was made, or that is in the recording.
///
/// Each is described as a deviation of the recorded simulation, as if the log were right. "It did
/// not take this command" may also mean "the log has a command too many"; the recording can't tell.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Slip {
    /// The recorded hash is damaged in this many bits, and the state was the replay's. (If many
    /// bits differ, several values that last for one tick may have differed instead.)
    Hash {
        /// The number of bits that differ.
        bits: u32,
        /// The lowest of them, from 0.
        bit: u32,
    },
    /// The command was not taken, or took no effect.
    Dropped(CommandAt),
    /// The command was taken a second time, at the end of a tick.
    Doubled {
        /// The command.
        command: CommandAt,
        /// The tick in which it was taken again.
        again: u64,
    },
    /// The command was taken at another tick.
    Moved {
        /// The command.
        command: CommandAt,
        /// The tick in which it was taken.
        to: u64,
    },
    /// Two commands were taken in the opposite order.
    Swapped {
        /// The earlier one.
        one: CommandAt,
        /// The later one.
        other: CommandAt,
    },
    /// Only the first commands of a tick were taken: the queue was full, or the rest was lost. (If
    /// a single command is missing, it is [`Dropped`](Self::Dropped).)
    Cut {
        /// The frame, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
        /// The number of commands that were taken.
        taken: u32,
        /// The number of commands in the log.
        of: u32,
    },
    /// The command wrote to another place than the one it names: another cell or another field.
    Aimed {
        /// The command.
        command: CommandAt,
        /// The place that it wrote to.
        at: Target,
    },
    /// The command wrote another value.
    OtherValue {
        /// The command.
        command: CommandAt,
        /// The value in the log.
        says: f32,
        /// The value that it wrote.
        wrote: f32,
    },
    /// Ticks without commands were made but not recorded.
    Missing {
        /// The tick before which they were made.
        before: u64,
        /// The number of ticks.
        ticks: u32,
    },
    /// The frame is recorded twice.
    Repeated {
        /// The second one, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
    },
    /// Two neighbouring frames are in the opposite order.
    Exchanged {
        /// The number of the first of them, from 0.
        frame: u64,
        /// Its `tick_id`.
        tick: u64,
    },
    /// One parameter of the world had another value.
    Parameter {
        /// The parameter, as the world's description names it: `dt`, `propagator 0
        /// (wave_propagation), damping`.
        key: String,
        /// The world's value, as its description spells it.
        now: String,
        /// The value in the recorded simulation.
        then: String,
    },
    /// Two propagators ran in the opposite order.
    Order {
        /// The earlier one's number and kind, such as `0 (emission)`.
        one: String,
        /// The later one's number and kind.
        other: String,
    },
    /// This value changed by itself: nothing in the log writes it.
    Value {
        /// The value.
        value: Difference,
        /// False if the value differed in this tick's hash alone, and the replay matches again
        /// after it.
        lasts: bool,
    },
}

impl Slip {
    /// Returns the kind, as a key.
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
            Self::OtherValue { .. } => "given",
            Self::Missing { .. } => "missing-ticks",
            Self::Repeated { .. } => "repeated-frame",
            Self::Exchanged { .. } => "exchanged-frames",
            Self::Parameter { .. } => "parameter",
            Self::Order { .. } => "order",
            Self::Value { .. } => "value",
        }
    }

    /// Returns the command, if the slip is about one.
    #[must_use]
    pub const fn command(&self) -> Option<&CommandAt> {
        match self {
            Self::Dropped(command)
            | Self::Doubled { command, .. }
            | Self::Moved { command, .. }
            | Self::Swapped { one: command, .. }
            | Self::Aimed { command, .. }
            | Self::OtherValue { command, .. } => Some(command),
            _ => None,
        }
    }

    /// Returns true if frames were left out, doubled or exchanged. The replay then has the recorded
    /// states at other ticks.
    pub(crate) const fn is_of_frames(&self) -> bool {
        matches!(
            self,
            Self::Missing { .. } | Self::Repeated { .. } | Self::Exchanged { .. }
        )
    }

    /// Returns how much freedom the slip has. If two slips explain the same, the one with less
    /// freedom is simpler.
    pub(crate) const fn freedom(&self) -> u8 {
        match self {
            Self::Hash { bits: 1, .. } => 0,
            Self::Repeated { .. } | Self::Exchanged { .. } | Self::Missing { .. } => 1,
            Self::Dropped(_) | Self::Doubled { .. } => 2,
            Self::Moved { .. } | Self::Swapped { .. } | Self::Order { .. } => 3,
            Self::Cut { .. } | Self::Parameter { .. } => 4,
            Self::Aimed { .. } => 5,
            Self::OtherValue { .. } => 6,
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

/// What the recorded simulation did, as a sentence without a full stop.
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
                "the recorded hash itself is damaged, in {bits} bits, and the state was right; or several values differed in this tick alone"
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
                "the recorded simulation took {one} and {other} in the opposite order"
            ),
            Self::Cut {
                tick, taken, of, ..
            } => write!(
                f,
                "the recorded simulation took the first {taken} of the {of} commands of tick {}, and not the others: a queue was full, or they were lost",
                Grouped(*tick)
            ),
            Self::Aimed { command, at } => {
                write!(f, "{command} wrote to {at} in the recorded simulation")
            }
            Self::OtherValue { command, wrote, .. } => write!(
                f,
                "{command} wrote {} in the recorded simulation",
                ShownValue(*wrote)
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
                "the frame of tick {} and the one after it are swapped",
                Grouped(*tick)
            ),
            Self::Parameter { key, now, then } => write!(
                f,
                "the recorded simulation ran from here on with {key} = {then} in place of {now}"
            ),
            Self::Order { one, other } => write!(
                f,
                "the recorded simulation ran propagators {one} and {other} in the opposite order from here on"
            ),
            Self::Value { value, lasts } => write!(
                f,
                "{} became {} by itself{}: nothing in the log writes it",
                value.place(),
                ShownValue(value.recorded),
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

/// The `kind` and the figures of the slip.
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
            Self::OtherValue {
                command,
                says,
                wrote,
            } => with(
                command,
                vec![
                    ("says", ShownValue(*says).to_datum()),
                    ("wrote", ShownValue(*wrote).to_datum()),
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

/// Same form as [`Difference::place`].
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

/// The number of slips that an [`Explanation`] lists.
pub const MAX_SLIPS: usize = 8;

/// How single slips explain a divergence.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Explanation {
    /// The diverging frame, from 0.
    pub frame: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The slips that explain the most hashes, the simplest first. They explain equally many. The
    /// list has at most eight, and none if no slip explains the diverging hash.
    pub slips: Vec<Slip>,
    /// The number of further slips that explain as many.
    pub more: u64,
    /// The number of recorded hashes that they explain, without a gap, from the diverging one on.
    pub explained: u64,
    /// The number of recorded hashes after the diverging one that were kept for the search.
    pub after: u64,
    /// True if the time was up before all later hashes were tried, so that the slips may explain
    /// more.
    pub open: bool,
    /// The number of hashes that the next best slip explains.
    pub next: u64,
    /// The number of slips that were tried.
    pub tried: u64,
    /// True if all candidates were tried.
    pub complete: bool,
    /// The cause of the difference, from this hash and the later ones.
    pub cause: Option<Cause>,
    /// The evidence for the cause.
    pub evidence: Option<Evidence>,
    /// Set if two replays of the same commands differ. No slip and no cause are named then.
    pub parted: Option<Parted>,
}

impl Explanation {
    /// Returns true if all recorded hashes are explained, from the diverging one to the last.
    #[must_use]
    pub const fn explains_all(&self) -> bool {
        self.explained > self.after
    }

    /// Returns the slip that alone explains the most.
    #[must_use]
    pub fn best(&self) -> Option<&Slip> {
        match self.slips.as_slice() {
            [only] if self.more == 0 => Some(only),
            _ => None,
        }
    }
}

/// A sentence.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parted) = &self.parted {
            return write!(f, "{parted}");
        }
        let tried = Counted(self.tried, "slip");
        let Some(first) = self.slips.first() else {
            write!(
                f,
                "no single slip explains this hash, of {tried} that were tried"
            )?;
            return f.write_str(if self.complete {
                ""
            } else {
                "; the time was up before all were"
            });
        };
        let explained = Hashes(self.explained, self.after);
        let count = self.slips.len() as u64 + self.more;
        match self.best() {
            Some(_) => f.write_str("one slip explains ")?,
            None => write!(f, "{} slips explain ", Grouped(count))?,
        }
        // If everything is explained, "it" stands for the divergence.
        match (self.explains_all(), self.open) {
            (true, _) => f.write_str(if count > 1 { "it equally" } else { "it" })?,
            (_, true) => write!(f, "at least {explained}, as far as time sufficed")?,
            _ => write!(f, "{explained}, and none that was tried explains all")?,
        }
        if count > 1 {
            f.write_str(", and the hashes do not show which it was")?;
        }
        write!(f, ": {first}")?;
        for slip in self.slips.iter().skip(1) {
            write!(f, "; or {slip}")?;
        }
        if self.more > 0 {
            write!(f, "; or {} more", Grouped(self.more))?;
        }
        f.write_str(". ")?;
        if self.explains_all() {
            write!(f, "Explained: {explained}; by the next best: ")?;
        } else {
            f.write_str("By the next best: ")?;
        }
        match self.next {
            0 => write!(f, "none ({tried} tried")?,
            next => write!(f, "{} ({tried} tried", Grouped(next))?,
        }
        f.write_str(if self.complete {
            ")"
        } else {
            "; the time was up before all were)"
        })
    }
}

impl ToDatum for Explanation {
    fn to_datum(&self) -> Datum {
        let best = match self.best().map(ToDatum::to_datum) {
            Some(best) => best,
            None => Datum::Null,
        };
        Datum::Map(vec![
            ("slip", best),
            ("slips", self.slips.to_datum()),
            ("more", self.more.to_datum()),
            ("explained", self.explained.to_datum()),
            ("behind", self.after.to_datum()),
            ("hashes", (self.after + 1).to_datum()),
            ("open", self.open.to_datum()),
            ("next_best", self.next.to_datum()),
            ("tried", self.tried.to_datum()),
            ("complete", self.complete.to_datum()),
        ])
    }
}
