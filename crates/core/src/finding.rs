//! Findings: the broken rule, its place, and how often it occurred.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::clock::Time;
use crate::rule::{Rule, Severity};
use crate::text::Grouped;

/// A place in a recording, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name of a step: `frame`, `event`, `packet`.
    pub unit: &'static str,
    /// The ordinal of the frame, event or packet, from 0.
    pub step: Option<u64>,
    /// The recording's own counter.
    pub tick: Option<u64>,
    /// The time since the start of the recording.
    pub time: Option<Time>,
    /// The line of text, counted from 1.
    pub line: Option<u64>,
    /// The offset in bytes, in the file on disk or in the container named by `within`.
    pub offset: Option<u64>,
    /// The container that `offset` and `line` refer to if it is not the file itself: a member of a
    /// zip file, a decompressed chunk.
    pub within: Option<Box<str>>,
}

impl Place {
    /// No place: the recording as a whole.
    #[must_use]
    pub const fn nowhere(unit: &'static str) -> Self {
        Self {
            unit,
            step: None,
            tick: None,
            time: None,
            line: None,
            offset: None,
            within: None,
        }
    }

    /// Returns true for the recording as a whole.
    #[must_use]
    pub const fn is_nowhere(&self) -> bool {
        self.step.is_none()
            && self.tick.is_none()
            && self.time.is_none()
            && self.line.is_none()
            && self.offset.is_none()
    }
}

/// For example `frame 812 (tick 9,001, 34.884 s, line 813, byte 65,536 of a.echoreplay in the
/// zip)`; empty for the recording as a whole.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut inner: Vec<String> = Vec::new();
        inner.extend(self.tick.map(|tick| format!("tick {}", Grouped(tick))));
        inner.extend(self.time.map(|time| time.to_string()));
        inner.extend(self.line.map(|line| format!("line {}", Grouped(line))));
        inner.extend(self.offset.map(|offset| match &self.within {
            None => format!("byte {}", Grouped(offset)),
            Some(within) => format!("byte {} of {within}", Grouped(offset)),
        }));
        let inner = inner.join(", ");
        match self.step {
            None => f.write_str(&inner),
            Some(step) if inner.is_empty() => write!(f, "{} {}", self.unit, Grouped(step)),
            Some(step) => write!(f, "{} {} ({inner})", self.unit, Grouped(step)),
        }
    }
}

/// One result of an audit or of lenient reading: a rule, and the place where it is broken or
/// stretched.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding<R> {
    /// The rule and its data.
    pub rule: R,
    /// The place of the first occurrence.
    pub place: Place,
    /// How many more times the same finding occurred after this place.
    pub repeats: u64,
}

impl<R: Rule> Finding<R> {
    /// Creates a finding about the recording as a whole.
    #[must_use]
    pub const fn new(rule: R) -> Self {
        Self {
            rule,
            place: Place::nowhere(R::STEP),
            repeats: 0,
        }
    }

    /// Sets the offset in the file.
    #[must_use]
    pub const fn at(mut self, offset: u64) -> Self {
        self.place.offset = Some(offset);
        self
    }

    /// Names the container that the offset refers to, instead of the file.
    #[must_use]
    pub fn within(mut self, what: impl Into<Box<str>>) -> Self {
        self.place.within = Some(what.into());
        self
    }

    /// Sets the line of text, counted from 1.
    #[must_use]
    pub const fn line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }

    /// Sets the frame, event or packet, counted from 0.
    #[must_use]
    pub const fn step(mut self, step: u64) -> Self {
        self.place.step = Some(step);
        self
    }

    /// Sets the tick, if it is known.
    #[must_use]
    pub const fn tick(mut self, tick: Option<u64>) -> Self {
        self.place.tick = tick;
        self
    }

    /// Sets the time since the start, if it is known.
    #[must_use]
    pub const fn time(mut self, time: Option<Time>) -> Self {
        self.place.time = time;
        self
    }

    /// Returns the rule's code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.rule.code()
    }

    /// Returns the rule's severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }

    /// Returns the finding as a sentence without its place.
    #[must_use]
    pub fn message(&self) -> String {
        match self.repeats {
            0 => self.rule.to_string(),
            1 => format!("{} (and once more)", self.rule),
            n => format!("{} (and {} times more)", self.rule, Grouped(n)),
        }
    }
}

/// For example `error murk.truncated, frame 812 (tick 9,001, byte 65,536): command 3 claims …`.
impl<R: Rule> fmt::Display for Finding<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.severity(), self.code())?;
        if !self.place.is_nowhere() {
            write!(f, ", {}", self.place)?;
        }
        write!(f, ": {}", self.message())
    }
}

/// Findings, one for each code (and [`Rule::group`]): the first place, and the number of repeats.
///
/// The number of entries is bounded by the number of rules (and groups), whatever the input.
#[derive(Clone, PartialEq, Debug)]
pub struct Findings<R>(Vec<Finding<R>>);

impl<R> Default for Findings<R> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<R: Rule> Findings<R> {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a finding, or counts a repeat if its code and group are already in the list.
    pub fn push(&mut self, finding: Finding<R>) {
        let key = |f: &Finding<R>| (f.code(), f.rule.group());
        let same = key(&finding);
        match self.0.iter_mut().find(|f| key(f) == same) {
            Some(known) => {
                known.repeats = known
                    .repeats
                    .saturating_add(finding.repeats)
                    .saturating_add(1);
            }
            None => self.0.push(finding),
        }
    }

    /// Returns the findings in the order in which they occurred.
    pub fn iter(&self) -> core::slice::Iter<'_, Finding<R>> {
        self.0.iter()
    }

    /// Returns the number of findings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no findings.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the worst severity.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(Finding::severity).max()
    }

    /// Returns the finding with this code.
    #[must_use]
    pub fn get(&self, code: &str) -> Option<&Finding<R>> {
        self.0.iter().find(|finding| finding.code() == code)
    }

    /// Returns true if there is a finding with this code.
    #[must_use]
    pub fn has(&self, code: &str) -> bool {
        self.get(code).is_some()
    }

    /// Sorts the worst findings first, and otherwise by the order in which they occurred.
    pub fn sort(&mut self) {
        self.0
            .sort_by_key(|finding| core::cmp::Reverse(finding.severity()));
    }
}

impl<R: Rule> Extend<Finding<R>> for Findings<R> {
    fn extend<I: IntoIterator<Item = Finding<R>>>(&mut self, findings: I) {
        for finding in findings {
            self.push(finding);
        }
    }
}

impl<'a, R> IntoIterator for &'a Findings<R> {
    type Item = &'a Finding<R>;
    type IntoIter = core::slice::Iter<'a, Finding<R>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<R> IntoIterator for Findings<R> {
    type Item = Finding<R>;
    type IntoIter = alloc::vec::IntoIter<Finding<R>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
