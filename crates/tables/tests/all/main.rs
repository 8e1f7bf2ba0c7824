//! Arrow against the rows that a scan gives.

mod grids;
mod made;
mod real;
mod told;
