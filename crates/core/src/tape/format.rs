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

/// Builds recordings of a format from the tables of any other recording.
pub trait Maker: Send + Sync {
    /// Builds a recording from the tables of another one. The options are those of [`Verb::Write`],
    /// checked. Secret columns stay out unless an option says otherwise.
    ///
    /// # Errors
    /// Where the tables do not allow it, or the other recording can't be read to its end. What was
    /// written until then is not worth keeping.
    fn make(
        &self,
        of: &dyn Tape,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error>;
}

/// Reads folders that are one recording each.
pub trait Folders: Send + Sync {
    /// Whether a folder as a whole is one recording of this format.
    fn is_recording(&self, folder: &Path) -> bool;

    /// The bytes of such a folder, at most `limit` of them.
    ///
    /// # Errors
    /// [`Error::Io`]; where the folder holds more than that.
    fn read(&self, folder: &Path, limit: u64) -> Result<Input, Error>;
}

/// Knows the files that lie beside a recording and belong to it.
pub trait Companions: Send + Sync {
    /// Files that a recording is read with, whether they are there or not: what is made of the recording
    /// may change when one of them does. An index that only saves time is none of them.
    fn read_with(&self, path: &Path) -> Vec<PathBuf>;

    /// The recording at `path` was replaced by `input`: removes what lies beside it and no longer fits.
    fn replaced(&self, path: &Path, input: &Input);
}

/// What is known of a format without asking it anything: plain data.
///
/// ```
/// use gametape_core::tape::FormatInfo;
/// const DICE: FormatInfo = FormatInfo {
///     step: "throw",
///     extensions: &["dice"],
///     ..FormatInfo::new("dice", "Throws of dice, a byte each")
/// };
/// assert_eq!(DICE.kind, "dice");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// Its name: in lower case, one word. JSON has it, too.
    pub name: &'static str,
    /// What it is, in half a line: `Minesweeper games, ViennaSweeper's RMV v1 and v2`.
    pub about: &'static str,
    /// Recordings of one kind compare with each other, and convert into each other.
    pub kind: &'static str,
    /// What one step of it is called: `frame`, `event`, `packet`.
    pub step: &'static str,
    /// File name extensions, in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// Formats whose signature says little are asked last: larger is later.
    pub sniff_order: u8,
    /// What it can be told for each verb. A verb may stand here once.
    pub options: &'static [(Verb, &'static [OptionDef])],
    /// In which ways recordings of it can belong together that should be apart, the strongest first:
    /// of two recordings the strongest is named. Their codes are none of the format's rules.
    pub relations: &'static [RelationDef],
    /// What its people admit where nobody says anything else: the table of its name in a policy, as TOML
    /// (`gametape::Policy` says what may stand in it). Without one, recordings are admitted in which an
    /// audit finds no fault.
    pub policy: Option<&'static str>,
}

impl FormatInfo {
    /// A format that stands alone: its kind is its name, its steps are called steps, and nothing else is
    /// declared.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        Self {
            name,
            about,
            kind: name,
            step: "step",
            extensions: &[],
            sniff_order: 0,
            options: &[],
            relations: &[],
            policy: None,
        }
    }

    /// What it can be told for a verb.
    #[must_use]
    pub fn options_for(&self, verb: Verb) -> &'static [OptionDef] {
        let mut options = self.options.iter();
        let found = options.find(|(of, _)| *of == verb);
        found.map_or(&[], |(_, options)| options)
    }
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
///     Audit, Dump, Error, Format, FormatInfo, Info, Options, Partial, Repaired, Secrets, Sink, Source, Tape,
///     Work, object,
/// };
/// use gametape_core::{Clocks, Input, Stamp};
/// use serde_json::json;
///
/// /// `DICE`, and a byte a throw: there is nothing that could be broken.
/// struct Dice;
///
/// const INFO: FormatInfo = FormatInfo {
///     step: "throw",
///     extensions: &["dice"],
///     ..FormatInfo::new("dice", "throws of dice, a byte each")
/// };
///
/// impl Format for Dice {
///     fn info(&self) -> &'static FormatInfo { &INFO }
///     fn sniff(&self, input: &Input) -> bool {
///         input.head(4).is_ok_and(|head| *head == *b"DICE")
///     }
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
    /// What is known of it without asking.
    fn info(&self) -> &'static FormatInfo;

    /// Whether a recording starts as this format does. Only a few bytes at its start are looked at.
    fn sniff(&self, input: &Input) -> bool;

    /// Opens a recording: the header may be read, not the body. A recording whose header is broken
    /// is opened all the same, so that it can be checked.
    ///
    /// # Errors
    /// Where what it needs is not there.
    fn open(&self, source: Source) -> Result<Box<dyn Tape>, Error>;

    /// Its rules, for the book and for policies.
    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    /// The tables that every recording of it has, for the book and for policies. One recording may have
    /// more, and knows more of them: [`Tape::tables`].
    fn tables(&self) -> Vec<TableDef> {
        Vec::new()
    }

    /// Reads folders that are one recording each, where it knows such.
    fn folders(&self) -> Option<&dyn Folders> {
        None
    }

    /// Builds a recording of this format from any other, where its recordings can hold that much.
    fn maker(&self) -> Option<&dyn Maker> {
        None
    }

    /// Knows what lies beside its recordings, where something does.
    fn companions(&self) -> Option<&dyn Companions> {
        None
    }
}

/// What is declared in [`FormatInfo`], by name.
impl dyn Format {
    /// [`FormatInfo::name`].
    pub fn name(&self) -> &'static str {
        self.info().name
    }

    /// [`FormatInfo::about`].
    pub fn about(&self) -> &'static str {
        self.info().about
    }

    /// [`FormatInfo::kind`].
    pub fn kind(&self) -> &'static str {
        self.info().kind
    }

    /// [`FormatInfo::step`].
    pub fn step(&self) -> &'static str {
        self.info().step
    }

    /// [`FormatInfo::extensions`].
    pub fn extensions(&self) -> &'static [&'static str] {
        self.info().extensions
    }

    /// [`FormatInfo::relations`].
    pub fn relations(&self) -> &'static [RelationDef] {
        self.info().relations
    }

    /// [`FormatInfo::options_for`].
    pub fn options(&self, verb: Verb) -> &'static [OptionDef] {
        self.info().options_for(verb)
    }

    /// [`FormatInfo::policy`], or the one of a format that declares none.
    pub fn policy(&self) -> String {
        let FormatInfo { name, policy, .. } = self.info();
        policy.map_or_else(
            || format!("[{name}]\nreject = [\"error\", \"warning\"]\n"),
            str::to_owned,
        )
    }
}
