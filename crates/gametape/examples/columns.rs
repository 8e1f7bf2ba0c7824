//! Reads two columns of a table. Only these are decoded, and only in the range that is asked for.
//!
//! `cargo run -p gametape --example columns`

use std::error::Error;
use std::ops::ControlFlow;

use gametape::echo::butter;
use gametape::{Recording, Scan, Value};
use gametape_samples::echo::{Match, MatchOptions};

/// Runs without arguments; the tests run it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    let frames: Vec<_> = Match::new(MatchOptions {
        frames: Some(1200),
        ..Default::default()
    })
    .collect();
    let bytes = butter::write(&frames, butter::Options::default())?;
    let recording = Recording::from_bytes(bytes, "match.butter")?;

    for table in recording.tables()? {
        println!("{} ({}): {}", table.name, table.lane, table.doc);
    }

    let scan = Scan::table("players").columns(["name", "head_y"]);
    let scan = scan.from("0:10".parse()?).to("0:35".parse()?);
    // By name, once: a misspelt one is an error, and says which is meant.
    let name = recording.column(&scan, "name")?;
    let height = recording.column(&scan, "head_y")?;
    let mut highest = (f64::MIN, String::new());
    let read = recording.scan(&scan, |batch| {
        for row in 0..batch.len() {
            let Value::Text(name) = batch.get(row, name) else {
                continue;
            };
            let height = match batch.get(row, height) {
                Value::Float32(height) => f64::from(height),
                Value::Float64(height) => height,
                _ => continue,
            };
            if height > highest.0 {
                highest = (height, name.to_owned());
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    // A match that breaks off has a highest head, too: say so here, or take `whole()`.
    read.readable();
    println!("{} was at {:.2} m", highest.1, highest.0);
    Ok(())
}
