//! Publishes a recording as files.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape::core::Spell as _;
use gametape::core::tape::{self, Audit, Secrets, Work};
use gametape::{Error as RecordingError, Existing, Recording};
use gametape_capture::tape::{Segment, segments};
use serde::Deserialize;
use serde_json::Value as Json;

use crate::index::{Entry, File, Index, Lost, SegmentEntry, VERSION, verdict};
use crate::{Error, Store};

/// The ends of the names of segments and labels.
pub(crate) const SEGMENT: &str = ".seg";
pub(crate) const LABELS: &str = ".lab";

/// Options of publishing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PublishOptions {
    /// Whether secret columns are published.
    pub secrets: Secrets,
    /// Whether the recording is still being written. It is not audited yet, and files that are published
    /// when it has grown continue the earlier ones.
    pub growing: bool,
    /// Whether it was being written when it was published before, and is complete now. Viewers that have the
    /// earlier files can go on using them.
    pub grew: bool,
    /// What happens to what was published under the same id.
    pub existing: Existing,
}

impl Default for PublishOptions {
    /// Without secrets, complete, and nothing is replaced.
    fn default() -> Self {
        Self {
            secrets: Secrets::Hide,
            growing: false,
            grew: false,
            existing: Existing::Keep,
        }
    }
}

/// Publishes a recording under this id, and removes the files that were published before, if they may be replaced.
/// A broken recording is published as far as it can be read, and its notes say what is wrong.
///
/// # Errors
/// [`Error::Recording`] if nothing can be read, packets can't express it, or something else is published under the
/// id and is [kept](Existing::Keep); [`Error::Io`].
pub fn publish(
    recording: &Recording,
    id: &str,
    options: PublishOptions,
    store: &mut Store,
    work: &Work<'_>,
) -> Result<Index, Error> {
    let PublishOptions {
        secrets,
        growing,
        grew,
        existing,
    } = options;
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
        cut.push(SegmentEntry::of(file, &segment));
        Ok(())
    };
    let made = segments(recording.tape(), secrets, growing || grew, &mut keep, work);
    if let Some(error) = failed {
        return Err(error);
    }
    let made = made.map_err(of_tape)?;
    let labels = packed(&made.labels, LABELS, &folder, store)?;
    let audit = if growing {
        Audit::default()
    } else {
        recording.audit()?
    };
    // What is lost stands beside the segments.
    let info = recording.info(secrets)?.readable();
    let markers = recording.markers(&audit, secrets)?;
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
            duration_ms: info.duration_ms,
            steps: info.steps,
            verdict: (!growing).then(|| verdict(audit.verdict())),
            tables: tables_of(&made.description),
            live: growing,
            details: info.details,
        },
        socket: None,
        summary: audit.summary.clone(),
        schema: schema.map_err(unwritten)?,
        description: made.description,
        markers: markers.into_iter().map(Into::into).collect(),
        findings: audit.findings,
        labels,
        segments: cut,
        // A recording that is being written may end anywhere.
        lost: if growing {
            Vec::new()
        } else {
            let losses = made.outcome.losses.into_iter().map(Into::into);
            lost_of(recording, &made.doubts)
                .into_iter()
                .chain(losses)
                .collect()
        },
        notes: made.outcome.notes,
    };
    let json = serde_json::to_vec(&index).map_err(unwritten)?;
    let name = format!("{folder}/recording.json");
    let there = store.get(&name)?;
    let before = there.as_deref().map(serde_json::from_slice::<Before>);
    let before = before.and_then(Result::ok);
    if existing == Existing::Keep && there.is_some_and(|there| there != json) {
        // The files of the refused recording go.
        if let Some(before) = before {
            store.keep_only(&folder, &[SEGMENT, LABELS], &before.names())?;
        }
        let path = store.path(&folder);
        return Err(RecordingError::Exists { path }.into());
    }
    store.put(&name, &json)?;
    let all = index.segments.iter().map(|segment| &segment.file);
    let mut kept: Vec<&str> = all.map(|file| &*file.file).collect();
    kept.push(&index.labels.file);
    // Viewers with the earlier list may still ask for its files.
    let before = before.filter(|_| growing || grew).unwrap_or_default();
    kept.extend(before.names());
    store.keep_only(&folder, &[SEGMENT, LABELS], &kept)?;
    Ok(index)
}

/// Returns the doubts about a recording, each with the moment at which it begins.
fn lost_of(recording: &Recording, doubts: &[tape::Error]) -> Vec<Lost> {
    if doubts.is_empty() {
        return Vec::new();
    }
    let mut play = recording.tape().playback().ok();
    let lost = doubts.iter().map(|doubt| match &mut play {
        Some(play) => Lost::doubt(doubt, Some(&mut **play)),
        None => Lost::doubt(doubt, None),
    });
    lost.collect()
}

/// The files that were published before.
#[derive(Default, Deserialize)]
struct Before {
    segments: Vec<File>,
    labels: File,
}

impl Before {
    fn names(&self) -> Vec<&str> {
        let files = self.segments.iter().chain([&self.labels]);
        files.map(|file| &*file.file).collect()
    }
}

/// Returns the name of the file or folder of a recording.
pub(crate) fn name_of(recording: &Recording) -> String {
    let name = recording.path().file_name();
    name.unwrap_or_default().spelled().into_owned()
}

/// Returns the names of the tables of a description.
pub(crate) fn tables_of(description: &Json) -> Vec<String> {
    let tables = description.get("tables").and_then(Json::as_array);
    let names = tables.into_iter().flatten().filter_map(|table| {
        let name = table.get("name")?.as_str()?;
        Some(name.to_owned())
    });
    names.collect()
}

/// Compresses records, and stores them under a name that is a hash of the content.
pub(crate) fn packed(
    records: &[u8],
    end: &str,
    folder: &str,
    store: &mut Store,
) -> Result<File, Error> {
    let (file, bytes) = pack(records, end).map_err(|source| Error::Io {
        path: store.path(folder),
        source,
    })?;
    store.put_once(&format!("{folder}/{}", file.file), &bytes)?;
    Ok(file)
}

/// Compresses records; returns them with a name that is a hash of the content.
pub(crate) fn pack(records: &[u8], end: &str) -> io::Result<(File, Vec<u8>)> {
    let packed = gzip(records)?;
    let hash = blake3::hash(&packed).to_hex();
    let (name, _) = hash.split_at(32);
    let file = File {
        file: format!("{name}{end}"),
        bytes: packed.len() as u64,
    };
    Ok((file, packed))
}

/// Compresses bytes. Equal bytes give equal files, because neither a time nor a name is stored.
fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes)?;
    packer.finish()
}
