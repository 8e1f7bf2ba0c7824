//! The parts of a packet with their sizes: by entity and component, and all that belongs to none.

use crate::apply::Decoder;
use crate::rule::Error;
use crate::walk::Visit;
use crate::wire::{HEADER_BYTES, Header, Tag};

/// The purpose of some bits of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Share {
    /// The header of the packet.
    Header,
    /// Tag, length and count of a section.
    Framing(Tag),
    /// The id of an entity and the mask of its components; of a destroyed entity the id alone.
    Entity {
        /// The section.
        tag: Tag,
        /// The id of the entity.
        entity: u32,
    },
    /// A component of an entity: the mask of its fields, and their values.
    Component {
        /// The section.
        tag: Tag,
        /// The id of the entity.
        entity: u32,
        /// The index of the component in the schema.
        component: usize,
    },
    /// The padding at the end of a section.
    Padding(Tag),
}

impl Share {
    /// Returns the section; `None` for the header.
    #[must_use]
    pub const fn tag(self) -> Option<Tag> {
        match self {
            Self::Header => None,
            Self::Framing(tag)
            | Self::Padding(tag)
            | Self::Entity { tag, .. }
            | Self::Component { tag, .. } => Some(tag),
        }
    }
}

impl Decoder {
    /// Passes the parts of a packet to `each`, in their order, with their sizes in bits. The sizes
    /// add up to that of the packet; a section without padding has no such part. A packet that
    /// cannot be read to its end gives the parts before the error.
    ///
    /// ```
    /// # use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Share, Snapshot, Value};
    /// # let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
    /// let mut state = Snapshot::new(&schema, 1);
    /// state.insert(9)?.set(1, &[Value::UInt(100)])?;
    /// let mut packet = Vec::new();
    /// Encoder::new(&schema).full(&state, &mut packet)?;
    ///
    /// let mut bits = 0;
    /// Decoder::new(&schema).shares(&packet, |share, size| {
    ///     bits += size;
    ///     if let Share::Component { entity, component, .. } = share {
    ///         // A mask of one bit, and 7 bits of its value.
    ///         assert_eq!((entity, component, size), (9, 0, 8));
    ///     }
    /// })?;
    /// assert_eq!(bits, 8 * packet.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shares(&self, packet: &[u8], each: impl FnMut(Share, usize)) -> Result<Header, Error> {
        let mut sharing = Sharing {
            each,
            tag: Tag::Create,
            entity: 0,
            pending: None,
        };
        // The header is there where the rest cannot be read.
        Header::read(packet)?;
        (sharing.each)(Share::Header, HEADER_BYTES * 8);
        let walked = self.walk(packet, &mut sharing);
        sharing.settle();
        walked
    }
}

/// Adds up the parts that belong together.
struct Sharing<F> {
    each: F,
    tag: Tag,
    entity: u32,
    /// A component whose values are still being read.
    pending: Option<(usize, usize)>,
}

impl<F: FnMut(Share, usize)> Sharing<F> {
    fn settle(&mut self) {
        if let Some((component, bits)) = self.pending.take() {
            let share = Share::Component {
                tag: self.tag,
                entity: self.entity,
                component,
            };
            (self.each)(share, bits);
        }
    }

    fn give(&mut self, share: Share, bits: usize) {
        self.settle();
        (self.each)(share, bits);
    }
}

impl<F: FnMut(Share, usize)> Visit for Sharing<F> {
    fn section(&mut self, tag: Tag, framing_bytes: usize) {
        self.give(Share::Framing(tag), framing_bytes * 8);
        self.tag = tag;
    }

    fn entity(&mut self, tag: Tag, entity: u32, bits: usize) {
        self.give(Share::Entity { tag, entity }, bits);
        self.entity = entity;
    }

    fn component(&mut self, component: usize, bits: usize) {
        self.settle();
        self.pending = Some((component, bits));
    }

    fn field(&mut self, _component: usize, _field: usize, _code: u64, bits: usize) {
        if let Some((_, sum)) = &mut self.pending {
            *sum += bits;
        }
    }

    fn end(&mut self, bits: usize) {
        self.settle();
        if bits > 0 {
            (self.each)(Share::Padding(self.tag), bits);
        }
    }
}
