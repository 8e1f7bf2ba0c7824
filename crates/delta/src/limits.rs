//! Limits on the content of packets.

use core::fmt;

use gametape_core::{Datum, ToDatum};

/// Limits on packets. They are checked before anything is iterated or allocated. Encoder and
/// decoder use the same limits, so that a decoder accepts what an encoder writes.
///
/// The defaults are those of the origin's decoder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes in a packet, including the header.
    pub max_packet_bytes: usize,
    /// Sections in a packet.
    pub max_sections: usize,
    /// Bytes in the body of a section.
    pub max_section_bytes: usize,
    /// Entities in a CREATE section.
    pub max_entities_create: usize,
    /// Entities in an UPDATE section.
    pub max_entities_update: usize,
    /// Entities in a DESTROY section.
    pub max_entities_destroy: usize,
    /// Components in a schema; never more than 64.
    pub max_components: usize,
    /// Fields in a component; never more than 64.
    pub max_fields: usize,
    /// Entities in a state after a packet was applied.
    pub max_entities: usize,
}

impl Limits {
    /// 64 KiB per packet, 16 sections of 32 KiB, 1,024 creates, 2,048 updates, 1,024 destroys, 64
    /// components of 64 fields, 4,096 entities.
    pub const DEFAULT: Self = Self {
        max_packet_bytes: 64 << 10,
        max_sections: 16,
        max_section_bytes: 32 << 10,
        max_entities_create: 1024,
        max_entities_update: 2048,
        max_entities_destroy: 1024,
        max_components: 64,
        max_fields: 64,
        max_entities: 4096,
    };

    /// No limits except the packet's length, for captures and trusted input.
    pub const NONE: Self = Self {
        max_packet_bytes: u32::MAX as usize,
        max_sections: usize::MAX,
        max_section_bytes: u32::MAX as usize,
        max_entities_create: u32::MAX as usize,
        max_entities_update: u32::MAX as usize,
        max_entities_destroy: u32::MAX as usize,
        max_components: 64,
        max_fields: 64,
        max_entities: u32::MAX as usize,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Options for reading packets.
pub type ReadOptions = gametape_core::ReadOptions<Limits>;

/// The limit that was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_packet_bytes`].
    PacketBytes,
    /// [`Limits::max_sections`].
    Sections,
    /// [`Limits::max_section_bytes`].
    SectionBytes,
    /// [`Limits::max_entities_create`].
    Creates,
    /// [`Limits::max_entities_update`].
    Updates,
    /// [`Limits::max_entities_destroy`].
    Destroys,
    /// [`Limits::max_components`].
    Components,
    /// [`Limits::max_fields`].
    Fields,
    /// [`Limits::max_entities`].
    Entities,
}

impl Limit {
    /// Returns what is counted: `bytes in a packet`, ….
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PacketBytes => "bytes in a packet",
            Self::Sections => "sections in a packet",
            Self::SectionBytes => "bytes in a section",
            Self::Creates => "created entities in a packet",
            Self::Updates => "updated entities in a packet",
            Self::Destroys => "destroyed entities in a packet",
            Self::Components => "components in a schema",
            Self::Fields => "fields in a component",
            Self::Entities => "entities in a state",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl ToDatum for Limit {
    fn to_datum(&self) -> Datum {
        self.name().to_datum()
    }
}
