//! A recording of any known format.

mod compare;
mod tables;

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::{Needs, Span};
use gametape_core::tape::{
    self, Audit, Depth, Disk, Dump, Files, Format, Info, Measured, Options, Secrets, Source, Tape,
    Verb, Work,
};
use gametape_core::{At, Clocks, Input};

use crate::instead::instead;
use crate::open::{self, OpenOptions};
use crate::{Error, Formats, formats};

/// The place of a recording, where files that belong to it are looked for: a path, and the files there.
pub(crate) type Lies = (PathBuf, Arc<dyn Files>);

/// A recording of any known format.
///
/// Opening looks at the first bytes only; each method reads as much as it needs.
#[derive(Clone)]
pub struct Recording {
    path: PathBuf,
    pub(crate) formats: Formats,
    format: Arc<dyn Format>,
    tape: Arc<dyn Tape>,
    /// Where it lies; `None` for bytes in memory.
    lies: Option<Lies>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("path", &self.path)
            .field("format", &self.format.name())
            .field("input", self.tape.input())
            .finish_non_exhaustive()
    }
}

impl Formats {
    /// Opens a recording, whose format is recognised by its content, then by its extension. A
    /// folder that is one recording, such as packets with their `schema.json`, is opened as one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`], [`Error::UnknownFormat`]; errors of the format.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Recording, Error> {
        self.open_with(path, &OpenOptions::default())
    }

    /// Like [`Formats::open`], with options.
    ///
    /// # Errors
    /// Same as [`Formats::open`].
    pub fn open_with(
        &self,
        path: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let path = path.as_ref();
        // Most paths are files, so try this first.
        let error = match open::file(path, options) {
            Ok(input) => return self.of_file(input, path, Some(on_disk(path)), options),
            Err(error) => error,
        };
        #[cfg(feature = "folders")]
        if let Some(found) = self.open_inside(path, options)? {
            return Ok(found);
        }
        let is_folder = path.is_dir();
        let folder = is_folder.then(|| self.of_folder(path, &Disk)).flatten();
        let Some((format, folders)) = folder.and_then(|format| Some((format, format.folders()?)))
        else {
            return Err(error);
        };
        let format = Arc::clone(format);
        let input = folders
            .read(path, &Disk, options.limits.max_held_bytes)
            .map_err(Error::tape(path))?;
        self.tape(format, input, path, Some(on_disk(path)), options)
    }

    /// Reads a recording from a stream to its end. `name` is used as its path in messages; its
    /// extension is used if the content is not recognised.
    ///
    /// # Errors
    /// Same as [`Formats::open`], and [`Error::TooLarge`].
    pub fn read(
        &self,
        source: impl Read,
        name: &str,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let path = Path::new(name);
        let input = open::stream(source, path, &options.limits)?;
        self.of_file(input, path, None, options)
    }

    /// Returns the format of a file, or of a folder that is one recording, without opening it;
    /// `None` if the format is unknown or the file cannot be read.
    #[must_use]
    pub fn format_of(&self, path: &Path) -> Option<Arc<dyn Format>> {
        if path.is_dir() {
            return self.of_folder(path, &Disk).cloned();
        }
        let options = OpenOptions::default();
        let input = open::file(path, &options);
        #[cfg(feature = "folders")]
        if input.is_err() {
            return self.format_inside(path, &options);
        }
        self.of(&input.ok()?, path)
    }

    /// Opens a file, or bytes in memory, that may be an archive.
    fn of_file(
        &self,
        input: Input,
        path: &Path,
        lies: Option<Lies>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        #[cfg(feature = "folders")]
        if let Some(found) = self.open_archive(&input, path, lies.is_some(), options)? {
            return Ok(found);
        }
        self.of_input(input, path, lies, options)
    }

    /// Opens a recording from an [`Input`], such as bytes in memory or ranges fetched by the
    /// caller. For `name`, see [`Formats::read`].
    ///
    /// # Errors
    /// Same as [`Formats::open`].
    pub fn open_input(&self, input: impl Into<Input>, name: &str) -> Result<Recording, Error> {
        self.of_file(input.into(), Path::new(name), None, &OpenOptions::default())
    }

    pub(crate) fn of_input(
        &self,
        input: Input,
        path: &Path,
        lies: Option<Lies>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let Some(format) = self.of(&input, path) else {
            let head = input.head(8).map_err(Error::io(path))?.into_owned();
            let what = match head.as_slice() {
                [] => "it is empty".into(),
                head => instead(&input, self)
                    .map_err(Error::io(path))?
                    .unwrap_or_else(|| format!("it starts with \"{}\"", head.escape_ascii())),
            };
            return Err(Error::UnknownFormat {
                path: path.to_owned(),
                what,
                head,
            });
        };
        self.tape(format, input, path, lies, options)
    }

    pub(crate) fn tape(
        &self,
        format: Arc<dyn Format>,
        input: Input,
        path: &Path,
        lies: Option<Lies>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let of_format = options.options.only(format.options(Verb::Open));
        let mut source = Source {
            options: of_format,
            ..Source::new(input)
        };
        if let Some((path, files)) = &lies {
            source.path = Some(path.clone());
            source.files = files.clone();
        }
        let tape = format.open(source).map_err(Error::tape(path))?;
        Ok(Recording {
            path: path.to_owned(),
            formats: self.clone(),
            format,
            tape,
            lies,
        })
    }
}

fn on_disk(path: &Path) -> Lies {
    (path.to_owned(), Arc::new(Disk))
}

impl Recording {
    /// Opens a recording of one of gametape's own formats; see [`Formats::open`].
    ///
    /// # Errors
    /// Same as [`Formats::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        formats().open(path)
    }

    /// Opens a recording of one of gametape's own formats from memory; see [`Formats::open_input`].
    ///
    /// ```
    /// let error = gametape::Recording::from_bytes(b"%PDF-1.7".to_vec(), "a").unwrap_err();
    /// assert_eq!(error.code(), "unknown-format");
    /// ```
    ///
    /// # Errors
    /// Same as [`Formats::open`].
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self, Error> {
        formats().open_input(bytes, name)
    }

    /// Returns the path with which it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its format.
    #[must_use]
    pub fn format(&self) -> &dyn Format {
        &*self.format
    }

    /// Returns the name of its format and the version: `rmv v2`; the name alone if its header can't be read.
    #[must_use]
    pub fn version(&self) -> String {
        match self.header(Secrets::Hide) {
            Ok(info) => format!("{} v{}", info.value.format, info.value.format_version),
            Err(_) => self.format.name().to_owned(),
        }
    }

    /// Opens the files that are read together with the recording: the schema of packets. A file that is not there is an
    /// error of the kind [`io::ErrorKind::NotFound`].
    pub fn companions(&self) -> impl Iterator<Item = io::Result<Input>> + '_ {
        let companions = self.format.companions().zip(self.lies.as_ref());
        let opened = companions.map(|(companions, (path, files))| {
            let paths = companions.read_with(path, &**files).into_iter();
            paths.map(|path| files.open(&path))
        });
        opened.into_iter().flatten()
    }

    /// Returns the recording as its format implements it.
    #[must_use]
    pub const fn tape(&self) -> &Arc<dyn Tape> {
        &self.tape
    }

    /// Returns the format's own type of the recording, if it has this type.
    #[must_use]
    pub fn tape_as<T: Tape>(&self) -> Option<&T> {
        self.tape.of_type()
    }

    /// Returns the bytes.
    #[must_use]
    pub fn input(&self) -> &Input {
        self.tape.input()
    }

    pub(crate) fn explain<T>(&self, result: Result<T, tape::Error>) -> Result<T, Error> {
        result.map_err(|error| {
            let error = match error {
                tape::Error::Scan(error) => error.needing(self.needs()).into(),
                tape::Error::NoConversion { from, to, .. } => tape::Error::NoConversion {
                    from,
                    to,
                    known: self.targets(),
                },
                tape::Error::NotRecorded { at, recorded } => {
                    let recorded = recorded.or_else(|| self.recorded().map(Box::new));
                    // A clock that the recording does not have never comes to this moment.
                    let checked = recorded.as_deref().map(|span| clocks(span).check(Some(at)));
                    match checked {
                        Some(Err(no_clock)) => no_clock.into(),
                        _ => tape::Error::NotRecorded { at, recorded },
                    }
                }
                error => error,
            };
            Error::tape(&self.path)(error)
        })
    }

    /// Returns the first and the last moment; `None` if there is none, or nothing can be read.
    fn recorded(&self) -> Option<Span> {
        let mut play = self.tape.playback().ok()?;
        let span = play.span();
        play.seek(At::Step(span.first.step)).ok()?;
        Some(span)
    }

    /// Returns the external data that is missing, if it would give the recording more tables.
    fn needs(&self) -> Option<Needs> {
        let info = self
            .tape
            .describe(Depth::Header, Secrets::Hide, &Work::default())
            .ok()?;
        info.readable().needs
    }

    pub(crate) fn partial<T>(
        &self,
        partial: Result<tape::Partial<T>, tape::Error>,
    ) -> Result<Partial<T>, Error> {
        let partial = self.explain(partial)?;
        Ok(Partial {
            value: partial.value,
            problem: partial.problem.map(Error::tape(&self.path)),
        })
    }

    pub(crate) fn check(&self, what: &str, options: &Options, verb: Verb) -> Result<(), Error> {
        let what = format!("to {what} {} recordings", self.format.name());
        let checked = options.check(&what, self.format.options(verb));
        self.explain(checked.map_err(Into::into))
    }

    /// Returns a description from the header, without decoding the body.
    ///
    /// # Errors
    /// If the header cannot be read.
    pub fn header(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.partial(self.tape.describe(Depth::Header, secrets, &Work::default()))
    }

    /// Returns a description of the whole recording, and its problem if it is not intact.
    ///
    /// # Errors
    /// If nothing can be read.
    pub fn info(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.info_with(secrets, &Work::default())
    }

    /// Like [`Recording::info`], with progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::info`]; [`tape::Error::Cancelled`].
    pub fn info_with(&self, secrets: Secrets, work: &Work<'_>) -> Result<Partial<Info>, Error> {
        self.partial(self.tape.describe(Depth::Whole, secrets, work))
    }

    /// Returns a text that the recording contains, such as its world; see [`Attachments`](tape::Attachments).
    ///
    /// # Errors
    /// If the recording contains none, or a broken one.
    pub fn attachment(&self, name: &str) -> Result<String, Error> {
        self.explain(self.tape.attachment(name))
    }

    /// Checks the recording as thoroughly as possible. Unreadable parts are findings. An empty file has one finding
    /// in all formats, `empty`.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read to its end.
    pub fn audit(&self) -> Result<Audit, Error> {
        self.audit_with(&Options::new(), &Work::default())
    }

    /// Like [`Recording::audit`], with options for data that the recording does not contain, with
    /// progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::audit`]; [`tape::Error::Cancelled`]; also an error if the format does
    /// not know an option, or its value is wrong.
    pub fn audit_with(&self, options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
        self.check("verify", options, Verb::Verify)?;
        if self.input().size() == 0 {
            return Ok(Audit::of_nothing());
        }
        self.explain(self.tape.audit(options, work))
    }

    /// Returns the statistics that players or researchers compare, with keys that are stable and
    /// documented in the book; and an audit, if the format checks the recording in the same pass.
    ///
    /// # Errors
    /// If nothing can be read, or the format does not know an option.
    pub fn stats(&self, options: &Options) -> Result<Partial<Measured>, Error> {
        self.stats_with(options, &Work::default())
    }

    /// Like [`Recording::stats`], with progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::stats`]; [`tape::Error::Cancelled`].
    pub fn stats_with(
        &self,
        options: &Options,
        work: &Work<'_>,
    ) -> Result<Partial<Measured>, Error> {
        self.check("measure", options, Verb::Stats)?;
        self.partial(self.tape.stats(options, work))
    }

    /// Writes each step as a JSON object on its own line.
    ///
    /// # Errors
    /// [`tape::Error::Output`] in an [`Error::Tape`] for errors of `out`.
    pub fn dump(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        self.check("dump", &wanted.options, Verb::Dump)?;
        self.partial(self.tape.dump(wanted, out))
    }

    /// Returns the usual extensions of the formats to which it can be converted, its own first.
    #[must_use]
    pub fn targets(&self) -> Vec<&'static str> {
        let own = self.format();
        let kind = |other: &&dyn Format| other.kind() == own.kind() && other.name() != own.name();
        let made = |other: &&dyn Format| other.kind() != own.kind() && other.maker().is_some();
        let others = self.formats.iter().filter(kind);
        let others = others.chain(self.formats.iter().filter(made));
        let all = std::iter::once(own).chain(others);
        all.filter_map(|format| format.extensions().first().copied())
            .collect()
    }
}

/// The clocks of a recording, by its first and last moment.
const fn clocks(span: &Span) -> Clocks {
    Clocks {
        ticks: span.last.tick.is_some(),
        times: span.last.time.is_some(),
    }
}

/// A value obtained from a recording that may be broken; errors name its path.
pub type Partial<T> = tape::Partial<T, Error>;
