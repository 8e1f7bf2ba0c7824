//! Batches: rows stored as columns.

use std::iter::repeat_n;

use super::def::Kind;
use super::value::Value;
use crate::clock::{Stamp, Time};

/// Texts stored one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texts {
    text: String,
    /// The start of each text and the end of the last, in bytes: one more entry than there are
    /// texts.
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
    /// Returns all texts, joined.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the start of each text in [`Texts::text`] and the end of the last: one more entry
    /// than there are texts.
    #[must_use]
    pub fn offsets(&self) -> &[i32] {
        &self.offsets
    }

    /// Returns one text; empty if the index is out of range.
    #[must_use]
    pub fn get(&self, at: usize) -> &str {
        let range = self.offsets.get(at).zip(self.offsets.get(at + 1));
        let range = range.map(|(from, to)| *from as usize..*to as usize);
        range
            .and_then(|range| self.text.get(range))
            .unwrap_or_default()
    }

    /// Takes out the joined texts and their offsets, without a copy: see [`Texts::offsets`].
    #[must_use]
    pub fn into_parts(self) -> (String, Vec<i32>) {
        (self.text, self.offsets)
    }

    /// Creates an empty store with room for as much.
    fn emptied(&self) -> Self {
        let mut offsets = Vec::with_capacity(self.offsets.len());
        offsets.push(0);
        Self {
            text: String::with_capacity(self.text.len()),
            offsets,
        }
    }

    #[inline]
    fn push(&mut self, text: &str) {
        // Offsets have 31 bits; a batch ends long before they run out.
        self.text.push_str(text);
        self.offsets
            .push(i32::try_from(self.text.len()).unwrap_or(i32::MAX));
    }
}

/// The values of a column. The entry of a missing value is meaningless.
#[derive(Clone, PartialEq, Debug)]
pub enum Values {
    /// Values of [`Kind::Bool`].
    Bool(Vec<bool>),
    /// Values of [`Kind::Int`].
    Int(Vec<i64>),
    /// Values of [`Kind::Uint`].
    Uint(Vec<u64>),
    /// Values of [`Kind::Float32`].
    Float32(Vec<f32>),
    /// Values of [`Kind::Float64`].
    Float64(Vec<f64>),
    /// Values of [`Kind::Text`].
    Text(Texts),
}

/// A column of a batch.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    values: Values,
    /// Which values are present; empty if all are.
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

    /// Adds the values of several rows. The kind of the column is matched once for all of them. A value
    /// of the wrong kind is stored as missing; tests check that tables have none.
    #[inline]
    fn extend<'v>(&mut self, count: usize, value: &impl Fn(usize) -> Value<'v>) {
        let mut missing = MissingText {
            valid: &mut self.valid,
            len: self.len,
        };
        macro_rules! extend {
            ($values:ident, $kind:ident) => {
                $values.extend((0..count).map(|row| match value(row) {
                    Value::$kind(value) => value,
                    other => {
                        missing.push(row, other);
                        Default::default()
                    }
                }))
            };
        }
        match &mut self.values {
            Values::Bool(values) => extend!(values, Bool),
            Values::Int(values) => extend!(values, Int),
            Values::Uint(values) => extend!(values, Uint),
            Values::Float32(values) => extend!(values, Float32),
            Values::Float64(values) => extend!(values, Float64),
            Values::Text(texts) => (0..count).for_each(|row| {
                texts.push(match value(row) {
                    Value::Text(text) => text,
                    other => {
                        missing.push(row, other);
                        ""
                    }
                });
            }),
        }
        self.len += count;
        if !self.valid.is_empty() {
            self.valid.resize(self.len, true);
        }
    }

    /// Adds the values of several rows; `fill` may leave them out.
    #[inline]
    pub(super) fn fill<'v>(&mut self, count: usize, fill: impl FnOnce(&mut Filling<'_, 'v>)) {
        let end = self.len + count;
        fill(&mut Filling(FillPlace::Column(self, count)));
        if self.len < end {
            self.extend(end - self.len, &|_| Value::Null);
        }
    }

    /// Adds a value.
    #[inline]
    fn push(&mut self, value: Value<'_>) {
        match (&mut self.values, value) {
            (Values::Bool(values), Value::Bool(value)) => values.push(value),
            (Values::Int(values), Value::Int(value)) => values.push(value),
            (Values::Uint(values), Value::Uint(value)) => values.push(value),
            (Values::Float32(values), Value::Float32(value)) => values.push(value),
            (Values::Float64(values), Value::Float64(value)) => values.push(value),
            (Values::Text(texts), Value::Text(text)) => texts.push(text),
            (_, missing) => return self.extend(1, &|_| missing),
        }
        self.len += 1;
        if !self.valid.is_empty() {
            self.valid.push(true);
        }
    }

    /// Creates a column of the same kind without values, with room for as many.
    fn emptied(&self) -> Self {
        Self {
            values: match &self.values {
                Values::Bool(values) => Values::Bool(Vec::with_capacity(values.len())),
                Values::Int(values) => Values::Int(Vec::with_capacity(values.len())),
                Values::Uint(values) => Values::Uint(Vec::with_capacity(values.len())),
                Values::Float32(values) => Values::Float32(Vec::with_capacity(values.len())),
                Values::Float64(values) => Values::Float64(Vec::with_capacity(values.len())),
                Values::Text(texts) => Values::Text(texts.emptied()),
            },
            valid: Vec::new(),
            len: 0,
        }
    }

    /// Returns one value for each row. A missing value is 0 or an empty text here: see
    /// [`Column::valid`].
    #[must_use]
    pub const fn values(&self) -> &Values {
        &self.values
    }

    /// Returns which values are present; `None` if all are.
    #[must_use]
    pub fn valid(&self) -> Option<&[bool]> {
        (!self.valid.is_empty()).then_some(&self.valid)
    }

    /// Takes out the values, and which of them are present (`None` if all are), without a copy.
    #[must_use]
    pub fn into_parts(self) -> (Values, Option<Vec<bool>>) {
        let valid = (!self.valid.is_empty()).then_some(self.valid);
        (self.values, valid)
    }

    /// Returns the value of a row.
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

    fn text_bytes(&self) -> usize {
        match &self.values {
            Values::Text(texts) => texts.text.len(),
            _ => 0,
        }
    }
}

/// Notes which of the values that are added to a column are missing.
struct MissingText<'c> {
    valid: &'c mut Vec<bool>,
    len: usize,
}

impl MissingText<'_> {
    #[inline]
    fn push(&mut self, row: usize, value: Value<'_>) {
        debug_assert_eq!(value, Value::Null, "of another kind than its column");
        // Most columns lack nothing: they do without this vector.
        self.valid.resize(self.len + row, true);
        self.valid.push(false);
    }
}

/// Some rows of a table: their stamps, and the requested columns.
///
/// A column is a vector of values, and a vector that says which of them are present. Both can be
/// taken out without a copy, for example to become an Arrow array.
///
/// Stamps are there unless the scan did [without](super::Scan::without_stamps) them.
#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    len: usize,
    /// `None` if nobody asked for stamps.
    stamps: Option<Stamps>,
    /// Which rows end their key; empty if no row does.
    ended: Vec<bool>,
    columns: Vec<Column>,
}

/// The place of a column's values for some rows of one stamp: see
/// [`Scanning::rows`](super::Scanning::rows).
///
/// ```
/// use gametape_core::table::{Filling, Value};
/// let eyes = [1_u64, 6, 2];
/// let fill = |column: &mut Filling<'_, '_>| column.with(|row| eyes.get(row).copied().into());
/// assert_eq!(Filling::one(1, fill), Value::Uint(6));
/// ```
pub struct Filling<'f, 'v>(FillPlace<'f, 'v>);

enum FillPlace<'f, 'v> {
    /// The rows are added to a column.
    Column(&'f mut Column, usize),
    /// The value of one of the rows.
    Row(usize, &'f mut Value<'v>),
}

impl<'v> Filling<'_, 'v> {
    /// Takes the values, once: `value` returns that of a row, by its index.
    #[inline]
    pub fn with(&mut self, value: impl Fn(usize) -> Value<'v>) {
        match &mut self.0 {
            FillPlace::Column(column, count) => column.extend(*count, &value),
            FillPlace::Row(row, into) => **into = value(*row),
        }
    }

    /// Returns the value of one row from `fill`, which gives those of all.
    #[inline]
    pub fn one(row: usize, fill: impl FnOnce(&mut Filling<'_, 'v>)) -> Value<'v> {
        let mut value = Value::Null;
        fill(&mut Filling(FillPlace::Row(row, &mut value)));
        value
    }
}

/// The stamps of the rows of a batch, clock by clock.
#[derive(Clone, PartialEq, Default, Debug)]
struct Stamps {
    steps: Vec<u64>,
    ticks: Vec<Option<u64>>,
    times: Vec<Option<Time>>,
}

impl Batch {
    /// Creates a batch without rows, with columns of these kinds.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = Kind>) -> Self {
        Self {
            len: 0,
            stamps: Some(Stamps::default()),
            ended: Vec::new(),
            columns: kinds.into_iter().map(Column::new).collect(),
        }
    }

    /// Does without stamps: rows keep only the values of columns.
    #[must_use]
    pub fn without_stamps(self) -> Self {
        Self {
            stamps: None,
            ..self
        }
    }

    /// Takes out the rows, and leaves an empty batch of the same shape. The new columns have the
    /// capacity of the old ones, because the next batch is usually as long.
    pub(super) fn take(&mut self) -> Self {
        let empty = Self {
            len: 0,
            stamps: self.stamps.as_ref().map(|_| Stamps::default()),
            ended: Vec::new(),
            columns: self.columns.iter().map(Column::emptied).collect(),
        };
        std::mem::replace(self, empty)
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the steps of the rows; empty without stamps.
    #[must_use]
    pub fn steps(&self) -> &[u64] {
        self.stamps.as_ref().map_or(&[], |stamps| &stamps.steps)
    }

    /// Returns the ticks of the rows, `None` where the recording has no tick; empty without stamps.
    #[must_use]
    pub fn ticks(&self) -> &[Option<u64>] {
        self.stamps.as_ref().map_or(&[], |stamps| &stamps.ticks)
    }

    /// Returns the times of the rows, `None` where the time is unknown; empty without stamps.
    #[must_use]
    pub fn times(&self) -> &[Option<Time>] {
        self.stamps.as_ref().map_or(&[], |stamps| &stamps.times)
    }

    /// Returns the columns, in the requested order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Takes out the columns, in the requested order, without a copy.
    #[must_use]
    pub fn into_columns(self) -> Vec<Column> {
        self.columns
    }

    /// Returns the stamp of a row; step 0 without stamps.
    #[must_use]
    pub fn stamp(&self, row: usize) -> Stamp {
        Stamp {
            step: self.steps().get(row).copied().unwrap_or_default(),
            tick: self.ticks().get(row).copied().flatten(),
            time: self.times().get(row).copied().flatten(),
        }
    }

    /// Returns the value of a row in a column.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Value<'_> {
        let column = self.columns.get(column);
        column.map_or(Value::Null, |column| column.get(row))
    }

    /// Adds a row, with one value for each column.
    #[inline]
    pub fn push<'v>(&mut self, stamp: Stamp, values: impl IntoIterator<Item = Value<'v>>) {
        let mut values = values.into_iter();
        self.stamped(stamp, 1);
        for column in &mut self.columns {
            column.push(values.next().unwrap_or(Value::Null));
        }
    }

    /// Like [`Batch::push`], but `value` computes the value of each column from an item.
    #[inline]
    pub(super) fn push_each<'v, T>(
        &mut self,
        stamp: Stamp,
        each: &[T],
        value: impl Fn(&T) -> Value<'v>,
    ) {
        self.stamped(stamp, 1);
        for (column, from) in self.columns.iter_mut().zip(each) {
            column.push(value(from));
        }
    }

    /// Adds several rows of one stamp, column by column: `fill` adds the values of all rows to a column.
    #[inline]
    pub(super) fn push_rows<T>(
        &mut self,
        stamp: Stamp,
        count: usize,
        each: &[T],
        fill: impl Fn(&T, &mut Column),
    ) {
        for (column, from) in self.columns.iter_mut().zip(each) {
            fill(from, column);
        }
        self.stamped(stamp, count);
    }

    #[inline]
    fn stamped(&mut self, stamp: Stamp, count: usize) {
        self.len += count;
        if let Some(stamps) = &mut self.stamps {
            stamps.steps.extend(repeat_n(stamp.step, count));
            stamps.ticks.extend(repeat_n(stamp.tick, count));
            stamps.times.extend(repeat_n(stamp.time, count));
        }
    }

    /// Adds a row that ends a key: the thing with this key is gone. Values other than the key are
    /// missing.
    pub fn push_end<'v>(&mut self, stamp: Stamp, keys: impl IntoIterator<Item = Value<'v>>) {
        self.ended.resize(self.len(), false);
        self.push(stamp, keys);
        self.ended.push(true);
    }

    /// Returns whether a row of a state ends its key.
    #[must_use]
    pub fn is_end(&self, row: usize) -> bool {
        self.ended.get(row) == Some(&true)
    }

    /// Returns the number of bytes of text.
    pub(super) fn text_bytes(&self) -> usize {
        self.columns.iter().map(Column::text_bytes).sum()
    }
}

/// A batch without rows and columns.
impl Default for Batch {
    fn default() -> Self {
        Self::new([])
    }
}
