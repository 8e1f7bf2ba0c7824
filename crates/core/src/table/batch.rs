//! Rows in columns.

use super::kind::Kind;
use crate::clock::{Stamp, Time};

/// A value of a row.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'a> {
    /// Missing.
    Null,
    /// Of a column of [`Kind::Bool`].
    Bool(bool),
    /// Of a column of [`Kind::Int`].
    Int(i64),
    /// Of a column of [`Kind::Uint`].
    Uint(u64),
    /// Of a column of [`Kind::Float32`].
    Float32(f32),
    /// Of a column of [`Kind::Float64`].
    Float64(f64),
    /// Of a column of [`Kind::Text`].
    Text(&'a str),
}

impl Value<'_> {
    /// Whether it is the same to the bit: a number that is none is the same as itself, and 0 is not -0.
    #[must_use]
    pub fn is_same(self, other: Value<'_>) -> bool {
        match (self, other) {
            (Self::Float32(a), Value::Float32(b)) => a.to_bits() == b.to_bits(),
            (Self::Float64(a), Value::Float64(b)) => a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

macro_rules! values {
    ($($from:ty => $kind:ident: $to:ty;)*) => { $(
        impl From<$from> for Value<'_> {
            fn from(value: $from) -> Self {
                Self::$kind(<$to>::from(value))
            }
        }
    )* };
}

values! {
    bool => Bool: bool;
    i8 => Int: i64; i16 => Int: i64; i32 => Int: i64; i64 => Int: i64;
    u8 => Uint: u64; u16 => Uint: u64; u32 => Uint: u64; u64 => Uint: u64;
    f32 => Float32: f32;
    f64 => Float64: f64;
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a, V: Into<Value<'a>>> From<Option<V>> for Value<'a> {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A value that is kept. Numbers with a fraction are ordered and told apart by their bits: one that is
/// none is the same as itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Owned {
    /// Missing.
    Null,
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Int`].
    Int(i64),
    /// Of [`Kind::Uint`].
    Uint(u64),
    /// The bits of a value of [`Kind::Float32`].
    Float32(u32),
    /// The bits of a value of [`Kind::Float64`].
    Float64(u64),
    /// Of [`Kind::Text`].
    Text(String),
}

impl Owned {
    /// The same, borrowed; of bits the number that they are.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Uint(value) => Value::Uint(*value),
            Self::Float32(bits) => Value::Float32(f32::from_bits(*bits)),
            Self::Float64(bits) => Value::Float64(f64::from_bits(*bits)),
            Self::Text(text) => Value::Text(text),
        }
    }

    /// The value of a kind that a text stands for, where that can tell rows apart.
    pub(super) fn parse(kind: Kind, text: &str) -> Option<Self> {
        match kind {
            Kind::Bool => text.parse().ok().map(Self::Bool),
            Kind::Int => text.parse().ok().map(Self::Int),
            Kind::Uint => text.parse().ok().map(Self::Uint),
            Kind::Text => Some(Self::Text(text.to_owned())),
            Kind::Float32 | Kind::Float64 => None,
        }
    }
}

impl From<Value<'_>> for Owned {
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Int(value) => Self::Int(value),
            Value::Uint(value) => Self::Uint(value),
            Value::Float32(value) => Self::Float32(value.to_bits()),
            Value::Float64(value) => Self::Float64(value.to_bits()),
            Value::Text(text) => Self::Text(text.to_owned()),
        }
    }
}

/// Texts one behind the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texts {
    text: String,
    /// Where each starts, and the last ends, in bytes: one more than there are texts.
    offsets: Vec<i32>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            text: String::new(),
            offsets: vec![0],
        }
    }
}

impl Texts {
    /// All of them.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where each starts in [`Texts::text`], and the last ends: one more than there are texts.
    #[must_use]
    pub fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// One of them; empty where there is none.
    #[must_use]
    pub fn get(&self, at: usize) -> &str {
        let range = self.offsets.get(at).zip(self.offsets.get(at + 1));
        let range = range.map(|(from, to)| *from as usize..*to as usize);
        range
            .and_then(|range| self.text.get(range))
            .unwrap_or_default()
    }

    fn push(&mut self, text: &str) {
        // Offsets have 31 bits: a batch ends long before they are used up.
        self.text.push_str(text);
        self.offsets
            .push(i32::try_from(self.text.len()).unwrap_or(i32::MAX));
    }

    fn clear(&mut self) {
        self.text.clear();
        self.offsets.truncate(1);
    }
}

/// The values of a column; what stands for one that is missing says nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Of [`Kind::Bool`].
    Bool(Vec<bool>),
    /// Of [`Kind::Int`].
    Int(Vec<i64>),
    /// Of [`Kind::Uint`].
    Uint(Vec<u64>),
    /// Of [`Kind::Float32`].
    Float32(Vec<f32>),
    /// Of [`Kind::Float64`].
    Float64(Vec<f64>),
    /// Of [`Kind::Text`].
    Text(Texts),
}

/// A column of a batch.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    values: Values,
    /// Which values are there; empty where all are.
    valid: Vec<bool>,
    len: usize,
}

impl Column {
    fn new(kind: Kind) -> Self {
        Self {
            values: match kind {
                Kind::Bool => Values::Bool(Vec::new()),
                Kind::Int => Values::Int(Vec::new()),
                Kind::Uint => Values::Uint(Vec::new()),
                Kind::Float32 => Values::Float32(Vec::new()),
                Kind::Float64 => Values::Float64(Vec::new()),
                Kind::Text => Values::Text(Texts::default()),
            },
            valid: Vec::new(),
            len: 0,
        }
    }

    /// One for each row; where a row has none, a 0 or an empty text: see [`Column::valid`].
    #[must_use]
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// Which values are there; `None` where all are.
    #[must_use]
    pub fn valid(&self) -> Option<&[bool]> {
        (!self.valid.is_empty()).then_some(&self.valid)
    }

    /// One value.
    #[must_use]
    pub fn get(&self, at: usize) -> Value<'_> {
        if at >= self.len || self.valid.get(at) == Some(&false) {
            return Value::Null;
        }
        let value = match &self.values {
            Values::Bool(values) => values.get(at).copied().map(Value::Bool),
            Values::Int(values) => values.get(at).copied().map(Value::Int),
            Values::Uint(values) => values.get(at).copied().map(Value::Uint),
            Values::Float32(values) => values.get(at).copied().map(Value::Float32),
            Values::Float64(values) => values.get(at).copied().map(Value::Float64),
            Values::Text(texts) => Some(Value::Text(texts.get(at))),
        };
        value.unwrap_or(Value::Null)
    }

    /// Adds a value. One of another kind than the column's is missing: tables are tested for that.
    #[inline]
    fn push(&mut self, value: Value<'_>) {
        let there = match (&mut self.values, value) {
            (Values::Bool(values), Value::Bool(value)) => put(values, value),
            (Values::Int(values), Value::Int(value)) => put(values, value),
            (Values::Uint(values), Value::Uint(value)) => put(values, value),
            (Values::Float32(values), Value::Float32(value)) => put(values, value),
            (Values::Float64(values), Value::Float64(value)) => put(values, value),
            (Values::Text(texts), Value::Text(text)) => {
                texts.push(text);
                true
            }
            (values, other) => {
                debug_assert_eq!(other, Value::Null, "of another kind than {values:?}");
                match values {
                    Values::Bool(values) => put(values, false),
                    Values::Int(values) => put(values, 0),
                    Values::Uint(values) => put(values, 0),
                    Values::Float32(values) => put(values, 0.0),
                    Values::Float64(values) => put(values, 0.0),
                    Values::Text(texts) => {
                        texts.push("");
                        true
                    }
                };
                false
            }
        };
        if !there && self.valid.is_empty() {
            self.valid.resize(self.len, true);
        }
        self.len += 1;
        if !self.valid.is_empty() || !there {
            self.valid.push(there);
        }
    }

    fn clear(&mut self) {
        match &mut self.values {
            Values::Bool(values) => values.clear(),
            Values::Int(values) => values.clear(),
            Values::Uint(values) => values.clear(),
            Values::Float32(values) => values.clear(),
            Values::Float64(values) => values.clear(),
            Values::Text(texts) => texts.clear(),
        }
        self.valid.clear();
        self.len = 0;
    }

    fn text_bytes(&self) -> usize {
        match &self.values {
            Values::Text(texts) => texts.text.len(),
            _ => 0,
        }
    }
}

fn put<V>(values: &mut Vec<V>, value: V) -> bool {
    values.push(value);
    true
}

/// Some rows of a table: their stamps, and the columns that were asked for.
///
/// A column is a plain slice with a slice that says which values are there: what Arrow builds arrays
/// of, with a copy a column.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Batch {
    steps: Vec<u64>,
    ticks: Vec<Option<u64>>,
    times: Vec<Option<Time>>,
    /// Which rows say that what they are of ended; empty where none does.
    ended: Vec<bool>,
    columns: Vec<Column>,
}

impl Batch {
    /// Without rows, of columns of these kinds.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self {
            columns: kinds.into_iter().map(Column::new).collect(),
            ..Self::default()
        }
    }

    /// How many rows it has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    /// True where it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps of the rows.
    #[must_use]
    pub fn steps(&self) -> &[u64] {
        &self.steps
    }

    /// The ticks of the rows, where the recording has a counter of its own.
    #[must_use]
    pub fn ticks(&self) -> &[Option<u64>] {
        &self.ticks
    }

    /// The times of the rows, where they are known.
    #[must_use]
    pub fn times(&self) -> &[Option<Time>] {
        &self.times
    }

    /// The columns, in the order in which they were asked for.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The stamp of a row.
    #[must_use]
    pub fn stamp(&self, row: usize) -> Stamp {
        Stamp {
            step: self.steps.get(row).copied().unwrap_or_default(),
            tick: self.ticks.get(row).copied().flatten(),
            time: self.times.get(row).copied().flatten(),
        }
    }

    /// The value of a row in a column.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Value<'_> {
        let column = self.columns.get(column);
        column.map_or(Value::Null, |column| column.get(row))
    }

    /// Adds a row: a value for each column.
    #[inline]
    pub fn push<'v>(&mut self, stamp: Stamp, values: impl IntoIterator<Item = Value<'v>>) {
        let mut values = values.into_iter();
        self.stamped(stamp);
        for column in &mut self.columns {
            column.push(values.next().unwrap_or(Value::Null));
        }
    }

    /// [`Batch::push`] of what `value` makes of each of these, one for each column.
    #[inline]
    pub(super) fn push_each<'v, T>(
        &mut self,
        stamp: Stamp,
        each: &[T],
        value: impl Fn(&T) -> Value<'v>,
    ) {
        self.stamped(stamp);
        for (column, from) in self.columns.iter_mut().zip(each) {
            column.push(value(from));
        }
    }

    #[inline]
    fn stamped(&mut self, stamp: Stamp) {
        self.steps.push(stamp.step);
        self.ticks.push(stamp.tick);
        self.times.push(stamp.time);
    }

    /// Adds a row that says that what has this key is no more: other values than the key's are missing.
    pub fn push_end<'v>(&mut self, stamp: Stamp, keys: impl IntoIterator<Item = Value<'v>>) {
        self.ended.resize(self.len(), false);
        self.push(stamp, keys);
        self.ended.push(true);
    }

    /// Whether a row of a state says that what has its key is no more.
    #[must_use]
    pub fn is_end(&self, row: usize) -> bool {
        self.ended.get(row) == Some(&true)
    }

    /// Takes all rows out, and keeps the space.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.ticks.clear();
        self.times.clear();
        self.ended.clear();
        self.columns.iter_mut().for_each(Column::clear);
    }

    /// Bytes of text that it holds.
    pub(super) fn text_bytes(&self) -> usize {
        self.columns.iter().map(Column::text_bytes).sum()
    }
}
