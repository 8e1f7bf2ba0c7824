//! Recordings that a caller gives to a world.

use std::path::PathBuf;
use std::sync::Arc;

use gametape::Existing;
use gametape::core::Spell as _;
use gametape::murk::engine::World;
use gametape::murk::engine::own::Kinds;
use gametape::murk::tape::{Murk, MurkTape, WorldFile};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Failure;
use crate::recording::Recording;

/// A recording: opened, in memory, or the path of one.
pub enum Given {
    Open(Arc<gametape::Recording>),
    Bytes(Vec<u8>),
    Path(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(recording) = object.cast::<Recording>() {
            return recording.get().get().map(Self::Open);
        }
        match object.cast::<PyBytes>() {
            Ok(bytes) => Ok(Self::Bytes(bytes.as_bytes().to_vec())),
            Err(_) => object.extract().map(Self::Path),
        }
    }
}

impl Given {
    /// Opens it. It must be one of a simulation.
    pub fn open(self) -> Result<Tape, Failure> {
        let recording = match self {
            Self::Open(recording) => recording,
            Self::Bytes(bytes) => Arc::new(gametape::Recording::from_bytes(bytes, "recording")?),
            Self::Path(path) => Arc::new(gametape::Recording::open(path)?),
        };
        let tape = recording.tape_as::<MurkTape>().cloned();
        let other = || {
            let (path, format) = (recording.path().spelled(), recording.format().name());
            Failure::usage(format!("{path}: {format} recordings have no world"))
        };
        let tape = tape.ok_or_else(other)?;
        Ok(Tape { recording, tape })
    }
}

/// An opened recording of a simulation.
pub struct Tape {
    pub recording: Arc<gametape::Recording>,
    pub tape: MurkTape,
}

impl Tape {
    /// Returns what is wrong with the recording, or with its use in a world.
    pub fn failure(&self, error: gametape::core::tape::Error) -> Failure {
        if error.code() == "simulation" || error.path().is_some() {
            return Failure::of_world(error);
        }
        gametape::Error::tape(self.recording.path())(error).into()
    }
}

/// The world as the tools take it.
pub fn file(world: &World) -> WorldFile {
    WorldFile {
        path: PathBuf::from("world"),
        bytes: world.canonical(),
        kinds: Kinds::new(),
    }
}

/// Writes a recording to a file.
pub fn save(py: Python<'_>, path: PathBuf, recording: Vec<u8>, replace: bool) -> PyResult<()> {
    let saved = py.detach(move || {
        gametape::formats().check_name(&Murk::new(), &path)?;
        gametape::write_file(&path, &recording, Existing::replaced_if(replace))
    });
    Ok(saved.map_err(Failure::from)?)
}
