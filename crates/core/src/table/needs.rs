//! What a recording does not carry.

use std::fmt;

/// What a recording does not carry, and without which a part of it can't be told.
///
/// ```
/// use gametape_core::table::Needs;
/// assert_eq!(Needs::World.to_string(), "more with a world: give one with --world");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Needs {
    /// The world that its commands are replayed in.
    World,
    /// The schema of its packets.
    Schema,
    /// The program that recorded it: what the recording names is known to that one alone.
    Program,
}

impl Needs {
    /// `world`, `schema` or `program`; the first two are options of
    /// [`Verb::Open`](crate::tape::Verb::Open) that give it, too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Schema => "schema",
            Self::Program => "program",
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::Program {
            return f
                .write_str("more with the program that recorded it, which knows what it names");
        }
        let name = self.name();
        write!(f, "more with a {name}: give one with --{name}")
    }
}
