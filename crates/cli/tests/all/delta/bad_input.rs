//! Files that are not recordings, or are broken, given to every command: a message, an exit code, and no
//! loss.

use std::fs;

use super::support::{
    expect, fine, folder, gametape, names, outputs, packets, refused, schema_json,
};

/// Every command that reads a recording, given `file`.
fn commands(file: &str) -> Vec<String> {
    [
        "inspect {}",
        "stats {}",
        "dump {}",
        "dump --at tick:5 {}",
        "dump --state {}",
        "dump --state --at tick:5 {}",
        "diff {} run.mcap",
        "diff run.mcap {}",
        "convert {} out.mcap",
        "convert {} out.delta",
        "convert {} out.mcap --schema run.schema.json",
        "convert run.mcap out.mcap --schema {}",
        "repair {} out.mcap",
        "schema show {}",
        "schema hash {}",
        "schema compare run.mcap {}",
        "record stream --udp 127.0.0.1:0 --seconds 0.01 --schema {} out.mcap",
    ]
    .map(|line| line.replace("{}", file))
    .into()
}

#[test]
fn files_that_are_no_captures() {
    let folder = folder();
    let path = folder.path();
    let delta = fs::read(path.join("run.delta")).unwrap();
    let mcap = fs::read(path.join("run.mcap")).unwrap();
    let mut foreign = mcap::WriteOptions::new()
        .profile("ros2")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    foreign.finish().unwrap();
    let no_start = "byte 0: the file does not start as an MCAP file does";
    for (content, complaint) in [
        (Vec::new(), no_start),
        (b"hello".to_vec(), no_start),
        (mcap[..5].to_vec(), no_start),
        (
            foreign.into_inner().into_inner(),
            "an MCAP file, but not a capture: its profile is \"ros2\", that of captures is \"gametape\"",
        ),
    ] {
        fs::write(path.join("bad.mcap"), &content).unwrap();
        for args in commands("bad.mcap") {
            let hint = match content.as_slice() {
                [] => " (the file is empty)",
                _ if args.starts_with("repair") => "; there is nothing to keep",
                _ if complaint.starts_with("byte 0: ") => "",
                _ => " (gametape repair may save the intact parts)",
            };
            if args.starts_with("convert run.mcap") {
                // The file may be JSON in spite of its name.
                let (_, err) = outputs(path, &args, 2);
                assert!(err.starts_with("gametape: bad.mcap: "), "{args}: {err}");
                continue;
            }
            refused(path, &args, &format!("bad.mcap: {complaint}{hint}"));
        }
        let (out, err) = outputs(path, "verify bad.mcap", 1);
        let sentence = match content.as_slice() {
            [] => "error empty: the file is empty",
            _ => complaint.trim_start_matches("byte 0: "),
        };
        assert!(out.contains(sentence), "{out}");
        assert_eq!(err, "");
    }
    // Packets are packets under another name as well.
    fs::write(path.join("bad.mcap"), &delta).unwrap();
    for args in commands("bad.mcap") {
        let missing = "bad.mcap: the schema of its packets is missing: neither bad.schema.json nor schema.json is there";
        refused(path, &args, missing);
    }
    // A capture is one under another name as well; text is nothing.
    fs::write(path.join("misnamed.delta"), &mcap).unwrap();
    assert_eq!(
        fine(path, "diff misnamed.delta run.mcap"),
        "the recordings are the same\n"
    );
    fs::write(path.join("text"), "hello").unwrap();
    for args in commands("text") {
        if args.starts_with("convert run.mcap") {
            refused(
                path,
                &args,
                "text: not a schema: expected value at line 1 column 1",
            );
            continue;
        }
        refused(
            path,
            &args,
            "text: not a recording of a known format (it starts with \"hello\")",
        );
    }
}

#[test]
fn an_empty_file_of_packets_is_an_empty_recording() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("empty.delta"), "").unwrap();
    fs::write(path.join("empty.schema.json"), schema_json()).unwrap();
    let (verified, _) = outputs(path, "verify empty.delta", 1);
    assert_eq!(
        verified,
        "fail  empty.delta\n      error empty: the file is empty\n"
    );
    assert_eq!(fine(path, "dump empty.delta"), "");
    fine(path, "inspect empty.delta");
    fine(path, "stats empty.delta");
    assert_eq!(fine(path, "dump --state empty.delta"), "");
    refused(
        path,
        "dump --at tick:3 empty.delta",
        "empty.delta: tick 3 is not recorded",
    );
    fine(path, "convert empty.delta empty.mcap");
    assert_eq!(
        fine(path, "diff empty.mcap empty.delta"),
        "the recordings are the same\n"
    );
    assert_eq!(
        fine(path, "verify empty.mcap"),
        "warn  empty.mcap  0 packets, nothing to apply\n      warning capture.empty: there are no packets: nothing was recorded, or nothing is left\n      advice: repair was tried: wrote a new index; kept 0 packets\n"
    );
    assert_eq!(fine(path, "dump --state empty.mcap"), "");
}

#[test]
fn links_and_names() {
    let folder = folder();
    let path = folder.path();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::symlink;
        symlink("loop.mcap", path.join("loop.mcap")).unwrap();
        symlink("run.mcap", path.join("link.mcap")).unwrap();
        for args in commands("loop.mcap") {
            let (out, err) = outputs(path, &args, 2);
            assert_eq!(out, "");
            assert_eq!(
                err, "gametape: loop.mcap: Too many levels of symbolic links (os error 40)\n",
                "{args}"
            );
        }
        assert!(fine(path, "verify link.mcap").starts_with("pass "));
        // A folder that holds itself ends.
        symlink(".", path.join("packets/again")).unwrap();
        fine(path, "verify packets");
    }
    // Names that would steer a terminal.
    let name = "a\u{1b}[2Jb\n.delta";
    fs::write(path.join(name), packets().concat()).unwrap();
    for args in [
        &["verify", name][..],
        &["inspect", name],
        &["stats", name],
        &["dump", name],
        &["convert", name, "o.mcap"],
        &["schema", "hash", name],
    ] {
        let run = gametape(path, args).assert().code(2).stdout_eq("");
        let err = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(
            !err.contains('\u{1b}') && err.lines().count() == 1,
            "{err:?}"
        );
    }
    fs::write(path.join("a\u{1b}[2Jb\n.schema.json"), schema_json()).unwrap();
    for args in [
        &["verify", name][..],
        &["inspect", name],
        &["stats", name],
        &["schema", "hash", name, name],
    ] {
        let run = gametape(path, args).assert().code(0);
        let out = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert!(
            !out.contains('\u{1b}') && out.contains("a\u{FFFD}[2Jb\u{FFFD}.delta"),
            "{out:?}"
        );
    }
    let run = expect(path, &format!("verify --json {name}"), 0);
    let out = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    assert!(out.contains("a\\u001b[2Jb\\n.delta"), "{out:?}");
    // Names inside of a capture.
    let evil = String::from_utf8(schema_json())
        .unwrap()
        .replace("hull", "\\u001b[2Jhull");
    fs::write(path.join("run.schema.json"), evil).unwrap();
    fs::write(path.join("evil.delta"), packets().concat()).unwrap();
    fs::copy(path.join("run.schema.json"), path.join("evil.schema.json")).unwrap();
    fine(path, "convert evil.delta evil.mcap");
    for args in [
        "inspect evil.mcap",
        "inspect evil.delta",
        "schema show evil.mcap",
    ] {
        let out = fine(path, args);
        assert!(
            !out.contains('\u{1b}') && out.contains("\u{FFFD}[2Jhull"),
            "{args}: {out:?}"
        );
    }
    assert!(names(path).contains(&"evil.mcap".to_owned()));
}

#[cfg(unix)]
#[test]
fn files_that_must_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path();
    let forbid = |name: &str| {
        fs::set_permissions(path.join(name), fs::Permissions::from_mode(0o000)).unwrap();
    };
    forbid("run.schema.json");
    if fs::read(path.join("run.schema.json")).is_ok() {
        eprintln!("SKIPPED: the superuser may read everything");
        return;
    }
    for args in ["verify run.delta", "schema show run.schema.json"] {
        refused(
            path,
            args,
            "run.schema.json: Permission denied (os error 13)",
        );
    }
    // One of many packets.
    forbid("packets/delta_000009_base_000008.bin");
    let (_, err) = outputs(path, "verify packets", 2);
    assert!(err.contains("Permission denied"), "{err}");
}
