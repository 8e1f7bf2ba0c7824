//! The origin of the snapshot/delta wire, sdec-codec 0.5.0, beside ours.

pub use codec as oracle;
use gametape_delta::{Change, Codec, Schema, Snapshot, Value};
pub use schema as sdec_schema;

pub mod form {
    //! Converts our types to the oracle's, and back.

    use super::{Change, Codec, Schema, Snapshot, Value, oracle, sdec_schema};

    /// Returns the schema in the origin's types.
    #[must_use]
    pub fn schema(schema: &Schema) -> sdec_schema::Schema {
        let components = schema.components().iter().map(|component| {
            let fields = component.fields.iter().map(|field| sdec_schema::FieldDef {
                id: sdec_schema::FieldId::new(field.id).unwrap(),
                codec: match field.codec {
                    Codec::Bool => sdec_schema::FieldCodec::Bool,
                    Codec::UInt { bits } => sdec_schema::FieldCodec::UInt { bits },
                    Codec::SInt { bits } => sdec_schema::FieldCodec::SInt { bits },
                    Codec::VarUInt => sdec_schema::FieldCodec::VarUInt,
                    Codec::VarSInt => sdec_schema::FieldCodec::VarSInt,
                    Codec::FixedPoint {
                        min_q,
                        max_q,
                        scale,
                    } => sdec_schema::FieldCodec::fixed_point(min_q, max_q, scale),
                },
                change: match field.change {
                    Change::Always => sdec_schema::ChangePolicy::Always,
                    Change::Threshold { threshold_q } => {
                        sdec_schema::ChangePolicy::Threshold { threshold_q }
                    }
                },
            });
            sdec_schema::ComponentDef::with_fields(component_id(component.id), fields.collect())
        });
        sdec_schema::Schema::new(components.collect()).unwrap()
    }

    fn component_id(id: u16) -> sdec_schema::ComponentId {
        sdec_schema::ComponentId::new(id).unwrap()
    }

    /// Returns the state in the origin's types.
    #[must_use]
    pub fn state(state: &Snapshot) -> oracle::Snapshot {
        let value = |value| match value {
            Value::Bool(value) => oracle::FieldValue::Bool(value),
            Value::UInt(value) => oracle::FieldValue::UInt(value),
            Value::SInt(value) => oracle::FieldValue::SInt(value),
            Value::VarUInt(value) => oracle::FieldValue::VarUInt(value.into()),
            Value::VarSInt(value) => oracle::FieldValue::VarSInt(value.into()),
            Value::FixedPoint(value) => oracle::FieldValue::FixedPoint(value),
        };
        let entities = state.iter().map(|entity| oracle::EntitySnapshot {
            id: oracle::EntityId::new(entity.id()),
            components: entity
                .components()
                .map(|part| oracle::ComponentSnapshot {
                    id: component_id(part.id()),
                    fields: part.values().map(value).collect(),
                })
                .collect(),
        });
        oracle::Snapshot {
            tick: oracle::SnapshotTick::new(state.tick()),
            entities: entities.collect(),
        }
    }

    /// Returns the state in our types.
    #[must_use]
    pub fn back(schema: &Schema, state: &oracle::Snapshot) -> Snapshot {
        let value = |value| match value {
            oracle::FieldValue::Bool(value) => Value::Bool(value),
            oracle::FieldValue::UInt(value) => Value::UInt(value),
            oracle::FieldValue::SInt(value) => Value::SInt(value),
            oracle::FieldValue::VarUInt(value) => Value::VarUInt(value.try_into().unwrap()),
            oracle::FieldValue::VarSInt(value) => Value::VarSInt(value.try_into().unwrap()),
            oracle::FieldValue::FixedPoint(value) => Value::FixedPoint(value),
        };
        let mut ours = Snapshot::new(schema, state.tick.raw());
        for entity in &state.entities {
            let mut row = ours.insert(entity.id.raw()).unwrap();
            for component in &entity.components {
                let values: Vec<_> = component.fields.iter().map(|v| value(*v)).collect();
                row.set(component.id.get(), &values).unwrap();
            }
        }
        ours
    }
}

/// The oracle, with as few limits as possible or with its own.
#[derive(Debug)]
pub struct Oracle {
    /// The schema in its types.
    pub schema: sdec_schema::Schema,
    /// What its writer and reader bound.
    pub limits: oracle::CodecLimits,
    /// What its framing bounds.
    pub wire: oracle::WireLimits,
}

impl Oracle {
    /// Without limits.
    #[must_use]
    pub fn unlimited(schema: &Schema) -> Self {
        Self {
            schema: form::schema(schema),
            limits: oracle::CodecLimits::unlimited(),
            wire: oracle::WireLimits::unlimited(),
        }
    }

    /// As it comes.
    #[must_use]
    pub fn with_default_limits(schema: &Schema) -> Self {
        Self {
            schema: form::schema(schema),
            limits: oracle::CodecLimits::default(),
            wire: oracle::WireLimits::default(),
        }
    }

    /// Returns a full snapshot.
    ///
    /// # Errors
    /// Where the origin can't write the state.
    pub fn encode_full(&self, state: &Snapshot) -> oracle::CodecResult<Vec<u8>> {
        let state = form::state(state);
        let mut bytes = vec![0; 1 << 20];
        let (tick, entities) = (state.tick, &state.entities);
        let len =
            oracle::encode_full_snapshot(&self.schema, tick, entities, &self.limits, &mut bytes)?;
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Returns a delta.
    ///
    /// # Errors
    /// Where the origin can't write it.
    pub fn encode_delta(&self, from: &Snapshot, to: &Snapshot) -> oracle::CodecResult<Vec<u8>> {
        let (from, to) = (form::state(from), form::state(to));
        let mut bytes = vec![0; 1 << 20];
        let len = oracle::encode_delta_snapshot(
            &self.schema,
            to.tick,
            from.tick,
            &from,
            &to,
            &self.limits,
            &mut bytes,
        )?;
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Applies a packet of either kind.
    ///
    /// # Errors
    /// Where the origin refuses it.
    pub fn decode(
        &self,
        baseline: Option<&oracle::Snapshot>,
        bytes: &[u8],
    ) -> oracle::CodecResult<oracle::Snapshot> {
        match baseline {
            None => oracle::decode_full_snapshot(&self.schema, bytes, &self.wire, &self.limits),
            Some(from) => {
                oracle::apply_delta_snapshot(&self.schema, from, bytes, &self.wire, &self.limits)
            }
        }
    }
}
