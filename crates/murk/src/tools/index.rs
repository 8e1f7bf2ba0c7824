//! Making the index of a recording.

use std::fs::File;
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_core::tape::{Error, Source, Tape};

use crate::tape::{Beside, MurkError, MurkTape, index_path};
use crate::{Damage, Index, IndexBuilder};

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
    match damage(tape) {
        None | Some(None) => Ok(()),
        Some(Some(damage)) => Err(refused(
            &damage,
            "repair the recording, or remove its index to have another one made of it as it is",
        )),
    }
}

/// Refuses to go on with a recording that is not what it was when its index was made: only as long as
/// it is, the index knows how to mend it. True where there is an index, and it is of the recording as
/// it is.
pub(super) fn vouches(path: &Path) -> Result<bool, Error> {
    if !index_path(path).exists() {
        return Ok(false);
    }
    let input = File::open(path).and_then(Input::file).map_err(Error::Io)?;
    let tape = MurkTape::new(Source::new(input).lying_at(path));
    let advice = |damage: &Damage| match damage.bit() {
        Some(_) => "nothing was changed: `gametape repair` turns it back",
        None => {
            "nothing was changed: `gametape repair` can't turn that back; without its index the \
             recording is gone on with, if it can be replayed"
        }
    };
    match damage(&tape) {
        None => Ok(false),
        Some(None) => Ok(true),
        Some(Some(damage)) => Err(refused(&damage, advice(&damage))),
    }
}

/// The first damage that the index beside a recording knows of; nothing where there is none, or one
/// that is damaged itself, or of another recording.
fn damage(tape: &MurkTape) -> Option<Option<Damage>> {
    let beside = Beside::find(tape)?.ok()?;
    let index = Index::open_whole(beside.input(), tape.input()).ok()?;
    let first = index.damages(tape.input()).next();
    first.transpose().ok()
}

/// What the index knows of damage, and what to do about it.
fn refused(damage: &Damage, advice: &str) -> Error {
    let finding = damage.finding();
    MurkError::Damaged {
        code: finding.code(),
        offset: finding.place.offset,
        message: format!("{}: {}; {advice}", finding.place, finding.message()),
    }
    .into()
}
