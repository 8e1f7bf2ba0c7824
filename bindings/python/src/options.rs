//! Keyword arguments as options of formats.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gametape::{Error, OptionDef, OptionKind, OptionValue, Options};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::errors::Failure;

/// Reads the options of a call. Names have underscores where the formats have hyphens. An option that
/// `defs` does not declare is passed on, so that the library refuses it in its own words.
pub fn read(options: Option<&Bound<'_, PyDict>>, defs: &[OptionDef]) -> PyResult<Options> {
    let mut read = Options::new();
    for (name, value) in options.into_iter().flatten() {
        let name = name.extract::<String>()?.replace('_', "-");
        if value.is_none() || value.cast::<PyBool>().is_ok_and(|flag| !flag.is_true()) {
            // Not given. An unknown name is wrong all the same.
            if !defs.iter().any(|def| def.name == name) {
                read.set(name, OptionValue::Flag);
            }
            continue;
        }
        let of = match defs.iter().find(|def| def.name == name) {
            Some(def) => option(def, &value)?,
            None => OptionValue::Flag,
        };
        read.set(name, of);
    }
    Ok(read)
}

fn option(def: &OptionDef, value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    if let OptionKind::File { most } = def.kind {
        return Ok(file(&value.extract::<PathBuf>()?, most)?);
    }
    if value.is_instance_of::<PyBool>() {
        // The library says what else the option takes.
        return Ok(OptionValue::Flag);
    }
    let text = if let Ok(text) = value.cast::<PyString>() {
        text.to_string()
    } else if value.hasattr("__float__")? {
        // Numbers, those of NumPy among them, have the same form in both languages.
        value.str()?.to_string()
    } else {
        let words = value.try_iter()?.map(|word| word?.extract::<String>());
        words.collect::<PyResult<Vec<_>>>()?.join(",")
    };
    def.parse(&text)
        .map_err(|error| Failure::usage(error).into())
}

fn file(path: &Path, most: u64) -> Result<OptionValue, Failure> {
    Ok(OptionValue::File {
        path: path.to_owned(),
        bytes: contents(path, most)?,
    })
}

/// Reads a file that is not a recording.
pub fn contents(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| {
        let mut file = file.take(most.saturating_add(1));
        file.read_to_end(&mut bytes)
    });
    let size = read.map_err(Error::io(path))? as u64;
    if size > most {
        let path = path.to_owned();
        return Err(Error::TooLarge {
            path,
            size,
            limit: most,
        }
        .into());
    }
    Ok(bytes)
}
