//! The commands of the last ticks of a replay, to find out who wrote a value.

use std::collections::VecDeque;
use std::fmt;

use gametape_core::text::Grouped;
use gametape_core::{Datum, ToDatum};

use crate::model::command::{Command, Commands};
use crate::model::payload::{Payload, ShownValue};

/// The bytes of commands that are kept.
const HISTORY_BYTES: usize = 4 << 20;
/// The number of frames with commands that are kept.
const HISTORY_FRAMES: usize = 1 << 14;

/// The last writer of a value in a tick.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum WrittenBy {
    /// A command wrote it, and nothing wrote it after that.
    Command(Touch),
    /// A propagator wrote it, or another part of the simulation that runs in each tick.
    Propagator {
        /// The propagator's place among those of a tick, from 0.
        number: usize,
        /// The propagator's name.
        name: String,
        /// The command that had set the value in this tick before the propagator wrote it.
        overwrote: Option<Touch>,
    },
    /// Nothing wrote it: the tick cleared it, or it was never written.
    Nobody,
}

/// A command that wrote a value.
#[derive(Clone, PartialEq, Debug)]
pub struct Touch {
    /// The frame, from 0.
    pub frame: u64,
    /// The `tick_id` of that frame.
    pub tick: u64,
    /// The command's place in the frame, from 0.
    pub command: u32,
    /// The value it set, if it names one.
    pub value: Option<f32>,
    /// The source that submitted it.
    pub source_id: Option<u64>,
    /// The cell that the command names, if it set the value of another cell.
    pub cell: Option<Vec<i32>>,
}

impl Touch {
    fn new(frame: &PastFrame<'_>, at: u32, command: &Command<'_>) -> Self {
        Self {
            frame: frame.index,
            tick: frame.tick,
            command: at,
            value: match command.payload() {
                Ok(Payload::SetField { value, .. }) => Some(value),
                _ => None,
            },
            source_id: command.envelope.source_id,
            cell: None,
        }
    }
}

/// For example `command 0 of tick 7 from source 3`.
impl fmt::Display for Touch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command {} of tick {}", self.command, Grouped(self.tick))?;
        match self.source_id {
            Some(source) => write!(f, " from source {source}"),
            None => Ok(()),
        }
    }
}

impl Touch {
    /// Returns ` to 1.5` if the command names a value, and the named cell if the value of another
    /// cell was set.
    fn outcome(&self) -> String {
        let to = self.value.map(|value| format!(" to {}", ShownValue(value)));
        let names = self.cell.as_ref().map(|cell| {
            format!(" (it names {cell:?}; the engine uses a cell's number as a value's)")
        });
        [to, names].into_iter().flatten().collect()
    }
}

/// The words after the sentence of a divergence: `in the replay, it was set by command 0 of tick 7 to
/// 1.5`. They say nothing about the recorded value, whose writer is unknown.
impl fmt::Display for WrittenBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(touch) => {
                write!(f, "in the replay, it was set by {touch}{}", touch.outcome())
            }
            Self::Propagator {
                number,
                name,
                overwrote,
            } => {
                write!(
                    f,
                    "in the replay, it was written by propagator {number} ({name})"
                )?;
                match overwrote {
                    Some(touch) => {
                        let set = touch.outcome();
                        write!(f, ", over {touch}, which had set it{set}")
                    }
                    None => Ok(()),
                }
            }
            Self::Nobody => f.write_str("in the replay, no command and no propagator wrote it"),
        }
    }
}

impl ToDatum for Touch {
    fn to_datum(&self) -> Datum {
        Datum::Map(vec![
            ("step", self.frame.to_datum()),
            ("tick", self.tick.to_datum()),
            ("command", self.command.to_datum()),
            ("value", self.value.map(ShownValue).to_datum()),
            ("source_id", self.source_id.to_datum()),
            ("cell", self.cell.to_datum()),
        ])
    }
}

/// The variant's name; the command and the propagator, if there is one.
impl ToDatum for WrittenBy {
    fn to_datum(&self) -> Datum {
        let (kind, command, propagator, overwrote) = match self {
            Self::Command(touch) => ("command", Some(touch), None, None),
            Self::Propagator {
                number,
                name,
                overwrote,
            } => ("propagator", None, Some((number, name)), overwrote.as_ref()),
            Self::Nobody => ("nobody", None, None, None),
        };
        Datum::Map(vec![
            ("kind", kind.to_datum()),
            ("command", command.to_datum()),
            (
                "propagator",
                propagator.map(|(number, _)| *number).to_datum(),
            ),
            ("name", propagator.map(|(_, name)| name).to_datum()),
            ("overwrote", overwrote.to_datum()),
        ])
    }
}

/// The commands before a tick, for a simulation that is asked [who wrote a
/// value](crate::Simulation::written_by).
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    history: &'a History,
    frame: u64,
    made: Option<u64>,
    value: f32,
}

/// A frame that has commands.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PastFrame<'a> {
    /// The frame's number, from 0.
    pub index: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The result of [`made`](crate::Simulation::made) after it.
    pub made: Option<u64>,
    /// Its commands.
    pub commands: Commands<'a>,
}

impl<'a> Past<'a> {
    /// Returns the value in the replay whose writer is asked for.
    #[must_use]
    pub const fn value(&self) -> f32 {
        self.value
    }

    /// Returns the number of the frame that the value is from.
    #[must_use]
    pub const fn frame(&self) -> u64 {
        self.frame
    }

    /// Returns the result of [`made`](crate::Simulation::made) after that frame.
    #[must_use]
    pub const fn made(&self) -> Option<u64> {
        self.made
    }

    /// Returns the first frame of the replay, and the result of [`made`](crate::Simulation::made)
    /// after it.
    #[must_use]
    pub fn first(&self) -> (u64, Option<u64>) {
        self.history.first.unwrap_or((self.frame, self.made))
    }

    /// Returns the first frame from which on all are kept: that of [`first`](Self::first) (or 0) if
    /// the whole replay is kept. Up to 16,384 frames with commands and 4 MiB of commands are kept.
    #[must_use]
    pub fn known_from(&self) -> u64 {
        self.history.known_from.max(self.first().0)
    }

    /// Returns the frames with commands, from the frame of the value (if it has any) backwards.
    pub fn frames(&self) -> impl Iterator<Item = PastFrame<'a>> + use<'a> {
        let until = self.frame;
        let frames = self.history.frames.iter().rev();
        let frames = frames.skip_while(move |kept| kept.index > until);
        frames.map(|kept| PastFrame {
            index: kept.index,
            tick: kept.tick,
            made: kept.made,
            commands: Commands::new(&kept.bytes, kept.count),
        })
    }

    /// Returns the last command for which `does` is true. This is the writer in simulations that
    /// take commands in the order of the recording.
    pub fn last_command(&self, mut does: impl FnMut(&Command<'a>) -> bool) -> Option<Touch> {
        self.frames()
            .find_map(|frame| frame.last_by(&mut does, |_| 0))
    }
}

impl<'a> PastFrame<'a> {
    /// Returns the command with the largest key among those for which `does` is true; if several
    /// have it, the last one in the recording.
    pub fn last_by<K: Ord>(
        &self,
        mut does: impl FnMut(&Command<'a>) -> bool,
        mut key: impl FnMut(&Command<'a>) -> K,
    ) -> Option<Touch> {
        let commands = (0..).zip(self.commands);
        let (at, command) = commands
            .filter(|(_, command)| does(command))
            .max_by_key(|(at, command)| (key(command), *at))?;
        Some(Touch::new(self, at, &command))
    }
}

/// The last frames with commands.
#[derive(Default, Debug)]
pub struct History {
    frames: VecDeque<RememberedFrame>,
    bytes: usize,
    /// The first frame, and the result of `made` after it.
    first: Option<(u64, Option<u64>)>,
    /// The number of the frame after the last one that was dropped.
    known_from: u64,
}

#[derive(Debug)]
struct RememberedFrame {
    index: u64,
    tick: u64,
    made: Option<u64>,
    bytes: Vec<u8>,
    count: u32,
}

impl History {
    pub fn push(&mut self, frame: PastFrame<'_>) {
        if self.first.is_none() {
            self.first = Some((frame.index, frame.made));
        }
        let commands = frame.commands;
        if commands.is_empty() {
            return;
        }
        let size = commands.as_bytes().len();
        let mut space = Vec::new();
        while self.bytes + size > HISTORY_BYTES || self.frames.len() >= HISTORY_FRAMES {
            let Some(old) = self.frames.pop_front() else {
                // This frame alone exceeds the limit.
                self.known_from = frame.index + 1;
                return;
            };
            self.bytes -= old.bytes.len();
            self.known_from = old.index + 1;
            space = old.bytes;
        }
        space.clear();
        space.extend_from_slice(commands.as_bytes());
        self.bytes += size;
        self.frames.push_back(RememberedFrame {
            index: frame.index,
            tick: frame.tick,
            made: frame.made,
            bytes: space,
            count: commands.len() as u32,
        });
    }

    /// Returns the history before a frame, with the value in the replay whose writer is asked for.
    pub fn of(&self, frame: u64, made: Option<u64>, value: f32) -> Past<'_> {
        Past {
            history: self,
            frame,
            made,
            value,
        }
    }
}
