//! The people of a match: players, and those who wait to join.

use compact_str::CompactString;
use fastrand::Rng;

/// Invented names that are not longer than the game allows.
const NAMES: [&str; 24] = [
    "Alder",
    "Birch",
    "Cedar-3",
    "Dogwood",
    "elm_tree",
    "Fir",
    "Ginkgo",
    "Hazel",
    "Ironwood",
    "Juniper",
    "Koa",
    "Larch_",
    "Maple.77",
    "nutmeg",
    "Oak",
    "Poplar",
    "Quince",
    "Rowan",
    "Sycamore",
    "Teak",
    "Umbrella-Pine",
    "viburnum",
    "Willow",
    "Yew",
];

/// A person with an account.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub name: CompactString,
    pub userid: u64,
    pub number: i32,
    pub level: i32,
}

/// The people who are not in the match at the moment. Everybody who joins comes from this fixed
/// group, so that a recording of any length stays within the 255 players that a .butter can have.
#[derive(Clone, Debug)]
pub(super) struct Bench {
    waiting: Vec<Person>,
}

impl Bench {
    pub(super) fn new(rng: &mut Rng, people: u32) -> Self {
        // Ids have equal distances, so they are all different.
        let first = 1_000_000_000_000_000 + rng.u64(..2_000_000_000_000_000);
        let step = 1 + rng.u64(..9_000_000_000_000);
        let turn = rng.u32(..24);
        let waiting = (0..people)
            .map(|n| {
                let name = NAMES
                    .iter()
                    .cycle()
                    .nth(((n + turn) % 24) as usize)
                    .copied()
                    .unwrap_or_default();
                let name = match n / 24 {
                    0 => CompactString::from(name),
                    again => compact_str::format_compact!("{name}{}", again + 1),
                };
                Person {
                    name,
                    userid: first + step * u64::from(n),
                    number: rng.i32(0..100),
                    level: rng.i32(1..=50),
                }
            })
            .collect();
        Self { waiting }
    }

    /// A waiting person, often the one who left last.
    pub(super) fn take(&mut self, rng: &mut Rng) -> Option<Person> {
        let last = self.waiting.len().checked_sub(1)?;
        let at = if rng.u32(..3) == 0 {
            last
        } else {
            rng.u32(..=last as u32) as usize
        };
        Some(self.waiting.swap_remove(at))
    }

    pub(super) fn give_back(&mut self, person: Person) {
        self.waiting.push(person);
    }
}
