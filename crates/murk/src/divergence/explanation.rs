//! What a search for the slip came to, and how it is said.

use std::fmt;

use gametape_core::text::{Counted, Grouped};
use gametape_core::{Datum, ToDatum};

use super::cause::Cause;
use super::evidence::{Evidence, Hashes};
use super::parted::Parted;
use super::slip::Slip;

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
    /// How many more there are that explain as many.
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
    /// Where two replays of the same commands are not the same: no slip is named then, and no cause.
    pub parted: Option<Parted>,
}

impl Explanation {
    /// True where all recorded hashes are explained, from the diverging one to the last.
    #[must_use]
    pub const fn explains_all(&self) -> bool {
        self.explained > self.behind
    }

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
        if let Some(parted) = &self.parted {
            return write!(f, "{parted}");
        }
        let tried = Counted(self.tried, "slip");
        let Some(first) = self.slips.first() else {
            write!(
                f,
                "no single slip explains this hash, of {tried} that were tried"
            )?;
            return f.write_str(if self.complete {
                ""
            } else {
                "; the time was over before all were"
            });
        };
        let explained = Hashes(self.explained, self.behind);
        let count = self.slips.len() as u64 + self.more;
        match self.best() {
            Some(_) => f.write_str("one slip explains ")?,
            None => write!(f, "{} slips explain ", Grouped(count))?,
        }
        // "It" is all there is to explain.
        match (self.explains_all(), self.open) {
            (true, _) => f.write_str(if count > 1 { "it equally" } else { "it" })?,
            (_, true) => write!(f, "at least {explained}, as far as time sufficed")?,
            _ => write!(f, "{explained}, and none that was tried explains all")?,
        }
        if count > 1 {
            f.write_str(", and which it was can't be told")?;
        }
        write!(f, ": {first}")?;
        for slip in self.slips.iter().skip(1) {
            write!(f, "; or {slip}")?;
        }
        if self.more > 0 {
            write!(f, "; or {} more", Grouped(self.more))?;
        }
        f.write_str(". ")?;
        if self.explains_all() {
            write!(f, "Explained: {explained}; by the next best: ")?;
        } else {
            f.write_str("By the next best: ")?;
        }
        match self.next {
            0 => write!(f, "none ({tried} tried")?,
            next => write!(f, "{} ({tried} tried", Grouped(next))?,
        }
        f.write_str(if self.complete {
            ")"
        } else {
            "; the time was over before all were)"
        })
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
            ("hashes", (self.behind + 1).to_datum()),
            ("open", self.open.to_datum()),
            ("next_best", self.next.to_datum()),
            ("tried", self.tried.to_datum()),
            ("complete", self.complete.to_datum()),
        ])
    }
}
