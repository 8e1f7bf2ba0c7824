//! A game as tables.

mod columns;
mod course;
mod defs;
mod facts;
mod scan;
mod seek;
mod window;

pub(super) use defs::{defs, of};
pub(super) use scan::scan;
pub(super) use seek::Seeking;
