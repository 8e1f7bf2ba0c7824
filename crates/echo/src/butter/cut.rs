//! Cuts a part out of a recording. Whole chunks are copied byte for byte, the last chunk is shortened to
//! its first frames, and a first chunk that is entered in the middle is encoded anew.

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

/// Assembles the part by way of a spool, like [`Writer`](super::Writer).
pub(crate) struct Cutter<S> {
    header: Header,
    assembler: Assembler<S>,
    encoder: Option<ChunkEncoder>,
    /// Frames that were encoded anew and are not in a chunk yet.
    raw: Vec<u8>,
    inflated: Vec<u8>,
    packed: Packed,
}

impl<S: Read + Write + Seek> Cutter<S> {
    /// Starts a part of a recording with this header. The header stays as it is, since frames refer to
    /// players by their index in it.
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

    /// Adds a chunk as it is stored.
    pub fn whole(&mut self, stored: &[u8]) -> Result<(), WriteError> {
        self.end_chunk()?;
        self.assembler.push_stored(stored)
    }

    /// Adds the first `frames` frames of a chunk, byte for byte. Returns false if the chunk has fewer.
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

    /// Adds a frame, encoded as by [`Mode::Correct`]. The first one starts a chunk.
    pub fn anew(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let header = &self.header;
        let encoder = self.encoder.get_or_insert_with(|| {
            let options = Options {
                mode: Mode::Correct,
                // These frames come from one chunk and stay in one.
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
        // Players that the header lacked were appended to it.
        let header = self.encoder.map_or(self.header, |encoder| encoder.header);
        self.assembler.finish(&header, out).map(drop)
    }
}
