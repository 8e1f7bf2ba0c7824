//! The verbs: what each prints, and how it exits. None of them knows a format.

pub mod convert;
pub mod diff;
pub mod dump;
pub mod formats;
pub mod generate;
pub mod inspect;
#[cfg(feature = "picture")]
pub mod picture;
#[cfg(feature = "play")]
pub mod play;
pub mod repair;
pub mod stats;
pub mod tables;
pub mod verify;

use std::ffi::OsStr;
use std::io;

use gametape::{Error, Formats, OpenOptions, Options, Recording, Verb};

/// What a verb is called with, its own arguments apart.
pub struct Call<'a> {
    pub formats: &'a Formats,
    /// What formats are told, as far as any of them knows it.
    pub options: Options,
    /// Whether opening a recording takes its part of that.
    pub opens: bool,
}

impl Call<'_> {
    fn open_options(&self) -> OpenOptions {
        open_options(if self.opens {
            self.options.clone()
        } else {
            Options::new()
        })
    }

    /// Opens a file or a folder, or standard input for `-`; what its format can't be told is refused.
    pub fn open(&self, path: &OsStr) -> Result<Recording, Error> {
        let options = self.open_options();
        let recording = open(self.formats, path, &options)?;
        let opening = self.formats.options(&[Verb::Open]);
        let format = recording.format();
        let what = format!("to open {} recordings", format.name());
        let checked = options
            .options
            .only(&opening)
            .check(&what, format.options(Verb::Open));
        checked.map_err(|error| Error::tape(recording.path())(error.into()))?;
        Ok(recording)
    }

    /// What a verb alone was told, what opening takes left out.
    pub fn told(&self) -> Options {
        let opening = self.formats.options(&[Verb::Open]);
        let names = self
            .options
            .names()
            .filter(|name| !opening.iter().any(|def| def.name == *name));
        let mut told = Options::new();
        for name in names {
            if let Some(value) = self.options.get(name) {
                told.set(name, value.clone());
            }
        }
        told
    }

    /// What of it a recording's format knows for this verb: over many recordings of several formats
    /// an option is for those that have it.
    pub fn told_of(&self, recording: &Recording, verb: Verb) -> Options {
        self.options.only(recording.format().options(verb))
    }
}

/// Large files are mapped: the command's own process is the only one that a truncated file ends.
fn open_options(options: Options) -> OpenOptions {
    OpenOptions {
        map: true,
        options,
        ..OpenOptions::default()
    }
}

pub fn open(formats: &Formats, path: &OsStr, options: &OpenOptions) -> Result<Recording, Error> {
    if path == "-" {
        formats.read(io::stdin().lock(), "-", options)
    } else {
        formats.open_with(path, options).map_err(shortly)
    }
}

/// A file that is not there, in the words that folders and patterns are answered with.
fn shortly(error: Error) -> Error {
    match error {
        Error::Io { path, source } => crate::ui::said_shortly(&path, source),
        error => error,
    }
}

/// The recordings behind some paths, each with whether it was named one by one, or why it can't be
/// opened. Files of other kinds that were merely found are left out.
pub fn recordings<'a>(
    formats: &'a Formats,
    paths: &'a [std::ffi::OsString],
    options: &'a OpenOptions,
) -> impl Iterator<Item = Result<(Recording, bool), Error>> + 'a {
    paths.iter().flat_map(move |path| {
        let standard_input =
            (path == "-").then(|| open(formats, path, options).map(|recording| (recording, true)));
        let found = if path == "-" {
            Vec::new()
        } else {
            formats.find(path)
        };
        let files = found.into_iter().filter_map(move |found| match found {
            Err(error) => Some(Err(error)),
            Ok(found) => match formats.open_with(&found.path, options) {
                Ok(recording) => Some(Ok((recording, found.named))),
                Err(Error::UnknownFormat { .. }) if !found.named => None,
                Err(error) => Some(Err(error)),
            },
        });
        standard_input.into_iter().chain(files)
    })
}
