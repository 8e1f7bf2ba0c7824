//! External data that a recording needs.

use std::fmt;

/// Data that a recording does not contain, and without which a part of it cannot be read.
///
/// ```
/// use gametape_core::table::Needs;
/// assert_eq!(Needs::World.to_string(), "more with a world: give one with --world");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Needs {
    /// The world in which its commands are replayed.
    World,
    /// The schema of its packets.
    Schema,
    /// The program that recorded it, which alone knows the things that the recording names.
    Program,
}

impl Needs {
    /// Returns `world`, `schema` or `program`. The first two are also the options of
    /// [`Verb::Open`](crate::tape::Verb::Open) that provide the data.
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
