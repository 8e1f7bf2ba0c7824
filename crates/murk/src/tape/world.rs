//! The world of a recording: in its header, or in a separate file.

use gametape_core::text::{Bytes, printable, shortened};
use std::path::{Path, PathBuf};

use gametape_core::Time;
use gametape_core::tape::{Error, Options};
use serde_json::{Value, json};

use super::error::MurkError;
use crate::engine::own::Kinds;
use crate::engine::{EngineWorld, Place, World, WorldError, WorldFault};
use crate::{Header, Rule};

/// A file that describes a world, given in addition to a recording.
#[derive(Clone, Debug)]
pub struct WorldFile {
    /// The path, for messages.
    pub path: PathBuf,
    /// The contents, TOML.
    pub bytes: Vec<u8>,
    /// Kinds of propagators that it may use in addition to the stock ones.
    pub kinds: Kinds,
}

impl WorldFile {
    /// Returns the file of the option `world`.
    pub(crate) fn of(options: &Options, kinds: &Kinds) -> Option<Self> {
        options.file("world").map(|(path, bytes)| Self {
            path: path.to_owned(),
            bytes: bytes.to_vec(),
            kinds: kinds.clone(),
        })
    }

    /// Reads the world.
    ///
    /// # Errors
    /// [`MurkError::World`] with this path.
    pub fn read(&self) -> Result<World, MurkError> {
        let text = std::str::from_utf8(&self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            wrong(
                Some(&self.path),
                format!("not a world: not UTF-8 at byte {at}"),
            )
        })?;
        World::from_toml_with(text, &self.kinds)
            .map_err(|error| wrong(Some(&self.path), error.to_string()))
    }
}

/// Returns the error for a broken world, in a file or in the recording.
fn wrong(path: Option<&Path>, message: String) -> MurkError {
    let path = path.map(Path::to_owned);
    MurkError::World { path, message }
}

/// Returns the world in a recording's header; `None` if there is none, or an opaque description by another
/// program.
pub(crate) fn carried(header: &Header<'_>, kinds: &Kinds) -> Option<Result<World, WorldError>> {
    World::from_descriptor_with(&header.space_descriptor, kinds)
}

/// Returns the world in a recording's header without checking the kinds of its propagators.
fn outline(header: &Header<'_>, kinds: &Kinds) -> Option<World> {
    carried(header, &kinds.clone().or_unknown())?.ok()
}

/// Returns the length of a tick in seconds, if the recording contains its world.
pub(super) fn tick_length(header: &Header<'_>, kinds: &Kinds) -> Option<f64> {
    outline(header, kinds).map(|world| world.dt)
}

/// Returns the time at the end of a tick. Ticks take `dt` seconds.
#[must_use]
pub fn time_of(tick: u64, dt: f64) -> Time {
    Time((tick as f64 * dt * 1e9).round() as i64)
}

/// Returns the world to replay a recording in: the given one, or the one in its header.
pub(crate) fn chosen(
    header: &Header<'_>,
    given: Option<&WorldFile>,
    kinds: &Kinds,
) -> Option<Result<World, MurkError>> {
    given.map(WorldFile::read).or_else(|| {
        let world = carried(header, kinds)?;
        Some(world.map_err(|error| wrong(None, error.to_string())))
    })
}

/// Returns the [`chosen`] world, which must exist and fit.
pub(crate) fn needed(
    header: &Header<'_>,
    given: Option<&WorldFile>,
    kinds: &Kinds,
) -> Result<World, MurkError> {
    let world = chosen(header, given, kinds).unwrap_or_else(|| {
        let message = "the recording carries no world; give one with --world";
        Err(wrong(None, message.into()))
    })?;
    match misfit(header, &world) {
        None => Ok(world),
        Some(rule) => Err(wrong(None, rule.to_string())),
    }
}

/// Returns the rule that is broken if the recording has another number of fields or cells than the world.
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

/// Builds a world, of a file or of the recording.
pub(crate) fn build(world: &World, path: Option<&Path>) -> Result<EngineWorld, Error> {
    Ok(world
        .build()
        .map_err(|error| wrong(path, error.to_string()))?)
}

/// Returns the rule that a world in a header breaks, if it can't be built.
pub(super) fn broken(error: &WorldError) -> Rule {
    if let (WorldFault::UnknownKind { found, .. }, Place::Propagator { index, .. }) =
        (error.fault(), error.place())
    {
        return Rule::UnknownKind {
            propagator: *index as u64,
            kind: found.clone(),
        };
    }
    let part = match error.place() {
        Place::World if !error.key().is_empty() => String::new(),
        place => place.to_string(),
    };
    Rule::World {
        line: error.line().map(|line| line as u64),
        part,
        key: shortened(&printable(error.key())),
        fault: error.fault().to_string(),
    }
}

/// Describes the space descriptor for people.
pub(super) fn describe(header: &Header<'_>, kinds: &Kinds) -> Value {
    let size = header.space_descriptor.len();
    let bytes = Bytes(size as u64);
    match carried(header, kinds) {
        _ if size == 0 => Value::Null,
        None => json!(format!("{bytes}, opaque")),
        Some(Ok(_)) => json!(format!("a world of gametape's, {bytes}")),
        Some(Err(error)) if error.is_unknown_kind() => json!(format!(
            "a world of gametape's, {bytes}, with propagators that the program knows which recorded it"
        )),
        Some(Err(error)) => json!(format!("a broken world of gametape's, {bytes}: {error}")),
    }
}
