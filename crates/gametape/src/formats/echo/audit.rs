//! Checking: the structure of the file, and the match in it.

use std::path::Path;

use gametape_echo::audit::SessionAudit;
use gametape_echo::{self as echo, Error as EchoError, Findings, Frame, Limits, Time, echoreplay};

use super::EchoFormat;
use super::frames::broken;
use super::info::game;
use crate::info::printable;
use crate::source::Source;
use crate::{Audit, Error, Finding, Severity};

pub(super) fn audit(format: EchoFormat, path: &Path, source: &Source) -> Result<Audit, Error> {
    match format {
        EchoFormat::Butter => Ok(butter(source)),
        EchoFormat::Echoreplay => echoreplay(path, source),
    }
}

fn butter(bytes: &[u8]) -> Audit {
    let audit = echo::audit::butter(bytes, &Limits::default());
    let about = audit.header.as_ref().map(|header| game(&header.map_name()));
    Audit {
        findings: audit.findings.iter().map(finding).collect(),
        summary: summary(audit.seen.frames, audit.times, about),
    }
}

fn echoreplay(path: &Path, source: &Source) -> Result<Audit, Error> {
    let mut found = Findings::default();
    let mut times: Option<(Time, Time)> = None;
    let mut about = None;
    let mut frames = 0;
    match echoreplay::ReadOptions::lenient().open(source.stream()) {
        Err(error @ EchoError::Io { .. }) => return Err(broken(path, error)),
        Err(error) => found.extend(error.into_finding()),
        Ok(mut reader) => {
            let mut session = SessionAudit::new();
            let mut frame = Frame::default();
            loop {
                let line = match reader.next_frame(&mut frame) {
                    Ok(Some(line)) => line,
                    Ok(None) => break,
                    Err(error @ EchoError::Io { .. }) => return Err(broken(path, error)),
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
    Ok(Audit {
        findings: found.iter().map(finding).collect(),
        summary: summary(frames, times, about),
    })
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

fn finding(finding: &echo::Finding) -> Finding {
    Finding {
        code: finding.code(),
        severity: match finding.severity() {
            echo::Severity::Info => Severity::Info,
            echo::Severity::Warning => Severity::Warning,
            echo::Severity::Error => Severity::Error,
        },
        offset: finding.offset,
        tick: finding.time.and_then(|time| u64::try_from(time.0).ok()),
        event: finding.frame,
        message: printable(&finding.message()),
        place: finding.place(),
    }
}
