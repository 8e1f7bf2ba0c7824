//! A recording as the files that are published of it.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape::core::tape::{self, Secrets, Work};
use gametape::{Error as RecordingError, Recording};
use gametape_capture::tape::{Segment, segments};

use crate::index::{Entry, File, Index, SegmentEntry, VERSION, verdict};
use crate::{Error, Store};

/// What segments and labels end with.
const SEGMENT: &str = ".seg";
const LABELS: &str = ".lab";

/// Publishes a recording under this id; of a broken one as much as can be read, and its notes say what
/// is wrong. What was published of it before goes.
///
/// # Errors
/// [`Error::Recording`] where nothing can be read, or it can't be carried by packets; [`Error::Io`].
pub fn publish(
    recording: &Recording,
    id: &str,
    secrets: Secrets,
    store: &mut Store,
    work: &Work<'_>,
) -> Result<Index, Error> {
    let of_tape = RecordingError::tape(recording.path());
    let folder = format!("r/{id}");
    let mut cut: Vec<SegmentEntry> = Vec::new();
    let mut failed = None;
    let mut keep = |segment: Segment| {
        let file = match packed(&segment.records, SEGMENT, &folder, store) {
            Ok(file) => file,
            Err(error) => {
                failed = Some(error);
                return Err(tape::Error::Cancelled);
            }
        };
        cut.push(SegmentEntry {
            file,
            packets: segment.packets,
            events: segment.events,
            from: segment.from.into(),
            to: segment.to.into(),
        });
        Ok(())
    };
    let made = segments(recording.tape(), secrets, &mut keep, work);
    if let Some(error) = failed {
        return Err(error);
    }
    let made = made.map_err(of_tape)?;
    let labels = packed(&made.labels, LABELS, &folder, store)?;
    let audit = recording.audit()?;
    let info = recording.info(secrets)?;
    let markers = recording.markers(&audit, secrets)?;
    let names = made.description.get("tables").and_then(|t| t.as_array());
    let names = names.into_iter().flatten().filter_map(|table| {
        let name = table.get("name")?.as_str()?;
        Some(name.to_owned())
    });
    let unwritten = |error| Error::Io {
        path: store.path(&folder),
        source: io::Error::other(error),
    };
    let schema = serde_json::to_value(&made.schema);
    let index = Index {
        version: VERSION,
        entry: Entry {
            id: id.to_owned(),
            name: name_of(recording),
            format: recording.format().name().to_owned(),
            duration_ms: info.value.duration_ms,
            steps: info.value.frames,
            verdict: Some(verdict(audit.verdict())),
            tables: names.collect(),
            live: false,
            details: info.value.details,
        },
        summary: audit.summary.clone(),
        schema: schema.map_err(unwritten)?,
        description: made.description,
        markers: markers.into_iter().map(Into::into).collect(),
        findings: audit.findings,
        labels,
        segments: cut,
        lost: made.outcome.losses,
        notes: made.outcome.notes,
    };
    let json = serde_json::to_vec(&index).map_err(unwritten)?;
    store.put(&format!("{folder}/recording.json"), &json)?;
    let mut kept: Vec<&str> = index.segments.iter().map(|s| &*s.file.file).collect();
    kept.push(&index.labels.file);
    store.keep_only(&folder, &[SEGMENT, LABELS], &kept)?;
    Ok(index)
}

/// The name of the file, or of the folder that a recording is.
pub(crate) fn name_of(recording: &Recording) -> String {
    let name = recording.path().file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Packs records, and keeps them under a name that tells what they are.
fn packed(records: &[u8], end: &str, folder: &str, store: &mut Store) -> Result<File, Error> {
    let packed = gzip(records).map_err(|source| Error::Io {
        path: store.path(folder),
        source,
    })?;
    let hash = blake3::hash(&packed).to_hex();
    let (name, _) = hash.split_at(32);
    let file = format!("{name}{end}");
    store.put_once(&format!("{folder}/{file}"), &packed)?;
    Ok(File {
        file,
        bytes: packed.len() as u64,
    })
}

/// The same bytes give the same file: neither time nor name is in it.
fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes)?;
    packer.finish()
}
