//! Murk worlds: run, recorded, checked, swept, and as environments of agents.

mod array;
mod convert;
mod described;
mod env;
mod given;
mod run;
mod single;
mod slips;
mod sweep;
mod vector;
mod world;

use pyo3::prelude::*;

/// Adds the classes and functions to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_class::<env::Env>()?;
    module.add_class::<vector::VectorEnv>()?;
    module.add_class::<run::Run>()?;
    module.add_class::<slips::Divergence>()?;
    module.add_class::<slips::Explanation>()?;
    module.add_class::<slips::Minimised>()?;
    module.add_class::<slips::Slip>()?;
    module.add_class::<slips::Verdict>()?;
    module.add_class::<world::Field>()?;
    module.add_class::<described::World>()
}
