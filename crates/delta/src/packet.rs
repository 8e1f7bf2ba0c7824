//! Packets as plain data: to look at them, to keep them, to write them by hand.

use alloc::vec::Vec;

use crate::apply::Decoder;
use crate::bits::BitWriter;
use crate::encode::{Encoder, write_code, write_mask};
use crate::error::ValueError;
use crate::limits::ReadOptions;
use crate::rule::Error;
use crate::schema::{Schema, full_mask};
use crate::value::Value;
use crate::walk::Visit;
use crate::wire::{Header, Tag, push_section};

/// A packet, decoded without a state.
///
/// [`Decoder::packet`] reads one, [`Encoder::packet`] writes it back: the same bytes for all that
/// a strict decoder takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// The 28 bytes before the sections: kind, schema, tick and baseline.
    pub header: Header,
    /// In the order of the packet.
    pub sections: Vec<Section>,
}

/// One section of a [`Packet`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Section {
    /// What it does.
    pub tag: Tag,
    /// To which entities.
    pub entities: Vec<EntityChange>,
}

/// What a packet says of one entity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityChange {
    /// The number that stands for the entity as long as it lives.
    pub id: u32,
    /// Components that are created or updated, in the order of the schema.
    pub components: Vec<ComponentChange>,
}

/// What a packet says of one component of an entity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComponentChange {
    /// Id of the component in the schema, not its place there.
    pub id: u16,
    /// Ids and new values of its fields, in the order of the schema.
    pub fields: Vec<(u16, Value)>,
}

struct Collect<'a> {
    decoder: &'a Decoder,
    sections: Vec<Section>,
    /// Entities behind this one are not wanted.
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
    /// Reads a packet without a state; whether it can be applied is not checked.
    pub fn packet(&self, packet: &[u8]) -> Result<Packet, Error> {
        self.packet_upto(packet, u32::MAX)
    }

    /// [`Decoder::packet`], with the entities up to this one alone: those behind it are not read, and
    /// nothing is said of what is wrong with them.
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

/// Why a [`Packet`] can't be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PacketError {
    /// A component, field or value the schema does not have.
    #[error("{0}")]
    Value(#[from] ValueError),
    /// What it says breaks a rule of the wire, or exceeds a limit: no decoder would take it.
    #[error("{0}")]
    Rule(Error),
    /// Components or fields that are not in the order of the schema, or there twice, or those of
    /// an entity that is destroyed: the wire can't say it.
    #[error("components or fields are not in the order of the schema, or are there twice")]
    Order,
}

impl Encoder {
    /// Writes a packet to `bytes`, whatever that held. It is read back before it is given out: an
    /// error if a strict decoder would not take it.
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
        // Reading it back checks order, masks, kinds of sections and limits in one place.
        let decoder =
            Decoder::with_options(&schema, ReadOptions::strict().limits(self.limits_of()));
        let read = decoder.packet(bytes).map_err(PacketError::Rule)?;
        // Masks have no order: what stands in another one is written as something else.
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
