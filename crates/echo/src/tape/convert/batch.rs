//! Frames of the input, some at a time: read on a thread of their own, so that inflating does not
//! wait for parsing, nor parsing for what is made of the frames. Where this work has one core alone, as
//! each of many files has, on that: then threads would but hand each other what is in its cache.

use std::collections::VecDeque;
use std::io::Read as Source;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Scope;

use gametape_core::tape::{Error, Work};
use gametape_core::{Input, Severity};
use rayon::prelude::*;

use super::super::encoding::EchoFormat;
use super::lost::Lost;
use crate::butter::{self, Mode};
use crate::echoreplay::line::Columns;
use crate::echoreplay::scan::Skipped;
use crate::echoreplay::{self, LeftOut, Line};
use crate::spelled::Spelled;
use crate::{Error as ReadError, Finding, Frame, ReadOptions, Rule, Time};

/// Text of a batch, at least: enough to share out, little enough to hold several.
const BATCH_BYTES: usize = 1 << 20;

/// The same where nothing is shared out: what is read is still in the cache when it is parsed.
const ALONE_BYTES: usize = 64 << 10;

/// Frames of a batch, at most.
pub(super) const BATCH_FRAMES: usize = 64;

/// The number of batches that wait to be taken, at most.
const WAITING: usize = 2;

/// Lines as they are.
#[derive(Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    places: Vec<Place>,
    pub unread: Unread,
}

/// Lines of a batch that could not be read.
#[derive(Default)]
pub(super) struct Unread {
    /// The finding of each, with the number of lines of the batch before it.
    findings: VecDeque<(usize, Finding)>,
    /// The number of further lines, whose findings are not kept.
    more: u64,
}

impl Unread {
    fn push(&mut self, before: usize, skipped: Skipped) {
        let findings = skipped.findings.into_iter();
        self.findings.extend(findings.map(|found| (before, found)));
        self.more += skipped.more;
    }

    /// Reports the lines before line `next` of the batch, before that line itself is reported: so the first
    /// reported loss is the first of the recording.
    pub fn tell(&mut self, next: usize, lost: &mut Lost) {
        while let Some((before, finding)) = self.findings.pop_front() {
            if before > next {
                self.findings.push_front((before, finding));
                return;
            }
            lost.line(finding, None);
        }
    }

    /// Reports the losses after the last line, and the number of those that were left out.
    pub fn tell_rest(mut self, lost: &mut Lost) {
        self.tell(usize::MAX, lost);
        lost.more(self.more);
    }
}

/// The place of a line in a batch.
struct Place {
    /// The offset in the text at which it starts.
    start: usize,
    columns: Columns,
    /// Its line number in the recording's text, from 1.
    line: u64,
    /// The file of a zip that it is in.
    within: Option<Arc<str>>,
}

impl Lines {
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

    /// Whether the time of a line has digits below the millisecond.
    fn cuts_time(&self, place: &Place) -> bool {
        self.line(place)
            .is_some_and(|line| Time::below_ms(line.time) != 0)
    }

    /// The lines, and which of the recording's text they are.
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

/// The next part of the input.
pub(super) enum Batch {
    Lines(Lines),
    Frames(Vec<Frame>),
    /// The input was read to its end: its irregularities, and its header.
    End(End),
}

/// The facts that are known only at the end of the input.
#[derive(Default)]
pub(super) struct End {
    /// Sentences about irregularities by which nothing is lost.
    pub notes: Vec<String>,
    /// Sentences about parts that frames do not hold.
    pub losses: Vec<String>,
    /// Its text starts with a byte order mark.
    pub marked: bool,
}

/// The input, being read.
pub(super) struct Batches<'w>(How<'w>);

/// On which thread it is read.
enum How<'w> {
    /// On its own.
    Beside {
        batches: Receiver<Result<Batch, Error>>,
        /// Batches that are done with, to be filled again.
        back: Sender<Batch>,
    },
    /// On whose it is asked for.
    Here {
        source: Box<dyn Batching + 'w>,
        used: Option<Batch>,
    },
}

/// True where work has one core: then it is all done on one thread.
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
            return Ok(Self(How::Here { source, used: None }));
        }
        let (to, batches) = sync_channel(WAITING);
        let (back, used) = channel();
        scope.spawn(move || {
            if let Err(error) = read_all(format, input, work, &to, &used) {
                // Nobody takes what an error before has made useless.
                let _ = to.send(Err(error));
            }
        });
        Ok(Self(How::Beside { batches, back }))
    }

    /// The next batch; the last is [`Batch::End`].
    pub fn next(&mut self) -> Result<Batch, Error> {
        match &mut self.0 {
            How::Beside { batches, .. } => batches
                .recv()
                .unwrap_or_else(|_| Ok(Batch::End(End::default()))),
            How::Here { source, used } => source.next(used.take()),
        }
    }

    /// Gives a batch back.
    pub fn done(&mut self, batch: Batch) {
        match &mut self.0 {
            How::Beside { back, .. } => drop(back.send(batch)),
            How::Here { used, .. } => *used = Some(batch),
        }
    }
}

/// The source of batches.
trait Batching {
    /// Returns the next batch; the last is [`Batch::End`]. It may use the memory of `used`.
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
    /// Text of a batch, at least.
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
            _ => Lines::default(),
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
        // What is lost is told line by line.
        let notes = findings
            .iter()
            .filter(|finding| finding.severity() == Severity::Info);
        End {
            notes: notes.map(Finding::message).collect(),
            losses: Vec::new(),
            marked: findings.get("echoreplay.bom").is_some(),
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
            marked: false,
        })
    }
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
                | Rule::TeamStatsOpen { .. }
        )
}

/// The result of parsing lines: frames, and for the reference the values of a line that no frame has.
#[derive(Default)]
pub(super) struct Parsed {
    /// Frames of an earlier batch remain after the first `count`, to be used again.
    pub frames: Vec<Frame>,
    spelled: Vec<Spelled>,
    /// The number of frames that are valid.
    pub count: usize,
}

impl Parsed {
    /// Takes the frames, each with the values of its line that no frame has.
    pub fn take(&mut self) -> (Vec<Frame>, std::vec::IntoIter<Spelled>) {
        let frames = self
            .frames
            .drain(..std::mem::take(&mut self.count))
            .collect();
        (frames, std::mem::take(&mut self.spelled).into_iter())
    }
}

/// Parses lines on all cores, as the reference reads them or as they are meant.
pub(super) fn parse(lines: &mut Lines, mode: Mode, to: &mut Parsed, lost: &mut Lost) {
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
        .map(|(place, frame)| match (lines.line(place), mode) {
            (Some(line), Mode::Correct) => read_line(&line, frame),
            (Some(line), Mode::Compat) => read_as_reference(&line, frame),
            (None, _) => Read::Frame(None),
        })
        .collect();
    let mut kept = 0;
    for (at, (read, place)) in read.into_iter().zip(&lines.places).enumerate() {
        unread.tell(at, lost);
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
            Read::Spelled(spelled) => {
                to.spelled.push(spelled);
                lost.kept(lines.cuts_time(place));
                frames.swap(kept, at);
                kept += 1;
            }
            Read::Lost(error) => lost.error(error, line),
            Read::LeftOut(finding) => lost.line(*finding, line),
        }
    }
    unread.tell_rest(lost);
    to.count = kept;
}

/// The result of reading a line.
enum Read {
    /// A frame, and the fault of its bones.
    Frame(Option<ReadError>),
    /// A frame, and the values of its line that no frame has.
    Spelled(Spelled),
    Lost(ReadError),
    LeftOut(Box<Finding>),
}

fn read_line(line: &Line<'_>, frame: &mut Frame) -> Read {
    match line.read_into(frame) {
        Ok(()) => Read::Frame(None),
        Err(error) if is_warning(&error) && line.bones.is_some() => {
            // Without its bones the line may be a frame.
            let bare = Line {
                bones: None,
                ..*line
            };
            match bare.read_into(frame) {
                Ok(()) => Read::Frame(Some(error)),
                Err(error) => Read::Lost(error),
            }
        }
        Err(error) => Read::Lost(error),
    }
}

fn read_as_reference(line: &Line<'_>, frame: &mut Frame) -> Read {
    match line.reference(frame) {
        Ok(spelled) => Read::Spelled(spelled),
        Err(LeftOut { member, why, .. }) => {
            Read::LeftOut(Box::new(line.found(Rule::LeftOut { member, why })))
        }
    }
}

fn is_warning(error: &ReadError) -> bool {
    error
        .finding()
        .is_some_and(|finding| finding.severity() < Severity::Error)
}
