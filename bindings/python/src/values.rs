//! Values between Python and Rust.

use gametape::{At, Recording, Time, When};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::errors::Failure;

/// Converts JSON to dicts, lists, texts and numbers.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(value) => value.into_bound_py_any(py),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_bound_py_any(py),
            (None, Some(number)) => number.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(values) => {
            let values = values.iter().map(|value| to_python(py, value));
            let values = values.collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, values)?.into_any())
        }
        Value::Object(map) => Ok(to_dict(py, map)?.into_any()),
    }
}

pub fn to_dict<'py>(py: Python<'py>, map: &Map<String, Value>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in map {
        dict.set_item(key, to_python(py, value)?)?;
    }
    Ok(dict)
}

/// Returns a value as a JSON object; empty for what is none.
pub fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// A moment as a caller gives it: a text as for the command's `--from`, or seconds.
pub struct Moment(When);

impl Moment {
    /// Returns the moment in a recording.
    pub fn within(&self, recording: &Recording) -> Result<At, Failure> {
        recording.at(&self.0).map_err(Failure::from)
    }

    /// Returns the moments of a range.
    pub fn range(
        recording: &Recording,
        start: Option<&Self>,
        end: Option<&Self>,
    ) -> Result<[Option<At>; 2], Failure> {
        let at = |moment: Option<&Self>| moment.map(|moment| moment.within(recording)).transpose();
        Ok([at(start)?, at(end)?])
    }
}

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let wrong = |text: String| PyErr::from(Failure::usage(text));
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_string();
            let parsed = text.parse().map(Self);
            return parsed.map_err(|error| wrong(format!("{text:?}: {error}")));
        }
        let seconds = object.extract::<f64>().ok();
        match seconds.filter(|_| !object.is_instance_of::<PyBool>()) {
            Some(seconds) if seconds < 0.0 => Ok(Self(When::BeforeEnd(time(-seconds)?))),
            Some(seconds) => Ok(Self(At::Time(time(seconds)?).into())),
            None => Err(wrong(format!(
                "a moment is a text such as \"1:23.4\" or \"tick:137\", or a number of seconds, not {}",
                object.repr()?
            ))),
        }
    }
}

/// A number of seconds.
pub fn time(seconds: f64) -> Result<Time, Failure> {
    let ns = (seconds * 1e9).round();
    if ns.abs() < i64::MAX as f64 {
        Ok(Time(ns as i64))
    } else {
        let text = format!("{seconds} seconds are no moment of a recording");
        Err(Failure::usage(text))
    }
}

/// Several texts.
pub fn texts(values: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    values.try_iter()?.map(|text| text?.extract()).collect()
}
