//! Statistics on the use of bytes in packets.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::iter::Sum;

use crate::decode::Decoder;
use crate::packet::Visit;
use crate::rule::Error;
use crate::schema::{Component, Schema};
use crate::wire::{HEADER_BYTES, Header, Tag};

/// The number and the size of items of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Size {
    /// The number of items.
    pub count: u64,
    /// The total size in bits, including the padding before each item.
    pub bits: u64,
}

impl Size {
    fn add(&mut self, bits: usize) {
        self.count += 1;
        self.bits += bits as u64;
    }
}

impl Sum for Size {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, size| Self {
            count: sum.count + size.count,
            bits: sum.bits + size.bits,
        })
    }
}

/// The size of a component.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentSize {
    /// The id of the component in the schema.
    pub id: u16,
    /// The field masks.
    pub masks: Size,
    /// The ids of the fields, and the sizes of their values.
    pub fields: Vec<(u16, Size)>,
}

impl ComponentSize {
    /// Returns the size of masks and values together, in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.masks.bits + self.fields.iter().map(|(_, size)| size.bits).sum::<u64>()
    }
}

/// The use of bytes in packets. Every bit is counted once by kind; the bits of entities are also
/// counted by entity.
///
/// The total is `headers + framing + entity heads + components + padding`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Whole packets, including headers.
    pub packets: Size,
    /// Headers, 28 bytes each.
    pub headers: Size,
    /// Tags, lengths and counts of sections.
    pub framing: Size,
    /// Ids and component masks of entities, by section: create, destroy, update.
    pub entity_heads: [Size; 3],
    /// Whole sections: create, destroy, update.
    pub sections: [Size; 3],
    /// Components, in the order of the schema.
    pub components: Vec<ComponentSize>,
    /// The padding at the end of sections.
    pub padding: Size,
    /// The size of each entity: head, masks and values.
    pub entities: BTreeMap<u32, Size>,
    /// The section and the entity of the parts that follow.
    section: usize,
    entity: u32,
}

impl Sizes {
    /// Creates statistics without packets.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        let component = |component: &Component| ComponentSize {
            id: component.id,
            masks: Size::default(),
            fields: component
                .fields
                .iter()
                .map(|field| (field.id, Size::default()))
                .collect(),
        };
        Self {
            packets: Size::default(),
            headers: Size::default(),
            framing: Size::default(),
            entity_heads: [Size::default(); 3],
            sections: [Size::default(); 3],
            components: schema.components().iter().map(component).collect(),
            padding: Size::default(),
            entities: BTreeMap::new(),
            section: 0,
            entity: 0,
        }
    }

    /// Adds a packet. A packet that cannot be read changes nothing.
    pub fn add(&mut self, decoder: &Decoder, packet: &[u8]) -> Result<Header, Error> {
        struct Check;
        impl Visit for Check {}
        decoder.walk(packet, &mut Check)?;
        let header = decoder.walk(packet, self)?;
        self.packets.add(packet.len() * 8);
        self.headers.add(HEADER_BYTES * 8);
        Ok(header)
    }

    /// Returns the size of all sections with this tag.
    #[must_use]
    pub fn section(&self, tag: Tag) -> Size {
        let at = tag as usize - 1;
        self.sections.get(at).copied().unwrap_or_default()
    }

    fn within(&mut self, bits: usize) {
        if let Some(section) = self.sections.get_mut(self.section) {
            section.bits += bits as u64;
        }
    }

    fn of_entity(&mut self, bits: usize) {
        self.within(bits);
        if let Some(entity) = self.entities.get_mut(&self.entity) {
            entity.bits += bits as u64;
        }
    }
}

impl Visit for Sizes {
    fn section(&mut self, tag: Tag, framing_bytes: usize) {
        self.section = tag as usize - 1;
        self.framing.add(framing_bytes * 8);
        if let Some(section) = self.sections.get_mut(self.section) {
            section.add(framing_bytes * 8);
        }
    }

    fn entity(&mut self, _tag: Tag, id: u32, bits: usize) {
        self.entity = id;
        self.entities.entry(id).or_default().count += 1;
        self.of_entity(bits);
        if let Some(heads) = self.entity_heads.get_mut(self.section) {
            heads.add(bits);
        }
    }

    fn component(&mut self, component: usize, bits: usize) {
        self.of_entity(bits);
        if let Some(component) = self.components.get_mut(component) {
            component.masks.add(bits);
        }
    }

    fn field(&mut self, component: usize, field: usize, _code: u64, bits: usize) {
        self.of_entity(bits);
        let component = self.components.get_mut(component);
        if let Some((_, size)) = component.and_then(|c| c.fields.get_mut(field)) {
            size.add(bits);
        }
    }

    fn end(&mut self, bits: usize) {
        self.within(bits);
        self.padding.add(bits);
    }
}

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
