//! Rows in memory: as Arrow, and as arrays of NumPy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, StructArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use gametape::core::text::Counted;
use pyo3::exceptions::{PyKeyError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};

use crate::errors::{Failure, of_arrow};
use crate::page;

/// Rows in memory. Any library that knows Arrow takes them without a copy; `data["x"]` is a column
/// as an array of NumPy, for a grid in its shape.
///
/// >>> data = game.table("cursor", columns=["time_ms", "x"]).read()
/// >>> len(data) > 100, data.keys()
/// (True, ['time_ms', 'x'])
/// >>> data["x"].dtype
/// dtype('int64')
#[pyclass(frozen, module = "gametape")]
pub struct Data {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// The shape of a column, if the rows are the cells of a grid.
    shape: Option<Vec<usize>>,
}

impl Data {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self {
            schema,
            batches,
            shape: None,
        }
    }

    pub fn shaped(self, shape: Option<Vec<usize>>) -> Self {
        Self { shape, ..self }
    }
}

#[pymethods]
impl Data {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = self.batches.clone().into_iter().map(Ok);
        capsule(py, &self.schema, batches, requested_schema)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }

    /// Returns the rows as a dataframe of pandas.
    ///
    /// >>> game.table("cursor", columns=["x", "y"]).read().to_pandas().columns.tolist()
    /// ['x', 'y']
    fn to_pandas(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        let frame = slf.py().import("pandas")?.getattr("DataFrame")?;
        if frame.hasattr("from_arrow")? {
            return frame.call_method1("from_arrow", (slf,));
        }
        // Before pandas 3, pyarrow does this.
        let table = slf.py().import("pyarrow")?.call_method1("table", (slf,))?;
        table.call_method0("to_pandas")
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Returns the names of the columns.
    ///
    /// >>> [name for name in game.table("game").read().keys() if name.startswith("board_")][:2]
    /// ['board_cols', 'board_rows']
    fn keys(&self) -> Vec<&str> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().as_str()).collect()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let names = PyList::new(py, self.keys())?;
        Ok(names.try_iter()?.into_any())
    }

    fn __contains__(&self, name: &str) -> bool {
        self.schema.index_of(name).is_ok()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let Ok(at) = self.schema.index_of(name) else {
            return Err(PyKeyError::new_err(name.to_owned()));
        };
        let numpy = py.import("numpy")?;
        let mut parts = Vec::with_capacity(self.batches.len());
        for batch in &self.batches {
            if let Some(array) = batch.columns().get(at) {
                parts.push(to_numpy(&numpy, array)?);
            }
        }
        let whole = match parts.as_slice() {
            [one] => one.clone(),
            [] => {
                let empty = RecordBatch::new_empty(Arc::clone(&self.schema));
                to_numpy(&numpy, empty.column(at))?
            }
            [..] => {
                // A column is masked as a whole, even if all its gaps are in one batch.
                let of = numpy.getattr("ma")?;
                let masked = of.getattr("MaskedArray")?;
                let mut any = false;
                for part in &parts {
                    any |= part.is_instance(&masked)?;
                }
                let of = if any { of } else { numpy.into_any() };
                of.call_method1("concatenate", (parts,))?
            }
        };
        match &self.shape {
            Some(shape) => whole.call_method1("reshape", (shape.clone(),)),
            None => Ok(whole),
        }
    }

    /// Shows the first and the last rows in a notebook.
    fn _repr_html_(&self) -> PyResult<String> {
        let says = Counted(self.__len__() as u64, "row").to_string();
        let html = page::rows(&self.schema, &self.batches, &says);
        Ok(html.map_err(of_arrow)?)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Data of {} rows: {}>",
            self.__len__(),
            self.keys().join(", ")
        )
    }
}

/// Gives batches to any library that knows Arrow.
pub fn capsule<'py>(
    py: Python<'py>,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    requested: Option<Bound<'py, PyCapsule>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let row = Field::new_struct("", schema.fields().clone(), false)
        .with_metadata(schema.metadata().clone());
    let arrays = batches.map(|batch| Ok(Arc::new(StructArray::from(batch?)) as ArrayRef));
    let reader = Box::new(ArrayIterator::new(arrays, Arc::new(row)));
    Ok(to_stream_pycapsule(py, reader, requested)?)
}

pub fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    Ok(to_schema_pycapsule(py, schema)?)
}

/// Memory of an array, for `numpy.asarray`, which keeps this object alive.
#[pyclass(frozen)]
struct View {
    _array: ArrayRef,
    address: usize,
    len: usize,
    kind: &'static str,
}

#[pymethods]
impl View {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.len,))?;
        interface.set_item("typestr", self.kind)?;
        // Others may hold the same memory: it is only to be read.
        interface.set_item("data", (self.address, true))?;
        Ok(interface)
    }
}

/// The order of the bytes of a number, as NumPy writes it.
const fn native(little: &'static str, big: &'static str) -> &'static str {
    if cfg!(target_endian = "little") {
        little
    } else {
        big
    }
}

fn view<'py, T: ArrowPrimitiveType>(
    numpy: &Bound<'py, PyModule>,
    array: PrimitiveArray<T>,
    kind: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let values = array.values();
    let view = View {
        address: values.as_ptr().expose_provenance(),
        len: values.len(),
        kind,
        _array: Arc::new(array),
    };
    numpy.call_method1("asarray", (view,))
}

/// The type of a column as an array; `None` if there is none. Those of our tables stay as they are, but a query may
/// have any.
fn plain(kind: &DataType) -> Option<DataType> {
    Some(match kind {
        DataType::Boolean
        | DataType::Int64
        | DataType::UInt64
        | DataType::Float32
        | DataType::Float64
        | DataType::Utf8
        | DataType::Timestamp(TimeUnit::Microsecond, _) => kind.clone(),
        DataType::Dictionary(key, text)
            if (&**key, &**text) == (&DataType::Int32, &DataType::Utf8) =>
        {
            kind.clone()
        }
        DataType::Dictionary(_, value) => return plain(value),
        DataType::Int8 | DataType::Int16 | DataType::Int32 => DataType::Int64,
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => DataType::UInt64,
        DataType::Float16 => DataType::Float32,
        DataType::Null
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => DataType::Float64,
        DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            DataType::Timestamp(TimeUnit::Microsecond, None)
        }
        _ => return None,
    })
}

/// Returns a column as an array. A missing number is NaN, a missing time NaT, a missing text None; other
/// columns with gaps are masked arrays.
fn to_numpy<'py>(numpy: &Bound<'py, PyModule>, array: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let kind = array.data_type();
    let Some(plain) = plain(kind) else {
        let text =
            format!("a column of the type {kind} is no array of NumPy; polars and pyarrow take it");
        return Err(Failure::usage(text).into());
    };
    let array = &cast(array, &plain).map_err(of_arrow)?;
    let gaps = array.null_count() > 0;
    match array.data_type() {
        DataType::Float64 => {
            let array = array.as_primitive::<Float64Type>();
            view(numpy, filled(array, gaps, f64::NAN), native("<f8", ">f8"))
        }
        DataType::Float32 => {
            let array = array.as_primitive::<Float32Type>();
            view(numpy, filled(array, gaps, f32::NAN), native("<f4", ">f4"))
        }
        DataType::Timestamp(..) => {
            let array = array.as_primitive::<TimestampMicrosecondType>();
            let kind = native("<M8[us]", ">M8[us]");
            view(numpy, filled(array, gaps, i64::MIN), kind)
        }
        DataType::Int64 => {
            let values = array.as_primitive::<Int64Type>().clone();
            masked(numpy, array, view(numpy, values, native("<i8", ">i8"))?)
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().clone();
            masked(numpy, array, view(numpy, values, native("<u8", ">u8"))?)
        }
        DataType::Boolean => {
            let values = array.as_boolean().values().iter().collect();
            masked(numpy, array, bools(numpy, values)?)
        }
        DataType::Dictionary(..) => {
            // Each text becomes one object, which all its rows share.
            let array = array.as_dictionary::<Int32Type>();
            let texts = array.values().as_string::<i32>();
            let none = i32::try_from(texts.len())
                .map_err(|_| PyOverflowError::new_err("too many texts"))?;
            let texts = objects(numpy, texts.iter().chain([None]).collect())?;
            let keys = filled(array.keys(), gaps, none);
            texts.call_method1("take", (view(numpy, keys, native("<i4", ">i4"))?,))
        }
        _ => objects(numpy, array.as_string::<i32>().iter().collect()),
    }
}

fn filled<T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    gaps: bool,
    with: T::Native,
) -> PrimitiveArray<T> {
    if gaps {
        PrimitiveArray::from_iter_values(array.iter().map(|value| value.unwrap_or(with)))
    } else {
        array.clone()
    }
}

fn bools<'py>(numpy: &Bound<'py, PyModule>, values: Vec<bool>) -> PyResult<Bound<'py, PyAny>> {
    let bytes = values.into_iter().map(u8::from);
    let bytes = PrimitiveArray::<arrow_array::types::UInt8Type>::from_iter_values(bytes);
    view(numpy, bytes, "|b1")
}

fn masked<'py>(
    numpy: &Bound<'py, PyModule>,
    array: &ArrayRef,
    values: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        Some(nulls) => {
            let mask = bools(numpy, nulls.iter().map(|valid| !valid).collect())?;
            numpy
                .getattr("ma")?
                .call_method1("masked_array", (values, mask))
        }
        None => Ok(values),
    }
}

fn objects<'py>(
    numpy: &Bound<'py, PyModule>,
    texts: Vec<Option<&str>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = PyDict::new(numpy.py());
    kind.set_item("dtype", "object")?;
    numpy.call_method("array", (texts,), Some(&kind))
}
