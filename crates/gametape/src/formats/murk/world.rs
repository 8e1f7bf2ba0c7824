//! The world a recording was made in: carried by the recording, or given beside it.

use std::path::Path;

use gametape_murk::Header;
use serde_json::{Value, json};

use crate::{Check, Error};

#[cfg(feature = "engine")]
pub(crate) use gametape_murk::engine::{EngineWorld, World};

#[cfg(not(feature = "engine"))]
pub(crate) use without::{EngineWorld, World};

/// The world in a recording's header; `None` where it carries none, or an opaque description of
/// somebody else's.
pub(crate) fn carried(header: &Header<'_>) -> Option<Result<World, String>> {
    World::from_descriptor(&header.space_descriptor)
        .map(|world| world.map_err(|error| error.to_string()))
}

/// The world to replay a recording in: the given one, or the one it carries.
pub(crate) fn chosen(header: &Header<'_>, check: &Check) -> Option<Result<World, String>> {
    match &check.world {
        Some(text) => Some(World::from_toml(text).map_err(|error| error.to_string())),
        None => carried(header),
    }
}

/// [`chosen`], where there has to be one.
pub(crate) fn needed(path: &Path, header: &Header<'_>, check: &Check) -> Result<World, Error> {
    let wrong = |message| Error::World {
        path: path.to_owned(),
        message,
    };
    chosen(header, check)
        .unwrap_or_else(|| Err("the recording carries no world; give one with --world".into()))
        .map_err(wrong)
}

/// A world, ready to run.
pub(crate) fn build(path: &Path, world: &World) -> Result<EngineWorld, Error> {
    world.build().map_err(|error| Error::World {
        path: path.to_owned(),
        message: error.to_string(),
    })
}

/// Seconds of a tick.
pub(crate) fn dt(world: &World) -> f64 {
    world.dt
}

/// The space descriptor, for people.
pub(crate) fn describe(header: &Header<'_>) -> Value {
    let bytes = header.space_descriptor.len();
    match carried(header) {
        _ if bytes == 0 => Value::Null,
        None => json!(format!("{bytes} bytes, opaque")),
        Some(Ok(_)) => json!(format!("a world of gametape's, {bytes} bytes")),
        Some(Err(error)) => json!(format!(
            "a broken world of gametape's, {bytes} bytes: {error}"
        )),
    }
}

/// What stands for worlds where the engine is left out: there are none.
#[cfg(not(feature = "engine"))]
mod without {
    use std::convert::Infallible;

    use gametape_murk::{Command, CommandCheck, Commands, Header, Rejection, Simulation};

    #[derive(Clone, Debug)]
    pub(crate) struct World {
        pub dt: f64,
        never: Infallible,
    }

    pub(crate) enum EngineWorld {}

    impl World {
        pub fn from_descriptor(_: &[u8]) -> Option<Result<Self, String>> {
            None
        }

        pub fn from_toml(_: &str) -> Result<Self, String> {
            Err("this build of gametape is without Murk's engine".into())
        }

        pub fn build(&self) -> Result<EngineWorld, String> {
            match self.never {}
        }
    }
}
