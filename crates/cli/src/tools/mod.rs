//! The commands for single formats. Only this module knows formats by name.

/// Declares a tool: a unit struct whose arguments are the `Args` of the module and whose work is its function
/// `run`.
macro_rules! tool {
    ($(#[$doc:meta])* $name:ident $(, under: $under:literal)? $(, writes: $writes:literal)? $(, examples: $examples:expr)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl crate::Tool for $name {
            $(
                fn under(&self) -> Option<&'static str> {
                    Some($under)
                }
            )?

            fn command(&self) -> clap::Command {
                <Args as clap::CommandFactory>::command()
            }

            $(
                fn writes(&self) -> bool {
                    $writes
                }
            )?

            $(
                fn examples(&self) -> &'static [&'static str] {
                    $examples
                }
            )?

            fn run(
                &self,
                matches: &clap::ArgMatches,
                formats: &gametape::Formats,
                ui: &mut crate::Ui,
            ) -> std::io::Result<crate::Exit> {
                run(&crate::tools::inputs::parsed(matches), formats, ui)
            }
        }
    };
}

#[cfg(feature = "live")]
pub mod as_game;
pub mod demo;
pub mod index;
mod inputs;
pub mod minimise;
pub mod query;
pub mod record;
pub mod schema;
pub mod sync_test;

use gametape::Formats;

use crate::App;

/// The whole `gametape` command over these formats: every verb, and the commands for single formats.
///
/// ```no_run
/// use gametape::murk::engine::own::Kinds;
/// use gametape::murk::tape::Murk;
///
/// // Propagators of your own: `Kinds::new().with("rain", rain)`.
/// let murk = Murk::with_kinds(Kinds::new());
/// let app = gametape_cli::tools::app(gametape::formats().with(murk));
/// let _ = app.named("weather", env!("CARGO_PKG_VERSION")).run();
/// ```
#[must_use]
pub fn app(formats: Formats) -> App {
    let app = App::new(formats);
    #[cfg(feature = "live")]
    let app = app.with(as_game::Game);
    app.with(record::Murk)
        .with(record::Stream)
        .with(record::Echo)
        .with(schema::Schema)
        .with(minimise::Minimise)
        .with(sync_test::SyncTest)
        .with(index::Index)
        .with(query::Query)
        .with(demo::Demo)
}
