//! Tables and columns: their definitions, lanes and kinds.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::scan::is_reserved;
use super::value::Value;

/// A column of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Marks that have nothing to do with each other.
pub struct ColumnDef {
    /// In lower case, with underscores.
    pub name: Cow<'static, str>,
    /// The kind of the values.
    pub kind: Kind,
    /// `px`, `m`, `m/s`, `ms`; empty if the values have no unit.
    pub unit: Cow<'static, str>,
    /// How far a value may differ from the recorded one, in the same unit; `None` if it is exact.
    pub precision: Option<f64>,
    /// Whether the column is part of the key, which identifies the rows of a state or the cells of
    /// a grid.
    pub key: bool,
    /// Whether the column is shown only on request.
    pub secret: bool,
    /// Whether values of a [`Kind::Uint`] column may use all 64 bits, as ids, seeds and hashes do.
    /// Values of other columns are counts or numbers that fit into a signed integer.
    pub wide: bool,
    /// Whether the recording contains the column; if not, all values are missing.
    pub recorded: bool,
    /// All possible values of a text column, if they are known; otherwise empty.
    pub values: Vec<Cow<'static, str>>,
    /// One sentence of documentation.
    pub doc: Cow<'static, str>,
}

impl ColumnDef {
    /// Creates a column that is exact and recorded, without a unit, and neither key nor secret.
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
            wide: false,
            recorded: true,
            values: Vec::new(),
            doc: doc.into(),
        }
    }

    /// Makes the column part of the key.
    #[must_use]
    pub fn key(self) -> Self {
        Self { key: true, ..self }
    }

    /// Declares that values may use all 64 bits.
    #[must_use]
    pub fn wide(self) -> Self {
        Self { wide: true, ..self }
    }

    /// Sets the unit, such as `px` or `m/s`; empty for none. A text with the unit `UTC` is a time of
    /// day and a date as in RFC 3339; with the unit `local time`, its zone is not known.
    #[must_use]
    pub fn unit(self, unit: impl Into<Cow<'static, str>>) -> Self {
        Self {
            unit: unit.into(),
            ..self
        }
    }

    /// Sets the precision: values may differ by at most this much.
    #[must_use]
    pub fn within(self, precision: f64) -> Self {
        Self {
            precision: Some(precision),
            ..self
        }
    }
}

/// The definition of a table. The [stamps](super::StampColumn) are columns that every table has;
/// they are not listed here.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TableDef {
    /// In lower case, with underscores.
    pub name: Cow<'static, str>,
    /// How it relates to the clock.
    pub lane: Lane,
    /// One sentence of documentation.
    pub doc: Cow<'static, str>,
    /// The columns, in the order of the values in a row.
    pub columns: Vec<ColumnDef>,
    /// The number of rows, if it is known without reading them.
    pub rows: Option<u64>,
    /// For a grid: the number of cells along each key.
    pub shape: Vec<u64>,
    /// Whether only those who name the table get its rows. Where all tables of a recording are
    /// taken together, as in comparisons, captures, pages and markers, it is left out: it says in
    /// greater detail what others say.
    pub on_request: bool,
}

impl TableDef {
    /// Creates a table without columns.
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
            on_request: false,
        }
    }

    /// Adds a column.
    #[must_use]
    pub fn with(mut self, column: ColumnDef) -> Self {
        self.columns.push(column);
        self
    }

    /// Sets the number of rows.
    #[must_use]
    pub fn rows(self, rows: u64) -> Self {
        Self {
            rows: Some(rows),
            ..self
        }
    }

    /// Sets the number of cells along each key.
    #[must_use]
    pub fn shape(self, shape: impl Into<Vec<u64>>) -> Self {
        Self {
            shape: shape.into(),
            ..self
        }
    }

    /// Leaves the table to those who name it: see [`TableDef::on_request`].
    #[must_use]
    pub fn on_request(self) -> Self {
        Self {
            on_request: true,
            ..self
        }
    }

    /// Returns the index of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// Names the row type of a [`Table`]. The type that implements this trait is separate from the row
/// type because a row may borrow.
pub trait Rows: 'static {
    /// The row type.
    type Row<'a>;
}

/// A column of a table with a row type: its definition, and a function that reads its value from a
/// row.
pub struct Field<T: Rows> {
    name: &'static str,
    kind: Kind,
    doc: &'static str,
    get: for<'r, 'a> fn(&'r T::Row<'a>) -> Value<'r>,
    unit: &'static str,
    precision: Option<f64>,
    key: bool,
    secret: bool,
    wide: bool,
    values: &'static [&'static str],
}

impl<T: Rows> Field<T> {
    /// Creates a column that is exact, without a unit, and neither key nor secret.
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
            wide: false,
            values: &[],
        }
    }

    /// Sets all possible values of a text column.
    #[must_use]
    pub const fn values(mut self, values: &'static [&'static str]) -> Self {
        self.values = values;
        self
    }

    /// Sets the unit, such as `px` or `m/s`; empty for none.
    #[must_use]
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// Sets the precision: values may differ by at most this much.
    #[must_use]
    pub const fn within(mut self, precision: f64) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Makes the column part of the key.
    #[must_use]
    pub const fn key(mut self) -> Self {
        self.key = true;
        self
    }

    /// Makes the column secret: it is shown only on request.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// Declares that values may use all 64 bits: see [`ColumnDef::wide`].
    #[must_use]
    pub const fn wide(mut self) -> Self {
        self.wide = true;
        self
    }

    /// Returns the value of a row.
    #[inline]
    #[must_use]
    pub fn value<'r>(&self, row: &'r T::Row<'_>) -> Value<'r> {
        (self.get)(row)
    }

    fn def(&self) -> ColumnDef {
        ColumnDef {
            name: self.name.into(),
            kind: self.kind,
            unit: self.unit.into(),
            precision: self.precision,
            key: self.key,
            secret: self.secret,
            wide: self.wide,
            recorded: true,
            values: self.values.iter().map(|value| (*value).into()).collect(),
            doc: self.doc.into(),
        }
    }
}

/// A table whose columns are the same in every recording, so a format can define it as a constant.
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
    /// One sentence of documentation.
    pub doc: &'static str,
    /// The columns.
    pub fields: &'static [Field<T>],
}

impl<T: Rows> Table<T> {
    /// Returns the table's definition.
    #[must_use]
    pub fn def(&self) -> TableDef {
        let has_key = self.fields.iter().any(|field| field.key);
        TableDef {
            columns: self.fields.iter().map(Field::def).collect(),
            rows: (self.lane == Lane::Facts && !has_key).then_some(1),
            ..TableDef::new(self.name, self.lane, self.doc)
        }
    }

    /// Returns the value of a row in a column.
    #[must_use]
    pub fn value<'r>(&self, row: &'r T::Row<'_>, column: usize) -> Value<'r> {
        match self.fields.get(column) {
            Some(field) => field.value(row),
            None => Value::Null,
        }
    }
}

/// Turns a name from a recording into a table or column name: lower case, with underscores, and
/// unique. If nothing of the name remains, uses `otherwise`. [Reserved](is_reserved) and taken
/// names get a number.
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

/// How a table relates to the clock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// One row that is true for the whole recording: header, roster, statistics.
    Facts,
    /// Rows with a key, or a single row without one. A row is valid until it is replaced or ends.
    State,
    /// Rows that happen at a stamp.
    Events,
    /// Cells whose keys are their coordinates. A cell is valid until it is replaced.
    Grid,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 4] = [Self::Facts, Self::State, Self::Events, Self::Grid];

    /// `facts`, `state`, `events` or `grid`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Facts => "facts",
            Self::State => "state",
            Self::Events => "events",
            Self::Grid => "grid",
        }
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The kind of a column's values. Any value may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// True or false.
    Bool,
    /// A signed 64-bit integer.
    Int,
    /// An unsigned 64-bit integer.
    Uint,
    /// A 32-bit floating-point number.
    Float32,
    /// A 64-bit floating-point number.
    Float64,
    /// UTF-8 text of any length.
    Text,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Bool,
        Self::Int,
        Self::Uint,
        Self::Float32,
        Self::Float64,
        Self::Text,
    ];

    /// `bool`, `int`, `uint`, `float32`, `float64` or `text`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
