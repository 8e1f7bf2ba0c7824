//! Facts: tables of one row, with the data of `inspect` and `stats`.

use serde_json::{Map, Value as Json};

use super::batch::Value;
use super::def::{ColumnDef, TableDef};
use super::kind::{Kind, Lane};
use super::scanning::Scanning;
use crate::clock::{Stamp, Time};

/// A column of a table of facts. Its value comes from the JSON description of the recording, by
/// name. A value in a nested object has a joined name, such as `player_name`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// In lower case, with underscores.
    pub name: &'static str,
    /// The name of the value in the description, if it differs from `name`.
    pub of: &'static str,
    /// The kind of the value.
    pub kind: Kind,
    /// `px`, `ms`; empty if the value has no unit.
    pub unit: &'static str,
    /// Whether the value is shown only on request.
    pub secret: bool,
    /// All possible values of a text, if they are known; otherwise empty.
    pub values: &'static [&'static str],
    /// One sentence of documentation.
    pub doc: &'static str,
}

impl Fact {
    /// Creates a fact without a unit that is not secret.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name,
            of: name,
            kind,
            unit: "",
            secret: false,
            values: &[],
            doc,
        }
    }

    /// Sets the unit, such as `px` or `m/s`; empty for none.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// Sets the name of the value in the description.
    #[must_use]
    pub const fn of(self, of: &'static str) -> Self {
        Self { of, ..self }
    }

    /// Sets the possible values.
    #[must_use]
    pub const fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// Makes the fact secret: it is shown only on request.
    #[must_use]
    pub const fn secret(self) -> Self {
        Self {
            secret: true,
            ..self
        }
    }
}

/// A table of facts.
///
/// ```
/// use gametape_core::table::{Fact, FactTable, Kind, Lane};
/// const GAME: FactTable = FactTable {
///     name: "game",
///     doc: "The game.",
///     facts: &[Fact::new("player_name", Kind::Text, "Who played.")],
/// };
/// assert_eq!(GAME.def().lane, Lane::Facts);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FactTable {
    /// In lower case, with underscores.
    pub name: &'static str,
    /// One sentence of documentation.
    pub doc: &'static str,
    /// The columns.
    pub facts: &'static [Fact],
}

impl FactTable {
    /// Returns the table's definition.
    #[must_use]
    pub fn def(&self) -> TableDef {
        let columns = self.facts.iter().map(|fact| ColumnDef {
            secret: fact.secret,
            values: fact.values.iter().map(|value| (*value).into()).collect(),
            ..ColumnDef::new(fact.name, fact.kind, fact.doc).unit(fact.unit)
        });
        TableDef {
            columns: columns.collect(),
            ..TableDef::new(self.name, Lane::Facts, self.doc).rows(1)
        }
    }

    /// Passes its one row to a scan of the table. The row is valid from the start and in every range.
    /// If several objects have a value of one name, the first is used.
    pub fn row(&self, objects: &[Map<String, Json>], rows: &mut Scanning) {
        let objects: Vec<_> = objects.iter().map(flat).collect();
        let start = Stamp {
            time: Some(Time::START),
            ..Stamp::default()
        };
        let _ = rows.row(start, |column| {
            let fact = self.facts.get(column);
            let value = fact
                .and_then(|fact| Some((fact, objects.iter().find_map(|map| map.get(fact.of))?)));
            value.map_or(Value::Null, |(fact, value)| of_json(fact.kind, value))
        });
    }
}

/// Flattens an object: values of nested objects get joined names such as `player_name`. Lists are
/// left out.
#[must_use]
pub fn flat(map: &Map<String, Json>) -> Map<String, Json> {
    let mut out = Map::new();
    put(map, "", &mut out);
    out
}

fn put(map: &Map<String, Json>, before: &str, out: &mut Map<String, Json>) {
    for (key, value) in map {
        let name = format!("{before}{key}");
        match value {
            Json::Object(inner) => put(inner, &format!("{name}_"), out),
            Json::Array(_) => {}
            value => {
                out.insert(name, value.clone());
            }
        }
    }
}

/// Converts a JSON value to a column of this kind; missing if it is of another kind.
fn of_json(kind: Kind, value: &Json) -> Value<'_> {
    match kind {
        Kind::Bool => value.as_bool().into(),
        Kind::Int => value.as_i64().into(),
        Kind::Uint => value.as_u64().into(),
        Kind::Float32 => value.as_f64().map(|value| value as f32).into(),
        Kind::Float64 => value.as_f64().into(),
        Kind::Text => value.as_str().into(),
    }
}
