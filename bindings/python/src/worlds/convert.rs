//! Values of Python as JSON, for commands, and as TOML, for worlds.

use gametape::murk::engine::World;
use gametape::murk::tools::CommandList;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Map, Number, Value};
use std::path::Path;

use crate::errors::Failure;

/// Converts a value, also one of NumPy.
pub fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if value.is_instance_of::<PyInt>() {
        return whole(value);
    }
    if value.is_instance_of::<PyFloat>() {
        return real(value);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return Ok(Value::Object(to_map(dict)?));
    }
    if value.hasattr("dtype")? {
        // A number or an array of NumPy.
        return to_json(&value.call_method0("tolist")?);
    }
    let items = value.try_iter()?.map(|item| to_json(&item?));
    Ok(Value::Array(items.collect::<PyResult<_>>()?))
}

fn to_map(dict: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let mut map = Map::new();
    for (key, value) in dict {
        map.insert(
            key.cast::<PyString>()?.to_str()?.to_owned(),
            to_json(&value)?,
        );
    }
    Ok(map)
}

fn whole(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    match value.extract::<i64>() {
        Ok(number) => Ok(number.into()),
        Err(_) => Ok(value.extract::<u64>()?.into()),
    }
}

fn real(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let number: f64 = value.extract()?;
    let finite = Number::from_f64(number).map(Value::Number);
    let text = || {
        format!("{number} is not finite; a command takes its bits instead, such as \"0x7fc00000\"")
    };
    Ok(finite.ok_or_else(|| Failure::usage(text()))?)
}

/// Converts a command. It sets a field if it does not say otherwise.
fn command(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let mut value = to_json(value)?;
    if let Value::Object(map) = &mut value
        && map.contains_key("field")
        && !map.contains_key("kind")
    {
        map.insert("kind".to_owned(), "set_field".into());
    }
    Ok(value)
}

/// Reads the commands of a run: each with its tick, or frames as the command's `dump` prints them.
pub fn of_run(commands: Option<&Bound<'_, PyAny>>, world: &World) -> PyResult<CommandList> {
    let Some(commands) = commands else {
        return Ok(CommandList::none());
    };
    let lines = commands.try_iter()?.map(|line| {
        let line = line?;
        if let Ok(dict) = line.cast::<PyDict>()
            && let Some(list) = dict.get_item("commands")?
        {
            let list = list.try_iter()?.map(|one| command(&one?));
            let list = Value::Array(list.collect::<PyResult<_>>()?);
            let mut rest = to_map(dict)?;
            rest.insert("commands".to_owned(), list);
            return Ok(Value::Object(rest));
        }
        command(&line)
    });
    let lines = lines.collect::<PyResult<Vec<_>>>()?;
    let read = CommandList::of_values(lines, Path::new("commands"), world);
    Ok(read.map_err(|error| Failure::of_world(error.into()))?)
}

/// Writes a value as TOML. A dict becomes an inline table, without what is None.
fn to_toml(value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(dict) = value.cast::<PyDict>() {
        let entries = entries(dict)?;
        return Ok(format!("{{ {} }}", entries.join(", ")));
    }
    if value.is_instance_of::<PyFloat>() && !value.hasattr("dtype")? {
        // Python writes floats as TOML does.
        return Ok(value.repr()?.to_string());
    }
    if value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyString>()
    {
        return Ok(match to_json(value)? {
            // TOML's integers end where those of 64 bits with a sign do; worlds take larger ones as texts.
            Value::Number(number) if !number.is_i64() => format!("\"{number}\""),
            value => value.to_string(),
        });
    }
    if value.hasattr("dtype")? {
        return to_toml(&value.call_method0("tolist")?);
    }
    let items = value.try_iter()?.map(|item| to_toml(&item?));
    let items = items.collect::<PyResult<Vec<_>>>()?;
    Ok(format!("[{}]", items.join(", ")))
}

fn entries(dict: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let mut entries = Vec::new();
    for (key, value) in dict {
        if !value.is_none() {
            let key = Value::String(key.cast::<PyString>()?.to_str()?.to_owned());
            entries.push(format!("{key} = {}", to_toml(&value)?));
        }
    }
    Ok(entries)
}

/// Writes a dict as a document of TOML.
pub fn document(dict: &Bound<'_, PyDict>) -> PyResult<String> {
    Ok(entries(dict)?.join("\n"))
}

/// Writes the value of a parameter. A text is passed on: it may be TOML already.
pub fn parameter(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.to_owned()),
        Err(_) => to_toml(value),
    }
}

/// Reads parameters and their new values.
pub fn parameters(set: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, String)>> {
    let set = set.into_iter().flatten();
    set.map(|(name, value)| Ok((name.extract()?, parameter(&value)?)))
        .collect()
}
