//! Verifies a recording, and explains where it diverges.

use std::time::{Duration, Instant};

use gametape_core::tape::{Error, Work};

use crate::tape::{
    Diverged, MurkTape, Recent, WorldFile, build, carried, judged, needed, stopped, unwritable,
};
use crate::{Divergence, Explanation, Verifier, VerifyError};

/// The result of replaying a recording.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The number of frames that were replayed and have the recorded state.
    pub frames: u64,
    /// The first difference; `None` if there is none.
    pub divergence: Option<Box<Divergence>>,
    /// How single slips explain it, if that was asked for.
    pub explanation: Option<Explanation>,
}

/// Replays a recording in the given world, or in its own, up to the first difference. A search of at most
/// `limit` then looks for the slip that explains it; with a limit of 0 there is none.
///
/// # Errors
/// If there is no world, or it is not that of the recording; if the recording is broken before it
/// diverges, or the world can't continue; if the work is cancelled.
pub fn check(
    tape: &MurkTape,
    given: Option<&WorldFile>,
    limit: Duration,
    work: &Work<'_>,
) -> Result<Checked, Error> {
    let start = Instant::now();
    let mut reader = tape.reader();
    let header = reader.header()?.clone();
    let world = needed(&header, given, tape.kinds())?;
    let mut simulation = build(&world, given.map(|file| &*file.path))?;
    let other = |error: VerifyError<_>| match error {
        VerifyError::Simulation { .. } => stopped(error.to_string()),
        error => unwritable(error.to_string()),
    };
    let mut verifier = Verifier::new(&header, &mut simulation).map_err(other)?;
    let (mut recent, mut error) = (Recent::default(), None);
    while let Some(frame) = reader.next_frame()? {
        if let Err(found) = verifier.push(&frame) {
            error = Some(found);
            break;
        }
        recent.stepped(&frame, verifier.simulation());
        work.done(frame.offset)?;
    }
    let finished = match error {
        Some(error) => Err(error),
        None => verifier.finish(),
    };
    let divergence = match finished {
        Ok(verified) => {
            return match reader.findings().problem() {
                Some(problem) => Err(problem),
                None => Ok(Checked {
                    frames: verified.frames,
                    divergence: None,
                    explanation: None,
                }),
            };
        }
        Err(VerifyError::SnapshotMismatch(divergence)) => divergence,
        Err(error) => return Err(other(error)),
    };
    let frames = divergence.frame;
    if limit.is_zero() {
        return Ok(Checked {
            frames,
            divergence: Some(divergence),
            explanation: None,
        });
    }
    let before = carried(&header, tape.kinds()).and_then(Result::ok);
    let before = before.filter(|before| *before != world);
    let diverged = Diverged {
        tape,
        world: &world,
        before: before.as_ref(),
        divergence: &divergence,
        recent,
        took: start.elapsed(),
    };
    let explanation = diverged.explain(limit, &mut |_| work.wanted().is_ok())?;
    work.wanted()?;
    let divergence = match &explanation {
        Some(found) => judged(divergence, found),
        None => divergence,
    };
    Ok(Checked {
        frames,
        divergence: Some(divergence),
        explanation,
    })
}
