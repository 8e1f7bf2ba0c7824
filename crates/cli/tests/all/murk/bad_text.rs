//! Worlds and commands with mistakes: each message names the file and the line. What it says of each mistake is
//! tested in crates/murk.

use std::fs;
use std::path::Path;

use super::support::{POND, expect, folder, gametape, names};

/// Records with a text that has to be refused; returns the message after the file's name.
fn complaint(folder: &Path, file: &str, text: &[u8]) -> String {
    fs::write(folder.join(file), text).unwrap();
    let mut args = vec!["record", "murk", "--ticks", "12", "out.murk"];
    match file {
        "bad.toml" => args.extend(["--world", "bad.toml"]),
        _ => args.extend(["--world", "pond.toml", "--commands", file]),
    }
    let before = names(folder);
    let run = gametape(folder, &args).assert().code(2).stdout_eq("");
    assert_eq!(names(folder), before);
    let printed = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert_eq!(printed.lines().count(), 1, "{printed}");
    let printed = printed.strip_prefix(&format!("gametape: {file}: "));
    printed.unwrap().trim_end().to_owned()
}

#[test]
fn worlds_with_mistakes() {
    let folder = folder();
    let path = folder.path();
    let text = POND.replace("rows = 3", "rows = 0");
    let printed = complaint(path, "bad.toml", text.as_bytes());
    assert_eq!(
        printed,
        "line 5, [space], rows: at least one cell is needed"
    );
    let printed = complaint(path, "bad.toml", b"dt = 0.1\n\xFF\xFE");
    assert_eq!(printed, "not a world: not UTF-8 at byte 9");
    let printed = complaint(path, "bad.toml", b"");
    assert_eq!(printed, "line 1, dt: missing");
}

/// Whichever option names the world, and whatever is wrong: it is said of the world's file.
#[test]
fn a_bad_world_is_complained_of_by_its_own_name() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("bad.toml"), POND.replace("rows = 3", "rows = 0")).unwrap();
    let bad = "bad.toml: line 5, [space], rows: at least one cell is needed\n";
    for (world, complaint) in [
        ("bad.toml", bad),
        ("none.toml", "none.toml: no such file\n"),
        (".", ".: is a folder\n"),
        (
            "run.murk",
            "run.murk: not a world: not UTF-8 at byte [..]\n",
        ),
    ] {
        for args in [
            "record murk --ticks 12 out.murk --world",
            "record murk --ticks 12 out.murk --commands drops.jsonl --world",
            "verify run.murk --world",
            "diff run.murk run.murk --world",
            "minimise run.murk out.murk --world",
            "minimise run.murk out.murk --against",
            "sync-test run.murk --world",
        ] {
            let args: Vec<&str> = args.split(' ').chain([world]).collect();
            gametape(path, &args)
                .assert()
                .code(2)
                .stdout_eq("")
                .stderr_eq(format!("gametape: {complaint}"));
            assert!(!path.join("out.murk").exists(), "{args:?}");
        }
    }
    expect(path, "sync-test bad.toml", 2)
        .stdout_eq("")
        .stderr_eq(format!("gametape: {bad}"));
}

#[test]
fn commands_with_mistakes() {
    let folder = folder();
    let path = folder.path();
    let despawn = r#""kind":"despawn","entity_id":1"#;
    for (line, wanted) in [
        ("{}".to_owned(), "\"tick\" is missing"),
        (
            format!("{{\"tick\":0,{despawn}}}"),
            "tick 0 is not made; ticks 1 to 12 are",
        ),
        (
            format!("{{\"tick\":13,{despawn}}}"),
            "tick 13 is not made; ticks 1 to 12 are",
        ),
    ] {
        // Empty lines are counted, and pass.
        let text = format!("{{\"tick\":1,{despawn}}}\n\n{line}\n");
        let printed = complaint(path, "bad.jsonl", text.as_bytes());
        assert_eq!(printed, format!("line 3: {wanted}"));
    }
    let printed = complaint(path, "bad.jsonl", b"\n{\"tick\":1,\xFF}\n");
    assert_eq!(printed, "line 2: not UTF-8 at byte 10");
    let printed = complaint(path, "run.murk", &fs::read(path.join("run.murk")).unwrap());
    assert!(printed.starts_with("line "), "{printed}");
    for (file, wanted) in [
        ("none.jsonl", "gametape: none.jsonl: no such file\n"),
        (".", "gametape: .: is a folder\n"),
    ] {
        for args in [
            "record murk --world pond.toml --ticks 12 out.murk --commands",
            "sync-test pond.toml --commands",
        ] {
            let args: Vec<&str> = args.split(' ').chain([file]).collect();
            gametape(path, &args)
                .assert()
                .code(2)
                .stdout_eq("")
                .stderr_eq(wanted);
        }
    }
    assert!(!path.join("out.murk").exists());
    let args = [
        "sync-test",
        "pond.toml",
        "--ticks",
        "4",
        "--commands",
        "drops.jsonl",
    ];
    gametape(path, &args)
        .assert()
        .code(2)
        .stderr_eq("gametape: drops.jsonl: line 3: tick 5 is not made; ticks 1 to 4 are\n");
}

/// As other systems write text files.
#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    let folder = folder();
    let path = folder.path();
    let drops = fs::read_to_string(path.join("drops.jsonl")).unwrap();
    let windows = format!("\u{feff}{}", drops.trim_end().replace('\n', "\r\n"));
    fs::write(path.join("windows.jsonl"), windows).unwrap();
    super::support::record(path, "pond.toml", "windows.jsonl", "windows.murk").code(0);
    assert_eq!(
        fs::read(path.join("windows.murk")).unwrap(),
        fs::read(path.join("run.murk")).unwrap()
    );
}
