//! The result of a search for the slip, as data and as a sentence.

use std::fmt;

use gametape_core::text::{Counted, Grouped};
use gametape_core::{Datum, ToDatum};

use super::cause::{Cause, Evidence, Hashes};
use super::parted::Parted;
use super::slip::Slip;

/// The number of slips that an [`Explanation`] lists.
pub const MAX_SLIPS: usize = 8;

/// How single slips explain a divergence.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// The diverging frame, from 0.
    pub frame: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The slips that explain the most hashes, the simplest first. They explain equally many. The
    /// list has at most eight, and none if no slip explains the diverging hash.
    pub slips: Vec<Slip>,
    /// The number of further slips that explain as many.
    pub more: u64,
    /// The number of recorded hashes that they explain, without a gap, from the diverging one on.
    pub explained: u64,
    /// The number of recorded hashes after the diverging one that were kept for the search.
    pub after: u64,
    /// True if the time was up before all later hashes were tried, so that the slips may explain
    /// more.
    pub open: bool,
    /// The number of hashes that the next best slip explains.
    pub next: u64,
    /// The number of slips that were tried.
    pub tried: u64,
    /// True if all candidates were tried.
    pub complete: bool,
    /// The cause of the difference, from this hash and the later ones.
    pub cause: Option<Cause>,
    /// The evidence for the cause.
    pub evidence: Option<Evidence>,
    /// Set if two replays of the same commands differ. No slip and no cause are named then.
    pub parted: Option<Parted>,
}

impl Explanation {
    /// Returns true if all recorded hashes are explained, from the diverging one to the last.
    #[must_use]
    pub const fn explains_all(&self) -> bool {
        self.explained > self.after
    }

    /// Returns the slip that alone explains the most.
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
                "; the time was up before all were"
            });
        };
        let explained = Hashes(self.explained, self.after);
        let count = self.slips.len() as u64 + self.more;
        match self.best() {
            Some(_) => f.write_str("one slip explains ")?,
            None => write!(f, "{} slips explain ", Grouped(count))?,
        }
        // If everything is explained, "it" stands for the divergence.
        match (self.explains_all(), self.open) {
            (true, _) => f.write_str(if count > 1 { "it equally" } else { "it" })?,
            (_, true) => write!(f, "at least {explained}, as far as time sufficed")?,
            _ => write!(f, "{explained}, and none that was tried explains all")?,
        }
        if count > 1 {
            f.write_str(", and the hashes do not show which it was")?;
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
            "; the time was up before all were)"
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
            ("behind", self.after.to_datum()),
            ("hashes", (self.after + 1).to_datum()),
            ("open", self.open.to_datum()),
            ("next_best", self.next.to_datum()),
            ("tried", self.tried.to_datum()),
            ("complete", self.complete.to_datum()),
        ])
    }
}
