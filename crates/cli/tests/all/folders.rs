//! Folders of recordings, as users see what is made of them.

use std::fs;
use std::path::Path;

use gametape::echo::echoreplay::ZipWriter;
use gametape_samples::echo::{Match, MatchOptions};

use crate::common::{files, fine, json, killed_in_between, outputs, tree};

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
    let there = || files(&path.join("killed")).len();
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
