//! Reading a zip: its files one after another, inflated as they are read.
//!
//! The table at the end of a zip names the positions of its files. A zip that was not written to its end
//! has no table. Its files are then found one after another and inflated as far as they go.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use gametape_core::feed::Buffer;
use gametape_core::text::{Crc32, printable, shortened};
use zip::ZipArchive;
use zip::result::ZipError;

use super::table::{self, LOCAL_HEADER, LocalHeader};
use crate::rule::{Rule, ZipCut};

const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
/// The optional signature of the checksum and sizes after a file.
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

/// The size of a local header without the name.
const HEADER_SIZE: usize = 30;

/// The result of [`Unzip::fill`].
pub(super) enum Filled {
    Bytes(usize),
    /// The end of the file, or the fault of the rest of it.
    End(Option<Rule>),
}

/// What comes next in a zip: a file with its name, and why it can't be read.
pub(super) enum Member {
    Open(Box<str>),
    Closed(Box<str>, Rule),
    None,
}

/// How a file is stored.
#[derive(Clone, Debug)]
struct Stored {
    /// The name for messages.
    name: Box<str>,
    /// 0 and 8 are supported.
    method: u16,
    encrypted: bool,
    /// The compressed size, if known.
    size: Option<u64>,
    /// The checksum, if known.
    crc: Option<u32>,
    /// The local header says that checksum and sizes come after the file's content.
    described: bool,
}

/// How the files are found.
#[derive(Debug)]
enum Plan {
    /// The table of the zip gives the positions of the files.
    Table(std::vec::IntoIter<(u64, Stored)>),
    /// The files are read one after another; there is no table.
    Walk,
    Done,
}

/// The file that is being read.
#[derive(Debug)]
struct Current {
    /// `None` if it is not compressed.
    inflate: Option<Box<Decompress>>,
    /// The number of compressed bytes left, if known.
    left: Option<u64>,
    crc: Crc,
    stored: Option<u32>,
    /// The checksum may follow the file.
    described: bool,
    done: bool,
}

/// A zip that is being read.
#[derive(Debug)]
pub(super) struct Unzip<R> {
    source: R,
    /// A function that seeks, since not every [`super::Reader`] has a source that can.
    seek: fn(&mut R, u64) -> io::Result<()>,
    input: Buffer,
    plan: Plan,
    current: Option<Current>,
    /// The number of files begun, and the number in the table.
    begun: u64,
    listed: u64,
    /// The finding about several files was returned.
    reported_several: bool,
    /// What else is to be said about the table.
    notes: Vec<Rule>,
    /// The number of files of a system that were passed over.
    passed: u64,
    /// The missing table was reported. Data that ends early is then no fault of its own.
    is_unfinished: bool,
}

trait ReadSeek: Read + Seek {}

impl<R: Read + Seek> ReadSeek for R {}

impl<R: Read + Seek> Unzip<R> {
    /// Looks for the table. If there is none, also returns why.
    pub(super) fn open(mut source: R) -> io::Result<(Self, Option<Rule>)> {
        let mut notes = Vec::new();
        let mut fault = None;
        let starts_with_file = starts_with_file(&mut source)?;
        // As a trait object, so that the zip library is compiled once and not for each source.
        let seekable: &mut dyn ReadSeek = &mut source;
        let plan = match ZipArchive::new(seekable) {
            // Stored data may contain a table, which in a cut zip is the last one.
            Ok(archive) if starts_with_file && (archive.is_empty() || archive.offset() > 0) => {
                source.seek(SeekFrom::Start(0))?;
                let cause = ZipCut::Table;
                fault = Some(Rule::ZipTruncated { cause });
                Plan::Walk
            }
            Ok(archive) => {
                let (start, shift) = (archive.central_directory_start(), archive.offset());
                let listed = archive.len();
                let mut files = files_of(&archive);
                source.seek(SeekFrom::Start(start))?;
                // The zip library keeps one file of each name.
                let all = table::read(&mut source, shift)?;
                if all.len() > listed {
                    notes.push(table::twice(&all));
                    files = all.iter().filter_map(stored).collect();
                }
                let all = files.len();
                files.retain(|(_, stored)| !table::is_of_system(&stored.name));
                if files.len() < all {
                    let files = (all - files.len()) as u64;
                    notes.push(Rule::ZipSystem { files });
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
        let listed = match &plan {
            Plan::Table(files) => files.len() as u64,
            _ => 0,
        };
        let zip = Self {
            is_unfinished: fault.is_some(),
            reported_several: false,
            notes,
            source,
            seek: |source, offset| source.seek(SeekFrom::Start(offset)).map(drop),
            input: Buffer::default(),
            plan,
            current: None,
            begun: 0,
            passed: 0,
            listed,
        };
        Ok((zip, fault))
    }
}

/// The files of a zip and the positions of their headers.
fn files_of<R: Read + Seek>(archive: &ZipArchive<R>) -> Vec<(u64, Stored)> {
    let mut files = Vec::new();
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
    files
}

/// The position of the header of a file in the table, and how it is stored; `None` for a folder.
fn stored(entry: &table::Entry) -> Option<(u64, Stored)> {
    let stored = Stored {
        name: name(&entry.name),
        method: entry.method,
        encrypted: entry.flags & 1 != 0,
        size: Some(entry.size),
        crc: Some(entry.crc),
        described: false,
    };
    (!entry.name.ends_with('/')).then_some((entry.offset, stored))
}

/// Whether the zip starts with a file.
fn starts_with_file(source: &mut (impl Read + Seek)) -> io::Result<bool> {
    source.seek(SeekFrom::Start(0))?;
    let mut start = Vec::new();
    let head = LOCAL_HEADER.len() as u64;
    source.by_ref().take(head).read_to_end(&mut start)?;
    Ok(start == LOCAL_HEADER)
}

/// Whether an error is about the zip's content rather than the disk.
fn is_of_the_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}

impl<R: Read> Unzip<R> {
    /// What is to be said about the files so far, each once.
    pub(super) fn notes(&mut self) -> Vec<Rule> {
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.several());
        notes
    }

    /// Reports, once, that there are several files.
    fn several(&mut self) -> Option<Rule> {
        let members = match self.plan {
            Plan::Table(_) => self.listed,
            _ => self.begun,
        };
        let now = !self.reported_several && members > 1;
        self.reported_several |= now;
        now.then_some(Rule::ZipMembers { members })
    }

    /// Goes to the next file.
    pub(super) fn next_file(&mut self) -> io::Result<Member> {
        loop {
            let member = self.next_of_all()?;
            match &member {
                Member::Open(name) if table::is_of_system(name) => {}
                _ => return Ok(member),
            }
            // Without a table, it must be read to find the next.
            self.begun -= 1;
            self.notes
                .retain(|note| !matches!(note, Rule::ZipSystem { .. }));
            self.passed += 1;
            let files = self.passed;
            self.notes.push(Rule::ZipSystem { files });
            let mut piece = [0; 4096];
            while let Filled::Bytes(_) = self.fill(&mut piece)? {}
        }
    }

    fn next_of_all(&mut self) -> io::Result<Member> {
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
        // Skip it, so that the next one is found.
        if !self.skip()? {
            self.plan = Plan::Done;
        }
        Ok(Member::Closed(stored.name, rule))
    }

    /// Reads the next bytes of the file.
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
                    // The decoder's message depends on how much it was given at a time.
                    let fault = status.err().map(|_| Rule::ZipInflate);
                    (used, made, fault)
                }
            };
            self.input.take(used);
            current.left = current.left.map(|left| left.saturating_sub(used as u64));
            current.crc.update(into.get(..made).unwrap_or_default());
            if made > 0 {
                // The fault is returned by the next call.
                return Ok(Filled::Bytes(made));
            }
            if let Some(fault) = fault {
                self.current = None;
                self.end_walk();
                return Ok(Filled::End(Some(fault)));
            }
            if used == 0 && !current.done {
                // Neither input nor output: the data ends before the file does, or this is the end of an
                // unfinished zip.
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

    /// After broken data, other files are found only by the table.
    fn end_walk(&mut self) {
        if matches!(self.plan, Plan::Walk) {
            self.plan = Plan::Done;
        }
    }

    /// Compares the checksum at the end of the file.
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
        // The reader of the lines fills in the number of frames.
        Ok(stored.map(|stored| Rule::ZipChecksum {
            frames: 0,
            found,
            stored,
        }))
    }

    /// The checksum that follows a file; `None` if these bytes may be something else.
    fn described(&mut self) -> io::Result<Option<u32>> {
        self.have(24 + LOCAL_HEADER.len())?;
        let after = self.input.rest();
        let crc = match after.strip_prefix(DESCRIPTOR) {
            Some(crc) => Some(crc),
            // Without a signature, the header after it shows that these are checksum and sizes.
            None => matches!(header_ahead(after), Some(12 | 20)).then_some(after),
        };
        let crc = crc.and_then(<[u8]>::first_chunk);
        Ok(crc.map(|crc| u32::from_le_bytes(*crc)))
    }

    /// Skips a file that can't be read. Returns false if its end is unknown.
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

    /// Buffers at least `size` bytes of input, if there are so many. Returns the number buffered.
    fn have(&mut self, size: usize) -> io::Result<usize> {
        while self.input.rest().len() < size {
            if self.input.read_from(&mut self.source)? == 0 {
                break;
            }
        }
        Ok(self.input.rest().len())
    }

    /// Returns the next file of a zip without a table, from its local header; `None` if there is none.
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

    /// Goes to the next header. Before it, there may be checksum and sizes of the last file, in one of four
    /// forms.
    fn find_header(&mut self) -> io::Result<()> {
        self.have(24 + LOCAL_HEADER.len())?;
        let found = header_ahead(self.input.rest());
        self.input.take(found.unwrap_or(0));
        Ok(())
    }

    /// Reads a local header and its name. Returns how the file is stored, and whether it is a folder.
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
        // Sizes of 0 were to be filled in later; those of 2³² − 1 are in the extra field.
        let (size, full_size) = header.sizes;
        let has_sizes = header.flags & 8 == 0;
        let is_known = has_sizes && size != u32::MAX && (size > 0 || full_size > 0);
        // An empty file is followed by something, unlike one that was never finished.
        let is_empty = has_sizes && size == 0 && full_size == 0 && {
            self.have(4)?;
            let after = self.input.rest();
            after.starts_with(LOCAL_HEADER) || after.starts_with(DIRECTORY_ENTRY)
        };
        let stored = Stored {
            name: called,
            method: if is_empty { 0 } else { header.method },
            encrypted: header.flags & 1 != 0,
            size: (is_known || is_empty).then_some(size.into()),
            crc: (is_known && header.crc != 0).then_some(header.crc),
            described: !has_sizes,
        };
        Ok(Some((stored, is_folder)))
    }
}

/// The number of bytes of checksum and sizes before the next header. There are four forms, and they may be
/// absent.
fn header_ahead(after: &[u8]) -> Option<usize> {
    [0, 12, 16, 20, 24].into_iter().find(|at| {
        after.get(*at..).is_some_and(|ahead| {
            ahead.starts_with(LOCAL_HEADER) || ahead.starts_with(DIRECTORY_ENTRY)
        })
    })
}

/// The name of a file for messages.
fn name(text: &str) -> Box<str> {
    format!("{} in the zip", shortened(&printable(text))).into()
}
