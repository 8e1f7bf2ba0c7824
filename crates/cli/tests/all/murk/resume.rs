//! Going on with a recording that is there already.

use std::fs;

use super::support::{DROPS, POND, folder, gametape, header_size};

fn resume(folder: &std::path::Path, more: &[&str]) -> snapbox::cmd::OutputAssert {
    let args = ["record", "murk", "--resume", "--world"];
    gametape(folder, &[&args[..], more].concat()).assert()
}

const AS_BEFORE: [&str; 6] = [
    "pond.toml",
    "--commands",
    "drops.jsonl",
    "--ticks",
    "12",
    "cut.murk",
];

/// Wherever it was cut, what comes out is what would have been recorded.
#[test]
fn a_recording_cut_anywhere_goes_on_to_the_same_bytes() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let first = header_size(&bytes);
    let cuts = [
        0,
        1,
        3,
        4,
        5,
        20,
        first - 1,
        first,
        first + 1,
        first + 20,
        bytes.len() - 1,
    ];
    for cut in cuts.into_iter().chain((first..bytes.len()).step_by(29)) {
        fs::write(path.join("cut.murk"), &bytes[..cut]).unwrap();
        resume(path, &AS_BEFORE).code(0);
        assert!(
            fs::read(path.join("cut.murk")).unwrap() == bytes,
            "cut at {cut}"
        );
    }
    // Existing ticks are not made again; a smaller number of ticks removes none.
    resume(path, &AS_BEFORE)
        .code(0)
        .stdout_eq("cut.murk: recorded 0 ticks, 0 commands\n")
        .stderr_eq("nothing to make: tick 12 is there already\n");
    resume(path, &["pond.toml", "--ticks", "3", "cut.murk"])
        .code(0)
        .stderr_eq("nothing to make: tick 12 is there already\n");
    assert_eq!(fs::read(path.join("cut.murk")).unwrap(), bytes);
    // Without a file, a new recording begins.
    resume(
        path,
        &[
            "pond.toml",
            "--commands",
            "drops.jsonl",
            "--ticks",
            "12",
            "new.murk",
        ],
    )
    .code(0)
    .stdout_eq("new.murk: recorded 12 ticks, 5 commands\n")
    .stderr_eq("");
    assert_eq!(fs::read(path.join("new.murk")).unwrap(), bytes);
}

#[test]
fn resuming_says_what_it_did() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    fs::write(path.join("cut.murk"), &bytes[..bytes.len() - 1]).unwrap();
    resume(path, &AS_BEFORE)
        .code(0)
        .stdout_eq("cut.murk: recorded 1 tick, 0 commands\n")
        .stderr_eq("cut off 19 bytes after the last whole frame\ncontinued after tick 11\n");
    fs::write(path.join("cut.murk"), &bytes[..7]).unwrap();
    resume(path, &AS_BEFORE)
        .code(0)
        .stdout_eq("cut.murk: recorded 12 ticks, 5 commands\n")
        .stderr_eq("cut off 7 bytes after the last whole frame\n");
}

/// A recording that is not the same world's, or not sound, or none at all, stays as it is.
#[test]
fn a_recording_that_cannot_be_resumed_is_left_alone() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("run.murk")).unwrap();
    let first = header_size(&bytes);
    fs::write(path.join("slow.toml"), POND.replace("0.5", "0.25")).unwrap();
    fs::write(path.join("other.jsonl"), DROPS.replace("1.5", "1.25")).unwrap();
    let mut flipped = bytes.clone();
    flipped[first + 19] ^= 1; // in the first frame's command
    let mut magic = bytes.clone();
    magic[0] = b'm';
    let mut version = bytes.clone();
    version[4] = 2;
    let mut huge = bytes.clone();
    huge[first + 8..first + 12].fill(0xFF);
    // The first command's length: everything after it looks like one frame that was cut.
    let mut swallowed = bytes.clone();
    swallowed[first + 14] = 0xFF;
    let cut = &bytes[..first - 40];
    let other_world =
        "is a recording of another world, or by another build: it can't be resumed with this one";
    for (there, world, commands, complaint) in [
        (&bytes[..], "slow.toml", "drops.jsonl", other_world),
        // Cut inside of the world that it carries.
        (cut, "slow.toml", "drops.jsonl", other_world),
        (
            &bytes[..],
            "pond.toml",
            "other.jsonl",
            "tick 1 was recorded with other commands than are given now; nothing was changed: [..]",
        ),
        (&flipped[..], "pond.toml", "drops.jsonl", "[..]"),
        (
            &magic[..],
            "pond.toml",
            "drops.jsonl",
            "byte 0: the file starts with \"mURK\", a Murk replay starts with \"MURK\"",
        ),
        (
            &version[..],
            "pond.toml",
            "drops.jsonl",
            "byte 4: format version 2; only version 3 can be read[..]",
        ),
        (
            &huge[..],
            "pond.toml",
            "drops.jsonl",
            "frame 0 (tick 1, byte [..]): the frame claims 4,294,967,295 commands, the limit is 1,000,000; nothing was changed: `gametape repair` turns flipped bits back where an index lies beside the recording, and otherwise keeps the whole frames before it",
        ),
        (
            &swallowed[..],
            "pond.toml",
            "drops.jsonl",
            "frame 0 (tick 1, byte [..]): command 0 claims 65,300 bytes, [..] are left; this is not the start of the frame that is made next: the recording is damaged, or other commands were given than now, or its world is not deterministic (gametape sync-test tells); nothing was changed: `gametape repair` turns flipped bits back where an index lies beside the recording, and otherwise keeps the whole frames before it",
        ),
        (
            b"%PDF-1.7 and more",
            "pond.toml",
            "drops.jsonl",
            "byte 0: the file starts with \"%PDF\", a Murk replay starts with \"MURK\"",
        ),
        (b"%", "pond.toml", "drops.jsonl", other_world),
    ] {
        fs::write(path.join("there.murk"), there).unwrap();
        resume(
            path,
            &[world, "--commands", commands, "--ticks", "20", "there.murk"],
        )
        .code(2)
        .stdout_eq("")
        .stderr_eq(format!("gametape: there.murk: {complaint}\n"));
        assert_eq!(
            fs::read(path.join("there.murk")).unwrap(),
            there,
            "{complaint}"
        );
    }
}
