//! Pictures of recordings.

use gametape_picture::{Drawn, Fault, Options, Plane, Show};
use pyo3::prelude::*;

use crate::errors::Failure;

/// A picture of a recording as SVG, which a notebook shows. `Path("board.svg").write_text(picture.svg)`
/// writes a file.
///
/// >>> picture = game.picture()
/// >>> picture.view, picture.svg[:4]
/// ('board', '<svg')
#[pyclass(frozen, module = "gametape")]
pub struct Picture {
    /// The picture as SVG.
    #[pyo3(get)]
    svg: String,
    /// A description, for readers who cannot see it.
    #[pyo3(get)]
    words: String,
    /// The name of the view: a table with cells, `map`, or a table of the map.
    #[pyo3(get)]
    view: String,
    /// The content of a picture of a stretch: `ways`, `time` or `changes`.
    #[pyo3(get)]
    show: Option<&'static str>,
}

#[pymethods]
impl Picture {
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<Picture: {}>", self.words)
    }
}

impl From<Drawn> for Picture {
    fn from(drawn: Drawn) -> Self {
        Self {
            svg: drawn.picture.svg,
            words: drawn.words,
            view: drawn.view,
            show: drawn.show,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Error(error) => (*error).into(),
            Fault::Message(message) => Self::usage(message),
        }
    }
}

/// Sets what callers name by words.
pub fn named(options: &mut Options, show: Option<&str>, plane: &str) -> Result<(), Failure> {
    options.show = show
        .map(str::parse::<Show>)
        .transpose()
        .map_err(Failure::usage)?;
    options.plane = match plane {
        "xz" => Plane::Xz,
        "xy" => Plane::Xy,
        "zy" => Plane::Zy,
        _ => return Err(Failure::usage("a plane is xz, xy or zy")),
    };
    if !(100..=4096).contains(&options.width) {
        return Err(Failure::usage("a picture is 100 to 4096 pixels wide"));
    }
    Ok(())
}
