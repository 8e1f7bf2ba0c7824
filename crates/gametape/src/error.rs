//! Errors of operations on recordings, with the path of the file.

use std::io;
use std::path::{Path, PathBuf};

use gametape_archive::Fault;
use gametape_core::tape;
use gametape_core::text::{Bytes, Counted, Grouped};
use gametape_core::{Class, Datum, Spell as _};

/// Why an operation on a recording failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {source}", .path.spelled())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A folder where a file was expected.
    #[error("{}: {}", .path.spelled(), self.message())]
    IsFolder {
        /// The folder.
        path: PathBuf,
        /// Whether a recording was expected there, rather than an output or another file.
        recording: bool,
    },
    /// Nothing exists at this path, or nothing matches this pattern.
    #[error("{}: {}", .path.spelled(), self.message())]
    NotFound {
        /// The path or pattern, as it was given.
        path: PathBuf,
    },
    /// Nothing exists at this path, and it is not a valid pattern.
    #[error("{}: {}", .path.spelled(), self.message())]
    Pattern {
        /// The pattern, as it was given.
        path: PathBuf,
        /// The reason.
        message: &'static str,
    },
    /// The content has no known format, and neither does the extension.
    #[error("{}: {}", .path.spelled(), self.message())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// A guess at what the file is instead.
        what: String,
        /// The first bytes.
        head: Vec<u8>,
    },
    /// The file is larger than a limit of the reader.
    #[error("{}: {}", .path.spelled(), self.message())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The extension of the output belongs to another format than the one to be written.
    #[error("{}: {}", .path.spelled(), self.message())]
    Name {
        /// The path of the output.
        path: PathBuf,
        /// The format that the extension belongs to.
        says: &'static str,
        /// The format to be written.
        format: &'static str,
        /// The usual extensions of that format, without the dot.
        extensions: &'static [&'static str],
    },
    /// A file exists where a new one with other bytes was to be written, and it is [kept](crate::Existing::Keep).
    #[error("{} {}", .path.spelled(), self.message())]
    Exists {
        /// The existing file.
        path: PathBuf,
    },
    /// A file cannot be written as requested.
    #[error("{}: {message}", .path.spelled())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        message: String,
    },
    /// An archive, or a file in it, cannot be read.
    #[error("{}: {fault}", .path.spelled())]
    Archive {
        /// The archive, or the file in it.
        path: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
    /// An archive of several recordings where one was expected.
    #[error("{}: {}", .path.spelled(), self.message())]
    Several {
        /// The archive.
        path: PathBuf,
        /// The number of recordings in it.
        recordings: u64,
        /// The first of them.
        first: PathBuf,
    },
    /// The format reports an error of the recording or of the request.
    #[error("{}: {source}", .path.spelled())]
    Tape {
        /// The recording, or the other file that the error is about.
        path: PathBuf,
        /// The error.
        source: tape::Error,
    },
}

impl Error {
    /// Adds the path to an error of the operating system.
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// Adds the path to a fault of an archive.
    pub fn archive(path: &Path) -> impl FnOnce(Fault) -> Self {
        let path = path.to_owned();
        move |fault| Self::Archive { path, fault }
    }

    /// Adds the path to an error of a format, unless the error names another file.
    pub fn tape(path: &Path) -> impl FnOnce(tape::Error) -> Self {
        let path = path.to_owned();
        move |source| match source {
            // An I/O error looks the same, whichever layer met it.
            tape::Error::Io(source) => Self::Io { path, source },
            source => Self::Tape {
                path: source.path().map_or(path, Path::to_owned),
                source,
            },
        }
    }

    /// Returns a short stable code for machine-readable output; for a broken rule, the rule's code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "io",
            Self::IsFolder { .. } => "is-folder",
            Self::NotFound { .. } => "not-found",
            Self::Pattern { .. } => "pattern",
            Self::UnknownFormat { .. } => "unknown-format",
            Self::TooLarge { .. } => "too-large",
            Self::Archive { .. } => "archive",
            Self::Several { .. } => "several",
            Self::Name { .. } => "name",
            Self::Exists { .. } => "exists",
            Self::Unwritable { .. } => "unwritable",
            Self::Tape { source, .. } => source.code(),
        }
    }

    /// Returns whose fault it is.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Io { .. } => Class::Io,
            Self::Archive { fault, .. } => match fault {
                Fault::Io(_) => Class::Io,
                Fault::TooLarge { .. }
                | Fault::TooMany { .. }
                | Fault::TooManyArchives { .. }
                | Fault::TooManyOfOneName { .. } => Class::Limit,
                _ => Class::File,
            },
            Self::UnknownFormat { .. } => Class::File,
            Self::TooLarge { .. } => Class::Limit,
            Self::IsFolder { .. }
            | Self::Several { .. }
            | Self::NotFound { .. }
            | Self::Pattern { .. }
            | Self::Name { .. }
            | Self::Exists { .. }
            | Self::Unwritable { .. } => Class::Caller,
            Self::Tape { source, .. } => source.class(),
        }
    }

    /// Returns the file or pattern.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::IsFolder { path, .. }
            | Self::NotFound { path }
            | Self::Pattern { path, .. }
            | Self::UnknownFormat { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Archive { path, .. }
            | Self::Several { path, .. }
            | Self::Name { path, .. }
            | Self::Exists { path }
            | Self::Unwritable { path, .. }
            | Self::Tape { path, .. } => path,
        }
    }

    /// Returns the offset in the file.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self {
            Self::Tape { source, .. } => source.offset(),
            _ => None,
        }
    }

    /// Returns the error of the format, if it is one.
    #[must_use]
    pub const fn tape_error(&self) -> Option<&tape::Error> {
        match self {
            Self::Tape { source, .. } => Some(source),
            _ => None,
        }
    }

    /// Returns true if the recording itself is damaged; [`repair`](crate::Recording::repair) may
    /// keep its intact parts.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.tape_error().is_some_and(tape::Error::is_broken)
    }

    /// Returns the data of the sentence, by name: those of a broken rule, or the first bytes of a
    /// file with an unknown format; empty for other errors.
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

    /// Returns the sentence without the path at the start.
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
            Self::Archive { fault, .. } => fault.to_string(),
            Self::Several {
                recordings, first, ..
            } => format!(
                "holds {}: name one of them, such as {}",
                Counted(*recordings, "recording"),
                first.spelled()
            ),
            Self::Exists { .. } => "exists and is not replaced".to_owned(),
            Self::NotFound { .. } => "no such file".to_owned(),
            Self::Pattern { message, .. } => format!("is no pattern: {message}"),
            Self::UnknownFormat { what, .. } => {
                format!("not a recording of a known format ({what})")
            }
            Self::TooLarge { size, limit, .. } => {
                format!("{}, the limit is {}", Bytes(*size), Grouped(*limit))
            }
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
