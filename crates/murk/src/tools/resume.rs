//! Going on behind what was recorded.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek};
use std::path::Path;

use gametape_core::tape::Error;

use super::commands::Commands;
use super::recorded::Recorded;
use crate::checks::hash_of;
use crate::engine::EngineWorld;
use crate::tape::{damaged, stopped, unwritable};
use crate::{
    Frame, Header, Reader, ResumeError, Rule, Simulation as _, Verifier, VerifyError, Writer,
    write_frame, write_header,
};

/// Why a recording is not resumed.
const OTHER_WORLD: &str =
    "is a recording of another world, or by another build: it can't be resumed with this one";

/// What is to be done about damage.
const MEND: &str = "nothing was changed: `gametape repair` turns flipped bits back where an index \
                    lies beside the recording";

/// What is said of a cut frame that is another than the one that is made next.
const OTHER_FRAME: &str = "this is not the start of the frame that is made next: the recording is \
                           damaged, or other commands were given than now, or its world is not \
                           deterministic (gametape sync-test tells)";

/// Goes to the end of a recording: its frames are replayed, and have to be right. Where one was cut,
/// it is made again, the simulation is behind it, and its hash is given: damage, of a length above
/// all, looks like a cut, but what was cut is the start of what is made again.
pub(super) fn resume(
    path: &Path,
    header: &Header<'_>,
    simulation: &mut EngineWorld,
    commands: &Commands,
    recorded: &mut Recorded,
) -> Result<(Writer<File>, Option<u64>), Error> {
    // What is there is looked at before anything is cut off.
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(Error::Output)?;
    let mut reader = Reader::new(&file);
    match reader.header() {
        // Killed before the header was out: nothing was recorded.
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
                frame.tick
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

/// Makes the frame again that was cut, and goes on before it.
fn resume_before(
    file: File,
    header: &Header<'_>,
    simulation: &mut EngineWorld,
    commands: &Commands,
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

/// Ticks are recorded one after the other, from 1. The engine counts them by itself: a replay does
/// not see that one is damaged.
fn other_tick(before: u64, frame: &Frame<'_>) -> Error {
    damaged(&frame.finding(Rule::of_tick(before, frame.tick)), MEND)
}

/// What is there is no frame, and none that was cut.
fn refused(error: ResumeError) -> Error {
    let mend = format!("{MEND}, and else keeps the whole frames before it");
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
        "what is recorded can't be replayed: {error}; it is damaged, or its world is not deterministic (gametape sync-test tells); {MEND}"
    ))
}
