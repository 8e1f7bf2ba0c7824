//! New recordings, and the outcome of making them.

use std::path::{Path, PathBuf};

use gametape::core::AllAltered;
use gametape::core::Spell as _;
use gametape::{
    Beside, Content, Converted, Cutout, Existing, Format, Formats, Made as New, Repaired, Told,
    Verb,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value, json};

use crate::errors::Failure;
use crate::values::{object, to_dict, to_python};

/// A new recording that was written: where it is, and what was lost or changed on the way.
///
/// >>> made = game.convert("game.mcap")
/// >>> made.path.name, made.lossy
/// ('game.mcap', False)
/// >>> match = gametape.open("match.echoreplay")
/// >>> made = match.convert("butter", keyframe_every=30)
/// >>> made.path, made.size == len(made.content), made.lossy
/// (None, True, True)
#[pyclass(frozen, module = "gametape")]
pub struct Made {
    /// The path of the file; `None` if it is in memory.
    #[pyo3(get)]
    path: Option<PathBuf>,
    /// The name of its format.
    #[pyo3(get)]
    format: &'static str,
    /// Its size in bytes.
    #[pyo3(get)]
    size: u64,
    /// Whether it contains less than the recording that it was made of.
    #[pyo3(get)]
    lossy: bool,
    /// The losses, one sentence each.
    #[pyo3(get)]
    losses: Vec<String>,
    /// Oddities that cause no loss, one sentence each.
    #[pyo3(get)]
    notes: Vec<String>,
    /// The changes of a repair, one sentence each.
    #[pyo3(get)]
    actions: Vec<String>,
    content: Option<Vec<u8>>,
    more: Map<String, Value>,
    report: Value,
}

/// The outcome of making a recording, in one shape for all verbs.
pub struct Outcome {
    lossy: bool,
    losses: Vec<String>,
    notes: Vec<String>,
    actions: Vec<String>,
    report: Value,
    beside: Vec<Beside>,
    more: Map<String, Value>,
}

impl From<Converted> for Outcome {
    fn from(converted: Converted) -> Self {
        Self {
            lossy: converted.is_lossy(),
            losses: converted.losses,
            notes: converted.notes,
            actions: Vec::new(),
            report: converted.report.map_or(Value::Null, |report| report.data),
            beside: converted.beside,
            more: Map::new(),
        }
    }
}

impl From<Cutout> for Outcome {
    fn from(cutout: Cutout) -> Self {
        let kept = &cutout.kept;
        let stamp = |stamp: gametape::Stamp| {
            json!({
                "step": stamp.step,
                "tick": stamp.tick,
                "time_ms": stamp.time.map(gametape::Time::ms),
            })
        };
        let more = json!({
            "steps": kept.steps.end - kept.steps.start,
            "from": stamp(kept.first),
            "to": stamp(kept.last),
        });
        Self {
            more: object(&more),
            ..cutout.converted.into()
        }
    }
}

impl From<Repaired> for Outcome {
    fn from(repaired: Repaired) -> Self {
        let altered: &AllAltered<Told> = &repaired.altered;
        let parts: Vec<Value> = altered.iter().map(|part| json!(part)).collect();
        let more = json!({"altered": parts, "altered_count": altered.count()});
        Self {
            lossy: repaired.lossy,
            losses: Vec::new(),
            notes: Vec::new(),
            actions: repaired.actions,
            report: Value::Null,
            beside: repaired.beside,
            more: object(&more),
        }
    }
}

impl Made {
    /// Moves a new recording to its path, or into memory. It must not replace the recording that it was
    /// made of by something that holds less.
    pub fn put<T: Into<Outcome>>(
        made: New<T>,
        from: &Path,
        to: Option<PathBuf>,
        format: &dyn Format,
        existing: Existing,
    ) -> Result<Self, Failure> {
        let outcome: Outcome = made.outcome.into();
        let content: Content = made.content;
        let size = content.size();
        let same = |to: &PathBuf| match (from.canonicalize(), to.canonicalize()) {
            (Ok(from), Ok(to)) => from == to,
            _ => false,
        };
        let bytes = match &to {
            Some(to) if outcome.lossy && same(to) => {
                return Err(Failure::usage(format!(
                    "{}: would be replaced by a file that holds less; name another output",
                    to.spelled()
                )));
            }
            Some(to) => {
                content.save(to, format, &outcome.beside, existing)?;
                None
            }
            None => Some(content.bytes()?),
        };
        Ok(Self {
            path: to,
            format: format.name(),
            size,
            lossy: outcome.lossy || (bytes.is_some() && !outcome.beside.is_empty()),
            losses: outcome.losses,
            notes: outcome.notes,
            actions: outcome.actions,
            content: bytes,
            more: outcome.more,
            report: outcome.report,
        })
    }
}

#[pymethods]
impl Made {
    /// The bytes, if they are in memory and not in a file.
    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let content = self.content.as_ref();
        content.map(|content| PyBytes::new(py, content))
    }

    /// The accuracy of a conversion as data; `None` if no number was rounded.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.report)
    }

    /// Data that only this verb has: the steps that a cut kept, the parts that a repair kept and that may
    /// be altered.
    #[getter]
    fn details<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.more)
    }

    fn __repr__(&self) -> String {
        let place = match &self.path {
            Some(path) => path.spelled().into_owned(),
            None => format!("{} in memory", self.format),
        };
        let less = if self.lossy { ", with loss" } else { "" };
        format!("<Made {place}: {} bytes{less}>", self.size)
    }
}

/// A format, and the path of an output; none for one in memory.
type Target<'f> = (&'f dyn Format, Option<PathBuf>);

/// Finds the format that a conversion is to: one by its name, in memory, or that of a path. Returns
/// what is neither.
pub fn target(formats: &Formats, to: PathBuf) -> Result<Target<'_>, PathBuf> {
    if let Some(format) = to.to_str().and_then(|name| formats.get(name)) {
        return Ok((format, None));
    }
    match formats.from_extension(&to) {
        Some(format) => Ok((format, Some(to))),
        None => Err(to),
    }
}

/// The options of a conversion between two formats.
pub fn options(from: &dyn Format, to: &dyn Format) -> Vec<gametape::OptionDef> {
    let mut defs = to.options(Verb::Write).to_vec();
    if from.kind() == to.kind() {
        defs.extend(from.options(Verb::Convert));
    }
    defs
}
