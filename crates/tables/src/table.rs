//! A table as Arrow: its schema, of one recording or of several.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use gametape_core::surface::MergeError;
use gametape_core::table::{ColumnDef, Kind, Lane, StampColumn, TableDef};
use gametape_core::tape::Secrets;

use crate::array::Type;

/// The name of the column that names the recording of a row.
pub(crate) const RECORDING: &str = "recording";

/// A table as Arrow has it, of one recording or of several that were [merged](crate::Merge).
#[derive(Clone, Debug)]
pub struct ArrowTable {
    table: TableDef,
    secrets: Secrets,
    schema: SchemaRef,
    origins: Vec<Origin>,
    /// The types of the columns. To make them for each recording took a quarter of reading the facts of a small one.
    types: Vec<Arc<Type>>,
}

/// The origin of the values of an Arrow column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Recording,
    Stamp(StampColumn),
    /// A column of the table, by index.
    Own(usize),
}

impl ArrowTable {
    /// Creates the Arrow form of a table. Without [`Secrets::Show`] it has no secret columns.
    #[must_use]
    pub fn new(table: &TableDef, secrets: Secrets) -> Self {
        let stamps = StampColumn::ALL.into_iter().filter(|stamp| match stamp {
            StampColumn::Ended => table.lane == Lane::State,
            _ => table.lane != Lane::Facts,
        });
        let own = table.columns.iter().enumerate();
        let own = own.filter(|(_, column)| !column.secret || secrets == Secrets::Show);
        let origins: Vec<Origin> = std::iter::once(Origin::Recording)
            .chain(stamps.map(Origin::Stamp))
            .chain(own.map(|(at, _)| Origin::Own(at)))
            .collect();
        let fields: Vec<Field> = (origins.iter())
            .filter_map(|origin| field(*origin, table))
            .collect();
        let typed = |(origin, field): (&Origin, &Field)| {
            let column = match *origin {
                Origin::Own(own) => table.columns.get(own),
                Origin::Recording | Origin::Stamp(_) => None,
            };
            let known = column.into_iter().flat_map(|column| &column.values);
            let known = known.map(|text| &**text);
            Arc::new(Type::new(field.name(), field.data_type(), known))
        };
        let types = origins.iter().zip(&fields).map(typed).collect();
        let mut about = HashMap::from([
            ("table".to_owned(), table.name.to_string()),
            ("lane".to_owned(), table.lane.name().to_owned()),
            ("doc".to_owned(), table.doc.to_string()),
        ]);
        if !table.shape.is_empty() {
            let shape: Vec<String> = table.shape.iter().map(u64::to_string).collect();
            about.insert("shape".to_owned(), shape.join(","));
        }
        Self {
            schema: Arc::new(Schema::new_with_metadata(fields, about)),
            table: table.clone(),
            secrets,
            origins,
            types,
        }
    }

    /// Returns the schema.
    #[must_use]
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the definition of the table.
    #[must_use]
    pub const fn definition(&self) -> &TableDef {
        &self.table
    }

    /// Returns whether secret columns are among the columns.
    #[must_use]
    pub const fn secrets(&self) -> Secrets {
        self.secrets
    }

    pub(crate) fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The types of the columns, in their order.
    pub(crate) fn types(&self) -> &[Arc<Type>] {
        &self.types
    }
}

fn field(origin: Origin, table: &TableDef) -> Option<Field> {
    let plain = |name: &str, kind: DataType, nullable, doc: &str| {
        Field::new(name, kind, nullable).with_metadata(HashMap::from([("doc".into(), doc.into())]))
    };
    Some(match origin {
        Origin::Recording => plain(RECORDING, dictionary(), false, "The recording of the row."),
        Origin::Stamp(StampColumn::Step) => {
            let doc = "The ordinal of the frame, packet or event, from 0.";
            plain("step", DataType::Int64, false, doc)
        }
        Origin::Stamp(StampColumn::Tick) => {
            let doc = "The recording's own counter; null if it has none.";
            plain("tick", DataType::Int64, true, doc)
        }
        Origin::Stamp(StampColumn::Time) => {
            let doc = "Milliseconds since the recording's start; null if unknown.";
            let field = plain("time_ms", DataType::Float64, true, doc);
            with(field, "unit", "ms")
        }
        Origin::Stamp(StampColumn::Ended) => {
            let doc = "Whether the row ends its key: what the key stands for is gone.";
            plain("ended", DataType::Boolean, false, doc)
        }
        Origin::Own(at) => {
            let column = table.columns.get(at)?;
            let mut field = plain(&column.name, data_type(column), true, &column.doc);
            if !column.unit.is_empty() {
                field = with(field, "unit", &column.unit);
            }
            if let Some(precision) = column.precision {
                field = with(field, "precision", &precision.to_string());
            }
            if column.key {
                field = with(field, "key", "true");
            }
            if column.secret {
                field = with(field, "secret", "true");
            }
            field
        }
    })
}

fn with(field: Field, name: &str, value: &str) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.insert(name.to_owned(), value.to_owned());
    field.with_metadata(metadata)
}

pub(crate) fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The Arrow type of a column.
pub(crate) fn data_type(column: &ColumnDef) -> DataType {
    match column.kind {
        Kind::Bool => DataType::Boolean,
        // All times are of one type: whole milliseconds divided by 1000 would be whole seconds.
        Kind::Int | Kind::Uint if column.unit == "ms" => DataType::Float64,
        Kind::Uint if column.wide => DataType::UInt64,
        Kind::Int | Kind::Uint => DataType::Int64,
        Kind::Float32 => DataType::Float32,
        Kind::Float64 => DataType::Float64,
        Kind::Text if column.unit == "UTC" => {
            DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
        }
        Kind::Text if column.unit == "local time" => {
            DataType::Timestamp(TimeUnit::Microsecond, None)
        }
        Kind::Text if !column.values.is_empty() => dictionary(),
        Kind::Text => DataType::Utf8,
    }
}

/// Why a table of one recording does not go together with that of others.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{first} and {second} differ: {error}; query them one at a time")]
pub struct Differs {
    /// A recording that the table was made of.
    pub first: String,
    /// The recording that was added.
    pub second: String,
    /// The difference.
    pub error: MergeError,
}

/// Makes one definition of the tables of the same name in several recordings: columns go together by
/// their names, and one that a recording does not have is null there. Signed and unsigned integers
/// give signed ones, and numbers with a fraction the larger of their types.
///
/// ```
/// use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
/// use gametape_tables::Merge;
/// let heat = |kind| {
///     let value = ColumnDef::new("value", kind, "The heat.");
///     TableDef::new("heat", Lane::Events, "Heat.").with(value)
/// };
/// let mut merge = Merge::default();
/// merge.add("a.murk", &heat(Kind::Float32))?;
/// merge.add("b.murk", &heat(Kind::Float64))?;
/// assert_eq!(merge.table().unwrap().columns[0].kind, Kind::Float64);
/// let error = merge.add("c.murk", &heat(Kind::Text)).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "b.murk and c.murk differ: heat.value is float64 in one file and text in another; query them one at a time"
/// );
/// # Ok::<(), gametape_tables::Differs>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Merge {
    table: Option<TableDef>,
    /// The recording that each column comes from, in the order of the columns; the first recording
    /// for a table without columns.
    from: Vec<String>,
}

impl Merge {
    /// Adds the table of a recording.
    ///
    /// # Errors
    /// [`Differs`]. The definition is then what it was.
    pub fn add(&mut self, recording: &str, table: &TableDef) -> Result<(), Differs> {
        let merged = match &self.table {
            // Nearly all recordings of a kind have the same table.
            Some(before) if is_same(before, table) => return Ok(()),
            Some(before) => before.merged(table).map_err(|error| Differs {
                first: self.source(before, &error),
                second: recording.to_owned(),
                error,
            })?,
            None => table.clone(),
        };
        self.from
            .resize(merged.columns.len().max(1), recording.to_owned());
        if let Some(before) = &self.table {
            let columns = before.columns.iter().zip(&merged.columns);
            for (from, (before, merged)) in self.from.iter_mut().zip(columns) {
                if before.kind != merged.kind {
                    recording.clone_into(from);
                }
            }
        }
        self.table = Some(TableDef {
            rows: None,
            ..merged
        });
        Ok(())
    }

    /// Returns the definition; `None` if no table was added.
    #[must_use]
    pub const fn table(&self) -> Option<&TableDef> {
        self.table.as_ref()
    }

    fn source(&self, before: &TableDef, error: &MergeError) -> String {
        let column = match error {
            MergeError::Kinds { column, .. } | MergeError::Keys { column, .. } => {
                before.column(column)
            }
            _ => None,
        };
        let from = self.from.get(column.unwrap_or_default());
        from.cloned().unwrap_or_default()
    }
}

fn is_same(before: &TableDef, table: &TableDef) -> bool {
    (&before.lane, &before.columns, &before.shape) == (&table.lane, &table.columns, &table.shape)
}
