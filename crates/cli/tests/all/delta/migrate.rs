//! Recordings that are carried to another schema.

use std::fs;

use gametape::delta::{Codec, Component, Field, Schema};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::str;

use super::support::{StateRow, TICKS, expect, fine, folder, outputs, refused, state_rows};

/// The arena's components, changed.
fn changed(change: impl FnOnce(&mut Vec<Component>)) -> Vec<u8> {
    let mut components = Arena::schema().components().to_vec();
    change(&mut components);
    serde_json::to_vec(&Schema::new(components).unwrap()).unwrap()
}

fn last_state(folder: &std::path::Path, name: &str) -> Vec<StateRow> {
    state_rows(&fine(folder, &format!("dump --state {name}"))).1
}

#[test]
fn a_compatible_schema_loses_nothing() {
    let folder = folder();
    let path = folder.path();
    // A wider range, and a field that is new.
    let wide = changed(|components| {
        components[0].fields[6].codec = Codec::UInt { bits: 16 };
        components[0]
            .fields
            .push(Field::new(9, Codec::VarUInt).named("fuel"));
    });
    fs::write(path.join("wide.json"), &wide).unwrap();
    for (input, output) in [
        ("run.mcap", "wide.mcap"),
        ("run.delta", "wide.delta"),
        ("packets", "again.delta"),
    ] {
        assert_eq!(
            fine(
                path,
                &format!("convert {input} {output} --schema wide.json")
            ),
            ""
        );
        assert!(
            fine(path, &format!("verify {output}")).starts_with("pass "),
            "{output}"
        );
        let old = last_state(path, input);
        let new = last_state(path, output);
        assert_eq!(old.len(), new.len());
        for ((table, entity, old), (new_table, new_entity, mut new)) in old.into_iter().zip(new) {
            assert_eq!((&table, entity), (&new_table, new_entity));
            if table == "ship" {
                assert_eq!(new.pop(), Some(0.into()));
            }
            assert_eq!(old, new);
        }
    }
    // Ticks, times and the length of a tick stay.
    let info: Value = serde_json::from_str(&fine(path, "inspect --json wide.mcap")).unwrap();
    assert_eq!(info["steps"], TICKS);
    assert_eq!(info["details"]["tick_ns"], 50_000_000);
    // The schema may be taken from a recording; what lies beside the packets is the new one.
    fine(path, "convert run.mcap as-other.mcap --schema wide.delta");
    assert_eq!(
        fs::read(path.join("as-other.mcap")).unwrap(),
        fs::read(path.join("wide.mcap")).unwrap()
    );
    let (out, _) = outputs(path, "schema compare wide.json wide.schema.json", 0);
    assert!(out.starts_with("both are schema "), "{out}");
}

#[test]
fn values_that_the_new_schema_cannot_hold_are_lost_and_named() {
    let folder = folder();
    let path = folder.path();
    // Without shields and hulls, positions in tenths.
    let poor = changed(|components| {
        components.truncate(1);
        components[0].fields.truncate(7);
        for field in &mut components[0].fields[..3] {
            field.codec = Codec::FixedPoint {
                min_q: -5_000,
                max_q: 5_000,
                scale: 10,
            };
        }
    });
    fs::write(path.join("poor.json"), &poor).unwrap();
    expect(path, "convert run.mcap poor.mcap --schema poor.json", 3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
not carried over: component 1, field 1: what multiples of 1/100 have beyond multiples of 1/10
not carried over: component 1, field 2: what multiples of 1/100 have beyond multiples of 1/10
not carried over: component 1, field 3: what multiples of 1/100 have beyond multiples of 1/10
not carried over: component 1, field 8 (hull)
not carried over: component 2 (shield)

"#]]);
    expect(path, "convert --json run.delta poor.delta --schema poor.json", 3)
    .stdout_eq(str![[r#"
{"path":"run.delta","out":"poor.delta","format":"delta","to":"delta","bytes":3785,"losses":["component 1, field 1: what multiples of 1/100 have beyond multiples of 1/10","component 1, field 2: what multiples of 1/100 have beyond multiples of 1/10","component 1, field 3: what multiples of 1/100 have beyond multiples of 1/10","component 1, field 8 (hull)","component 2 (shield)"],"notes":[],"report":null}

"#]])
    .stderr_eq("");
    assert!(fine(path, "verify poor.mcap").starts_with("pass "));
    assert_eq!(
        fine(path, "diff poor.mcap poor.delta"),
        "the recordings are the same\n"
    );
    let poor = last_state(path, "poor.mcap");
    assert_eq!(poor.len(), 4);
    for ((_, entity, old), (_, new_entity, new)) in last_state(path, "run.mcap").iter().zip(&poor) {
        assert_eq!(entity, new_entity);
        for (old, new) in old.iter().zip(new).take(3) {
            let error = old.as_f64().unwrap() - new.as_f64().unwrap();
            assert!(error.abs() < 0.0501, "{old} became {new}");
        }
    }
    // The input is not replaced by less.
    let before = fs::read(path.join("run.mcap")).unwrap();
    refused(
        path,
        "convert run.mcap run.mcap --schema poor.json",
        "run.mcap: would be replaced by a file that holds less; name another output",
    );
    assert_eq!(fs::read(path.join("run.mcap")).unwrap(), before);
}

#[test]
fn an_incompatible_schema_is_refused_by_component_and_field() {
    let folder = folder();
    let path = folder.path();
    let bool_yaw = changed(|components| components[0].fields[6].codec = Codec::Bool);
    let narrow = changed(|components| components[0].fields[6].codec = Codec::UInt { bits: 4 });
    fs::write(path.join("bool.json"), &bool_yaw).unwrap();
    fs::write(path.join("narrow.json"), &narrow).unwrap();
    for (schema, complaint) in [
        (
            "bool.json",
            str![[r#"
gametape: run.mcap: the recording can't be carried over to the schema: tick 1: entity 1, component 1, field 7: 227 does not fit Bool, which holds 0 to 1

"#]],
        ),
        (
            "narrow.json",
            str![[r#"
gametape: run.mcap: the recording can't be carried over to the schema: tick 1: entity 1, component 1, field 7: 227 does not fit UInt of 4 bits, which holds 0 to 15

"#]],
        ),
    ] {
        for (input, output) in [("run.mcap", "out.mcap"), ("run.mcap", "out.delta")] {
            expect(
                path,
                &format!("convert {input} {output} --schema {schema}"),
                2,
            )
            .stdout_eq("")
            .stderr_eq(complaint.clone());
            assert!(!path.join(output).exists() && !path.join("out.schema.json").exists());
        }
    }
    // A schema that is none.
    fs::write(path.join("none.json"), "{\"components\": 7}").unwrap();
    for (name, complaint) in [
        ("missing.json", "missing.json: no such file"),
        ("missing.mcap", "missing.mcap: no such file"),
        (".", ".: is a folder"),
    ] {
        refused(
            path,
            &format!("convert run.mcap out.mcap --schema {name}"),
            complaint,
        );
    }
    let (_, err) = outputs(path, "convert run.mcap out.mcap --schema none.json", 2);
    assert!(
        err.starts_with("gametape: none.json: not a schema: "),
        "{err}"
    );
}

#[test]
fn recordings_without_a_schema_have_none_to_change() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("run.murk"), gametape::murk::doc_example()).unwrap();
    for args in ["--schema run.mcap", "--tick-rate 20", "--keyframe-every 3"] {
        refused(
            path,
            &format!("convert run.murk out.murk {args}"),
            &format!(
                "run.murk: there is no option {} to convert murk to murk",
                args.split(' ').next().unwrap().trim_start_matches("--")
            ),
        );
    }
}
