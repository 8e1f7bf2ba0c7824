//! Packets as plain data, to inspect, store or construct them.

use alloc::vec::Vec;

use crate::bits::BitWriter;
use crate::decode::Decoder;
use crate::decode::body::Body;
use crate::encode::Encoder;
use crate::encode::entity::{write_code, write_mask};
use crate::error::ValueError;
use crate::limits::ReadOptions;
use crate::rule::Error;
use crate::schema::{Schema, Value, full_mask, ones};
use crate::wire::{HEADER_BYTES, Header, RawSection, Tag, push_section};

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

/// Receives each part of a packet in order, with its size in bits.
pub(crate) trait Visit {
    fn section(&mut self, _tag: Tag, _framing_bytes: usize) {}
    /// Returns whether to read an entity. If not, the entities after it (with larger ids) are
    /// skipped too.
    fn wants(&self, _id: u32) -> bool {
        true
    }
    /// An entity's id and component mask, with the padding before them.
    fn entity(&mut self, _tag: Tag, _id: u32, _bits: usize) {}
    /// A field mask.
    fn component(&mut self, _component: usize, _bits: usize) {}
    /// The code of a value, with the padding before it.
    fn field(&mut self, _component: usize, _field: usize, _code: u64, _bits: usize) {}
    /// The padding at the end of a section.
    fn end(&mut self, _bits: usize) {}
}

impl Decoder {
    pub(crate) fn walk(&self, packet: &[u8], visit: &mut impl Visit) -> Result<Header, Error> {
        let frame = self.frame(packet)?;
        let mut at = HEADER_BYTES;
        for section in frame.sections() {
            self.walk_section(section, section.offset - at, visit)?;
            at = section.offset + section.body.len();
        }
        Ok(frame.header)
    }

    fn walk_section(
        &self,
        section: RawSection<'_>,
        framing: usize,
        visit: &mut impl Visit,
    ) -> Result<(), Error> {
        let layout = self.schema().layout();
        let mut body = Body::new(section, self.strict, &self.limits)?;
        visit.section(section.tag, framing + body.position() / 8);
        let mut at = body.position();
        let mut took = |body: &Body<'_>| {
            let bits = body.position() - at;
            at = body.position();
            bits
        };
        while let Some(entity) = body.next_id()? {
            if !visit.wants(entity) {
                return Ok(());
            }
            if section.tag == Tag::Destroy {
                visit.entity(section.tag, entity, took(&body));
                continue;
            }
            let mask = body.mask(layout.components())?;
            visit.entity(section.tag, entity, took(&body));
            for component in ones(mask) {
                let plans = layout.fields(component);
                let fields = if section.tag == Tag::Create {
                    body.create_mask(plans.len(), entity, |field| self.ids(component, field))?;
                    full_mask(plans.len())
                } else {
                    body.update_mask(plans.len(), entity, || self.component_id(component))?
                };
                visit.component(component, took(&body));
                for (field, plan) in plans.iter().enumerate() {
                    if fields >> field & 1 == 1 {
                        let code = body.code(plan, entity, || self.ids(component, field))?;
                        visit.field(component, field, code, took(&body));
                    }
                }
            }
        }
        visit.end(took(&body));
        Ok(())
    }
}
