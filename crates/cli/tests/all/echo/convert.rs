//! From form to form, what was lost on the way, and what must not be.

use std::fs;

use gametape::echo::echoreplay;

use super::support::{FRAMES, butter, fine, folder, frames, json, names, outputs, text};

#[test]
fn a_match_becomes_a_butter_with_a_loss_report() {
    let folder = folder();
    let path = folder.path();
    let (out, err) = outputs(path, "convert zip.echoreplay new.butter", 3);
    assert_eq!(out, "");
    let heads = |err: &str| {
        let heads = err.lines().next().unwrap().split("  ").map(str::trim);
        heads
            .filter(|head| !head.is_empty())
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let all = [
        "field",
        "values",
        "mean error",
        "max error",
        "in frame",
        "bound",
    ];
    // No value is beyond its bound, so there is no column for it.
    assert_eq!(heads(&err), all, "{err}");
    for field in [
        "head position (m)",
        "bone rotation (deg)",
        "not kept",
        "team names",
    ] {
        assert!(err.contains(field), "{err}");
    }
    assert!(
        err.contains("every number is as near as the format implies"),
        "{err}"
    );

    // The same from text, and with the same options as the library.
    outputs(path, "convert text.echoreplay same.butter", 3);
    let whole = fs::read(path.join("new.butter")).unwrap();
    assert_eq!(fs::read(path.join("same.butter")).unwrap(), whole);
    outputs(
        path,
        "convert text.echoreplay 30.butter --keyframe-every 30",
        3,
    );
    assert_eq!(fs::read(path.join("30.butter")).unwrap(), butter(&frames()));

    let (out, err) = outputs(path, "convert --json zip.echoreplay new.butter", 3);
    assert_eq!(err, "");
    let value = json(&out);
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "path", "out", "format", "to", "bytes", "losses", "notes", "report"
        ]
    );
    assert_eq!(
        (&value["format"], &value["to"]),
        (&"echoreplay".into(), &"butter".into())
    );
    assert_eq!(value["bytes"], whole.len());
    let report = &value["report"];
    assert_eq!(report["frames"], FRAMES);
    for number in report["numbers"].as_array().unwrap() {
        for key in ["mean_error", "max_error", "bound"] {
            assert!(number[key].is_f64(), "{number}");
        }
        assert_eq!(number["beyond"], 0, "{number}");
    }
    assert!(report["not_kept"].is_array() && report["changed"].is_array());
}

#[test]
fn a_butter_becomes_a_match_and_nothing_is_lost_again() {
    let folder = folder();
    let path = folder.path();
    let (_, err) = outputs(path, "convert match.butter new.echoreplay", 0);
    assert_eq!(
        err,
        format!("{FRAMES} frames: what was written reads back the same\n")
    );
    assert!(
        fs::read(path.join("new.echoreplay"))
            .unwrap()
            .starts_with(b"PK")
    );
    outputs(path, "convert match.butter plain.echoreplay --plain", 0);
    let plain = fs::read(path.join("plain.echoreplay")).unwrap();
    assert_eq!(echoreplay::read(&plain).count() as u64, FRAMES);
    assert_eq!(
        fine(path, "diff new.echoreplay plain.echoreplay"),
        "the recordings are the same\n"
    );
    // Rounded numbers are not rounded again: the same numbers, the same bytes.
    outputs(
        path,
        "convert plain.echoreplay again.butter --keyframe-every 30",
        0,
    );
    assert_eq!(
        fs::read(path.join("again.butter")).unwrap(),
        fs::read(path.join("match.butter")).unwrap()
    );
}

#[test]
fn without_a_wish_nothing_is_changed() {
    let folder = folder();
    let path = folder.path();
    for name in ["text.echoreplay", "zip.echoreplay", "match.butter"] {
        let extension = name.rsplit('.').next().unwrap();
        fine(path, &format!("convert --replace {name} copy.{extension}"));
        assert_eq!(
            fs::read(path.join(name)).unwrap(),
            fs::read(path.join(format!("copy.{extension}"))).unwrap()
        );
        let (_, err) = outputs(
            path,
            &format!("repair --replace {name} mended.{extension}"),
            0,
        );
        assert!(err.starts_with("nothing to repair"), "{err}");
        assert_eq!(
            fs::read(path.join(name)).unwrap(),
            fs::read(path.join(format!("mended.{extension}"))).unwrap()
        );
    }
}

#[test]
fn lines_are_kept_byte_for_byte_in_another_container() {
    let folder = folder();
    let path = folder.path();
    // As other programs spell what nobody else would.
    let odd = b"2022/01/02 03.00.00.5\t{ \"game_clock\" : 1.50,\"zz\":[1, 2] }\n\
        2022/01/02 03:00:01.000\t{}\t{\"err_code\":0}\r\n";
    fs::write(path.join("odd.echoreplay"), odd).unwrap();
    let note = "note: the time is spelled \"####/##/## ##.##.##.#\", not yyyy/MM/dd HH:mm:ss.fff\n";
    let converted = outputs(path, "convert odd.echoreplay odd-zip.echoreplay --zip", 0);
    assert_eq!(converted.1, note);
    assert!(
        fs::read(path.join("odd-zip.echoreplay"))
            .unwrap()
            .starts_with(b"PK")
    );
    outputs(
        path,
        "convert odd-zip.echoreplay back.echoreplay --plain",
        0,
    );
    assert_eq!(fs::read(path.join("back.echoreplay")).unwrap(), odd);
}

#[test]
fn a_butter_is_written_anew_as_asked() {
    let folder = folder();
    let path = folder.path();
    for how in ["none", "gzip", "zstd3", "zstd7", "zstd15", "zstd22"] {
        outputs(
            path,
            &format!("convert match.butter {how}.butter --compression {how}"),
            0,
        );
        let info = json(&fine(path, &format!("inspect --json {how}.butter")));
        assert_eq!(info["details"]["compression"], how);
        assert_eq!(info["details"]["keyframe_every"], 30);
        assert_eq!(
            fine(path, &format!("diff match.butter {how}.butter")),
            "the recordings are the same\n"
        );
    }
}

#[test]
fn positions_that_would_be_too_far_off_are_refused() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    let (out, err) = outputs(
        path,
        "convert text.echoreplay new.butter --max-error 0.0001",
        1,
    );
    assert_eq!(out, "");
    assert!(err.starts_with("gametape: text.echoreplay: the "), "{err}");
    assert!(err.ends_with(" m off; 0.0001 m are allowed\n"), "{err}");
    assert_eq!(names(path), before);
    outputs(
        path,
        "convert text.echoreplay new.butter --max-error 0.1",
        3,
    );
    outputs(path, "convert match.butter new.echoreplay --max-error 0", 0);
}

#[test]
fn nobody_is_named_in_what_is_redacted() {
    let folder = folder();
    let path = folder.path();
    let frames = frames();
    let mut secrets = vec![frames[0].session.sessionip.to_string()];
    for (_, player) in frames.iter().flat_map(|frame| frame.session.players()) {
        secrets.push(format!("\"{}\"", player.name));
        secrets.push(player.userid.to_string());
    }
    for (from, to) in [
        ("text.echoreplay", "a.echoreplay"),
        ("zip.echoreplay", "b.echoreplay"),
        ("zip.echoreplay", "c.butter"),
        ("match.butter", "d.butter"),
        ("match.butter", "e.echoreplay"),
    ] {
        let (_, err) = outputs(path, &format!("convert --redact {from} {to}"), 3);
        assert!(
            err.starts_with("not carried over: names of players, user ids and the address"),
            "{err}"
        );
        let shown = fine(path, &format!("dump --show-secrets {to}"));
        for secret in &secrets {
            assert!(!shown.contains(secret.as_str()), "{from} {to}: {secret}");
        }
        assert!(shown.contains("\"name\":\"Player 4\""), "{to}");
    }
    // All else is as it was.
    let redacted = fs::read(path.join("a.echoreplay")).unwrap();
    assert_eq!(
        redacted.split(|b| *b == b'\t').count(),
        text(&frames).split(|b| *b == b'\t').count()
    );
    assert_eq!(
        fine(path, "diff a.echoreplay b.echoreplay"),
        "the recordings are the same\n"
    );
    let said = fine(path, "diff a.echoreplay d.butter");
    assert!(
        said.starts_with("the recordings are the same within the precision of a .butter: up to "),
        "{said}"
    );
    assert!(
        said.ends_with("goal type without a code, last score's points without a code\n"),
        "{said}"
    );
}

#[test]
fn lines_that_are_no_frames_are_left_out_and_reported() {
    let folder = folder();
    let path = folder.path();
    let mut lines = text(&frames()[..2]);
    lines.extend_from_slice(b"2022/01/02 03:00:02.000\t404\r\n");
    lines.extend_from_slice(&text(&frames()[2..3]));
    fs::write(path.join("gap.echoreplay"), lines).unwrap();
    let (_, err) = outputs(path, "convert gap.echoreplay gap.butter", 3);
    assert!(
        err.starts_with("not carried over: a line without a session (frame 2 ("),
        "{err}"
    );
    let info = json(&fine(path, "inspect --json gap.butter"));
    assert_eq!(info["steps"], 3);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let folder = folder();
    let path = folder.path();
    for (args, complaint) in [
        (
            "match.butter new.echoreplay --keyframe-every 5",
            "match.butter: there is no option keyframe-every to convert butter to echoreplay",
        ),
        (
            "text.echoreplay new.butter --plain",
            "text.echoreplay: there is no option plain to convert echoreplay to butter",
        ),
        (
            "text.echoreplay new.butter --tick-rate 5",
            "text.echoreplay: there is no option tick-rate to convert echoreplay to butter",
        ),
        (
            "match.butter new.butter --format-version 2",
            "match.butter: option format-version takes 3 alone",
        ),
        (
            "match.butter new.rmv",
            "match.butter: butter can't be converted to rmv; it can be converted to .butter or .echoreplay or .mcap",
        ),
    ] {
        super::support::refused(path, &format!("convert {args}"), complaint);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode_and_a_link_its_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("old.butter"), "old").unwrap();
    fs::set_permissions(path.join("old.butter"), fs::Permissions::from_mode(0o600)).unwrap();
    symlink("old.butter", path.join("link.butter")).unwrap();
    outputs(path, "convert --replace zip.echoreplay link.butter", 3);
    let mode = fs::metadata(path.join("old.butter"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(
        fs::symlink_metadata(path.join("link.butter"))
            .unwrap()
            .is_symlink()
    );
    fine(path, "diff old.butter match.butter");
}
