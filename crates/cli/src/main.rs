//! The `gametape` command: gametape's own formats, and what each of them alone can do.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use gametape_cli::{App, tools};

fn main() -> ExitCode {
    let app = App::new(gametape::formats());
    #[cfg(feature = "live")]
    let app = app.with(tools::as_game::Game);
    app.with(tools::record::Murk)
        .with(tools::record::Stream)
        .with(tools::record::Echo)
        .with(tools::schema::Schema)
        .with(tools::minimise::Minimise)
        .with(tools::sync_test::SyncTest)
        .with(tools::index::Index)
        .with(tools::demo::Demo)
        .run()
}
