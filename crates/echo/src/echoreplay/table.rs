//! The headers of a zip: its table, with all files of one name, and those before its files.

use std::collections::HashMap;
use std::io::{self, Read};

use gametape_core::ByteReader;

use crate::rule::Rule;

/// The first bytes of a file in a zip.
pub(super) const LOCAL_HEADER: &[u8; 4] = b"PK\x03\x04";

/// The size of an entry without its name, extra fields and comment.
const SIZE: usize = 46;
/// The tag of the extra field with sizes of 64 bits.
const WIDE: u16 = 1;

/// An entry of the table.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: String,
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// The compressed size.
    pub size: u64,
    /// The position of the local header.
    pub offset: u64,
}

/// Reads the entries from here on, up to something else. The zip starts at `shift`.
pub(super) fn read(source: &mut impl Read, shift: u64) -> io::Result<Vec<Entry>> {
    let mut source = io::BufReader::new(source);
    let mut entries = Vec::new();
    loop {
        let mut fixed = Vec::with_capacity(SIZE);
        source.by_ref().take(SIZE as u64).read_to_end(&mut fixed)?;
        let Some((mut entry, sizes)) = entry(&fixed) else {
            return Ok(entries);
        };
        let [name, extra, comment] = sizes;
        let mut rest = Vec::new();
        let size = name + extra + comment;
        source.by_ref().take(size as u64).read_to_end(&mut rest)?;
        if rest.len() < size {
            return Ok(entries);
        }
        entry.name = String::from_utf8_lossy(rest.get(..name).unwrap_or_default()).into_owned();
        widen(&mut entry, rest.get(name..name + extra).unwrap_or_default());
        entry.offset = entry.offset.saturating_add(shift);
        entries.push(entry);
    }
}

fn entry(fixed: &[u8]) -> Option<(Entry, [usize; 3])> {
    let mut input = ByteReader::new(fixed.strip_prefix(b"PK\x01\x02")?);
    input.take(4).ok()?;
    let (flags, method) = (input.u16_le().ok()?, input.u16_le().ok()?);
    input.take(4).ok()?;
    let (crc, size) = (input.u32_le().ok()?, input.u32_le().ok()?);
    input.take(4).ok()?;
    let mut small = || input.u16_le().ok().map(usize::from);
    let sizes = [small()?, small()?, small()?];
    input.take(8).ok()?;
    let entry = Entry {
        name: String::new(),
        flags,
        method,
        crc,
        size: size.into(),
        offset: input.u32_le().ok()?.into(),
    };
    Some((entry, sizes))
}

/// Takes the sizes that don't fit into 32 bits from the extra fields.
fn widen(entry: &mut Entry, extra: &[u8]) {
    const FULL: u64 = u32::MAX as u64;
    let mut input = ByteReader::new(extra);
    while let (Ok(tag), Ok(size)) = (input.u16_le(), input.u16_le()) {
        let Ok(field) = input.take(size.into()) else {
            return;
        };
        if tag != WIDE {
            continue;
        }
        // The uncompressed size comes first where both are in the field.
        let mut wide: Vec<u64> = Vec::new();
        let mut field = ByteReader::new(field);
        while let Ok(number) = field.u64_le() {
            wide.push(number);
        }
        if entry.offset == FULL {
            entry.offset = wide.pop().unwrap_or(FULL);
        }
        if entry.size == FULL {
            entry.size = wide.pop().unwrap_or(FULL);
        }
    }
}

/// The finding that files have the same name.
pub(super) fn twice(entries: &[Entry]) -> Rule {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    for entry in entries {
        *counts.entry(&entry.name).or_default() += 1;
    }
    Rule::ZipTwice {
        files: counts.into_values().max().unwrap_or(0),
    }
}

/// Whether a file is one that a system adds to a folder or a zip.
pub(super) fn is_of_system(path: &str) -> bool {
    // In messages, a name says that it is one in the zip.
    let path = path.strip_suffix(" in the zip").unwrap_or(path);
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    path.starts_with("__MACOSX")
        || name.starts_with("._")
        || matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

/// A local header.
pub(super) struct LocalHeader {
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// Compressed and uncompressed.
    pub sizes: (u32, u32),
    /// The size of the name, and of the fields after it.
    pub name: usize,
    pub extra: usize,
}

impl LocalHeader {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut input = ByteReader::new(bytes.strip_prefix(LOCAL_HEADER)?);
        input.take(2).ok()?;
        let (flags, method) = (input.u16_le().ok()?, input.u16_le().ok()?);
        input.take(4).ok()?;
        Some(Self {
            flags,
            method,
            crc: input.u32_le().ok()?,
            sizes: (input.u32_le().ok()?, input.u32_le().ok()?),
            name: input.u16_le().ok()?.into(),
            extra: input.u16_le().ok()?.into(),
        })
    }
}
