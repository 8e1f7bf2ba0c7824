//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "picture")]
use crate::scene::time::Stretch;

/// Read, check, record, measure, convert, compare and repair recordings of games and simulations.
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
    pub command: Verb,
}

/// What `record` is.
pub const RECORD: &str = "Run a simulation, listen to a stream, or ask a game, and record it";

#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Say what a recording is: format, length, who or what made it
    ///
    /// Files named one by one are read to their end; of files found in folders and by patterns
    /// only the header is read, unless --full is given.
    Inspect(Inspect),
    /// Check whether recordings are what they claim to be
    ///
    /// One verdict a file: fail (not what it claims to be), warn (somebody should look), pass.
    /// Games are played again by an independent engine; recordings of deterministic simulations
    /// are replayed, and the first tick that differs is named, with the cell and both its values.
    /// Of several files what they have in common is said behind: the same game again, a known board.
    /// Exits with 1 if a file fails.
    Verify(Verify),
    /// Print the statistics that a recording's people compare
    Stats(Stats),
    /// List the tables of a recording: their columns, units, and what they mean
    Tables(Tables),
    /// Print every event, frame or packet of a recording, or the rows of a table
    ///
    /// One JSON object a line, or comma-separated values. The rows of a table carry their step, their
    /// tick where the recording has a counter of its own, and their time.
    Dump(Dump),
    /// Say where two recordings of one kind differ first, and how many differences follow
    ///
    /// Recordings of one kind compare whatever they are kept in: a capture with bare packets, an
    /// .echoreplay with a .butter, whose numbers may then be as far off as it rounds them.
    ///
    /// Exits with 0 if nothing differs, with 1 if something does.
    Diff(Diff),
    /// Play a recording in the terminal
    ///
    /// What there is to see follows from its tables: grids as cells, positions from above, states and
    /// facts as tables, events as lists, and what the audit finds as markers of the timeline. The last
    /// line says the keys; ? says all of them. Colours obey `NO_COLOR`.
    #[cfg(feature = "play")]
    Play(Play),
    /// Draw a moment of a recording, or what became of it meanwhile, as SVG or PNG
    ///
    /// What there is to see follows from its tables, as in play: the cells of a grid, or positions from
    /// above. What the picture shows is printed in words, and stands in an SVG, too, for who can't see it.
    #[cfg(feature = "picture")]
    Picture(Picture),
    /// Play recordings in a browser
    ///
    /// Serves them to this machine alone, on a port that is free, and opens the page. Ctrl-C ends it.
    #[cfg(feature = "live")]
    Watch(Watch),
    /// Serve a library of recordings to browsers
    ///
    /// What is in the folders is listed, and made ready when it is first asked for; what comes into them
    /// later is found. Whoever is to reach it from elsewhere has to know a token. Ctrl-C ends it.
    #[cfg(feature = "live")]
    Serve(Serve),
    /// Make of recordings a folder that any web host serves, or one HTML file
    ///
    /// The page in it plays them: forwards, backwards, at any speed, from any moment. What was published
    /// into the same folder before stays; a recording of the same name is replaced. Of a broken
    /// recording as much is published as can be read, and the exit code is then 3.
    #[cfg(feature = "live")]
    Publish(Publish),
    /// Convert a recording, by the extension of the output, or many with --out
    ///
    /// Without options a recording of the same format comes out byte for byte as it was. What
    /// could not be carried is printed, and the exit code is then 3; where numbers are rounded on
    /// the way, a table says how far each kind is off, and how far the format implies.
    Convert(Convert),
    /// Keep what is whole of a broken recording, or of many with --out
    ///
    /// Prints what was done. Exits with 0 if nothing was lost, with 3 if something was.
    Repair(Repair),
    /// Keep a part of a recording: from one moment to another, or around an event
    ///
    /// The part is a recording of the same format, and what it holds is what the whole one holds there:
    /// byte for byte where the format allows it. It prints what was kept. Formats of which a part can't
    /// be a recording say so, and what to do.
    Cut(Cut),
    /// List the formats that this command knows
    Formats,
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
    #[arg(required_unless_present = "print_policy", value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Print facts and known deviations in full, too
    #[arg(short, long)]
    pub verbose: bool,
    /// Say what is admitted and what is not, and why, by this policy, or by the default one
    ///
    /// A policy is a TOML file of conditions over what recordings say of themselves and what is found in
    /// them; --print-policy prints the default one. Exits with 1 if something is rejected.
    #[arg(long, value_name = "FILE|default")]
    pub policy: Option<OsString>,
    /// Print the default policy, to be changed
    #[arg(long, conflicts_with_all = ["paths", "policy", "verbose"])]
    pub print_policy: bool,
}

#[derive(Args, Debug)]
pub struct Stats {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
}

#[derive(Args, Debug)]
pub struct Tables {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
}

#[derive(Args, Debug)]
pub struct Dump {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
    /// The rows of this table: tables lists them
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Exactly these columns, in this order; step, tick, `time_ms` and ended are columns of every table [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "table")]
    pub columns: Vec<String>,
    /// Rows at this moment and behind it: a time such as 1:23.4 or 83.4, tick:137, or step:600
    #[arg(long, value_name = "AT", requires = "table", conflicts_with = "at")]
    pub from: Option<gametape::At>,
    /// Rows at this moment and before it
    #[arg(long, value_name = "AT", requires = "table", conflicts_with = "at")]
    pub to: Option<gametape::At>,
    /// Rows whose key has this value; may be said several times
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = filter, requires = "table")]
    pub keys: Vec<(String, String)>,
    /// What holds at a moment, or at the end: the rows of all states, the cells of all grids, or those of
    /// the table
    #[arg(long, conflicts_with_all = ["from", "to"])]
    pub state: bool,
    /// Comma-separated values in place of JSON
    #[arg(long, conflicts_with = "json", requires = "table")]
    pub csv: bool,
    /// What is at this moment alone: a time such as 1:23.4 or 83.4, tick:137, or step:600
    #[arg(long, value_name = "AT")]
    pub at: Option<gametape::At>,
    /// Show user ids and the addresses of servers
    #[arg(long)]
    pub show_secrets: bool,
}

#[derive(Args, Debug)]
pub struct Diff {
    /// The first recording, or -
    #[arg(value_name = "A")]
    pub first: OsString,
    /// The second recording
    #[arg(value_name = "B")]
    pub second: OsString,
}

#[cfg(feature = "play")]
#[derive(Args, Debug)]
pub struct Play {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
    /// Start at this moment: a time such as 1:23.4 or 83.4, tick:137, or step:600
    #[arg(long, value_name = "AT")]
    pub at: Option<gametape::At>,
    /// Start with this view: a table, map, or markers
    #[arg(long, value_name = "VIEW")]
    pub view: Option<String>,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "live")]
#[derive(Args, Debug)]
pub struct Watch {
    /// Files, folders, patterns
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Print the address, and open nothing
    #[arg(long)]
    pub no_open: bool,
    /// This port [default: any that is free]
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub port: u16,
    /// A built page to use instead of the one that this command carries
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "live")]
#[derive(Args, Debug)]
pub struct Serve {
    /// Folders, files, patterns: nothing outside of them is served, links included
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Where to listen; 0.0.0.0 can be reached from elsewhere
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8420")]
    pub listen: std::net::SocketAddr,
    /// What whoever asks has to know: in a link as ?token=…, or as Authorization: Bearer
    ///
    /// Better in the environment, where other users of the machine can't see it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "GAMETAPE_TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// A name that the server goes by, such as tapes.example.org; may be given several times
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Keep what is made in this folder [default: a temporary one, which goes with the server]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Megabytes that may be kept
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    pub cache_mb: u64,
    /// A built page to use instead of the one that this command carries
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Serve tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "live")]
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("to").required(true))]
pub struct Publish {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// The folder; it is made if it is not there
    #[arg(long, value_name = "DIR", group = "to")]
    pub out: Option<PathBuf>,
    /// One HTML file with all of it, which a browser opens from disk
    #[arg(long, value_name = "FILE", group = "to")]
    pub single: Option<PathBuf>,
    /// A built page to use instead of the one that this command carries
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Publish tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "picture")]
#[derive(Args, Debug)]
pub struct Picture {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
    /// Where to draw: .svg or .png; - writes SVG to standard output
    ///
    /// A file that is there already is replaced.
    #[arg(value_name = "OUT")]
    pub output: OsString,
    /// This moment: a time such as 1:23.4 or 83.4, tick:137, or step:600 [default: the last]
    #[arg(long, value_name = "AT", conflicts_with = "over")]
    pub at: Option<gametape::At>,
    /// What became of it from one moment to another: 1:23.4..2:00, tick:1..tick:90, step:600.. or ..
    ///
    /// Where things went; how long the cursor was over each cell; how often cells changed.
    #[arg(long, value_name = "FROM..TO")]
    pub over: Option<Stretch>,
    /// What to show of that [default: what fits]
    ///
    /// Of a map the ways of things, or the time that something was in each square, where things are
    /// many; of cells how long the cursor was over each, and its way, where there is a cursor, else how
    /// often each changed.
    #[arg(long, value_enum, requires = "over", hide_possible_values = false)]
    pub show: Option<Show>,
    /// This view: a table with cells, map, or a table of it alone [default: the first that can be drawn]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<String>,
    /// This column of the cells [default: the first]
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// From where a map is seen, if positions have a height: from above, from before, from the side
    #[arg(long, value_enum, default_value_t = Side::Xz)]
    pub plane: Side,
    /// How wide the picture is, in pixels: 100 to 4096
    #[arg(long, value_name = "PX", default_value_t = 800, value_parser = clap::value_parser!(u32).range(100..=4096))]
    pub width: u32,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

/// What is shown of a stretch.
#[cfg(feature = "picture")]
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// Where things went
    Ways,
    /// How long something was where
    Time,
    /// How often cells changed
    Changes,
}

/// From where a map is seen.
#[cfg(feature = "picture")]
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// From above: x and z
    Xz,
    /// From before: x and y
    Xy,
    /// From the side: z and y
    Zy,
}

#[derive(Args, Debug)]
pub struct Convert {
    /// A file or -, and where to write; with --out files, folders, patterns
    ///
    /// The extension of OUT decides the format; - writes the input's. A file that is there already is
    /// replaced; the input itself only if nothing is lost.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    #[command(flatten)]
    pub below: Below,
    /// What becomes of all of them: butter, mcap [default: what each is]
    #[arg(long, value_name = "EXTENSION", requires = "out")]
    pub to: Option<String>,
}

#[derive(Args, Debug)]
pub struct Repair {
    /// A file or -, and where to write or -; with --out files, folders, patterns
    ///
    /// A file that is there already is replaced; the input itself only if nothing is lost.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    #[command(flatten)]
    pub below: Below,
}

/// Files are made of many.
#[derive(Args, Debug)]
pub struct Below {
    /// Read all PATHs, and write below this folder, as they lie below theirs
    ///
    /// What is there, and would come out the same, is kept: the same call again does what is left. The
    /// folder is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long, requires = "out")]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("range").required(true).multiple(true))]
pub struct Cut {
    /// A file, or -
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// Where to write, in the format of the input, or -
    ///
    /// A file that is there already is replaced; the input itself is not, unless it is kept whole.
    #[arg(value_name = "OUT")]
    pub output: OsString,
    /// From this moment on: a time such as 1:23.4 or 83.4, tick:137, or step:600
    #[arg(long, value_name = "AT", group = "range")]
    pub from: Option<gametape::At>,
    /// Up to this moment, which is kept, too
    #[arg(long, value_name = "AT", group = "range")]
    pub to: Option<gametape::At>,
    /// Around this row of a table of events: goals:3 is the third goal
    #[arg(long, value_name = "TABLE:N", group = "range", conflicts_with_all = ["from", "to"])]
    pub around: Option<gametape::Around>,
    /// Seconds before the event
    #[arg(long, value_name = "SECONDS", requires = "around", default_value = "10", value_parser = length)]
    pub before: gametape::Time,
    /// Seconds behind the event
    #[arg(long, value_name = "SECONDS", requires = "around", default_value = "5", value_parser = length)]
    pub after: gametape::Time,
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

/// How long before or behind an event: `10`, `1:30`.
fn length(text: &str) -> Result<gametape::Time, &'static str> {
    match text.parse() {
        Ok(gametape::At::Time(time)) => Ok(time),
        _ => Err("a length is in seconds, such as 10, 2.5 or 1:30"),
    }
}

/// `KEY=VALUE`.
fn filter(text: &str) -> Result<(String, String), &'static str> {
    let (key, value) = text.split_once('=').ok_or("a filter is KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
