//! Echo VR: .butter and .echoreplay.

mod audit;
mod convert;
mod diff;
mod dump;
mod frames;
mod info;
mod repair;
mod stats;
mod wish;

use std::io::{self, Cursor, Write};
use std::path::Path;

use gametape_echo::echoreplay::ReadOptions;
use gametape_echo::{Time, butter};
use serde_json::{Map, Value};

use crate::format::{Adapter, Check, Convert, Converted, Dump, Partial, Repaired, Secrets};
use crate::source::Source;
use crate::{Audit, Diff, Error, Format, Info, Work};

pub use wish::{Container, Wish};

/// Both formats: what is done with frames is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EchoFormat {
    Echoreplay,
    Butter,
}

/// How a zip starts.
const ZIP: &[u8] = b"PK\x03\x04";

impl EchoFormat {
    const fn format(self) -> Format {
        match self {
            Self::Echoreplay => Format::Echoreplay,
            Self::Butter => Format::Butter,
        }
    }
}

/// A zip whose first file starts with a line of a recording: other zips are somebody else's.
fn is_zipped(bytes: &[u8]) -> bool {
    /// Far more than a line takes, compressed.
    const START: usize = 256 << 10;
    let start = bytes.get(..START.min(bytes.len())).unwrap_or_default();
    // Cut here the zip has no table: what is in it is looked for.
    let Ok(mut reader) = ReadOptions::lenient().open(Cursor::new(start)) else {
        return false;
    };
    let found = matches!(reader.next_line(), Ok(Some(_)));
    let findings = reader.findings();
    found && !findings.has("echoreplay.columns") && !findings.has("echoreplay.time")
}

/// A zip, or a line that starts with a time, a tab and an object.
fn starts_as_echoreplay(bytes: &[u8]) -> bool {
    if bytes.starts_with(ZIP) {
        return is_zipped(bytes);
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = text.get(..64.min(text.len())).unwrap_or_default();
    let Some(tab) = start.iter().position(|byte| *byte == b'\t') else {
        return false;
    };
    let Some((time, answer)) = start.split_at_checked(tab) else {
        return false;
    };
    Time::parse(time).is_some() && answer.get(1) == Some(&b'{')
}

/// A header that can be read, and a chunk that starts as its compression says.
fn starts_as_butter(bytes: &[u8]) -> bool {
    const KEYFRAME: &[u8] = &[0xFC, 0xFE];
    if !matches!(bytes.first(), Some(1..=3)) {
        return false;
    }
    let Ok(file) = butter::ReadOptions::lenient().read(bytes) else {
        return false;
    };
    let Some(header) = file.header() else {
        return false;
    };
    let Some(chunk) = file.chunks().first() else {
        // One that is being recorded, or one without chunks, which says nothing.
        return file.is_unfinished();
    };
    let start: &[u8] = match header.compression {
        butter::Compression::None => KEYFRAME,
        butter::Compression::Gzip => &[0x1F, 0x8B],
        _ => &[0x28, 0xB5, 0x2F, 0xFD],
    };
    usize::try_from(chunk.offset)
        .ok()
        .and_then(|at| bytes.get(at..))
        .is_some_and(|chunk| chunk.starts_with(start))
}

impl Adapter for EchoFormat {
    fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Echoreplay => &["echoreplay"],
            Self::Butter => &["butter"],
        }
    }

    fn sniff(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Echoreplay => starts_as_echoreplay(bytes),
            Self::Butter => starts_as_butter(bytes),
        }
    }

    fn header(
        &self,
        path: &Path,
        source: &Source,
        secrets: Secrets,
    ) -> Result<Partial<Info>, Error> {
        info::header(*self, path, source, secrets)
    }

    fn info(&self, path: &Path, source: &Source, secrets: Secrets) -> Result<Partial<Info>, Error> {
        info::whole(*self, path, source, secrets)
    }

    fn audit(&self, path: &Path, source: &Source, _check: &Check) -> Result<Audit, Error> {
        audit::audit(*self, path, source)
    }

    fn stats(&self, path: &Path, source: &Source) -> Result<Partial<Map<String, Value>>, Error> {
        stats::stats(*self, path, source)
    }

    fn dump(
        &self,
        path: &Path,
        source: &Source,
        wanted: &Dump,
        out: &mut dyn Write,
    ) -> io::Result<Result<Partial<()>, Error>> {
        dump::dump(*self, path, source, wanted, out)
    }

    fn convert<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        to: Format,
        convert: &Convert,
        work: &Work<'_>,
    ) -> Result<Converted<'a>, Error> {
        convert::convert(*self, path, source, to, convert, work)
    }

    fn repair<'a>(
        &self,
        path: &Path,
        source: &'a Source,
        work: &Work<'_>,
    ) -> Result<Repaired<'a>, Error> {
        match self {
            Self::Butter => repair::butter(path, source, work),
            Self::Echoreplay => repair::echoreplay(path, source, work),
        }
    }

    fn diff(&self, paths: [&Path; 2], sources: [&Source; 2], _: &Check) -> Result<Diff, Error> {
        diff::diff(paths, sources)
    }
}

/// The format of a recording of either: what its content says, else its name.
fn format_of(path: &Path, source: &Source) -> EchoFormat {
    if starts_as_echoreplay(source) {
        EchoFormat::Echoreplay
    } else if starts_as_butter(source) {
        EchoFormat::Butter
    } else if Format::from_extension(path) == Some(Format::Echoreplay) {
        EchoFormat::Echoreplay
    } else {
        EchoFormat::Butter
    }
}
