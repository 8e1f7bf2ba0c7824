//! The command that knows tracks: what every verb does with them, and they stand what every format has to.

#![allow(clippy::needless_raw_string_hashes)] // The test tool writes them when it updates.

use std::fs;
use std::path::Path;

use gametape_cli::kit::{Kit, Sample};
use own_format::EXAMPLE;
use snapbox::cmd::Command;
use snapbox::str;

const COMMAND: &str = env!("CARGO_BIN_EXE_own-format");

const BROKEN: &str = "0,1,0,0,0\n100,1,1.5,0,0\nbad\n90,2,5,5,5.5\n100,";

fn kit() -> Kit {
    Kit::new(COMMAND, vec![Sample::new("a.track", EXAMPLE)])
}

#[test]
fn tracks_keep_what_every_format_promises() {
    kit().promises();
}

#[test]
fn tracks_can_be_made_into_captures_whose_tables_are_the_same() {
    kit().captures();
}

#[test]
fn tracks_stand_bad_inputs() {
    kit().bad_inputs();
}

#[test]
fn tracks_stand_bad_outputs() {
    kit().bad_outputs();
}

#[test]
fn tracks_stand_whole_folders() {
    kit().folders();
}

fn command(folder: &Path, args: &[&str]) -> Command {
    Command::new(COMMAND)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(args)
}

#[test]
fn what_the_verbs_say_of_tracks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.track"), EXAMPLE).unwrap();
    fs::write(path.join("b.track"), BROKEN).unwrap();
    command(path, &["inspect", "a.track"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
a.track
  format           track v1
  size             56 bytes
  duration         0.120 s
  rows             4


"#]]);
    command(path, &["verify", "."])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
pass  ./a.track  4 rows
fail  ./b.track  5 rows
      error track.line, row 2 (line 3, byte 24): neither time,entity,x,y,z nor time,mark,text: "bad" (and once more)
      warning track.time-order, row 3 (0.090 s, line 4, byte 28): 90 ms comes after 100 ms
      advice: repair was tried: left out: row 2 (line 3, byte 24): neither time,entity,x,y,z nor time,mark,text: "bad" (and once more)
2 recordings: 1 pass, 1 fail; 0.0 MB in [..] s

"#]]);
    command(path, &["stats", "a.track"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
a.track
  duration               0.120 s
  steps                  4

"#]]);
    command(path, &["cut", "a.track", "part.track", "--to", "0.1"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
gametape: a.track: it can't be cut: its format does not say how a part of a recording is one; convert it to .mcap, and cut that

"#]]);
    command(path, &["dump", "--at", "0.1", "a.track"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
{"table":"positions","step":1,"time_ms":100,"entity":1,"x":1,"y":0,"z":0}
{"table":"positions","step":2,"time_ms":100,"entity":2,"x":5,"y":5,"z":5.5}

"#]]);
    command(
        path,
        &[
            "dump",
            "--table",
            "positions",
            "--where",
            "entity=1",
            "--csv",
            "a.track",
        ],
    )
    .assert()
    .code(0)
    .stdout_eq(str![[r#"
step,tick,time_ms,ended,entity,x,y,z
0,,0,,1,0,0,0
1,,100,,1,1,0,0

"#]]);
    command(path, &["dump", "--table", "marks", "a.track"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
{"step":3,"time_ms":120,"text":"goal, of 1"}

"#]]);
    command(path, &["diff", "a.track", "b.track"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
gametape: b.track: row 2 (line 3, byte 24): neither time,entity,x,y,z nor time,mark,text: "bad" (and once more) (gametape repair may save the intact parts)

"#]]);
    command(path, &["repair", "b.track", "c.track"])
        .assert()
        .code(3)
        .stderr_eq(str![[r#"
left out: row 2 (line 3, byte 24): neither time,entity,x,y,z nor time,mark,text: "bad" (and once more)

"#]]);
    command(path, &["diff", "a.track", "c.track"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
header: duration_ms is 120 in the first, 90 in the second
header: steps is 4 in the first, 3 in the second
positions: step 1, 0.100 s: entity 1: x is 1 m in the first, 1.5 m in the second
1 more row differs after it
positions: 1 row differs (x in 1); first at step 1, 0.100 s: entity 1: x is 1 m in the first, 1.5 m in the second
marks: 1 row only in the first; first at step 3, 0.120 s: text "goal, of 1": is in the first, and not in the second

"#]]);
}

/// Where things are, in a picture: nothing of it was written for tracks.
#[test]
fn a_picture_of_a_track() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("a.track"), EXAMPLE).unwrap();
    command(path, &["picture", "a.track", "at.png"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
Positions at 0.120 s, step 3: positions: 2. z goes right, from -0.5 to 6.0 m, x up, from -0.5 to 5.5 m.

"#]])
        .stderr_eq("");
    command(path, &["picture", "a.track", "over.svg", "--from", "step:0"])
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
Where things went from 0.000 s, step 0 to 0.120 s, step 3: in the end positions: 2. z goes right, from -0.5 to 6.0 m, x up, from -0.5 to 5.5 m.

"#]])
        .stderr_eq("");
    let svg = fs::read_to_string(path.join("over.svg")).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.contains("positions: 2"),
        "{svg}"
    );
}
