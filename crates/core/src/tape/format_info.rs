//! The static description of a format.

use super::option::OptionDef;
use super::relation::RelationDef;

/// An operation on a recording. A format lists its options for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Verb {
    /// Open it; the options provide data that the recording lacks.
    Open,
    /// Print one thing that it contains; the options are flags named after these things. See
    /// [`Attachments`](super::Attachments).
    Inspect,
    /// Check it.
    Verify,
    /// Measure it.
    Stats,
    /// List its steps.
    Dump,
    /// Compare it.
    Diff,
    /// Convert it from this format; these options do not depend on the target format.
    Convert,
    /// Write it in this format; these options do not depend on the source format.
    Write,
    /// Keep its intact parts: see [`Tape::repair`](super::Tape::repair).
    Repair,
    /// Keep a part of it: see [`Tape::cut`](super::Tape::cut).
    Cut,
}

impl Verb {
    /// Returns its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Inspect => "inspect",
            Self::Verify => "verify",
            Self::Stats => "stats",
            Self::Dump => "dump",
            Self::Diff => "diff",
            Self::Convert => "convert",
            Self::Write => "write",
            Self::Repair => "repair",
            Self::Cut => "cut",
        }
    }
}

/// The static description of a format: plain data.
///
/// ```
/// use gametape_core::tape::FormatInfo;
/// const DICE: FormatInfo = FormatInfo {
///     step: "throw",
///     extensions: &["dice"],
///     ..FormatInfo::new("dice", "Throws of dice, a byte each")
/// };
/// assert_eq!(DICE.kind, "dice");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The name: one word in lower case, which is also used in JSON.
    pub name: &'static str,
    /// A description of less than a line: `Minesweeper games, ViennaSweeper's RMV v1 and v2`.
    pub about: &'static str,
    /// The kind; recordings of one kind can be compared with each other, and converted into each
    /// other.
    pub kind: &'static str,
    /// The name of a step: `frame`, `event`, `packet`.
    pub step: &'static str,
    /// The file name extensions, in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// The order in which formats are asked whether they recognise a file. Formats with a weak
    /// signature should have a larger number, so that they are asked later.
    pub sniff_order: u8,
    /// The options for each verb. A verb may occur once.
    pub options: &'static [(Verb, &'static [OptionDef])],
    /// The ways in which recordings that should be independent can be related, the strongest first.
    /// For two recordings, only the strongest relation is reported. The codes of relations differ
    /// from those of the format's rules.
    pub relations: &'static [RelationDef],
    /// The default policy of this format's community, as the TOML table named after the format (see
    /// `gametape::Policy`). Without one, the default policy does not judge recordings of this format.
    pub policy: Option<&'static str>,
    /// The facts by which a ranking lists a recording, whatever its policy asks: who played, at what,
    /// with what result. They are columns of the tables of facts, none of them secret.
    pub ranked: &'static [&'static str],
}

impl FormatInfo {
    /// Creates the description of a format whose kind is its name, whose steps are called steps,
    /// and that declares nothing else.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            kind: name,
            step: "step",
            extensions: &[],
            sniff_order: 0,
            options: &[],
            relations: &[],
            policy: None,
            ranked: &[],
        }
    }

    /// Returns the options for a verb.
    #[must_use]
    pub fn options_for(&self, verb: Verb) -> &'static [OptionDef] {
        let mut options = self.options.iter();
        let found = options.find(|(of, _)| *of == verb);
        found.map_or(&[], |(_, options)| options)
    }
}
