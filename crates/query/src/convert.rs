//! The conversion of all recordings of an archive.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gametape::core::Spell as _;
use gametape::{
    Content, Converted, Existing, Format, Formats, Kind, Made, OptionDef, OptionKind, Options,
    Recording, TableDef, Value, Verb, Work,
};
use gametape_core::Class;
use gametape_core::Stamp;
use gametape_core::table::Batch;
use gametape_core::tape;
use serde::{Deserialize, Serialize};

use crate::about::columns;
use crate::archive::{Archive, File, Reach};
use crate::store::{Opener, is_url};

pub(crate) static CONVERTED: LazyLock<TableDef> = LazyLock::new(|| {
    columns(
        "converted",
        "The outputs of a conversion, one for each recording.",
        &[
            (
                "output",
                Kind::Text,
                "",
                "The path or the address of the output; null if there is none.",
            ),
            ("bytes", Kind::Uint, "bytes", "The size of the output."),
            (
                "lossy",
                Kind::Bool,
                "",
                "Whether the output contains less than the recording.",
            ),
            (
                "losses",
                Kind::Text,
                "",
                "The losses, in sentences; null if there are none.",
            ),
            (
                "notes",
                Kind::Text,
                "",
                "Oddities of the recording that cause no loss, in sentences.",
            ),
            (
                "report",
                Kind::Text,
                "",
                "The accuracy as JSON, if numbers were rounded.",
            ),
            (
                "problem",
                Kind::Text,
                "",
                "Why there is no output; null if there is one.",
            ),
        ],
    )
});

/// A conversion of recordings to a format, into a folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Conversion {
    /// The name of the format.
    to: String,
    /// The path of a folder, or the address of one.
    folder: String,
    /// The options of the formats: `redact chunk-size=300`.
    options: String,
    #[serde(skip)]
    opener: Opener,
}

impl Conversion {
    /// Returns a message if there is no such format, no recording of the archive can be converted to it, or no
    /// format knows an option.
    pub fn new(archive: &Archive, to: &str, folder: &str, options: &str) -> Result<Self, String> {
        let formats = archive.formats();
        let extension = to.trim_start_matches('.');
        let named = || formats.from_extension(Path::new(&format!("a.{extension}")));
        let target = formats.get(to).or_else(named);
        let target = target.ok_or_else(|| format!("there is no format {to}"))?;
        let kinds = archive.kinds();
        let from: Vec<&dyn Format> = formats
            .iter()
            .filter(|from| kinds.contains(&from.kind()) && is_possible(*from, target))
            .collect();
        if from.is_empty() {
            return Err(format!(
                "no recording can be converted to {}: all are of the kind {}",
                target.name(),
                kinds.join(", ")
            ));
        }
        let defs: Vec<OptionDef> = from.iter().flat_map(|from| known(*from, target)).collect();
        parsed(options, &defs)?;
        let folder = if is_url(folder) {
            folder.to_owned()
        } else {
            let path = std::path::absolute(folder).map_err(|error| format!("{folder}: {error}"))?;
            let text = path.into_os_string().into_string();
            text.map_err(|_| format!("{folder}: not a text"))?
        };
        Ok(Self {
            to: target.name().to_owned(),
            folder,
            options: options.to_owned(),
            opener: Opener::default(),
        })
    }

    /// Converts a recording, and returns its row.
    ///
    /// The name of the output ends with a hash of its content: the same conversion again, after an executor was
    /// lost, writes the same file.
    ///
    /// # Errors
    /// [`tape::Error::Output`] if it cannot be written. Other problems are in the row.
    pub fn rows(
        &self,
        recording: &Recording,
        file: &File,
        archive: &Archive,
    ) -> Result<Batch, gametape::Error> {
        let mut rows = Batch::new(CONVERTED.columns.iter().map(|column| column.kind));
        let made = match self.made(recording, archive) {
            Ok(made) => made,
            Err(gametape::Error::Tape {
                source: tape::Error::Output(error),
                ..
            }) => return Err(self.failed(&error)),
            Err(error) => {
                let problem = error.to_string();
                if error.class() != Class::Caller {
                    archive.found_broken(file, problem.clone());
                }
                let path = format!("{}: ", recording.path().spelled());
                let told = problem.strip_prefix(&path).unwrap_or(&problem);
                let none = std::iter::repeat_n(Value::Null, CONVERTED.columns.len() - 1);
                rows.push(Stamp::default(), none.chain([told.into()]));
                return Ok(rows);
            }
        };
        let Made { outcome, content } = made;
        let bytes = content.size();
        let output = self.written(recording, content, &outcome, archive);
        let output = output.map_err(of_output)?;
        let sentences = |all: &[String]| (!all.is_empty()).then(|| all.join("; "));
        let (losses, notes) = (sentences(&outcome.losses), sentences(&outcome.notes));
        let report = outcome.report.as_ref();
        let report = report.map(|report| report.data.to_string());
        rows.push(
            Stamp::default(),
            [
                output.as_str().into(),
                bytes.into(),
                outcome.is_lossy().into(),
                losses.as_deref().into(),
                notes.as_deref().into(),
                report.as_deref().into(),
                Value::Null,
            ],
        );
        Ok(rows)
    }

    /// The error of an output that has no name yet.
    fn failed(&self, error: &io::Error) -> gametape::Error {
        let text = format!("{}: {error}", self.folder);
        of_output(io::Error::new(error.kind(), text))
    }

    /// Makes the output as a temporary file.
    fn made(
        &self,
        recording: &Recording,
        archive: &Archive,
    ) -> Result<Made<Converted>, gametape::Error> {
        let folder = (!is_url(&self.folder)).then(|| Path::new(&self.folder));
        if let Some(folder) = folder {
            // One that is missing on one machine of many is not mounted there.
            if !matches!(archive.reach(), Reach::Any(_)) {
                let made = std::fs::create_dir_all(folder);
                made.map_err(of_output)?;
            } else if !folder.is_dir() {
                let missing = "an executor has no such folder: it has to be there on all machines";
                let missing = io::Error::new(io::ErrorKind::NotFound, missing);
                return Err(of_output(missing));
            }
        }
        let failed = |message: String| gametape::Error::Tape {
            path: recording.path().to_owned(),
            source: tape::Error::Unsupported(message),
        };
        let target = target(archive.formats(), &self.to).map_err(failed)?;
        let defs = known(recording.format(), target);
        let options = parsed(&self.options, &defs).map_err(failed)?;
        let work = Work {
            folder,
            ..Work::default()
        };
        recording.convert_with(&self.to, &options, &work)
    }

    /// Writes an output, and the files beside it. Returns its path or address.
    fn written(
        &self,
        recording: &Recording,
        content: Content,
        outcome: &Converted,
        archive: &Archive,
    ) -> io::Result<String> {
        let mut hash = blake3::Hasher::new();
        content.write_to(&mut hash)?;
        let hash = hash.finalize().to_hex();
        let (hash, _) = hash.split_at(16);
        let target = target(archive.formats(), &self.to).map_err(io::Error::other)?;
        let stem = recording.path().file_stem().map(OsStr::to_string_lossy);
        let stem = stem.unwrap_or_default();
        let extension = target.extensions().first().copied().unwrap_or_default();
        let name = format!("{stem}-{hash}.{extension}");
        let besides = outcome.beside.iter();
        let beside = besides.map(|file| (file.path(Path::new(&name)), &file.bytes));
        let failed = |error: gametape::Error| io::Error::other(error.to_string());
        if !is_url(&self.folder) {
            let folder = Path::new(&self.folder);
            // The name has a hash of the content: what is there already is the same.
            for (name, bytes) in beside {
                gametape::write_file(&folder.join(name), bytes, Existing::Keep).map_err(failed)?;
            }
            let output = folder.join(&name);
            content.put(&output, Existing::Keep).map_err(failed)?;
            return Ok(output.spelled().into_owned());
        }
        let opener = match archive.reach() {
            Reach::Any(opener) => opener,
            Reach::Found | Reach::Elsewhere { .. } => &self.opener,
        };
        let folder = self.folder.trim_end_matches('/');
        for (name, bytes) in beside {
            let address = format!("{folder}/{}", name.spelled());
            opener.write(&address, |out| out.write_all(bytes))?;
        }
        opener.write(&format!("{folder}/{name}"), |out| content.write_to(out))
    }
}

fn of_output(error: io::Error) -> gametape::Error {
    gametape::Error::Tape {
        path: PathBuf::new(),
        source: tape::Error::Output(error),
    }
}

fn target<'f>(formats: &'f Formats, to: &str) -> Result<&'f dyn Format, String> {
    let missing = || format!("this machine does not know the format {to}");
    formats.get(to).ok_or_else(missing)
}

fn is_possible(from: &dyn Format, to: &dyn Format) -> bool {
    from.kind() == to.kind() || to.maker().is_some()
}

/// The options of a conversion between two formats.
fn known(from: &dyn Format, to: &dyn Format) -> Vec<OptionDef> {
    let mut defs = to.options(Verb::Write).to_vec();
    if from.kind() == to.kind() {
        defs.extend(from.options(Verb::Convert));
    }
    defs
}

/// Parses options as words: `redact chunk-size=300`.
fn parsed(text: &str, defs: &[OptionDef]) -> Result<Options, String> {
    let mut options = Options::new();
    for word in text.split_whitespace() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let def = defs.iter().find(|def| def.name == name);
        let def = def.ok_or_else(|| {
            let names: Vec<&str> = defs.iter().map(|def| def.name).collect();
            let known = if names.is_empty() {
                "there are none".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            format!("there is no option {name}: {known}")
        })?;
        match (def.kind, value) {
            (OptionKind::File { .. }, _) => {
                return Err(format!("{name} is a file, which convert cannot read"));
            }
            (OptionKind::Flag, None) => options = options.flag(name),
            (_, Some(value)) => options.set(name, def.parse(value)?),
            (_, None) => return Err(format!("{name} needs a value: write {name}=VALUE")),
        }
    }
    Ok(options)
}
