//! The constants of the wire: magic number, version, section tags.

use core::fmt;

use gametape_core::{Datum, ToDatum};

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
