//! Archives, as users see them: each verb does with an archive what it does with the folder that was packed.

use std::fs;
use std::path::{Path, PathBuf};

use gametape_core::Input;
use gametape_samples::delta::Arena;
use gametape_testkit::archive::pack;

use crate::common::{fine, killed_in_between, outputs, tree};
use crate::delta::support::packets;

/// A folder with recordings of several formats, and a note.
fn games(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let game = |seed| {
        let scenarios = gametape_samples::mines::scenarios();
        let game = gametape_samples::mines::record(&scenarios[seed], seed as u64).unwrap();
        gametape::mines::rmv::write(&game).unwrap()
    };
    let mut text = gametape::echo::echoreplay::Writer::new(Vec::new());
    let options = gametape_samples::echo::MatchOptions {
        frames: Some(30),
        ..gametape_samples::echo::MatchOptions::default()
    };
    for frame in gametape_samples::echo::Match::new(options) {
        text.push(&frame).unwrap();
    }
    let files: Vec<(String, Vec<u8>)> = vec![
        ("2022/a.rmv".into(), game(0)),
        ("2022/b.rmv".into(), game(1)),
        ("match.echoreplay".into(), text.finish().unwrap()),
        ("notes.txt".into(), b"a note".to_vec()),
        ("run.murk".into(), gametape::murk::doc_example()),
    ];
    for (name, bytes) in &files {
        let path = folder.join("games").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    files
}

/// Recordings with others beside them: packets with their schema, in one file and in a folder, and a simulation whose
/// index knows the bit that is flipped in it.
fn with_companions(folder: &Path) {
    let games = folder.join("games");
    fs::create_dir(games.join("flight")).unwrap();
    let schema = serde_json::to_vec(&Arena::schema()).unwrap();
    let packets = packets();
    fs::write(games.join("flight/schema.json"), &schema).unwrap();
    fs::write(games.join("stream.schema.json"), &schema).unwrap();
    fs::write(games.join("stream.delta"), packets.concat()).unwrap();
    for (tick, packet) in (1..).zip(&packets) {
        let name = match tick {
            1 => "full_000001.bin".to_owned(),
            tick => format!("delta_{tick:06}_base_{:06}.bin", tick - 1),
        };
        fs::write(games.join("flight").join(name), packet).unwrap();
    }
    let run = games.join("flipped.murk");
    fs::copy(games.join("run.murk"), &run).unwrap();
    fine(folder, "index games/flipped.murk");
    let mut bytes = fs::read(&run).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    fs::write(run, bytes).unwrap();
}

/// The content of a zip, by its names.
fn unpacked(zip: &Path) -> Vec<(String, Vec<u8>)> {
    let input = Input::from(fs::read(zip).unwrap());
    let limits = gametape::archive::Limits::default();
    let archive = gametape::archive::Archive::open(input, "a.zip", limits).unwrap();
    let content = |file| archive.unpack(file).unwrap().bytes().unwrap().into_owned();
    let files = archive.files().iter();
    files
        .map(|file| (file.name.clone(), content(file)))
        .collect()
}

#[test]
fn each_verb_does_with_an_archive_what_it_does_with_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    games(path);
    with_companions(path);
    let files = tree(&path.join("games"));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (&**name, &**bytes))
        .collect();
    let run = |args: &str| {
        let output = crate::common::gametape(path, &crate::common::words(args))
            .output()
            .unwrap();
        let text = |bytes| {
            let text = String::from_utf8(bytes).unwrap();
            // How long it took is another matter.
            let lines = text.lines().map(|line| {
                let line = line.split("B in ").next().unwrap();
                line.split(",\"took_s\"").next().unwrap().to_owned()
            });
            lines.collect::<Vec<String>>()
        };
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    // The facade's tests have all kinds.
    let kinds = ["deflate.zip", "plain.tar", "packed.tar.zst"];
    for kind in kinds {
        fs::write(path.join(kind), pack(kind, &files)).unwrap();
    }
    for verb in [
        "inspect GAMES",
        "inspect --json GAMES",
        "inspect --full GAMES",
        "verify GAMES",
        "verify --json GAMES",
        "stats GAMES",
        "stats --csv GAMES",
        "tables GAMES/run.murk",
        "dump GAMES/2022/a.rmv",
        "dump GAMES/match.echoreplay --at 0.2",
        "diff GAMES/2022/a.rmv GAMES/2022/b.rmv",
        "picture GAMES/2022/a.rmv -",
        "verify GAMES/2022",
        "verify GAMES/**/a.rmv",
        "verify GAMES/flight",
        "dump GAMES/flight --at step:3",
        "dump GAMES/flipped.murk --at step:0",
        "inspect GAMES/flight/full_000001.bin",
        "diff GAMES/flight GAMES/stream.delta",
        "convert GAMES/flight made/flight.mcap",
        "repair GAMES/flipped.murk made/mended.murk",
        "repair GAMES --out made/repaired",
        "convert GAMES/match.echoreplay --to butter --out made/converted",
        "convert GAMES/match.echoreplay --to echoreplay --redact --out made/redacted",
        "convert GAMES/match.echoreplay made/one.butter",
        "cut GAMES/match.echoreplay made/part.echoreplay --from 0.1",
        "publish GAMES --out made/site",
    ] {
        let told = |games: &str| {
            fs::create_dir_all(path.join("made")).unwrap();
            let (code, out, said) = run(&verb.replace("GAMES", games));
            // Folders are listed by name, archives in their own order.
            let named = |lines: Vec<String>| -> Vec<String> {
                let lines = lines.iter().map(|line| line.replace(games, "GAMES"));
                let mut lines: Vec<String> = lines.collect();
                lines.sort();
                lines
            };
            let mut made = tree(&path.join("made"));
            // It names what things were made of, and when.
            made.retain(|(name, _)| !name.starts_with("site/"));
            fs::remove_dir_all(path.join("made")).unwrap();
            (code, named(out), named(said), made)
        };
        let plain = told("games");
        assert!(matches!(plain.0, Some(0 | 1 | 3)), "{verb}: {:?}", plain.2);
        for kind in kinds {
            let packed = told(kind);
            assert_eq!(plain.0, packed.0, "{verb} of {kind}: {:?}", packed.2);
            assert_eq!(plain.1, packed.1, "{verb} of {kind}");
            assert_eq!(plain.2, packed.2, "{verb} of {kind}");
            assert!(plain.3 == packed.3, "{verb} of {kind} makes other files");
        }
    }
}

#[test]
fn a_call_that_is_killed_makes_the_same_zip_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let files = games(path);
    let game = &files[2].1;
    let all: Vec<String> = (0..40)
        .map(|number| format!("{number:02}.echoreplay"))
        .collect();
    let all: Vec<(&str, &[u8])> = all.iter().map(|name| (&**name, &**game)).collect();
    fs::write(path.join("matches.zip"), pack("deflate.zip", &all)).unwrap();
    let convert = "convert matches.zip --to butter --out";
    outputs(path, &format!("{convert} whole.zip"), 3);
    let work: PathBuf = path.join(".gametape-killed.zip");
    let there = || fs::read_dir(&work).map_or(0, Iterator::count);
    let is_enough = || there() >= 20 || path.join("killed.zip").exists();
    killed_in_between(path, &format!("{convert} killed.zip"), there, is_enough);
    outputs(path, &format!("{convert} killed.zip"), 3);
    assert_eq!(
        unpacked(&path.join("killed.zip")),
        unpacked(&path.join("whole.zip"))
    );
    assert!(!work.exists());
}
