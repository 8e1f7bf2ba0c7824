//! The player's recordings by hash: a change of engine, player or writer shows here.

use gametape_mines::player::{record, scenarios};
use gametape_mines::rmv;
use sha2::{Digest, Sha256};

/// First eight bytes of the SHA-256 of every scenario's file, seed 1. After a change that is
/// meant, run with `GAMETAPE_BLESS=1` and look at the difference.
#[test]
fn recordings_are_the_same_as_ever() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    let mut found = String::new();
    for scenario in scenarios() {
        let bytes = rmv::write(&record(&scenario, 1).unwrap()).unwrap();
        let digest = Sha256::digest(&bytes);
        let hex: String = digest[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        found.push_str(&format!("{hex} {:>6} {}\n", bytes.len(), scenario.name));
    }
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), found);
}
