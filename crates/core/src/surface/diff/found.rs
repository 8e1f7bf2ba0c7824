//! The result of a comparison.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::clock::Stamp;
use crate::table::Owned;
use crate::tape::number;
use crate::text::Counted;

/// The maximum number of columns named in a line of text; JSON has all of them.
const SHOWN: usize = 6;

/// A value in a row that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// The value; [`Owned::Null`] if it is missing in that row.
    Is(Owned),
    /// A secret value.
    Hidden,
    /// There is no such row.
    NoRow,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Is(value) => value.value().serialize(serializer),
            Self::Hidden => serializer.serialize_str("<hidden>"),
            Self::NoRow => serializer.serialize_none(),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(Owned::Null) => f.write_str("missing"),
            Self::Is(Owned::Text(text)) => write!(f, "{text:?}"),
            // There are many NaNs, and two of them may be the difference.
            Self::Is(Owned::Float32(bits)) if f32::from_bits(*bits).is_nan() => {
                write!(f, "NaN ({bits:#010x})")
            }
            Self::Is(Owned::Float64(bits)) if f64::from_bits(*bits).is_nan() => {
                write!(f, "NaN ({bits:#018x})")
            }
            Self::Is(value) => value.value().fmt(f),
            Self::Hidden => f.write_str("<hidden>"),
            Self::NoRow => f.write_str("no row"),
        }
    }
}

/// One of the two recordings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The recording that was given first.
    First,
    /// The recording that was given second.
    Second,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

/// The first row that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowDiff {
    /// The stamp of the new row, from the first recording if both have one; `None` for facts.
    pub stamp: Option<Stamp>,
    /// The columns and values that identify the row: its key, or the first values of an event that
    /// only one recording has.
    pub key: Vec<(String, Cell)>,
    /// The first column that differs; `None` if only one recording has the row.
    pub column: Option<String>,
    /// The column's value in the first recording.
    pub first: Cell,
    /// The column's value in the second recording.
    pub second: Cell,
    /// The column's unit.
    pub unit: String,
}

/// Writes the key as an object, and the stamp as elsewhere in JSON.
impl Serialize for RowDiff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'r> {
            step: Option<u64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            tick: Option<u64>,
            time_ms: Option<serde_json::Value>,
            #[serde(serialize_with = "as_map")]
            key: &'r [(String, Cell)],
            column: Option<&'r str>,
            first: &'r Cell,
            second: &'r Cell,
            unit: &'r str,
        }
        Row {
            step: self.stamp.map(|stamp| stamp.step),
            tick: self.stamp.and_then(|stamp| stamp.tick),
            time_ms: self
                .stamp
                .and_then(|stamp| stamp.time)
                .map(|time| number(time.ms())),
            key: &self.key,
            column: self.column.as_deref(),
            first: &self.first,
            second: &self.second,
            unit: &self.unit,
        }
        .serialize(serializer)
    }
}

fn as_map<S: Serializer, V: Serialize>(
    pairs: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// For example `step 137, tick 9, 1:23.4: player 3: head_x is 1.5 m in the first, 1.6 m in the
/// second`.
impl fmt::Display for RowDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        if let Some(stamp) = self.stamp {
            let tick = stamp.tick.map(|tick| format!(", tick {tick}"));
            let time = stamp.time.map(|time| format!(", {time}"));
            let [tick, time] = [tick, time].map(Option::unwrap_or_default);
            said.push(format!("step {}{tick}{time}", stamp.step));
        }
        let key = self.key.iter();
        let key: Vec<String> = key.map(|(name, value)| format!("{name} {value}")).collect();
        if !key.is_empty() {
            said.push(key.join(", "));
        }
        let Some(column) = &self.column else {
            let (in_, not) = match self.first {
                Cell::NoRow => (Which::Second, Which::First),
                _ => (Which::First, Which::Second),
            };
            said.push(format!("is in the {in_}, and not in the {not}"));
            return f.write_str(&said.join(": "));
        };
        let unit = |cell: &Cell| match cell {
            // A text says itself what it is of, such as the zone of a time.
            Cell::Is(Owned::Null | Owned::Text(_)) | Cell::Hidden | Cell::NoRow => String::new(),
            Cell::Is(_) if self.unit.is_empty() => String::new(),
            Cell::Is(_) => format!(" {}", self.unit),
        };
        let (first, second) = (&self.first, &self.second);
        said.push(format!(
            "{column} is {first}{} in the first, {second}{} in the second",
            unit(first),
            unit(second)
        ));
        f.write_str(&said.join(": "))
    }
}

/// The differences in a table.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct TableDiff {
    /// The table's name.
    pub table: String,
    /// The recording that has the table, if the other does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_in: Option<Which>,
    /// The number of rows that are in both recordings and differ.
    pub rows: u64,
    /// The number of rows that only the first recording has.
    pub only_first: u64,
    /// The number of rows that only the second recording has.
    pub only_second: u64,
    /// The number of rows that are the same in both recordings but at other moments, because
    /// something was inserted or left out before them. If this is not 0, `rows` is 0, and only rows
    /// that one recording lacks are counted in addition.
    #[serde(skip_serializing_if = "is_none")]
    pub moved: u64,
    /// The columns that differ, and in how many rows that are in both recordings.
    #[serde(serialize_with = "as_map")]
    pub columns: Vec<(String, u64)>,
    /// Columns that only one recording has, or whose kinds differ; they are not compared.
    pub not_compared: Vec<String>,
    /// Columns that one recording does not keep, and which recording that is; they are not
    /// compared.
    #[serde(serialize_with = "as_map", skip_serializing_if = "Vec::is_empty")]
    pub not_recorded: Vec<(String, Which)>,
    /// The first row that differs.
    pub first: Option<RowDiff>,
}

// serde passes fields by reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_none(count: &u64) -> bool {
    *count == 0
}

/// For example `players: 12 rows differ (head_x in 12, ping in 3); first at …`.
impl fmt::Display for TableDiff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.table)?;
        if let Some(which) = self.only_in {
            return write!(f, "only the {which} has this table");
        }
        let mut said = Vec::new();
        if self.rows > 0 {
            let differ = if self.rows == 1 { "differs" } else { "differ" };
            let mut columns: Vec<&(String, u64)> = self.columns.iter().collect();
            columns.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
            let shown = columns.iter().take(SHOWN);
            let mut columns: Vec<String> = shown
                .map(|(name, rows)| format!("{name} in {rows}"))
                .collect();
            let more = (self.columns.len() as u64).saturating_sub(SHOWN as u64);
            if more > 0 {
                columns.push(format!("{more} more"));
            }
            let rows = Counted(self.rows, "row");
            said.push(format!("{rows} {differ} ({})", columns.join(", ")));
        }
        for (count, which) in [
            (self.only_first, Which::First),
            (self.only_second, Which::Second),
        ] {
            if count > 0 {
                said.push(format!("{} only in the {which}", Counted(count, "row")));
            }
        }
        if self.moved > 0 {
            let are = if self.moved == 1 { "is" } else { "are" };
            let rows = Counted(self.moved, "row");
            said.push(format!("{rows} {are} the same at another moment"));
        }
        if !self.not_compared.is_empty() {
            said.push(format!("not compared: {}", self.not_compared.join(", ")));
        }
        for by in [Which::First, Which::Second] {
            let columns = self.not_recorded.iter().filter(|(_, which)| *which == by);
            let columns: Vec<&str> = columns.map(|(name, _)| &**name).collect();
            if !columns.is_empty() {
                said.push(format!("not recorded by the {by}: {}", columns.join(", ")));
            }
        }
        f.write_str(&said.join("; "))?;
        match &self.first {
            Some(first) if first.stamp.is_some() => write!(f, "; first at {first}"),
            Some(first) => write!(f, "; {first}"),
            None => Ok(()),
        }
    }
}

/// The differences between the tables of two recordings.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TablesDiff {
    /// Tables that differ, in the order of the first recording's.
    pub tables: Vec<TableDiff>,
    /// The steps at which something differs.
    pub steps: Vec<u64>,
}

impl TablesDiff {
    pub(super) fn put(&mut self, (table, steps): (TableDiff, Vec<u64>)) {
        let counts = [table.rows, table.only_first, table.only_second, table.moved];
        let differs = counts.iter().any(|count| *count > 0)
            || table.only_in.is_some()
            || !table.not_compared.is_empty()
            || !table.not_recorded.is_empty();
        if differs {
            self.tables.push(table);
            self.steps.extend(steps);
        }
    }

    /// Returns the first row that differs in any table, with the table's name.
    #[must_use]
    pub fn first(&self) -> Option<(&str, &RowDiff)> {
        let firsts = self.tables.iter().filter_map(|table| {
            let first = table.first.as_ref()?;
            Some((table.table.as_str(), first))
        });
        // Facts come after everything that has a moment.
        firsts.min_by_key(|(_, first)| (first.stamp.is_none(), first.stamp.map(|stamp| stamp.step)))
    }
}
