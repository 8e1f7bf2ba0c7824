//! The output: results on standard output, the rest on standard error.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use gametape::core::Spell as _;
use gametape::core::tape::{self, object, write_json};
use gametape::core::text::printable;
use gametape::{Class, Error, Secrets, Severity, Verdict};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use crate::advice::{advice, data};
use crate::exit::Exit;
use crate::located::located;
use crate::sheet::Sheet;

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

/// Text in a style; the stream removes the style if colours are off.
pub fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The output of the command.
pub struct Ui {
    /// The name of the command.
    pub name: &'static str,
    /// The verb, or the tool.
    pub verb: String,
    /// Print one JSON object a line.
    pub json: bool,
    /// Print the objects of recordings as one table of comma-separated values, at the end.
    pub sheet: Option<Sheet>,
    out: BufWriter<AutoStream<io::Stdout>>,
    flushed: Instant,
}

impl Ui {
    /// Output as lines for people, or as JSON.
    pub fn new(name: &'static str, verb: &str, json: bool) -> Self {
        Self {
            name,
            verb: verb.to_owned(),
            json,
            sheet: None,
            out: BufWriter::with_capacity(64 << 10, AutoStream::auto(io::stdout())),
            flushed: Instant::now(),
        }
    }

    /// Switches to data: in a file or a pipe, the output is unfiltered and may have control characters of a
    /// recording. On a terminal they are filtered.
    ///
    /// # Errors
    /// An error of standard output.
    pub fn data(&mut self) -> io::Result<()> {
        self.out.flush()?;
        if !io::stdout().is_terminal() {
            let stdout = AutoStream::always_ansi(io::stdout());
            self.out = BufWriter::with_capacity(64 << 10, stdout);
        }
        Ok(())
    }

    /// Prints a line of results.
    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Whether results are objects: lines of JSON, or rows of a table.
    pub const fn is_data(&self) -> bool {
        self.json || self.sheet.is_some()
    }

    /// Prints an object for a recording: a line of JSON, or a row of the table.
    pub fn record(&mut self, object: &serde_json::Map<String, Value>) -> io::Result<()> {
        match &mut self.sheet {
            Some(sheet) => {
                sheet.add(object);
                Ok(())
            }
            None => self.object(object),
        }
    }

    /// Prints the table, if there is one.
    pub fn end(&mut self) -> io::Result<()> {
        match self.sheet.take() {
            Some(sheet) => sheet.write(&mut self.out),
            None => Ok(()),
        }
    }

    /// Prints an object of results.
    pub fn object(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        write_json(&mut self.out, value)?;
        writeln!(self.out)
    }

    /// The stream of results.
    pub const fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Flushes the results.
    ///
    /// # Errors
    /// An error of standard output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Flushes the results on a terminal at once, otherwise from time to time, so that little is lost if the
    /// command is ended.
    ///
    /// # Errors
    /// An error of standard output.
    pub fn flush_in_time(&mut self) -> io::Result<()> {
        /// The longest delay for the reader of a pipe.
        const LATE: Duration = Duration::from_millis(100);
        if self.flushed.elapsed() >= LATE || io::stdout().is_terminal() {
            self.out.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }

    /// Prints a diagnostic. If standard error is gone, there is nobody to tell.
    pub fn complain(&mut self, message: &str) {
        let message = printable(message);
        let _ = self.out.flush();
        let mut stderr = anstream::stderr();
        let _ = writeln!(stderr, "{}: {message}", styled(BAD, self.name));
    }

    /// Prints a remark on standard error.
    pub fn remark(&mut self, message: &str) {
        let _ = self.out.flush();
        let _ = writeln!(anstream::stderr(), "{}", printable(message));
    }

    /// Prints a remark of several lines, such as a table.
    pub fn remarks(&mut self, text: &str) {
        for line in text.lines() {
            self.remark(line);
        }
    }

    /// Reports that there are no recordings.
    pub fn found_nothing(&mut self, paths: &[OsString]) -> Exit {
        let paths: Vec<String> = paths
            .iter()
            .map(|path| path.spelled().into_owned())
            .collect();
        self.refuse(&format!("{}: no recordings found", paths.join(", ")))
    }

    /// Reports an error of the library, or returns it if it is an error of standard output.
    ///
    /// # Errors
    /// An error of standard output.
    pub fn fail_unless_output(&mut self, error: Error) -> io::Result<Exit> {
        match error {
            Error::Tape {
                source: tape::Error::Output(error),
                ..
            } => Err(error),
            error => Ok(self.fail(&error)),
        }
    }

    /// Reports an error of the library and what may help, and as data if JSON is asked for.
    pub fn fail(&mut self, error: &Error) -> Exit {
        self.fail_as(error, json!({}))
    }

    /// Like [`Ui::fail`]; in a table, the row has these cells as well.
    pub fn fail_as(&mut self, error: &Error, cells: Value) -> Exit {
        let advice = advice(error, self.name, &self.verb).unwrap_or_default();
        self.complain(&format!("{error}{advice}"));
        self.failure(error, cells);
        match error.class() {
            Class::Refused => Exit::Problems,
            _ => Exit::Unusable,
        }
    }

    /// Reports the problem of a recording whose readable part was printed; `note` says so.
    pub fn problem(&mut self, problem: &Error, note: &str) -> Exit {
        self.complain(&format!("{problem} ({note})"));
        self.failure(problem, json!({}));
        Exit::Problems
    }

    fn failure(&mut self, error: &Error, cells: Value) {
        let mut failure = located([("path", error.path())], json!({ "error": data(error) }));
        match &mut self.sheet {
            Some(sheet) => {
                failure.extend(object(cells));
                sheet.add(&failure);
            }
            None => self.outcome(&failure),
        }
    }

    /// Reports a failure that is no error of the library.
    pub fn refuse(&mut self, message: &str) -> Exit {
        self.complain(message);
        self.outcome(&json!({ "error": { "code": "failed", "message": message } }));
        Exit::Unusable
    }

    /// Reports a command line that could not be parsed, which was printed unless there is a message.
    pub fn misused(&mut self, error: &clap::Error, message: Option<&str>) {
        if let Some(message) = message {
            self.refuse(message);
            return;
        }
        let text = error.to_string();
        // The sentence, with what it lists; tips and the usage come after an empty line.
        let sentence = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.is_empty());
        let sentence = sentence.collect::<Vec<&str>>().join(" ");
        let message = sentence.strip_prefix("error: ").unwrap_or(&sentence);
        self.outcome(&json!({ "error": { "code": "usage", "message": message } }));
    }

    /// Prints an object if JSON is asked for. An error of standard output shows when it is flushed.
    fn outcome(&mut self, object: &impl serde::Serialize) {
        if self.json {
            let _ = self.object(object);
        }
    }
}

/// A progress bar on standard error for this many bytes; hidden if they are few, or without a terminal.
pub fn byte_bar(bytes: u64) -> ProgressBar {
    /// A size that takes a moment at most.
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

/// Shows or hides secrets.
pub const fn secrets(show: bool) -> Secrets {
    if show { Secrets::Show } else { Secrets::Hide }
}

/// An I/O error; a missing file is reported in the same words as a missing folder or pattern.
pub fn short_error(path: &Path, source: io::Error) -> Error {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { path },
        _ => Error::Io { path, source },
    }
}
