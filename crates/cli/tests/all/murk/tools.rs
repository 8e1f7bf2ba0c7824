//! `gametape minimise` and `gametape sync-test`.

use std::fs;

use serde_json::Value;
use serde_json::json;
use snapbox::str;

use super::faults::CELL;
use super::support::{POND, expect, folder, gametape, outputs, with_flipped_value};

#[test]
fn minimise_leaves_the_commands_that_the_fault_needs() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let (faulty, was, is) = with_flipped_value(&bytes, 9, 0, CELL, 22);
    fs::write(path.join("faulty.murk"), &faulty).unwrap();
    expect(path, "minimise faulty.murk small.murk", 0)
        .stdout_eq("")
        .stderr_eq(format!(
            "1 of 5 commands, [..] of 12 ticks are left, after [..] trials\ntick [..]: field 0 (ink) at [1, 2] is {was:?} in the replay and was {is:?} when it was recorded (hash [..], recorded [..]); that explains this hash, the last one; the values differ in one bit: the reason may be a flipped bit or an edit as well as a fault of the simulation; in the replay, it was set by command 0 of tick 6 from source 8 to 3.0\n"
        ));
    let small = fs::read(path.join("small.murk")).unwrap();
    assert!(small.len() < faulty.len());
    expect(path, "verify small.murk", 1)
        .stdout_eq(format!(
            "fail  small.murk  [..], replayed: diverges[..]\n      error murk.snapshot-mismatch, frame [..]: field 0 (ink) at [1, 2] is {was:?} in the replay and was {is:?} when it was recorded (hash [..], recorded [..]); that explains this hash, the last one; the values differ in one bit: the reason may be a flipped bit or an edit as well as a fault of the simulation; in the replay, it was set by command 0 of tick 6 from source 8 to 3.0\n"
        ));
    let told = outputs(
        path,
        &["minimise", "--json", "faulty.murk", "small.murk"],
        0,
    );
    let told: Value = serde_json::from_str(&told).unwrap();
    let number = |value: f32| serde_json::from_str::<Value>(&format!("{value:?}")).unwrap();
    for (key, value) in [
        ("path", json!("faulty.murk")),
        ("out", json!("small.murk")),
        ("verdict", json!("value")),
        ("commands", json!([5, 1])),
        ("minimal", json!(true)),
        ("same_verdict", json!(true)),
        ("field", json!(0)),
        ("field_name", json!("ink")),
        ("cell", json!([1, 2])),
        ("replayed", number(was)),
        ("recorded", number(is)),
    ] {
        assert_eq!(told[key], value, "{key}: {told}");
    }
    assert_eq!(told["written_by"]["command"]["tick"], 6, "{told}");
    assert_eq!(told["slip"]["kind"], "value");
    let piped = gametape(path, &["minimise", "-", "-"])
        .stdin(faulty)
        .assert()
        .code(0);
    assert_eq!(piped.get_output().stdout, small);
    // Without a fault there is nothing to find.
    expect(path, "minimise run.murk out.murk", 2)
        .stdout_eq("")
        .stderr_eq("gametape: run.murk: the recording does not diverge; name a second world with --against\n");
    assert!(!path.join("out.murk").exists());
}

#[test]
fn minimise_finds_what_tells_two_worlds_apart() {
    let folder = folder();
    let path = folder.path();
    // The worlds differ only after a drop has spread for a tick.
    let slow = POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(path.join("slow.toml"), slow).unwrap();
    let args = ["minimise", "run.murk", "small.murk", "--against"];
    gametape(path, &[&args[..], &["slow.toml"]].concat())
        .assert()
        .code(0)
        .stdout_eq("")
        .stderr_eq(str![[r#"
1 of 5 commands, 2 of 12 ticks are left, after [..] trials
tick 2: field 1 (spread) at [..] is [..] in the replay and was [..] when it was recorded; field 1 (spread) at [..]coefficient = 0.25 in place of 0.5[..]

"#]]);
    let told = outputs(path, &[&args[..], &["slow.toml", "--json"]].concat(), 0);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["values"][0]["field_name"], "spread");
    assert!(told["differing"].as_u64() > Some(1), "{told}");
    expect(path, "verify small.murk", 1)
        .stdout_eq(str![[r#"
fail  small.murk  2 ticks, replayed: diverges
      error murk.snapshot-mismatch, frame 1 (tick 2, 0.200 s, byte [..]): [..]more than one value differs[..]
      warning murk.one-slip, frame 1 (tick 2, 0.200 s, byte [..]): [..]coefficient = 0.25 in place of 0.5[..]

"#]]);
    // In the other world it diverges at the same tick.
    expect(path, "diff small.murk run.murk", 1);
    let few = gametape(
        path,
        &[&args[..], &["slow.toml", "--max-trials", "1"]].concat(),
    );
    few.assert().code(0).stderr_eq(str![[r#"
[..] of 5 commands, [..] of 12 ticks are left, after 1 trial
tick [..]
stopped before it was minimal: see --max-trials

"#]]);

    fs::remove_file(path.join("small.murk")).unwrap();
    fs::write(path.join("wide.toml"), POND.replace("cols = 4", "cols = 5")).unwrap();
    for (world, complaint) in [
        (
            "pond.toml",
            "gametape: run.murk: both worlds have the same state at every tick\n",
        ),
        (
            "wide.toml",
            "gametape: run.murk: its world has 3 fields of 12 cells, the second one 3 of 15: their states can't be compared\n",
        ),
        (
            "drops.jsonl",
            "gametape: drops.jsonl: line 1, the world: [..]\n",
        ),
        ("none.toml", "gametape: none.toml: no such file\n"),
        (".", "gametape: .: is a folder\n"),
    ] {
        gametape(path, &[&args[..], &[world]].concat())
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(complaint);
        assert!(!path.join("small.murk").exists(), "{world}");
    }
}

#[test]
fn sync_test_proves_worlds_and_recordings() {
    let folder = folder();
    let path = folder.path();
    for (args, printed) in [
        (
            &["pond.toml"][..],
            "in sync: 1,000 ticks with 0 commands made 2 times at once, every state the same (last hash [..])\n      this machine runs it the same each time. Next: --rollback 8 goes back and runs again; verify compares with the machine that made a recording\n",
        ),
        (
            &[
                "pond.toml",
                "--commands",
                "drops.jsonl",
                "--ticks",
                "12",
                "--runs",
                "4",
            ],
            "in sync: 12 ticks with 5 commands made 4 times at once, every state the same (last hash [..])\n      this machine runs it the same each time. Next: --rollback 8 goes back and runs again; verify compares with the machine that made a recording\n",
        ),
        (
            &["pond.toml", "--ticks", "1", "--rollback", "7"],
            "in sync: 1 tick with 0 commands made twice, going back 7 at a time, every state the same (last hash [..])\n      this machine can go back in it. Next: --runs 8 compares separate runs; verify compares with the machine that made a recording\n",
        ),
        (
            &["run.murk", "--runs", "4"],
            "in sync: 12 ticks with 5 commands made 4 times at once, every state the same (last hash [..])\n      this machine runs it the same each time. Next: --rollback 8 goes back and runs again; verify compares with the machine that made a recording\n",
        ),
        (
            &["run.murk", "--rollback", "7"],
            "in sync: 12 ticks with 5 commands made twice, going back 7 at a time, every state the same (last hash [..])\n      this machine can go back in it. Next: --runs 8 compares separate runs; verify compares with the machine that made a recording\n",
        ),
    ] {
        gametape(path, &[&["sync-test"], args].concat())
            .assert()
            .code(0)
            .stdout_eq(printed)
            .stderr_eq("");
    }
    // The recording, its world with its commands, and rolling back: one last state.
    let hashes: Vec<Value> = [
        &["run.murk"][..],
        &["run.murk", "--rollback", "7"],
        &["pond.toml", "--commands", "drops.jsonl", "--ticks", "12"],
    ]
    .into_iter()
    .map(|args| {
        let printed = outputs(path, &[&["sync-test", "--json"], args].concat(), 0);
        let synced: Value = serde_json::from_str(&printed).unwrap();
        let keys: Vec<&String> = synced.as_object().unwrap().keys().collect();
        let stable = [
            "ticks",
            "commands",
            "runs",
            "in_sync",
            "tick",
            "run",
            "hashes",
            "values",
            "differing",
            "message",
            "last_hash",
        ];
        assert_eq!(keys, stable);
        assert_eq!(synced["in_sync"], true);
        synced["last_hash"].clone()
    })
    .collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");

    // Options that would have no effect are refused.
    for (args, complaint) in [
        (
            &["run.murk", "--ticks", "3"][..],
            "gametape: run.murk: a recording has its own commands and ticks: --commands and --ticks are for worlds (.toml)\n",
        ),
        (
            &["run.murk", "--commands", "drops.jsonl"],
            "gametape: run.murk: a recording has its own commands and ticks: --commands and --ticks are for worlds (.toml)\n",
        ),
        (
            &["pond.toml", "--world", "pond.toml"],
            "gametape: pond.toml: is a world itself: --world is for recordings\n",
        ),
    ] {
        gametape(path, &[&["sync-test"], args].concat())
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(complaint);
    }
    for wrong in [
        &["--runs", "1"][..],
        &["--runs", "257"],
        &["--rollback", "0"],
        &["--rollback", "7", "--runs", "2"],
    ] {
        gametape(path, &[&["sync-test", "pond.toml"], wrong].concat())
            .assert()
            .code(2)
            .stdout_eq("");
    }
}
