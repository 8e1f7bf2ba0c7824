//! Fields as arrays of NumPy.

use gametape::core::tape;
use gametape::murk::engine::{EngineWorld, Layout, World};
use gametape::murk::tape::MurkError;
use gametape::murk::tools::Watch;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyTuple};

use crate::errors::Failure;

/// Fields and cells that are shown as arrays, by their names.
pub struct Arrays {
    layout: Layout,
    shown: Vec<Shown>,
    /// NumPy's `frombuffer` and its type of 32-bit numbers.
    from_buffer: Py<PyAny>,
    float32: Py<PyAny>,
}

struct Shown {
    watch: Watch,
    shape: Vec<usize>,
}

impl Arrays {
    /// Prepares arrays of these fields (`heat`) or cells (`heat@3,4`); of all fields for `None`.
    pub fn new(py: Python<'_>, world: &World, names: Option<Vec<String>>) -> PyResult<Self> {
        let wrong = |message: String| {
            Failure::of_world(tape::Error::from(MurkError::Unwritable { message }))
        };
        let checker = world.checker();
        let checker = checker.map_err(|error| wrong(error.to_string()))?;
        let watches: Result<Vec<Watch>, String> = match names {
            None => world
                .fields
                .iter()
                .map(|field| Watch::field(&field.name, world))
                .collect(),
            Some(names) => {
                // The name of a field may look like that of a cell.
                let watch = |name: &String| match world.field_number(name) {
                    Some(_) => Watch::field(name, world),
                    None => Watch::parse(name, world, &checker),
                };
                names.iter().map(watch).collect()
            }
        };
        let layout = world.space.layout();
        let shown = watches.map_err(wrong)?.into_iter().map(|watch| Shown {
            shape: watch.shape(&layout, &checker),
            watch,
        });
        let shown = shown.collect();
        let numpy = py.import("numpy")?;
        let float32 = numpy.call_method1("dtype", ("float32",))?;
        Ok(Self {
            layout,
            shown,
            from_buffer: numpy.getattr("frombuffer")?.unbind(),
            float32: float32.unbind(),
        })
    }

    /// Returns the arrays of a state. They have memory of their own, so that nothing changes them afterwards
    /// and callers may.
    pub fn of<'py>(&self, py: Python<'py>, world: &EngineWorld) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for shown in &self.shown {
            let size = shown.shape.iter().product::<usize>() * size_of::<f32>();
            let bytes = PyByteArray::new_with(py, size, |bytes| {
                copy(&shown.watch.array(&self.layout, world), bytes);
                Ok(())
            })?;
            let array = self.from_buffer.bind(py).call1((bytes, &self.float32))?;
            let shape = PyTuple::new(py, &shown.shape)?;
            let array = array.call_method1("reshape", (shape,))?;
            dict.set_item(shown.watch.name(), array)?;
        }
        Ok(dict)
    }
}

/// Returns the shape of the array of a field.
pub fn shape(cells: &[usize], components: usize) -> Vec<usize> {
    let mut shape = cells.to_vec();
    if components != 1 {
        shape.push(components);
    }
    shape
}

fn copy(values: &[f32], bytes: &mut [u8]) {
    for (value, slot) in values.iter().zip(bytes.chunks_exact_mut(size_of::<f32>())) {
        slot.copy_from_slice(&value.to_ne_bytes());
    }
}
