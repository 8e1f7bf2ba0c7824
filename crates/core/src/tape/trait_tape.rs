//! An opened recording.

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

/// What to dump.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Dump {
    /// What is at this moment alone.
    pub at: Option<At>,
    /// Whether tokens, addresses and user ids are shown.
    pub secrets: Secrets,
    /// What the format may be told for [`Verb::Dump`](super::Verb::Dump).
    pub options: Options,
}

/// What a conversion is to give.
#[derive(Clone, PartialEq, Debug)]
pub struct Target<'a> {
    /// The name of a format of the same kind.
    pub format: &'a str,
    /// What the recording's format may be told for [`Verb::Convert`](super::Verb::Convert), and the
    /// target's for [`Verb::Write`](super::Verb::Write): already checked.
    pub options: &'a Options,
}

/// A file that belongs beside a recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Beside {
    /// What stands in the place of the recording's extension: `schema.json`.
    pub extension: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Beside {
    /// Where it lies beside a recording: `run.schema.json` for `run.delta`.
    #[must_use]
    pub fn path(&self, recording: &Path) -> PathBuf {
        recording.with_extension(self.extension)
    }
}

/// How far a conversion is off: for people, and as data.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Lines for people.
    pub text: String,
    /// With stable keys.
    pub data: Value,
    /// True where nothing at all was lost.
    pub is_lossless: bool,
}

/// What became of a conversion, beside its bytes.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Converted {
    /// What could not be carried, a sentence each.
    pub losses: Vec<String>,
    /// What is odd about the recording, a sentence each: nothing is lost by it.
    pub notes: Vec<String>,
    /// How far numbers are off, where they were rounded on the way.
    pub report: Option<Report>,
    /// What has to lie beside the file.
    pub beside: Vec<Beside>,
}

impl Converted {
    /// True where the file holds less than the recording did.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        !self.losses.is_empty() || self.report.as_ref().is_some_and(|r| !r.is_lossless)
    }
}

/// What became of a cut, beside its bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Cutout {
    /// What was kept of the recording.
    pub kept: Kept,
    /// How it was carried over. What is outside of the range is no loss: that was asked for.
    pub converted: Converted,
}

impl Cutout {
    /// The steps that were kept, as they were.
    #[must_use]
    pub fn exact(kept: Kept) -> Self {
        Self {
            kept,
            converted: Converted::default(),
        }
    }

    /// True where the file holds less than the recording did, whatever was asked for.
    #[must_use]
    pub fn is_less(&self) -> bool {
        !self.kept.is_all || self.converted.is_lossy()
    }
}

/// What was measured of a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// The statistics that its people compare.
    pub stats: Map<String, Value>,
    /// What checking it comes to, where that was done on the way.
    pub audit: Option<Audit>,
}

/// What became of a repair, beside its bytes.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Repaired {
    /// What was done, a sentence each; empty for a recording that was whole.
    pub actions: Vec<String>,
    /// What was kept and may be altered; `actions` say so, too: [`Repaired::with_altered`].
    pub altered: AllAltered<Told>,
    /// True where the repaired file holds less than the broken one, or where it no longer shows that
    /// what it holds may be altered.
    pub lossy: bool,
    /// What has to lie beside the file.
    pub beside: Vec<Beside>,
}

impl Repaired {
    /// What a lenient reader found broken was left out, and nothing else was done.
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

/// An opened recording. Opening looks at the header only; each method reads as much as it needs.
/// [`Format`](super::Format) has an example of one.
///
/// Methods take the options that the format declares for their verb; whoever calls them has
/// [checked](Options::check) them.
pub trait Tape: Send + Sync {
    /// Its bytes.
    fn input(&self) -> &Input;

    /// The tape's own type, for what one format alone can do.
    fn any(&self) -> &dyn Any;

    /// What the header says; the body is not decoded. Where that is not said, [`Tape::info`]: a
    /// format whose header tells something says it here, so that a folder is listed fast.
    ///
    /// # Errors
    /// Where the header can't be read.
    fn header(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.info(secrets)
    }

    /// What the whole recording says of itself; of a broken one as much as can be read.
    ///
    /// # Errors
    /// Where nothing can be read.
    fn info(&self, secrets: Secrets) -> Result<Partial<Info>, Error>;

    /// A text that the recording carries, such as its world or its schema: by the name of a flag
    /// that the format declares for [`Verb::Inspect`](super::Verb::Inspect).
    ///
    /// # Errors
    /// Where it carries none, or a broken one.
    fn attachment(&self, name: &str) -> Result<String, Error> {
        Err(Error::Unsupported(format!(
            "the recording carries no {name}"
        )))
    }

    /// Checks the recording as thoroughly as its bytes allow. What can't be read is a finding.
    ///
    /// # Errors
    /// [`Error::Io`]; where an option is wrong.
    fn audit(&self, options: &Options) -> Result<Audit, Error>;

    /// [`Tape::audit`] for somebody who waits: `say` hears in a few words what takes long, each time
    /// that there is something new to say.
    ///
    /// # Errors
    /// As [`Tape::audit`].
    fn audit_watched(
        &self,
        options: &Options,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Audit, Error> {
        let _ = say;
        self.audit(options)
    }

    /// The statistics that the recording's people compare. Keys are stable, and documented in the
    /// book.
    ///
    /// # Errors
    /// Where nothing can be read.
    fn stats(&self, _options: &Options) -> Result<Partial<Map<String, Value>>, Error> {
        let info = self.info(Secrets::Hide)?;
        Ok(Partial {
            value: info.value.details,
            problem: info.problem,
        })
    }

    /// [`Tape::stats`], and whether what they say is to be believed: of a format that checks a recording
    /// in the pass that measures it. Where nothing else is said it is not checked.
    ///
    /// # Errors
    /// Where nothing can be read.
    fn measure(&self, options: &Options) -> Result<Partial<Measured>, Error> {
        let measured = self.stats(options)?;
        let (stats, audit) = (measured.value, None);
        Ok(Partial::new(Measured { stats, audit }, measured.problem))
    }

    /// Writes one JSON object a line for each step, with `step`, `tick` where there is one, and
    /// `time_ms`. Where nothing else is said, the rows of the first table that is none of facts.
    ///
    /// # Errors
    /// [`Error::Output`] is `out`'s, all others are the recording's.
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

    /// Its tables.
    ///
    /// # Errors
    /// Where nothing can be read.
    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(Vec::new())
    }

    /// What it does not carry, and was not given: with it, it would have more tables, or more in them.
    fn needs(&self) -> Option<Needs> {
        None
    }

    /// Gives the rows of a table in the order of their stamps, a batch at a time. Of a broken
    /// recording the rows before the damage, and what is wrong with it. Where nothing else is said,
    /// what its own playback gives: a format writes one of the two.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`]; what the visitor says; where nothing can be read.
    fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
        let tables = self.tables()?;
        let Some(mut play) = self.own_playback()? else {
            // There are no tables.
            scan.find(&tables)?;
            return Ok(().into());
        };
        let problem = || Ok(self.info(Secrets::Hide)?.problem);
        scan_by_stepping(&mut *play, &tables, scan, visit, problem)
    }

    /// [`Tape::scan`] of several tables: gives what is wrong with the recording behind the rows of
    /// each. Batches of different scans come in any order. Where nothing else is said they are read
    /// one after the other; a format for which a pass is dear reads them all in one, and holds no more
    /// than a batch for each.
    ///
    /// # Errors
    /// Those of [`Tape::scan`], of any of them.
    fn scan_each<'v>(
        &self,
        scans: &[Scan],
        visit: &'v mut VisitEach<'v>,
    ) -> Result<Vec<Partial<()>>, Error> {
        let scan = |(at, scan)| self.scan(scan, &mut |batch| visit(at, batch));
        scans.iter().enumerate().map(scan).collect()
    }

    /// [`Tape::scan_each`] of a recording that is being written: from its start on, what is there of it
    /// and then what comes, at a cost that goes with what is new. `None` where the format has no such
    /// way, or not for this recording: it is read anew then.
    ///
    /// # Errors
    /// Those of [`Tape::scan_each`], where nothing can be read.
    fn follow(&self, _scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
        Ok(None)
    }

    /// A playback that does better than `table::ScanPlayback`, where the format has one;
    /// `playback` of a `dyn Tape` is what to call. A format that has no `scan` of its own has one.
    ///
    /// # Errors
    /// Where nothing can be read.
    fn own_playback(&self) -> Result<Option<Box<dyn Playback + '_>>, Error> {
        Ok(None)
    }

    /// What differs between this and another recording of its kind; `None` where the format knows
    /// nothing better than its tables ([`diff_tables`](crate::table::diff_tables)).
    ///
    /// # Errors
    /// Where one of them can't be read to its end.
    fn diff(&self, _other: &dyn Tape, _options: &Options) -> Result<Option<Diff>, Error> {
        Ok(None)
    }

    /// The recording in another form; without any wish byte for byte the same. Where nothing else is
    /// said it is copied, if it can be read to its end.
    ///
    /// # Errors
    /// What was written then is nothing to keep.
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

    /// Keeps what is whole.
    ///
    /// # Errors
    /// Where nothing is. What was written then is nothing to keep.
    fn repair(
        &self,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Repaired, Error>;

    /// A part of it: a recording of the same format that says within the range what this one says,
    /// byte for byte where the format allows it. One that is all of it is a copy.
    ///
    /// # Errors
    /// [`Error::Uncut`] where a part of such a recording would be none: unless something else is said
    /// always; [`Error::NothingIn`], [`Error::NoClock`], [`Error::Scan`] of the range; where what is in
    /// it can't be read. What was written then is nothing to keep.
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
