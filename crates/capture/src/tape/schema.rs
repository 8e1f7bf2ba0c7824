//! Finds the schema of packets: the one that was given, or the one that is next to them.

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use gametape_core::tape::{Disk, Error, Files, Options};
use gametape_core::text::Bytes;
use gametape_core::{Class, Coded, Spell as _};
use gametape_delta::Schema;
use gametape_delta::wire::{self, HEADER_BYTES, Header};

use crate::container::starts_as_mcap;
use crate::error::CaptureError;
use crate::ranges::{Ranges, Window};

/// The file name of the schema in a folder.
const SCHEMA: &str = "schema.json";

/// Far more than any schema needs: 64 components of 64 fields with long names.
const MAX_SCHEMA_BYTES: u64 = 4 << 20;

/// Reads a schema from JSON, or from a capture.
///
/// # Errors
/// [`SchemaError`] if the bytes are not a schema; a problem of the capture.
pub fn schema_of_json(bytes: &[u8]) -> Result<Schema, Error> {
    if starts_as_mcap(bytes) {
        return Ok(crate::read(bytes)?.schema().clone());
    }
    if bytes.len() as u64 > MAX_SCHEMA_BYTES {
        let most = Bytes(MAX_SCHEMA_BYTES);
        return Err(wrong(format!("more than {most}: this is no schema")));
    }
    serde_json::from_slice(bytes).map_err(|error| wrong(format!("not a schema: {error}")))
}

/// The schema that this option gives: JSON, a capture, or packets with their schema next to them.
pub(super) fn given(options: &Options, name: &str) -> Result<Option<Schema>, Error> {
    let Some((path, bytes)) = options.file(name) else {
        return Ok(None);
    };
    if bytes.starts_with(&wire::MAGIC.to_le_bytes()) {
        let schema = beside(&places(path, path.is_dir()), &Disk, bytes.into())
            .map_err(|error| wrong_in(path, &error))?;
        return Ok(Some(schema));
    }
    let schema = schema_of_json(bytes).map_err(|error| wrong_in(path, &error))?;
    Ok(Some(schema))
}

/// Checks that the given schema is that of these packets.
pub(super) fn checked(schema: Schema, packets: Ranges<'_>) -> Result<Schema, Error> {
    match mismatch(packets, &schema)? {
        None => Ok(schema),
        Some(theirs) => Err(wrong(format!(
            "its packets are of schema {theirs:016x}, the schema given is {:016x}",
            schema.hash()
        ))),
    }
}

/// The schema that is next to packets.
pub(super) fn beside(
    places: &[PathBuf],
    files: &dyn Files,
    packets: Ranges<'_>,
) -> Result<Schema, Error> {
    let mut read = Vec::new();
    for place in places {
        if let Some(schema) = schema_in(place, files)? {
            read.push((place.as_path(), schema));
        }
    }
    let Some((_, schema)) = read.first() else {
        let places: Vec<String> = places.iter().map(|p| p.spelled().into_owned()).collect();
        let none = match places.as_slice() {
            [place] => format!("{place} is not there"),
            places => format!("neither {} is there", places.join(" nor ")),
        };
        return Err(wrong(format!(
            "the schema of its packets is missing: {none}"
        )));
    };
    match mismatch(packets, schema)? {
        None => Ok(schema.clone()),
        Some(theirs) => Err(wrong(another(theirs, &read))),
    }
}

/// The message for packets whose schema is none of these, or not the first one.
fn another(theirs: u64, read: &[(&Path, Schema)]) -> String {
    let mut message = format!("its packets are of schema {theirs:016x}");
    let first = read.first().map(|(_, schema)| schema);
    for (at, (place, schema)) in read.iter().enumerate() {
        let place = place.spelled();
        // The other schema at hand may be the right one; the message then lists the differences.
        if let Some(first) = first.filter(|_| at > 0 && schema.hash() == theirs) {
            let differences = first.differences(schema);
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            message = format!(
                "{message}; {place} is the right one. Between the first and the second: {}",
                differences.join("; ")
            );
        } else {
            message = format!("{message}, {place} is schema {:016x}", schema.hash());
        }
    }
    message
}

/// The places where the schema of a recording may be, nearest first.
pub(super) fn places(path: &Path, is_folder: bool) -> Vec<PathBuf> {
    if is_folder {
        return vec![path.join(SCHEMA)];
    }
    let beside = path.with_extension(SCHEMA);
    let common = path.with_file_name(SCHEMA);
    if beside == common {
        return vec![beside];
    }
    vec![beside, common]
}

/// The schema in a file; `None` where there is no file.
fn schema_in(path: &Path, files: &dyn Files) -> Result<Option<Schema>, Error> {
    let in_file = |message: &dyn Display| wrong_in(path, message);
    let file = match files.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(in_file(&error)),
    };
    let json = file.head(MAX_SCHEMA_BYTES + 1);
    let json = json.map_err(|error| in_file(&error))?;
    let schema = schema_of_json(&json).map_err(|error| in_file(&error))?;
    Ok(Some(schema))
}

/// The schema hash in the packets, if none of them has the hash of this schema.
fn mismatch(packets: Ranges<'_>, schema: &Schema) -> Result<Option<u64>, Error> {
    let magic = wire::MAGIC.to_le_bytes();
    let mut window = Window::new(packets);
    let mut other = None;
    let mut at = 0;
    while let Some(next) = window.find(at, &magic)? {
        if let Ok((header, _)) = Header::read(window.at(next, HEADER_BYTES as u64)?) {
            if header.schema_hash == schema.hash() {
                return Ok(None);
            }
            other.get_or_insert(header.schema_hash);
        }
        at = next + 1;
    }
    Ok(other)
}

/// The schema of a recording's packets is missing or does not match.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// The file with the problem, if it is not the recording.
    pub path: Option<PathBuf>,
    /// The problem.
    pub message: String,
}

impl Coded for SchemaError {
    fn code(&self) -> &'static str {
        "schema"
    }

    fn class(&self) -> Class {
        Class::Caller
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// A [`SchemaError`] as the error of any format.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::format(SchemaError {
        path: None,
        message: message.into(),
    })
}

/// Like [`wrong`], about another file.
pub(super) fn wrong_in(path: &Path, message: &dyn Display) -> Error {
    Error::format(SchemaError {
        path: Some(path.to_owned()),
        message: message.to_string(),
    })
}

impl From<CaptureError> for Error {
    fn from(error: CaptureError) -> Self {
        match error {
            CaptureError::Io(source) => Self::Output(source),
            CaptureError::Read(error) => error.into(),
            error => Self::format(error),
        }
    }
}
