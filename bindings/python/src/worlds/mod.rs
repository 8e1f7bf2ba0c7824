//! Murk worlds: run, recorded and checked.

mod array;
mod convert;
mod described;
mod given;
mod run;
mod slips;
mod world;

use pyo3::prelude::*;

/// Adds the classes and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<run::Run>()?;
    module.add_class::<slips::Divergence>()?;
    module.add_class::<slips::Explanation>()?;
    module.add_class::<slips::Minimised>()?;
    module.add_class::<slips::Slip>()?;
    module.add_class::<slips::Verdict>()?;
    module.add_class::<world::Field>()?;
    module.add_class::<described::World>()
}
