//! Packets as plain data, to inspect, store or construct them.

use alloc::vec::Vec;

use crate::apply::Decoder;
use crate::bits::BitWriter;
use crate::encode::Encoder;
use crate::entity::{write_code, write_mask};
use crate::error::ValueError;
use crate::limits::ReadOptions;
use crate::rule::Error;
use crate::schema::{Schema, full_mask};
use crate::value::Value;
use crate::walk::Visit;
use crate::wire::{Header, Tag, push_section};

/// A packet, decoded without a state.
///
/// [`Decoder::packet`] reads one and [`Encoder::packet`] writes it back. For packets that a strict
/// decoder accepts, the bytes are the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The header: kind, schema, tick and baseline.
    pub header: Header,
    /// The sections, in the order of the packet.
    pub sections: Vec<Section>,
}

/// One section of a [`Packet`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// The kind of the section.
    pub tag: Tag,
    /// The entities in the section.
    pub entities: Vec<EntityChange>,
}

/// The changes of one entity in a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityChange {
    /// The id of the entity.
    pub id: u32,
    /// The created or updated components, in the order of the schema.
    pub components: Vec<ComponentChange>,
}

/// The changes of one component of an entity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentChange {
    /// The id of the component, which is not its index in the schema.
    pub id: u16,
    /// The ids and new values of its fields, in the order of the schema.
    pub fields: Vec<(u16, Value)>,
}

struct Collect<'a> {
    decoder: &'a Decoder,
    sections: Vec<Section>,
    /// Entities after this id are skipped.
    last: u32,
}

impl Collect<'_> {
    fn entity_mut(&mut self) -> Option<&mut EntityChange> {
        self.sections.last_mut()?.entities.last_mut()
    }
}

impl Visit for Collect<'_> {
    fn section(&mut self, tag: Tag, _framing_bytes: usize) {
        let entities = Vec::new();
        self.sections.push(Section { tag, entities });
    }

    fn wants(&self, id: u32) -> bool {
        id <= self.last
    }

    fn entity(&mut self, _tag: Tag, id: u32, _bits: usize) {
        if let Some(section) = self.sections.last_mut() {
            let components = Vec::new();
            section.entities.push(EntityChange { id, components });
        }
    }

    fn component(&mut self, component: usize, _bits: usize) {
        let id = self.decoder.component_id(component);
        let fields = Vec::new();
        if let Some(entity) = self.entity_mut() {
            entity.components.push(ComponentChange { id, fields });
        }
    }

    fn field(&mut self, component: usize, field: usize, code: u64, _bits: usize) {
        let (_, id) = self.decoder.ids(component, field);
        let plan = self.decoder.schema().layout().fields(component).get(field);
        let value = plan.map(|plan| plan.value(code));
        let component = self
            .entity_mut()
            .and_then(|entity| entity.components.last_mut());
        if let (Some(component), Some(value)) = (component, value) {
            component.fields.push((id, value));
        }
    }
}

impl Decoder {
    /// Reads a packet without a state. Whether it can be applied is not checked.
    pub fn packet(&self, packet: &[u8]) -> Result<Packet, Error> {
        self.packet_upto(packet, u32::MAX)
    }

    /// Like [`Decoder::packet`], but only with the entities up to this id. Later entities are not
    /// read, so their errors are not found.
    pub fn packet_upto(&self, packet: &[u8], last: u32) -> Result<Packet, Error> {
        let mut collect = Collect {
            decoder: self,
            sections: Vec::new(),
            last,
        };
        let header = self.walk(packet, &mut collect)?;
        Ok(Packet {
            header,
            sections: collect.sections,
        })
    }
}

/// Why a [`Packet`] cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// A component, field or value that the schema does not have.
    #[error("{0}")]
    Value(#[from] ValueError),
    /// The packet breaks a rule of the wire or exceeds a limit, so no decoder would accept it.
    #[error("{0}")]
    Rule(Error),
    /// The wire cannot represent the packet: components or fields are out of order or duplicated,
    /// or a destroyed entity has components.
    #[error("components or fields are not in the order of the schema, or are there twice")]
    Order,
}

impl Encoder {
    /// Writes a packet to `bytes`, replacing the content. The result is read back, and an error is
    /// returned if a strict decoder would not accept it.
    pub fn packet(&mut self, packet: &Packet, bytes: &mut Vec<u8>) -> Result<(), PacketError> {
        let result = self.try_packet(packet, bytes);
        if result.is_err() {
            bytes.clear();
        }
        result
    }

    fn try_packet(&mut self, packet: &Packet, bytes: &mut Vec<u8>) -> Result<(), PacketError> {
        let schema = self.schema().clone();
        let sections = self.begin_packet(bytes);
        for section in &packet.sections {
            sections.clear();
            for entity in &section.entities {
                sections.push(|bits| {
                    bits.u32(entity.id);
                    if section.tag == Tag::Destroy {
                        return Ok(());
                    }
                    let mut mask = 0;
                    for part in &entity.components {
                        let component = part.id;
                        let (at, _) = schema
                            .component(component)
                            .ok_or(ValueError::UnknownComponent { component })?;
                        mask |= 1 << at;
                    }
                    bits.burst(|bits| write_mask(bits, mask, schema.components().len()));
                    for part in &entity.components {
                        write_part(&schema, part, bits)?;
                    }
                    Ok::<(), PacketError>(())
                })?;
            }
            let (count, body) = sections.finish();
            push_section(bytes, section.tag, count, body);
        }
        packet.header.write(bytes);
        // Reading the packet back checks order, masks, kinds of sections and limits in one place.
        let decoder =
            Decoder::with_options(&schema, ReadOptions::strict().limits(self.limits_of()));
        let read = decoder.packet(bytes).map_err(PacketError::Rule)?;
        // Masks have no order, so items out of order come back in another order.
        if &read != packet {
            return Err(PacketError::Order);
        }
        Ok(())
    }
}

fn write_part(
    schema: &Schema,
    part: &ComponentChange,
    bits: &mut BitWriter,
) -> Result<(), PacketError> {
    let component = part.id;
    let (at, definition) = schema
        .component(component)
        .ok_or(ValueError::UnknownComponent { component })?;
    let plans = schema.layout().fields(at);
    let mut mask = 0;
    for &(field, _) in &part.fields {
        let at = definition.fields.iter().position(|f| f.id == field);
        mask |= 1 << at.ok_or(ValueError::UnknownField { component, field })?;
    }
    debug_assert!(mask & !full_mask(plans.len()) == 0);
    bits.burst(|bits| write_mask(bits, mask, plans.len()));
    for &(field, value) in &part.fields {
        let at = definition.fields.iter().position(|f| f.id == field);
        if let Some((at, plan)) = at.and_then(|at| Some((at, plans.get(at)?))) {
            let code = plan.code(definition, at, value)?;
            bits.burst(|bits| write_code(bits, plan, code));
        }
    }
    Ok(())
}
