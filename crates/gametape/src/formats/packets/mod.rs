//! Snapshot/delta packets: in captures, in files, in folders.

mod audit;
mod container;
mod convert;
mod diff;
mod dump;
mod info;
mod measure;
mod open;
mod repair;
mod stats;

use std::io::{self, Write};
use std::path::Path;

use gametape_capture::CaptureError;
use gametape_capture::container::starts_as_mcap;
use serde_json::{Map, Value};

use crate::format::{Adapter, Check, Convert, Converted, Dump, Partial, Repaired, Secrets};
use crate::source::Source;
use crate::{Audit, Diff, Error, Format, Info, Work};

pub use open::read_schema;
pub(crate) use open::{is_folder, open, open_folder};

/// Both formats of packets: what is done with them is the same.
#[derive(Clone, Copy)]
pub(crate) enum PacketFormat {
    Capture,
    Delta,
}

/// An error of a recording, with its path.
fn broken(path: &Path, error: CaptureError) -> Error {
    match error {
        CaptureError::Io(source) => Error::Io {
            path: path.to_owned(),
            source,
        },
        error => Error::Broken {
            path: path.to_owned(),
            code: error.code(),
            offset: error.offset(),
            message: error.to_string(),
        },
    }
}

/// The name of a field as people know it: `component 1 (ship), field 2 (x)`.
fn field_name(schema: &gametape_delta::Schema, component: u16, field: u16) -> String {
    let definition = schema.component(component).map(|(_, component)| component);
    let of_field = definition.and_then(|c| c.fields.iter().find(|f| f.id == field));
    format!(
        "component {component}{}, field {field}{}",
        in_brackets(definition.and_then(|c| c.name.as_deref())),
        in_brackets(of_field.and_then(|f| f.name.as_deref()))
    )
}

fn in_brackets(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!(" ({name})"))
}

impl Adapter for PacketFormat {
    fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Capture => &["mcap"],
            Self::Delta => &["delta"],
        }
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Capture => starts_as_mcap(bytes),
            Self::Delta => bytes.starts_with(&gametape_delta::wire::MAGIC.to_le_bytes()),
        }
    }

    fn header(&self, path: &Path, source: &Source, _: Secrets) -> Result<Partial<Info>, Error> {
        let packets = open(path, source)?;
        Ok(Partial {
            value: info::header(path, source, &packets),
            problem: None,
        })
    }

    fn info(&self, path: &Path, source: &Source, _: Secrets) -> Result<Partial<Info>, Error> {
        let packets = open(path, source)?;
        let measured = measure::measure(&packets);
        Ok(Partial {
            value: info::info(path, source, &packets, &measured),
            problem: measured.problem.map(|problem| broken(path, problem)),
        })
    }

    fn audit(&self, path: &Path, source: &Source, _: &Check) -> Result<Audit, Error> {
        audit::audit(path, source)
    }

    fn stats(&self, path: &Path, source: &Source) -> Result<Partial<Map<String, Value>>, Error> {
        let packets = open(path, source)?;
        let measured = measure::measure(&packets);
        Ok(Partial {
            value: stats::stats(&packets, &measured),
            problem: measured.problem.map(|problem| broken(path, problem)),
        })
    }

    fn dump(
        &self,
        path: &Path,
        source: &Source,
        wanted: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        dump::dump(path, source, wanted, out)
    }

    fn convert<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        to: Format,
        convert: &Convert,
        _work: &Work<'_>,
    ) -> Result<Converted<'a>, Error> {
        convert::convert(path, source, to, convert)
    }

    fn repair<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        _work: &Work<'_>,
    ) -> Result<Repaired<'a>, Error> {
        repair::repair(path, source)
    }

    fn diff(&self, paths: [&Path; 2], sources: [&Source; 2], _: &Check) -> Result<Diff, Error> {
        diff::diff(paths, sources)
    }
}
