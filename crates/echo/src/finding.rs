//! What is found in a recording, and where.

use std::fmt;

use crate::model::Time;
use crate::rule::Rule;

/// How much a finding matters to the question "is this recording what it claims to be?".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// A fact worth knowing.
    Info,
    /// Unusual: somebody should look.
    Warning,
    /// The recording is not what it claims to be.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Digits in groups of three.
pub(crate) struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// "1 byte", "2 bytes", "4,294,967,295 bytes".
pub(crate) struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} byte{s}", Grouped(self.0))
    }
}

/// "1 frame", "2 frames".
pub(crate) struct Frames(pub u64);

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} frame{s}", Grouped(self.0))
    }
}

/// "is left", "are left".
pub(crate) struct Left(pub u64);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.0 == 1 { "is" } else { "are" };
        write!(f, "{} {verb} left", Grouped(self.0))
    }
}

/// One result of an audit, or of lenient reading.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What is broken.
    pub rule: Rule,
    /// Where in the file, in bytes.
    pub offset: Option<u64>,
    /// In which line of an .echoreplay, from 1; of a zip, of the text of the file it is in.
    pub line: Option<u64>,
    /// In which frame, from 0.
    pub frame: Option<u64>,
    /// At which tick.
    pub time: Option<Time>,
    /// How often the same came again.
    pub repeats: u64,
}

impl Finding {
    /// A finding of no particular place.
    #[must_use]
    pub const fn new(rule: Rule) -> Self {
        Self {
            rule,
            offset: None,
            line: None,
            frame: None,
            time: None,
            repeats: 0,
        }
    }

    /// At a byte of the file.
    #[must_use]
    pub const fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// In a frame; `time` where it is known.
    #[must_use]
    pub const fn in_frame(mut self, frame: u64, time: Option<Time>) -> Self {
        self.frame = Some(frame);
        self.time = time;
        self
    }

    /// The rule's code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.rule.code()
    }

    /// The rule's severity.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// What was found, as a sentence without its place.
    #[must_use]
    pub fn message(&self) -> String {
        match self.repeats {
            0 => self.rule.to_string(),
            1 => format!("{} (and once more)", self.rule),
            n => format!("{} (and {} times more)", self.rule, Grouped(n)),
        }
    }

    /// `frame 812 (2022/01/02 03:00:00.034, line 813, byte 65,536)`; empty for the whole recording.
    #[must_use]
    pub fn place(&self) -> String {
        let time = self.time.map(|time| time.to_string());
        let byte = self
            .offset
            .map(|offset| format!("byte {}", Grouped(offset)));
        let line = self.line.map(|line| format!("line {}", Grouped(line)));
        let inner: Vec<String> = time.into_iter().chain(line).chain(byte).collect();
        match self.frame {
            None => inner.join(", "),
            Some(frame) if inner.is_empty() => format!("frame {}", Grouped(frame)),
            Some(frame) => format!("frame {} ({})", Grouped(frame), inner.join(", ")),
        }
    }
}

/// `error butter.truncated, frame 812 (2022/01/02 03:00:00.034, byte 65,536): the disc needs 16 bytes, 3 are left`
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.severity(), self.code())?;
        let place = self.place();
        if !place.is_empty() {
            write!(f, ", {place}")?;
        }
        write!(f, ": {}", self.message())
    }
}

/// Findings, one for each code: the first place, and how often it came again.
///
/// Bounded by the number of rules, whatever the input.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding, or counts it where its code is known already.
    pub fn push(&mut self, finding: Finding) {
        match self.0.iter_mut().find(|f| f.code() == finding.code()) {
            Some(known) => known.repeats = known.repeats.saturating_add(finding.repeats + 1),
            None => self.0.push(finding),
        }
    }

    /// The findings in the order they were met.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    /// Number of findings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True where nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The worst severity.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(Finding::severity).max()
    }

    /// True where a finding has this code.
    #[must_use]
    pub fn has(&self, code: &str) -> bool {
        self.0.iter().any(|f| f.code() == code)
    }

    /// Worst first, then in the order they were met.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|f| std::cmp::Reverse(f.severity()));
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        for finding in findings {
            self.push(finding);
        }
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
