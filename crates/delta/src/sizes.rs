//! Statistics on the use of bytes in packets.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::apply::Decoder;
use crate::rule::Error;
use crate::schema::{Component, Schema};
use crate::walk::Visit;
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
