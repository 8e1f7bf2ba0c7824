//! A simple model of states as maps of maps, and of the effect of packets: slow but obviously
//! right.

use std::collections::BTreeMap;

use gametape_delta::{Change, Codec, Kind, Packet, Schema, Section, Snapshot, Tag, Value};

use super::structured::value_of;

/// Entities with their components and values, in the order of the schema.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Model(pub BTreeMap<u32, BTreeMap<u16, Vec<Value>>>);

/// Why a packet cannot be applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refusal {
    NotFound,
    Exists,
    NoComponent,
    TooMany,
}

impl Refusal {
    /// The code of the matching error.
    pub fn code(self) -> &'static str {
        match self {
            Self::NotFound => "delta.entity-not-found",
            Self::Exists => "delta.entity-exists",
            Self::NoComponent => "delta.component-not-found",
            Self::TooMany => "delta.limit",
        }
    }
}

impl Model {
    /// The content of a state, read with every accessor.
    pub fn of(state: &Snapshot) -> Self {
        let mut model = Self::default();
        assert_eq!(state.iter().len(), state.len());
        assert_eq!(state.ids().len(), state.len());
        assert!(state.ids().is_sorted_by(|a, b| a < b), "ids ascend");
        for (entity, id) in state.iter().zip(state.ids()) {
            assert_eq!(entity.id(), *id);
            let mut components = BTreeMap::new();
            let mut asked = state.schema().components().iter();
            for part in entity.components() {
                assert!(asked.any(|c| c.id == part.id()), "not in their order");
                let values: Vec<_> = part.values().collect();
                assert_eq!(values.len(), part.definition().fields.len());
                components.insert(part.id(), values);
            }
            for component in state.schema().components() {
                let part = state.entity(*id).and_then(|e| e.component(component.id));
                assert_eq!(part.is_some(), components.contains_key(&component.id));
            }
            model.0.insert(*id, components);
        }
        assert_eq!(model.0.len(), state.len());
        model
    }

    /// Applies a packet; if there are several errors, any of them may be returned.
    pub fn apply(
        &mut self,
        packet: &Packet,
        schema: &Schema,
        most: usize,
    ) -> Result<(), Vec<Refusal>> {
        let mut refusals = Vec::new();
        if packet.header.kind == Kind::Full {
            self.0.clear();
        }
        let section = |tag: Tag| packet.sections.iter().find(|section| section.tag == tag);
        for entity in section(Tag::Destroy).into_iter().flat_map(|s| &s.entities) {
            if self.0.remove(&entity.id).is_none() {
                refusals.push(Refusal::NotFound);
            }
        }
        for entity in section(Tag::Create).into_iter().flat_map(|s| &s.entities) {
            let components = entity.components.iter().map(|part| {
                let values = part.fields.iter().map(|(_, value)| *value).collect();
                (part.id, values)
            });
            if self.0.insert(entity.id, components.collect()).is_some() {
                refusals.push(Refusal::Exists);
            }
        }
        if self.0.len() > most {
            refusals.push(Refusal::TooMany);
        }
        if let Some(section) = section(Tag::Update) {
            self.update(section, schema, &mut refusals);
        }
        if refusals.is_empty() {
            Ok(())
        } else {
            Err(refusals)
        }
    }

    fn update(&mut self, section: &Section, schema: &Schema, refusals: &mut Vec<Refusal>) {
        for entity in &section.entities {
            let Some(components) = self.0.get_mut(&entity.id) else {
                refusals.push(Refusal::NotFound);
                continue;
            };
            for part in &entity.components {
                let Some(values) = components.get_mut(&part.id) else {
                    refusals.push(Refusal::NoComponent);
                    continue;
                };
                let (_, definition) = schema.component(part.id).expect("it was decoded");
                for (id, value) in &part.fields {
                    let at = definition.fields.iter().position(|field| field.id == *id);
                    values[at.expect("it was decoded")] = *value;
                }
            }
        }
    }

    /// The state of a receiver that had `baseline` and was sent the change to this model.
    pub fn settled(&self, baseline: &Self, schema: &Schema) -> Self {
        let mut settled = self.clone();
        for (id, components) in &mut settled.0 {
            let Some(old) = baseline.0.get(id) else {
                continue;
            };
            // An entity whose set of components differs is recreated.
            if !old.keys().eq(components.keys()) {
                continue;
            }
            for ((component, values), old) in components.iter_mut().zip(old.values()) {
                let (_, definition) = schema.component(*component).expect("of this schema");
                for ((value, old), field) in values.iter_mut().zip(old).zip(&definition.fields) {
                    let difference = (value.as_i128() - old.as_i128()).unsigned_abs();
                    let threshold = match (field.codec, field.change) {
                        (Codec::Bool, _) | (_, Change::Always) => 0,
                        (_, Change::Threshold { threshold_q }) => threshold_q.into(),
                    };
                    if difference <= threshold {
                        *value = value_of(field.codec, old.as_i128());
                    }
                }
            }
        }
        settled
    }

    /// The model as a state.
    pub fn snapshot(&self, schema: &Schema, tick: u32) -> Snapshot {
        let mut state = Snapshot::new(schema, tick);
        for (id, components) in &self.0 {
            let mut entity = state.insert(*id).expect("each once");
            for (component, values) in components {
                entity.set(*component, values).expect("of this schema");
            }
        }
        state
    }
}
