//! Commands from a program that sees the state. A line of JSON is written after each tick, and
//! lines of JSON are read before the next.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use gametape_core::ToDatum as _;
use gametape_core::tape::Error;
use gametape_core::text::{Counted, Grouped};
use serde_json::{Map, Value, json};

use super::jsonl::{self, Answer, Reset};
use crate::engine::{Checker, EngineWorld, Layout, Outcome, World};
use crate::tape::{MurkError, time_of};
use crate::text::Value as Shown;
use crate::{CommandBuf, Hash, Simulation as _};

/// Cells that are written after each tick: `heat@3,4`, or a whole field: `heat`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Watch {
    name: String,
    field: u32,
    cell: Option<Vec<i32>>,
}

impl Watch {
    /// Parses `FIELD@CELL`, with commas in the cell's coordinate; `FIELD` alone stands for all its
    /// cells. The field is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field or no such cell.
    pub fn parse(text: &str, world: &World, checker: &Checker) -> Result<Self, String> {
        let (name, cell) = match text.rsplit_once('@') {
            Some((name, cell)) => (name, Some(cell)),
            None => (text, None),
        };
        let whole = Self::field(name, world)?;
        let coord = |cell: &str| {
            let numbers = cell.split(',').map(|number| number.trim().parse().ok());
            numbers.collect::<Option<Vec<i32>>>()
        };
        let cell = cell.map(|cell| {
            let coord = coord(cell);
            let coord = coord.filter(|coord| checker.cell(coord).is_some());
            coord.ok_or_else(|| {
                format!("{cell:?} is not a cell of the world: its coordinate, with commas between")
            })
        });
        Ok(Self {
            name: text.to_owned(),
            cell: cell.transpose()?,
            ..whole
        })
    }

    /// Returns all cells of a field, which is given by its name or number.
    ///
    /// # Errors
    /// A sentence, if there is no such field.
    pub fn field(name: &str, world: &World) -> Result<Self, String> {
        let numbered = || name.parse().ok().filter(|at| *at < world.field_count());
        let field = world.field_number(name).or_else(numbered).ok_or_else(|| {
            let fields = world.fields.iter().map(|field| &*field.name);
            let fields: Vec<&str> = fields.take(32).collect();
            format!(
                "the world has no field {name:?}; it has {}",
                fields.join(", ")
            )
        })?;
        Ok(Self {
            name: name.to_owned(),
            field,
            cell: None,
        })
    }

    /// Returns its name, as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of the field.
    #[must_use]
    pub const fn field_number(&self) -> u32 {
        self.field
    }

    /// Returns whether it is one cell.
    #[must_use]
    pub const fn is_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Returns whether it is one number.
    pub(super) fn is_number(&self, checker: &Checker) -> bool {
        self.is_cell() && checker.components(self.field) == Some(1)
    }

    /// Returns the values in a state, in the order of the cells.
    #[must_use]
    pub fn values<'w>(&self, world: &'w EngineWorld) -> &'w [f32] {
        let values = world.field(self.field).unwrap_or_default();
        let Some(cell) = &self.cell else {
            return values;
        };
        let components = self.components(world.checker());
        let start = world.checker().cell(cell).unwrap_or_default() * components;
        values.get(start..start + components).unwrap_or_default()
    }

    /// Returns the shape of [`Watch::array`]: an axis for each number of a cell's coordinate, and one more for the
    /// components if there are several. One number has none.
    #[must_use]
    pub fn shape(&self, layout: &Layout, checker: &Checker) -> Vec<usize> {
        let cells = if self.is_cell() { &[] } else { layout.shape() };
        let components = self.components(checker);
        let components = (components != 1).then_some(components);
        cells.iter().copied().chain(components).collect()
    }

    /// Returns the values in a state as an array, whose last axis changes the fastest. `layout` is that of the
    /// world's space. Places without a cell are NaN.
    ///
    /// ```
    /// use gametape_murk::engine::World;
    /// use gametape_murk::tools::Watch;
    ///
    /// let world = World::from_toml(gametape_samples::murk::HEAT)?;
    /// let (checker, layout) = (world.checker()?, world.space.layout());
    /// let gradient = Watch::field("gradient", &world)?;
    /// assert_eq!(gradient.shape(&layout, &checker), [16, 16, 2]);
    /// assert_eq!(gradient.array(&layout, &world.build()?).len(), 16 * 16 * 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn array<'w>(&self, layout: &Layout, world: &'w EngineWorld) -> Cow<'w, [f32]> {
        let values = self.values(world);
        if self.is_cell() {
            return Cow::Borrowed(values);
        }
        layout.array(values, self.components(world.checker()))
    }

    fn components(&self, checker: &Checker) -> usize {
        checker.components(self.field).unwrap_or(1) as usize
    }
}

/// The state after a tick.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The last tick that was made; 0 before the first.
    pub tick: u64,
    /// The hash of its state, if one was recorded.
    pub hash: Option<u64>,
    /// The world in that state.
    pub world: &'a EngineWorld,
}

/// The answer of an agent.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The commands of the next tick.
    Tick(CommandBuf),
    /// The recording ends before the tick, and the agent begins again.
    Reset(Reset),
    /// The recording ends before the tick.
    End,
}

/// A source of commands that sees the state after each tick.
pub trait Agent {
    /// Sees the state before the first tick and after each. The result `Break` ends the recording.
    ///
    /// # Errors
    /// If the state can't be shown.
    fn see(&mut self, moment: Moment<'_>) -> Result<ControlFlow<()>, Error>;

    /// Answers with the commands of the next tick, or ends the recording.
    ///
    /// # Errors
    /// If the commands can't be understood.
    fn reply(&mut self, tick: u64) -> Result<Reply, Error>;
}

/// An agent that is connected by two streams of lines.
///
/// A line is written before the first tick and after each: `tick`, `time_ms`, `hash`, the
/// `outcomes` of the commands of that tick, and the `cells` that were asked for, by their names: a
/// number, or the list of the values of an array ([`Watch::array`]). The line before the first tick also
/// has the `shapes` of these arrays.
/// The commands of the next tick are read as JSON objects, one per line. The last line has
/// `commands`, a list that may be empty: it makes the tick. A line with `reset` asks to begin again, where an
/// agent may be used for the next recording. The end of the input ends the recording.
#[derive(Debug)]
pub struct LineAgent<R, W> {
    input: R,
    output: W,
    name: PathBuf,
    watches: Vec<Watch>,
    layout: Layout,
    /// Which places of an array of the space have no cell; empty if all have one.
    gaps: Vec<bool>,
    fields: Vec<String>,
    dt: f64,
    /// The number of lines that were read.
    line: u64,
    unfinished: u64,
}

impl<R: BufRead, W: Write> LineAgent<R, W> {
    /// Creates an agent with these streams; `name` is the name of the input, for messages.
    pub fn new(input: R, output: W, name: PathBuf, world: &World, watches: Vec<Watch>) -> Self {
        let layout = world.space.layout();
        let zeros = vec![0.0; usize::try_from(world.cell_count()).unwrap_or_default()];
        let gaps: Vec<bool> = match layout.array(&zeros, 1) {
            Cow::Borrowed(_) => Vec::new(),
            Cow::Owned(places) => places.iter().map(|place| place.is_nan()).collect(),
        };
        Self {
            input,
            output,
            name,
            watches,
            layout,
            gaps,
            fields: world
                .fields
                .iter()
                .map(|field| field.name.clone())
                .collect(),
            dt: world.dt,
            line: 0,
            unfinished: 0,
        }
    }

    /// Returns the number of commands of a tick in which the input ended. They were not recorded.
    #[must_use]
    pub const fn unfinished(&self) -> u64 {
        self.unfinished
    }

    fn wrong(&self, message: String) -> Error {
        MurkError::Commands {
            path: self.name.clone(),
            line: self.line,
            message,
        }
        .into()
    }

    /// Returns the next line that is not empty; `None` at the end.
    fn next_line(&mut self) -> Result<Option<String>, Error> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = self.input.read_until(b'\n', &mut line);
            let read = read.map_err(|source| MurkError::File {
                path: self.name.clone(),
                source,
            })?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = std::str::from_utf8(&line).map_err(|error| {
                self.wrong(format!("not UTF-8 at byte {}", error.valid_up_to()))
            })?;
            if !text.trim().is_empty() {
                return Ok(Some(text.to_owned()));
            }
        }
    }
}

impl<R, W> LineAgent<R, W> {
    /// Returns the value of a watch: a number, or the list of the values of an array, in which a place without a
    /// cell is null.
    fn seen(&self, watch: &Watch, world: &EngineWorld) -> Value {
        let shown = |value: &f32| Value::from(Shown(*value).to_datum());
        let array = watch.array(&self.layout, world);
        if watch.is_number(world.checker())
            && let [value] = &*array
        {
            return shown(value);
        }
        let components = watch.components(world.checker()).max(1);
        let is_gap = |at: usize| !watch.is_cell() && self.gaps.get(at / components) == Some(&true);
        let values = array.iter().enumerate();
        let values = values.map(|(at, value)| {
            if is_gap(at) {
                Value::Null
            } else {
                shown(value)
            }
        });
        values.collect()
    }

    /// Returns something of each watch, by its name.
    fn of_each(&self, of: impl Fn(&Watch) -> Value) -> Map<String, Value> {
        let watches = self.watches.iter();
        watches
            .map(|watch| (watch.name.clone(), of(watch)))
            .collect()
    }
}

impl<R: BufRead, W: Write> Agent for LineAgent<R, W> {
    fn see(&mut self, moment: Moment<'_>) -> Result<ControlFlow<()>, Error> {
        let (world, checker) = (moment.world, moment.world.checker());
        let outcomes = world.receipts().outcomes().iter().copied();
        let mut line = json!({
            "tick": moment.tick,
            "time_ms": time_of(moment.tick, self.dt).ms(),
            "hash": moment.hash.map(|hash| Hash(hash).to_string()),
            "outcomes": outcomes.map(Outcome::name).collect::<Vec<_>>(),
            "cells": self.of_each(|watch| self.seen(watch, world)),
        });
        if moment.hash.is_none()
            && let Value::Object(line) = &mut line
        {
            let shapes = self.of_each(|watch| watch.shape(&self.layout, checker).into());
            line.insert("shapes".into(), shapes.into());
        }
        let shown = writeln!(self.output, "{line}").and_then(|()| self.output.flush());
        match shown {
            Ok(()) => Ok(ControlFlow::Continue(())),
            // The reader of the output has gone; the recording is whole.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
            Err(error) => Err(Error::Output(error)),
        }
    }

    fn reply(&mut self, tick: u64) -> Result<Reply, Error> {
        let mut commands = CommandBuf::new();
        loop {
            let made = commands.as_commands().len() as u64;
            let Some(line) = self.next_line()? else {
                self.unfinished = made;
                return Ok(Reply::End);
            };
            let number = |name: &str| {
                let at = self.fields.iter().position(|field| field == name);
                at.and_then(|at| u32::try_from(at).ok())
            };
            let read = jsonl::read_reply(&line, tick, &number, made);
            let read = match read.map_err(|message| self.wrong(message))? {
                Answer::Reset(reset) if made == 0 => return Ok(Reply::Reset(reset)),
                Answer::Reset(_) => {
                    return Err(self.wrong(format!(
                        "reset comes after {} of tick {}, which is not made: a line with \"commands\" makes it",
                        Counted(made, "command"),
                        Grouped(tick)
                    )));
                }
                Answer::Commands(read) => read,
            };
            for command in read.commands.as_commands() {
                let pushed = commands.push_stored(&command);
                pushed.map_err(|error| self.wrong(error.to_string()))?;
            }
            if read.is_whole {
                return Ok(Reply::Tick(commands));
            }
        }
    }
}
