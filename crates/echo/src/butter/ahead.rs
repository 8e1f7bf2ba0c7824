//! Chunks that are opened and decoded beside each other, for who reads all of a recording.

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

/// Bytes of a chunk, stored and inflated, that is held beside others: many times what 300 frames take.
const MOST: u64 = 1 << 20;

/// A chunk that is whole, and can be decoded without those before it once it is
/// [settled](OpenChunk::settle).
#[derive(Debug)]
pub struct OpenChunk {
    playing: Box<Playing>,
    parts: Parts,
}

impl Table {
    /// Whether the recording is nothing but its header and whole chunks.
    pub fn is_whole(&self) -> bool {
        self.header().is_some()
            && self.chunks.iter().all(|entry| entry.there == entry.size)
            && !self.is_unfinished()
            && self.trailing_bytes() == 0
            && self.empty_chunks() <= 1
    }

    /// Opens some chunks beside each other, of whose frames these parts are wanted. `None` for those
    /// about which anything is odd: they have to be read in their order.
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
    /// Whole frames.
    pub const fn frames(&self) -> u64 {
        self.playing.frames_loaded()
    }

    /// When its first frame was recorded: a keyframe.
    pub fn first(&self) -> Option<Time> {
        let time = self.playing.raw().get(KEYFRAME.len()..)?.first_chunk()?;
        Some(Time(i64::from_le_bytes(*time)))
    }

    /// Takes who wrote the chunks before it, where it does not show, and goes on to what the next one
    /// takes. False where it builds on frames of the chunk before.
    pub fn settle(&mut self, shown: &mut Shown) -> bool {
        self.playing.settle(shown);
        // Of the reference's, timers of pauses and bones do.
        !self.playing.is_reference() || !self.parts.has(Parts::GAME.with(Parts::BONES))
    }

    /// The next frame; `None` at its end, or where something is odd.
    pub fn next_frame(&mut self) -> Result<Option<&Frame>, Error> {
        let is_frame = self.playing.step()? && self.playing.findings.broken().next().is_none();
        Ok(is_frame.then(|| self.playing.frame()))
    }
}
