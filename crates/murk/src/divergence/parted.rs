//! Two replays of the same commands that differ.

use std::fmt;

use gametape_core::text::{Grouped, Hash};
use gametape_core::{Datum, ToDatum};

use super::cause::{Difference, Divergence, Listed};
use crate::divergence::{Candidate, explain};
use crate::simulation::Simulation;
use crate::simulation::hash::State;

/// The first tick at which two replays of the same commands differ. Such a world is not
/// deterministic, so no slip can be found from its divergence.
#[derive(Clone, PartialEq, Debug)]
pub struct Parted {
    /// The frame, from 0.
    pub frame: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The hash in one replay.
    pub hash: u64,
    /// The hash in the other replay; `None` if that one could not make the tick.
    pub other_hash: Option<u64>,
    /// Why the other replay could not make the tick.
    pub failure: Option<String>,
    /// The first values that differ: `replayed` is the value in one replay, `recorded` in the
    /// other. Empty if only the hashes are known.
    pub differences: Vec<Difference>,
    /// The number of values that differ; 0 if it is not known.
    pub count: u64,
    /// True if one replay went back to a saved state. Then the world may also keep something that
    /// no saved state includes.
    pub went_back: bool,
}

impl Parted {
    /// Creates it from a second replay that differs from the verified first one. The divergence has
    /// the hash of the first replay in place of the recorded one.
    pub(crate) fn of(again: &Divergence, went_back: bool) -> Self {
        let place = (again.frame, again.tick);
        let hashes = (again.recorded_hash, again.replayed_hash);
        let value = again.cause.value().map(|value| Difference {
            replayed: value.recorded,
            recorded: value.replayed,
            ..value.clone()
        });
        let count = u64::from(value.is_some());
        let differences = value.into_iter().collect();
        Self::of_values(place, hashes, (differences, count), went_back)
    }

    /// Creates it from a state and the hash of the other state. If a single value differs, the hash
    /// tells which.
    pub(crate) fn of_state<S: Simulation>(
        simulation: &S,
        place: (u64, u64),
        was: u64,
        is: &State,
        went_back: bool,
    ) -> Self {
        let one = |found: &Candidate| {
            let (was, is) = (found.recorded, found.replayed);
            Difference::new(simulation, found.field, found.element, was, is)
        };
        let values = match explain(is, was).as_slice() {
            [only] => (vec![one(only)], 1),
            _ => (Vec::new(), 0),
        };
        Self::of_values(place, (was, is.hash()), values, went_back)
    }

    /// Creates it from the hashes and the values that differ.
    pub(crate) fn of_values(
        (frame, tick): (u64, u64),
        (hash, other): (u64, u64),
        (differences, count): (Vec<Difference>, u64),
        went_back: bool,
    ) -> Self {
        Self {
            frame,
            tick,
            hash,
            other_hash: Some(other),
            failure: None,
            differences,
            count,
            went_back,
        }
    }

    /// Creates it from a tick that could be made once and not again.
    pub(crate) fn failed(place: (u64, u64), hash: u64, reason: String, went_back: bool) -> Self {
        Self {
            other_hash: None,
            failure: Some(reason),
            ..Self::of_values(place, (hash, hash), (Vec::new(), 0), went_back)
        }
    }
}

/// A sentence, with the next step for the user.
impl fmt::Display for Parted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tick = Grouped(self.tick);
        f.write_str("two replays of the same commands differ")?;
        if self.went_back {
            f.write_str(" (one went back to a saved state)")?;
        }
        write!(f, ": at tick {tick} ")?;
        match (self.other_hash, &self.failure, self.count) {
            (Some(other), _, 0) => {
                write!(
                    f,
                    "their hashes are {} and {}",
                    Hash(self.hash),
                    Hash(other)
                )?;
            }
            (Some(other), _, count) => {
                if count > 1 {
                    write!(f, "{} values differ: ", Grouped(count))?;
                }
                let listed = Listed(&self.differences, count);
                write!(
                    f,
                    "{listed} (hashes {} and {})",
                    Hash(self.hash),
                    Hash(other)
                )?;
            }
            (None, reason, _) => write!(
                f,
                "one has the hash {}, the other could not make the tick: {}",
                Hash(self.hash),
                reason.as_deref().unwrap_or("unknown")
            )?,
        }
        f.write_str(if self.went_back {
            ". The world has state outside of its fields, or it is not deterministic, so no slip is named. Next: gametape sync-test RECORDING --rollback 8, then with --runs 8"
        } else {
            ". The world is not deterministic, so no slip is named. Next: gametape sync-test RECORDING --runs 8"
        })
    }
}

impl ToDatum for Parted {
    fn to_datum(&self) -> Datum {
        let values = self.differences.iter().map(|value| {
            let figures = Difference::figures_of(Some(value), ["first", "second"]);
            Datum::Map(figures)
        });
        let hashes = [Some(self.hash), self.other_hash];
        let differing = (self.count > 0).then_some(self.count);
        Datum::Map(vec![
            ("tick", self.tick.to_datum()),
            (
                "hashes",
                Datum::List(
                    hashes
                        .iter()
                        .map(|hash| hash.map(Hash).to_datum())
                        .collect(),
                ),
            ),
            ("values", Datum::List(values.collect())),
            ("differing", differing.to_datum()),
            ("failure", self.failure.as_deref().to_datum()),
            ("went_back", self.went_back.to_datum()),
        ])
    }
}
