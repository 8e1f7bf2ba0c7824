//! The options of formats, as flags of the command.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use gametape::{Error, OptionDef, OptionKind, OptionValue, Options};

use crate::ui::short_error;

/// Adds a flag for each option, below the general ones. Its help is that of every declaration, after the names
/// of the formats that have it.
pub fn add(
    mut command: Command,
    defs: &[OptionDef],
    declared: impl Fn(&str) -> Vec<(&'static str, OptionDef)>,
) -> Command {
    for def in defs {
        let declared = declared(def.name);
        let help = joined("; ", declared.iter().map(|(name, def)| (*name, help(def))));
        let more = declared
            .iter()
            .map(|(name, def)| (*name, def.more.to_owned()));
        let more = joined("\n\n", more);
        let mut arg = Arg::new(def.name)
            .long(def.name)
            .aliases(declared.iter().flat_map(|(_, def)| def.aliases))
            .help(help.clone())
            .help_heading("Options of formats")
            .conflicts_with_all(def.conflicts.iter().filter(|other| {
                // The other option may belong to a format that is not registered.
                defs.iter().any(|def| def.name == **other)
            }));
        if !more.is_empty() {
            arg = arg.long_help(format!("{help}\n\n{more}"));
        }
        let def = *def;
        arg = match def.kind {
            OptionKind::Flag => arg.action(ArgAction::SetTrue),
            OptionKind::Choice(words) => arg.value_name(def.value).value_parser(words.to_vec()),
            _ => arg
                .value_name(def.value)
                .value_parser(move |text: &str| def.parse(text).map(|_| text.to_owned())),
        };
        command = command.arg(arg);
    }
    command
}

fn help(def: &OptionDef) -> String {
    match def.default {
        "" => def.help.to_owned(),
        default => format!("{} [default: {default}]", def.help),
    }
}

/// Joins the texts of formats, each of them once, after the names of its formats.
fn joined(between: &str, texts: impl Iterator<Item = (&'static str, String)>) -> String {
    let mut all: Vec<(Vec<&str>, String)> = Vec::new();
    for (name, text) in texts {
        match all.iter_mut().find(|(_, known)| *known == text) {
            _ if text.is_empty() => {}
            Some((names, _)) if names.contains(&name) => {}
            Some((names, _)) => names.push(name),
            None => all.push((vec![name], text)),
        }
    }
    let named = |(names, text): (Vec<&str>, String)| format!("{}: {text}", names.join(", "));
    let named: Vec<String> = all.into_iter().map(named).collect();
    named.join(between)
}

/// Reads the options from the command line; files are read into memory.
pub fn read(matches: &ArgMatches, defs: &[OptionDef]) -> Result<Options, Error> {
    let mut options = Options::new();
    for def in defs {
        match def.kind {
            OptionKind::Flag => {
                if matches.get_flag(def.name) {
                    options.set(def.name, OptionValue::Flag);
                }
            }
            kind => {
                let Some(text) = matches.get_one::<String>(def.name) else {
                    continue;
                };
                let value = match kind {
                    OptionKind::File { most } => read_file(Path::new(text), most)?,
                    // clap parsed the value once already.
                    _ => match def.parse(text) {
                        Ok(value) => value,
                        Err(_) => continue,
                    },
                };
                options.set(def.name, value);
            }
        }
    }
    Ok(options)
}

/// Reads a file that is not a recording, of at most `most` bytes.
pub fn read_file(path: &Path, most: u64) -> Result<OptionValue, Error> {
    let mut bytes = Vec::new();
    let size = open_file(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| short_error(path, source))? as u64;
    if size > most {
        return Err(Error::TooLarge {
            path: path.to_owned(),
            size,
            limit: most,
        });
    }
    Ok(OptionValue::File {
        path: path.to_owned(),
        bytes,
    })
}

/// Opens a file that is not a recording.
pub fn open_file(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(|source| short_error(path, source))?;
    if file.metadata().is_ok_and(|meta| meta.is_dir()) {
        return Err(Error::IsFolder {
            path: path.to_owned(),
            recording: false,
        });
    }
    Ok(file)
}
