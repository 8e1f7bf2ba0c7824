//! What the user sees: results on standard output, the rest on standard error.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use gametape::murk::Commands;
use gametape::{Check, Error, Recording, Severity, Verdict};

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

/// What to check with: the world in a file, where one is given.
pub fn check_with(world: Option<&Path>) -> Result<Check, Error> {
    let world = world.map(read_text).transpose()?;
    Ok(Check { world })
}

/// A text file.
pub fn read_text(path: &Path) -> Result<String, Error> {
    /// Far more than any world takes.
    const MAX_BYTES: u64 = 16 << 20;
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let mut text = String::new();
    let size = File::open(path)
        .map_err(io)?
        .take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(io)? as u64;
    if size > MAX_BYTES {
        return Err(Error::TooLarge {
            path: path.to_owned(),
            size,
            limit: MAX_BYTES,
        });
    }
    Ok(text)
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
    let file = File::open(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    Commands::read(BufReader::new(file), path, world)
}

/// Opens a file, or standard input for `-`.
pub fn open(path: &OsStr) -> Result<Recording, Error> {
    if path == "-" {
        Recording::from_reader(io::stdin().lock(), "-", &gametape::Limits::default())
    } else {
        Recording::open(path)
    }
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
