//! The command line.

use std::ffi::OsString;
#[cfg(any(feature = "live", feature = "tools"))]
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use gametape::{CsvStyle, Existing};

/// Read, check, record, measure, convert, compare and repair recordings of games and simulations.
///
/// Paths may be files, folders, archives such as games.zip, patterns such as 'games/*.rmv', or - for standard input.
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

/// The help of `record`.
pub const RECORD: &str = "Run a simulation, listen to a stream, or ask a game, and record it";

#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Show the header of a recording: its format, its length, and its origin
    ///
    /// A file that is named is read to its end. Of a file found in a folder or by a pattern, only the
    /// header is read, unless --full is given.
    Inspect(Inspect),
    /// Check whether recordings are what they claim to be
    ///
    /// Each file gets a verdict: fail (not what it claims to be), warn (somebody should look), pass.
    /// Games are played again by an independent engine. Recordings of deterministic simulations are
    /// replayed, and the first tick that differs is named, with the cell and both values.
    /// Several files are also compared with one another: the same game again, a known board.
    /// Exits with 1 if a file fails.
    Verify(Verify),
    /// Print statistics of recordings
    Stats(Stats),
    /// List the tables of a recording with their columns, units and descriptions
    Tables(Tables),
    /// Print every event, frame or packet of a recording, or the rows of a table
    ///
    /// One JSON object a line, or comma-separated values. Each row of a table has its step, its tick if the
    /// recording has a counter of its own, and its time.
    Dump(Dump),
    /// Show the first difference between two recordings of one kind, and the number of all differences
    ///
    /// The formats may differ: a capture compares with bare packets, an .echoreplay with a .butter. Numbers
    /// that a format rounds may then differ by as much as it rounds, and values that it does not keep are not
    /// compared: the answer says by how much, and which differ.
    ///
    /// Exits with 0 if nothing differs, with 1 if something does.
    Diff(Diff),
    /// Play a recording in the terminal
    ///
    /// The views follow from the tables: grids as cells, positions on a map, states and facts as tables,
    /// events as lists, and findings of the audit as markers on the timeline. The last line shows the main
    /// keys; ? shows all of them. Colours obey `NO_COLOR`.
    #[cfg(feature = "play")]
    Play(Play),
    /// Draw a moment or a stretch of a recording as SVG or PNG
    ///
    /// The views follow from the tables, as in play: the cells of a grid, or positions on a map. A
    /// description in words is printed, and is part of an SVG for readers who cannot see it.
    #[cfg(feature = "picture")]
    Picture(Picture),
    /// Play recordings in a browser
    ///
    /// Serves them to this machine only, on a free port, and opens the page. Ctrl-C ends it.
    #[cfg(feature = "live")]
    Watch(Watch),
    /// Serve a library of recordings to browsers
    ///
    /// Recordings in the folders are listed, and prepared when a browser first asks for them. Recordings
    /// that are added later are found. Requests from other machines need a token. Ctrl-C ends it.
    #[cfg(feature = "live")]
    Serve(Serve),
    /// Publish recordings as a folder for any web host, or as one HTML file
    ///
    /// The page plays them forwards and backwards, at any speed, from any moment. Recordings published in
    /// the same folder before stay: another one of the same name is refused without --replace. The readable
    /// part of a broken recording is published, and the exit code is then 3.
    #[cfg(feature = "live")]
    Publish(Publish),
    /// Convert a recording, by the extension of the output, or many with --out
    ///
    /// Without options, a recording of the same format is copied byte for byte. Losses are printed, and the
    /// exit code is then 3. If numbers are rounded, a table shows the largest difference of each kind, and
    /// the one that the format implies.
    Convert(Convert),
    /// Save the intact parts of a broken recording, or of many with --out
    ///
    /// Prints each action. Exits with 0 if nothing was lost, with 3 if something was.
    Repair(Repair),
    /// Keep a part of a recording: from one moment to another, or around an event
    ///
    /// The part is a recording of the same format with the same content, byte for byte if the format
    /// allows it. The range that was kept is printed. If a format does not allow a part, an error says so,
    /// and what to do instead.
    Cut(Cut),
    /// List the formats that this command supports
    Formats,
    /// Print a completion script for a shell
    Completions(Completions),
    /// Write manual pages
    Man(Man),
}

/// The values of `--csv`.
pub fn csv_style() -> impl TypedValueParser<Value = CsvStyle> {
    PossibleValuesParser::new(["plain", "excel"]).map(|name| match &*name {
        "excel" => CsvStyle::Excel,
        _ => CsvStyle::Plain,
    })
}

#[derive(Args, Debug)]
pub struct Inspect {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// One table of comma-separated values, a row for each recording, in place of text; =excel for spreadsheets
    #[arg(long, value_name = "excel", num_args = 0..=1, require_equals = true, default_missing_value = "plain",
        value_parser = csv_style())]
    pub csv: Option<CsvStyle>,
    /// Read files in folders to their end as well
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
    /// Also print facts and known deviations in full
    #[arg(short, long)]
    pub verbose: bool,
    /// Admit or reject recordings by this policy, or by the default one, and give the reasons
    ///
    /// A policy is a TOML file of conditions on headers, facts and findings; --print-policy prints the
    /// default one. Exits with 1 if a recording is rejected, or if one fails that the policy does not judge.
    #[arg(long, value_name = "FILE|default")]
    pub policy: Option<OsString>,
    /// One table of comma-separated values, a row for each recording, in place of text: whether the policy
    /// admits it, its class, the reasons against it, and the facts that were looked at; =excel for spreadsheets
    #[arg(long, value_name = "excel", num_args = 0..=1, require_equals = true, default_missing_value = "plain",
        value_parser = csv_style(), requires = "policy")]
    pub csv: Option<CsvStyle>,
    /// Print the default policy, as a start for your own
    #[arg(long, conflicts_with_all = ["paths", "policy", "verbose"])]
    pub print_policy: bool,
}

#[derive(Args, Debug)]
pub struct Stats {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// One table of comma-separated values, a row for each recording, in place of text; =excel for spreadsheets
    #[arg(long, value_name = "excel", num_args = 0..=1, require_equals = true, default_missing_value = "plain",
        value_parser = csv_style())]
    pub csv: Option<CsvStyle>,
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
    /// The rows of this table; the verb tables lists all tables
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,
    /// Only these columns, in this order; every table also has step, tick, `time_ms` and ended [default: all]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Rows from this moment on: 1:23.4, 200ms, -5s (before the end), end, tick:137, step:600
    #[arg(
        long,
        value_name = "AT",
        allow_hyphen_values = true,
        conflicts_with = "at"
    )]
    pub from: Option<gametape::When>,
    /// Rows up to this moment, which is included
    #[arg(
        long,
        value_name = "AT",
        allow_hyphen_values = true,
        conflicts_with = "at"
    )]
    pub to: Option<gametape::When>,
    /// Rows whose column compares so with a value, by = != < <= > or >=; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    pub conditions: Vec<gametape::Condition>,
    /// At most so many rows, or lines
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// The state at a moment, or at the end: the rows of all states and the cells of all grids, or those of
    /// the table
    #[arg(long, conflicts_with_all = ["from", "to"])]
    pub state: bool,
    /// Comma-separated values in place of JSON; =excel for spreadsheets
    ///
    /// For them, the text is marked as UTF-8, and lines end with CRLF. A text that begins with =, +, -, @, a
    /// tab or a line break gets an apostrophe in front, so that it is not run as a formula.
    #[arg(long, value_name = "excel", num_args = 0..=1, require_equals = true, default_missing_value = "plain",
        value_parser = csv_style())]
    pub csv: Option<CsvStyle>,
    /// Only this moment: 1:23.4, 200ms, -5s (before the end), end, tick:137, step:600
    #[arg(long, value_name = "AT", allow_hyphen_values = true)]
    pub at: Option<gametape::When>,
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
    /// Start at this moment: 1:23.4, 200ms, -5s (before the end), end, tick:137, step:600
    #[arg(long, value_name = "AT", allow_hyphen_values = true)]
    pub at: Option<gametape::When>,
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
    /// Print the address, and do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Where to listen, on this machine: a port or an address with one [default: any free port]
    #[arg(long, value_name = "[ADDRESS:]PORT", default_value = "0", hide_default_value = true, value_parser = near)]
    pub listen: SocketAddr,
    /// A built page to use instead of the command's own
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "live")]
#[derive(Args, Debug)]
pub struct Serve {
    /// Folders, files, patterns; nothing outside of them is served, not even through links
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Where to listen: 0.0.0.0:8420 can be reached from other machines, a port alone only from this one
    #[arg(long, value_name = "[ADDRESS:]PORT", default_value = "127.0.0.1:8420", value_parser = listening)]
    pub listen: SocketAddr,
    /// The token that requests need: in a link as ?token=…, or as Authorization: Bearer
    ///
    /// Better set it in the environment, where other users of the machine can't see it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "GAMETAPE_TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// A name of the server, such as tapes.example.org; may be given several times
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// The folder for prepared recordings [default: a temporary one, removed when the server ends]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// The largest size of that folder in megabytes
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    pub cache_mb: u64,
    /// A built page to use instead of the command's own
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
    /// The folder to publish in; created if it does not exist
    #[arg(long, value_name = "DIR", group = "to")]
    pub out: Option<PathBuf>,
    /// One HTML file with everything, which a browser opens from disk
    #[arg(long, value_name = "FILE", group = "to")]
    pub single: Option<PathBuf>,
    #[command(flatten)]
    pub replace: Replace,
    /// A built page to use instead of the command's own
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
    /// Publish tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

#[cfg(feature = "picture")]
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("stretch").multiple(true))]
pub struct Picture {
    /// A file, or -
    #[arg(value_name = "FILE")]
    pub path: OsString,
    /// The picture, .svg or .png; - writes SVG to standard output
    #[arg(value_name = "OUT")]
    pub output: OsString,
    #[command(flatten)]
    pub replace: Replace,
    /// The moment to draw: 1:23.4, 200ms, -5s (before the end), tick:137, step:600 [default: end]
    #[arg(
        long,
        value_name = "AT",
        allow_hyphen_values = true,
        conflicts_with = "stretch"
    )]
    pub at: Option<gametape::When>,
    /// Draw the stretch from this moment on instead: its paths, the time spent in each place, or the changes
    #[arg(long, value_name = "AT", allow_hyphen_values = true, group = "stretch")]
    pub from: Option<gametape::When>,
    /// Draw the stretch up to this moment
    #[arg(long, value_name = "AT", allow_hyphen_values = true, group = "stretch")]
    pub to: Option<gametape::When>,
    /// What to draw of the stretch [default: depends on the view]
    ///
    /// On a map: paths, or the time spent per square if there are many entities. On a grid with a cursor:
    /// the time over each cell, and the cursor's path. On other grids: the number of changes per cell.
    #[arg(long, value_enum, requires = "stretch")]
    pub show: Option<Show>,
    /// The view: a table with cells, map, or one table of the map [default: the first that can be drawn]
    #[arg(long, value_name = "VIEW")]
    pub view: Option<String>,
    /// The column of the cells to draw [default: the first]
    #[arg(long, value_name = "COLUMN")]
    pub column: Option<String>,
    /// The side from which a map is seen if positions have a height: above, front or side
    #[arg(long, value_enum, default_value_t = Side::Xz)]
    pub plane: Side,
    /// The width of the picture in pixels: 100 to 4096
    #[arg(long, value_name = "PX", default_value_t = 800, value_parser = clap::value_parser!(u32).range(100..=4096))]
    pub width: u32,
    /// Show tokens, IP addresses and user ids
    #[arg(long)]
    pub show_secrets: bool,
}

/// The content of a picture of a stretch.
#[cfg(feature = "picture")]
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// The paths of entities
    Ways,
    /// The time spent in each place
    Time,
    /// The number of changes of each cell
    Changes,
}

/// The side from which a map is seen.
#[cfg(feature = "picture")]
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// From above: x and z
    Xz,
    /// From the front: x and y
    Xy,
    /// From the side: z and y
    Zy,
}

#[derive(Args, Debug)]
pub struct Convert {
    /// IN and OUT; with --out: files, folders, patterns
    ///
    /// The extension of OUT decides the format; - writes the input's. The input itself is never replaced by a
    /// file that holds less.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    #[command(flatten)]
    pub replace: Replace,
    #[command(flatten)]
    pub below: Below,
    /// The format of all outputs by its extension: butter, mcap [default: that of each input]
    #[arg(long, value_name = "EXTENSION", requires = "out")]
    pub to: Option<String>,
}

#[derive(Args, Debug)]
pub struct Repair {
    /// IN and OUT, either may be -; with --out: files, folders, patterns
    ///
    /// The input itself is never replaced by a file that holds less.
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    #[command(flatten)]
    pub replace: Replace,
    #[command(flatten)]
    pub below: Below,
}

/// The option of all verbs that write a file named by the user.
#[derive(Args, Clone, Copy, Debug)]
pub struct Replace {
    /// Replace an existing file; without it, one with other content stays, and the exit code is 2
    #[arg(long)]
    pub replace: bool,
}

impl Replace {
    pub const fn existing(self) -> Existing {
        Existing::replaced_if(self.replace)
    }
}

/// The options for many files.
#[derive(Args, Debug)]
pub struct Below {
    /// Read all PATHs, and write each file below this folder, at the same place as below its own
    ///
    /// Files that exist and would be the same are kept, so that the same call again does only the rest. Files
    /// that such a call made may be made anew; others need --replace. The folder is created if it does not exist.
    /// A DIR that ends in .zip becomes a zip.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print what would be done, without doing it
    #[arg(long, requires = "out")]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("range").required(true).multiple(true))]
pub struct Cut {
    /// A file, or -
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// The part, in the format of the input, or -
    ///
    /// The input itself is never replaced by a part of it.
    #[arg(value_name = "OUT")]
    pub output: OsString,
    #[command(flatten)]
    pub replace: Replace,
    /// From this moment on: 1:23.4, 200ms, -5s (before the end), end, tick:137, step:600
    #[arg(long, value_name = "AT", allow_hyphen_values = true, group = "range")]
    pub from: Option<gametape::When>,
    /// Up to this moment, which is included
    #[arg(long, value_name = "AT", allow_hyphen_values = true, group = "range")]
    pub to: Option<gametape::When>,
    /// Around this row of a table of events: goals:3 is the third goal
    #[arg(long, value_name = "TABLE:N", group = "range", conflicts_with_all = ["from", "to"])]
    pub around: Option<gametape::Around>,
    /// Seconds before the event
    #[arg(long, value_name = "SECONDS", requires = "around", default_value = "10", value_parser = length)]
    pub before: gametape::Time,
    /// Seconds after the event
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

/// A length of time: `10`, `1:30`.
fn length(text: &str) -> Result<gametape::Time, &'static str> {
    match text.parse() {
        Ok(time) => Ok(time),
        Err(_) => Err("a length is in seconds, such as 10, 2.5 or 1:30"),
    }
}

/// An address with its port.
#[cfg(feature = "tools")]
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| match text.parse::<u16>() {
        Ok(port) => format!(
            "a port needs an address: 127.0.0.1:{port} for this machine, 0.0.0.0:{port} for others, too"
        ),
        Err(_) => "an address has a port: 127.0.0.1:7777, or [::1]:7777".to_owned(),
    })
}

/// Where a server listens: at a port alone, only this machine can reach it.
#[cfg(any(feature = "live", feature = "tools"))]
pub fn listening(text: &str) -> Result<SocketAddr, &'static str> {
    let port = text
        .parse()
        .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    port.or_else(|_| text.parse()).map_err(
        |_| "where to listen is a port, or an address with one: 8420, 0.0.0.0:8420, [::1]:8420",
    )
}

/// Where a server for this machine alone listens.
#[cfg(feature = "live")]
fn near(text: &str) -> Result<SocketAddr, &'static str> {
    let at = listening(text)?;
    if at.ip().is_loopback() {
        Ok(at)
    } else {
        Err("watch serves this machine alone; serve listens to others, too")
    }
}
