//! An opened recording of a simulation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::Needs;
use gametape_core::tape::{Error, Files, Partial, Source, Work};
use gametape_core::{Input, InputStream};

use super::world::{self, WorldFile};
use crate::engine::World;
use crate::engine::own::Kinds;
use crate::{Frame, Header, ReadOptions, Reader, Stats};

/// An opened recording of this format.
#[derive(Clone, Debug)]
pub struct MurkTape {
    pub(in crate::tape) input: Input,
    path: Option<PathBuf>,
    files: Arc<dyn Files>,
    /// The file of a world that was given.
    given: Option<WorldFile>,
    kinds: Kinds,
}

impl MurkTape {
    /// Opens a recording, without reading it yet. Its index may be beside it.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self::with_kinds(source, &Kinds::new())
    }

    /// Opens a recording like [`MurkTape::new`]. Propagators of its world may also be of these kinds.
    #[must_use]
    pub fn with_kinds(source: Source, kinds: &Kinds) -> Self {
        Self {
            given: WorldFile::of(&source.options, kinds),
            input: source.input,
            path: source.path,
            files: source.files,
            kinds: kinds.clone(),
        }
    }

    /// Returns the kinds of propagators that are known in addition to the stock ones.
    #[must_use]
    pub const fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Returns the path of the recording, if it has one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(in crate::tape) fn files(&self) -> &dyn Files {
        &*self.files
    }

    pub(in crate::tape) const fn given(&self) -> Option<&WorldFile> {
        self.given.as_ref()
    }

    /// Returns the world that the recording is replayed in: the given one, which must be valid, or the one in
    /// the header, if that is valid.
    ///
    /// # Errors
    /// [`MurkError::World`](super::MurkError::World) if a world was given and does not fit.
    pub(in crate::tape) fn replayed_in(&self, header: &Header<'_>) -> Result<Option<World>, Error> {
        if self.given.is_some() {
            return Ok(Some(world::needed(header, self.given(), &self.kinds)?));
        }
        let carried = world::carried(header, &self.kinds).and_then(Result::ok);
        Ok(carried.filter(|world| world::misfit(header, world).is_none()))
    }

    /// Returns the length of a tick in seconds, by the given world or the one in the header, if there is one.
    ///
    /// # Errors
    /// As [`MurkTape::replayed_in`].
    pub(in crate::tape) fn tick_length(&self, header: &Header<'_>) -> Result<Option<f64>, Error> {
        Ok(match self.given {
            Some(_) => self.replayed_in(header)?.map(|world| world.dt),
            None => world::tick_length(header, &self.kinds),
        })
    }

    /// Returns the external data without which the recording has fewer tables.
    pub(in crate::tape) fn needs(&self) -> Option<Needs> {
        let mut reader = self.reader();
        let header = reader.header().ok()?;
        let world = self.replayed_in(header);
        let is_unknown = || match world::carried(header, self.kinds()) {
            Some(Err(error)) => error.is_unknown_kind(),
            _ => false,
        };
        matches!(world, Ok(None)).then(|| {
            if is_unknown() {
                Needs::Program
            } else {
                Needs::World
            }
        })
    }

    /// Returns the world in the header as TOML, in its canonical form.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if there is none, [`MurkError::World`](super::MurkError::World) if it is broken.
    pub fn world(&self) -> Result<String, Error> {
        let text = |world: World| String::from_utf8_lossy(&world.canonical()).into_owned();
        // A world with unknown kinds can be read, too.
        let kinds = self.kinds.clone().or_unknown();
        match world::chosen(self.reader().header()?, None, &kinds) {
            Some(world) => Ok(text(world?)),
            None => Err(Error::Unsupported("the recording carries no world".into())),
        }
    }

    /// Returns a lenient reader of the whole recording.
    pub(crate) fn reader(&self) -> Reader<InputStream> {
        Reader::with_options(self.input.stream(), ReadOptions::lenient())
    }

    /// Visits all frames in bounded memory. Returns the header, and the problem of an incomplete recording.
    pub(crate) fn each<E>(
        &self,
        work: &Work<'_>,
        mut visit: impl FnMut(&Frame<'_>) -> Result<(), E>,
    ) -> Result<Partial<Header<'static>>, Error>
    where
        Error: From<E>,
    {
        let mut reader = self.reader();
        while let Some(frame) = reader.next_frame()? {
            visit(&frame)?;
            work.done(frame.offset)?;
        }
        Ok(Partial::new(
            reader.header()?.clone(),
            reader.findings().problem(),
        ))
    }

    pub(in crate::tape) fn counted(
        &self,
        work: &Work<'_>,
    ) -> Result<(Stats, Partial<Header<'static>>), Error> {
        let mut stats = Stats::default();
        let read = self.each(work, |frame| {
            stats.push(frame);
            Ok::<(), Error>(())
        })?;
        Ok((stats, read))
    }
}
