//! The files that are recorded into, one after the other.

#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use gametape::{Draft, Error};
use gametape_echo::butter::{self, Journal};
use gametape_echo::{Map, Rule, Session, Time, WriteError, echoreplay};
use serde::Serialize;

use super::answer::Answer;
use super::options::RecordOptions;
use super::zip;
use crate::numbered::numbered;

/// A file that was recorded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Frames that were added to it.
    pub frames: u64,
    /// Frames that were in it before.
    pub frames_before: u64,
    /// Its size.
    pub bytes: u64,
}

/// What makes two sessions one match: what a .butter says once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MatchKey {
    sessionid: String,
    map: Map,
    private: bool,
}

impl MatchKey {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            // A .butter gives it back in capitals.
            sessionid: session.sessionid.to_ascii_uppercase().into(),
            map: session.map_name.clone(),
            private: session.private_match,
        }
    }
}

/// More bytes than a frame and its header take: they are no frame that was cut.
const TORN: u64 = 64 << 10;

#[derive(Debug)]
enum Medium {
    Lines(echoreplay::Writer<File>),
    Journal(Box<Journal<File>>),
}

/// A file that is recorded into.
#[derive(Debug)]
struct Tape {
    path: PathBuf,
    medium: Medium,
    /// Frames of this recording and of those that it goes on with.
    is_empty: bool,
    /// Frames of this recording.
    frames: u64,
    /// Frames that were there before.
    before: u64,
    /// This recording made it. What others made is never removed.
    created: bool,
    /// Holds the lock until the file is finished.
    guard: Option<File>,
    key: Option<MatchKey>,
}

/// How frames are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Lines,
    Butter,
}

/// All files of a recording.
#[derive(Debug)]
pub(super) struct Tapes {
    first: PathBuf,
    kind: Kind,
    split: bool,
    zip: bool,
    butter: butter::Options,
    tape: Tape,
    number: u64,
    done: Vec<RecordedFile>,
    finishing: Option<JoinHandle<Result<Option<RecordedFile>, Error>>>,
    /// Bytes that were taken off the end of a file that is gone on with.
    pub dropped: u64,
    /// True where there were frames before.
    pub resumed: bool,
    /// The last frame that was there before.
    pub last: Option<Time>,
}

impl Tapes {
    /// Makes the first file, or goes on with the last one that is there.
    pub(super) fn open(options: &RecordOptions) -> Result<Self, Error> {
        let path = options.output.clone();
        let kind = kind_of(&path)?;
        if options.zip && kind == Kind::Butter {
            return Err(Error::Unwritable {
                path,
                message: "a .butter is compressed already; a zip is made of an .echoreplay".into(),
            });
        }
        if path.is_dir() {
            return Err(Error::IsFolder { path });
        }
        let mut opened = Opened::default();
        let mut number = 1;
        let tape = if options.resume && path.exists() {
            while numbered(&path, number + 1).exists() {
                number += 1;
            }
            let path = numbered(&path, number);
            if let Some(tape) = resume(&path, kind, options.butter, &mut opened)? {
                tape
            } else {
                number += 1;
                create(numbered(&options.output, number), kind, options.butter)?
            }
        } else {
            create(path, kind, options.butter)?
        };
        Ok(Self {
            first: options.output.clone(),
            kind,
            split: options.split || kind == Kind::Butter,
            zip: options.zip,
            butter: options.butter,
            resumed: !tape.is_empty,
            tape,
            number,
            done: Vec::new(),
            finishing: None,
            dropped: opened.dropped,
            last: opened.last,
        })
    }

    /// The file that is recorded into.
    pub(super) fn path(&self) -> &Path {
        &self.tape.path
    }

    /// Adds a frame. True where a file was begun for it.
    pub(super) fn push(&mut self, answer: &Answer, key: &MatchKey) -> Result<bool, Error> {
        let mut begun = false;
        if self.split && !self.tape.is_empty && self.tape.key.as_ref() != Some(key) {
            self.next()?;
            begun = true;
        }
        let mut pushed = self.tape.push(answer);
        if let Err(WriteError::Unstorable { .. }) = pushed
            && !self.tape.is_empty
        {
            // A header names 255 players at most: the next names others.
            self.next()?;
            begun = true;
            pushed = self.tape.push(answer);
        }
        pushed.map_err(|error| {
            let kept = match self.tape.frames {
                0 => "nothing was recorded".to_owned(),
                1 => "the frame before it is kept".to_owned(),
                frames => format!("the {frames} frames before it are kept"),
            };
            Error::Unwritable {
                path: self.tape.path.clone(),
                message: match error {
                    WriteError::Io(error) => format!("a frame can't be written: {error}; {kept}"),
                    other => format!("{other}; {kept}"),
                },
            }
        })?;
        self.tape.key.get_or_insert_with(|| key.clone());
        self.tape.is_empty = false;
        self.tape.frames += 1;
        Ok(begun)
    }

    /// Goes on in the next file. The one before is finished meanwhile.
    fn next(&mut self) -> Result<(), Error> {
        self.join()?;
        let tape = loop {
            self.number += 1;
            let path = numbered(&self.first, self.number);
            if !path.exists() {
                break create(path, self.kind, self.butter)?;
            }
        };
        let before = std::mem::replace(&mut self.tape, tape);
        let zip = self.zip;
        self.finishing = Some(thread::spawn(move || before.finish(zip)));
        Ok(())
    }

    /// Waits for the file before to be finished.
    fn join(&mut self) -> Result<(), Error> {
        if let Some(finishing) = self.finishing.take()
            && let Ok(finished) = finishing.join()
        {
            self.done.extend(finished?);
        }
        Ok(())
    }

    /// Finishes all files, and says what is in them. Where nothing is, none is left.
    pub(super) fn finish(mut self) -> Result<Vec<RecordedFile>, Error> {
        let before = self.join();
        let last = self.tape.finish(self.zip);
        before?;
        self.done.extend(last?);
        Ok(self.done)
    }
}

impl Tape {
    fn push(&mut self, answer: &Answer) -> Result<(), WriteError> {
        match &mut self.medium {
            Medium::Lines(lines) => lines.push_line(&answer.line()?),
            Medium::Journal(journal) => journal.push(&answer.frame),
        }
    }

    /// Finishes the file; `None` where nothing is in it: it is gone, or as it was before.
    fn finish(self, zip: bool) -> Result<Option<RecordedFile>, Error> {
        if self.is_empty {
            let Self { path, medium, .. } = self;
            drop(medium);
            if self.created {
                // It would be in the way of the next try.
                let _ = fs::remove_file(path);
            }
            return Ok(None);
        }
        let Self {
            path,
            medium,
            frames,
            before,
            guard: _guard,
            ..
        } = self;
        let unfinished = |error: &dyn std::fmt::Display| Error::Unwritable {
            path: path.clone(),
            message: format!(
                "can't be finished: {error}; all frames are in it, and repair finishes it"
            ),
        };
        match medium {
            Medium::Lines(lines) => {
                let file = lines.finish().map_err(|error| unfinished(&error))?;
                file.sync_all().map_err(Error::io(&path))?;
                if zip {
                    zip::replace(&path)?;
                }
            }
            Medium::Journal(journal) => {
                let folder = gametape::folder_for(&path)?.unwrap_or_default();
                let spool = tempfile::tempfile_in(folder).map_err(|error| unfinished(&error))?;
                let mut draft = Draft::of(&path).map_err(|error| unfinished(&error.message()))?;
                journal
                    .finish(spool, &mut draft)
                    .map_err(|error| unfinished(&error))?;
                let put = draft.finish().and_then(|content| content.put(&path));
                put.map_err(|error| unfinished(&error.message()))?;
            }
        }
        let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
        Ok(Some(RecordedFile {
            path,
            frames,
            frames_before: before,
            bytes,
        }))
    }
}

#[derive(Default)]
struct Opened {
    dropped: u64,
    last: Option<Time>,
}

fn create(path: PathBuf, kind: Kind, options: butter::Options) -> Result<Tape, Error> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .map_err(|error| Error::Unwritable {
            path: path.clone(),
            message: match error.kind() {
                io::ErrorKind::AlreadyExists => "is there already".into(),
                io::ErrorKind::NotFound => {
                    let folder = path.parent().unwrap_or(&path);
                    format!("no such folder: {}", folder.display())
                }
                _ => error.to_string(),
            },
        })?;
    let guard = lock(&file, &path)?;
    Ok(Tape {
        path,
        created: true,
        guard,
        before: 0,
        medium: match kind {
            Kind::Lines => Medium::Lines(echoreplay::Writer::new(file)),
            Kind::Butter => Medium::Journal(Box::new(Journal::new(file, options))),
        },
        is_empty: true,
        frames: 0,
        key: None,
    })
}

/// Goes on with a file; `None` where it is finished.
fn resume(
    path: &Path,
    kind: Kind,
    options: butter::Options,
    opened: &mut Opened,
) -> Result<Option<Tape>, Error> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let refuse = |message: String| Error::Unwritable {
        path: path.to_owned(),
        message: format!("can't be gone on with: {message}"),
    };
    let meta = fs::metadata(path).map_err(io)?;
    if !meta.is_file() {
        return Err(refuse("it is no regular file".into()));
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(io)?;
    let guard = lock(&file, path)?;
    // Neither changes anything before a frame comes.
    let resumed = match kind {
        Kind::Lines => {
            echoreplay::Writer::resume(file).map(|(lines, resumed)| (Medium::Lines(lines), resumed))
        }
        Kind::Butter => Journal::resume(file, options)
            .map(|(journal, resumed)| (Medium::Journal(Box::new(journal)), resumed)),
    };
    let (medium, resumed) = match resumed {
        Ok(resumed) => resumed,
        Err(error) if error.finding().is_some_and(|it| it.rule == Rule::Finished) => {
            return Ok(None);
        }
        Err(error) => return Err(refuse(error.to_string())),
    };
    if resumed.dropped > TORN {
        let dropped = resumed.dropped;
        return Err(refuse(format!(
            "{dropped} bytes behind its last whole frame can't be read; repair may"
        )));
    }
    opened.dropped = resumed.dropped;
    let last = resumed.last;
    opened.last = last.as_ref().map(|frame| frame.time);
    Ok(Some(Tape {
        path: path.to_owned(),
        medium,
        is_empty: last.is_none(),
        frames: 0,
        before: resumed.frames,
        created: false,
        guard,
        key: last.map(|frame| MatchKey::of(&frame.session)),
    }))
}

/// Keeps a second recorder off the file for as long as what this gives is open.
///
/// On Unix such a lock shuts out nobody else: a recording can be read while it grows. Elsewhere it
/// would, and there is none.
fn lock(file: &File, path: &Path) -> Result<Option<File>, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        // Whoever finished it meanwhile has put another file in its place.
        let id = |meta: &fs::Metadata| (meta.dev(), meta.ino());
        let io = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let here = file.metadata().map_err(io)?;
        let there = fs::metadata(path).map_err(io)?;
        if taken || id(&here) != id(&there) {
            return Err(Error::Unwritable {
                path: path.to_owned(),
                message: "another recorder writes into it".into(),
            });
        }
        file.try_clone().map(Some).map_err(io)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        Ok(None)
    }
}

fn kind_of(path: &Path) -> Result<Kind, Error> {
    let is = |wanted: &str| {
        path.extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
    };
    if is("echoreplay") {
        Ok(Kind::Lines)
    } else if is("butter") {
        Ok(Kind::Butter)
    } else {
        Err(Error::Unwritable {
            path: path.to_owned(),
            message: "a match is recorded into a .butter or an .echoreplay file".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use gametape_echo::Frame;

    use super::*;

    fn frame(time: i64) -> Frame {
        let mut frame = Frame {
            time: Time(time),
            ..Frame::default()
        };
        frame.session.sessionid = "01234567-89AB-CDEF-0123-456789ABCDEF".into();
        frame
    }

    /// Killed within its first frames, a journal is gone on with, and stays as it is as long as no
    /// frame comes.
    #[test]
    fn a_journal_cut_anywhere_is_not_touched_before_a_frame_comes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.butter");
        let mut bytes = io::Cursor::new(Vec::new());
        let mut journal = Journal::new(&mut bytes, butter::Options::default());
        journal.push(&frame(1_641_092_400_000)).unwrap();
        let first = journal.get_ref().get_ref().len();
        journal.push(&frame(1_641_092_400_100)).unwrap();
        let bytes = bytes.into_inner();
        for cut in 0..bytes.len() {
            let left = bytes.get(..cut).unwrap();
            fs::write(&path, left).unwrap();
            let options = RecordOptions {
                resume: true,
                ..RecordOptions::new(&path)
            };
            let tapes = Tapes::open(&options).unwrap();
            assert_eq!(tapes.path(), path, "{cut}");
            assert_eq!(tapes.resumed, cut >= first, "{cut}");
            assert_eq!(fs::read(&path).unwrap(), left, "{cut}");
            if cut < first {
                assert_eq!(tapes.finish().unwrap(), []);
                assert_eq!(fs::read(&path).unwrap(), left, "{cut}");
            }
        }
    }

    /// Frames behind a damaged spot are no torn frame.
    #[test]
    fn a_journal_with_much_behind_a_fault_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.butter");
        let mut bytes = io::Cursor::new(Vec::new());
        let mut journal = Journal::new(&mut bytes, butter::Options::default());
        journal.push(&frame(1_641_092_400_000)).unwrap();
        let mut bytes = bytes.into_inner();
        bytes.extend_from_slice(&vec![0xff; 100_000]);
        fs::write(&path, &bytes).unwrap();
        let options = RecordOptions {
            resume: true,
            ..RecordOptions::new(&path)
        };
        let error = Tapes::open(&options).unwrap_err().to_string();
        assert!(error.contains("can't be gone on with: "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
