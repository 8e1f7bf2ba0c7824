//! What gametape promises for every input, one function a promise.
//!
//! Each check takes any bytes and panics where the promise is broken. libFuzzer calls them
//! through `fuzz_targets/`, ordinary tests on inputs that are kept or made from code through
//! [`CHECKS`]. A check holds no state and gives the same answer every time.

mod capture;
mod delta;
mod echo;
mod murk;
mod rmv;

pub use capture::capture_read;
pub use delta::{delta_apply, delta_origin, delta_packet, delta_roundtrip, delta_session};
pub use echo::{butter_read, butter_roundtrip, echoreplay_line, echoreplay_zip};
use gametape_delta::{Schema, Snapshot};
pub use murk::{murk_index, murk_origin, murk_read, murk_roundtrip, murk_world};
pub use rmv::{rmv_audit, rmv_engine, rmv_read, rmv_roundtrip};

/// A check, and where to begin with it.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The name of the fuzz target and of the folders of its corpus and its regressions.
    pub name: &'static str,
    /// Panics where the promise is broken.
    pub run: fn(&[u8]),
    /// Small inputs that reach deep.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every check.
pub const CHECKS: [Check; 19] = [
    Check {
        name: "rmv_read",
        run: rmv_read,
        seeds,
    },
    Check {
        name: "rmv_roundtrip",
        run: rmv_roundtrip,
        seeds: || [seeds(), rmv::noise(12, 400)].concat(),
    },
    Check {
        name: "rmv_engine",
        run: rmv_engine,
        seeds: rmv::seeds::scripts,
    },
    Check {
        name: "rmv_audit",
        run: rmv_audit,
        seeds,
    },
    Check {
        name: "murk_read",
        run: murk_read,
        seeds: murk_seeds,
    },
    Check {
        name: "murk_roundtrip",
        run: murk_roundtrip,
        seeds: || [murk_seeds(), rmv::noise(12, 400)].concat(),
    },
    Check {
        name: "murk_origin",
        run: murk_origin,
        seeds: || [murk_seeds(), rmv::noise(12, 400)].concat(),
    },
    Check {
        name: "murk_index",
        run: murk_index,
        seeds: murk_index_seeds,
    },
    Check {
        name: "murk_world",
        run: murk_world,
        seeds: murk_world_seeds,
    },
    Check {
        name: "delta_packet",
        run: delta_packet,
        seeds: delta_seeds,
    },
    Check {
        name: "delta_apply",
        run: delta_apply,
        seeds: || rmv::noise(12, 300),
    },
    Check {
        name: "delta_roundtrip",
        run: delta_roundtrip,
        seeds: || rmv::noise(12, 400),
    },
    Check {
        name: "delta_origin",
        run: delta_origin,
        seeds: || rmv::noise(12, 300),
    },
    Check {
        name: "delta_session",
        run: delta_session,
        seeds: || rmv::noise(12, 600),
    },
    Check {
        name: "capture_read",
        run: capture_read,
        seeds: || [capture::seeds(), rmv::noise(8, 150)].concat(),
    },
    Check {
        name: "butter_read",
        run: butter_read,
        seeds: butter_seeds,
    },
    Check {
        name: "butter_roundtrip",
        run: butter_roundtrip,
        seeds: || [echo::seeds::files(), rmv::noise(10, 250)].concat(),
    },
    Check {
        name: "echoreplay_line",
        run: echoreplay_line,
        seeds: echoreplay_seeds,
    },
    Check {
        name: "echoreplay_zip",
        run: echoreplay_zip,
        seeds: echo::seeds::zips,
    },
];

/// Small RMV recordings of every kind: both versions, won, lost, left, cut, with every event code,
/// with and without each optional part. Most are valid; the last ones are broken on purpose.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    rmv::seeds::recordings()
}

/// Large RMV recordings, for the memory test: what is long in each is a different part.
#[must_use]
pub fn large_seeds() -> Vec<Vec<u8>> {
    rmv::seeds::large_recordings()
}

/// Small Murk replays of every kind: with every kind of command, every envelope, undefined types and
/// payloads, odd ticks. The first [`MURK_SOUND`] can be read, the others are broken on purpose.
#[must_use]
pub fn murk_seeds() -> Vec<Vec<u8>> {
    murk::seeds::recordings()
}

/// How many of [`murk_seeds`] can be read.
pub const MURK_SOUND: usize = murk::seeds::SOUND;

/// Small files that claim much, for the memory test.
#[must_use]
pub fn murk_claims() -> Vec<Vec<u8>> {
    murk::seeds::claims()
}

/// Large Murk replays, for the memory test: what is long in each is a different part.
#[must_use]
pub fn murk_large_seeds() -> Vec<Vec<u8>> {
    murk::seeds::large_recordings()
}

/// Murk replays, indexes with their recordings behind them, and scripts.
#[must_use]
pub fn murk_index_seeds() -> Vec<Vec<u8>> {
    murk::index::seeds::inputs()
}

/// Descriptions of small Murk worlds, of each space and each propagator, with commands behind them.
/// The first [`MURK_SOUND_WORLDS`] are sound.
#[must_use]
pub fn murk_world_seeds() -> Vec<Vec<u8>> {
    murk::world::seeds::worlds()
}

/// How many of [`murk_world_seeds`] are sound.
pub const MURK_SOUND_WORLDS: usize = murk::world::seeds::SOUND;

/// Short descriptions that claim much, for the memory test.
#[must_use]
pub fn murk_world_claims() -> Vec<Vec<u8>> {
    murk::world::seeds::claims()
}

/// Snapshot/delta packets of known schemas, each behind the number of its schema. The first
/// [`DELTA_SOUND`] can be applied, the others are broken on purpose.
#[must_use]
pub fn delta_seeds() -> Vec<Vec<u8>> {
    delta::seeds::packets()
}

/// How many of [`delta_seeds`] can be applied.
pub const DELTA_SOUND: usize = delta::seeds::SOUND;

/// The schema that a packet of [`delta_seeds`], [`delta_claims`] and [`delta_large_seeds`] names
/// with its first byte, and the baseline of its deltas.
#[must_use]
pub fn delta_known(number: u8) -> (Schema, Snapshot) {
    delta::seeds::known(number.into())
}

/// Short packets that claim much, for the memory test.
#[must_use]
pub fn delta_claims() -> Vec<Vec<u8>> {
    delta::seeds::claims()
}

/// Large full snapshots, for the memory test.
#[must_use]
pub fn delta_large_seeds() -> Vec<Vec<u8>> {
    delta::seeds::large()
}

/// Small .butter recordings of every kind: arena and combat, both modes, packed and not, older
/// versions, unfinished. The first [`BUTTER_SOUND`] read strictly, the others are broken on purpose.
#[must_use]
pub fn butter_seeds() -> Vec<Vec<u8>> {
    echo::seeds::butters()
}

/// How many of [`butter_seeds`] can be read.
pub const BUTTER_SOUND: usize = echo::seeds::SOUND;

/// Short .echoreplay texts: of every kind of line, tolerated and broken.
#[must_use]
pub fn echoreplay_seeds() -> Vec<Vec<u8>> {
    echo::seeds::texts()
}

/// Short .butter recordings that claim much, for the memory test.
#[must_use]
pub fn butter_claims() -> Vec<Vec<u8>> {
    echo::seeds::claims()
}

/// Large recordings, for the memory test: a .butter whose chunks are packed and one whose are not,
/// and a text.
#[must_use]
pub fn echo_large_seeds() -> [Vec<u8>; 3] {
    echo::seeds::large()
}
