//! Where the bytes of packets go.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::apply::Decoder;
use crate::rule::Error;
use crate::schema::{Component, Schema};
use crate::walk::Visit;
use crate::wire::{HEADER_BYTES, Header, Tag};

/// What one kind of thing takes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Size {
    /// How often it was there.
    pub count: u64,
    /// Bits of all of them, padding before them included.
    pub bits: u64,
}

impl Size {
    fn add(&mut self, bits: usize) {
        self.count += 1;
        self.bits += bits as u64;
    }
}

/// What a component takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentSize {
    /// Id of the component in the schema.
    pub id: u16,
    /// Its field masks.
    pub masks: Size,
    /// Ids of its fields, and what their values take.
    pub fields: Vec<(u16, Size)>,
}

impl ComponentSize {
    /// Masks and values together, in bits.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.masks.bits + self.fields.iter().map(|(_, size)| size.bits).sum::<u64>()
    }
}

/// Where the bytes of packets went: every bit is counted once by kind, and once by entity.
///
/// `headers + framing + entity heads + components + padding` is all there is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Whole packets, headers included.
    pub packets: Size,
    /// The fixed headers, 28 bytes each.
    pub headers: Size,
    /// Tags, lengths and counts of sections.
    pub framing: Size,
    /// Ids and component masks of entities, by section: create, destroy, update.
    pub entity_heads: [Size; 3],
    /// Sections, whole: create, destroy, update.
    pub sections: [Size; 3],
    /// Components, in the order of the schema.
    pub components: Vec<ComponentSize>,
    /// Padding at the end of sections.
    pub padding: Size,
    /// What each entity takes: head, masks and values.
    pub entities: BTreeMap<u32, Size>,
    /// Where the parts that follow belong.
    section: usize,
    entity: u32,
}

impl Sizes {
    /// Of no packet yet.
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

    /// Adds a packet. One that can't be read adds nothing.
    pub fn add(&mut self, decoder: &Decoder, packet: &[u8]) -> Result<Header, Error> {
        struct Check;
        impl Visit for Check {}
        decoder.walk(packet, &mut Check)?;
        let header = decoder.walk(packet, self)?;
        self.packets.add(packet.len() * 8);
        self.headers.add(HEADER_BYTES * 8);
        Ok(header)
    }

    /// Of the section of this tag.
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
