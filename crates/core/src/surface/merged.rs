//! One definition for a table of several files.

use crate::table::{ColumnDef, Kind, Lane, TableDef};

/// Why the tables of two files cannot be read as one.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The tables relate to the clock in different ways.
    #[error("{table} is a table of {first} in one file and of {second} in another")]
    Lanes {
        /// The name of the table.
        table: String,
        /// The lane in the first file.
        first: Lane,
        /// The lane in the second file.
        second: Lane,
    },
    /// A column has kinds that have no kind in common.
    #[error("{table}.{column} is {first} in one file and {second} in another")]
    Kinds {
        /// The name of the table.
        table: String,
        /// The name of the column.
        column: String,
        /// The kind in the first file.
        first: Kind,
        /// The kind in the second file.
        second: Kind,
    },
    /// A column is part of the key in one of the files only.
    #[error("{table}.{column} is a key in one file and not in another")]
    Keys {
        /// The name of the table.
        table: String,
        /// The name of the column.
        column: String,
    },
}

impl Kind {
    /// Returns the kind that holds the values of both kinds, if there is one: integers of either
    /// sign are [`Kind::Int`], and numbers with a fraction are [`Kind::Float64`].
    #[must_use]
    pub const fn merged(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int, Self::Uint) | (Self::Uint, Self::Int) => Some(Self::Int),
            (Self::Float32, Self::Float64) | (Self::Float64, Self::Float32) => Some(Self::Float64),
            (first, second) if first as u8 == second as u8 => Some(first),
            _ => None,
        }
    }
}

impl TableDef {
    /// Returns one definition for this table and the table of the same name of another file, whose
    /// columns may differ. Columns are matched by name; those of the other file that are new come
    /// last. A column that a file does not have is missing in all of its rows. The precision is that
    /// of the less precise file, a column is secret if it is in either, and a unit or shape that
    /// differs is left out.
    ///
    /// ```
    /// use gametape_core::table::{ColumnDef, Kind, Lane, TableDef};
    /// let column = |name, kind| ColumnDef::new(name, kind, "A number.");
    /// let heat = TableDef::new("heat", Lane::Events, "Heat.").with(column("value", Kind::Uint));
    /// let more = TableDef::new("heat", Lane::Events, "Heat.")
    ///     .with(column("value", Kind::Int))
    ///     .with(column("cell", Kind::Uint));
    /// let both = heat.merged(&more)?;
    /// assert_eq!((both.columns[0].kind, both.columns.len()), (Kind::Int, 2));
    /// # Ok::<(), gametape_core::surface::MergeError>(())
    /// ```
    ///
    /// # Errors
    /// [`MergeError`].
    pub fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        let table = || self.name.to_string();
        if self.lane != other.lane {
            return Err(MergeError::Lanes {
                table: table(),
                first: self.lane,
                second: other.lane,
            });
        }
        let mut merged = self.clone();
        for column in &other.columns {
            let own = merged
                .columns
                .iter_mut()
                .find(|own| own.name == column.name);
            match own {
                Some(own) => own.merge(column, &self.name)?,
                None if column.key => return Err(column.key_error(&self.name)),
                None => merged.columns.push(column.clone()),
            }
        }
        let missing = |own: &&ColumnDef| own.key && other.column(&own.name).is_none();
        if let Some(column) = self.columns.iter().find(missing) {
            return Err(column.key_error(&self.name));
        }
        merged.rows = self.rows.zip(other.rows).map(|(a, b)| a.saturating_add(b));
        if self.shape != other.shape {
            merged.shape.clear();
        }
        Ok(merged)
    }
}

impl ColumnDef {
    fn key_error(&self, table: &str) -> MergeError {
        MergeError::Keys {
            table: table.to_owned(),
            column: self.name.to_string(),
        }
    }

    fn merge(&mut self, other: &Self, table: &str) -> Result<(), MergeError> {
        if self.key != other.key {
            return Err(self.key_error(table));
        }
        let kind = self.kind.merged(other.kind);
        self.kind = kind.ok_or_else(|| MergeError::Kinds {
            table: table.to_owned(),
            column: self.name.to_string(),
            first: self.kind,
            second: other.kind,
        })?;
        if self.unit != other.unit {
            self.unit = "".into();
        }
        self.precision = match (self.precision, other.precision) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.secret |= other.secret;
        self.wide |= other.wide;
        self.recorded |= other.recorded;
        // Unless both files have a list, any text is possible.
        if self.values.is_empty() || other.values.is_empty() {
            self.values.clear();
        } else {
            let new = other
                .values
                .iter()
                .filter(|value| !self.values.contains(value));
            let new: Vec<_> = new.cloned().collect();
            self.values.extend(new);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[ColumnDef]) -> TableDef {
        let table = TableDef::new("ships", Lane::State, "Ships.");
        columns.iter().cloned().fold(table, TableDef::with)
    }

    fn column(name: &'static str, kind: Kind) -> ColumnDef {
        ColumnDef::new(name, kind, "A column.")
    }

    #[test]
    fn kinds_merge_in_either_order_and_only_where_no_value_is_lost() {
        for (a, b) in Kind::ALL.iter().flat_map(|a| Kind::ALL.map(|b| (*a, b))) {
            assert_eq!(a.merged(b), b.merged(a));
            let numbers = [[Kind::Int, Kind::Uint], [Kind::Float32, Kind::Float64]];
            let alike = a == b
                || numbers
                    .iter()
                    .any(|pair| pair.contains(&a) && pair.contains(&b));
            assert_eq!(a.merged(b).is_some(), alike, "{a} with {b}");
        }
        assert_eq!(Kind::Uint.merged(Kind::Int), Some(Kind::Int));
        assert_eq!(Kind::Float32.merged(Kind::Float64), Some(Kind::Float64));
    }

    #[test]
    fn columns_of_either_file_are_there() {
        let x = column("x", Kind::Float32).unit("m").within(0.5);
        let ours = table(&[column("ship", Kind::Uint).key(), x.clone()]);
        let secret = ColumnDef {
            secret: true,
            ..column("name", Kind::Text)
        };
        let theirs = table(&[
            secret,
            x.clone().unit("ft").within(0.1),
            column("ship", Kind::Uint).key(),
        ]);
        let merged = ours.merged(&theirs).unwrap();
        let names: Vec<&str> = merged.columns.iter().map(|column| &*column.name).collect();
        assert_eq!(names, ["ship", "x", "name"]);
        assert_eq!(
            (&*merged.columns[1].unit, merged.columns[1].precision),
            ("", Some(0.5))
        );
        assert!(merged.columns[2].secret);
        assert_eq!(ours.merged(&ours).unwrap(), ours);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let ours = table(&[column("ship", Kind::Uint).key(), column("x", Kind::Bool)]);
        let text = table(&[column("ship", Kind::Uint).key(), column("x", Kind::Text)]);
        let error = ours.merged(&text).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ships.x is bool in one file and text in another"
        );
        let keyless = table(&[column("x", Kind::Bool)]);
        for (a, b) in [(&ours, &keyless), (&keyless, &ours)] {
            assert!(matches!(a.merged(b), Err(MergeError::Keys { .. })));
        }
        let events = TableDef {
            lane: Lane::Events,
            ..ours.clone()
        };
        assert!(matches!(
            ours.merged(&events),
            Err(MergeError::Lanes { .. })
        ));
    }
}
