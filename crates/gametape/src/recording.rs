//! Any recording.

mod compare;
mod tables;

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::Input;
use gametape_core::tape::{
    self, Audit, Converted, Dump, Format, Info, Measured, OptionDef, Options, Repaired, Secrets,
    Sink, Source, Tape, Target, Verb, Work,
};
use serde_json::{Map, Value};

use crate::content::{Content, Draft};
use crate::open::{self, Limits, OpenOptions};
use crate::{Error, Formats, formats};

/// A recording of any known format.
///
/// Opening looks at the first bytes only; each method reads as much as it needs.
pub struct Recording {
    path: PathBuf,
    pub(crate) formats: Formats,
    format: Arc<dyn Format>,
    tape: Box<dyn Tape>,
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

/// Bytes that were made, and what became of them.
#[derive(Debug)]
pub struct Made<T> {
    /// What was lost, done, noted.
    pub outcome: T,
    /// The file.
    pub content: Content,
}

impl Formats {
    /// Opens a recording: known by its content, then by its extension. A folder that is one
    /// recording, such as packets with their `schema.json`, is opened as one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::IsFolder`], [`Error::UnknownFormat`]; what its format says.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Recording, Error> {
        self.open_with(path, &OpenOptions::default())
    }

    /// [`Formats::open`], with options.
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn open_with(
        &self,
        path: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let path = path.as_ref();
        // Nearly all are files, which are not asked twice what they are.
        let error = match open::file(path, options) {
            Ok(input) => return self.of_input(input, path, Some(path), options),
            Err(error) => error,
        };
        let folder = path.is_dir().then(|| self.of_folder(path)).flatten();
        let Some((format, folders)) = folder.and_then(|format| Some((format, format.folders()?)))
        else {
            return Err(error);
        };
        let format = Arc::clone(format);
        let input = folders
            .read(path, options.limits.max_held_bytes)
            .map_err(Error::tape(path))?;
        self.tape(format, input, path, Some(path), options)
    }

    /// Reads a recording from a stream to its end; `name` stands for the path in messages, and its
    /// extension counts where the content says nothing.
    ///
    /// # Errors
    /// As [`Formats::open`], and [`Error::TooLarge`].
    pub fn read(
        &self,
        source: impl Read,
        name: &str,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let path = Path::new(name);
        let input = open::stream(source, path, &options.limits)?;
        self.of_input(input, path, None, options)
    }

    /// The format of a file, or of a folder that is one recording; nothing of one that is of none, or
    /// can't be read. It is not opened.
    #[must_use]
    pub fn format_of(&self, path: &Path) -> Option<Arc<dyn Format>> {
        if path.is_dir() {
            return self.of_folder(path).cloned();
        }
        let input = open::file(path, &OpenOptions::default()).ok()?;
        self.of(&input, path)
    }

    /// A recording in whatever an [`Input`] is: bytes in memory, ranges that somebody fetches;
    /// `name` as in [`Formats::read`].
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn open_input(&self, input: impl Into<Input>, name: &str) -> Result<Recording, Error> {
        self.of_input(input.into(), Path::new(name), None, &OpenOptions::default())
    }

    fn of_input(
        &self,
        input: Input,
        path: &Path,
        lies_at: Option<&Path>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let head = input.head(8).map_err(Error::io(path))?.into_owned();
        let format = self.of(&input, path).ok_or_else(|| Error::UnknownFormat {
            path: path.to_owned(),
            what: match head.as_slice() {
                [] => "it is empty".into(),
                [b'P', b'K', 3 | 5, ..] => "a zip without a recording in it".into(),
                head => format!("it starts with \"{}\"", head.escape_ascii()),
            },
            head: head.clone(),
        })?;
        self.tape(format, input, path, lies_at, options)
    }

    fn tape(
        &self,
        format: Arc<dyn Format>,
        input: Input,
        path: &Path,
        lies_at: Option<&Path>,
        options: &OpenOptions,
    ) -> Result<Recording, Error> {
        let of_format = options.options.only(format.options(Verb::Open));
        let source = Source {
            input,
            path: lies_at.map(Path::to_owned),
            options: of_format,
        };
        let tape = format.open(source).map_err(Error::tape(path))?;
        Ok(Recording {
            path: path.to_owned(),
            formats: self.clone(),
            format,
            tape,
        })
    }
}

impl Recording {
    /// Opens a recording of one of gametape's own formats; see [`Formats::open`].
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        formats().open(path)
    }

    /// Reads a recording of one of gametape's own formats from a stream; see [`Formats::read`].
    ///
    /// # Errors
    /// As [`Formats::read`].
    pub fn from_reader(source: impl Read, name: &str, limits: &Limits) -> Result<Self, Error> {
        let options = OpenOptions {
            limits: *limits,
            ..OpenOptions::default()
        };
        formats().read(source, name, &options)
    }

    /// A recording of one of gametape's own formats that is in memory; see [`Formats::open_input`].
    ///
    /// ```
    /// let error = gametape::Recording::from_bytes(b"%PDF-1.7".to_vec(), "a").unwrap_err();
    /// assert_eq!(error.code(), "unknown-format");
    /// ```
    ///
    /// # Errors
    /// As [`Formats::open`].
    pub fn from_bytes(bytes: Vec<u8>, name: &str) -> Result<Self, Error> {
        formats().open_input(bytes, name)
    }

    /// The path it was opened with.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format it was opened as.
    #[must_use]
    pub fn format(&self) -> &dyn Format {
        &*self.format
    }

    /// The recording as its format has it; [`Tape::any`] leads to what that format alone can do.
    #[must_use]
    pub fn tape(&self) -> &dyn Tape {
        &*self.tape
    }

    /// The format's own type of a recording, where it is of that format.
    #[must_use]
    pub fn tape_as<T: 'static>(&self) -> Option<&T> {
        self.tape.any().downcast_ref()
    }

    /// Its bytes.
    #[must_use]
    pub fn input(&self) -> &Input {
        self.tape.input()
    }

    pub(crate) fn explain<T>(&self, result: Result<T, tape::Error>) -> Result<T, Error> {
        result.map_err(|error| {
            let error = match error {
                tape::Error::Scan(error) => error.needing(self.tape.needs()).into(),
                error => error,
            };
            Error::tape(&self.path)(error)
        })
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

    /// What the header says; the body is not decoded.
    ///
    /// # Errors
    /// Where the header can't be read.
    pub fn header(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.partial(self.tape.header(secrets))
    }

    /// What the recording says of itself, and what is wrong with it where it is not whole.
    ///
    /// # Errors
    /// Where nothing can be read.
    pub fn info(&self, secrets: Secrets) -> Result<Partial<Info>, Error> {
        self.partial(self.tape.info(secrets))
    }

    /// A text that the recording carries, such as its world; see [`Tape::attachment`].
    ///
    /// # Errors
    /// Where it carries none, or a broken one.
    pub fn attachment(&self, name: &str) -> Result<String, Error> {
        self.explain(self.tape.attachment(name))
    }

    /// Checks the recording as thoroughly as its bytes allow. What can't be read is a finding.
    ///
    /// # Errors
    /// [`Error::Io`] where the file can't be read to its end.
    pub fn audit(&self) -> Result<Audit, Error> {
        self.audit_with(&Options::new())
    }

    /// [`Recording::audit`], told what the recording itself does not carry.
    ///
    /// # Errors
    /// Also where an option is none of the format's, or wrong.
    pub fn audit_with(&self, options: &Options) -> Result<Audit, Error> {
        self.audit_watched(options, &|_| ())
    }

    /// [`Recording::audit_with`] for somebody who waits: `say` hears in a few words what takes long.
    ///
    /// # Errors
    /// As [`Recording::audit_with`].
    pub fn audit_watched(
        &self,
        options: &Options,
        say: &(dyn Fn(&str) + Sync),
    ) -> Result<Audit, Error> {
        self.check("verify", options, Verb::Verify)?;
        self.explain(self.tape.audit_watched(options, say))
    }

    /// The statistics that the recording's people compare. Keys are stable, and documented in the
    /// book.
    ///
    /// # Errors
    /// Where nothing can be read; where an option is none of the format's.
    pub fn stats(&self, options: &Options) -> Result<Partial<Map<String, Value>>, Error> {
        self.check("measure", options, Verb::Stats)?;
        self.partial(self.tape.stats(options))
    }

    /// [`Recording::stats`], and whether what they say is to be believed, where the format checks a
    /// recording while it measures it.
    ///
    /// # Errors
    /// As [`Recording::stats`].
    pub fn measure(&self, options: &Options) -> Result<Partial<Measured>, Error> {
        self.check("measure", options, Verb::Stats)?;
        self.partial(self.tape.measure(options))
    }

    /// Writes one JSON object a line for each step.
    ///
    /// # Errors
    /// [`tape::Error::Output`] in an [`Error::Tape`] is `out`'s.
    pub fn dump(&self, wanted: &Dump, out: &mut dyn Write) -> Result<Partial<()>, Error> {
        self.check("dump", &wanted.options, Verb::Dump)?;
        self.partial(self.tape.dump(wanted, out))
    }

    /// The recording in another form; without any wish byte for byte the same.
    ///
    /// # Errors
    /// As [`Recording::convert_with`].
    pub fn convert(&self, to: &str, options: &Options) -> Result<Made<Converted>, Error> {
        self.convert_with(to, options, &Work::default())
    }

    /// [`Recording::convert`] of what may be large: done in a folder, watched, stopped.
    ///
    /// # Errors
    /// [`tape::Error::NoConversion`]; where an option is none of the two formats'; where the
    /// recording can't be read to its end.
    pub fn convert_with(
        &self,
        to: &str,
        options: &Options,
        work: &Work<'_>,
    ) -> Result<Made<Converted>, Error> {
        let no_conversion = || tape::Error::NoConversion {
            from: self.format.name(),
            to: to.to_owned(),
        };
        let target = self.explain(self.formats.get(to).ok_or_else(no_conversion))?;
        let what = format!("to convert {} to {to}", self.format.name());
        let check = |defs: &[OptionDef]| {
            let checked = options.check(&what, defs);
            self.explain(checked.map_err(Into::into))
        };
        if target.kind() != self.format.kind() {
            // What its tables say is all that another kind can be made of.
            let maker = self.explain(target.maker().ok_or_else(no_conversion))?;
            check(target.options(Verb::Write))?;
            return self.make(work, |out| maker.make(&*self.tape, options, out, work));
        }
        let mut defs = self.format.options(Verb::Convert).to_vec();
        defs.extend(target.options(Verb::Write));
        check(&defs)?;
        let target = Target {
            format: to,
            options,
        };
        self.make(work, |out| self.tape.convert(target, out, work))
    }

    /// Keeps what is whole of a broken recording.
    ///
    /// # Errors
    /// Where nothing is.
    pub fn repair(&self, options: &Options) -> Result<Made<Repaired>, Error> {
        self.repair_with(options, &Work::default())
    }

    /// [`Recording::repair`] of what may be large: done in a folder, watched, stopped.
    ///
    /// # Errors
    /// As [`Recording::repair`].
    pub fn repair_with(&self, options: &Options, work: &Work<'_>) -> Result<Made<Repaired>, Error> {
        self.check("repair", options, Verb::Repair)?;
        self.make(work, |out| self.tape.repair(options, out, work))
    }

    pub(crate) fn make<T>(
        &self,
        work: &Work<'_>,
        make: impl FnOnce(&mut dyn Sink) -> Result<T, tape::Error>,
    ) -> Result<Made<T>, Error> {
        let mut draft = Draft::in_folder(work.folder, &self.path)?;
        let outcome = self.explain(make(&mut draft))?;
        let content = draft.finish().map_err(|error| match error {
            Error::Io { path, source } => Error::Tape {
                path,
                source: tape::Error::Output(source),
            },
            error => error,
        })?;
        Ok(Made { outcome, content })
    }
}

/// Something taken from a recording that may be broken.
#[derive(Debug)]
pub struct Partial<T> {
    /// What could be taken.
    pub value: T,
    /// What is wrong with the recording, where it is not whole.
    pub problem: Option<Error>,
}
