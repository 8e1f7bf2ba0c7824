//! The command line: parses it and runs a verb or a tool.

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use gametape::{Formats, Verb};

use crate::args::{self, Cli, Verb as Cmd};
use crate::exit::Exit;
use crate::ui::Ui;
use crate::{commands, options, usage};

/// A command for a single format, or for a task without a recording.
pub trait Tool: Send + Sync {
    /// The command of which it is a subcommand, such as `record`; by default none.
    fn under(&self) -> Option<&'static str> {
        None
    }

    /// The verb that it replaces if a flag of its own is given: the verb and the flag. Its arguments are added
    /// to the verb's.
    fn instead_of(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Its command line.
    fn command(&self) -> Command;

    /// True if it makes files; unfinished ones are removed when a signal ends the process.
    fn writes(&self) -> bool {
        false
    }

    /// The first lines of its help: calls to copy, without the name of the command.
    fn examples(&self) -> &'static [&'static str] {
        &[]
    }

    /// Runs it.
    ///
    /// # Errors
    /// An error of standard output.
    fn run(&self, matches: &ArgMatches, formats: &Formats, ui: &mut Ui) -> io::Result<Exit>;
}

/// A command with a list of formats.
pub struct App {
    formats: Formats,
    tools: Vec<Box<dyn Tool>>,
    name: &'static str,
    version: &'static str,
}

/// Runs the command with these formats, without tools.
#[must_use]
pub fn run(formats: Formats) -> ExitCode {
    App::new(formats).run()
}

impl App {
    /// A command with these formats, without tools.
    #[must_use]
    pub fn new(formats: Formats) -> Self {
        Self {
            formats,
            tools: Vec::new(),
            name: "gametape",
            version: env!("CARGO_PKG_VERSION"),
        }
    }

    /// Sets the name and the version of the command; by default they are gametape's.
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

    /// Adds a tool.
    #[must_use]
    pub fn with(mut self, tool: impl Tool + 'static) -> Self {
        self.tools.push(Box::new(tool));
        self
    }

    /// The definition of the command line: verbs with the options of all formats, and tools.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Cli::command().name(self.name).version(self.version);
        for (name, verbs) in VERBS {
            let defs = self.formats.options(verbs);
            let declared = |name: &str| self.formats.declared(name, verbs);
            let add = |verb| options::add(verb, &defs, declared);
            command = command.mut_subcommand(name, add);
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
            let own = usage::with_examples(tool.command(), self.name, tool.examples());
            command = match tool.under() {
                None => command.subcommand(own),
                Some(name) if command.find_subcommand(name).is_some() => {
                    command.mut_subcommand(name, |group| group.subcommand(own))
                }
                Some(name) => command.subcommand(
                    Command::new(name)
                        .about(args::RECORD)
                        .subcommand_required(true)
                        .arg_required_else_help(true)
                        .subcommand(own),
                ),
            };
        }
        usage::complete(command, self.name)
    }

    /// Parses the command line of this process and runs it.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        self.run_from(std::env::args_os()).into()
    }

    /// Parses a command line and runs it. The first argument is the name of the command.
    #[must_use]
    pub fn run_from<A: Into<OsString> + Clone>(&self, args: impl IntoIterator<Item = A>) -> Exit {
        let mut command = self.command();
        let args = usage::with_verb(&command, args.into_iter().map(Into::into).collect());
        let json = args.iter().any(|arg| arg == "--json");
        let matches = match command.try_get_matches_from_mut(&args) {
            Ok(matches) => matches,
            Err(error) => return self.unparsed(&usage::corrected(error, &command, &args), json),
        };
        let mut ui = Ui::new(
            self.name,
            matches.subcommand_name().unwrap_or_default(),
            matches.get_flag("json"),
        );
        let done = self
            .dispatch(&matches, &mut ui)
            .and_then(|exit| ui.flush().map(|()| exit));
        match done {
            Ok(exit) => exit,
            // The reader closed the pipe early; there is no verdict.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Unseen,
            Err(error) => ui.refuse(&format!("can't write the output: {error}")),
        }
    }

    /// Prints help or the version to standard output, or wrong usage to standard error.
    fn unparsed(&self, error: &clap::Error, json: bool) -> Exit {
        if !error.use_stderr() {
            let _ = error.print();
            return Exit::Fine;
        }
        let mut ui = Ui::new(self.name, "", json);
        let message = usage::meant(error);
        if message.is_none() {
            let _ = error.print();
        }
        ui.misused(error, message.as_deref());
        let _ = ui.flush();
        Exit::Unusable
    }

    fn dispatch(&self, matches: &ArgMatches, ui: &mut Ui) -> io::Result<Exit> {
        let Some((name, inner)) = matches.subcommand() else {
            return Ok(Exit::Unusable);
        };
        if let Some((tool, matches)) = self.tool(name, inner) {
            if tool.writes() {
                remove_temporary_files_on_signals();
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
                remove_temporary_files_on_signals();
                commands::picture::run(args, &call, ui)
            }
            #[cfg(feature = "live")]
            Cmd::Watch(args) => commands::serve::watch(args, &call, ui),
            #[cfg(feature = "live")]
            Cmd::Serve(args) => commands::serve::serve(args, &call, ui),
            #[cfg(feature = "live")]
            Cmd::Publish(args) => {
                remove_temporary_files_on_signals();
                commands::publish::run(args, &call, ui)
            }
            Cmd::Convert(args) => {
                remove_temporary_files_on_signals();
                commands::convert::run(args, &call, ui)
            }
            Cmd::Repair(args) => {
                remove_temporary_files_on_signals();
                commands::repair::run(args, &call, ui)
            }
            Cmd::Cut(args) => {
                remove_temporary_files_on_signals();
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

/// The verbs with options of formats, and the kinds of those options.
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

/// Removes temporary files on Ctrl-C, SIGTERM and SIGHUP. Without a handler, the system's default applies.
pub fn remove_temporary_files_on_signals() {
    let _ = ctrlc::set_handler(|| {
        gametape::remove_unfinished();
        std::process::exit(130);
    });
}
