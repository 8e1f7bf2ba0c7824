//! Requests for the rows of a table, and stamps as columns.

use std::cmp::Ordering;

use super::def::{Kind, TableDef};
use super::scan_error::ScanError;
use super::value::{Owned, Value};
use crate::clock::{At, Stamp, Time};
use crate::tape::Secrets;
use crate::text::nearest;

/// A request for rows of a table: columns, a range, filters.
///
/// ```
/// use gametape_core::At;
/// use gametape_core::table::{Late, Scan};
/// let scan = Scan::table("players")
///     .columns(["time_ms", "head_x"])
///     .without_stamps()
///     .from(At::Step(600))
///     .key("player", "3");
/// assert_eq!(scan.late, Late::End);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Scan {
    /// The name of the table.
    pub table: String,
    /// The requested columns in their order, [stamps](StampColumn) included; a batch has exactly
    /// these. `None` requests all of the table's own columns; an empty list requests none, so that
    /// rows have stamps only. Other columns are not decoded.
    pub columns: Option<Vec<String>>,
    /// Whether batches have the stamps of their rows ([`Batch::stamp`](super::Batch::stamp)) in
    /// addition to the columns. They do by default.
    pub stamps: bool,
    /// Only rows at or after this moment.
    pub from: Option<At>,
    /// Only rows at or before this moment; times are compared to the millisecond.
    pub to: Option<At>,
    /// The meaning of `to` where a clock goes backwards.
    pub late: Late,
    /// Only rows whose key columns have these values, given as text.
    pub keys: Vec<(String, String)>,
    /// Whether values of secret columns are shown.
    pub secrets: Secrets,
}

/// The meaning of a range's end in a recording whose ticks or times go backwards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Late {
    /// The first row after the range ends the scan, as in a player. Later rows are not read, even
    /// if the clock went back into the range.
    #[default]
    End,
    /// Rows after the range are left out, as in a query: all rows that lie in the range are given,
    /// wherever they are recorded.
    Skip,
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
            columns: None,
            stamps: true,
            from: None,
            to: None,
            late: Late::End,
            keys: Vec::new(),
            secrets: Secrets::Hide,
        }
    }

    /// Requests these columns.
    #[must_use]
    pub fn columns<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        Self {
            columns: Some(names.into_iter().map(Into::into).collect()),
            ..self
        }
    }

    /// Does without the stamps of rows: batches have only the requested columns, and nothing is
    /// built for [`Batch::stamp`](super::Batch::stamp).
    #[must_use]
    pub fn without_stamps(self) -> Self {
        Self {
            stamps: false,
            ..self
        }
    }

    /// Requests all rows that lie in the range, wherever they are recorded: see [`Late::Skip`].
    #[must_use]
    pub fn wherever(self) -> Self {
        Self {
            late: Late::Skip,
            ..self
        }
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
        let Some(columns) = &self.columns else {
            return Ok((0..table.columns.len()).map(Picked::Column).collect());
        };
        let pick = |name: &String| match StampColumn::named(name) {
            Some(stamp) => Ok(Picked::Stamp(stamp)),
            None => column(table, name).map(Picked::Column),
        };
        let picked: Vec<Picked> = columns.iter().map(pick).collect::<Result<_, _>>()?;
        for (at, name) in columns.iter().enumerate() {
            if columns.iter().take(at).any(|before| before == name) {
                let name = name.clone();
                return Err(ScanError::Twice { name });
            }
        }
        Ok(picked)
    }

    /// Returns the index that a column has in the batches of this scan.
    ///
    /// ```
    /// use gametape_core::table::{ColumnDef, Kind, Lane, Scan, TableDef};
    ///
    /// let throws = TableDef::new("throws", Lane::Events, "Throws of dice.")
    ///     .with(ColumnDef::new("player", Kind::Text, "Who threw."))
    ///     .with(ColumnDef::new("eyes", Kind::Uint, "What was thrown."));
    /// let scan = Scan::table("throws").columns(["eyes", "time_ms"]);
    /// assert_eq!(scan.column(&throws, "time_ms")?, 1);
    /// assert_eq!(Scan::table("throws").column(&throws, "eyes")?, 1); // all columns, in their order
    /// let error = scan.column(&throws, "player").unwrap_err();
    /// assert_eq!(error.to_string(), "the scan does not ask for player");
    /// # Ok::<(), gametape_core::table::ScanError>(())
    /// ```
    ///
    /// # Errors
    /// [`ScanError::NoColumn`], [`ScanError::NotAsked`]; the errors of [`Scan::picked`].
    pub fn column(&self, table: &TableDef, name: &str) -> Result<usize, ScanError> {
        let mut picked = self.picked(table)?.into_iter();
        if let Some(at) = picked.position(|picked| picked.name(table) == name) {
            return Ok(at);
        }
        if StampColumn::named(name).is_none() {
            column(table, name)?;
        }
        let name = name.to_owned();
        Err(ScanError::NotAsked { name })
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

/// A column that every table has in addition to its own: when a row occurs, and whether it ends its
/// key.
///
/// ```
/// use gametape_core::Stamp;
/// use gametape_core::table::{StampColumn, Value};
/// let stamp = Stamp { step: 3, tick: Some(9), time: None };
/// assert_eq!(StampColumn::named("tick"), Some(StampColumn::Tick));
/// assert_eq!(StampColumn::Tick.value(stamp, false), Value::Uint(9));
/// assert_eq!(StampColumn::Time.value(stamp, false), Value::Null);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StampColumn {
    /// `step`: the ordinal of the frame, packet or event, from 0.
    Step,
    /// `tick`: the recording's own counter; missing if it has none.
    Tick,
    /// `time_ms`: milliseconds since the recording's start; missing if unknown.
    Time,
    /// `ended`: true in a row of a state that ends its key.
    Ended,
}

impl StampColumn {
    /// All stamp columns, in the order in which rows show them.
    pub const ALL: [Self; 4] = [Self::Step, Self::Tick, Self::Time, Self::Ended];

    /// Returns the stamp column with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stamp| stamp.name() == name)
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Tick => "tick",
            Self::Time => "time_ms",
            Self::Ended => "ended",
        }
    }

    /// Returns the kind of the values.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Step | Self::Tick => Kind::Uint,
            Self::Time => Kind::Float64,
            Self::Ended => Kind::Bool,
        }
    }

    /// Returns the value for a row.
    #[must_use]
    pub fn value(self, stamp: Stamp, ended: bool) -> Value<'static> {
        match self {
            Self::Step => stamp.step.into(),
            Self::Tick => stamp.tick.into(),
            Self::Time => stamp.time.map(Time::ms).into(),
            Self::Ended => ended.into(),
        }
    }
}

/// Returns whether this name is reserved, so that no column of a table may have it: the names of
/// stamps, and `recording`, the column that names the recording of a row when several are read
/// together.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    name == "recording" || StampColumn::named(name).is_some()
}
