//! Options of formats, declared as a table for each verb. The command's flags, the book's tables
//! and the refusal of unknown options are generated from these declarations.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::text::nearest;

/// The kind of an option's value.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum OptionKind {
    /// No value: given or not.
    Flag,
    /// A whole number within bounds.
    Count {
        /// The minimum.
        min: u64,
        /// The maximum.
        max: u64,
    },
    /// A number within bounds.
    Number {
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words, separated by commas.
    Choices(&'static [&'static str]),
    /// Any text.
    Text,
    /// A file, which the surface reads up to a maximum size.
    File {
        /// The maximum size in bytes, far more than any such file needs.
        most: u64,
    },
}

impl OptionKind {
    /// Returns a kind that accepts the values of both; the first kind if they cannot be combined.
    #[must_use]
    pub fn widened(self, other: Self) -> Self {
        match (self, other) {
            (Self::Count { min: a, max: b }, Self::Count { min, max }) => Self::Count {
                min: a.min(min),
                max: b.max(max),
            },
            (Self::Number { min: a, max: b }, Self::Number { min, max }) => Self::Number {
                min: a.min(min),
                max: b.max(max),
            },
            (Self::File { most: a }, Self::File { most }) => Self::File { most: a.max(most) },
            (kind, _) => kind,
        }
    }
}

/// The declaration of an option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OptionDef {
    /// The name, in lower case with hyphens: `keyframe-every`.
    pub name: &'static str,
    /// Names that it had before; a command still takes them, and does not show them.
    pub aliases: &'static [&'static str],
    /// The kind of the value.
    pub kind: OptionKind,
    /// The placeholder for the value in help: `TICKS`.
    pub value: &'static str,
    /// The default, described for people; empty if there is none.
    pub default: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// More documentation; may be empty.
    pub more: &'static str,
    /// Options that cannot be combined with this one.
    pub conflicts: &'static [&'static str],
    /// An option that this one requires.
    pub needs: Option<&'static str>,
}

impl OptionDef {
    /// Declares an option without a value.
    #[must_use]
    pub const fn flag(name: &'static str, help: &'static str) -> Self {
        Self::new(name, OptionKind::Flag, "", help)
    }

    /// Declares an option with a value.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: OptionKind,
        value: &'static str,
        help: &'static str,
    ) -> Self {
        Self {
            name,
            aliases: &[],
            kind,
            value,
            default: "",
            help,
            more: "",
            conflicts: &[],
            needs: None,
        }
    }

    /// Parses a text as a value. For an [`OptionKind::File`], see [`OptionValue::File`].
    ///
    /// ```
    /// use gametape_core::tape::{OptionDef, OptionKind, OptionValue};
    /// let every = OptionDef::new("chunk-size", OptionKind::Count { min: 1, max: 65_535 }, "N", "…");
    /// assert_eq!(every.parse("300").unwrap(), OptionValue::Count(300));
    /// assert_eq!(every.parse("0").unwrap_err(), "chunk-size can be 1 to 65535, not 0");
    /// assert_eq!(
    ///     every.parse("2k").unwrap_err(),
    ///     "chunk-size can be a whole number without a unit, 1 to 65535, not 2k"
    /// );
    /// ```
    ///
    /// # Errors
    /// A sentence that says which values are allowed.
    pub fn parse(&self, text: &str) -> Result<OptionValue, String> {
        let name = self.name;
        match self.kind {
            OptionKind::Flag => Err(format!("{name} takes no value")),
            OptionKind::Text | OptionKind::File { .. } => Ok(OptionValue::Text(text.to_owned())),
            OptionKind::Count { min, max } => match text.parse() {
                Ok(count) if (min..=max).contains(&count) => Ok(OptionValue::Count(count)),
                read => {
                    let range = range(min, (max < u64::MAX).then_some(max));
                    let what = if read.is_ok() {
                        ""
                    } else {
                        "a whole number without a unit, "
                    };
                    Err(format!("{name} can be {what}{range}, not {text}"))
                }
            },
            OptionKind::Number { min, max } => match text.parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(OptionValue::Number(number)),
                read => {
                    let range = range(min, (max < f64::MAX).then_some(max));
                    let what = if read.is_ok() {
                        ""
                    } else {
                        "a number without a unit, "
                    };
                    Err(format!("{name} can be {what}{range}, not {text}"))
                }
            },
            OptionKind::Choice(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(OptionValue::Text((*word).to_owned())),
                None => Err(format!("{name} can be {}, not {text}", words.join(", "))),
            },
            OptionKind::Choices(words) => match unknown(text, words) {
                None => Ok(OptionValue::Text(text.to_owned())),
                Some(word) => Err(format!(
                    "{name} can be some of {}, with commas between them, not {word:?}",
                    words.join(", ")
                )),
            },
        }
    }
}

/// The values that an option can have, in words; `None` for no maximum.
fn range<N: fmt::Display>(min: N, max: Option<N>) -> String {
    match max {
        Some(max) => format!("{min} to {max}"),
        None => format!("{min} or more"),
    }
}

/// Returns the first word of a comma-separated list that is not known.
fn unknown<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    text.split(',').find(|word| !words.contains(word))
}

/// The value of an option.
#[derive(Clone, PartialEq, Debug)]
pub enum OptionValue {
    /// The option is given.
    Flag,
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A text, or words.
    Text(String),
    /// The content of a file, and its path for messages.
    File {
        /// The path.
        path: PathBuf,
        /// The content.
        bytes: Vec<u8>,
    },
}

/// The given options, by name.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Options(BTreeMap<String, OptionValue>);

impl Options {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an option.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: OptionValue) -> Self {
        self.set(name, value);
        self
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(self, name: impl Into<String>) -> Self {
        self.with(name, OptionValue::Flag)
    }

    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: OptionValue) {
        self.0.insert(name.into(), value);
    }

    /// Returns true if no options are given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names of the given options.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns only the options that are declared in `defs`.
    #[must_use]
    pub fn only(&self, defs: &[OptionDef]) -> Self {
        let known = |name: &str| defs.iter().any(|def| def.name == name);
        Self(
            self.0
                .iter()
                .filter(|(name, _)| known(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    /// Returns the value of an option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.get(name)
    }

    /// Returns true if the option is given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns a whole number; `None` if it is not given.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(OptionValue::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// Returns a number; `None` if it is not given.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(OptionValue::Number(number)) => Some(*number),
            Some(OptionValue::Count(count)) => Some(*count as f64),
            _ => None,
        }
    }

    /// Returns a text or a word; `None` if it is not given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(OptionValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the words of an [`OptionKind::Choices`]; empty if it is not given.
    pub fn words(&self, name: &str) -> impl Iterator<Item = &str> {
        self.text(name).into_iter().flat_map(|text| text.split(','))
    }

    /// Returns the path and the content of a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<(&Path, &[u8])> {
        match self.get(name) {
            Some(OptionValue::File { path, bytes }) => Some((path, bytes)),
            _ => None,
        }
    }

    /// Refuses undeclared options, invalid values, conflicting options, and options whose
    /// requirement is missing.
    ///
    /// # Errors
    /// [`OptionError`] names the option and, if it is unknown, the most similar known option.
    pub fn check(&self, what: &str, defs: &[OptionDef]) -> Result<(), OptionError> {
        for (name, value) in &self.0 {
            let Some(def) = defs.iter().find(|def| def.name == name) else {
                let near = nearest(name, defs.iter().map(|def| def.name));
                return Err(OptionError::Unknown {
                    what: what.to_owned(),
                    name: name.clone(),
                    near,
                });
            };
            let fits = match (def.kind, value) {
                (OptionKind::Flag, OptionValue::Flag)
                | (OptionKind::Text, OptionValue::Text(_))
                | (OptionKind::File { .. }, OptionValue::File { .. }) => true,
                (OptionKind::Choice(words), OptionValue::Text(text)) => {
                    words.contains(&text.as_str())
                }
                (OptionKind::Choices(words), OptionValue::Text(text)) => {
                    unknown(text, words).is_none()
                }
                (OptionKind::Count { min, max }, OptionValue::Count(count)) => {
                    (min..=max).contains(count)
                }
                (OptionKind::Number { min, max }, OptionValue::Number(number)) => {
                    (min..=max).contains(number)
                }
                _ => false,
            };
            if !fits {
                return Err(OptionError::Value {
                    name: name.clone(),
                    kind: def.kind,
                });
            }
            if let Some(other) = def.conflicts.iter().find(|other| self.has(other)) {
                return Err(OptionError::Conflict {
                    name: name.clone(),
                    other,
                });
            }
            if let Some(other) = def.needs.filter(|other| !self.has(other)) {
                return Err(OptionError::Needs {
                    name: name.clone(),
                    other,
                });
            }
        }
        Ok(())
    }
}

/// Why options are refused.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum OptionError {
    /// The format has no such option for this operation.
    Unknown {
        /// The operation: `to convert rmv to rmv`.
        what: String,
        /// The option.
        name: String,
        /// A known option with a similar name.
        near: Option<&'static str>,
    },
    /// The value has the wrong kind, or is out of bounds.
    Value {
        /// The option.
        name: String,
        /// The declared kind.
        kind: OptionKind,
    },
    /// Two options cannot be combined.
    Conflict {
        /// The first option.
        name: String,
        /// The second option.
        other: &'static str,
    },
    /// An option requires another one.
    Needs {
        /// The option.
        name: String,
        /// The required option.
        other: &'static str,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { what, name, near } => {
                write!(f, "there is no option {name} {what}")?;
                near.map_or(Ok(()), |near| write!(f, "; {near} may be meant"))
            }
            Self::Value { name, kind } => {
                write!(f, "option {name} takes ")?;
                match kind {
                    OptionKind::Flag => f.write_str("no value"),
                    OptionKind::Count { min, max } if min == max => write!(f, "{min} alone"),
                    OptionKind::Count { min, max } => write!(f, "a whole number, {min} to {max}"),
                    OptionKind::Number { min, max } => write!(f, "a number, {min} to {max}"),
                    OptionKind::Choice(words) => write!(f, "one of {}", words.join(", ")),
                    OptionKind::Choices(words) => write!(f, "some of {}", words.join(", ")),
                    OptionKind::Text => f.write_str("a text"),
                    OptionKind::File { .. } => f.write_str("a file"),
                }
            }
            Self::Conflict { name, other } => {
                write!(f, "options {name} and {other} can't stand together")
            }
            Self::Needs { name, other } => {
                write!(f, "option {name} does nothing without option {other}")
            }
        }
    }
}

impl std::error::Error for OptionError {}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFS: &[OptionDef] = &[
        OptionDef {
            conflicts: &["zip"],
            ..OptionDef::flag("plain", "As text")
        },
        OptionDef::flag("zip", "In a zip"),
        OptionDef::new("mode", OptionKind::Choice(&["near", "far"]), "MODE", "How"),
        OptionDef::new(
            "max-error",
            OptionKind::Number {
                min: 0.0,
                max: f64::MAX,
            },
            "M",
            "…",
        ),
        OptionDef {
            needs: Some("plain"),
            ..OptionDef::new("keep", OptionKind::Choices(&["a", "b"]), "WORDS", "…")
        },
    ];

    #[test]
    fn what_is_not_declared_is_refused() {
        let check = |options: Options| options.check("to convert a to b", DEFS);
        let refused = |options: Options| check(options).unwrap_err().to_string();
        assert_eq!(
            refused(Options::new().flag("plan")),
            "there is no option plan to convert a to b; plain may be meant"
        );
        assert_eq!(
            refused(Options::new().flag("mode")),
            "option mode takes one of near, far"
        );
        assert_eq!(
            refused(Options::new().with("mode", OptionValue::Text("fast".into()))),
            "option mode takes one of near, far"
        );
        assert_eq!(
            refused(Options::new().flag("plain").flag("zip")),
            "options plain and zip can't stand together"
        );
        let keep = |words: &str| Options::new().with("keep", OptionValue::Text(words.into()));
        assert_eq!(
            refused(keep("a,c").flag("plain")),
            "option keep takes some of a, b"
        );
        assert_eq!(
            refused(keep("a")),
            "option keep does nothing without option plain"
        );
        assert_eq!(
            DEFS[4].parse("b,").unwrap_err(),
            "keep can be some of a, b, with commas between them, not \"\""
        );
        assert!(check(keep("b,a").flag("plain")).is_ok());
        assert!(keep("b,a").words("keep").eq(["b", "a"]));
        let nan = OptionValue::Number(f64::NAN);
        assert!(check(Options::new().with("max-error", nan)).is_err());
        let fine = DEFS[2].parse("far").unwrap();
        assert!(check(Options::new().with("mode", fine).flag("zip")).is_ok());
    }
}
