//! Generates an archive of short matches, one folder per season, to try tools on.
//!
//! `cargo run --release --example archive -p gametape-samples -- FOLDER MATCHES FRAMES`

use std::error::Error;
use std::fs;
use std::path::Path;

use gametape_echo::Frame;
use gametape_samples::echo::{Match, MatchOptions, echoreplay};

/// The number of seasons over which the matches are distributed.
const SEASONS: u64 = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(matches), Some(frames)) = (args.next(), args.next(), args.next())
    else {
        return Err("usage: archive FOLDER MATCHES FRAMES".into());
    };
    let (matches, frames): (u64, u64) = (matches.parse()?, frames.parse()?);
    for seed in 0..matches {
        let season = Path::new(&folder).join(format!("season-{}", 1 + seed % SEASONS));
        fs::create_dir_all(&season)?;
        let options = MatchOptions {
            seed,
            frames: Some(frames),
            ..MatchOptions::default()
        };
        let frames: Vec<Frame> = Match::new(options).collect();
        let path = season.join(format!("match-{seed:04}.echoreplay"));
        fs::write(path, echoreplay(&frames)?)?;
    }
    Ok(())
}
