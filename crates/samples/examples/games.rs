//! Writes a folder of Minesweeper games of all levels and releases, each of a different player:
//! `cargo run --release -p gametape-samples --example games -- FOLDER COUNT`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use gametape_mines::{PlayerFields, rmv};
use gametape_samples::mines::person::{Hand, Release};
use gametape_samples::mines::{Finish, play, scenarios, with_result};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("which folder?")?);
    let count: u64 = args.next().ok_or("how many games?")?.parse()?;
    fs::create_dir_all(&folder)?;
    let levels = ["beginner-win", "intermediate-win", "expert-win"];
    let scenarios = scenarios().into_iter();
    let scenarios: Vec<_> = scenarios
        .filter(|scenario| scenario.finish == Finish::Win && levels.contains(&scenario.name))
        .collect();
    let mut written = 0;
    for seed in 0.. {
        let (Some(scenario), Some(release)) = (
            scenarios.get(seed as usize % scenarios.len()),
            Release::ALL.get(seed as usize % Release::ALL.len()),
        ) else {
            return Err("there are no levels".into());
        };
        if written == count {
            break;
        }
        // A hand may leave the window further than version 1 can express.
        let Ok(mut game) = play(scenario, *release, &[Hand::of(*release, seed)], seed) else {
            continue;
        };
        let player = format!("Player {seed}");
        let fields = game.player.iter().enumerate().map(|(at, field)| match at {
            0 | 1 => player.clone().into_bytes(),
            _ => field.to_vec(),
        });
        game.player = PlayerFields::new(fields.collect::<Vec<_>>())?;
        with_result(&mut game, "NAME", &player);
        with_result(&mut game, "NICK", &player);
        fs::write(folder.join(format!("{written:06}.rmv")), rmv::write(&game)?)?;
        written += 1;
    }
    Ok(())
}
