//! Writes recordings, frame by frame or from a simulation while it runs. A frame is written as a whole or not at
//! all.

use std::io;

use gametape_core::Output;
use gametape_core::text::Grouped;

use crate::error::WriteError;
use crate::layout::encode::{
    LIMITS, check_all, check_count, frame_head, put_command, write_header,
};
use crate::layout::scan::FrameScan;
use crate::layout::{Frame, header};
use crate::limits::Limits;
use crate::model::Header;
use crate::model::command::{Command, Commands};
use crate::replay::comparison::hash_of;
use crate::simulation::Simulation;

/// The number of bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// Writes a recording frame by frame.
///
/// Frames are collected and written in pieces of about 64 KiB that end with a frame (see
/// [`Writer::set_buffer`]), so no [`io::BufWriter`] is needed. A frame that can't be encoded is
/// refused as a whole. If the output fails, it is cut back to the end of its last whole frame. The
/// bytes that it did not take are kept, and the next flush tries again, so that a disk that was
/// full for a while causes no loss. A writer that is dropped without [`Writer::finish`] does not
/// report its last error.
///
/// ```
/// use gametape_murk::{read, CommandBuf, Envelope, Header, Payload, Writer, snapshot_hash};
///
/// let header = Header { field_count: 1, cell_count: 2, ..Header::default() };
/// let mut writer = Writer::new(Vec::new(), &header)?;
/// let mut commands = CommandBuf::new();
/// commands.push(
///     &Envelope::default(),
///     &Payload::SetField { coord: (&[1]).into(), field: 0, value: 2.5 },
/// )?;
/// writer.push(1, commands.as_commands(), snapshot_hash([[0.0, 2.5].as_slice()]))?;
/// let bytes = writer.finish()?;
/// assert_eq!(read(&bytes)?.frames().count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer<O: Output> {
    /// `None` only after `finish`.
    output: Option<O>,
    /// The waiting frames, and at first the header. It starts where a frame starts.
    buffer: Vec<u8>,
    /// The bytes of the buffer that the output has taken and could not take back.
    sent: usize,
    /// The number of bytes in the buffer at which it is written.
    threshold: usize,
    /// True while the header is at the start of the buffer.
    header_waits: bool,
    frames: u64,
}

impl<O: Output> Writer<O> {
    /// Starts a recording. The header is written with the first flush, or when the buffer is full.
    ///
    /// # Errors
    /// [`WriteError::DataTooLarge`]. Nothing is written then.
    pub fn new(output: O, header: &Header<'_>) -> Result<Self, WriteError> {
        Ok(Self {
            output: Some(output),
            buffer: write_header(header)?,
            sent: 0,
            threshold: BUFFER,
            header_waits: true,
            frames: 0,
        })
    }

    /// Sets the number of bytes that are collected before they are written; with 0 each frame is
    /// written at once.
    pub const fn set_buffer(&mut self, bytes: usize) {
        self.threshold = bytes;
    }

    /// Returns the number of frames that were pushed, with those of a resumed recording.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds a frame: its tick, its commands, and the hash of the state after them.
    ///
    /// # Errors
    /// [`WriteError::DataTooLarge`] if other readers would refuse the frame, which one with larger
    /// limits may have read; nothing of the frame is written then. [`WriteError::Io`]: the frame is
    /// kept, and a later flush tries again.
    #[inline]
    pub fn push(&mut self, tick: u64, commands: Commands<'_>, hash: u64) -> Result<(), WriteError> {
        let large = commands.as_bytes().len() > LIMITS.max_blob_bytes as usize;
        if commands.len() > LIMITS.max_commands as usize || large {
            check_all(commands)?;
        }
        self.buffer
            .extend_from_slice(&frame_head(tick, commands.len() as u32));
        if !commands.is_empty() {
            self.buffer.extend_from_slice(commands.as_bytes());
        }
        self.end_frame(hash)
    }

    /// Adds a frame whose commands come from an iterator.
    ///
    /// # Errors
    /// [`WriteError::DataTooLarge`] for a payload over 64 MiB and for more than 1,000,000 commands;
    /// nothing of the frame is written then. [`WriteError::Io`] as in [`Writer::push`].
    #[inline]
    pub fn push_each<'c>(
        &mut self,
        tick: u64,
        commands: impl IntoIterator<Item = Command<'c>>,
        hash: u64,
    ) -> Result<(), WriteError> {
        let start = self.buffer.len();
        self.buffer.extend_from_slice(&frame_head(tick, 0));
        let mut count = 0_usize;
        for command in commands {
            count += 1;
            // Checked at once, in case the iterator never ends.
            let put = if count > LIMITS.max_commands as usize {
                check_count(count).map(|_| ())
            } else {
                put_command(&command, &mut self.buffer)
            };
            if let Err(error) = put {
                self.buffer.truncate(start);
                return Err(error);
            }
        }
        match check_count(count) {
            Ok(count) => {
                if let Some(space) = self.buffer.get_mut(start + 8..start + 12) {
                    space.copy_from_slice(&count.to_le_bytes());
                }
                self.end_frame(hash)
            }
            Err(error) => {
                self.buffer.truncate(start);
                Err(error)
            }
        }
    }

    #[inline]
    fn end_frame(&mut self, hash: u64) -> Result<(), WriteError> {
        self.buffer.extend_from_slice(&hash.to_le_bytes());
        self.frames += 1;
        if self.buffer.len() >= self.threshold {
            self.drain()?;
        }
        Ok(())
    }

    /// Writes everything to the output, and flushes it.
    ///
    /// # Errors
    /// [`WriteError::Io`]. The bytes that were not taken are kept.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.drain()?;
        if let Some(output) = &mut self.output {
            output.flush()?;
        }
        Ok(())
    }

    /// Flushes, and returns the output.
    ///
    /// # Errors
    /// [`WriteError::Io`]. The recording ends with the last frame that the output took.
    pub fn finish(mut self) -> Result<O, WriteError> {
        self.flush()?;
        self.buffer.clear();
        self.output
            .take()
            .ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe).into())
    }

    /// Continues after this many frames in the output.
    pub(crate) const fn after(output: O, frames: u64) -> Self {
        Self {
            output: Some(output),
            buffer: Vec::new(),
            sent: 0,
            threshold: BUFFER,
            header_waits: false,
            frames,
        }
    }

    fn drain(&mut self) -> Result<(), WriteError> {
        let Some(output) = &mut self.output else {
            return Ok(());
        };
        while let Some(rest) = self.buffer.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match output.write(rest) {
                Ok(0) => {
                    let error = io::ErrorKind::WriteZero.into();
                    self.retreat();
                    return Err(WriteError::Io(error));
                }
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.retreat();
                    return Err(WriteError::Io(error));
                }
            }
        }
        self.buffer.clear();
        self.sent = 0;
        self.header_waits = false;
        Ok(())
    }

    /// After an error: forgets the whole frames that the output has, and takes back an incomplete
    /// one.
    #[cold]
    fn retreat(&mut self) {
        let whole = self.whole_sent();
        self.buffer.drain(..whole);
        self.header_waits &= whole == 0;
        self.sent -= whole;
        if self.sent > 0
            && let Some(output) = &mut self.output
            && output.take_back(self.sent as u64).is_ok()
        {
            self.sent = 0;
        }
    }

    /// Returns the number of sent bytes that belong to the header and to whole frames.
    fn whole_sent(&self) -> usize {
        let sent = self.buffer.get(..self.sent).unwrap_or_default();
        let mut whole = 0;
        if self.header_waits {
            match header(sent, &Limits::NONE) {
                Ok((_, size)) => whole = size,
                Err(_) => return 0,
            }
        }
        while let Some(Ok(size)) = sent
            .get(whole..)
            .map(|rest| FrameScan::default().run(rest, &Limits::NONE))
        {
            whole += size;
        }
        whole
    }
}

/// Writes a recording that is in memory.
///
/// ```
/// # let bytes = gametape_murk::doc_example();
/// use gametape_murk::{read, write};
/// let replay = read(&bytes)?;
/// let frames = replay.frames().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(write(replay.header(), frames)?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`WriteError`] if the header or a frame is too large for the format.
pub fn write<'a>(
    header: &Header<'_>,
    frames: impl IntoIterator<Item = Frame<'a>>,
) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new(), header)?;
    for frame in frames {
        writer.push(frame.tick, frame.commands(), frame.snapshot_hash)?;
    }
    writer.finish()
}

impl<O: Output> Drop for Writer<O> {
    fn drop(&mut self) {
        // Best effort, as in `io::BufWriter`; `finish` reports errors.
        let _ = self.flush();
    }
}

/// Why a recording stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError<E: std::error::Error + 'static> {
    /// The recording can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The simulation could not make a tick. Nothing of that tick was recorded.
    #[error("tick {}: {source}", Grouped(*tick))]
    Simulation {
        /// The caller's number of the tick.
        tick: u64,
        /// The error of the simulation.
        source: E,
    },
}

/// Steps a simulation and records each tick.
///
/// ```
/// # use gametape_murk::{Commands, Simulation};
/// # struct Still([f32; 1]);
/// # impl Simulation for Still {
/// #     type Error = std::convert::Infallible;
/// #     fn step(&mut self, _: u64, _: Commands<'_>) -> Result<(), Self::Error> { Ok(()) }
/// #     fn field(&self, field: u32) -> Option<&[f32]> { (field == 0).then_some(&self.0) }
/// # }
/// use gametape_murk::{CommandBuf, Header, Recorder, Writer, read, verify};
/// let header = Header { field_count: 1, cell_count: 1, ..Header::default() };
/// let mut world = Still([1.5]);
/// let mut recorder = Recorder::new(Writer::new(Vec::new(), &header)?, &header);
/// for tick in 1..=10 {
///     recorder.step(&mut world, tick, CommandBuf::new().as_commands())?;
/// }
/// let bytes = recorder.finish()?;
/// assert_eq!(verify(&read(&bytes)?, &mut Still([1.5]))?.frames, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recorder<O: Output> {
    writer: Writer<O>,
    field_count: u32,
}

impl<O: Output> Recorder<O> {
    /// Creates a recorder that writes to `writer`, which was made with (or resumed from) `header`.
    #[must_use]
    pub const fn new(writer: Writer<O>, header: &Header<'_>) -> Self {
        Self {
            writer,
            field_count: header.field_count,
        }
    }

    /// Makes a tick and records it; returns the hash of the state after it.
    ///
    /// # Errors
    /// [`RecordError`]. After an I/O error of [`RecordError::Write`] the frame is kept, and the
    /// next call tries again.
    pub fn step<S: Simulation>(
        &mut self,
        simulation: &mut S,
        tick: u64,
        commands: Commands<'_>,
    ) -> Result<u64, RecordError<S::Error>> {
        simulation
            .step(tick, commands)
            .map_err(|source| RecordError::Simulation { tick, source })?;
        let hash = hash_of(simulation, self.field_count);
        self.writer.push(tick, commands, hash)?;
        Ok(hash)
    }

    /// Returns the writer, to flush it.
    pub const fn writer(&mut self) -> &mut Writer<O> {
        &mut self.writer
    }

    /// Flushes, and returns the output.
    ///
    /// # Errors
    /// Same as [`Writer::finish`].
    pub fn finish(self) -> Result<O, WriteError> {
        self.writer.finish()
    }
}
