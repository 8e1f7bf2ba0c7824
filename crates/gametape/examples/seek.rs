//! Goes to moments of a recording and prints what holds there.
//!
//! `cargo run -p gametape --example seek`

use std::error::Error;

use gametape::echo::butter;
use gametape::{At, Recording, Scan, Value};
use gametape_samples::echo::{Match, MatchOptions};

/// Runs without arguments; the tests run it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    // Forty seconds of a match of Echo VR.
    let frames: Vec<_> = Match::new(MatchOptions {
        frames: Some(1200),
        ..Default::default()
    })
    .collect();
    let bytes = butter::write(&frames, butter::Options::default())?;
    let recording = Recording::from_bytes(bytes, "match.butter")?;

    let mut play = recording.playback()?;
    println!("from {:?} to {:?}", play.span().first, play.span().last);

    // A moment is a time, a tick or a step; people write it as `--at` takes it.
    let disc = Scan::table("disc").columns(["x", "y", "z"]);
    for at in ["0:32.5".parse()?, At::Step(900), At::Step(0)] {
        let now = play.seek(at)?;
        let rows = play.state(&disc)?;
        for row in 0..rows.len() {
            let [x, y, z] = [0, 1, 2].map(|column| match rows.get(row, column) {
                Value::Float32(metres) => metres,
                _ => f32::NAN,
            });
            println!("step {}: the disc is at {x:.2}, {y:.2}, {z:.2}", now.step);
        }
    }

    // On from here, a step at a time.
    let players = Scan::table("players").columns(["name"]);
    for _ in 0..3 {
        if let Some(now) = play.step()? {
            println!("step {}: {} players", now.step, play.state(&players)?.len());
        }
    }
    // Whatever is wrong, the error names the recording.
    if let Err(error) = play.seek(At::Step(1_000_000)) {
        println!("{error}");
    }
    Ok(())
}
