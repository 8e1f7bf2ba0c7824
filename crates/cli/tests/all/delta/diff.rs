//! Where two streams part.

use std::fs;
use std::path::Path;

use gametape::delta::{Snapshot, Value};
use gametape_samples::delta::Arena;
use snapbox::str;

use super::support::{fine, folder, gametape, packets, packets_of, schema_json, states};

/// Writes the stream of the states, changed.
fn write(path: &Path, change: impl FnOnce(&mut Vec<Snapshot>)) {
    let mut states = states();
    change(&mut states);
    let packets = packets_of(&Arena::schema(), &states);
    fs::write(path.join("other.delta"), packets.concat()).unwrap();
    fs::write(path.join("other.schema.json"), schema_json()).unwrap();
}

#[test]
fn the_same_stream_in_another_form() {
    let folder = folder();
    let path = folder.path();
    for (a, b) in [
        ("run.mcap", "run.delta"),
        ("packets", "run.mcap"),
        ("run.delta", "packets"),
    ] {
        assert_eq!(
            fine(path, &format!("diff {a} {b}")),
            "the recordings are the same\n"
        );
        assert_eq!(
            fine(path, &format!("diff --json {a} {b}")),
            "{\"same\":true,\"first\":null,\"step\":null,\"tick\":null,\"time_ms\":null,\"more\":0,\"header\":[],\"details\":{}}\n"
        );
    }
}

#[test]
fn the_tick_the_entity_the_component_and_the_field_are_named() {
    let folder = folder();
    let path = folder.path();
    // One value at one tick.
    write(path, |states| {
        states[22]
            .entity_mut(3)
            .unwrap()
            .set_value(1, 8, Value::UInt(3))
            .unwrap();
    });
    gametape(path, &["diff", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
tick 23: entity 3, component 1 (ship), field 8 (hull) is 100 in the first, 3 in the second

"#]]);
    gametape(path, &["diff", "--json", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
{"same":false,"first":"tick 23: entity 3, component 1 (ship), field 8 (hull) is 100 in the first, 3 in the second","step":22,"tick":23,"time_ms":1100,"more":0,"header":[],"details":{"tick":23,"entity":3,"component":1,"field":8,"name":"hull","first":100,"second":3,"entities":1,"values":1}}

"#]]);
    // From one tick on, of two entities.
    write(path, |states| {
        for state in &mut states[9..] {
            for id in [2, 4] {
                state
                    .entity_mut(id)
                    .unwrap()
                    .set_value(1, 7, Value::UInt(0))
                    .unwrap();
                state
                    .entity_mut(id)
                    .unwrap()
                    .set_value(1, 8, Value::UInt(1))
                    .unwrap();
            }
        }
    });
    gametape(path, &["diff", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 10: entity 2, component 1 (ship), field 7 (yaw) is 1034 in the first, 0 in the second; at this tick 1 more entity differs
30 more packets differ behind it

"#]]);
    // An entity, a component.
    write(path, |states| {
        states[4].remove(2);
        states[30].entity_mut(1).unwrap().remove(1);
    });
    gametape(path, &["diff", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 5: entity 2 is in the first and not in the second
1 more packet differs behind it

"#]]);
    write(path, |states| {
        states[30].entity_mut(1).unwrap().remove(1);
    });
    gametape(path, &["diff", "other.delta", "run.mcap"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 31: entity 1 has component 1 (ship) in the second and not in the first

"#]]);
}

#[test]
fn ticks_that_one_lacks() {
    let folder = folder();
    let path = folder.path();
    write(path, |states| {
        states.remove(5);
    });
    gametape(path, &["diff", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 6: the second recording has no packet of this tick, its next is of tick 7

"#]]);
    gametape(path, &["diff", "other.delta", "run.mcap"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 6: the first recording has no packet of this tick, its next is of tick 7

"#]]);
    write(path, |states| states.truncate(38));
    gametape(path, &["diff", "run.mcap", "other.delta"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
tick 39: the second recording has ended
1 more packet differs behind it

"#]]);
    gametape(path, &["diff", "--json", "other.delta", "run.mcap"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
{"same":false,"first":"tick 39: the first recording has ended","step":38,"tick":39,"time_ms":1900,"more":1,"header":[],"details":{"ticks":[null,39]}}

"#]]);
}

#[test]
fn what_is_beside_the_stream() {
    let folder = folder();
    let path = folder.path();
    fine(path, "convert run.mcap slow.mcap --tick-rate 10");
    gametape(path, &["diff", "run.mcap", "slow.mcap"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
header: tick_ns is 50000000 in the first, 100000000 in the second

"#]]);
    // Another schema: states are not compared, what differs in it is said.
    let narrow = String::from_utf8(schema_json()).unwrap();
    let narrow = narrow.replace("\"bits\":12", "\"bits\":13");
    assert_ne!(narrow.as_bytes(), schema_json());
    fs::write(path.join("wide.json"), narrow).unwrap();
    fine(path, "convert run.mcap wide.mcap --schema wide.json");
    gametape(path, &["diff", "run.mcap", "wide.mcap"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
header: schema is 8bd8c1dbe8794429 in the first, e5be1fb2236f7d81 in the second
the schemas differ, between the first (here) and the second (there): component 1, field 7 (yaw) is UInt of 12 bits here and UInt of 13 bits there

"#]]);
    // A broken one is compared as far as it goes.
    let packets = packets();
    fs::write(path.join("cut.delta"), &packets.concat()[..900]).unwrap();
    fs::write(path.join("cut.schema.json"), schema_json()).unwrap();
    for (args, which) in [
        (["diff", "run.mcap", "cut.delta"], "second"),
        (["diff", "cut.delta", "run.mcap"], "first"),
    ] {
        gametape(path, &args).assert().code(1).stdout_eq(format!(
            "behind tick 8 the {which} recording can't be followed: byte 822: the file ends inside its last packet\n"
        ));
    }
    // Two that end alike can't be told to be the same.
    gametape(path, &["diff", "cut.delta", "cut.delta"])
        .assert()
        .code(2)
        .stderr_eq("gametape: cut.delta: byte 822: the file ends inside its last packet\n");
}
