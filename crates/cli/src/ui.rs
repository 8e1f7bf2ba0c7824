//! What the user sees: results on standard output, the rest on standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use gametape::core::tape;
use gametape::core::text::printable;
use gametape::{Error, Secrets, Severity, Verdict};
use indicatif::{ProgressBar, ProgressStyle};

use crate::exit::Exit;

/// Bold.
pub const STRONG: Style = Style::new().bold();
/// Grey.
pub const FAINT: Style = Style::new().dimmed();

/// Green.
pub const GOOD: Style = AnsiColor::Green.on_default();
const ODD: Style = AnsiColor::Yellow.on_default();
/// Red.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

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
    /// What the command is called.
    pub name: &'static str,
    /// One JSON object a line.
    pub json: bool,
    out: BufWriter<AutoStream<io::Stdout>>,
    flushed: Instant,
}

impl Ui {
    /// As wanted: lines for people, or JSON.
    pub fn new(name: &'static str, json: bool) -> Self {
        Self {
            name,
            json,
            out: BufWriter::with_capacity(64 << 10, AutoStream::auto(io::stdout())),
            flushed: Instant::now(),
        }
    }

    /// From here on what is said is data: into a file or a pipe it goes as it is, with control
    /// characters that a recording holds. On a terminal those stay out.
    ///
    /// # Errors
    /// The output's.
    pub fn data(&mut self) -> io::Result<()> {
        self.out.flush()?;
        if !io::stdout().is_terminal() {
            let stdout = AutoStream::always_ansi(io::stdout());
            self.out = BufWriter::with_capacity(64 << 10, stdout);
        }
        Ok(())
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

    /// Sends on what is held.
    ///
    /// # Errors
    /// The output's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Sends on what is held: at once where somebody watches, else now and then, so that little is lost
    /// where the command is ended.
    ///
    /// # Errors
    /// The output's.
    pub fn flush_in_time(&mut self) -> io::Result<()> {
        /// Whoever reads a pipe waits no longer.
        const LATE: Duration = Duration::from_millis(100);
        if self.flushed.elapsed() >= LATE || io::stdout().is_terminal() {
            self.out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// A diagnostic. Nobody can be told if standard error is gone.
    pub fn complain(&mut self, message: &str) {
        let message = printable(message);
        let _ = self.out.flush();
        let mut stderr = anstream::stderr();
        let _ = writeln!(stderr, "{}: {message}", styled(BAD, self.name));
    }

    /// A remark that is no complaint.
    pub fn remark(&mut self, message: &str) {
        let _ = self.out.flush();
        let _ = writeln!(anstream::stderr(), "{}", printable(message));
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

    /// An error of the library's, where it may be that the output can't be written.
    ///
    /// # Errors
    /// The output's.
    pub fn fail_unless_output(&mut self, error: Error) -> io::Result<Exit> {
        match error {
            Error::Tape {
                source: tape::Error::Output(error),
                ..
            } => Err(error),
            error => Ok(self.fail(&error)),
        }
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
#[cfg(any(feature = "live", feature = "tools"))]
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// Whether secrets are shown.
pub const fn secrets(show: bool) -> Secrets {
    if show { Secrets::Show } else { Secrets::Hide }
}

/// What the system says, in the words that folders and patterns are answered with.
pub fn short_error(path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { path },
        _ => Error::Io { path, source },
    }
}
