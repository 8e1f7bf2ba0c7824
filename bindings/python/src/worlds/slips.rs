//! Where a recording goes wrong, and why.

use gametape::core::ToDatum;
use gametape::murk::tools;
use gametape::murk::{self, CommandAt, Payload, ReadOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value};
use std::path::PathBuf;

use super::given::{self, Tape};
use crate::values::{object, to_dict};

fn data(datum: &impl ToDatum) -> Map<String, Value> {
    object(&Value::from(datum.to_datum()))
}

/// The result of replaying a recording.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
/// >>> bad[-1] ^= 1
/// >>> verdict = world.verify(bytes(bad))
/// >>> verdict.ok, verdict.frames, verdict.divergence.tick
/// (False, 19, 20)
#[pyclass(frozen, module = "gametape")]
pub struct Verdict {
    /// Whether every state is as recorded.
    #[pyo3(get)]
    ok: bool,
    /// The number of frames that were replayed and have the recorded state.
    #[pyo3(get)]
    frames: u64,
    divergence: Option<Divergence>,
}

impl From<tools::Checked> for Verdict {
    fn from(checked: tools::Checked) -> Self {
        Self {
            ok: checked.divergence.is_none(),
            frames: checked.frames,
            divergence: checked.divergence.as_deref().map(Divergence::from),
        }
    }
}

#[pymethods]
impl Verdict {
    /// The first difference; `None` if there is none.
    #[getter]
    fn divergence(&self) -> Option<Divergence> {
        self.divergence.clone()
    }

    fn __repr__(&self) -> String {
        match &self.divergence {
            None => format!("<Verdict: {} frames are right>", self.frames),
            Some(divergence) => format!(
                "<Verdict: tick {}: {}>",
                divergence.tick, divergence.message
            ),
        }
    }
}

/// The first difference between a recording and its replay.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
/// >>> bad[-1] ^= 1
/// >>> divergence = world.verify(bytes(bad)).divergence
/// >>> divergence.step, divergence.tick
/// (19, 20)
#[pyclass(frozen, module = "gametape")]
#[derive(Clone)]
pub struct Divergence {
    /// The frame, from 0.
    #[pyo3(get)]
    step: u64,
    /// Its tick.
    #[pyo3(get)]
    tick: u64,
    /// The field that differs, if it is a single value.
    #[pyo3(get)]
    field: Option<String>,
    /// The cell that differs, if it is a single value.
    cell: Option<Vec<i32>>,
    /// The value in the replay, if a single one differs.
    #[pyo3(get)]
    replayed: Option<f32>,
    /// The value in the recording, if a single one differs.
    #[pyo3(get)]
    recorded: Option<f32>,
    /// A sentence.
    #[pyo3(get)]
    message: String,
    data: Map<String, Value>,
}

impl From<&murk::Divergence> for Divergence {
    fn from(divergence: &murk::Divergence) -> Self {
        let value = divergence.cause.value();
        Self {
            step: divergence.frame,
            tick: divergence.tick,
            field: value.and_then(|value| value.field_name.clone()),
            cell: value.and_then(|value| Some(value.location.as_ref()?.coord.clone())),
            replayed: value.map(|value| value.replayed),
            recorded: value.map(|value| value.recorded),
            message: divergence.to_string(),
            data: data(divergence),
        }
    }
}

#[pymethods]
impl Divergence {
    /// The cell that differs, if it is a single value.
    #[getter]
    fn cell(&self) -> Option<Vec<i32>> {
        self.cell.clone()
    }

    /// Everything as data.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.data)
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Divergence at tick {}: {}>", self.tick, self.message)
    }
}

/// One mistake that would explain where a recording goes wrong. It is a candidate: `explained` of the `hashes` from
/// the difference to the end are as if it had happened, and `equals` others explain as many.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
/// >>> bad[-1] ^= 1
/// >>> slip = world.explain(bytes(bad)).slips[0]
/// >>> slip.kind, slip.tick, slip.cell, slip.explained, slip.hashes, slip.equals
/// ('hash', 20, None, 1, 1, 0)
#[pyclass(frozen, module = "gametape")]
#[derive(Clone)]
pub struct Slip {
    /// Its kind, such as `dropped`, `moved`, `parameter`, `value` or `hash`.
    #[pyo3(get)]
    kind: &'static str,
    /// The tick of the command or the frame that it is about, else that of the difference.
    #[pyo3(get)]
    tick: u64,
    /// The cell that it is about, if there is one.
    cell: Option<Vec<i32>>,
    /// The number of recorded hashes that it explains, without a gap, from the difference on.
    #[pyo3(get)]
    explained: u64,
    /// The number of recorded hashes from the difference on.
    #[pyo3(get)]
    hashes: u64,
    /// The number of other slips that explain as many.
    #[pyo3(get)]
    equals: u64,
    /// A sentence.
    #[pyo3(get)]
    message: String,
    data: Map<String, Value>,
}

#[pymethods]
impl Slip {
    /// The cell that it is about, if there is one.
    #[getter]
    fn cell(&self) -> Option<Vec<i32>> {
        self.cell.clone()
    }

    /// The data of the kind of slip: the command, the parameter, the value.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.data)
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Slip {}: {}>", self.kind, self.message)
    }
}

/// How single slips explain where a recording goes wrong. The simplest comes first; all of `slips` explain equally
/// much, and the recording does not show which it was.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
/// >>> bad[-1] ^= 1
/// >>> print(world.explain(bytes(bad)))
/// one slip explains it: bit 56 of the recorded hash is flipped, and the state was right. ...
#[pyclass(frozen, module = "gametape")]
pub struct Explanation {
    divergence: Divergence,
    slips: Vec<Slip>,
    /// The number of further slips that explain as many.
    #[pyo3(get)]
    more: u64,
    /// The number of recorded hashes that the slips explain, without a gap, from the difference on.
    #[pyo3(get)]
    explained: u64,
    /// The number of recorded hashes from the difference on.
    #[pyo3(get)]
    hashes: u64,
    /// Whether they explain all of them.
    #[pyo3(get)]
    explains_all: bool,
    /// The number that the next best slip explains.
    #[pyo3(get)]
    next_best: u64,
    /// The number of slips that were tried.
    #[pyo3(get)]
    tried: u64,
    /// Whether all candidates were tried; otherwise the time was up.
    #[pyo3(get)]
    complete: bool,
    /// Set if two replays of the same commands differ: then the world is not deterministic, and no slip is named.
    #[pyo3(get)]
    not_deterministic: Option<String>,
    message: String,
}

impl Explanation {
    pub fn of(checked: tools::Checked, tape: &Tape) -> Option<Self> {
        let divergence = checked.divergence.as_deref().map(Divergence::from)?;
        let Some(found) = checked.explanation else {
            let message = divergence.message.clone();
            return Some(Self {
                divergence,
                slips: Vec::new(),
                more: 0,
                explained: 0,
                hashes: 1,
                explains_all: false,
                next_best: 0,
                tried: 0,
                complete: false,
                not_deterministic: None,
                message,
            });
        };
        let hashes = found.after.saturating_add(1);
        let equals = (found.slips.len() as u64)
            .saturating_add(found.more)
            .saturating_sub(1);
        let slip = |slip: &murk::Slip| {
            let data = data(slip);
            Slip {
                kind: slip.kind(),
                tick: data
                    .get("tick")
                    .and_then(Value::as_u64)
                    .unwrap_or(found.tick),
                cell: cell_of(slip, tape),
                explained: found.explained,
                hashes,
                equals,
                message: slip.to_string(),
                data,
            }
        };
        Some(Self {
            divergence,
            slips: found.slips.iter().map(slip).collect(),
            more: found.more,
            explained: found.explained,
            hashes,
            explains_all: found.explains_all(),
            next_best: found.next,
            tried: found.tried,
            complete: found.complete,
            not_deterministic: found.parted.as_ref().map(ToString::to_string),
            message: found.to_string(),
        })
    }
}

/// The cell that a slip is about: that of the value, or that which the command names.
fn cell_of(slip: &murk::Slip, tape: &Tape) -> Option<Vec<i32>> {
    if let murk::Slip::Value { value, .. } = slip {
        return Some(value.location.as_ref()?.coord.clone());
    }
    let CommandAt { frame, command, .. } = slip.command()?;
    let bytes = tape.recording.input().bytes().ok()?;
    let replay = murk::read_with(&bytes, ReadOptions::lenient()).ok()?;
    let frame = replay.frames().nth(usize::try_from(*frame).ok()?)?.ok()?;
    let command = frame.commands().into_iter().nth(*command as usize)?;
    match command.payload() {
        Ok(Payload::SetField { coord, .. } | Payload::Spawn { coord, .. }) => {
            Some(coord.iter().collect())
        }
        Ok(Payload::Move { target, .. }) => Some(target.iter().collect()),
        _ => None,
    }
}

#[pymethods]
impl Explanation {
    /// The first difference.
    #[getter]
    fn divergence(&self) -> Divergence {
        self.divergence.clone()
    }

    /// The slips that explain the most, at most eight.
    #[getter]
    fn slips(&self) -> Vec<Slip> {
        self.slips.clone()
    }

    /// The slip that alone explains the most; `None` if several explain equally much, or none does.
    #[getter]
    fn best(&self) -> Option<Slip> {
        match self.slips.as_slice() {
            [only] if self.more == 0 => Some(only.clone()),
            _ => None,
        }
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __repr__(&self) -> String {
        format!("<Explanation: {}>", self.message)
    }
}

/// The smallest list of commands with which a recording still goes wrong.
///
/// >>> world = gametape.World.from_toml(open("heat.toml").read())
/// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
/// >>> bad[-1] ^= 1
/// >>> small = world.minimise(bytes(bad))
/// >>> small.ticks, small.tick, world.verify(small.recording).ok
/// ((20, 20), 20, False)
#[pyclass(frozen, module = "gametape")]
pub struct Minimised {
    /// The numbers of ticks before and after.
    #[pyo3(get)]
    ticks: (u64, u64),
    /// The numbers of commands before and after.
    #[pyo3(get)]
    commands: (u64, u64),
    /// The number of lists that were tried.
    #[pyo3(get)]
    trials: u64,
    /// Whether no further single command can be left out.
    #[pyo3(get)]
    minimal: bool,
    /// The tick at which it goes wrong.
    #[pyo3(get)]
    tick: u64,
    /// Whether its verification has the same result as that of the first recording.
    #[pyo3(get)]
    same_verdict: bool,
    /// A sentence about where it goes wrong.
    #[pyo3(get)]
    fault: String,
    data: Map<String, Value>,
    bytes: Vec<u8>,
}

impl From<tools::MinimisedRecording> for Minimised {
    fn from(small: tools::MinimisedRecording) -> Self {
        Self {
            ticks: small.ticks.into(),
            commands: small.commands.into(),
            trials: small.trials,
            minimal: small.minimal,
            tick: small.tick,
            same_verdict: small.same,
            fault: small.fault(),
            data: object(&small.data()),
            bytes: small.bytes,
        }
    }
}

#[pymethods]
impl Minimised {
    /// The recording of the smallest list, as bytes.
    #[getter]
    fn recording<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// Everything as data.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        to_dict(py, &self.data)
    }

    /// Writes the recording to a file. One that exists is replaced only with `replace=True`, unless it is the same
    /// already.
    ///
    /// >>> world = gametape.World.from_toml(open("heat.toml").read())
    /// >>> bad = bytearray(world.run(ticks=20, keep=True).recording)
    /// >>> bad[-1] ^= 1
    /// >>> world.minimise(bytes(bad)).save("small.murk")
    /// >>> gametape.open("small.murk").audit().verdict
    /// 'fail'
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> PyResult<()> {
        given::save(py, path, self.bytes.clone(), replace)
    }

    fn __repr__(&self) -> String {
        let ((_, ticks), (_, commands)) = (self.ticks, self.commands);
        format!(
            "<Minimised: {ticks} ticks, {commands} commands: {}>",
            self.fault
        )
    }
}
