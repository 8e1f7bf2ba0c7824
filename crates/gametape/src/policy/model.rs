//! A policy, read.

use gametape_core::Severity;

use super::test::Test;

/// What is admitted of recordings of several formats, as a TOML file says it: a table for each format,
/// by its name.
///
/// | key | is |
/// |---|---|
/// | `reject` | what rejects: findings of these severities (`"error"`, `"warning"`, `"info"`), or of these codes; errors, where it is left out |
/// | `admit` | codes of findings that reject nothing |
/// | `require` | conditions that have to hold: a column of the format's tables of facts, and its value |
/// | `class` | several tables, each with a `name`, conditions `when` it is meant, and what it `require`s: a recording belongs to the first that it fits, and is rejected if it fits none |
///
/// A condition is a value, a list of values of which it has to be one, or a table of `min`, `max` and
/// `not`. A format without a table is not judged.
///
/// ```
/// use gametape::{Policy, formats};
/// let policy = Policy::parse("[rmv]\nreject = [\"error\"]\n[rmv.require]\nmode = \"win7\"\n", &formats())?;
/// let error = Policy::parse("[rmv.require]\nmdoe = \"win7\"\n", &formats()).unwrap_err();
/// assert_eq!(error.to_string(), "line 2: rmv has no fact \"mdoe\"; the nearest is \"mode\"");
/// # let bytes = gametape_samples::mines::example();
/// let game = gametape::Recording::from_bytes(bytes, "game.rmv")?;
/// let decision = policy.judge(&game, &game.audit()?)?;
/// assert_eq!(decision.admitted, Some(false));
/// assert_eq!(decision.reasons[0].message, "mode is \"normal\", \"win7\" is required");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    pub(super) sections: Vec<Section>,
}

/// What is admitted of recordings of one format.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Section {
    pub format: String,
    pub reject: Rejected,
    /// Codes.
    pub admit: Vec<String>,
    pub require: Vec<Condition>,
    pub classes: Vec<Class>,
}

/// Which findings reject.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Rejected {
    pub severities: Vec<Severity>,
    pub codes: Vec<String>,
}

/// A kind of recording, and what is asked of it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Class {
    pub name: String,
    pub when: Vec<Condition>,
    pub require: Vec<Condition>,
}

/// What a fact has to be.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Condition {
    /// The table of facts that has the column.
    pub table: String,
    pub column: String,
    pub test: Test,
}

impl Policy {
    pub(super) fn section(&self, format: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.format == format)
    }
}
