//! Folders of recordings, as users see what is made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape::echo::echoreplay::ZipWriter;
use gametape_samples::echo::{Match, MatchOptions};
use snapbox::str;

use crate::common::{expect, fine, json, killed_in_between, outputs};

/// Matches of an archive.
const MATCHES: u64 = 40;

/// One season a folder, as many frames as fit a test.
fn archive(folder: &Path, matches: u64) {
    for number in 0..matches {
        let season = folder.join(format!("archive/{}", 2021 + number % 3));
        fs::create_dir_all(&season).unwrap();
        let name = format!("match-{number:02}.echoreplay");
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()), &name, 1).unwrap();
        let options = MatchOptions {
            seed: number,
            frames: Some(20),
            players_per_team: 2,
            ..MatchOptions::default()
        };
        for frame in Match::new(options) {
            zip.push(&frame).unwrap();
        }
        fs::write(season.join(name), zip.finish().unwrap().into_inner()).unwrap();
    }
}

/// The files below a folder, that may go while they are counted.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files(root).into_iter();
    files
        .map(|path| {
            let below = path.strip_prefix(root).unwrap().to_owned();
            (below, fs::read(&path).unwrap())
        })
        .collect()
}

#[test]
fn an_archive_that_is_killed_in_between_becomes_the_same_tree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, MATCHES);
    let (whole, whole_said) = outputs(path, "convert archive --to butter --out whole", 3);
    assert_eq!(whole.lines().count() as u64, MATCHES + 1, "{whole}");
    assert!(
        whole.contains("40 recordings: 40 made, 40 with loss; "),
        "{whole}"
    );
    let there = || {
        let made = path.join("killed");
        if made.exists() { files(&made).len() } else { 0 }
    };
    // Killed as soon as a few more are there than before, and in the midst of others.
    let is_enough = || there() >= MATCHES as usize / 2;
    let convert = "convert archive --to butter --out killed";
    killed_in_between(path, convert, there, is_enough);
    let notes = fs::read(path.join("killed/.gametape-made.jsonl")).unwrap();
    let noted = notes.split(|byte| *byte == b'\n').count() - 1;
    let (again, _) = outputs(path, "convert --json archive --to butter --out killed", 3);
    let summary = json(again.lines().last().unwrap());
    assert_eq!(summary["summary"]["kept"], noted, "{again}");
    assert_eq!(summary["summary"]["lossy"], MATCHES, "{again}");
    assert_eq!(tree(&path.join("killed")), tree(&path.join("whole")));
    // The losses of the first call are still reported.
    let kept = json(again.lines().next().unwrap());
    assert_eq!(kept["status"], "kept", "{kept}");
    assert_eq!(kept["lossy"], true, "{kept}");
    assert!(kept["report"]["not_kept"].is_array(), "{kept}");
    let notes = fs::read_to_string(path.join("killed/.gametape-made.jsonl")).unwrap();
    // What the files lost is summed up, whether they are made or kept.
    assert_eq!(
        outputs(path, "convert archive --to butter --out killed", 3).1,
        whole_said.replace("whole/", "killed/")
    );
    let said: Vec<&str> = whole_said.lines().collect();
    let [lost, details] = said.as_slice() else {
        panic!("{whole_said}")
    };
    let most = notes.lines().map(json).map(|line| {
        let numbers = line["report"]["numbers"].as_array().unwrap().clone();
        let metres = numbers.iter().filter(|number| number["unit"] == "m");
        metres
            .map(|number| number["max_error"].as_f64().unwrap())
            .fold(0.0, f64::max)
    });
    let most = gametape::core::text::significant(most.fold(0.0, f64::max));
    assert!(
        lost.starts_with(&format!(
            "{MATCHES} files with loss: off by up to {most} m ("
        )),
        "{lost}"
    );
    assert!(
        lost.contains("; not kept, or not in every frame: "),
        "{lost}"
    );
    assert!(
        lost.contains(&format!("team names ({MATCHES} files)")),
        "{lost}"
    );
    assert_eq!(
        *details,
        "whole/.gametape-made.jsonl has a line for each file, with what was rounded or left out; the same \
         call with --json prints it"
    );
    // It has what the sentence says.
    assert_eq!(notes.lines().count() as u64, MATCHES);
    for line in notes.lines().map(json) {
        assert!(
            line["out"].is_string() && line["report"]["numbers"].is_array(),
            "{line}"
        );
    }
}

/// The exit codes in the book's page on archives.
#[test]
fn the_exit_code_is_that_of_the_worst_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, 3);
    let convert = |what: &str, out: &str, code: i32| {
        outputs(path, &format!("convert {what} --out {out}"), code)
    };
    fs::write(path.join("archive/notes.txt"), "notes").unwrap();
    convert("archive", "copies", 0);
    convert("archive --to butter", "rounded", 3);
    let (_, err) = convert("archive --to butter --max-error 1e-9", "refused", 1);
    assert_eq!(err.lines().count(), 3, "{err}");
    // A game among the matches is named, and the matches are made all the same.
    let game = gametape_samples::mines::example();
    fs::write(path.join("archive/game.rmv"), game).unwrap();
    let (out, err) = convert("archive --to butter", "mixed", 2);
    let said = "gametape: archive/game.rmv: rmv can't be converted to butter; ";
    assert!(err.starts_with(said) && err.lines().count() == 3, "{err}");
    assert!(
        out.contains("4 recordings: 3 made, 1 failed, 3 with loss; "),
        "{out}"
    );
    assert!(out.ends_with(", 1 other file skipped\n"), "{out}");
    assert_eq!(
        tree(&path.join("mixed")),
        tree(&path.join("rounded")),
        "with the same notes"
    );
    convert("archive --to butter --max-error 1e-9", "worst", 2);
    // A pattern leaves it out.
    let (_, err) = convert("archive/**/*.echoreplay --to butter", "matches", 3);
    assert!(err.starts_with("3 files with loss: "), "{err}");
}

#[test]
fn an_output_that_would_differ_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, 4);
    let statuses = |more: &str, code: i32| -> BTreeMap<String, String> {
        let line = format!("convert --json archive --to butter --out made{more}");
        let (out, _) = outputs(path, &line, code);
        let lines = out
            .lines()
            .map(json)
            .filter(|line| line["path"].is_string());
        lines
            .map(|line| {
                let text = |key: &str| line[key].as_str().unwrap().to_owned();
                (
                    text("path").rsplit('/').next().unwrap().to_owned(),
                    text("status"),
                )
            })
            .collect()
    };
    let count = |of: &BTreeMap<String, String>, status: &str| {
        of.values().filter(|known| *known == status).count()
    };
    assert_eq!(count(&statuses("", 3), "made"), 4);
    assert_eq!(count(&statuses("", 3), "kept"), 4);
    // Other options, and those of before.
    // The option has had another name.
    assert_eq!(count(&statuses(" --keyframes 10", 3), "made"), 4);
    assert_eq!(count(&statuses(" --keyframe-every 10", 3), "kept"), 4);
    assert_eq!(count(&statuses("", 3), "made"), 4);
    // Two that change their names.
    let at = |name: &str| path.join("archive").join(name);
    let (first, second) = (
        at("2021/match-00.echoreplay"),
        at("2022/match-01.echoreplay"),
    );
    let bytes = fs::read(&first).unwrap();
    fs::rename(&second, &first).unwrap();
    fs::write(&second, bytes).unwrap();
    let swapped = statuses("", 3);
    assert_eq!((count(&swapped, "made"), count(&swapped, "kept")), (2, 2));
    fs::rename(&first, at("2021/final.echoreplay")).unwrap();
    let renamed = statuses("", 3);
    assert_eq!(renamed["final.echoreplay"], "made");
    assert_eq!(count(&renamed, "kept"), 3);
    // A date says nothing.
    let now = std::time::SystemTime::now() + Duration::from_mins(1);
    fs::File::options()
        .append(true)
        .open(&second)
        .unwrap()
        .set_modified(now)
        .unwrap();
    assert_eq!(count(&statuses("", 3), "kept"), 4);
    // A conversion that cannot keep the limit is refused, file by file, and leaves no file.
    let refused = statuses(" --max-error 0.000001", 1);
    assert_eq!(count(&refused, "failed"), 4);
}

#[test]
fn problems_are_reported_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, 2);
    let one = "archive/2021/match-00.echoreplay";
    outputs(
        path,
        &format!("convert {one} archive/2021/match-00.butter"),
        3,
    );
    let before = tree(path);
    let formats = gametape::formats();
    let extensions = formats.iter().flat_map(<dyn gametape::Format>::extensions);
    let extensions: BTreeSet<&str> = extensions.copied().collect();
    let extensions = Vec::from_iter(extensions).join(", ");
    let unknown = format!("mp4: is the extension of no known format; there are {extensions}");
    for (args, complaint) in [
        (
            "convert archive --to mcap --out made",
            "archive/2021/match-00.butter and archive/2021/match-00.echoreplay would all become made/2021/match-00.mcap: name one of them only, or convert them into folders apart",
        ),
        ("convert archive --to mp4 --out made", &unknown),
        (
            "convert archive --out made --tick-rate 30",
            "archive/2021/match-00.butter: there is no option tick-rate to convert butter or echoreplay recordings",
        ),
        (
            "convert - --out made",
            "standard input has no name to go by below --out: IN OUT takes it",
        ),
        ("convert missing --out made", "missing: no such file"),
        (
            "convert archive made.butter",
            "archive: is a folder; to convert its recordings, add --out DIR",
        ),
        (
            "repair archive made.butter",
            "archive: is a folder; to repair its recordings, add --out DIR",
        ),
        (
            "convert archive",
            "convert: an output is missing: IN OUT, or PATH... --out DIR",
        ),
        (
            "repair a b c",
            "repair: several files are made below a folder: PATH... --out DIR",
        ),
    ] {
        let (out, err) = outputs(path, args, 2);
        let is_missing = args.contains("missing");
        assert_eq!(err, format!("gametape: {complaint}\n"), "{args}");
        assert!(out.is_empty() || is_missing, "{args}: {out}");
        if is_missing {
            fs::remove_dir(path.join("made")).unwrap();
        }
        assert_eq!(tree(path), before, "{args}");
        assert!(!path.join("made").exists(), "{args}");
    }
    // A pattern takes some of them, and may write beside them.
    fine(path, "verify archive/2022/match-01.echoreplay");
    outputs(
        path,
        "convert archive/*/*.echoreplay --to butter --out archive",
        3,
    );
    assert!(path.join("archive/2022/match-01.butter").exists());
}

#[test]
fn verify_says_in_json_what_it_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, 2);
    fs::write(path.join("archive/notes.txt"), "no recording").unwrap();
    let out = fine(path, "verify --json archive");
    let last = json(out.lines().last().unwrap());
    assert_eq!(out.lines().count(), 4, "{out}");
    let skipped = json(out.lines().nth(2).unwrap());
    assert_eq!(skipped["path"], "archive/notes.txt");
    assert!(skipped["skipped"].as_str().unwrap().contains("no recor"));
    assert!(skipped["verdict"].is_null(), "{skipped}");
    for key in ["path", "format", "verdict"] {
        assert!(last[key].is_null(), "{last}");
    }
    assert_eq!(last["findings"], json("[]"));
    assert_eq!(last["summary"]["recordings"], 2);
    assert_eq!(last["summary"]["skipped"], 1);
    // Files that are named have a line each, and no more.
    let one = "archive/2021/match-00.echoreplay";
    assert_eq!(
        fine(path, &format!("verify --json {one}")).lines().count(),
        1
    );
    expect(path, "convert archive --out copies --dry-run", 0).stdout_eq(str![[r#"
would make  copies/2021/match-00.echoreplay  from archive/2021/match-00.echoreplay
would make  copies/2022/match-01.echoreplay  from archive/2022/match-01.echoreplay
2 recordings: 2 would be made; [..] kB in [..] s, 1 other file skipped

"#]]);
}

/// A file and two links to its folder are one file: in a folder, by a pattern, for every verb.
#[test]
#[cfg(unix)]
fn a_pattern_goes_where_a_folder_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    archive(path, 3);
    for name in ["a", "2022/b"] {
        let link = path.join("archive").join(name);
        std::os::unix::fs::symlink(path.join("archive"), link).unwrap();
    }
    fs::create_dir(path.join("there")).unwrap();
    let paths = |folder: &str, line: &str, code: i32| -> Vec<String> {
        let (out, err) = outputs(&path.join(folder), line, code);
        assert_eq!(err, "", "{line}");
        let lines = out.lines().map(json);
        let paths = lines.filter_map(|line| Some(line["path"].as_str()?.to_owned()));
        paths.collect()
    };
    let below = |start: &str| {
        let of = |number: u64| {
            let year = 2021 + number;
            format!("{start}/{year}/match-{number:02}.echoreplay")
        };
        [0, 1, 2].map(of)
    };
    for (verb, more, code) in [
        ("verify", "", 0),
        ("stats", "", 0),
        ("inspect", "", 0),
        ("convert", " --out made --dry-run", 0),
    ] {
        for (folder, pattern, start) in [
            (".", "archive", "archive"),
            (".", "archive/**/*.echoreplay", "archive"),
            (".", "archive/**", "archive"),
            (".", "arch*", "archive"),
            (".", "**/*.echoreplay", "archive"),
            (".", "./archive/20*/*", "archive"),
            ("there", "../archive/**/*.echoreplay", "../archive"),
            ("archive", "**/match-*", "."),
        ] {
            let line = format!("{verb} --json {pattern}{more}");
            let paths = paths(folder, &line, code);
            let expected = below(start).map(|path| path.trim_start_matches("./").to_owned());
            assert_eq!(paths, expected, "{line}");
        }
        let line = format!("{verb} archive/**/*.rmv{more}");
        let (_, err) = outputs(path, &line, 2);
        assert_eq!(err, "gametape: archive/**/*.rmv: no such file\n", "{line}");
        let line = format!("{verb} archive/**.echoreplay{more}");
        let (_, err) = outputs(path, &line, 2);
        let complaint = "is no pattern: ** stands for folders, and alone between two /";
        let expected = format!("gametape: archive/**.echoreplay: {complaint}\n");
        assert_eq!(err, expected, "{line}");
    }
}

/// The table of a folder: each row with its format and its verdict, and nothing but plain cells.
#[test]
fn the_statistics_of_a_folder_are_a_table_for_people() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for format in gametape::formats().iter() {
        for sample in crate::kit::samples(format.name()) {
            for (name, bytes) in &sample.beside {
                fs::write(path.join(name), bytes).unwrap();
            }
            fs::write(path.join(&sample.name), &sample.bytes).unwrap();
        }
    }
    let world = gametape::murk::engine::World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let mut run = gametape_samples::murk::record(&world, world.build().unwrap(), 1, 5).unwrap();
    fs::write(path.join("sound.murk"), &run).unwrap();
    // The last byte belongs to the last hash.
    *run.last_mut().unwrap() ^= 1;
    fs::write(path.join("false.murk"), &run).unwrap();
    fs::write(path.join("empty.rmv"), "").unwrap();
    let cut = fs::read(path.join("game.rmv")).unwrap();
    fs::write(path.join("cut.rmv"), &cut[..cut.len() / 2]).unwrap();
    let (out, err) = outputs(path, "stats --csv .", 2);
    assert_eq!(err.lines().count(), 2, "{err}");
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let heads: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(heads[..4], ["path", "format", "verdict", "findings"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let told: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| [&row[0], &row[1], &row[2], &row[3]])
        .collect();
    assert_eq!(
        told,
        [
            [
                "./cut.rmv",
                "rmv",
                "fail",
                "rmv.truncated; rmv.file-size-wrong"
            ],
            ["./empty.rmv", "rmv", "fail", ""],
            [
                "./false.murk",
                "murk",
                "fail",
                "murk.snapshot-mismatch; murk.one-slip"
            ],
            ["./game.rmv", "rmv", "pass", ""],
            ["./match.butter", "butter", "pass", ""],
            ["./run.delta", "delta", "pass", ""],
            ["./run.mcap", "capture", "pass", ""],
            ["./run.murk", "murk", "pass", ""],
            ["./sound.murk", "murk", "pass", ""],
            ["./text.echoreplay", "echoreplay", "pass", ""],
            ["./zip.echoreplay", "echoreplay", "pass", ""],
        ]
    );
    for (at, head) in heads.iter().enumerate() {
        assert!(
            rows.iter().any(|row| !row[at].is_empty()),
            "{head} is empty"
        );
        let is_plain = rows.iter().all(|row| !row[at].contains(['[', '{']));
        assert!(is_plain, "{head}: {rows:?}");
    }
    assert!(
        !heads.iter().any(|head| head.starts_with("error.data")),
        "{heads:?}"
    );
    // The table alone asks for an audit.
    let told = json(&fine(path, "stats --json false.murk"));
    assert_eq!(
        (&told["verdict"], &told["findings"]),
        (&json("null"), &json("[]"))
    );
}

/// Every option of a format is in the list of formats.
#[test]
fn formats_list_their_options() {
    let folder = tempfile::tempdir().unwrap();
    let text = fine(folder.path(), "formats");
    let lines = fine(folder.path(), "formats --json");
    let mut lines = lines.lines();
    for format in gametape::formats().iter() {
        let listed = json(lines.next().unwrap());
        assert_eq!(listed["format"], format.name());
        let mut options = listed["options"].as_array().unwrap().iter();
        for (verb, defs) in format.info().options {
            for def in *defs {
                let option = options.next().unwrap();
                assert_eq!(
                    (&option["verb"], &option["name"]),
                    (&verb.name().into(), &def.name.into())
                );
                let of_format = text.lines().filter(|line| line.starts_with(format.name()));
                let named = format!(" --{}", def.name);
                assert!(
                    of_format.into_iter().any(|line| line.contains(&named)),
                    "{named}: {text}"
                );
            }
        }
        assert!(options.next().is_none());
    }
}
