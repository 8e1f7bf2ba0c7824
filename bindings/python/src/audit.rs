//! Results of audits.

use gametape::Severity;
use gametape::core::tape;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};

use crate::page;
use crate::values::{object, to_dict, to_python};

/// The outcome of checking a recording.
///
/// >>> audit = game.audit()
/// >>> audit.verdict
/// 'pass'
/// >>> gametape.open("tampered.rmv").audit().verdict
/// 'fail'
#[pyclass(frozen, module = "gametape")]
pub struct Audit {
    /// `pass`, `warn` or `fail`.
    #[pyo3(get)]
    verdict: String,
    /// A summary in the words of the domain.
    #[pyo3(get)]
    summary: String,
    findings: Vec<Finding>,
    facts: Map<String, Value>,
}

impl From<tape::Audit> for Audit {
    fn from(audit: tape::Audit) -> Self {
        Self {
            verdict: audit.verdict().to_string(),
            findings: audit.findings.iter().map(Finding::from).collect(),
            summary: audit.summary,
            facts: audit.facts,
        }
    }
}

#[pymethods]
impl Audit {
    /// The findings, the worst first.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        self.findings.clone()
    }

    /// The facts that the audit computed.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.facts)
    }

    /// Shows the verdict and the findings in a notebook.
    fn _repr_html_(&self) -> String {
        page::findings(&self.verdict, &self.summary, &texts(&self.findings))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Audit {}: {} ({} findings)>",
            self.verdict,
            self.summary,
            self.findings.len()
        )
    }
}

/// One result of an audit: a rule that is broken or stretched, and where.
///
/// >>> finding = gametape.open("tampered.rmv").audit().findings[0]
/// >>> finding.code, finding.severity, finding.step, finding.time_ms
/// ('rmv.board-event', 'error', 126, 701)
/// >>> finding.data["recorded"]
/// {'cell': [2, 3], 'face': 'open_2'}
/// >>> print(finding)
/// error rmv.board-event, event 126 (0.701 s, byte 638): the recording says cell (2, 3) shows 2, ...
#[pyclass(frozen, module = "gametape")]
#[derive(Clone)]
pub struct Finding {
    text: String,
    data: Map<String, Value>,
}

impl From<&tape::AnyFinding> for Finding {
    fn from(finding: &tape::AnyFinding) -> Self {
        Self {
            text: finding.to_string(),
            data: object(finding),
        }
    }
}

/// The findings as sentences.
pub fn texts(findings: &[Finding]) -> Vec<String> {
    let texts = findings.iter().map(|finding| finding.text.clone());
    texts.collect()
}

impl Finding {
    /// Returns whether it matters so much.
    pub fn is(&self, severity: Severity) -> bool {
        let own = self.data.get("severity").and_then(Value::as_str);
        own == Some(severity.name())
    }

    fn get<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.data.get(key).unwrap_or(&Value::Null))
    }
}

#[pymethods]
impl Finding {
    /// The code of the rule.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "code")
    }

    /// `info`, `warning` or `error`.
    #[getter]
    fn severity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "severity")
    }

    /// The ordinal of the frame, packet or event.
    #[getter]
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "step")
    }

    /// The recording's own counter.
    #[getter]
    fn tick<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "tick")
    }

    /// Milliseconds since the start of the recording.
    #[getter]
    fn time_ms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "time_ms")
    }

    /// The line of text, from 1.
    #[getter]
    fn line<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "line")
    }

    /// The offset in bytes.
    #[getter]
    fn offset<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "offset")
    }

    /// The container that the offset refers to, if it is not the file.
    #[getter]
    fn offset_in<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "offset_in")
    }

    /// How many more times it was found after this place.
    #[getter]
    fn repeats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "repeats")
    }

    /// The sentence, without its place.
    #[getter]
    fn message<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "message")
    }

    /// The data of the sentence, by name.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, "data")
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.text)
    }
}
