//! The rules that packets can break, and the error that names a broken rule and its offset.

use core::fmt;

use gametape_core::text::{Bytes, Grouped, Hash, Left};
use gametape_core::{Class, Coded, Rule as _};

use crate::bits::BitError;
use crate::limits::Limit;
use crate::wire::{HEADER_BYTES, MAGIC, Tag};

gametape_core::rules! {
    /// One rule of the wire with the numbers that break it.
    #[derive(Copy, Eq, Hash)]
    pub enum Rule: "packet";

    /// Fewer than 28 bytes.
    ///
    /// The packet was cut, or something else was sent to this port.
    #[error("the packet has {}, a header has {HEADER_BYTES}", Bytes(*.bytes as u64))]
    Header { bytes: usize } = "delta.header", Error, Truncated;
    /// It does not start with `CEDS`.
    ///
    /// It is not a packet of this wire.
    #[error("the packet starts with {found:#010x}, the magic number is {MAGIC:#010x}")]
    Magic { found: u32 } = "delta.magic", Error;
    /// A version other than 0.
    ///
    /// Both sides have to speak version 0; `sdec-codec` 0.6 and later do not.
    #[error("wire version {found}; only version 0 can be read")]
    Version { found: u16 } = "delta.version", Error;
    /// Neither FULL nor DELTA, both, or a bit that is not defined.
    ///
    /// Damaged, or of a later version.
    #[error("flags {found:#06x}: exactly one of FULL (1) and DELTA (2) must be set, and nothing else")]
    Flags { found: u16 } = "delta.flags", Error;
    /// Made with another schema.
    ///
    /// Give both sides one schema; `gametape schema` [compares two](captures.md#schemas).
    #[error("the packet's schema is {found}, ours is {expected}")]
    SchemaHash { expected: Hash, found: Hash } = "delta.schema-hash", Error;
    /// A FULL with a baseline, or a DELTA on tick 0.
    ///
    /// A fault of the encoder: the origin's takes a baseline of tick 0. Begin with tick 1.
    #[error("{}", baseline_tick(*.full, *.baseline))]
    BaselineTick { full: bool, baseline: u32 } = "delta.baseline-tick", Error;
    /// A DELTA that is not after its baseline; lenient decoders take it.
    ///
    /// The sender's baseline is from its future: a wrong tick, or one that wrapped around.
    #[error("tick {} is not after its baseline, tick {}", Grouped((*.tick).into()), Grouped((*.baseline).into()))]
    TickOrder { tick: u32, baseline: u32 } = "delta.tick-order", Error;
    /// More or fewer bytes follow than the header says.
    ///
    /// Cut, or two packets in one datagram.
    #[error("the header claims a payload of {}, {} follow it", Bytes((*.claimed).into()), Grouped(*.found as u64))]
    PayloadLength { claimed: u32, found: usize } = "delta.payload-length", Error;
    /// More than a limit allows; the sentence names both numbers.
    ///
    /// If the sender may do that: the same, larger `Limits` on both sides.
    #[error("{} {limit}, the limit is {}", Grouped(*.found as u64), Grouped(*.max as u64))]
    Limit { limit: Limit, max: usize, found: usize } = "delta.limit", Error, Limit;
    /// A tag other than 1, 2, 3.
    ///
    /// Damaged, or of a later version.
    #[error("section tag {tag} is not defined")]
    UnknownSection { tag: u8 } = "delta.unknown-section", Error;
    /// UPDATE or DESTROY in a FULL.
    ///
    /// A fault of the encoder: put all entities into CREATE.
    #[error("a full snapshot has no {tag} section")]
    UnexpectedSection { tag: Tag } = "delta.unexpected-section", Error;
    /// The packet has the same section twice.
    ///
    /// A fault of the encoder: put all entities of one kind into one section.
    #[error("a second {tag} section")]
    DuplicateSection { tag: Tag } = "delta.duplicate-section", Error;
    /// A section claims more bytes than are left.
    ///
    /// Damaged or cut.
    #[error("section {tag} claims {}, {}", Bytes((*.claimed).into()), Left(*.left as u64))]
    SectionLength { tag: u8, claimed: u32, left: usize } = "delta.section-length", Error, Truncated;
    /// A section claims more entities than its bytes can hold.
    ///
    /// Damaged or cut.
    #[error("the {tag} section claims {} entities in {}", Grouped((*.claimed).into()), Bytes(*.left as u64))]
    Count { tag: Tag, claimed: u32, left: usize } = "delta.count", Error, Truncated;
    /// The bytes end in the middle of something.
    ///
    /// Damaged or cut; or the schema is not the sender's, although its hash is the same.
    #[error("{wanted} bits are wanted, {}", Left(*.left as u64))]
    Truncated { wanted: u32, left: usize } = "delta.truncated", Error, Truncated;
    /// A varuint of more than 5 bytes or 32 bits.
    ///
    /// Damaged.
    #[error("a varuint exceeds 5 bytes or 32 bits")]
    VaruintTooLong = "delta.varuint-too-long", Error;
    /// A varuint longer than its value needs; lenient decoders take it.
    ///
    /// Harmless, but no encoder known does so: find out which one did.
    #[error("a varuint is longer than its value needs")]
    VaruintNotMinimal = "delta.varuint-not-minimal", Warning;
    /// Padding bits are not zero; lenient decoders take them.
    ///
    /// Harmless, but no encoder known does so. Often a flipped bit.
    #[error("padding bits are {bits:#b}, not zero")]
    Padding { bits: u8 } = "delta.padding", Warning;
    /// Bytes follow the last entity of a section.
    ///
    /// Damaged: a count or a mask lost a bit.
    #[error("{} after the last entity of the {tag} section", Bytes(*.bytes as u64))]
    TrailingData { tag: Tag, bytes: usize } = "delta.trailing-data", Error;
    /// Ids do not ascend, or one occurs twice.
    ///
    /// A fault of the encoder: sort.
    #[error("entity {entity} follows entity {previous} in the {tag} section")]
    EntityOrder { tag: Tag, previous: u32, entity: u32 } = "delta.entity-order", Error;
    /// An UPDATE names a component and no field of it.
    ///
    /// A fault of the encoder: leave the component out.
    #[error("entity {entity}, component {component}: the update names no field")]
    EmptyFieldMask { entity: u32, component: u16 } = "delta.empty-field-mask", Error;
    /// A new component without all of its fields.
    ///
    /// A fault of the encoder: CREATE has them all.
    #[error("entity {entity}, component {component}: field {field} is missing from a new component")]
    MissingField { entity: u32, component: u16, field: u16 } = "delta.missing-field", Error;
    /// A fixed-point value above its largest.
    ///
    /// Damaged; or the encoder does not check bounds.
    #[error("entity {entity}, component {component}, field {field}: the value is {code} above the smallest, {max} is the most")]
    Value { entity: u32, component: u16, field: u16, code: u64, max: u64 } = "delta.value", Error;
    /// The state that the packet builds on is not stored.
    ///
    /// Live: ask for a full snapshot (`needs_full`). In a recording: a packet before it is missing.
    #[error("the baseline, tick {}, is not held", Grouped((*.baseline).into()))]
    BaselineMissing { baseline: u32 } = "delta.baseline-missing", Error;
    /// The packet was applied to the state of another tick.
    ///
    /// Look the state up by the baseline tick in the packet's header; if it is not stored, ask for a
    /// full snapshot.
    #[error("the packet's baseline is tick {}, the state given is of tick {}", Grouped((*.found).into()), Grouped((*.expected).into()))]
    BaselineMismatch { expected: u32, found: u32 } = "delta.baseline-mismatch", Error;
    /// The packet was applied to a state of another schema.
    ///
    /// A mistake of the caller.
    #[error("the state given has schema {found}, ours is {expected}")]
    BaselineSchema { expected: Hash, found: Hash } = "delta.baseline-schema", Error;
    /// The packet destroys or updates an entity that does not exist.
    ///
    /// The sender's baseline is not what the receiver holds: it assumed that a packet had arrived,
    /// or forgot to settle. Look at the packet before.
    #[error("{tag} of entity {entity}, which is not there")]
    EntityNotFound { tag: Tag, entity: u32 } = "delta.entity-not-found", Error;
    /// The packet creates an entity that exists already.
    ///
    /// The sender's baseline is not what the receiver holds; or an id was reused too soon.
    #[error("CREATE of entity {entity}, which is there already")]
    EntityExists { entity: u32 } = "delta.entity-exists", Error;
    /// The packet updates a component that the entity does not have.
    ///
    /// The sender's baseline is not what the receiver holds. A new component is sent
    /// as [destroy and create](format.md#a-component-that-comes-or-goes).
    #[error("UPDATE of component {component} of entity {entity}, which does not have it")]
    ComponentNotFound { entity: u32, component: u16 } = "delta.component-not-found", Error;
    /// A FULL where a DELTA is wanted, or the other way round.
    ///
    /// A mistake of the caller: look at `Decoder::header` first.
    #[error("the packet is a {}", if *.full { "full snapshot, not a delta" } else { "delta, not a full snapshot" })]
    Kind { full: bool } = "delta.kind", Error;
}

fn baseline_tick(full: bool, baseline: u32) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        if full {
            let baseline = Grouped(baseline.into());
            write!(f, "a full snapshot with baseline tick {baseline}, not 0")
        } else {
            f.write_str("a delta with baseline tick 0")
        }
    })
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

/// Why a packet could not be read or applied. The state is unchanged or empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[error("byte {}: {rule}", Grouped(*.offset as u64))]
pub struct Error {
    /// The broken rule.
    pub rule: Rule,
    /// The offset in the packet, in bytes.
    pub offset: usize,
}

impl Error {
    pub(crate) const fn new(rule: Rule, offset: usize) -> Self {
        Self { rule, offset }
    }

    /// Returns the stable code, such as `delta.truncated`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.rule.code()
    }

    /// Returns true if the packet ends too early, so that more bytes might fix it.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        Coded::is_truncated(self)
    }

    /// Returns true if a limit was exceeded, so that larger limits might fix it.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        Coded::is_limit(self)
    }

    /// Returns true if the packet may be valid but the receiver lacks its baseline. A full snapshot
    /// fixes this.
    #[must_use]
    pub const fn needs_full(&self) -> bool {
        matches!(
            self.rule,
            Rule::BaselineMissing { .. } | Rule::BaselineMismatch { .. }
        )
    }

    /// Returns the offset in the packet, in bytes.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        self.code()
    }

    fn class(&self) -> Class {
        match self.rule {
            // The packet is shorter than its header says; the rest may still arrive.
            Rule::PayloadLength { claimed, found } if claimed as usize > found => Class::Truncated,
            rule => rule.class(),
        }
    }

    fn offset(&self) -> Option<u64> {
        Some(self.offset as u64)
    }
}
