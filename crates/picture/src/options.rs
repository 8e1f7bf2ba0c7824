//! The subject of a picture and its look.

use std::str::FromStr;

use gametape::{Secrets, When};

use crate::scene::map::Plane;
use crate::scene::time::Stretch;

/// The subject of a picture and its look. By default the end of the recording, in the first view that can be drawn, 800 pixels
/// wide.
#[derive(Clone, Debug)]
pub struct Options {
    /// The moment; by default the end.
    pub at: Option<When>,
    /// A stretch instead of a moment.
    pub over: Option<Stretch>,
    /// The content of a picture of a stretch; by default it depends on the view.
    pub show: Option<Show>,
    /// The view: a table with cells, `map`, or one table of the map. By default the first that can be drawn.
    pub view: Option<String>,
    /// The column of the cells; by default the first.
    pub column: Option<String>,
    /// The side from which a map is seen if positions have a height.
    pub plane: Plane,
    /// The width in pixels.
    pub width: u32,
    /// Whether tokens, addresses and ids of users are shown.
    pub secrets: Secrets,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            at: None,
            over: None,
            show: None,
            view: None,
            column: None,
            plane: Plane::default(),
            width: 800,
            secrets: Secrets::Hide,
        }
    }
}

/// The content of a picture of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// The paths of entities.
    Ways,
    /// The time spent in each place.
    Time,
    /// The number of changes of each cell.
    Changes,
}

impl Show {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ways, Self::Time, Self::Changes];

    /// The name: `ways`, `time`, `changes`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ways => "ways",
            Self::Time => "time",
            Self::Changes => "changes",
        }
    }
}

impl FromStr for Show {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|show| show.name() == text);
        named.ok_or_else(|| "a picture of a stretch shows ways, time or changes".to_owned())
    }
}
