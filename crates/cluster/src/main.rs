//! `gametape-cluster`: SQL over recordings on many machines.

use std::process::ExitCode;

fn main() -> ExitCode {
    gametape_cluster::run(gametape::formats())
}
