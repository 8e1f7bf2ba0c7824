//! Looking at recordings that are sound.

use gametape::delta::{Codec, Field, Value as Wire};
use gametape_samples::delta::Arena;
use serde_json::{Value, json};
use snapbox::str;

use super::support::{
    StateRow, TICKS, expect, fine, folder, gametape, outputs, packets, state_rows, states,
};

#[test]
fn inspect_says_where_the_bytes_go() {
    let folder = folder();
    let path = folder.path();
    expect(path, "inspect run.mcap", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
run.mcap
  format           capture v0
  size             6,807 bytes
  duration         1.950 s
  packets          40
  schema           8bd8c1dbe8794429
  components       component 1, name ship, fields 1 x, 2 y, 3 z, 4 vx, 5 vy, 6 vz, 7 yaw, 8 hull
  components       component 2, name shield, fields 1 ticks_left
  tick ns          50,000,000
  first tick       1
  last tick        40
  gaps             0
  missing ticks    0
  deltas           39
  keyframes        3
  added keyframes  2
  added bytes      216
  packet bytes     min 100, mean 103.4, p95 105, max 115, all 4,135
  bytes by kind
    what                            bytes  percent
    headers                        1120.0     27.1
    section framing                 126.0      3.0
    heads of created entities      23.875      0.6
    heads of destroyed entities       4.0      0.1
    heads of updated entities     717.875     17.4
    field masks                     163.5      4.0
    values                       1950.875     47.2
    padding                        28.875      0.7
  bytes by section
    section  sections  entities   bytes  percent
    create          2         5   102.0      2.5
    destroy         1         1     7.0      0.2
    update         39       155  2906.0     70.3
  bytes by component
    component  name    times    bytes  percent  masks
            1  ship      160  2065.25     49.9  160.0
            2  shield     28   49.125      1.2    3.5
  bytes by field
    component  field  name        times    bytes  percent
            1      1  x             160    340.0      8.2
            1      2  y             160    340.0      8.2
            1      3  z             160    340.0      8.2
            1      4  vx            156    214.5      5.2
            1      5  vy            157  215.875      5.2
            1      6  vz            154   211.75      5.1
            1      7  yaw           158    237.0      5.7
            1      8  hull            7    6.125      0.1
            2      1  ticks_left     28   45.625      1.1
  top entities
    entity  times    bytes  percent
         1     41  742.125     17.9
         4     40   714.75     17.3
         3     40  710.625     17.2
         2     40  692.625     16.8


"#]]);
    // Bare packets say the same, but for what a capture alone knows.
    let [capture, bare] =
        ["run.mcap", "run.delta"].map(|name| fine(path, &format!("inspect {name}")));
    let beside = |ours: &str, theirs: &str| -> String {
        let theirs: Vec<&str> = theirs.lines().collect();
        let lines = ours.split_inclusive('\n');
        lines
            .filter(|line| !theirs.contains(&line.trim_end()))
            .collect()
    };
    snapbox::assert_data_eq!(
        beside(&bare, &capture),
        str![[r#"
run.delta
  format           delta v0
  size             4,135 bytes
  keyframes        1
  added keyframes  0
  added bytes      0

"#]]
    );
    snapbox::assert_data_eq!(
        beside(&capture, &bare),
        str![[r#"
run.mcap
  format           capture v0
  size             6,807 bytes
  duration         1.950 s
  tick ns          50,000,000
  keyframes        3
  added keyframes  2
  added bytes      216

"#]]
    );
}

#[test]
fn inspect_as_json_has_every_bit_once() {
    let folder = folder();
    let path = folder.path();
    let packets = packets();
    let bytes: usize = packets.iter().map(Vec::len).sum();
    for (name, format, added) in [
        ("run.mcap", "capture", 2),
        ("run.delta", "delta", 0),
        ("packets", "delta", 0),
    ] {
        let info: Value =
            serde_json::from_str(&fine(path, &format!("inspect --json {name}"))).unwrap();
        assert_eq!(info["path"], name);
        assert_eq!(info["format"], format);
        assert_eq!(info["steps"], TICKS);
        let details = &info["details"];
        assert_eq!(details["keyframes"], 1 + added);
        assert_eq!(details["deltas"], TICKS - 1);
        assert_eq!(details["added_keyframes"], added);
        assert_eq!(details["packet_bytes"]["all"], bytes);
        let sum = |list: &Value| -> f64 {
            let list = list.as_array().unwrap();
            list.iter()
                .map(|entry| entry["bytes"].as_f64().unwrap())
                .sum()
        };
        // By what they are, all bytes; by section, all but the headers.
        assert!((sum(&details["bytes_by_kind"]) - bytes as f64).abs() < 1e-9);
        let headers = 28.0 * f64::from(TICKS);
        assert!((sum(&details["bytes_by_section"]) + headers - bytes as f64).abs() < 1e-9);
        // By field, what "values" are; with the masks, what components are.
        let values = &details["bytes_by_kind"][6];
        assert_eq!(values["what"], "values");
        assert!((sum(&details["bytes_by_field"]) - values["bytes"].as_f64().unwrap()).abs() < 1e-9);
        let masks = &details["bytes_by_kind"][5];
        assert_eq!(masks["what"], "field masks");
        let both = sum(&json!([values, masks]));
        assert!((sum(&details["bytes_by_component"]) - both).abs() < 1e-9);
    }
    // For files that are only found, the index is enough.
    let (out, _) = outputs(path, "inspect --json .", 0);
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let found: Vec<(&str, &Value)> = lines
        .iter()
        .filter(|line| line["skipped"].is_null())
        .map(|line| (line["path"].as_str().unwrap(), &line["steps"]))
        .collect();
    assert_eq!(
        found,
        [
            ("./packets", &Value::Null),
            ("./run.delta", &Value::Null),
            ("./run.mcap", &json!(TICKS))
        ]
    );
    assert_eq!(lines[2]["duration_ms"], 50 * (TICKS - 1));
    assert_eq!(lines[2]["details"]["last_tick"], TICKS);
}

#[test]
fn verify_says_how_much_was_applied() {
    let folder = folder();
    let path = folder.path();
    expect(path, "verify .", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
pass  ./packets  40 packets, all applied, 4 entities at tick 40
pass  ./run.delta  40 packets, all applied, 4 entities at tick 40
pass  ./run.mcap  40 packets, all applied, 4 entities at tick 40
3 recordings: 3 pass; 0.0 MB in [..] s, 1 other file skipped

"#]]);
    assert_eq!(
        fine(path, "verify --json packets"),
        "{\"path\":\"packets\",\"format\":\"delta\",\"verdict\":\"pass\",\"facts\":{},\"findings\":[],\"advice\":[]}\n"
    );
    // On standard input, too.
    let bytes = std::fs::read(path.join("run.mcap")).unwrap();
    gametape(path, &["verify", "-"])
        .stdin(bytes)
        .assert()
        .code(0)
        .stdout_eq("pass  -  40 packets, all applied, 4 entities at tick 40\n");
}

#[test]
fn stats_are_those_of_the_stream() {
    let folder = folder();
    let path = folder.path();
    expect(path, "stats run.mcap", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
run.mcap
  packets                40
  deltas                 39
  keyframes              3
  added keyframes        2
  ticks                  40
  first tick             1
  last tick              40
  missing ticks          0
  duration               1.950 s
  entities min           4
  entities mean          4.000
  entities max           4
  creates                5
  destroys               1
  updates                155
  updates per tick       3.875
  bytes                  4,135
  bytes per tick         103.375
  bytes per s            2067.500
  packet bytes p95       105
  packet bytes max       115
  bytes per update       18.748
  bytes per entity tick  25.844

"#]]);
    let of = |name: &str| -> Value {
        let mut stats: Value =
            serde_json::from_str(&fine(path, &format!("stats --json {name}"))).unwrap();
        for key in [
            "path",
            "duration_ms",
            "bytes_per_s",
            "keyframes",
            "added_keyframes",
        ] {
            assert!(
                stats.as_object_mut().unwrap().remove(key).is_some(),
                "{key}"
            );
        }
        stats
    };
    // Keyframes that the recorder added are no part of it.
    assert_eq!(of("run.mcap"), of("run.delta"));
    assert_eq!(of("run.mcap"), of("packets"));
}

#[test]
fn dump_state_has_a_row_a_component_of_each_entity() {
    let folder = folder();
    let path = folder.path();
    let schema = Arena::schema();
    for (args, tick) in [
        ("", TICKS),
        (" --at tick:1", 1),
        (" --at tick:17", 17),
        (" --at tick:31", 31),
    ] {
        let state = &states()[tick as usize - 1];
        let mut expected = Vec::new();
        for component in schema.components() {
            for entity in state.iter() {
                let Some(part) = entity.component(component.id) else {
                    continue;
                };
                let value = |(value, field): (Wire, &Field)| match (value, field.codec) {
                    (Wire::FixedPoint(value), Codec::FixedPoint { scale, .. }) => {
                        json!(value as f64 / f64::from(scale))
                    }
                    (value, _) => json!(value),
                };
                let values = part.values().zip(&component.fields).map(value);
                let table = component.name.clone().unwrap();
                expected.push((table, u64::from(entity.id()), values.collect()));
            }
        }
        for name in ["run.mcap", "run.delta", "packets"] {
            let (at, rows) = state_rows(&fine(path, &format!("dump --state{args} {name}")));
            assert_eq!(at, Some(u64::from(tick)), "{name}{args}");
            let as_floats = |rows: &[StateRow]| -> Vec<_> {
                let float = |value: &Value| value.as_f64().map_or(value.clone(), Value::from);
                let rows = rows.iter();
                rows.map(|(table, entity, values)| {
                    let values: Vec<Value> = values.iter().map(float).collect();
                    (table.clone(), *entity, values)
                })
                .collect()
            };
            assert_eq!(as_floats(&rows), as_floats(&expected), "{name}{args}");
        }
    }
    gametape(path, &["dump", "--state", "--at", "tick:1", "run.mcap"])
        .assert()
        .stdout_eq(str![[r#"
{"table":"ship","step":0,"tick":1,"time_ms":0,"entity":1,"x":182.14,"y":486.47,"z":-147.2,"vx":8.81,"vy":1.64,"vz":5.31,"yaw":227,"hull":100}
{"table":"ship","step":0,"tick":1,"time_ms":0,"entity":2,"x":-82.91,"y":92.71,"z":132.49,"vx":6.48,"vy":-1.75,"vz":-7.13,"yaw":1070,"hull":100}
{"table":"ship","step":0,"tick":1,"time_ms":0,"entity":3,"x":-41.41,"y":-422.75,"z":-232.46,"vx":3.25,"vy":-0.58,"vz":-5.27,"yaw":3136,"hull":100}
{"table":"ship","step":0,"tick":1,"time_ms":0,"entity":4,"x":429.1,"y":298.42,"z":161.54,"vx":6.48,"vy":6.7,"vz":-6.85,"yaw":1139,"hull":100}

"#]]);
    gametape(
        path,
        &[
            "dump",
            "--state",
            "--at",
            "tick:1",
            "--table",
            "ship",
            "--columns",
            "tick,entity,hull,ended",
            "--where",
            "entity=3",
            "--csv",
            "run.mcap",
        ],
    )
    .assert()
    .stdout_eq(str![[r#"
tick,entity,hull,ended
1,3,100,false

"#]]);
}

#[test]
fn dump_has_a_packet_a_line() {
    let folder = folder();
    let path = folder.path();
    let all = fine(path, "dump run.mcap");
    assert_eq!(all.lines().count(), TICKS as usize);
    // How long a tick is, bare packets don't say.
    let untimed: Vec<String> = all.lines().map(without_time).collect();
    for name in ["run.delta", "packets"] {
        assert_eq!(
            fine(path, &format!("dump {name}"))
                .lines()
                .collect::<Vec<_>>(),
            untimed
        );
    }
    for (line, (packet, tick)) in all.lines().zip(packets().iter().zip(1_u32..)) {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["tick"], tick);
        assert_eq!(line["bytes"], packet.len());
        if tick == 1 {
            assert_eq!(line["kind"], "full");
            assert_eq!(line["baseline"], Value::Null);
        } else {
            assert_eq!(line["kind"], "delta");
            assert_eq!(line["baseline"], tick - 1);
        }
    }
    let one = fine(path, "dump --at tick:2 run.delta");
    assert_eq!(one.trim_end(), untimed[1]);
    gametape(path, &["dump", "--at", "tick:2", "run.delta"])
        .assert()
        .stdout_eq(str![[r#"
{"step":1,"tick":2,"kind":"delta","baseline":1,"bytes":103,"sections":[{"section":"update","entities":[{"entity":1,"components":{"1":{"1":19087,"2":48824,"3":-14182,"4":873,"5":177,"6":538,"7":209}}},{"entity":2,"components":{"1":{"1":-7626,"2":9079,"3":12533,"4":665,"5":-192,"6":-716,"7":1077}}},{"entity":3,"components":{"1":{"1":-3809,"2":-42346,"3":-23776,"4":332,"5":-71,"6":-530,"7":3145}}},{"entity":4,"components":{"1":{"1":43557,"2":30523,"3":15480,"4":647,"5":681,"6":-674,"7":1130}}}]}]}

"#]]);
}

#[test]
fn ticks_that_are_not_there() {
    let folder = folder();
    let path = folder.path();
    for name in ["run.mcap", "run.delta", "packets"] {
        for (args, complaint) in [
            (
                "--at tick:41",
                "tick 41 is not recorded: the recording ends at tick 40",
            ),
            (
                "--at tick:0",
                "tick 0 is not recorded: the recording starts at tick 1",
            ),
            (
                "--at tick:4294967297",
                "tick 4294967297 is not recorded: the recording ends at tick 40",
            ),
            (
                "--state --at tick:0",
                "tick 0 is not recorded: the recording starts at tick 1",
            ),
        ] {
            let (out, err) = outputs(path, &format!("dump {args} {name}"), 2);
            assert_eq!(out, "");
            assert_eq!(err, format!("gametape: {name}: {complaint}\n"));
        }
    }
}

/// A line of `dump` of a stream whose ticks have no length.
fn without_time(line: &str) -> String {
    let (before, rest) = line.split_once("\"time_ms\":").unwrap();
    let (_, after) = rest.split_once(',').unwrap();
    format!("{before}{after}")
}
