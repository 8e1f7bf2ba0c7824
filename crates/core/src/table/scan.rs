//! Requests for the rows of a table.

use std::cmp::Ordering;

use super::batch::Owned;
use super::def::TableDef;
use super::scan_error::ScanError;
use super::stamps::StampColumn;
use crate::clock::{At, Stamp};
use crate::tape::Secrets;
use crate::text::nearest;

/// A request for rows of a table: columns, a range, filters.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Scan {
    /// The name of the table.
    pub table: String,
    /// The requested columns in their order, [stamps](StampColumn) included; a batch has exactly
    /// these. If empty, all of the table's own columns. Other columns are not decoded.
    pub columns: Vec<String>,
    /// Only rows at or after this moment.
    pub from: Option<At>,
    /// Only rows at or before this moment; times are compared to the millisecond. The first row
    /// after it ends the scan, so if a clock goes backwards later, those rows are not included.
    pub to: Option<At>,
    /// Only rows whose key columns have these values, given as text.
    pub keys: Vec<(String, String)>,
    /// Whether values of secret columns are shown.
    pub secrets: Secrets,
}

/// A requested column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Picked {
    /// A stamp.
    Stamp(StampColumn),
    /// One of the table's own columns, by index.
    Column(usize),
}

impl Picked {
    /// Returns the column's name in that table.
    #[must_use]
    pub fn name(self, table: &TableDef) -> &str {
        match self {
            Self::Stamp(stamp) => stamp.name(),
            Self::Column(at) => table.columns.get(at).map_or("", |column| &column.name),
        }
    }

    /// Returns the index among the table's own columns.
    #[must_use]
    pub const fn column(self) -> Option<usize> {
        match self {
            Self::Stamp(_) => None,
            Self::Column(at) => Some(at),
        }
    }
}

fn named(name: &str, known: &[String]) -> Option<String> {
    nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

impl Scan {
    /// Requests all rows and columns of a table.
    #[must_use]
    pub fn table(name: impl Into<String>) -> Self {
        Self {
            table: name.into(),
            ..Self::default()
        }
    }

    /// Requests these columns.
    #[must_use]
    pub fn columns<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        let columns = names.into_iter().map(Into::into).collect();
        Self { columns, ..self }
    }

    /// Requests rows from this moment on.
    #[must_use]
    pub fn from(self, at: At) -> Self {
        Self {
            from: Some(at),
            ..self
        }
    }

    /// Requests rows up to this moment.
    #[must_use]
    pub fn to(self, at: At) -> Self {
        Self {
            to: Some(at),
            ..self
        }
    }

    /// Requests rows whose key has this value.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.keys.push((name.into(), value.into()));
        self
    }

    /// Finds the requested table.
    ///
    /// # Errors
    /// [`ScanError::NoTable`].
    pub fn find<'t>(&self, tables: &'t [TableDef]) -> Result<&'t TableDef, ScanError> {
        let found = tables.iter().find(|table| table.name == self.table);
        found.ok_or_else(|| {
            let known: Vec<String> = tables.iter().map(|table| table.name.to_string()).collect();
            ScanError::NoTable {
                name: self.table.clone(),
                nearest: named(&self.table, &known),
                known,
                needs: None,
            }
        })
    }

    /// Returns the requested columns, in their order.
    ///
    /// # Errors
    /// [`ScanError::NoColumn`], [`ScanError::Twice`].
    pub fn picked(&self, table: &TableDef) -> Result<Vec<Picked>, ScanError> {
        if self.columns.is_empty() {
            return Ok((0..table.columns.len()).map(Picked::Column).collect());
        }
        let pick = |name: &String| match StampColumn::named(name) {
            Some(stamp) => Ok(Picked::Stamp(stamp)),
            None => column(table, name).map(Picked::Column),
        };
        let picked: Vec<Picked> = self.columns.iter().map(pick).collect::<Result<_, _>>()?;
        for (at, name) in self.columns.iter().enumerate() {
            if self.columns.iter().take(at).any(|before| before == name) {
                let name = name.clone();
                return Err(ScanError::Twice { name });
            }
        }
        Ok(picked)
    }

    /// Returns the filtered columns, and the value that each must have.
    ///
    /// # Errors
    /// [`ScanError::NoColumn`], [`ScanError::NoKey`], [`ScanError::NotOfKind`].
    pub fn filters(&self, table: &TableDef) -> Result<Vec<(usize, Owned)>, ScanError> {
        let filter = |(name, text): &(String, String)| {
            let own = match StampColumn::named(name) {
                Some(_) => None,
                None => Some(column(table, name)?),
            };
            let own = own.and_then(|at| Some((at, table.columns.get(at)?)));
            let Some((at, def)) = own.filter(|(_, column)| column.key) else {
                let keys = table.columns.iter().filter(|column| column.key);
                return Err(ScanError::NoKey {
                    table: table.name.to_string(),
                    name: name.clone(),
                    keys: keys.map(|column| column.name.to_string()).collect(),
                });
            };
            let key = Owned::parse(def.kind, text).ok_or_else(|| ScanError::NotOfKind {
                name: name.clone(),
                kind: def.kind,
                value: text.clone(),
            })?;
            Ok((at, key))
        };
        self.keys.iter().map(filter).collect()
    }

    /// Refuses a range that ends before it starts, as far as this is known without the recording.
    ///
    /// # Errors
    /// [`ScanError::Backwards`].
    pub fn check_range(&self) -> Result<(), ScanError> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from.is_behind(to) => Err(ScanError::Backwards { from, to }),
            _ => Ok(()),
        }
    }
}

fn column(table: &TableDef, name: &str) -> Result<usize, ScanError> {
    table.column(name).ok_or_else(|| {
        let columns = table.columns.iter().map(|column| column.name.to_string());
        let stamps = StampColumn::ALL.map(|stamp| stamp.name().to_owned());
        let known: Vec<String> = columns.chain(stamps).collect();
        ScanError::NoColumn {
            table: table.name.to_string(),
            name: name.to_owned(),
            nearest: named(name, &known),
            known,
        }
    })
}

impl At {
    /// Compares a stamp with this moment: before it, at it, or after it. Times are compared to the
    /// millisecond, as people write them. `None` if the stamp lacks this clock.
    #[must_use]
    pub fn order(self, stamp: Stamp) -> Option<Ordering> {
        match self {
            Self::Step(step) => Some(stamp.step.cmp(&step)),
            Self::Tick(tick) => stamp.tick.map(|other| other.cmp(&tick)),
            Self::Time(time) => stamp
                .time
                .map(|other| other.whole_ms().cmp(&time.whole_ms())),
        }
    }
}
