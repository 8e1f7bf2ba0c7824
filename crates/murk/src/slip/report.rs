//! What a search for the slip came to, and how it is said.

use std::fmt;

use gametape_core::text::{Counted, Grouped};
use gametape_core::{Datum, ToDatum};

use super::evidence::{Evidence, Hashes};
use super::kinds::Slip;
use crate::divergence::Cause;

/// Slips named in an [`Explanation`].
pub const MAX_SLIPS: usize = 8;

/// What single slips explain of a divergence.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The diverging frame, from 0.
    pub frame: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The slips that explain the most hashes, all of them equally many: the simplest first, at most
    /// eight. Empty where none explains the diverging one.
    pub slips: Vec<Slip>,
    /// How many more there are.
    pub more: u64,
    /// Recorded hashes that they explain, from the diverging one on, one after the other.
    pub explained: u64,
    /// Recorded hashes behind the diverging one, as far as they were held.
    pub behind: u64,
    /// True where the time was over before all hashes behind it were tried: they may explain more.
    pub open: bool,
    /// How many hashes the next best slip explains.
    pub next: u64,
    /// Slips that were tried.
    pub tried: u64,
    /// True if all that are looked for were tried.
    pub complete: bool,
    /// What differs, by the hash and those behind it.
    pub cause: Option<Cause>,
    /// How sure that is.
    pub evidence: Option<Evidence>,
}

impl Explanation {
    /// The slip, where one alone explains the most.
    #[must_use]
    pub fn best(&self) -> Option<&Slip> {
        match self.slips.as_slice() {
            [only] if self.more == 0 => Some(only),
            _ => None,
        }
    }
}

/// A sentence.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried = Counted(self.tried, "slip");
        match self.slips.as_slice() {
            [] => write!(
                f,
                "no single slip explains this hash, of {tried} that were tried"
            )?,
            [only] if self.more == 0 => {
                write!(f, "one slip explains it: {only}")?;
            }
            several => {
                let count = several.len() as u64 + self.more;
                write!(
                    f,
                    "{} slips explain it equally, and which it was can't be told: ",
                    Grouped(count)
                )?;
                for (at, slip) in several.iter().enumerate() {
                    write!(f, "{}{slip}", if at == 0 { "" } else { "; or " })?;
                }
                if self.more > 0 {
                    write!(f, "; or {} more", Grouped(self.more))?;
                }
            }
        }
        if !self.slips.is_empty() {
            let explained = Hashes(self.explained, self.behind);
            write!(f, ". Explained: {explained}")?;
            if self.open {
                f.write_str(", as far as time sufficed")?;
            }
            match self.next {
                0 => write!(f, "; by the next best: none ({tried} tried")?,
                next => write!(f, "; by the next best: {} ({tried} tried", Grouped(next))?,
            }
            return f.write_str(if self.complete {
                ")"
            } else {
                "; the time was over before all were)"
            });
        }
        if !self.complete {
            f.write_str("; the time was over before all were")?;
        }
        Ok(())
    }
}

impl ToDatum for Explanation {
    fn to_datum(&self) -> Datum {
        let best = match self.best().map(ToDatum::to_datum) {
            Some(best) => best,
            None => Datum::Null,
        };
        Datum::Map(vec![
            ("slip", best),
            ("slips", self.slips.to_datum()),
            ("more", self.more.to_datum()),
            ("explained", self.explained.to_datum()),
            ("behind", self.behind.to_datum()),
            ("open", self.open.to_datum()),
            ("next_best", self.next.to_datum()),
            ("tried", self.tried.to_datum()),
            ("complete", self.complete.to_datum()),
        ])
    }
}
