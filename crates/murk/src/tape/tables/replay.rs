//! The world at any tick: states are saved on the way, and the ticks since a saved state are replayed.

use gametape_core::Stamp;
use gametape_core::tape::{AnyFinding, Error};

use super::seek::{FrameFinder, Marks};
use crate::engine::{EngineError, EngineWorld, SavedWorld, World};
use crate::replay::comparison::{HashComparison, hash_of};
use crate::simulation::Checkpoint;
use crate::tape::audit::outcome;
use crate::tape::error::{damaged, stopped};
use crate::tape::opened::MurkTape;
use crate::tape::world;
use crate::{Frame, Header, Simulation, Verifier, VerifyError};

/// The size of a saved state in bytes, apart from its values.
const OVERHEAD: usize = 256;

/// Replays the tick of a frame.
pub(super) fn replay(world: &mut EngineWorld, frame: &Frame<'_>) -> Result<(), Error> {
    let made = world.step(frame.tick, frame.commands());
    made.map_err(|error| stopped(format!("tick {}: {error}", frame.tick)))
}

/// The difference between a replay and the recorded run.
#[derive(Default)]
struct WrongHash {
    /// The hashes of the recorded and the replayed world, if they differ.
    misfit: Option<[u64; 2]>,
    /// The first difference from the recording.
    parted: Option<AnyFinding>,
}

impl WrongHash {
    /// Compares the worlds. If they differ, the hash is removed from the header, so that the frames can be
    /// verified all the same.
    fn of(header: &mut Header<'_>, world: &EngineWorld) -> Self {
        let fits = world.config_form(header).is_some();
        let other = world.config_hash().filter(|_| !fits);
        Self {
            misfit: other.map(|expected| [std::mem::take(&mut header.config_hash), expected]),
            parted: None,
        }
    }

    const fn is_nothing(&self) -> bool {
        self.misfit.is_none() && self.parted.is_none()
    }

    /// Returns the difference as an error.
    fn error(&self) -> Option<Error> {
        if let Some([recorded, expected]) = self.misfit {
            let mismatch: VerifyError<EngineError> =
                VerifyError::ConfigMismatch { recorded, expected };
            let advice = "the values are those of a replay in that one";
            return Some(damaged(&outcome(mismatch), advice));
        }
        Some(Error::Broken(Box::new(self.parted.clone()?)))
    }
}

/// A world that is replayed from the start and compared with the recording. The replay continues after a
/// difference, which is then reported.
pub(super) struct CheckedWorld {
    engine: EngineWorld,
    fields: u32,
    checks: HashComparison,
    wrong: WrongHash,
}

impl CheckedWorld {
    /// Starts with a world in its initial state, for a recording with this header.
    pub fn new(header: &Header<'_>, mut engine: EngineWorld) -> Result<Self, Error> {
        let mut header = header.clone();
        let wrong = WrongHash::of(&mut header, &engine);
        let checks = verifier(&header, &mut engine)?.into_checks();
        Ok(Self {
            engine,
            fields: header.field_count,
            checks,
            wrong,
        })
    }

    /// Replays the tick of a frame.
    pub fn tick(&mut self, frame: &Frame<'_>) -> Result<(), Error> {
        replay(&mut self.engine, frame)?;
        if self.wrong.is_nothing() {
            let stepped = self.checks.stepped(&self.engine, frame);
            self.wrong.parted = stepped.err().map(VerifyError::SnapshotMismatch).map(parted);
        }
        Ok(())
    }

    /// Returns the world after the last tick.
    pub const fn world(&self) -> &EngineWorld {
        &self.engine
    }

    /// Returns the hash of the world after the last tick.
    pub fn hash(&self) -> u64 {
        hash_of(&self.engine, self.fields)
    }

    /// Returns the difference from the recorded run so far.
    pub fn so_far(&mut self) -> Option<Error> {
        if self.wrong.is_nothing() {
            let settled = self.checks.compare(&self.engine);
            self.wrong.parted = settled.err().map(VerifyError::SnapshotMismatch).map(parted);
        }
        self.wrong.error()
    }
}

fn verifier<'w>(
    header: &Header<'_>,
    world: &'w mut EngineWorld,
) -> Result<Verifier<'w, EngineWorld>, Error> {
    Verifier::new(header, world).map_err(|error| stopped(error.to_string()))
}

fn parted(error: VerifyError<EngineError>) -> AnyFinding {
    let mut finding = outcome(error).told();
    finding
        .rule
        .sentence
        .push_str("; from there on the values are those of the replay, not of the recorded run");
    finding
}

struct SavedTick {
    /// The next frame.
    next: u64,
    state: SavedWorld,
}

/// A replay with saved states, at intervals for which the states of the whole recording fit the allowed
/// memory.
pub(super) struct SavedReplay {
    world: World,
    engine: EngineWorld,
    /// The next frame; `None` if the engine can't continue.
    next: Option<u64>,
    frames: FrameFinder,
    /// In the order of the frames. The first is the initial state.
    saved: Vec<SavedTick>,
    /// The number of frames between saved states.
    every: u64,
    /// The furthest frame that was replayed.
    made: Option<Stamp>,
    header: Header<'static>,
    /// The number of frames that were compared with the replay.
    compared: u64,
    wrong: WrongHash,
}

impl SavedReplay {
    /// Starts a replay of a recording with this number of frames, whose saved states take at most `most` bytes.
    pub fn new(tape: &MurkTape, world: World, frames: u64, most: u64) -> Result<Self, Error> {
        let engine = world::build(&world, None)?;
        let state = engine.checkpoint();
        let size = (state.size() + OVERHEAD) as u64;
        let mut reader = tape.reader();
        let mut header = reader.header()?.clone();
        Ok(Self {
            wrong: WrongHash::of(&mut header, &engine),
            header,
            compared: 0,
            world,
            engine,
            next: Some(0),
            frames: FrameFinder::new(tape),
            saved: vec![SavedTick { next: 0, state }],
            every: frames.saturating_mul(size).div_ceil(most.max(1)).max(1),
            made: None,
        })
    }

    /// Returns the furthest frame that was replayed. Up to it, any moment is only some ticks from a saved
    /// state.
    pub const fn made(&self) -> Option<Stamp> {
        self.made
    }

    /// Returns the size of all saved states in bytes.
    pub fn size(&self) -> u64 {
        let sizes = self.saved.iter();
        let sizes = sizes.map(|saved| saved.state.size() + OVERHEAD);
        sizes.sum::<usize>() as u64
    }

    /// Returns the world after a frame.
    pub fn at(&mut self, marks: &Marks, step: u64) -> Result<&EngineWorld, Error> {
        let mut next = self.nearest(step)?;
        let mut verifier = verifier(&self.header, &mut self.engine)?;
        while next <= step {
            let Some(frame) = self.frames.get(marks, next)? else {
                // The recording has changed since the frames were counted.
                return Err(stopped(format!("frame {next} no longer exists")));
            };
            self.next = None;
            replay(verifier.simulation_mut(), &frame)?;
            if next >= self.compared && self.wrong.is_nothing() {
                self.wrong.parted = verifier.stepped(&frame).err().map(parted);
            }
            let stamp = marks.stamp(&frame);
            if self.made.is_none_or(|made| made.step < stamp.step) {
                self.made = Some(stamp);
            }
            next += 1;
            self.next = Some(next);
            let last = self.saved.last().map_or(0, |saved| saved.next);
            let engine = verifier.simulation();
            // A saved state does not contain the engine's record of failed ticks.
            let is_whole = engine.failure().is_none();
            if is_whole && next >= last.saturating_add(self.every) {
                let state = engine.checkpoint();
                self.saved.push(SavedTick { next, state });
            }
        }
        if self.wrong.is_nothing() {
            self.wrong.parted = verifier.settle().err().map(parted);
        }
        self.compared = self.compared.max(next);
        Ok(&self.engine)
    }

    /// Returns the difference from the recorded run at a frame that was replayed.
    pub fn problem(&self, step: u64) -> Option<Error> {
        let parted = self
            .wrong
            .parted
            .as_ref()
            .and_then(|parted| parted.place.step);
        let since = parted.unwrap_or(0);
        self.wrong.error().filter(|_| since <= step)
    }

    /// Moves the engine to the nearest state that is not after a frame. Returns the next frame.
    fn nearest(&mut self, step: u64) -> Result<u64, Error> {
        let after = self
            .saved
            .partition_point(|saved| saved.next <= step.saturating_add(1));
        let before = after.checked_sub(1).and_then(|at| self.saved.get(at));
        if let Some(next) = self.next
            && next <= step.saturating_add(1)
            && before.is_none_or(|saved| saved.next <= next)
        {
            return Ok(next);
        }
        self.next = None;
        let restored = before.map(|saved| self.engine.restore(&saved.state).map(|()| saved.next));
        let next = if let Some(Ok(next)) = restored {
            next
        } else {
            // Start over.
            self.engine = world::build(&self.world, None)?;
            0
        };
        self.next = Some(next);
        Ok(next)
    }
}
