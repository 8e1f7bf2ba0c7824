//! The numbers that the wire is known by: magic, version, and the tags of sections.

use core::fmt;

use gametape_core::{Datum, ToDatum};

/// First four bytes of every packet, little-endian: `CEDS`.
pub const MAGIC: u32 = 0x5344_4543;

/// The version of the wire.
pub const VERSION: u16 = 0;

/// Bytes of a header.
pub const HEADER_BYTES: usize = 28;

/// What a section does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
pub enum Tag {
    /// New entities.
    Create = 1,
    /// Entities that are gone.
    Destroy = 2,
    /// Changed fields.
    Update = 3,
}

impl Tag {
    /// All, by their number.
    pub const ALL: [Self; 3] = [Self::Create, Self::Destroy, Self::Update];

    /// The tag of this number.
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
