//! Recordings of games and simulations in Python.
//!
//! Long work runs on a thread that knows nothing of Python; the calling thread waits for it without
//! the interpreter's lock ([`work`]). Rows leave as Arrow, without a copy ([`rows`], [`data`]).

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
// Documentation of classes is read in Python, as plain text with examples in Python.
#![allow(clippy::doc_markdown, clippy::doc_link_with_quotes)]

mod audit;
mod data;
mod diff;
mod errors;
mod made;
mod moment;
mod options;
mod page;
mod picture;
mod playback;
mod recording;
mod rows;
mod scan;
mod sql;
mod stream;
mod table;
mod values;
mod verify;
mod work;
mod worlds;

use pyo3::prelude::*;

/// Recordings of games and simulations: open, check, compare, convert, and read as dataframes.
#[pymodule(name = "gametape")]
fn gametape_python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_function(wrap_pyfunction!(recording::open, module)?)?;
    module.add_function(wrap_pyfunction!(scan::scan, module)?)?;
    module.add_function(wrap_pyfunction!(verify::verify, module)?)?;
    module.add_function(wrap_pyfunction!(sql::query, module)?)?;
    module.add_class::<audit::Audit>()?;
    module.add_class::<audit::Finding>()?;
    module.add_class::<verify::Check>()?;
    module.add_class::<verify::Checks>()?;
    module.add_class::<data::Data>()?;
    module.add_class::<diff::Diff>()?;
    module.add_class::<made::Made>()?;
    module.add_class::<picture::Picture>()?;
    module.add_class::<playback::Playback>()?;
    module.add_class::<playback::Stamp>()?;
    module.add_class::<recording::Recording>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<table::Column>()?;
    module.add_class::<table::Table>()?;
    worlds::add(module)
}
