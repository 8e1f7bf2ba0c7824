//! The command line.

mod echo;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

pub use echo::{Compression, ConvertEcho, Mode};

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
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
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
    /// Exits with 1 if a file fails.
    Verify(Verify),
    /// Print the statistics that a recording's people compare
    Stats(Stats),
    /// Print every event or frame of a recording, one JSON object a line
    Dump(Dump),
    /// Say where two recordings of one format differ first, and how many differences follow
    ///
    /// Recordings of one kind compare whatever they are kept in: a capture with bare packets, an
    /// .echoreplay with a .butter, whose numbers may then be as far off as it rounds them.
    ///
    /// Exits with 0 if nothing differs, with 1 if something does.
    Diff(Diff),
    /// Run a simulation, listen to a stream, or ask a game such as Echo VR, and record it
    Record(Record),
    /// Show, name and compare the schemas of snapshot/delta streams
    Schema(Schema),
    /// Find the smallest command log that still diverges
    ///
    /// Commands are taken away as long as the fault shows (delta debugging). The result is a
    /// recording that verify finds diverging in the same way.
    Minimise(Minimise),
    /// Run a world several times at once, and prove or break its determinism
    ///
    /// Exits with 0 if all runs agree at every tick, with 1 if they don't.
    SyncTest(SyncTest),
    /// Make the index beside a recording
    ///
    /// The index finds ticks at once, and tells which bit was flipped in a damaged recording:
    /// verify names it, repair turns it back. It is refused where the recording has changed.
    Index(Index),
    /// Convert a recording, by the extension of the output
    ///
    /// Without options a recording of the same format comes out byte for byte as it was. What
    /// could not be carried is printed, and the exit code is then 3: mostly so from an .echoreplay
    /// to a .butter, which rounds its numbers; a table says how far each kind is off, and how far
    /// the format implies.
    Convert(Convert),
    /// Keep what is whole of a broken recording
    ///
    /// Prints what was done. Exits with 0 if nothing was lost, with 3 if something was.
    Repair(Repair),
    /// Play, simulate, record, verify and tamper, from nothing
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
    /// Print the world that a recording of a simulation carries, as TOML, and nothing else
    #[arg(long, conflicts_with_all = ["full", "show_secrets", "json"])]
    pub world: bool,
}

#[derive(Args, Debug)]
pub struct Verify {
    /// Files, folders, patterns, or -
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Print facts and known deviations in full, too
    #[arg(short, long)]
    pub verbose: bool,
    /// Replay in this world: for simulations whose recordings carry none
    #[arg(long, value_name = "TOML")]
    pub world: Option<PathBuf>,
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
    /// This tick alone (of event logs: this millisecond; of matches: this frame, from 0); at once
    /// where there is an index
    #[arg(long, value_name = "N")]
    pub tick: Option<u64>,
    /// Show user ids and the addresses of servers
    #[arg(long)]
    pub show_secrets: bool,
    /// Of snapshot/delta streams: the state at that tick (or the last), one object an entity
    #[arg(long)]
    pub state: bool,
}

#[derive(Args, Debug)]
pub struct Diff {
    /// The first recording, or -
    #[arg(value_name = "A")]
    pub first: OsString,
    /// The second recording
    #[arg(value_name = "B")]
    pub second: OsString,
    /// Replay both in this world, to name the cells that differ
    #[arg(long, value_name = "TOML")]
    pub world: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Record {
    #[command(subcommand)]
    pub what: RecordWhat,
}

#[derive(Subcommand, Debug)]
pub enum RecordWhat {
    /// Run a Murk world and record it
    Murk(RecordMurk),
    /// Listen to a snapshot/delta stream over UDP and record it as a capture
    ///
    /// Packets of the first sender are recorded as they come, those that can be applied, until
    /// Ctrl-C or one of the options ends it. Killed at any time, the capture can be read up to the
    /// last second. Exits with 3 if packets came that could not be recorded.
    Stream(RecordStream),
    /// Ask Echo VR for its session again and again, and record what it answers
    ///
    /// The game answers while a match is on. Until then, and whenever it closes or restarts, it is
    /// waited for; Ctrl-C or one of the options ends the recording. Killed at any time, the file
    /// holds all frames before, and --resume goes on with it. A .butter holds one match: the second
    /// goes into OUT.2.butter, the third into OUT.3.butter. Exits with 2 if no frame came.
    Echo(RecordEcho),
}

#[derive(Args, Debug)]
pub struct RecordStream {
    /// Where to listen, such as 0.0.0.0:7777
    #[arg(long, value_name = "ADDR")]
    pub udp: SocketAddr,
    /// The schema of the packets: JSON, or a recording that has it
    #[arg(long, value_name = "FILE")]
    pub schema: PathBuf,
    /// A server that sends once it is spoken to
    #[arg(long, value_name = "ADDR")]
    pub join: Option<SocketAddr>,
    /// Stop after this many packets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub packets: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Stop when nothing has come for this many seconds, once something has
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub idle: Option<Duration>,
    /// Record what a receiver sees in place of the packets
    ///
    /// Of each entity the newest values, as deltas one on the other: for senders that stay within
    /// a byte budget by leaving entities out, whose bare states let entities go back in time.
    #[arg(long)]
    pub view: bool,
    /// Send no acknowledgements: for senders that code each packet on the one before
    #[arg(long)]
    pub no_feedback: bool,
    /// Ticks a second, where it is known
    #[arg(long, value_name = "HZ", value_parser = tick_rate)]
    pub tick_rate: Option<f64>,
    /// Add a full snapshot to seek by where the stream has none for this many ticks; 0: never
    #[arg(long, value_name = "TICKS", default_value_t = 300)]
    pub keyframe_every: u32,
    /// The capture, an .mcap file. A file that is there is not replaced
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

// Each is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Args, Debug)]
pub struct RecordEcho {
    /// Where the game answers: on this computer, or at the address of a headset
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:6721")]
    pub url: String,
    /// Frames a second
    #[arg(long, value_name = "HZ", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=120))]
    pub rate: u32,
    /// Don't ask for the bones of the players
    #[arg(long)]
    pub no_bones: bool,
    /// Stop after this many frames
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub frames: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// Stop when no frame has come for this many seconds, once one has
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub idle: Option<Duration>,
    /// A file for each match in an .echoreplay, too: OUT.2.echoreplay, OUT.3.echoreplay
    #[arg(long)]
    pub split: bool,
    /// Make a zip of an .echoreplay at the end. Until then, and without, it is text
    #[arg(long)]
    pub zip: bool,
    /// Go on with a recording that is there already
    ///
    /// Behind the last whole frame; behind a .butter that is finished, in the next file.
    #[arg(long)]
    pub resume: bool,
    /// The recording, a .butter or an .echoreplay file. A file that is there is not replaced
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

/// A number of seconds, above 0.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds is above 0, and not too far".to_owned()),
    }
}

/// Ticks a second, such that a tick takes a nanosecond at least.
fn tick_rate(text: &str) -> Result<f64, String> {
    let rate: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.001..=1e9).contains(&rate) {
        Ok(rate)
    } else {
        Err("ticks a second are 0.001 to 1,000,000,000".to_owned())
    }
}

#[derive(Args, Debug)]
pub struct Schema {
    #[command(subcommand)]
    pub what: SchemaWhat,
}

#[derive(Subcommand, Debug)]
pub enum SchemaWhat {
    /// Print a schema: its components, and how each field is written
    ///
    /// With --json, in the form that is kept beside packets.
    Show(SchemaShow),
    /// Print the hash that packets name their schema by
    Hash(SchemaHash),
    /// Say how two schemas differ, names aside
    ///
    /// Exits with 0 if packets of the one are packets of the other, with 1 if not.
    Compare(SchemaCompare),
}

#[derive(Args, Debug)]
pub struct SchemaShow {
    /// A schema as JSON, or a recording that has one
    #[arg(value_name = "FILE")]
    pub path: PathBuf,
}

#[derive(Args, Debug)]
pub struct SchemaHash {
    /// Schemas as JSON, or recordings that have them
    #[arg(required = true, value_name = "FILE")]
    pub paths: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SchemaCompare {
    /// A schema as JSON, or a recording that has one
    #[arg(value_name = "A")]
    pub first: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    pub second: PathBuf,
}

#[derive(Args, Debug)]
pub struct RecordMurk {
    /// The world
    #[arg(long, value_name = "TOML")]
    pub world: PathBuf,
    /// Commands, one JSON object a line, as dump prints them; - for standard input
    #[arg(long, value_name = "JSONL")]
    pub commands: Option<OsString>,
    /// Ticks that the recording is to have
    #[arg(long, value_name = "N")]
    pub ticks: u64,
    /// Go on behind the last whole frame of a recording that is there already
    #[arg(long)]
    pub resume: bool,
    /// The recording. Every frame is written as it is made; a file that is there is not replaced
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct Minimise {
    /// A recording that diverges, or -
    #[arg(value_name = "IN")]
    pub input: OsString,
    /// Where to write the smallest one, or -. A file that is there already is replaced
    #[arg(value_name = "OUT")]
    pub output: OsString,
    /// The world it was made in, if it carries none
    #[arg(long, value_name = "TOML")]
    pub world: Option<PathBuf>,
    /// The fault is that this world has another state than the recording's
    ///
    /// Without it the fault is where the recording and its replay part, which has to be in one
    /// value.
    #[arg(long, value_name = "TOML")]
    pub against: Option<PathBuf>,
    /// How many logs to try at most
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_trials: u64,
}

#[derive(Args, Debug)]
pub struct SyncTest {
    /// A world (.toml), or a recording whose commands and world are taken
    #[arg(value_name = "WORLD|RECORDING")]
    pub subject: OsString,
    /// The world of a recording that carries none
    #[arg(long, value_name = "TOML")]
    pub world: Option<PathBuf>,
    /// Commands for a world, as for record; - for standard input
    #[arg(long, value_name = "JSONL")]
    pub commands: Option<OsString>,
    /// Ticks of a world [default: 1000]
    #[arg(long, value_name = "N")]
    pub ticks: Option<u64>,
    /// Runs at once, each on a thread of its own
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(2..=256))]
    pub runs: u16,
    /// Instead of several runs: go back N ticks and make them again, over and over, as netcode
    /// does when it rolls back
    #[arg(long, value_name = "N", conflicts_with = "runs", value_parser = clap::value_parser!(u16).range(1..))]
    pub rollback: Option<u16>,
}

#[derive(Args, Debug)]
pub struct Index {
    /// Files, folders, or patterns
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<OsString>,
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
    /// Remove tokens, IP addresses and user ids; of matches the names of players, too
    #[arg(long)]
    pub redact: bool,
    /// Carry a snapshot/delta stream to another schema: JSON, or a recording that has it
    ///
    /// Components and fields are matched by their ids.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Ticks a second of a snapshot/delta stream that does not say
    #[arg(long, value_name = "HZ", value_parser = tick_rate)]
    pub tick_rate: Option<f64>,
    /// Add full snapshots to a capture, to seek by, where it has none for this many ticks
    #[arg(long, value_name = "TICKS", value_parser = clap::value_parser!(u32).range(1..))]
    pub keyframe_every: Option<u32>,
    #[command(flatten)]
    pub echo: ConvertEcho,
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
