//! Hashes of the files of invented matches: the bytes written do not change unnoticed.
//!
//! After an intended change: `GAMETAPE_BLESS=1 cargo test -p gametape-echo --test all golden`.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::{frames_of, match_options, options, write};
use gametape_echo::Game;
use gametape_echo::butter::Compression;
use gametape_samples::echo::MatchOptions;
use sha2::{Digest, Sha256};

fn hex(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[test]
fn files_have_not_changed() {
    let mut text = String::new();
    for (game, kind) in [(Game::Arena, "arena"), (Game::Combat, "combat")] {
        for (bones, with) in [(false, ""), (true, "-bones")] {
            let match_ = MatchOptions {
                game,
                bones,
                private: true,
                pauses: true,
                ..match_options(2, 400)
            };
            // Compressors change with their versions; what they compress does not.
            let bytes = write(&frames_of(match_), options(150, Compression::None));
            writeln!(text, "{} {kind}{with}", hex(&bytes)).unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/butter/golden.txt");
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default());
}
