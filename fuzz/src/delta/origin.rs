//! Compares the codec with that of the origin.

use gametape_delta::{
    Change, Codec, Decoder, Encoder, Kind, ReadOptions, Rule, Schema, Snapshot, Value,
};
use sdec_codec as theirs;
use sdec_schema as def;

use super::structured::{Script, edit, mutate, schema, state};

/// Compares states of any schema with the origin's codec, sdec-codec 0.5.0.
///
/// The schema has the same hash. If the origin can encode a state, the bytes are the same; it
/// decodes our packets to the same state. It accepts packets with a few changed bytes if our
/// lenient reader does, with the same resulting state, except for varuints of more than 32 bits:
/// the origin drops the excess bits.
pub fn delta_origin(data: &[u8]) {
    let mut script = Script::new(data);
    let schema = within_its_reach(&schema(&mut script));
    let origin = Origin::new(&schema);
    assert_eq!(def::schema_hash(&origin.schema), schema.hash());

    let mut baseline = state(&mut script, &schema, 1, 10);
    baseline.set_tick(script.word::<u32>().clamp(1, u32::MAX - 1));
    let mut target = baseline.clone();
    target.set_tick(baseline.tick() + 1);
    edit(&mut script, &mut target);

    let mut encoder = Encoder::new(&schema);
    let (mut full, mut delta) = (Vec::new(), Vec::new());
    if encoder.full(&target, &mut full).is_err() {
        // The schema has thousands of fields.
        return;
    }
    assert_eq!(origin.full(&target).as_ref(), Some(&full));
    if encoder.delta(&baseline, &target, &mut delta).is_err() {
        return;
    }
    let kept = |state: &Snapshot, other: &Snapshot| {
        state.iter().all(|entity| {
            let Some(other) = other.entity(entity.id()) else {
                return true;
            };
            let ids = |entity: gametape_delta::Entity<'_>| {
                entity
                    .components()
                    .map(|part| part.id())
                    .collect::<Vec<_>>()
            };
            ids(entity) == ids(other)
        })
    };
    match origin.delta(&baseline, &target) {
        Some(packet) => assert_eq!(packet, delta),
        // A component of a live entity is added or removed, which the origin cannot express.
        None => assert!(!kept(&baseline, &target), "the origin refuses it"),
    }
    for packet in [&full, &delta] {
        assert!(
            origin.same_verdict(&schema, &baseline, packet),
            "it is sound"
        );
    }
    let mut changes = 0;
    while !script.is_empty() && changes < 8 {
        changes += 1;
        let mut packet = match script.byte() & 3 {
            0 => full.clone(),
            _ => delta.clone(),
        };
        for _ in 0..=script.byte() & 1 {
            mutate(&mut script, &mut packet);
        }
        origin.same_verdict(&schema, &baseline, &packet);
    }
}

/// The schema without the fields on which the origin's arithmetic overflows: where overflow is
/// checked, as here, it panics. These fields become 64 plain bits.
fn within_its_reach(schema: &Schema) -> Schema {
    let mut components = schema.components().to_vec();
    for field in components.iter_mut().flat_map(|c| &mut c.fields) {
        if !is_within_its_reach(field.codec, field.change) {
            field.codec = Codec::UInt { bits: 64 };
        }
    }
    Schema::new(components).expect("as sound as before")
}

fn is_within_its_reach(codec: Codec, change: Change) -> bool {
    let threshold = matches!(change, Change::Threshold { .. });
    match codec {
        // The origin computes the difference of two values, and subtracts from a negative value of
        // 63 bits.
        Codec::SInt { bits } => bits < 63 || (bits == 64 && !threshold),
        // The range, and the smallest value plus the largest number with as many bits as the range.
        Codec::FixedPoint { min_q, max_q, .. } => max_q.checked_sub(min_q).is_some_and(|range| {
            let bits = 64 - range.leading_zeros();
            let most = u64::MAX.checked_shr(64 - bits).unwrap_or(0);
            min_q.checked_add(most as i64).is_some()
        }),
        _ => true,
    }
}

struct Origin {
    schema: def::Schema,
    wire: theirs::WireLimits,
    limits: theirs::CodecLimits,
}

impl Origin {
    fn new(schema: &Schema) -> Self {
        let field = |field: &gametape_delta::Field| def::FieldDef {
            id: def::FieldId::new(field.id).expect("not zero"),
            codec: match field.codec {
                Codec::Bool => def::FieldCodec::bool(),
                Codec::UInt { bits } => def::FieldCodec::uint(bits),
                Codec::SInt { bits } => def::FieldCodec::sint(bits),
                Codec::VarUInt => def::FieldCodec::var_uint(),
                Codec::VarSInt => def::FieldCodec::var_sint(),
                Codec::FixedPoint {
                    min_q,
                    max_q,
                    scale,
                } => def::FieldCodec::fixed_point(min_q, max_q, scale),
            },
            change: match field.change {
                Change::Always => def::ChangePolicy::Always,
                Change::Threshold { threshold_q } => def::ChangePolicy::Threshold { threshold_q },
            },
        };
        let component = |component: &gametape_delta::Component| {
            let id = def::ComponentId::new(component.id).expect("not zero");
            let fields = component.fields.iter().map(field).collect();
            def::ComponentDef::with_fields(id, fields)
        };
        let components = schema.components().iter().map(component).collect();
        Self {
            schema: def::Schema::new(components).expect("ours is sound"),
            wire: theirs::WireLimits::default(),
            limits: theirs::CodecLimits {
                max_section_bytes: theirs::WireLimits::default().max_section_len,
                ..theirs::CodecLimits::default()
            },
        }
    }

    fn full(&self, state: &Snapshot) -> Option<Vec<u8>> {
        let mut packet = vec![0; 1 << 17];
        let len = theirs::encode_full_snapshot(
            &self.schema,
            theirs::SnapshotTick::new(state.tick()),
            &snapshot(state).entities,
            &self.limits,
            &mut packet,
        );
        packet.truncate(len.ok()?);
        Some(packet)
    }

    fn delta(&self, baseline: &Snapshot, state: &Snapshot) -> Option<Vec<u8>> {
        let mut packet = vec![0; 1 << 17];
        let len = theirs::encode_delta_snapshot(
            &self.schema,
            theirs::SnapshotTick::new(state.tick()),
            theirs::SnapshotTick::new(baseline.tick()),
            &snapshot(baseline),
            &snapshot(state),
            &self.limits,
            &mut packet,
        );
        packet.truncate(len.ok()?);
        Some(packet)
    }

    /// Asserts the same verdict of both; returns true if both accept the packet.
    fn same_verdict(&self, schema: &Schema, baseline: &Snapshot, packet: &[u8]) -> bool {
        let decoder = Decoder::with_options(schema, ReadOptions::lenient());
        let header = gametape_delta::Header::read(packet);
        let is_full = header.is_ok_and(|(header, _)| header.kind == Kind::Full);
        let mut ours = Snapshot::new(schema, 0);
        let (result, theirs) = if is_full {
            let result = decoder.full(packet, &mut ours);
            let theirs =
                theirs::decode_full_snapshot(&self.schema, packet, &self.wire, &self.limits);
            (result, theirs)
        } else {
            let result = decoder.delta(baseline, packet, &mut ours);
            let base = snapshot(baseline);
            let theirs =
                theirs::apply_delta_snapshot(&self.schema, &base, packet, &self.wire, &self.limits);
            (result, theirs)
        };
        match (result, theirs) {
            (Ok(()), Ok(theirs)) => {
                assert_eq!(snapshot(&ours), theirs);
                true
            }
            (Err(_), Err(_)) => false,
            (Err(error), Ok(_)) if error.rule == Rule::VaruintTooLong => false,
            (Err(error), Ok(theirs)) => panic!("we say {error}, the origin reads {theirs:?}"),
            (Ok(()), Err(error)) => panic!("we read {ours:?}, the origin says {error}"),
        }
    }
}

/// A state in the origin's types.
fn snapshot(state: &Snapshot) -> theirs::Snapshot {
    let value = |value: Value| match value {
        Value::Bool(value) => theirs::FieldValue::Bool(value),
        Value::UInt(value) => theirs::FieldValue::UInt(value),
        Value::SInt(value) => theirs::FieldValue::SInt(value),
        Value::VarUInt(value) => theirs::FieldValue::VarUInt(value.into()),
        Value::VarSInt(value) => theirs::FieldValue::VarSInt(value.into()),
        Value::FixedPoint(value) => theirs::FieldValue::FixedPoint(value),
    };
    let component = |part: gametape_delta::Part<'_>| theirs::ComponentSnapshot {
        id: def::ComponentId::new(part.id()).expect("not zero"),
        fields: part.values().map(value).collect(),
    };
    let entity = |entity: gametape_delta::Entity<'_>| theirs::EntitySnapshot {
        id: theirs::EntityId::new(entity.id()),
        components: entity.components().map(component).collect(),
    };
    theirs::Snapshot {
        tick: theirs::SnapshotTick::new(state.tick()),
        entities: state.iter().map(entity).collect(),
    }
}
