//! The audit of an .echoreplay: its lines, the zip around them, and the match.

use std::io::{Cursor, Read, Seek, SeekFrom};

use gametape_core::{Input, Place};

use super::stream::{Reader, open_with};
use crate::audit::SessionAudit;
use crate::error::{Error, Finding, Findings};
use crate::limits::{Limits, ReadOptions};
use crate::model::{Map, Time};
use crate::rule::Rule;
use crate::trace::Trace;

/// What an audit of an .echoreplay found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Audit {
    /// The findings, worst first.
    pub findings: Findings,
    /// The number of frames that could be read.
    pub frames: u64,
    /// The map of the first frame.
    pub map: Option<Map>,
    /// The times at which the first and the last frame were recorded.
    pub times: Option<(Time, Time)>,
    /// The time from the first frame to the latest, in milliseconds, by the game clock where the wall clock
    /// was changed.
    pub duration_ms: u64,
    /// What tells that another recording is of the same match.
    pub(crate) trace: Trace,
}

/// Audits an .echoreplay in memory, plain or zip. Never fails: whatever can't be read is a finding.
///
/// ```
/// let text = b"2022/01/02 03:00:00.000\t{\"game_clock\":300.0}\r\n2022/01/02 03";
/// let audit = gametape_echo::echoreplay::audit(text);
/// let worst = audit.findings.iter().next().unwrap();
/// assert_eq!(worst.code(), "echoreplay.truncated");
/// ```
#[must_use]
pub fn audit(bytes: &[u8]) -> Audit {
    audit_with(bytes, Limits::DEFAULT)
}

/// Like [`audit()`], with other limits.
#[must_use]
pub fn audit_with(bytes: &[u8], limits: Limits) -> Audit {
    // Reading from memory can't fail.
    audit_stream(Cursor::new(bytes), limits).unwrap_or_default()
}

/// Like [`audit_with`], for inputs that may be large: memory use is bounded by one line.
///
/// # Errors
/// [`Error::Io`].
pub fn audit_input(input: &Input, limits: Limits) -> Result<Audit, Error> {
    audit_stream(input.stream(), limits)
}

/// Like [`audit_input`], for a stream that starts at its first byte.
pub(crate) fn audit_stream(mut source: impl Read + Seek, limits: Limits) -> Result<Audit, Error> {
    let mut audit = Audit::default();
    let end = source.seek(SeekFrom::End(0));
    if end.map_err(|source| Error::io(0, source))? == 0 {
        audit.findings.push(Finding::new(Rule::NoText));
    }
    let options = ReadOptions::lenient().limits(limits);
    let mut session = SessionAudit::new();
    match open_with(source, options) {
        Err(error @ Error::Io { .. }) => return Err(error),
        Err(error) => audit.findings.extend(error.into_finding()),
        Ok(mut reader) => {
            audit.walk(&mut reader, &mut session)?;
            session.finish(&mut audit.findings);
            audit.duration_ms = session.duration_ms();
            audit.trace = session.trace().clone();
            audit.findings.extend(reader.findings().iter().cloned());
        }
    }
    audit.findings.sort();
    Ok(audit)
}

impl Audit {
    fn walk<R: Read>(
        &mut self,
        reader: &mut Reader<R>,
        session: &mut SessionAudit,
    ) -> Result<(), Error> {
        let mut place = Place::nowhere("frame");
        loop {
            match reader.next_frame() {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => {
                    self.findings.extend(error.into_finding());
                    return Ok(());
                }
            }
            let (frame, line) = (reader.frame(), reader.line());
            place.step = Some(self.frames);
            place.offset = line.map(|line| line.offset);
            let within = line.and_then(|line| line.within);
            if place.within.as_deref() != within {
                place.within = within.map(Into::into);
            }
            session.push_at(&place, frame, &mut self.findings);
            let time = frame.time;
            self.times = Some((self.times.map_or(time, |(from, _)| from), time));
            self.map
                .get_or_insert_with(|| frame.session.map_name.clone());
            self.frames += 1;
        }
    }
}
