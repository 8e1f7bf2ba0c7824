//! The inputs of the tools: their arguments, and the files that these name.

use std::ffi::OsStr;
use std::io::{self, BufReader};
use std::path::Path;
use std::time::Duration;

use clap::{ArgMatches, FromArgMatches};
use gametape::capture::tape::{PacketsTape, schema_of_json};
use gametape::core::tape;
use gametape::delta::Schema as Wire;
use gametape::murk::engine::World;
use gametape::murk::tape::{Murk, MurkTape, WorldFile};
use gametape::murk::tools::CommandList;
use gametape::{Error, Format, Formats, OpenOptions, OptionValue, Recording, Tape};

use crate::{call, options};

/// Parses the arguments of a tool.
pub(in crate::tools) fn parsed<A: FromArgMatches>(matches: &ArgMatches) -> A {
    A::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

/// The largest size of a world file.
const MAX_WORLD_BYTES: u64 = 16 << 20;
/// The largest size of a schema file.
const MAX_SCHEMA_BYTES: u64 = 4 << 20;

/// Opens a recording, or standard input for `-`.
pub(in crate::tools) fn open(formats: &Formats, path: &OsStr) -> Result<Recording, Error> {
    call::open(formats, path, &OpenOptions::default())
}

/// Returns a recording as a tape of type `T`; an error says which recordings have `what`.
fn having<'a, T: Tape>(recording: &'a Recording, what: &str, others: &str) -> Result<&'a T, Error> {
    recording.tape_as().ok_or_else(|| {
        let format = recording.format().name();
        let sentence = format!("{format} recordings have no {what}; {others} recordings do");
        Error::tape(recording.path())(tape::Error::Unsupported(sentence))
    })
}

/// Returns a recording of a simulation; an error says that others do not have `what`.
pub(in crate::tools) fn simulation<'a>(
    recording: &'a Recording,
    what: &str,
) -> Result<&'a MurkTape, Error> {
    having(recording, what, Murk::new().info().name)
}

fn file(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    options::read_file(path, most).map(|value| match value {
        OptionValue::File { bytes, .. } => bytes,
        _ => Vec::new(),
    })
}

/// Reads the file of a world. Its propagators may be of any kind registered in the format.
pub(in crate::tools) fn world(formats: &Formats, path: &Path) -> Result<WorldFile, Error> {
    let murk: Option<&Murk> = formats.registered();
    Ok(WorldFile {
        path: path.to_owned(),
        bytes: file(path, MAX_WORLD_BYTES)?,
        kinds: murk.map(|murk| murk.kinds().clone()).unwrap_or_default(),
    })
}

/// Reads the commands for a world, one JSON object a line; `-` is standard input.
pub(in crate::tools) fn commands(
    path: Option<&OsStr>,
    world: &World,
) -> Result<CommandList, Error> {
    let Some(path) = path.map(Path::new) else {
        return Ok(CommandList::none());
    };
    let of_path = |error| Error::tape(path)(error);
    if path == Path::new("-") {
        return CommandList::read(io::stdin().lock(), path, world).map_err(of_path);
    }
    let lines = options::open_file(path)?;
    CommandList::read(BufReader::new(lines), path, world).map_err(of_path)
}

/// Reads a schema from a JSON file, or from a recording that has one.
pub(in crate::tools) fn schema(formats: &Formats, path: &Path) -> Result<Wire, Error> {
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        let json = file(path, MAX_SCHEMA_BYTES)?;
        return schema_of_json(&json).map_err(Error::tape(path));
    }
    let recording = open(formats, path.as_os_str())?;
    let packets: &PacketsTape = having(&recording, "schema", "snapshot/delta")?;
    packets.schema().map_err(Error::tape(path))
}

/// A number of seconds, above 0.
pub(in crate::tools) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("a number of seconds is above 0, and not too far".to_owned()),
    }
}
