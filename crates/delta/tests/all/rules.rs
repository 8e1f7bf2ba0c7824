//! Raises every rule, limit and error.

use std::collections::BTreeSet;

use crate::common::broken::{self, broken};
use crate::common::{decode, published, unhex};
use gametape_core::text::Hash;
use gametape_delta::Value::{self, Bool, SInt, UInt};
use gametape_delta::{
    Baselines, Codec, Component, Decoder, EncodeError, Encoder, Error, Field, FixedPoint, Kind,
    Limit, Limits, NotNewer, Packet, PacketError, QuantiseError, ReadOptions, Rule, Schema,
    SchemaError, SmallestThree, Snapshot, ValueError,
};

/// Rules that packets alone cannot break: mistakes of callers, tested below, and rules for code
/// that keeps states by tick, such as captures.
const NOT_THE_PACKETS: [&str; 2] = ["delta.baseline-missing", "delta.baseline-schema"];

#[test]
fn every_rule_is_raised_where_it_is_broken() {
    let schema = published::schema();
    let baseline = broken::baseline();
    let strict = Decoder::new(&schema);
    let lenient = Decoder::with_options(&schema, ReadOptions::lenient());
    let mut seen: BTreeSet<&str> = NOT_THE_PACKETS.into();
    for case in broken() {
        let name = case.name;
        let baseline = case.delta.then_some(&baseline);
        let mut state = published::third();
        let error = decode(&strict, baseline, &case.packet, &mut state).unwrap_err();
        assert_eq!(
            (error.code(), error.offset()),
            (case.code, case.offset),
            "{name}: {error}"
        );
        assert!(state.is_empty(), "{name}");
        assert_eq!(error.is_truncated(), case.truncated, "{name}");
        assert_eq!(error.is_limit(), case.code == "delta.limit", "{name}");
        assert_eq!(
            error.needs_full(),
            case.code == "delta.baseline-mismatch",
            "{name}"
        );
        let lenient = decode(&lenient, baseline, &case.packet, &mut state);
        assert_eq!(lenient.is_ok(), case.lenient, "{name}: {lenient:?}");
        assert!(
            error
                .to_string()
                .starts_with(&format!("byte {}: ", case.offset)),
            "{error}"
        );
        seen.insert(case.code);
    }
    let all: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code).collect();
    assert_eq!(seen, all);
    assert_eq!(all.len(), Rule::ALL.len(), "two rules have one code");
}

#[test]
fn a_baseline_that_is_not_the_right_one_asks_for_a_full_snapshot() {
    let schema = published::schema();
    let packet = unhex(published::DELTA);
    let mut state = published::first();
    let mut other = Snapshot::new(&published::one_bool(), 1);
    let decoder = Decoder::new(&schema);
    let error = decoder.delta(&other, &packet, &mut state).unwrap_err();
    assert_eq!(
        (error.code(), error.offset()),
        ("delta.baseline-schema", 20)
    );
    assert!(!error.needs_full() && state.is_empty());
    // States are looked up by tick: this one is missing, then it is added.
    let mut held = Baselines::new(&schema, 2);
    let mut state = published::third();
    let error = decoder.apply(&held, &packet, &mut state).unwrap_err();
    assert_eq!(error.rule, Rule::BaselineMissing { baseline: 1 });
    assert!(error.needs_full() && state.is_empty());
    assert_eq!(
        error.to_string(),
        "byte 20: the baseline, tick 1, is not held"
    );
    decoder
        .apply(&held, &unhex(published::FULL), &mut state)
        .unwrap();
    held.push(state.clone()).unwrap();
    decoder.apply(&held, &packet, &mut state).unwrap();
    let mut third = published::third();
    gametape_delta::settle(&published::first(), &mut third);
    assert_eq!(state, third);
    let error = decoder.apply(&held, &packet[..27], &mut state).unwrap_err();
    assert_eq!(error.code(), "delta.header");
    // A target of another schema is adapted.
    decoder.full(&unhex(published::FULL), &mut other).unwrap();
    assert_eq!(other, published::first());
}

type Set = fn(&mut Limits, usize);

/// Both sides apply the same limits: a reader accepts whatever a writer with the same limits
/// writes.
#[test]
fn every_limit_holds_on_both_sides() {
    let schema = published::schema();
    let (first, third) = (published::first(), published::third());
    let (full, delta) = (unhex(published::FULL), unhex(published::DELTA));
    // The number that the two packets need, and the offset at which a reader stops with a limit of
    // one less.
    let table: [(Limit, usize, Set, bool, usize); 9] = [
        (
            Limit::PacketBytes,
            57,
            |l, n| l.max_packet_bytes = n,
            false,
            56,
        ),
        (Limit::Sections, 3, |l, n| l.max_sections = n, true, 49),
        (
            Limit::SectionBytes,
            27,
            |l, n| l.max_section_bytes = n,
            false,
            29,
        ),
        (
            Limit::Creates,
            3,
            |l, n| l.max_entities_create = n,
            false,
            31,
        ),
        (
            Limit::Updates,
            2,
            |l, n| l.max_entities_update = n,
            true,
            52,
        ),
        (
            Limit::Destroys,
            1,
            |l, n| l.max_entities_destroy = n,
            true,
            31,
        ),
        (Limit::Components, 2, |l, n| l.max_components = n, false, 8),
        (Limit::Fields, 3, |l, n| l.max_fields = n, false, 8),
        (Limit::Entities, 3, |l, n| l.max_entities = n, false, 0),
    ];
    for (limit, needed, set, is_delta, offset) in table {
        let mut limits = Limits::NONE;
        set(&mut limits, needed);
        let run = |limits: Limits| {
            let (mut bytes, mut state) = (Vec::new(), Snapshot::new(&schema, 0));
            let mut encoder = Encoder::new(&schema).limits(limits);
            let decoder = Decoder::with_options(&schema, ReadOptions::strict().limits(limits));
            if is_delta {
                let written = encoder.delta(&first, &third, &mut bytes);
                (written, decoder.delta(&first, &delta, &mut state))
            } else {
                (
                    encoder.full(&first, &mut bytes),
                    decoder.full(&full, &mut state),
                )
            }
        };
        assert_eq!(run(limits), (Ok(()), Ok(())), "{limit}");
        let max = needed - 1;
        set(&mut limits, max);
        let (written, read) = run(limits);
        let found = needed;
        assert_eq!(written, Err(EncodeError::Limit { limit, max, found }));
        let rule = Rule::Limit { limit, max, found };
        assert_eq!(read, Err(Error { rule, offset }));
        assert!(read.unwrap_err().is_limit());
        assert_eq!(limit.to_string(), limit.name());
    }
    // A delta that creates too many entities: they are counted after it was applied.
    let limits = Limits {
        max_entities: 2,
        ..Limits::NONE
    };
    let decoder = Decoder::with_options(&schema, ReadOptions::strict().limits(limits));
    let mut state = Snapshot::new(&schema, 0);
    let error = decoder.delta(&first, &delta, &mut state).unwrap_err();
    assert!(error.is_limit() && state.is_empty());
}

/// Counts are checked against the limits and the available bytes before anything is done. Without
/// limits, four billion entities would otherwise take gigabytes or minutes.
#[test]
fn claims_of_billions_are_refused_at_once() {
    let schema = Schema::new([]).unwrap();
    let baseline = Snapshot::new(&schema, 1);
    let decoder = Decoder::with_options(&schema, ReadOptions::strict().limits(Limits::NONE));
    let mut state = Snapshot::new(&schema, 0);
    for (tag, kind) in [
        (1, Kind::Full),
        (1, Kind::Delta { baseline: 1 }),
        (2, Kind::Delta { baseline: 1 }),
        (3, Kind::Delta { baseline: 1 }),
    ] {
        let packet = crate::common::Parts::new(schema.hash(), kind, 3)
            .section(tag, u32::MAX, |bits| bits.u32(1))
            .build();
        let baseline = matches!(kind, Kind::Delta { .. }).then_some(&baseline);
        let error = decode(&decoder, baseline, &packet, &mut state).unwrap_err();
        assert_eq!(error.code(), "delta.count");
        let error = decode(&Decoder::new(&schema), baseline, &packet, &mut state).unwrap_err();
        assert!(error.is_limit());
        assert_eq!(decoder.packet(&packet).unwrap_err().code(), "delta.count");
    }
}

#[test]
fn every_error_of_the_encoder() {
    let schema = published::schema();
    let (first, mut third) = (published::first(), published::third());
    let mut encoder = Encoder::new(&schema);
    let mut bytes = Vec::new();
    let other = Snapshot::new(&published::one_bool(), 9);
    let wrong_schema = Err(EncodeError::Schema {
        expected: Hash(schema.hash()),
        found: Hash(other.schema().hash()),
    });
    assert_eq!(encoder.full(&other, &mut bytes), wrong_schema);
    assert_eq!(encoder.delta(&other, &third, &mut bytes), wrong_schema);
    assert_eq!(encoder.delta(&first, &other, &mut bytes), wrong_schema);
    let zero = Snapshot::new(&schema, 0);
    assert_eq!(
        encoder.delta(&zero, &third, &mut bytes),
        Err(EncodeError::BaselineZero)
    );
    for tick in [0, 1] {
        third.set_tick(tick);
        let order = Err(EncodeError::TickOrder { tick, baseline: 1 });
        assert_eq!(encoder.delta(&first, &third, &mut bytes), order);
    }
    // For limits see above. Handmade packets are checked against the rules and the schema.
    let mut packet = Decoder::new(&schema)
        .packet(&unhex(published::DELTA))
        .unwrap();
    packet.sections.swap(0, 2);
    encoder.packet(&packet, &mut bytes).unwrap();
    packet.sections[0].entities.reverse();
    let error = encoder.packet(&packet, &mut bytes).unwrap_err();
    assert!(matches!(error, PacketError::Rule(error) if error.code() == "delta.entity-order"));
    assert!(bytes.is_empty());
    packet.sections[0].entities.reverse();
    // Changes that masks cannot represent are refused, and not written as something else.
    let mut refused = |change: fn(&mut Packet)| {
        let mut packet = packet.clone();
        change(&mut packet);
        assert!(encoder.packet(&packet, &mut bytes).is_err());
        assert!(bytes.is_empty());
    };
    refused(|packet| {
        packet.sections[1].entities[0].components.reverse();
    });
    refused(|packet| {
        let part = &mut packet.sections[1].entities[0].components[0];
        part.fields.reverse();
    });
    refused(|packet| {
        let gone = packet.sections[0].entities[0].components.clone();
        packet.sections[2].entities[0].components = gone;
    });
    refused(|packet| {
        let fields = &mut packet.sections[0].entities[0].components[0].fields;
        fields.push(fields[0]);
    });
    packet.sections[0].entities[0].components[0].fields[0].0 = 77;
    let (component, field) = (1, 77);
    assert_eq!(
        encoder.packet(&packet, &mut bytes),
        Err(PacketError::Value(ValueError::UnknownField {
            component,
            field
        }))
    );
    packet.sections[0].entities[0].components[0].id = 77;
    assert_eq!(
        encoder.packet(&packet, &mut bytes),
        Err(PacketError::Value(ValueError::UnknownComponent {
            component: 77
        }))
    );
}

#[test]
#[rustfmt::skip] // A case a line.
fn every_error_of_a_schema() {
    let bools = |ids: &[u16]| ids.iter().map(|id| Field::new(*id, Codec::Bool)).collect::<Vec<_>>();
    let of = |codec| Schema::new([Component::new(1, [Field::new(2, codec)])]).unwrap_err();
    let new = |components: Vec<Component>| Schema::new(components).unwrap_err();
    let (component, field) = (1, 2);
    let fixed = |min_q, max_q, scale| Codec::FixedPoint { min_q, max_q, scale };
    assert_eq!(new(vec![Component::new(0, [])]), SchemaError::ZeroId { component: None });
    assert_eq!(new(vec![Component::new(1, bools(&[0]))]), SchemaError::ZeroId { component: Some(1) });
    assert_eq!(new(vec![Component::new(1, []); 2]), SchemaError::DuplicateComponent { component });
    assert_eq!(new(vec![Component::new(1, bools(&[2, 2]))]), SchemaError::DuplicateField { component, field });
    let many: Vec<u16> = (1..=65).collect();
    let components = many.iter().map(|id| Component::new(*id, [])).collect();
    assert_eq!(new(components), SchemaError::TooManyComponents { components: 65 });
    assert_eq!(new(vec![Component::new(1, bools(&many))]), SchemaError::TooManyFields { component, fields: 65 });
    for bits in [0, 65, 255] {
        assert_eq!(of(Codec::UInt { bits }), SchemaError::BitWidth { component, field, bits });
        assert_eq!(of(Codec::SInt { bits }), SchemaError::BitWidth { component, field, bits });
    }
    assert_eq!(of(fixed(1, 0, 1)), SchemaError::Range { component, field, min_q: 1, max_q: 0 });
    assert_eq!(of(fixed(0, 1, 0)), SchemaError::ZeroScale { component, field });
    // JSON goes through the same checks.
    let json = r#"{"components":[{"id":1,"fields":[{"id":1,"codec":{"UInt":{"bits":65}}}]}]}"#;
    let error = serde_json::from_str::<Schema>(json).unwrap_err().to_string();
    assert!(error.contains("65 bits, 1 to 64 are possible"), "{error}");
}

#[test]
fn a_key_of_a_schema_that_is_not_known_is_an_error_wherever_it_stands() {
    let json = r#"{"components":[{"id":1,"fields":[
        {"id":1,"codec":{"UInt":{"bits":6}},"change":{"Threshold":{"threshold_q":5}}},
        {"id":2,"codec":{"FixedPoint":{"min_q":0,"max_q":9,"scale":1}}}]}]}"#;
    assert!(serde_json::from_str::<Schema>(json).is_ok());
    for before in [
        "\"components\":",
        "\"fields\":",
        "\"codec\":",
        "\"bits\":",
        "\"threshold_q\":",
        "\"scale\":",
    ] {
        let with = json.replacen(before, &format!("\"unit\":1,{before}"), 1);
        let error = serde_json::from_str::<Schema>(&with)
            .unwrap_err()
            .to_string();
        assert!(error.contains("unknown field `unit`"), "{before} {error}");
    }
}

#[test]
#[rustfmt::skip] // A case a line.
fn every_error_of_a_value_leaves_the_state_alone() {
    let schema = published::schema();
    let mut state = published::first();
    let before = state.clone();
    let c1 = [Bool(true), UInt(513), SInt(-3)];
    let (component, field) = (1, 2);
    let expect = |result: Result<(), ValueError>, error: ValueError| {
        assert_eq!(result, Err(error));
    };
    let mut set = |component, values: &[Value]| state.entry(1).set(component, values).map(drop);
    expect(set(3, &c1), ValueError::UnknownComponent { component: 3 });
    for values in [2, 4] {
        let given: Vec<_> = c1.iter().copied().cycle().take(values).collect();
        expect(set(1, &given), ValueError::FieldCount { component, fields: 3, values });
    }
    expect(set(1, &[Bool(true), SInt(5), SInt(-3)]), ValueError::Kind { component, field, expected: "UInt", found: "SInt" });
    let range = |field, value, min, max| ValueError::OutOfRange { component: 1, field, value, min, max };
    expect(set(1, &[Bool(true), UInt(1024), SInt(-3)]), range(2, 1024, 0, 1023));
    expect(set(1, &[Bool(true), UInt(0), SInt(-17)]), range(3, -17, -16, 15));
    expect(state.entry(1).set_value(1, 7, UInt(5)).map(drop), ValueError::UnknownField { component, field: 7 });
    expect(state.entry(1).set_value(2, 1, Value::VarUInt(5)).map(drop), ValueError::NoComponent { entity: 1, component: 2 });
    expect(state.insert(9).map(drop), ValueError::EntityExists { entity: 9 });
    expect(state.get::<Speed>(7).map(drop), ValueError::NoEntity { entity: 7 });
    expect(state.get::<Speed>(1).map(drop), ValueError::NoComponent { entity: 1, component: 2 });
    let why = QuantiseError::NotFinite;
    let unquantisable = ValueError::Unquantisable { component: 2, field: 3, why };
    expect(state.put(7, &Speed(f64::NAN)), unquantisable.clone());
    assert!(unquantisable.to_string().ends_with("not a finite number"));
    assert_eq!(state, before);
    state.put(7, &Speed(-9.99)).unwrap();
    assert!((state.get::<Speed>(7).unwrap().0 + 9.99).abs() < 1e-9);
    assert_eq!(schema.component(2).unwrap().1, &<Speed as gametape_delta::Replicate>::component());
}

/// Component 2 of the published schema; only its last field matters here.
struct Speed(f64);

const SPEED: FixedPoint = FixedPoint::new(-10.0, 10.0, 100);

impl gametape_delta::Replicate for Speed {
    const COMPONENT: u16 = 2;

    fn component() -> Component {
        published::schema().components()[1].clone()
    }

    fn write(&self, to: &mut gametape_delta::ValueWriter<'_>) -> Result<(), ValueError> {
        to.value(Value::VarUInt(0))?;
        to.value(Value::VarSInt(0))?;
        to.fixed(&SPEED, self.0)
    }

    fn read(from: &mut gametape_delta::ValueReader<'_>) -> Result<Self, ValueError> {
        from.value()?;
        from.value()?;
        Ok(Self(from.fixed(&SPEED)?))
    }
}

#[test]
fn every_error_of_quantisation_and_of_the_ring() {
    let out = |value| QuantiseError::OutOfRange {
        value,
        min: -10.0,
        max: 10.0,
    };
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(SPEED.quantise(value), Err(QuantiseError::NotFinite));
    }
    for value in [10.005, -10.005, f64::MAX, f64::MIN] {
        assert_eq!(SPEED.quantise(value), Err(out(value)));
    }
    assert_eq!(SPEED.quantise(10.004), Ok(1000));
    assert_eq!(SPEED.quantise_clamped(f64::NEG_INFINITY), Ok(-1000));
    assert_eq!(
        SPEED.quantise_clamped(f64::NAN),
        Err(QuantiseError::NotFinite)
    );
    let rotation = SmallestThree::new(9);
    assert_eq!(rotation.quantise([0.0; 4]), Err(QuantiseError::NoRotation));
    assert_eq!(
        rotation.quantise([0.0, 0.0, f32::NAN, 1.0]),
        Err(QuantiseError::NotFinite)
    );

    let schema = published::one_bool();
    let mut ring = Baselines::new(&schema, 2);
    for tick in [3, 5, 9] {
        ring.push(Snapshot::new(&schema, tick)).unwrap();
    }
    for tick in [0, 5, 9] {
        let refused = ring.push(Snapshot::new(&schema, tick));
        assert_eq!(refused, Err(NotNewer { tick, latest: 9 }));
    }
    assert!(ring.iter().map(Snapshot::tick).eq([5, 9]));
    assert_eq!((ring.get(3), ring.get(6)), (None, None));
}
