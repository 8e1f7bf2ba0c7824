//! Why a description of a world is refused, and why a world stops.

use std::fmt;

use gametape_core::text::Grouped;

/// Which part of a description an error is about.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// The keys above the first table.
    World,
    /// The table `[space]`: which cells there are.
    Space,
    /// One of the tables `[[field]]`.
    Field {
        /// Its number, from 0: what commands name it by.
        index: usize,
        /// Its name; empty where that can't be read.
        name: String,
    },
    /// One of the tables `[[propagator]]`.
    Propagator {
        /// Its number, from 0: the order they run in.
        index: usize,
        /// Its kind; empty where that can't be read.
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

/// What is wrong with a description.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// Not UTF-8.
    #[error("not UTF-8 at byte {at}")]
    Utf8 {
        /// Where.
        at: usize,
    },
    /// Not TOML.
    #[error("{message}")]
    Syntax {
        /// What the TOML parser says.
        message: String,
    },
    /// A description in an encoding of a later gametape.
    #[error("a description of version {found:?}; only version 1 can be read")]
    Version {
        /// The version it names.
        found: String,
    },
    /// A key that means nothing.
    #[error("unknown key; {known}")]
    UnknownKey {
        /// The keys that are known there.
        known: String,
    },
    /// A key that is needed.
    #[error("missing")]
    Missing,
    /// A value of another type.
    #[error("{wanted} is needed, this is {found}")]
    Type {
        /// What is needed.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// A word that is not one of those defined.
    #[error("{found:?} is not defined; {known}")]
    Word {
        /// What stands there.
        found: String,
        /// What is defined.
        known: String,
    },
    /// A propagator of a kind that is neither stock nor registered.
    #[error(
        "{found:?} is not defined; {known}; a kind of one's own is known to the program that registers it"
    )]
    UnknownKind {
        /// The kind.
        found: String,
        /// What is known.
        known: String,
    },
    /// Not a number, where a number is needed.
    #[error("not a number (NaN)")]
    Nan,
    /// More than a limit allows.
    #[error("{claimed} {what}, the limit is {limit}", claimed = Claimed(*claimed), limit = Grouped(*limit))]
    Limit {
        /// What is counted, in the plural.
        what: &'static str,
        /// How much the description asks for; `u64::MAX` where 64 bits can't count it.
        claimed: u64,
        /// How much there may be.
        limit: u64,
    },
    /// Nothing, where at least one is needed.
    #[error("at least one {what} is needed")]
    Empty {
        /// What is needed, in the singular.
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
        /// The first of them.
        first: usize,
    },
    /// A field that the world does not have.
    #[error("the world has no field {name:?}")]
    NoField {
        /// What it is called.
        name: String,
    },
    /// A field, by its number, that the world does not have.
    #[error("it works on the fields {needed}, the world has {fields}")]
    NoFieldNumber {
        /// Which fields the propagator works on.
        needed: &'static str,
        /// How many the world has.
        fields: usize,
    },
    /// A value that can't be.
    #[error("{0}")]
    Value(String),
    /// A field of a shape on which the origin would fail beyond repair.
    #[error("field {field:?} has {found} values a cell; {needed} in this space")]
    Components {
        /// Its name.
        field: String,
        /// Values a cell.
        found: u32,
        /// What the propagator needs.
        needed: &'static str,
    },
    /// Two propagators that write one field.
    #[error("writes field {field:?}, as propagator {other} does")]
    Conflict {
        /// The field's name.
        field: String,
        /// The other one.
        other: usize,
    },
    /// A time step too long for a propagator.
    #[error("{dt:?} s is too long: {by} is stable up to {max:?} s")]
    TimeStep {
        /// The time step.
        dt: f64,
        /// The longest one.
        max: f64,
        /// The propagator that can't have it longer.
        by: String,
    },
    /// What the origin finds wrong beyond that.
    #[error("{0}")]
    Origin(String),
}

/// A number of things, or that there are too many to count.
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
    fault: Box<Fault>,
}

impl WorldError {
    pub(super) fn new(place: Place, key: &str, fault: Fault) -> Self {
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

    /// Of a text that nobody wrote.
    pub(super) fn without_line(mut self) -> Self {
        self.line = None;
        self
    }

    /// The line of the description, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        self.line
    }

    /// Which part of the description.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Which key; empty for the whole part.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong.
    #[must_use]
    pub const fn fault(&self) -> &Fault {
        &self.fault
    }

    /// True where a propagator is of a kind that this program does not know.
    #[must_use]
    pub const fn is_unknown_kind(&self) -> bool {
        matches!(*self.fault, Fault::UnknownKind { .. })
    }

    /// True where the world is sound and too big.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(*self.fault, Fault::Limit { .. })
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

/// A text of the description as it can be shown: bounded, and harmless on a terminal.
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

/// Why a world can't go on.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// Three ticks in a row failed: the engine makes no more.
    #[error("the engine makes no more ticks after three that failed: {reason}")]
    TickingDisabled {
        /// Why the last of them failed.
        reason: String,
    },
    /// A saved state of another world.
    #[error("the saved state is of another world")]
    OtherWorld,
    /// A state that was saved after a tick that failed, which followed ticks that did not, of a world
    /// with sparse fields: what the engine keeps of them in a failed tick can't be brought back.
    #[error(
        "the state was saved at tick {tick}, after a tick that failed: it can't be brought back"
    )]
    Unrestorable {
        /// The last tick that was made.
        tick: u64,
    },
    /// A propagator of one's own panicked. The world makes no more ticks, until a saved state is
    /// restored.
    #[error("{propagator} panicked: {message}")]
    Panicked {
        /// Its number and its kind: `propagator 1 (rain)`.
        propagator: String,
        /// What the panic said.
        message: String,
    },
    /// The engine fails in a way that its configuration rules out.
    #[error("the engine failed: {0}")]
    Engine(String),
}
