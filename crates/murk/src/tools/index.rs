//! Makes the index of a recording.

use std::fs::File;
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_core::tape::{Error, Source, Tape, Work};

use crate::tape::{Beside, MurkTape, damaged, index_path};
use crate::{Damage, IndexBuilder};

/// The index of a recording, as a file to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexFile {
    /// The path for it.
    pub path: PathBuf,
    /// The content.
    pub bytes: Vec<u8>,
    /// The number of frames in it, which are all frames of the recording.
    pub frames: u64,
}

/// Makes the index of a recording, to lie beside it. It is an error if an existing index can mend
/// the recording, because that one must not be replaced.
///
/// # Errors
/// If the recording can't be read to its end, because an index would not help against damage that
/// exists already. [`Error::Unsupported`] for a recording that is not in a file.
pub fn index(tape: &MurkTape) -> Result<IndexFile, Error> {
    let Some(path) = tape.path() else {
        return Err(Error::Unsupported("an index lies beside a file".into()));
    };
    let mut reader = tape.reader();
    reader.header()?;
    let header = reader.offset();
    let mut builder = IndexBuilder::new();
    let read = tape.each(&Work::default(), |frame| {
        builder.push(frame);
        Ok::<(), Error>(())
    })?;
    if let Some(problem) = read.problem {
        return Err(problem);
    }
    let header = tape.input().head(header).map_err(Error::Io)?;
    keep_what_helps(tape)?;
    Ok(IndexFile {
        path: index_path(path),
        frames: builder.frames(),
        bytes: builder.finish(&header),
    })
}

/// Refuses to replace an index that can mend the recording.
fn keep_what_helps(tape: &MurkTape) -> Result<(), Error> {
    compared(
        tape,
        |_| "repair the recording, or remove its index to have another one made of it as it is",
    )?;
    Ok(())
}

/// Refuses to continue a recording that has changed since its index was made, because the index can
/// mend it only while it is the same. Returns true if there is an index of the recording as it is.
pub(super) fn vouches(path: &Path) -> Result<bool, Error> {
    if !index_path(path).exists() {
        return Ok(false);
    }
    let input = File::open(path).and_then(Input::file).map_err(Error::Io)?;
    let tape = MurkTape::new(Source::new(input).lying_at(path));
    compared(&tape, |damage| match damage.bit() {
        Some(_) => "nothing was changed: `gametape repair` turns it back",
        None => {
            "nothing was changed: `gametape repair` can't turn that back; without its index the \
             recording is gone on with, if it can be replayed"
        }
    })
}

/// Returns true if the index beside a recording matches it; false if there is none, or one that is
/// damaged itself or belongs to another recording. Damage that the index reveals is an error, with
/// advice.
fn compared(tape: &MurkTape, advice: impl Fn(&Damage) -> &'static str) -> Result<bool, Error> {
    let Some(Ok(beside)) = Beside::of(tape) else {
        return Ok(false);
    };
    let Ok(index) = beside.open_whole(tape.input()) else {
        return Ok(false);
    };
    let damage = match index.damages(tape.input()).next() {
        None => return Ok(true),
        Some(Err(_)) => return Ok(false),
        Some(Ok(damage)) => damage,
    };
    Err(damaged(&damage.finding(), advice(&damage)))
}
