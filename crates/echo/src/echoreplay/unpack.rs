//! Texts that are packed: in a zip, which may hold another zip, or by gzip; and texts in UTF-16.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;

use super::unzip::{Filled, Member, Unzip};
use super::utf16::Utf16;
use crate::rule::Rule;

/// The number of zips in each other that are opened.
const DEEPEST: usize = 4;
/// A zip in a zip is held in memory. It is at most so many times as large as the file, and this much.
const MOST_RATIO: u64 = 4;
const LEAST: u64 = 1 << 20;
/// The number of bytes that tell what a file is.
const HEAD: usize = 4;
/// The number of bytes that are read at a time.
const PIECE: usize = 16 << 10;

/// Whether a file starts like one that must be unpacked.
pub(super) fn is_packed(start: &[u8]) -> bool {
    super::signature::is_zip(start) || is_gzip(start) || Utf16::of(start).is_some()
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(b"\x1F\x8B\x08")
}

/// Where the files come from.
#[derive(Debug)]
enum Outer<R> {
    Zip(Unzip<R>),
    Gzip(Gunzip<R>),
    /// One text, which is in UTF-16. It was begun.
    Text(R, bool),
}

/// The end of a file, and the fault of the rest of it.
#[derive(Debug)]
struct End(Option<Rule>);

/// A packed text that is being read.
#[derive(Debug)]
pub(super) struct Unpack<R> {
    outer: Outer<R>,
    /// Zips in it, each in the one before.
    inner: Vec<Unzip<Cursor<Vec<u8>>>>,
    /// The size of the whole file.
    size: u64,
    /// The start of the current file, as far as it was not returned.
    head: Vec<u8>,
    /// The end of the current file, if it came with its start.
    ended: Option<End>,
    utf16: Option<Utf16>,
    notes: Vec<Rule>,
}

impl<R: Read + Seek> Unpack<R> {
    /// Opens a text. If it is a zip without a table, also returns why.
    pub(super) fn open(mut source: R) -> io::Result<(Self, Option<Rule>)> {
        let size = source.seek(SeekFrom::End(0))?;
        source.seek(SeekFrom::Start(0))?;
        let mut start = Vec::new();
        source.by_ref().take(HEAD as u64).read_to_end(&mut start)?;
        source.seek(SeekFrom::Start(0))?;
        let mut notes = Vec::new();
        let (outer, fault) = if is_gzip(&start) {
            notes.push(Rule::Gzip);
            (Outer::Gzip(Gunzip::new(source)), None)
        } else if Utf16::of(&start).is_some() {
            (Outer::Text(source, false), None)
        } else {
            let (zip, fault) = Unzip::open(source)?;
            (Outer::Zip(zip), fault)
        };
        let unpack = Self {
            outer,
            inner: Vec::new(),
            size,
            head: Vec::new(),
            ended: None,
            utf16: None,
            notes,
        };
        Ok((unpack, fault))
    }
}

impl<R: Read> Unpack<R> {
    /// What is to be said about the files so far, each once.
    pub(super) fn notes(&mut self) -> Vec<Rule> {
        let mut notes = std::mem::take(&mut self.notes);
        if let Outer::Zip(zip) = &mut self.outer {
            notes.extend(zip.notes());
        }
        for zip in &mut self.inner {
            notes.extend(zip.notes());
        }
        notes
    }

    /// Goes to the next file.
    pub(super) fn next_file(&mut self) -> io::Result<Member> {
        loop {
            self.head.clear();
            self.ended = None;
            self.utf16 = None;
            let next = match (self.inner.last_mut(), &mut self.outer) {
                (Some(zip), _) => zip.next_file()?,
                (None, Outer::Zip(zip)) => zip.next_file()?,
                (None, Outer::Gzip(gzip)) => gzip.next_file(),
                (None, Outer::Text(_, begun)) if *begun => Member::None,
                (None, Outer::Text(_, begun)) => {
                    *begun = true;
                    Member::Open("the text as UTF-8".into())
                }
            };
            let name = match next {
                Member::Open(name) => name,
                // Its zip is read to its end, and the one around it goes on.
                Member::None if self.inner.pop().is_some() => continue,
                other => return Ok(other),
            };
            self.look()?;
            if super::signature::is_zip(&self.head) && self.inner.len() < DEEPEST {
                match self.enter()? {
                    None => continue,
                    Some(rule) => return Ok(Member::Closed(name, rule)),
                }
            }
            self.utf16 = Utf16::of(&self.head);
            if self.utf16.is_some() {
                self.notes.push(Rule::Utf16);
            }
            return Ok(Member::Open(name));
        }
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
                    self.ended = Some(End(fault));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Enters the zip that the current file is. Returns why not.
    fn enter(&mut self) -> io::Result<Option<Rule>> {
        let most = LEAST.max(self.size.saturating_mul(MOST_RATIO));
        let mut held = std::mem::take(&mut self.head);
        let mut piece = vec![0; PIECE];
        let fault = loop {
            if let Some(End(fault)) = self.ended.take() {
                break fault;
            }
            match self.raw(&mut piece)? {
                Filled::Bytes(count) => {
                    held.extend_from_slice(piece.get(..count).unwrap_or_default());
                }
                Filled::End(fault) => break fault,
            }
            if held.len() as u64 > most {
                let cause = format!("the zip in it is larger than {most} bytes");
                let cause = crate::rule::ZipCut::Other(cause);
                return Ok(Some(Rule::ZipTruncated { cause }));
            }
        };
        self.notes.push(Rule::ZipNested);
        self.notes.extend(fault);
        let (zip, fault) = Unzip::open(Cursor::new(held))?;
        self.notes.extend(fault);
        self.inner.push(zip);
        Ok(None)
    }

    /// Reads the next bytes of the file.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        let Some(mut utf16) = self.utf16.take() else {
            return self.plain(into);
        };
        let mut piece = [0; PIECE / 4];
        let filled = loop {
            let count = utf16.take(into);
            if count > 0 {
                break Filled::Bytes(count);
            }
            match self.plain(&mut piece)? {
                Filled::Bytes(count) => utf16.push(piece.get(..count).unwrap_or_default()),
                Filled::End(fault) if utf16.end() => self.ended = Some(End(fault)),
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
            Some(End(fault)) => {
                self.ended = Some(End(None));
                Ok(Filled::End(fault))
            }
            None => self.raw(into),
        }
    }

    fn raw(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        match (self.inner.last_mut(), &mut self.outer) {
            (Some(zip), _) => zip.fill(into),
            (None, Outer::Zip(zip)) => zip.fill(into),
            (None, Outer::Gzip(gzip)) => gzip.fill(into),
            // Before the text is begun, there is nothing.
            (None, Outer::Text(_, false)) => Ok(Filled::End(None)),
            (None, Outer::Text(source, true)) => Ok(match source.read(into)? {
                0 => Filled::End(None),
                count => Filled::Bytes(count),
            }),
        }
    }
}

/// A gzip, which may have several parts.
#[derive(Debug)]
struct Gunzip<R> {
    decoder: Option<GzDecoder<BufReader<R>>>,
    begun: bool,
}

impl<R: Read> Gunzip<R> {
    fn new(source: R) -> Self {
        Self {
            decoder: Some(GzDecoder::new(BufReader::new(source))),
            begun: false,
        }
    }

    fn next_file(&mut self) -> Member {
        if std::mem::replace(&mut self.begun, true) {
            return Member::None;
        }
        Member::Open("the unpacked gzip".into())
    }

    fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        if !self.begun {
            return Ok(Filled::End(None));
        }
        while let Some(decoder) = &mut self.decoder {
            match decoder.read(into) {
                Ok(0) => {}
                Ok(count) => return Ok(Filled::Bytes(count)),
                Err(error) if is_of_the_data(&error) => {
                    self.decoder = None;
                    return Ok(Filled::End(Some(Rule::GzipBroken)));
                }
                Err(error) => return Err(error),
            }
            let source = self.decoder.take().map(GzDecoder::into_inner);
            if let Some(mut source) = source
                && source.fill_buf()?.starts_with(b"\x1F")
            {
                self.decoder = Some(GzDecoder::new(source));
            }
        }
        Ok(Filled::End(None))
    }
}

fn is_of_the_data(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
}
