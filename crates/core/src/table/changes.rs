//! The changes of a state from one moment to another.

use std::collections::{BTreeMap, HashMap};

use super::batch::{Batch, Owned, Value};
use super::def::TableDef;
use super::kind::Lane;
use super::playback::Playback;
use super::scan::{Picked, Scan};
use super::scan_error::ScanError;
use crate::tape::{Error, Secrets};

/// The changes of a table during playback: rows that are new or have other values, and keys that
/// ended. These changes are enough to follow a state.
///
/// ```
/// use gametape_core::table::{Changes, Lane, Playback, Scan, TableDef};
/// use gametape_core::tape::Error;
///
/// fn follow(play: &mut dyn Playback, ships: &TableDef) -> Result<(), Error> {
///     let mut changes = Changes::of(ships, &Scan::table(&*ships.name))?;
///     loop {
///         let rows = changes.next(play)?; // at first all
///         for row in 0..rows.len() {
///             println!("step {}: {}", rows.stamp(row).step, if rows.is_end(row) { "gone" } else { "there" });
///         }
///         if play.step()?.is_none() {
///             return Ok(());
///         }
///     }
/// }
/// ```
pub struct Changes {
    table: TableDef,
    scan: Scan,
    /// The columns that are read: the requested ones and the keys.
    looked_at: Scan,
    /// The index in the batches that are read, for each column of the table.
    places: BTreeMap<usize, usize>,
    /// The indices of the keys in these batches.
    keys: Vec<usize>,
    before: Batch,
}

impl Changes {
    /// Creates the changes of a table. The columns, filters and secrets of the scan apply; its
    /// range does not.
    ///
    /// # Errors
    /// [`ScanError`]. A table of events has no state and is refused.
    pub fn of(table: &TableDef, scan: &Scan) -> Result<Self, ScanError> {
        if table.lane == Lane::Events {
            let table = table.name.to_string();
            return Err(ScanError::NoState { table });
        }
        scan.wanted(table)?;
        let columns = table.columns.iter().enumerate();
        let keys: Vec<usize> = columns
            .filter_map(|(at, column)| column.key.then_some(at))
            .collect();
        let wanted = scan.picked(table)?.into_iter();
        let mut picked: Vec<usize> = wanted.filter_map(Picked::column).collect();
        let missing = keys.iter().filter(|key| !picked.contains(key)).copied();
        let missing: Vec<usize> = missing.collect();
        picked.extend(missing);
        let names = picked.iter().filter_map(|at| table.columns.get(*at));
        let looked_at = Scan {
            // Read secret values: rows that differ only in a secret key are still different rows.
            secrets: Secrets::Show,
            keys: scan.keys.clone(),
            ..Scan::table(&*table.name).columns(names.map(|column| &*column.name))
        };
        let places: BTreeMap<usize, usize> = picked.into_iter().zip(0..).collect();
        Ok(Self {
            keys: keys
                .iter()
                .filter_map(|key| places.get(key).copied())
                .collect(),
            table: table.clone(),
            scan: scan.clone(),
            looked_at,
            places,
            before: Batch::default(),
        })
    }

    /// Returns the changes since the last call, even if the playback went backwards in between: new
    /// rows, rows with another value in a requested column, and ends of keys that are gone. The
    /// first call returns the whole state. Rows have the stamp of the current moment.
    ///
    /// # Errors
    /// Same as [`Playback::state`].
    pub fn next(&mut self, play: &mut dyn Playback) -> Result<Batch, Error> {
        let state = play.state(&self.looked_at)?;
        let now = play.now();
        let mut rows = self.scan.wanted(&self.table)?;
        let mut put = |batch: &Batch, row: usize, ends: bool| {
            rows.put(now, ends, |at| match self.places.get(&at) {
                Some(place) => batch.get(row, *place),
                None => Value::Null,
            });
        };
        let mut before = Before::of(&self.before, &self.keys);
        for row in 0..state.len() {
            let was = before.find(&state, row);
            if !was.is_some_and(|was| is_same(&self.before, was, &state, row)) {
                put(&state, row, false);
            }
        }
        for row in before.left() {
            put(&self.before, row, true);
        }
        self.before = state;
        Ok(rows.batch)
    }
}

/// The rows of the previous state.
struct Before<'b> {
    batch: &'b Batch,
    keys: &'b [usize],
    found: Vec<bool>,
    /// Where the next row is expected: most rows stay in the same place.
    next: usize,
    /// The row of each key; filled when the first row has moved.
    places: Option<HashMap<Vec<Owned>, usize>>,
}

impl<'b> Before<'b> {
    fn of(batch: &'b Batch, keys: &'b [usize]) -> Self {
        Self {
            batch,
            keys,
            found: vec![false; batch.len()],
            next: 0,
            places: None,
        }
    }

    /// Returns the previous row with the key of this row.
    fn find(&mut self, state: &Batch, row: usize) -> Option<usize> {
        let (batch, keys) = (self.batch, self.keys);
        let is_key = |was: usize| {
            let mut keys = keys.iter();
            keys.all(|key| batch.get(was, *key).is_same(state.get(row, *key)))
        };
        let was = if self.next < batch.len() && is_key(self.next) {
            Some(self.next)
        } else {
            let of =
                |batch: &Batch, row| keys.iter().map(|key| batch.get(row, *key).into()).collect();
            let places = self
                .places
                .get_or_insert_with(|| (0..batch.len()).map(|row| (of(batch, row), row)).collect());
            places.get(&of(state, row)).copied()
        };
        if let Some(was) = was {
            self.next = was + 1;
            if let Some(found) = self.found.get_mut(was) {
                *found = true;
            }
        }
        was
    }

    /// Returns the rows that were not found.
    fn left(&self) -> impl Iterator<Item = usize> + '_ {
        let found = self.found.iter().enumerate();
        found.filter_map(|(row, found)| (!found).then_some(row))
    }
}

fn is_same(before: &Batch, was: usize, now: &Batch, row: usize) -> bool {
    let mut columns = before.columns().iter().zip(now.columns());
    columns.all(|(before, now)| before.get(was).is_same(now.get(row)))
}

#[cfg(test)]
mod tests {
    use super::super::kit::{Made, Row, rows_of};
    use super::super::{ColumnDef, Kind};
    use super::*;
    use crate::clock::{At, Clocks, Stamp, Time};
    use crate::tape::Tape;

    fn at(step: u64) -> Stamp {
        Stamp {
            step,
            tick: None,
            time: Some(Time::from_ms(step as i64 * 10)),
        }
    }

    /// Three ships: one moves, one appears and one sinks. The order of the rows changes.
    fn ships() -> Made {
        let table = TableDef::new("ships", Lane::State, "Ships.")
            .with(ColumnDef::new("ship", Kind::Text, "Its name.").key())
            .with(ColumnDef::new("x", Kind::Float64, "Where.").unit("m"))
            .with(ColumnDef {
                secret: true,
                ..ColumnDef::new("code", Kind::Text, "Its password.")
            });
        let row = |step, ship: &'static str, x: f64, code: &'static str| {
            Row::new(at(step), [ship.into(), x.into(), code.into()])
        };
        let rows = vec![
            row(0, "b", f64::NAN, "k"),
            row(0, "c", 1.0, "k"),
            row(1, "c", 1.0, "k"),
            row(1, "a", 5.0, "k"),
            row(2, "c", -0.0, "k"),
            Row::end(at(2), ["b".into()]),
            row(3, "a", 5.0, "other"),
        ];
        Made::new(Clocks::TIMES, vec![(table, rows)])
    }

    fn told(changes: &mut Changes, play: &mut dyn Playback) -> Vec<String> {
        let batch = changes.next(play).unwrap();
        let rows = rows_of(&batch).map(|row| {
            assert_eq!(row.stamp, play.now());
            let values: Vec<String> = row
                .values
                .iter()
                .map(|v| format!("{:?}", v.value()))
                .collect();
            format!(
                "{}{}",
                if row.ended { "end " } else { "" },
                values.join(" ")
            )
        });
        rows.collect()
    }

    #[test]
    fn only_what_is_another_is_given() {
        let tape = ships();
        let mut play = (&tape as &dyn Tape).playback().unwrap();
        let ships = &tape.tables[0].0;
        let mut changes = Changes::of(ships, &Scan::table("ships").columns(["x", "ship"])).unwrap();
        let all = [r#"Float64(NaN) Text("b")"#, r#"Float64(1.0) Text("c")"#];
        assert_eq!(told(&mut changes, &mut *play), all);
        assert_eq!(told(&mut changes, &mut *play), [""; 0]);
        play.step().unwrap();
        assert_eq!(
            told(&mut changes, &mut *play),
            [r#"Float64(5.0) Text("a")"#]
        );
        play.step().unwrap();
        let sunk = [r#"Float64(-0.0) Text("c")"#, r#"end Null Text("b")"#];
        assert_eq!(told(&mut changes, &mut *play), sunk);
        // A change in a column that was not requested.
        play.step().unwrap();
        assert_eq!(told(&mut changes, &mut *play), [""; 0]);
        // Going backwards works as well.
        play.seek(At::Step(0)).unwrap();
        let back = [
            r#"Float64(NaN) Text("b")"#,
            r#"Float64(1.0) Text("c")"#,
            r#"end Null Text("a")"#,
        ];
        assert_eq!(told(&mut changes, &mut *play), back);
    }

    #[test]
    fn rows_are_told_apart_without_their_keys_and_secrets_are_kept() {
        let tape = ships();
        let mut play = (&tape as &dyn Tape).playback().unwrap();
        let ships = &tape.tables[0].0;
        let mut changes = Changes::of(ships, &Scan::table("ships").columns(["code"])).unwrap();
        let hidden = r#"Text("<hidden>")"#;
        assert_eq!(told(&mut changes, &mut *play), [hidden; 2]);
        play.seek(At::Step(3)).unwrap();
        let mut one =
            Changes::of(ships, &Scan::table("ships").columns(["x"]).key("ship", "a")).unwrap();
        assert_eq!(told(&mut one, &mut *play), ["Float64(5.0)"]);
        // One appeared and one is gone; their names were not requested.
        assert_eq!(told(&mut changes, &mut *play), [hidden, "end Null"]);
    }

    #[test]
    fn events_change_nothing() {
        let table = TableDef::new("shots", Lane::Events, "Shots.");
        let error = Changes::of(&table, &Scan::table("shots")).err().unwrap();
        assert!(matches!(error, ScanError::NoState { .. }));
        let none = Changes::of(&ships().tables[0].0, &Scan::table("ships").columns(["y"]));
        assert!(none.is_err());
    }
}
