//! What the user sees: results on standard output, the rest on standard error.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use gametape::delta::Schema;
use gametape::murk::{Commands, engine::World};
use gametape::{Check, Error, Recording, Severity, Verdict};
use indicatif::{ProgressBar, ProgressStyle};

use crate::exit::Exit;

/// Bold.
pub const STRONG: Style = Style::new().bold();
/// Grey.
pub const FAINT: Style = Style::new().dimmed();

const GOOD: Style = AnsiColor::Green.on_default();
const ODD: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The colour of a verdict.
pub const fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass => GOOD,
        Verdict::Warn => ODD,
        Verdict::Fail => BAD,
    }
}

/// The colour of a severity.
pub const fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Info => FAINT,
        Severity::Warning => ODD,
        Severity::Error => BAD,
    }
}

/// Text in a style; the stream takes it off where colours are not wanted.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Where output goes.
pub struct Ui {
    /// One JSON object a line.
    pub json: bool,
    out: BufWriter<AutoStream<io::Stdout>>,
}

impl Ui {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            out: BufWriter::with_capacity(64 << 10, AutoStream::auto(io::stdout())),
        }
    }

    /// A line of results.
    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// An object of results.
    pub fn object(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        writeln!(self.out)
    }

    /// The stream of results.
    pub const fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A diagnostic. Nobody can be told if standard error is gone.
    pub fn complain(&mut self, message: &str) {
        let message = gametape::printable(message);
        let _ = self.out.flush();
        let mut stderr = anstream::stderr();
        let _ = writeln!(stderr, "{}: {message}", styled(BAD, "gametape"));
    }

    /// A remark that is no complaint.
    pub fn remark(&mut self, message: &str) {
        let _ = self.out.flush();
        let _ = writeln!(anstream::stderr(), "{}", gametape::printable(message));
    }

    /// Remarks of several lines, such as a table.
    pub fn remarks(&mut self, text: &str) {
        for line in text.lines() {
            self.remark(line);
        }
    }

    /// There was nothing to look at.
    pub fn found_nothing(&mut self, paths: &[OsString]) -> Exit {
        let paths: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        self.complain(&format!("{}: no recordings found", paths.join(", ")));
        Exit::Unusable
    }

    /// An error of the library's.
    pub fn fail(&mut self, error: &Error) -> Exit {
        self.complain(&error.to_string());
        Exit::Unusable
    }
}

/// A bar on a terminal's standard error for work on so many bytes, where that is worth one.
pub fn byte_bar(bytes: u64) -> ProgressBar {
    /// What takes a moment at most.
    const SHORT: u64 = 8 << 20;
    if bytes < SHORT {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(bytes);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes}, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}

/// A number of things: `1 tick`, `2 ticks`.
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// The length of a tick, from ticks a second.
pub fn tick_ns(rate: f64) -> u64 {
    (1e9 / rate).round() as u64
}

/// What to check with: the world in a file, where one is given.
pub fn check_with(world: Option<&Path>) -> Result<Check, Error> {
    let world = world.map(read_world).transpose()?;
    Ok(Check { world })
}

/// The text of a file that describes a world. What is wrong with it is said of this file, and
/// not of the recording that it is for.
pub fn read_world(path: &Path) -> Result<String, Error> {
    /// Far more than any world takes.
    const MAX_BYTES: u64 = 16 << 20;
    let mut bytes = Vec::new();
    let size = open_file(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| said_shortly(path, source))? as u64;
    if size > MAX_BYTES {
        return Err(Error::TooLarge {
            path: path.to_owned(),
            size,
            limit: MAX_BYTES,
        });
    }
    let wrong = |message| Error::World {
        path: path.to_owned(),
        message,
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        wrong(format!("not a world: not UTF-8 at byte {at}"))
    })?;
    match World::from_toml(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(wrong(error.to_string())),
    }
}

/// A file that is no recording.
fn open_file(path: &Path) -> Result<File, Error> {
    let file = File::open(path).map_err(|source| said_shortly(path, source))?;
    match file.metadata() {
        Ok(meta) if meta.is_dir() => Err(Error::IsFolder {
            path: path.to_owned(),
        }),
        _ => Ok(file),
    }
}

/// What the system says, in the words that folders and patterns are answered with.
fn said_shortly(path: &Path, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound {
            pattern: path.display().to_string(),
        },
        _ => Error::Io {
            path: path.to_owned(),
            source,
        },
    }
}

/// The commands in a file, or on standard input for `-`.
pub fn read_commands(path: Option<&OsStr>, world: &str) -> Result<Commands, Error> {
    let Some(path) = path else {
        return Ok(Commands::none());
    };
    let path = Path::new(path);
    if path == Path::new("-") {
        return Commands::read(io::stdin().lock(), path, world);
    }
    Commands::read(BufReader::new(open_file(path)?), path, world)
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &OsStr) -> Result<Recording, Error> {
    if path == "-" {
        Recording::from_reader(io::stdin().lock(), "-", &gametape::Limits::default())
    } else {
        Recording::open(path).map_err(|error| match error {
            Error::Io { path, source } => said_shortly(&path, source),
            error => error,
        })
    }
}

/// The schema in a file of JSON, or of a recording; `-` for a recording on standard input.
pub fn read_schema(path: &Path) -> Result<Schema, Error> {
    if path == Path::new("-") {
        return Ok(open(path.as_os_str())?.packets()?.schema().clone());
    }
    gametape::read_schema(path).map_err(|error| match error {
        Error::Io { path, source } => said_shortly(&path, source),
        error => error,
    })
}

/// The recordings behind some paths, each with whether it was named one by one, or why it can't
/// be opened. Files of other kinds that were merely found are left out.
pub fn recordings(paths: &[OsString]) -> impl Iterator<Item = Result<(Recording, bool), Error>> {
    paths.iter().flat_map(|path| {
        let standard_input = (path == "-").then(|| open(path).map(|recording| (recording, true)));
        let found = if path == "-" {
            Vec::new()
        } else {
            gametape::find(path)
        };
        let files = found.into_iter().filter_map(|found| match found {
            Err(error) => Some(Err(error)),
            Ok(found) => match Recording::open(&found.path) {
                Ok(recording) => Some(Ok((recording, found.named))),
                Err(Error::UnknownFormat { .. }) if !found.named => None,
                Err(error) => Some(Err(error)),
            },
        });
        standard_input.into_iter().chain(files)
    })
}
