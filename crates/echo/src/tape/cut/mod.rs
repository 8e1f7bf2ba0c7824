//! A part of a match, and whether it reads back as what it was made of.

mod frames;
mod lines;

use std::ops::Range;

use gametape_core::Input;
use gametape_core::tape::{Cut, Cutout, Error, Options, Sink, Work};

use super::frames::{EchoFormat, TapeFrames};
use super::opened::EchoTape;
use crate::Error as ReadError;
use crate::butter::Parts;
use crate::loss::FieldErrors;

pub(super) fn cut(
    tape: &EchoTape,
    cut: &Cut,
    told: &Options,
    out: &mut dyn Sink,
    work: &Work<'_>,
) -> Result<Cutout, Error> {
    match tape.format {
        EchoFormat::Echoreplay => lines::cut(tape, cut, told, out, work),
        EchoFormat::Butter => frames::cut(tape, cut, out, work),
    }
}

/// The deviations of the frames of a new recording.
struct Measured {
    /// The deviations of all frames, in their order.
    pub errors: FieldErrors,
    /// Whether the copied frames are the same as before, to the last bit.
    pub is_exact: bool,
}

/// Compares some frames of a recording with all of the one that was made of them. Those `anew`, of the
/// frames of the recording, may differ.
fn measure(
    recording: &Input,
    made: &Input,
    kept: &Range<u64>,
    anew: &Range<u64>,
    work: &Work<'_>,
) -> Result<Measured, Error> {
    let open = |input| TapeFrames::open(EchoFormat::Butter, work.watched(input), Parts::ALL);
    let mut ours = open(recording)?;
    let mut theirs = TapeFrames::open(EchoFormat::Butter, made.stream(), Parts::ALL)?;
    let mut measured = Measured {
        errors: FieldErrors::new(),
        is_exact: true,
    };
    // The copied frames come after the others.
    let mut copied = FieldErrors::new();
    for step in 0..kept.end {
        let Some(frame) = ours.next_frame()? else {
            break;
        };
        if step < kept.start {
            continue;
        }
        let stored = match theirs.next_frame() {
            Ok(stored) => stored,
            Err(error @ ReadError::Io { .. }) => return Err(error.into()),
            Err(_) => None,
        };
        let Some(stored) = stored else {
            measured.is_exact = false;
            return Ok(measured);
        };
        measured.errors.push(frame, stored);
        if !anew.contains(&step) {
            copied.push(frame, stored);
        }
    }
    let more = matches!(theirs.next_frame(), Ok(Some(_)) | Err(_));
    let broken = theirs.findings().problem().is_some();
    measured.is_exact = !more && !broken && copied.report().is_lossless();
    Ok(measured)
}
