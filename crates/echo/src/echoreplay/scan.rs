//! Scanning for lines, and the treatment of broken ones. Slices, sources and growing recordings are all
//! read through this, so that they agree.

use gametape_core::AllAltered;
#[cfg(feature = "tape")]
use gametape_core::Strictness;
#[cfg(feature = "zip")]
use gametape_core::{Altered, Part};

use super::decode::{self, Fault};
use super::line::{Columns, Decoded, Line};
use super::odd::Usual;
use super::torn::{self, Torn, TornSearch};
use crate::error::{Error, Finding, Findings};
use crate::limits::ReadOptions;
use crate::model::{Frame, Time};
use crate::rule::Rule;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What is at the start of the remaining bytes.
pub(super) enum Scanned {
    /// A line, after `skip` bytes that are no line.
    Line { skip: usize, columns: Columns },
    /// No whole line.
    NeedMore,
    /// Nothing is left, and nothing will come.
    End,
}

/// The state of a scan.
#[derive(Debug)]
pub(super) struct Scan {
    options: ReadOptions,
    /// The ordinal of the next frame.
    index: u64,
    /// When the first frame was recorded.
    start: Option<Time>,
    /// The offset of the next line.
    pub(super) offset: u64,
    /// The file in a zip that is being read, and the ordinal of its first frame.
    pub within: Option<Box<str>>,
    first: u64,
    /// The number of lines so far.
    lines: u64,
    /// At the first byte, where a byte order mark may be.
    at_start: bool,
    /// Within a line that is too long.
    skipping: bool,
    /// The number of remaining bytes that were searched for a line's end in vain.
    searched: usize,
    /// The last line has no ending. This becomes a finding unless its ending comes after all.
    unended: Option<Finding>,
    /// The error that ended strict reading. Every later call returns it again.
    failed: Option<Finding>,
    pub findings: Findings,
    /// Frames of files in a zip that are damaged; and the fault of the file that is being read.
    pub altered: AllAltered<Rule>,
    altered_file: Option<Finding>,
    /// Lines that were skipped, if the caller of a lenient reader asked for them. A broken zip is an error
    /// in that case.
    pub skipped: Option<Skipped>,
    /// The findings before the input was declared finished.
    before_end: Option<Findings>,
    /// The members that frames have had.
    usual: Usual,
    /// Lines end with a carriage return alone.
    is_mac: bool,
    /// The number of zeros before the remaining bytes, and the offset at which they start.
    pub(super) zeros: (u64, u64),
}

impl Scan {
    pub(super) const fn new(options: ReadOptions) -> Self {
        Self {
            options,
            index: 0,
            start: None,
            offset: 0,
            within: None,
            first: 0,
            lines: 0,
            at_start: true,
            skipping: false,
            searched: 0,
            unended: None,
            failed: None,
            findings: Findings::new(),
            altered: AllAltered::new(),
            altered_file: None,
            skipped: None,
            before_end: None,
            usual: Usual::new(),
            is_mac: false,
            zeros: (0, 0),
        }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of lines before the next.
    #[cfg(feature = "tape")]
    pub(super) const fn lines(&self) -> u64 {
        self.lines
    }

    #[cfg(feature = "tape")]
    pub(super) const fn be_lenient(&mut self) {
        self.options.strictness = Strictness::Lenient;
    }

    /// Continues after so many lines, each of a frame, which end at this offset.
    #[cfg(feature = "tape")]
    pub(super) const fn continue_after(&mut self, (frames, offset, start): (u64, u64, Time)) {
        (self.index, self.lines) = (frames, frames);
        self.offset = offset;
        self.start = Some(start);
        self.at_start = false;
    }

    /// Records a line that is skipped.
    fn skipped(&mut self, finding: &Finding) {
        if let Some(skipped) = &mut self.skipped {
            skipped.push(finding);
        }
    }

    /// Starts another text.
    #[cfg(feature = "zip")]
    pub(super) fn restart(&mut self, within: Box<str>) {
        self.within = Some(within);
        self.first = self.index;
        self.offset = 0;
        self.lines = 0;
        self.at_start = true;
        self.skipping = false;
        self.searched = 0;
        self.unended = None;
        self.before_end = None;
        self.is_mac = false;
        self.zeros = (0, 0);
    }

    /// Undoes the declared end: more bytes have come.
    pub(super) fn reopen(&mut self) {
        if let Some(findings) = self.before_end.take() {
            self.findings = findings;
        }
        let is_cut = |failed: &mut Finding| matches!(failed.rule, Rule::LineCut { .. });
        self.failed.take_if(is_cut);
    }

    /// Looks for the next line in the remaining bytes. `finished` says that no more will come. If a frame
    /// is given, the line is read into it.
    ///
    /// Returns the number of bytes to consume, and what was found. An error is returned again on the next
    /// call.
    pub(super) fn step(
        &mut self,
        bytes: &[u8],
        finished: bool,
        mut frame: Option<&mut Frame>,
    ) -> (usize, Result<Scanned, Error>) {
        if let Some(failed) = &self.failed {
            return (0, Err(failed.clone().into()));
        }
        let mut used = 0;
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            match self.look(rest, finished, frame.as_deref_mut()) {
                Ok(LineLook::Skip(size)) => used += size,
                Ok(LineLook::Line(size, columns)) => {
                    let skip = used;
                    return (used + size, Ok(Scanned::Line { skip, columns }));
                }
                Ok(LineLook::NeedMore) => return (used, Ok(Scanned::NeedMore)),
                Ok(LineLook::End) => return (used, Ok(Scanned::End)),
                Err(error) => return (used, Err(error)),
            }
        }
    }

    fn look(
        &mut self,
        rest: &[u8],
        finished: bool,
        frame: Option<&mut Frame>,
    ) -> Result<LineLook, Error> {
        if self.at_start {
            if rest.starts_with(BYTE_ORDER_MARK) {
                self.at_start = false;
                self.note(Rule::ByteOrderMark);
                return Ok(self.skip(BYTE_ORDER_MARK.len(), false));
            }
            if BYTE_ORDER_MARK.starts_with(rest) && !finished {
                return Ok(LineLook::NeedMore);
            }
            self.at_start = false;
        }
        if let Some(look) = self.ending(rest, finished) {
            return Ok(look);
        }
        if (rest.first() == Some(&0) || self.zeros.0 > 0)
            && !self.skipping
            && let Some(look) = self.pass_zeros(rest, finished)
        {
            return Ok(look);
        }
        let ahead = rest.get(self.searched..).unwrap_or_default();
        let end = memchr::memchr(b'\n', ahead).map(|at| self.searched + at);
        if self.skipping && !rest.is_empty() {
            let size = end.map_or(rest.len(), |end| end + 1);
            self.skipping = end.is_none();
            return Ok(self.skip(size, end.is_some()));
        }
        if rest.is_empty() {
            return Ok(if finished {
                LineLook::End
            } else {
                LineLook::NeedMore
            });
        }
        let limit = self.options.limits.max_line_bytes;
        let is_long = end.unwrap_or(rest.len()) as u64 > limit;
        // Without reading the answers, only a search shows that a line is torn.
        if end.is_none() || is_long || frame.is_none() {
            let held = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let is_all = end.is_some() || finished;
            // Beyond the limit, it makes no difference.
            let is_near = |at: usize| at as u64 <= limit;
            match torn::search(held, is_all) {
                TornSearch::Found(torn) if is_near(torn.at()) => {
                    return self.torn(rest, torn, frame);
                }
                TornSearch::Open(at) if !is_all && is_near(at) => {
                    self.searched = rest.len();
                    return Ok(LineLook::NeedMore);
                }
                _ => {}
            }
        }
        if is_long {
            self.fault(Finding::new(Rule::LineLimit { limit }))?;
            self.skipping = end.is_none();
            let size = end.map_or(rest.len(), |end| end + 1);
            return Ok(self.skip(size, end.is_some()));
        }
        let Some(size) = end.map(|end| end + 1).or(finished.then_some(rest.len())) else {
            self.searched = rest.len();
            return Ok(LineLook::NeedMore);
        };
        let raw = rest.get(..size).unwrap_or_default();
        if raw.trim_ascii().is_empty() {
            self.note(Rule::BlankLine);
            return Ok(self.skip(size, true));
        }
        self.line(raw, end.is_none(), frame)
    }

    /// Reads the line before the place where it is torn.
    #[cold]
    fn torn(
        &mut self,
        rest: &[u8],
        torn: Torn,
        frame: Option<&mut Frame>,
    ) -> Result<LineLook, Error> {
        // Else the line would be torn once with the mark and once without.
        if rest.starts_with(BYTE_ORDER_MARK) {
            self.note(Rule::ByteOrderMark);
            return Ok(self.skip(BYTE_ORDER_MARK.len(), false));
        }
        let (size, is_mac) = match torn {
            Torn::Return(at) => (at + 1, true),
            Torn::Zeros(at) => (at, false),
        };
        let raw = rest.get(..size).unwrap_or_default();
        if is_mac {
            self.note(Rule::CrAlone);
            self.is_mac = true;
        }
        if raw.trim_ascii().is_empty() {
            return Ok(self.skip(size, true));
        }
        self.line(raw, false, frame)
    }

    /// Handles the ending of the last line, which came late or is missing.
    fn ending(&mut self, rest: &[u8], finished: bool) -> Option<LineLook> {
        let unended = self.unended.take()?;
        match rest {
            [b'\r', b'\n', ..] => return Some(self.skip(2, false)),
            [b'\n', ..] => return Some(self.skip(1, false)),
            [] if finished => self.at_end(unended.clone()),
            [] | [b'\r'] if !finished => {}
            _ => {
                self.findings.push(unended);
                return None;
            }
        }
        self.unended = Some(unended);
        Some(if finished {
            LineLook::End
        } else {
            LineLook::NeedMore
        })
    }

    /// Records a finding that holds only if nothing more comes.
    pub(super) fn at_end(&mut self, finding: Finding) {
        if self.before_end.is_none() {
            self.before_end = Some(self.findings.clone());
            self.findings.push(finding);
        }
    }

    /// Splits a line and reads it.
    fn line(
        &mut self,
        raw: &[u8],
        is_last: bool,
        frame: Option<&mut Frame>,
    ) -> Result<LineLook, Error> {
        // Nothing says whether a carriage return at the end of a Mac's text is half an ending.
        let is_last = is_last && !(self.is_mac && raw.ends_with(b"\r"));
        let split = Line::split(raw, self.index, self.offset, self.is_mac);
        // A last line without an ending may be cut off.
        let is_cut = is_last
            && !split.as_ref().is_ok_and(|line| {
                let bones = line.bones.unwrap_or_default();
                decode::is_closed(line.session)
                    && (decode::bare(bones).0.is_empty() || decode::is_closed(bones))
            });
        if is_cut {
            let held = raw.len() as u64;
            let finding = self.placed(Finding::new(Rule::LineCut { held }));
            if self.options.is_lenient() {
                if self.before_end.is_none() {
                    self.skipped(&finding);
                }
                self.at_end(finding);
                return Ok(LineLook::End);
            }
            self.failed = Some(finding.clone());
            return Err(finding.into());
        }
        let mut line = match split {
            Ok(line) => line,
            Err(rule) => return self.no_line(raw, rule),
        };
        line.start = self.start;
        if let Some(frame) = frame {
            let lenient = self.options.is_lenient();
            let decoded = line.decode(frame, lenient, Some(&mut self.usual));
            // Only a line that can't be read may be several.
            let is_broken = !matches!(&decoded, Ok(Decoded { fault: None, .. }));
            if is_broken && let Some(torn) = torn::find(raw) {
                return self.torn(raw, torn, Some(frame));
            }
            let decoded = match decoded {
                Err(fault) => return self.broken(line.finding(fault), raw.len()),
                Ok(decoded) => decoded,
            };
            line.start = self.start.or(line.time());
            if let Some(fault) = decoded.fault {
                // Without its bones, the line is still a frame.
                self.fault(line.finding(fault))?;
            }
            if !decoded.notes.is_empty() {
                self.notes(&line, decoded.notes);
            }
        }
        self.time(&line);
        if is_last {
            self.unended = Some(self.placed(Finding::new(Rule::NoNewline)));
        }
        self.start = self.start.or_else(|| line.time());
        line.start = self.start;
        let columns = line.columns();
        self.skip(raw.len(), true);
        self.index += 1;
        Ok(LineLook::Line(raw.len(), columns))
    }

    /// Handles bytes that can't be split into columns.
    #[cold]
    fn no_line(&mut self, raw: &[u8], rule: Rule) -> Result<LineLook, Error> {
        if raw.starts_with(BYTE_ORDER_MARK) {
            self.note(Rule::ByteOrderMark);
            return Ok(self.skip(BYTE_ORDER_MARK.len(), false));
        }
        if let Some(torn) = torn::find(raw) {
            return self.torn(raw, torn, None);
        }
        self.broken(Finding::new(rule), raw.len())
    }

    /// Handles this many bytes that are no valid line.
    fn broken(&mut self, finding: Finding, size: usize) -> Result<LineLook, Error> {
        self.fault(finding)?;
        Ok(self.skip(size, true))
    }

    /// Handles a fault: an error, or a finding if the reader is lenient.
    pub(super) fn fault(&mut self, finding: Finding) -> Result<(), Error> {
        let finding = self.placed(finding);
        if self.options.is_lenient() {
            self.skipped(&finding);
            self.findings.push(finding);
            return Ok(());
        }
        self.failed = Some(finding.clone());
        Err(finding.into())
    }

    /// Adds a finding that is no error.
    fn note(&mut self, rule: Rule) {
        let finding = self.placed(Finding::new(rule));
        self.findings.push(finding);
    }

    pub(super) fn placed(&self, mut finding: Finding) -> Finding {
        let place = &mut finding.place;
        place.line = Some(self.lines + 1);
        place.offset = place.offset.or(Some(self.offset));
        place.step = place.step.or(Some(self.index));
        place.within.clone_from(&self.within);
        finding
    }

    /// A finding about the zip rather than a line.
    pub(super) fn of_zip(&self, rule: Rule) -> Finding {
        let mut finding = Finding::new(rule);
        finding.place.within.clone_from(&self.within);
        match self.within {
            Some(_) => finding.at(self.offset).step(self.index),
            None => finding,
        }
    }

    /// Handles a fault of the zip: an error, or a finding if the reader is lenient.
    pub(super) fn fault_of_zip(&mut self, rule: Rule) -> Result<(), Error> {
        let finding = self.of_zip(rule);
        if self.options.is_lenient() && self.skipped.is_none() {
            if finding.rule.is_of_altered_file() {
                // The last line may lack its ending and is still to come.
                self.altered_file = Some(finding);
            } else {
                self.findings.push(finding);
            }
            return Ok(());
        }
        let finding = self.of_frames(finding);
        self.failed = Some(finding.clone());
        Err(finding.into())
    }

    /// All lines of a file in a zip were returned, so the frames that its fault concerns are known.
    #[cfg(feature = "zip")]
    pub(super) fn end_file(&mut self) {
        if let Some(finding) = self.altered_file.take() {
            let finding = self.of_frames(finding);
            self.findings.push(finding.clone());
            self.altered.push(Altered {
                finding,
                part: Part::Steps(self.first..self.index),
            });
        }
    }

    /// Applies a checksum's finding to all frames of the file, starting with the first.
    fn of_frames(&self, mut finding: Finding) -> Finding {
        if let Rule::ZipChecksum { frames, .. } = &mut finding.rule {
            *frames = self.index - self.first;
            return finding.at(0).step(self.first);
        }
        finding
    }

    /// Skips this many bytes, which may end with a line's end.
    pub(super) fn skip(&mut self, size: usize, is_line: bool) -> LineLook {
        self.offset += size as u64;
        self.lines += u64::from(is_line);
        self.searched = 0;
        LineLook::Skip(size)
    }
}

/// The result of looking at the bytes.
pub(super) enum LineLook {
    /// This many bytes are no line.
    Skip(usize),
    /// A line of this many bytes.
    Line(usize, Columns),
    NeedMore,
    End,
}

/// Skipped lines: the first ones of a recording with a finding each, the others as a count. A recording may
/// consist of nothing else.
#[derive(Default, Debug)]
pub(crate) struct Skipped {
    /// Those since the last call.
    pub findings: Vec<Finding>,
    /// The number of others.
    pub more: u64,
    /// The number of findings so far.
    reported: usize,
}

impl Skipped {
    /// The largest number of findings.
    pub const TOLD: usize = 1000;

    pub(super) fn push(&mut self, finding: &Finding) {
        if self.reported < Self::TOLD {
            self.reported += 1;
            self.findings.push(finding.clone());
        } else {
            self.more += 1;
        }
    }

    /// Returns what is new since the last call.
    #[cfg(feature = "tape")]
    pub fn take(&mut self) -> Self {
        Self {
            findings: std::mem::take(&mut self.findings),
            more: std::mem::take(&mut self.more),
            reported: self.reported,
        }
    }
}

/// The number of findings from which on members are no longer named one by one.
const MANY: usize = 300;

impl Scan {
    /// Passes over zeros. Their number is known at their end.
    #[cold]
    pub(super) fn pass_zeros(&mut self, rest: &[u8], finished: bool) -> Option<LineLook> {
        let count = rest.iter().take_while(|byte| **byte == 0).count();
        if count > 0 {
            if self.zeros.0 == 0 {
                self.zeros.1 = self.offset;
            }
            self.zeros.0 += count as u64;
            return Some(self.skip(count, false));
        }
        let (bytes, at) = self.zeros;
        let finding = self.placed(Finding::new(Rule::Zeros { bytes }).at(at));
        if !rest.is_empty() {
            self.zeros = (0, 0);
            self.findings.push(finding);
        } else if finished {
            self.at_end(finding);
        }
        None
    }

    /// Notes what is odd in a line. If there is too much of it, members are no longer told apart.
    #[cold]
    pub(super) fn notes(&mut self, line: &Line<'_>, notes: Vec<Rule>) {
        for rule in notes {
            let rule = if self.findings.len() < MANY {
                rule
            } else {
                rule.of_others()
            };
            let finding = self.placed(line.finding(Fault { rule, at: 0 }));
            self.findings.push(finding);
        }
    }

    /// Notes an unusual spelling of the time.
    #[inline]
    pub(super) fn time(&mut self, line: &Line<'_>) {
        let Some(spelled) = line.spelled_time() else {
            return;
        };
        if spelled.is_odd {
            let found = decode::clip(line.time);
            self.notes(line, vec![Rule::TimeSpelled { found }]);
        }
        if let Some(rule) = spelled.calendar_rule() {
            self.notes(line, vec![rule]);
        }
    }
}
