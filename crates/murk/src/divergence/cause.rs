//! What is said where a replay and its recording part.

use std::fmt;

use gametape_core::text::{Grouped, Hash};
use gametape_core::{Datum, ToDatum};

use super::difference::Difference;
use super::evidence::Evidence;
use super::slip::Slip;
use crate::explain::explain;
use crate::past::WrittenBy;
use crate::simulation::Simulation;
use crate::state::State;
use crate::value::Value;

/// The first tick at which the replayed state is not the recorded one.
#[derive(Clone, PartialEq, Debug)]
pub struct Divergence {
    /// The frame, from 0.
    pub frame: u64,
    /// The frame's `tick_id`: the recording's own count, which need not go with `frame`.
    pub tick: u64,
    /// Where in the file the frame starts; 0 where there is no file.
    pub offset: u64,
    /// The hash in the recording.
    pub recorded_hash: u64,
    /// The hash of the replayed state.
    pub replayed_hash: u64,
    /// What the two hashes say about the difference; where a search was made
    /// ([`explain_slip`](crate::explain_slip())), those behind them, too.
    pub cause: Cause,
    /// How sure that is, where a search was made.
    pub evidence: Option<Evidence>,
    /// A tick at which the replay has the recorded state.
    pub other_tick: Option<u64>,
    /// Who wrote the value that differs, in the replay; `None` where it is not one value, and where it
    /// can't be told.
    pub written_by: Option<WrittenBy>,
}

/// What two hashes say about the states they stand for.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// A change of this one value explains the recorded hash, and no other single change does.
    /// (That it is another change of several values, and a match by chance, has odds of some 2⁻³²
    /// a value of the state.)
    Value(Difference),
    /// Several changes of one value explain the hash: it can't be told which.
    Ambiguous(Vec<Difference>),
    /// The recorded hash is that of the replayed state at another tick: frames are shifted.
    OtherTick {
        /// The tick whose state has the recorded hash.
        tick: u64,
    },
    /// The recorded hash itself is damaged: it differs in one bit, or those behind it are right.
    Hash {
        /// How many of its bits differ.
        bits: u32,
    },
    /// This slip explains more of the hashes than anything that the diverging one says by itself does.
    Slip(Box<Slip>),
    /// No change of one value explains the hash: several differ, and which can't be told; or the
    /// recorded hash itself is damaged.
    Many,
}

impl Cause {
    /// What a replayed state and a recorded hash say.
    ///
    /// Only those behind it tell one value that differs from frames that are shifted, where both are
    /// possible; the value is said, as it is true of either.
    pub(crate) fn find<S: Simulation + ?Sized>(
        simulation: &S,
        replayed: &State,
        (replayed_hash, recorded_hash): (u64, u64),
        other_tick: Option<u64>,
    ) -> Self {
        if (replayed_hash ^ recorded_hash).is_power_of_two() {
            return Self::Hash { bits: 1 };
        }
        let mut found: Vec<Difference> = explain(replayed, recorded_hash)
            .into_iter()
            .map(|candidate| {
                Difference::new(
                    simulation,
                    candidate.field,
                    candidate.element,
                    candidate.replayed,
                    candidate.recorded,
                )
            })
            .collect();
        match (found.len(), found.pop()) {
            (1, Some(only)) => Self::Value(only),
            (_, None) => other_tick.map_or(Self::Many, |tick| Self::OtherTick { tick }),
            (_, Some(last)) => {
                found.push(last);
                Self::Ambiguous(found)
            }
        }
    }

    /// The value that differs, where exactly one does.
    #[must_use]
    pub const fn value(&self) -> Option<&Difference> {
        match self {
            Self::Value(difference) => Some(difference),
            _ => None,
        }
    }
}

impl Cause {
    /// What it says, in a word.
    const fn verdict(&self) -> &'static str {
        match self {
            Self::Value(_) => "value",
            Self::Ambiguous(_) => "ambiguous",
            Self::OtherTick { .. } => "other-tick",
            Self::Hash { .. } => "hash",
            Self::Slip(_) => "slip",
            Self::Many => "many",
        }
    }
}

/// The verdict; of one value all that is known, of several the candidates; the slip, where that is
/// the verdict; both hashes; the writer.
impl ToDatum for Divergence {
    fn to_datum(&self) -> Datum {
        let candidates = match &self.cause {
            Cause::Ambiguous(values) => values.as_slice(),
            _ => &[],
        };
        let slip = match &self.cause {
            Cause::Slip(slip) => Some(slip),
            _ => None,
        };
        let mut map = vec![
            ("verdict", self.cause.verdict().to_datum()),
            ("tick", self.tick.to_datum()),
        ];
        map.extend(Difference::figures(self.cause.value()));
        map.extend([
            ("candidates", candidates.to_datum()),
            ("slip", slip.to_datum()),
            ("other_tick", self.other_tick.to_datum()),
            ("evidence", self.evidence.to_datum()),
            ("replayed_hash", Hash(self.replayed_hash).to_datum()),
            ("recorded_hash", Hash(self.recorded_hash).to_datum()),
            ("written_by", self.written_by.to_datum()),
        ]);
        Datum::Map(map)
    }
}

/// A whole sentence: `the replay leads to hash …, the recording has …; field 0 (heat) at [3, 4] is
/// 2.5, it was recorded as 2.75`.
impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Value(value) => write!(
                f,
                "{} is {} in the replay and was {} when it was recorded",
                value.place(),
                Value(value.replayed),
                Value(value.recorded)
            )?,
            Cause::Ambiguous(values) => {
                write!(f, "one value differs, and it can't be told which: ")?;
                for (at, value) in values.iter().enumerate() {
                    let or = if at == 0 { "" } else { ", or " };
                    write!(
                        f,
                        "{or}{} (replayed {}, recorded {})",
                        value.place(),
                        Value(value.replayed),
                        Value(value.recorded)
                    )?;
                }
            }
            Cause::OtherTick { tick } => write!(
                f,
                "the recording has here the state that the replay has at tick {}: frames are shifted",
                Grouped(*tick)
            )?,
            Cause::Hash { bits: 1 } => write!(
                f,
                "the recorded hash itself is damaged: one bit of it is flipped"
            )?,
            Cause::Hash { bits } => write!(
                f,
                "the recorded hash itself is damaged, in {bits} bits, or several values were others in this tick alone: behind it the state is the replay's"
            )?,
            Cause::Slip(slip) => write!(f, "{slip}")?,
            Cause::Many => write!(
                f,
                "the replayed state is not the recorded one: more than one value differs, and which ones can't be told from a hash; or the recorded hash itself is damaged"
            )?,
        }
        write!(
            f,
            " (hash {}, recorded {})",
            Hash(self.replayed_hash),
            Hash(self.recorded_hash)
        )?;
        if let Some(evidence) = &self.evidence {
            write!(f, "; that {evidence}")?;
        }
        match &self.written_by {
            Some(written_by) => write!(f, "; {written_by}"),
            None => Ok(()),
        }
    }
}
