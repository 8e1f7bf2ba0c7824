//! A match as tables.

mod facts;
mod frame;
mod precision;
mod rows;
mod scan;
mod seek;

pub(super) use facts::MATCH;
pub(super) use frame::defs;
pub(super) use precision::tables;
pub(super) use scan::scan;
pub(super) use seek::Seeking;
