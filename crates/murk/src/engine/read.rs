//! Reading a description from TOML.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::MAX_DESCRIPTION;
use super::error::{Fault, Place, WorldError, shown};
use super::field::{Boundary, Field, FieldType};
use super::own::{Kinds, Own};
use super::propagator::{Propagator, known_kinds};
use super::space::Space;
use super::value::{At, Keys, Value, line_of, mistyped, undefined};
use super::world::World;

impl World {
    /// Reads a description, and checks all of it.
    ///
    /// # Errors
    /// Where it is not TOML, has a key that is not known, lacks one that is needed, has a value
    /// that can't be, is larger than this program will simulate, or describes what Murk refuses.
    /// The error names the line and the key.
    pub fn from_toml(text: &str) -> Result<Self, WorldError> {
        Self::from_toml_with(text, &Kinds::new())
    }

    /// As [`World::from_toml`]; propagators may be of these kinds, too.
    ///
    /// # Errors
    /// As [`World::from_toml`], and what a kind says of its keys. [`Fault::UnknownKind`] for one that
    /// is not known, unless they are [kept](Kinds::or_unknown): such a world is checked as far as it
    /// can be without building it.
    pub fn from_toml_with(text: &str, kinds: &Kinds) -> Result<Self, WorldError> {
        if text.len() > MAX_DESCRIPTION {
            return Err(WorldError::new(
                Place::World,
                "",
                Fault::Limit {
                    what: "bytes of description",
                    claimed: text.len() as u64,
                    limit: MAX_DESCRIPTION as u64,
                },
            ));
        }
        let document = DeTable::parse(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, span.start));
            let message = error.message().to_owned();
            WorldError::new(Place::World, "", Fault::Syntax { message }).at_line(line)
        })?;
        let table = document.get_ref();
        let world = read_world(text, table, document.span(), kinds)?;
        // What is found wrong with the world as a whole is looked up in the text again.
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

fn read_world(
    text: &str,
    table: &DeTable<'_>,
    span: Range<usize>,
    kinds: &Kinds,
) -> Result<World, WorldError> {
    let at = At {
        text,
        place: Place::World,
    };
    let mut keys = Keys::new(table, span);
    let seed = keys.take(&at, "seed", Some(0))?;
    let dt = keys.take(&at, "dt", None)?;
    let max_ingress_queue =
        keys.take(&at, "max_ingress_queue", Some(World::DEFAULT_INGRESS_QUEUE))?;
    let in_space = At {
        text,
        place: Place::Space,
    };
    let space: Space = match keys.raw("space") {
        Some(space) => Space::read(space, &in_space, "")?,
        None => keys.take(&at, "space", None)?,
    };
    let fields = tables(&mut keys, &at, "field")?
        .iter()
        .enumerate()
        .map(|(index, table)| read_field(text, index, table))
        .collect::<Result<_, _>>()?;
    let propagators = tables(&mut keys, &at, "propagator")?
        .iter()
        .enumerate()
        .map(|(index, table)| read_propagator(text, index, table, kinds))
        .collect::<Result<_, _>>()?;
    keys.finish(&at)?;
    Ok(World {
        seed,
        dt,
        max_ingress_queue,
        space,
        fields,
        propagators,
    })
}

/// The tables `[[key]]`; none where there is no such key.
fn tables<'a>(
    keys: &mut Keys<'a>,
    at: &At<'_>,
    key: &'static str,
) -> Result<&'a [Spanned<DeValue<'a>>], WorldError> {
    match keys.raw(key) {
        None => Ok(&[]),
        Some(value) => match value.get_ref().as_array() {
            Some(items) => Ok(items),
            None => Err(mistyped(value, at, key, "a list of tables")),
        },
    }
}

/// The text of a key, for naming a part before it is read.
fn name_of(table: &Spanned<DeValue<'_>>, key: &str) -> String {
    let name = table
        .get_ref()
        .get(key)
        .and_then(|name| name.get_ref().as_str());
    name.unwrap_or_default().to_owned()
}

fn read_field(text: &str, index: usize, value: &Spanned<DeValue<'_>>) -> Result<Field, WorldError> {
    let name = name_of(value, "name");
    let at = At {
        text,
        place: Place::Field { index, name },
    };
    let table = as_table(value, &at)?;
    let mut keys = Keys::new(table, value.span());
    let name = keys.take(&at, "name", None)?;
    let kind: String = keys.take(&at, "type", None)?;
    let Some(field_type) = FieldType::read_keys(&kind, &mut keys, &at)? else {
        return Err(unknown_kind(table, &at, "type", FieldType::KINDS));
    };
    let field = Field {
        name,
        field_type,
        mutability: keys.take(&at, "mutability", None)?,
        units: keys.take(&at, "units", None)?,
        bounds: keys.take(&at, "bounds", None)?,
        boundary: keys.take(&at, "boundary", Some(Boundary::Clamp))?,
    };
    keys.finish(&at)?;
    Ok(field)
}

fn read_propagator(
    text: &str,
    index: usize,
    value: &Spanned<DeValue<'_>>,
    kinds: &Kinds,
) -> Result<Propagator, WorldError> {
    let kind = name_of(value, "kind");
    let at = At {
        text,
        place: Place::Propagator { index, kind },
    };
    let table = as_table(value, &at)?;
    let mut keys = Keys::new(table, value.span());
    let kind: String = keys.take(&at, "kind", None)?;
    let wrong = |fault| {
        let span = table.get("kind").map_or(0..0, Spanned::span);
        at.error(&span, "kind", fault)
    };
    let is_registered = kinds.names().any(|name| name == kind);
    if let Some(propagator) = Propagator::read_keys(&kind, &mut keys, &at)? {
        keys.finish(&at)?;
        if is_registered {
            let told =
                "is a stock kind, and one that this program registers: give its own another name";
            return Err(wrong(Fault::Value(told.into())));
        }
        return Ok(propagator);
    }
    match Own::read(&kind, table, &at, kinds)? {
        Some(own) => Ok(own.into()),
        None => Err(wrong(Fault::UnknownKind {
            found: shown(&kind),
            known: known_kinds(kinds),
        })),
    }
}

fn as_table<'a>(
    value: &'a Spanned<DeValue<'a>>,
    at: &At<'_>,
) -> Result<&'a DeTable<'a>, WorldError> {
    let table = value.get_ref().as_table();
    table.ok_or_else(|| mistyped(value, at, "", "a table"))
}

fn unknown_kind(table: &DeTable<'_>, at: &At<'_>, key: &str, known: &[&str]) -> WorldError {
    match table.get(key) {
        Some(kind) => undefined(kind, at, key, key, known),
        None => at.error(&(0..0), key, Fault::Missing),
    }
}

/// Where a key stands in the text; where its table does, if the key is left out.
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
