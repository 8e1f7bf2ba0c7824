//! The playback of a recording, with its path in every error.

use std::fmt;
use std::ops::{Deref, DerefMut};

use gametape_core::table::{self, Batch, Scan};
use gametape_core::tape::Work;
use gametape_core::{At, Stamp};

use crate::{Error, Recording};

/// A recording at a moment. Move it with [`seek`](Self::seek) or [`step`](Self::step), then read the
/// [`state`](Self::state) at that moment. The other methods are those of [`table::Playback`].
///
/// It keeps its recording open, and can be moved to another thread.
pub struct Playback {
    recording: Recording,
    inner: Box<dyn table::Playback>,
}

impl fmt::Debug for Playback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Playback")
            .field("recording", &self.recording)
            .field("now", &self.inner.now())
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Returns a playback, which gives the state at any moment: see [`Playback`].
    ///
    /// ```
    /// use gametape::{At, Scan, Value};
    /// # let bytes = gametape_samples::mines::example();
    /// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
    /// let mut play = tape.playback()?;
    /// play.seek("1.5".parse::<At>().unwrap())?;
    /// let cursor = play.state(&Scan::table("cursor").columns(["x", "y"]))?;
    /// assert!(matches!(cursor.get(0, 0), Value::Int(_)));
    /// # Ok::<(), gametape::Error>(())
    /// ```
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn playback(&self) -> Result<Playback, Error> {
        self.playback_with(&Work::default())
    }

    /// Like [`Recording::playback`], with progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::playback`]; [`Cancelled`](gametape_core::tape::Error::Cancelled).
    pub fn playback_with(&self, work: &Work<'_>) -> Result<Playback, Error> {
        Ok(Playback {
            inner: self.explain(self.tape().playback_with(work))?,
            recording: self.clone(),
        })
    }
}

impl Playback {
    /// Goes to the newest step that is not after this moment, and returns its stamp.
    ///
    /// # Errors
    /// Same as [`table::Playback::seek`].
    pub fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        self.recording.explain(self.inner.seek(at))
    }

    /// Goes to the next step and returns its stamp; `None` after the last step.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn step(&mut self) -> Result<Option<Stamp>, Error> {
        self.recording.explain(self.inner.step())
    }

    /// Returns the rows of a state, the cells of a grid, or the facts that are valid now.
    ///
    /// # Errors
    /// Same as [`table::Playback::state`].
    pub fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        self.recording.explain(self.inner.state(scan))
    }

    /// Like [`Playback::state`], with cancellation: where all steps before now must be computed first, it
    /// looks for it every few steps. Cancelled, it stays at this moment.
    ///
    /// # Errors
    /// Same as [`Playback::state`]; [`Cancelled`](gametape_core::tape::Error::Cancelled).
    pub fn state_with(&mut self, scan: &Scan, work: &Work<'_>) -> Result<Batch, Error> {
        /// The most steps that are computed at once.
        const SOME: u64 = 16;
        let now = self.now().step;
        let none = Scan {
            columns: Some(Vec::new()),
            ..scan.clone()
        };
        let mut reached = self.reach().step;
        while reached.saturating_add(SOME) < now {
            let gone = self.reach_step(reached + SOME, &none, work);
            self.seek(At::Step(now))?;
            gone?;
            let before = std::mem::replace(&mut reached, self.reach().step);
            if reached <= before {
                // The state of this table needs no other steps.
                break;
            }
        }
        self.state(scan)
    }

    /// Computes the steps up to this one.
    fn reach_step(&mut self, step: u64, none: &Scan, work: &Work<'_>) -> Result<(), Error> {
        self.recording.explain(work.wanted())?;
        self.seek(At::Step(step))?;
        self.state(none).map(drop)
    }

    /// Returns a problem met while building the current state: see [`table::Playback::problem`].
    pub fn problem(&self) -> Option<Error> {
        let problem = self.inner.problem();
        problem.map(Error::tape(self.recording.path()))
    }

    /// Returns the playback alone, which outlives the recording and can go to another thread. Its errors have
    /// no path.
    #[must_use]
    pub fn into_inner(self) -> Box<dyn table::Playback> {
        self.inner
    }
}

impl Deref for Playback {
    type Target = dyn table::Playback;

    fn deref(&self) -> &Self::Target {
        &*self.inner
    }
}

impl DerefMut for Playback {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.inner
    }
}
