//! A second simulator of Murk's worlds, simple, slow, and written from the documents alone. It is
//! compared with the engine and with the reports, and keeps the writer of each value.

pub mod changes;
pub mod generate;
mod rules;
pub mod slips;

use std::fmt::Write as _;

use gametape_murk::{
    Checkpoint, Command, CommandBuf, Commands, Payload, Recorder, Simulation, Writer as Recording,
};
pub use rules::Rule;
use rules::Tick;

/// How long a field's values last.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lasts {
    Never,
    OneTick,
    On,
}

/// A world's description; fields are called `f0`, `f1` and so on.
#[derive(Clone, PartialEq, Debug)]
pub struct World {
    pub dt: f64,
    /// The number of commands that are taken in one tick.
    pub queue: usize,
    pub space: Space,
    /// How long each field lasts, and its number of values per cell.
    pub fields: Vec<(Lasts, usize)>,
    pub rules: Vec<Rule>,
}

impl World {
    pub fn toml(&self) -> String {
        let mut toml = format!(
            "dt = {:?}\nmax_ingress_queue = {}\nspace = {{ {} }}\n",
            self.dt,
            self.queue,
            self.space.toml()
        );
        for (number, (lasts, components)) in self.fields.iter().enumerate() {
            let lasts = match lasts {
                Lasts::Never => "static",
                Lasts::OneTick => "per_tick",
                Lasts::On => "sparse",
            };
            let kind = match components {
                1 => "type = 'scalar'".to_owned(),
                dims => format!("type = 'vector'\ndims = {dims}"),
            };
            let _ = writeln!(
                toml,
                "[[field]]\nname = 'f{number}'\n{kind}\nmutability = '{lasts}'"
            );
        }
        for rule in &self.rules {
            let _ = writeln!(toml, "[[propagator]]\n{}", rule.toml());
        }
        toml
    }

    /// Returns true for a field that commands can set.
    pub fn can_set(&self, field: usize) -> bool {
        self.fields[field].0 != Lasts::Never
    }

    /// Returns the same world for the engine.
    pub fn engine(&self) -> gametape_murk::engine::World {
        let toml = self.toml();
        gametape_murk::engine::World::from_toml(&toml)
            .unwrap_or_else(|error| panic!("{error}\n{toml}"))
    }

    /// Returns the world at tick 0.
    pub fn start(&self) -> Plain {
        let cells = self.space.cells().len();
        let fields = self.fields.iter();
        Plain {
            world: self.clone(),
            ticks: 0,
            frames: 0,
            failures: 0,
            fields: fields.map(|(_, n)| Values::new(cells * n)).collect(),
        }
    }

    /// Returns this simulator's recording of a log, with a tick for each of its commands, from tick
    /// 1.
    pub fn record(&self, log: &[CommandBuf]) -> Vec<u8> {
        let header = self.engine().header();
        let mut recorder = Recorder::new(Recording::new(Vec::new(), &header).unwrap(), &header);
        let mut plain = self.start();
        for (tick, commands) in (1..).zip(log) {
            recorder
                .step(&mut plain, tick, commands.as_commands())
                .unwrap();
        }
        recorder.finish().unwrap()
    }
}

/// The writer of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Writer {
    /// The command with this number in this frame, both from 0.
    Command { frame: u64, index: u32 },
    /// The propagator with this number.
    Propagator(usize),
    /// Nothing: it was never written, or the tick cleared it.
    Nobody,
}

/// The values of a field, and the writer of each.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    values: Vec<f32>,
    writers: Vec<Writer>,
}

impl Values {
    fn new(len: usize) -> Self {
        Self {
            values: vec![0.0; len],
            writers: vec![Writer::Nobody; len],
        }
    }

    fn set(&mut self, at: usize, value: f32, writer: Writer) {
        self.values[at] = value;
        self.writers[at] = writer;
    }

    fn get(&self, at: usize) -> f32 {
        self.values[at]
    }

    fn values(&self) -> impl Iterator<Item = f32> {
        self.values.iter().copied()
    }
}

/// Three ticks failed in a row, and no more are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("three ticks failed in a row")
    }
}

impl std::error::Error for Stopped {}

/// A running world.
#[derive(Clone, PartialEq, Debug)]
pub struct Plain {
    pub world: World,
    /// The number of ticks that were made.
    pub ticks: u64,
    /// The number of frames, with those of failed ticks.
    pub frames: u64,
    failures: u32,
    fields: Vec<Values>,
}

impl Plain {
    /// Returns the writer of a value after the last tick.
    pub fn writer(&self, field: u32, element: usize) -> Writer {
        self.fields[field as usize].writers[element]
    }

    /// Returns the place and the value that a command writes, unless it has expired.
    pub fn aim(&self, command: &Command<'_>) -> Option<(usize, usize, f32)> {
        let Ok(Payload::SetField {
            coord,
            field,
            value,
        }) = command.payload()
        else {
            return None;
        };
        let coord: Vec<i32> = coord.iter().collect();
        // The cell's number is the place even in a field with several values per cell, as in the
        // origin.
        let element = self.world.space.rank(&coord)?;
        let field = field as usize;
        let (lasts, _) = self.world.fields.get(field)?;
        (*lasts != Lasts::Never).then_some((field, element, value))
    }

    fn command(&self, next: &mut [Values], index: u32, command: &Command<'_>) {
        if let Some((field, element, value)) = self.aim(command) {
            let writer = Writer::Command {
                frame: self.frames - 1,
                index,
            };
            next[field].set(element, value, writer);
        }
    }

    fn tick(&self, commands: Commands<'_>) -> Option<Vec<Values>> {
        let number = self.ticks + 1;
        let taken = (0..).zip(commands).take(self.world.queue);
        let mut live: Vec<(u32, Command<'_>)> = taken
            .filter(|(_, command)| command.envelope.expires_after_tick >= number)
            .collect();
        live.sort_by_key(|(index, command)| {
            let envelope = &command.envelope;
            let source = envelope.source_id.unwrap_or(u64::MAX);
            let seq = envelope
                .source_id
                .and(envelope.source_seq)
                .unwrap_or(u64::MAX);
            (envelope.priority_class, source, seq, *index)
        });
        let fields = self.fields.iter().zip(&self.world.fields);
        let mut next: Vec<Values> = fields
            .map(|(values, (lasts, _))| match lasts {
                Lasts::OneTick => Values::new(values.values.len()),
                Lasts::On | Lasts::Never => values.clone(),
            })
            .collect();
        for (index, command) in &live {
            self.command(&mut next, *index, command);
        }
        let mut written = Vec::new();
        for (propagator, rule) in self.world.rules.iter().enumerate() {
            let mut tick = Tick {
                number,
                dt: self.world.dt,
                space: &self.world.space,
                before: &self.fields,
                next: &mut next,
                written: &written,
            };
            if !rule.apply(propagator, &mut tick) {
                return None;
            }
            written.push(rule.output());
        }
        Some(next)
    }
}

impl Simulation for Plain {
    type Error = Stopped;

    fn step(&mut self, _: u64, commands: Commands<'_>) -> Result<(), Stopped> {
        self.frames += 1;
        if self.failures == 3 {
            return Err(Stopped);
        }
        match self.tick(commands) {
            Some(next) => {
                self.fields = next;
                self.ticks += 1;
                self.failures = 0;
            }
            None => self.failures += 1,
        }
        Ok(())
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        self.fields
            .get(field as usize)
            .map(|field| field.values.as_slice())
    }

    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        self.aim(command)
            .map(|(field, element, _)| (field as u32, element))
    }
}

impl Checkpoint for Plain {
    type State = Self;

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn restore(&mut self, state: &Self) -> Result<(), Stopped> {
        self.clone_from(state);
        Ok(())
    }
}

/// The neighbours of cells at an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Edge {
    Absorb,
    Clamp,
    Wrap,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Space {
    Line(i32, Edge),
    Ring(i32),
    /// Rows and columns, with four neighbours each.
    Square4(i32, i32, Edge),
    Square8(i32, i32),
    /// Rows and columns; a coordinate names the column first.
    Hex(i32, i32),
    /// Width, height and depth; only coordinates with an even sum are cells.
    Fcc(i32, i32, i32),
    /// Cells that differ in the last component follow each other.
    Product(Vec<Self>),
}

impl Space {
    /// Returns all coordinates, in the order of a field's values.
    pub fn cells(&self) -> Vec<Vec<i32>> {
        match self {
            Self::Line(len, _) | Self::Ring(len) => (0..*len).map(|i| vec![i]).collect(),
            Self::Square4(rows, cols, _) | Self::Square8(rows, cols) => {
                let row = |row| (0..*cols).map(move |col| vec![row, col]);
                (0..*rows).flat_map(row).collect()
            }
            Self::Hex(rows, cols) => {
                let row = |r| (0..*cols).map(move |q| vec![q, r]);
                (0..*rows).flat_map(row).collect()
            }
            Self::Fcc(w, h, d) => {
                let mut cells = Vec::new();
                for z in 0..*d {
                    for y in 0..*h {
                        cells.extend((0..*w).map(|x| vec![x, y, z]));
                    }
                }
                cells.retain(|cell| cell.iter().sum::<i32>() % 2 == 0);
                cells
            }
            Self::Product(parts) => {
                let mut cells = vec![Vec::new()];
                for part in parts {
                    let inner = part.cells();
                    let beside = |head: Vec<i32>| {
                        let tails = inner.iter();
                        let joined = tails.map(move |tail| [head.as_slice(), tail].concat());
                        joined.collect::<Vec<_>>()
                    };
                    cells = cells.into_iter().flat_map(beside).collect();
                }
                cells
            }
        }
    }

    /// Returns the place of a coordinate among [`Space::cells`].
    pub fn rank(&self, coord: &[i32]) -> Option<usize> {
        self.cells().iter().position(|cell| cell == coord)
    }

    /// Returns true if [`Space::neighbours`] knows them.
    pub fn has_neighbours(&self) -> bool {
        matches!(self, Self::Line(..) | Self::Ring(_) | Self::Square4(..))
    }

    /// Returns the places of a cell's neighbours, in the origin's order.
    pub fn neighbours(&self, cell: usize) -> Vec<usize> {
        let cell = cell as i32;
        let found: Vec<i32> = match *self {
            Self::Line(len, edge) => {
                let sides = [cell - 1, cell + 1].into_iter();
                sides.filter_map(|i| along(i, len, edge)).collect()
            }
            Self::Ring(len) => {
                let sides = [cell - 1, cell + 1].into_iter();
                sides.filter_map(|i| along(i, len, Edge::Wrap)).collect()
            }
            Self::Square4(rows, cols, edge) => {
                let (row, col) = (cell / cols, cell % cols);
                let sides = [
                    (row - 1, col),
                    (row + 1, col),
                    (row, col - 1),
                    (row, col + 1),
                ];
                let inside = sides.into_iter().filter_map(|(row, col)| {
                    Some(along(row, rows, edge)? * cols + along(col, cols, edge)?)
                });
                inside.collect()
            }
            _ => unreachable!("no propagator here asks for these"),
        };
        found.into_iter().map(|cell| cell as usize).collect()
    }

    pub fn toml(&self) -> String {
        let edge = |edge: &Edge| match edge {
            Edge::Absorb => "absorb",
            Edge::Clamp => "clamp",
            Edge::Wrap => "wrap",
        };
        match self {
            Self::Line(len, at) => format!("kind = 'line1d', len = {len}, edge = '{}'", edge(at)),
            Self::Ring(len) => format!("kind = 'ring1d', len = {len}"),
            Self::Square4(rows, cols, at) => {
                let at = edge(at);
                format!("kind = 'square4', rows = {rows}, cols = {cols}, edge = '{at}'")
            }
            Self::Square8(rows, cols) => {
                format!("kind = 'square8', rows = {rows}, cols = {cols}, edge = 'absorb'")
            }
            Self::Hex(rows, cols) => format!("kind = 'hex2d', rows = {rows}, cols = {cols}"),
            Self::Fcc(w, h, d) => {
                format!("kind = 'fcc12', w = {w}, h = {h}, d = {d}, edge = 'absorb'")
            }
            Self::Product(parts) => {
                let parts: Vec<_> = parts
                    .iter()
                    .map(|p| format!("{{ {} }}", p.toml()))
                    .collect();
                format!("kind = 'product', components = [{}]", parts.join(", "))
            }
        }
    }
}

/// Returns a place on an axis, if there is one.
fn along(at: i32, len: i32, edge: Edge) -> Option<i32> {
    match edge {
        _ if (0..len).contains(&at) => Some(at),
        Edge::Absorb => None,
        Edge::Clamp => Some(at.clamp(0, len - 1)),
        Edge::Wrap => Some(at.rem_euclid(len)),
    }
}
