//! Captures that are made from tables, and the way back to these tables.

mod cases;
pub mod copy;
mod random;
