//! The conformance cases in `vectors/`, for implementations in any language. They are created here,
//! compared with the files, and run from the files.
//!
//! `GAMETAPE_BLESS=1` writes the files again. The vectors published with the notes on the
//! specification are checked, too.

use std::path::PathBuf;

use crate::common::broken::{self, broken};
use crate::common::{
    Oracle, Parts, bounds, form, hex, published, state_from_json, state_to_json, unhex, value,
};
use gametape_delta::Value::{self, Bool, FixedPoint, SInt, UInt, VarSInt, VarUInt};
use gametape_delta::{
    Codec, Component, Decoder, Encoder, Field, ReadOptions, Schema, Snapshot, settle,
};
use serde_json::{Value as Json, json};

/// Collects the cases of one file.
struct Cases(Vec<Json>);

impl Cases {
    fn add(
        &mut self,
        name: &str,
        why: &str,
        schema: &Schema,
        from: Option<&Snapshot>,
        rest: &Json,
    ) {
        let mut case = json!({
            "name": name,
            "why": why,
            "schema": schema,
            "schema_hash": format!("{:016x}", schema.hash()),
            "baseline": from.map(state_to_json),
        });
        case.as_object_mut()
            .unwrap()
            .append(&mut rest.as_object().unwrap().clone());
        self.0.push(case);
    }

    /// Adds a case of a state, its packet, and the result.
    fn encoded(&mut self, name: &str, why: &str, from: Option<&Snapshot>, to: &Snapshot) {
        let schema = to.schema();
        let mut packet = Vec::new();
        let mut encoder = Encoder::new(schema);
        let mut read = to.clone();
        match from {
            None => encoder.full(to, &mut packet).unwrap(),
            Some(from) => {
                encoder.delta(from, to, &mut packet).unwrap();
                settle(from, &mut read);
            }
        }
        let mut rest = json!({ "packet": hex(&packet), "state": state_to_json(&read) });
        rest["encode"] = state_to_json(to);
        self.add(name, why, schema, from, &rest);
    }

    /// Adds a packet that no encoder here writes but every decoder must read.
    fn decoded(
        &mut self,
        name: &str,
        why: &str,
        from: Option<&Snapshot>,
        parts: &Parts,
        state: &Snapshot,
    ) {
        let rest = json!({ "packet": hex(&parts.build()), "state": state_to_json(state) });
        self.add(name, why, state.schema(), from, &rest);
    }
}

/// Returns a schema of one component with these fields.
fn one(fields: &[Field]) -> Schema {
    let fields = fields.iter().enumerate().map(|(at, field)| Field {
        id: at as u16 + 1,
        ..field.clone()
    });
    Schema::new([Component::new(1, fields.collect::<Vec<_>>())]).unwrap()
}

fn field(codec: Codec) -> Field {
    Field::new(1, codec)
}

/// Returns entities 1, 2, … with these values of component 1.
fn state(schema: &Schema, tick: u32, rows: &[&[Value]]) -> Snapshot {
    let mut state = Snapshot::new(schema, tick);
    for (at, values) in rows.iter().enumerate() {
        state.entry(at as u32 + 1).set(1, values).unwrap();
    }
    state
}

/// Returns one entity per number, with all fields in the same codec.
fn numbers(codec: Codec, numbers: &[i128]) -> Snapshot {
    let schema = one(&[field(codec)]);
    let mut made = Snapshot::new(&schema, 1);
    for (at, number) in numbers.iter().enumerate() {
        made.entry(at as u32)
            .set(1, &[value(codec, *number)])
            .unwrap();
    }
    made
}

fn fixed(min_q: i64, max_q: i64) -> Codec {
    Codec::FixedPoint {
        min_q,
        max_q,
        scale: 100,
    }
}

#[rustfmt::skip] // A case a line.
fn full_cases() -> Cases {
    let mut cases = Cases(Vec::new());
    cases.encoded("published-full", "the vector of the notes: three entities, two components, every kind of codec", None, &published::first());
    let one_bool = published::one_bool();
    cases.encoded("empty", "no entity: a header and nothing else", None, &Snapshot::new(&published::schema(), 1));
    cases.encoded("one-bool", "the smallest schema with a field", None, &state(&one_bool, 7, &[&[Bool(true)], &[Bool(false)]]));
    cases.encoded("tick-0", "a full snapshot may be of tick 0 (no delta can build on it)", None, &state(&one_bool, 0, &[&[Bool(true)]]));
    cases.encoded("tick-last", "the last tick there is", None, &state(&one_bool, u32::MAX, &[&[Bool(true)]]));

    let mut bare = Snapshot::new(&published::schema(), 1);
    bare.entry(0);
    bare.entry(u32::MAX);
    cases.encoded("bare-entities", "entities without components, of the first and the last id", None, &bare);
    let none = Schema::new([]).unwrap();
    let mut bare = Snapshot::new(&none, 1);
    bare.entry(1);
    bare.entry(2);
    cases.encoded("no-components", "a schema without components: masks of no bits", None, &bare);
    let empty = Schema::new([Component::new(1, []), Component::new(2, [field(Codec::Bool)])]).unwrap();
    let mut marked = Snapshot::new(&empty, 1);
    marked.entry(1).set(1, &[]).unwrap();
    marked
        .entry(2)
        .set(2, &[Bool(true)])
        .unwrap()
        .set(1, &[])
        .unwrap();
    cases.encoded("component-without-fields", "a component that is only a mark: one bit of the component mask, no field mask", None, &marked);

    for (name, why, codec) in [
        ("uint-1", "one bit", Codec::UInt { bits: 1 }),
        ("uint-10", "a value across bytes, high bit first", Codec::UInt { bits: 10 }),
        ("uint-32", "aligned u32 are little-endian, these are not aligned", Codec::UInt { bits: 32 }),
        ("uint-63", "a bit less than a word", Codec::UInt { bits: 63 }),
        ("uint-64", "a whole word", Codec::UInt { bits: 64 }),
        ("sint-1", "the values are 0 and -1", Codec::SInt { bits: 1 }),
        ("sint-5", "two's complement of five bits", Codec::SInt { bits: 5 }),
        ("sint-63", "two's complement of 63 bits (the origin's reader overflows)", Codec::SInt { bits: 63 }),
        ("sint-64", "a whole word", Codec::SInt { bits: 64 }),
        ("fixed-point", "0 is the smallest, and not all codes of 11 bits are values", fixed(-1000, 1000)),
        ("fixed-point-1-bit", "two values", fixed(7, 8)),
        ("fixed-point-63-bits", "the widest bounds the origin can do", fixed(i64::MIN, -1)),
        ("fixed-point-64-bits", "all of an i64 (the origin overflows)", fixed(i64::MIN, i64::MAX)),
    ] {
        let (min, max) = bounds(codec);
        let mut all = vec![min, min + 1, min + (max - min) / 2, max - 1, max];
        all.extend((min < -1 && max > 1).then_some([-1, 0, 1]).into_iter().flatten());
        cases.encoded(name, why, None, &numbers(codec, &all));
    }
    cases.encoded("fixed-point-0-bits", "one value only: nothing on the wire but the mask", None, &numbers(fixed(-3, -3), &[-3, -3]));
    let edges = [0, 1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 268_435_455, 268_435_456, 0xffff_ffff];
    cases.encoded("varuint", "the first and last values of 1 to 5 bytes", None, &numbers(Codec::VarUInt, &edges));
    let edges = [0, -1, 1, -64, 64, -65, 8191, -8192, 8192, 0x7fff_ffff, -0x8000_0000];
    cases.encoded("varsint", "zigzag: 0, -1, 1, -2, …", None, &numbers(Codec::VarSInt, &edges));
    let mixed = one(&[field(Codec::Bool), field(Codec::VarUInt), field(Codec::Bool), field(Codec::VarSInt), field(Codec::UInt { bits: 3 })]);
    cases.encoded(
        "varints-align",
        "a varint starts at a byte, what follows it goes on from there",
        None,
        &state(&mixed, 1, &[&[Bool(true), VarUInt(1), Bool(true), VarSInt(-1), UInt(5)], &[Bool(false), VarUInt(300), Bool(true), VarSInt(-300), UInt(2)]]),
    );

    let wide: Vec<_> = (1..=64)
        .map(|id| Component::new(id * 7, [field(Codec::UInt { bits: 7 })]))
        .collect();
    let mut sparse = Snapshot::new(&Schema::new(wide).unwrap(), 1);
    for id in [1, 2, 33, 63, 64_u16] {
        sparse.entry(1).set(id * 7, &[UInt(id.into())]).unwrap();
    }
    cases.encoded("64-components", "a component mask of 64 bits; bit 1 is the first of the schema", None, &sparse);
    let order = Schema::new([Component::new(9, [field(Codec::UInt { bits: 8 })]), Component::new(3, [field(Codec::UInt { bits: 8 })])]).unwrap();
    let mut both = Snapshot::new(&order, 1);
    both.entry(1)
        .set(3, &[UInt(3)])
        .unwrap()
        .set(9, &[UInt(9)])
        .unwrap();
    cases.encoded("declaration-order", "masks and values follow the order of the schema, not that of the ids", None, &both);
    let parts = broken::full().section(1, 0, |_| {});
    cases.decoded("empty-create", "a CREATE section of no entity; encoders leave it out", None, &parts, &Snapshot::new(&published::schema(), 3));
    cases
}

#[rustfmt::skip] // A case a line.
fn delta_cases() -> Cases {
    let mut cases = Cases(Vec::new());
    let (first, third) = (published::first(), published::third());
    cases.encoded("published-delta", "the vector of the notes: an update, one within its threshold, a destroy and a create", Some(&first), &third);
    let mut same = first.clone();
    same.set_tick(2);
    cases.encoded("nothing", "nothing changed: a header and nothing else", Some(&first), &same);
    let with_tick = |tick, values: &[&[Value]]| state(&published::one_bool(), tick, values);
    cases.encoded("last-ticks", "the last two ticks there are", Some(&with_tick(u32::MAX - 1, &[&[Bool(true)]])), &with_tick(u32::MAX, &[&[Bool(false)]]));
    cases.encoded("all-destroyed", "nothing is left", Some(&first), &Snapshot::new(first.schema(), 9));
    let mut between = first.clone();
    between.set_tick(2);
    for id in [0, 4, u32::MAX] {
        between
            .entry(id)
            .set(1, &[Bool(true), UInt(1), SInt(1)])
            .unwrap();
    }
    cases.encoded("creates-between", "before, between and after those that are there", Some(&first), &between);
    let mut second = first.clone();
    second.set_tick(2);
    second.entry(2).set_value(2, 2, VarSInt(i32::MIN)).unwrap();
    cases.encoded("second-component", "only the last component of an entity changed, and of it only one field", Some(&first), &second);

    let mut added = first.clone();
    added.set_tick(2);
    added
        .entry(1)
        .set(2, &[VarUInt(5), VarSInt(-5), FixedPoint(5)])
        .unwrap();
    cases.encoded("component-added", "UPDATE can't say it: destroy and create in one packet (the origin reads this and can't write it)", Some(&first), &added);
    let mut removed = first.clone();
    removed.set_tick(2);
    removed.entry(2).remove(2);
    removed.entry(9).remove(1);
    cases.encoded("component-removed", "as above; an entity may end up with none", Some(&first), &removed);

    // The values of the baseline, and of the state to encode.
    let mut threshold = |name: &str, why: &str, fields: &[Field], from: &[Value], to: &[Value]| {
        let schema = one(fields);
        cases.encoded(name, why, Some(&state(&schema, 1, &[from])), &state(&schema, 2, &[to]));
    };
    let five = |codec| field(codec).threshold(5);
    let all = [five(fixed(-1000, 1000)), five(Codec::UInt { bits: 16 }), five(Codec::SInt { bits: 16 }), five(Codec::VarUInt), five(Codec::VarSInt)];
    let from = [FixedPoint(0), UInt(100), SInt(-2), VarUInt(100), VarSInt(2)];
    threshold(
        "threshold-met",
        "a difference of exactly the threshold is not sent; what the receiver holds is the old value",
        &all,
        &from,
        &[FixedPoint(5), UInt(95), SInt(3), VarUInt(105), VarSInt(-3)],
    );
    threshold("threshold-exceeded", "one more is sent, and it is the value itself", &all, &from, &[FixedPoint(-6), UInt(106), SInt(-8), VarUInt(94), VarSInt(8)]);
    threshold("threshold-mixed", "fields of one component are judged one by one", &all, &from, &[FixedPoint(6), UInt(105), SInt(4), VarUInt(100), VarSInt(-3)]);
    threshold("threshold-bool", "bools ignore it", &[field(Codec::Bool).threshold(5)], &[Bool(false)], &[Bool(true)]);
    threshold("threshold-0", "as without one, but the schema has another hash", &[field(Codec::UInt { bits: 8 }).threshold(0)], &[UInt(1)], &[UInt(2)]);
    threshold(
        "threshold-largest",
        "differences of 2^32 - 1 and of 2^32",
        &[field(Codec::UInt { bits: 64 }).threshold(u32::MAX), field(Codec::UInt { bits: 64 }).threshold(u32::MAX)],
        &[UInt(1), UInt(1)],
        &[UInt(1 << 32), UInt((1 << 32) + 1)],
    );
    threshold(
        "threshold-across-i64",
        "the difference of two values may not fit an i64 (the origin overflows)",
        &[five(Codec::SInt { bits: 64 }), five(fixed(i64::MIN, i64::MAX))],
        &[SInt(i64::MIN), FixedPoint(i64::MAX)],
        &[SInt(i64::MAX), FixedPoint(i64::MIN)],
    );

    let write_first = |bits: &mut gametape_delta::bits::BitWriter, id: u32| {
        bits.u32(id);
        bits.write(0b10, 2);
        bits.write(0b1111, 4);
        bits.write(5, 10);
        bits.write(31, 5);
    };
    let c1 = [Bool(true), UInt(5), SInt(-1)];
    let update = |parts: Parts, id: u32| {
        parts.section(3, 1, |bits| {
            bits.u32(id);
            bits.write(0b10_010, 5);
            bits.write(6, 10);
        })
    };
    let mut held = first.clone();
    held.set_tick(3);
    held.remove(9);
    held.entry(5).set(1, &c1).unwrap();
    held.entry(1).set_value(1, 2, UInt(6)).unwrap();
    let create = |parts: Parts, id| parts.section(1, 1, |bits| write_first(bits, id));
    let destroy = |parts: Parts, id: u32| parts.section(2, 1, |bits| bits.u32(id));
    let shuffled = destroy(create(update(broken::delta(3), 1), 5), 9);
    cases.decoded("any-order", "UPDATE, CREATE, DESTROY: applied as destroy, create, update all the same", Some(&first), &shuffled, &held);
    held.entry(1).set_value(1, 2, UInt(513)).unwrap();
    held.entry(5).set_value(1, 2, UInt(6)).unwrap();
    let parts = update(create(destroy(broken::delta(3), 9), 5), 5);
    cases.decoded("update-of-created", "an update may name an entity that the same packet creates", Some(&first), &parts, &held);
    let mut again = first.clone();
    again.set_tick(3);
    again.remove(2);
    again.entry(2).set(1, &c1).unwrap();
    let parts = create(destroy(broken::delta(3), 2), 2);
    cases.decoded("destroy-and-create", "of one id in one packet: the entity starts anew", Some(&first), &parts, &again);
    let parts = destroy(create(broken::delta(3), 2), 2);
    cases.decoded("create-and-destroy", "as above: the order of the sections does not matter", Some(&first), &parts, &again);
    same.set_tick(3);
    let parts = broken::delta(3).section(3, 2, |bits| {
        for id in [1, 9] {
            bits.u32(id);
            bits.write(0, 2);
        }
    });
    cases.decoded("update-of-nothing", "updates without components change nothing", Some(&first), &parts, &same);
    let parts = [2, 1, 3].iter().fold(broken::delta(3), |parts, tag| parts.section(*tag, 0, |_| {}));
    cases.decoded("empty-sections", "sections of no entity; encoders leave them out", Some(&first), &parts, &same);
    let parts = broken::delta(3).section(3, 1, |bits| {
        bits.u32(2);
        bits.write(0b01_001, 5);
        bits.write(0, 11);
    });
    cases.decoded("update-to-the-same", "a value may be sent though it did not change", Some(&first), &parts, &same);
    cases
}

fn error_cases() -> Cases {
    let mut cases = Cases(Vec::new());
    let schema = published::schema();
    let baseline = broken::baseline();
    let lenient = Decoder::with_options(&schema, ReadOptions::lenient());
    for case in broken() {
        let baseline = case.delta.then_some(&baseline);
        let mut rest = json!({
            "packet": hex(&case.packet),
            "error": case.code,
            "offset": case.offset,
        });
        if case.lenient {
            let mut state = Snapshot::new(&schema, 0);
            crate::common::decode(&lenient, baseline, &case.packet, &mut state).unwrap();
            rest["lenient"] = state_to_json(&state);
        }
        cases.add(case.name, case.why, &schema, baseline, &rest);
    }
    cases
}

/// The oracle overflows in these cases (a panic in a debug build), see `common::codec`.
const NOT_FOR_THE_ORACLE: [&str; 3] = ["sint-63", "fixed-point-64-bits", "threshold-across-i64"];
/// The oracle reads these but cannot write them.
const NOT_WRITTEN_BY_THE_ORACLE: [&str; 2] = ["component-added", "component-removed"];

/// Runs a case as it is in the file.
fn run(case: &Json) {
    let name = case["name"].as_str().unwrap();
    let schema: Schema = serde_json::from_value(case["schema"].clone()).unwrap();
    assert_eq!(
        format!("{:016x}", schema.hash()),
        case["schema_hash"],
        "{name}"
    );
    let baseline = &case["baseline"];
    let baseline = (!baseline.is_null()).then(|| state_from_json(&schema, baseline));
    let baseline = baseline.as_ref();
    let packet = unhex(case["packet"].as_str().unwrap());
    let mut state = Snapshot::new(&schema, 0);
    let mut read = |decoder: &Decoder| {
        crate::common::decode(decoder, baseline, &packet, &mut state).map(|()| state.clone())
    };
    let strict = read(&Decoder::new(&schema));
    let lenient = read(&Decoder::with_options(&schema, ReadOptions::lenient()));
    let oracle = Oracle::with_default_limits(&schema);
    let theirs = (!NOT_FOR_THE_ORACLE.contains(&name))
        .then(|| oracle.decode(baseline.map(form::state).as_ref(), &packet));

    if let Some(code) = case.get("error") {
        let error = strict.unwrap_err();
        assert_eq!(
            (&json!(error.code()), &json!(error.offset())),
            (code, &case["offset"]),
            "{name}"
        );
        let expected = case
            .get("lenient")
            .map(|state| state_from_json(&schema, state));
        assert_eq!(lenient.ok(), expected, "{name}");
        // Of the refused packets, the oracle accepts those that lenient decoders accept; it also
        // drops excess bits.
        let takes = expected.is_some() || name.ends_with("-33-bits");
        assert_eq!(theirs.unwrap().is_ok(), takes, "{name}");
        return;
    }
    let expected = state_from_json(&schema, &case["state"]);
    assert_eq!(strict.as_ref(), Ok(&expected), "{name}");
    assert_eq!(lenient, strict, "{name}");
    if let Some(theirs) = theirs {
        assert_eq!(form::back(&schema, &theirs.unwrap()), expected, "{name}");
    }
    let mut again = Vec::new();
    let mut encoder = Encoder::new(&schema);
    let parsed = Decoder::new(&schema).packet(&packet).unwrap();
    encoder.packet(&parsed, &mut again).unwrap();
    assert_eq!(again, packet, "{name}");
    let Some(encode) = case.get("encode") else {
        return;
    };
    let encode = state_from_json(&schema, encode);
    let theirs = match baseline {
        None => {
            encoder.full(&encode, &mut again).unwrap();
            (!NOT_FOR_THE_ORACLE.contains(&name)).then(|| oracle.encode_full(&encode).unwrap())
        }
        Some(from) => {
            encoder.delta(from, &encode, &mut again).unwrap();
            (!NOT_FOR_THE_ORACLE.contains(&name))
                .then(|| oracle.encode_delta(from, &encode).ok())
                .flatten()
        }
    };
    assert_eq!(again, packet, "{name}");
    match theirs {
        Some(theirs) => assert_eq!(theirs, packet, "{name}"),
        None => assert!(
            NOT_FOR_THE_ORACLE.contains(&name) || NOT_WRITTEN_BY_THE_ORACLE.contains(&name),
            "{name}: the oracle can't write it"
        ),
    }
}

#[test]
fn the_files_hold_the_cases_and_every_case_comes_out() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let bless = std::env::var_os("GAMETAPE_BLESS").is_some();
    let mut names = Vec::new();
    for (file, cases) in [
        ("full.json", full_cases()),
        ("delta.json", delta_cases()),
        ("errors.json", error_cases()),
    ] {
        // One case per line, so that diffs and cases stay readable.
        let lines: Vec<_> = cases.0.iter().map(Json::to_string).collect();
        let text = format!("[\n{}\n]\n", lines.join(",\n"));
        let path = folder.join(file);
        if bless {
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap();
        for (stored, made) in stored.lines().zip(text.lines()) {
            assert_eq!(
                stored, made,
                "{file} differs: GAMETAPE_BLESS=1 writes it anew"
            );
        }
        assert_eq!(stored.len(), text.len(), "{file} has cases more or less");
        let cases: Vec<Json> = serde_json::from_str(&stored).unwrap();
        for case in &cases {
            run(case);
            names.push(case["name"].as_str().unwrap().to_owned());
        }
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "two cases have one name");
    assert!(count >= 40, "{count} cases");
}

#[test]
fn the_published_vectors_are_written_and_read() {
    let schema = published::schema();
    assert_eq!(schema.hash(), published::HASH);
    assert_eq!(published::one_bool().hash(), published::ONE_BOOL_HASH);
    let (first, mut third) = (published::first(), published::third());
    let (mut encoder, decoder) = (Encoder::new(&schema), Decoder::new(&schema));
    let (mut packet, mut again) = (Vec::new(), Vec::new());
    let mut state = Snapshot::new(&schema, 0);

    encoder.full(&first, &mut packet).unwrap();
    assert_eq!(packet, unhex(published::FULL));
    decoder.full(&packet, &mut state).unwrap();
    assert_eq!(state, first);

    encoder.delta(&first, &third, &mut packet).unwrap();
    assert_eq!(packet, unhex(published::DELTA));
    decoder.delta(&first, &packet, &mut state).unwrap();
    settle(&first, &mut third);
    assert_eq!(state, third);
    encoder
        .packet(&decoder.packet(&packet).unwrap(), &mut again)
        .unwrap();
    assert_eq!(again, packet);
}
