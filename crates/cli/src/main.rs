//! The `gametape` command with all of gametape's formats and tools.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gametape_cli::tools::app(gametape::formats()).run()
}
