//! The description of the tables from which a capture was made.

use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
use gametape_core::{Stamp, tape};
use gametape_delta::Schema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::coding::{Coding, Word};
use crate::rule::{CaptureRule, Error};

/// The version of the description.
pub(super) const VERSION: u32 = 1;

/// The description of the recording from which a capture was made: the JSON in the record
/// `gametape.tables`.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) struct Description {
    pub version: u32,
    pub made_of: MadeOf,
    /// The location of the stamp of each packet.
    pub clock: StoredClock,
    pub tables: Vec<StoredTable>,
}

/// The original recording.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(crate) struct MadeOf {
    /// The name of its format.
    pub format: String,
    pub format_version: u32,
    /// The format's name for a step.
    pub step: String,
    /// Whether it has ticks of its own, and whether it has times.
    pub ticks: bool,
    pub times: bool,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

/// A stamp in its written form.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Moment {
    /// The ordinal of the frame, packet or event.
    pub step: u64,
    /// The recording's own counter, if it has one.
    pub tick: Option<u64>,
    /// Nanoseconds since the start, if they are known.
    pub time_ns: Option<i64>,
}

impl From<Stamp> for Moment {
    fn from(stamp: Stamp) -> Self {
        Self {
            step: stamp.step,
            tick: stamp.tick,
            time_ns: stamp.time.map(|time| time.0),
        }
    }
}

impl From<Moment> for Stamp {
    fn from(moment: Moment) -> Self {
        Self {
            step: moment.step,
            tick: moment.tick,
            time: moment.time_ns.map(gametape_core::Time),
        }
    }
}

/// The component of one entity that contains the stamp of a packet.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) struct StoredClock {
    pub entity: u32,
    pub step: Coded,
    pub tick: Coded,
    pub time_ns: Coded,
}

/// The definition of a table, and where its rows are.
#[derive(Clone, Serialize, Deserialize, Debug)]
pub(super) struct StoredTable {
    pub name: String,
    pub lane: String,
    pub doc: String,
    pub rows: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shape: Vec<u64>,
    pub columns: Vec<StoredColumn>,
    pub stored: Stored,
}

/// The place where the rows of a table are stored.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(tag = "as", rename_all = "snake_case")]
pub(super) enum Stored {
    /// As messages on the topic of labels.
    Labels,
    /// As messages on the topic of events.
    Events,
    /// As one entity per key, with these components.
    Entities { components: Vec<u16>, stated: Place },
    /// As one entity per tile of cells. A tile has `edges` cells along each key, starting at
    /// `origin`. Each component has one field per cell; the last key varies fastest.
    Tiles {
        components: Vec<u16>,
        origin: Vec<i64>,
        edges: Vec<u32>,
        stated: Place,
    },
}

/// The definition of a column, and how its values are stored in packets.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[allow(clippy::struct_excessive_bools)] // As in `ColumnDef`.
pub(super) struct StoredColumn {
    pub name: String,
    pub kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub key: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub secret: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub wide: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub not_recorded: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    pub doc: String,
    /// Set for values that are stored in packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coded: Option<Coded>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // Serde asks so.
const fn is_false(value: &bool) -> bool {
    !*value
}

/// The fields of a value: whether it exists (1) or not (0), or is written as its bits (2); the
/// value; its bits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct Coded {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub how: Option<Place>,
    pub plain: Place,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<Place>,
}

/// A field of a component; in tiles, all of its fields.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct Place {
    pub component: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<u16>,
}

impl Place {
    /// The codec of the field, if it exists.
    pub fn codec(self, schema: &Schema) -> Option<gametape_delta::Codec> {
        let (_, component) = schema.component(self.component)?;
        match self.field {
            Some(id) => component.fields.iter().find(|field| field.id == id),
            None => component.fields.first(),
        }
        .map(|field| field.codec)
    }
}

impl Coded {
    pub fn coding(self, kind: Kind, schema: &Schema) -> Option<Coding> {
        let codec = |place: Option<Place>| match place {
            Some(place) => place.codec(schema).map(Some),
            None => Some(None),
        };
        let plain = self.plain.codec(schema)?;
        Coding::found(kind, codec(self.how)?, plain, codec(self.exact)?)
    }

    /// The fields, in order.
    pub fn places(self) -> impl Iterator<Item = Place> {
        let Self { how, plain, exact } = self;
        how.into_iter().chain([plain]).chain(exact)
    }
}

impl StoredColumn {
    pub fn of(column: &ColumnDef, coded: Option<Coded>) -> Self {
        Self {
            name: column.name.to_string(),
            kind: column.kind.name().to_owned(),
            unit: column.unit.to_string(),
            precision: column.precision,
            key: column.key,
            secret: column.secret,
            wide: column.wide,
            not_recorded: !column.recorded,
            values: column.values.iter().map(ToString::to_string).collect(),
            doc: column.doc.to_string(),
            coded,
        }
    }

    pub fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == self.kind)
    }

    fn def(&self) -> Option<ColumnDef> {
        let mut def = ColumnDef::new(self.name.clone(), self.kind()?, self.doc.clone());
        def = def.unit(self.unit.clone());
        def.precision = self.precision;
        def.key = self.key;
        def.secret = self.secret;
        def.wide = self.wide;
        def.recorded = !self.not_recorded;
        def.values = self
            .values
            .iter()
            .map(|value| value.clone().into())
            .collect();
        Some(def)
    }
}

impl StoredTable {
    pub fn lane(&self) -> Option<Lane> {
        Lane::ALL.into_iter().find(|lane| lane.name() == self.lane)
    }

    /// The original definition.
    fn def(&self) -> Option<TableDef> {
        let table = TableDef::new(self.name.clone(), self.lane()?, self.doc.clone());
        let columns: Option<Vec<ColumnDef>> = self.columns.iter().map(StoredColumn::def).collect();
        Some(TableDef {
            columns: columns?,
            ..table.rows(self.rows).shape(self.shape.clone())
        })
    }
}

/// The error for an invalid description.
pub(super) fn broken(reason: impl Into<String>) -> Error {
    let reason = reason.into();
    CaptureRule::Tables { reason }.whole()
}

impl Description {
    /// Parses a description.
    ///
    /// # Errors
    /// [`CaptureRule::Tables`].
    pub fn read(json: &str) -> Result<Self, Error> {
        let read: Self = serde_json::from_str(json).map_err(|error| broken(error.to_string()))?;
        if read.version != VERSION {
            let version = read.version;
            return Err(broken(format!("it is of version {version}, not {VERSION}")));
        }
        Ok(read)
    }

    /// The description as JSON.
    ///
    /// # Errors
    /// A number that JSON cannot express; the description has none.
    pub fn json(&self) -> Result<Json, tape::Error> {
        serde_json::to_value(self).map_err(|error| tape::Error::Unsupported(error.to_string()))
    }

    /// The original definitions of the tables.
    ///
    /// # Errors
    /// [`CaptureRule::Tables`].
    pub fn defs(&self) -> Result<Vec<TableDef>, Error> {
        let def = |table: &StoredTable| {
            let def = table.def();
            def.ok_or_else(|| {
                broken(format!(
                    "{} has a lane or kind that nobody knows",
                    table.name
                ))
            })
        };
        self.tables.iter().map(def).collect()
    }
}

/// The stamp with these clock values.
pub(super) fn stamp_of(step: Word, tick: Word, time: Word) -> Stamp {
    Stamp {
        step: step.unwrap_or_default(),
        tick,
        time: time.map(|ns| gametape_core::Time(ns.cast_signed())),
    }
}
