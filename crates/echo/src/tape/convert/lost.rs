//! The result of a conversion, and the lines that did not become frames.

use gametape_core::tape::Error;
use gametape_core::text::Counted;
use serde::Serialize;

use super::super::error::no_frame;
use crate::echoreplay::scan::Skipped;
use crate::loss::FieldErrors;
use crate::{Error as ReadError, Finding, Severity};

/// The result of a conversion, apart from its bytes.
pub(super) struct Made {
    /// How far numbers are off.
    pub errors: FieldErrors,
    /// Sentences about what the input has and the output does not.
    pub left_out: Vec<String>,
    /// Lines that are not in the output.
    pub lines: LostLines,
    /// Sentences about oddities of the input that do not concern its frames.
    pub notes: Vec<String>,
}

/// A line that did not become a frame.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(in crate::tape) struct LostLine {
    /// The number of the line in its text, from 1.
    pub line: Option<u64>,
    /// The offset in the text, in bytes.
    pub offset: Option<u64>,
    /// The file of a zip that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    pub code: &'static str,
    pub message: String,
}

/// All lines that did not become frames.
#[derive(Default)]
pub(in crate::tape) struct LostLines {
    /// The first of them, at most [`Skipped::TOLD`].
    pub listed: Vec<LostLine>,
    /// The number of such lines.
    pub count: u64,
    /// The number of lines that became frames.
    pub kept: u64,
}

/// Collects what is lost from the lines of a recording.
#[derive(Default)]
pub(super) struct Lost {
    /// At most [`Skipped::TOLD`].
    lines: Vec<LostLine>,
    /// The number of lost lines that are not in `lines`.
    more: u64,
    /// The first lost line, as the error for a recording without frames.
    first: Option<ReadError>,
    /// Answers that are not a session, and bones that can't be read: the first, and their number.
    no_session: Option<(String, u64)>,
    bones: Option<(String, u64)>,
    /// The number of frames so far.
    frames: u64,
    /// The number of frames whose times have digits below the millisecond, and the first.
    cut_times: (u64, u64),
}

impl Lost {
    /// Counts a line that is a frame.
    pub fn kept(&mut self, cuts_time: bool) {
        if cuts_time {
            let (count, first) = self.cut_times;
            self.cut_times = (count + 1, if count == 0 { self.frames } else { first });
        }
        self.frames += 1;
    }

    /// Returns whether any line is a frame.
    pub const fn has_kept(&self) -> bool {
        self.frames > 0
    }

    /// The error for a recording of which no line was kept: the first lost line, where there is one.
    pub fn nothing_kept(&mut self) -> Error {
        self.first
            .take()
            .map_or_else(|| no_frame("convert"), Error::from)
    }

    /// Adds a line that is broken.
    pub fn line(&mut self, mut finding: Finding, line: Option<u64>) {
        finding.place.line = finding.place.line.or(line);
        if self.lines.len() < Skipped::TOLD {
            self.lines.push(LostLine {
                line: finding.place.line,
                offset: finding.place.offset,
                within: finding.place.within.as_deref().map(ToString::to_string),
                code: finding.code(),
                message: finding.message(),
            });
        } else {
            self.more(1);
        }
        if self.first.is_none() {
            self.first = Some(finding.into());
        }
    }

    /// Counts lost lines that are not listed.
    pub fn more(&mut self, lines: u64) {
        self.more += lines;
    }

    /// Counts a line without a session, or without readable bones: recordings commonly have such lines.
    fn count(&mut self, error: &ReadError) {
        let kind = if error.code() == "echoreplay.no-session" {
            &mut self.no_session
        } else {
            &mut self.bones
        };
        match kind {
            Some((_, count)) => *count += 1,
            None => *kind = Some((error.to_string(), 1)),
        }
    }

    /// Adds a line that is not a frame, or that is one without its bones.
    pub fn error(&mut self, error: ReadError, line: Option<u64>) {
        match error.into_finding() {
            Some(finding) if finding.severity() < Severity::Error => {
                self.count(&finding.into());
            }
            Some(finding) => self.line(finding, line),
            None => {}
        }
    }

    /// Returns a sentence for each loss.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |found: &Option<(String, u64)>, what: &str| match found {
            None => None,
            Some((first, 1)) => Some(format!("{what} ({first})")),
            Some((first, count)) => Some(format!("{what}, {count} times (the first: {first})")),
        };
        let each = self.lines.iter().map(LostLine::sentence);
        let more = (self.more > 0).then(|| format!("{} more", Counted(self.more, "line")));
        let (cut, first) = self.cut_times;
        let cut = (cut > 0).then(|| {
            format!(
                "digits of times below a millisecond, in {} (the first: frame {first})",
                Counted(cut, "frame"),
            )
        });
        each.chain(more)
            .chain(cut)
            .chain(sentence(&self.no_session, "a line without a session"))
            .chain(sentence(&self.bones, "bones that can't be read"))
            .collect()
    }

    /// Returns the lost lines as data.
    pub fn into_lines(self) -> LostLines {
        LostLines {
            count: self.lines.len() as u64 + self.more,
            listed: self.lines,
            kept: self.frames,
        }
    }
}

impl LostLine {
    fn sentence(&self) -> String {
        let line = self
            .line
            .map_or_else(String::new, |line| format!(" {line}"));
        match &self.within {
            Some(within) => format!("line{line} of {within}: {}", self.message),
            None => format!("line{line}: {}", self.message),
        }
    }
}
