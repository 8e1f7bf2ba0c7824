//! Which rows of a scan are wanted.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use gametape_core::table::{Batch, Kind, Picked, Scan, ScanError, TableDef, Value};

/// The rows of a scan that are wanted: those that meet all conditions, and not more than so many.
///
/// ```
/// use gametape::{RowForm, Scan, Selection};
/// # let bytes = gametape_samples::mines::example();
/// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
/// let selection = Selection {
///     conditions: vec!["time_ms>=500".parse()?, "action=lmb_down".parse()?],
///     limit: Some(3),
/// };
/// let scan = Scan::table("mouse_events").columns(["x", "y"]);
/// let mut rows = Vec::new();
/// tape.write_rows(&scan, &selection, RowForm::Json, &mut rows)?.whole()?;
/// assert_eq!(rows.iter().filter(|byte| **byte == b'\n').count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// The conditions.
    pub conditions: Vec<Condition>,
    /// The largest number of rows.
    pub limit: Option<u64>,
}

/// A condition on the values of a column: `player=Ada`, `x>=-1.5`, `time_ms<500`, `face!=open`.
///
/// Numbers are compared as numbers, texts letter by letter. A missing value meets no condition, and
/// neither does a NaN, except `!=`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// The name of a column, or of a stamp.
    pub column: String,
    /// The comparison.
    pub compare: Comparison,
    /// The value on its right side.
    pub value: String,
}

/// A comparison of a column with a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

use Comparison::{AtLeast, AtMost, Equal, Greater, Less, Unequal};

/// Signs that start with the sign of another come first.
const SIGNS: [(&str, Comparison); 7] = [
    ("!=", Unequal),
    ("<=", AtMost),
    (">=", AtLeast),
    ("==", Equal),
    ("=", Equal),
    ("<", Less),
    (">", Greater),
];

impl Comparison {
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Equal => order == Some(Ordering::Equal),
            Unequal => order != Some(Ordering::Equal),
            Less => order == Some(Ordering::Less),
            AtMost => order.is_some_and(Ordering::is_le),
            Greater => order == Some(Ordering::Greater),
            AtLeast => order.is_some_and(Ordering::is_ge),
        }
    }
}

/// The text is no condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a condition is a column, one of = != < <= > >=, and a value: x>=1.5")]
pub struct ParseConditionError;

impl FromStr for Condition {
    type Err = ParseConditionError;

    fn from_str(text: &str) -> Result<Self, ParseConditionError> {
        let at = text.find(['=', '!', '<', '>']).ok_or(ParseConditionError)?;
        let (column, rest) = text.split_at(at);
        let mut signs = SIGNS.iter();
        let found = signs.find_map(|(sign, compare)| Some((rest.strip_prefix(sign)?, *compare)));
        let (value, compare) = found.ok_or(ParseConditionError)?;
        let column = column.trim();
        if column.is_empty() {
            return Err(ParseConditionError);
        }
        Ok(Self {
            column: column.to_owned(),
            compare,
            value: value.trim().to_owned(),
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of two signs the shorter one.
        let sign = SIGNS.iter().rfind(|(_, compare)| *compare == self.compare);
        let sign = sign.map_or("", |(sign, _)| sign);
        write!(f, "{}{sign}{}", self.column, self.value)
    }
}

impl Condition {
    const fn is_equality(&self) -> bool {
        matches!(self.compare, Equal | Unequal)
    }

    /// Returns the right side, to be compared with values of this kind; `None` if it cannot be.
    fn operand(&self, kind: Kind) -> Option<Operand> {
        let text = &self.value;
        match kind {
            Kind::Bool => text.parse().ok().map(Operand::Bool),
            Kind::Int | Kind::Uint => match text.parse() {
                Ok(whole) => Some(Operand::Whole(whole)),
                Err(_) => text.parse().ok().map(Operand::Float64),
            },
            Kind::Float32 => text.parse().ok().map(Operand::Float32),
            Kind::Float64 => text.parse().ok().map(Operand::Float64),
            Kind::Text => Some(Operand::Text(text.clone())),
        }
    }
}

/// The right side of a condition.
enum Operand {
    Bool(bool),
    Whole(i128),
    Float32(f32),
    Float64(f64),
    Text(String),
}

impl Operand {
    fn meets(&self, compare: Comparison, value: Value<'_>) -> bool {
        compare.holds(match (value, self) {
            (Value::Bool(value), Self::Bool(other)) => Some(value.cmp(other)),
            (Value::Int(value), Self::Whole(other)) => Some(i128::from(value).cmp(other)),
            (Value::Uint(value), Self::Whole(other)) => Some(i128::from(value).cmp(other)),
            (Value::Int(value), Self::Float64(other)) => (value as f64).partial_cmp(other),
            (Value::Uint(value), Self::Float64(other)) => (value as f64).partial_cmp(other),
            (Value::Float32(value), Self::Float32(other)) => value.partial_cmp(other),
            (Value::Float64(value), Self::Float64(other)) => value.partial_cmp(other),
            (Value::Text(value), Self::Text(other)) => Some(value.cmp(other)),
            // A missing value.
            _ => return false,
        })
    }
}

/// Where a condition finds its value in a batch.
enum ValuePlace {
    /// In the stamps.
    Stamps(gametape_core::table::StampColumn),
    /// In this column of the batch.
    Column(usize),
}

/// A selection over the batches of one scan: for programs that take batches themselves.
///
/// ```
/// use gametape::{Scan, Selecting, Selection};
/// # let bytes = gametape_samples::mines::example();
/// let tape = gametape::Recording::from_bytes(bytes, "game.rmv")?;
/// let selection = Selection { conditions: vec!["action=lmb_down".parse()?], limit: Some(3) };
/// let scan = Scan::table("mouse_events").columns(["x", "y"]);
/// let tables = tape.tables()?;
/// let mut selecting = Selecting::new(scan.find(&tables)?, &scan, &selection)?;
/// let mut rows = tape.tape().pull([selecting.scan.clone()]);
/// let mut count = 0;
/// while let Some((_, batch)) = rows.next_batch()? {
///     count += selecting.rows(&batch).len();
/// }
/// assert_eq!(count, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Selecting {
    /// The scan to run: that of the caller, with the columns that conditions need at its end.
    pub scan: Scan,
    conditions: Vec<(ValuePlace, Comparison, Operand)>,
    left: u64,
}

impl Selecting {
    /// Prepares a selection over the batches of a scan of this table.
    ///
    /// # Errors
    /// If a condition names no column, or has a value that its column cannot have.
    pub fn new(table: &TableDef, scan: &Scan, selection: &Selection) -> Result<Self, ScanError> {
        let mut scan = scan.clone();
        let mut conditions = Vec::new();
        for condition in &selection.conditions {
            let name = &condition.column;
            let [picked] = Scan::table(&*table.name).columns([name]).picked(table)?[..] else {
                continue;
            };
            let column = picked.column().and_then(|at| table.columns.get(at));
            let (kind, key) = match (picked, column) {
                (Picked::Stamp(stamp), _) => (stamp.kind(), false),
                (_, Some(column)) => (column.kind, column.key),
                (_, None) => continue,
            };
            let known = column.map(|column| column.values.iter().map(|value| &**value));
            let known: Vec<&str> = known.into_iter().flatten().collect();
            let (name, value) = (name.clone(), condition.value.clone());
            let Some(operand) = condition.operand(kind) else {
                return Err(ScanError::NotOfKind { name, kind, value });
            };
            if !known.is_empty() && condition.is_equality() && !known.contains(&value.as_str()) {
                return Err(ScanError::NeverIs {
                    known: known.into_iter().map(str::to_owned).collect(),
                    name,
                    value,
                });
            }
            if key && condition.compare == Equal && !matches!(kind, Kind::Float32 | Kind::Float64) {
                // The format may know where such rows are.
                scan = scan.key(name, value);
                continue;
            }
            let place = match (&mut scan.columns, picked) {
                (None, Picked::Stamp(stamp)) => ValuePlace::Stamps(stamp),
                (None, Picked::Column(at)) => ValuePlace::Column(at),
                (Some(columns), _) => {
                    let known = columns.iter().position(|column| *column == name);
                    ValuePlace::Column(known.unwrap_or_else(|| {
                        columns.push(name);
                        columns.len() - 1
                    }))
                }
            };
            conditions.push((place, condition.compare, operand));
        }
        Ok(Self {
            scan,
            conditions,
            left: selection.limit.unwrap_or(u64::MAX),
        })
    }

    /// Returns the wanted rows of a batch.
    pub fn rows(&mut self, batch: &Batch) -> Vec<usize> {
        let holds = |row: &usize| {
            self.conditions.iter().all(|(place, compare, operand)| {
                let value = match place {
                    ValuePlace::Stamps(stamp) => stamp.value(batch.stamp(*row), batch.is_end(*row)),
                    ValuePlace::Column(at) => batch.get(*row, *at),
                };
                operand.meets(*compare, value)
            })
        };
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let rows: Vec<usize> = (0..batch.len()).filter(holds).take(most).collect();
        self.left -= rows.len() as u64;
        rows
    }

    /// Whether no more rows are wanted.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_they_are_written() {
        for text in ["a=1", "a!=b", "x<-1.5", "x<=0", "t>3", "t>=4", "name=a=b<c"] {
            assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
        }
        assert_eq!("x >= 3".parse::<Condition>(), "x>=3".parse());
        assert_eq!("x==3".parse::<Condition>(), "x=3".parse());
        for text in ["", "x", "=3", "x!3", " <1"] {
            assert_eq!(
                text.parse::<Condition>(),
                Err(ParseConditionError),
                "{text:?}"
            );
        }
    }

    #[test]
    fn values_are_compared_by_their_kind() {
        let of = |text: &str, kind: Kind, value: Value<'_>| {
            let condition: Condition = text.parse().unwrap();
            condition
                .operand(kind)
                .unwrap()
                .meets(condition.compare, value)
        };
        let holds = |text: &str, value: Value<'_>| {
            let kind = match value {
                Value::Null | Value::Int(_) => Kind::Int,
                Value::Uint(_) => Kind::Uint,
                Value::Bool(_) => Kind::Bool,
                Value::Float32(_) => Kind::Float32,
                Value::Float64(_) => Kind::Float64,
                Value::Text(_) => Kind::Text,
            };
            of(text, kind, value)
        };
        assert!(holds("a<10", Value::Int(9)) && holds("a<9.5", Value::Int(9)));
        assert!(holds("a>9", Value::Text("a")) && !holds("a<10", Value::Text("9")));
        assert!(holds("a=0.1", Value::Float32(0.1)) && holds("a=0.1", Value::Float64(0.1)));
        let large = u64::MAX - 1;
        assert!(holds(&format!("a={large}"), large.into()));
        assert!(!holds(&format!("a={}", u64::MAX), large.into()));
        for sign in ["=", "!=", "<", "<=", ">", ">="] {
            assert!(!holds(&format!("a{sign}1"), Value::Null), "{sign}");
            let is_not = sign == "!=";
            assert_eq!(
                holds(&format!("a{sign}1"), f64::NAN.into()),
                is_not,
                "{sign}"
            );
        }
        assert!(holds("a=true", true.into()) && holds("a!=true", false.into()));
    }
}
