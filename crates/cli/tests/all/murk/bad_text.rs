//! Worlds and commands with mistakes: each message names the line, and the key.

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
    for (from, to, wanted) in [
        (
            "dt = 0.1",
            "dt = \"x\"",
            "line 1, dt: a number is needed, this is the string \"x\"",
        ),
        ("dt = 0.1", "dt = nan", "line 1, dt: not a number (NaN)"),
        (
            "dt = 0.1",
            "dt = -1",
            "line 1, dt: must be finite and above 0, not -1.0",
        ),
        (
            "dt = 0.1",
            "dt = 0",
            "line 1, dt: must be finite and above 0, not 0.0",
        ),
        (
            "dt = 0.1",
            "dt = 5",
            "line 1, dt: 5.0 s is too long: propagator 0 (scalar_diffusion) is stable up to 0.1666",
        ),
        ("dt = 0.1", "", "line 1, dt: missing"),
        (
            "dt = 0.1",
            "dt = 0.1\nspeed = 3",
            "line 2, speed: unknown key; known keys: ",
        ),
        ("dt = 0.1", "dt = 0.1\ndt = 0.2", "line 2, "),
        ("[space]", "[space", "line 3, "),
        ("[space]", "[spice]", "line 1, space: missing"),
        (
            "square4",
            "squire4",
            "line 4, [space], kind: \"squire4\" is not defined; known spaces: line1d, ring1d, square4, square8, hex2d, fcc12, product",
        ),
        (
            "rows = 3",
            "rows = 0",
            "line 5, [space], rows: at least one cell is needed",
        ),
        (
            "rows = 3",
            "rows = -3",
            "line 5, [space], rows: an integer from 0 to 2^32-1 is needed, this is the integer -3",
        ),
        (
            "rows = 3",
            "rows = 4000000000",
            "line 3, [space]: 16,000,000,000 cells, the limit is 67,108,864",
        ),
        ("rows = 3", "", "line 3, [space], rows: missing"),
        (
            "edge = \"absorb\"",
            "edge = 3",
            "line 7, [space], edge: a string is needed, this is the integer 3",
        ),
        (
            "name = \"spread\"",
            "name = \"ink\"",
            "line 15, field 1 (ink), name: field 0 has this name too",
        ),
        (
            "mutability = \"static\"",
            "mutability = \"stiff\"",
            "line 22, field 2 (shore), mutability: \"stiff\" is not defined; known ",
        ),
        (
            "coefficient = 0.5",
            "coefficient = \"much\"",
            "line 28, propagator 0 (scalar_diffusion), coefficient: a number is needed, this is the string \"much\"",
        ),
        (
            "coefficient = 0.5",
            "coefficient = 0.5\nradius = 2",
            "line 29, propagator 0 (scalar_diffusion), radius: unknown key; known keys: ",
        ),
        (
            "input_field = \"ink\"",
            "input_field = \"inc\"",
            "line 26, propagator 0 (scalar_diffusion), input_field: the world has no field \"inc\"",
        ),
        (
            "scalar_diffusion",
            "diffusing",
            "line 25, propagator 0 (diffusing), kind: \"diffusing\" is not defined; known kinds: scalar_diffusion, ",
        ),
    ] {
        let text = POND.replacen(from, to, 1);
        assert_ne!(text, POND);
        let printed = complaint(path, "bad.toml", text.as_bytes());
        assert!(printed.starts_with(wanted), "{to}: {printed}");
    }
    // Only what is nowhere in the file has no line.
    let fieldless = POND.split("[[field]]").next().unwrap();
    for (text, wanted) in [
        (
            POND.split("[[propagator]]").next().unwrap(),
            "at least one propagator is needed",
        ),
        (fieldless, "at least one field is needed"),
    ] {
        let printed = complaint(path, "bad.toml", text.as_bytes());
        assert!(printed.ends_with(wanted), "{printed}");
    }
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
    let set = |rest: &str| format!(r#"{{"tick":2,"kind":"set_field","coord":[0,0],{rest}}}"#);
    for (line, wanted) in [
        (
            "not json".to_owned(),
            "not JSON: expected ident at column 2",
        ),
        (
            "{\"tick\":2,".to_owned(),
            "not JSON: EOF while parsing a value at column 10",
        ),
        ("[]".to_owned(), "not a JSON object"),
        ("3".to_owned(), "not a JSON object"),
        ("{}".to_owned(), "\"tick\" is missing"),
        (r#"{"tick":2}"#.to_owned(), "\"kind\" is missing"),
        (format!("{{{despawn}}}"), "\"tick\" is missing"),
        (
            format!("{{\"tick\":0,{despawn}}}"),
            "tick 0 is not made; ticks 1 to 12 are",
        ),
        (
            format!("{{\"tick\":13,{despawn}}}"),
            "tick 13 is not made; ticks 1 to 12 are",
        ),
        (
            format!("{{\"tick\":-1,{despawn}}}"),
            "\"tick\" must be a whole number from 0 to 18446744073709551615",
        ),
        (
            format!("{{\"tick\":1.5,{despawn}}}"),
            "\"tick\" must be a whole number from 0 to 18446744073709551615",
        ),
        (
            format!("{{\"tick\":\"1\",{despawn}}}"),
            "\"tick\" must be a whole number from 0 to 18446744073709551615",
        ),
        (
            format!("{{\"tick\":2,{despawn},\"priority\":256}}"),
            "\"priority\" must be a whole number from 0 to 255",
        ),
        (
            format!("{{\"tick\":2,{despawn},\"extra\":1}}"),
            "\"extra\" is not a known key",
        ),
        (
            r#"{"tick":2,"kind":"fly"}"#.to_owned(),
            "the kind \"fly\" is none of move, spawn, despawn, set_field, custom, set_parameter, set_parameter_batch, stored",
        ),
        (
            r#"{"tick":2,"kind":7}"#.to_owned(),
            "the kind 7 is none of move, ",
        ),
        (
            r#"{"tick":2,"kind":"despawn"}"#.to_owned(),
            "\"entity_id\" is missing",
        ),
        (
            set(r#""field":"inc","value":1"#),
            "the world has no field \"inc\"",
        ),
        (set(r#""field":-1,"value":1"#), "the world has no field -1"),
        (set(r#""field":0"#), "\"value\" is missing"),
        (
            set(r#""field":0,"value":"x""#),
            "\"value\" must be a number that 32 bits hold, or its bits as \"0x7fc00000\"",
        ),
        (
            set(r#""field":0,"value":1e39"#),
            "\"value\" must be a number that 32 bits hold",
        ),
        (
            set(r#""field":0,"value":"0x+1""#),
            "\"value\" must be a number that 32 bits hold",
        ),
        (
            set(r#""field":0,"value":"0x1ffffffff""#),
            "\"value\" must be a number that 32 bits hold",
        ),
        (
            set(r#""field":0,"value":NaN"#),
            "not JSON: expected value at column ",
        ),
        (
            r#"{"tick":2,"kind":"move","entity_id":1,"target":0}"#.to_owned(),
            "\"target\" must be a list of whole numbers of 32 bits",
        ),
        (
            r#"{"tick":2,"kind":"move","entity_id":1,"target":[3000000000]}"#.to_owned(),
            "\"target\" must be a list of whole numbers of 32 bits",
        ),
        (
            r#"{"tick":2,"kind":"custom","type_id":1,"data":"abc"}"#.to_owned(),
            "\"data\" must be a string of bytes, two hexadecimal digits each",
        ),
        (
            r#"{"tick":2,"kind":"custom","type_id":1,"data":"+1"}"#.to_owned(),
            "\"data\" must be a string of bytes, two hexadecimal digits each",
        ),
        (
            r#"{"tick":2,"kind":"stored","type":256,"payload":""}"#.to_owned(),
            "\"type\" must be a whole number from 0 to 255",
        ),
        (
            r#"{"tick":2,"kind":"spawn","coord":[0],"values":[["inc",1]]}"#.to_owned(),
            "\"values\" must be a list of [field, value], of fields that the world has",
        ),
        (
            r#"{"tick":2,"kind":"set_parameter_batch","parameters":[[1]]}"#.to_owned(),
            "\"parameters\" must be a list of [key, value]",
        ),
        (
            r#"{"tick":2,"commands":{}}"#.to_owned(),
            "\"commands\" must be a list",
        ),
        (
            r#"{"tick":2,"commands":[3]}"#.to_owned(),
            "command 0 is not an object",
        ),
        (
            format!(r#"{{"tick":2,"commands":[{{{despawn}}},{{}}]}}"#),
            "command 1: \"kind\" is missing",
        ),
        (
            r#"{"tick":2,"commands":[],"what":1}"#.to_owned(),
            "\"what\" is not a known key",
        ),
        (
            "[".repeat(100_000),
            "not JSON: recursion limit exceeded at column ",
        ),
    ] {
        // Empty lines are counted, and pass.
        let text = format!("{{\"tick\":1,{despawn}}}\n\n{line}\n");
        let printed = complaint(path, "bad.jsonl", text.as_bytes());
        let wanted = format!("line 3: {wanted}");
        assert!(printed.starts_with(&wanted), "{line:.80}: {printed}");
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
