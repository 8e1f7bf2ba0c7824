//! Captures that are made from tables, and the way back to these tables.

mod cases;
mod copy;
mod random;
