//! Hashes of the bot's recordings, which reveal a change of engine, bot or writer.

use std::fmt::Write as _;

use gametape_mines::rmv;
use gametape_samples::mines::{record, scenarios};
use sha2::{Digest, Sha256};

/// The first eight bytes of the SHA-256 of every scenario's file with seed 1. After an intended
/// change, run with `GAMETAPE_BLESS=1` and review the difference.
#[test]
fn recordings_are_the_same_as_ever() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/mines_golden.txt");
    let mut found = String::new();
    for scenario in scenarios() {
        let bytes = rmv::write(&record(&scenario, 1).unwrap()).unwrap();
        let digest = Sha256::digest(&bytes);
        let hash = u64::from_be_bytes(digest[..8].try_into().unwrap());
        writeln!(found, "{hash:016x} {:>6} {}", bytes.len(), scenario.name).unwrap();
    }
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), found);
}
