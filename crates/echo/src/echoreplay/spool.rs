//! A zip's text, inflated once into a file for random access.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::Range;
use std::sync::Arc;

use gametape_core::{Input, InputStream};

use super::unpack::{Filled, TextFile, Unpack};
use crate::error::Finding;
use crate::rule::Rule;

/// The number of bytes inflated at a time.
const PIECE: usize = 256 << 10;

/// A zip's text in a file, together with the faults of the zip. Reading it gives the same lines and
/// findings as reading the zip.
#[derive(Debug)]
pub(crate) struct Spool {
    text: Input,
    members: Vec<Inflated>,
    /// What is to be said after all of them.
    last: Vec<Rule>,
    /// The fault of the zip as a whole.
    pub fault: Option<Rule>,
}

/// A file of a zip, as returned by [`Unpack`].
#[derive(Debug)]
struct Inflated {
    name: Box<str>,
    /// Why it can't be read at all.
    closed: Option<Rule>,
    /// What is to be said about the files.
    notes: Vec<Rule>,
    /// The position of its text.
    start: u64,
    size: u64,
    /// The fault of the rest of it.
    fault: Option<Rule>,
}

/// Why a zip could not be spooled.
#[derive(Debug)]
pub(crate) enum SpoolError {
    /// The zip can't be read.
    Read(io::Error),
    /// The text can't be written.
    Write(io::Error),
    /// The text is longer than this.
    Limit(u64),
}

impl Spool {
    /// Inflates a zip into an empty file, up to `most` bytes.
    pub fn of(zip: impl Read + Seek, mut out: File, most: u64) -> Result<Self, SpoolError> {
        let (mut zip, fault) = Unpack::open(zip).map_err(SpoolError::Read)?;
        let mut members = Vec::new();
        let mut piece = vec![0; PIECE];
        let mut written = 0;
        let last;
        loop {
            let member = zip.next_file().map_err(SpoolError::Read)?;
            let notes = zip.notes();
            let (name, closed) = match member {
                TextFile::None => {
                    last = notes;
                    break;
                }
                TextFile::Open(name) => (name, None),
                TextFile::Closed(name, rule) => (name, Some(rule)),
            };
            let start = written;
            let fault = loop {
                let count = match zip.fill(&mut piece).map_err(SpoolError::Read)? {
                    Filled::Bytes(count) => count,
                    Filled::End(fault) => break fault,
                };
                written += count as u64;
                if written > most {
                    return Err(SpoolError::Limit(most));
                }
                out.write_all(piece.get(..count).unwrap_or_default())
                    .map_err(SpoolError::Write)?;
            };
            members.push(Inflated {
                name,
                closed,
                notes,
                start,
                size: written - start,
                fault,
            });
        }
        Ok(Self {
            text: Input::file(out).map_err(SpoolError::Write)?,
            members,
            last,
            fault,
        })
    }

    /// The text of all files of the zip, one after another.
    pub const fn text(&self) -> &Input {
        &self.text
    }

    /// If some of the text is from a damaged file, returns the finding and the range of that file's text.
    /// text.
    pub fn altered(&self, text: &Range<u64>) -> Option<(Finding, Range<u64>)> {
        self.members.iter().find_map(|member| {
            let fault = member.fault.clone().filter(Rule::is_of_altered_file)?;
            let of = member.start..member.start + member.size;
            let finding = Finding::new(fault).within(member.name.clone());
            (of.start < text.end && text.start < of.end).then_some((finding, of))
        })
    }
}

/// Reads a [`Spool`] like its zip.
#[derive(Debug)]
pub(super) struct Spooled {
    spool: Arc<Spool>,
    /// The next file.
    next: usize,
    /// The start of the current file, and the number of bytes left.
    start: u64,
    left: u64,
    stream: InputStream,
    fault: Option<Rule>,
}

impl Spooled {
    pub fn new(spool: Arc<Spool>) -> Self {
        Self {
            stream: spool.text.stream(),
            spool,
            next: 0,
            start: 0,
            left: 0,
            fault: None,
        }
    }

    /// The position in the text at which the current file starts.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Like [`Unpack::next_file`] and [`Unpack::notes`].
    pub fn next_file(&mut self) -> io::Result<(TextFile, Vec<Rule>)> {
        let Some(member) = self.spool.members.get(self.next) else {
            return Ok((TextFile::None, self.spool.last.clone()));
        };
        self.next += 1;
        self.stream.seek(io::SeekFrom::Start(member.start))?;
        (self.start, self.left) = (member.start, member.size);
        self.fault.clone_from(&member.fault);
        let name = member.name.clone();
        let file = match member.closed.clone() {
            Some(rule) => TextFile::Closed(name, rule),
            None => TextFile::Open(name),
        };
        Ok((file, member.notes.clone()))
    }

    /// Like [`Unpack::fill`].
    pub fn fill(&mut self, into: &mut [u8]) -> io::Result<Filled> {
        if self.left == 0 {
            return Ok(Filled::End(self.fault.take()));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        let most = most.min(into.len());
        let count = self.stream.read(into.get_mut(..most).unwrap_or_default())?;
        if count == 0 {
            // No other process has the file: the disk has lost it.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= count as u64;
        Ok(Filled::Bytes(count))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::{Reader, ZipWriter, open_with};
    use super::*;
    use crate::error::Error;
    use crate::limits::ReadOptions;

    /// Describes what a reader returns and finds.
    fn transcript<R: Read>(reader: Result<Reader<R>, Error>) -> String {
        let mut reader = match reader {
            Ok(reader) => reader,
            Err(error) => return format!("{error:?}"),
        };
        let mut lines = Vec::new();
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => lines.push(format!("{frame:?}")),
                Ok(None) => break,
                Err(error) => {
                    lines.push(format!("{error:?}"));
                    break;
                }
            }
            lines.push(format!("{:?}", reader.line()));
        }
        lines.push(format!("{:?}", reader.findings()));
        lines.join("\n")
    }

    fn spool(bytes: &[u8], most: u64) -> Result<Spool, SpoolError> {
        Spool::of(Cursor::new(bytes), tempfile::tempfile().unwrap(), most)
    }

    fn zipped() -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "a.echoreplay", 6).unwrap();
        for frame in crate::doc_frames() {
            zip.push(&frame).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn a_spool_reads_like_its_zip_wherever_that_is_damaged() {
        let whole = zipped();
        // Two zips in a row: files without a table are found one after another.
        let twice = [&*whole, &*whole].concat();
        for bytes in [&whole, &twice] {
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                for bytes in [&bytes[..at], &flipped] {
                    for options in [ReadOptions::strict(), ReadOptions::lenient()] {
                        if !super::super::is_zip(bytes) {
                            continue;
                        }
                        let kept = spool(bytes, u64::MAX).unwrap();
                        let spooled = Reader::<File>::spooled(Arc::new(kept), options);
                        let zip = open_with(Cursor::new(bytes), options);
                        assert_eq!(transcript(spooled), transcript(zip), "byte {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_more_is_spooled_than_is_allowed() {
        let bytes = zipped();
        let size = spool(&bytes, u64::MAX).unwrap().text().size();
        assert!(spool(&bytes, size).is_ok());
        let refused = spool(&bytes, size - 1);
        assert!(matches!(refused, Err(SpoolError::Limit(most)) if most == size - 1));
    }
}
