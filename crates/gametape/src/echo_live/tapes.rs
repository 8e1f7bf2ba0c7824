//! The files that are recorded into, one after the other.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use gametape_echo::butter::{self, Journal};
use gametape_echo::{Frame, Map, Session, Time, WriteError};

use super::answer::Answer;
use super::lines::Lines;
use super::{RecordOptions, RecordedFile};
use crate::source::{Limits, Source};
use crate::{Error, output};

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

#[derive(Debug)]
enum Medium {
    Lines(Lines),
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
            Medium::Lines(lines) => Ok(lines.push(&answer.line)?),
            Medium::Journal(journal) => journal.push(&answer.frame),
        }
    }

    fn remove(self) {
        let Self { path, medium, .. } = self;
        drop(medium);
        // It would be in the way of the next try.
        let _ = fs::remove_file(path);
    }

    /// Finishes the file; `None` where nothing is in it, and it is gone.
    fn finish(self, zip: bool) -> Result<Option<RecordedFile>, Error> {
        if self.is_empty {
            self.remove();
            return Ok(None);
        }
        let Self {
            path,
            medium,
            frames,
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
                lines.finish().map_err(|source| Error::Io {
                    path: path.clone(),
                    source,
                })?;
                if zip {
                    super::zip::replace(&path)?;
                }
            }
            Medium::Journal(journal) => {
                let folder = output::folder_for(&path)?.unwrap_or_default();
                let finished = output::unfinished(&folder, Some(&path)).and_then(|file| {
                    let spool = tempfile::tempfile_in(&folder)?;
                    Ok((file, spool))
                });
                let (file, spool) = finished.map_err(|error| unfinished(&error))?;
                let mut out = BufWriter::new(file);
                journal
                    .finish(spool, &mut out)
                    .map_err(|error| unfinished(&error))?;
                let file = out.into_inner().map_err(|error| unfinished(&error))?;
                output::place(&path, file).map_err(|error| unfinished(&error.message()))?;
            }
        }
        let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
        Ok(Some(RecordedFile {
            path,
            frames,
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
    Ok(Tape {
        path,
        medium: match kind {
            Kind::Lines => Medium::Lines(Lines::new(file)),
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
        message: format!("can't be gone on with: it {message}"),
    };
    let meta = fs::metadata(path).map_err(io)?;
    if !meta.is_file() {
        return Err(refuse("is no regular file".into()));
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .map_err(io)?;
    let (medium, last) = match kind {
        Kind::Lines => {
            let tail = Lines::resume(file).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => refuse(error.to_string()),
                _ => io(error),
            })?;
            opened.dropped = tail.dropped;
            (Medium::Lines(tail.lines), tail.last.map(Box::new))
        }
        Kind::Butter => {
            let (last, whole) = match journal_of(path, &file)? {
                Found::Finished => return Ok(None),
                Found::Broken(why) => return Err(refuse(why)),
                Found::Journal { last, whole } => (last, whole),
            };
            opened.dropped = meta.len().saturating_sub(whole);
            let journal = if last.is_some() {
                Journal::resume(file, options).map_err(|error| refuse(error.to_string()))?
            } else {
                file.set_len(0).map_err(io)?;
                Journal::new(file, options)
            };
            (Medium::Journal(Box::new(journal)), last)
        }
    };
    opened.last = last.as_ref().map(|frame| frame.time);
    Ok(Some(Tape {
        path: path.to_owned(),
        medium,
        is_empty: last.is_none(),
        frames: 0,
        key: last.map(|frame| MatchKey::of(&frame.session)),
    }))
}

/// What a .butter is.
enum Found {
    Journal {
        last: Option<Box<Frame>>,
        whole: u64,
    },
    Finished,
    Broken(String),
}

fn journal_of(path: &Path, file: &File) -> Result<Found, Error> {
    let broken = |error: gametape_echo::Error| Found::Broken(error.to_string());
    let nothing = || Found::Journal {
        last: None,
        whole: 0,
    };
    let lenient = butter::ReadOptions::lenient();
    {
        let bytes = Source::open(path, &Limits::default())?;
        match lenient.read(&bytes) {
            Ok(file) if file.is_unfinished() => {}
            // Killed before the first frame, or within it.
            Ok(file) if file.chunks().is_empty() => return Ok(nothing()),
            Ok(_) => return Ok(Found::Finished),
            Err(error) if error.is_truncated() => return Ok(nothing()),
            Err(error) => return Ok(broken(error)),
        }
    }
    let mut reader = butter::Reader::with_options(file, lenient);
    let mut last = None;
    let mut whole = 0;
    loop {
        match reader.next_frame() {
            Err(error) => return Ok(broken(error)),
            Ok(None) => return Ok(Found::Journal { last, whole }),
            Ok(Some(frame)) => match &mut last {
                None => last = Some(Box::new(frame.clone())),
                Some(last) => last.as_mut().clone_from(frame),
            },
        }
        whole = reader.decoder().offset();
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

/// `match.butter`, `match.2.butter`, `match.3.butter` …
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number < 2 {
        return path.to_owned();
    }
    let mut name = path.file_stem().map_or_else(OsString::new, OsString::from);
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
