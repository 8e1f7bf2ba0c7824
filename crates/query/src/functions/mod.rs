//! The functions of SQL.

pub(crate) mod clocks;
pub(crate) mod geometry;
pub(crate) mod state_at;
