//! Files that are not matches, or are broken; and full disks.

use std::fs;
use std::io::Cursor;

use gametape::echo::echoreplay::ZipWriter;

use super::support::{FRAMES, butter, fine, folder, frames, json, outputs, refused, text, zip};

#[test]
fn a_recording_of_nothing() {
    let folder = folder();
    let path = folder.path();
    for name in ["empty.butter", "empty.echoreplay"] {
        fs::write(path.join(name), "").unwrap();
        let info = json(&fine(path, &format!("inspect --json {name}")));
        assert_eq!(
            (&info["steps"], &info["bytes"]),
            (&0.into(), &0.into()),
            "{name}"
        );
        // Whatever the format, it is a mishap.
        let (verified, _) = outputs(path, &format!("verify {name}"), 1);
        assert_eq!(
            verified,
            format!("fail  {name}\n      error empty: the file is empty\n")
        );
        assert_eq!(fine(path, &format!("dump {name}")), "");
        fine(path, &format!("stats {name}"));
    }
    // A copy adds no claim of its own.
    fine(path, "convert empty.butter new.butter");
    assert_eq!(fs::read(path.join("new.butter")).unwrap(), b"");
}

#[test]
fn a_recording_of_nothing_is_not_converted() {
    let folder = folder();
    let path = folder.path();
    let not_found = "2022/01/02 03:00:00.000\t404\r\n";
    let zip = ZipWriter::new(Cursor::new(Vec::new()), "a.echoreplay", 1).unwrap();
    for (name, content) in [
        ("empty.echoreplay", Vec::new()),
        ("zip.echoreplay", zip.finish().unwrap().into_inner()),
        ("blank.echoreplay", b"\r\n\r\n".to_vec()),
        ("answers.echoreplay", not_found.into()),
        ("empty.butter", Vec::new()),
    ] {
        fs::write(path.join(name), content).unwrap();
        let is_empty = name.starts_with("empty");
        let (verified, _) = outputs(path, &format!("verify {name}"), i32::from(is_empty));
        assert!(
            verified.starts_with(if is_empty { "fail" } else { "warn" }),
            "{verified}"
        );
        let to = match name {
            "empty.butter" => "new.echoreplay",
            _ => "new.butter",
        };
        refused(
            path,
            &format!("convert {name} {to}"),
            &format!("{name}: no frame can be read: there is nothing to convert"),
        );
        assert!(!path.join(to).exists(), "{name}");
    }
    // Nor into another container.
    for command in [
        "convert --plain zip.echoreplay new.echoreplay",
        "convert --redact empty.echoreplay new.echoreplay",
        "convert --redact empty.butter new.butter",
    ] {
        let name = command.split(' ').nth(2).unwrap();
        let sentence = format!("{name}: no frame can be read: there is nothing to convert");
        refused(path, command, &sentence);
    }
    // A broken line says more.
    fs::write(path.join("broken.echoreplay"), "no line\r\n").unwrap();
    refused(
        path,
        "convert broken.echoreplay new.butter",
        "broken.echoreplay: frame 0 (line 1, byte 0): no tab in \"no line\"; a line is a time, a tab and a session (gametape repair may save the intact parts)",
    );
}

#[test]
fn files_that_are_no_matches_are_named_as_such() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("text.butter"), "hello, world").unwrap();
    refused(
        path,
        "inspect text.butter",
        "text.butter: byte 0: the first byte is 104; a .butter starts with its version, 1 to 3",
    );
    // A file is what it says, whatever its name.
    fs::copy(path.join("match.butter"), path.join("named.echoreplay")).unwrap();
    let info = json(&fine(path, "inspect --json named.echoreplay"));
    assert_eq!(info["format"], "butter");
    fs::copy(path.join("zip.echoreplay"), path.join("named.zip")).unwrap();
    let info = json(&fine(path, "inspect --json named.zip"));
    assert_eq!(info["format"], "echoreplay");
    // Nor is what is in other zips, if its name does not say so.
    let other = ZipWriter::new(Cursor::new(Vec::new()), "words.txt", 1).unwrap();
    let words = other.finish().unwrap().into_inner();
    fs::write(path.join("other.zip"), &words).unwrap();
    refused(path, "verify other.zip", "other.zip: no recordings found");
    // Other words with a tab are no match.
    fs::write(path.join("list"), "2022/01/02 03:00:00.000\tone\n").unwrap();
    let (_, err) = outputs(path, "inspect list", 2);
    assert!(err.contains("not a recording of a known format"), "{err}");
}

#[test]
fn a_match_that_breaks_off_is_read_as_far_as_it_goes() {
    let folder = folder();
    let path = folder.path();
    let frames = frames();
    for (name, bytes) in [
        ("cut.echoreplay", text(&frames)),
        ("cutzip.echoreplay", zip(&frames)),
        ("cut.butter", butter(&frames)),
    ] {
        fs::write(path.join(name), &bytes[..bytes.len() * 3 / 4]).unwrap();
        let (out, err) = outputs(path, &format!("inspect --json {name}"), 1);
        assert!(err.ends_with("(as far as it could be read)\n"), "{err}");
        let kept = json(&out)["steps"].as_u64().unwrap();
        assert!((FRAMES / 3..FRAMES).contains(&kept), "{name}: {kept}");
        let (out, _) = outputs(path, &format!("verify {name}"), 1);
        assert!(out.starts_with("fail"), "{out}");
        let (out, err) = outputs(path, &format!("dump {name}"), 1);
        assert_eq!(out.lines().count() as u64, kept);
        assert!(err.ends_with("(dumped the readable part)\n"), "{err}");
        // Nothing at the start of text tells of its end.
        let told = name != "cut.echoreplay";
        let (out, err) = outputs(path, &format!("tables {name}"), told.into());
        assert!(out.starts_with("match (facts, 1 row)\n"), "{out}");
        assert_eq!(err.ends_with("(the tables have the readable part)\n"), told);
        if name == "cut.echoreplay" {
            // Whole lines are converted, and the broken one is named.
            let (_, err) = outputs(path, &format!("convert --replace {name} new.butter"), 3);
            let lost = format!("not carried over: line {}: the recording ends in", kept + 1);
            assert!(err.starts_with(&lost), "{err}");
            let info = json(&fine(path, "inspect --json new.butter"));
            assert_eq!(info["steps"], kept);
            fs::remove_file(path.join("new.butter")).unwrap();
        } else {
            // It is not converted silently, and can be repaired.
            let (_, err) = outputs(path, &format!("convert --replace {name} new.butter"), 2);
            assert!(
                err.ends_with("(gametape repair may save the intact parts)\n"),
                "{err}"
            );
        }
        assert!(!path.join("new.butter").exists());
        let extension = name.rsplit('.').next().unwrap();
        let (_, err) = outputs(
            path,
            &format!("repair --replace {name} mended.{extension}"),
            3,
        );
        assert!(err.contains(&format!("kept {kept} frames")), "{err}");
        let info = json(&fine(path, &format!("inspect --json mended.{extension}")));
        assert_eq!(info["steps"], kept);
        // Not over itself, where that would lose something.
        let (_, err) = outputs(path, &format!("repair {name} {name}"), 2);
        assert!(
            err.contains("would be replaced by a file that holds less"),
            "{err}"
        );
        fine(path, &format!("verify mended.{extension}"));
    }
    for args in ["cut.echoreplay text.echoreplay", "match.butter cut.butter"] {
        let (_, err) = outputs(path, &format!("diff {args}"), 2);
        assert!(
            err.contains("frames that could be read of both are the same)"),
            "{err}"
        );
    }
}

#[test]
fn one_broken_line_is_named_and_taken_out() {
    let folder = folder();
    let path = folder.path();
    let frames = frames();
    let mut bytes = text(&frames[..5]);
    bytes.extend_from_slice(b"2022/01/02 03:00:00.160\t{\"game_clock\":1\r\n");
    bytes.extend_from_slice(&text(&frames[5..]));
    fs::write(path.join("broken.echoreplay"), bytes).unwrap();
    let (out, _) = outputs(path, "verify broken.echoreplay", 1);
    assert!(out.contains("error echoreplay.json, frame 5 ("), "{out}");
    let (out, err) = outputs(
        path,
        "convert --json --replace broken.echoreplay new.butter",
        3,
    );
    assert_eq!(err, "");
    let lost = &json(&out)["report"]["lost_lines"];
    assert_eq!(lost.as_array().unwrap().len(), 1, "{lost}");
    assert_eq!(lost[0]["line"], 6, "{lost}");
    let info = json(&fine(path, "inspect --json new.butter"));
    assert_eq!(info["steps"], FRAMES);
    let (_, err) = outputs(
        path,
        "repair --replace broken.echoreplay mended.echoreplay",
        3,
    );
    assert!(err.starts_with("left out: frame 5 ("), "{err}");
    assert_eq!(
        fs::read(path.join("mended.echoreplay")).unwrap(),
        text(&frames)
    );
}
