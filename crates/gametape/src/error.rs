//! What can go wrong with any recording, and which it was.

use std::io;
use std::path::{Path, PathBuf};

use gametape_core::tape;
use gametape_core::{Class, Datum};

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
    #[error("{}: {}", .path.display(), self.message())]
    IsFolder {
        /// Which.
        path: PathBuf,
    },
    /// Nothing is at this path, or nothing matches this pattern.
    #[error("{}: {}", .path.display(), self.message())]
    NotFound {
        /// As it was given.
        path: PathBuf,
    },
    /// Nothing is at this path, and it can't be meant as a pattern.
    #[error("{}: {}", .path.display(), self.message())]
    Pattern {
        /// As it was given.
        path: PathBuf,
        /// Why not.
        message: &'static str,
    },
    /// The content is of no known format, and the extension says nothing.
    #[error("{}: {}", .path.display(), self.message())]
    UnknownFormat {
        /// Which file.
        path: PathBuf,
        /// What is there instead.
        what: String,
        /// Its first bytes.
        head: Vec<u8>,
    },
    /// The file is larger than the reader is willing to take.
    #[error("{}: {}", .path.display(), self.message())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// How many bytes it has.
        size: u64,
        /// How many bytes it may have.
        limit: u64,
    },
    /// The name of the output says another format than what is to be written.
    #[error("{}: {}", .path.display(), self.message())]
    Name {
        /// The output.
        path: PathBuf,
        /// The format that has such names.
        says: &'static str,
        /// The format that is to be written.
        format: &'static str,
        /// The endings that the names of its recordings have, without the dot.
        extensions: &'static [&'static str],
    },
    /// A file can't be made as asked.
    #[error("{}: {message}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// What its format says of the recording, or of what is asked of it.
    #[error("{}: {source}", .path.display())]
    Tape {
        /// The recording, or what else it is said of.
        path: PathBuf,
        /// What is wrong.
        source: tape::Error,
    },
}

impl Error {
    /// What the system says of a file.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// What a format says of a recording, or of the file that it names itself.
    pub fn tape(path: &Path) -> impl FnOnce(tape::Error) -> Self {
        let path = path.to_owned();
        move |source| match source {
            // Whoever reads it is told the same, whichever layer met it.
            tape::Error::Io(source) => Self::Io { path, source },
            source => Self::Tape {
                path: source.path().map_or(path, Path::to_owned),
                source,
            },
        }
    }

    /// A short stable code for machine-readable output; that of a broken rule is the rule's.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::IsFolder { .. } => "is-folder",
            Self::NotFound { .. } => "not-found",
            Self::Pattern { .. } => "pattern",
            Self::UnknownFormat { .. } => "unknown-format",
            Self::TooLarge { .. } => "too-large",
            Self::Name { .. } => "name",
            Self::Unwritable { .. } => "unwritable",
            Self::Tape { source, .. } => source.code(),
        }
    }

    /// Whose fault it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Io { .. } => Class::Io,
            Self::UnknownFormat { .. } => Class::File,
            Self::TooLarge { .. } => Class::Limit,
            Self::IsFolder { .. }
            | Self::NotFound { .. }
            | Self::Pattern { .. }
            | Self::Name { .. }
            | Self::Unwritable { .. } => Class::Caller,
            Self::Tape { source, .. } => source.class(),
        }
    }

    /// Which file, or which pattern.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::IsFolder { path }
            | Self::NotFound { path }
            | Self::Pattern { path, .. }
            | Self::UnknownFormat { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Name { path, .. }
            | Self::Unwritable { path, .. }
            | Self::Tape { path, .. } => path,
        }
    }

    /// Where in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Tape { source, .. } => source.offset(),
            _ => None,
        }
    }

    /// What the format says, where it is the format that says it.
    #[must_use]
    pub const fn tape_error(&self) -> Option<&tape::Error> {
        match self {
            Self::Tape { source, .. } => Some(source),
            _ => None,
        }
    }

    /// True where the recording itself is damaged: [`repair`](crate::Recording::repair) may keep
    /// what is whole of it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.tape_error().is_some_and(tape::Error::is_broken)
    }

    /// The figures of the sentence, by name, where it is none of a format's rules.
    #[must_use]
    pub fn data(&self) -> Vec<(&'static str, Datum)> {
        match self {
            Self::UnknownFormat { head, .. } => {
                let digits: Vec<String> = head.iter().map(|byte| format!("{byte:02x}")).collect();
                vec![("starts_with", Datum::Text(digits.concat().into()))]
            }
            Self::Tape {
                source: tape::Error::Broken(finding),
                ..
            } => finding.rule.data.clone(),
            _ => Vec::new(),
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
        match self {
            Self::Io { source, .. } => source.to_string(),
            Self::Tape { source, .. } => source.to_string(),
            Self::Unwritable { message, .. } => message.clone(),
            Self::IsFolder { .. } => "is a folder".to_owned(),
            Self::NotFound { .. } => "no such file".to_owned(),
            Self::Pattern { message, .. } => format!("is no pattern: {message}"),
            Self::UnknownFormat { what, .. } => {
                format!("not a recording of a known format ({what})")
            }
            Self::TooLarge { size, limit, .. } => format!("{size} bytes, the limit is {limit}"),
            Self::Name {
                says,
                format,
                extensions,
                ..
            } => format!(
                "is the name of a recording of {says}; {format} recordings end in .{}",
                extensions.join(" or .")
            ),
        }
    }
}
