//! Facts: a table of one row, of what `inspect` and `stats` say.

use serde_json::{Map, Value as Json};

use super::batch::Value;
use super::def::{ColumnDef, TableDef};
use super::kind::{Kind, Lane};
use super::scan::Scan;
use super::scanning::{Scanning, Visit};
use crate::clock::{Clocks, Stamp, Time};
use crate::tape::{Error, Partial};

/// A column of a table of facts, whose value is the one of that name in what a recording says of
/// itself: of an object in it, the names of both, `player_name`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// In lower case, with underscores.
    pub name: &'static str,
    /// The name of its value, where that is another.
    pub of: &'static str,
    /// The kind of its value.
    pub kind: Kind,
    /// `px`, `ms`; empty where there is none.
    pub unit: &'static str,
    /// Whether it is shown only to who asks for it.
    pub secret: bool,
    /// Of text all that it can be, where that is known.
    pub values: &'static [&'static str],
    /// A sentence.
    pub doc: &'static str,
}

impl Fact {
    /// Without a unit, and no secret.
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

    /// The same fact, with a unit: `px`, `m/s`; empty for none.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The value of this name.
    #[must_use]
    pub const fn of(self, of: &'static str) -> Self {
        Self { of, ..self }
    }

    /// One of these.
    #[must_use]
    pub const fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// Shown only to who asks for it.
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
    /// A sentence.
    pub doc: &'static str,
    /// Its columns.
    pub facts: &'static [Fact],
}

impl FactTable {
    /// What surfaces are told of it.
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

    /// Gives its one row, which holds from the start and in every range: the values in these objects,
    /// of one name the first.
    ///
    /// # Errors
    /// Those of [`Scanning`].
    pub fn scan<'v>(
        &self,
        told: &[Map<String, Json>],
        problem: Option<Error>,
        scan: &Scan,
        visit: &'v mut Visit<'v>,
    ) -> Result<Partial<()>, Error> {
        let mut rows = Scanning::new(&self.def(), scan, Clocks::TIMES, visit)?;
        self.row(told, &mut rows)?;
        rows.end(problem)
    }

    /// Gives that row to a scan of the table.
    ///
    /// # Errors
    /// The visitor's.
    pub fn row(&self, told: &[Map<String, Json>], rows: &mut Scanning<'_>) -> Result<(), Error> {
        let told: Vec<_> = told.iter().map(flat).collect();
        let start = Stamp {
            time: Some(Time::START),
            ..Stamp::default()
        };
        let _ = rows.row(start, |column| {
            let fact = self.facts.get(column);
            let value =
                fact.and_then(|fact| Some((fact, told.iter().find_map(|map| map.get(fact.of))?)));
            value.map_or(Value::Null, |(fact, value)| of_json(fact.kind, value))
        })?;
        Ok(())
    }
}

/// The values of an object and of the objects in it, by their names one behind the other:
/// `player_name`. Lists are left out.
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

/// What a value of JSON is in a column of this kind; nothing where it is of another.
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
