//! `gametape schema`.

use std::fs;

use gametape::delta::{Change, Codec, Component, Field, Schema};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::str;

use super::support::{expect, fine, folder, outputs, refused, schema_json};

/// Every codec, with and without names and thresholds.
fn every_codec() -> Schema {
    let threshold = |field: Field, threshold_q| Field {
        change: Change::Threshold { threshold_q },
        ..field
    };
    let fixed = |min_q, max_q, scale| Codec::FixedPoint {
        min_q,
        max_q,
        scale,
    };
    Schema::new([
        Component::new(
            7,
            [
                Field::new(1, Codec::Bool).named("alive"),
                Field::new(2, Codec::UInt { bits: 1 }),
                Field::new(300, Codec::SInt { bits: 64 }).named("ränge"),
                threshold(Field::new(4, Codec::VarUInt), 3),
            ],
        )
        .named("body"),
        Component::new(
            3,
            [
                Field::new(1, Codec::VarSInt),
                threshold(Field::new(2, fixed(-1000, 1000, 100)), 5),
                Field::new(3, fixed(4, 4, 1)),
                Field::new(4, fixed(i64::MIN, i64::MAX, 3)),
            ],
        ),
    ])
    .unwrap()
}

#[test]
fn show_says_how_each_field_is_written() {
    let folder = folder();
    let path = folder.path();
    let json = serde_json::to_vec(&every_codec()).unwrap();
    fs::write(path.join("every.json"), json).unwrap();
    expect(path, "schema show every.json", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
schema 752eaff34b3264c3, 2 components
component 7 body
      1  alive  bool, 1 bit
      2         unsigned, 1 bit
    300  ränge  signed, 64 bits
      4         unsigned, 1 to 5 bytes, sent beyond 3
component 3
      1  signed, 1 to 5 bytes
      2  fixed point, -10 to 10 in steps of 1/100, 11 bits, sent beyond 0.05
      3  fixed point, 4 to 4 in steps of 1/1, 0 bits
      4  fixed point, -3074457345618258400 to 3074457345618258400 in steps of 1/3, 64 bits

"#]]);
    expect(path, "schema show run.mcap", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
schema 8bd8c1dbe8794429, 2 components
component 1 ship
      1  x     fixed point, -500 to 500 in steps of 1/100, 17 bits
      2  y     fixed point, -500 to 500 in steps of 1/100, 17 bits
      3  z     fixed point, -500 to 500 in steps of 1/100, 17 bits
      4  vx    fixed point, -9 to 9 in steps of 1/100, 11 bits
      5  vy    fixed point, -9 to 9 in steps of 1/100, 11 bits
      6  vz    fixed point, -9 to 9 in steps of 1/100, 11 bits
      7  yaw   unsigned, 12 bits
      8  hull  unsigned, 7 bits
component 2 shield
      1  ticks_left  unsigned, 1 to 5 bytes

"#]]);
    // As JSON it is a schema again, wherever it comes from.
    for name in ["run.mcap", "run.delta", "packets", "run.schema.json"] {
        let json = fine(path, &format!("schema show --json {name}"));
        assert_eq!(json.lines().count(), 1);
        let schema: Schema = serde_json::from_str(&json).unwrap();
        assert_eq!(schema, Arena::schema(), "{name}");
    }
    let json = fine(path, "schema show --json every.json");
    assert_eq!(
        serde_json::from_str::<Schema>(&json).unwrap(),
        every_codec()
    );
}

#[test]
fn hash_names_the_schema_of_packets() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(fine(path, "schema hash run.mcap"), "8bd8c1dbe8794429\n");
    assert_eq!(
        fine(path, "schema hash run.mcap packets run.schema.json"),
        "8bd8c1dbe8794429  run.mcap\n8bd8c1dbe8794429  packets\n8bd8c1dbe8794429  run.schema.json\n"
    );
    assert_eq!(
        fine(path, "schema hash --json run.delta"),
        "{\"path\":\"run.delta\",\"schema_hash\":\"8bd8c1dbe8794429\"}\n"
    );
    // One that can't be read does not keep the others from being named.
    let (out, err) = outputs(path, "schema hash run.mcap none.json run.delta", 2);
    assert_eq!(out.lines().count(), 2);
    assert_eq!(err, "gametape: none.json: no such file\n");
    // The hash is what the packets themselves say.
    let bytes = fs::read(path.join("run.delta")).unwrap();
    assert_eq!(
        u64::from_le_bytes(bytes[8..16].try_into().unwrap()),
        0x8bd8_c1db_e879_4429
    );
}

#[test]
fn compare_says_what_differs() {
    let folder = folder();
    let path = folder.path();
    assert_eq!(
        fine(path, "schema compare run.mcap run.schema.json"),
        "both are schema 8bd8c1dbe8794429\n"
    );
    assert_eq!(
        fine(path, "schema compare --json run.mcap packets"),
        "{\"same\":true,\"first\":\"8bd8c1dbe8794429\",\"second\":\"8bd8c1dbe8794429\",\"differences\":[]}\n"
    );
    // There is one standard input.
    expect(path, "schema compare - -", 2)
        .stdout_eq("")
        .stderr_eq("gametape: one of the two schemas can come from standard input, not both\n");
    // Names are beside the hash.
    let renamed = String::from_utf8(schema_json())
        .unwrap()
        .replace("\"hull\"", "\"armour\"");
    fs::write(path.join("renamed.json"), renamed).unwrap();
    assert_eq!(
        fine(path, "schema compare run.mcap renamed.json"),
        "both are schema 8bd8c1dbe8794429\n"
    );
    let mut components = Arena::schema().components().to_vec();
    components[0].fields[0].change = Change::Threshold { threshold_q: 9 };
    components[0].fields[6].codec = Codec::VarSInt;
    components[0].fields.remove(7);
    components[1].fields.push(Field::new(2, Codec::Bool));
    components.push(Component::new(9, [Field::new(1, Codec::Bool)]).named("flag"));
    let other = Schema::new(components).unwrap();
    fs::write(path.join("other.json"), serde_json::to_vec(&other).unwrap()).unwrap();
    expect(path, "schema compare run.mcap other.json", 1)
        .stderr_eq("")
        .stdout_eq(str![[r#"
the first is schema 8bd8c1dbe8794429, the second 645d9138e571c1c3
component 1, field 1 (x) is sent always here and beyond 9 there
component 1, field 7 (yaw) is UInt of 12 bits here and VarSInt there
component 1, field 8 (hull) is missing
component 2, field 2 is added
component 9 (flag) is added

"#]]);
    let (out, err) = outputs(path, "schema compare --json run.mcap other.json", 1);
    assert_eq!(err, "");
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["same"], false);
    assert_eq!(out["first"], "8bd8c1dbe8794429");
    assert_eq!(out["second"], format!("{:016x}", other.hash()));
    assert_eq!(out["differences"].as_array().unwrap().len(), 5);
}

#[test]
fn recordings_without_a_schema() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("list.json"), "[]").unwrap();
    fs::write(path.join("text.txt"), "hello").unwrap();
    fs::write(path.join("large.json"), vec![b' '; (4 << 20) + 1]).unwrap();
    fs::write(path.join("run.murk"), gametape::murk::doc_example()).unwrap();
    for (name, complaint) in [
        ("none.json", "none.json: no such file"),
        ("none.mcap", "none.mcap: no such file"),
        (
            ".",
            ".: is a folder; schema needs a file, and gametape inspect lists those in a folder",
        ),
        (
            "text.txt",
            "text.txt: not a recording of a known format (it starts with \"hello\")",
        ),
        (
            "large.json",
            "large.json: 4,194,305 bytes, the limit is 4,194,304",
        ),
        (
            "run.murk",
            "run.murk: murk recordings have no schema; snapshot/delta recordings do",
        ),
    ] {
        for args in ["schema show", "schema hash", "schema compare run.mcap"] {
            refused(path, &format!("{args} {name}"), complaint);
        }
        refused(path, &format!("schema compare {name} run.mcap"), complaint);
    }
    let (_, err) = outputs(path, "schema show list.json", 2);
    assert!(
        err.starts_with("gametape: list.json: not a schema: "),
        "{err}"
    );
    // Names that would steer a terminal.
    let evil = String::from_utf8(schema_json())
        .unwrap()
        .replace("hull", "\\u001b[2Jhull");
    fs::write(path.join("evil.json"), evil).unwrap();
    for args in ["schema show evil.json", "schema compare evil.json run.mcap"] {
        let (out, _) = outputs(path, args, 0);
        assert!(!out.contains('\u{1b}'), "{out:?}");
    }
}
