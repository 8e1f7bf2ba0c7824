//! Reads a description from TOML.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, WorldError, WorldFault, shown};
use super::own::{Kinds, Own};
use super::propagator::{Propagator, known_kinds};
use super::space::Space;
use super::validate::MAX_DESCRIPTION;
use super::value::{Keys, TomlValue, Wrong, line_of, parse};
use super::world::{Boundary, Field, FieldType, World};
use crate::audit::DEFAULT_INGRESS_QUEUE;

impl World {
    /// Reads and checks a description.
    ///
    /// # Errors
    /// If it is not valid TOML, has an unknown key, lacks a key, has a value that is not valid, is
    /// larger than this program will simulate, or describes a world that Murk refuses. The error
    /// has the line and the key.
    pub fn from_toml(text: &str) -> Result<Self, WorldError> {
        Self::from_toml_with(text, &Kinds::new())
    }

    /// [`World::from_toml`] for a world whose propagators may have these kinds, too.
    ///
    /// # Errors
    /// Same as [`World::from_toml`], and errors of a kind about its keys. [`WorldFault::UnknownKind`]
    /// for an unknown kind, unless those are [kept](Kinds::or_unknown): such a world is checked as
    /// far as that is possible without building it.
    pub fn from_toml_with(text: &str, kinds: &Kinds) -> Result<Self, WorldError> {
        if text.len() > MAX_DESCRIPTION {
            return Err(WorldError::new(
                Place::World,
                "",
                WorldFault::Limit {
                    what: "bytes of description",
                    claimed: text.len() as u64,
                    limit: MAX_DESCRIPTION as u64,
                },
            ));
        }
        let document = parse(text).map_err(|wrong| wrong.at(text, Place::World))?;
        let table = document.get_ref();
        let world = read_world(text, Keys::new(table, document.span().start), kinds)?;
        // Errors about the world as a whole get the line of their key.
        let checked = if world.is_known() {
            world.check()
        } else {
            world.check_plain().map(drop)
        };
        checked.map_err(|error| {
            let span = locate(table, error.place(), error.key());
            error.at_line(span.map(|span| line_of(text, span.start)))
        })?;
        Ok(world)
    }
}

fn read_world(text: &str, mut keys: Keys<'_>, kinds: &Kinds) -> Result<World, WorldError> {
    let in_world = |wrong: Wrong| wrong.at(text, Place::World);
    let seed = keys.take("seed", Some(0)).map_err(in_world)?;
    let dt = keys.take("dt", None).map_err(in_world)?;
    let max_ingress_queue = keys
        .take("max_ingress_queue", Some(DEFAULT_INGRESS_QUEUE))
        .map_err(in_world)?;
    let space = match keys.raw("space") {
        Some(space) => Space::read(space).map_err(|wrong| wrong.at(text, Place::Space))?,
        None => return Err(in_world(keys.wrong("space", WorldFault::Missing))),
    };
    let fields = tables(&mut keys, "field").map_err(in_world)?.iter();
    let fields = fields.enumerate().map(|(index, table)| {
        let name = || name_of(table, "name");
        read_field(table).map_err(|wrong| {
            wrong.at(
                text,
                Place::Field {
                    index,
                    name: name(),
                },
            )
        })
    });
    let fields = fields.collect::<Result<_, _>>()?;
    let propagators = tables(&mut keys, "propagator").map_err(in_world)?.iter();
    let propagators = propagators.enumerate().map(|(index, table)| {
        let kind = || name_of(table, "kind");
        read_propagator(table, kinds).map_err(|wrong| {
            wrong.at(
                text,
                Place::Propagator {
                    index,
                    kind: kind(),
                },
            )
        })
    });
    let propagators = propagators.collect::<Result<_, _>>()?;
    keys.finish().map_err(in_world)?;
    Ok(World {
        seed,
        dt,
        max_ingress_queue,
        space,
        fields,
        propagators,
    })
}

/// Returns the tables `[[key]]`; none if there is no such key.
fn tables<'a>(keys: &mut Keys<'a>, key: &'static str) -> Result<&'a [Spanned<DeValue<'a>>], Wrong> {
    let Some(value) = keys.raw(key) else {
        return Ok(&[]);
    };
    let wrong = || Wrong::mistyped(value, "a list of tables").of_key(key);
    value
        .get_ref()
        .as_array()
        .map(|items| &**items)
        .ok_or_else(wrong)
}

/// Returns the text of a key, to name a part that could not be read.
fn name_of(table: &Spanned<DeValue<'_>>, key: &str) -> String {
    let name = table.get_ref().get(key);
    let name = name.and_then(|name| name.get_ref().as_str());
    name.unwrap_or_default().to_owned()
}

fn read_field(value: &Spanned<DeValue<'_>>) -> Result<Field, Wrong> {
    let mut keys = Keys::of(value)?;
    let name = keys.take("name", None)?;
    let kind: String = keys.take("type", None)?;
    let field_type = FieldType::read_keys(&kind, &mut keys)?;
    let field = Field {
        name,
        field_type: field_type
            .ok_or_else(|| keys.undefined("type", &kind, "type", FieldType::KINDS))?,
        mutability: keys.take("mutability", None)?,
        units: keys.take("units", None)?,
        bounds: keys.take("bounds", None)?,
        boundary: keys.take("boundary", Some(Boundary::Clamp))?,
    };
    keys.finish().map(|()| field)
}

fn read_propagator(value: &Spanned<DeValue<'_>>, kinds: &Kinds) -> Result<Propagator, Wrong> {
    let mut keys = Keys::of(value)?;
    let kind: String = keys.take("kind", None)?;
    if let Some(propagator) = Propagator::read_keys(&kind, &mut keys)? {
        if kinds.names().any(|name| name == kind) {
            let both =
                "is a stock kind, and one that this program registers: give its own another name";
            return Err(keys.wrong("kind", WorldFault::Value(both.into())));
        }
        return keys.finish().map(|()| propagator);
    }
    let unknown = || {
        let (found, known) = (shown(&kind), known_kinds(kinds));
        keys.wrong("kind", WorldFault::UnknownKind { found, known })
    };
    let own = Own::read(&kind, keys.table(), kinds)?;
    own.map(Propagator::from).ok_or_else(unknown)
}

/// Returns the position of a key in the text; of its table if the key is left out.
fn locate(table: &DeTable<'_>, place: &Place, key: &str) -> Option<Range<usize>> {
    let part = match place {
        Place::World => return table.get(key).map(Spanned::span),
        Place::Space => table.get("space"),
        Place::Field { index, .. } => table.get("field")?.get_ref().get(*index),
        Place::Propagator { index, .. } => table.get("propagator")?.get_ref().get(*index),
    }?;
    let value = part.get_ref().get(key);
    Some(value.map_or_else(|| part.span(), Spanned::span))
}
