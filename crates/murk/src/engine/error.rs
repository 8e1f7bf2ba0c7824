//! Errors of descriptions and of running worlds.

use std::fmt;

use gametape_core::text::Grouped;

/// The part of a description that an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// The keys above the first table.
    World,
    /// The table `[space]`.
    Space,
    /// One of the tables `[[field]]`.
    Field {
        /// Its number, from 0, which commands use.
        index: usize,
        /// Its name; empty if that can't be read.
        name: String,
    },
    /// One of the tables `[[propagator]]`.
    Propagator {
        /// Its number, from 0; propagators run in this order.
        index: usize,
        /// Its kind; empty if that can't be read.
        kind: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, index, name) = match self {
            Self::World => return f.write_str("the world"),
            Self::Space => return f.write_str("[space]"),
            Self::Field { index, name } => ("field", index, name),
            Self::Propagator { index, kind } => ("propagator", index, kind),
        };
        write!(f, "{what} {index}")?;
        if !name.is_empty() {
            write!(f, " ({})", shown(name))?;
        }
        Ok(())
    }
}

/// The problem of a description.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldFault {
    /// Not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    Utf8 {
        /// The position in bytes.
        at: usize,
    },
    /// Not TOML.
    #[error("{message}")]
    Syntax {
        /// The message of the TOML parser.
        message: String,
    },
    /// A description in an encoding of a later gametape.
    #[error("a description of version {found:?}; only version 1 can be read")]
    Version {
        /// The version in the description.
        found: String,
    },
    /// An unknown key.
    #[error("unknown key; {known}")]
    UnknownKey {
        /// The known keys.
        known: String,
    },
    /// A key that is needed is missing.
    #[error("missing")]
    Missing,
    /// A value of another type.
    #[error("{wanted} is needed, this is {found}")]
    Type {
        /// The type that is needed.
        wanted: &'static str,
        /// The value in the description.
        found: String,
    },
    /// A word that is not defined.
    #[error("{found:?} is not defined; {known}")]
    Word {
        /// The word in the description.
        found: String,
        /// The words that are defined.
        known: String,
    },
    /// A propagator of a kind that is neither stock nor registered.
    #[error(
        "{found:?} is not defined; {known}; a registered kind is known only to the program that registers it"
    )]
    UnknownKind {
        /// The kind.
        found: String,
        /// The kinds that are known.
        known: String,
    },
    /// Not a number, but a number is needed.
    #[error("not a number (NaN)")]
    Nan,
    /// More than a limit allows.
    #[error("{claimed} {what}, the limit is {limit}", claimed = Claimed(*claimed), limit = Grouped(*limit))]
    Limit {
        /// The unit of the numbers, in the plural.
        what: &'static str,
        /// The number that the description asks for; `u64::MAX` if 64 bits can't count it.
        claimed: u64,
        /// The limit.
        limit: u64,
    },
    /// There is none, but at least one is needed.
    #[error("at least one {what} is needed")]
    Empty {
        /// The thing that is needed, in the singular.
        what: &'static str,
    },
    /// A text that can't be a name.
    #[error("a name has 1 to {limit} bytes and no control characters")]
    Name {
        /// The longest name.
        limit: usize,
    },
    /// Two fields of one name.
    #[error("field {first} has this name too")]
    Duplicate {
        /// The number of the first one.
        first: usize,
    },
    /// A field that the world does not have.
    #[error("the world has no field {name:?}")]
    NoField {
        /// The name in the description.
        name: String,
    },
    /// A field, by its number, that the world does not have.
    #[error("it works on the fields {needed}, the world has {fields}")]
    NoFieldNumber {
        /// The fields that the propagator works on.
        needed: &'static str,
        /// The number of fields of the world.
        fields: usize,
    },
    /// A value that is not valid.
    #[error("{0}")]
    Value(String),
    /// A field whose shape would make the origin panic.
    #[error("field {field:?} has {found} values a cell; {needed} in this space")]
    Components {
        /// Its name.
        field: String,
        /// The number of values per cell.
        found: u32,
        /// The number that the propagator needs.
        needed: &'static str,
    },
    /// Two propagators that write one field.
    #[error("writes field {field:?}, as propagator {other} does")]
    Conflict {
        /// The field's name.
        field: String,
        /// The number of the other one.
        other: usize,
    },
    /// A time step too long for a propagator.
    #[error("{dt:?} s is too long: {by} is stable up to {max:?} s")]
    TimeStep {
        /// The time step.
        dt: f64,
        /// The longest one.
        max: f64,
        /// The propagator that limits it.
        by: String,
    },
    /// Another error of the origin.
    #[error("{0}")]
    Origin(String),
}

/// A count, or that it is too large to count.
struct Claimed(u64);

impl fmt::Display for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u64::MAX => f.write_str("beyond counting:"),
            count => Grouped(count).fmt(f),
        }
    }
}

/// Why a description of a world is refused: `line 12, propagator 0 (scalar_diffusion),
/// coefficient: a number is needed, this is a string`.
#[derive(Clone, PartialEq, Debug)]
pub struct WorldError {
    line: Option<usize>,
    place: Place,
    key: String,
    fault: Box<WorldFault>,
}

impl WorldError {
    pub(super) fn new(place: Place, key: &str, fault: WorldFault) -> Self {
        Self {
            line: None,
            place,
            key: key.to_owned(),
            fault: Box::new(fault),
        }
    }

    pub(super) fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = self.line.or(line);
        self
    }

    /// Removes the line, for a text that was generated.
    #[must_use]
    pub fn without_line(mut self) -> Self {
        self.line = None;
        self
    }

    /// Returns the line of the description, counted from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns the part of the description.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the key; empty for the whole part.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the problem.
    #[must_use]
    pub const fn fault(&self) -> &WorldFault {
        &self.fault
    }

    /// Returns true if a propagator is of a kind that this program does not know.
    #[must_use]
    pub const fn is_unknown_kind(&self) -> bool {
        matches!(*self.fault, WorldFault::UnknownKind { .. })
    }

    /// Returns true if the world is sound but too large.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(*self.fault, WorldFault::Limit { .. })
    }
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}, ")?;
        }
        if self.place != Place::World || self.key.is_empty() {
            write!(f, "{}", self.place)?;
            if !self.key.is_empty() {
                f.write_str(", ")?;
            }
        }
        write!(f, "{}: {}", shown(&self.key), self.fault)
    }
}

impl std::error::Error for WorldError {}

/// Returns a text of the description in a form that can be shown: bounded, and harmless on a
/// terminal.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 64;
    let mut shown: String = text
        .chars()
        .take(MOST)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

/// Why a world can't continue.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Three ticks in a row failed, and the engine makes no more.
    #[error("the engine makes no more ticks after three that failed: {reason}")]
    TickingDisabled {
        /// The reason of the last failure.
        reason: String,
    },
    /// The saved state is of another world.
    #[error("the saved state is of another world")]
    OtherWorld,
    /// The state was saved after a failed tick that followed successful ones, in a world with
    /// sparse fields. The engine's data on sparse fields in a failed tick can't be restored.
    #[error(
        "the state was saved at tick {}, after a tick that failed: it can't be brought back",
        Grouped(*tick)
    )]
    Unrestorable {
        /// The last tick that was made.
        tick: u64,
    },
    /// A registered propagator panicked. The world makes no more ticks until a saved state is
    /// restored.
    #[error("{propagator} panicked: {message}")]
    Panicked {
        /// Its number and its kind: `propagator 1 (rain)`.
        propagator: String,
        /// The message of the panic.
        message: String,
    },
    /// The engine failed in a way that its configuration rules out.
    #[error("the engine failed: {0}")]
    Engine(String),
}
