//! Texts that are in a zip or in UTF-16.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};

use gametape_archive::{Filled as Unzipped, Member as File, Note, Unzip};
use gametape_core::text::{printable, shortened};

use crate::rule::Rule;

/// The number of bytes that tell what a file is.
const HEAD: usize = 4;
/// The number of bytes that are read at a time.
const PIECE: usize = 4 << 10;

/// Whether a file starts like one that must be unpacked.
pub(super) fn is_packed(start: &[u8]) -> bool {
    super::is_zip(start) || Utf16::of(start).is_some()
}

/// The result of [`Unpack::fill`].
pub(super) enum Filled {
    Bytes(usize),
    /// The end of the file, or the fault of the rest of it.
    End(Option<Rule>),
}

/// The next thing: a file with its name, and the reason if it can't be read.
pub(super) enum TextFile {
    Open(Box<str>),
    Closed(Box<str>, Rule),
    None,
}

/// Where the files come from.
#[derive(Debug)]
enum Outer<R> {
    Zip(Box<Unzip<R>>),
    /// One text, which is in UTF-16. It was begun.
    Text(R, bool),
}

/// The end of a file, and the fault of the rest of it.
#[derive(Debug)]
struct FileEnd(Option<Rule>);

/// A packed text that is being read.
#[derive(Debug)]
pub(super) struct Unpack<R> {
    outer: Outer<R>,
    /// The start of the current file, as far as it was not returned.
    head: Vec<u8>,
    /// The end of the current file, if it came with its start.
    ended: Option<FileEnd>,
    utf16: Option<Utf16>,
    notes: Vec<Rule>,
}

impl<R: Read + Seek> Unpack<R> {
    /// Opens a text. If it is a zip without a table, also returns why.
    pub(super) fn open(mut source: R) -> io::Result<(Self, Option<Rule>)> {
        source.seek(SeekFrom::Start(0))?;
        let mut start = Vec::new();
        source.by_ref().take(HEAD as u64).read_to_end(&mut start)?;
        source.seek(SeekFrom::Start(0))?;
        let (outer, fault) = if Utf16::of(&start).is_some() {
            (Outer::Text(source, false), None)
        } else {
            let (zip, fault) = Unzip::open(source)?;
            (Outer::Zip(Box::new(zip)), fault.map(Rule::from))
        };
        let unpack = Self {
            outer,
            head: Vec::new(),
            ended: None,
            utf16: None,
            notes: Vec::new(),
        };
        Ok((unpack, fault))
    }
}

impl<R: Read> Unpack<R> {
    /// What is to be said about the files so far, each once.
    pub(super) fn notes(&mut self) -> Vec<Rule> {
        let mut notes = std::mem::take(&mut self.notes);
        if let Outer::Zip(zip) = &mut self.outer {
            notes.extend(zip.notes().into_iter().map(of_note));
        }
        notes
    }

    /// Goes to the next file.
    pub(super) fn next_file(&mut self) -> io::Result<TextFile> {
        self.head.clear();
        self.ended = None;
        self.utf16 = None;
        let name = match &mut self.outer {
            Outer::Zip(zip) => match zip.next_file()? {
                File::Open(name) => in_zip(&name),
                File::Closed(name, fault) => {
                    return Ok(TextFile::Closed(in_zip(&name), fault.into()));
                }
                File::None => return Ok(TextFile::None),
            },
            Outer::Text(_, begun) if *begun => return Ok(TextFile::None),
            Outer::Text(_, begun) => {
                *begun = true;
                "the text as UTF-8".into()
            }
        };
        self.look()?;
        self.utf16 = Utf16::of(&self.head);
        if self.utf16.is_some() {
            self.notes.push(Rule::Utf16);
        }
        Ok(TextFile::Open(name))
    }

    /// Reads the first bytes of a file.
    fn look(&mut self) -> io::Result<()> {
        let mut piece = [0; HEAD];
        while self.head.len() < HEAD {
            let most = HEAD - self.head.len();
            match self.raw(piece.get_mut(..most).unwrap_or_default())? {
                Filled::Bytes(count) => self
                    .head
                    .extend_from_slice(piece.get(..count).unwrap_or_default()),
                Filled::End(fault) => {
                    self.ended = Some(FileEnd(fault));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads the next bytes of the file.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        let Some(mut utf16) = self.utf16.take() else {
            return self.plain(into);
        };
        let mut piece = [0; PIECE];
        let filled = loop {
            let count = utf16.take(into);
            if count > 0 {
                break Filled::Bytes(count);
            }
            match self.plain(&mut piece)? {
                Filled::Bytes(count) => utf16.push(piece.get(..count).unwrap_or_default()),
                Filled::End(fault) if utf16.end() => self.ended = Some(FileEnd(fault)),
                end @ Filled::End(_) => break end,
            }
        };
        self.utf16 = Some(utf16);
        Ok(filled)
    }

    fn plain(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        if !self.head.is_empty() {
            let count = self.head.len().min(into.len());
            for (to, from) in into.iter_mut().zip(self.head.drain(..count)) {
                *to = from;
            }
            return Ok(Filled::Bytes(count));
        }
        match self.ended.take() {
            Some(FileEnd(fault)) => {
                self.ended = Some(FileEnd(None));
                Ok(Filled::End(fault))
            }
            None => self.raw(into),
        }
    }

    fn raw(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        Ok(match &mut self.outer {
            Outer::Zip(zip) => match zip.fill(into)? {
                Unzipped::Bytes(count) => Filled::Bytes(count),
                Unzipped::End(fault) => Filled::End(fault.map(Rule::from)),
            },
            // Before the text is begun, there is nothing.
            Outer::Text(_, false) => Filled::End(None),
            Outer::Text(source, true) => match source.read(into)? {
                0 => Filled::End(None),
                count => Filled::Bytes(count),
            },
        })
    }
}

/// The name of a file for messages.
fn in_zip(name: &str) -> Box<str> {
    format!("{} in the zip", shortened(&printable(name))).into()
}

const fn of_note(note: Note) -> Rule {
    match note {
        Note::Several { files } => Rule::ZipMembers { members: files },
        Note::OneName { files } => Rule::ZipTwice { files },
        Note::System { files } => Rule::ZipSystem { files },
    }
}

/// The byte order mark, as a unit.
const MARK: u16 = 0xFEFF;

/// A text in UTF-16 that is being read.
#[derive(Debug)]
pub(super) struct Utf16 {
    is_big: bool,
    /// The first byte of a unit.
    half: Option<u8>,
    /// The first unit of a pair.
    high: Option<u16>,
    /// Nothing was read yet.
    at_start: bool,
    /// What was read.
    ready: VecDeque<u8>,
}

impl Utf16 {
    /// Recognises a text in UTF-16 by its mark, or by the digits of a time.
    pub fn of(start: &[u8]) -> Option<Self> {
        let is_big = match start {
            // A mark of UTF-32 looks like this, too; but a recording starts with a digit.
            [0xFF, 0xFE, ..] | [b'0'..=b'9', 0, b'0'..=b'9', 0, ..] => false,
            [0xFE, 0xFF, ..] | [0, b'0'..=b'9', 0, b'0'..=b'9', ..] => true,
            _ => return None,
        };
        Some(Self {
            is_big,
            half: None,
            high: None,
            at_start: true,
            ready: VecDeque::new(),
        })
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let Some(first) = self.half.take() else {
                self.half = Some(*byte);
                continue;
            };
            let unit = if self.is_big {
                u16::from_be_bytes([first, *byte])
            } else {
                u16::from_le_bytes([first, *byte])
            };
            let is_mark = std::mem::take(&mut self.at_start) && unit == MARK;
            if !is_mark {
                self.unit(unit);
            }
        }
    }

    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                self.put(c);
                return;
            }
            self.put(char::REPLACEMENT_CHARACTER);
        }
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => self.put(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn put(&mut self, c: char) {
        self.ready.extend(c.encode_utf8(&mut [0; 4]).bytes());
    }

    /// No more bytes come. Returns whether a part of a character was left.
    pub fn end(&mut self) -> bool {
        let is_left = self.half.take().is_some() | self.high.take().is_some();
        if is_left {
            self.put(char::REPLACEMENT_CHARACTER);
        }
        is_left
    }

    /// Takes what was read.
    pub fn take(&mut self, into: &mut [u8]) -> usize {
        let count = self.ready.len().min(into.len());
        for (to, from) in into.iter_mut().zip(self.ready.drain(..count)) {
            *to = from;
        }
        count
    }
}
