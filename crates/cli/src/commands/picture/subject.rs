//! What a picture is of, and what all of them need.

use std::ffi::OsStr;

use gametape::{Batch, Error, Stamp, TableDef, Value};

use super::page::{Page, Picture};
use super::tiles::Tiles;
use crate::args::{Picture as Args, Show, Side};
use crate::scene::cells::Cells;
use crate::scene::map::Plane;
use crate::scene::symbols::Symbols;
use crate::scene::views::{Grid, View};

/// From where to where, both ends taken.
pub type Ends = (Stamp, Stamp);

/// Why there is no picture.
pub enum Fault {
    Error(Box<Error>),
    Said(String),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

/// A picture, and what it is of.
pub struct Drawn {
    pub picture: Picture,
    pub view: String,
    pub at: Option<Stamp>,
    pub over: Option<Ends>,
    pub show: Option<&'static str>,
    pub words: String,
    /// What is wrong with the recording: only what could be read was drawn.
    pub problem: Option<Error>,
    /// What is wrong with what was made of it.
    pub made: Option<Error>,
}

/// What is drawn of which recording.
pub struct Subject<'s> {
    pub args: &'s Args,
    pub view: &'s View,
    /// What the view is called.
    pub title: String,
    /// The name of its file.
    pub name: String,
    /// `rmv v2`
    pub format: String,
}

impl Subject<'_> {
    /// What the path says, in messages.
    pub fn fault(&self, sentence: &str) -> Fault {
        Fault::Said(format!("{}: {sentence}", shown(&self.args.path)))
    }

    /// A page that says what it is of.
    pub fn page(&self, when: &str) -> Page {
        let view = &self.title;
        Page::new(&self.name, &format!("{} · {view} · {when}", self.format))
    }

    /// The finished picture.
    pub fn finish(&self, page: Page, words: &str) -> Picture {
        let title = format!("{} of {}", self.title, self.name);
        page.finish(&title, words, self.args.width)
    }
}

pub fn shown(path: &OsStr) -> String {
    gametape::core::text::printable(&path.display().to_string())
}

/// Which of the values of a cell is shown.
pub fn value(subject: &Subject<'_>, grid: &Grid, table: &TableDef) -> Result<usize, Fault> {
    let name = |at: &usize| table.columns.get(*at).map(|column| &*column.name);
    let found = match subject.args.column.as_deref() {
        None => grid.values.first(),
        Some(wanted) => grid.values.iter().find(|at| name(at) == Some(wanted)),
    };
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = grid.values.iter().filter_map(name).collect();
        let wanted = subject.args.column.as_deref().unwrap_or_default();
        subject.fault(&format!(
            "cells of {} have no {wanted:?}; they have {}",
            grid.table,
            known.join(", ")
        ))
    })
}

/// The tiles of a grid that has any.
pub fn tiles(
    subject: &Subject<'_>,
    grid: &Grid,
    table: &TableDef,
    cells: &Cells,
) -> Result<Tiles, Fault> {
    Tiles::new(grid, table, cells).ok_or_else(|| {
        subject.fault(&format!(
            "{} has no cells then, or more than can be drawn",
            grid.table
        ))
    })
}

/// Symbols for what stands in cells.
pub fn symbols(grid: &Grid, batch: &Batch) -> Symbols {
    let mut symbols = Symbols::default();
    for at in &grid.values {
        for row in 0..batch.len() {
            if let Value::Text(text) = batch.get(row, *at) {
                symbols.learn(text);
            }
        }
    }
    symbols
}

impl From<Side> for Plane {
    fn from(side: Side) -> Self {
        match side {
            Side::Xz => Self::Xz,
            Side::Xy => Self::Xy,
            Side::Zy => Self::Zy,
        }
    }
}

/// What is shown of a stretch, as it is said.
pub const fn named(show: Show) -> &'static str {
    match show {
        Show::Ways => "ways",
        Show::Time => "time",
        Show::Changes => "changes",
    }
}
