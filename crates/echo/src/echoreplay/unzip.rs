//! The zip around a recording: its files one after the other, inflated as they are read.
//!
//! The table at the end of a zip says where its files are. A zip that was not written to its end has
//! none: then the files are found one behind the other, and inflated as far as they go.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use zip::ZipArchive;
use zip::result::ZipError;

use super::stream::read_some;
use crate::rule::Rule;

/// Compressed bytes held at a time.
const CHUNK: usize = 64 << 10;

const LOCAL_HEADER: &[u8; 4] = b"PK\x03\x04";
const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
const DIRECTORY_END: &[u8; 4] = b"PK\x05\x06";

/// A local header before its name.
const HEADER_SIZE: usize = 30;

/// Whether a file starts as a zip does.
pub(super) fn is_zip(start: &[u8]) -> bool {
    start == LOCAL_HEADER || start == DIRECTORY_END
}

/// Reads as much as there is, up to the size of a slice.
pub(super) fn read_full(source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut size = 0;
    while let Some(rest) = into.get_mut(size..).filter(|rest| !rest.is_empty()) {
        match read_some(source, rest)? {
            0 => break,
            count => size += count,
        }
    }
    Ok(size)
}

/// What [`Unzip::fill`] gives.
pub(super) enum Filled {
    Bytes(usize),
    /// The file ended, or what is wrong with the rest of it.
    End(Option<Rule>),
}

/// What [`Unzip::next_file`] finds.
pub(super) enum Next {
    File,
    /// A file that can't be read, and why.
    Closed(Rule),
    None,
}

/// How a file is stored.
#[derive(Clone, Copy, Debug)]
struct Stored {
    /// 0 or 8 are read.
    method: u16,
    encrypted: bool,
    /// Compressed bytes, where that is known.
    size: Option<u64>,
    /// Checksum, where that is known.
    crc: Option<u32>,
}

/// Where the files are.
#[derive(Debug)]
enum Plan {
    /// At these places, by the table of the zip.
    Table(std::vec::IntoIter<(u64, Stored)>),
    /// One behind the other.
    Walk,
    Done,
}

/// The file that is being read.
#[derive(Debug)]
struct Current {
    /// `None` where it is not compressed.
    inflate: Option<Box<Decompress>>,
    /// Compressed bytes that are left, where that is known.
    left: Option<u64>,
    crc: Crc,
    stored: Option<u32>,
    done: bool,
}

/// A zip, being read.
#[derive(Debug)]
pub(super) struct Unzip<R> {
    source: R,
    /// A source that can seek, by a function: not every [`super::Reader`] needs one.
    seek: fn(&mut R, u64) -> io::Result<()>,
    input: Vec<u8>,
    start: usize,
    end: usize,
    plan: Plan,
    current: Option<Current>,
    /// Files begun, and how many the table tells of.
    begun: u64,
    told: u64,
    /// It was told that there are several.
    told_several: bool,
    /// It was told that there is no table: the data ends early then, and that is no other fault.
    is_unfinished: bool,
}

impl<R: Read + Seek> Unzip<R> {
    /// Looks for the table; without one, says why not.
    pub(super) fn open(mut source: R) -> io::Result<(Self, Option<Rule>)> {
        let mut files = Vec::new();
        let mut fault = None;
        let plan = match ZipArchive::new(&mut source) {
            Ok(archive) => {
                for at in 0..archive.len() {
                    let Ok(entry) = archive.by_index_data(at) else {
                        continue;
                    };
                    if entry.is_dir() {
                        continue;
                    }
                    #[allow(deprecated)] // There is no other way to ask for the number.
                    let method = entry.compression().to_u16();
                    let stored = Stored {
                        method,
                        encrypted: entry.encrypted(),
                        size: Some(entry.compressed_size()),
                        crc: Some(entry.crc32()),
                    };
                    files.push((entry.header_start(), stored));
                }
                Plan::Table(files.into_iter())
            }
            Err(ZipError::Io(error)) if !is_of_the_file(&error) => return Err(error),
            Err(error) => {
                source.seek(SeekFrom::Start(0))?;
                let message = match error {
                    ZipError::InvalidArchive(_) | ZipError::Io(_) => {
                        "it was not finished, or the table at its end is broken".to_owned()
                    }
                    error => error.to_string(),
                };
                fault = Some(Rule::ZipTruncated { message });
                Plan::Walk
            }
        };
        let told = match &plan {
            Plan::Table(files) => files.len() as u64,
            _ => 0,
        };
        let zip = Self {
            is_unfinished: fault.is_some(),
            told_several: false,
            source,
            seek: |source, offset| source.seek(SeekFrom::Start(offset)).map(drop),
            input: vec![0; CHUNK],
            start: 0,
            end: 0,
            plan,
            current: None,
            begun: 0,
            told,
        };
        Ok((zip, fault))
    }
}

/// Errors that speak of the file and not of the disk.
fn is_of_the_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

impl<R: Read> Unzip<R> {
    /// Tells, once, that there are several files.
    pub(super) fn several(&mut self) -> Option<Rule> {
        let members = match self.plan {
            Plan::Table(_) => self.told,
            _ => self.begun,
        };
        let now = !self.told_several && members > 1;
        self.told_several |= now;
        now.then_some(Rule::ZipMembers { members })
    }

    /// Goes to the next file.
    pub(super) fn next_file(&mut self) -> io::Result<Next> {
        self.current = None;
        let stored = match &mut self.plan {
            Plan::Done => return Ok(Next::None),
            Plan::Walk => {
                let Some(stored) = self.walk()? else {
                    self.plan = Plan::Done;
                    return Ok(Next::None);
                };
                stored
            }
            Plan::Table(files) => {
                let Some((offset, stored)) = files.next() else {
                    self.plan = Plan::Done;
                    return Ok(Next::None);
                };
                (self.seek)(&mut self.source, offset)?;
                self.start = 0;
                self.end = 0;
                if self.header()?.is_none() {
                    self.begun += 1;
                    let message = "a file is not where the table says".to_owned();
                    return Ok(Next::Closed(Rule::ZipTruncated { message }));
                }
                stored
            }
        };
        self.begun += 1;
        let fault = match stored {
            Stored {
                encrypted: true, ..
            } => Some(Rule::ZipEncrypted),
            Stored { method: 0 | 8, .. } => None,
            Stored { method, .. } => Some(Rule::ZipMethod { method }),
        };
        self.current = Some(Current {
            inflate: (stored.method == 8).then(|| Box::new(Decompress::new(false))),
            // The end of compressed data is in the data; a header that was not finished says 0.
            left: match self.plan {
                Plan::Walk if stored.method == 8 && fault.is_none() => None,
                _ => stored.size,
            },
            crc: Crc::new(),
            stored: stored.crc,
            done: false,
        });
        let Some(rule) = fault else {
            return Ok(Next::File);
        };
        // So that the next one is found.
        if !self.skip()? {
            self.plan = Plan::Done;
        }
        Ok(Next::Closed(rule))
    }

    /// Gets the next bytes of the file.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        loop {
            if self.current.as_ref().is_none_or(|current| current.done) {
                return Ok(Filled::End(self.checked()));
            }
            self.have(1)?;
            let input = self.input.get(self.start..self.end).unwrap_or_default();
            let Some(current) = &mut self.current else {
                continue;
            };
            let left = current.left.unwrap_or(u64::MAX);
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
            let input = input.get(..most).unwrap_or_default();
            let (used, made, fault) = match &mut current.inflate {
                None => {
                    let size = input.len().min(into.len());
                    for (to, from) in into.iter_mut().zip(input) {
                        *to = *from;
                    }
                    current.done = left == size as u64;
                    (size, size, None)
                }
                Some(inflate) => {
                    let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
                    let status = inflate.decompress(input, into, FlushDecompress::None);
                    let used = (inflate.total_in() - before_in) as usize;
                    let made = (inflate.total_out() - before_out) as usize;
                    current.done = matches!(status, Ok(Status::StreamEnd));
                    // What inflating says of it depends on how much it was given at a time.
                    let fault = status.err().map(|_| Rule::ZipInflate {
                        message: "the compressed data is broken".to_owned(),
                    });
                    (used, made, fault)
                }
            };
            self.start += used;
            current.left = current.left.map(|left| left.saturating_sub(used as u64));
            current.crc.update(into.get(..made).unwrap_or_default());
            if made > 0 {
                // A fault comes again, when there is nothing more before it.
                return Ok(Filled::Bytes(made));
            }
            if let Some(fault) = fault {
                self.current = None;
                self.end_walk();
                return Ok(Filled::End(Some(fault)));
            }
            if used == 0 && !current.done {
                // Neither input nor output: the data ends before the file does, or the file that
                // was never finished ends here.
                let is_cut = current.inflate.is_some() || current.left.is_some();
                let fault = (is_cut && !self.is_unfinished).then(|| {
                    let message = "the data of a file ends before the file".to_owned();
                    Rule::ZipTruncated { message }
                });
                self.current = None;
                self.end_walk();
                return Ok(Filled::End(fault));
            }
        }
    }

    /// Behind broken data no other file is looked for, save where the table says.
    fn end_walk(&mut self) {
        if matches!(self.plan, Plan::Walk) {
            self.plan = Plan::Done;
        }
    }

    /// The file came to its end: were those the bytes?
    fn checked(&mut self) -> Option<Rule> {
        let current = self.current.take()?;
        let (found, stored) = (current.crc.sum(), current.stored?);
        (found != stored).then_some(Rule::ZipChecksum { found, stored })
    }

    /// Goes behind a file that can't be read; false where nobody knows where that is.
    fn skip(&mut self) -> io::Result<bool> {
        let left = self.current.take().and_then(|current| current.left);
        if matches!(self.plan, Plan::Table(_)) {
            return Ok(true);
        }
        let Some(mut left) = left else {
            return Ok(false);
        };
        while left > 0 {
            if self.have(1)? == 0 {
                return Ok(false);
            }
            let held = self.end - self.start;
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(held);
            self.start += step;
            left -= step as u64;
        }
        Ok(true)
    }

    /// Has at least so many bytes of input, if there are so many; how many there are.
    fn have(&mut self, size: usize) -> io::Result<usize> {
        while self.end - self.start < size {
            self.input.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            let spare = self.input.get_mut(self.end..).unwrap_or_default();
            match read_some(&mut self.source, spare)? {
                0 => break,
                count => self.end += count,
            }
        }
        Ok(self.end - self.start)
    }

    /// The next file of a zip without a table, by its own header; `None` where there is none.
    fn walk(&mut self) -> io::Result<Option<Stored>> {
        loop {
            if self.begun > 0 {
                self.find_header()?;
            }
            let Some((stored, is_folder)) = self.header()? else {
                return Ok(None);
            };
            if !is_folder {
                return Ok(Some(stored));
            }
        }
    }

    /// Behind a file there may be its checksum and sizes, in one of four forms: goes to the header
    /// that follows.
    fn find_header(&mut self) -> io::Result<()> {
        let size = self.have(24 + LOCAL_HEADER.len())?;
        let ahead = self.input.get(self.start..self.start + size);
        let ahead = ahead.unwrap_or_default();
        let found = [0, 12, 16, 20, 24].into_iter().find(|at| {
            ahead.get(*at..).is_some_and(|ahead| {
                ahead.starts_with(LOCAL_HEADER) || ahead.starts_with(DIRECTORY_ENTRY)
            })
        });
        self.start += found.unwrap_or(0);
        Ok(())
    }

    /// Goes behind a local header and its name: how the file is stored, and whether it is a folder.
    fn header(&mut self) -> io::Result<Option<(Stored, bool)>> {
        self.have(HEADER_SIZE)?;
        let held = self.input.get(self.start..self.end).unwrap_or_default();
        let Some(header) = held.first_chunk::<HEADER_SIZE>() else {
            return Ok(None);
        };
        if !header.starts_with(LOCAL_HEADER) {
            return Ok(None);
        }
        let u16_at = |at: usize| {
            let bytes = header.get(at..).and_then(<[u8]>::first_chunk);
            u16::from_le_bytes(*bytes.unwrap_or(&[0; 2]))
        };
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        let (flags, method, crc) = (u16_at(6), u16_at(8), u32_at(14));
        let (size, full_size) = (u32_at(18), u32_at(22));
        let (name, extra) = (usize::from(u16_at(26)), usize::from(u16_at(28)));
        self.start += HEADER_SIZE;
        // Names and extras are 128 KiB at most: read in two steps, each fits in the buffer.
        self.have(name)?;
        let held = self.input.get(self.start..self.end).unwrap_or_default();
        let is_folder = held.get(..name).is_some_and(|name| name.ends_with(b"/"));
        self.start = (self.start + name).min(self.end);
        self.have(extra)?;
        self.start = (self.start + extra).min(self.end);
        // Sizes of 0 were to be filled in; those of 2³² − 1 stand in the extra field.
        let is_known = flags & 8 == 0 && size != u32::MAX && (size > 0 || full_size > 0);
        // A file of nothing, and not one that was never finished, has something behind it.
        let is_empty = flags & 8 == 0 && size == 0 && full_size == 0 && {
            self.have(4)?;
            let held = self.input.get(self.start..self.end).unwrap_or_default();
            held.starts_with(LOCAL_HEADER) || held.starts_with(DIRECTORY_ENTRY)
        };
        let stored = Stored {
            method: if is_empty { 0 } else { method },
            encrypted: flags & 1 != 0,
            size: (is_known || is_empty).then_some(size.into()),
            crc: (is_known && crc != 0).then_some(crc),
        };
        Ok(Some((stored, is_folder)))
    }
}
