//! The rows of tables, frame by frame: of as many tables as are requested at once.

use gametape_core::table::{Scan, Visit};
use gametape_core::tape::{Error, Partial, Work};

use super::pass::Pass;
use super::precision::tables;
use crate::Error as ReadError;
use crate::tape::frames::EchoFormat;
use crate::tape::info::Known;
use crate::tape::opened::EchoTape;

/// Scans tables in one pass.
pub fn scan(
    tape: &EchoTape,
    scans: &[Scan],
    work: &Work<'_>,
    visit: &mut Visit<'_>,
) -> Result<Vec<Partial<()>>, Error> {
    work.wanted()?;
    let mut pass = Pass::new(&tables(tape.format), scans)?;
    let found = match pass.from() {
        Some(from) => tape.frames_before(from, pass.parts)?,
        None => None,
    };
    if found.is_none() && tape.format == EchoFormat::Echoreplay {
        pass.look_ahead();
    }
    let mut frames = if let Some((frames, _, course)) = found {
        pass.continue_at(course);
        if pass.asks_persons() {
            pass.persons_are(tape.persons(work)?);
        }
        frames
    } else {
        tape.reads_all();
        tape.frames_of(pass.parts)?
    };
    let mut failed = None;
    loop {
        let step = frames.count;
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(ReadError::Malformed(finding)) if step > 0 => {
                failed = Some(finding);
                break;
            }
            Err(error) => return Err(error.into()),
        };
        if pass.frame(step, frame, visit)?.is_break() || pass.is_decided() {
            break;
        }
        tape.done(&frames, work)?;
    }
    let problem = || match &failed {
        Some(finding) => Some((**finding).clone().into()),
        None => frames.findings().problem(),
    };
    pass.end(Known::of(tape, &frames), problem, visit)
}
