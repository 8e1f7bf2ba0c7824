//! The `gametape` command: gametape's own formats, and what each of them alone can do.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    gametape_cli::tools::app(gametape::formats()).run()
}
