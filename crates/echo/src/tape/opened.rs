//! An opened recording of a match, and what was read of it: also the persons who the players of each frame
//! are.

use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gametape_core::tape::{Error, Source, Work};
use gametape_core::{At, Input, InputStream};

use super::chunks::Chunks;
use super::error::EchoError;
use super::frames::{EchoFormat, TapeFrames};
use super::index;
use super::lines::FrameLines;
use crate::ReadOptions;
use crate::butter::Parts;
use crate::course::Course;
use crate::echoreplay::{self, Reader, Spool, SpoolError};
use crate::model::Session;
use crate::people::People;
use crate::stats::MAX_EVENTS;

/// The size of the text that may be spooled from any zip, however small.
const LEAST_TEXT: u64 = 1 << 30;
/// The maximum size of the text relative to the zip, if that is more. In recordings it is 10 to 30.
const MOST_RATIO: u64 = 256;

/// An opened recording of a match, in either format. Clones share what has been read.
#[derive(Clone, Debug)]
pub struct EchoTape {
    pub(in crate::tape) format: EchoFormat,
    pub(in crate::tape) input: Input,
    /// The file, if there is one. Its index may be beside it.
    path: Option<PathBuf>,
    zip: Arc<Mutex<Zip>>,
    /// The chunks of a .butter, once a range was asked for.
    chunks: Arc<OnceLock<Option<Chunks>>>,
    /// The places of the frames of an .echoreplay, once they were asked for.
    lines: Arc<Mutex<Option<Arc<FrameLines>>>>,
    /// The persons of all frames, once they were asked for without reading from the start.
    persons: Arc<Mutex<Option<Arc<Persons>>>>,
    /// The name of the file in a zip that is made from the recording.
    member: String,
}

/// What has been read of an .echoreplay in a zip.
#[derive(Default, Debug)]
struct Zip {
    spool: Option<Arc<Spool>>,
    /// The number of times that all of it was read.
    reads: u32,
}

impl EchoTape {
    pub(in crate::tape) fn new(format: EchoFormat, source: Source) -> Self {
        let on_disk = source.on_disk().map(Path::to_owned);
        let stem = source.path.as_deref().and_then(Path::file_stem);
        let stem = stem.and_then(|stem| stem.to_str());
        let stem = stem.filter(|stem| !stem.is_empty() && *stem != "-");
        Self {
            format,
            input: source.input,
            member: format!("{}.echoreplay", stem.unwrap_or("match")),
            path: on_disk,
            zip: Arc::default(),
            chunks: Arc::default(),
            lines: Arc::default(),
            persons: Arc::default(),
        }
    }

    /// Returns whether the recording is in a zip.
    pub(in crate::tape) fn is_zip(&self) -> bool {
        self.input
            .head(4)
            .is_ok_and(|head| echoreplay::is_zip(&head))
    }

    /// Returns whether the text must be unpacked first: from a zip or a gzip, or from UTF-16.
    pub(in crate::tape) fn is_packed(&self) -> bool {
        self.input
            .head(4)
            .is_ok_and(|head| echoreplay::is_packed(&head))
    }

    /// Returns the container for lines that are made from the recording.
    pub(in crate::tape) fn container(&self, zip: bool) -> echoreplay::Container {
        if zip {
            echoreplay::Container::Zip(self.member.clone())
        } else {
            echoreplay::Container::Text
        }
    }

    /// Reports that so much of the recording was processed.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::tape) fn done(
        &self,
        frames: &TapeFrames<'_>,
        work: &Work<'_>,
    ) -> Result<(), Error> {
        // In a zip the offset is that in the text, which is larger.
        work.done(frames.offset().min(self.input.size()))
    }

    pub(in crate::tape) fn frames(&self) -> Result<TapeFrames<'static>, Error> {
        self.frames_of(Parts::ALL)
    }

    /// Reads the frames, with only these parts.
    pub(in crate::tape) fn frames_of(&self, parts: Parts) -> Result<TapeFrames<'static>, Error> {
        match self.spool() {
            Some(spool) => TapeFrames::spooled(spool),
            None => TapeFrames::open(self.format, self.input.stream(), parts),
        }
    }

    /// The chunks of a .butter that is whole.
    pub(in crate::tape) fn chunks(&self) -> Option<&Chunks> {
        if self.format != EchoFormat::Butter {
            return None;
        }
        self.chunks
            .get_or_init(|| Chunks::of(&self.input, self.path.as_deref()))
            .as_ref()
    }

    /// Frames from the chunk or the line of the last frame before a moment on, and the course of the time up
    /// to the first of them. `None` if the recording has to be read from its start.
    pub(in crate::tape) fn frames_before(
        &self,
        at: At,
        parts: Parts,
    ) -> Result<Option<(TapeFrames<'static>, Course)>, Error> {
        if self.format == EchoFormat::Echoreplay {
            return self.lines_before(at);
        }
        let found = self
            .chunks()
            .map(|chunks| chunks.before(&self.input, at, parts));
        let found = found.transpose().map_err(Error::Io)?.flatten();
        Ok(found
            .map(|(reader, step, start)| (TapeFrames::after(step, reader), Course::from(start))))
    }

    /// The same for text whose lines are known.
    fn lines_before(&self, at: At) -> Result<Option<(TapeFrames<'static>, Course)>, Error> {
        let Some(lines) = self.known_lines() else {
            return Ok(None);
        };
        let Some((step, entry, start)) = lines.before(at) else {
            return Ok(None);
        };
        if entry.line(&self.input)?.is_none() {
            // The recording has changed since.
            return Ok(None);
        }
        let mut stream = self.input.stream();
        stream
            .seek(SeekFrom::Start(entry.offset))
            .map_err(Error::Io)?;
        let reader =
            Reader::continuing(stream, ReadOptions::lenient(), (step, entry.offset, start));
        Ok(Some((TapeFrames::after(step, reader), lines.course(step))))
    }

    /// Returns the steps at which at most so many parts start that can be read by themselves.
    pub(in crate::tape) fn parts(&self, at_most: usize) -> Vec<u64> {
        let parts = match self.format {
            EchoFormat::Butter => self
                .chunks()
                .map(|chunks| chunks.parts(&self.input, at_most)),
            EchoFormat::Echoreplay => self.known_lines().map(|lines| lines.parts(at_most)),
        };
        parts.unwrap_or_else(|| vec![0])
    }

    /// The lines of a text, if they were found before, or if an index beside it tells, without reading all of
    /// the text.
    fn known_lines(&self) -> Option<Arc<FrameLines>> {
        if self.format != EchoFormat::Echoreplay || self.is_packed() {
            return None;
        }
        let mut held = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let found = index::find_fresh::<FrameLines>(self.path.as_deref()?, &self.input)?;
            *held = Some(Arc::new(found));
        }
        held.clone()
    }

    /// The text of a zip, where it was kept.
    pub(in crate::tape) fn spool(&self) -> Option<Arc<Spool>> {
        self.zip().spool.clone()
    }

    fn zip(&self) -> MutexGuard<'_, Zip> {
        self.zip.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the text of a zip, so that it is not inflated again. Returns `None` if the recording is not
    /// in a zip.
    ///
    /// # Errors
    /// [`Error::Io`], [`EchoError::Spool`], [`EchoError::SpoolLimit`].
    fn spooled(&self, work: &Work<'_>) -> Result<Option<Arc<Spool>>, Error> {
        if self.format != EchoFormat::Echoreplay || !self.is_packed() {
            return Ok(None);
        }
        // A second caller waits for the first.
        let mut zip = self.zip();
        if let Some(spool) = &zip.spool {
            return Ok(Some(spool.clone()));
        }
        let most = LEAST_TEXT.max(self.input.size().saturating_mul(MOST_RATIO));
        let failed = |source| Error::format(EchoError::Spool(source));
        let file = work.scratch().map_err(failed)?;
        let spool =
            Spool::of(work.watched(&self.input), file, most).map_err(|error| match error {
                SpoolError::Read(source) => source.downcast().unwrap_or_else(Error::Io),
                SpoolError::Write(source) => failed(source),
                SpoolError::Limit(limit) => Error::format(EchoError::SpoolLimit { limit }),
            })?;
        Ok(Some(zip.spool.insert(Arc::new(spool)).clone()))
    }

    /// Announces that all of the recording will be read. The second time, the text of a zip is kept, if
    /// there is room for it.
    pub(in crate::tape) fn reads_all(&self) {
        let again = {
            let mut zip = self.zip();
            zip.reads = zip.reads.saturating_add(1);
            zip.reads == 2
        };
        if again {
            // If that fails, the zip is inflated again.
            let _ = self.spooled(&Work::default());
        }
    }

    /// Returns the lines of an .echoreplay and the text that they are in. They come from the index beside
    /// the recording, or from reading all of it once. The text of a zip is kept.
    pub(in crate::tape) fn lines(
        &self,
        work: &Work<'_>,
    ) -> Result<(Arc<FrameLines>, Input), Error> {
        let spool = self.spooled(work)?;
        let text = match &spool {
            Some(spool) => spool.text().clone(),
            None => self.input.clone(),
        };
        let mut held = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lines) = &*held {
            return Ok((lines.clone(), text));
        }
        let path = self.path.as_deref().filter(|_| spool.is_none());
        let lines = match path.and_then(|path| index::find::<FrameLines>(path, &self.input)) {
            Some(lines) => lines,
            None => self.read_lines(work)?,
        };
        Ok((held.insert(Arc::new(lines)).clone(), text))
    }

    /// Returns the persons of all frames. The recording is read once, up to the first error.
    pub(in crate::tape) fn persons(&self, work: &Work<'_>) -> Result<Arc<Persons>, Error> {
        let mut held = self.persons.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(persons) = &*held {
            return Ok(persons.clone());
        }
        let (mut counting, mut persons) = (Counting::default(), Persons::default());
        let mut frames = self.frames_of(Counting::PARTS)?;
        loop {
            let step = frames.count;
            let Some(frame) = frames.next()? else { break };
            persons.push(step, counting.frame(&frame.session));
            work.wanted()?;
        }
        Ok(held.insert(Arc::new(persons)).clone())
    }

    fn read_lines(&self, work: &Work<'_>) -> Result<FrameLines, Error> {
        FrameLines::of(self.line_reader()?, work)
    }

    /// Returns a lenient reader of the lines of an .echoreplay.
    pub(in crate::tape) fn line_reader(&self) -> Result<Reader<InputStream>, Error> {
        let options = ReadOptions::lenient();
        Ok(match self.spool() {
            Some(spool) => Reader::spooled(spool, options)?,
            None => echoreplay::open_with(self.input.stream(), options)?,
        })
    }

    /// Reads the lines again, because `known` are not those of the recording. Removes the index.
    ///
    /// # Errors
    /// If the times of the frames are not those of `known`.
    pub(in crate::tape) fn lines_again(
        &self,
        known: &FrameLines,
    ) -> Result<Arc<FrameLines>, Error> {
        let lines = Arc::new(self.read_lines(&Work::default())?);
        if let Some(path) = &self.path {
            index::remove(path);
        }
        let mut held = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(lines.clone());
        if !lines.has_times_of(known) {
            let changed = "the recording has changed since its frames were located: open it again";
            return Err(Error::Unsupported(changed.to_owned()));
        }
        Ok(lines)
    }

    /// Keeps the places of the frames, or of the chunks, in an index beside the recording.
    ///
    /// # Errors
    /// [`EchoError::Index`]; [`Error::Unsupported`] if the recording is a zip or has no path.
    pub(in crate::tape) fn keep_index(&self) -> Result<(), Error> {
        let refused = |why: &str| Err(Error::Unsupported(format!("no index is kept: {why}")));
        if self.format == EchoFormat::Echoreplay && self.is_packed() {
            return refused("the recording is a zip, whose text must be inflated in any case");
        }
        let Some(path) = &self.path else {
            return refused("the recording has no path, so nothing can be kept beside it");
        };
        match self.format {
            EchoFormat::Echoreplay => index::keep(path, &self.input, || {
                Ok(Some(self.lines(&Work::default())?.0))
            }),
            EchoFormat::Butter => match self.chunks() {
                Some(chunks) => chunks.keep(&self.input, path),
                // Read from its start in any case.
                None => Ok(()),
            },
        }
    }
}

/// The numbers of the persons of a frame, in the order of its players; `None` where there are too many.
pub(super) type Numbers = [Option<u64>];

/// Numbers the persons of a recording, frame by frame from its start.
#[derive(Default)]
pub(super) struct Counting {
    people: People,
    now: Vec<Option<u64>>,
}

impl Counting {
    /// The parts of frames that tell persons apart.
    pub const PARTS: Parts = Parts::PLAYERS.with(Parts::NAMES);

    /// Takes the next frame, and returns the numbers of its persons.
    pub fn frame(&mut self, session: &Session) -> &Numbers {
        self.now.clear();
        self.people.next_frame(session);
        let people = &mut self.people;
        let found = session
            .players()
            .map(|(team, player)| people.find(team, player, MAX_EVENTS).map(|at| at as u64));
        self.now.extend(found);
        &self.now
    }
}

/// The persons of all frames of a recording.
#[derive(Default, Debug)]
pub(super) struct Persons {
    /// The steps from which on frames have other persons, and which.
    changes: Vec<(u64, Box<Numbers>)>,
}

impl Persons {
    /// Adds the next frame.
    pub fn push(&mut self, step: u64, numbers: &Numbers) {
        if self
            .changes
            .last()
            .is_none_or(|(_, last)| **last != *numbers)
        {
            self.changes.push((step, numbers.into()));
        }
    }

    /// The persons of the frame of a step.
    pub fn at(&self, step: u64) -> &Numbers {
        let after = self.changes.partition_point(|(from, _)| *from <= step);
        let change = after.checked_sub(1).and_then(|at| self.changes.get(at));
        change.map_or(&[], |(_, numbers)| numbers)
    }
}
