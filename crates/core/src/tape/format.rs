//! The `Format` trait.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Error;
use super::files::{Disk, Files};
use super::format_info::{FormatInfo, Verb};
use super::option::{OptionDef, Options};
use super::relation::RelationDef;
use super::trait_tape::{Converted, Tape};
use super::work::{Sink, Work};
use crate::input::Input;
use crate::rule::RuleInfo;
use crate::table::TableDef;

/// A recording to be opened.
#[derive(Clone, Debug)]
pub struct Source {
    /// The bytes.
    pub input: Input,
    /// Its path, if it has one; files that belong to it may be in the same folder. For a folder
    /// that is one recording, the path of the folder.
    pub path: Option<PathBuf>,
    /// The files at such paths: those of the disk, unless it lies in an archive.
    pub files: Arc<dyn Files>,
    /// The format's options for [`Verb::Open`].
    pub options: Options,
}

impl Source {
    /// Creates a source without a path.
    #[must_use]
    pub fn new(input: impl Into<Input>) -> Self {
        Self {
            input: input.into(),
            path: None,
            files: Arc::new(Disk),
            options: Options::new(),
        }
    }

    /// Sets the path.
    #[must_use]
    pub fn lying_at(self, path: impl Into<PathBuf>) -> Self {
        Self {
            path: Some(path.into()),
            ..self
        }
    }

    /// Returns its path on the disk: a file may be written beside it.
    #[must_use]
    pub fn on_disk(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.files.is_disk())
    }
}

/// Builds recordings of a format from the tables of any other recording.
pub trait Maker: Send + Sync {
    /// Builds a recording from the tables of another one. The options are those of [`Verb::Write`],
    /// already checked. Secret columns are left out unless an option includes them.
    ///
    /// # Errors
    /// If the tables do not fit the format, or the other recording cannot be read to its end. The
    /// output is then useless.
    fn make(
        &self,
        of: &Arc<dyn Tape>,
        options: &Options,
        out: &mut dyn Sink,
        work: &Work<'_>,
    ) -> Result<Converted, Error>;
}

/// Reads folders that are one recording each.
pub trait Folders: Send + Sync {
    /// Returns whether a folder as a whole is one recording of this format.
    fn is_recording(&self, folder: &Path, files: &dyn Files) -> bool;

    /// Reads the bytes of such a folder, at most `limit`.
    ///
    /// # Errors
    /// [`Error::Io`]; an error if the folder has more than `limit` bytes.
    fn read(&self, folder: &Path, files: &dyn Files, limit: u64) -> Result<Input, Error>;
}

/// Knows the other files that belong to a recording.
pub trait Companions: Send + Sync {
    /// Returns the files that are read together with the recording, whether they exist or not. If
    /// one of them changes, results computed from the recording may change. An index that only
    /// saves time is not included.
    fn read_with(&self, path: &Path, files: &dyn Files) -> Vec<PathBuf>;

    /// Removes files that no longer fit, after the recording at `path` was replaced by `input`.
    fn replaced(&self, path: &Path, input: &Input);
}

/// A format of recordings. A format of another crate can do everything that gametape's own can.
///
/// A program registers formats in a registry (`gametape::Formats`), which asks each of them whether
/// it recognises a file. The folder `examples/own-format` has a complete format with its own
/// command; this is a minimal one:
///
/// ```
/// use std::sync::Arc;
///
/// use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
/// use gametape_core::tape::{Dump, Error, Format, FormatInfo, Source, Tape, Told, Walk, Walked};
/// use gametape_core::{Clocks, Input};
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
///     fn tables(&self) -> Vec<TableDef> {
///         let eyes = ColumnDef::new("eyes", Kind::Uint, "What was thrown.");
///         vec![TableDef::new("throws", Lane::Events, "The throws.").with(eyes)]
///     }
///     fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error> {
///         let (input, tables) = (source.input, self.tables());
///         Ok(Arc::new(Walked { info: &INFO, input, tables, clocks: Clocks::STEPS, walk }))
///     }
/// }
///
/// /// `Told` stands for rules, of which dice have none: see `rules!`.
/// fn walk(input: &Input, walk: &mut Walk<'_, Told>) -> Result<(), Error> {
///     let bytes = input.bytes().map_err(Error::Io)?;
///     let (header, throws) = bytes.split_at(bytes.len().min(4));
///     walk.pass(header)?;
///     for throw in throws.chunks(1) {
///         walk.row("throws", &[throw[0].into()]);
///         walk.step(throw)?;
///     }
///     Ok(())
/// }
///
/// let tape = Dice.open(Source::new(b"DICE\x06\x01".to_vec()))?;
/// let mut out = Vec::new();
/// let wanted = Dump { at: Some("step:1".parse()?), ..Dump::default() };
/// tape.dump(&wanted, &mut out)?;
/// assert_eq!(out, b"{\"step\":1,\"time_ms\":null,\"eyes\":1}\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Walked`](super::Walked) makes the recording of one walk over its steps. A format that can do
/// more implements [`Tape`] itself.
pub trait Format: Any + Send + Sync {
    /// Returns the static description.
    fn info(&self) -> &'static FormatInfo;

    /// Returns whether the input starts like a recording of this format. Looks only at a few bytes
    /// at the start.
    fn sniff(&self, input: &Input) -> bool;

    /// Opens a recording. It may read the header but not the body. A recording with a broken header
    /// is opened too, so that it can be checked.
    ///
    /// # Errors
    /// If data that the recording needs is missing.
    fn open(&self, source: Source) -> Result<Arc<dyn Tape>, Error>;

    /// Returns the rules, for the book and for policies.
    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    /// Returns the tables that every recording of this format has, for the book and for policies. A
    /// single recording may have more tables and more details: see [`Tape::tables`].
    fn tables(&self) -> Vec<TableDef> {
        Vec::new()
    }

    /// Returns the reader of folders that are one recording each, if the format has such.
    fn folders(&self) -> Option<&dyn Folders> {
        None
    }

    /// Returns the builder that makes recordings of this format from any other recording, if the
    /// format has one.
    fn maker(&self) -> Option<&dyn Maker> {
        None
    }

    /// Returns the handler of other files that belong to a recording, if there are such.
    fn companions(&self) -> Option<&dyn Companions> {
        None
    }
}

/// Shortcuts to [`FormatInfo`].
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

    /// [`FormatInfo::policy`].
    pub fn policy(&self) -> Option<&'static str> {
        self.info().policy
    }
}
