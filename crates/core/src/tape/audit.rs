//! Results of audits, and the traces by which recordings are compared, in the same shape for every format.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::json::number;
use crate::finding::{Finding, Findings};
use crate::rule::{Class, Datum, Rule, RuleInfo, Severity};
use crate::text::printable;

/// A broken rule of any format: its code, sentence and data, without the format's own type.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The stable code.
    pub code: &'static str,
    /// How much breaking it matters.
    pub severity: Severity,
    /// Whose fault it is.
    pub class: Class,
    /// The sentence without the place. Control characters are replaced, so that a recording cannot
    /// control the terminal.
    pub sentence: String,
    /// The data of the sentence, by name.
    pub data: Vec<(&'static str, Datum)>,
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Rule for Told {
    const STEP: &'static str = "step";

    fn code(&self) -> &'static str {
        self.code
    }

    fn severity(&self) -> Severity {
        self.severity
    }

    fn class(&self) -> Class {
        self.class
    }

    fn data(&self) -> Vec<(&'static str, Datum)> {
        self.data.clone()
    }
}

/// A finding of any format.
pub type AnyFinding = Finding<Told>;

impl<R: Rule> Finding<R> {
    /// Converts the finding to one that is independent of the format. If the rule's only data is a
    /// map, the entries of the map become the data.
    #[must_use]
    pub fn told(&self) -> AnyFinding {
        let mut data = self.rule.data();
        if let [(_, Datum::Map(figures))] = data.as_mut_slice() {
            data = std::mem::take(figures);
        }
        Finding {
            rule: Told {
                code: self.rule.code(),
                severity: self.rule.severity(),
                class: self.rule.class(),
                sentence: printable(&self.rule.to_string()),
                data,
            },
            place: self.place.clone(),
            repeats: self.repeats,
        }
    }
}

impl<R: Rule> Findings<R> {
    /// Returns the findings of severity error.
    pub fn broken(&self) -> impl Iterator<Item = &Finding<R>> {
        self.iter()
            .filter(|finding| finding.severity() == Severity::Error)
    }
}

impl From<Datum> for Value {
    /// Numbers that JSON cannot represent become text: `"NaN"`, `"inf"`, `"-inf"`.
    fn from(datum: Datum) -> Self {
        match datum {
            Datum::Null => Self::Null,
            Datum::Bool(value) => value.into(),
            Datum::Int(value) => value.into(),
            Datum::Uint(value) => value.into(),
            Datum::Float(value) if value.is_finite() => value.into(),
            Datum::Float(value) => value.to_string().into(),
            Datum::Text(value) => printable(&value).into(),
            Datum::List(values) => values.into_iter().map(Self::from).collect(),
            Datum::Map(values) => values
                .into_iter()
                .map(|(key, value)| (key.to_owned(), Self::from(value)))
                .collect::<Map<String, Self>>()
                .into(),
        }
    }
}

/// Keys: `code`, `severity`, `step`, `tick`, `time_ms`, `line`, `offset`, `offset_in` (the
/// container of the offset, if it is not the file), `repeats`, `message`, and `data` (the data of
/// the sentence, by name).
impl Serialize for AnyFinding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(10))?;
        let place = &self.place;
        map.serialize_entry("code", self.rule.code)?;
        map.serialize_entry("severity", &self.rule.severity)?;
        map.serialize_entry("step", &place.step)?;
        map.serialize_entry("tick", &place.tick)?;
        map.serialize_entry("time_ms", &place.time.map(|time| number(time.ms())))?;
        map.serialize_entry("line", &place.line)?;
        map.serialize_entry("offset", &place.offset)?;
        map.serialize_entry("offset_in", &place.within)?;
        map.serialize_entry("repeats", &self.repeats)?;
        map.serialize_entry("message", &self.message())?;
        let data: Map<String, Value> = self
            .rule
            .data
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone().into()))
            .collect();
        map.serialize_entry("data", &data)?;
        map.end()
    }
}

/// The overall result of an audit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// There are no findings, or only facts and deviations of known writers.
    Pass,
    /// A person should look at the recording.
    Warn,
    /// The recording is not what it claims to be.
    Fail,
}

impl Verdict {
    /// Returns the verdict for the worst severity.
    #[must_use]
    pub const fn of(worst: Option<Severity>) -> Self {
        match worst {
            None | Some(Severity::Info) => Self::Pass,
            Some(Severity::Warning) => Self::Warn,
            Some(Severity::Error) => Self::Fail,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        })
    }
}

/// The outcome of checking a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Audit {
    /// The findings, the worst first.
    pub findings: Vec<AnyFinding>,
    /// A summary in the words of the domain, less than a line long: `expert win 34.884 s, 3BV 128`.
    pub summary: String,
    /// The facts by which recordings of this format are listed and ranked, as far as the audit
    /// computed them. Keys are columns of the tables of facts.
    pub facts: Map<String, Value>,
    /// Data for finding related recordings.
    pub traces: Traces,
}

impl Audit {
    /// Creates an audit from a format's findings, and sorts the worst first.
    #[must_use]
    pub fn new<R: Rule>(findings: &Findings<R>, summary: String) -> Self {
        let mut findings: Vec<AnyFinding> = findings.iter().map(Finding::told).collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity()));
        Self {
            findings,
            summary,
            ..Self::default()
        }
    }

    /// Returns the audit of an empty file: it fails, with one finding of the code `empty`, whatever its format.
    #[must_use]
    pub fn of_nothing() -> Self {
        let empty = Told {
            code: "empty",
            severity: Severity::Error,
            class: Class::Truncated,
            sentence: "the file is empty".to_owned(),
            data: Vec::new(),
        };
        Self {
            findings: vec![Finding::new(empty)],
            ..Self::default()
        }
    }

    /// Sets the facts.
    #[must_use]
    pub fn facts(self, facts: Map<String, Value>) -> Self {
        Self { facts, ..self }
    }

    /// Sets the traces.
    #[must_use]
    pub fn traces(self, traces: Traces) -> Self {
        Self { traces, ..self }
    }

    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.findings.iter().map(Finding::severity).max())
    }
}

/// A way in which two recordings that should be independent can be related: they show the same
/// game, or the same person at two places at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelationDef {
    /// A short name: `same-game`.
    pub kind: &'static str,
    /// The stable code of its finding: `rmv.same-game`.
    pub code: &'static str,
    /// The severity of its finding.
    pub severity: Severity,
    /// The text of its finding before the names of the other recordings: `the same game as`.
    pub says: &'static str,
    /// What the relation means and what to do about it, for the book.
    pub doc: &'static str,
}

impl RelationDef {
    /// The names of the finding's data.
    pub const DATA: &'static [&'static str] = &["kind", "other", "others", "more", "expected"];

    /// Returns the rule that the book lists.
    #[must_use]
    pub const fn rule(&self) -> RuleInfo {
        RuleInfo {
            code: self.code,
            severity: self.severity,
            doc: self.doc,
            data: Self::DATA,
        }
    }
}

/// A fingerprint. Two recordings with an equal print are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Print {
    /// The relation, as an index into [`FormatInfo::relations`](super::FormatInfo::relations).
    pub relation: usize,
    /// A hash. It is only compared within one run of the program.
    pub hash: u64,
    /// The strength of the print: two unrelated recordings share it with a probability of 1 in 2 to
    /// the power of `bits`.
    pub bits: u8,
}

/// The time during which a person was busy with a recording. Nobody can be busy with two at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusyTime {
    /// The relation, as an index into [`FormatInfo::relations`](super::FormatInfo::relations).
    pub relation: usize,
    /// A hash that identifies the person.
    pub who: u64,
    /// The latest possible start, in milliseconds on a clock shared by all recordings.
    pub from: i64,
    /// The earliest possible end, on the same clock.
    pub to: i64,
}

/// The data of a recording that is compared with other recordings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Traces {
    /// The fingerprints, in any order.
    pub prints: Vec<Print>,
    /// The busy times, in any order.
    pub busy: Vec<BusyTime>,
}

impl Traces {
    /// Returns true if there is nothing to compare.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.prints.is_empty() && self.busy.is_empty()
    }
}
