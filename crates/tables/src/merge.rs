//! One table of several recordings.

use gametape_core::table::{MergeError, TableDef};

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
