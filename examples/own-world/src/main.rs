//! The whole `gametape` command, over worlds in which it rains.

use std::process::ExitCode;

use gametape::murk::tape::Murk;

fn main() -> ExitCode {
    let formats = gametape::formats().with(Murk::with_kinds(own_world::kinds()));
    let app = gametape_cli::tools::app(formats);
    app.named("basin", env!("CARGO_PKG_VERSION")).run()
}
