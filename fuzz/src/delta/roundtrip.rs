//! Edits states in every way, and sends them.

use gametape_delta::{
    Codec, Decoder, Encoder, Limits, ReadOptions, Schema, Snapshot, Value, ValueError, settle,
};

use super::model::Model;
use super::packet::consistent;
use super::structured::{Script, bounds, edit, mutate, schema, state, value, value_of, values};

/// Edits a state in every way, in parallel with a map of maps.
///
/// Both have the same content after each step. A refused edit changes nothing, and its error has
/// the right reason. States of different moments can be sent, one as a delta to the other.
pub fn delta_roundtrip(data: &[u8]) {
    let mut script = Script::new(data);
    let schema = schema(&mut script);
    let mut state = Snapshot::new(&schema, 1);
    let mut model = Model::default();
    let mut earlier = state.clone();
    let mut tick = 1;
    let mut steps = 0;
    while !script.is_empty() && steps < 60 {
        steps += 1;
        step(&mut script, &schema, &mut state, &mut model);
        assert_eq!(Model::of(&state), model);
        if script.byte() >= 230 {
            tick += 1;
            state.set_tick(tick);
            sent(&schema, &earlier, &state);
            earlier.clone_from(&state);
            assert!(earlier == state);
        }
    }
    state.set_tick(tick + 1);
    sent(&schema, &earlier, &state);
    let again = model.snapshot(&schema, tick + 1);
    assert!(again == state, "{again:?} is not {state:?}");
}

/// A few ids only, so that they repeat.
fn id(script: &mut Script<'_>) -> u32 {
    match script.byte() {
        255 => u32::MAX,
        byte => u32::from(byte) % 12 * 1000,
    }
}

/// Makes one edit to both.
fn step(script: &mut Script<'_>, schema: &Schema, state: &mut Snapshot, model: &mut Model) {
    let (kind, id) = (script.byte(), id(script));
    let there = model.0.contains_key(&id);
    let components = schema.components();
    let component = components.get(script.below(components.len()));
    match (kind % 8, component) {
        (0, _) => match state.insert(id) {
            Ok(_) => {
                assert!(!there);
                model.0.entry(id).or_default();
            }
            Err(error) => {
                assert!(there);
                assert_eq!(error, ValueError::EntityExists { entity: id });
            }
        },
        (1, _) if kind >= 128 => {
            let keep = script.word::<u16>();
            let keep = |id: u32| keep >> (id / 1000 % 16) & 1 == 1;
            state.retain(keep);
            model.0.retain(|id, _| keep(*id));
        }
        (1, _) => {
            assert_eq!(state.remove(id), there);
            model.0.remove(&id);
        }
        (2, Some(component)) => {
            let Some(mut entity) = state.entity_mut(id) else {
                assert!(!there);
                return;
            };
            let removed = entity.remove(component.id);
            let of = model.0.get_mut(&id).expect("it is there");
            assert_eq!(removed, of.remove(&component.id).is_some());
        }
        (3 | 4, Some(component)) => {
            let values = values(script, component);
            let mut entity = state.entry(id);
            entity.set(component.id, &values).expect("values of it");
            let of = model.0.entry(id).or_default();
            of.insert(component.id, values);
        }
        (5 | 6, Some(component)) => {
            let Some(field) = component.fields.get(script.below(component.fields.len())) else {
                return;
            };
            let at = component.fields.iter().position(|f| f.id == field.id);
            let new = value(script, field.codec);
            let slot = model
                .0
                .get_mut(&id)
                .and_then(|of| of.get_mut(&component.id)?.get_mut(at?));
            let Some(mut entity) = state.entity_mut(id) else {
                assert!(slot.is_none());
                return;
            };
            match (entity.set_value(component.id, field.id, new), slot) {
                (Ok(_), Some(slot)) => *slot = new,
                (
                    Err(ValueError::NoComponent {
                        entity,
                        component: of,
                    }),
                    None,
                ) => {
                    assert_eq!((entity, of), (id, component.id));
                }
                (result, slot) => panic!("{:?} where {slot:?} is", result.err()),
            }
        }
        _ => refused(script, schema, &mut state.entry(id), {
            model.0.entry(id).or_default();
            kind
        }),
    }
}

/// Invalid edits.
fn refused(
    script: &mut Script<'_>,
    schema: &Schema,
    entity: &mut gametape_delta::EntityMut<'_>,
    kind: u8,
) {
    let components = schema.components();
    let unknown = (1..=u16::MAX)
        .find(|id| schema.component(*id).is_none())
        .expect("64 at most");
    let Some(component) = components.get(script.below(components.len())) else {
        let error = entity.set(unknown, &[]).err();
        let component = unknown;
        assert_eq!(error, Some(ValueError::UnknownComponent { component }));
        assert!(!entity.remove(unknown));
        return;
    };
    let mut values = values(script, component);
    let at = script.below(values.len());
    let Some((field, slot)) = component.fields.get(at).zip(values.get_mut(at)) else {
        let error = entity.set(component.id, &[Value::Bool(true)]).err();
        assert!(matches!(error, Some(ValueError::FieldCount { .. })));
        return;
    };
    let error = match kind >> 4 & 3 {
        0 => {
            values.pop();
            let error = entity.set(component.id, &values).err();
            assert!(matches!(error, Some(ValueError::FieldCount { .. })));
            return;
        }
        1 => {
            let last = value(script, component.fields[component.fields.len() - 1].codec);
            values.push(last);
            let error = entity.set(component.id, &values).err();
            assert!(matches!(error, Some(ValueError::FieldCount { .. })));
            return;
        }
        2 => {
            *slot = match field.codec {
                Codec::Bool => Value::UInt(1),
                _ => Value::Bool(true),
            };
            let new = *slot;
            let error = entity.set(component.id, &values).err();
            assert!(matches!(error, Some(ValueError::Kind { .. })));
            entity.set_value(component.id, field.id, new).err()
        }
        _ => {
            let (min, max) = bounds(field.codec);
            let beyond = if kind & 64 == 0 { min - 1 } else { max + 1 };
            let new = value_of(field.codec, beyond);
            // At the limit of the type itself there is no value beyond.
            if new.as_i128() != beyond {
                return;
            }
            *slot = new;
            let error = entity.set(component.id, &values).err();
            assert!(matches!(error, Some(ValueError::OutOfRange { .. })));
            entity.set_value(component.id, field.id, new).err()
        }
    };
    assert!(
        matches!(
            error,
            Some(
                ValueError::Kind { .. }
                    | ValueError::OutOfRange { .. }
                    | ValueError::NoComponent { .. }
            )
        ),
        "{error:?}"
    );
}

/// Sends two states, built from any parts, as full snapshots and as a delta.
///
/// The received state is the sent one, within its thresholds; a field without a threshold is equal.
/// An unchanged state needs only an empty packet. Each of these packets, with a few changed bytes,
/// must also pass [`delta_packet`](super::delta_packet).
pub fn delta_apply(data: &[u8]) {
    let mut script = Script::new(data);
    let schema = schema(&mut script);
    let mut baseline = state(&mut script, &schema, 1, 10);
    baseline.set_tick(script.word::<u32>().clamp(1, u32::MAX - 1));
    let mut target = baseline.clone();
    target.set_tick(baseline.tick() + 1);
    edit(&mut script, &mut target);
    if script.byte() == 255 {
        target = state(&mut script, &schema, u32::MAX, 10);
    }
    let (full, delta) = sent(&schema, &baseline, &target);
    consistent(&schema, &baseline, &full, Limits::NONE);
    consistent(&schema, &baseline, &delta, Limits::NONE);
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
        consistent(&schema, &baseline, &packet, Limits::NONE);
    }
}

/// The full and the delta packet, after checking their content.
fn sent(schema: &Schema, baseline: &Snapshot, target: &Snapshot) -> (Vec<u8>, Vec<u8>) {
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    let decoder = Decoder::with_options(schema, ReadOptions::strict().limits(Limits::NONE));
    let (mut full, mut delta) = (vec![9], vec![9]);
    let mut received = Snapshot::new(schema, 0);

    encoder.full(target, &mut full).expect("no limits");
    decoder.full(&full, &mut received).expect("it was encoded");
    assert!(received == *target, "{received:?} is not {target:?}");
    assert_eq!(Model::of(&received), Model::of(target));

    encoder
        .delta(baseline, target, &mut delta)
        .expect("no limits");
    decoder
        .delta(baseline, &delta, &mut received)
        .expect("it was encoded");
    let mut settled = target.clone();
    settle(baseline, &mut settled);
    assert!(received == settled, "{received:?} is not {settled:?}");
    let model = Model::of(target).settled(&Model::of(baseline), schema);
    assert_eq!(Model::of(&received), model);
    assert_eq!(delta.len() == 28, settled.same_entities(baseline));

    // After one packet nothing is left to send.
    let mut again = Vec::new();
    if settled.tick() < u32::MAX {
        let mut later = target.clone();
        later.set_tick(settled.tick() + 1);
        encoder
            .delta(&settled, &later, &mut again)
            .expect("no limits");
        assert_eq!(again.len(), 28, "{settled:?} to {later:?}");
    }
    (full, delta)
}
