//! The zip around a recording: its files one after the other, inflated as they are read.
//!
//! The table at the end of a zip says where its files are. A zip that was not written to its end has
//! none: then the files are found one behind the other, and inflated as far as they go.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use gametape_core::ByteReader;
use gametape_core::feed::Buffer;
use gametape_core::text::{Crc32, printable, shortened};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::rule::{Rule, ZipCut};

const LOCAL_HEADER: &[u8; 4] = b"PK\x03\x04";
const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
/// How checksum and sizes behind a file may start.
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

/// A local header before its name.
const HEADER_SIZE: usize = 30;

/// What [`Unzip::fill`] gives.
pub(super) enum Filled {
    Bytes(usize),
    /// The file ended, or what is wrong with the rest of it.
    End(Option<Rule>),
}

/// What comes next in a zip: a file by its name, and why it can't be read.
pub(super) enum Member {
    Open(Box<str>),
    Closed(Box<str>, Rule),
    None,
}

/// How a file is stored.
#[derive(Clone, Debug)]
struct Stored {
    /// What it is called, for people.
    name: Box<str>,
    /// 0 or 8 are read.
    method: u16,
    encrypted: bool,
    /// Compressed bytes, where that is known.
    size: Option<u64>,
    /// Checksum, where that is known.
    crc: Option<u32>,
    /// Its own header says that checksum and sizes stand behind it.
    described: bool,
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
    /// It may stand behind the file.
    described: bool,
    done: bool,
}

/// A zip, being read.
#[derive(Debug)]
pub(super) struct Unzip<R> {
    source: R,
    /// A source that can seek, by a function: not every [`super::Reader`] needs one.
    seek: fn(&mut R, u64) -> io::Result<()>,
    input: Buffer,
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
        let starts_with_file = starts_with_file(&mut source)?;
        let plan = match ZipArchive::new(&mut source) {
            // What is stored may have a table in it, which is the last one of a zip that was cut.
            Ok(archive) if starts_with_file && (archive.is_empty() || archive.offset() > 0) => {
                source.seek(SeekFrom::Start(0))?;
                let cause = ZipCut::Table;
                fault = Some(Rule::ZipTruncated { cause });
                Plan::Walk
            }
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
                        name: name(&entry.name().unwrap_or_default()),
                        method,
                        encrypted: entry.encrypted(),
                        size: Some(entry.compressed_size()),
                        crc: Some(entry.crc32()),
                        described: false,
                    };
                    files.push((entry.header_start(), stored));
                }
                Plan::Table(files.into_iter())
            }
            Err(ZipError::Io(error)) if !is_of_the_file(&error) => return Err(error),
            Err(error) => {
                source.seek(SeekFrom::Start(0))?;
                let cause = match error {
                    ZipError::InvalidArchive(_) | ZipError::Io(_) => ZipCut::Table,
                    error => ZipCut::Other(error.to_string()),
                };
                fault = Some(Rule::ZipTruncated { cause });
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
            input: Buffer::default(),
            plan,
            current: None,
            begun: 0,
            told,
        };
        Ok((zip, fault))
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
    pub(super) fn next_file(&mut self) -> io::Result<Member> {
        self.current = None;
        let stored = match &mut self.plan {
            Plan::Done => return Ok(Member::None),
            Plan::Walk => {
                let Some(stored) = self.walk()? else {
                    self.plan = Plan::Done;
                    return Ok(Member::None);
                };
                stored
            }
            Plan::Table(files) => {
                let Some((offset, stored)) = files.next() else {
                    self.plan = Plan::Done;
                    return Ok(Member::None);
                };
                (self.seek)(&mut self.source, offset)?;
                self.input.restart(0);
                if self.header()?.is_none() {
                    self.begun += 1;
                    let cause = ZipCut::File;
                    return Ok(Member::Closed(stored.name, Rule::ZipTruncated { cause }));
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
            left: stored.size,
            crc: Crc::new(),
            stored: stored.crc,
            described: stored.described,
            done: false,
        });
        let Some(rule) = fault else {
            return Ok(Member::Open(stored.name));
        };
        // So that the next one is found.
        if !self.skip()? {
            self.plan = Plan::Done;
        }
        Ok(Member::Closed(stored.name, rule))
    }

    /// Gets the next bytes of the file.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        loop {
            if self.current.as_ref().is_none_or(|current| current.done) {
                return self.checked().map(Filled::End);
            }
            self.have(1)?;
            let input = self.input.rest();
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
                    let fault = status.err().map(|_| Rule::ZipInflate);
                    (used, made, fault)
                }
            };
            self.input.take(used);
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
                // Neither input nor output: the data ends before the file does, or the zip that was
                // never finished ends here.
                let is_cut = current.inflate.is_some() || current.left.is_some();
                let is_there = !self.is_unfinished || current.left == Some(0);
                let fault = (is_cut && is_there).then(|| {
                    let cause = ZipCut::Data;
                    Rule::ZipTruncated { cause }
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
    fn checked(&mut self) -> io::Result<Option<Rule>> {
        let Some(current) = self.current.take() else {
            return Ok(None);
        };
        let stored = match current.stored {
            None if current.described => self.described()?,
            stored => stored,
        };
        let found = Crc32(current.crc.sum());
        let stored = stored.map(Crc32).filter(|stored| *stored != found);
        // Whoever reads the lines counts them.
        Ok(stored.map(|stored| Rule::ZipChecksum {
            frames: 0,
            found,
            stored,
        }))
    }

    /// The checksum that stands behind a file; `None` where what is there may be something else.
    fn described(&mut self) -> io::Result<Option<u32>> {
        self.have(24 + LOCAL_HEADER.len())?;
        let behind = self.input.rest();
        let crc = match behind.strip_prefix(DESCRIPTOR) {
            Some(crc) => Some(crc),
            // The signature may be left out: then a header tells that these are checksum and sizes.
            None => matches!(header_ahead(behind), Some(12 | 20)).then_some(behind),
        };
        let crc = crc.and_then(<[u8]>::first_chunk);
        Ok(crc.map(|crc| u32::from_le_bytes(*crc)))
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
            let held = self.input.rest().len();
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(held);
            self.input.take(step);
            left -= step as u64;
        }
        Ok(true)
    }

    /// Has at least so many bytes of input, if there are so many; how many there are.
    fn have(&mut self, size: usize) -> io::Result<usize> {
        while self.input.rest().len() < size {
            if self.input.read_from(&mut self.source)? == 0 {
                break;
            }
        }
        Ok(self.input.rest().len())
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
        self.have(24 + LOCAL_HEADER.len())?;
        let found = header_ahead(self.input.rest());
        self.input.take(found.unwrap_or(0));
        Ok(())
    }

    /// Goes behind a local header and its name: how the file is stored, and whether it is a folder.
    fn header(&mut self) -> io::Result<Option<(Stored, bool)>> {
        self.have(HEADER_SIZE)?;
        let Some(header) = LocalHeader::read(self.input.rest()) else {
            return Ok(None);
        };
        self.input.take(HEADER_SIZE);
        self.have(header.name)?;
        let called = self.input.rest().get(..header.name).unwrap_or_default();
        let is_folder = called.ends_with(b"/");
        let called = name(&String::from_utf8_lossy(called));
        self.input.take(header.name);
        self.have(header.extra)?;
        self.input.take(header.extra);
        // Sizes of 0 were to be filled in; those of 2³² − 1 stand in the extra field.
        let (size, full_size) = header.sizes;
        let told = header.flags & 8 == 0;
        let is_known = told && size != u32::MAX && (size > 0 || full_size > 0);
        // A file of nothing, and not one that was never finished, has something behind it.
        let is_empty = told && size == 0 && full_size == 0 && {
            self.have(4)?;
            let behind = self.input.rest();
            behind.starts_with(LOCAL_HEADER) || behind.starts_with(DIRECTORY_ENTRY)
        };
        let stored = Stored {
            name: called,
            method: if is_empty { 0 } else { header.method },
            encrypted: header.flags & 1 != 0,
            size: (is_known || is_empty).then_some(size.into()),
            crc: (is_known && header.crc != 0).then_some(header.crc),
            described: !told,
        };
        Ok(Some((stored, is_folder)))
    }
}

/// How many bytes of checksum and sizes stand before the header that follows a file: there are four forms
/// of them, and none.
fn header_ahead(behind: &[u8]) -> Option<usize> {
    [0, 12, 16, 20, 24].into_iter().find(|at| {
        behind.get(*at..).is_some_and(|ahead| {
            ahead.starts_with(LOCAL_HEADER) || ahead.starts_with(DIRECTORY_ENTRY)
        })
    })
}

/// What stands before a file.
struct LocalHeader {
    flags: u16,
    method: u16,
    crc: u32,
    /// Compressed, and not.
    sizes: (u32, u32),
    /// Bytes of the name, and of what is behind it.
    name: usize,
    extra: usize,
}

impl LocalHeader {
    fn read(bytes: &[u8]) -> Option<Self> {
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

/// The name of a file, for people.
fn name(text: &str) -> Box<str> {
    shortened(&printable(text)).into()
}
