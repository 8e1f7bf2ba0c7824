//! Checking: the structure of the file, and the match in it.

use gametape_core::tape::{Audit, Error};

use super::info::game;
use super::{EchoFormat, EchoTape};
use crate::audit::SessionAudit;
use crate::{self as echo, Error as ReadError, Findings, Frame, Limits, Time, echoreplay};

pub(super) fn audit(tape: &EchoTape) -> Result<Audit, Error> {
    match tape.format {
        EchoFormat::Butter => {
            let bytes = tape.input.bytes().map_err(Error::Io)?;
            Ok(butter(&bytes))
        }
        EchoFormat::Echoreplay => echoreplay(tape),
    }
}

fn butter(bytes: &[u8]) -> Audit {
    let audit = echo::audit::butter(bytes, &Limits::default());
    let about = audit.header.as_ref().map(|header| game(&header.map_name()));
    let summary = summary(audit.seen.frames, audit.times, about);
    Audit::new(&audit.findings, summary)
}

fn echoreplay(tape: &EchoTape) -> Result<Audit, Error> {
    let stream = tape.input.stream();
    let mut found = Findings::default();
    let mut times: Option<(Time, Time)> = None;
    let mut about = None;
    let mut frames = 0;
    match echoreplay::ReadOptions::lenient().open(stream) {
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(error) => found.extend(error.into_finding()),
        Ok(mut reader) => {
            let mut session = SessionAudit::new();
            let mut frame = Frame::default();
            loop {
                let line = match reader.next_frame(&mut frame) {
                    Ok(Some(line)) => line,
                    Ok(None) => break,
                    Err(error @ ReadError::Io { .. }) => return Err(error.into()),
                    Err(error) => {
                        found.extend(error.into_finding());
                        break;
                    }
                };
                session.push(line.index, Some(line.offset), &frame, &mut found);
                times = Some((times.map_or(frame.time, |(from, _)| from), frame.time));
                about.get_or_insert_with(|| game(&frame.session.map_name));
                frames += 1;
            }
            session.finish(&mut found);
            found.extend(reader.findings().iter().cloned());
        }
    }
    found.sort();
    Ok(Audit::new(&found, summary(frames, times, about)))
}

/// `27,000 frames, 15:00, arena`: a recording in half a line.
fn summary(frames: u64, times: Option<(Time, Time)>, about: Option<&str>) -> String {
    let Some((from, to)) = times else {
        return "no frames".into();
    };
    let s = if frames == 1 { "" } else { "s" };
    let seconds = to.0.abs_diff(from.0) / 1000;
    let about = about.unwrap_or_default();
    format!(
        "{frames} frame{s}, {}:{:02}, {about}",
        seconds / 60,
        seconds % 60
    )
}
