//! A match as tables.

mod beside;
mod facts;
mod frame;
mod precision;
mod rows;
mod scan;
mod seek;
mod there;

pub(super) use facts::MATCH;
pub(super) use frame::defs;
pub(super) use precision::stated;
pub(super) use scan::scan;
pub(super) use seek::Seeking;
