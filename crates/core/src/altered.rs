//! Parts that a salvage kept although they may differ from what was recorded.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::finding::{Finding, Place};
use crate::rule::Rule;
use crate::text::{Counted, Grouped, Many};

/// A part that a salvage kept although it may differ from what was recorded: its checksum is wrong, or
/// the container around it is damaged.
#[derive(Clone, PartialEq, Debug)]
pub struct Altered<R> {
    /// The finding that shows it.
    pub finding: Finding<R>,
    /// The part that was kept.
    pub part: Part,
}

/// A part of a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    /// Steps of the repaired recording.
    Steps(Range<u64>),
    /// A part outside of the steps, such as `the header`.
    Beside(&'static str),
}

impl Part {
    /// How many steps it is.
    fn count(&self) -> u64 {
        match self {
            Self::Steps(steps) => steps.end.saturating_sub(steps.start),
            Self::Beside(_) => 0,
        }
    }

    /// The first and the last step.
    fn ends(&self) -> Option<(u64, u64)> {
        match self {
            Self::Steps(steps) if !steps.is_empty() => Some((steps.start, steps.end - 1)),
            _ => None,
        }
    }
}

/// `frames 900 to 1,199 (byte 65,536): chunk 3 has checksum …`
impl<R: Rule> fmt::Display for Altered<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = Place {
            step: None,
            ..self.finding.place.clone()
        };
        let what = match (&self.part, self.part.ends()) {
            (Part::Beside(what), _) => (*what).to_owned(),
            (_, None) => format!("no {}", R::STEP),
            (_, Some((from, to))) if from == to => format!("{} {}", R::STEP, Grouped(from)),
            (_, Some((from, to))) => {
                format!("{} {} to {}", Many(R::STEP), Grouped(from), Grouped(to))
            }
        };
        f.write_str(&what)?;
        if !place.is_nowhere() {
            write!(f, " ({place})")?;
        }
        write!(f, ": {}", self.finding.message())
    }
}

/// All parts that a salvage kept so. The first ones are listed, the rest only counted: there may be any
/// number.
#[derive(Clone, PartialEq, Debug)]
pub struct AllAltered<R> {
    told: Vec<Altered<R>>,
    count: u64,
    steps: u64,
}

impl<R> Default for AllAltered<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> AllAltered<R> {
    /// The number of parts that are listed.
    pub const TOLD: usize = 1000;

    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            told: Vec::new(),
            count: 0,
            steps: 0,
        }
    }

    /// Adds one.
    pub fn push(&mut self, altered: Altered<R>) {
        self.count += 1;
        self.steps += altered.part.count();
        if self.told.len() < Self::TOLD {
            self.told.push(altered);
        }
    }

    /// The first of them, in the order of the recording: [`AllAltered::TOLD`] at most.
    pub fn iter(&self) -> core::slice::Iter<'_, Altered<R>> {
        self.told.iter()
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// How many steps they are together.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// True where all that was kept is as it was recorded, as far as can be told.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<'a, R> IntoIterator for &'a AllAltered<R> {
    type Item = &'a Altered<R>;
    type IntoIter = core::slice::Iter<'a, Altered<R>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<R: Rule> AllAltered<R> {
    /// Most sentences: of more, nobody reads each.
    const SAID: usize = 20;

    /// A sentence for each, and one for those that are more than a few.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let said = self.told.iter().take(Self::SAID);
        let mut sentences: Vec<String> = said
            .map(|altered| format!("kept, but may be altered: {altered}"))
            .collect();
        let more = self.count.saturating_sub(sentences.len() as u64);
        if more > 0 {
            sentences.push(format!(
                "and {} more; {} may be altered in all",
                Counted(more, "place"),
                Counted(self.steps, R::STEP),
            ));
        }
        sentences
    }
}

#[cfg(feature = "tape")]
impl<R: Rule> AllAltered<R> {
    /// The same, of any format.
    #[must_use]
    pub fn of_any(&self) -> AllAltered<crate::tape::Told> {
        let told = self.told.iter().map(|altered| Altered {
            finding: altered.finding.told(),
            part: altered.part.clone(),
        });
        AllAltered {
            told: told.collect(),
            count: self.count,
            steps: self.steps,
        }
    }
}

/// Keys: `first_step` and `last_step` in the repaired recording, `beside` (`null`, or what stands beside
/// the steps), and those of [the finding](crate::tape::AnyFinding) that says why, but for `step`.
#[cfg(feature = "tape")]
impl serde::Serialize for Altered<crate::tape::Told> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;

        let mut map = serializer.serialize_map(None)?;
        let ends = self.part.ends();
        let beside = match self.part {
            Part::Beside(what) => Some(what),
            Part::Steps(_) => None,
        };
        map.serialize_entry("first_step", &ends.map(|(from, _)| from))?;
        map.serialize_entry("last_step", &ends.map(|(_, to)| to))?;
        map.serialize_entry("beside", &beside)?;
        let finding = serde_json::to_value(&self.finding).unwrap_or_default();
        let keys = finding.as_object().into_iter().flatten();
        for (key, value) in keys.filter(|(key, _)| *key != "step") {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::rules! {
        /// What a note can break.
        pub enum Rule: "line";

        /// Its checksum is wrong.
        #[error("checksum {found}")]
        Sum { found: u32 } = "note.sum", Error;
    }

    fn altered(steps: Range<u64>) -> Altered<Rule> {
        let finding = Finding::new(Rule::Sum { found: 7 });
        Altered {
            finding: finding.at(1234).step(steps.start),
            part: Part::Steps(steps),
        }
    }

    #[test]
    fn a_sentence_says_which_steps_and_where_they_were() {
        let say = |steps| altered(steps).to_string();
        assert_eq!(say(0..1200), "lines 0 to 1,199 (byte 1,234): checksum 7");
        assert_eq!(say(7..8), "line 7 (byte 1,234): checksum 7");
        assert_eq!(say(7..7), "no line (byte 1,234): checksum 7");
        let mut nowhere = altered(3..5);
        nowhere.finding.place = Place::nowhere("line");
        assert_eq!(nowhere.to_string(), "lines 3 to 4: checksum 7");
        nowhere.part = Part::Beside("the header");
        assert_eq!(nowhere.to_string(), "the header: checksum 7");
    }

    #[test]
    fn any_number_of_them_takes_little() {
        let mut all = AllAltered::new();
        assert!(all.is_empty() && all.sentences().is_empty());
        assert_eq!(Rule::ALL.len(), 1);
        for at in 0..5000 {
            all.push(altered(at * 10..at * 10 + 4));
        }
        assert_eq!((all.count(), all.steps()), (5000, 20_000));
        assert_eq!(all.iter().count(), 1000);
        let sentences = all.sentences();
        assert_eq!(sentences.len(), 21);
        assert_eq!(
            sentences[20],
            "and 4,980 places more; 20,000 lines may be altered in all"
        );
    }
}
