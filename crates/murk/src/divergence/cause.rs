//! The first difference between a replay and its recording.

use std::fmt;

use gametape_core::text::{Grouped, Hash};
use gametape_core::{Datum, ToDatum};

use super::slip::Slip;
use crate::divergence::explain;
use crate::model::payload::ShownValue;
use crate::simulation::hash::State;
use crate::simulation::past::WrittenBy;
use crate::simulation::{Location, Simulation};

/// The first tick at which the replayed state is not the recorded one.
#[derive(Clone, PartialEq, Debug)]
pub struct Divergence {
    /// The frame, from 0.
    pub frame: u64,
    /// The frame's `tick_id`, the recording's own count. It need not follow `frame`.
    pub tick: u64,
    /// The offset of the frame in the file; 0 if there is no file.
    pub offset: u64,
    /// The hash in the recording.
    pub recorded_hash: u64,
    /// The hash of the replayed state.
    pub replayed_hash: u64,
    /// The cause of the difference. After a search ([`explain_slip`](crate::explain_slip())), it
    /// takes the later hashes into account.
    pub cause: Cause,
    /// The evidence for the cause, if a search was made.
    pub evidence: Option<Evidence>,
    /// A tick at which the replay has the recorded state.
    pub other_tick: Option<u64>,
    /// The writer of the differing value in the replay; `None` if more than one value differs, or the
    /// writer is not known.
    pub written_by: Option<WrittenBy>,
}

/// The cause of a difference, as far as two hashes show it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// A change of this one value explains the recorded hash, and no other single change does. (The
    /// odds that several values differ and this one matches by chance are about 2⁻³² for each value
    /// of the state.)
    Value(Difference),
    /// Several changes of one value explain the hash, and nothing tells which it was.
    Ambiguous(Vec<Difference>),
    /// The recorded hash is that of the replayed state at another tick: frames are shifted.
    OtherTick {
        /// The tick whose state has the recorded hash.
        tick: u64,
    },
    /// The recorded hash itself is damaged: it differs in one bit, or the hashes after it match.
    Hash {
        /// The number of bits that differ.
        bits: u32,
    },
    /// This slip explains more hashes than any cause that follows from the diverging hash alone.
    Slip(Box<Slip>),
    /// No change of one value explains the hash: several values differ, or the recorded hash itself
    /// is damaged.
    Many,
}

impl Cause {
    /// Finds the cause from a replayed state and a recorded hash.
    ///
    /// If both one changed value and shifted frames are possible, only the later hashes can decide.
    /// The value is reported, because it is true in both cases.
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

    /// Returns the differing value, if exactly one differs.
    #[must_use]
    pub const fn value(&self) -> Option<&Difference> {
        match self {
            Self::Value(difference) => Some(difference),
            _ => None,
        }
    }
}

impl Cause {
    /// Returns the verdict, as a word.
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

/// The verdict, with everything known about a single value, the candidates if there are several, or
/// the slip; both hashes; and the writer.
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

/// A sentence: `field 0 (heat) at [3, 4] is 2.5 in the replay and was 2.75 when it was recorded
/// (hash …, recorded …)`.
impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Value(value) => write!(
                f,
                "{} is {} in the replay and was {} when it was recorded",
                value.place(),
                ShownValue(value.replayed),
                ShownValue(value.recorded)
            )?,
            Cause::Ambiguous(values) => {
                write!(f, "one value differs, and the hash does not show which: ")?;
                for (at, value) in values.iter().enumerate() {
                    let or = if at == 0 { "" } else { ", or " };
                    write!(
                        f,
                        "{or}{} (replayed {}, recorded {})",
                        value.place(),
                        ShownValue(value.replayed),
                        ShownValue(value.recorded)
                    )?;
                }
            }
            Cause::OtherTick { tick } => write!(
                f,
                "the recording has here the state of the replay at tick {}: frames are shifted",
                Grouped(*tick)
            )?,
            Cause::Hash { bits: 1 } => write!(
                f,
                "the recorded hash itself is damaged: one bit of it is flipped"
            )?,
            Cause::Hash { bits } => write!(
                f,
                "the recorded hash itself is damaged, in {bits} bits, or several values differed in this tick alone: after it the state is the replay's"
            )?,
            Cause::Slip(slip) => write!(f, "{slip}")?,
            Cause::Many => write!(
                f,
                "the replayed state is not the recorded one: more than one value differs, and a hash does not show which; or the recorded hash itself is damaged"
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
        if self.cause.value().is_some_and(Difference::is_one_bit) {
            f.write_str("; the values differ in one bit: the reason may be a flipped bit or an edit as well as a fault of the simulation")?;
        }
        match &self.written_by {
            Some(written_by) => write!(f, "; {written_by}"),
            None => Ok(()),
        }
    }
}

/// The evidence for a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The number of recorded hashes that the verdict explains, without a gap, from the diverging
    /// one on.
    pub explained: u64,
    /// The number of recorded hashes after the diverging one.
    pub after: u64,
    /// The number that the next best verdict explains; `None` if there is no other.
    pub next: Option<u64>,
}

/// `explains this hash and all 312 after it, the next best verdict 1`, or `explains 3 of the 313
/// hashes from here on`.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "explains {}", Hashes(self.explained, self.after))?;
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
            ("behind", self.after.to_datum()),
            ("hashes", (self.after + 1).to_datum()),
            ("next_best", self.next.to_datum()),
        ])
    }
}

/// The number of explained hashes, and the number of hashes after the diverging one, in words.
pub(super) struct Hashes(pub u64, pub u64);

impl fmt::Display for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(explained, after) = *self;
        if explained <= after {
            let hashes = Grouped(after + 1);
            return write!(
                f,
                "{} of the {hashes} hashes from here on",
                Grouped(explained)
            );
        }
        match after {
            0 => f.write_str("this hash, the last one"),
            1 => f.write_str("this hash and the one after it"),
            all => write!(f, "this hash and all {} after it", Grouped(all)),
        }
    }
}

/// A value that differs.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The field's number, from 0: its place in the hash.
    pub field: u32,
    /// The field's name, if the simulation knows it.
    pub field_name: Option<String>,
    /// The value's place in the field.
    pub element: usize,
    /// The cell, if the simulation knows it.
    pub location: Option<Location>,
    /// The value in the replay.
    pub replayed: f32,
    /// The value in the recording.
    pub recorded: f32,
}

/// Values are equal if their bits are.
impl PartialEq for Difference {
    fn eq(&self, other: &Self) -> bool {
        self.field == other.field
            && self.element == other.element
            && self.replayed.to_bits() == other.replayed.to_bits()
            && self.recorded.to_bits() == other.recorded.to_bits()
    }
}

impl Difference {
    pub(crate) fn new<S: Simulation + ?Sized>(
        simulation: &S,
        field: u32,
        element: usize,
        replayed: f32,
        recorded: f32,
    ) -> Self {
        Self {
            field,
            field_name: simulation.field_name(field).map(str::to_owned),
            element,
            location: simulation.locate(field, element),
            replayed,
            recorded,
        }
    }

    /// Returns true if one bit of the value differs, as after a fault of memory.
    pub(super) const fn is_one_bit(&self) -> bool {
        (self.replayed.to_bits() ^ self.recorded.to_bits()).is_power_of_two()
    }

    /// Returns `field 0 (heat) at [3, 4]`, or `field 0, element 12` if the simulation gives no
    /// names.
    #[must_use]
    pub fn place(&self) -> String {
        let name = self
            .field_name
            .as_ref()
            .map_or_else(String::new, |name| format!(" ({name})"));
        match &self.location {
            Some(location) => format!("field {}{name} at {location}", self.field),
            None => format!("field {}{name}, element {}", self.field, self.element),
        }
    }
}

impl Difference {
    /// Returns the parts of a difference by name; all are null for `None`.
    pub(crate) fn figures(value: Option<&Self>) -> Vec<(&'static str, Datum)> {
        Self::figures_of(value, ["replayed", "recorded"])
    }

    /// [`Difference::figures`] with other names of its two values.
    pub(super) fn figures_of(
        value: Option<&Self>,
        [replayed, recorded]: [&'static str; 2],
    ) -> Vec<(&'static str, Datum)> {
        let location = value.and_then(|value| value.location.as_ref());
        vec![
            ("field", value.map(|value| value.field).to_datum()),
            (
                "field_name",
                value.and_then(|v| v.field_name.as_ref()).to_datum(),
            ),
            ("cell", location.map(|at| &at.coord).to_datum()),
            ("component", location.map(|at| at.component).to_datum()),
            ("element", value.map(|value| value.element).to_datum()),
            (replayed, value.map(|v| ShownValue(v.replayed)).to_datum()),
            (recorded, value.map(|v| ShownValue(v.recorded)).to_datum()),
        ]
    }
}

impl ToDatum for Difference {
    fn to_datum(&self) -> Datum {
        Datum::Map(Self::figures(Some(self)))
    }
}

/// The first values in which two states differ, and how many differ: `field 2 (level) at [0, 0] is 1.5 and 1.75, …`.
pub(crate) struct Listed<'d>(pub &'d [Difference], pub u64);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(differences, count) = *self;
        for (at, value) in differences.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            let (one, other) = (ShownValue(value.replayed), ShownValue(value.recorded));
            write!(f, "{} is {one} and {other}", value.place())?;
        }
        if count > differences.len() as u64 {
            f.write_str(", …")?;
        }
        Ok(())
    }
}
