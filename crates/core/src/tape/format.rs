//! What a format is.

use std::any::Any;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::option::{OptionDef, Options};
use super::relation::RelationDef;
use super::trait_tape::{Converted, Tape};
use super::work::{Sink, Work};
use crate::input::Input;
use crate::rule::RuleInfo;
use crate::table::TableDef;

/// What is done with a recording: a format lists its options for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Verb {
    /// To open it: what it needs and does not carry.
    Open,
    /// To print a thing that it carries, alone: flags, each the name of one. See
    /// [`Tape::attachment`].
    Inspect,
    /// To check it.
    Verify,
    /// To measure it.
    Stats,
    /// To list its steps.
    Dump,
    /// To compare it.
    Diff,
    /// To convert it: what is done with a recording of this format, whatever becomes of it.
    Convert,
    /// To write it: how a recording of this format is made, whatever it is made of.
    Write,
    /// To keep of it what is whole: see [`Tape::repair`].
    Repair,
    /// To keep a part of it: see [`Tape::cut`].
    Cut,
}

/// A recording to be opened.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its bytes.
    pub input: Input,
    /// Where it lies, if anywhere: what belongs to it may lie beside. A folder that is one recording
    /// has its own path.
    pub path: Option<PathBuf>,
    /// What the format may be told for [`Verb::Open`].
    pub options: Options,
}

impl Source {
    /// Bytes that lie nowhere.
    #[must_use]
    pub fn new(input: impl Into<Input>) -> Self {
        Self {
            input: input.into(),
            path: None,
            options: Options::new(),
        }
    }

    /// The same, lying there.
    #[must_use]
    pub fn lying_at(self, path: impl Into<PathBuf>) -> Self {
        Self {
            path: Some(path.into()),
            ..self
        }
    }
}

/// Makes recordings of a format of those of other kinds, of which it knows their tables alone.
pub trait Maker: Send + Sync {
    /// A recording of the tables of another one. The options are those of [`Verb::Write`], checked.
    /// What is secret stays out of it unless an option says otherwise.
    ///
    /// # Errors
    /// Where it can't be made of this one, or this one can't be read to its end. What was written
    /// then is nothing to keep.
    fn make(
        &self,
        of: &dyn Tape,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error>;
}

/// A format of recordings. gametape's own and those of others differ in nothing.
///
/// A program registers formats in a registry (`gametape::Formats`), which asks them in turn whose a
/// file is. `examples/own-format` is a whole one with a command of its own; here is as little as can
/// be:
///
/// ```
/// use std::any::Any;
///
/// use gametape_core::table::{ColumnDef, Kind, Lane, Scan, Scanning, TableDef, Visit};
/// use gametape_core::tape::{
///     Audit, Dump, Error, Format, Info, Options, Partial, Repaired, Secrets, Sink, Source, Tape,
///     Work, object,
/// };
/// use gametape_core::{Clocks, Input, RuleInfo, Stamp};
/// use serde_json::json;
///
/// /// `DICE`, and a byte a throw: there is nothing that could be broken.
/// struct Dice;
///
/// impl Format for Dice {
///     fn name(&self) -> &'static str { "dice" }
///     fn about(&self) -> &'static str { "throws of dice, a byte each" }
///     fn step(&self) -> &'static str { "throw" }
///     fn extensions(&self) -> &'static [&'static str] { &["dice"] }
///     fn sniff(&self, input: &Input) -> bool {
///         input.head(4).is_ok_and(|head| *head == *b"DICE")
///     }
///     fn rules(&self) -> Vec<RuleInfo> { Vec::new() }
///     fn open(&self, source: Source) -> Result<Box<dyn Tape>, Error> {
///         Ok(Box::new(Throws(source.input)))
///     }
/// }
///
/// struct Throws(Input);
///
/// impl Tape for Throws {
///     fn input(&self) -> &Input { &self.0 }
///     fn any(&self) -> &dyn Any { self }
///     fn info(&self, _: Secrets) -> Result<Partial<Info>, Error> {
///         Ok(Partial::from(Info {
///             format: "dice",
///             format_version: 1,
///             bytes: self.0.size(),
///             duration_ms: None,
///             frames: Some(self.0.size() - 4),
///             step: "throw",
///             details: object(json!({})),
///         }))
///     }
///     fn audit(&self, _: &Options) -> Result<Audit, Error> {
///         Ok(Audit { summary: "whole".into(), ..Audit::default() })
///     }
///     fn tables(&self) -> Result<Vec<TableDef>, Error> {
///         let eyes = ColumnDef::new("eyes", Kind::Uint, "What was thrown.");
///         Ok(vec![TableDef::new("throws", Lane::Events, "The throws.").with(eyes)])
///     }
///     fn scan<'v>(&self, scan: &Scan, visit: &'v mut Visit<'v>) -> Result<Partial<()>, Error> {
///         let tables = self.tables()?;
///         let mut rows = Scanning::new(scan.find(&tables)?, scan, Clocks::STEPS, visit)?;
///         for (step, eyes) in (0..).zip(&self.0.bytes().map_err(Error::Io)?[4..]) {
///             let stamp = Stamp { step, tick: None, time: None };
///             if rows.row(stamp, |_| (*eyes).into())?.is_break() {
///                 break;
///             }
///         }
///         rows.end(None)
///     }
///     fn repair(&self, _: &Options, out: &mut dyn Sink, work: &Work<'_>) -> Result<Repaired, Error> {
///         work.copy(&self.0, out)?;
///         Ok(Repaired::default())
///     }
/// }
///
/// let tape = Dice.open(Source::new(b"DICE\x06\x01".to_vec()))?;
/// let mut out = Vec::new();
/// let wanted = Dump { at: Some("step:1".parse()?), ..Dump::default() };
/// tape.dump(&wanted, &mut out)?;
/// assert_eq!(out, b"{\"step\":1,\"time_ms\":null,\"eyes\":1}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Format: Any + Send + Sync {
    /// Its name: in lower case, one word. It stands in JSON, too.
    fn name(&self) -> &'static str;

    /// What it is, in half a line: `Minesweeper games, ViennaSweeper's RMV v1 and v2`.
    fn about(&self) -> &'static str;

    /// Recordings of one kind compare with each other, and convert into each other. Of a format
    /// that stands alone its name.
    fn kind(&self) -> &'static str {
        self.name()
    }

    /// What one step of it is called: `frame`, `event`, `packet`.
    fn step(&self) -> &'static str;

    /// File name extensions, in lower case, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether a recording starts as this format does. Only a few bytes at its start are looked at.
    fn sniff(&self, input: &Input) -> bool;

    /// Formats whose signature says little are asked last: larger is later.
    fn sniff_order(&self) -> u8 {
        0
    }

    /// Whether a folder as a whole is one recording of this format.
    fn is_folder(&self, _folder: &Path) -> bool {
        false
    }

    /// The bytes of such a folder, at most `limit` of them.
    ///
    /// # Errors
    /// What reading it says.
    fn read_folder(&self, _folder: &Path, _limit: u64) -> Result<Input, Error> {
        Err(Error::Unsupported("is a folder".into()))
    }

    /// Its rules, for the book.
    fn rules(&self) -> Vec<RuleInfo>;

    /// In which ways recordings of it can belong together that should be apart, the strongest first:
    /// of two recordings the strongest is told. Their codes are none of its rules.
    fn relations(&self) -> &'static [RelationDef] {
        &[]
    }

    /// What its people admit, where nobody says anything else: the table of its name in a policy, as
    /// TOML (`gametape::Policy` says what may stand in it). Of a format that declares nothing what no
    /// audit finds fault with.
    fn policy(&self) -> String {
        format!("[{}]\nreject = [\"error\", \"warning\"]\n", self.name())
    }

    /// The tables that every recording of it has, for the book. One recording may have more, and
    /// knows more of them: [`Tape::tables`].
    fn tables(&self) -> Vec<TableDef> {
        Vec::new()
    }

    /// What it can be told for a verb.
    fn options(&self, _verb: Verb) -> &'static [OptionDef] {
        &[]
    }

    /// Opens a recording: the header may be read, not the body. A recording whose header is broken
    /// is opened all the same, so that it can be checked.
    ///
    /// # Errors
    /// Where what it needs is not there.
    fn open(&self, source: Source) -> Result<Box<dyn Tape>, Error>;

    /// Files that a recording is read with, whether they are there or not: what is made of it may be
    /// another when one of them is. An index that only saves time is none of them.
    fn reads_beside(&self, _path: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What makes a recording of this format of any other; `None` where its recordings hold too
    /// little for that.
    fn maker(&self) -> Option<&dyn Maker> {
        None
    }

    /// A recording at `path` was replaced by other bytes: what lies beside it and does not fit it
    /// any more is removed. `input` is what lies there now.
    fn replaced(&self, _path: &Path, _input: &Input) {}
}
