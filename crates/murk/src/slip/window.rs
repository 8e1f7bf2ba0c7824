//! The frames around a divergence, in memory.

use crate::layout::Frame;
use crate::layout::encode::CommandBuf;
use crate::model::command::Commands;
use crate::replay::comparison::HashComparison;
use crate::simulation::Checkpoint;

/// The number of frames before the divergence that are kept, which limits how far back a slip is
/// searched.
pub(crate) const BACK: u64 = 64;
/// The most frames that are kept, and the most bytes of their commands. A divergence is explained
/// long before that.
const MAX_FRAMES: usize = 200_000;
const MAX_BYTES: usize = 64 << 20;

/// A frame that is kept.
#[derive(Debug)]
pub(super) struct WindowFrame {
    pub tick: u64,
    pub hash: u64,
    pub commands: CommandBuf,
}

/// The frames of a recording from a little before the divergence on.
#[derive(Debug)]
pub(crate) struct Window {
    first: u64,
    at: usize,
    frames: Vec<WindowFrame>,
    bytes: usize,
}

impl Window {
    /// Returns the first frame of the window of a divergence at this frame.
    pub const fn begin(frame: u64) -> u64 {
        frame.saturating_sub(BACK)
    }

    /// Creates a window that begins with the frame `first`; the divergence is at `frame`.
    pub const fn new(first: u64, frame: u64) -> Self {
        Self {
            first,
            at: frame.saturating_sub(first) as usize,
            frames: Vec::new(),
            bytes: 0,
        }
    }

    /// Takes the next frame; returns false if there is no room for more.
    pub fn push(&mut self, frame: &Frame<'_>) -> bool {
        let size = frame.commands().as_bytes().len();
        // The divergence itself and one frame after it are always kept.
        let needed = self.frames.len() <= self.at + 1;
        if !needed && (self.frames.len() >= MAX_FRAMES || self.bytes + size > MAX_BYTES) {
            return false;
        }
        let mut commands = CommandBuf::new();
        commands.assign(frame.commands());
        self.bytes += size;
        self.frames.push(WindowFrame {
            tick: frame.tick,
            hash: frame.snapshot_hash,
            commands,
        });
        true
    }

    /// Returns the place of the divergence.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of frames.
    pub const fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the recorded frame at a place.
    pub fn frame(&self, place: usize) -> Option<Frame<'_>> {
        let frame = self.frames.get(place)?;
        Some(Frame {
            index: self.first + place as u64,
            offset: 0,
            tick: frame.tick,
            snapshot_hash: frame.hash,
            commands: frame.commands.as_commands(),
        })
    }

    /// Returns the recorded hash at a place.
    pub fn hash(&self, place: usize) -> Option<u64> {
        self.frames.get(place).map(|frame| frame.hash)
    }

    pub fn tick(&self, place: usize) -> u64 {
        self.frames.get(place).map_or(0, |frame| frame.tick)
    }

    pub fn index(&self, place: usize) -> u64 {
        self.first + place as u64
    }

    pub fn commands(&self, place: usize) -> Commands<'_> {
        self.frames
            .get(place)
            .map(|frame| frame.commands.as_commands())
            .unwrap_or_default()
    }
}

/// Returns true if a frame has the same content as the one before it.
pub(super) fn is_repeated(window: &Window, place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|place| window.frame(place));
    let frame = window.frame(place);
    before.zip(frame).is_some_and(|(before, frame)| {
        before.commands() == frame.commands() && before.snapshot_hash == frame.snapshot_hash
    })
}

/// Makes ticks as recorded; returns the place of the first that leads to another hash, or the end.
pub(super) fn run<S: Checkpoint>(
    simulation: &mut S,
    window: &Window,
    fields: u32,
    places: std::ops::Range<usize>,
) -> usize {
    let mut checks = HashComparison::new(fields);
    let first = window.index(0);
    let stopped = |frame: u64| frame.saturating_sub(first) as usize;
    for place in places.clone() {
        let Some(frame) = window.frame(place) else {
            return place;
        };
        if simulation.step(frame.tick, frame.commands()).is_err() {
            let waiting = checks.compare(simulation);
            return waiting.err().map_or(place, |other| stopped(other.frame));
        }
        if let Err(other) = checks.stepped(simulation, &frame) {
            return stopped(other.frame);
        }
    }
    let waiting = checks.compare(simulation);
    waiting
        .err()
        .map_or(places.end, |other| stopped(other.frame))
}
