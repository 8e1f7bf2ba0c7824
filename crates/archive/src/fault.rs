//! Limits of what is unpacked, and faults of archives and of the files in them.

use std::sync::Arc;
use std::{fmt, io};

use gametape_core::text::{Bytes, Counted, Crc32};
use gametape_core::{Datum, ToDatum};

/// A reason why an archive, or a file in it, can't be read, or not to its end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It can't be read from the disk, or what is unpacked can't be written there.
    #[error("{0}")]
    Io(#[source] Arc<io::Error>),
    /// These are not the bytes of an archive.
    #[error("it is no archive")]
    NoArchive,
    /// The archive ends early.
    #[error("the archive ends early: {0}")]
    Cut(Cut),
    /// The file needs a password.
    #[error("it is encrypted; unpack it first")]
    Encrypted,
    /// The file is compressed in a way that is not read.
    #[error("it is compressed by method {0} of zip, which is not read; compress it again")]
    Method(u16),
    /// The compressed data is broken.
    #[error("its compressed data is cut off or damaged")]
    Broken,
    /// The checksum does not match.
    #[error("its checksum is {found}, and {stored} is stored: it is damaged")]
    Checksum {
        /// The checksum of the data.
        found: Crc32,
        /// The checksum in the archive.
        stored: Crc32,
    },
    /// The header of a file in a tar is broken: whatever comes after it can't be found.
    #[error("the header of a file in the tar is broken, and the files after it are not found")]
    Tar,
    /// A tar has a link here, to a file that is not in it.
    #[error("it is a link to a file that is not in the tar")]
    Link,
    /// A tar has a file here whose zeros are left out.
    #[error("its zeros are left out in the tar, which is not read; pack it as a whole file")]
    Sparse,
    /// The content is larger than the limit.
    #[error("it is unpacked to more than {}", Bytes(*.limit))]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// There are more files than the limit allows.
    #[error("it holds more than {}", Counted(*.limit, "file"))]
    TooMany {
        /// The limit.
        limit: u64,
    },
    /// There are more archives in it, and in these, than the limit allows.
    #[error("it holds more than {}", Counted(*.limit, "archive"))]
    TooManyArchives {
        /// The limit.
        limit: u64,
    },
    /// There are more files of one name than the limit allows.
    #[error("it holds {} of one name", Counted(*.files, "file"))]
    TooManyOfOneName {
        /// The number of files of this name.
        files: u64,
    },
    /// Files of a zip share their data: it was made to be larger than it looks.
    #[error("its files lie on top of each other")]
    Overlap,
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}

/// The reason why an archive ends early.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Cut {
    /// Its table is missing.
    Table,
    /// A file is not where the table says.
    File,
    /// A file's data ends early.
    Data,
    /// The message of the zip reader.
    Other(String),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Table => "it was not finished, or the table at its end is broken",
            Self::File => "a file is not where the table says",
            Self::Data => "the data of a file ends before the file",
            Self::Other(message) => message,
        })
    }
}

impl ToDatum for Cut {
    fn to_datum(&self) -> Datum {
        let cause = match self {
            Self::Table => "table",
            Self::File => "file",
            Self::Data => "data",
            Self::Other(message) => message,
        };
        Datum::Text(cause.to_owned().into())
    }
}

/// Whether an error is about the data rather than the disk.
#[cfg(feature = "zip")]
pub(crate) fn is_of_the_data(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            // What the decoders say of broken data.
            | io::ErrorKind::Other
    )
}

/// Limits on archives. They are checked while unpacking, whatever an archive declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest file that is unpacked, in bytes.
    pub max_bytes: u64,
    /// How many times larger than its packed data a file may be, once it is larger than
    /// [`Limits::free_bytes`]. Recordings are packed to a tenth or a hundredth.
    pub max_ratio: u64,
    /// Up to this size, the ratio is not checked.
    pub free_bytes: u64,
    /// The largest number of files in an archive.
    pub max_files: u64,
    /// The largest number of files of one name in an archive.
    pub max_of_one_name: u64,
    /// The largest number of archives in an archive, in all of its depths.
    pub max_archives: u64,
    /// The number of archives in each other that are opened.
    pub max_depth: usize,
}

impl Default for Limits {
    /// 64 GiB, a ratio of 300 beyond 32 MiB, a million files, 100 of one name, 1,000 archives, 4 in each other.
    fn default() -> Self {
        Self {
            max_bytes: 64 << 30,
            max_ratio: 300,
            free_bytes: 32 << 20,
            max_files: 1_000_000,
            max_of_one_name: 100,
            max_archives: 1_000,
            max_depth: 4,
        }
    }
}

impl Limits {
    /// Returns the largest size that so much packed data may have.
    #[must_use]
    pub fn of_packed(&self, packed: u64) -> u64 {
        let by_ratio = packed.saturating_mul(self.max_ratio).max(self.free_bytes);
        by_ratio.min(self.max_bytes)
    }
}
