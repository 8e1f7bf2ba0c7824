//! The files of a recording, one after the other.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

#[cfg(unix)]
use gametape::core::Spell as _;
use gametape::core::text::Counted;
use gametape::{Draft, Error, Existing};
use gametape_echo::butter::{self, Journal};
use gametape_echo::echoreplay::{self, Reader, ZipWriter};
use gametape_echo::{Map, ReadOptions, Rule, Session, Time, WriteError};
use serde::Serialize;

use super::RecordOptions;
use super::answer::Answer;
use crate::numbered;

/// A recorded file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordedFile {
    /// Its path.
    pub path: PathBuf,
    /// The number of frames that were added to it.
    pub frames: u64,
    /// The number of frames that were in it before.
    pub frames_before: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Identifies a match: the fields that a .butter stores once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MatchKey {
    sessionid: String,
    map: Map,
    private: bool,
}

impl MatchKey {
    pub(super) fn of(session: &Session) -> Self {
        Self {
            // A .butter returns it in capitals.
            sessionid: session.sessionid.to_ascii_uppercase().into(),
            map: session.map_name.clone(),
            private: session.private_match,
        }
    }
}

/// A frame and its header are smaller than this; more bytes can't be a cut frame.
const TORN: u64 = 64 << 10;

#[derive(Debug)]
enum Medium {
    Lines(echoreplay::Writer<File>),
    Journal(Box<Journal<File>>),
}

/// A file that is being recorded.
#[derive(Debug)]
struct Tape {
    path: PathBuf,
    medium: Medium,
    /// Whether it has no frames, neither of this recording nor of an earlier one.
    is_empty: bool,
    /// The number of frames of this recording.
    frames: u64,
    /// The number of frames that were there before.
    before: u64,
    /// Whether this recording created it. Existing files are never removed.
    created: bool,
    /// Holds the lock until the file is finished.
    guard: Option<File>,
    key: Option<MatchKey>,
}

/// The format of the files.
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
    /// Bytes that were removed from the end of a file that is continued.
    pub dropped: u64,
    /// Whether there were frames before.
    pub resumed: bool,
    /// The last frame that was there before.
    pub last: Option<Time>,
}

impl Tapes {
    /// Creates the first file, or continues the last existing one.
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
            return Err(Error::IsFolder {
                path,
                recording: false,
            });
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

    /// Returns the path of the current file.
    pub(super) fn path(&self) -> &Path {
        &self.tape.path
    }

    /// Adds a frame. Returns true if a new file was begun for it.
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
            // A header names 255 players at most: the next file names others.
            self.next()?;
            begun = true;
            pushed = self.tape.push(answer);
        }
        pushed.map_err(|error| {
            let kept = match self.tape.frames {
                0 => "nothing was recorded".to_owned(),
                1 => "the frame before it is kept".to_owned(),
                frames => format!("the {} before it are kept", Counted(frames, "frame")),
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

    /// Begins the next file. The previous one is finished meanwhile.
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

    /// Waits until the previous file is finished.
    fn join(&mut self) -> Result<(), Error> {
        if let Some(finishing) = self.finishing.take()
            && let Ok(finished) = finishing.join()
        {
            self.done.extend(finished?);
        }
        Ok(())
    }

    /// Finishes all files, and returns them. A file without frames is removed if this recording created
    /// it.
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

    /// Finishes the file. Returns `None` if it has no frames: it is then removed, or stays as it was.
    fn finish(self, zip: bool) -> Result<Option<RecordedFile>, Error> {
        if self.is_empty {
            let Self { path, medium, .. } = self;
            drop(medium);
            if self.created {
                // It would block the next try.
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
        let unfinished = |error: &dyn Display| Error::Unwritable {
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
                    replace_by_zip(&path)?;
                }
            }
            Medium::Journal(journal) => {
                let folder = gametape::folder_for(&path)?.unwrap_or_default();
                let spool = tempfile::tempfile_in(folder).map_err(|error| unfinished(&error))?;
                let mut draft = Draft::of(&path).map_err(|error| unfinished(&error.message()))?;
                journal
                    .finish(spool, &mut draft)
                    .map_err(|error| unfinished(&error))?;
                let put = draft
                    .finish()
                    .and_then(|content| content.put(&path, Existing::Replace));
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
                    format!("no such folder: {}", folder.spelled())
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

/// Continues a file; returns `None` if it is finished.
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
        message: format!("can't be continued: {message}"),
    };
    let meta = fs::metadata(path).map_err(io)?;
    if !meta.is_file() {
        return Err(refuse("it is not a regular file".into()));
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(io)?;
    let guard = lock(&file, path)?;
    // Neither changes the file before a frame comes.
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
            "{dropped} bytes after its last whole frame can't be read; repair may"
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

/// Locks the file against a second recorder, for as long as the returned file is open.
///
/// On Unix such a lock is advisory: other programs can read the recording while it grows. On other
/// systems it would shut them out, so that there is no lock.
fn lock(file: &File, path: &Path) -> Result<Option<File>, Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        // A recorder that finished the file meanwhile has put another file in its place.
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

/// The usual compression level of zip programs.
const LEVEL: u8 = 6;

/// Replaces the text by a zip; if that fails, the text stays.
fn replace_by_zip(path: &Path) -> Result<(), Error> {
    let failed = |error: &dyn Display| Error::Unwritable {
        path: path.to_owned(),
        message: format!("can't be made a zip: {error}; all frames are in it, as text"),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = Draft::of(path)?;
    let mut zip = ZipWriter::new(draft, &name, LEVEL).map_err(|error| failed(&error))?;
    {
        let text = File::open(path).map_err(Error::io(path))?;
        let size = text.metadata().map_err(Error::io(path))?.len();
        let mut lines = Reader::with_options(text, ReadOptions::lenient());
        let mut bytes = 0;
        while let Some(line) = lines.next_line().map_err(|error| failed(&error))? {
            bytes += line.size() as u64;
            zip.push_line(&line).map_err(|error| failed(&error))?;
        }
        if bytes != size {
            // The file was continued, and had other content before its frames.
            return Err(failed(&"not all of it is lines"));
        }
    }
    let draft = zip.finish().map_err(|error| failed(&error))?;
    let put = draft
        .finish()
        .and_then(|content| content.put(path, Existing::Replace));
    put.map_err(|error| failed(&error.message()))
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

    /// A journal that was cut within its first frames is continued, and stays as it is until a frame
    /// comes.
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

    /// Frames after a damaged spot do not count as a torn frame.
    #[test]
    fn a_journal_with_much_after_a_fault_is_refused_and_stays() {
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
        assert!(error.contains("can't be continued: "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
