//! Writing chunk by chunk, although the table of chunks comes before them; and cutting a part out of a
//! recording.

use std::io::{self, Read, Seek, SeekFrom, Write};

#[cfg(feature = "tape")]
use gametape_core::ByteReader;

use super::chunk::deflate;
#[cfg(feature = "tape")]
use super::chunk::inflate;
use super::frame::encode::Encoder;
#[cfg(feature = "tape")]
use super::frame::packed::{Layout, Packed};
use super::header::{Compression, Header};
#[cfg(feature = "tape")]
use super::survey::Survey;
use super::survey::ends_with_letter;
use crate::error::WriteError;
#[cfg(feature = "tape")]
use crate::limits::Limits;
use crate::model::Frame;
use crate::parallel;

/// Options for writing.
///
/// Frames are encoded by the specification: differences from the reader's state, of which only zeros are left out;
/// absolute bones in keyframes; rotations rounded and clamped. A keyframe is written where more than a minute
/// passes, a timer of a pause falls below 0, or stats or parts disappear. No errors add up. (The reference's own
/// reader still makes the mistakes that it makes with any file: sums of teams, timers of pauses, counts that fall.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The largest number of frames in a chunk; 0 counts as 1.
    pub keyframe_interval: u16,
    /// How chunks are compressed.
    pub compression: Compression,
}

impl Default for Options {
    /// 300 frames per chunk, zstd level 3.
    fn default() -> Self {
        Self {
            keyframe_interval: 300,
            compression: Compression::Zstd3,
        }
    }
}

/// The longest time between keyframes: differences of time are 16 bits of milliseconds.
const KEYFRAME_MS: i64 = 60_000;

/// Encodes frames, one after another, as the bytes of chunks.
#[derive(Debug)]
pub(super) struct ChunkEncoder {
    pub header: Header,
    encoder: Encoder,
    options: Options,
    /// The index of each player in the frame met last.
    indices: Vec<u8>,
    in_chunk: u32,
    keyframe_at: i64,
    last_at: i64,
}

impl ChunkEncoder {
    /// Starts a recording with this frame.
    pub fn new(first: &Frame, options: Options) -> Self {
        let header = Header::new(first, options.keyframe_interval, options.compression);
        Self {
            encoder: Encoder::new(&header),
            header,
            options,
            indices: Vec::new(),
            in_chunk: 0,
            keyframe_at: 0,
            last_at: 0,
        }
    }

    /// Adds the players of a frame to the header. Returns true if there were new ones.
    pub fn meet(&mut self, frame: &Frame) -> Result<bool, WriteError> {
        self.header.meet(frame, &mut self.indices)
    }

    /// Refuses a time of rules that readers would take for a sign of early version 3. Call this before [`Self::meet`].
    pub fn check(&self, frame: &Frame) -> Result<(), WriteError> {
        let at = frame.session.rules_changed_at;
        match at.filter(|at| self.header.private_match() && ends_with_letter(*at)) {
            None => Ok(()),
            Some(at) => Err(WriteError::Unstorable {
                what: "rules_changed_at",
                found: at.to_string(),
                holds: "times whose highest byte is no letter: by that, readers know early version 3",
            }),
        }
    }

    /// Makes the next frame start a chunk.
    pub const fn end_chunk(&mut self) {
        self.in_chunk = 0;
    }

    /// Encodes for the header's map, after the header was replaced.
    pub fn on_map(mut self) -> Self {
        self.encoder = Encoder::new(&self.header);
        self
    }

    /// Whether the next frame starts a chunk.
    pub fn starts_chunk(&self, frame: &Frame) -> bool {
        let interval = u32::from(self.options.keyframe_interval.max(1));
        let far = frame.time.0 < self.last_at
            || frame.time.0.saturating_sub(self.keyframe_at) > KEYFRAME_MS
            || self.encoder.must_start(frame);
        self.in_chunk == 0 || self.in_chunk >= interval || far
    }

    /// Writes a frame whose players the header has met. Returns true if the frame started a chunk.
    pub fn push(&mut self, frame: &Frame, out: &mut Vec<u8>) -> bool {
        let keyframe = self.starts_chunk(frame);
        if keyframe {
            self.in_chunk = 0;
            self.keyframe_at = frame.time.0;
        }
        self.in_chunk += 1;
        self.last_at = frame.time.0;
        let (header, indices) = (&self.header, &self.indices);
        self.encoder.push(frame, keyframe, header, indices, out);
        keyframe
    }
}

/// Chunks on their way into a file. They wait in a spool until the table can be written.
#[derive(Debug)]
pub(super) struct Assembler<S> {
    spool: S,
    sizes: Vec<u32>,
    compression: Compression,
    /// Chunks that are not compressed yet, up to one per thread.
    waiting: Vec<Vec<u8>>,
    written: u64,
}

impl<S: Read + Write + Seek> Assembler<S> {
    pub const fn new(spool: S, compression: Compression) -> Self {
        Self {
            spool,
            sizes: Vec::new(),
            compression,
            waiting: Vec::new(),
            written: 0,
        }
    }

    /// Adds a chunk that is not compressed.
    pub fn push(&mut self, raw: Vec<u8>) -> Result<(), WriteError> {
        if self.compression == Compression::None {
            return self.store(&raw);
        }
        self.waiting.push(raw);
        if self.waiting.len() >= parallel::at_once() {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a chunk as it is stored.
    pub fn push_stored(&mut self, stored: &[u8]) -> Result<(), WriteError> {
        self.flush()?;
        self.store(stored)
    }

    fn store(&mut self, stored: &[u8]) -> Result<(), WriteError> {
        let size = u32::try_from(stored.len()).map_err(|_| WriteError::Unstorable {
            what: "a chunk of",
            found: format!("{} bytes", stored.len()),
            holds: "4,294,967,295 bytes",
        })?;
        self.spool.write_all(stored)?;
        self.written += u64::from(size);
        self.sizes.push(size);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        let how = self.compression;
        let stored = parallel::map(&self.waiting, || (), |(), raw| deflate(raw, how));
        self.waiting.clear();
        for chunk in stored {
            self.store(&chunk?)?;
        }
        Ok(())
    }

    /// Writes the file: header, table, chunks. Returns its size.
    pub fn finish(
        mut self,
        header: &Header,
        out: &mut (impl Write + ?Sized),
    ) -> Result<u64, WriteError> {
        self.flush()?;
        let mut head = Vec::new();
        header.write(&mut head);
        head.extend_from_slice(&(self.sizes.len() as u32).to_le_bytes());
        for size in &self.sizes {
            head.extend_from_slice(&size.to_le_bytes());
        }
        out.write_all(&head)?;
        self.spool.seek(SeekFrom::Start(0))?;
        let copied = io::copy(&mut self.spool.take(self.written), out)?;
        if copied != self.written {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        Ok(head.len() as u64 + copied)
    }
}

/// Describes the file that was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Written {
    /// The number of frames.
    pub frames: u64,
    /// The number of chunks. Each starts with a keyframe.
    pub chunks: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// Writes a recording.
///
/// The header names all players and the table all chunks, so neither can be written before the last frame
/// is known. Finished chunks wait, compressed, in a spool, which may be a file. [`Writer::finish`] writes
/// header and table, and then the chunks. Memory holds only the chunks being compressed, one per thread. To
/// record live without losing frames in a crash, use [`Journal`](super::Journal).
///
/// ```
/// use std::io::Cursor;
/// use gametape_echo::butter::{Options, Writer};
///
/// # let frames = gametape_echo::doc_frames();
/// let mut writer = Writer::new(Cursor::new(Vec::new()), Options::default());
/// for frame in &frames {
///     writer.push(frame)?;
/// }
/// let mut file = Vec::new();
/// let written = writer.finish(&mut file)?;
/// assert_eq!((written.frames, written.bytes), (3, file.len() as u64));
/// # Ok::<(), gametape_echo::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<S> {
    options: Options,
    encoder: Option<ChunkEncoder>,
    raw: Vec<u8>,
    assembler: Assembler<S>,
    frames: u64,
    chunks: u64,
}

impl<S: Read + Write + Seek> Writer<S> {
    /// Writes by way of an empty spool.
    pub const fn new(spool: S, options: Options) -> Self {
        Self {
            options,
            encoder: None,
            raw: Vec::new(),
            assembler: Assembler::new(spool, options.compression),
            frames: 0,
            chunks: 0,
        }
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// [`WriteError::Io`] of the spool; [`WriteError::Unstorable`] for the 256th player. Nothing of the frame is
    /// written then, and other frames may follow.
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.push_shown(frame, &mut |_, _| {})
    }

    /// Like [`Writer::push`], and passes each chunk to `show` before it is compressed, with the
    /// header so far, which a `ChunkDecoder` reads.
    pub(crate) fn push_shown(
        &mut self,
        frame: &Frame,
        show: &mut dyn FnMut(&Header, &[u8]),
    ) -> Result<(), WriteError> {
        let encoder = match &mut self.encoder {
            Some(encoder) => {
                encoder.check(frame)?;
                encoder
            }
            none => {
                let encoder = ChunkEncoder::new(frame, self.options);
                encoder.check(frame)?;
                none.insert(encoder)
            }
        };
        encoder.meet(frame)?;
        if encoder.starts_chunk(frame) && !self.raw.is_empty() {
            let raw = std::mem::take(&mut self.raw);
            show(&encoder.header, &raw);
            self.raw.reserve(raw.len());
            self.assembler.push(raw)?;
        }
        self.chunks += u64::from(encoder.push(frame, &mut self.raw));
        self.frames += 1;
        Ok(())
    }

    /// Writes the file. A recording of no frames is an empty file.
    ///
    /// # Errors
    /// [`WriteError::Io`] of the spool or of `out`.
    pub fn finish(self, out: &mut (impl Write + ?Sized)) -> Result<Written, WriteError> {
        self.finish_shown(out, &mut |_, _| {})
    }

    /// Like [`Writer::finish`], and passes the last chunk to `show` as `push_shown` does.
    pub(crate) fn finish_shown(
        mut self,
        out: &mut (impl Write + ?Sized),
        show: &mut dyn FnMut(&Header, &[u8]),
    ) -> Result<Written, WriteError> {
        let Some(encoder) = self.encoder else {
            return Ok(Written::default());
        };
        if !self.raw.is_empty() {
            show(&encoder.header, &self.raw);
            self.assembler.push(self.raw)?;
        }
        Ok(Written {
            frames: self.frames,
            chunks: self.chunks,
            bytes: self.assembler.finish(&encoder.header, out)?,
        })
    }
}

/// Writes a recording from memory.
///
/// # Errors
/// [`WriteError::Unstorable`].
pub fn write<'a>(
    frames: impl IntoIterator<Item = &'a Frame>,
    options: Options,
) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(io::Cursor::new(Vec::new()), options);
    for frame in frames {
        writer.push(frame)?;
    }
    let mut out = Vec::new();
    writer.finish(&mut out)?;
    Ok(out)
}

#[cfg(feature = "tape")]
/// Assembles the part by way of a spool, like [`Writer`].
pub(crate) struct Cutter<S> {
    header: Header,
    assembler: Assembler<S>,
    encoder: Option<ChunkEncoder>,
    /// Frames that were encoded anew and are not in a chunk yet.
    raw: Vec<u8>,
    inflated: Vec<u8>,
    packed: Packed,
}

#[cfg(feature = "tape")]
impl<S: Read + Write + Seek> Cutter<S> {
    /// Starts a part of a recording with this header. The header stays as it is, since frames refer to
    /// players by their index in it.
    pub fn new(header: Header, spool: S) -> Self {
        Self {
            assembler: Assembler::new(spool, header.compression),
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

    /// Adds a frame, encoded anew. The first one starts a chunk.
    pub fn anew(&mut self, frame: &Frame) -> Result<(), WriteError> {
        let header = &self.header;
        let encoder = self.encoder.get_or_insert_with(|| {
            let options = Options {
                // These frames come from one chunk and stay in one.
                keyframe_interval: u16::MAX,
                compression: header.compression,
            };
            let mut encoder = ChunkEncoder::new(frame, options);
            encoder.header = header.clone();
            encoder.on_map()
        });
        encoder.meet(frame)?;
        if encoder.starts_chunk(frame) && !self.raw.is_empty() {
            self.assembler.push(std::mem::take(&mut self.raw))?;
        }
        encoder.push(frame, &mut self.raw);
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
