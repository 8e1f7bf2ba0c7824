//! Functions of SQL: of places, directions and paths.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Volatility, create_udf};

/// A function of numbers: its name, how many it takes, and what it gives.
type OfNumbers = (&'static str, usize, fn(&[f64]) -> f64);

/// Functions of numbers. They give null if one of the numbers is null.
const OF_NUMBERS: [OfNumbers; 4] = [
    // The length of a vector, such as the speed of a velocity.
    ("magnitude", 3, |v| square(v, 0, 3).sqrt()),
    // The distance of two places.
    ("distance", 6, |v| {
        let along = |axis: usize| at(v, axis) - at(v, axis + 3);
        (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
    }),
    // The angle between two directions, in degrees.
    ("angle_deg", 6, |v| {
        let dot: f64 = (0..3).map(|axis| at(v, axis) * at(v, axis + 3)).sum();
        let lengths = (square(v, 0, 3) * square(v, 3, 3)).sqrt();
        (dot / lengths).clamp(-1.0, 1.0).acos().to_degrees()
    }),
    // The angle between two rotations as quaternions, in degrees. A quaternion and its negative are one
    // rotation.
    ("rotation_deg", 8, |v| {
        let dot: f64 = (0..4).map(|axis| at(v, axis) * at(v, axis + 4)).sum();
        let lengths = (square(v, 0, 4) * square(v, 4, 4)).sqrt();
        (2.0 * (dot.abs() / lengths).clamp(0.0, 1.0).acos()).to_degrees()
    }),
];

fn at(v: &[f64], index: usize) -> f64 {
    v.get(index).copied().unwrap_or(f64::NAN)
}

fn square(v: &[f64], from: usize, count: usize) -> f64 {
    (from..from + count).map(|axis| at(v, axis).powi(2)).sum()
}

/// Returns all functions.
pub(crate) fn all() -> Vec<ScalarUDF> {
    let mut all: Vec<ScalarUDF> = OF_NUMBERS.into_iter().map(of_numbers).collect();
    all.push(create_udf(
        "file",
        vec![DataType::Utf8],
        DataType::Utf8,
        Volatility::Immutable,
        Arc::new(|args: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(args)?;
            let paths = arrays
                .first()
                .and_then(|paths| paths.as_string_opt::<i32>());
            let paths = paths.ok_or_else(|| internal_datafusion_err!("file takes a text"))?;
            let file = |path: &str| {
                let name = path.rsplit(['/', '\\']).find(|name| !name.is_empty());
                name.unwrap_or(path).to_owned()
            };
            let files: StringArray = paths.iter().map(|path| path.map(file)).collect();
            Ok(ColumnarValue::Array(Arc::new(files)))
        }),
    ));
    all
}

fn of_numbers((name, count, function): OfNumbers) -> ScalarUDF {
    let each = move |args: &[ColumnarValue]| -> Result<ColumnarValue> {
        let arrays: Vec<ArrayRef> = ColumnarValue::values_to_arrays(args)?;
        let columns: Vec<&Float64Array> = arrays
            .iter()
            .filter_map(|array| array.as_primitive_opt::<Float64Type>())
            .collect();
        let rows = arrays.first().map_or(0, Array::len);
        let value = |row: usize| {
            let mut numbers = [0.0; 8];
            for (number, column) in numbers.iter_mut().zip(&columns) {
                if column.is_null(row) {
                    return None;
                }
                *number = column.value(row);
            }
            Some(function(&numbers))
        };
        let values: Float64Array = (0..rows).map(value).collect();
        Ok(ColumnarValue::Array(Arc::new(values)))
    };
    create_udf(
        name,
        vec![DataType::Float64; count],
        DataType::Float64,
        Volatility::Immutable,
        Arc::new(each),
    )
}
