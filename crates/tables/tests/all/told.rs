//! Record batches as rows of text, read by Arrow's own accessors, and what the rows of a scan should be.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use gametape_core::table::kit::Row;
use gametape_core::table::{Lane, TableDef, Value};
use gametape_core::tape::Secrets;

/// A row: the name of each column and its value.
pub type Told = Vec<(String, String)>;

/// The value of an array, as text.
pub fn value(array: &ArrayRef, row: usize) -> String {
    if array.is_null(row) {
        return "null".to_owned();
    }
    match array.data_type() {
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
        DataType::Float32 => format!("{:?}", array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => format!("{:?}", array.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => format!("{:?}", array.as_string::<i32>().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int32Type>();
            let key = dictionary.keys().value(row) as usize;
            value(dictionary.values(), key)
        }
        DataType::Timestamp(_, zone) => {
            let time = array.as_primitive::<TimestampMicrosecondType>().value(row);
            format!("{time} µs {zone:?}")
        }
        other => panic!("{other}"),
    }
}

pub fn batch(batch: &RecordBatch) -> Vec<Told> {
    let schema = batch.schema();
    let cell = |row| {
        let columns = schema.fields().iter().zip(batch.columns());
        columns
            .map(|(field, array)| (field.name().clone(), value(array, row)))
            .collect()
    };
    (0..batch.num_rows()).map(cell).collect()
}

/// A row of a scan, as it should be in Arrow.
pub fn wanted(name: &str, table: &TableDef, secrets: Secrets, row: &Row) -> Told {
    let mut told = vec![("recording".to_owned(), format!("{name:?}"))];
    if table.lane != Lane::Facts {
        let option = |text: Option<String>| text.unwrap_or_else(|| "null".to_owned());
        told.push(("step".to_owned(), row.stamp.step.to_string()));
        let tick = row.stamp.tick.map(|tick| tick.to_string());
        told.push(("tick".to_owned(), option(tick)));
        let time = row.stamp.time.map(|time| format!("{:?}", time.ms()));
        told.push(("time_ms".to_owned(), option(time)));
    }
    if table.lane == Lane::State {
        told.push(("ended".to_owned(), row.ended.to_string()));
    }
    for (column, owned) in table.columns.iter().zip(&row.values) {
        if column.secret && secrets == Secrets::Hide {
            continue;
        }
        let text = match (owned.value(), &*column.unit) {
            (Value::Text(text), "UTC") => {
                let time = humantime::parse_rfc3339(text).unwrap();
                let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
                format!("{} µs {:?}", since.as_micros(), Some("UTC"))
            }
            (Value::Text(text), "local time") => {
                let time: gametape::echo::Time = text.parse().unwrap();
                format!("{} µs {:?}", time.0 * 1000, None::<&str>)
            }
            (Value::Text(text), _) if !text.is_empty() => format!("{text:?}"),
            (Value::Uint(time), "ms") => format!("{:?}", time as f64),
            (Value::Int(time), "ms") => format!("{:?}", time as f64),
            (Value::Float32(number), _) => format!("{number:?}"),
            (Value::Float64(number), _) => format!("{number:?}"),
            // A text that nobody filled says nothing.
            (Value::Null | Value::Text(""), _) => "null".to_owned(),
            (value, _) => value.to_string(),
        };
        told.push((column.name.to_string(), text));
    }
    told
}
