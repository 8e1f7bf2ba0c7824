//! Records a small world until the recording is large, to try tools on.
//!
//! `cargo run --release --example large_murk -p gametape-samples -- OUT MEGABYTES`

use std::error::Error;
use std::fs::File;

use gametape_murk::engine::World;
use gametape_murk::{CommandBuf, Envelope, Payload, Recorder, Writer};

const WORLD: &str = r#"
dt = 0.05

[space]
kind = "square4"
rows = 8
cols = 8
edge = "wrap"

[[field]]
name = "mark"
type = "scalar"
mutability = "sparse"

[[field]]
name = "trace"
type = "scalar"
mutability = "per_tick"

[[propagator]]
kind = "agent_emission"
presence_field = "mark"
emission_field = "trace"
intensity = 0.25
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(path), Some(megabytes)) = (args.next(), args.next()) else {
        return Err("usage: large_murk OUT MEGABYTES".into());
    };
    let bytes = megabytes.parse::<u64>()? * 1_000_000;
    let world = World::from_toml(WORLD)?;
    let header = world.header();
    let mut simulation = world.build()?;
    let writer = Writer::new(File::create_new(&path)?, &header)?;
    let mut recorder = Recorder::new(writer, &header);
    let mut commands = CommandBuf::new();
    let mut written = 0;
    let mut tick = 0;
    while written < bytes {
        tick += 1;
        commands.clear();
        // Eight commands per tick, of 60 bytes each.
        for at in 0..8_u8 {
            let cell = (tick * 8 + u64::from(at)).wrapping_mul(2_654_435_761) >> 8;
            let coord = [(cell % 8) as i32, (cell / 8 % 8) as i32];
            let envelope = Envelope {
                source_id: Some(u64::from(at)),
                source_seq: Some(tick),
                ..Envelope::default()
            };
            let value = f32::from(at) + (tick % 97) as f32;
            let payload = Payload::SetField {
                coord: (&coord).into(),
                field: 0,
                value,
            };
            commands.push(&envelope, &payload)?;
        }
        recorder.step(&mut simulation, tick, commands.as_commands())?;
        written += 20 + commands.as_commands().as_bytes().len() as u64;
    }
    recorder.finish()?.sync_all()?;
    println!("{tick} ticks");
    Ok(())
}
