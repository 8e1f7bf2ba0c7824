//! Batches of frames of the input. They are read on a separate thread, so that inflating, parsing and
//! writing happen at the same time. If the work has only one core, as with many files, everything runs on
//! one thread: several would only move data between caches.

use std::collections::VecDeque;
use std::io::Read as Source;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

use gametape_core::tape::{Error, Work};
use gametape_core::{Input, Severity};
use rayon::prelude::*;

use super::super::frames::EchoFormat;
use super::lost::Lost;
use crate::butter;
use crate::echoreplay::line::Columns;
use crate::echoreplay::scan::Skipped;
use crate::echoreplay::{self, Line};
use crate::{Error as ReadError, Finding, Frame, ReadOptions, Rule, Time};

/// The minimum size of a batch's text in bytes: enough for several threads, small enough to hold several
/// batches.
const BATCH_BYTES: usize = 1 << 20;

/// The same on one thread: the text is still in the cache when it is parsed.
const ALONE_BYTES: usize = 64 << 10;

/// The maximum number of frames in a batch.
pub(super) const BATCH_FRAMES: usize = 64;

/// The number of batches that wait to be taken.
const WAITING: usize = 2;

/// The unparsed lines of a batch.
#[derive(Default)]
pub(super) struct UnparsedLines {
    text: Vec<u8>,
    places: Vec<Place>,
    pub unread: Unread,
}

/// Lines of a batch that could not be read.
#[derive(Default)]
pub(super) struct Unread {
    /// Each finding with the number of readable lines before it.
    findings: VecDeque<(usize, Finding)>,
    /// The number of further lines, without findings.
    more: u64,
}

impl Unread {
    fn push(&mut self, before: usize, skipped: Skipped) {
        let findings = skipped.findings.into_iter();
        self.findings.extend(findings.map(|found| (before, found)));
        self.more += skipped.more;
    }

    /// Reports the lines before line `next` of the batch, so that lost lines are reported in their order.
    pub fn report(&mut self, next: usize, lost: &mut Lost) {
        while let Some((before, finding)) = self.findings.pop_front() {
            if before > next {
                self.findings.push_front((before, finding));
                return;
            }
            lost.line(finding, None);
        }
    }

    /// Reports the remaining lines, and the number of further ones.
    pub fn report_rest(mut self, lost: &mut Lost) {
        self.report(usize::MAX, lost);
        lost.more(self.more);
    }
}

/// The place of a line in a batch.
struct Place {
    /// Its start in the batch's text.
    start: usize,
    columns: Columns,
    /// Its number in the recording's text, from 1.
    line: u64,
    /// The name of the file in the zip, if it is in one.
    within: Option<Arc<str>>,
}

impl UnparsedLines {
    fn push(&mut self, line: &Line<'_>, number: u64) {
        let last = self.places.last().and_then(|place| place.within.clone());
        self.places.push(Place {
            start: self.text.len(),
            columns: line.columns(),
            line: number,
            within: match line.within() {
                within if within == last.as_deref() => last,
                within => within.map(Into::into),
            },
        });
        line.write(&mut self.text);
    }

    fn line<'l>(&'l self, place: &'l Place) -> Option<Line<'l>> {
        let line = Line::again(self.text.get(place.start..)?, place.columns)?;
        Some(line.in_file(place.within.as_deref()))
    }

    /// Returns whether the time of a line has digits below the millisecond.
    fn cuts_time(&self, place: &Place) -> bool {
        self.line(place)
            .is_some_and(|line| Time::below_ms(line.time) != 0)
    }

    /// Returns the lines with their numbers in the recording's text.
    pub fn iter(&self) -> impl Iterator<Item = (Line<'_>, u64)> {
        let lines = self.places.iter();
        lines.filter_map(|place| Some((self.line(place)?, place.line)))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
        self.unread = Unread::default();
    }
}

/// A part of the input.
pub(super) enum Batch {
    Lines(UnparsedLines),
    Frames(Vec<Frame>),
    /// The end of the input.
    End(End),
}

/// The facts that are known only at the end of the input.
#[derive(Default)]
pub(super) struct End {
    /// Sentences about oddities that lose nothing.
    pub notes: Vec<String>,
    /// Sentences about contents that frames do not have.
    pub losses: Vec<String>,
}

/// The batches of the input, as they are read.
pub(super) struct Batches<'w>(Thread<'w>);

/// The thread on which the input is read.
enum Thread<'w> {
    /// A separate one.
    Beside {
        batches: Receiver<Result<Batch, Error>>,
        /// Used batches, to be filled again.
        back: Sender<Batch>,
    },
    /// The thread of the caller.
    Here {
        source: Box<dyn Batching + 'w>,
        used: Option<Batch>,
    },
}

/// Returns whether there is only one core, so that everything runs on one thread.
pub(super) fn is_alone() -> bool {
    rayon::current_num_threads() == 1
}

impl<'w> Batches<'w> {
    pub fn read<'scope>(
        scope: &'scope Scope<'scope, 'w>,
        format: EchoFormat,
        input: &'w Input,
        work: &'w Work<'_>,
    ) -> Result<Self, Error> {
        if is_alone() {
            let source = open(format, input, work, ALONE_BYTES)?;
            return Ok(Self(Thread::Here { source, used: None }));
        }
        let (to, batches) = sync_channel(WAITING);
        let (back, used) = channel();
        scope.spawn(move || {
            if let Err(error) = read_all(format, input, work, &to, &used) {
                // After an earlier error there is no receiver.
                let _ = to.send(Err(error));
            }
        });
        Ok(Self(Thread::Beside { batches, back }))
    }

    /// Returns the next batch; the last is [`Batch::End`].
    pub fn next(&mut self) -> Result<Batch, Error> {
        match &mut self.0 {
            Thread::Beside { batches, .. } => batches
                .recv()
                .unwrap_or_else(|_| Ok(Batch::End(End::default()))),
            Thread::Here { source, used } => source.next(used.take()),
        }
    }

    /// Returns a used batch, to be filled again.
    pub fn done(&mut self, batch: Batch) {
        match &mut self.0 {
            Thread::Beside { back, .. } => drop(back.send(batch)),
            Thread::Here { used, .. } => *used = Some(batch),
        }
    }
}

/// A source of batches.
trait Batching {
    /// Returns the next batch, which may reuse `used`; the last is [`Batch::End`].
    fn next(&mut self, used: Option<Batch>) -> Result<Batch, Error>;
}

fn open<'w>(
    format: EchoFormat,
    input: &'w Input,
    work: &'w Work<'_>,
    bytes: usize,
) -> Result<Box<dyn Batching + 'w>, Error> {
    let stream = work.watched(input);
    Ok(match format {
        EchoFormat::Echoreplay => Box::new(LineBatches {
            reader: echoreplay::Reader::open_for_whole_lines(stream)?,
            bytes,
            ended: false,
        }),
        EchoFormat::Butter => Box::new(FrameBatches {
            reader: butter::Reader::with_options(stream, ReadOptions::lenient()),
        }),
    })
}

fn read_all(
    format: EchoFormat,
    input: &Input,
    work: &Work<'_>,
    to: &SyncSender<Result<Batch, Error>>,
    used: &Receiver<Batch>,
) -> Result<(), Error> {
    let mut source = open(format, input, work, BATCH_BYTES)?;
    loop {
        let batch = source.next(used.try_recv().ok())?;
        let is_last = matches!(batch, Batch::End(_));
        if to.send(Ok(batch)).is_err() || is_last {
            return Ok(());
        }
    }
}

struct LineBatches<R> {
    reader: echoreplay::Reader<R>,
    /// The minimum size of a batch's text in bytes.
    bytes: usize,
    ended: bool,
}

impl<R: Source> Batching for LineBatches<R> {
    fn next(&mut self, used: Option<Batch>) -> Result<Batch, Error> {
        if self.ended {
            return Ok(Batch::End(self.end()));
        }
        let mut batch = match used {
            Some(Batch::Lines(lines)) => lines,
            _ => UnparsedLines::default(),
        };
        batch.clear();
        let reader = &mut self.reader;
        while batch.text.len() < self.bytes {
            self.ended = reader.next_line()?.is_none();
            let number = reader.line_number();
            batch.unread.push(batch.places.len(), reader.take_skipped());
            if self.ended {
                break;
            }
            if let Some(line) = reader.line() {
                batch.push(&line, number);
            }
        }
        Ok(Batch::Lines(batch))
    }
}

impl<R: Source> LineBatches<R> {
    fn end(&self) -> End {
        let findings = self.reader.findings();
        // Losses are reported line by line.
        let notes = findings
            .iter()
            .filter(|finding| finding.severity() == Severity::Info);
        End {
            notes: notes.map(Finding::message).collect(),
            losses: Vec::new(),
        }
    }
}

struct FrameBatches<R> {
    reader: butter::Reader<R>,
}

impl<R: Source> Batching for FrameBatches<R> {
    fn next(&mut self, used: Option<Batch>) -> Result<Batch, Error> {
        let mut batch = match used {
            Some(Batch::Frames(frames)) => frames,
            _ => Vec::new(),
        };
        let mut count = 0;
        while count < BATCH_FRAMES
            && let Some(frame) = self.reader.next_frame()?
        {
            match batch.get_mut(count) {
                Some(old) => old.clone_from(frame),
                None => batch.push(frame.clone()),
            }
            count += 1;
        }
        if count == 0 {
            return self.end().map(Batch::End);
        }
        batch.truncate(count);
        Ok(Batch::Frames(batch))
    }
}

impl<R: Source> FrameBatches<R> {
    fn end(&self) -> Result<End, Error> {
        let findings = self.reader.findings();
        if let Some(problem) = findings.problem() {
            return Err(problem);
        }
        let (notes, losses): (Vec<_>, Vec<_>) = findings.iter().partition(|f| is_note(f));
        let sentences = |found: Vec<&Finding>| found.into_iter().map(Finding::message).collect();
        Ok(End {
            notes: sentences(notes),
            losses: sentences(losses),
        })
    }
}

/// Returns whether a finding is a fact, or a fault that the reader has corrected. The other oddities of a
/// .butter are missing from its frames.
fn is_note(finding: &Finding) -> bool {
    finding.severity() == Severity::Info && !matches!(finding.rule, Rule::Reserved { .. })
        || matches!(
            finding.rule,
            Rule::Unfinished { .. }
                | Rule::FrozenMotion { .. }
                | Rule::DriftingBones { .. }
                | Rule::PauseTimers { .. }
                | Rule::TeamStatsOpen { .. }
        )
}

/// Frames of parsed lines.
#[derive(Default)]
pub(super) struct Parsed {
    /// The first `count` are valid; the others are kept for reuse.
    pub frames: Vec<Frame>,
    /// The number of valid frames.
    pub count: usize,
}

impl Parsed {
    /// Takes the valid frames.
    pub fn take(&mut self) -> Vec<Frame> {
        self.frames
            .drain(..std::mem::take(&mut self.count))
            .collect()
    }
}

/// Parses lines on all cores.
pub(super) fn parse(lines: &mut UnparsedLines, to: &mut Parsed, lost: &mut Lost) {
    let mut unread = std::mem::take(&mut lines.unread);
    let frames = &mut to.frames;
    if frames.len() < lines.places.len() {
        frames.resize_with(lines.places.len(), Frame::default);
    }
    let read: Vec<Read> = lines
        .places
        .par_iter()
        .zip(frames.par_iter_mut())
        .with_min_len(4)
        .map(|(place, frame)| match lines.line(place) {
            Some(line) => read_line(&line, frame),
            None => Read::Frame(None),
        })
        .collect();
    let mut kept = 0;
    for (at, (read, place)) in read.into_iter().zip(&lines.places).enumerate() {
        unread.report(at, lost);
        let line = Some(place.line);
        match read {
            Read::Frame(odd) => {
                if let Some(odd) = odd {
                    lost.error(odd, line);
                }
                lost.kept(lines.cuts_time(place));
                frames.swap(kept, at);
                kept += 1;
            }
            Read::Lost(error) => lost.error(error, line),
        }
    }
    unread.report_rest(lost);
    to.count = kept;
}

/// The result of parsing a line.
enum Read {
    /// A frame, and the problem of its bones.
    Frame(Option<ReadError>),
    Lost(ReadError),
}

fn read_line(line: &Line<'_>, frame: &mut Frame) -> Read {
    match line.read_leniently(frame) {
        Ok(()) => Read::Frame(None),
        Err(error) if is_warning(&error) && line.bones.is_some() => {
            // The line may be a frame without its bones.
            let bare = Line {
                bones: None,
                ..*line
            };
            match bare.read_leniently(frame) {
                Ok(()) => Read::Frame(Some(error)),
                Err(error) => Read::Lost(error),
            }
        }
        Err(error) => Read::Lost(error),
    }
}

fn is_warning(error: &ReadError) -> bool {
    error
        .finding()
        .is_some_and(|finding| finding.severity() < Severity::Error)
}
