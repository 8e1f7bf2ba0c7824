//! What the show and those who read the recording for it say to each other.

use gametape::core::table::{Marker, Span};
use gametape::{At, Batch, Scan, Stamp, TableDef};

use crate::scene::range::Bounds;

/// What the show wants to see next. Only the newest wish counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Wish {
    /// Wishes are counted: a shot says which one it is of.
    pub number: u64,
    /// Where to go.
    pub to: Option<At>,
    /// How many steps to go from there, on or back.
    pub steps: i64,
    /// What has to be read there.
    pub look: Look,
}

/// What a view needs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Look {
    /// What holds.
    pub states: Vec<Scan>,
    /// What held during the last second: the same rows.
    pub trail: bool,
    /// What happens around.
    pub events: Option<Scan>,
}

impl Wish {
    /// This one, after one that nobody has begun with: steps add up.
    pub fn after(mut self, before: &Self) -> Self {
        if self.to.is_none() {
            self.to = before.to;
            self.steps += before.steps;
        }
        self
    }
}

/// What was read of a moment.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Shot {
    /// Of which wish.
    pub number: u64,
    pub stamp: Stamp,
    pub look: Look,
    /// In the order of the look.
    pub states: Vec<Batch>,
    /// Of each state what held before, oldest first.
    pub trails: Vec<Vec<Batch>>,
    pub events: Vec<Batch>,
    /// What is wrong with what holds, such as that a replay has parted from what was recorded.
    pub problem: Option<String>,
}

impl Shot {
    /// What holds of a table.
    pub fn state(&self, table: &str) -> Option<&Batch> {
        let at = self.look.states.iter().position(|scan| scan.table == table);
        self.states.get(at?)
    }
}

/// The recording is open.
#[derive(Clone, PartialEq, Debug)]
pub struct Opened {
    pub path: String,
    /// `rmv v2`
    pub format: String,
    pub span: Span,
    pub tables: Vec<TableDef>,
}

/// What is told to the show.
pub enum News {
    Opened(Box<Opened>),
    /// What was wished for.
    Shot(Box<Shot>),
    /// It can't be had: which wish, and why.
    Refused(u64, String),
    /// All rows of a table of events, where they are few.
    Events(String, Vec<Batch>),
    Marks(Vec<Marker>),
    /// From where to where the positions of a table go.
    Bounds(String, Bounds),
    /// The last markers: nothing more is looked for.
    Findings(Vec<Marker>),
    /// What is wrong with the recording.
    Damage(String),
    /// It can't be shown at all.
    Failed(Box<gametape::Error>),
    /// It has nothing to show.
    Nothing(String),
}
