//! How sure a verdict is, and how that is said.

use std::fmt;

use gametape_core::text::Grouped;
use gametape_core::{Datum, ToDatum};

/// How sure a verdict is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// Recorded hashes that it explains, from the diverging one on, one after the other.
    pub explained: u64,
    /// Recorded hashes behind the diverging one.
    pub behind: u64,
    /// How many the next best verdict explains; `None` where there is no other.
    pub next: Option<u64>,
}

/// `explains this hash and all 312 behind it, the next best verdict 1`, `explains 3 of the 313 hashes from
/// here on`.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "explains {}", Hashes(self.explained, self.behind))?;
        match self.next {
            Some(next) => write!(f, ", the next best verdict {}", Grouped(next)),
            None => Ok(()),
        }
    }
}

impl ToDatum for Evidence {
    fn to_datum(&self) -> Datum {
        Datum::Map(vec![
            ("explained", self.explained.to_datum()),
            ("behind", self.behind.to_datum()),
            ("hashes", (self.behind + 1).to_datum()),
            ("next_best", self.next.to_datum()),
        ])
    }
}

/// So many hashes from the diverging one on, where so many are behind it.
pub(super) struct Hashes(pub u64, pub u64);

impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(explained, behind) = *self;
        if explained <= behind {
            let hashes = Grouped(behind + 1);
            return write!(
                f,
                "{} of the {hashes} hashes from here on",
                Grouped(explained)
            );
        }
        match behind {
            0 => f.write_str("this hash, the last one"),
            1 => f.write_str("this hash and the one behind it"),
            all => write!(f, "this hash and all {} behind it", Grouped(all)),
        }
    }
}
