//! Columns of a batch as Arrow arrays.

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, TimestampMicrosecondBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int32Array,
    Int64Array, StringArray, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use gametape_core::table::{Column, Texts, Values};

/// Why a value cannot be given as its Arrow column has it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// An unsigned integer is too large for a column of signed integers.
    #[error("{column} is {value}, which does not fit into a signed integer of 64 bits")]
    TooLarge {
        /// The column.
        column: String,
        /// The value.
        value: u64,
    },
    /// A text should be a date and a time of day.
    #[error("{column} is \"{text}\", which is no date and time")]
    NoTime {
        /// The column.
        column: String,
        /// The text.
        text: String,
    },
    /// The values are of another kind than in the recordings of which the schema was made.
    #[error("{column} is of another kind than in the other recordings")]
    Kind {
        /// The column.
        column: String,
    },
}

/// The type of an Arrow column.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    name: String,
    to: DataType,
    /// The texts that are known, for a dictionary.
    known: Arc<StringArray>,
}

/// An array, and the first row whose value it cannot give, with the reason.
pub(crate) struct Made {
    pub array: ArrayRef,
    pub wrong: Option<(usize, ArrayError)>,
}

impl Made {
    fn right(array: impl Array + 'static) -> Self {
        Self {
            array: Arc::new(array),
            wrong: None,
        }
    }
}

impl Type {
    pub fn new<'v>(name: &str, to: &DataType, known: impl IntoIterator<Item = &'v str>) -> Self {
        Self {
            name: name.to_owned(),
            to: to.clone(),
            known: Arc::new(known.into_iter().map(Some).collect()),
        }
    }

    /// Returns so many missing values.
    pub fn missing(&self, len: usize) -> ArrayRef {
        new_null_array(&self.to, len)
    }

    /// Moves a column into an array. Numbers and texts are not copied.
    pub fn array(&self, column: Column) -> Result<Made, ArrowError> {
        let (values, valid) = column.into_parts();
        let nulls = match &values {
            Values::Text(texts) => present(texts, valid),
            _ => valid,
        };
        let nulls = nulls.map(NullBuffer::from);
        Ok(match (&self.to, values) {
            (DataType::Boolean, Values::Bool(values)) => {
                Made::right(BooleanArray::new(BooleanBuffer::from(values), nulls))
            }
            (DataType::Int64, Values::Int(values)) => {
                Made::right(Int64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Int64, Values::Uint(values)) => {
                let fits = |value: &u64| i64::try_from(*value).is_ok();
                let wrong = values.iter().enumerate().find(|(_, value)| !fits(value));
                let wrong = wrong.map(|(row, value)| {
                    let column = self.name.clone();
                    let value = *value;
                    (row, ArrayError::TooLarge { column, value })
                });
                // In place: a vector of the same size is used again.
                let values: Vec<i64> = values.into_iter().map(u64::cast_signed).collect();
                Made {
                    wrong,
                    ..Made::right(Int64Array::try_new(values.into(), nulls)?)
                }
            }
            (DataType::UInt64, Values::Uint(values)) => {
                Made::right(UInt64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Float32, Values::Float32(values)) => {
                Made::right(Float32Array::try_new(values.into(), nulls)?)
            }
            (DataType::Float64, Values::Float64(values)) => {
                Made::right(Float64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Float64, Values::Int(values)) => {
                let values: Vec<f64> = values.into_iter().map(|value| value as f64).collect();
                Made::right(Float64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Float64, Values::Uint(values)) => {
                let values: Vec<f64> = values.into_iter().map(|value| value as f64).collect();
                Made::right(Float64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Float64, Values::Float32(values)) => {
                let values: Vec<f64> = values.into_iter().map(f64::from).collect();
                Made::right(Float64Array::try_new(values.into(), nulls)?)
            }
            (DataType::Utf8, Values::Text(texts)) => {
                let (text, offsets) = texts.into_parts();
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                let text = Buffer::from(text.into_bytes());
                Made::right(StringArray::try_new(offsets, text, nulls)?)
            }
            (DataType::Dictionary(..), Values::Text(texts)) => {
                Made::right(self.dictionary(&texts, nulls.as_ref())?)
            }
            (DataType::Timestamp(_, zone), Values::Text(texts)) => {
                self.times(&texts, nulls.as_ref(), zone.clone())
            }
            (_, values) => {
                let column = self.name.clone();
                Made {
                    array: self.missing(len(&values)),
                    wrong: Some((0, ArrayError::Kind { column })),
                }
            }
        })
    }

    /// Encodes texts by the list of known ones; others are added to it.
    fn dictionary(
        &self,
        texts: &Texts,
        nulls: Option<&NullBuffer>,
    ) -> Result<DictionaryArray<arrow_array::types::Int32Type>, ArrowError> {
        let known = &self.known;
        let mut others: Vec<&str> = Vec::new();
        let mut keys = Int32Builder::with_capacity(count(texts));
        // Values often come several times in a row.
        let mut last = None;
        for row in 0..count(texts) {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                keys.append_null();
                continue;
            }
            let text = texts.get(row);
            let key = match last {
                Some((key, before)) if before == text => key,
                _ => {
                    let of_known = known.iter().position(|known| known == Some(text));
                    of_known.unwrap_or_else(|| {
                        let other = others.iter().position(|other| *other == text);
                        known.len()
                            + other.unwrap_or_else(|| {
                                others.push(text);
                                others.len() - 1
                            })
                    })
                }
            };
            last = Some((key, text));
            keys.append_value(i32::try_from(key).unwrap_or(i32::MAX));
        }
        let values: Arc<StringArray> = if others.is_empty() {
            Arc::clone(known)
        } else {
            let known = known.iter().flatten();
            Arc::new(StringArray::from_iter_values(known.chain(others)))
        };
        DictionaryArray::try_new(keys.finish(), values)
    }

    fn times(&self, texts: &Texts, nulls: Option<&NullBuffer>, zone: Option<Arc<str>>) -> Made {
        let mut wrong = None;
        let mut times = TimestampMicrosecondBuilder::with_capacity(count(texts));
        for row in 0..count(texts) {
            let text = texts.get(row);
            let time = match nulls {
                Some(nulls) if nulls.is_null(row) => None,
                _ => {
                    let time = microseconds(text, zone.is_some());
                    if time.is_none() && wrong.is_none() {
                        let (column, text) = (self.name.clone(), text.to_owned());
                        wrong = Some((row, ArrayError::NoTime { column, text }));
                    }
                    time
                }
            };
            times.append_option(time);
        }
        let times = times.finish().with_timezone_opt(zone);
        Made {
            wrong,
            ..Made::right(times)
        }
    }
}

/// Parses a date and a time of day as microseconds since 1970: with an offset from UTC, or in a zone
/// that is not known.
fn microseconds(text: &str, has_offset: bool) -> Option<i64> {
    if has_offset {
        let time: jiff::Timestamp = text.parse().ok()?;
        return Some(time.as_microsecond());
    }
    let text = text.replace('/', "-");
    let time: jiff::civil::DateTime = text.parse().ok()?;
    let time = jiff::tz::Offset::UTC.to_timestamp(time).ok()?;
    Some(time.as_microsecond())
}

/// Says which texts are there. An empty one is not: a field that nobody filled says nothing.
fn present(texts: &Texts, valid: Option<Vec<bool>>) -> Option<Vec<bool>> {
    let is_empty = |ends: &[i32]| matches!(ends, [from, to] if from == to);
    let mut ends = texts.offsets().windows(2);
    if !ends.clone().any(is_empty) {
        return valid;
    }
    let mut valid = valid.unwrap_or_else(|| vec![true; count(texts)]);
    for valid in &mut valid {
        *valid &= !ends.next().is_some_and(is_empty);
    }
    Some(valid)
}

fn count(texts: &Texts) -> usize {
    texts.offsets().len().saturating_sub(1)
}

fn len(values: &Values) -> usize {
    match values {
        Values::Bool(values) => values.len(),
        Values::Int(values) => values.len(),
        Values::Uint(values) => values.len(),
        Values::Float32(values) => values.len(),
        Values::Float64(values) => values.len(),
        Values::Text(texts) => count(texts),
    }
}

/// Returns one text so many times, as a dictionary.
pub(crate) fn same_text(text: &Arc<StringArray>, len: usize) -> Result<ArrayRef, ArrowError> {
    let keys = Int32Array::from(vec![0; len]);
    Ok(Arc::new(DictionaryArray::try_new(
        keys,
        Arc::clone(text) as ArrayRef,
    )?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::dictionary;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, TimestampMicrosecondType};
    use gametape_core::Stamp;
    use gametape_core::table::{Batch, Kind, Value};

    fn column<'v>(kind: Kind, values: impl IntoIterator<Item = Value<'v>>) -> Column {
        let mut batch = Batch::new([kind]).without_stamps();
        for value in values {
            batch.push(Stamp::default(), [value]);
        }
        batch.into_columns().remove(0)
    }

    #[test]
    fn an_unsigned_value_that_does_not_fit_is_named_with_its_row() {
        let values = [1, u64::MAX, 2].map(Value::Uint);
        let of = Type::new("seed", &DataType::Int64, []);
        let made = of.array(column(Kind::Uint, values)).unwrap();
        assert_eq!(made.array.as_primitive::<Int64Type>().value(2), 2);
        let (row, error) = made.wrong.unwrap();
        assert_eq!(row, 1);
        let told =
            "seed is 18446744073709551615, which does not fit into a signed integer of 64 bits";
        assert_eq!(error.to_string(), told);
    }

    #[test]
    fn texts_beyond_the_known_ones_are_kept() {
        let values = ["b", "b", "odd", "a"].map(Value::Text);
        let values = values.into_iter().chain([Value::Null]);
        let of = Type::new("action", &dictionary(), ["a", "b"]);
        let made = of.array(column(Kind::Text, values)).unwrap();
        let array = made.array.as_dictionary::<arrow_array::types::Int32Type>();
        let texts = array.downcast_dict::<StringArray>().unwrap();
        let texts: Vec<Option<&str>> = texts.into_iter().collect();
        assert_eq!(texts, [Some("b"), Some("b"), Some("odd"), Some("a"), None]);
    }

    #[test]
    fn dates_are_timestamps_and_what_is_no_date_is_named() {
        let zone = Some("UTC".into());
        let utc = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, zone);
        let values = ["2022-01-02T03:04:05Z", "soon"].map(Value::Text);
        let made = Type::new("at", &utc, [])
            .array(column(Kind::Text, values))
            .unwrap();
        let first = made
            .array
            .as_primitive::<TimestampMicrosecondType>()
            .value(0);
        assert_eq!(first, 1_641_092_645_000_000);
        assert_eq!(made.array.data_type(), &utc);
        assert_eq!(
            made.wrong.unwrap().1.to_string(),
            "at is \"soon\", which is no date and time"
        );

        let local = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, None);
        let values = [Value::Text("2022/01/02 03:04:05.034")];
        let made = Type::new("at", &local, [])
            .array(column(Kind::Text, values))
            .unwrap();
        let first = made
            .array
            .as_primitive::<TimestampMicrosecondType>()
            .value(0);
        assert_eq!((first, made.wrong), (1_641_092_645_034_000, None));
    }
}
