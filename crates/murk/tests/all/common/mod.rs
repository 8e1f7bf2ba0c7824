//! A small deterministic simulation, and recordings of it.

#[cfg(feature = "engine")]
pub mod plain;
#[cfg(feature = "engine")]
pub mod runs;
#[cfg(feature = "tape")]
pub mod tapes;

use std::convert::Infallible;

use gametape_murk::{
    Checkpoint, Command, CommandBuf, Commands, Envelope, Header, Location, Payload, Recorder,
    Simulation, Writer, read,
};
pub use gametape_testkit::Random as Noise;

/// Rows and columns.
pub const ROWS: usize = 9;
pub const COLS: usize = 14;
pub const CELLS: usize = ROWS * COLS;

/// Heat that spreads, and a wind with two components that follows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub heat: Vec<f32>,
    pub wind: Vec<f32>,
    pub steps: u64,
    /// A fault: at this step, this element of the heat is off by these bits.
    pub fault: Option<(u64, usize, u32)>,
}

impl Grid {
    pub fn new() -> Self {
        Self {
            heat: vec![0.0; CELLS],
            wind: vec![0.0; 2 * CELLS],
            steps: 0,
            fault: None,
        }
    }

    pub fn header() -> Header<'static> {
        Header {
            seed: 11,
            config_hash: 0x1234,
            field_count: 3,
            cell_count: CELLS as u64,
            ..Header::default()
        }
    }
}

impl Simulation for Grid {
    type Error = Infallible;

    fn step(&mut self, _tick: u64, commands: Commands<'_>) -> Result<(), Infallible> {
        self.steps += 1;
        for command in commands {
            if let Some((0, cell)) = self.target(&command)
                && let Ok(Payload::SetField { value, .. }) = command.payload()
            {
                self.heat[cell] = value;
            }
        }
        let old = self.heat.clone();
        for cell in 0..CELLS {
            let (row, col) = (cell / COLS, cell % COLS);
            let at = |row: usize, col: usize| old[row * COLS + col];
            let mut sum = 0.0;
            if row > 0 {
                sum += at(row - 1, col) - old[cell];
            }
            if row + 1 < ROWS {
                sum += at(row + 1, col) - old[cell];
            }
            if col > 0 {
                sum += at(row, col - 1) - old[cell];
            }
            if col + 1 < COLS {
                sum += at(row, col + 1) - old[cell];
            }
            self.heat[cell] = old[cell] + 0.1 * sum;
            self.wind[2 * cell] = sum;
            self.wind[2 * cell + 1] = -sum * 0.5;
        }
        if let Some((step, element, bits)) = self.fault
            && step == self.steps
        {
            self.heat[element] = f32::from_bits(self.heat[element].to_bits() ^ bits);
        }
        Ok(())
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        // Field 2 never exists.
        [self.heat.as_slice(), &self.wind]
            .get(field as usize)
            .copied()
    }

    fn config_hash(&self) -> Option<u64> {
        Some(0x1234)
    }

    fn field_name(&self, field: u32) -> Option<&str> {
        ["heat", "wind"].get(field as usize).copied()
    }

    fn locate(&self, field: u32, element: usize) -> Option<Location> {
        let components = if field == 1 { 2 } else { 1 };
        let cell = element / components;
        Some(Location {
            coord: vec![(cell / COLS) as i32, (cell % COLS) as i32],
            component: (element % components) as u32,
            components: components as u32,
        })
    }

    fn target(&self, command: &Command<'_>) -> Option<(u32, usize)> {
        let Ok(Payload::SetField { coord, field, .. }) = command.payload() else {
            return None;
        };
        let [row, col] = coord.iter().collect::<Vec<_>>().try_into().ok()?;
        let (row, col) = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
        (field == 0 && row < ROWS && col < COLS).then_some((0, row * COLS + col))
    }
}

impl Checkpoint for Grid {
    type State = Self;

    fn checkpoint(&self) -> Self {
        self.clone()
    }

    fn restore(&mut self, state: &Self) -> Result<(), Infallible> {
        let fault = self.fault;
        *self = state.clone();
        self.fault = fault;
        Ok(())
    }
}

/// Returns the payload that sets a field in one cell.
pub fn set(coord: &[i32], field: u32, value: f32) -> Payload<'_> {
    Payload::SetField {
        coord: coord.into(),
        field,
        value,
    }
}

/// Returns the commands of a tick with only this one.
#[cfg(feature = "engine")]
pub fn only(payload: &Payload<'_>) -> CommandBuf {
    let mut commands = CommandBuf::new();
    commands.push(&Envelope::default(), payload).unwrap();
    commands
}

/// Returns the commands of a tick: none, one or several.
pub fn commands(noise: &mut Noise) -> CommandBuf {
    let mut commands = CommandBuf::new();
    for _ in 0..noise.below(4) {
        let coord = [noise.below(ROWS) as i32, noise.below(COLS) as i32];
        let envelope = Envelope {
            source_id: Some(noise.below(3) as u64),
            ..Envelope::default()
        };
        let value = noise.below(1000) as f32 / 7.0;
        let payload = set(&coord, 0, value);
        commands.push(&envelope, &payload).unwrap();
    }
    commands
}

/// Returns a recording with this many ticks.
pub fn recording(ticks: u64, seed: u64) -> Vec<u8> {
    let mut noise = Noise(seed);
    let header = Grid::header();
    let writer = Writer::new(Vec::new(), &header).unwrap();
    let mut recorder = Recorder::new(writer, &header);
    let mut grid = Grid::new();
    for tick in 1..=ticks {
        let commands = commands(&mut noise);
        recorder
            .step(&mut grid, tick, commands.as_commands())
            .unwrap();
    }
    recorder.finish().unwrap()
}

/// Returns the offsets of the frames of a recording, and the end of the last one.
pub fn bounds(bytes: &[u8]) -> Vec<usize> {
    let replay = read(bytes).unwrap();
    let mut bounds = vec![replay.header_size() as usize];
    for frame in replay.frames() {
        let frame = frame.unwrap();
        bounds.push((frame.offset + frame.size()) as usize);
    }
    bounds
}

/// Compares errors with a table that has two lines for each case: what is refused, with `\n` for
/// the end of a line, and its error, or the beginning of that before a `…`.
#[cfg(feature = "engine")]
pub fn refusals(table: &str, error_of: impl Fn(&str) -> String) {
    let lines: Vec<&str> = table.trim().lines().map(str::trim).collect();
    for case in lines.chunks_exact(2) {
        let found = error_of(&case[0].replace("\\n", "\n"));
        let same = match case[1].strip_suffix('…') {
            Some(start) => found.starts_with(start),
            None => found == case[1],
        };
        assert!(same, "{}\n{found}\n{}", case[0], case[1]);
    }
}
