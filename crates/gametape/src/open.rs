//! Opens a path as an input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use gametape_core::Input;
use gametape_core::Spell as _;
use gametape_core::tape::Options;
use memmap2::Mmap;

use crate::Error;

/// Limits on the size of inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The largest stream that is read into memory, in bytes. Regular files are read at offsets or
    /// mapped, so the limit applies only to other files, such as pipes, and to folders.
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

/// Options for opening a recording.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct OpenOptions {
    /// Limits on the size of inputs.
    pub limits: Limits,
    /// Whether large files are mapped, which makes some of them faster to read. By default they are
    /// not, because a truncation by another process kills the process that maps the file, and a
    /// recording is truncated when writing resumes. A server never maps.
    pub map: bool,
    /// The format's options for [`Verb::Open`](gametape_core::tape::Verb::Open).
    pub options: Options,
}

/// Smaller files are read into memory: this is the fastest way, and later changes of the file do
/// not matter.
const HOLD_UP_TO: u64 = 1 << 20;

pub(crate) fn file(path: &Path, options: &OpenOptions) -> Result<Input, Error> {
    let file = File::open(path)
        .map_err(|error| of_link(path, error))
        .map_err(Error::io(path))?;
    let meta = file.metadata().map_err(Error::io(path))?;
    if meta.is_dir() {
        return Err(Error::IsFolder {
            path: path.to_owned(),
            recording: true,
        });
    }
    // Files of the system, such as those in /proc, report a size of 0 although they have content.
    if !meta.is_file() || meta.len() == 0 {
        return stream(file, path, &options.limits);
    }
    let is_held = meta.len() < HOLD_UP_TO && meta.len() <= options.limits.max_held_bytes;
    let input = if is_held {
        hold(&file, meta.len()).map(Input::memory)
    } else if options.map {
        map(&file).map(Input::memory)
    } else {
        Input::file(file)
    };
    input.map_err(Error::io(path))
}

/// Reads a file of this size, usually with one system call, because with many small files each call
/// matters.
fn hold(mut file: &File, size: u64) -> io::Result<Vec<u8>> {
    let size = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; size];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read(rest) {
            // The file has become shorter.
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Reads a stream to its end.
pub(crate) fn stream(source: impl Read, path: &Path, limits: &Limits) -> Result<Input, Error> {
    let limit = limits.max_held_bytes;
    Input::take(source, limit)
        .map_err(Error::io(path))?
        .map_err(|size| Error::TooLarge {
            path: path.to_owned(),
            size,
            limit,
        })
}

#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is private and only read. If another process truncates the file while it is
    // mapped, this process can be killed with SIGBUS. Callers that ask for a map accept this.
    unsafe { Mmap::map(file) }
}

/// Says of a link to nothing where it leads; the system says only that there is no such file.
fn of_link(path: &Path, error: io::Error) -> io::Error {
    if error.kind() != io::ErrorKind::NotFound {
        return error;
    }
    match fs::read_link(path) {
        Ok(target) => io::Error::new(
            error.kind(),
            format!("is a link to {}, which is not there", target.spelled()),
        ),
        Err(_) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_stream_is_too_large() {
        let limits = Limits { max_held_bytes: 4 };
        let error = stream(io::repeat(0), Path::new("-"), &limits).unwrap_err();
        assert_eq!(error.code(), "too-large");
    }

    #[test]
    fn large_files_are_mapped_only_where_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (len, map, in_memory) in [
            (HOLD_UP_TO - 1, false, true),
            (HOLD_UP_TO - 1, true, true),
            (HOLD_UP_TO, false, false),
            (HOLD_UP_TO, true, true),
        ] {
            fs::write(&path, vec![7; len as usize]).unwrap();
            let options = OpenOptions {
                map,
                ..OpenOptions::default()
            };
            let input = file(&path, &options).unwrap();
            assert_eq!(input.in_memory().is_some(), in_memory);
            assert_eq!(input.size(), len);
            assert_eq!(input.bytes().unwrap().len() as u64, len);
        }
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, [7; 1000]).unwrap();
        for (max_held_bytes, in_memory) in [(1000, true), (999, false)] {
            let options = OpenOptions {
                limits: Limits { max_held_bytes },
                ..OpenOptions::default()
            };
            let input = file(&path, &options).unwrap();
            assert_eq!(input.in_memory().is_some(), in_memory);
            assert_eq!(*input.bytes().unwrap(), [7; 1000]);
        }
    }
}
