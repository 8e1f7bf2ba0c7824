//! The command as users see it: what it prints, how it exits, what it leaves on disk.

use std::fs;

use gametape::mines::rmv;
use gametape::mines::{DeclaredSize, PlayerFields};
use gametape_samples::mines::{record, scenarios};
use snapbox::str;

use crate::common::{expect, fine, gametape, json, outputs};

/// A folder with a sound recording, `game.rmv`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game.rmv"), game_bytes()).unwrap();
    folder
}

fn game_bytes() -> Vec<u8> {
    let mut game = record(&scenarios()[0], 1).unwrap();
    game.player = PlayerFields::new(["Ada", "ada", "UK", "SECRET-TOKEN"]).unwrap();
    rmv::write(&game).unwrap()
}

#[test]
fn verify_says_a_line_a_file_and_explains_what_fails() {
    let folder = folder();
    let mut bytes = game_bytes();
    let at = bytes.windows(3).position(|w| w == b"Ada").unwrap();
    bytes[at] = 0xF4;
    fs::write(folder.path().join("invalid.rmv"), bytes).unwrap();
    fs::write(folder.path().join("notes.txt"), "not a recording").unwrap();
    expect(folder.path(), "verify .", 1)
        .stdout_eq(str![[r#"
pass  ./game.rmv  beginner win 2.472 s, 3BV 10, 4.05 3BV/s  (noted: rmv.file-size, rmv.checksum-none)
fail  ./invalid.rmv  beginner win 2.472 s, 3BV 10, 4.05 3BV/s  (noted: rmv.file-size, rmv.checksum-none)
      error rmv.text-utf8, byte 95: the player's name is not valid UTF-8: byte 0xf4 at its position 0; the format demands UTF-8 here, such a file must be refused
      advice: repair was tried: lost the bytes of the player's name: read as windows-1252 (a guess), written as UTF-8
warn  ./game.rmv  compared with the others (pass by itself)
      warning rmv.same-game: the same game as ./invalid.rmv
fail  ./invalid.rmv  compared with the others
      warning rmv.same-game: the same game as ./game.rmv
2 recordings: 1 warn, 1 fail, 2 related to others; 0.0 MB in [..] s, 1 other file skipped

"#]])
        .stderr_eq("");
    expect(folder.path(), "verify --json game.rmv", 0)
        .stdout_eq(str![[r#"
{"path":"game.rmv","format":"rmv","verdict":"pass","facts":{"outcome":"win","mode":"normal","level":"beginner","style":"FL","bbbv":10,"total_time_ms":2472,"board_cols":8,"board_rows":8,"board_mines":10},"findings":[{"code":"rmv.file-size","severity":"info","step":null,"tick":null,"time_ms":null,"line":null,"offset":null,"offset_in":null,"repeats":0,"message":"file_size says 1,199 bytes, the file has 1,201 bytes: every known v2 writer leaves clone id and major version out","data":{"declared":1199,"real":1201}},{"code":"rmv.checksum-none","severity":"info","step":null,"tick":null,"time_ms":null,"line":null,"offset":null,"offset_in":null,"repeats":0,"message":"there is no checksum; the program that wrote the file does not have ViennaSweeper's","data":{}}],"advice":[]}

"#]]);
}

/// Every command reports a file that is not a recording: a message on standard error, exit code 2, and no
/// output.
#[test]
fn unreadable_input_is_explained() {
    let folder = folder();
    let path = folder.path();
    fs::create_dir(path.join("folder")).unwrap();
    fs::write(path.join("empty"), "").unwrap();
    fs::write(path.join("picture.png"), b"GIF89a....").unwrap();
    for (args, complaint) in [
        (
            &["inspect", "missing.rmv"][..],
            "gametape: missing.rmv: no such file\n",
        ),
        (
            &["stats", "picture.png"],
            "gametape: picture.png: not a recording of a known format (it starts with \"GIF89a..\")\n",
        ),
        (
            &["verify", "empty"],
            "gametape: empty: not a recording of a known format (it is empty)\n",
        ),
        (
            &["dump", "folder"],
            "gametape: folder: is a folder; dump needs a file, and gametape inspect lists those in a folder\n",
        ),
        (
            &["convert", "folder", "out.rmv"],
            "gametape: folder: is a folder; to convert its recordings, add --out DIR\n",
        ),
        (
            &["repair", "picture.png", "out.rmv"],
            "gametape: picture.png: not a recording of a known format (it starts with \"GIF89a..\")\n",
        ),
        (
            &["inspect", "folder"],
            "gametape: folder: no recordings found\n",
        ),
        (&["verify", "*.mcap"], "gametape: *.mcap: no such file\n"),
        (
            &["convert", "game.rmv", "game.mp4"],
            "gametape: game.rmv: rmv can't be converted to game.mp4: its extension is of no known format; it can be converted to .rmv or .mcap\n",
        ),
        (
            &["convert", "game.rmv", "a.rmv", "--format-version", "3"],
            "gametape: game.rmv: option format-version takes a whole number, 1 to 2\n",
        ),
        (
            &["convert", "game.rmv", "folder/none/a.rmv"],
            "gametape: folder/none/a.rmv: no such folder: folder/none\n",
        ),
    ] {
        gametape(path, args)
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(complaint);
        assert!(!path.join("out.rmv").exists(), "{args:?}");
    }
    expect(path, "verify", 2);
    expect(path, "no-such-command", 2);
}

/// Broken files of a known format: `verify` names the rule, the others say it and stop.
#[test]
fn broken_recordings_are_explained() {
    let folder = folder();
    let path = folder.path();
    let bytes = game_bytes();
    fs::write(path.join("empty.rmv"), "").unwrap();
    fs::write(path.join("png.rmv"), b"GIF89a....").unwrap();
    fs::write(path.join("cut.rmv"), &bytes[..600]).unwrap();
    fs::write(path.join("header.rmv"), &bytes[..60]).unwrap();
    let mut huge = bytes.clone();
    huge[24..28].copy_from_slice(&[0xFF, 0xFF, 0xFF, 0xFE]);
    fs::write(path.join("huge.rmv"), &huge).unwrap();
    for (file, code, complaint) in [
        (
            "empty.rmv",
            "rmv.truncated",
            "gametape: empty.rmv: byte 0: the file ends in the header: 6 bytes needed, 0 are left (the file is empty)\n",
        ),
        (
            "png.rmv",
            "rmv.signature",
            "gametape: png.rmv: byte 0: the file starts with \"GIF8\", an RMV file starts with \"*rmv\"\n",
        ),
        (
            "header.rmv",
            "rmv.truncated",
            "gametape: header.rmv: byte 60: the file ends in the header: 208 bytes needed, 60 are left\n",
        ),
        (
            "huge.rmv",
            "rmv.limit",
            "gametape: huge.rmv: byte 208: the video section takes 4,294,967,294 bytes, the limit is 67,108,864 bytes\n",
        ),
    ] {
        for args in [
            &["inspect", file][..],
            &["stats", file],
            &["dump", file],
            &["repair", file, "out.rmv"],
        ] {
            // What has no start can't be repaired either, and a repair is not told to repair.
            let repairs = args[0] == "repair";
            let empty = complaint.ends_with("(the file is empty)\n");
            let advised = repairs && !empty || !complaint.contains(": byte 0: ");
            let advice = if repairs {
                "; there is nothing to keep\n"
            } else {
                " (gametape repair may save the intact parts)\n"
            };
            let complaint = match complaint.strip_suffix('\n').filter(|_| advised) {
                Some(complaint) => format!("{complaint}{advice}"),
                None => complaint.to_owned(),
            };
            gametape(path, args)
                .assert()
                .code(2)
                .stdout_eq("")
                .stderr_eq(complaint);
            // The same as data.
            let (out, _) = outputs(path, &format!("--json {}", args.join(" ")), 2);
            assert_eq!(json(&out)["path"], *file, "{out}");
            assert_eq!(json(&out)["error"]["code"], code, "{out}");
        }
        let verified = expect(path, &format!("verify --json {file}"), 1);
        let output = String::from_utf8(verified.get_output().stdout.clone()).unwrap();
        let code = if file == "empty.rmv" {
            "\"empty\""
        } else {
            code
        };
        assert!(output.contains(code), "{file}: {output}");
        expect(path, &format!("convert {file} out.rmv"), 2);
        assert!(!path.join("out.rmv").exists(), "{file}");
    }
    expect(path, "convert cut.rmv out.rmv", 2);
    let dumped = expect(path, "dump cut.rmv", 1);
    let lines = String::from_utf8_lossy(&dumped.get_output().stdout)
        .lines()
        .count();
    assert_eq!(
        lines,
        rmv::read_with(&bytes[..600], rmv::ReadOptions::lenient())
            .unwrap()
            .game
            .events
            .iter()
            .count()
    );
    expect(path, "tables cut.rmv", 1).stderr_eq(str![[r#"
gametape: cut.rmv: byte 600: the file ends in the video section: 993 bytes needed, 392 are left (the tables have the readable part)

"#]]);
    expect(path, "stats cut.rmv", 1).stderr_eq(str![[r#"
gametape: cut.rmv: event 114 (0.701 s, byte 600): the file ends in the video section: 993 bytes needed, 392 are left (statistics of the readable part)

"#]]);
}

#[test]
fn a_copy_is_identical_and_a_conversion_says_what_is_lost() {
    let folder = folder();
    let path = folder.path();
    expect(path, "convert game.rmv copy.rmv", 0).stderr_eq("");
    assert_eq!(fs::read(path.join("copy.rmv")).unwrap(), game_bytes());
    let piped = gametape(path, &["convert", "-", "-"])
        .stdin(game_bytes())
        .assert()
        .code(0);
    assert_eq!(piped.get_output().stdout, game_bytes());

    expect(path, "convert game.rmv old.rmv --format-version 1", 3).stderr_eq(str![[r#"
not carried over: clone id 0, major version 0
not carried over: extension property "clone_name"
not carried over: extension property "gametape_scenario"

"#]]);
    expect(path, "verify old.rmv", 0);
    expect(path, "convert --json game.rmv open.rmv --redact", 3)
    .stdout_eq(str![[r#"
{"path":"game.rmv","out":"open.rmv","format":"rmv","to":"rmv","bytes":1150,"losses":["the player's name","the player's nickname","the player's country","the player's token","the time the board was made","extension property [..]gametape_scenario[..]"],"notes":[],"report":null}

"#]]);
    let open = fs::read(path.join("open.rmv")).unwrap();
    assert!(!open.windows(12).any(|window| window == b"SECRET-TOKEN"));
    expect(path, "convert open.rmv again.rmv --redact", 0)
        .stderr_eq("note: there was nothing to redact\n");
    assert_eq!(fs::read(path.join("again.rmv")).unwrap(), open);
    expect(
        path,
        "convert game.rmv kept.rmv --redact --keep nick,date,extensions",
        3,
    )
    .stderr_eq(str![[r#"
not carried over: the player's name
not carried over: the player's country
not carried over: the player's token

"#]]);
    expect(path, "convert game.rmv x.rmv --redact --keep names", 2);
    expect(path, "convert game.rmv x.rmv --keep name", 2).stderr_eq(str![[r#"
gametape: game.rmv: option keep does nothing without option redact

"#]]);
}

#[test]
fn repair_keeps_whole_events_and_leaves_the_input_alone() {
    let folder = folder();
    let path = folder.path();
    let bytes = game_bytes();
    fs::write(path.join("cut.rmv"), &bytes[..bytes.len() - 100]).unwrap();
    expect(path, "repair cut.rmv mended.rmv", 3)
        .stdout_eq("")
        .stderr_eq(str![[r#"
set file_size right, it said 1,199
kept 250 whole events; lost what stood from byte 1,101 on
ended the game as "other" at 2.094 s: its termination event was lost

"#]]);
    assert_eq!(
        fs::read(path.join("cut.rmv")).unwrap(),
        bytes[..bytes.len() - 100]
    );
    expect(path, "verify mended.rmv", 0);
    expect(path, "repair game.rmv same.rmv", 0).stderr_eq(str![[r#"
nothing to repair: the form is intact; verify checks the content

"#]]);
    assert_eq!(fs::read(path.join("same.rmv")).unwrap(), bytes);
    // The input is not replaced by what holds less.
    expect(path, "repair cut.rmv cut.rmv", 2).stderr_eq(
        "gametape: cut.rmv: would be replaced by a file that holds less; name another output\n",
    );
    assert_eq!(
        fs::read(path.join("cut.rmv")).unwrap(),
        bytes[..bytes.len() - 100]
    );
    expect(path, "convert game.rmv game.rmv", 0);
    assert_eq!(fs::read(path.join("game.rmv")).unwrap(), bytes);
}

#[test]
fn secrets_are_hidden_unless_asked_for() {
    let folder = folder();
    let path = folder.path();
    for args in [
        &["inspect", "game.rmv"][..],
        &["inspect", "--json", "game.rmv"],
        &["verify", "-v", "game.rmv"],
        &["dump", "game.rmv"],
        &["stats", "game.rmv"],
    ] {
        let shown = gametape(path, args).assert().success();
        let text = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
        assert!(!text.contains("SECRET-TOKEN"), "{args:?}");
    }
    let shown = expect(path, "inspect --show-secrets game.rmv", 0);
    assert!(String::from_utf8_lossy(&shown.get_output().stdout).contains("SECRET-TOKEN"));

    // Tournament editions before 4.0 put the token into the result string.
    let mut game = record(&scenarios()[3], 1).unwrap();
    game.player = PlayerFields::new(["Ada"]).unwrap();
    let result = "\nLEVEL:Beginner#NICK:SECRET-TOKEN#\n".to_owned();
    game.encoding = gametape::mines::Encoding::V1 {
        result: result.into(),
    };
    game.version_info = "Vienna Minesweeper - Tournament Edition".into();
    game.file_size = DeclaredSize::Exact;
    fs::write(path.join("tournament.rmv"), rmv::write(&game).unwrap()).unwrap();
    let shown = expect(path, "inspect tournament.rmv", 0);
    let text = String::from_utf8_lossy(&shown.get_output().stdout).into_owned();
    assert!(
        text.contains("NICK <hidden>") && !text.contains("SECRET-TOKEN"),
        "{text}"
    );
}

/// Neither the name of a file nor what stands in it can steer the terminal; what is no file does
/// not block.
#[test]
#[cfg(unix)]
fn hostile_folders_are_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut game = record(&scenarios()[0], 1).unwrap();
    game.player = PlayerFields::new(["A\u{1b}[2J\u{7}da"]).unwrap();
    fs::write(path.join("\u{1b}[31m.rmv"), rmv::write(&game).unwrap()).unwrap();
    std::os::unix::fs::symlink("..", path.join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", path.join("dangling.rmv")).unwrap();
    let fifo = path.join("fifo.rmv");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()));
    for command in ["verify", "inspect", "stats"] {
        let run = expect(path, &format!("{command} ."), 2);
        let output = run.get_output();
        for text in [&output.stdout, &output.stderr] {
            let control = |b: &&u8| **b < 0x20 && **b != b'\n';
            assert_eq!(text.iter().find(control), None, "{command}");
        }
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            complaints.contains("/dangling.rmv: is a link to nowhere, which is not there\n"),
            "{command}: {complaints}"
        );
    }
}

#[test]
fn inspect_and_stats_have_stable_keys() {
    let folder = folder();
    let path = folder.path();
    expect(path, "inspect --json game.rmv", 0).stdout_eq(str![[r#"
{"path":"game.rmv","format":"rmv","format_version":2,"bytes":1201,"duration_ms":2472,"steps":275,"details":{"program":"gametape player: a synthetic recording, not played by a person","player":{"name":"Ada","nickname":"ada","country":"UK","token":"<hidden>"},"board":{"cols":8,"rows":8,"mines":10,"preflags":0},"generated":"2025-01-13T14:30:34Z","declared_level":"beginner","mode":"normal","marks":false,"nf":false,"cell_size":16,"declared_bbbv":10,"outcome":"win","text":"UTF-8","file_size":"real size less 2","checksum_bytes":0,"clone_id":0,"clone_major":0,"extensions":{"clone_name":"gametape","gametape_scenario":"beginner-win"}}}

"#]]);
    // In folders only headers are read.
    expect(path, "inspect --json .", 0).stdout_eq(str![[r#"
{"path":"./game.rmv","format":"rmv","format_version":2,"bytes":1201,"duration_ms":2472,"steps":null,"details":{"program":"gametape player: a synthetic recording, not played by a person","player":{"name":"Ada","nickname":"ada","country":"UK","token":"<hidden>"},"board":{"cols":8,"rows":8,"mines":10,"preflags":0},"generated":"2025-01-13T14:30:34Z","declared_level":"beginner","mode":"normal","marks":false,"nf":false,"cell_size":16,"declared_bbbv":10,"outcome":"win","text":"UTF-8","file_size":"real size less 2","checksum_bytes":0,"clone_id":0,"clone_major":0,"extensions":{"clone_name":"gametape","gametape_scenario":"beginner-win"}}}

"#]]);
    let stats = expect(path, "stats --json game.rmv", 0);
    let stats: serde_json::Value = serde_json::from_slice(&stats.get_output().stdout).unwrap();
    for key in [
        "total_time_ms",
        "outcome",
        "level",
        "bbbv",
        "bbbv_per_s",
        "zini",
        "hzini",
        "openings",
        "islands",
        "left_clicks",
        "right_clicks",
        "double_clicks",
        "clicks",
        "effective_clicks",
        "ioe",
        "correctness",
        "throughput",
        "rqp",
        "qg",
        "ios",
        "stnb",
        "zne",
        "znt",
        "path_px",
        "flags",
        "style",
        "wasted_clicks",
    ] {
        assert!(
            stats.get(key).is_some_and(|value| !value.is_null()),
            "{key}"
        );
    }
    let dumped = expect(path, "dump game.rmv", 0);
    let lines: Vec<serde_json::Value> = dumped
        .get_output()
        .stdout
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 275);
    assert_eq!(lines[274]["outcome"], "win");
}

/// It takes a while: all that is asked of it is asked here.
#[test]
fn the_demo_finds_sound_games_sound_and_tampered_ones_out() {
    let folder = folder();
    let path = folder.path();
    let out = fine(path, "demo out");
    assert!(
        out.contains("Everything sound was found sound, everything tampered with was found out.")
    );
    let failed = out.lines().filter(|line| line.starts_with("fail "));
    assert_eq!(failed.count(), 8);
    // It says how many copies there are of the first game, and of what they are copies.
    let copies = out.split_once("Four copies of the first game: ").unwrap().1;
    let copies = copies.split("\n\n").next().unwrap();
    let copies: Vec<&str> = copies
        .lines()
        .filter(|line| line.starts_with("fail "))
        .collect();
    assert_eq!(copies.len(), 4, "{copies:?}");
    assert!(
        copies.iter().all(|line| line.contains("3BV 10, ")),
        "{copies:?}"
    );
    expect(path, "verify out", 1);
    // The arena: what it says is what there is.
    let at = out.find("An arena of").unwrap();
    let end = out.find("\nA match of Echo VR").unwrap();
    snapbox::assert_data_eq!(
        out[at..end].to_owned(),
        str![[r#"
An arena of 300 ships is replicated at 30 Hz over a network that loses 10 % of the packets, and what arrives is captured as it is seen there:
pass  out/arena.mcap  585 packets, all applied, 264 entities at tick 658
      660 packets sent ([..] bytes/s), 73 lost, 2 still on the way when the run ends; 0 times asked for a full snapshot; in the end the receiver sees what the sender sees

A copy of it in which a bit was flipped:
fail  out/arena-flipped.mcap  535 packets, 318 applied
      error capture.crc, byte 0: the checksum of the data section is 75abad72, 400c2e37 is recorded
      error capture.crc, byte 264,086: the checksum of the chunk is 925941fb, 621a9fdb is recorded
      error delta.baseline-missing, packet 270 (tick 353, 11.733333216 s, byte 314,836): it builds on tick 352, which is not recorded before it
      error delta.not-applied: 216 packets, the last of tick 601, build on packets that could not be applied

"#]]
    );
    let printed = fine(path, "verify out/arena.mcap");
    assert!(
        out.contains(printed.split_once("arena.mcap").unwrap().1.trim_end()),
        "{printed}"
    );
    let json = fine(path, "demo --json out");
    assert_eq!(
        json.lines()
            .find(|line| line.contains("arena.mcap"))
            .unwrap(),
        "{\"path\":\"out/arena.mcap\",\"format\":\"capture\",\"verdict\":\"pass\",\"facts\":{},\"findings\":[]}"
    );
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = expect(folder.path(), &format!("completions {shell}"), 0);
        assert!(String::from_utf8_lossy(&script.get_output().stdout).contains("verify"));
    }
    expect(folder.path(), "man pages", 0);
    let page = fs::read_to_string(folder.path().join("pages/gametape-verify.1")).unwrap();
    assert!(page.contains("pass"));
}

#[test]
fn one_of_two_recordings_can_come_from_standard_input() {
    let folder = folder();
    let path = folder.path();
    for args in [["-", "game.rmv"], ["game.rmv", "-"]] {
        gametape(path, &["diff", args[0], args[1]])
            .stdin(game_bytes())
            .assert()
            .code(0)
            .stdout_eq("the recordings are the same\n");
    }
    gametape(path, &["diff", "-", "-"])
        .stdin(game_bytes())
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq("gametape: one of the two recordings can come from standard input, not both\n");
}

#[test]
fn a_file_that_is_no_recording_shows_its_first_bytes_as_data() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.bin"), "hello").unwrap();
    expect(folder.path(), "verify --json x.bin", 2)
        .stdout_eq(str![[r#"
{"path":"x.bin","format":null,"verdict":"fail","facts":{},"findings":[{"code":"unknown-format","severity":"error",[..]"data":{"starts_with":"68656c6c6f"}}]}

"#]]);
}

/// The units of columns are units: what else is to say of a column stands under a heading of its own.
#[test]
fn a_unit_is_a_unit_in_the_list_of_tables() {
    let folder = folder();
    let path = folder.path();
    let of_json = fine(path, "tables --json game.rmv");
    let mut columns = of_json.lines().map(json).flat_map(|table| {
        let columns = table["columns"].as_array().unwrap().clone();
        let noted = |column: &serde_json::Value| {
            column["key"] == true || column["secret"] == true || column["recorded"] == false
        };
        let has_notes = columns.iter().any(noted);
        columns.into_iter().map(move |column| (column, has_notes))
    });
    let text = fine(path, "tables game.rmv");
    let mut heads: Vec<(&str, usize)> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
        if line.starts_with("column ") {
            let names = ["unit", "note", "what it is"].into_iter();
            heads = names
                .filter_map(|name| Some((name, line.find(name)?)))
                .collect();
            continue;
        }
        let (column, has_notes) = columns.next().unwrap();
        let cell = |name: &str| {
            let at = heads.iter().position(|(head, _)| *head == name)?;
            Some(line[heads[at].1..heads[at + 1].1].trim())
        };
        assert_eq!(cell("note").is_some(), has_notes, "{line}");
        assert_eq!(
            cell("unit").unwrap_or_default(),
            column["unit"].as_str().unwrap_or_default()
        );
        let note = cell("note").unwrap_or_default();
        assert_eq!(note.contains("secret"), column["secret"] == true, "{line}");
        assert_eq!(
            note.contains("not recorded"),
            column["recorded"] == false,
            "{line}"
        );
    }
    assert!(columns.next().is_none());
    assert!(text.contains("  secret  "), "{text}");
}

/// Words from other tools work or lead to the verb, and wrong usage is data, too.
#[test]
fn near_verbs_and_wrong_usage() {
    let folder = folder();
    let path = folder.path();
    for (near, verb) in [
        ("game.rmv", "inspect game.rmv"),
        ("--json game.rmv", "--json inspect game.rmv"),
        ("info game.rmv", "inspect game.rmv"),
        ("ls .", "inspect ."),
        ("check game.rmv", "verify game.rmv"),
        ("validate .", "verify ."),
    ] {
        assert_eq!(fine(path, near), fine(path, verb), "{near}");
    }
    let (_, err) = outputs(path, "view game.rmv", 2);
    assert_eq!(
        err,
        "gametape: view is no verb: watch shows recordings in a browser, play in the terminal, picture draws\n"
    );
    let (_, err) = outputs(path, "dump game.rmv --limt 5", 2);
    assert!(
        err.contains("'--limt'") && !err.contains("as a value"),
        "{err}"
    );
    // The nearest alone; of a flag also where its letters are exchanged; and what `-v` may mean.
    for (wrong, tips) in [
        ("verfiy .", &["a similar subcommand exists: 'verify'"][..]),
        ("help verfiy", &["a similar subcommand exists: 'verify'"]),
        ("help nonsense", &[]),
        ("inspect --cvs .", &["a similar argument exists: '--csv'"]),
        (
            "dump game.rmv --limt 5",
            &["a similar argument exists: '--limit'"],
        ),
        ("index --nothing .", &[]),
        (
            "inspect -v .",
            &[
                "with '--full', files in folders are read to their end, too",
                "'verify -v' prints facts and known deviations in full; '-V' prints the version",
            ],
        ),
        (
            "stats --verbose .",
            &["'verify -v' prints facts and known deviations in full; '-V' prints the version"],
        ),
        (
            "record echo -v a.butter",
            &["'verify -v' prints facts and known deviations in full; '-V' prints the version"],
        ),
    ] {
        let (out, err) = outputs(path, wrong, 2);
        assert_eq!(out, "", "{wrong}");
        let said = err
            .lines()
            .filter_map(|line| line.trim().strip_prefix("tip: "));
        assert_eq!(said.collect::<Vec<&str>>(), tips, "{wrong}: {err}");
    }
    // A value with a unit is not beyond the range: it is no number.
    for (wrong, said) in [
        (
            "verify --explain 2s .",
            "explain can be a number without a unit, 0 to 86400, not 2s",
        ),
        (
            "convert game.rmv a.butter --max-error 1cm",
            "max-error can be a number without a unit, 0 or more, not 1cm",
        ),
        (
            "convert game.rmv a.butter --max-error=-1",
            "max-error can be 0 or more, not -1",
        ),
    ] {
        let (_, err) = outputs(path, wrong, 2);
        assert!(err.contains(&format!(": {said}\n")), "{wrong}: {err}");
    }
    // The words at the start of a column's name stand for it.
    let (_, err) = outputs(path, "dump game.rmv --table cursor --columns time,x", 2);
    assert!(err.contains("did you mean \"time_ms\"?"), "{err}");
    // The help lists every word that works or leads to a verb.
    for help in ["--help", "-h"] {
        let help = fine(path, help).replace('\n', " ");
        assert!(
            help.contains("Other names of verbs: info, list, ls, show (inspect), check, validate (verify). A path"),
            "{help}"
        );
        for word in [
            "compare", "compress", "csv", "export", "fix", "open", "rank", "version", "view",
        ] {
            let end = help.split_once("which verb is meant: ").unwrap().1;
            assert!(end.contains(word), "{word}: {help}");
            let (_, err) = outputs(path, word, 2);
            assert!(
                err.starts_with(&format!("gametape: {word} is no verb: ")),
                "{err}"
            );
        }
    }
    for wrong in [
        "--json dump",
        "--json nonsense",
        "--json open game.rmv",
        "dump --json --at x a",
    ] {
        let (out, _) = outputs(path, wrong, 2);
        assert!(json(&out)["error"]["message"].is_string(), "{out}");
    }
    let (out, _) = outputs(path, "--json dump", 2);
    assert_eq!(
        json(&out)["error"]["message"],
        "the following required arguments were not provided: <FILE>"
    );
}

#[test]
fn a_repair_that_can_keep_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("cut")).unwrap();
    for format in gametape::formats().iter() {
        for sample in crate::kit::samples(format.name()) {
            for (name, bytes) in &sample.beside {
                fs::write(path.join("cut").join(name), bytes).unwrap();
            }
            // All of them end within their header, or their first step.
            let name = format!("cut/{}", sample.name);
            fs::write(path.join(&name), &sample.bytes[..20]).unwrap();
            let (out, err) = outputs(path, &format!("repair {name} out-{}", sample.name), 2);
            assert_eq!(out, "");
            assert!(err.contains("there is nothing to keep"), "{name}: {err}");
        }
    }
    let (_, err) = outputs(path, "repair cut --out mended", 2);
    for line in err.lines() {
        assert!(line.contains("there is nothing to keep"), "{line}");
    }
}
