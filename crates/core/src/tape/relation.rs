//! Relations between recordings: the declarations of formats, and the data of a single recording.

use crate::rule::{RuleInfo, Severity};

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
