//! A part of a recording: whole chunks byte for byte, of the last the bytes of its first frames, of the
//! first, where it starts within a chunk, frames that are encoded anew.

use std::io::{Read, Seek, Write};

use gametape_core::ByteReader;

use super::header::Header;
use super::layout::Layout;
use super::pack::{Packing, inflate};
use super::packed::Packed;
use super::survey::Survey;
use super::write::{Assembler, ChunkEncoder, Mode, Options, SPELLED};
use crate::error::WriteError;
use crate::limits::Limits;
use crate::model::Frame;

/// Puts the part together, by way of a spool as in [`Writer`](super::Writer).
pub(crate) struct Cutter<S> {
    header: Header,
    assembler: Assembler<S>,
    encoder: Option<ChunkEncoder>,
    /// Frames that were encoded anew, and are in no chunk yet.
    raw: Vec<u8>,
    inflated: Vec<u8>,
    packed: Packed,
}

impl<S: Read + Write + Seek> Cutter<S> {
    /// Of a recording with this header, which is kept: frames speak of players by their place in it.
    pub fn new(header: Header, spool: S) -> Self {
        Self {
            assembler: Assembler::new(spool, Packing::checked(header.compression)),
            header,
            encoder: None,
            raw: Vec::new(),
            inflated: Vec::new(),
            packed: Packed::default(),
        }
    }

    /// A chunk as it is stored.
    pub fn whole(&mut self, stored: &[u8]) -> Result<(), WriteError> {
        self.end_chunk()?;
        self.assembler.push_stored(stored)
    }

    /// The first frames of a chunk, as they are. False where it has fewer.
    pub fn first_of(&mut self, stored: &[u8], frames: u64) -> Result<bool, WriteError> {
        self.end_chunk()?;
        let (compression, raw) = (self.header.compression, &mut self.inflated);
        if inflate(stored, compression, &Limits::DEFAULT, raw).is_err() {
            return Ok(false);
        }
        let layout = Survey::of(raw, Layout::of(&self.header), &mut self.packed).layout;
        let mut input = ByteReader::new(raw);
        for _ in 0..frames {
            if input.is_empty() || self.packed.read(&mut input, layout).is_err() {
                return Ok(false);
            }
        }
        let kept = raw.get(..input.offset()).unwrap_or_default();
        self.assembler.push(kept.to_vec())?;
        Ok(true)
    }

    /// A frame, encoded as [`Mode::Correct`] does: the first starts a chunk.
    pub fn anew(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let header = &self.header;
        let encoder = self.encoder.get_or_insert_with(|| {
            let options = Options {
                mode: Mode::Correct,
                // A chunk has no more of them than the one that they were in.
                keyframe_interval: u16::MAX,
                compression: header.compression,
            };
            let mut encoder = ChunkEncoder::of_correct(frame, options);
            encoder.header = header.clone();
            encoder.on_map()
        });
        encoder.meet(frame)?;
        if encoder.starts_chunk(frame) && !self.raw.is_empty() {
            self.assembler.push(std::mem::take(&mut self.raw))?;
        }
        encoder.push(frame, &SPELLED, &mut self.raw);
        Ok(())
    }

    fn end_chunk(&mut self) -> Result<(), WriteError> {
        if !self.raw.is_empty() {
            self.assembler.push(std::mem::take(&mut self.raw))?;
        }
        Ok(())
    }

    /// Writes the file.
    pub fn finish(mut self, out: &mut (impl Write + ?Sized)) -> Result<(), WriteError> {
        self.end_chunk()?;
        // Players that the header lacks were added behind those that it has.
        let header = self.encoder.map_or(self.header, |encoder| encoder.header);
        self.assembler.finish(&header, out).map(drop)
    }
}
