//! The index beside a recording: used where it fits, and made.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::{fs, io};

use gametape_core::Input;
use gametape_core::tape::{Disk, Error, Files, Source, Tape, Work};

use super::{MurkTape, damaged};
use crate::{
    Auditor, Change, Damage, Finding, Frame, Index, IndexBuilder, IndexError, Rule, Unused,
};

/// Returns the path of the index of a recording: `run.murk` has `run.murk.index`.
#[must_use]
pub fn index_path(recording: &Path) -> PathBuf {
    let mut name = OsString::from(recording);
    name.push(".index");
    name.into()
}

/// A file at the path of an index.
pub(crate) struct Beside(Input);

impl Beside {
    /// Returns the file beside a recording, or the reason why it can't be read; `None` if there is none.
    pub fn of(tape: &MurkTape) -> Option<Result<Self, Unused>> {
        Self::at(&index_path(tape.path()?), tape.files())
    }

    fn at(path: &Path, files: &dyn Files) -> Option<Result<Self, Unused>> {
        match files.open(path) {
            Ok(input) => Some(Ok(Self(input))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err(Unused::Unreadable(error.to_string()))),
        }
    }

    pub const fn input(&self) -> &Input {
        &self.0
    }

    /// Opens the index, if it fits the recording and is intact: a damaged index would report damage that the
    /// recording does not have.
    pub fn open_whole(&self, recording: &Input) -> Result<Index<&Input>, Unused> {
        Index::open_whole(&self.0, recording).map_err(unused)
    }
}

/// Returns the index beside a recording, if it fits as far as that shows in constant time. Callers must
/// check each frame that it gives.
pub(super) fn fitting(tape: &MurkTape) -> Option<Index<Input>> {
    let beside = Beside::of(tape)?.ok()?;
    let index = Index::open(beside.0).ok()?;
    index.check(&tape.input).ok()?;
    Some(index)
}

/// Returns the reason why an index is not used. An error of reading is one, too.
pub(super) fn unused(error: IndexError) -> Unused {
    match error {
        IndexError::Unused(reason) => reason,
        error => Unused::Unreadable(error.to_string()),
    }
}

/// Removes the index beside a recording that was replaced, unless it fits. A file that is not an index is
/// left alone.
pub(super) fn remove_stale(path: &Path, recording: &Input) {
    let place = index_path(path);
    let stale = match Beside::at(&place, &Disk) {
        Some(Ok(beside)) => match Index::open(beside.input()) {
            Ok(index) => {
                index.check(recording).is_err() || index.damages(recording).next().is_some()
            }
            Err(_) => false,
        },
        _ => false,
    };
    if stale {
        // If it stays, it is refused wherever it is opened.
        let _ = fs::remove_file(place);
    }
}

/// Compares a recording with the index beside it, while it is audited.
pub(super) struct IndexComparison<'i>(Option<Index<&'i Input>>);

impl<'i> IndexComparison<'i> {
    /// Starts a comparison. An index that does not fit is a finding.
    pub fn new(
        beside: Option<&'i Result<Beside, Unused>>,
        recording: &Input,
        auditor: &mut Auditor,
    ) -> Self {
        let opened = beside.map(|beside| match beside {
            Ok(beside) => beside.open_whole(recording),
            Err(reason) => Err(reason.clone()),
        });
        let mut this = Self(None);
        match opened {
            None => {}
            Some(Err(reason)) => this.give_up(reason, auditor),
            Some(Ok(index)) => {
                match index.header_damage(recording) {
                    Ok(Some(damage)) => auditor.note(damage.finding()),
                    Ok(None) => {}
                    // The reader reports the problem of the recording.
                    Err(_) => return this,
                }
                this.0 = Some(index);
            }
        }
        this
    }

    fn give_up(&mut self, reason: Unused, auditor: &mut Auditor) {
        self.0 = None;
        auditor.note(Finding::new(Rule::IndexStale { reason }));
    }

    /// Compares a frame with its entry in the index.
    pub fn frame(&mut self, recording: &Input, frame: &Frame<'_>, auditor: &mut Auditor) {
        let Some(index) = &self.0 else { return };
        let entry = match index.entry(frame.index) {
            Ok(entry) => entry,
            Err(error) => return self.give_up(unused(error.into()), auditor),
        };
        if let Some(entry) = entry {
            if entry.offset == frame.offset && entry.checksum == IndexBuilder::checksum(frame) {
                return;
            }
            match index.damage(recording, entry) {
                Ok(Some(damage)) => return auditor.note(damage.finding()),
                Ok(None) => {}
                Err(error) => return self.give_up(unused(error.into()), auditor),
            }
        }
        let change = Change::Elsewhere;
        auditor.note(frame.finding(Rule::FrameChanged { change }));
    }

    /// Adds the index's finding for the frame at which reading stopped.
    pub fn explain(&self, recording: &Input, frame: u64, auditor: &mut Auditor) {
        if let Some(index) = &self.0
            && let Ok(Some(entry)) = index.entry(frame)
            && let Ok(Some(damage)) = index.damage(recording, entry)
        {
            auditor.note(damage.finding());
        }
    }
}

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
pub(crate) fn vouches(path: &Path) -> Result<bool, Error> {
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
