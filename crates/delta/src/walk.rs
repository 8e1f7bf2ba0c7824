//! Visiting the parts of a packet without a state.

use crate::apply::Decoder;
use crate::body::Body;
use crate::rule::Error;
use crate::schema::{full_mask, ones};
use crate::wire::{HEADER_BYTES, Header, Section, Tag};

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
        section: Section<'_>,
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
