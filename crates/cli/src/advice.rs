//! What to do about an error: as text for people, and the error as data.

use std::ffi::OsStr;

use gametape::Error;
use gametape::core::tape;
use serde_json::{Value, json};

/// Returns what may help, as the end of a message. `command` and `verb` are what failed.
pub fn advice(error: &Error, command: &str, verb: &str) -> Option<String> {
    match error {
        Error::IsFolder {
            recording: true, ..
        } if matches!(verb, "convert" | "repair") => {
            Some(format!("; to {verb} its recordings, add --out DIR"))
        }
        Error::IsFolder {
            recording: true, ..
        } => Some(format!(
            "; {verb} needs a file, and {command} inspect lists those in a folder"
        )),
        // Recorders have no such option.
        Error::Exists { .. } if verb != "record" => Some("; --replace replaces it".to_owned()),
        error if error.is_broken() && error.is_of_empty() => {
            Some(" (the file is empty)".to_owned())
        }
        // A repair keeps whatever it can: it fails if that is nothing.
        error if error.is_broken() && verb == "repair" => {
            Some("; there is nothing to keep".to_owned())
        }
        error if error.is_broken() && has_start(error) => {
            Some(format!(" ({command} repair may save the intact parts)"))
        }
        Error::Tape {
            source: tape::Error::NoConversion { to, .. },
            ..
        } if is_rows(to) => Some(format!(
            "; rows are printed by {command} dump FILE --table TABLE --csv"
        )),
        _ => None,
    }
}

/// Whether anything may be intact: not where the first byte is wrong.
fn has_start(error: &Error) -> bool {
    let Some(tape::Error::Broken(finding)) = error.tape_error() else {
        return true;
    };
    finding.place.step.is_some() || finding.place.offset != Some(0)
}

/// Whether the name of a target stands for rows of a table.
fn is_rows(target: &str) -> bool {
    // `game.csv: its extension is of no known format`
    let name = target.split(':').next().unwrap_or_default();
    let end = name.rsplit('.').next().unwrap_or_default();
    ["csv", "json", "jsonl", "ndjson", "tsv", "txt", "xlsx"].contains(&end)
}

/// Makes an error of the output name the output, not the recording.
pub fn of_output(error: Error, output: &OsStr) -> Error {
    match error {
        Error::Tape {
            source: tape::Error::Output(source),
            ..
        } => Error::Io {
            path: output.into(),
            source,
        },
        error => error,
    }
}

/// Returns an error as data: a finding, if the recording breaks a rule of its format.
pub fn data(error: &Error) -> Value {
    if let Some(tape::Error::Broken(finding)) = error.tape_error() {
        return json!(finding);
    }
    let data = error.data().into_iter();
    let data: serde_json::Map<String, Value> = data
        .map(|(name, datum)| (name.to_owned(), Value::from(datum)))
        .collect();
    json!({
        "code": error.code(),
        "offset": error.offset(),
        "message": error.message(),
        "data": data,
    })
}
