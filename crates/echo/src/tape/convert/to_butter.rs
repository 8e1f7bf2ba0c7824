//! Making a .butter: frames are encoded as they come, and what was encoded is read back and
//! measured beside them.

use std::fs::File;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use gametape_core::tape::{Error, Sink as Out, Work};

use super::super::error::{unwritable, unwritable_because};
use super::super::opened::EchoTape;
use super::batch::{Batch, Batches, End, LeftOut, parse};
use super::made::Made;
use crate::Frame;
use crate::butter::{ChunkDecoder, Header, Options, Writer};
use crate::echoreplay::Redactor;
use crate::loss::FieldErrors;

/// Frames that are kept to be filled again.
const SPARE: usize = 512;

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
    let scratch = work.scratch().map_err(Error::Output)?;
    let mut left_out = LeftOut::default();
    let mut end = End::default();
    let errors = std::thread::scope(|scope| {
        let batches = Batches::read(scope, tape.format, &tape.input, *work);
        let (to, chunks) = sync_channel(1);
        let (back, spare) = channel();
        let measuring = scope.spawn(move || measure(&chunks, &back));
        let mut sink = Sink {
            writer: Writer::new(scratch, options),
            pending: Vec::new(),
            to,
        };
        let mut pool: Vec<Frame> = Vec::new();
        loop {
            let mut ready = match batches.next()? {
                Batch::End(told) => {
                    end = told;
                    break;
                }
                Batch::Frames(frames) => frames,
                Batch::Lines(lines) => {
                    let count = parse(&lines, &mut pool, &mut left_out)?;
                    batches.done(Batch::Lines(lines));
                    pool.drain(..count).collect()
                }
            };
            for mut frame in ready.drain(..) {
                if let Some(redactor) = &mut redactor {
                    redactor.frame(&mut frame);
                }
                sink.push(frame)?;
            }
            // What frames hold on the heap is used again.
            for used in spare.try_iter() {
                if pool.len() < SPARE {
                    pool.extend::<Vec<Frame>>(used);
                }
            }
        }
        sink.finish(out)?;
        measuring
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let mut left_out = left_out.sentences();
    left_out.extend(end.losses);
    Ok(Made {
        errors,
        left_out,
        notes: end.notes,
    })
}

/// Where frames go.
struct Sink {
    writer: Writer<File>,
    /// Frames of the chunk that is being made.
    pending: Vec<Frame>,
    to: SyncSender<Chunk>,
}

impl Sink {
    fn push(&mut self, frame: Frame) -> Result<(), Error> {
        let (pending, to) = (&mut self.pending, &self.to);
        let pushed = self
            .writer
            .push_shown(&frame, &mut |header, raw| hand_on(to, header, raw, pending));
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
