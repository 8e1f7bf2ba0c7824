//! Walking from record to record: finds the head of a capture, and its chunks if there is no
//! summary.

use mcap::records::op;

use super::chunk::{Chunk, ChunkPlace, Message};
use super::records::{Fields, RECORD_HEAD, Record, starts_as_mcap};
use crate::layout::{METADATA, RISES_METADATA, TABLES_METADATA};
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error, fault};

/// A run of records outside of chunks becomes no longer than this, unless one record is: it is read at
/// once, as a chunk is.
const RUN_BYTES: u64 = 64 << 10;

/// The metadata records of captures.
const OURS: [&str; 3] = [METADATA, TABLES_METADATA, RISES_METADATA];
/// More than the length of their names, with the field before it.
const MOST_NAME: u64 = 64;

/// The place where a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkEnd {
    /// At the end of the data section, as marked by its record.
    DataEnd {
        /// The offset of that record.
        at: u64,
        /// The end of that record.
        end: u64,
        /// The checksum in that record.
        crc: u32,
    },
    /// At the end of the file, between two records.
    Border,
    /// In a record that starts at this offset and does not end within the file.
    Cut(u64),
}

/// The result of walking from record to record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walked {
    /// The chunks that were found, and the runs of records outside of chunks: of messages, and of the
    /// definitions of their channels.
    pub chunks: Vec<ChunkPlace>,
    /// The number of messages outside of chunks, where our writer puts none.
    pub loose: u64,
    /// The number of attachments and of metadata records of other programs.
    pub foreign: u64,
    /// The place where the walk ended.
    pub end: WalkEnd,
}

/// Walks through the data section. Nothing is unpacked; of a file that is not in memory, only the
/// heads of the records are read.
///
/// # Errors
/// The file cannot be read.
pub fn walk<'a>(source: impl Into<Ranges<'a>>) -> Result<Walked, Error> {
    let mut window = Window::new(source);
    let mut walked = Walked {
        chunks: Vec::new(),
        loose: 0,
        foreign: 0,
        end: WalkEnd::Border,
    };
    let mut at = mcap::MAGIC.len() as u64;
    while at < window.size() {
        let Some(record) = window.record(at, window.size())? else {
            walked.end = WalkEnd::Cut(at);
            break;
        };
        if let Some(end) = walked.take(&record, &mut window)? {
            walked.end = end;
            break;
        }
        at = record.end();
    }
    Ok(walked)
}

impl Walked {
    /// Takes a record; returns where the walk ended, if it did.
    fn take(&mut self, record: &Record, window: &mut Window<'_>) -> Result<Option<WalkEnd>, Error> {
        let at = record.at;
        match record.op {
            op::CHUNK => match Chunk::of_record(record, window) {
                Ok(chunk) => self.chunks.push(ChunkPlace::of(&chunk)),
                Err(error) => {
                    fault(error)?;
                    return Ok(Some(WalkEnd::Cut(at)));
                }
            },
            op::MESSAGE_INDEX => {
                let channel = Fields(window.start_of(record, 2)?).u16();
                if let (Some(chunk), Some(channel)) = (self.chunks.last_mut(), channel) {
                    chunk.indexes.insert(channel, at);
                    let count = record.listed().map(|count| (channel, count));
                    chunk.counts.extend(count);
                }
            }
            op::MESSAGE | op::SCHEMA | op::CHANNEL => self.take_loose(record, window)?,
            op::ATTACHMENT => self.foreign += 1,
            op::METADATA => {
                let name = Fields(window.start_of(record, MOST_NAME)?).text();
                let is_ours = name.is_some_and(|name| OURS.contains(&name));
                self.foreign += u64::from(!is_ours);
            }
            op::DATA_END => {
                let end = record.end();
                let crc = Fields(window.start_of(record, 4)?).u32();
                let end = crc.map_or(WalkEnd::Cut(at), |crc| WalkEnd::DataEnd { at, end, crc });
                return Ok(Some(end));
            }
            // Opcode 0 does not exist, so these bytes are damaged and no length can be trusted.
            0 => return Ok(Some(WalkEnd::Cut(at))),
            _ => {}
        }
        Ok(None)
    }

    /// Takes a record outside of chunks: it continues the run before it, or starts one.
    fn take_loose(&mut self, record: &Record, window: &mut Window<'_>) -> Result<(), Error> {
        let message = match record.op {
            op::MESSAGE => Message::read(window.start_of(record, MESSAGE_HEAD)?),
            _ => None,
        };
        let (at, end) = (record.at, record.end());
        let last = self.chunks.last();
        let continues = last.is_some_and(|place| {
            place.loose_to == Some(at) && end.saturating_sub(place.at) <= RUN_BYTES
        });
        if !continues {
            // Without messages, the run has the time of the place before it.
            let time = last.map_or(0, |place| place.end_time);
            self.chunks.push(ChunkPlace::new(at, time, time));
        }
        let Some(run) = self.chunks.last_mut() else {
            return Ok(());
        };
        run.loose_to = Some(end);
        let Some(Message {
            channel, log_time, ..
        }) = message
        else {
            return Ok(());
        };
        self.loose += 1;
        if run.counts.is_empty() {
            (run.start_time, run.end_time) = (log_time, log_time);
        }
        run.start_time = run.start_time.min(log_time);
        run.end_time = run.end_time.max(log_time);
        *run.counts.entry(channel).or_default() += 1;
        Ok(())
    }
}

/// The length of a message record's content before its data.
pub(crate) const MESSAGE_HEAD: u64 = 2 + 4 + 8 + 8;

/// The unreadable ranges between records, given the places of the chunks: start, end, and whether
/// the range may have contained packets. A record that claims to extend beyond the next chunk is
/// unreadable.
///
/// # Errors
/// The file cannot be read.
pub fn unreadable<'a>(
    source: impl Into<Ranges<'a>>,
    chunks: &[ChunkPlace],
) -> Result<Vec<(u64, u64, bool)>, Error> {
    let mut window = Window::new(source);
    let mut found = Vec::new();
    let mut at = mcap::MAGIC.len() as u64;
    // Records outside of chunks are found one by one.
    let chunks = chunks.iter().filter(|place| place.loose_to.is_none());
    let mut chunks = chunks.map(|place| place.at).peekable();
    let mut in_summary = false;
    while at < window.size() {
        while chunks.next_if(|chunk| *chunk < at).is_some() {}
        if chunks.next_if_eq(&at).is_some() {
            match Chunk::at(&mut window, at).map(|chunk| chunk.end()) {
                Ok(end) => {
                    at = end;
                    continue;
                }
                Err(error) => fault(error)?,
            };
        }
        let next = chunks.peek().copied().unwrap_or(window.size());
        match window.record(at, window.size())? {
            Some(record) if record.op == op::FOOTER => break,
            Some(record) if record.op != 0 && record.op <= op::DATA_END && record.end() <= next => {
                in_summary |= record.op == op::DATA_END;
                at = record.end();
            }
            _ => {
                // Opcodes above that of chunks belong to indexes and other records that can be
                // rebuilt.
                let opcode = window.at(at, 1)?.first().copied().unwrap_or_default();
                let of_index =
                    opcode == op::FOOTER || (op::CHUNK + 1..=op::DATA_END).contains(&opcode);
                found.push((at, next, !in_summary && !of_index));
                at = next;
            }
        }
    }
    Ok(found)
}

/// The records before the first chunk, one by one.
#[derive(Debug)]
pub(crate) struct Leading {
    at: u64,
}

impl Leading {
    pub const fn new() -> Self {
        Self {
            at: mcap::MAGIC.len() as u64,
        }
    }

    pub fn next(&mut self, window: &mut Window<'_>) -> Result<Option<Record>, Error> {
        let record = window.record(self.at, window.size())?;
        Ok(record
            .filter(|record| {
                let ends = [op::CHUNK, op::MESSAGE, op::DATA_END, op::FOOTER];
                !ends.contains(&record.op)
            })
            .inspect(|record| self.at = record.end()))
    }
}

/// The header record's profile.
pub(crate) fn profile<'w>(window: &'w mut Window<'_>) -> Result<&'w str, Error> {
    let at = mcap::MAGIC.len() as u64;
    if !starts_as_mcap(window.at(0, at)?) {
        return Err(CaptureRule::NotMcap.at(0));
    }
    let what = "header";
    let Some(record) = window.record(at, window.size())? else {
        // No header has such a length, so this is damage and not a file that was cut off.
        let rule = if window.size() < at + RECORD_HEAD + (1 << 16) {
            CaptureRule::Truncated { what }
        } else {
            CaptureRule::Record { what }
        };
        return Err(rule.at(at));
    };
    if record.op != op::HEADER {
        return Err(CaptureRule::Record { what }.at(at));
    }
    let profile = Fields(window.content_of(&record)?).text();
    profile.ok_or_else(|| record.damaged())
}
