//! A second writer of MCAP: whatever the format allows to leave out can be left out.

use std::io::Write as _;

use gametape_capture::container::{Inside, inside};
use mcap::records::op;

/// How messages are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Outside of chunks.
    Loose,
    /// In chunks of this compression.
    Chunks(&'static str),
}

/// What a capture may have or lack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Metadata,
    MessageIndex,
    ChunkIndex,
    Statistics,
    /// Schemas and channels in the summary.
    Definitions,
    /// Messages of another program, and an attachment.
    Foreign,
    /// Messages outside of chunks between the chunks.
    Mixed,
}

impl Part {
    pub const ALL: [Self; 7] = [
        Self::Metadata,
        Self::MessageIndex,
        Self::ChunkIndex,
        Self::Statistics,
        Self::Definitions,
        Self::Foreign,
        Self::Mixed,
    ];
}

/// How a capture is written.
#[derive(Clone, Debug)]
pub struct How {
    pub packing: Packing,
    pub parts: Vec<Part>,
}

impl How {
    pub fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Whether anything stands in the summary.
    fn has_summary(&self) -> bool {
        let in_chunks = matches!(self.packing, Packing::Chunks(_));
        self.has(Part::Statistics)
            || self.has(Part::Definitions)
            || self.has(Part::ChunkIndex) && in_chunks
    }
}

/// A record of an unpacked chunk.
struct Message {
    channel: u16,
    log_time: u64,
    bytes: Vec<u8>,
}

pub fn record(op: u8, content: &[u8]) -> Vec<u8> {
    let mut record = vec![op];
    record.extend((content.len() as u64).to_le_bytes());
    record.extend(content);
    record
}

fn text(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

fn message(channel: u16, sequence: u32, log_time: u64, data: &[u8]) -> Message {
    let mut content = channel.to_le_bytes().to_vec();
    content.extend(sequence.to_le_bytes());
    content.extend(log_time.to_le_bytes());
    content.extend(log_time.to_le_bytes());
    content.extend(data);
    let bytes = record(op::MESSAGE, &content);
    Message {
        channel,
        log_time,
        bytes,
    }
}

fn channel(id: u16, schema: u16, topic: &str) -> Vec<u8> {
    let mut content = id.to_le_bytes().to_vec();
    content.extend(schema.to_le_bytes());
    content.extend(text(topic));
    content.extend(text("bytes"));
    content.extend([0; 4]);
    record(op::CHANNEL, &content)
}

fn pack(name: &str, bytes: &[u8]) -> Vec<u8> {
    match name {
        "zstd" => zstd::bulk::compress(bytes, 1).unwrap(),
        "lz4" => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => bytes.to_vec(),
    }
}

/// Writes the packets of a whole capture of our writer again, in another way.
pub fn rewritten(capture: &[u8], how: &How) -> Vec<u8> {
    let read = gametape_capture::read(capture).unwrap();
    let json = serde_json::to_vec(read.schema()).unwrap();
    let mut definitions = {
        let mut content = 1_u16.to_le_bytes().to_vec();
        content.extend(text("gametape.Snapshot"));
        content.extend(text("gametape.schema+json"));
        content.extend(text(std::str::from_utf8(&json).unwrap()));
        record(op::SCHEMA, &content)
    };
    for (id, topic) in [(21, "keyframes"), (7, "deltas"), (3, "keyframes/added")] {
        definitions.extend(channel(id, 1, topic));
    }
    if how.has(Part::Foreign) {
        definitions.extend(channel(2, 0, "notes"));
    }
    let mut out = Out {
        bytes: mcap::MAGIC.to_vec(),
        ..Out::default()
    };
    let header = [text("gametape"), text("another")].concat();
    out.bytes.extend(record(op::HEADER, &header));
    // The metadata of our writer stands after the header.
    let facts = 8 + 9 + u64::from_le_bytes(capture[9..17].try_into().unwrap()) as usize;
    let length = u64::from_le_bytes(capture[facts + 1..facts + 9].try_into().unwrap()) as usize;
    assert_eq!(capture[facts], op::METADATA);
    if how.has(Part::Metadata) {
        out.bytes.extend(&capture[facts..facts + 9 + length]);
    }
    if how.has(Part::Foreign) {
        let mut content = [0; 16].to_vec();
        content.extend([text("photo.png"), text("image/png")].concat());
        content.extend(3_u64.to_le_bytes());
        content.extend([1, 2, 3, 0, 0, 0, 0]);
        out.bytes.extend(record(op::ATTACHMENT, &content));
    }
    let mut unpacked = Vec::new();
    for number in 0..read.chunks().len() {
        read.unpack(number, &mut unpacked).unwrap();
        let mut messages = Vec::new();
        let mut at = 0;
        while let Some((found, end)) = inside(&unpacked, at, 0).unwrap() {
            if let Inside::Message(found) = found {
                let id = [0, 21, 7, 3][usize::from(found.channel)];
                messages.push(message(id, found.sequence, found.log_time, found.data));
            }
            at = end;
        }
        if how.has(Part::Foreign) {
            messages.insert(messages.len() / 2, message(2, 9, 5_000_000, b"hello"));
        }
        let definitions = if number == 0 { &definitions[..] } else { &[] };
        match how.packing {
            Packing::Chunks(name) if !how.has(Part::Mixed) || number % 2 == 0 => {
                out.chunk(name, definitions, &messages, how.has(Part::MessageIndex));
            }
            _ => out.loose(definitions, &messages),
        }
    }
    out.end(how, &definitions)
}

#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    chunk_indexes: Vec<u8>,
    chunks: u32,
    counts: std::collections::BTreeMap<u16, u64>,
}

impl Out {
    fn count(&mut self, messages: &[Message]) {
        for message in messages {
            *self.counts.entry(message.channel).or_default() += 1;
        }
    }

    fn loose(&mut self, definitions: &[u8], messages: &[Message]) {
        self.bytes.extend(definitions);
        for message in messages {
            self.bytes.extend(&message.bytes);
        }
        self.count(messages);
    }

    fn chunk(&mut self, name: &str, definitions: &[u8], messages: &[Message], index: bool) {
        let mut unpacked = definitions.to_vec();
        let mut indexes = std::collections::BTreeMap::<u16, Vec<u8>>::new();
        for message in messages {
            let entries = indexes.entry(message.channel).or_default();
            entries.extend(message.log_time.to_le_bytes());
            entries.extend((unpacked.len() as u64).to_le_bytes());
            unpacked.extend(&message.bytes);
        }
        let times = || messages.iter().map(|message| message.log_time);
        let (start, end) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        let packed = pack(name, &unpacked);
        let mut content = [start, end, unpacked.len() as u64]
            .map(u64::to_le_bytes)
            .concat();
        content.extend(crc32fast::hash(&unpacked).to_le_bytes());
        content.extend(text(name));
        content.extend((packed.len() as u64).to_le_bytes());
        content.extend(&packed);
        let at = self.bytes.len() as u64;
        self.bytes.extend(record(op::CHUNK, &content));
        let after = self.bytes.len() as u64;
        let mut places = Vec::new();
        for (id, entries) in indexes.iter().filter(|_| index) {
            places.extend(id.to_le_bytes());
            places.extend((self.bytes.len() as u64).to_le_bytes());
            let mut content = id.to_le_bytes().to_vec();
            content.extend((entries.len() as u32).to_le_bytes());
            content.extend(entries);
            self.bytes.extend(record(op::MESSAGE_INDEX, &content));
        }
        let mut content = [start, end, at, after - at].map(u64::to_le_bytes).concat();
        content.extend((places.len() as u32).to_le_bytes());
        content.extend(places);
        content.extend((self.bytes.len() as u64 - after).to_le_bytes());
        content.extend(text(name));
        content.extend((packed.len() as u64).to_le_bytes());
        content.extend((unpacked.len() as u64).to_le_bytes());
        self.chunk_indexes.extend(record(op::CHUNK_INDEX, &content));
        self.chunks += 1;
        self.count(messages);
    }

    fn end(mut self, how: &How, definitions: &[u8]) -> Vec<u8> {
        self.bytes.extend(record(op::DATA_END, &[0; 4]));
        let start = self.bytes.len() as u64;
        if how.has(Part::Definitions) {
            self.bytes.extend(definitions);
        }
        if how.has(Part::Statistics) {
            let all: u64 = self.counts.values().sum();
            let mut content = all.to_le_bytes().to_vec();
            content.extend(1_u16.to_le_bytes());
            content.extend(3_u32.to_le_bytes());
            content.extend([0; 8]);
            content.extend(self.chunks.to_le_bytes());
            content.extend([0; 16]);
            content.extend((self.counts.len() as u32 * 10).to_le_bytes());
            for (id, count) in &self.counts {
                content.extend(id.to_le_bytes());
                content.extend(count.to_le_bytes());
            }
            self.bytes.extend(record(op::STATISTICS, &content));
        }
        if how.has(Part::ChunkIndex) {
            self.bytes.extend(&self.chunk_indexes);
        }
        let start = if how.has_summary() { start } else { 0 };
        let footer = [start.to_le_bytes(), [0; 8]].concat();
        self.bytes
            .extend(record(op::FOOTER, &[&footer[..], &[0; 4]].concat()));
        self.bytes.extend(mcap::MAGIC);
        self.bytes
    }
}
