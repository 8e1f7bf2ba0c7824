//! Verifies a recording, and explains where it diverges.

use std::time::Duration;

use gametape_core::tape::{Error, Work};

use crate::tape::{
    MurkTape, WorldFile, build, needed, other_carried, replayed, stopped, unwritable,
};
use crate::{Divergence, Explanation, VerifyError};

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
    let header = tape.reader().header()?.clone();
    let world = needed(&header, given, tape.kinds())?;
    let mut simulation = build(&world, given.map(|file| &*file.path))?;
    let other = |error: VerifyError<_>| match error {
        VerifyError::Simulation { .. } => stopped(error.to_string()),
        error => unwritable(error.to_string()),
    };
    let diverged = match replayed(tape, &header, &mut simulation, work, other)? {
        Ok(frames) => {
            return Ok(Checked {
                frames,
                divergence: None,
                explanation: None,
            });
        }
        Err(diverged) => diverged,
    };
    let frames = diverged.divergence.frame;
    let before = other_carried(tape, &header, &world);
    let watch = &mut |_| work.wanted().is_ok();
    let (divergence, explanation) =
        diverged.explained(tape, &world, before.as_ref(), limit, watch)?;
    work.wanted()?;
    Ok(Checked {
        frames,
        divergence: Some(divergence),
        explanation,
    })
}
