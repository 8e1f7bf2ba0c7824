//! Records a simulation of one's own, and proves that it is deterministic.
//!
//! `cargo run -p gametape --example write`

use std::convert::Infallible;
use std::error::Error;
use std::fs::File;

use gametape::murk::{CommandBuf, Commands, Header, Recorder, Simulation, Writer, read, verify};
use gametape::{Recording, Secrets};

/// Heat in a bar: each tick, every cell comes nearer to the mean of its neighbours.
struct Bar([f32; 8]);

impl Simulation for Bar {
    type Error = Infallible;

    fn step(&mut self, _tick: u64, _commands: Commands<'_>) -> Result<(), Infallible> {
        let old = self.0;
        for at in 1..7 {
            self.0[at] = (old[at - 1] + 2.0 * old[at] + old[at + 1]) / 4.0;
        }
        Ok(())
    }

    fn field(&self, field: u32) -> Option<&[f32]> {
        (field == 0).then_some(&self.0)
    }
}

/// Runs without arguments; the tests run it, too.
pub fn main() -> Result<(), Box<dyn Error>> {
    let start = || Bar([100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 20.0]);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bar.murk");
    let header = Header {
        field_count: 1,
        cell_count: 8,
        ..Header::default()
    };

    // Killed at any byte, it leaves a file whose whole frames can be read.
    let mut recorder = Recorder::new(Writer::new(File::create(&path)?, &header)?, &header);
    let mut bar = start();
    for tick in 1..=100 {
        recorder.step(&mut bar, tick, CommandBuf::new().as_commands())?;
    }
    recorder.finish()?;

    println!("{}", Recording::open(&path)?.info(Secrets::Hide)?.whole()?);
    // Again from the start: the same hash after every tick, or the tick and the cell that differ.
    let verified = verify(&read(&std::fs::read(&path)?)?, &mut start())?;
    println!("{} ticks, replayed: the same", verified.frames);
    Ok(())
}
