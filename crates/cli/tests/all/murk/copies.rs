//! Copies, what is kept of a cut recording, and recordings without a world, or without ticks.

use std::fs;

use gametape::murk::read;
use snapbox::str;

use super::everyday::ODD;
use super::support::{POND, expect, folder, gametape, names, outputs, record, with_header};

#[test]
fn convert_and_repair_keep_every_byte_of_what_is_whole() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("odd.jsonl"), ODD).unwrap();
    record(path, "pond.toml", "odd.jsonl", "odd.murk").code(1);
    let bytes = fs::read(path.join("odd.murk")).unwrap();
    expect(path, "convert odd.murk copy.murk", 0)
        .stdout_eq("")
        .stderr_eq("");
    expect(path, "convert --json odd.murk copy.replay", 0)
        .stdout_eq(format!(
            "{{\"path\":\"odd.murk\",\"out\":\"copy.replay\",\"format\":\"murk\",\"to\":\"murk\",\"bytes\":{},\"losses\":[],\"notes\":[],\"report\":null}}\n",
            bytes.len()
        ))
        .stderr_eq("");
    expect(path, "repair odd.murk whole.murk", 0)
        .stdout_eq("")
        .stderr_eq("nothing to repair: the form is intact; verify checks the content\n");
    expect(path, "repair --json odd.murk whole.murk", 0)
        .stdout_eq(format!(
            "{{\"path\":\"odd.murk\",\"out\":\"whole.murk\",\"format\":\"murk\",\"bytes\":{},\"actions\":[],\"altered\":[],\"altered_count\":0,\"lossy\":false}}\n",
            bytes.len()
        ))
        .stderr_eq("");
    for name in ["copy.murk", "copy.replay", "whole.murk"] {
        assert_eq!(fs::read(path.join(name)).unwrap(), bytes, "{name}");
    }
    for command in ["convert", "repair"] {
        let piped = gametape(path, &[command, "-", "-"])
            .stdin(bytes.clone())
            .assert()
            .code(0);
        assert_eq!(piped.get_output().stdout, bytes, "{command}");
    }
    expect(path, "convert odd.murk odd.rmv", 2)
        .stderr_eq("gametape: odd.murk: murk can't be converted to rmv; it can be converted to .murk or .mcap\n");
    expect(path, "convert odd.murk old.murk --format-version 2", 2).stderr_eq(
        "gametape: odd.murk: murk can't be converted to murk v2: only version 3 is in use; it can be converted to .murk or .mcap\n",
    );
    assert!(
        !names(path)
            .iter()
            .any(|name| name == "odd.rmv" || name == "old.murk")
    );
}

#[test]
fn repair_keeps_the_whole_frames_of_a_cut_recording() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let offset = |frame: usize| {
        let frame = read(&bytes).unwrap().frames().nth(frame).unwrap();
        frame.unwrap().offset as usize
    };
    let cut = offset(6) - 4;
    fs::write(path.join("cut.murk"), &bytes[..cut]).unwrap();
    expect(path, "verify cut.murk", 1)
        .stdout_eq(str![[r#"
fail  cut.murk  5 ticks, replayed: every hash is right
      error murk.truncated, frame 5 (tick 6, 0.600 s, byte [..]): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left
      advice: repair was tried: kept 5 whole frames, up to tick 5; dropped 76 bytes after them: frame 5 (tick 6, byte 922): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left

"#]]);
    expect(path, "repair cut.murk mended.murk", 3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
kept 5 whole frames, up to tick 5; dropped [..] bytes after them: frame 5 (tick 6, byte [..]): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left

"#]]);
    assert_eq!(
        fs::read(path.join("mended.murk")).unwrap(),
        bytes[..offset(5)]
    );
    assert_eq!(fs::read(path.join("cut.murk")).unwrap(), bytes[..cut]);
    expect(path, "verify mended.murk", 0);
    expect(path, "repair --json cut.murk mended.murk", 3)
        .stdout_eq(str![[r#"
{"path":"cut.murk","out":"mended.murk","format":"murk","bytes":[..],"actions":["kept 5 whole frames, up to tick 5; dropped [..]"],"altered":[],"altered_count":0,"lossy":true}

"#]])
        .stderr_eq("");
    // As much as can be read is shown, and that it is not all.
    expect(path, "dump cut.murk", 1)
        .stderr_eq(str![[r#"
gametape: cut.murk: frame 5 (tick 6, byte [..]): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left (dumped the readable part)

"#]]);
    let parts = [
        ("inspect", "as far as it could be read"),
        ("stats", "statistics of the readable part"),
    ];
    for (command, part) in parts {
        expect(path, &format!("{command} cut.murk"), 1).stderr_eq(format!(
            "gametape: cut.murk: frame 5 (tick 6, byte [..]): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left ({part})\n"
        ));
    }
    expect(path, "convert cut.murk out.murk", 2).stderr_eq(str![[r#"
gametape: cut.murk: frame 5 (tick 6, byte [..]): the file ends in the snapshot hash of a frame: 8 bytes needed, 4 are left (gametape repair may save the intact parts)

"#]]);
    assert!(!path.join("out.murk").exists());
    // The header alone, and one frame.
    for (kept, printed) in [
        (
            0,
            "kept the header; no frame is whole; dropped 3 bytes after them: [..]",
        ),
        (
            1,
            "kept 1 whole frame, tick 1; dropped 3 bytes after them: [..]",
        ),
    ] {
        fs::write(path.join("cut.murk"), &bytes[..offset(kept) + 3]).unwrap();
        expect(path, "repair --replace cut.murk mended.murk", 3).stderr_eq(format!("{printed}\n"));
        expect(path, "verify mended.murk", 0);
    }
}

/// A recording as the origin's own programs write it: without a world.
pub(super) fn bare(bytes: &[u8]) -> Vec<u8> {
    with_header(bytes, |header| {
        header.config_hash = 0;
        header.space_descriptor = (&[]).into();
    })
}

#[test]
fn a_recording_without_a_world_is_replayed_in_the_one_that_is_given() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("bare.murk"), bare(&bytes)).unwrap();
    expect(path, "verify -v bare.murk", 0)
        .stdout_eq(str![[r#"
pass  bare.murk  12 ticks, not replayed
      info murk.config-unset: config_hash is 0, unset: nothing in the recording says which world it is of
      info murk.not-simulated: checked, but not re-simulated: the recording carries no world, and none was given; its 12 snapshot hashes are unproven

"#]])
        .stderr_eq("");
    expect(path, "verify --world pond.toml bare.murk", 0).stdout_eq(
        "pass  bare.murk  12 ticks, replayed: every hash is right  (noted: murk.config-unset)\n",
    );
    // Somebody else's description is kept, and not looked at.
    let foreign = with_header(&bytes, |header| {
        header.config_hash = 0;
        header.space_descriptor = b"\x00\xffspace".into();
    });
    fs::write(path.join("foreign.murk"), &foreign).unwrap();
    expect(path, "verify foreign.murk", 0)
        .stdout_eq("pass  foreign.murk  12 ticks, not replayed  (noted: murk.config-unset, murk.not-simulated)\n");
    let inspected = outputs(path, &["inspect", "foreign.murk"], 0);
    assert!(
        inspected.contains("space descriptor 7 bytes, opaque"),
        "{inspected}"
    );
    assert!(!inspected.contains("duration"), "{inspected}");
    // Another world is refused: by its shape, by its hash, or because a state is another.
    let wide = POND.replace("cols = 4", "cols = 5");
    let slow = POND.replace("coefficient = 0.5", "coefficient = 0.25");
    fs::write(path.join("wide.toml"), wide).unwrap();
    fs::write(path.join("slow.toml"), slow).unwrap();
    for (world, recording, finding) in [
        ("wide.toml", "bare.murk", "murk.world-shape: the header"),
        (
            "slow.toml",
            "bare.murk",
            "murk.snapshot-mismatch, frame 1 (tick 2, 0.200 s, byte",
        ),
        (
            "slow.toml",
            "run.murk",
            "murk.config-mismatch: the recording's config_hash is",
        ),
    ] {
        let text = outputs(path, &["verify", "--world", world, recording], 1);
        assert!(text.contains(finding), "{world} {recording}: {text}");
    }
    // Commands that need a world say so, or take one.
    for args in [
        &["sync-test", "bare.murk"][..],
        &["minimise", "bare.murk", "out.murk"],
    ] {
        gametape(path, args)
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(
                "gametape: bare.murk: the recording carries no world; give one with --world\n",
            );
    }
    expect(path, "sync-test bare.murk --world pond.toml", 0);
    expect(path, "diff bare.murk run.murk", 1)
        .stdout_eq(str![[r#"
header: config_hash is [..] in the first, [..] in the second
header: space_descriptor is [..] in the first, [..] in the second
run: 1 row differs (config_hash in 1, space_descriptor in 1, duration_ms in 1, commands_per_s in 1); config_hash is missing in the first, "945df876fade878a" in the second
ticks: 12 rows differ (replayed_hash in 12); first at step 0, tick 1: replayed_hash is missing in the first, [..] in the second
commands: 5 rows differ (outcome in 5); first at step 0, tick 1: outcome is missing in the first, "applied" in the second
parameters: only the second has this table
ink: only the second has this table
spread: only the second has this table
shore: only the second has this table

"#]]);
}

#[test]
fn tables_need_a_world_or_take_one() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("bare.murk"), bare(&bytes)).unwrap();
    // Without a world, some tables are missing, and the output says so.
    expect(path, "tables bare.murk", 0)
        .stdout_eq("run (facts, 1 row)\n...\nticks (events)\n...\ncommands (events)\n...\n")
        .stderr_eq("there is more with a world: give one with --world\n");
    expect(path, "dump --table ink bare.murk", 2)
        .stdout_eq("")
        .stderr_eq("gametape: bare.murk: there is no table \"ink\"; there are run, ticks, commands, and more with a world: give one with --world\n");
    expect(path, "dump --table commands --from 0.2 bare.murk", 2).stderr_eq(
        "gametape: bare.murk: 0.200 s: the recording has no times; name a tick, or a step\n",
    );
    // With one it is as if the recording carried it.
    for wish in [
        &["tables"][..],
        &["dump", "--table", "ink"],
        &["dump", "--table", "commands", "--from", "0.2"],
        &["dump", "--state", "--at", "tick:7"],
        &["stats"],
        &["dump"],
    ] {
        let mut printed = ["bare.murk", "run.murk"].map(|name| {
            let args = [wish, &["--world", "pond.toml", name]].concat();
            outputs(path, &args, 0).replace(name, "")
        });
        if wish == ["dump"] {
            // The header is the recording's own.
            for printed in &mut printed {
                *printed = printed
                    .lines()
                    .filter(|line| line.contains("tick"))
                    .collect();
            }
        }
        let [bare, run] = printed;
        assert!(!run.is_empty() && bare == run, "{wish:?}: {bare}{run}");
    }
    // One that does not fit, one that is none, and one for a recording that has none.
    fs::write(path.join("wide.toml"), POND.replace("cols = 4", "cols = 5")).unwrap();
    fs::write(path.join("no.toml"), "seed = 1").unwrap();
    fs::write(path.join("game.rmv"), gametape_samples::mines::example()).unwrap();
    for (args, complaint) in [
        (
            "tables --world wide.toml run.murk",
            "run.murk: the header's cell_count is 12, the world's is 15",
        ),
        ("tables --world no.toml run.murk", "no.toml: "),
        (
            "dump --table ink --world gone.toml run.murk",
            "gone.toml: no such file",
        ),
        (
            "tables --world pond.toml game.rmv",
            "game.rmv: there is no option world to open rmv recordings",
        ),
        (
            "verify --world pond.toml game.rmv",
            "game.rmv: there is no option world to open rmv recordings",
        ),
        (
            "stats --world pond.toml game.rmv game.rmv",
            "game.rmv: there is no option world to open rmv recordings",
        ),
        (
            "inspect --schema pond.toml run.murk game.rmv",
            "run.murk: there is no option schema to open murk or rmv recordings",
        ),
        (
            "diff --world pond.toml game.rmv game.rmv",
            "game.rmv: there is no option world to open rmv recordings",
        ),
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let run = gametape(path, &args).assert().code(2).stdout_eq("");
        let printed = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(printed.contains(complaint), "{args:?}: {printed}");
    }
    // Over recordings of several formats it is for those that have it.
    for verb in ["verify", "stats"] {
        expect(
            path,
            &format!("{verb} --world pond.toml game.rmv run.murk"),
            0,
        );
    }
}

#[test]
fn a_recording_without_ticks_is_a_recording() {
    let folder = folder();
    let path = folder.path();
    let args = "record murk --world pond.toml --ticks 0 none.murk";
    gametape(path, &args.split(' ').collect::<Vec<_>>())
        .assert()
        .code(0)
        .stdout_eq("none.murk: recorded 0 ticks, 0 commands\n");
    expect(path, "verify none.murk", 0)
        .stdout_eq("warn  none.murk  0 ticks, nothing to replay\n      warning murk.no-frames: the recording has no frames\n");
    for command in ["inspect", "stats", "dump", "sync-test", "index"] {
        expect(path, &format!("{command} none.murk"), 0).stderr_eq("");
    }
    expect(path, "repair none.murk same.murk", 0);
    expect(path, "diff none.murk run.murk", 1)
        .stdout_eq(
            "frame 0 (tick 1): the first recording has ended\n11 more frames differ after it\nrun: 1 row differs [..]\nticks: 12 rows only in the second; [..]\ncommands: 5 rows only in the second; [..]\n...\n",
        );
    let commands = "record murk --world pond.toml --commands drops.jsonl --ticks 0 out.murk";
    gametape(path, &commands.split(' ').collect::<Vec<_>>())
        .assert()
        .code(2)
        .stderr_eq("gametape: drops.jsonl: line 1: tick 1 is not made; there are no ticks\n");
    assert!(!path.join("out.murk").exists());
}
