//! Opens a recording, lists what is wrong with it, and keeps what is intact.
//!
//! `cargo run -p gametape --example findings`

use std::error::Error;
use std::fs;

use gametape::{Existing, Options, Recording, Secrets};

/// Runs without arguments; the tests run it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    // A game of Minesweeper that lost its end.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("cut.rmv");
    let game = gametape_samples::mines::example();
    fs::write(&path, &game[..game.len() * 2 / 3])?;

    let recording = Recording::open(&path)?;
    let info = recording.info(Secrets::Hide)?;
    if let Some(problem) = &info.problem {
        println!("{problem}"); // with the path
    }
    println!("{}", info.readable());

    let audit = recording.audit()?;
    println!("{}: {}", audit.verdict(), audit.summary);
    for finding in &audit.findings {
        // A sentence for people, and the same as data: the rule, how bad it is, where.
        println!("{finding}");
        println!(
            "  {} {:?}, byte {:?}",
            finding.code(),
            finding.severity(),
            finding.place.offset
        );
    }

    let repaired = recording.repair(&Options::new())?;
    let intact = folder.path().join("intact.rmv");
    repaired.content.put(&intact, Existing::Keep)?;
    // From here on a problem is an error.
    let info = Recording::open(&intact)?.info(Secrets::Hide)?.whole()?;
    println!("{} events are intact", info.steps.unwrap_or_default());
    Ok(())
}
