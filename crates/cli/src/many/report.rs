//! The report on each file, and the summary of all.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape::core::Spell as _;
use gametape::core::text::{Counted, Grouped, printable};
use gametape::{Class, Error};
use serde_json::{Value, json};

use super::losses::Losses;
use super::manifest::Entry;
use crate::advice::advice;
use crate::exit::Exit;
use crate::located::located;
use crate::ui::{STRONG, Ui, styled};

/// The outcome of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Status {
    Made,
    /// The output was there already.
    Kept,
    Failed,
    /// The file is no recording.
    #[default]
    Skipped,
    /// The file would be made; this is a dry run.
    WouldMake,
    /// The file was not begun, since the disk is full.
    Left,
}

impl Status {
    const fn name(self) -> &'static str {
        match self {
            Self::Made => "made",
            Self::Kept => "kept",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::WouldMake => "would-make",
            Self::Left => "left",
        }
    }
}

/// The report on a file.
#[derive(Default)]
pub struct FileReport {
    path: PathBuf,
    pub out: Option<PathBuf>,
    pub status: Status,
    pub format: Option<String>,
    pub to: Option<String>,
    pub read: u64,
    bytes: Option<u64>,
    lossy: bool,
    losses: Vec<String>,
    notes: Vec<String>,
    actions: Vec<String>,
    altered: Vec<Value>,
    altered_count: u64,
    report: Option<Value>,
    error: Option<Error>,
}

impl FileReport {
    /// A report on a file of this size; [`Status::Skipped`] until something else is known.
    pub fn new(path: &Path, read: u64) -> Self {
        Self {
            path: path.to_owned(),
            read,
            ..Self::default()
        }
    }

    /// A report on a path that leads to nothing.
    pub fn nothing(error: Error) -> Self {
        let mut report = Self::new(error.path(), 0);
        report.fail(error);
        report
    }

    pub fn fail(&mut self, error: Error) {
        self.status = Status::Failed;
        self.error = Some(error);
    }

    /// Takes the manifest's entry of the output.
    pub fn done(&mut self, status: Status, entry: &Entry) {
        self.status = status;
        self.bytes = Some(entry.bytes());
        self.lossy = entry.lossy;
        self.losses.clone_from(&entry.losses);
        self.notes.clone_from(&entry.notes);
        self.actions.clone_from(&entry.actions);
        self.altered.clone_from(&entry.altered);
        self.altered_count = entry.altered_count;
        self.report.clone_from(&entry.report);
    }

    fn exit(&self) -> Exit {
        match &self.error {
            Some(error) if error.class() == Class::Refused => Exit::Problems,
            Some(_) => Exit::Unusable,
            None if self.lossy => Exit::Loss,
            None => Exit::Fine,
        }
    }

    /// Prints a line and the losses, or an object.
    pub fn print(&self, ui: &mut Ui) -> io::Result<()> {
        if ui.json {
            let paths = [("path", Some(&self.path)), ("out", self.out.as_ref())];
            let paths = paths.into_iter();
            let rest = json!({
                "out": null,
                "status": self.status.name(),
                "format": self.format,
                "to": self.to,
                "bytes": self.bytes,
                "lossy": self.lossy,
                "losses": self.losses,
                "notes": self.notes,
                "actions": self.actions,
                "altered": self.altered,
                "altered_count": self.altered_count,
                "report": self.report,
                "code": self.error.as_ref().map(Error::code),
                "error": self.error.as_ref().map(Error::message),
            });
            let paths = paths.filter_map(|(key, path)| Some((key, path?)));
            return ui.object(&located(paths, rest));
        }
        if let Some(error) = &self.error {
            let advice = advice(error, ui.name, &ui.verb).unwrap_or_default();
            ui.complain(&format!("{error}{advice}"));
            return Ok(());
        }
        let Some(out) = &self.out else { return Ok(()) };
        let out = styled(STRONG, printable(&out.spelled()));
        match (self.status, self.bytes) {
            (Status::Made, Some(bytes)) => {
                let (read, bytes) = (size(self.read), size(bytes));
                let lossy = if self.lossy { ", with loss" } else { "" };
                ui.line(format_args!("made  {out}  {bytes} from {read}{lossy}"))?;
            }
            (Status::WouldMake, _) => {
                let path = printable(&self.path.spelled());
                return ui.line(format_args!("would make  {out}  from {path}"));
            }
            _ => return Ok(()),
        }
        for loss in &self.losses {
            ui.line(format_args!("      not carried over: {}", printable(loss)))?;
        }
        for note in &self.notes {
            ui.line(format_args!("      note: {}", printable(note)))?;
        }
        for action in &self.actions {
            ui.line(format_args!("      {}", printable(action)))?;
        }
        Ok(())
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

/// The numbers of all files.
pub struct MadeSummary {
    made: u64,
    kept: u64,
    would_make: u64,
    failed: u64,
    skipped: u64,
    /// The number of files that were made with loss, now or before.
    pub lossy: u64,
    /// Their losses.
    pub losses: Losses,
    read: u64,
    bytes: u64,
    /// The files that were not begun.
    pub left: u64,
    /// The worst exit code.
    pub exit: Exit,
}

impl Default for MadeSummary {
    fn default() -> Self {
        Self {
            made: 0,
            kept: 0,
            would_make: 0,
            failed: 0,
            skipped: 0,
            lossy: 0,
            losses: Losses::default(),
            read: 0,
            bytes: 0,
            left: 0,
            exit: Exit::Fine,
        }
    }
}

impl MadeSummary {
    pub fn count(&mut self, file: &FileReport) {
        let count = match file.status {
            Status::Made => &mut self.made,
            Status::Kept => &mut self.kept,
            Status::Failed => &mut self.failed,
            Status::Skipped => &mut self.skipped,
            Status::WouldMake => &mut self.would_make,
            Status::Left => &mut self.left,
        };
        *count += 1;
        self.lossy += u64::from(file.lossy);
        if let Some(report) = file.report.as_ref().filter(|_| file.lossy) {
            self.losses.add(report);
        }
        if !matches!(file.status, Status::Skipped | Status::Left) {
            self.read += file.read;
        }
        self.bytes += file.bytes.unwrap_or(0);
        self.exit = self.exit.max(file.exit());
    }

    /// The number of recordings, and of files that should have been.
    pub const fn recordings(&self) -> u64 {
        self.made + self.kept + self.would_make + self.failed + self.left
    }

    /// Prints the last line.
    pub fn print(&self, took: Duration, ui: &mut Ui) -> io::Result<()> {
        if ui.json {
            return ui.object(&json!({ "summary": {
                "recordings": self.recordings(),
                "made": self.made,
                "kept": self.kept,
                "would_make": self.would_make,
                "failed": self.failed,
                "left": self.left,
                "skipped": self.skipped,
                "lossy": self.lossy,
                "bytes_read": self.read,
                "bytes": self.bytes,
                "took_s": took.as_secs_f64(),
            }}));
        }
        let parts = [
            (self.made, "made"),
            (self.kept, "kept as they are"),
            (self.would_make, "would be made"),
            (self.failed, "failed"),
            (self.left, "left"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{} {what}", Grouped(*count)))
            .collect();
        let lossy = match self.lossy {
            0 => String::new(),
            n => format!(", {} with loss", Grouped(n)),
        };
        let bytes = if self.would_make > 0 {
            size(self.read)
        } else {
            format!("{} from {}", size(self.bytes), size(self.read))
        };
        ui.line(format_args!(
            "{}: {}{lossy}; {bytes} in {:.2} s{}",
            Counted(self.recordings(), "recording"),
            parts.join(", "),
            took.as_secs_f64(),
            skipped(self.skipped),
        ))
    }
}

/// The number of files of other kinds, in words.
pub fn skipped(count: u64) -> String {
    match count {
        0 => String::new(),
        1 => ", 1 other file skipped".to_owned(),
        n => format!(", {} other files skipped", Grouped(n)),
    }
}
