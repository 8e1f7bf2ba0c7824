//! A recording that begins with the ticks of another one.

use gametape_core::Output;
use gametape_core::tape::{Error, Work};
use gametape_core::text::Grouped;

use crate::engine::{EngineWorld, World};
use crate::tape::{MurkTape, WorldFile, needed, unwritable};
use crate::{Frame, RecordError, Recorder, Verifier};

/// The recording whose first ticks are used.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The recording.
    pub tape: MurkTape,
    /// The last tick that is used; `None` for all.
    pub tick: Option<u64>,
}

impl Branch {
    /// Returns its world, or the given one.
    pub(super) fn world(&self, given: Option<&WorldFile>) -> Result<World, Error> {
        let mut reader = self.tape.reader();
        Ok(needed(reader.header()?, given, self.tape.kinds())?)
    }

    /// Takes a world from its start to the last tick that is used, and returns that tick. The
    /// recording must verify up to there.
    ///
    /// # Errors
    /// If it does not, or has no such tick; [`Error::Cancelled`].
    pub fn replayed(&self, simulation: &mut EngineWorld, work: &Work<'_>) -> Result<u64, Error> {
        let mut reader = self.tape.reader();
        let header = reader.header()?.clone();
        let other = |error: String| {
            unwritable(format!(
                "the recording that it branches from can't be replayed: {error}"
            ))
        };
        let verifier = Verifier::new(&header, simulation);
        let mut verifier = verifier.map_err(|error| other(error.to_string()))?;
        let last = self.each(|frame| {
            work.done(frame.offset)?;
            let pushed = verifier.push(frame);
            pushed.map_err(|error| other(error.to_string()))
        })?;
        verifier
            .finish()
            .map_err(|error| other(error.to_string()))?;
        Ok(last)
    }

    /// Returns the last tick that is used, if the recording can be read up to there.
    pub(super) fn looked_at(&self) -> Result<u64, Error> {
        self.each(|_| Ok(()))
    }

    /// Records the frames up to tick `taken`: unchanged, or as a world makes them from their
    /// commands.
    pub(super) fn take_over<O: Output>(
        &self,
        taken: u64,
        recorder: &mut Recorder<O>,
        mut simulation: Option<&mut EngineWorld>,
    ) -> Result<(), Error> {
        if taken == 0 {
            return Ok(());
        }
        let this = Self {
            tape: self.tape.clone(),
            tick: Some(taken),
        };
        let taken = this.each(|frame| {
            let (tick, commands) = (frame.tick, frame.commands());
            match &mut simulation {
                None => Ok(recorder
                    .writer()
                    .push(tick, commands, frame.snapshot_hash)?),
                Some(simulation) => match recorder.step(&mut **simulation, tick, commands) {
                    Ok(_) => Ok(()),
                    Err(RecordError::Write(error)) => Err(error.into()),
                    Err(error) => Err(crate::tape::stopped(error.to_string())),
                },
            }
        });
        taken.map(drop)
    }

    /// Visits the frames up to the last tick that is used, and returns that tick, which must exist.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(&Frame<'_>) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let mut reader = self.tape.reader();
        reader.header()?;
        let mut ticks = None;
        while let Some(frame) = reader.next_frame()? {
            if self.tick.is_some_and(|last| frame.tick > last) {
                break;
            }
            let first = ticks.map_or(frame.tick, |(first, _)| first);
            ticks = Some((first, frame.tick));
            visit(&frame)?;
        }
        let last = ticks.map_or(0, |(_, last)| last);
        match self.tick {
            Some(tick) if tick != last => Err(match (reader.findings().problem(), ticks) {
                (Some(problem), _) => problem,
                (None, None) => unwritable(format!(
                    "there is no tick {}: the recording has no ticks",
                    Grouped(tick)
                )),
                (None, Some((first, last))) => unwritable(format!(
                    "there is no tick {} to branch from; the recording has ticks {} to {}",
                    Grouped(tick),
                    Grouped(first),
                    Grouped(last)
                )),
            }),
            Some(_) => Ok(last),
            // All of the recording must be whole.
            None => reader.findings().problem().map_or(Ok(last), Err),
        }
    }
}
