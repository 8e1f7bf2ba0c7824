//! Making the index of a recording.

use std::path::PathBuf;

use gametape_core::tape::{Error, Tape};

use crate::tape::{Beside, MurkError, MurkTape, index_path};
use crate::{Index, IndexBuilder};

/// The index of a recording: a file that has to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexFile {
    /// Where it belongs.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// The frames in it.
    pub frames: u64,
}

/// Makes the index of a recording, to lie beside it. An index that lies there and knows how to mend
/// the recording is not to be replaced: that is an error.
///
/// # Errors
/// Where the recording can't be read to its end: what is damaged already can't be vouched for.
/// [`Error::Unsupported`] for one that is in no file.
pub fn index(tape: &MurkTape) -> Result<IndexFile, Error> {
    let Some(path) = tape.path() else {
        return Err(Error::Unsupported("an index lies beside a file".into()));
    };
    let header = tape.reader()?.offset();
    let mut builder = IndexBuilder::new();
    let read = tape.each(|frame| {
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

/// Refuses to replace an index that knows how to mend the recording.
fn keep_what_helps(tape: &MurkTape) -> Result<(), Error> {
    let Some(Ok(beside)) = Beside::find(tape) else {
        return Ok(());
    };
    let Ok(index) = Index::open_whole(beside.input(), tape.input()) else {
        return Ok(());
    };
    let Some(Ok(damage)) = index.damages(tape.input()).next() else {
        return Ok(());
    };
    let finding = damage.finding();
    Err(MurkError::Damaged {
        code: finding.code(),
        offset: finding.place.offset,
        message: format!(
            "{}: {}; repair the recording, or remove its index to have another one made of it as it is",
            finding.place,
            finding.message()
        ),
    }
    .into())
}
