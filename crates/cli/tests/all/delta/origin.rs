//! The stream that the origin of the wire wrote, where it is at hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use snapbox::str;

use super::support::{expect, fine, json, state_rows};

fn tapes() -> Option<PathBuf> {
    let tapes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/delta");
    if !tapes.is_dir() {
        eprintln!("SKIPPED: the origin's recordings are not beside the repository");
        return None;
    }
    Some(tapes.canonicalize().unwrap())
}

#[test]
fn the_last_state_is_the_origins() {
    let Some(tapes) = tapes() else { return };
    let final_state = fs::read_to_string(tapes.join("demo12.final.txt")).unwrap();
    let mut lines = final_state.lines();
    assert_eq!(lines.next(), Some("tick 60 entities 12 packets 60"));
    let mut expected = Vec::new();
    for line in lines {
        // 1 1 [FixedPoint(31003), UInt(1104), Bool(false)]
        let (id, rest) = line.split_once(' ').unwrap();
        let (component, values) = rest.split_once(' ').unwrap();
        let values = values.trim_matches(['[', ']']).split(", ").map(|value| {
            let (kind, value) = value.trim_end_matches(')').split_once('(').unwrap();
            match kind {
                // All have a scale of 100.
                "FixedPoint" => json!(value.parse::<f64>().unwrap() / 100.0),
                _ => json(value),
            }
        });
        let table = format!("component_{component}");
        expected.push((table, id.parse().unwrap(), values.collect()));
    }
    let state = |folder: &Path, args: &str| {
        let (tick, rows) = state_rows(&fine(folder, &format!("dump --state {args}")));
        assert_eq!(tick, Some(60));
        rows
    };
    assert_eq!(expected.len(), 12);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fine(
        path,
        &format!(
            "convert {} demo12.mcap --keyframe-every 25",
            tapes.join("demo12").display()
        ),
    );
    fine(path, "convert demo12.mcap demo12.delta");
    for name in ["demo12.mcap", "demo12.delta"] {
        assert_eq!(state(path, name), expected);
    }
    assert_eq!(state(&tapes, "demo12"), expected);
    assert_eq!(state(&tapes, "--at tick:60 demo12"), expected);
    // Byte for byte.
    let mut files: Vec<PathBuf> = fs::read_dir(tapes.join("demo12"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bin"))
        .collect();
    let tick = |path: &PathBuf| -> u32 {
        let name = path.file_stem().unwrap().to_str().unwrap();
        name.split('_').nth(1).unwrap().parse().unwrap()
    };
    files.sort_by_key(tick);
    let bytes: Vec<u8> = files
        .iter()
        .flat_map(|path| fs::read(path).unwrap())
        .collect();
    assert_eq!(fs::read(path.join("demo12.delta")).unwrap(), bytes);
    let schema =
        |path: PathBuf| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    assert_eq!(
        schema(path.join("demo12.schema.json")),
        schema(tapes.join("demo12/schema.json"))
    );
}

#[test]
fn the_output_for_the_origins_stream() {
    let Some(tapes) = tapes() else { return };
    let folder = &tapes;
    assert_eq!(
        fine(folder, "verify demo12"),
        "pass  demo12  60 packets, all applied, 12 entities at tick 60\n"
    );
    expect(folder, "inspect demo12", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
demo12
  format           delta v0
  size             12,203 bytes
  packets          60
  schema           bf0ad705bd743aa1
  components       component 1, fields 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  first tick       1
  last tick        60
  gaps             0
  missing ticks    0
  deltas           59
  keyframes        1
  added keyframes  0
  added bytes      0
  packet bytes     min 197, mean 203.4, p95 208, max 272, all 12,203
  bytes by kind
    what                            bytes  percent
    headers                        1680.0     13.8
    section framing                 240.0      2.0
    heads of created entities      53.625      0.4
    heads of destroyed entities       0.0      0.0
    heads of updated entities    3192.875     26.2
    field masks                     900.0      7.4
    values                       6110.875     50.1
    padding                        25.625      0.2
  bytes by section
    section  sections  entities    bytes  percent
    create          1        12    244.0      2.0
    destroy         0         0      0.0      0.0
    update         59       708  10279.0     84.2
  bytes by component
    component  times     bytes  percent  masks
            1    720  7010.875     57.5  900.0
  bytes by field
    component  field  times   bytes  percent
            1      1    720  1620.0     13.3
            1      2    720  1620.0     13.3
            1      3    720  1620.0     13.3
            1      4     41  76.875      0.6
            1      5     51  95.625      0.8
            1      6     43  80.625      0.7
            1      7    661   991.5      8.1
            1      8     12     1.5      0.0
            1      9     12     1.5      0.0
            1     10     26    3.25      0.0
  top entities
    entity  times    bytes  percent
         4     60  867.625      7.1
         6     60  861.125      7.1
         8     60  860.125      7.0
        11     60  859.625      7.0
         3     60  855.875      7.0
        10     60    855.5      7.0
        12     60   853.75      7.0
         9     60  851.625      7.0
         5     60   851.25      7.0
         7     60    851.0      7.0


"#]]);
    expect(folder, "stats demo12", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
demo12
  packets                60
  deltas                 59
  keyframes              1
  added keyframes        0
  ticks                  60
  first tick             1
  last tick              60
  missing ticks          0
  duration               -
  entities min           12
  entities mean          12.000
  entities max           12
  creates                12
  destroys               0
  updates                708
  updates per tick       11.800
  bytes                  12,203
  bytes per tick         203.383
  bytes per s            -
  packet bytes p95       208
  packet bytes max       272
  bytes per update       14.518
  bytes per entity tick  16.949

"#]]);
    expect(folder, "schema show demo12", 0)
        .stderr_eq("")
        .stdout_eq(str![[r#"
schema bf0ad705bd743aa1, 1 component
component 1
      1  fixed point, -1000 to 1000 in steps of 1/100, 18 bits
      2  fixed point, -1000 to 1000 in steps of 1/100, 18 bits
      3  fixed point, -1000 to 1000 in steps of 1/100, 18 bits
      4  fixed point, -100 to 100 in steps of 1/100, 15 bits
      5  fixed point, -100 to 100 in steps of 1/100, 15 bits
      6  fixed point, -100 to 100 in steps of 1/100, 15 bits
      7  unsigned, 12 bits
      8  bool, 1 bit
      9  bool, 1 bit
     10  bool, 1 bit

"#]]);
}
