//! Differences between two streams.

use std::fs;
use std::path::Path;

use gametape::delta::{Snapshot, Value};
use gametape_samples::delta::Arena;
use snapbox::str;

use super::support::{
    capture, expect, fine, folder, gametape, packets, packets_of, schema_json, states,
    with_keyframes,
};

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
            "{\"same\":true,\"first\":null,\"step\":null,\"tick\":null,\"time_ms\":null,\"more\":0,\"header\":[],\"details\":{},\"tables\":[]}\n"
        );
    }
}

#[test]
fn an_option_for_one_of_the_two_is_given_to_that_one() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("alone")).unwrap();
    fs::copy(path.join("run.delta"), path.join("alone/run.delta")).unwrap();
    for pair in ["alone/run.delta run.mcap", "run.mcap alone/run.delta"] {
        let same = fine(path, &format!("diff --schema run.schema.json {pair}"));
        assert_eq!(same, "the recordings are the same\n");
    }
    let neither = [
        "diff",
        "--schema",
        "run.schema.json",
        "run.mcap",
        "run.mcap",
    ];
    gametape(path, &neither)
        .assert()
        .code(2)
        .stderr_eq("gametape: run.mcap: there is no option schema to open capture recordings\n");
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
    expect(path, "diff run.mcap other.delta", 1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
tick 23: entity 3, component 1 (ship), field 8 (hull) is 100 in the first, 3 in the second
packets: 1 row differs (bytes in 1); first at step 22, tick 23, 1.100 s: bytes is 102 bytes in the first, 103 bytes in the second
ship: 1 row differs (hull in 1); first at step 22, tick 23, 1.100 s: entity 3: hull is 100 in the first, 3 in the second

"#]]);
    expect(path, "diff --json run.mcap other.delta", 1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
{"same":false,"first":"tick 23: entity 3, component 1 (ship), field 8 (hull) is 100 in the first, 3 in the second","step":22,"tick":23,"time_ms":1100,"more":0,"header":[],"details":{"tick":23,"entity":3,"component":1,"field":8,"name":"hull","first":100,"second":3,"entities":1,"values":1},"tables":[{"table":"packets","rows":1,"only_first":0,"only_second":0,"columns":{"bytes":1},"not_compared":[],"first":{"step":22,"tick":23,"time_ms":1100,"key":{},"column":"bytes","first":102,"second":103,"unit":"bytes"}},{"table":"ship","rows":1,"only_first":0,"only_second":0,"columns":{"hull":1},"not_compared":[],"first":{"step":22,"tick":23,"time_ms":1100,"key":{"entity":3},"column":"hull","first":100,"second":3,"unit":""}}]}

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
    expect(path, "diff run.mcap other.delta", 1)
        .stdout_eq(str![[r#"
tick 10: entity 2, component 1 (ship), field 7 (yaw) is 1034 in the first, 0 in the second; at this tick 1 more entity differs
30 more packets differ after it
packets: 31 rows differ (bytes in 31); first at step 9, tick 10, 0.450 s: bytes is 103 bytes in the first, 105 bytes in the second
ship: 62 rows differ (yaw in 62, hull in 62); first at step 9, tick 10, 0.450 s: entity 2: yaw is 1034 in the first, 0 in the second

"#]]);
    // An entity, a component.
    write(path, |states| {
        states[4].remove(2);
        states[30].entity_mut(1).unwrap().remove(1);
    });
    expect(path, "diff run.mcap other.delta", 1)
        .stdout_eq(str![[r#"
tick 5: entity 2 is in the first and not in the second
1 more packet differs after it
packets: 4 rows differ (bytes in 4); first at step 4, tick 5, 0.200 s: bytes is 101 bytes in the first, 90 bytes in the second
ship: 2 rows only in the first; first at step 4, tick 5, 0.200 s: entity 2: is in the first, and not in the second

"#]]);
    write(path, |states| {
        states[30].entity_mut(1).unwrap().remove(1);
    });
    expect(path, "diff other.delta run.mcap", 1)
        .stdout_eq(str![[r#"
tick 31: entity 1 has component 1 (ship) in the second and not in the first
packets: 2 rows differ (bytes in 2); first at step 30, tick 31: bytes is 99 bytes in the first, 102 bytes in the second
ship: 1 row only in the second; first at step 30, tick 31: entity 1: is in the second, and not in the first

"#]]);
}

#[test]
fn ticks_that_one_lacks() {
    let folder = folder();
    let path = folder.path();
    write(path, |states| {
        states.remove(5);
    });
    expect(path, "diff run.mcap other.delta", 1)
        .stdout_eq(str![[r#"
tick 6: the second recording has no packet of this tick, its next is of tick 7
packets: 1 row differs (baseline in 1, bytes in 1); 1 row only in the first; first at step 5, tick 6, 0.250 s: kind "delta", baseline 5, bytes 101: is in the first, and not in the second
ship: 4 rows differ (x in 4, y in 4, z in 4, vy in 4, vz in 4, yaw in 4, 1 more); first at step 5, tick 6, 0.250 s: entity 1: x is 226.68 in the first, 217.68 in the second

"#]]);
    expect(path, "diff other.delta run.mcap", 1)
        .stdout_eq(str![[r#"
tick 6: the first recording has no packet of this tick, its next is of tick 7
packets: 1 row differs (baseline in 1, bytes in 1); 1 row only in the second; first at step 5, tick 6, 0.250 s: kind "delta", baseline 5, bytes 101: is in the second, and not in the first
ship: 4 rows differ (x in 4, y in 4, z in 4, vy in 4, vz in 4, yaw in 4, 1 more); first at step 5, tick 6, 0.250 s: entity 1: x is 217.68 in the first, 226.68 in the second

"#]]);
    write(path, |states| states.truncate(38));
    expect(path, "diff run.mcap other.delta", 1)
        .stdout_eq(str![[r#"
tick 39: the second recording has ended
1 more packet differs after it
packets: 2 rows only in the first; first at step 38, tick 39, 1.900 s: kind "delta", baseline 38, bytes 104: is in the first, and not in the second
ship: 8 rows only in the first; first at step 38, tick 39, 1.900 s: entity 1: is in the first, and not in the second
shield: 2 rows only in the first; first at step 38, tick 39, 1.900 s: entity 1: is in the first, and not in the second

"#]]);
    expect(path, "diff --json other.delta run.mcap", 1)
        .stdout_eq(str![[r#"
{"same":false,"first":"tick 39: the first recording has ended","step":38,"tick":39,"time_ms":1900,"more":1,"header":[],"details":{"ticks":[null,39]},"tables":[{"table":"packets","rows":0,"only_first":0,"only_second":2,"columns":{},"not_compared":[],"first":{"step":38,"tick":39,"time_ms":1900,"key":{"kind":"delta","baseline":38,"bytes":104},"column":null,"first":null,"second":"delta","unit":""}},{"table":"ship","rows":0,"only_first":0,"only_second":8,"columns":{},"not_compared":[],"first":{"step":38,"tick":39,"time_ms":1900,"key":{"entity":1},"column":null,"first":null,"second":1,"unit":""}},{"table":"shield","rows":0,"only_first":0,"only_second":2,"columns":{},"not_compared":[],"first":{"step":38,"tick":39,"time_ms":1900,"key":{"entity":1},"column":null,"first":null,"second":1,"unit":""}}]}

"#]]);
}

#[test]
fn files_beside_the_stream() {
    let folder = folder();
    let path = folder.path();
    fine(path, "convert run.mcap slow.mcap --tick-rate 10");
    expect(path, "diff run.mcap slow.mcap", 1).stdout_eq(str![[r#"
header: tick_ns is 50000000 in the first, 100000000 in the second

"#]]);
    // Another schema: states are not compared, what differs in it is said.
    let narrow = String::from_utf8(schema_json()).unwrap();
    let narrow = narrow.replace("\"bits\":12", "\"bits\":13");
    assert_ne!(narrow.as_bytes(), schema_json());
    fs::write(path.join("wide.json"), narrow).unwrap();
    fine(path, "convert run.mcap wide.mcap --schema wide.json");
    expect(path, "diff run.mcap wide.mcap", 1)
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
            "after tick 8 the {which} recording can't be followed: byte 822: the file ends inside its last packet\n"
        ));
    }
    // Two that end alike can't be told to be the same.
    expect(path, "diff cut.delta cut.delta", 2)
        .stderr_eq("gametape: cut.delta: byte 822: the file ends inside its last packet (gametape repair may save the intact parts)\n");
    // A capture that is cut after its last whole packet, or between two chunks, has lost its end as well.
    let whole = capture(&packets, with_keyframes());
    for (name, bytes) in [
        ("cut.mcap", whole[..whole.len() * 2 / 3].to_vec()),
        ("end.mcap", whole[..whole.len() - 30].to_vec()),
    ] {
        fs::write(path.join(name), bytes).unwrap();
        let run = expect(path, &format!("diff {name} {name}"), 2);
        let run = run.stdout_eq("");
        let printed = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        let place = format!("gametape: {name}: byte ");
        assert!(
            printed.starts_with(&place) && printed.contains(": the file ends inside its "),
            "{printed}"
        );
    }
}
