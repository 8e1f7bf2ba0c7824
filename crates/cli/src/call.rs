//! What verbs are called with.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use gametape::{Error, Format, Formats, OpenOptions, OptionDef, Options, Recording, Verb};

/// What a verb is called with, its own arguments apart.
pub struct Call<'a> {
    pub formats: &'a Formats,
    /// The command's.
    pub version: &'static str,
    /// What formats are told, as far as any of them knows it.
    pub options: Options,
    /// What they are told for the verb itself: opening a recording takes the rest.
    pub own: Vec<OptionDef>,
}

impl Call<'_> {
    pub fn open_options(&self) -> OpenOptions {
        let opening = self.formats.options(&[Verb::Open]).into_iter();
        let rest = opening.filter(|def| !self.own.iter().any(|own| own.name == def.name));
        let rest: Vec<OptionDef> = rest.collect();
        open_options(self.options.only(&rest))
    }

    /// Opens a file or a folder, or standard input for `-`; what its format can't be told is refused.
    pub fn open(&self, path: &OsStr) -> Result<Recording, Error> {
        let recording = open(self.formats, path, &self.open_options())?;
        self.told_to(&[&recording])?;
        Ok(recording)
    }

    /// [`Call::open`] of two: what is told either of them is told.
    pub fn open_two(&self, paths: [&OsStr; 2]) -> Result<[Recording; 2], Error> {
        let options = self.open_options();
        let [first, second] = paths.map(|path| open(self.formats, path, &options));
        let (first, second) = (first?, second?);
        self.told_to(&[&first, &second])?;
        Ok([first, second])
    }

    /// Refuses what none of the recordings behind some paths can be told when it is opened. Over
    /// recordings of several formats an option is for those that have it; standard input is asked when
    /// it is opened.
    pub fn check_opening(&self, paths: &[OsString]) -> Result<(), Error> {
        let opening = self.formats.options(&[Verb::Open]);
        let told = self.open_options().options.only(&opening);
        // A folder of many files is not walked for nothing.
        if told.names().next().is_none() {
            return Ok(());
        }
        let mut formats: Vec<Arc<dyn Format>> = Vec::new();
        let files = paths.iter().filter(|path| *path != "-");
        for found in files.flat_map(|path| self.formats.find(path)).flatten() {
            let known = |name: &str| {
                let mut options = formats.iter().flat_map(|format| format.options(Verb::Open));
                options.any(|def| def.name == name)
            };
            if told.names().all(known) {
                return Ok(());
            }
            formats.extend(self.formats.format_of(&found.path));
        }
        let path = paths.first().map_or(Path::new(""), Path::new);
        self.refuse(path, formats.iter().map(|format| &**format).collect())
    }

    /// Refuses what none of these can be told when it is opened.
    fn told_to(&self, recordings: &[&Recording]) -> Result<(), Error> {
        let formats = recordings.iter().map(|recording| recording.format());
        let path = recordings
            .first()
            .map_or(Path::new(""), |recording| recording.path());
        self.refuse(path, formats.collect())
    }

    /// Refuses what no recording of these formats can be told when it is opened.
    fn refuse(&self, path: &Path, formats: Vec<&dyn Format>) -> Result<(), Error> {
        if formats.is_empty() {
            return Ok(());
        }
        let formats = formats.into_iter();
        let names: BTreeSet<&str> = formats.clone().map(<dyn Format>::name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let what = format!("to open {} recordings", names.join(" or "));
        let known = formats.flat_map(|format| format.options(Verb::Open));
        let known: Vec<OptionDef> = known.copied().collect();
        let opening = self.formats.options(&[Verb::Open]);
        let told = self.open_options().options.only(&opening);
        told.check(&what, &known)
            .map_err(|error| Error::tape(path)(error.into()))
    }

    /// What the verb alone was told, what opening takes left out.
    pub fn told(&self) -> Options {
        self.options.only(&self.own)
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
