//! Folders of packets, one file each: `full_000001.bin`, `delta_000002_base_000001.bin`.

use std::io;
use std::path::{Path, PathBuf};

use gametape_core::tape::{Error, Files};
use gametape_core::text::{Bytes, Grouped};
use gametape_core::{Input, Spell as _};
use gametape_delta::wire::{HEADER_BYTES, Header};

use crate::rule::{CaptureRule, Finding, Findings};

/// A file in a folder of packets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PacketFile {
    /// The tick in its name.
    tick: u32,
    /// The baseline in its name; `None` for a full snapshot.
    baseline: Option<u32>,
    path: PathBuf,
}

impl PacketFile {
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

    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.spelled().into_owned()
    }
}

/// The files of packets in a folder, by tick.
fn packet_files(folder: &Path, files: &dyn Files) -> io::Result<Vec<PacketFile>> {
    let paths = files.list(folder)?.into_iter();
    let mut packets: Vec<PacketFile> = paths.filter_map(PacketFile::of).collect();
    packets.sort_unstable();
    Ok(packets)
}

/// Whether a folder is one recording. A missing schema is then one error for the folder, and not
/// one for each file.
pub(super) fn is_folder(folder: &Path, files: &dyn Files) -> bool {
    let paths = files.list(folder).unwrap_or_default();
    paths.into_iter().any(|path| PacketFile::of(path).is_some())
}

/// The packets of a folder, concatenated.
pub(super) fn read(folder: &Path, files: &dyn Files, limit: u64) -> Result<Input, Error> {
    let mut bytes = Vec::new();
    for file in packet_files(folder, files).map_err(Error::Io)? {
        let left = limit.saturating_sub(bytes.len() as u64);
        let read = files.open(&file.path).and_then(|packet| {
            bytes.extend_from_slice(&packet.head(left.saturating_add(1))?);
            Ok(())
        });
        read.map_err(|error| Error::Io(in_file(&file, &error)))?;
        let size = bytes.len() as u64;
        if size > limit {
            return Err(Error::Unsupported(format!(
                "{} or more, the limit is {}",
                Bytes(size),
                Grouped(limit)
            )));
        }
    }
    Ok(bytes.into())
}

fn in_file(file: &PacketFile, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", file.name()))
}

/// Compares the names of a folder's files with their content.
pub(super) fn names(
    folder: &Path,
    files: &dyn Files,
    input: &Input,
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut at = 0;
    for file in packet_files(folder, files).map_err(Error::Io)? {
        let Ok(packet) = files.open(&file.path) else {
            continue;
        };
        let (offset, bytes) = (at, packet.size());
        at += bytes;
        // Only this file's bytes count, because the next file is not part of its packet. The file
        // may have grown since it was read.
        let head = bytes.min(HEADER_BYTES as u64);
        let head = (at <= input.size()).then(|| input.range(offset, head));
        let head = head.transpose().map_err(Error::Io)?;
        let header = head.map(|head| Header::read(&head));
        let mut note = |rule: CaptureRule| {
            findings.push(Finding::new(rule.into()).at(offset));
        };
        let name = file.name();
        let Some(Ok((header, payload))) = header else {
            if bytes < HEADER_BYTES as u64 {
                note(CaptureRule::FileShort { name, bytes });
            }
            continue;
        };
        if (header.tick, header.baseline()) != (file.tick, file.baseline) {
            note(CaptureRule::FileName {
                name: name.clone(),
                tick: header.tick,
                baseline: header.baseline(),
                named_tick: file.tick,
                named_baseline: file.baseline,
            });
        }
        let packet = HEADER_BYTES as u64 + u64::from(payload);
        if packet != bytes {
            note(CaptureRule::FileSize {
                name,
                bytes,
                packet,
            });
        }
    }
    Ok(())
}
