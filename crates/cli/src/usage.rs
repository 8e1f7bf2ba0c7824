//! What the command understands beyond its definition, and its words about wrong usage.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, ArgAction, Command};
use gametape::core::text::nearest;

/// Verbs under the names that other tools have for them.
const ALIASES: &[(&str, &[&str])] = &[
    ("inspect", &["info", "list", "ls", "show"]),
    ("verify", &["check", "validate"]),
];

/// Words that are no verb, and the verbs that do what may be meant.
const MEANT: &[(&str, &str)] = &[
    ("compare", "diff compares two recordings"),
    ("compress", "convert writes smaller formats, --to names one"),
    (
        "csv",
        "dump --csv prints a table, stats --csv and inspect --csv a row for each recording; --csv=excel is for spreadsheets",
    ),
    ("fix", "repair saves the intact parts of a broken recording"),
    ("rank", "verify --policy admits or rejects recordings"),
    (
        "export",
        "convert writes other formats, dump prints rows as JSON or CSV, picture draws",
    ),
    (
        "open",
        "watch shows recordings in a browser, play in the terminal",
    ),
    (
        "view",
        "watch shows recordings in a browser, play in the terminal, picture draws",
    ),
    ("version", "-V prints the version"),
];

/// The first lines of the help of each verb: calls to copy.
const EXAMPLES: &[(&str, [&str; 3])] = &[
    (
        "inspect",
        ["inspect FILE", "inspect FOLDER", "inspect FOLDER --json"],
    ),
    (
        "verify",
        [
            "verify FILE",
            "verify FOLDER --policy default",
            "verify --json FOLDER",
        ],
    ),
    (
        "stats",
        ["stats FILE", "stats FOLDER", "stats --json FOLDER"],
    ),
    ("tables", ["tables FILE", "tables --json FILE", "tables -"]),
    (
        "dump",
        [
            "dump FILE --at 1:23.4",
            "dump FILE --table TABLE --csv",
            "dump FILE --table TABLE --columns time_ms,x,y --from 1:00 --to 2:00",
        ],
    ),
    (
        "diff",
        ["diff FILE OTHER", "diff --json FILE OTHER", "diff - OTHER"],
    ),
    (
        "play",
        ["play FILE", "play FILE --at 1:23.4", "play FILE --view map"],
    ),
    (
        "picture",
        [
            "picture FILE OUT.svg",
            "picture FILE OUT.png --at 1:23.4",
            "picture FILE OUT.svg --from 1:00 --to 2:00",
        ],
    ),
    (
        "watch",
        [
            "watch FILE",
            "watch FOLDER",
            "watch FILE --no-open --listen 8420",
        ],
    ),
    (
        "serve",
        [
            "serve FOLDER",
            "serve FOLDER --listen 0.0.0.0:8420",
            "serve FOLDER --cache DIR",
        ],
    ),
    (
        "publish",
        [
            "publish FILE --single PAGE.html",
            "publish FOLDER --out SITE",
            "publish FILE --out SITE",
        ],
    ),
    (
        "convert",
        [
            "convert FILE OUT",
            "convert FOLDER --out NEW",
            "convert FOLDER --out NEW --dry-run",
        ],
    ),
    (
        "repair",
        [
            "repair FILE OUT",
            "repair FOLDER --out NEW",
            "repair FOLDER --out NEW --dry-run",
        ],
    ),
    (
        "cut",
        [
            "cut FILE OUT --from 1:00 --to 2:00",
            "cut FILE OUT --around TABLE:3",
            "cut FILE OUT --from -30s",
        ],
    ),
];

/// Adds calls to copy to the help of a verb or a tool.
pub fn with_examples(command: Command, name: &str, lines: &[&str]) -> Command {
    if lines.is_empty() {
        return command;
    }
    let lines = lines.iter().map(|line| format!("  {name} {line}\n"));
    command.before_help(lines.collect::<String>())
}

/// Makes the help of a command and of those below it a page: `help VERB` prints all there is to say.
fn with_page(command: Command, name: &str) -> Command {
    let verbs: Vec<String> = command
        .get_subcommands()
        .map(|verb| verb.get_name().to_owned())
        .collect();
    let about = match command.get_name() {
        of if of == name => "Print this page".to_owned(),
        of => format!("Print this page; {name} help {of} says more"),
    };
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help(about);
    let command = command.disable_help_flag(true).arg(help);
    verbs.into_iter().fold(command, |command, verb| {
        command.mut_subcommand(verb, |verb| with_page(verb, name))
    })
}

/// Adds the other names of verbs, calls to copy to their help, and makes it a page.
pub fn complete(mut command: Command, name: &str) -> Command {
    for (verb, lines) in EXAMPLES {
        if command.find_subcommand(verb).is_some() {
            command = command.mut_subcommand(verb, |verb| with_examples(verb, name, lines));
        }
    }
    let mut others = Vec::new();
    for (verb, aliases) in ALIASES {
        command = command.mut_subcommand(verb, |verb| verb.aliases(*aliases));
        others.push(format!("{} ({verb})", aliases.join(", ")));
    }
    let meant: Vec<&str> = MEANT.iter().map(|(word, _)| *word).collect();
    let command = command.after_help(format!(
        "Other names of verbs: {}. A path alone is inspected. These words say which verb is meant: {}.",
        others.join(", "),
        meant.join(", ")
    ));
    with_page(command, name)
}

/// Puts the verb `inspect` before a path that stands where the verb should.
pub fn with_verb(command: &Command, mut args: Vec<OsString>) -> Vec<OsString> {
    let is_flag = |arg: &OsStr| arg.len() > 1 && arg.as_encoded_bytes().starts_with(b"-");
    let first = args.iter().skip(1).position(|arg| !is_flag(arg));
    let Some(at) = first.map(|at| at + 1) else {
        return args;
    };
    let is_path = |arg: &OsString| {
        let signs = arg.as_encoded_bytes().iter();
        let mut signs = signs.filter(|sign| b"./\\*-".contains(sign));
        let is_verb = arg == "help" || command.find_subcommand(arg).is_some();
        !is_verb && (signs.next().is_some() || Path::new(arg).exists())
    };
    if args.get(at).is_some_and(is_path) {
        args.insert(at, "inspect".into());
    }
    args
}

/// Corrects the tips of an error of the command line: one verb, the nearest; for each flag the nearest, even if
/// it is short; what may be meant by `-v`; and never to pass an unknown flag as a value.
pub fn corrected(mut error: Error, command: &Command, args: &[OsString]) -> Error {
    if let Some(ContextValue::Strings(mut verbs)) = error.remove(ContextKind::SuggestedSubcommand) {
        // The most similar one is the last.
        if let Some(nearest) = verbs.pop() {
            let nearest = ContextValue::String(nearest);
            error.insert(ContextKind::SuggestedSubcommand, nearest);
        }
    } else if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && let Some(near) = nearest(word, command.get_subcommands().map(Command::get_name))
    {
        // `help` has no tip of its own.
        let near = ContextValue::String(near.to_owned());
        error.insert(ContextKind::SuggestedSubcommand, near);
    }
    let mut tips = match error.remove(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips,
        _ => Vec::new(),
    };
    tips.retain(|tip| !tip.to_string().contains("as a value, use"));
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) if error.kind() == ErrorKind::UnknownArgument => {
            flag.clone()
        }
        _ => String::new(),
    };
    let verb = asked(command, args);
    let longs = || verb.get_arguments().filter_map(Arg::get_long);
    if unknown == "-v" || unknown == "--verbose" {
        // `--version` looks similar, and is not what most mean.
        error.remove(ContextKind::SuggestedArg);
        if longs().any(|long| long == "full") {
            tips.push("with '--full', files in folders are read to their end, too".into());
        }
        tips.push(
            "'verify -v' prints facts and known deviations in full; '-V' prints the version".into(),
        );
    } else if error.get(ContextKind::SuggestedArg).is_none()
        && let Some(near) = unknown
            .strip_prefix("--")
            .and_then(|name| nearest(name, longs()))
    {
        let near = ContextValue::String(format!("--{near}"));
        error.insert(ContextKind::SuggestedArg, near);
    }
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The verb, or the tool, that a command line asks for; the whole command if it names none.
fn asked<'c>(command: &'c Command, args: &[OsString]) -> &'c Command {
    let is_flag = |arg: &&OsString| arg.as_encoded_bytes().starts_with(b"-");
    let mut words = args.iter().skip(1).filter(|arg| !is_flag(arg));
    let mut asked = command;
    while let Some(verb) = words.next().and_then(|word| asked.find_subcommand(word)) {
        asked = verb;
    }
    asked
}

/// Returns what may be meant by a word that is no verb.
pub fn meant(error: &Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let (_, verbs) = MEANT.iter().find(|(known, _)| known == word)?;
    Some(format!("{word} is no verb: {verbs}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::App;

    fn args(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn every_example_is_a_call_that_the_verb_takes() {
        let command = App::new(gametape::formats()).command();
        for verb in command.get_subcommands() {
            let Some((_, lines)) = EXAMPLES.iter().find(|(name, _)| *name == verb.get_name())
            else {
                assert!(
                    ["formats", "completions", "man"].contains(&verb.get_name()),
                    "{verb}"
                );
                continue;
            };
            let help = verb.clone().render_help().to_string();
            for line in *lines {
                let call = format!("gametape {line}");
                assert!(help.contains(&call), "{help}");
                let parsed = command.clone().try_get_matches_from(args(&call));
                assert!(parsed.is_ok(), "{call}: {parsed:?}");
                assert!(line.starts_with(verb.get_name()));
            }
        }
    }

    #[test]
    fn a_path_without_a_verb_is_inspected() {
        let command = App::new(gametape::formats()).command();
        for (line, wanted) in [
            ("gametape a.x", "gametape inspect a.x"),
            ("gametape --json a/b", "gametape --json inspect a/b"),
            ("gametape -", "gametape inspect -"),
            ("gametape verify a.x", "gametape verify a.x"),
            ("gametape check a.x", "gametape check a.x"),
            ("gametape help dump", "gametape help dump"),
            ("gametape nonsense", "gametape nonsense"),
            ("gametape --help", "gametape --help"),
            ("gametape", "gametape"),
        ] {
            assert_eq!(with_verb(&command, args(line)), args(wanted));
        }
    }
}
