//! The headers of a zip: its table, and those before its files.

use std::io::{self, Read, Seek, SeekFrom};

use gametape_core::ByteReader;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::{Cut, Fault};

/// The first bytes of a file in a zip.
pub const LOCAL_HEADER: &[u8; 4] = b"PK\x03\x04";
/// The size of a local header without the name.
pub const LOCAL_SIZE: usize = 30;

/// The size of an entry without its name, extra fields and comment.
const SIZE: usize = 46;
/// The tag of the extra field with sizes of 64 bits.
const WIDE: u16 = 1;

/// The upper half of code page 437, in which zips without a mark for UTF-8 write their names.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";

/// An entry of the table.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    /// The compressed size.
    pub size: u64,
    /// The uncompressed size.
    pub full: u64,
    /// The position of the local header.
    pub offset: u64,
}

impl Entry {
    pub fn is_folder(&self) -> bool {
        self.name.ends_with(b"/") || (self.name.ends_with(b"\\") && self.full == 0)
    }

    pub const fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }
}

trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

/// Reads the table of a zip, with all files of one name. An error is the fault of the zip: its files are then
/// to be found one after another.
pub fn read<R: Read + Seek>(source: &mut R) -> io::Result<Result<Vec<Entry>, Fault>> {
    let starts_with_file = starts_with_file(source)?;
    // As a trait object, so that the zip library is compiled once and not for each source.
    let mut seekable: &mut dyn ReadSeek = source;
    match ZipArchive::new(&mut seekable) {
        // Stored data may contain a table, which in a cut zip is the last one.
        Ok(archive) if starts_with_file && (archive.is_empty() || archive.offset() > 0) => {
            Ok(Err(Fault::Cut(Cut::Table)))
        }
        Ok(archive) => {
            let (start, shift) = (archive.central_directory_start(), archive.offset());
            seekable.seek(SeekFrom::Start(start))?;
            // The zip library keeps one file of each name.
            entries(&mut seekable, shift).map(Ok)
        }
        Err(ZipError::Io(error)) if !crate::fault::is_of_the_data(&error) => Err(error),
        Err(error) => Ok(Err(Fault::Cut(match error {
            ZipError::InvalidArchive(_) | ZipError::Io(_) => Cut::Table,
            error => Cut::Other(error.to_string()),
        }))),
    }
}

/// Whether the zip starts with a file.
fn starts_with_file(source: &mut (impl Read + Seek)) -> io::Result<bool> {
    source.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    let head = LOCAL_HEADER.len() as u64;
    source.by_ref().take(head).read_to_end(&mut start)?;
    Ok(start == LOCAL_HEADER)
}

/// Reads the entries from here on, up to something else. The zip starts at `shift`.
fn entries(source: &mut impl Read, shift: u64) -> io::Result<Vec<Entry>> {
    let mut source = io::BufReader::new(source);
    let mut entries = Vec::new();
    let mut fixed = Vec::with_capacity(SIZE);
    loop {
        fixed.clear();
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
        rest.get(..name)
            .unwrap_or_default()
            .clone_into(&mut entry.name);
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
    let crc = input.u32_le().ok()?;
    let (size, full) = (input.u32_le().ok()?, input.u32_le().ok()?);
    let mut small = || input.u16_le().ok().map(usize::from);
    let sizes = [small()?, small()?, small()?];
    input.take(8).ok()?;
    let entry = Entry {
        name: Vec::new(),
        flags,
        method,
        crc,
        size: size.into(),
        full: full.into(),
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
        // Full and compressed size and position, in this order. Some writers leave out what fits, others do not:
        // what is last is there in any case.
        let mut wide: Vec<u64> = Vec::new();
        let mut field = ByteReader::new(field);
        while let Ok(number) = field.u64_le() {
            wide.push(number);
        }
        for number in [&mut entry.offset, &mut entry.size, &mut entry.full] {
            if *number == FULL {
                *number = wide.pop().unwrap_or(FULL);
            }
        }
    }
}

/// A local header.
pub struct LocalHeader {
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

/// A name as text: UTF-8, or else code page 437.
pub fn text(name: &[u8]) -> String {
    let of_byte = |byte: &u8| match byte {
        0..128 => char::from(*byte),
        _ => CP437.chars().nth(usize::from(*byte) - 128).unwrap_or('_'),
    };
    match str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => name.iter().map(of_byte).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf8_or_code_page_437() {
        assert_eq!(text("ü.rmv".as_bytes()), "ü.rmv");
        assert_eq!(text(b"\x81.rmv"), "ü.rmv");
        assert_eq!(text(&[0xFF]), "\u{A0}");
    }
}
