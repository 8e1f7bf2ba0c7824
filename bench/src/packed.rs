//! Recordings in archives, beside the same ones in a folder.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use gametape::Recording;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::mines;
use gametape_testkit::archive::pack;

use crate::timing::{Plain, race};
use crate::{alloc, report};

/// The number of games.
const GAMES: usize = 1000;

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let folder = tempfile::tempdir().expect("space for temporary files");
    let games: Vec<(String, Vec<u8>)> = (0..GAMES)
        .map(|seed| {
            let scenarios = mines::scenarios();
            let game = mines::record(&scenarios[seed % scenarios.len()], seed as u64);
            let bytes = gametape_mines::rmv::write(&game.expect("a scenario"));
            (format!("{seed}.rmv"), bytes.expect("memory"))
        })
        .collect();
    let options = MatchOptions {
        frames: Some(3000),
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    let text = gametape_echo::echoreplay::write(&frames).expect("memory");
    for (what, files) in [
        ("games", games),
        ("match", vec![("match.echoreplay".to_owned(), text)]),
    ] {
        let plain = folder.path().join(what);
        fs::create_dir(&plain).expect("a new folder");
        for (name, bytes) in &files {
            fs::write(plain.join(name), bytes).expect("space");
        }
        let files: Vec<(&str, &[u8])> = files
            .iter()
            .map(|(name, bytes)| (&**name, &**bytes))
            .collect();
        for kind in [
            "stored.zip",
            "deflate.zip",
            "zstd.zip",
            "plain.tar",
            "packed.tar.zst",
        ] {
            let name = format!("{what}-{kind}");
            if !format!("packed/{name}").contains(filter) {
                continue;
            }
            let path = folder.path().join(&name);
            fs::write(&path, pack(kind, &files)).expect("space");
            let pair = race(9, &mut Plain(|| read(&path)), &mut Plain(|| read(&plain)));
            report("packed", &name, pair);
            let [ours, peer] = [&path, &plain].map(|path| alloc::peak(|| read(path)).1);
            println!("packed/{name} peak-bytes ours={ours} peer={peer}");
        }
    }
}

/// Finds all recordings, opens each and reads its bytes.
fn read(path: &Path) -> u64 {
    let found = gametape::find(path).into_iter();
    let paths = found.map(|found| found.expect("a file").path);
    let sizes = paths.map(|path: PathBuf| {
        let recording = Recording::open(&path).expect("a recording");
        let mut stream = recording.input().stream();
        std::io::copy(&mut stream, &mut std::io::sink()).expect("the file")
    });
    black_box(sizes.sum())
}
