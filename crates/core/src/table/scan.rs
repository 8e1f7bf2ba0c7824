//! What is wanted of a table.

use std::cmp::Ordering;

use super::batch::Owned;
use super::def::TableDef;
use super::scan_error::ScanError;
use super::stamps::StampColumn;
use crate::clock::{At, Stamp};
use crate::tape::Secrets;
use crate::text::nearest;

/// What is wanted of a table.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Scan {
    /// The name of the table that is read.
    pub table: String,
    /// Its columns, in the order that is wanted, [stamps](StampColumn) among them: a batch has exactly
    /// these. Where none is named, all of its own. What is not asked for is not decoded.
    pub columns: Vec<String>,
    /// Rows at this moment and behind it.
    pub from: Option<At>,
    /// Rows at this moment and before it; a time is meant to the millisecond. The first row behind it
    /// ends the scan: where a clock goes back later, what comes then is not in the range.
    pub to: Option<At>,
    /// Rows whose key columns have these values, as text.
    pub keys: Vec<(String, String)>,
    /// Whether secret columns are shown.
    pub secrets: Secrets,
}

/// A column that is wanted of a table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Picked {
    /// A stamp.
    Stamp(StampColumn),
    /// One of its own, by its place.
    Column(usize),
}

impl Picked {
    /// Its name in that table.
    #[must_use]
    pub fn name(self, table: &TableDef) -> &str {
        match self {
            Self::Stamp(stamp) => stamp.name(),
            Self::Column(at) => table.columns.get(at).map_or("", |column| &column.name),
        }
    }

    /// Its place among the table's own columns.
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
    /// All of a table.
    #[must_use]
    pub fn table(name: impl Into<String>) -> Self {
        Self {
            table: name.into(),
            ..Self::default()
        }
    }

    /// These columns of it.
    #[must_use]
    pub fn columns<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        let columns = names.into_iter().map(Into::into).collect();
        Self { columns, ..self }
    }

    /// From this moment on.
    #[must_use]
    pub fn from(self, at: At) -> Self {
        Self {
            from: Some(at),
            ..self
        }
    }

    /// Up to this moment.
    #[must_use]
    pub fn to(self, at: At) -> Self {
        Self {
            to: Some(at),
            ..self
        }
    }

    /// Where a key has this value.
    #[must_use]
    pub fn key(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.keys.push((name.into(), value.into()));
        self
    }

    /// The table that is meant.
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

    /// The columns that are wanted, in their order.
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

    /// The columns that are filtered by, and what their values are to be.
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

    /// Refuses a range that ends before it starts, as far as that can be told without the recording.
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
    /// Whether a stamp is before this moment, at it, or behind it; times count by the millisecond, as
    /// people write them. `None` where the stamp does not say.
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
