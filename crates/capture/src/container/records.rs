//! The records of an MCAP file, read one after the other without trusting their lengths.
//!
//! The `mcap` crate writes captures. Its readers allocate what a record claims to need, which is
//! unsafe for files of unknown origin. Captures need only a small part of the format.

use std::collections::BTreeMap;

use mcap::records::op;

use crate::ranges::Window;
use crate::rule::{CaptureRule, Error};

/// The length of a record before its content: an opcode and a length field.
pub(crate) const RECORD_HEAD: u64 = 9;

/// The length of a footer record.
pub(crate) const FOOTER_BYTES: u64 = RECORD_HEAD + 20;

/// Far more than any record other than a chunk needs; the largest is the index of all messages of
/// the largest chunk.
pub(crate) const MOST_RECORD_BYTES: u64 = 256 << 20;

/// True if the first bytes are those of an MCAP file.
#[must_use]
pub fn starts_as_mcap(bytes: &[u8]) -> bool {
    bytes.starts_with(mcap::MAGIC)
}

/// A record; its content is not examined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub op: u8,
    /// The offset of the record.
    pub at: u64,
    /// The length of its content.
    len: u64,
}

impl Record {
    /// Parses the first bytes of a record; `None` if the record does not end before `border`.
    #[inline]
    pub fn of(head: &[u8], at: u64, border: u64) -> Option<Self> {
        let (&op, rest) = head.split_first()?;
        let len = u64::from_le_bytes(*rest.first_chunk::<8>()?);
        let end = at.checked_add(RECORD_HEAD)?.checked_add(len)?;
        (end <= border).then_some(Self { op, at, len })
    }

    /// The offset of the next record.
    pub const fn end(&self) -> u64 {
        self.at + RECORD_HEAD + self.len
    }

    /// The number of messages that it lists, if it is as long as an index of messages can be.
    pub const fn listed(&self) -> Option<u64> {
        listed(self.len)
    }

    pub const fn name(&self) -> &'static str {
        match self.op {
            op::HEADER => "header",
            op::FOOTER => "footer",
            op::SCHEMA => "schema",
            op::CHANNEL => "channel",
            op::MESSAGE => "message",
            op::CHUNK => "chunk",
            op::MESSAGE_INDEX => "message index",
            op::CHUNK_INDEX => "chunk index",
            op::STATISTICS => "statistics",
            op::METADATA => "metadata",
            op::DATA_END => "data end",
            _ => "unknown",
        }
    }

    pub fn damaged(&self) -> Error {
        let what = self.name();
        CaptureRule::Record { what }.at(self.at)
    }
}

/// The number of messages in a message index whose content has this length: a channel, the length
/// of the list, and two numbers for each message.
pub(super) const fn listed(len: u64) -> Option<u64> {
    const BEFORE: u64 = 2 + 4;
    const EACH: u64 = 8 + 8;
    match len.checked_sub(BEFORE) {
        Some(list) if list.is_multiple_of(EACH) => Some(list / EACH),
        _ => None,
    }
}

impl Window<'_> {
    /// The record at `at`; `None` if it does not end before `border`.
    #[inline]
    pub fn record(&mut self, at: u64, border: u64) -> Result<Option<Record>, Error> {
        let head = self.at(at, RECORD_HEAD)?;
        Ok(Record::of(head, at, border))
    }

    /// The first bytes of a record's content.
    #[inline]
    pub fn start_of(&mut self, record: &Record, most: u64) -> Result<&[u8], Error> {
        self.at(record.at + RECORD_HEAD, record.len.min(most))
    }

    /// The content of a record.
    #[inline]
    pub fn content_of(&mut self, record: &Record) -> Result<&[u8], Error> {
        if record.len > MOST_RECORD_BYTES {
            return Err(record.damaged());
        }
        self.start_of(record, record.len)
    }
}

/// The record at position `at` of an unpacked chunk: its opcode, its content, and the position of
/// the next one. `None` if the bytes end before the record does.
pub(crate) fn record_in(bytes: &[u8], at: usize) -> Option<(u8, &[u8], usize)> {
    let rest = bytes.get(at..)?;
    let (&op, rest) = rest.split_first()?;
    let (len, rest) = rest.split_first_chunk::<8>()?;
    let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
    let body = rest.get(..len)?;
    Some((op, body, at + RECORD_HEAD as usize + len))
}

/// Takes the fields of a record one by one; `None` if the record ends too early.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    /// Bytes that are preceded by their length.
    pub fn sized(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()? as usize;
        self.bytes(len)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.sized()?).ok()
    }

    pub fn texts(&mut self) -> Option<BTreeMap<&'a str, &'a str>> {
        let mut pairs = Fields(self.sized()?);
        let mut map = BTreeMap::new();
        while !pairs.0.is_empty() {
            map.insert(pairs.text()?, pairs.text()?);
        }
        Some(map)
    }
}

/// An MCAP schema record, as far as captures need it.
#[derive(Clone, Copy, Debug)]
pub struct SchemaRecord<'a> {
    /// The name of the schema.
    pub name: &'a str,
    /// The schema; in captures, JSON.
    pub data: &'a [u8],
}

impl<'a> SchemaRecord<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(body);
        fields.u16()?;
        let name = fields.text()?;
        fields.text()?;
        let data = fields.sized()?;
        Some(Self { name, data })
    }
}

/// An MCAP channel record, as far as captures need it.
#[derive(Clone, Copy, Debug)]
pub struct ChannelRecord<'a> {
    /// The channel's number.
    pub id: u16,
    /// The topic of its messages.
    pub topic: &'a str,
}

impl<'a> ChannelRecord<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Option<Self> {
        let mut fields = Fields(body);
        let id = fields.u16()?;
        fields.u16()?;
        let topic = fields.text()?;
        Some(Self { id, topic })
    }
}
