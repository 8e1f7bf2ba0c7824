//! From the command line to what does it.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use gametape::{Formats, Verb};

use crate::args::{self, Cli, Verb as Cmd};
use crate::exit::Exit;
use crate::ui::Ui;
use crate::{commands, options};

/// What one format alone can do, or what no recording is needed for: a command of its own.
pub trait Tool: Send + Sync {
    /// The command that it stands under, if it is not one by itself: `record`.
    fn under(&self) -> Option<&'static str> {
        None
    }

    /// The command that it does the work of, and the flag that asks for it: its arguments stand there.
    fn instead_of(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Its command line.
    fn command(&self) -> Command;

    /// True where it makes files: those that are not finished are removed when the process is told
    /// to end.
    fn writes(&self) -> bool {
        false
    }

    /// Does it.
    ///
    /// # Errors
    /// What standard output says.
    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit>;
}

/// A command over some formats.
pub struct App {
    formats: Formats,
    tools: Vec<Box<dyn Tool>>,
    name: &'static str,
    version: &'static str,
}

/// The command over these formats, without tools.
#[must_use]
pub fn run(formats: Formats) -> ExitCode {
    App::new(formats).run()
}

impl App {
    /// Without tools.
    #[must_use]
    pub fn new(formats: Formats) -> Self {
        Self {
            formats,
            tools: Vec::new(),
            name: "gametape",
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// What the command is called, and its version: without, they are gametape's.
    ///
    /// ```no_run
    /// # let formats = gametape::formats();
    /// let app = gametape_cli::App::new(formats).named("tracks", env!("CARGO_PKG_VERSION"));
    /// let _ = app.run();
    /// ```
    #[must_use]
    pub const fn named(mut self, name: &'static str, version: &'static str) -> Self {
        self.name = name;
        self.version = version;
        self
    }

    /// With one more tool.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Box::new(tool));
        self
    }

    /// The whole command line: verbs with the options of all formats, and the tools.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Cli::command().name(self.name).version(self.version);
        for (name, verbs) in VERBS {
            let defs = self.formats.options(verbs);
            command = command.mut_subcommand(name, |verb| options::add(verb, &defs));
        }
        for (verb, more) in [("convert", " [--to EXTENSION]"), ("repair", "")] {
            let name = self.name;
            let usage = format!(
                "{name} {verb} [OPTIONS] IN OUT\n       {name} {verb} [OPTIONS] PATH... --out DIR{more}"
            );
            command = command.mut_subcommand(verb, |verb| verb.override_usage(usage));
        }
        for tool in &self.tools {
            if let Some((name, _)) = tool.instead_of() {
                let own = tool.command();
                let own: Vec<clap::Arg> = own.get_arguments().cloned().collect();
                command = command.mut_subcommand(name, |verb| verb.args(own));
                continue;
            }
            command = match tool.under() {
                None => command.subcommand(tool.command()),
                Some(name) if command.find_subcommand(name).is_some() => {
                    command.mut_subcommand(name, |group| group.subcommand(tool.command()))
                }
                Some(name) => command.subcommand(
                    Command::new(name)
                        .about(args::RECORD)
                        .subcommand_required(true)
                        .arg_required_else_help(true)
                        .subcommand(tool.command()),
                ),
            };
        }
        command
    }

    /// Does what the command line of this process says.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        self.run_from(std::env::args_os()).into()
    }

    /// Does what a command line says, and returns how that ended. The first argument is the command's name.
    #[must_use]
    pub fn run_from<A: Into<OsString> + Clone>(&self, args: impl IntoIterator<Item = A>) -> Exit {
        let matches = match self.command().try_get_matches_from(args) {
            Ok(matches) => matches,
            Err(error) => {
                // Help and the version go to standard output, wrong usage to standard error.
                let _ = error.print();
                return if error.use_stderr() {
                    Exit::Unusable
                } else {
                    Exit::Fine
                };
            }
        };
        let mut ui = Ui::new(self.name, matches.get_flag("json"));
        let done = self
            .dispatch(&matches, &mut ui)
            .and_then(|exit| ui.flush().map(|()| exit));
        match done {
            Ok(exit) => exit,
            // Whoever reads us has seen enough, and nobody has seen all: that is no verdict.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Unseen,
            Err(error) => {
                ui.complain(&format!("can't write the output: {error}"));
                Exit::Unusable
            }
        }
    }

    fn dispatch(&self, matches: &ArgMatches, ui: &mut Ui) -> io::Result<Exit> {
        let Some((name, inner)) = matches.subcommand() else {
            return Ok(Exit::Unusable);
        };
        if let Some((tool, matches)) = self.tool(name, inner) {
            if tool.writes() {
                leave_nothing_unfinished();
            }
            return tool.run(matches, &self.formats, ui);
        }
        let verbs = VERBS.iter().find(|(verb, _)| *verb == name);
        let defs = verbs.map_or_else(Vec::new, |(_, verbs)| self.formats.options(verbs));
        let options = match options::read(inner, &defs) {
            Ok(options) => options,
            Err(error) => return Ok(ui.fail(&error)),
        };
        let call = commands::Call {
            formats: &self.formats,
            version: self.version,
            options,
            own: verbs.map_or_else(Vec::new, |(_, verbs)| {
                let own = verbs.iter().copied().filter(|verb| *verb != Verb::Open);
                self.formats.options(&own.collect::<Vec<Verb>>())
            }),
        };
        let command = Cmd::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
        match &command {
            Cmd::Inspect(args) => commands::inspect::run(args, &call, ui),
            Cmd::Verify(args) => commands::verify::run(args, &call, ui),
            Cmd::Stats(args) => commands::stats::run(args, &call, ui),
            Cmd::Tables(args) => commands::tables::run(args, &call, ui),
            Cmd::Dump(args) => commands::dump::run(args, &call, ui),
            Cmd::Diff(args) => commands::diff::run(args, &call, ui),
            #[cfg(feature = "play")]
            Cmd::Play(args) => commands::play::run(args, &call, ui),
            #[cfg(feature = "picture")]
            Cmd::Picture(args) => {
                leave_nothing_unfinished();
                commands::picture::run(args, &call, ui)
            }
            #[cfg(feature = "live")]
            Cmd::Watch(args) => commands::serve::watch(args, &call, ui),
            #[cfg(feature = "live")]
            Cmd::Serve(args) => commands::serve::serve(args, &call, ui),
            #[cfg(feature = "live")]
            Cmd::Publish(args) => {
                leave_nothing_unfinished();
                commands::publish::run(args, &call, ui)
            }
            Cmd::Convert(args) => {
                leave_nothing_unfinished();
                commands::convert::run(args, &call, ui)
            }
            Cmd::Repair(args) => {
                leave_nothing_unfinished();
                commands::repair::run(args, &call, ui)
            }
            Cmd::Cut(args) => {
                leave_nothing_unfinished();
                commands::cut::run(args, &call, ui)
            }
            Cmd::Formats => commands::formats::run(&call, ui),
            Cmd::Completions(args) => commands::generate::completions(self.command(), args, ui),
            Cmd::Man(args) => Ok(commands::generate::man(self.command(), args, ui)),
        }
    }

    fn tool<'m>(&self, name: &str, inner: &'m ArgMatches) -> Option<(&dyn Tool, &'m ArgMatches)> {
        let find = |under: Option<&str>, name: &str| {
            let mut tools = self.tools.iter().map(AsRef::as_ref);
            tools.find(|tool| tool.under() == under && tool.command().get_name() == name)
        };
        let asked = |tool: &&dyn Tool| {
            let flag = tool.instead_of().filter(|(of, _)| *of == name);
            flag.is_some_and(|(_, flag)| inner.get_flag(flag))
        };
        if let Some(tool) = self.tools.iter().map(AsRef::as_ref).find(asked) {
            return Some((tool, inner));
        }
        if let Some(tool) = find(None, name) {
            return Some((tool, inner));
        }
        let (what, matches) = inner.subcommand()?;
        Some((find(Some(name), what)?, matches))
    }
}

/// The verbs that formats have options for, and whose options those are.
const VERBS: &[(&str, &[Verb])] = &[
    ("inspect", &[Verb::Inspect, Verb::Open]),
    ("verify", &[Verb::Verify, Verb::Open]),
    ("stats", &[Verb::Stats, Verb::Open]),
    ("tables", &[Verb::Open]),
    ("dump", &[Verb::Dump, Verb::Open]),
    ("diff", &[Verb::Diff, Verb::Open]),
    #[cfg(feature = "play")]
    ("play", &[Verb::Open]),
    #[cfg(feature = "picture")]
    ("picture", &[Verb::Open]),
    #[cfg(feature = "live")]
    ("watch", &[Verb::Open]),
    #[cfg(feature = "live")]
    ("serve", &[Verb::Open]),
    #[cfg(feature = "live")]
    ("publish", &[Verb::Open]),
    ("convert", &[Verb::Convert, Verb::Write, Verb::Open]),
    ("repair", &[Verb::Repair, Verb::Open]),
    ("cut", &[Verb::Cut, Verb::Open]),
];

/// Ctrl-C, SIGTERM and SIGHUP leave no temporary file behind. Where they can't be heard, the system
/// does what it does.
fn leave_nothing_unfinished() {
    let _ = ctrlc::set_handler(|| {
        gametape::remove_unfinished();
        std::process::exit(130);
    });
}
