//! What a table is.

use std::borrow::Cow;

use super::batch::Value;
use super::kind::{Kind, Lane};
use super::stamps::is_reserved;

/// A column of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct ColumnDef {
    /// In lower case, with underscores.
    pub name: Cow<'static, str>,
    /// The kind of its values.
    pub kind: Kind,
    /// `px`, `m`, `m/s`, `ms`; empty where there is none.
    pub unit: Cow<'static, str>,
    /// How far a value may be off what was recorded, in the same unit; `None` where it is exact.
    pub precision: Option<f64>,
    /// Whether it is a part of what tells the rows of a state, or the cells of a grid, apart.
    pub key: bool,
    /// Whether it is shown only to who asks for it.
    pub secret: bool,
    /// Whether the recording keeps it: else all its values are missing.
    pub recorded: bool,
    /// Of text all that it can be, where that is known; else none.
    pub values: Vec<Cow<'static, str>>,
    /// A sentence.
    pub doc: Cow<'static, str>,
}

impl ColumnDef {
    /// Without a unit, exact, recorded, no key and no secret.
    #[must_use]
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        kind: Kind,
        doc: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            unit: Cow::Borrowed(""),
            precision: None,
            key: false,
            secret: false,
            recorded: true,
            values: Vec::new(),
            doc: doc.into(),
        }
    }

    /// The same column, as a part of what tells rows apart.
    #[must_use]
    pub fn key(self) -> Self {
        Self { key: true, ..self }
    }

    /// The same column, with a unit: `px`, `m/s`; empty for none.
    #[must_use]
    pub fn unit(self, unit: impl Into<Cow<'static, str>>) -> Self {
        Self {
            unit: unit.into(),
            ..self
        }
    }

    /// Off by at most so much.
    #[must_use]
    pub fn within(self, precision: f64) -> Self {
        Self {
            precision: Some(precision),
            ..self
        }
    }
}

/// A table of a recording. The [stamps](StampColumn) of its rows are columns that every table has; they are
/// not listed.
#[derive(Clone, PartialEq, Debug)]
pub struct TableDef {
    /// In lower case, with underscores.
    pub name: Cow<'static, str>,
    /// How it relates to the clock.
    pub lane: Lane,
    /// A sentence.
    pub doc: Cow<'static, str>,
    /// In the order in which a row has its values.
    pub columns: Vec<ColumnDef>,
    /// The number of its rows, where that is known without reading them.
    pub rows: Option<u64>,
    /// Of a grid the number of cells along each of its keys.
    pub shape: Vec<u64>,
}

impl TableDef {
    /// Without columns.
    #[must_use]
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        lane: Lane,
        doc: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            lane,
            doc: doc.into(),
            columns: Vec::new(),
            rows: None,
            shape: Vec::new(),
        }
    }

    /// With one more column.
    #[must_use]
    pub fn with(mut self, column: ColumnDef) -> Self {
        self.columns.push(column);
        self
    }

    /// With so many rows.
    #[must_use]
    pub fn rows(self, rows: u64) -> Self {
        Self {
            rows: Some(rows),
            ..self
        }
    }

    /// With so many cells along each key.
    #[must_use]
    pub fn shape(self, shape: impl Into<Vec<u64>>) -> Self {
        Self {
            shape: shape.into(),
            ..self
        }
    }

    /// Where a column stands.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// Says what the rows of a [`Table`] are made of: a type of its own for each kind of row, since a
/// row may borrow.
pub trait Rows: 'static {
    /// What a row is made of.
    type Row<'a>;
}

/// A column of a table whose rows are made of one type: what it is, and how its value is got.
pub struct Field<T: Rows> {
    name: &'static str,
    kind: Kind,
    doc: &'static str,
    get: for<'r, 'a> fn(&'r T::Row<'a>) -> Value<'r>,
    unit: &'static str,
    precision: Option<f64>,
    key: bool,
    secret: bool,
}

impl<T: Rows> Field<T> {
    /// A column without a unit, exact, no key and no secret.
    #[must_use]
    pub const fn new(
        name: &'static str,
        kind: Kind,
        doc: &'static str,
        get: for<'r, 'a> fn(&'r T::Row<'a>) -> Value<'r>,
    ) -> Self {
        Self {
            name,
            kind,
            doc,
            get,
            unit: "",
            precision: None,
            key: false,
            secret: false,
        }
    }

    /// The same column, with a unit: `px`, `m/s`; empty for none.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// Off by at most so much.
    #[must_use]
    pub const fn within(mut self, precision: f64) -> Self {
        self.precision = Some(precision);
        self
    }

    /// The same column, as a part of what tells rows apart.
    #[must_use]
    pub const fn key(mut self) -> Self {
        self.key = true;
        self
    }

    /// Shown only to who asks for it.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    fn def(&self) -> ColumnDef {
        ColumnDef {
            name: self.name.into(),
            kind: self.kind,
            unit: self.unit.into(),
            precision: self.precision,
            key: self.key,
            secret: self.secret,
            recorded: true,
            values: Vec::new(),
            doc: self.doc.into(),
        }
    }
}

/// A table whose columns are the same in every recording: a format says each of them once.
///
/// ```
/// use gametape_core::table::{Field, Kind, Lane, Table, Rows, Value};
///
/// /// A throw of dice.
/// struct Throw {
///     player: &'static str,
///     eyes: u64,
/// }
///
/// impl Rows for Throw {
///     type Row<'a> = Throw;
/// }
///
/// const THROWS: Table<Throw> = Table {
///     name: "throws",
///     lane: Lane::Events,
///     doc: "Throws of dice.",
///     fields: &[
///         Field::new("player", Kind::Text, "Who threw.", |row| Value::Text(row.player)),
///         Field::new("eyes", Kind::Uint, "What was thrown.", |row| Value::Uint(row.eyes)),
///     ],
/// };
/// assert_eq!(THROWS.def().column("eyes"), Some(1));
/// assert_eq!(THROWS.value(&Throw { player: "Ada", eyes: 6 }, 1), Value::Uint(6));
/// ```
pub struct Table<T: Rows> {
    /// In lower case, with underscores.
    pub name: &'static str,
    /// How it relates to the clock.
    pub lane: Lane,
    /// A sentence.
    pub doc: &'static str,
    /// Its columns.
    pub fields: &'static [Field<T>],
}

impl<T: Rows> Table<T> {
    /// What surfaces are told of it.
    #[must_use]
    pub fn def(&self) -> TableDef {
        TableDef {
            columns: self.fields.iter().map(Field::def).collect(),
            ..TableDef::new(self.name, self.lane, self.doc)
        }
    }

    /// The value of a row in a column.
    #[must_use]
    pub fn value<'r>(&self, row: &'r T::Row<'_>, column: usize) -> Value<'r> {
        match self.fields.get(column) {
            Some(field) => (field.get)(row),
            None => Value::Null,
        }
    }
}

/// A name for a table or a column that a recording names itself: in lower case, with underscores, and
/// one that nothing else has; `otherwise` where it has none that can be written so. [Reserved](is_reserved)
/// names stay free.
///
/// ```
/// use gametape_core::table::plain_name;
/// assert_eq!(plain_name("maxSpeed", "field_3", |_| false), "max_speed");
/// assert_eq!(plain_name("max speed!", "field_3", |name| name == "max_speed"), "max_speed_2");
/// assert_eq!(plain_name("速度", "field_3", |_| false), "field_3");
/// assert_eq!(plain_name("tick", "field_3", |_| false), "tick_2");
/// assert_eq!(plain_name("Recording", "field_3", |_| false), "recording_2");
/// ```
#[must_use]
pub fn plain_name(own: &str, otherwise: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut name = String::new();
    let mut before = '_';
    for letter in own.chars() {
        if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
            name.push('_');
        }
        before = letter;
        let plain = letter.is_ascii_alphanumeric();
        name.push(if plain {
            letter.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    let name = match name.trim_matches('_') {
        "" => otherwise,
        name => name,
    };
    let taken = |name: &str| is_reserved(name) || taken(name);
    let numbered = (2_u32..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_default()
}
