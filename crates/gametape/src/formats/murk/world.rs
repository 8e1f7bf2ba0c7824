//! The world a recording was made in: carried by the recording, or given beside it.

use std::path::Path;

use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{Header, Rule};
use serde_json::{Value, json};

use crate::{Check, Error};

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

/// [`chosen`], where there has to be one, and it has to fit.
pub(crate) fn needed(path: &Path, header: &Header<'_>, check: &Check) -> Result<World, Error> {
    let wrong = |message| Error::World {
        path: path.to_owned(),
        message,
    };
    let world = chosen(header, check)
        .unwrap_or_else(|| Err("the recording carries no world; give one with --world".into()))
        .map_err(wrong)?;
    match misfit(header, &world) {
        None => Ok(world),
        Some(rule) => Err(wrong(rule.to_string())),
    }
}

/// Why a recording can't be of this world: it counts other fields or cells.
pub(crate) fn misfit(header: &Header<'_>, world: &World) -> Option<Rule> {
    [
        (
            "field_count",
            u64::from(header.field_count),
            u64::from(world.field_count()),
        ),
        ("cell_count", header.cell_count, world.cell_count()),
    ]
    .into_iter()
    .find(|(_, recorded, expected)| recorded != expected)
    .map(|(what, recorded, expected)| Rule::WorldShape {
        what,
        recorded,
        expected,
    })
}

/// A world, ready to run.
pub(crate) fn build(path: &Path, world: &World) -> Result<EngineWorld, Error> {
    world.build().map_err(|error| Error::World {
        path: path.to_owned(),
        message: error.to_string(),
    })
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
