//! Opens and decodes several chunks in parallel, for callers that read a whole recording.

use std::ops::Range;

use gametape_core::Input;

use super::packed::KEYFRAME;
use super::parts::Parts;
use super::play::{Playing, Shown};
use super::table::Table;
use crate::error::Error;
use crate::limits::{Limits, ReadOptions};
use crate::model::{Frame, Time};
use crate::parallel;

/// The largest chunk, stored and inflated, that is opened in parallel with others. Chunks of 300 frames
/// take far less.
const MOST: u64 = 1 << 20;

/// A whole chunk. Once its writer is [settled](OpenChunk::settle), it can be decoded without the chunks
/// before it.
#[derive(Debug)]
pub struct OpenChunk {
    playing: Box<Playing>,
    parts: Parts,
}

impl Table {
    /// Whether the recording consists of a header and whole chunks, and of nothing else.
    pub fn is_whole(&self) -> bool {
        self.header().is_some()
            && self.chunks.iter().all(|entry| entry.there == entry.size)
            && !self.is_unfinished()
            && self.trailing_bytes() == 0
            && self.empty_chunks() <= 1
    }

    /// Opens several chunks in parallel, for these parts of their frames. An element is `None` where
    /// anything about the chunk is irregular: such chunks have to be read in order.
    pub fn open_beside(
        &self,
        input: &Input,
        chunks: Range<usize>,
        parts: Parts,
    ) -> Vec<Option<OpenChunk>> {
        let chunks: Vec<usize> = chunks.collect();
        parallel::map(
            &chunks,
            || (),
            |(), &index| self.open_one(input, index, parts),
        )
    }

    fn open_one(&self, input: &Input, index: usize, parts: Parts) -> Option<OpenChunk> {
        let (entry, header) = (self.chunks.get(index)?, self.header()?);
        if entry.size > MOST {
            return None;
        }
        let limits = Limits {
            max_chunk_bytes: MOST,
            ..Limits::default()
        };
        let stored = input.range(entry.offset, entry.size).ok()?;
        let options = ReadOptions::lenient().limits(limits);
        let mut playing = Box::new(Playing::new(header.clone(), options, None).of_parts(parts));
        playing.load(&stored, (entry.offset, index as u64), true);
        let is_sound = playing.is_sound() && playing.raw().starts_with(&KEYFRAME);
        is_sound.then_some(OpenChunk { playing, parts })
    }
}

impl OpenChunk {
    /// The number of whole frames.
    pub const fn frames(&self) -> u64 {
        self.playing.frames_loaded()
    }

    /// Returns when the first frame, a keyframe, was recorded.
    pub fn first(&self) -> Option<Time> {
        let time = self.playing.raw().get(KEYFRAME.len()..)?.first_chunk()?;
        Some(Time(i64::from_le_bytes(*time)))
    }

    /// Takes from `shown` who wrote the chunks before this one, in case the chunk does not show it, and
    /// updates `shown` for the next chunk. Returns false if the chunk depends on frames of the chunk before
    /// it.
    pub fn settle(&mut self, shown: &mut Shown) -> bool {
        self.playing.settle(shown);
        // In chunks of the reference, the timers of pauses and the bones do.
        !self.playing.is_reference() || !self.parts.has(Parts::GAME.with(Parts::BONES))
    }

    /// Returns the next frame, or `None` at the end and where anything is irregular.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        let is_frame = self.playing.step()? && self.playing.findings.broken().next().is_none();
        Ok(is_frame.then(|| self.playing.frame()))
    }
}
