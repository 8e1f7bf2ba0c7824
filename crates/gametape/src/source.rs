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
    /// so that a recording larger than memory can be gone through. Each stream has a position of its
    /// own, also where several threads have one.
    pub fn stream(&self) -> Box<dyn ReadSeek + '_> {
        match &self.bytes {
            Bytes::Held(bytes) => Box::new(io::Cursor::new(bytes.as_slice())),
            Bytes::Mapped(_, file) => Box::new(Positioned { file, at: 0 }),
        }
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

/// A file, read from a position of its own: that of the file is shared by all who hold it.
#[derive(Debug)]
struct Positioned<'f> {
    file: &'f File,
    at: u64,
}

impl Read for Positioned<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read_at(self.file, buffer, self.at)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Positioned<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        // As files have it: before the start is nowhere.
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// It moves the file's own position, which nothing here goes by.
#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
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

    /// Two readers of one recording, each at its own pace.
    #[test]
    fn streams_of_one_source_do_not_move_each_other() {
        let bytes: Vec<u8> = (0..3 * MAP_FROM / 4)
            .flat_map(|i| (i as u32).to_le_bytes())
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, &bytes).unwrap();
        let mapped = Source::open(&path, &Limits::default()).unwrap();
        assert!(matches!(mapped.bytes, Bytes::Mapped(..)));
        for source in [mapped, Source::held(bytes.clone())] {
            // They take turns, and each reads all of it.
            let turn = std::sync::Barrier::new(2);
            let read = |piece: usize| {
                let mut stream = source.stream();
                let (mut read, mut buffer) = (Vec::new(), vec![0; piece]);
                for round in 0.. {
                    if round < 10 {
                        turn.wait();
                    }
                    let count = stream.read(&mut buffer).unwrap();
                    if count == 0 {
                        break;
                    }
                    read.extend_from_slice(&buffer[..count]);
                }
                read
            };
            std::thread::scope(|scope| {
                let threads = [1 << 14, 10_007].map(|piece| scope.spawn(move || read(piece)));
                for thread in threads {
                    assert!(thread.join().unwrap() == bytes);
                }
            });
        }
    }

    #[test]
    fn a_stream_goes_where_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..MAP_FROM).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let source = Source::open(&path, &Limits::default()).unwrap();
        let mut stream = source.stream();
        let mut read = |to: SeekFrom| -> io::Result<(u64, Vec<u8>)> {
            let at = stream.seek(to)?;
            let mut buffer = [0; 4];
            let count = stream.read(&mut buffer)?;
            Ok((at, buffer[..count].to_vec()))
        };
        let end = MAP_FROM;
        for (to, at) in [
            (SeekFrom::Start(9), 9),
            (SeekFrom::Current(0), 13),
            (SeekFrom::Current(-7), 10),
            (SeekFrom::End(-2), end - 2),
            (SeekFrom::End(5), end + 5),
            (SeekFrom::Start(0), 0),
        ] {
            let start = (at as usize).min(bytes.len());
            let wanted = &bytes[start..(start + 4).min(bytes.len())];
            assert_eq!(read(to).unwrap(), (at, wanted.to_vec()), "{to:?}");
        }
        // Before the start is nowhere, and the stream stays where it is.
        let error = read(SeekFrom::Current(-5)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read(SeekFrom::Current(0)).unwrap().0, 4);
    }
}
