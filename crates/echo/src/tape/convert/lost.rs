//! Lines that do not become frames: each is reported.

use gametape_core::text::Counted;
use serde::Serialize;

use crate::echoreplay::scan::Skipped;
use crate::{Error as ReadError, Finding, Rule, Severity};

/// A line that became no frame.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(in crate::tape) struct LostLine {
    /// The line of its text, from 1.
    pub line: Option<u64>,
    /// The offset in the text, in bytes.
    pub offset: Option<u64>,
    /// The file of a zip that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    pub code: &'static str,
    /// The member, if the fault is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    pub message: String,
}

/// All lines that did not become frames.
#[derive(Default)]
pub(in crate::tape) struct LostLines {
    /// The first of these lines, at most [`Skipped::TOLD`].
    pub told: Vec<LostLine>,
    /// How many there are.
    pub count: u64,
    /// How many lines are frames.
    pub kept: u64,
}

/// The lines of a recording that were lost.
#[derive(Default)]
pub(super) struct Lost {
    /// [`Skipped::TOLD`] at most.
    lines: Vec<LostLine>,
    /// Beside those.
    more: u64,
    /// The first, as an error: where there is nothing but such lines.
    pub first: Option<ReadError>,
    /// Lines that are an answer and no session, and bones that can't be read: the first, and how many.
    no_session: Option<(String, u64)>,
    bones: Option<(String, u64)>,
    /// Frames so far, and those of them whose times have digits below the millisecond: how many, and the
    /// first.
    frames: u64,
    cut_times: (u64, u64),
}

impl Lost {
    /// A line that is a frame.
    pub fn kept(&mut self, cuts_time: bool) {
        if cuts_time {
            let (count, first) = self.cut_times;
            self.cut_times = (count + 1, if count == 0 { self.frames } else { first });
        }
        self.frames += 1;
    }

    /// Whether there is a line that is a frame.
    pub const fn has_kept(&self) -> bool {
        self.frames > 0
    }

    /// A line that is broken, or left out, and which it is.
    pub fn line(&mut self, mut finding: Finding, line: Option<u64>) {
        finding.place.line = finding.place.line.or(line);
        if self.lines.len() < Skipped::TOLD {
            let member = match &finding.rule {
                Rule::LeftOut { member, .. } => Some(member.clone()),
                _ => None,
            };
            self.lines.push(LostLine {
                line: finding.place.line,
                offset: finding.place.offset,
                within: finding.place.within.as_deref().map(ToString::to_string),
                code: finding.code(),
                member,
                message: finding.message(),
            });
        } else {
            self.more(1);
        }
        if self.first.is_none() {
            self.first = Some(finding.into());
        }
    }

    /// Adds lines of which only the number is reported.
    pub fn more(&mut self, lines: u64) {
        self.more += lines;
    }

    /// Counts the errors that recordings often have: a line without a session, or bones without
    /// players.
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

    /// A line that is no frame, or is one without its bones.
    pub fn error(&mut self, error: ReadError, line: Option<u64>) {
        match error.into_finding() {
            Some(finding) if finding.severity() < Severity::Error => {
                self.count(&finding.into());
            }
            Some(finding) => self.line(finding, line),
            None => {}
        }
    }

    /// A sentence for each.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |told: &Option<(String, u64)>, what: &str| match told {
            None => None,
            Some((first, 1)) => Some(format!("{what} ({first})")),
            Some((first, count)) => Some(format!("{what}, {count} times (the first: {first})")),
        };
        let each = self.lines.iter().map(LostLine::sentence);
        let more = (self.more > 0).then(|| format!("{} more", Counted(self.more, "line")));
        let (cut, first) = self.cut_times;
        let cut = (cut > 0).then(|| {
            format!(
                "what times have below a millisecond, in {} (the first: frame {first})",
                Counted(cut, "frame"),
            )
        });
        each.chain(more)
            .chain(cut)
            .chain(sentence(&self.no_session, "a line that is no session"))
            .chain(sentence(&self.bones, "bones that can't be read"))
            .collect()
    }

    /// The lines, as data.
    pub fn into_lines(self) -> LostLines {
        LostLines {
            count: self.lines.len() as u64 + self.more,
            told: self.lines,
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
