//! A world of Bevy, replicated to two clients with gametape-delta. Server and clients are three
//! apps in one process; a simulated network loses and delays what they send to each other.
//!
//! `cargo run -- [SEED] [LOSS]`: the loss is in percent, 5 by default. Ends with 1 if a client does
//! not see what the server has.

mod game;
mod network;
mod replicate;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use bevy_ecs::error::BevyError;
use gametape_delta::network::Conditions;

use crate::game::units;
use crate::network::Match;
use crate::replicate::Server;

fn main() -> Result<ExitCode, BevyError> {
    let mut args = std::env::args().skip(1);
    let seed = args.next().map_or(Ok(7), |seed| seed.parse())?;
    let loss: u32 = args.next().map_or(Ok(5), |loss| loss.parse())?;
    let conditions = Conditions {
        loss: loss * 10,
        delay: 3,
        ..Conditions::PERFECT
    };
    let mut game = Match::new(seed, conditions)?;
    for _ in 0..600 {
        game.step();
    }
    let bytes = game.clients.each_ref().map(|place| place.bytes / 600);
    game.calm();
    for _ in 0..60 {
        game.step();
    }
    let agree = game.agree();
    let born = game.server.world().resource::<Server>().last_id;
    let lives = units(game.server.world_mut()).len();
    println!("server: {lives} units, {born} were born");
    for ((place, agrees), bytes) in game.clients.iter_mut().zip(agree).zip(bytes) {
        let tally = place.down.tally();
        println!(
            "client: {} units, {}as the server has them; {} packets, {} lost, {bytes} bytes a tick",
            units(place.app.world_mut()).len(),
            if agrees { "" } else { "NOT " },
            tally.sent,
            tally.lost,
        );
    }
    Ok(ExitCode::from(u8::from(agree != [true; 2])))
}
