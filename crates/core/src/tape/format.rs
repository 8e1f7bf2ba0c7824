//! The `Format` trait, its description, and the files around a recording.

use std::any::Any;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use super::audit::RelationDef;
use super::error::Error;
use super::option::{OptionDef, Options};
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

/// An operation on a recording. A format lists its options for each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Verb {
    /// Open it; the options provide data that the recording lacks.
    Open,
    /// Print one thing that it contains; the options are flags named after these things. See
    /// [`Attachments`](super::Attachments).
    Inspect,
    /// Check it.
    Verify,
    /// Measure it.
    Stats,
    /// List its steps.
    Dump,
    /// Compare it.
    Diff,
    /// Convert it from this format; these options do not depend on the target format.
    Convert,
    /// Write it in this format; these options do not depend on the source format.
    Write,
    /// Keep its intact parts: see [`Tape::repair`](super::Tape::repair).
    Repair,
    /// Keep a part of it: see [`Tape::cut`](super::Tape::cut).
    Cut,
}

impl Verb {
    /// Returns its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Inspect => "inspect",
            Self::Verify => "verify",
            Self::Stats => "stats",
            Self::Dump => "dump",
            Self::Diff => "diff",
            Self::Convert => "convert",
            Self::Write => "write",
            Self::Repair => "repair",
            Self::Cut => "cut",
        }
    }
}

/// The static description of a format: plain data.
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
    /// The name: one word in lower case, which is also used in JSON.
    pub name: &'static str,
    /// A description of less than a line: `Minesweeper games, ViennaSweeper's RMV v1 and v2`.
    pub about: &'static str,
    /// The kind; recordings of one kind can be compared with each other, and converted into each
    /// other.
    pub kind: &'static str,
    /// The name of a step: `frame`, `event`, `packet`.
    pub step: &'static str,
    /// The file name extensions, in lower case, the usual one first.
    pub extensions: &'static [&'static str],
    /// The order in which formats are asked whether they recognise a file. Formats with a weak
    /// signature should have a larger number, so that they are asked later.
    pub sniff_order: u8,
    /// The options for each verb. A verb may occur once.
    pub options: &'static [(Verb, &'static [OptionDef])],
    /// The ways in which recordings that should be independent can be related, the strongest first.
    /// For two recordings, only the strongest relation is reported. The codes of relations differ
    /// from those of the format's rules.
    pub relations: &'static [RelationDef],
    /// The default policy of this format's community, as the TOML table named after the format (see
    /// `gametape::Policy`). Without one, the default policy does not judge recordings of this format.
    pub policy: Option<&'static str>,
    /// The facts by which a ranking lists a recording, whatever its policy asks: who played, at what,
    /// with what result. They are columns of the tables of facts, none of them secret.
    pub ranked: &'static [&'static str],
}

impl FormatInfo {
    /// Creates the description of a format whose kind is its name, whose steps are called steps,
    /// and that declares nothing else.
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
            ranked: &[],
        }
    }

    /// Returns the options for a verb.
    #[must_use]
    pub fn options_for(&self, verb: Verb) -> &'static [OptionDef] {
        let mut options = self.options.iter();
        let found = options.find(|(of, _)| *of == verb);
        found.map_or(&[], |(_, options)| options)
    }
}

/// The files among which a recording lies: those of the disk, or of an archive.
pub trait Files: fmt::Debug + Send + Sync {
    /// Opens a file.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none; an error if it can't be read.
    fn open(&self, path: &Path) -> io::Result<Input>;

    /// Returns the paths of the files in a folder, in no order. What is in its subfolders is left out.
    ///
    /// # Errors
    /// There is no such folder, or it can't be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    /// Whether these are the files of the disk, to which others may be added.
    fn is_disk(&self) -> bool {
        false
    }
}

/// The files of the disk.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Disk;

impl Files for Disk {
    /// Opens a regular file. A pipe or a device might never end.
    fn open(&self, path: &Path) -> io::Result<Input> {
        let meta = fs::metadata(path)?;
        if meta.is_dir() {
            return Err(io::Error::other("is a folder"));
        }
        if !meta.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Input::file(File::open(path)?)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect()
    }

    fn is_disk(&self) -> bool {
        true
    }
}
