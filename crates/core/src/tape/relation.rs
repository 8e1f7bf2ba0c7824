//! What a recording may have in common with others: as its format declares it, and as it stands in
//! one recording.

use crate::rule::{RuleInfo, Severity};

/// A way in which two recordings can belong together that should be apart: the same game again, one
/// person in two places at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RelationDef {
    /// A word for it: `same-game`.
    pub kind: &'static str,
    /// The stable code of its finding: `rmv.same-game`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// What its finding says in front of the names of the others: `the same game as`.
    pub says: &'static str,
    /// What it says, and what to do about it, for the book.
    pub doc: &'static str,
}

impl RelationDef {
    /// The names of its finding's figures.
    pub const DATA: &'static [&'static str] = &["kind", "other", "others", "more", "expected"];

    /// As the book lists it.
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

/// What recordings have in common where they are related: two with an equal one are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Print {
    /// Which relation, by its place in [`Format::relations`](super::Format::relations).
    pub relation: usize,
    /// A hash. It is compared with those of one run alone.
    pub hash: u64,
    /// Two recordings that have nothing to do with each other have it in common once in two to the
    /// power of this.
    pub bits: u8,
}

/// Somebody was busy with a recording: nobody is in two places at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Which relation, by its place in [`Format::relations`](super::Format::relations).
    pub relation: usize,
    /// A hash of who.
    pub who: u64,
    /// When it had begun at the latest: on a clock that all recordings share, in milliseconds.
    pub from: i64,
    /// When it had not ended yet.
    pub to: i64,
}

/// What a recording may have in common with others.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Traces {
    /// In any order.
    pub prints: Vec<Print>,
    /// In any order.
    pub spans: Vec<Span>,
}

impl Traces {
    /// True where there is nothing to compare.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.prints.is_empty() && self.spans.is_empty()
    }
}
