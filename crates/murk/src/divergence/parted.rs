//! Two replays of the same commands that are not the same.

use std::fmt;

use gametape_core::text::{Grouped, Hash};
use gametape_core::{Datum, ToDatum};

use super::cause::Divergence;
use super::difference::{Difference, Listed};
use crate::explain::{Candidate, explain};
use crate::simulation::Simulation;
use crate::state::State;
use crate::value::Value;

/// The first tick at which two replays of the same commands were seen to differ: whatever a recording of
/// such a world diverges by, no slip can be told from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Parted {
    /// The frame, from 0.
    pub frame: u64,
    /// Its `tick_id`.
    pub tick: u64,
    /// The hash that the one replay has there.
    pub hash: u64,
    /// The other one's; `None` where that could not make the tick.
    pub other_hash: Option<u64>,
    /// Why it could not.
    pub failure: Option<String>,
    /// The first values that differ: `replayed` is the one replay's, `recorded` the other's. Empty where
    /// only the hashes are known.
    pub differences: Vec<Difference>,
    /// How many values differ; 0 where that is not known.
    pub count: u64,
    /// True where one of them went back to a saved state: then it can be as well that the world keeps
    /// something that no saved state has.
    pub went_back: bool,
}

impl Parted {
    /// Of a replay that was verified before, and is not what it was: where the recorded hash stands is the
    /// first replay's.
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

    /// Of a state, where of the other one only the hash is known: if one value differs, that gives it away.
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

    /// Of these hashes, and the values that differ.
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

    /// Of a tick that was made once, and could not be made again.
    pub(crate) const fn failed(
        (frame, tick): (u64, u64),
        hash: u64,
        reason: String,
        went_back: bool,
    ) -> Self {
        Self {
            frame,
            tick,
            hash,
            other_hash: None,
            failure: Some(reason),
            differences: Vec::new(),
            count: 0,
            went_back,
        }
    }
}

/// A sentence, and what to do next.
impl fmt::Display for Parted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tick = Grouped(self.tick);
        f.write_str("two replays of the same commands are not the same")?;
        if self.went_back {
            f.write_str(", of which one went back to a saved state")?;
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
                "the one has the hash {}, and the other could not make the tick: {}",
                Hash(self.hash),
                reason.as_deref().unwrap_or("unknown")
            )?,
        }
        f.write_str(if self.went_back {
            ". The world keeps something that is no field, or it is not deterministic; so no slip is named. Next: gametape sync-test RECORDING --rollback 8, then with --runs 8"
        } else {
            ". The world is not deterministic, so no slip is named. Next: gametape sync-test RECORDING --runs 8"
        })
    }
}

impl ToDatum for Parted {
    fn to_datum(&self) -> Datum {
        let values = self.differences.iter().map(|value| {
            let location = value.location.as_ref();
            Datum::Map(vec![
                ("field", value.field.to_datum()),
                ("field_name", value.field_name.as_ref().to_datum()),
                ("cell", location.map(|at| &at.coord).to_datum()),
                ("component", location.map(|at| at.component).to_datum()),
                ("element", value.element.to_datum()),
                ("first", Value(value.replayed).to_datum()),
                ("second", Value(value.recorded).to_datum()),
            ])
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
