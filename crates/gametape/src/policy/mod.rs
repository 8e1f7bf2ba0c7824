//! Policies: which recordings are admitted, decided by conditions on their facts and on the
//! findings of audits.

mod judge;
mod parse;
mod test;

use gametape_core::Severity;

pub use judge::{Decision, Reason};
pub use parse::PolicyError;
use test::Test;

/// Rules that decide which recordings are admitted, as written in a TOML file. The file has a table
/// for each format, with the format's name.
///
/// | key | meaning |
/// |---|---|
/// | `reject` | the findings that reject a recording: severities (`"error"`, `"warning"`, `"info"`) or codes; by default errors |
/// | `admit` | codes of findings that do not reject |
/// | `require` | conditions that must be met: a column of the format's tables of facts, and its value |
/// | `class` | an array of tables, each with a `name`, the conditions `when` it applies, and the conditions it `require`s; a recording belongs to the first class that applies, and is rejected if none does |
///
/// A condition is a value, a list of allowed values, or a table with `min`, `max` and `not`.
/// Recordings of a format without a table are not judged.
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
    sections: Vec<Section>,
    /// The text that it was parsed from.
    text: String,
}

/// The rules for recordings of one format.
#[derive(Clone, PartialEq, Debug)]
struct Section {
    pub format: String,
    pub reject: Rejected,
    /// Codes of findings that do not reject.
    pub admit: Vec<String>,
    pub require: Vec<FactCondition>,
    pub classes: Vec<Class>,
}

/// The findings that reject.
#[derive(Clone, PartialEq, Default, Debug)]
struct Rejected {
    pub severities: Vec<Severity>,
    pub codes: Vec<String>,
}

/// A kind of recording, and its conditions.
#[derive(Clone, PartialEq, Debug)]
struct Class {
    pub name: String,
    pub when: Vec<FactCondition>,
    pub require: Vec<FactCondition>,
}

/// A condition on a fact.
#[derive(Clone, PartialEq, Debug)]
struct FactCondition {
    /// The table of facts that has the column.
    pub table: String,
    pub column: String,
    pub test: Test,
}

impl FactCondition {
    /// The table and the column that it asks for.
    fn fact(&self) -> [&str; 2] {
        [&self.table, &self.column]
    }
}

impl Policy {
    fn section(&self, format: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.format == format)
    }
}
