//! Opening: captures carry their schema, packets have it beside them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use gametape_capture::container::starts_as_mcap;
use gametape_capture::{Capture, CaptureError, DeltaFile, Packets};
use gametape_delta::Schema;
use gametape_delta::wire::{self, Header};

use super::broken;
use crate::source::{Limits, Source};
use crate::{Error, Recording};

/// The name of the schema in a folder.
const SCHEMA: &str = "schema.json";

/// Far more than any schema takes: 64 components of 64 fields with long names.
const MAX_SCHEMA_BYTES: u64 = 4 << 20;

/// Opens the packets of a recording.
pub(crate) fn open<'a>(path: &Path, source: &'a Source) -> Result<Packets<'a>, Error> {
    if starts_as_mcap(source) {
        let capture = Capture::open(source).map_err(|error| broken(path, error))?;
        return Ok(Packets::Capture(Box::new(capture)));
    }
    if path
        .extension()
        .is_some_and(|extension| extension == "mcap")
    {
        let is_bare = source.starts_with(&wire::MAGIC.to_le_bytes());
        return Err(broken(
            path,
            if is_bare {
                CaptureError::BarePackets
            } else {
                CaptureError::NotMcap
            },
        ));
    }
    let schema = schema(path, source)?;
    Ok(Packets::Delta(DeltaFile::new(source, schema)))
}

/// The schema of packets: the one that the caller gave, or the one beside them.
fn schema(path: &Path, source: &Source) -> Result<Schema, Error> {
    let wrong = |message| Error::Schema {
        path: path.to_owned(),
        message,
    };
    if let Some(given) = &source.schema {
        return match mismatch(source, given) {
            None => Ok(given.clone()),
            Some(theirs) => Err(wrong(format!(
                "its packets are of schema {theirs:016x}, the schema given is {:016x}",
                given.hash()
            ))),
        };
    }
    if path == Path::new("-") {
        return Err(wrong(
            "packets from standard input have no schema beside them; name the file, or convert it to .mcap, which holds its schema".into(),
        ));
    }
    let places = places(path);
    let mut read = Vec::new();
    for place in &places {
        if let Some(schema) = schema_in(place)? {
            read.push((place, schema));
        }
    }
    let Some((place, schema)) = read.first() else {
        let places: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
        let is = if places.len() == 1 {
            "is not there"
        } else {
            "is there"
        };
        return Err(wrong(format!(
            "the schema of its packets is missing: {} {is}",
            if places.len() == 1 {
                places.concat()
            } else {
                format!("neither {}", places.join(" nor "))
            }
        )));
    };
    let Some(theirs) = mismatch(source, schema) else {
        return Ok(schema.clone());
    };
    let mut message = format!(
        "its packets are of schema {theirs:016x}, {} is schema {:016x}",
        place.display(),
        schema.hash()
    );
    // The other schema that is at hand may be the one, and then says what differs.
    for (other, candidate) in read.iter().skip(1) {
        if candidate.hash() == theirs {
            let differences = schema.differences(candidate);
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            message = format!(
                "{message}; {} is the right one. Between the first and the second: {}",
                other.display(),
                differences.join("; ")
            );
        } else {
            message = format!(
                "{message}, {} is schema {:016x}",
                other.display(),
                candidate.hash()
            );
        }
    }
    Err(wrong(message))
}

/// Where the schema of a recording may be, the nearest first.
fn places(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        return vec![path.join(SCHEMA)];
    }
    let beside = path.with_extension(SCHEMA);
    let common = path.with_file_name(SCHEMA);
    if beside == common {
        return vec![beside];
    }
    vec![beside, common]
}

/// The schema in a file of JSON, or of a recording that has one.
///
/// # Errors
/// [`Error::Schema`] where the JSON is no schema, [`Error::Unsupported`] where the recording has
/// none; what opening it says.
pub fn read_schema(path: impl AsRef<Path>) -> Result<Schema, Error> {
    let path = path.as_ref();
    if path
        .extension()
        .is_some_and(|extension| extension == "json")
    {
        return schema_in(path)?.ok_or_else(|| Error::NotFound {
            pattern: path.display().to_string(),
        });
    }
    Ok(Recording::open(path)?.packets()?.schema().clone())
}

/// The schema in a file; `None` where there is no file.
pub(super) fn schema_in(path: &Path) -> Result<Option<Schema>, Error> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let wrong = |message| Error::Schema {
        path: path.to_owned(),
        message,
    };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    let mut json = Vec::new();
    file.take(MAX_SCHEMA_BYTES + 1)
        .read_to_end(&mut json)
        .map_err(io)?;
    if json.len() as u64 > MAX_SCHEMA_BYTES {
        return Err(wrong(format!(
            "more than {MAX_SCHEMA_BYTES} bytes: this is no schema"
        )));
    }
    match serde_json::from_slice(&json) {
        Ok(schema) => Ok(Some(schema)),
        Err(error) => Err(wrong(format!("not a schema: {error}"))),
    }
}

/// The schema that packets say they are of, where none of them is of this one.
fn mismatch(bytes: &[u8], schema: &Schema) -> Option<u64> {
    let magic = wire::MAGIC.to_le_bytes();
    let mut other = None;
    let mut at = 0;
    loop {
        let rest = bytes.get(at..)?;
        let Some(next) = rest.windows(magic.len()).position(|four| *four == magic) else {
            return other;
        };
        at += next;
        if let Some(Ok((header, _))) = bytes.get(at..).map(Header::read) {
            if header.schema_hash == schema.hash() {
                return None;
            }
            other.get_or_insert(header.schema_hash);
        }
        at += 1;
    }
}

/// A file in a folder of packets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PacketFile {
    /// By its name.
    pub tick: u32,
    /// By its name; none for a full snapshot.
    pub baseline: Option<u32>,
    pub path: PathBuf,
}

impl PacketFile {
    /// `full_000001.bin`, `delta_000002_base_000001.bin`.
    fn of(path: PathBuf) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(".bin")?;
        let (tick, baseline) = if let Some(tick) = stem.strip_prefix("full_") {
            (tick, None)
        } else {
            let (tick, baseline) = stem.strip_prefix("delta_")?.split_once("_base_")?;
            (tick, Some(baseline))
        };
        let number = |digits: &str| {
            let only_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            only_digits.then(|| digits.parse().ok()).flatten()
        };
        Some(Self {
            tick: number(tick)?,
            baseline: match baseline {
                Some(baseline) => Some(number(baseline)?),
                None => None,
            },
            path,
        })
    }
}

/// The files of packets in a folder, by tick.
pub(super) fn packet_files(folder: &Path) -> Result<Vec<PacketFile>, Error> {
    let io = |source| Error::Io {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        files.extend(PacketFile::of(entry.map_err(io)?.path()));
    }
    files.sort_unstable();
    Ok(files)
}

/// Whether a path is a folder that is one recording: packets, and their schema. Where that is
/// missing it is one fault, and not one of each file.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
        && fs::read_dir(path).is_ok_and(|entries| {
            entries
                .flatten()
                .any(|entry| PacketFile::of(entry.path()).is_some())
        })
}

/// The packets of a folder, one behind the other.
pub(crate) fn open_folder(folder: &Path, limits: &Limits) -> Result<Source, Error> {
    let mut bytes = Vec::new();
    for file in packet_files(folder)? {
        let left = Limits {
            max_held_bytes: limits.max_held_bytes.saturating_sub(bytes.len() as u64),
        };
        let packet = Source::open(&file.path, &left)?;
        let size = (bytes.len() + packet.len()) as u64;
        if size > limits.max_held_bytes {
            return Err(Error::TooLarge {
                path: folder.to_owned(),
                size,
                limit: limits.max_held_bytes,
            });
        }
        bytes.extend_from_slice(&packet);
    }
    Ok(Source::held(bytes))
}
