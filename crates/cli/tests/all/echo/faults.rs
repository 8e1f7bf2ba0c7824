//! Findings in odd and broken recordings, and the absence of false ones.

use std::fs;

use gametape::echo::{Frame, Holding};
use gametape_testkit::archive::Zip;

use super::support::{FRAMES, butter, expect, fine, folder, frames, json, outputs, refused, text};

/// A recording with a wrong checksum, and how that is told.
struct Altered {
    name: &'static str,
    code: &'static str,
    /// Its first and its last frame that may be altered.
    frames: [u64; 2],
}

/// The match in a zip, and in chunks of gzip and zstd, each with one checksum that is wrong.
fn altered(path: &std::path::Path) -> [Altered; 3] {
    let mut bytes = fs::read(path.join("zip.echoreplay")).unwrap();
    let entry = (0..bytes.len()).rfind(|at| bytes[*at..].starts_with(b"PK\x01\x02"));
    bytes[entry.unwrap() + 16] ^= 1;
    fs::write(path.join("sum.echoreplay"), bytes).unwrap();
    for (name, compression, from_end) in [("sum-gzip", "gzip", 8), ("sum-zstd", "zstd3", 4)] {
        outputs(
            path,
            &format!(
                "convert text.echoreplay {name}.butter --keyframe-every 30 --compression {compression}"
            ),
            3,
        );
        let file = path.join(format!("{name}.butter"));
        let mut bytes = fs::read(&file).unwrap();
        let chunk = gametape::echo::butter::read(&bytes).unwrap().chunks()[1];
        bytes[(chunk.offset + chunk.size) as usize - from_end] ^= 1;
        fs::write(file, bytes).unwrap();
    }
    let of = |name, code, frames| Altered { name, code, frames };
    [
        of("sum.echoreplay", "echoreplay.zip-checksum", [0, FRAMES - 1]),
        of("sum-gzip.butter", "butter.checksum", [30, 59]),
        of("sum-zstd.butter", "butter.checksum", [30, 59]),
    ]
}

#[test]
fn a_wrong_checksum_is_said_by_whoever_reads_and_what_is_kept_of_it_by_repair() {
    let folder = folder();
    let path = folder.path();
    for Altered { name, code, frames } in altered(path) {
        let out = format!("mended-{name}");
        let (found, _) = outputs(path, &format!("verify --json {name}"), 1);
        let found = &json(&found)["findings"][0];
        assert_eq!(found["code"], code, "{found}");
        assert_eq!(found["step"], frames[0], "{found}");
        assert_eq!(
            found["data"]["frames"],
            frames[1] - frames[0] + 1,
            "{found}"
        );
        // Nothing is made of it that looks sound.
        let as_other = match name {
            "sum.echoreplay" => "new.butter",
            _ => "new.echoreplay",
        };
        for args in [
            format!("convert {name} {as_other}"),
            format!("convert {name} new-{name}"),
            format!("cut {name} new-{name} --from step:31 --to step:40"),
            format!("cut {name} new-{name} --to step:30"),
        ] {
            let (_, err) = outputs(path, &args, 2);
            assert!(err.contains("has checksum"), "{args}: {err}");
            assert!(
                err.ends_with("(gametape repair may save the intact parts)\n"),
                "{err}"
            );
        }
        for verb in ["inspect", "stats", "dump"] {
            let (out, err) = outputs(path, &format!("{verb} {name}"), 1);
            assert!(
                !out.is_empty() && err.contains("has checksum"),
                "{verb}: {err}"
            );
        }
        // Every kept and dropped part is reported.
        let (_, err) = outputs(path, &format!("repair {name} {out}"), 3);
        let lines: Vec<&str> = err.lines().collect();
        let [altered, kept] = lines[..] else {
            panic!("{err}")
        };
        let begins = format!(
            "kept, but may be altered: frames {} to {} (",
            frames[0], frames[1]
        );
        assert!(altered.starts_with(&begins), "{err}");
        assert!(kept.starts_with("kept 90 frames"), "{err}");
        fine(path, &format!("verify {out}"));
        let repair = format!("repair --json {name} {out}");
        let (told, err) = outputs(path, &repair, 3);
        assert_eq!(err, "");
        let told = json(&told);
        assert_eq!(told["lossy"], true);
        assert_eq!(told["altered_count"], 1);
        let one = &told["altered"][0];
        assert_eq!(one["first_step"], frames[0], "{one}");
        assert_eq!(one["last_step"], frames[1], "{one}");
        assert_eq!(one["code"], code, "{one}");
        assert_eq!(one["data"], found["data"], "{one}");
        assert_eq!(one["offset"], found["offset"], "{one}");
        assert!(
            one.get("step").is_none() && one["beside"].is_null(),
            "{one}"
        );
        // The input is all that shows it.
        let complaint = format!(
            "{name}: would be replaced by a file that no longer shows that it may be altered; name another output"
        );
        refused(path, &format!("repair {name} {name}"), &complaint);
        // To standard output, too.
        let run = expect(path, &format!("repair {name} -"), 3);
        assert_eq!(run.get_output().stdout, fs::read(path.join(&out)).unwrap());
        assert!(run.get_output().stderr.starts_with(begins.as_bytes()));
        // Mended, there is nothing to do.
        let (_, again) = outputs(path, &format!("repair {out} again-{name}"), 0);
        assert!(again.starts_with("nothing to repair"), "{again}");
    }
}

#[test]
fn each_of_many_recordings_reports_its_altered_parts() {
    let folder = folder();
    let path = folder.path();
    altered(path);
    for again in [false, true] {
        let (out, _) = outputs(path, "repair --json . --out mended", 3);
        let told: Vec<serde_json::Value> = out.lines().map(json).collect();
        let altered = |told: &&serde_json::Value| told["altered_count"] == 1;
        let altered: Vec<_> = told.iter().filter(altered).collect();
        assert_eq!(altered.len(), 3, "{out}");
        for told in altered {
            assert_eq!(told["status"], if again { "kept" } else { "made" });
            assert_eq!(told["lossy"], true);
            assert_eq!(told["altered"].as_array().unwrap().len(), 1, "{told}");
            let action = told["actions"][0].as_str().unwrap();
            assert!(action.starts_with("kept, but may be altered: "), "{told}");
        }
        let sound = told.iter().find(|told| told["path"] == "./match.butter");
        let sound = sound.unwrap_or_else(|| panic!("{out}"));
        assert_eq!(
            (&sound["altered_count"], &sound["lossy"]),
            (&0.into(), &false.into())
        );
    }
}

#[test]
fn an_odd_container_is_no_loss() {
    let folder = folder();
    let path = folder.path();
    let all = frames();
    let (first, second) = (text(&all[..50]), text(&all[50..]));
    // The first file's last line has no end: the second's first must not go on with it.
    let cut = &first[..first.len() - 2];
    let mut zip = Zip::default();
    zip.file(b"a.echoreplay", 8, cut);
    zip.file(b"a.echoreplay", 8, &second);
    fs::write(path.join("two.zip"), zip.finish()).unwrap();
    let (_, err) = outputs(path, "convert two.zip one.echoreplay --plain", 0);
    assert!(err.contains("note: the zip holds 2 files"), "{err}");
    assert!(!err.contains("once more"), "{err}");
    assert_eq!(fs::read(path.join("one.echoreplay")).unwrap(), text(&all));
    let out = fine(path, "verify -v two.zip");
    assert!(!out.contains("once more"), "{out}");

    let marked = [b"\xEF\xBB\xBF".as_slice(), &text(&all)].concat();
    fs::write(path.join("bom.echoreplay"), marked).unwrap();
    let (out, _) = outputs(path, "convert --json bom.echoreplay z.echoreplay --zip", 0);
    let value = json(&out);
    assert_eq!(value["losses"], serde_json::json!([]));
    assert!(value["notes"].to_string().contains("byte order mark"));
}

#[test]
fn a_line_that_redaction_makes_too_long_is_not_dropped() {
    let folder = folder();
    let path = folder.path();
    let players = vec![r#"{"name":"A"}"#; 300_000].join(",");
    let long = format!("2022/01/02 03:00:00.000\t{{\"teams\":[{{\"players\":[{players}]}}]}}\r\n");
    fs::write(path.join("long.echoreplay"), long).unwrap();
    let (_, err) = outputs(path, "convert --redact long.echoreplay new.echoreplay", 2);
    assert!(err.contains("when redacted; at most 4,194,304"), "{err}");
    assert!(!path.join("new.echoreplay").exists());
}

#[test]
fn accounts_are_hidden_wherever_they_stand() {
    let folder = folder();
    let path = folder.path();
    let mut all: Vec<Frame> = frames();
    all[0].session.err_description = Some("10.1.2.3 is down".into());
    let player = &mut all[0].session.teams[0].players[0];
    player.holding_left = Some(Holding::Number(987_654_321));
    fs::write(path.join("old.echoreplay"), text(&all)).unwrap();
    let dumped = fine(path, "dump old.echoreplay");
    let (told, _) = outputs(path, "diff old.echoreplay text.echoreplay", 1);
    outputs(path, "convert --redact old.echoreplay new.echoreplay", 3);
    let shown = fine(path, "dump --show-secrets new.echoreplay");
    for out in [dumped, told, shown] {
        assert!(!out.contains("987654321") && !out.contains("10.1.2.3"));
    }
    // Nor is what stands in lines that are none.
    fs::write(
        path.join("b.echoreplay"),
        [text(&all), b"10.1.2.3 12345678901\r\n".to_vec()].concat(),
    )
    .unwrap();
    let (out, _) = outputs(path, "verify b.echoreplay", 1);
    assert!(out.contains("##.#.#.# ###########"), "{out}");
}

#[test]
fn repair_says_what_it_does() {
    let folder = folder();
    let path = folder.path();
    let mut lines = text(&frames()[..2]);
    lines.extend_from_slice(
        b"2022/01/02 03:00:02.000\t{\"game_clock\":1.5}\t{\"user_bones\":7}\r\n",
    );
    fs::write(path.join("bones.echoreplay"), &lines).unwrap();
    let (_, err) = outputs(path, "repair bones.echoreplay new.echoreplay", 0);
    assert!(err.starts_with("kept as it is: frame 2 ("), "{err}");
    assert_eq!(fs::read(path.join("new.echoreplay")).unwrap(), lines);
    // With a line that is left out.
    lines.extend_from_slice(b"nothing\r\n");
    fs::write(path.join("both.echoreplay"), &lines).unwrap();
    let (_, err) = outputs(path, "repair both.echoreplay new.echoreplay", 3);
    let told: Vec<&str> = err.lines().map(|l| l.split(':').next().unwrap()).collect();
    assert_eq!(
        told,
        ["left out", "kept as it is", "kept 3 frames"],
        "{err}"
    );
    // A file of nothing would say that there was nothing.
    fs::write(path.join("none.echoreplay"), "nothing\r\n").unwrap();
    fs::write(path.join("none.butter"), &butter(&frames())[..200]).unwrap();
    for extension in ["echoreplay", "butter"] {
        refused(
            path,
            &format!("repair none.{extension} new2.{extension}"),
            &format!("none.{extension}: no frame can be read: there is nothing to keep"),
        );
    }
}

#[test]
fn a_difference_is_told_in_the_words_of_people() {
    let folder = folder();
    let path = folder.path();
    let mut all = frames();
    all.remove(10);
    fs::write(path.join("less.echoreplay"), text(&all)).unwrap();
    let (out, _) = outputs(path, "diff text.echoreplay less.echoreplay", 1);
    let counts = format!("the first has {FRAMES} frames, the second {}", FRAMES - 1);
    assert!(out.lines().next().unwrap().ends_with(&counts), "{out}");
    assert!(out.contains("time is 2022/01/02 03:00:0"), "{out}");
}

#[test]
fn infinite_numbers_are_dumped_as_they_are_converted() {
    let folder = folder();
    let path = folder.path();
    let line = "2022/01/02 03:00:00.000\t{\"game_clock\":1e99,\"sessionid\":\"A\"}\r\n";
    fs::write(path.join("far.echoreplay"), line).unwrap();
    let value = json(&fine(path, "dump far.echoreplay"));
    assert_eq!(value["session"]["game_clock"], 0.0);
    assert_eq!(value["session"]["sessionid"], "A");
}

#[test]
fn a_recording_of_nothing_has_no_bare_headings() {
    let folder = folder();
    let path = folder.path();
    for name in ["empty.echoreplay", "empty.butter"] {
        fs::write(path.join(name), "").unwrap();
        for command in ["inspect", "stats"] {
            let out = fine(path, &format!("{command} {name}"));
            let bare = |line: &&str| line.split_whitespace().count() < 2;
            let bare: Vec<&str> = out
                .lines()
                .skip(1)
                .filter(|l| !l.is_empty())
                .filter(bare)
                .collect();
            assert_eq!(bare, Vec::<&str>::new(), "{command} {name}");
            assert!(!out.contains("[]"), "{out}");
        }
    }
}
