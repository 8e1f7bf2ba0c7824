//! The `Tape` trait, and the results of its methods.

use std::any::Any;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::abilities::Abilities;
use super::audit::{Audit, Told};
use super::cut::Cut;
use super::cut::Kept;
use super::error::Error;
use super::follow::Follow;
use super::info::{Depth, Info, Partial, Secrets, object};
use super::option::Options;
use super::work::{Sink, Work};
use crate::altered::AllAltered;
use crate::clock::Clocks;
use crate::finding::Findings;
use crate::input::Input;
use crate::rule::Rule;
use crate::table::{Playback, Scan, Scans, TableDef, Visit};

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
    /// The same as data with stable keys. Of many conversions, the command sums up these lists, where they are:
    /// `numbers` (with `field`, `unit` and `max_error`), `changed` and `not_kept` (with `field`).
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

/// The statistics of a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// The statistics that players or researchers compare.
    pub stats: Map<String, Value>,
    /// The audit, if the recording was checked in the same pass.
    pub audit: Option<Audit>,
}

/// Statistics without an audit.
impl From<Map<String, Value>> for Measured {
    fn from(stats: Map<String, Value>) -> Self {
        Self { stats, audit: None }
    }
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

    /// Adds the parts that were kept although they may be altered, and the sentences about them.
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
/// A format must implement four methods: [`input`](Tape::input), [`describe`](Tape::describe),
/// [`audit`](Tape::audit) and [`repair`](Tape::repair). With [`tables`](Tape::tables) and
/// [`scan`](Tape::scan) a recording has rows, and everything that is made of rows. The rest is
/// there for formats that can do better than the default.
///
/// Methods take the options that the format declares for their verb; the caller has already
/// [checked](Options::check) them. Long tasks take a [`Work`], to report progress and to be
/// cancelled.
///
/// The format's own type is behind `tape as &dyn Any`, for features of a single format.
pub trait Tape: Any + Send + Sync {
    /// Returns the bytes.
    fn input(&self) -> &Input;

    /// Returns a description of the recording: from the header alone, so that listing a folder is
    /// fast, or of the whole recording; for a broken one, of the readable part.
    ///
    /// # Errors
    /// If the header cannot be read; [`Error::Cancelled`].
    fn describe(
        &self,
        depth: Depth,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Partial<Info>, Error>;

    /// Checks the recording as thoroughly as possible. Unreadable parts are findings.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Cancelled`]; an error if an option is wrong.
    fn audit(&self, options: &Options, work: &Work<'_>) -> Result<Audit, Error>;

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

    /// Returns the tables, without reading more than the header. By default there are none.
    ///
    /// # Errors
    /// If nothing can be read.
    fn tables(&self) -> Result<Vec<TableDef>, Error> {
        Ok(Vec::new())
    }

    /// Passes the rows of one or several tables to a visitor, in one pass over the recording. The
    /// rows of a table come in the order of their stamps; batches of different scans come in any
    /// order. Returns for each scan the problem of the recording after its rows: a broken recording
    /// gives the rows before the damage. [`Scans`] does most of this.
    ///
    /// # Errors
    /// [`Error::Scan`], [`Error::NoClock`]; [`Error::Cancelled`]; the visitor's error; an error if
    /// nothing can be read.
    fn scan(
        &self,
        scans: &[Scan],
        _work: &Work<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<Partial<()>>, Error> {
        Scans::new(&self.tables()?, scans, Clocks::STEPS)?.end(visit, |_| None)
    }

    /// Follows a recording that is being written: like [`Tape::scan`] from the start, but it
    /// can continue as bytes arrive, at a cost proportional to the new bytes. Returns `None` if the
    /// format or this recording does not support it; then read the recording again instead.
    ///
    /// # Errors
    /// The errors of [`Tape::scan`] if nothing can be read.
    fn follow(&self, _scans: &[Scan]) -> Result<Option<Box<dyn Follow>>, Error> {
        Ok(None)
    }

    /// Returns the format's own playback if it is better than
    /// [`ScanPlayback`](crate::surface::ScanPlayback). Callers use
    /// [`playback`](trait.Tape.html#method.playback) of `dyn Tape` instead.
    ///
    /// # Errors
    /// If nothing can be read; [`Error::Cancelled`].
    fn own_playback(&self, _work: &Work<'_>) -> Result<Option<Box<dyn Playback>>, Error> {
        Ok(None)
    }

    /// Returns the statistics that players or researchers compare, with keys that are stable and
    /// documented in the book; and the audit, if the format checks the recording in the same pass.
    /// By default, the statistics are `duration_ms`, `steps` and the details of the description.
    ///
    /// # Errors
    /// If nothing can be read; [`Error::Cancelled`].
    fn stats(&self, _options: &Options, work: &Work<'_>) -> Result<Partial<Measured>, Error> {
        let Partial { value, problem } = self.describe(Depth::Whole, Secrets::Hide, work)?;
        let mut stats = object(json!({ "duration_ms": value.duration_ms, "steps": value.steps }));
        stats.extend(value.details);
        Ok(Partial::new(Measured::from(stats), problem))
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
        if let Some(problem) = self.describe(Depth::Whole, Secrets::Hide, work)?.problem {
            return Err(problem);
        }
        work.copy(self.input(), out)?;
        Ok(Converted::default())
    }

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

    /// Returns what only some formats can do.
    fn abilities(&self) -> Abilities<'_> {
        Abilities::default()
    }
}
