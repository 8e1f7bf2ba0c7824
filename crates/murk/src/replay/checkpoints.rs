//! States saved along a recording, for seeking to any tick and for verifying parts in parallel.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::read::Replay;
use crate::replay::verify::{Verified, Verifier, VerifyError, run};
use crate::simulation::Checkpoint;

/// States that were saved every few frames, with their places in the recording.
#[derive(Clone, Debug)]
pub struct Checkpoints<T> {
    saved: Vec<SavedState<T>>,
}

#[derive(Clone, Debug)]
struct SavedState<T> {
    /// The next frame.
    frame: u64,
    offset: u64,
    /// The tick of the state; `None` for the initial state.
    tick: Option<u64>,
    state: T,
}

impl<T> SavedState<T> {
    /// Restores the state into a simulation; `tick` is the caller's target, for errors.
    fn restore_into<S: Checkpoint<State = T>>(
        &self,
        simulation: &mut S,
        tick: u64,
    ) -> Result<(), VerifyError<S::Error>> {
        let frame = self.frame;
        simulation
            .restore(&self.state)
            .map_err(|source| VerifyError::Simulation {
                frame,
                tick,
                source,
            })
    }
}

impl<T> Checkpoints<T> {
    /// Replays a recording, verifies it, and saves the state at the start and after every `every`
    /// frames.
    ///
    /// # Errors
    /// Same as [`verify`](crate::verify()).
    pub fn record<S>(
        replay: &Replay<'_>,
        simulation: &mut S,
        every: u64,
    ) -> Result<(Self, Verified), VerifyError<S::Error>>
    where
        S: Checkpoint<State = T>,
    {
        let every = every.max(1);
        let mut saved = vec![SavedState {
            frame: 0,
            offset: replay.header_size(),
            tick: None,
            state: simulation.checkpoint(),
        }];
        let mut verifier = Verifier::new(replay.header(), simulation)?;
        for frame in replay.frames() {
            let frame = frame?;
            verifier.push(&frame)?;
            if (frame.index + 1).is_multiple_of(every) {
                saved.push(SavedState {
                    frame: frame.index + 1,
                    offset: frame.offset + frame.size(),
                    tick: Some(frame.tick),
                    state: verifier.simulation().checkpoint(),
                });
            }
        }
        Ok((Self { saved }, verifier.finish()?))
    }

    /// Returns the number of checkpoints.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.saved.len()
    }

    /// Returns true if there is no checkpoint.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.saved.is_empty()
    }

    /// Takes `simulation` to the state after `tick`: restores the last checkpoint before it, and
    /// replays from there. Returns false if the recording has no such tick; the simulation is then
    /// at the end of the recording.
    ///
    /// # Errors
    /// [`VerifyError::Read`], [`VerifyError::Simulation`].
    pub fn seek<S>(
        &self,
        replay: &Replay<'_>,
        simulation: &mut S,
        tick: u64,
    ) -> Result<bool, VerifyError<S::Error>>
    where
        S: Checkpoint<State = T>,
    {
        let before = |saved: &&SavedState<T>| saved.tick.is_none_or(|at| at <= tick);
        let Some(start) = self.saved.iter().rev().find(before) else {
            return Ok(false);
        };
        start.restore_into(simulation, tick)?;
        if start.tick == Some(tick) {
            return Ok(true);
        }
        let frames = replay.frames_from(start.frame, start.offset);
        run(frames, simulation, |frame| frame.tick == tick)
    }

    /// Verifies the parts of the recording in parallel, each from the state saved at its start.
    /// There are as many threads as simulations.
    ///
    /// # Errors
    /// The first error in the recording's order.
    pub fn verify<S>(
        &self,
        replay: &Replay<'_>,
        simulations: Vec<S>,
    ) -> Result<Verified, VerifyError<S::Error>>
    where
        S: Checkpoint<State = T> + Send,
        T: Send + Sync,
    {
        let next = AtomicUsize::new(0);
        let work = |mut simulation: S| {
            let mut results = Vec::new();
            loop {
                let part = next.fetch_add(1, Ordering::Relaxed);
                let Some(start) = self.saved.get(part) else {
                    return results;
                };
                let end = self.saved.get(part + 1).map(|saved| saved.frame);
                results.push((part, verify_part(replay, &mut simulation, start, end)));
            }
        };
        let works = simulations
            .into_iter()
            .map(|simulation| || work(simulation));
        let mut parts: Vec<_> = side_by_side(works).into_iter().flatten().collect();
        parts.sort_by_key(|(part, _)| *part);
        let mut all = Verified::default();
        for (_, verified) in parts {
            let verified = verified?;
            all.frames += verified.frames;
            all.last_tick = verified.last_tick.or(all.last_tick);
        }
        Ok(all)
    }
}

fn verify_part<S: Checkpoint>(
    replay: &Replay<'_>,
    simulation: &mut S,
    start: &SavedState<S::State>,
    end: Option<u64>,
) -> Result<Verified, VerifyError<S::Error>> {
    start.restore_into(simulation, start.tick.unwrap_or_default())?;
    let mut verifier = Verifier::new(replay.header(), simulation)?;
    for frame in replay.frames_from(start.frame, start.offset) {
        let frame = frame?;
        if end.is_some_and(|end| frame.index >= end) {
            break;
        }
        verifier.push(&frame)?;
    }
    verifier.finish()
}

/// Runs each closure on its own thread; returns their results, in order.
pub(crate) fn side_by_side<W, T>(works: impl Iterator<Item = W>) -> Vec<T>
where
    W: FnOnce() -> T + Send,
    T: Send,
{
    std::thread::scope(|scope| {
        let threads: Vec<_> = works.map(|work| scope.spawn(work)).collect();
        let results = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => result,
            // The panic of a simulation is its author's, so it is passed on.
            Err(panic) => std::panic::resume_unwind(panic),
        });
        results.collect()
    })
}
