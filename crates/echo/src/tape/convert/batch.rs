//! Frames of the input, some at a time: read on a thread of their own, so that inflating does not
//! wait for parsing, nor parsing for what is made of the frames.

use std::io::{Read, Seek};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

use gametape_core::tape::{Error, Work};
use gametape_core::{Input, Severity};
use rayon::prelude::*;

use super::super::encoding::EchoFormat;
use crate::echoreplay::line::Columns;
use crate::echoreplay::{self, Line};
use crate::{Error as ReadError, Finding, Frame, ReadOptions, Rule, butter};

/// Text of a batch, at least: enough to share out, little enough to hold several.
const BATCH_BYTES: usize = 1 << 20;

/// Frames of a batch, at most.
pub(super) const BATCH_FRAMES: usize = 64;

/// Batches that wait for whoever takes them.
const WAITING: usize = 2;

/// Lines as they are.
#[derive(Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    /// Where each starts, and its columns.
    places: Vec<(usize, Columns)>,
}

impl Lines {
    fn push(&mut self, line: &Line<'_>) {
        self.places.push((self.text.len(), line.columns()));
        line.write(&mut self.text);
    }

    fn line(&self, (start, columns): &(usize, Columns)) -> Option<Line<'_>> {
        Line::again(self.text.get(*start..)?, *columns)
    }

    pub fn iter(&self) -> impl Iterator<Item = Line<'_>> {
        self.places.iter().filter_map(|place| self.line(place))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }
}

/// What comes of the input.
pub(super) enum Batch {
    Lines(Lines),
    Frames(Vec<Frame>),
    /// The input was read to its end; what is odd about it, and its header.
    End(End),
}

/// What is known at the end of the input.
#[derive(Default)]
pub(super) struct End {
    /// Sentences: what a reader came across, and nothing is lost by.
    pub notes: Vec<String>,
    /// Sentences: what frames do not hold.
    pub losses: Vec<String>,
}

/// The input, being read on its own thread.
pub(super) struct Batches {
    batches: Receiver<Result<Batch, Error>>,
    /// Batches that are done with, to be filled again.
    back: Sender<Batch>,
}

impl Batches {
    pub fn read<'scope, 'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        format: EchoFormat,
        input: &'env Input,
        work: Work<'env>,
    ) -> Self {
        let (to, batches) = sync_channel(WAITING);
        let (back, used) = channel();
        scope.spawn(move || {
            let stream = work.watched(input);
            let read = match format {
                EchoFormat::Echoreplay => lines(stream, &to, &used),
                EchoFormat::Butter => frames(stream, &to, &used),
            };
            // Nobody takes what an error before has made useless.
            let _ = to.send(read.map(Batch::End));
        });
        Self { batches, back }
    }

    /// The next batch; the last is [`Batch::End`].
    pub fn next(&self) -> Result<Batch, Error> {
        self.batches
            .recv()
            .unwrap_or_else(|_| Ok(Batch::End(End::default())))
    }

    /// Gives a batch back.
    pub fn done(&self, batch: Batch) {
        let _ = self.back.send(batch);
    }
}

type To = SyncSender<Result<Batch, Error>>;

fn lines(stream: impl Read + Seek, to: &To, used: &Receiver<Batch>) -> Result<End, Error> {
    let mut reader = echoreplay::open(stream)?;
    let mut batch = Lines::default();
    while let Some(line) = reader.next_line()? {
        batch.push(&line);
        if batch.text.len() >= BATCH_BYTES {
            let empty = match used.try_recv() {
                Ok(Batch::Lines(mut lines)) => {
                    lines.clear();
                    lines
                }
                _ => Lines::default(),
            };
            let full = std::mem::replace(&mut batch, empty);
            if to.send(Ok(Batch::Lines(full))).is_err() {
                return Ok(End::default());
            }
        }
    }
    let _ = to.send(Ok(Batch::Lines(batch)));
    let notes = reader.findings().iter();
    Ok(End {
        notes: notes.map(Finding::message).collect(),
        losses: Vec::new(),
    })
}

/// Facts, and what reading has undone; all else that is odd about a .butter is not in its frames.
fn is_note(finding: &Finding) -> bool {
    finding.severity() == Severity::Info && !matches!(finding.rule, Rule::Reserved { .. })
        || matches!(
            finding.rule,
            Rule::Unfinished { .. }
                | Rule::FrozenMotion { .. }
                | Rule::DriftingBones { .. }
                | Rule::PauseTimers { .. }
        )
}

fn frames(stream: impl Read, to: &To, used: &Receiver<Batch>) -> Result<End, Error> {
    let options = ReadOptions::lenient();
    let mut reader = butter::Reader::with_options(stream, options);
    let empty = || match used.try_recv() {
        Ok(Batch::Frames(frames)) => frames,
        _ => Vec::new(),
    };
    let mut batch: Vec<Frame> = empty();
    let mut count = 0;
    while let Some(frame) = reader.next_frame()? {
        match batch.get_mut(count) {
            Some(old) => old.clone_from(frame),
            None => batch.push(frame.clone()),
        }
        count += 1;
        if count == BATCH_FRAMES {
            if to.send(Ok(Batch::Frames(batch))).is_err() {
                return Ok(End::default());
            }
            batch = empty();
            count = 0;
        }
    }
    batch.truncate(count);
    let findings = reader.findings();
    if let Some(problem) = findings.problem() {
        return Err(problem);
    }
    let (notes, losses): (Vec<_>, Vec<_>) = findings.iter().partition(|f| is_note(f));
    let sentences = |found: Vec<&Finding>| found.into_iter().map(Finding::message).collect();
    let end = End {
        notes: sentences(notes),
        losses: sentences(losses),
    };
    let _ = to.send(Ok(Batch::Frames(batch)));
    Ok(end)
}

/// Lines that are no frames, and bones that are none: left out, and counted.
#[derive(Default)]
pub(super) struct LeftOut {
    /// The first, and how many.
    lines: Option<(String, u64)>,
    bones: Option<(String, u64)>,
}

impl LeftOut {
    fn count(&mut self, error: &ReadError) {
        let kind = if error.code() == "echoreplay.no-session" {
            &mut self.lines
        } else {
            &mut self.bones
        };
        match kind {
            Some((_, count)) => *count += 1,
            None => *kind = Some((error.to_string(), 1)),
        }
    }

    /// A sentence for each kind.
    pub fn sentences(self) -> Vec<String> {
        let sentence = |told: Option<(String, u64)>, what: &str| match told? {
            (first, 1) => Some(format!("{what} ({first})")),
            (first, count) => Some(format!("{what}, {count} times (the first: {first})")),
        };
        sentence(self.lines, "a line that is no session")
            .into_iter()
            .chain(sentence(self.bones, "bones that can't be read"))
            .collect()
    }
}

/// Parses lines on all cores into the frames that are there; how many there are of them then.
pub(super) fn parse(
    lines: &Lines,
    frames: &mut Vec<Frame>,
    left_out: &mut LeftOut,
) -> Result<usize, Error> {
    if frames.len() < lines.places.len() {
        frames.resize_with(lines.places.len(), Frame::default);
    }
    let read: Vec<Result<Option<ReadError>, ReadError>> = lines
        .places
        .par_iter()
        .zip(frames.par_iter_mut())
        .with_min_len(4)
        .map(|(place, frame)| match lines.line(place) {
            Some(line) => read_line(&line, frame),
            None => Ok(None),
        })
        .collect();
    let mut kept = 0;
    for (at, read) in read.into_iter().enumerate() {
        match read {
            Ok(odd) => {
                if let Some(odd) = odd {
                    left_out.count(&odd);
                }
                frames.swap(kept, at);
                kept += 1;
            }
            Err(error) if is_warning(&error) => left_out.count(&error),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(kept)
}

/// A frame, and what is wrong with its bones.
fn read_line(line: &Line<'_>, frame: &mut Frame) -> Result<Option<ReadError>, ReadError> {
    match line.read_into(frame) {
        Ok(()) => Ok(None),
        Err(error) if is_warning(&error) && line.bones.is_some() => {
            // Without its bones the line may be a frame.
            let bare = Line {
                bones: None,
                ..*line
            };
            match bare.read_into(frame) {
                Ok(()) => Ok(Some(error)),
                Err(error) => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

fn is_warning(error: &ReadError) -> bool {
    error
        .finding()
        .is_some_and(|finding| finding.severity() < Severity::Error)
}
