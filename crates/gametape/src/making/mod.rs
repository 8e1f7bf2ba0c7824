//! New recordings made of a recording: converted, repaired, cut.

mod content;
mod output;

use gametape_core::tape::{
    self, Converted, Cut, Cutout, OptionDef, Options, Repaired, Sink, Target, Verb, Work,
};

use crate::{Error, Recording};
pub use content::{Content, Draft, write_recording};
pub use output::{
    Existing, UnsyncedFolders, folder_for, remove_leftovers, remove_unfinished, write_file,
};

/// A new recording, and the outcome of making it.
#[derive(Debug)]
pub struct Made<T> {
    /// Losses, changes and notes.
    pub outcome: T,
    /// The content of the file.
    pub content: Content,
}

impl Recording {
    /// Writes the recording in another form. Without options, converting to the same format gives
    /// an identical file.
    ///
    /// # Errors
    /// Same as [`Recording::convert_with`].
    pub fn convert(&self, to: &str, options: &Options) -> Result<Made<Converted>, Error> {
        self.convert_with(to, options, &Work::default())
    }

    /// Like [`Recording::convert`], for large recordings: with a folder for temporary files,
    /// progress and cancellation.
    ///
    /// # Errors
    /// [`tape::Error::NoConversion`]; an error if neither format knows an option, or if the
    /// recording cannot be read to its end.
    pub fn convert_with(
        &self,
        to: &str,
        options: &Options,
        work: &Work<'_>,
    ) -> Result<Made<Converted>, Error> {
        let no_conversion = || tape::Error::no_conversion(self.format().name(), to);
        let target = self.explain(self.formats.get(to).ok_or_else(no_conversion))?;
        let what = format!("to convert {} to {to}", self.format().name());
        let check = |defs: &[OptionDef]| {
            let checked = options.check(&what, defs);
            self.explain(checked.map_err(Into::into))
        };
        if target.kind() != self.format().kind() {
            // A format of another kind can be built only from the tables.
            let maker = self.explain(target.maker().ok_or_else(no_conversion))?;
            check(target.options(Verb::Write))?;
            return self.make(work, |out| maker.make(self.tape(), options, out, work));
        }
        let mut defs = self.format().options(Verb::Convert).to_vec();
        defs.extend(target.options(Verb::Write));
        check(&defs)?;
        let target = Target {
            format: to,
            options,
        };
        self.make(work, |out| self.tape().convert(target, out, work))
    }

    /// Keeps the intact parts of a broken recording.
    ///
    /// # Errors
    /// If nothing is intact.
    pub fn repair(&self, options: &Options) -> Result<Made<Repaired>, Error> {
        self.repair_with(options, &Work::default())
    }

    /// Like [`Recording::repair`], for large recordings: with a folder for temporary files,
    /// progress and cancellation.
    ///
    /// # Errors
    /// Same as [`Recording::repair`].
    pub fn repair_with(&self, options: &Options, work: &Work<'_>) -> Result<Made<Repaired>, Error> {
        self.check("repair", options, Verb::Repair)?;
        self.make(work, |out| self.tape().repair(options, out, work))
    }

    fn make<T>(
        &self,
        work: &Work<'_>,
        make: impl FnOnce(&mut dyn Sink) -> Result<T, tape::Error>,
    ) -> Result<Made<T>, Error> {
        let of_output = |error| match error {
            Error::Io { path, source } => Error::Tape {
                path,
                source: tape::Error::Output(source),
            },
            error => error,
        };
        let mut draft = Draft::in_folder(work.folder, self.path()).map_err(of_output)?;
        let outcome = self.explain(make(&mut draft))?;
        let content = draft.finish().map_err(of_output)?;
        Ok(Made { outcome, content })
    }

    /// Cuts a part out of the recording, in the same format.
    ///
    /// # Errors
    /// Same as [`Recording::cut_with`].
    pub fn cut(&self, cut: &Cut, options: &Options) -> Result<Made<Cutout>, Error> {
        self.cut_with(cut, options, &Work::default())
    }

    /// Like [`Recording::cut`], for large recordings: with a folder for temporary files, progress
    /// and cancellation.
    ///
    /// # Errors
    /// [`tape::Error::Uncut`] if a part of this recording would not be a valid recording;
    /// [`tape::Error::NothingIn`] if the range is empty; an error if the format does not know an
    /// option, or if the range cannot be read.
    pub fn cut_with(
        &self,
        cut: &Cut,
        options: &Options,
        work: &Work<'_>,
    ) -> Result<Made<Cutout>, Error> {
        self.check("cut", options, Verb::Cut)?;
        self.make(work, |out| {
            let cutout = self.tape().cut(cut, options, out, work);
            cutout.map_err(|error| self.instead(error))
        })
    }

    /// Adds a suggestion to [`tape::Error::Uncut`]: another format to convert to, which can be cut.
    fn instead(&self, mut error: tape::Error) -> tape::Error {
        if let tape::Error::Uncut { instead, .. } = &mut error {
            let mut others = self.formats.iter();
            let other = others
                .find(|format| format.maker().is_some() && format.kind() != self.format().kind());
            let extension = other.and_then(|format| format.extensions().first());
            *instead = extension.map(|extension| (*extension).to_owned());
        }
        error
    }
}
