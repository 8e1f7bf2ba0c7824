//! The summary at the end of a capture, and the message indexes to which it points.

use std::collections::BTreeMap;

use gametape_core::Clocks;
use mcap::records::op;

use super::chunk::ChunkPlace;
use super::records::{
    ChannelRecord, FOOTER_BYTES, Fields, RECORD_HEAD, Record, SchemaRecord, listed,
};
use crate::layout::{KEY_CLOCKS, RISES_METADATA, Role, SCHEMA_NAME, clocks_named};
use crate::ranges::{Ranges, Window};
use crate::rule::{CaptureRule, Error};

/// The number of bytes at the end that are read at once: the footer and most summaries.
const TAIL: u64 = 16 << 10;
/// More than the record that tells which clocks rise is long.
const MOST_RISES: u64 = 256;

/// The summary of a complete capture.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// The offset of the summary.
    pub start: u64,
    /// The chunks that it lists, in the order of the file.
    pub chunks: Vec<ChunkPlace>,
    /// The roles of the channels that captures have.
    pub channels: BTreeMap<u16, Role>,
    /// The topics of the channels of other programs.
    pub foreign: BTreeMap<u16, String>,
    /// The schema of the packets, as JSON.
    pub schema: Option<Vec<u8>>,
    /// The number of messages by channel.
    pub messages: Option<BTreeMap<u16, u64>>,
    /// The clocks of a capture made from tables that are known to rise only.
    pub rises: Clocks,
    /// False if the file ends with a footer and has no summary.
    pub(crate) is_there: bool,
    /// The number of chunks, according to the statistics.
    chunk_count: Option<u32>,
    /// The offset of the record that tells which clocks rise.
    rises_at: Option<u64>,
}

/// Reads the footer and the summary to which it points; `None` if the file does not end with a
/// footer.
///
/// # Errors
/// [`CaptureRule::Crc`]; [`CaptureRule::Record`] for a damaged record; the file cannot be read.
pub fn read_summary<'a>(source: impl Into<Ranges<'a>>) -> Result<Option<Summary>, Error> {
    let mut window = Window::new(source);
    let Some(footer) = footer(&mut window)? else {
        return Ok(None);
    };
    let mut fields = Fields(window.content_of(&footer)?);
    let (Some(start), Some(_), Some(crc)) = (fields.u64(), fields.u64(), fields.u32()) else {
        return Err(footer.damaged());
    };
    if start > footer.at {
        return Err(footer.damaged());
    }
    // A legal file may have no summary: its data ends where the footer begins.
    let is_there = start != 0;
    let start = if is_there { start } else { footer.at };
    // The checksum covers everything up to itself.
    let found = window.crc(start, footer.end() - size_of::<u32>() as u64)?;
    CaptureRule::check_crc("summary", crc, found, start)?;
    let mut read = Summary {
        start,
        is_there,
        ..Summary::default()
    };
    let mut at = start;
    while at < footer.at {
        let Some(record) = window.record(at, footer.at)? else {
            return Err(CaptureRule::Record { what: "summary" }.at(at));
        };
        read.take(&record, &mut window)?;
        at = record.end();
    }
    read.rises(&mut window)?;
    let ascending = read.chunks.is_sorted_by(|a, b| a.at < b.at);
    if !ascending {
        return Err(footer.damaged());
    }
    Ok(Some(read))
}

/// The footer at the end of the file, if there is one.
fn footer(window: &mut Window<'_>) -> Result<Option<Record>, Error> {
    let size = window.size();
    // Reads the whole end at once, before parts of it are requested.
    window.at(size.saturating_sub(TAIL), TAIL)?;
    let magic = mcap::MAGIC.len() as u64;
    let Some(end) = size.checked_sub(magic) else {
        return Ok(None);
    };
    let Some(at) = end.checked_sub(FOOTER_BYTES) else {
        return Ok(None);
    };
    if window.at(end, magic)? != mcap::MAGIC {
        return Ok(None);
    }
    let record = window.record(at, end)?;
    Ok(record.filter(|record| record.op == op::FOOTER && record.end() == end))
}

impl Summary {
    /// False if the file may have messages outside of the chunks that the summary lists, or if the
    /// indexes do not tell how many are in the chunks.
    pub(crate) fn counts_all_messages(&self) -> bool {
        let in_chunks = self.chunks.iter().flat_map(|chunk| chunk.counts.values());
        let in_chunks = in_chunks.fold(0, |sum: u64, count| sum.saturating_add(*count));
        self.messages.as_ref().is_some_and(|counts| {
            let all = counts
                .values()
                .fold(0, |sum: u64, count| sum.saturating_add(*count));
            all == in_chunks
        })
    }

    /// False if the file may have chunks that the summary does not list.
    #[must_use]
    pub fn lists_all_chunks(&self) -> bool {
        let messages = |counts: &BTreeMap<u16, u64>| counts.values().any(|count| *count > 0);
        let counted = self
            .chunk_count
            .is_some_and(|count| count as usize == self.chunks.len());
        // If there are messages but no chunks, the messages are outside of chunks.
        counted && !(self.chunks.is_empty() && self.messages.as_ref().is_none_or(messages))
    }

    /// Reads the record that tells which clocks rise. If it is damaged, nothing is known of them.
    fn rises(&mut self, window: &mut Window<'_>) -> Result<(), Error> {
        let Some(at) = self.rises_at.filter(|at| *at < self.start) else {
            return Ok(());
        };
        let record = window.record(at, self.start)?;
        let Some(record) = record.filter(|record| record.op == op::METADATA) else {
            return Ok(());
        };
        let mut fields = Fields(window.start_of(&record, MOST_RISES)?);
        let is_it = fields.text() == Some(RISES_METADATA);
        let names = fields.texts().filter(|_| is_it);
        let names = names.as_ref().and_then(|map| map.get(KEY_CLOCKS));
        self.rises = names.map_or(Clocks::STEPS, |names| clocks_named(names));
        Ok(())
    }

    fn take(&mut self, record: &Record, window: &mut Window<'_>) -> Result<(), Error> {
        let known = [
            op::SCHEMA,
            op::CHANNEL,
            op::STATISTICS,
            op::CHUNK_INDEX,
            op::METADATA_INDEX,
        ];
        if known.contains(&record.op) {
            let content = window.content_of(record)?;
            self.take_content(record.op, content)
                .ok_or_else(|| record.damaged())?;
        }
        Ok(())
    }

    fn take_content(&mut self, opcode: u8, content: &[u8]) -> Option<()> {
        match opcode {
            op::SCHEMA => {
                let schema = SchemaRecord::read(content)?;
                if schema.name == SCHEMA_NAME {
                    self.schema = Some(schema.data.to_vec());
                }
            }
            op::CHANNEL => {
                let channel = ChannelRecord::read(content)?;
                if let Some(role) = Role::of_topic(channel.topic) {
                    self.channels.insert(channel.id, role);
                } else {
                    self.foreign.insert(channel.id, channel.topic.to_owned());
                }
            }
            op::STATISTICS => {
                let mut fields = Fields(content);
                fields.bytes(8 + 2 + 4 + 4 + 4)?;
                self.chunk_count = Some(fields.u32()?);
                fields.bytes(8 + 8)?;
                let mut counts = Fields(fields.sized()?);
                let mut messages = BTreeMap::new();
                while !counts.0.is_empty() {
                    messages.insert(counts.u16()?, counts.u64()?);
                }
                self.messages = Some(messages);
            }
            op::METADATA_INDEX => {
                let mut fields = Fields(content);
                let (at, _) = (fields.u64()?, fields.u64()?);
                self.rises_at = (fields.text()? == RISES_METADATA)
                    .then_some(at)
                    .or(self.rises_at);
            }
            op::CHUNK_INDEX => {
                let mut fields = Fields(content);
                let (start_time, end_time) = (fields.u64()?, fields.u64()?);
                let at = fields.u64()?;
                let length = fields.u64()?;
                let mut offsets = Fields(fields.sized()?);
                let mut indexes = BTreeMap::new();
                while !offsets.0.is_empty() {
                    indexes.insert(offsets.u16()?, offsets.u64()?);
                }
                let of_indexes = fields.u64();
                let end = of_indexes.and_then(|bytes| at.checked_add(length)?.checked_add(bytes));
                self.chunks.push(ChunkPlace {
                    at,
                    start_time,
                    end_time,
                    counts: end
                        .and_then(|end| counts(&indexes, end))
                        .unwrap_or_default(),
                    indexes,
                    loose_to: None,
                });
            }
            _ => {}
        }
        Some(())
    }
}

/// The number of messages that the indexes of a chunk list, by channel; `None` if the indexes, which
/// follow one another up to `end`, are not as long as such records can be.
fn counts(indexes: &BTreeMap<u16, u64>, end: u64) -> Option<BTreeMap<u16, u64>> {
    let mut places: Vec<(u64, u16)> = indexes.iter().map(|(id, at)| (*at, *id)).collect();
    places.sort_unstable();
    let ends = places.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let count = |(&(at, channel), end): (&(u64, u16), u64)| {
        let len = end.checked_sub(at)?.checked_sub(RECORD_HEAD)?;
        Some((channel, listed(len)?))
    };
    places.iter().zip(ends).map(count).collect()
}

/// Reads a message index: the log times of messages and their positions in their unpacked chunk.
///
/// # Errors
/// [`CaptureRule::Record`] if there is no index of this channel at `at`; the file cannot be read.
pub fn read_message_index<'a>(
    source: impl Into<Ranges<'a>>,
    at: u64,
    channel: u16,
) -> Result<Vec<(u64, usize)>, Error> {
    message_index(&mut Window::new(source), at, channel)
}

/// Like [`read_message_index`], through a window that reads the file in order.
pub(crate) fn message_index(
    window: &mut Window<'_>,
    at: u64,
    channel: u16,
) -> Result<Vec<(u64, usize)>, Error> {
    let what = "message index";
    let damaged = || CaptureRule::Record { what }.at(at);
    let record = window.record(at, window.size())?;
    let Some(record) = record.filter(|record| record.op == op::MESSAGE_INDEX) else {
        return Err(damaged());
    };
    let mut fields = Fields(window.content_of(&record)?);
    let mut read = || {
        if fields.u16()? != channel {
            return None;
        }
        let mut entries = Fields(fields.sized()?);
        let mut list = Vec::with_capacity(entries.0.len() / 16);
        while !entries.0.is_empty() {
            list.push((entries.u64()?, usize::try_from(entries.u64()?).ok()?));
        }
        Some(list)
    };
    read().ok_or_else(damaged)
}
