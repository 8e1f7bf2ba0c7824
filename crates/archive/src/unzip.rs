//! Reading a zip: its files one after another, inflated as they are read.
//!
//! The table at the end of a zip names the positions of its files. A zip that was not written to its end
//! has no table. Its files are then found one after another and inflated as far as they go.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use flate2::{Crc, Decompress, FlushDecompress, Status};
use gametape_core::feed::Buffer;
use gametape_core::text::Crc32;

use crate::is_of_system;
use crate::table::{self, LOCAL_HEADER, LOCAL_SIZE, LocalHeader};
use crate::{Cut, Fault};

const DIRECTORY_ENTRY: &[u8; 4] = b"PK\x01\x02";
/// The optional signature of the checksum and sizes after a file.
const DESCRIPTOR: &[u8; 4] = b"PK\x07\x08";

/// The result of [`Unzip::fill`].
#[derive(Debug)]
pub enum Filled {
    /// So many bytes.
    Bytes(usize),
    /// The end of the file, or the fault of the rest of it.
    End(Option<Fault>),
}

/// The next thing in a zip: a file with its name, and the reason if it can't be read.
#[derive(Debug)]
pub enum Member {
    /// A file of this name.
    Open(Box<str>),
    /// A file that can't be read.
    Closed(Box<str>, Fault),
    /// There is no other file.
    None,
}

/// Something unusual about the files of a zip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Note {
    /// There are several files.
    Several {
        /// Their number.
        files: u64,
    },
    /// Several files have the same name.
    OneName {
        /// The largest number of files of one name.
        files: u64,
    },
    /// Files that a system added were passed over.
    System {
        /// Their number.
        files: u64,
    },
}

/// Whether a file starts like a zip.
#[must_use]
pub fn is_zip(start: &[u8]) -> bool {
    start.starts_with(LOCAL_HEADER) || start.starts_with(b"PK\x05\x06")
}

/// How a file is stored.
#[derive(Clone, Debug)]
struct Stored {
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

/// A zip that is being read, one file after another. Files that are stored or deflated are read, those that a
/// system adds are passed over, and data that ends early is read as far as it goes.
#[derive(Debug)]
pub struct Unzip<R> {
    source: R,
    /// A function that seeks, since the source of a reader need not be able to.
    seek: fn(&mut R, u64) -> io::Result<()>,
    input: Buffer,
    plan: Plan,
    current: Option<Current>,
    /// The number of files begun, and the number in the table.
    begun: u64,
    listed: u64,
    /// The note about several files was returned.
    reported_several: bool,
    /// What else is to be said about the table.
    notes: Vec<Note>,
    /// The number of files of a system that were passed over.
    passed: u64,
    /// The missing table was reported. Data that ends early is then no fault of its own.
    is_unfinished: bool,
}

impl<R: Read + Seek> Unzip<R> {
    /// Looks for the table. If there is none, also returns why; the files are then found one after another.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn open(mut source: R) -> io::Result<(Self, Option<Fault>)> {
        let mut notes = Vec::new();
        let (plan, listed, fault) = match table::read(&mut source)? {
            Ok(all) => {
                notes.extend(of_one_name(&all));
                let files: Vec<(u64, Stored)> = all.iter().filter_map(stored).collect();
                let listed = files
                    .iter()
                    .filter(|(_, stored)| !is_of_system(&stored.name));
                let (listed, passed) = (listed.count(), files.len());
                if listed < passed {
                    let files = (passed - listed) as u64;
                    notes.push(Note::System { files });
                }
                let mut files = files;
                files.retain(|(_, stored)| !is_of_system(&stored.name));
                (Plan::Table(files.into_iter()), listed as u64, None)
            }
            Err(fault) => {
                source.seek(SeekFrom::Start(0))?;
                (Plan::Walk, 0, Some(fault))
            }
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

/// The position of the header of a file in the table, and how it is stored; `None` for a folder.
fn stored(entry: &table::Entry) -> Option<(u64, Stored)> {
    let stored = Stored {
        name: name(&entry.name),
        method: entry.method,
        encrypted: entry.is_encrypted(),
        size: Some(entry.size),
        crc: Some(entry.crc),
        described: false,
    };
    (!entry.is_folder()).then_some((entry.offset, stored))
}

/// The note that files have the same name.
fn of_one_name(entries: &[table::Entry]) -> Option<Note> {
    let mut counts: HashMap<&[u8], u64> = HashMap::new();
    for entry in entries {
        *counts.entry(&entry.name).or_default() += 1;
    }
    let files = counts.into_values().max().unwrap_or(0);
    (files > 1).then_some(Note::OneName { files })
}

impl<R: Read> Unzip<R> {
    /// What is to be said about the files so far, each once.
    #[must_use]
    pub fn notes(&mut self) -> Vec<Note> {
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(self.several());
        notes
    }

    /// Reports, once, that there are several files.
    fn several(&mut self) -> Option<Note> {
        let files = match self.plan {
            Plan::Table(_) => self.listed,
            _ => self.begun,
        };
        let now = !self.reported_several && files > 1;
        self.reported_several |= now;
        now.then_some(Note::Several { files })
    }

    /// Goes to the next file.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn next_file(&mut self) -> io::Result<Member> {
        loop {
            let member = self.next_of_all()?;
            match &member {
                Member::Open(name) if is_of_system(name) => {}
                _ => return Ok(member),
            }
            // Without a table, it must be read to find the next.
            self.begun -= 1;
            self.notes
                .retain(|note| !matches!(note, Note::System { .. }));
            self.passed += 1;
            let files = self.passed;
            self.notes.push(Note::System { files });
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
                    return Ok(Member::Closed(stored.name, Fault::Cut(Cut::File)));
                }
                stored
            }
        };
        self.begun += 1;
        let fault = match stored {
            Stored {
                encrypted: true, ..
            } => Some(Fault::Encrypted),
            Stored { method: 0 | 8, .. } => None,
            Stored { method, .. } => Some(Fault::Method(method)),
        };
        self.current = Some(Current {
            inflate: (stored.method == 8).then(|| Box::new(Decompress::new(false))),
            left: stored.size,
            crc: Crc::new(),
            stored: stored.crc,
            described: stored.described,
            done: false,
        });
        let Some(fault) = fault else {
            return Ok(Member::Open(stored.name));
        };
        // Skip it, so that the next one is found.
        if !self.skip()? {
            self.plan = Plan::Done;
        }
        Ok(Member::Closed(stored.name, fault))
    }

    /// Reads the next bytes of the file.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
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
                    let fault = status.err().map(|_| Fault::Broken);
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
                let fault = (is_cut && is_there).then_some(Fault::Cut(Cut::Data));
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
    fn checked(&mut self) -> io::Result<Option<Fault>> {
        let Some(current) = self.current.take() else {
            return Ok(None);
        };
        let stored = match current.stored {
            None if current.described => self.described()?,
            stored => stored,
        };
        let found = Crc32(current.crc.sum());
        let stored = stored.map(Crc32).filter(|stored| *stored != found);
        Ok(stored.map(|stored| Fault::Checksum { found, stored }))
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
        self.have(LOCAL_SIZE)?;
        let Some(header) = LocalHeader::read(self.input.rest()) else {
            return Ok(None);
        };
        self.input.take(LOCAL_SIZE);
        self.have(header.name)?;
        let called = self.input.rest().get(..header.name).unwrap_or_default();
        let is_folder = called.ends_with(b"/");
        let called = name(called);
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

/// The name of a file as text.
fn name(bytes: &[u8]) -> Box<str> {
    table::text(bytes).into()
}
