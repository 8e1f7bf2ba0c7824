//! The commands for a world, as a list in a file.

use gametape_core::text::Grouped;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use gametape_core::tape::Error;
use serde_json::Value;

use super::jsonl;
use crate::CommandBuf;
use crate::engine::World;
use crate::tape::MurkError;

/// The commands of each tick, read from lines of JSON.
#[derive(Clone, Default, Debug)]
pub struct CommandList {
    ticks: BTreeMap<u64, (u64, CommandBuf)>,
    name: PathBuf,
}

impl CommandList {
    /// Creates a list without commands.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads commands, one JSON object per line: a frame as `dump` prints it (its hash is ignored),
    /// or a single command with its `tick`. Fields may be given by their names in `world`. Empty
    /// lines are ignored. Ticks may come in any order; the commands of a tick keep their order.
    /// `name` is the name of the list, for messages.
    ///
    /// # Errors
    /// [`MurkError::Commands`] with the line, and errors of the source.
    pub fn read(lines: impl BufRead, name: &Path, world: &World) -> Result<Self, Error> {
        let field = |name: &str| world.field_number(name);
        let mut commands = Self {
            ticks: BTreeMap::new(),
            name: name.to_owned(),
        };
        for (number, line) in (1..).zip(lines.split(b'\n')) {
            let line = line.map_err(|source| MurkError::File {
                path: name.to_owned(),
                source,
            })?;
            let line = std::str::from_utf8(&line)
                .map_err(|error| format!("not UTF-8 at byte {}", error.valid_up_to()))
                .map_err(|message| commands.wrong(number, message))?;
            let line = match number {
                1 => line.strip_prefix('\u{feff}').unwrap_or(line),
                _ => line,
            };
            if line.trim().is_empty() {
                continue;
            }
            let read = jsonl::read_line(line, &field, &|tick| commands.made(tick));
            read.and_then(|read| commands.add(number, &read))
                .map_err(|message| commands.wrong(number, message))?;
        }
        Ok(commands)
    }

    /// Reads commands that were parsed already: each value is what a line has in [`CommandList::read`].
    ///
    /// # Errors
    /// [`MurkError::Commands`]; its line is the place in the list, from 1.
    pub fn of_values(
        lines: impl IntoIterator<Item = Value>,
        name: &Path,
        world: &World,
    ) -> Result<Self, MurkError> {
        let field = |name: &str| world.field_number(name);
        let mut commands = Self {
            ticks: BTreeMap::new(),
            name: name.to_owned(),
        };
        for (number, line) in (1..).zip(lines) {
            let read = jsonl::of_value(line, &field, &|tick| commands.made(tick));
            read.and_then(|read| commands.add(number, &read))
                .map_err(|message| commands.wrong(number, message))?;
        }
        Ok(commands)
    }

    /// Returns the number of commands that a tick has already.
    fn made(&self, tick: u64) -> u64 {
        let made = self.ticks.get(&tick);
        made.map_or(0, |(_, buffer)| buffer.as_commands().len() as u64)
    }

    fn add(&mut self, number: u64, line: &jsonl::CommandLine) -> Result<(), String> {
        let begin = || (number, CommandBuf::new());
        let (_, buffer) = self.ticks.entry(line.tick).or_insert_with(begin);
        for command in line.commands.as_commands() {
            buffer
                .push_stored(&command)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn wrong(&self, line: u64, message: String) -> MurkError {
        MurkError::Commands {
            path: self.name.clone(),
            line,
            message,
        }
    }

    /// Returns the commands of a tick.
    #[must_use]
    pub fn of(&self, tick: u64) -> crate::Commands<'_> {
        self.ticks
            .get(&tick)
            .map_or_else(crate::Commands::default, |(_, buffer)| buffer.as_commands())
    }

    /// Returns the number of commands in all ticks.
    pub(super) fn count(&self) -> u64 {
        let all = self.ticks.values();
        all.map(|(_, buffer)| buffer.as_commands().len() as u64)
            .sum()
    }

    /// Refuses commands of ticks that are not made. Those up to `taken` belong to another
    /// recording.
    ///
    /// # Errors
    /// [`MurkError::Commands`] with the first of them.
    pub fn within(&self, taken: u64, ticks: u64) -> Result<(), MurkError> {
        let mut given = self.ticks.iter();
        if let Some((tick, (line, _))) = given.find(|(tick, _)| (1..=taken).contains(*tick)) {
            return Err(MurkError::Commands {
                path: self.name.clone(),
                line: *line,
                message: format!(
                    "tick {} is made already; new commands begin with tick {}",
                    Grouped(*tick),
                    Grouped(taken.saturating_add(1))
                ),
            });
        }
        let outside = self
            .ticks
            .iter()
            .find(|(tick, _)| **tick == 0 || **tick > ticks);
        match outside {
            None => Ok(()),
            Some((tick, (line, _))) => Err(MurkError::Commands {
                path: self.name.clone(),
                line: *line,
                message: match ticks {
                    0 => format!("tick {} is not made; there are no ticks", Grouped(*tick)),
                    1 => format!("tick {} is not made; only tick 1 is", Grouped(*tick)),
                    // Nothing new is made.
                    _ if ticks <= taken => format!("tick {} is not made", Grouped(*tick)),
                    _ => {
                        let first = Grouped(taken.saturating_add(1));
                        let (tick, ticks) = (Grouped(*tick), Grouped(ticks));
                        format!("tick {tick} is not made; ticks {first} to {ticks} are")
                    }
                },
            }),
        }
    }
}
