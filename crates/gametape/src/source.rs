//! Where the bytes of a recording come from.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Deref;
use std::path::Path;

use gametape_delta::Schema;
use memmap2::Mmap;

use crate::Error;

/// Bounds on what is taken in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Largest stream that is held in memory, in bytes. Files are mapped: for them it bounds
    /// only what is not a regular file.
    pub max_held_bytes: u64,
}

impl Default for Limits {
    /// 1 GiB.
    fn default() -> Self {
        Self {
            max_held_bytes: 1 << 30,
        }
    }
}

/// Files up to this size are read, larger ones mapped: a short read costs less than a mapping,
/// and a small file can't be pulled away while it is looked at.
const MAP_FROM: u64 = 1 << 20;

/// What can be read from any place.
pub(crate) trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// The bytes of a recording, held or mapped.
#[derive(Debug)]
pub(crate) struct Source {
    bytes: Bytes,
    /// The schema that the caller gave, for packets that have none beside them.
    pub schema: Option<Schema>,
}

#[derive(Debug)]
enum Bytes {
    Held(Vec<u8>),
    Mapped(Mmap, File),
}

impl From<Bytes> for Source {
    fn from(bytes: Bytes) -> Self {
        let schema = None;
        Self { bytes, schema }
    }
}

impl Deref for Source {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Held(bytes) => bytes,
            Bytes::Mapped(map, _) => map,
        }
    }
}

impl Source {
    pub fn held(bytes: Vec<u8>) -> Self {
        Bytes::Held(bytes).into()
    }

    pub fn open(path: &Path, limits: &Limits) -> Result<Self, Error> {
        let io = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let meta = file.metadata().map_err(io)?;
        if meta.is_dir() {
            return Err(Error::IsFolder {
                path: path.to_owned(),
            });
        }
        if meta.is_file() && meta.len() >= MAP_FROM {
            return map(&file)
                .map(|map| Bytes::Mapped(map, file).into())
                .map_err(io);
        }
        Self::take(file, meta.len(), path, limits)
    }

    /// The bytes once more, as a stream: of a mapped file the pages that were read are not held,
    /// so that a recording larger than memory can be gone through.
    pub fn stream(&self) -> io::Result<Box<dyn ReadSeek + '_>> {
        Ok(match &self.bytes {
            Bytes::Held(bytes) => Box::new(io::Cursor::new(bytes.as_slice())),
            Bytes::Mapped(_, file) => {
                let mut file = file;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
        })
    }

    /// Reads a stream to its end.
    pub fn take(
        source: impl Read,
        expected: u64,
        path: &Path,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let limit = limits.max_held_bytes;
        let mut bytes = Vec::with_capacity(expected.min(MAP_FROM) as usize + 1);
        source
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| Error::Io {
                path: path.to_owned(),
                source,
            })?;
        if bytes.len() as u64 > limit {
            return Err(Error::TooLarge {
                path: path.to_owned(),
                size: bytes.len() as u64,
                limit,
            });
        }
        Ok(Self::held(bytes))
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is private and only read. Another process that truncates the file while
    // it is mapped can kill this one with SIGBUS; every mapping reader has that risk, and large
    // recordings can't be held in memory instead.
    unsafe { Mmap::map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_held_up_to_the_limit_and_no_further() {
        let limits = Limits { max_held_bytes: 4 };
        let take = |bytes: &[u8]| Source::take(bytes, 0, Path::new("-"), &limits);
        assert_eq!(&*take(b"four").unwrap(), b"four");
        let endless = Source::take(io::repeat(0), 0, Path::new("-"), &limits);
        assert_eq!(endless.unwrap_err().code(), "too-large");
    }

    #[test]
    fn large_files_are_mapped_and_small_ones_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (len, mapped) in [(MAP_FROM - 1, false), (MAP_FROM, true)] {
            std::fs::write(&path, vec![7; len as usize]).unwrap();
            let source = Source::open(&path, &Limits::default()).unwrap();
            assert_eq!(matches!(source.bytes, Bytes::Mapped(..)), mapped);
            assert_eq!(source.len() as u64, len);
        }
    }
}
