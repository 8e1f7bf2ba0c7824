//! Every rule a packet can break, where it did, and what an encoder refuses.

use core::fmt;

use crate::bits::BitError;
use crate::limits::Limit;
use crate::wire::{HEADER_BYTES, MAGIC, Tag};

/// Defines the rules once: variant, code and sentence.
macro_rules! rules {
    ($(
        $(#[$doc:meta])*
        $name:ident $({ $($(#[$fdoc:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $($text:expr),+;
    )*) => {
        /// One rule of the wire with the numbers that break it.
        ///
        /// Each has a code, documented in the book.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                $(#[$doc])*
                $name $({ $(
                    $(#[$fdoc])*
                    #[allow(missing_docs)]
                    $field: $ty
                ),* })?,
            )*
        }

        impl Rule {
            /// The code of every rule, in the order of the enum.
            pub const CODES: &'static [&'static str] = &[$($code),*];

            /// The stable code, such as `delta.truncated`.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code,)* }
            }
        }

        impl fmt::Display for Rule {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$name $({ $($field),* })? => write!(f, $($text),+),)*
                }
            }
        }
    };
}

rules! {
    /// Fewer bytes than a header has.
    Header { bytes: usize } = "delta.header",
        "the packet has {bytes} bytes, a header has {HEADER_BYTES}";
    /// The packet does not start with the magic number.
    Magic { found: u32 } = "delta.magic",
        "the packet starts with {found:#010x}, the magic number is {MAGIC:#010x}";
    /// A version other than 0.
    Version { found: u16 } = "delta.version",
        "wire version {found}; only version 0 can be read";
    /// Neither FULL nor DELTA, or both, or a reserved bit.
    Flags { found: u16 } = "delta.flags",
        "flags {found:#06x}: exactly one of FULL (1) and DELTA (2) must be set, and nothing else";
    /// The packet was made with another schema.
    SchemaHash { expected: u64, found: u64 } = "delta.schema-hash",
        "the packet's schema is {found:016x}, ours is {expected:016x}";
    /// A full snapshot with a baseline, or a delta without one.
    BaselineTick { full: bool, baseline: u32 } = "delta.baseline-tick",
        "{}", BaselineTickText { full: *full, baseline: *baseline };
    /// A delta that is not younger than its baseline.
    TickOrder { tick: u32, baseline: u32 } = "delta.tick-order",
        "tick {tick} is not after its baseline, tick {baseline}";
    /// The payload is longer or shorter than the header says.
    PayloadLength { claimed: u32, found: usize } = "delta.payload-length",
        "the header claims a payload of {claimed} bytes, {found} follow it";
    /// A limit is exceeded.
    Limit { limit: Limit, max: usize, found: usize } = "delta.limit",
        "{found} {limit}, the limit is {max}";
    /// A section tag that is not defined.
    UnknownSection { tag: u8 } = "delta.unknown-section",
        "section tag {tag} is not defined";
    /// A section that has no place in this kind of packet.
    UnexpectedSection { tag: Tag } = "delta.unexpected-section",
        "a full snapshot has no {tag} section";
    /// A section that was there already.
    DuplicateSection { tag: Tag } = "delta.duplicate-section",
        "a second {tag} section";
    /// A section claims more bytes than there are.
    SectionLength { tag: u8, claimed: u32, left: usize } = "delta.section-length",
        "section {tag} claims {claimed} bytes, {left} are left";
    /// A section claims more entities than its bytes can hold.
    Count { tag: Tag, claimed: u32, left: usize } = "delta.count",
        "the {tag} section claims {claimed} entities, {left} bytes are left";
    /// The bytes end before something does.
    Truncated { wanted: u32, left: usize } = "delta.truncated",
        "{wanted} bits are wanted, {left} are left";
    /// A varuint of more than 5 bytes or 32 bits.
    VaruintTooLong = "delta.varuint-too-long",
        "a varuint exceeds 5 bytes or 32 bits";
    /// A varuint that is longer than it need be. Lenient readers take it.
    VaruintNotMinimal = "delta.varuint-not-minimal",
        "a varuint is longer than its value needs";
    /// Padding that is not zero. Lenient readers take it.
    Padding { bits: u8 } = "delta.padding",
        "padding bits are {bits:#b}, not zero";
    /// Bytes behind the last entity of a section.
    TrailingData { tag: Tag, bytes: usize } = "delta.trailing-data",
        "{bytes} bytes follow the last entity of the {tag} section";
    /// Entities that are not in ascending order, or one that is there twice.
    EntityOrder { tag: Tag, previous: u32, entity: u32 } = "delta.entity-order",
        "entity {entity} follows entity {previous} in the {tag} section";
    /// An update of a component that names no field.
    EmptyFieldMask { entity: u32, component: u16 } = "delta.empty-field-mask",
        "entity {entity}, component {component}: the update names no field";
    /// A new component without all of its fields.
    MissingField { entity: u32, component: u16, field: u16 } = "delta.missing-field",
        "entity {entity}, component {component}: field {field} is missing from a new component";
    /// A value its codec can't hold.
    Value { entity: u32, component: u16, field: u16, code: u64, max: u64 } = "delta.value",
        "entity {entity}, component {component}, field {field}: the value is {code} above the smallest, {max} is the most";
    /// The state the delta is based on is not there.
    BaselineMissing { baseline: u32 } = "delta.baseline-missing",
        "the baseline, tick {baseline}, is not held";
    /// The state given is not the one the delta is based on.
    BaselineMismatch { expected: u32, found: u32 } = "delta.baseline-mismatch",
        "the packet's baseline is tick {found}, the state given is of tick {expected}";
    /// The state given is of another schema.
    BaselineSchema { expected: u64, found: u64 } = "delta.baseline-schema",
        "the state given has schema {found:016x}, ours is {expected:016x}";
    /// An entity to be destroyed or updated is not there.
    EntityNotFound { tag: Tag, entity: u32 } = "delta.entity-not-found",
        "{tag} of entity {entity}, which is not there";
    /// An entity to be created is there.
    EntityExists { entity: u32 } = "delta.entity-exists",
        "CREATE of entity {entity}, which is there already";
    /// A component to be updated is not there.
    ComponentNotFound { entity: u32, component: u16 } = "delta.component-not-found",
        "UPDATE of component {component} of entity {entity}, which does not have it";
    /// A full snapshot where a delta is wanted, or the other way round.
    Kind { full: bool } = "delta.kind",
        "the packet is a {}", if *full { "full snapshot, not a delta" } else { "delta, not a full snapshot" };
}

struct BaselineTickText {
    full: bool,
    baseline: u32,
}

impl fmt::Display for BaselineTickText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.full {
            write!(
                f,
                "a full snapshot with baseline tick {}, not 0",
                self.baseline
            )
        } else {
            f.write_str("a delta with baseline tick 0")
        }
    }
}

impl From<BitError> for Rule {
    fn from(error: BitError) -> Self {
        match error {
            BitError::Truncated { wanted, left } => Self::Truncated { wanted, left },
            BitError::VaruintTooLong => Self::VaruintTooLong,
            BitError::VaruintNotMinimal => Self::VaruintNotMinimal,
            BitError::Padding { bits } => Self::Padding { bits },
        }
    }
}

/// Why a packet could not be read or applied. Nothing of it was.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Error {
    /// The rule it breaks.
    pub rule: Rule,
    /// Where in the packet, in bytes.
    pub offset: usize,
}

impl Error {
    pub(crate) const fn new(rule: Rule, offset: usize) -> Self {
        Self { rule, offset }
    }

    /// The stable code, such as `delta.truncated`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.rule.code()
    }

    /// True where the packet ends too early: more bytes might mend it.
    #[must_use]
    pub const fn is_truncated(&self) -> bool {
        match self.rule {
            Rule::Header { .. }
            | Rule::SectionLength { .. }
            | Rule::Count { .. }
            | Rule::Truncated { .. } => true,
            Rule::PayloadLength { claimed, found } => claimed as usize > found,
            _ => false,
        }
    }

    /// True where a limit was reached: larger limits might mend it.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        matches!(self.rule, Rule::Limit { .. })
    }

    /// True where the packet may be right, but the receiver lacks what it builds on: a full
    /// snapshot mends it.
    #[must_use]
    pub const fn needs_full(&self) -> bool {
        matches!(
            self.rule,
            Rule::BaselineMissing { .. } | Rule::BaselineMismatch { .. }
        )
    }

    /// Where in the packet, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.rule)
    }
}

impl core::error::Error for Error {}

/// Why a state can't be written as a packet. The caller's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// A state of another schema.
    Schema {
        /// The encoder's.
        expected: u64,
        /// The state's.
        found: u64,
    },
    /// A baseline of tick 0, which no decoder takes.
    BaselineZero,
    /// A state that is not younger than its baseline.
    TickOrder {
        /// The state's tick.
        tick: u32,
        /// The baseline's.
        baseline: u32,
    },
    /// A limit is exceeded; the receiver would refuse the packet.
    Limit {
        /// Which.
        limit: Limit,
        /// Its value.
        max: usize,
        /// What there is.
        found: usize,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema { expected, found } => write!(
                f,
                "the state has schema {found:016x}, the encoder {expected:016x}"
            ),
            Self::BaselineZero => {
                f.write_str("the baseline is of tick 0, which means \"no baseline\"")
            }
            Self::TickOrder { tick, baseline } => {
                write!(f, "tick {tick} is not after its baseline, tick {baseline}")
            }
            Self::Limit { limit, max, found } => {
                write!(f, "{found} {limit}, the limit is {max}")
            }
        }
    }
}

impl core::error::Error for EncodeError {}
