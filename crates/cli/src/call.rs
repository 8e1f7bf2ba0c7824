//! The arguments that verbs have in common.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::Arc;

use gametape::{Error, Format, Formats, OpenOptions, OptionDef, Options, Recording, Verb};

/// The call of a verb, without the verb's own arguments.
pub struct Call<'a> {
    pub formats: &'a Formats,
    /// The version of the command.
    pub version: &'static str,
    /// The options for formats, each known to one of them at least.
    pub options: Options,
    /// The options of the verb itself; the rest are for opening recordings.
    pub own: Vec<OptionDef>,
}

impl Call<'_> {
    pub fn open_options(&self) -> OpenOptions {
        let opening = self.formats.options(&[Verb::Open]).into_iter();
        let rest = opening.filter(|def| !self.own.iter().any(|own| own.name == def.name));
        let rest: Vec<OptionDef> = rest.collect();
        open_options(self.options.only(&rest))
    }

    /// Opens a file or a folder, or standard input for `-`. Options that its format does not know are refused.
    pub fn open(&self, path: &OsStr) -> Result<Recording, Error> {
        let recording = open(self.formats, path, &self.open_options())?;
        self.check_known(&[&recording])?;
        Ok(recording)
    }

    /// Opens two recordings as [`Call::open`] does. An option has to be known to one of them.
    pub fn open_two(&self, paths: [&OsStr; 2]) -> Result<[Recording; 2], Error> {
        let options = self.open_options();
        let [first, second] = paths.map(|path| open(self.formats, path, &options));
        let (first, second) = (first?, second?);
        self.check_known(&[&first, &second])?;
        Ok([first, second])
    }

    /// Refuses options for opening that none of the recordings at these paths knows. With several formats, an
    /// option applies to those that have it. Standard input is checked when it is opened.
    pub fn check_opening(&self, paths: &[OsString]) -> Result<(), Error> {
        let opening = self.formats.options(&[Verb::Open]);
        let given = self.open_options().options.only(&opening);
        // Without options there is no need to walk a folder.
        if given.names().next().is_none() {
            return Ok(());
        }
        let mut formats: Vec<Arc<dyn Format>> = Vec::new();
        let files = paths.iter().filter(|path| *path != "-");
        for found in files.flat_map(|path| self.formats.find(path)).flatten() {
            let known = |name: &str| {
                let mut options = formats.iter().flat_map(|format| format.options(Verb::Open));
                options.any(|def| def.name == name)
            };
            if given.names().all(known) {
                return Ok(());
            }
            formats.extend(self.formats.format_of(&found.path));
        }
        let path = paths.first().map_or(Path::new(""), Path::new);
        self.refuse(path, formats.iter().map(|format| &**format).collect())
    }

    /// Refuses options for opening that none of these recordings knows.
    fn check_known(&self, recordings: &[&Recording]) -> Result<(), Error> {
        let formats = recordings.iter().map(|recording| recording.format());
        let path = recordings
            .first()
            .map_or(Path::new(""), |recording| recording.path());
        self.refuse(path, formats.collect())
    }

    /// Refuses options for opening that none of these formats knows.
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
        let given = self.open_options().options.only(&opening);
        given
            .check(&what, &known)
            .map_err(|error| Error::tape(path)(error.into()))
    }

    /// The options of the verb, without those for opening.
    pub fn verb_options(&self) -> Options {
        self.options.only(&self.own)
    }

    /// The options that a recording's format knows for a verb. With several formats, an option applies to those
    /// that have it.
    pub fn options_of(&self, recording: &Recording, verb: Verb) -> Options {
        self.options.only(recording.format().options(verb))
    }
}

/// Large files are memory-mapped: if another program truncates one, only this process ends.
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
        formats.open_with(path, options).map_err(short_error)
    }
}

/// Reports a missing file in the same words as a missing folder or pattern.
fn short_error(error: Error) -> Error {
    match error {
        Error::Io { path, source } => crate::ui::short_error(&path, source),
        error => error,
    }
}
