//! Stamps as columns.

use super::batch::Value;
use super::kind::Kind;
use crate::clock::{Stamp, Time};

/// A column that every table has beside its own: when a row is, and whether it ends what has its key.
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
    /// `tick`: the recording's own counter; missing where it has none.
    Tick,
    /// `time_ms`: milliseconds since the recording's start; missing where that is not known.
    Time,
    /// `ended`: true in a row of a state that says that what has its key is no more.
    Ended,
}

impl StampColumn {
    /// All of them, in the order in which rows show them.
    pub const ALL: [Self; 4] = [Self::Step, Self::Tick, Self::Time, Self::Ended];

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stamp| stamp.name() == name)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Tick => "tick",
            Self::Time => "time_ms",
            Self::Ended => "ended",
        }
    }

    /// The kind of its values.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Step | Self::Tick => Kind::Uint,
            Self::Time => Kind::Float64,
            Self::Ended => Kind::Bool,
        }
    }

    /// Its value in a row.
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

/// Whether no column of a table may be called that: so are the stamps, and `recording` is the column that
/// says from which recording a row is where there are several.
#[must_use]
pub fn is_reserved(name: &str) -> bool {
    name == "recording" || StampColumn::named(name).is_some()
}
