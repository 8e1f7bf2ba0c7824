//! From line to line: the one place that knows what a line is and what becomes of a broken one.
//! Slices, sources and growing recordings are all read through it, and so agree.

use super::decode::{self, Fault};
use super::line::{Columns, Line};
use super::options::{ReadOptions, Strictness};
use crate::error::Error;
use crate::finding::{Finding, Findings};
use crate::model::Frame;
use crate::rule::Rule;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What lies at the start of the bytes that are left.
pub(super) enum Step {
    /// A line, after `skip` bytes that are none.
    Line { skip: usize, columns: Columns },
    /// No whole line.
    NeedMore,
    /// Nothing, and nothing will come.
    End,
}

/// Where a reader stands.
#[derive(Debug)]
pub(super) struct Scan {
    pub options: ReadOptions,
    /// Which frame comes next.
    index: u64,
    /// Where the next line starts.
    offset: u64,
    /// Lines before it.
    lines: u64,
    /// Before the first byte, where a byte order mark may stand.
    at_start: bool,
    /// Within a line that is too long.
    skipping: bool,
    /// Bytes of what is left in which there is no line's end.
    searched: usize,
    /// What ended strict reading: it comes again, whatever is asked then.
    failed: Option<Finding>,
    pub findings: Findings,
}

impl Scan {
    pub(super) fn new(options: ReadOptions) -> Self {
        Self {
            options,
            index: 0,
            offset: 0,
            lines: 0,
            at_start: true,
            skipping: false,
            searched: 0,
            failed: None,
            findings: Findings::default(),
        }
    }

    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes are those of another text.
    pub(super) fn restart(&mut self) {
        self.offset = 0;
        self.lines = 0;
        self.at_start = true;
        self.skipping = false;
        self.searched = 0;
    }

    /// Looks for the next line in the bytes that are left; `finished` where no more will come. With
    /// a frame, the line is read into it.
    ///
    /// Gives how many bytes are done with, beside what was found. After an error none are, and the
    /// same comes again.
    pub(super) fn step(
        &mut self,
        bytes: &[u8],
        finished: bool,
        mut frame: Option<&mut Frame>,
    ) -> Result<(usize, Step), Error> {
        if let Some(failed) = &self.failed {
            return Err(Error::new(failed.clone()));
        }
        let mut used = 0;
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            if self.at_start {
                if rest.starts_with(BYTE_ORDER_MARK) {
                    self.note(Rule::ByteOrderMark);
                    used += self.skip(BYTE_ORDER_MARK.len(), false);
                    self.at_start = false;
                    continue;
                }
                if BYTE_ORDER_MARK.starts_with(rest) && !finished {
                    return Ok((used, Step::NeedMore));
                }
                self.at_start = false;
            }
            let ahead = rest.get(self.searched..).unwrap_or_default();
            let end = memchr::memchr(b'\n', ahead).map(|at| self.searched + at);
            if self.skipping {
                let size = end.map_or(rest.len(), |end| end + 1);
                self.skipping = end.is_none();
                used += self.skip(size, end.is_some());
                if end.is_some() {
                    continue;
                }
                return Ok((used, at_end(finished)));
            }
            if rest.is_empty() {
                return Ok((used, at_end(finished)));
            }
            let limit = self.options.limits.max_line_bytes;
            if end.unwrap_or(rest.len()) as u64 > limit {
                self.fault(Finding::new(Rule::LineLimit { limit }))?;
                self.skipping = end.is_none();
                used += self.skip(end.map_or(rest.len(), |end| end + 1), end.is_some());
                continue;
            }
            let Some(size) = end.map(|end| end + 1).or(finished.then_some(rest.len())) else {
                self.searched = rest.len();
                return Ok((used, Step::NeedMore));
            };
            let raw = rest.get(..size).unwrap_or_default();
            if raw.trim_ascii().is_empty() {
                self.note(Rule::BlankLine);
                used += self.skip(size, true);
                continue;
            }
            match self.line(raw, end.is_none(), frame.as_deref_mut())? {
                Some(columns) => {
                    let skip = used;
                    used += self.skip(size, true);
                    self.index += 1;
                    return Ok((used, Step::Line { skip, columns }));
                }
                None => used += self.skip(size, true),
            }
        }
    }

    /// Splits a line, and reads it; `None` where it is broken and that is put up with.
    fn line(
        &mut self,
        raw: &[u8],
        is_last: bool,
        frame: Option<&mut Frame>,
    ) -> Result<Option<Columns>, Error> {
        let split = Line::split(raw, self.index, self.offset);
        // A last line without an ending may be the start of one.
        let is_cut = is_last
            && !split.as_ref().is_ok_and(|line| {
                let bones = line.bones.unwrap_or_default();
                decode::is_whole(line.session)
                    && (bones.trim_ascii().is_empty() || decode::is_whole(bones))
            });
        let line = match split {
            _ if is_cut => {
                let held = raw.len() as u64;
                return self.broken(Finding::new(Rule::LineCut { held }));
            }
            Ok(line) => line,
            Err(rule) => return self.broken(Finding::new(rule)),
        };
        let mut fault: Option<Fault> = None;
        if let Some(frame) = frame {
            match line.decode(frame) {
                Ok(bones) => fault = bones,
                Err(fault) => {
                    self.fault(line.finding(fault))?;
                    return Ok(None);
                }
            }
        }
        if let Some(fault) = fault {
            self.fault(line.finding(fault))?;
        }
        if is_last {
            self.note(Rule::NoNewline);
        }
        Ok(Some(line.columns()))
    }

    fn broken(&mut self, finding: Finding) -> Result<Option<Columns>, Error> {
        self.fault(finding)?;
        Ok(None)
    }

    /// Something is broken: an error, or a finding.
    pub(super) fn fault(&mut self, finding: Finding) -> Result<(), Error> {
        let finding = self.placed(finding);
        match self.options.strictness {
            Strictness::Strict => {
                self.failed = Some(finding.clone());
                Err(Error::new(finding))
            }
            Strictness::Lenient => {
                self.findings.push(finding);
                Ok(())
            }
        }
    }

    /// Something is worth knowing.
    pub(super) fn note(&mut self, rule: Rule) {
        let finding = self.placed(Finding::new(rule));
        self.findings.push(finding);
    }

    fn placed(&self, mut finding: Finding) -> Finding {
        let is_of_zip = matches!(
            finding.rule,
            Rule::ZipTruncated { .. }
                | Rule::ZipMembers { .. }
                | Rule::ZipMethod { .. }
                | Rule::ZipEncrypted
                | Rule::ZipInflate { .. }
                | Rule::ZipChecksum { .. }
        );
        finding.line = (!is_of_zip).then_some(self.lines + 1);
        if finding.offset.is_some() {
            return finding;
        }
        let time = finding.time;
        finding.at(self.offset).in_frame(self.index, time)
    }

    /// Goes on behind so many bytes, which may be those to the end of a line.
    fn skip(&mut self, size: usize, is_line: bool) -> usize {
        self.offset += size as u64;
        self.lines += u64::from(is_line);
        self.searched = 0;
        size
    }
}

const fn at_end(finished: bool) -> Step {
    if finished { Step::End } else { Step::NeedMore }
}
