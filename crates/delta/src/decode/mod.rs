//! Applies packets to states, completely or not at all.

pub(crate) mod body;

use core::mem;

use gametape_core::Strictness;
use gametape_core::text::Hash;

use self::body::{Body, check_schema};
use crate::limits::{Limit, Limits, ReadOptions};
use crate::rule::{Error, Rule};
use crate::schema::{Schema, ones};
use crate::snapshot::{Baselines, Snapshot};
use crate::wire::{Frame, Header, Kind, RawSection, Tag};

/// Reads packets of one schema.
///
/// A strict decoder follows the specification: padding is zero, varuints are minimal, and a delta
/// is newer than its baseline. A lenient decoder does not check these three, like the origin
/// implementation.
///
/// The state that a packet is applied to does not change: the result is written to another state,
/// whose memory is reused. After an error that state is empty, so a packet is never applied
/// partially.
///
/// ```
/// # use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Snapshot, Value};
/// # let schema = Schema::new([Component::new(1, [Field::new(1, Codec::UInt { bits: 7 })])])?;
/// let mut first = Snapshot::new(&schema, 1);
/// first.insert(7)?.set(1, &[Value::UInt(100)])?;
/// let mut second = first.clone();
/// second.set_tick(2);
/// second.entry(7).set(1, &[Value::UInt(99)])?;
///
/// let (mut full, mut delta) = (Vec::new(), Vec::new());
/// let mut encoder = Encoder::new(&schema);
/// encoder.full(&first, &mut full)?;
/// encoder.delta(&first, &second, &mut delta)?;
///
/// let decoder = Decoder::new(&schema);
/// let mut baseline = Snapshot::new(&schema, 0);
/// let mut state = baseline.clone();
/// decoder.full(&full, &mut baseline)?;
/// decoder.delta(&baseline, &delta, &mut state)?;
/// assert_eq!(state, second);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decoder {
    schema: Schema,
    pub(crate) limits: Limits,
    pub(crate) strict: bool,
}

impl Decoder {
    /// Creates a strict decoder with default limits.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
        Self::with_options(schema, ReadOptions::strict())
    }

    /// Creates a decoder with these options.
    #[must_use]
    pub fn with_options(schema: &Schema, options: ReadOptions) -> Self {
        Self {
            schema: schema.clone(),
            limits: options.limits,
            strict: !options.is_lenient(),
        }
    }

    /// Returns the options.
    #[must_use]
    pub const fn options(&self) -> ReadOptions {
        let strictness = if self.strict {
            Strictness::Strict
        } else {
            Strictness::Lenient
        };
        ReadOptions {
            strictness,
            limits: self.limits,
        }
    }

    /// Returns the schema, whose hash the headers of packets must contain.
    #[must_use]
    pub const fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(crate) fn frame<'a>(&self, packet: &'a [u8]) -> Result<Frame<'a>, Error> {
        let frame = Frame::read(packet, self.schema.hash(), self.strict, &self.limits)?;
        check_schema(self.schema.layout(), &self.limits).map_err(|rule| Error::new(rule, 8))?;
        Ok(frame)
    }

    /// Checks the header and the framing, but reads no entities.
    pub fn header(&self, packet: &[u8]) -> Result<Header, Error> {
        Ok(self.frame(packet)?.header)
    }

    /// Reads a full snapshot into `state`, replacing the content. After an error `state` is empty.
    pub fn full(&self, packet: &[u8], state: &mut Snapshot) -> Result<(), Error> {
        self.prepare(state);
        let result = self.try_full(packet, state);
        if result.is_err() {
            state.clear();
        }
        result
    }

    fn try_full(&self, packet: &[u8], state: &mut Snapshot) -> Result<(), Error> {
        let frame = self.frame(packet)?;
        if frame.header.kind != Kind::Full {
            return Err(Error::new(Rule::Kind { full: false }, 6));
        }
        state.set_tick(frame.header.tick);
        if let Some(section) = frame.section(Tag::Create) {
            let mut body = Body::new(section, self.strict, &self.limits)?;
            while let Some(entity) = body.next_id()? {
                self.create(&mut body, entity, state)?;
            }
        }
        self.check_total(state)
    }

    /// Reads a packet of either kind into `state`, replacing the content. A delta is applied to the
    /// state of its baseline tick, which must be in `held`. After an error `state` is empty.
    pub fn apply(
        &self,
        held: &Baselines,
        packet: &[u8],
        state: &mut Snapshot,
    ) -> Result<(), Error> {
        let header = self.header(packet);
        let Some(baseline) = header.ok().and_then(|header| header.baseline()) else {
            // This call also refuses anything that is not a packet.
            return self.full(packet, state);
        };
        if let Some(held) = held.get(baseline) {
            return self.delta(held, packet, state);
        }
        self.prepare(state);
        Err(Error::new(Rule::BaselineMissing { baseline }, 20))
    }

    /// Applies a delta to `baseline` and writes the result to `state`, replacing the content. After
    /// an error `state` is empty.
    pub fn delta(
        &self,
        baseline: &Snapshot,
        packet: &[u8],
        state: &mut Snapshot,
    ) -> Result<(), Error> {
        self.delta_naming(baseline, packet, state, |_, _| ())
    }

    /// Like [`delta`](Self::delta), and reports the entities of each section. Those of one section
    /// ascend.
    pub(crate) fn delta_naming(
        &self,
        baseline: &Snapshot,
        packet: &[u8],
        state: &mut Snapshot,
        mut named: impl FnMut(Tag, u32),
    ) -> Result<(), Error> {
        self.prepare(state);
        let result = self.try_delta(baseline, packet, state, &mut named);
        if result.is_err() {
            state.clear();
        }
        result
    }

    fn try_delta(
        &self,
        baseline: &Snapshot,
        packet: &[u8],
        state: &mut Snapshot,
        named: &mut impl FnMut(Tag, u32),
    ) -> Result<(), Error> {
        let frame = self.frame(packet)?;
        let Kind::Delta {
            baseline: tick_of_baseline,
        } = frame.header.kind
        else {
            return Err(Error::new(Rule::Kind { full: true }, 6));
        };
        if tick_of_baseline != baseline.tick() {
            let rule = Rule::BaselineMismatch {
                expected: baseline.tick(),
                found: tick_of_baseline,
            };
            return Err(Error::new(rule, 20));
        }
        if baseline.schema().hash() != self.schema.hash() {
            let rule = Rule::BaselineSchema {
                expected: Hash(self.schema.hash()),
                found: Hash(baseline.schema().hash()),
            };
            return Err(Error::new(rule, 20));
        }
        let (destroy, create) = (frame.section(Tag::Destroy), frame.section(Tag::Create));
        if destroy.is_none() && create.is_none() {
            state.clone_from(baseline);
        } else {
            self.structure(baseline, destroy, create, state, named)?;
        }
        state.set_tick(frame.header.tick);
        self.check_total(state)?;
        match frame.section(Tag::Update) {
            Some(section) => self.update(section, state, named),
            None => Ok(()),
        }
    }

    fn prepare(&self, state: &mut Snapshot) {
        if state.schema().hash() == self.schema.hash() {
            state.clear();
        } else {
            *state = Snapshot::new(&self.schema, 0);
        }
    }

    fn check_total(&self, state: &Snapshot) -> Result<(), Error> {
        if state.len() > self.limits.max_entities {
            let rule = Rule::Limit {
                limit: Limit::Entities,
                max: self.limits.max_entities,
                found: state.len(),
            };
            return Err(Error::new(rule, 0));
        }
        Ok(())
    }

    /// Copies the baseline without destroyed entities and with new ones.
    fn structure(
        &self,
        baseline: &Snapshot,
        destroy: Option<RawSection<'_>>,
        create: Option<RawSection<'_>>,
        state: &mut Snapshot,
        named: &mut impl FnMut(Tag, u32),
    ) -> Result<(), Error> {
        let mut destroys = destroy
            .map(|section| Body::new(section, self.strict, &self.limits))
            .transpose()?;
        let mut creates = create
            .map(|section| Creates::new(self, section))
            .transpose()?;
        let ids = baseline.ids();
        // Entities of the baseline before this index are done.
        let mut at = 0;
        loop {
            let gone = match &mut destroys {
                Some(body) => body.next_id()?,
                None => None,
            };
            let until = match gone {
                Some(entity) => {
                    at_or_after(ids, at, entity, |found| found == entity).ok_or_else(|| {
                        let tag = Tag::Destroy;
                        let rule = Rule::EntityNotFound { tag, entity };
                        destroys
                            .as_ref()
                            .map_or(Error::new(rule, 0), |b| b.error(rule))
                    })?
                }
                None => ids.len(),
            };
            // Everything from `at` to `until` stays. New entities are inserted in between, or
            // replace destroyed ones.
            if let Some(creates) = &mut creates {
                while let Some(entity) = creates.next
                    && gone.is_none_or(|gone| entity < gone)
                {
                    let rest = ids.get(at..until).unwrap_or_default();
                    let before = at + rest.partition_point(|id| *id < entity);
                    if ids.get(before..until).and_then(<[u32]>::first) == Some(&entity) {
                        return Err(creates.body.error(Rule::EntityExists { entity }));
                    }
                    state.rows.push_range(&baseline.rows, at..before);
                    at = before;
                    named(Tag::Create, entity);
                    creates.read(state)?;
                }
            }
            state.rows.push_range(&baseline.rows, at..until);
            let Some(gone) = gone else {
                return Ok(());
            };
            named(Tag::Destroy, gone);
            at = until + 1;
        }
    }

    fn update(
        &self,
        section: RawSection<'_>,
        state: &mut Snapshot,
        named: &mut impl FnMut(Tag, u32),
    ) -> Result<(), Error> {
        let layout = self.schema.layout();
        let components = layout.components();
        let mut body = Body::new(section, self.strict, &self.limits)?;
        let mut at = 0;
        while let Some(entity) = body.next_id()? {
            let Some(found) = at_or_after(state.ids(), at, entity, |id| id == entity) else {
                let tag = Tag::Update;
                return Err(body.error(Rule::EntityNotFound { tag, entity }));
            };
            at = found + 1;
            named(Tag::Update, entity);
            let mut updated = body.mask(components)?;
            let mask = state.rows.mask(found);
            if updated & !mask != 0 {
                let component = self.component_id((updated & !mask).trailing_zeros() as usize);
                return Err(body.error(Rule::ComponentNotFound { entity, component }));
            }
            let mut codes = state.rows.codes_mut(found);
            for component in ones(mask) {
                if updated == 0 {
                    break;
                }
                let plans = layout.fields(component);
                let Some((own, rest)) = mem::take(&mut codes).split_at_mut_checked(plans.len())
                else {
                    break;
                };
                codes = rest;
                if updated >> component & 1 == 1 {
                    updated &= updated - 1;
                    let ids = |field| self.ids(component, field);
                    body.update(plans, own, entity, ids)?;
                }
            }
        }
        Ok(())
    }

    /// Appends an entity of a CREATE section, whose id was already read, to `state`.
    #[inline(always)]
    fn create(&self, body: &mut Body<'_>, entity: u32, state: &mut Snapshot) -> Result<(), Error> {
        let layout = self.schema.layout();
        let mask = body.mask(layout.components())?;
        let mut codes = state.rows.push_zeros(entity, mask, layout.values(mask));
        for component in ones(mask) {
            let plans = layout.fields(component);
            body.create_mask(plans.len(), entity, |field| self.ids(component, field))?;
            for (field, (plan, code)) in plans.iter().zip(&mut *codes).enumerate() {
                *code = body.code(plan, entity, || self.ids(component, field))?;
            }
            codes = mem::take(&mut codes)
                .get_mut(plans.len()..)
                .unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn component_id(&self, component: usize) -> u16 {
        self.schema.components().get(component).map_or(0, |c| c.id)
    }

    /// Returns the ids of a component and of one of its fields, by index.
    #[cold]
    pub(crate) fn ids(&self, component: usize, field: usize) -> (u16, u16) {
        let component = self.schema.components().get(component);
        let field = component.and_then(|component| component.fields.get(field));
        (component.map_or(0, |c| c.id), field.map_or(0, |f| f.id))
    }
}

/// Returns the index of the first id at or after `at` that is not below `id`, if `is` accepts it.
#[inline]
fn at_or_after(ids: &[u32], at: usize, id: u32, is: impl Fn(u32) -> bool) -> Option<usize> {
    let rest = ids.get(at..)?;
    // Most packets name neighbouring entities.
    let steps = if rest.first().is_some_and(|first| *first >= id) {
        0
    } else {
        rest.partition_point(|other| *other < id)
    };
    rest.get(steps)
        .is_some_and(|found| is(*found))
        .then_some(at + steps)
}

/// Reads the entities of a CREATE section, one at a time.
struct Creates<'a> {
    decoder: &'a Decoder,
    body: Body<'a>,
    /// The next entity: its id was read, its components were not.
    next: Option<u32>,
}

impl<'a> Creates<'a> {
    fn new(decoder: &'a Decoder, section: RawSection<'a>) -> Result<Self, Error> {
        let mut body = Body::new(section, decoder.strict, &decoder.limits)?;
        let next = body.next_id()?;
        Ok(Self {
            decoder,
            body,
            next,
        })
    }

    /// Appends the next entity to `state`.
    fn read(&mut self, state: &mut Snapshot) -> Result<(), Error> {
        if let Some(entity) = self.next {
            self.decoder.create(&mut self.body, entity, state)?;
            self.next = self.body.next_id()?;
        }
        Ok(())
    }
}
