//! Reads the entities of a section, bit by bit; used by everything that reads packets.

use crate::bits::{BitError, BitReader};
use crate::limits::{Limit, Limits};
use crate::rule::{Error, Rule};
use crate::schema::{Form, Layout, Plan, full_mask, unzigzag};
use crate::wire::{RawSection, Tag};

/// Reads the body of a section.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    bits: BitReader<'a>,
    tag: Tag,
    /// The offset of the body in the packet.
    offset: usize,
    /// The number of entities still to come.
    left: u32,
    previous: Option<u32>,
}

impl<'a> Body<'a> {
    /// Creates a reader, after checking the count against the limits and the available bytes.
    pub fn new(section: RawSection<'a>, strict: bool, limits: &Limits) -> Result<Self, Error> {
        let bits = if strict {
            BitReader::new(section.body)
        } else {
            BitReader::lenient(section.body)
        };
        let mut body = Self {
            bits,
            tag: section.tag,
            offset: section.offset,
            left: 0,
            previous: None,
        };
        let count = body.bits.varuint().map_err(|error| body.bit_error(error))?;
        let (limit, max) = match section.tag {
            Tag::Create => (Limit::Creates, limits.max_entities_create),
            Tag::Destroy => (Limit::Destroys, limits.max_entities_destroy),
            Tag::Update => (Limit::Updates, limits.max_entities_update),
        };
        let found = count as usize;
        if found > max {
            return Err(body.error(Rule::Limit { limit, max, found }));
        }
        let left = body.bits.left() / 8;
        // Each entity has an id of 4 bytes.
        if found > left / 4 {
            return Err(body.error(Rule::Count {
                tag: section.tag,
                claimed: count,
                left,
            }));
        }
        body.left = count;
        Ok(body)
    }

    /// Returns an error at the next byte.
    // The cold part does not take `&self`, so that the fields can stay in registers.
    #[inline(always)]
    pub fn error(&self, rule: Rule) -> Error {
        error_at(rule, self.offset, self.bits.position())
    }

    /// Returns an error at the byte that contains the first of the last `bits` bits.
    #[inline(always)]
    fn error_before(&self, bits: usize, rule: Rule) -> Error {
        error_at(rule, self.offset, self.bits.position().saturating_sub(bits))
    }

    #[inline(always)]
    fn bit_error(&self, error: BitError) -> Error {
        self.error(error.into())
    }

    /// Returns the position in bits from the start of the body.
    pub const fn position(&self) -> usize {
        self.bits.position()
    }

    /// Returns the id of the next entity. After the last one, checks that the body ends.
    #[inline(always)]
    pub fn next_id(&mut self) -> Result<Option<u32>, Error> {
        if self.left == 0 {
            self.bits.align().map_err(|error| self.bit_error(error))?;
            return match self.bits.left() / 8 {
                0 => Ok(None),
                bytes => Err(self.error(Rule::TrailingData {
                    tag: self.tag,
                    bytes,
                })),
            };
        }
        self.left -= 1;
        let entity = self.bits.u32().map_err(|error| self.bit_error(error))?;
        if let Some(previous) = self.previous
            && entity <= previous
        {
            let tag = self.tag;
            return Err(self.error_before(
                32,
                Rule::EntityOrder {
                    tag,
                    previous,
                    entity,
                },
            ));
        }
        self.previous = Some(entity);
        Ok(Some(entity))
    }

    /// Reads a mask of `count` bits; bit i is for the i-th component or field.
    #[inline(always)]
    pub fn mask(&mut self, count: usize) -> Result<u64, Error> {
        let bits = self
            .bits
            .read(count as u32)
            .map_err(|error| self.bit_error(error))?;
        Ok(if count == 0 {
            0
        } else {
            bits.reverse_bits() >> (64 - count)
        })
    }

    /// Reads the fields of an updated component.
    #[inline(always)]
    pub fn update(
        &mut self,
        plans: &[Plan],
        codes: &mut [u64],
        entity: u32,
        ids: impl Fn(usize) -> (u16, u16),
    ) -> Result<(), Error> {
        let count = plans.len() as u32;
        let mask = self
            .bits
            .read(count)
            .map_err(|error| self.bit_error(error))?;
        if mask == 0 {
            let (component, _) = ids(0);
            return Err(self.error(Rule::EmptyFieldMask { entity, component }));
        }
        // The first field is the highest bit; turning the mask around takes longer.
        let mut left = mask << (64 - count);
        while left != 0 {
            let field = left.leading_zeros();
            left &= !(1 << 63 >> field);
            let field = field as usize;
            if let (Some(slot), Some(plan)) = (codes.get_mut(field), plans.get(field)) {
                *slot = self.code(plan, entity, || ids(field))?;
            }
        }
        Ok(())
    }

    /// Reads the field mask of an updated component, which must not be empty.
    #[inline(always)]
    pub fn update_mask(
        &mut self,
        count: usize,
        entity: u32,
        component: impl FnOnce() -> u16,
    ) -> Result<u64, Error> {
        let mask = self.mask(count)?;
        if mask == 0 {
            let component = component();
            return Err(self.error(Rule::EmptyFieldMask { entity, component }));
        }
        Ok(mask)
    }

    /// Reads the field mask of a new component, which must be full.
    #[inline(always)]
    pub fn create_mask(
        &mut self,
        count: usize,
        entity: u32,
        ids: impl FnOnce(usize) -> (u16, u16),
    ) -> Result<(), Error> {
        let bits = self
            .bits
            .read(count as u32)
            .map_err(|error| self.bit_error(error))?;
        if bits != full_mask(count) {
            // The first field is the highest bit.
            let missing = (bits ^ full_mask(count)) << (64 - count);
            let (component, field) = ids(missing.leading_zeros() as usize);
            return Err(self.error(Rule::MissingField {
                entity,
                component,
                field,
            }));
        }
        Ok(())
    }

    /// Reads the code of a value.
    #[inline(always)]
    pub fn code(
        &mut self,
        plan: &Plan,
        entity: u32,
        ids: impl FnOnce() -> (u16, u16),
    ) -> Result<u64, Error> {
        match plan.form {
            Form::Bits { bits, flip } => {
                let code = match self.bits.read(bits) {
                    Ok(code) => code ^ flip,
                    Err(error) => return Err(self.bit_error(error)),
                };
                if code > plan.max {
                    let (component, field) = ids();
                    let max = plan.max;
                    return Err(self.error_before(
                        bits as usize,
                        Rule::Value {
                            entity,
                            component,
                            field,
                            code,
                            max,
                        },
                    ));
                }
                Ok(code)
            }
            Form::Varuint => match self.bits.varuint() {
                Ok(code) => Ok(code.into()),
                Err(error) => Err(self.bit_error(error)),
            },
            Form::Zigzag => match self.bits.varuint() {
                Ok(code) => Ok(unzigzag(code)),
                Err(error) => Err(self.bit_error(error)),
            },
        }
    }
}

#[cold]
#[inline(never)]
fn error_at(rule: Rule, offset: usize, bits: usize) -> Error {
    Error::new(rule, offset + bits / 8)
}

/// Checks a schema against the limits.
pub(crate) fn check_schema(layout: &Layout, limits: &Limits) -> Result<(), Rule> {
    let components = layout.components();
    if components > limits.max_components {
        return Err(Rule::Limit {
            limit: Limit::Components,
            max: limits.max_components,
            found: components,
        });
    }
    let fields = (0..components).map(|at| layout.fields(at).len()).max();
    match fields {
        Some(found) if found > limits.max_fields => Err(Rule::Limit {
            limit: Limit::Fields,
            max: limits.max_fields,
            found,
        }),
        _ => Ok(()),
    }
}
