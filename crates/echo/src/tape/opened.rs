//! An opened recording of a match.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gametape_core::tape::{Error, Source, Work};
use gametape_core::{At, Input, InputStream};

use super::chunks::Chunks;
use super::encoding::EchoFormat;
use super::error::EchoError;
use super::frames::Frames;
use super::lines::{self, Lines};
use crate::butter::Parts;
use crate::echoreplay::{self, Reader, Spool, SpoolError};
use crate::{ReadOptions, Time};

/// The size of text that any zip may have, in bytes: so much is spooled.
const LEAST_TEXT: u64 = 1 << 30;
/// The size of text that a zip may have, as a multiple of the zip's, if that is more. Recordings take
/// 10 to 30 times.
const MOST_RATIO: u64 = 256;

/// An opened recording of a match, in either encoding. A clone shares the parts that were read.
#[derive(Clone, Debug)]
pub struct EchoTape {
    pub(in crate::tape) format: EchoFormat,
    pub(in crate::tape) input: Input,
    /// Its path, if it has one. Its index may be in the same folder.
    path: Option<PathBuf>,
    zip: Arc<Mutex<Zip>>,
    /// The chunks of a .butter, once a range was asked for.
    chunks: Arc<OnceLock<Option<Chunks>>>,
    /// The places of the frames of an .echoreplay, once they were asked for.
    lines: Arc<Mutex<Option<Arc<Lines>>>>,
    /// The name of the file in a zip that is made of it.
    member: String,
}

/// The text of an .echoreplay in a zip, once it was inflated.
#[derive(Default, Debug)]
struct Zip {
    spool: Option<Arc<Spool>>,
    /// How often all of it was read.
    reads: u32,
}

impl EchoTape {
    pub(in crate::tape) fn new(format: EchoFormat, source: Source) -> Self {
        let stem = source.path.as_deref().and_then(Path::file_stem);
        let stem = stem.and_then(|stem| stem.to_str());
        let stem = stem.filter(|stem| !stem.is_empty() && *stem != "-");
        Self {
            format,
            input: source.input,
            member: format!("{}.echoreplay", stem.unwrap_or("match")),
            path: source.path,
            zip: Arc::default(),
            chunks: Arc::default(),
            lines: Arc::default(),
        }
    }

    /// Whether an .echoreplay is in a zip.
    pub(in crate::tape) fn is_zip(&self) -> bool {
        self.input
            .head(4)
            .is_ok_and(|head| echoreplay::is_zip(&head))
    }

    /// The container for the lines that are made of it.
    pub(in crate::tape) fn container(&self, zip: bool) -> echoreplay::Container {
        if zip {
            echoreplay::Container::Zip(self.member.clone())
        } else {
            echoreplay::Container::Text
        }
    }

    pub(in crate::tape) fn frames(&self) -> Result<Frames, Error> {
        self.frames_of(Parts::ALL)
    }

    /// [`EchoTape::frames`], of which these parts are wanted.
    pub(in crate::tape) fn frames_of(&self, parts: Parts) -> Result<Frames, Error> {
        match self.spool() {
            Some(spool) => Frames::spooled(spool),
            None => Frames::open(self.format, self.input.stream(), parts),
        }
    }

    /// The chunks of a .butter that is whole.
    pub(in crate::tape) fn chunks(&self) -> Option<&Chunks> {
        if self.format != EchoFormat::Butter {
            return None;
        }
        self.chunks.get_or_init(|| Chunks::of(&self.input)).as_ref()
    }

    /// Frames from the chunk of the last frame before a moment on, the step of the first, and the time
    /// at which the recording starts. `None` if the recording has to be read from its start.
    pub(in crate::tape) fn frames_before(
        &self,
        at: At,
        parts: Parts,
    ) -> Result<Option<(Frames, u64, Time)>, Error> {
        let found = self
            .chunks()
            .map(|chunks| chunks.before(&self.input, at, parts));
        let found = found.transpose().map_err(Error::Io)?.flatten();
        Ok(found.map(|(reader, step, start)| (Frames::skipping(reader, step), step, start)))
    }

    /// The text of a zip, where it was kept.
    pub(in crate::tape) fn spool(&self) -> Option<Arc<Spool>> {
        self.zip().spool.clone()
    }

    fn zip(&self) -> MutexGuard<'_, Zip> {
        self.zip.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the text of a zip, so that it is not inflated again; `None` if the recording is not a zip.
    ///
    /// # Errors
    /// [`Error::Io`], [`EchoError::Spool`], [`EchoError::SpoolLimit`].
    fn spooled(&self) -> Result<Option<Arc<Spool>>, Error> {
        if self.format != EchoFormat::Echoreplay || !self.is_zip() {
            return Ok(None);
        }
        // A second caller waits for it.
        let mut zip = self.zip();
        if let Some(spool) = &zip.spool {
            return Ok(Some(spool.clone()));
        }
        let most = LEAST_TEXT.max(self.input.size().saturating_mul(MOST_RATIO));
        let failed = |source| Error::format(EchoError::Spool(source));
        let file = Work::default().scratch().map_err(failed)?;
        let spool = Spool::of(self.input.stream(), file, most).map_err(|error| match error {
            SpoolError::Read(source) => Error::Io(source),
            SpoolError::Write(source) => failed(source),
            SpoolError::Limit(limit) => Error::format(EchoError::SpoolLimit { limit }),
        })?;
        Ok(Some(zip.spool.insert(Arc::new(spool)).clone()))
    }

    /// Says that all of the recording is about to be read: from the second time on a zip is inflated
    /// no more, if there is room for its text.
    pub(in crate::tape) fn reads_all(&self) {
        let again = {
            let mut zip = self.zip();
            zip.reads = zip.reads.saturating_add(1);
            zip.reads == 2
        };
        if again {
            // Without, it is read as it was the first time.
            let _ = self.spooled();
        }
    }

    /// Returns the places of the frames of an .echoreplay, and the text that they are in. The places come from
    /// the index beside it, or from reading all of it once. The text of a zip is spooled for it.
    pub(in crate::tape) fn lines(&self) -> Result<(Arc<Lines>, Input), Error> {
        let spool = self.spooled()?;
        let text = match &spool {
            Some(spool) => spool.text().clone(),
            None => self.input.clone(),
        };
        let mut held = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lines) = &*held {
            return Ok((lines.clone(), text));
        }
        let path = self.path.as_deref().filter(|_| spool.is_none());
        let lines = match path.and_then(|path| lines::find(path, &self.input)) {
            Some(lines) => lines,
            None => self.read_lines()?,
        };
        Ok((held.insert(Arc::new(lines)).clone(), text))
    }

    fn read_lines(&self) -> Result<Lines, Error> {
        Lines::of(self.line_reader()?)
    }

    /// Reads the lines of an .echoreplay leniently.
    pub(in crate::tape) fn line_reader(&self) -> Result<Reader<InputStream>, Error> {
        let options = ReadOptions::lenient();
        Ok(match self.spool() {
            Some(spool) => Reader::spooled(spool, options)?,
            None => echoreplay::open_with(self.input.stream(), options)?,
        })
    }

    /// Finds the lines anew, because they do not match what is known of them. Removes the index that
    /// was wrong.
    ///
    /// # Errors
    /// If frames have other times than in `known`.
    pub(in crate::tape) fn lines_again(&self, known: &Lines) -> Result<Arc<Lines>, Error> {
        let lines = Arc::new(self.read_lines()?);
        if let Some(path) = &self.path {
            lines::remove(path);
        }
        let mut held = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(lines.clone());
        if !lines.has_times_of(known) {
            let changed =
                "the recording is not what it was when its frames were looked for: open it again";
            return Err(Error::Unsupported(changed.to_owned()));
        }
        Ok(lines)
    }

    /// Keeps where the frames stand in an index beside the recording.
    ///
    /// # Errors
    /// [`EchoError::Index`]; where the recording is a zip, or lies nowhere.
    pub(in crate::tape) fn keep_index(&self) -> Result<(), Error> {
        let refused = |why: &str| Err(Error::Unsupported(format!("no index is kept: {why}")));
        if self.is_zip() {
            return refused("the recording is a zip, whose text has to be inflated all the same");
        }
        let Some(path) = &self.path else {
            return refused("the recording lies nowhere, so that nothing can lie beside it");
        };
        lines::keep(path, &self.input, || Ok(self.lines()?.0))
    }
}
