//! The framing of a packet: header, flags, sections.

use alloc::vec::Vec;
use core::fmt;

use gametape_core::text::Hash;
use gametape_core::{Datum, ToDatum};

use crate::bits::{BitReader, push_varuint, varuint_len};
use crate::limits::{Limit, Limits};
use crate::rule::{Error, Rule};

/// The kind of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A whole state.
    Full,
    /// The changes since the state of tick `baseline`, which is not 0.
    Delta {
        /// The tick of the baseline.
        baseline: u32,
    },
}

/// The header of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Header {
    /// Full snapshot or delta.
    pub kind: Kind,
    /// The hash of the schema.
    pub schema_hash: u64,
    /// The tick of the state.
    pub tick: u32,
}

impl Header {
    /// Reads and checks the header at the start of `bytes`, which may contain more than the packet.
    /// Returns the header, and the length of the payload after it.
    ///
    /// Checks magic number, version, flags and baseline tick, but not the schema.
    pub fn read(bytes: &[u8]) -> Result<(Self, u32), Error> {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(Error::new(Rule::Header { bytes: bytes.len() }, bytes.len()));
        };
        let mut words = header
            .as_chunks::<4>()
            .0
            .iter()
            .map(|word| u32::from_le_bytes(*word));
        let mut word = || words.next().unwrap_or_default();
        let magic = word();
        if magic != MAGIC {
            return Err(Error::new(Rule::Magic { found: magic }, 0));
        }
        let version_and_flags = word();
        let version = version_and_flags as u16;
        if version != VERSION {
            return Err(Error::new(Rule::Version { found: version }, 4));
        }
        let flags = (version_and_flags >> 16) as u16;
        let schema_hash = u64::from(word()) | u64::from(word()) << 32;
        let tick = word();
        let baseline = word();
        let kind = match flags {
            1 if baseline == 0 => Kind::Full,
            2 if baseline != 0 => Kind::Delta { baseline },
            1 | 2 => {
                let full = flags == 1;
                return Err(Error::new(Rule::BaselineTick { full, baseline }, 20));
            }
            found => return Err(Error::new(Rule::Flags { found }, 6)),
        };
        let header = Self {
            kind,
            schema_hash,
            tick,
        };
        Ok((header, word()))
    }

    /// Returns the 28 bytes of this header for a payload of `payload_len` bytes.
    #[must_use]
    pub fn to_bytes(&self, payload_len: u32) -> [u8; HEADER_BYTES] {
        let (flags, baseline) = match self.kind {
            Kind::Full => (1_u32, 0),
            Kind::Delta { baseline } => (2, baseline),
        };
        let mut bytes = [0; HEADER_BYTES];
        let words = [
            MAGIC,
            u32::from(VERSION) | flags << 16,
            self.schema_hash as u32,
            (self.schema_hash >> 32) as u32,
            self.tick,
            baseline,
            payload_len,
        ];
        for (to, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        bytes
    }

    /// Writes the header over the first bytes of a packet that already contains its payload.
    pub(crate) fn write(&self, packet: &mut [u8]) {
        let payload = packet.len().saturating_sub(HEADER_BYTES) as u32;
        for (to, from) in packet.iter_mut().zip(self.to_bytes(payload)) {
            *to = from;
        }
    }

    /// Returns the tick of the baseline; `None` for a full snapshot.
    #[must_use]
    pub const fn baseline(&self) -> Option<u32> {
        match self.kind {
            Kind::Full => None,
            Kind::Delta { baseline } => Some(baseline),
        }
    }
}

/// Returns the length of the packet at the start of `bytes`, as given in its header, for streams of
/// consecutive packets. The header is checked; the rest of the packet may be missing.
pub fn packet_len(bytes: &[u8]) -> Result<u64, Error> {
    let (_, payload) = Header::read(bytes)?;
    Ok(HEADER_BYTES as u64 + u64::from(payload))
}

/// The sections of a packet, whose bodies are not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    pub header: Header,
    /// The sections that exist, in the order of the packet.
    sections: [Option<RawSection<'a>>; 3],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSection<'a> {
    pub tag: Tag,
    pub body: &'a [u8],
    /// The offset of the body in the packet.
    pub offset: usize,
}

impl<'a> Frame<'a> {
    /// Checks the header and the framing of the sections.
    pub fn read(
        packet: &'a [u8],
        schema_hash: u64,
        strict: bool,
        limits: &Limits,
    ) -> Result<Self, Error> {
        if packet.len() > limits.max_packet_bytes {
            let rule = Rule::Limit {
                limit: Limit::PacketBytes,
                max: limits.max_packet_bytes,
                found: packet.len(),
            };
            return Err(Error::new(rule, limits.max_packet_bytes));
        }
        let (header, payload_len) = Header::read(packet)?;
        if header.schema_hash != schema_hash {
            let rule = Rule::SchemaHash {
                expected: Hash(schema_hash),
                found: Hash(header.schema_hash),
            };
            return Err(Error::new(rule, 8));
        }
        if let Kind::Delta { baseline } = header.kind
            && header.tick <= baseline
            && strict
        {
            let rule = Rule::TickOrder {
                tick: header.tick,
                baseline,
            };
            return Err(Error::new(rule, 16));
        }
        let found = packet.len() - HEADER_BYTES;
        if payload_len as usize != found {
            let rule = Rule::PayloadLength {
                claimed: payload_len,
                found,
            };
            return Err(Error::new(rule, 24));
        }
        let mut frame = Self {
            header,
            sections: [None; 3],
        };
        frame.read_sections(packet, strict, limits)?;
        Ok(frame)
    }

    fn read_sections(
        &mut self,
        packet: &'a [u8],
        strict: bool,
        limits: &Limits,
    ) -> Result<(), Error> {
        let mut at = HEADER_BYTES;
        let mut count = 0;
        while let Some((&number, rest)) = packet.get(at..).and_then(|rest| rest.split_first()) {
            if count == limits.max_sections {
                let rule = Rule::Limit {
                    limit: Limit::Sections,
                    max: limits.max_sections,
                    found: count + 1,
                };
                return Err(Error::new(rule, at));
            }
            count += 1;
            let Some(tag) = Tag::new(number) else {
                return Err(Error::new(Rule::UnknownSection { tag: number }, at));
            };
            let mut reader = if strict {
                BitReader::new(rest)
            } else {
                BitReader::lenient(rest)
            };
            let claimed = reader
                .varuint()
                .map_err(|error| Error::new(error.into(), at + 1))?;
            let offset = at + 1 + reader.position() / 8;
            if claimed as usize > limits.max_section_bytes {
                let rule = Rule::Limit {
                    limit: Limit::SectionBytes,
                    max: limits.max_section_bytes,
                    found: claimed as usize,
                };
                return Err(Error::new(rule, at + 1));
            }
            let rest = packet.get(offset..).unwrap_or_default();
            let Some(body) = rest.get(..claimed as usize) else {
                let rule = Rule::SectionLength {
                    tag: number,
                    claimed,
                    left: rest.len(),
                };
                return Err(Error::new(rule, at + 1));
            };
            if self.header.kind == Kind::Full && tag != Tag::Create {
                return Err(Error::new(Rule::UnexpectedSection { tag }, at));
            }
            if self.section(tag).is_some() {
                return Err(Error::new(Rule::DuplicateSection { tag }, at));
            }
            if let Some(slot) = self.sections.iter_mut().find(|slot| slot.is_none()) {
                *slot = Some(RawSection { tag, body, offset });
            }
            at = offset + body.len();
        }
        Ok(())
    }

    /// Returns the section with this tag.
    pub fn section(&self, tag: Tag) -> Option<RawSection<'a>> {
        self.sections().find(|section| section.tag == tag)
    }

    /// Returns the sections in the order of the packet.
    pub fn sections(&self) -> impl Iterator<Item = RawSection<'a>> {
        self.sections.iter().flatten().copied()
    }
}

/// Returns the length of a section of `count` entities in `body` bytes, including tag, length and
/// count.
pub(crate) const fn section_len(count: u32, body: usize) -> usize {
    let body = varuint_len(count) + body;
    1 + varuint_len(body as u32) + body
}

/// Appends a section.
pub(crate) fn push_section(packet: &mut Vec<u8>, tag: Tag, count: u32, body: &[u8]) {
    packet.push(tag as u8);
    push_varuint(packet, (varuint_len(count) + body.len()) as u32);
    push_varuint(packet, count);
    packet.extend_from_slice(body);
}

/// The first four bytes of every packet as a little-endian number: `CEDS`.
pub const MAGIC: u32 = 0x5344_4543;

/// The version of the wire.
pub const VERSION: u16 = 0;

/// The size of a header in bytes.
pub const HEADER_BYTES: usize = 28;

/// The kind of a section.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
pub enum Tag {
    /// New entities.
    Create = 1,
    /// Removed entities.
    Destroy = 2,
    /// Changed fields.
    Update = 3,
}

impl Tag {
    /// All tags, ordered by number.
    pub const ALL: [Self; 3] = [Self::Create, Self::Destroy, Self::Update];

    /// Returns the tag with this number.
    #[must_use]
    pub const fn new(tag: u8) -> Option<Self> {
        match tag {
            1 => Some(Self::Create),
            2 => Some(Self::Destroy),
            3 => Some(Self::Update),
            _ => None,
        }
    }

    /// `CREATE`, `DESTROY` or `UPDATE`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Destroy => "DESTROY",
            Self::Update => "UPDATE",
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl ToDatum for Tag {
    fn to_datum(&self) -> Datum {
        self.name().to_datum()
    }
}
