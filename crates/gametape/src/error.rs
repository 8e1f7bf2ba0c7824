//! What can go wrong with any recording.

use std::io;
use std::path::{Path, PathBuf};

use crate::Format;

/// Why something could not be done with a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", .path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder where a file was expected.
    #[error("{}: is a folder", .path.display())]
    IsFolder {
        /// Which.
        path: PathBuf,
    },
    /// Nothing is at this path, or nothing matches this pattern.
    #[error("{pattern}: no such file")]
    NotFound {
        /// As it was given.
        pattern: String,
    },
    /// The content is of no known format, and the extension says nothing.
    #[error("{}: not a recording of a known format ({what})", .path.display())]
    UnknownFormat {
        /// Which file.
        path: PathBuf,
        /// What is there instead.
        what: String,
    },
    /// The file is larger than the reader is willing to take.
    #[error("{}: {size} bytes, the limit is {limit}", .path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The file breaks a rule of its format.
    #[error("{}: {message}", .path.display())]
    Broken {
        /// Which file.
        path: PathBuf,
        /// The rule's code, such as `rmv.truncated`.
        code: &'static str,
        /// Where in the file.
        offset: Option<u64>,
        /// The sentence.
        message: String,
    },
    /// The recording can't be written as asked.
    #[error("{}: {message}", .path.display())]
    Unwritable {
        /// The recording.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// There is no conversion between these.
    #[error("{}: {from} can't be converted to {to}", .path.display())]
    NoConversion {
        /// The recording.
        path: PathBuf,
        /// Its format.
        from: Format,
        /// What was asked for.
        to: String,
    },
    /// A position would be further off than was allowed.
    #[error("{}: the {what} of frame {frame} would be {metres} m off; {most} m are allowed", .path.display())]
    TooFarOff {
        /// The recording.
        path: PathBuf,
        /// Which position is furthest off.
        what: &'static str,
        /// In which frame, from 0.
        frame: u64,
        /// How far it is.
        metres: f32,
        /// How far it may be.
        most: f32,
    },
    /// Recordings of two formats can't be compared.
    #[error("{}: is {format}, the other recording is {other}", .path.display())]
    FormatsDiffer {
        /// The second recording.
        path: PathBuf,
        /// Its format.
        format: Format,
        /// The format of the first.
        other: Format,
    },
    /// What is asked for can't be done with this kind of recording.
    #[error("{}: {message}", .path.display())]
    Unsupported {
        /// The recording.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// The recording has no such tick.
    #[error("{}: tick {tick} is not recorded", .path.display())]
    NoTick {
        /// The recording.
        path: PathBuf,
        /// The tick.
        tick: u64,
    },
    /// The schema of packets is not there, can't be read, or is another one.
    #[error("{}: {message}", .path.display())]
    Schema {
        /// The recording, or the schema.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A world can't be built.
    #[error("{}: {message}", .path.display())]
    World {
        /// The file that describes it, or the recording.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A list of commands can't be read.
    #[error("{}: line {line}: {message}", .path.display())]
    Commands {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// A simulation can't go on.
    #[error("{}: {message}", .path.display())]
    Simulation {
        /// The recording, or the world.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

impl Error {
    /// A short stable code for machine-readable output.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::IsFolder { .. } => "is-folder",
            Self::NotFound { .. } => "not-found",
            Self::UnknownFormat { .. } => "unknown-format",
            Self::TooLarge { .. } => "too-large",
            Self::Broken { code, .. } => code,
            Self::Unwritable { .. } => "unwritable",
            Self::NoConversion { .. } => "no-conversion",
            Self::TooFarOff { .. } => "too-far-off",
            Self::FormatsDiffer { .. } => "formats-differ",
            Self::Unsupported { .. } => "unsupported",
            Self::NoTick { .. } => "no-tick",
            Self::Schema { .. } => "schema",
            Self::World { .. } => "world",
            Self::Commands { .. } => "commands",
            Self::Simulation { .. } => "simulation",
        }
    }

    /// Which file it is about; `None` where only a pattern is known.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. }
            | Self::IsFolder { path }
            | Self::UnknownFormat { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Broken { path, .. }
            | Self::Unwritable { path, .. }
            | Self::NoConversion { path, .. }
            | Self::TooFarOff { path, .. }
            | Self::FormatsDiffer { path, .. }
            | Self::Unsupported { path, .. }
            | Self::NoTick { path, .. }
            | Self::Schema { path, .. }
            | Self::World { path, .. }
            | Self::Commands { path, .. }
            | Self::Simulation { path, .. } => Some(path),
            Self::NotFound { .. } => None,
        }
    }

    /// The sentence without the path in front.
    ///
    /// ```
    /// let error = gametape::Recording::from_bytes(Vec::new(), "a: c.xyz").unwrap_err();
    /// assert_eq!(error.to_string(), "a: c.xyz: not a recording of a known format (it is empty)");
    /// assert_eq!(error.message(), "not a recording of a known format (it is empty)");
    /// ```
    #[must_use]
    pub fn message(&self) -> String {
        let mut sentence = self.to_string();
        if let Some(path) = self.path() {
            // Every sentence begins with its path, whatever is in that.
            let before = path.display().to_string().len() + ": ".len();
            sentence.replace_range(..before.min(sentence.len()), "");
        }
        sentence
    }
}
