//! The subject of a picture and its look, the finished drawing, and the reasons why there is none.

use std::error::Error as StdError;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use gametape::core::Spell as _;
use gametape::{Error, Secrets, Stamp, TableDef, When};

use super::page::{Page, Picture};
use crate::scene::map::Plane;
use crate::scene::time::Stretch;
use crate::scene::views::{Grid, View};

/// The first and the last stamp of a stretch.
pub type Ends = (Stamp, Stamp);

/// The reason why there is no picture.
#[derive(Debug)]
pub enum Fault {
    /// An error of the recording.
    Error(Box<Error>),
    /// There is nothing to draw, or not what was asked for: the whole message.
    Message(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) => error.fmt(f),
            Self::Message(message) => message.fmt(f),
        }
    }
}

impl StdError for Fault {}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

/// A finished drawing, and what it shows.
#[derive(Debug)]
pub struct Drawn {
    /// The picture.
    pub picture: Picture,
    /// The name of the view.
    pub view: String,
    /// The moment, if it is one of a moment.
    pub at: Option<Stamp>,
    /// The first and the last stamp of the stretch, if it is one of a stretch.
    pub over: Option<Ends>,
    /// The content of a picture of a stretch: `ways`, `time` or `changes`.
    pub show: Option<&'static str>,
    /// A description for readers who cannot see the picture.
    pub words: String,
    /// The damage of the recording: only the readable part was drawn.
    pub problem: Option<Error>,
    /// A problem of the playback, such as a replay that differs from the recording.
    pub playback_problem: Option<Error>,
}

/// The subject of a picture.
pub struct Subject<'s> {
    pub options: &'s Options,
    /// The path of the recording.
    pub path: &'s Path,
    pub view: &'s View,
    /// The name of the view.
    pub title: String,
    /// The name of the file.
    pub name: String,
    /// `rmv v2`
    pub format: String,
}

impl Subject<'_> {
    /// Makes a fault of a sentence about the recording.
    pub fn fault(&self, sentence: &str) -> Fault {
        Fault::Message(format!("{}: {sentence}", shown(self.path.as_os_str())))
    }

    /// Starts a page with its title.
    pub fn page(&self, when: &str) -> Page {
        let view = &self.title;
        Page::new(&self.name, &format!("{} · {view} · {when}", self.format))
    }

    /// Finishes a page.
    pub fn drawn(&self, page: Page, words: String) -> Drawn {
        let title = format!("{} of {}", self.title, self.name);
        Drawn {
            picture: page.finish(&title, &words, self.options.width),
            view: self.title.clone(),
            at: None,
            over: None,
            show: None,
            words,
            problem: None,
            playback_problem: None,
        }
    }

    /// Returns the column of a grid that is drawn.
    pub fn value(&self, grid: &Grid, table: &TableDef) -> Result<usize, Fault> {
        let name = |at: &usize| table.columns.get(*at).map(|column| &*column.name);
        let found = match self.options.column.as_deref() {
            None => grid.values.first(),
            Some(wanted) => grid.values.iter().find(|at| name(at) == Some(wanted)),
        };
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = grid.values.iter().filter_map(name).collect();
            let wanted = self.options.column.as_deref().unwrap_or_default();
            self.fault(&format!(
                "cells of {} have no {wanted:?}; they have {}",
                grid.table,
                known.join(", ")
            ))
        })
    }
}

/// A path as printable text.
pub fn shown(path: &OsStr) -> String {
    gametape::core::text::printable(&path.spelled())
}

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
