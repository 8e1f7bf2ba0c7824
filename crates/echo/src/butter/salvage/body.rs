//! Salvaging an uncompressed file with a wrong table: frames are searched for one by one.

use std::io::{Read, Seek, Write};

use gametape_core::ByteReader;

use super::super::header::Compression;
use super::super::layout::Layout;
use super::super::packed::KEYFRAME;
use super::super::survey::Survey;
use super::super::window::Window;
use super::Salvage;
use crate::error::{Error, SalvageError};
use crate::ranges::Ranges;

/// The number of bytes needed to recognise a keyframe and the frame after it.
const AHEAD: usize = 2 << 20;

impl<B: Ranges + ?Sized, S: Read + Write + Seek> Salvage<'_, B, S> {
    /// Keeps the frames of an uncompressed file with a wrong table. Each chunk spans from one keyframe to
    /// the next.
    pub(super) fn body(&mut self) -> Result<(), SalvageError> {
        let chunks = self.table.chunks();
        let mut at = chunks
            .first()
            .map_or(self.table.rest(), |entry| entry.offset);
        // The table may be right up to some chunk. A chunk may have a single frame, which alone could be
        // there by chance.
        for entry in chunks {
            let there = entry.there == entry.size;
            if !there || !self.whole_chunk(entry.offset, entry.there, Compression::None)? {
                break;
            }
            at = entry.offset + entry.there;
        }
        let mut window = Window::new(self.input, at);
        let start = window.from(at, AHEAD)?;
        let layout = Survey::of(start, Layout::of(&self.header), &mut self.packed).layout;
        loop {
            // A single frame counts where the table says that the first chunk starts, and where whole
            // frames end; it is not there by chance.
            let next = if self.is_keyframe(&mut window, at, layout)? {
                Some(at)
            } else {
                self.next_keyframe(&mut window, at, layout)?
            };
            let Some(next) = next else {
                break;
            };
            self.salvaged.gaps += u64::from(next > at);
            self.salvaged.lost_bytes += next - at;
            let (chunk, frames) = self.run_of_frames(&mut window, next, layout)?;
            let size = chunk.len() as u64;
            if self.is_known(next, size) {
                self.salvaged.whole_chunks += 1;
            } else {
                self.salvaged.found_chunks += 1;
            }
            self.salvaged.written.chunks += 1;
            self.salvaged.written.frames += frames;
            self.assembler.push(chunk)?;
            at = next + size.max(1);
        }
        self.salvaged.lost_bytes += self.input.size().saturating_sub(at);
        Ok(())
    }

    /// Whether a keyframe starts at a byte.
    fn is_keyframe(
        &mut self,
        window: &mut Window<'_, B>,
        at: u64,
        layout: Layout,
    ) -> Result<bool, Error> {
        let bytes = window.from(at, AHEAD)?;
        let mut input = ByteReader::new(bytes);
        Ok(bytes.starts_with(&KEYFRAME) && self.packed.read(&mut input, layout).is_ok())
    }

    /// Returns the position of the next keyframe at or after a byte.
    fn next_keyframe(
        &mut self,
        window: &mut Window<'_, B>,
        mut from: u64,
        layout: Layout,
    ) -> Result<Option<u64>, Error> {
        loop {
            window.forget(from);
            let bytes = window.from(from, 2 * AHEAD)?;
            let last = from + bytes.len() as u64 == self.input.size();
            // A frame near the end of the window may be longer than the window.
            let told = bytes.len() - if last { 0 } else { AHEAD.min(bytes.len()) };
            match self.keyframe(bytes, 0, layout) {
                Some(next) if next < told => return Ok(Some(from + next as u64)),
                _ if last || self.patience == 0 => return Ok(None),
                _ => from += told as u64,
            }
        }
    }

    /// Returns the frames from a keyframe to the next, as far as they are whole.
    fn run_of_frames(
        &mut self,
        window: &mut Window<'_, B>,
        from: u64,
        layout: Layout,
    ) -> Result<(Vec<u8>, u64), Error> {
        window.forget(from);
        let (mut end, mut frames) = (0, 0);
        loop {
            let rest = window.from(from + end, AHEAD)?;
            let mut input = ByteReader::new(rest);
            let read = self.packed.read(&mut input, layout);
            if read.is_err() || frames > 0 && self.packed.keyframe {
                break;
            }
            end += input.offset() as u64;
            frames += 1;
        }
        let bytes = window.from(from, 0)?;
        let size = usize::try_from(end).unwrap_or(usize::MAX);
        Ok((bytes.get(..size).unwrap_or_default().to_vec(), frames))
    }
}
