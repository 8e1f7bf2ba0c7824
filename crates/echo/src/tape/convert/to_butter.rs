//! Making a .butter: frames are encoded as they come, and what was encoded is read back and
//! measured beside them.

use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use gametape_core::tape::{Error, Sink as Out, Work};
use tempfile::{SpooledTempFile, spooled_tempfile, spooled_tempfile_in};

use super::super::error::{unwritable, unwritable_because};
use super::super::opened::EchoTape;
use super::batch::{Batch, Batches, End, Parsed, parse};
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
        let batches = Batches::read(scope, tape.format, &tape.input, *work);
        let (to, chunks) = sync_channel(1);
        let (back, spare) = channel();
        let measuring = scope.spawn(move || measure(&chunks, &back));
        let mut sink = Sink {
            writer: Writer::new(spool, options),
            frames: 0,
            pending: Vec::new(),
            to,
        };
        let mut parsed = Parsed::default();
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
            for used in spare.try_iter() {
                if parsed.frames.len() < SPARE {
                    parsed.frames.extend::<Vec<Frame>>(used);
                }
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
        sink.finish(out)?;
        measuring
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
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

/// What the reference throws for before it reads a line.
fn marked() -> WriteError {
    WriteError::Reference {
        frame: 0,
        member: "the text".to_owned(),
        why: "starts with a byte order mark".to_owned(),
    }
}

/// Where frames go.
struct Sink {
    writer: Writer<SpooledTempFile>,
    frames: u64,
    /// Frames of the chunk that is being made.
    pending: Vec<Frame>,
    to: SyncSender<Chunk>,
}

impl Sink {
    fn push(&mut self, frame: Frame, spelled: &Spelled) -> Result<(), Error> {
        let (pending, to) = (&mut self.pending, &self.to);
        let pushed = self.writer.push_shown(&frame, spelled, &mut |header, raw| {
            hand_on(to, header, raw, pending);
        });
        self.frames += 1;
        pushed.map_err(|error| unwritable(&frame, error))?;
        self.pending.push(frame);
        Ok(())
    }

    fn finish(mut self, out: &mut dyn Out) -> Result<(), Error> {
        let (pending, to) = (&mut self.pending, &self.to);
        self.writer
            .finish_shown(out, &mut |header, raw| hand_on(to, header, raw, pending))
            .map(drop)
            .map_err(|error| unwritable(&Frame::default(), error))
    }
}

fn hand_on(to: &SyncSender<Chunk>, header: &Header, raw: &[u8], pending: &mut Vec<Frame>) {
    // Who takes chunks takes all of them.
    let _ = to.send(Chunk {
        header: header.clone(),
        raw: raw.to_vec(),
        frames: std::mem::take(pending),
    });
}

/// Reads chunks back, and compares them with what they were made of.
fn measure(chunks: &Receiver<Chunk>, back: &Sender<Vec<Frame>>) -> Result<FieldErrors, Error> {
    let mut errors = FieldErrors::new();
    let mut decoder = ChunkDecoder::new();
    let mut failed = None;
    for chunk in chunks {
        if failed.is_some() {
            continue;
        }
        decoder.load(&chunk.header, &chunk.raw);
        for original in &chunk.frames {
            match decoder.next_frame() {
                Ok(Some(stored)) => errors.push(original, stored),
                // Only what is not written as it should be.
                Ok(None) => failed = Some("a frame is missing".to_owned()),
                Err(error) => failed = Some(error.to_string()),
            }
        }
        let _ = back.send(chunk.frames);
    }
    match failed {
        None => Ok(errors),
        Some(message) => Err(unwritable_because(format!(
            "what was written can't be read back: {message}"
        ))),
    }
}
