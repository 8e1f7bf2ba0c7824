//! Stamps as columns.

use super::kind::Kind;
use super::value::Value;
use crate::clock::{Stamp, Time};

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
