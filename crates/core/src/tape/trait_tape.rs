//! The `Tape` trait, and the results of its methods.

use std::any::Any;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::audit::{Audit, Told};
use super::cut::Cut;
use super::cut_steps::Kept;
use super::diff::Diff;
use super::error::Error;
use super::follow::Follow;
use super::info::{Info, Partial, Secrets};
use super::moment::Moment;
use super::option::Options;
use super::work::{Sink, Work};
use crate::altered::AllAltered;
use crate::clock::At;
use crate::finding::Findings;
use crate::input::Input;
use crate::rule::Rule;
use crate::table::{
    JsonRows, Lane, Needs, Playback, Scan, TableDef, Visit, VisitEach, scan_by_stepping,
};

/// Options of a dump.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Dump {
    /// Dump only this moment.
    pub at: Option<At>,
    /// Whether tokens, addresses and user ids are shown.
    pub secrets: Secrets,
    /// The format's options for [`Verb::Dump`](super::Verb::Dump).
    pub options: Options,
}

/// The target of a conversion.
#[derive(Clone, PartialEq, Debug)]
pub struct Target<'a> {
    /// The name of a format of the same kind.
    pub format: &'a str,
    /// The source format's options for [`Verb::Convert`](super::Verb::Convert) and the target
    /// format's options for [`Verb::Write`](super::Verb::Write), already checked.
    pub options: &'a Options,
}

/// A file to store next to a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// The extension that replaces the recording's own: `schema.json`.
    pub extension: &'static str,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

impl Beside {
    /// Returns the path of the file for a recording: `run.schema.json` for `run.delta`.
    #[must_use]
    pub fn path(&self, recording: &Path) -> PathBuf {
        recording.with_extension(self.extension)
    }
}

/// The accuracy of a conversion, as text and as data.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Lines for people.
    pub text: String,
    /// The same as data with stable keys.
    pub data: Value,
    /// Whether nothing was lost.
    pub is_lossless: bool,
}

/// The result of a conversion, in addition to its bytes.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Converted {
    /// Losses, one sentence each.
    pub losses: Vec<String>,
    /// Notes on oddities of the recording that cause no loss, one sentence each.
    pub notes: Vec<String>,
    /// The accuracy, if numbers were rounded.
    pub report: Option<Report>,
    /// Files to store next to the output.
    pub beside: Vec<Beside>,
}

impl Converted {
    /// Returns true if the output contains less than the recording.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        !self.losses.is_empty() || self.report.as_ref().is_some_and(|r| !r.is_lossless)
    }
}

/// The result of a cut, in addition to its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Cutout {
    /// The steps that were kept.
    pub kept: Kept,
    /// The losses and notes for the kept steps. The steps outside of the range are not a loss,
    /// because the caller asked for it.
    pub converted: Converted,
}

impl Cutout {
    /// Creates the result of a cut that keeps the steps unchanged.
    #[must_use]
    pub fn exact(kept: Kept) -> Self {
        Self {
            kept,
            converted: Converted::default(),
        }
    }

    /// Returns true if the output contains less than the recording, including what the cut removed.
    #[must_use]
    pub fn is_less(&self) -> bool {
        !self.kept.is_all || self.converted.is_lossy()
    }
}

/// The result of measuring a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// The statistics that players or researchers compare.
    pub stats: Map<String, Value>,
    /// The audit, if the recording was checked in the same pass.
    pub audit: Option<Audit>,
}

/// The result of a repair, in addition to its bytes.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Repaired {
    /// The changes, one sentence each; empty if the recording was intact.
    pub actions: Vec<String>,
    /// What was kept and may be altered; `actions` name it as well: [`Repaired::with_altered`].
    pub altered: AllAltered<Told>,
    /// Whether the repaired file contains less than the broken one, or no longer shows that its content may
    /// be altered.
    pub lossy: bool,
    /// Files to store next to the output.
    pub beside: Vec<Beside>,
}

impl Repaired {
    /// Creates the result of a repair that only left out the parts that a lenient reader found
    /// broken.
    #[must_use]
    pub fn left_out<R: Rule>(findings: &Findings<R>) -> Self {
        let actions: Vec<String> = findings
            .broken()
            .map(|finding| format!("left out: {}", Error::from(finding.clone())))
            .collect();
        Self {
            lossy: !actions.is_empty(),
            actions,
            ..Self::default()
        }
    }

    /// And this was kept though it may be altered, which is said next.
    #[must_use]
    pub fn with_altered<R: Rule>(mut self, altered: &AllAltered<R>) -> Self {
        self.actions.extend(altered.sentences());
        self.lossy |= !altered.is_empty();
        self.altered = altered.of_any();
        self
    }
}

/// An opened recording. Opening reads the header only; each method reads as much as it needs.
/// [`Format`](super::Format) has an example.
///
/// Methods take the options that the format declares for their verb; the caller has already
/// [checked](Options::check) them.
pub trait Tape: Send + Sync {
    /// Returns the bytes.
    fn input(&self) -> &Input;

    /// Returns the tape's own type, for features of a single format.
    fn any(&self) -> &dyn Any;

    /// Returns a description from the header, without decoding the body. By default this is
    /// [`Tape::info`]. Formats with a useful header should implement it, so that listing a folder
    /// is fast.
    ///
    /// # Errors
    /// If the header cannot be read.
    fn header(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.info(secrets)
    }

    /// Returns a description of the whole recording; for a broken one, of the readable part.
    ///
    /// # Errors
    /// If nothing can be read.
    fn info(&self, secrets: Secrets) -> Result<Partial<Info>, Error>;

    /// Returns a text that the recording contains, such as its world or schema. The name is a flag
    /// that the format declares for [`Verb::Inspect`](super::Verb::Inspect).
    ///
    /// # Errors
    /// If the recording contains none, or a broken one.
    fn attachment(&self, name: &str) -> Result<String, Error> {
        Err(Error::Unsupported(format!(
            "the recording carries no {name}"
        )))
    }

    /// Checks the recording as thoroughly as possible. Unreadable parts are findings.
    ///
    /// # Errors
    /// [`Error::Io`]; an error if an option is wrong.
    fn audit(&self, options: &Options) -> Result<Audit, Error>;

    /// Like [`Tape::audit`], but reports progress: `say` receives a short description of each long
    /// task when it starts or changes.
    ///
    /// # Errors
    /// Same as [`Tape::audit`].
    fn audit_watched(
        &self,
        options: &Options,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Audit, Error> {
        let _ = say;
        self.audit(options)
    }

    /// Returns the statistics that players or researchers compare. Keys are stable and documented
    /// in the book.
    ///
    /// # Errors
    /// If nothing can be read.
    fn stats(&self, _options: &Options) -> Result<Partial<Map<String, Value>>, Error> {
        let info = self.info(Secrets::Hide)?;
        Ok(Partial {
            value: info.value.details,
            problem: info.problem,
        })
    }

    /// Like [`Tape::stats`], plus an audit if the format checks the recording in the same pass. By
    /// default there is no audit.
    ///
    /// # Errors
    /// If nothing can be read.
    fn measure(&self, options: &Options) -> Result<Partial<Measured>, Error> {
        let measured = self.stats(options)?;
        let (stats, audit) = (measured.value, None);
        Ok(Partial::new(Measured { stats, audit }, measured.problem))
    }

    /// Writes each step as a JSON object on its own line, with `step`, `tick` (if there is one) and
    /// `time_ms`. By default, writes the rows of the first table that is not a table of facts.
    ///
    /// # Errors
    /// [`Error::Output`] for errors of `out`; all others are errors of the recording.
    fn dump(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let table = tables.iter().find(|table| table.lane != Lane::Facts);
        let Some(table) = table else {
            return Ok(().into());
        };
        let scan = Scan {
            secrets: wanted.secrets,
            ..Scan::table(&*table.name)
        };
        let rows = JsonRows::new(table.columns.iter().map(|column| &*column.name));
        let mut moment = Moment::new(wanted.at, out);
        let scanned = self.scan(&scan, &mut |batch| {
            for row in 0..batch.len() {
                let line = |out: &mut dyn Write| rows.row(batch, row, out);
                if moment.line(batch.stamp(row), line)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        moment.end(scanned.problem)
    }

    /// Returns the tables.
    ///
    /// # Errors
    /// If nothing can be read.
    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(Vec::new())
    }

    /// Returns the external data that is missing, if it would give the recording more tables or
    /// rows.
    fn needs(&self) -> Option<Needs> {
        None
    }

    /// Gives the rows of a table in the order of their stamps, one batch at a time. A broken
    /// recording gives the rows before the damage, and returns the problem. By default, steps
    /// through [`Tape::own_playback`]; a format must implement one of the two.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`]; the visitor's error; an error if nothing can be read.
    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let Some(mut play) = self.own_playback()? else {
            // A format without playback that keeps this default has no tables.
            scan.find(&tables)?;
            return Ok(().into());
        };
        let problem = || Ok(self.info(Secrets::Hide)?.problem);
        scan_by_stepping(&mut *play, &tables, scan, visit, problem)
    }

    /// Scans several tables, and returns for each scan the problem of the recording after its rows.
    /// Batches of different scans come in any order. By default, tables are scanned one after the
    /// other. A format whose passes are expensive should read all tables in one pass, and buffer no
    /// more than one batch for each.
    ///
    /// # Errors
    /// The errors of [`Tape::scan`] for any of the tables.
    fn scan_each<'v>(
        &self,
        scans: &[Scan],
        visit: &'v mut VisitEach<'v>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let scan = |(at, scan)| self.scan(scan, &mut |batch| visit(at, batch));
        scans.iter().enumerate().map(scan).collect()
    }

    /// Follows a recording that is being written: like [`Tape::scan_each`] from the start, but it
    /// can continue as bytes arrive, at a cost proportional to the new bytes. Returns `None` if the
    /// format or this recording does not support it; then read the recording again instead.
    ///
    /// # Errors
    /// The errors of [`Tape::scan_each`] if nothing can be read.
    fn follow(&self, _scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
        Ok(None)
    }

    /// Returns the format's own playback if it is better than `table::ScanPlayback`. Callers use
    /// the method `playback` of `dyn Tape` instead. A format without its own `scan` must implement
    /// this.
    ///
    /// # Errors
    /// If nothing can be read.
    fn own_playback(&self) -> Result<Option<Box<dyn Playback + '_>>, Error> {
        Ok(None)
    }

    /// Compares this recording with another of its kind. Returns `None` if the format has nothing
    /// better than a comparison of the tables ([`diff_tables`](crate::table::diff_tables)).
    ///
    /// # Errors
    /// If one of the recordings cannot be read to its end.
    fn diff(&self, _other: &dyn Tape, _options: &Options) -> Result<Option<Diff>, Error> {
        Ok(None)
    }

    /// Writes the recording in another form. Without options the output is identical byte for byte.
    /// By default, copies the recording if it can be read to its end.
    ///
    /// # Errors
    /// After an error, the output is useless.
    fn convert(
        &self,
        _to: Target<'_>,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error> {
        if let Some(problem) = self.info(Secrets::Hide)?.problem {
            return Err(problem);
        }
        work.copy(self.input(), out)?;
        Ok(Converted::default())
    }

    /// Writes the intact parts.
    ///
    /// # Errors
    /// If nothing is intact. The output is then useless.
    fn repair(
        &self,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error>;

    /// Writes a part of the recording in the same format. Within the range it has the same content,
    /// byte for byte where the format allows it. If the range covers everything, the output is a
    /// copy.
    ///
    /// # Errors
    /// [`Error::Uncut`] if a part of the recording would not be a valid recording, which is the
    /// default for all recordings; [`Error::NothingIn`], [`Error::NoClock`] or [`Error::Scan`] for
    /// the range; an error if the range cannot be read. The output is then useless.
    fn cut(
        &self,
        _cut: &Cut,
        _options: &Options,
        _out: &mut dyn Sink,
        _work: &Work<'_>,
    ) -> Result<Cutout, Error> {
        Err(Error::Uncut {
            at_start: false,
            why: "its format does not say how a part of a recording is one",
            instead: None,
        })
    }
}
