//! Writing a .butter. Frames are encoded as they arrive; the result is decoded again and compared with
//! them.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use gametape_core::tape::{Error, Sink as Out, Work};
use tempfile::{SpooledTempFile, spooled_tempfile, spooled_tempfile_in};

use super::super::error::{unwritable, unwritable_because};
use super::super::opened::EchoTape;
use super::batch::{Batch, Batches, End, Parsed, is_alone, parse};
use super::lost::{Lost, Made};
use crate::Frame;
use crate::butter::{ChunkDecoder, Header, Options, Writer};
use crate::echoreplay::Redactor;
use crate::loss::FieldErrors;

/// The number of frames that are kept for reuse.
const SPARE: usize = 512;

/// The number of bytes of the output that are kept in memory; more go to a temporary file. A short match
/// fits, for which a temporary file would take a twentieth of the time.
const WAITING: usize = 256 << 10;

thread_local! {
    /// Frames of the previous recording, for reuse: where a core converts many short recordings, allocating
    /// frames takes a seventh of the time.
    static USED: Cell<Vec<Frame>> = const { Cell::new(Vec::new()) };
}

/// An encoded chunk, and its frames.
struct Chunk {
    header: Header,
    raw: Vec<u8>,
    frames: Vec<Frame>,
}

pub(super) fn make(
    tape: &EchoTape,
    options: Options,
    mut redactor: Option<Redactor>,
    out: &mut dyn Out,
    work: &Work<'_>,
) -> Result<Made, Error> {
    let spool = match work.folder {
        Some(folder) => spooled_tempfile_in(WAITING, folder),
        None => spooled_tempfile(WAITING),
    };
    let mut lost = Lost::default();
    let mut end = End::default();
    let errors = std::thread::scope(|scope| {
        let mut batches = Batches::read(scope, tape.format, &tape.input, work)?;
        let mut sink = MeasuredWriter {
            writer: Writer::new(spool, options),
            frames: 0,
            pending: Vec::new(),
            measuring: Measuring::begin(scope),
        };
        let mut parsed = Parsed::default();
        if is_alone() {
            parsed.frames = USED.take();
        }
        loop {
            let mut ready = match batches.next()? {
                Batch::End(found) => {
                    end = found;
                    break;
                }
                Batch::Frames(frames) => frames,
                Batch::Lines(mut lines) => {
                    parse(&mut lines, &mut parsed, &mut lost);
                    batches.done(Batch::Lines(lines));
                    parsed.take()
                }
            };
            for mut frame in ready.drain(..) {
                if let Some(redactor) = &mut redactor {
                    redactor.frame(&mut frame);
                }
                sink.push(frame)?;
            }
            // The frames' allocations are reused.
            if parsed.frames.len() < SPARE {
                sink.measuring.give_back(&mut parsed.frames);
            }
        }
        if sink.frames == 0 {
            return Err(lost.nothing_kept());
        }
        let mut measuring = sink.finish(out)?;
        if is_alone() {
            measuring.give_back(&mut parsed.frames);
            parsed.frames.truncate(SPARE);
            USED.set(parsed.frames);
        }
        measuring.end()
    })?;
    let mut left_out = lost.sentences();
    left_out.extend(end.losses);
    Ok(Made {
        errors,
        left_out,
        lines: lost.into_lines(),
        notes: end.notes,
    })
}

/// Encodes frames and has them measured.
struct MeasuredWriter<'scope> {
    writer: Writer<SpooledTempFile>,
    frames: u64,
    /// Frames of the current chunk.
    pending: Vec<Frame>,
    measuring: Measuring<'scope>,
}

impl<'scope> MeasuredWriter<'scope> {
    fn push(&mut self, frame: Frame) -> Result<(), Error> {
        let (pending, measuring) = (&mut self.pending, &mut self.measuring);
        let pushed = self.writer.push_shown(&frame, &mut |header, raw| {
            measuring.chunk(header, raw, pending);
        });
        self.frames += 1;
        pushed.map_err(|error| unwritable(&frame, error))?;
        self.pending.push(frame);
        Ok(())
    }

    fn finish(mut self, out: &mut dyn Out) -> Result<Measuring<'scope>, Error> {
        let (pending, measuring) = (&mut self.pending, &mut self.measuring);
        self.writer
            .finish_shown(out, &mut |header, raw| {
                measuring.chunk(header, raw, pending);
            })
            .map_err(|error| unwritable(&Frame::default(), error))?;
        Ok(self.measuring)
    }
}

/// Measures chunks, on this thread or another.
enum Measuring<'scope> {
    /// On another thread, which returns the frames after use.
    Beside {
        to: SyncSender<Chunk>,
        back: Receiver<Vec<Frame>>,
        thread: ScopedJoinHandle<'scope, Result<FieldErrors, Error>>,
    },
    /// On this thread; with the frames after use.
    Here(Box<Measure>, Vec<Frame>),
}

impl<'scope> Measuring<'scope> {
    fn begin(scope: &'scope Scope<'scope, '_>) -> Self {
        if is_alone() {
            return Self::Here(Box::default(), Vec::new());
        }
        let (to, chunks) = sync_channel(1);
        let (done, back) = channel();
        let thread = scope.spawn(move || measure(&chunks, &done));
        Self::Beside { to, back, thread }
    }

    fn chunk(&mut self, header: &Header, raw: &[u8], frames: &mut Vec<Frame>) {
        match self {
            Self::Beside { to, .. } => {
                // The receiver takes all chunks.
                let _ = to.send(Chunk {
                    header: header.clone(),
                    raw: raw.to_vec(),
                    frames: std::mem::take(frames),
                });
            }
            Self::Here(measure, done) => {
                measure.chunk(header, raw, frames);
                done.append(frames);
            }
        }
    }

    /// Moves the used frames to `to`.
    fn give_back(&mut self, to: &mut Vec<Frame>) {
        match self {
            Self::Beside { back, .. } => to.extend(back.try_iter().flatten()),
            Self::Here(_, done) => to.append(done),
        }
    }

    fn end(self) -> Result<FieldErrors, Error> {
        match self {
            Self::Here(measure, _) => measure.end(),
            Self::Beside { to, thread, .. } => {
                drop(to);
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            }
        }
    }
}

fn measure(chunks: &Receiver<Chunk>, done: &Sender<Vec<Frame>>) -> Result<FieldErrors, Error> {
    let mut measure = Measure::default();
    for chunk in chunks {
        measure.chunk(&chunk.header, &chunk.raw, &chunk.frames);
        let _ = done.send(chunk.frames);
    }
    measure.end()
}

/// Decodes chunks, and compares them with their frames.
#[derive(Default)]
struct Measure {
    errors: FieldErrors,
    decoder: ChunkDecoder,
    failed: Option<String>,
}

impl Measure {
    fn chunk(&mut self, header: &Header, raw: &[u8], frames: &[Frame]) {
        if self.failed.is_some() {
            return;
        }
        self.decoder.load(header, raw);
        for original in frames {
            match self.decoder.next_frame() {
                Ok(Some(stored)) => self.errors.push(original, stored),
                // A fault of the writer.
                Ok(None) => self.failed = Some("a frame is missing".to_owned()),
                Err(error) => self.failed = Some(error.to_string()),
            }
        }
    }

    fn end(self) -> Result<FieldErrors, Error> {
        match self.failed {
            None => Ok(self.errors),
            Some(message) => Err(unwritable_because(format!(
                "what was written can't be read back: {message}"
            ))),
        }
    }
}
