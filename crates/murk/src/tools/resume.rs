//! Continues a recording after its last frame.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek};
use std::path::Path;

use gametape_core::tape::Error;
use gametape_core::text::Grouped;
use serde::Serialize;

use super::commands::CommandList;
use crate::engine::EngineWorld;
use crate::replay::comparison::hash_of;
use crate::tape::{damaged, stopped, unwritable};
use crate::{
    Frame, Header, Reader, ResumeError, Rule, Simulation as _, Verifier, VerifyError, Writer,
    write_frame, write_header,
};

/// The result of recording a world.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Recorded {
    /// The ticks that were made now.
    pub ticks: u64,
    /// The ticks that the recording had already.
    pub resumed_after: u64,
    /// The last tick that was taken from another recording; 0 if none was.
    pub branched_after: u64,
    /// The bytes of a cut frame that were removed first.
    pub dropped: u64,
    /// The commands that were recorded now.
    pub commands: u64,
    /// The number of recorded commands that the world applied.
    pub applied: u64,
    /// The number of recorded commands that had expired.
    pub expired: u64,
    /// The number of recorded commands that could not be applied.
    pub rejected: u64,
    /// The first of these: its tick, and the reason.
    pub first_rejected: Option<String>,
    /// The ticks that failed and left the state as it was.
    pub failed_ticks: u64,
    /// The reason of the last failure.
    pub failure: Option<String>,
    /// The hash of the last state, as 16 hexadecimal digits.
    pub last_hash: Option<String>,
}

/// Why a recording is not resumed: its world.
const OTHER_WORLD: &str =
    "is a recording of another world, or by another build: it can't be resumed with this one";

/// The advice on damage.
const MEND: &str = "nothing was changed: `gametape repair` turns flipped bits back where an index \
                    lies beside the recording";

/// Why a recording is not resumed: its cut frame is not the start of the next one.
const OTHER_FRAME: &str = "this is not the start of the frame that is made next: the recording is \
                           damaged, or other commands were given than now, or its world is not \
                           deterministic (gametape sync-test tells)";

/// Goes to the end of a recording: its frames are replayed and must match. If the last frame was cut
/// off, the simulation makes it again and stands after it, and the hash of that frame is returned.
/// Damage, above all of a length, may look like a cut; but a frame that was really cut off is the
/// start of the frame that is made again.
pub(super) fn resume(
    path: &Path,
    header: &Header<'_>,
    simulation: &mut EngineWorld,
    commands: &CommandList,
    recorded: &mut Recorded,
) -> Result<(Writer<File>, Option<u64>), Error> {
    // The existing file is checked before anything is cut off.
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(Error::Output)?;
    let mut reader = Reader::new(&file);
    match reader.header() {
        // Killed before the header was written; nothing was recorded.
        Err(error) if error.is_truncated() => {
            return begin_anew(file, header, recorded).map(|writer| (writer, None));
        }
        there => {
            if there? != header {
                return Err(unwritable(OTHER_WORLD));
            }
        }
    }
    let mut verifier =
        Verifier::new(header, simulation).map_err(|error| unwritable(error.to_string()))?;
    let cut = loop {
        let frame = match reader.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break false,
            Err(error) if error.is_truncated() => break true,
            Err(error) => return Err(refused(error.into())),
        };
        let before = recorded.resumed_after;
        if frame.tick != before.saturating_add(1) {
            return Err(other_tick(before, &frame));
        }
        let given = commands.of(frame.tick);
        if !given.is_empty() && given != frame.commands() {
            return Err(unwritable(format!(
                "tick {} was recorded with other commands than are given now; {MEND}",
                Grouped(frame.tick)
            )));
        }
        recorded.resumed_after = frame.tick;
        verifier.push(&frame).map_err(|error| mismatch(&error))?;
    };
    verifier.finish().map_err(|error| mismatch(&error))?;
    drop(reader);
    if cut {
        return resume_before(file, header, simulation, commands, recorded);
    }
    let (writer, _) = Writer::resume(file).map_err(refused)?;
    Ok((writer, None))
}

/// Makes the cut frame again, and continues before it.
fn resume_before(
    file: File,
    header: &Header<'_>,
    simulation: &mut EngineWorld,
    commands: &CommandList,
    recorded: &mut Recorded,
) -> Result<(Writer<File>, Option<u64>), Error> {
    let tick = recorded.resumed_after.saturating_add(1);
    let given = commands.of(tick);
    simulation.step(tick, given).map_err(|source| {
        mismatch(&VerifyError::Simulation {
            tick,
            frame: recorded.resumed_after,
            source,
        })
    })?;
    let hash = hash_of(simulation, header.field_count);
    let next = write_frame(tick, given, hash).map_err(|error| unwritable(error.to_string()))?;
    let (writer, resumed) = Writer::resume_before(file, &next).map_err(refused)?;
    recorded.dropped = resumed.dropped;
    Ok((writer, Some(hash)))
}

/// Ticks are recorded in order, from 1. The engine counts them by itself, so a replay does not
/// notice a damaged one.
fn other_tick(before: u64, frame: &Frame<'_>) -> Error {
    damaged(&frame.finding(Rule::of_tick(before, frame.tick)), MEND)
}

/// The existing bytes are neither a frame nor one that was cut.
fn refused(error: ResumeError) -> Error {
    let mend = format!("{MEND}, and otherwise keeps the whole frames before it");
    match error {
        ResumeError::NotTorn { problem, .. } => {
            damaged(&problem, &format!("{OTHER_FRAME}; {mend}"))
        }
        ResumeError::Read(error) => match error.finding() {
            Some(finding) => damaged(finding, &mend),
            None => error.into(),
        },
    }
}

/// Starts again in a file that ends in its header, if it is the header of this recording.
fn begin_anew(
    mut file: File,
    header: &Header<'_>,
    recorded: &mut Recorded,
) -> Result<Writer<File>, Error> {
    let whole = write_header(header).map_err(|error| unwritable(error.to_string()))?;
    let mut there = Vec::new();
    file.rewind().map_err(Error::Output)?;
    (&file)
        .take(whole.len() as u64)
        .read_to_end(&mut there)
        .map_err(Error::Output)?;
    if !whole.starts_with(&there) {
        return Err(unwritable(OTHER_WORLD));
    }
    recorded.dropped = there.len() as u64;
    file.set_len(0).map_err(Error::Output)?;
    file.rewind().map_err(Error::Output)?;
    Writer::new(file, header).map_err(|error| unwritable(error.to_string()))
}

fn mismatch<E: std::error::Error>(error: &VerifyError<E>) -> Error {
    stopped(format!(
        "the recording can't be replayed: {error}; it is damaged, or its world is not deterministic (gametape sync-test tells); {MEND}"
    ))
}
