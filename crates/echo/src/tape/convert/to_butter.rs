//! Making a .butter: frames are encoded as they come, and what was encoded is read back and
//! measured beside them.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use gametape_core::tape::{Error, Sink as Out, Work};
use tempfile::{SpooledTempFile, spooled_tempfile, spooled_tempfile_in};

use super::super::error::{unwritable, unwritable_because};
use super::super::opened::EchoTape;
use super::batch::{Batch, Batches, End, Parsed, is_alone, parse};
use super::lost::Lost;
use super::made::Made;
use crate::butter::{ChunkDecoder, Header, Mode, Options, Writer};
use crate::echoreplay::Redactor;
use crate::loss::FieldErrors;
use crate::spelled::Spelled;
use crate::{Frame, WriteError};

/// Frames that are kept to be filled again.
const SPARE: usize = 512;

/// Bytes of what was written that wait in memory: of a short match all, for which a temporary file costs a
/// twentieth of the work. More wait in one.
const WAITING: usize = 256 << 10;

thread_local! {
    /// Frames of the recording before: where a core makes many short ones, to get memory for all their frames
    /// anew takes a seventh of the work.
    static USED: Cell<Vec<Frame>> = const { Cell::new(Vec::new()) };
}

/// A chunk as it was encoded, and the frames it was made of.
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
    let mode = options.mode;
    let mut lost = Lost::default();
    let mut end = End::default();
    let errors = std::thread::scope(|scope| {
        let mut batches = Batches::read(scope, tape.format, &tape.input, work)?;
        let mut sink = Sink {
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
            let (mut ready, mut spelled) = match batches.next()? {
                Batch::End(told) => {
                    end = told;
                    break;
                }
                Batch::Frames(frames) => (frames, Vec::new().into_iter()),
                Batch::Lines(mut lines) => {
                    parse(&mut lines, mode, &mut parsed, &mut lost);
                    batches.done(Batch::Lines(lines));
                    parsed.take()
                }
            };
            for mut frame in ready.drain(..) {
                if let Some(redactor) = &mut redactor {
                    redactor.frame(&mut frame);
                }
                sink.push(frame, &spelled.next().unwrap_or_default())?;
            }
            // What frames hold on the heap is used again.
            if parsed.frames.len() < SPARE {
                sink.measuring.give_back(&mut parsed.frames);
            }
        }
        if sink.frames == 0
            && let Some(error) = lost.first.take()
        {
            return Err(error.into());
        }
        if end.marked && mode == Mode::Compat {
            return Err(unwritable(&Frame::default(), marked()));
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

/// The error for a byte order mark, at which the reference fails before it reads a line.
fn marked() -> WriteError {
    WriteError::Reference {
        frame: 0,
        member: "the text".to_owned(),
        why: "starts with a byte order mark".to_owned(),
    }
}

/// The destination of frames.
struct Sink<'scope> {
    writer: Writer<SpooledTempFile>,
    frames: u64,
    /// Frames of the chunk that is being made.
    pending: Vec<Frame>,
    measuring: Measuring<'scope>,
}

impl<'scope> Sink<'scope> {
    fn push(&mut self, frame: Frame, spelled: &Spelled) -> Result<(), Error> {
        let (pending, measuring) = (&mut self.pending, &mut self.measuring);
        let pushed = self.writer.push_shown(&frame, spelled, &mut |header, raw| {
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

/// The place where chunks are read back, and compared with the frames that they were made of.
enum Measuring<'scope> {
    /// On a thread of their own, which gives frames back when it is done with them.
    Beside {
        to: SyncSender<Chunk>,
        back: Receiver<Vec<Frame>>,
        thread: ScopedJoinHandle<'scope, Result<FieldErrors, Error>>,
    },
    /// In the thread that makes the chunks; with the frames that are done.
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
                // Who takes chunks takes all of them.
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

    /// Gives the frames that are done with.
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

/// Reads chunks back, and compares them with what they were made of.
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
                // Only what is not written as it should be.
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
