//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Read, check, measure, convert and repair recordings of games.
///
/// Paths may be files, folders, patterns such as 'games/*.rmv', or - for standard input.
/// Results go to standard output, diagnostics to standard error.
/// Exit codes: 0 fine, 1 problems found, 2 wrong usage or unreadable input, 3 done with loss.
#[derive(Parser, Debug)]
#[command(
    name = "gametape",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub struct Cli {
    /// One JSON object a line, with stable keys
    #[arg(long, global = true)]
    pub json: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Say what a recording is: format, length, player, board
    ///
    /// Files named one by one are read to their end; of files found in folders and by patterns
    /// only the header is read, unless --full is given.
    Inspect(Inspect),
    /// Check whether recordings are what they claim to be
    ///
    /// One verdict a file: fail (not what it claims to be), warn (somebody should look), pass.
    /// Exits with 1 if a file fails.
    Verify(Verify),
    /// Print the statistics that players compare
    Stats(Stats),
    /// Print every event of a recording, one JSON object a line
    Dump(Dump),
    /// Convert a recording, by the extension of the output
    ///
    /// Without options a recording of the same format comes out byte for byte as it was. What
    /// could not be carried is printed, and the exit code is then 3.
    Convert(Convert),
    /// Keep what is whole of a broken recording
    ///
    /// Prints what was done. Exits with 0 if nothing was lost, with 3 if something was.
    Repair(Repair),
    /// Let a bot play games of every kind, record, verify and tamper with them
    Demo(Demo),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

#[derive(Args, Debug)]
pub struct Inspect {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Read files in folders to their end, too
    #[arg(long)]
    pub full: bool,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[derive(Args, Debug)]
pub struct Verify {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Print facts and known deviations in full, too
    #[arg(short, long)]
    pub verbose: bool,
}

#[derive(Args, Debug)]
pub struct Stats {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
}

#[derive(Args, Debug)]
pub struct Dump {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
}

#[derive(Args, Debug)]
pub struct Convert {
    /// A file, or -
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// Where to write; its extension decides the format. - writes the input's format
    ///
    /// A file that is there already is replaced; the input itself only if nothing is lost.
    #[arg(value_name = "OUT")]
    pub output: OsString,
    /// Another version of the format, such as 1 or 2 for RMV
    #[arg(long, value_name = "N")]
    pub format_version: Option<u32>,
    /// Remove tokens, IP addresses and user ids
    #[arg(long)]
    pub redact: bool,
}

#[derive(Args, Debug)]
pub struct Repair {
    /// A file, or -
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// Where to write the repaired recording, or -
    ///
    /// A file that is there already is replaced; the input itself only if nothing is lost.
    #[arg(value_name = "OUT")]
    pub output: OsString,
}

#[derive(Args, Debug)]
pub struct Demo {
    /// Where to put the recordings
    #[arg(value_name = "FOLDER", default_value = "demo-recordings")]
    pub folder: PathBuf,
    /// Another seed, other games
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

#[derive(Args, Debug)]
pub struct Completions {
    /// bash, elvish, fish, powershell or zsh
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct Man {
    /// The folder to write to
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}
