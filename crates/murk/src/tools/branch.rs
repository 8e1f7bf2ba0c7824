//! A recording that begins as another one did.

use gametape_core::Output;
use gametape_core::tape::Error;

use crate::engine::{EngineWorld, World};
use crate::tape::{MurkTape, WorldFile, needed, unwritable};
use crate::{Frame, RecordError, Recorder, Verifier};

/// The recording whose first ticks are taken over.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The recording.
    pub tape: MurkTape,
    /// The last tick that is taken over; all of them where none is named.
    pub tick: Option<u64>,
}

impl Branch {
    /// Its world, or the one that is given.
    pub(super) fn world(&self, given: Option<&WorldFile>) -> Result<World, Error> {
        let mut reader = self.tape.reader();
        Ok(needed(reader.header()?, given, self.tape.kinds())?)
    }

    /// Takes a world from its start to the tick in question: what was recorded up to there has to be
    /// right. Gives that tick.
    pub(super) fn replayed(&self, simulation: &mut EngineWorld) -> Result<u64, Error> {
        let mut reader = self.tape.reader();
        let header = reader.header()?.clone();
        let other =
            |error: String| unwritable(format!("what it branches from can't be replayed: {error}"));
        let verifier = Verifier::new(&header, simulation);
        let mut verifier = verifier.map_err(|error| other(error.to_string()))?;
        let last = self.each(|frame| {
            let pushed = verifier.push(frame);
            pushed.map_err(|error| other(error.to_string()))
        })?;
        verifier
            .finish()
            .map_err(|error| other(error.to_string()))?;
        Ok(last)
    }

    /// The tick in question, where the recording can be read up to there.
    pub(super) fn looked_at(&self) -> Result<u64, Error> {
        self.each(|_| Ok(()))
    }

    /// Records the frames up to tick `taken`: as they are, or as a world makes them of their commands.
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

    /// Goes through the frames up to the tick in question, which has to be there; gives it.
    fn each(&self, mut visit: impl FnMut(&Frame<'_>) -> Result<(), Error>) -> Result<u64, Error> {
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
                (None, None) => unwritable(format!("tick {tick} is not there: it has no ticks")),
                (None, Some((first, last))) => unwritable(format!(
                    "tick {tick} is not there to branch from; ticks {first} to {last} are"
                )),
            }),
            Some(_) => Ok(last),
            // All of it has to be whole.
            None => reader.findings().problem().map_or(Ok(last), Err),
        }
    }
}
