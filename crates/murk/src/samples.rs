//! Worlds to begin with: the files in the crate's folder `worlds`.
//!
//! ```
//! use gametape_murk::{engine::World, samples};
//! for (name, text) in samples::ALL {
//!     assert!(World::from_toml(text)?.build().is_ok(), "{name}");
//! }
//! # Ok::<(), gametape_murk::engine::WorldError>(())
//! ```

/// Heat on a plate, stoves and their smoke, on squares with four neighbours.
pub const HEAT: &str = include_str!("../worlds/heat.toml");
/// Sheep on a pasture, on squares with eight neighbours.
pub const FORAGING: &str = include_str!("../worlds/foraging.toml");
/// A pressure that wanders at random, and the wind that it drives, on hexagons.
pub const WEATHER: &str = include_str!("../worlds/weather.toml");
/// A product of two spaces.
pub const TORUS: &str = include_str!("../worlds/torus.toml");
/// A lattice of twelve neighbours in three dimensions.
pub const CRYSTAL: &str = include_str!("../worlds/crystal.toml");

/// All of them, with the names of their files.
pub const ALL: [(&str, &str); 5] = [
    ("heat", HEAT),
    ("foraging", FORAGING),
    ("weather", WEATHER),
    ("torus", TORUS),
    ("crystal", CRYSTAL),
];
