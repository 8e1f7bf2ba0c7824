//! `gametape-query`: SQL over recordings.

use std::process::ExitCode;

fn main() -> ExitCode {
    gametape_query::run(gametape::formats())
}
