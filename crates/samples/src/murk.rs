//! Example worlds, from the files in this crate's folder `worlds`, and recordings of worlds.
//!
//! The worlds are texts. The feature `engine` runs and records them:
//!
//! ```
//! # #[cfg(feature = "engine")] {
//! use gametape_murk::engine::World;
//! use gametape_samples::murk;
//!
//! for (name, text) in murk::ALL {
//!     assert!(World::from_toml(text)?.build().is_ok(), "{name}");
//! }
//! let world = World::from_toml(murk::HEAT)?;
//! let bytes = murk::record(&world, world.build()?, 1, 50)?;
//! assert_eq!(gametape_murk::read(&bytes)?.frames().count(), 50);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "engine")]
use gametape_murk::{
    CommandBuf, Envelope, Payload, RecordError, Recorder, Simulation, Writer, engine::World,
};

/// Heat on a plate, with stoves and their smoke, on squares with four neighbours.
pub const HEAT: &str = include_str!("../worlds/heat.toml");
/// Sheep on a pasture, on squares with eight neighbours.
pub const FORAGING: &str = include_str!("../worlds/foraging.toml");
/// A pressure that changes at random and the wind that it causes, on hexagons.
pub const WEATHER: &str = include_str!("../worlds/weather.toml");
/// A product of two spaces.
pub const TORUS: &str = include_str!("../worlds/torus.toml");
/// A lattice with twelve neighbours in three dimensions.
pub const CRYSTAL: &str = include_str!("../worlds/crystal.toml");

/// All worlds with the names of their files.
pub const ALL: [(&str, &str); 5] = [
    ("heat", HEAT),
    ("foraging", FORAGING),
    ("weather", WEATHER),
    ("torus", TORUS),
    ("crystal", CRYSTAL),
];

/// A recording of a world that `simulation` runs, from tick 1 to `ticks`. Every third tick has a
/// command that writes 0 or 1 to some cell of the first field that no propagator writes. The same
/// seed gives the same commands.
///
/// `simulation` is the result of [`World::build`], or that in a [`Faulty`](gametape_murk::Faulty).
///
/// # Errors
/// As those of [`Recorder`].
#[cfg(feature = "engine")]
pub fn record<S: Simulation>(
    world: &World,
    mut simulation: S,
    seed: u64,
    ticks: u64,
) -> Result<Vec<u8>, RecordError<S::Error>> {
    let header = world.header();
    let mut recorder = Recorder::new(Writer::new(Vec::new(), &header)?, &header);
    let field = (0..world.field_count())
        .find(|&field| world.writer(field).is_none())
        .unwrap_or_default();
    let last = world.space.coord(world.cell_count().saturating_sub(1));
    let last = last.unwrap_or_default();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut commands = CommandBuf::new();
    for tick in 1..=ticks {
        commands.clear();
        if tick % 3 == 1 {
            let coord: Vec<i32> = last.iter().map(|&last| random.i32(0..=last)).collect();
            let envelope = Envelope {
                source_id: Some(random.i32(0..4) as u64),
                source_seq: Some(tick),
                ..Envelope::default()
            };
            let payload = Payload::SetField {
                coord: coord.as_slice().into(),
                field,
                value: random.i32(0..2) as f32,
            };
            commands.push(&envelope, &payload)?;
        }
        recorder.step(&mut simulation, tick, commands.as_commands())?;
    }
    Ok(recorder.finish()?)
}
