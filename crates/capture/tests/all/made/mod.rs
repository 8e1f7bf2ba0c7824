//! Captures that are made of tables, and those tables again.

mod cases;
mod copy;
mod random;
