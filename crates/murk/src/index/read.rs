//! Reads an index, and compares a recording with it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::io;

use super::format::{ENTRY, Entry, HEAD, Head, Pieces};
use crate::change::{Bit, Change, Unused, flipped_bit};
use crate::error::{Error, Finding};
use crate::layout::Frame;
use crate::layout::scan::{self, FrameScan};
use crate::limits::Limits;
use crate::rule::Rule;

/// Why an index can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// It is not an index, or is damaged, or belongs to another recording.
    #[error(transparent)]
    Unused(#[from] Unused),
    /// The index or the recording can't be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// An index. Only its head is read when it is opened. Reading from memory never fails.
///
/// ```
/// # let recording = gametape_murk::doc_example();
/// use gametape_murk::{Index, IndexBuilder, read};
/// let bytes = IndexBuilder::of(&read(&recording)?)?;
/// let index = Index::open(&bytes)?;
/// index.check(&recording)?;
/// let found = index.frame(&recording, 2)?.unwrap();
/// assert_eq!(found.frame().tick, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Index<S> {
    source: S,
    head: Head,
}

impl<S: Pieces> Index<S> {
    /// Opens an index. This takes constant time.
    ///
    /// # Errors
    /// [`Unused::Malformed`].
    pub fn open(source: S) -> Result<Self, IndexError> {
        let size = source.size();
        let head = source.piece(0, size.min(HEAD as u64))?;
        let head = Head::read(&head, size.saturating_sub(HEAD as u64))?;
        Ok(Self { source, head })
    }

    /// [`Index::open`], [`Index::is_whole`] and [`Index::check`] together. This reads the whole
    /// index, and refuses one that would report damage where there is none.
    ///
    /// # Errors
    /// Same as those methods.
    pub fn open_whole<R: Pieces + ?Sized>(source: S, recording: &R) -> Result<Self, IndexError> {
        let index = Self::open(source)?;
        if !index.is_whole()? {
            return Err(Unused::Damaged.into());
        }
        index.check(recording)?;
        Ok(index)
    }

    /// Returns the number of frames.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.head.frames
    }

    /// Returns true if each tick is larger than the one before.
    #[must_use]
    pub const fn ticks_rise(&self) -> bool {
        self.head.rising
    }

    /// Returns a frame's entry by its number.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn entry(&self, frame: u64) -> io::Result<Option<Entry>> {
        if frame >= self.head.frames {
            return Ok(None);
        }
        // The place of every frame fits into 64 bits.
        let at = HEAD as u64 + frame * ENTRY as u64;
        let bytes = self.source.piece(at, ENTRY as u64)?;
        Ok(Entry::read(frame, &bytes).ok())
    }

    /// Returns the entry of a tick; the first one if there are several. This is a binary search if
    /// ticks rise, and reads every entry otherwise.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn find(&self, tick: u64) -> io::Result<Option<Entry>> {
        if !self.head.rising {
            for frame in 0..self.head.frames {
                match self.entry(frame)? {
                    Some(entry) if entry.tick == tick => return Ok(Some(entry)),
                    _ => {}
                }
            }
            return Ok(None);
        }
        let (mut low, mut high) = (0, self.head.frames);
        while low < high {
            let middle = low + (high - low) / 2;
            let Some(entry) = self.entry(middle)? else {
                return Ok(None);
            };
            match entry.tick.cmp(&tick) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Some(entry)),
            }
        }
        Ok(None)
    }

    /// Returns the number of entries before the first for which `holds` is false. It must be false
    /// for all entries after that one.
    #[cfg(feature = "tape")]
    pub(crate) fn partition_point(&self, holds: impl Fn(Entry) -> bool) -> io::Result<u64> {
        let (mut low, mut high) = (0, self.head.frames);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle)? {
                Some(entry) if holds(entry) => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// Refuses a recording that is not the one of the index, in constant time: by its length, its
    /// header, and its first and last frame. (A flipped bit in those is damage and does not make it
    /// another recording.)
    ///
    /// # Errors
    /// An [`Unused`] that [is stale](Unused::is_stale).
    pub fn check<R: Pieces + ?Sized>(&self, recording: &R) -> Result<(), IndexError> {
        let (now, then) = (recording.size(), self.head.recording_length);
        if now != then {
            return Err(Unused::Length { now, then }.into());
        }
        let other = |damage: Option<Damage>| damage.is_some_and(|damage| damage.bit().is_none());
        if other(self.header_damage(recording)?) {
            return Err(Unused::Header.into());
        }
        for frame in [0, self.head.frames.saturating_sub(1)] {
            if let Some(entry) = self.entry(frame)?
                && other(self.damage(recording, entry)?)
            {
                return Err(Unused::Frame { frame }.into());
            }
        }
        Ok(())
    }

    /// Returns the number of bytes up to the next frame.
    fn length(&self, entry: Entry) -> io::Result<Option<u64>> {
        let next = match entry.frame.checked_add(1) {
            Some(next) => self.entry(next)?,
            None => None,
        };
        let end = next.map_or(self.head.recording_length, |next| next.offset);
        Ok(end.checked_sub(entry.offset))
    }

    /// Returns how the header has changed since the index was made; `None` if it has not.
    ///
    /// # Errors
    /// Any error of the recording's source.
    pub fn header_damage<R: Pieces + ?Sized>(&self, recording: &R) -> io::Result<Option<Damage>> {
        let (checksum, length) = recording.checksum(0, self.head.header_length)?;
        let change = changed(0, length, checksum ^ self.head.header_checksum);
        Ok(change.map(|change| Damage {
            entry: None,
            change,
        }))
    }

    /// Returns how a frame has changed since the index was made; `None` if it has not.
    ///
    /// # Errors
    /// Any error of a source.
    pub fn damage<R: Pieces + ?Sized>(
        &self,
        recording: &R,
        entry: Entry,
    ) -> io::Result<Option<Damage>> {
        let length = self.length(entry)?.unwrap_or(0);
        let (checksum, length) = recording.checksum(entry.offset, length)?;
        let change = changed(entry.offset, length, checksum ^ entry.checksum);
        Ok(change.map(|change| Damage {
            entry: Some(entry),
            change,
        }))
    }

    /// Returns all damage: of the header and of the frames.
    pub fn damages<R: Pieces + ?Sized>(
        &self,
        recording: &R,
    ) -> impl Iterator<Item = io::Result<Damage>> {
        // No byte is read twice: a forged index could include all of them in every frame.
        let mut end = self.head.header_length;
        let mut frame = move |frame| -> io::Result<Option<Damage>> {
            let Some(entry) = self.entry(frame)? else {
                return Ok(None);
            };
            if entry.offset < end {
                return Ok(Some(Damage {
                    entry: Some(entry),
                    change: Change::Several,
                }));
            }
            end = entry.offset + self.length(entry)?.unwrap_or(0);
            self.damage(recording, entry)
        };
        let frames = (0..self.head.frames).map(move |at| frame(at).transpose());
        std::iter::once_with(|| self.header_damage(recording).transpose())
            .chain(frames)
            .flatten()
    }

    /// Flips back every single flipped bit; returns the damage that was mended, and the rest.
    ///
    /// # Errors
    /// Any error of the index's source. Nothing is changed then.
    pub fn mend(&self, recording: &mut [u8]) -> io::Result<(Vec<Damage>, Vec<Damage>)> {
        let damages = self.damages(&*recording).collect::<io::Result<Vec<_>>>()?;
        for bit in damages.iter().filter_map(Damage::bit) {
            let byte = usize::try_from(bit.offset).ok();
            if let Some(byte) = byte.and_then(|byte| recording.get_mut(byte)) {
                *byte ^= 1 << bit.bit;
            }
        }
        Ok(damages
            .into_iter()
            .partition(|damage| damage.bit().is_some()))
    }

    /// Returns the frame of a tick, checked against the index.
    ///
    /// # Errors
    /// Same as [`Index::read`].
    pub fn frame<'r, R: Pieces + ?Sized>(
        &self,
        recording: &'r R,
        tick: u64,
    ) -> Result<Option<Indexed<'r>>, Error> {
        match self.find(tick) {
            Ok(Some(entry)) => self.read(recording, entry).map(Some),
            Ok(None) => Ok(None),
            Err(source) => Err(Error::io(0, source)),
        }
    }

    /// Returns a frame, checked against the index.
    ///
    /// # Errors
    /// [`Rule::FrameChanged`] if the frame has changed; [`Error::Io`].
    pub fn read<'r, R: Pieces + ?Sized>(
        &self,
        recording: &'r R,
        entry: Entry,
    ) -> Result<Indexed<'r>, Error> {
        let io = |source| Error::io(entry.offset, source);
        if let Some(damage) = self.damage(recording, entry).map_err(io)? {
            return Err(damage.finding().into());
        }
        let length = self.length(entry).map_err(io)?.unwrap_or(0);
        let bytes = recording.piece(entry.offset, length).map_err(io)?;
        let mut check = FrameScan::default();
        let change = match check.run(&bytes, &Limits::NONE) {
            Err(stop) => return Err(check.error(stop, &bytes, entry.frame, entry.offset)),
            Ok(size) if size != bytes.len() => Change::Size,
            Ok(_) if scan::frame(&bytes, 0, 0).tick != entry.tick => Change::Tick,
            Ok(_) => return Ok(Indexed { bytes, entry }),
        };
        let entry = Some(entry);
        Err(Damage { entry, change }.finding().into())
    }

    /// Returns true if the index itself is undamaged and its frames follow each other without a
    /// gap, as they do in a recording. This reads the whole index.
    ///
    /// # Errors
    /// Any error of the source.
    pub fn is_whole(&self) -> io::Result<bool> {
        let mut start = self.head.header_length;
        for frame in 0..self.head.frames {
            match self.entry(frame)? {
                Some(entry) if entry.offset >= start && entry.offset < u64::MAX => {
                    start = entry.offset + 1;
                }
                _ => return Ok(false),
            }
        }
        let entries = self.head.frames * ENTRY as u64;
        let (checksum, _) = self.source.checksum(HEAD as u64, entries)?;
        Ok(start <= self.head.recording_length && checksum == self.head.entries_checksum)
    }
}

/// Returns how `length` bytes at `offset` have changed, from the difference of their CRC-32.
/// Missing bytes have changed, too.
#[inline]
fn changed(offset: u64, length: u64, difference: u32) -> Option<Change> {
    (difference != 0 || length == 0).then(|| change(offset, length, difference))
}

#[cold]
fn change(offset: u64, length: u64, difference: u32) -> Change {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    match flipped_bit(length, difference) {
        None => Change::Several,
        Some((byte, bit)) => Change::Flipped(Bit {
            offset: offset + byte as u64,
            bit,
        }),
    }
}

/// A frame that was found through an index.
#[derive(Clone, Debug)]
pub struct Indexed<'r> {
    bytes: Cow<'r, [u8]>,
    entry: Entry,
}

impl Indexed<'_> {
    /// Returns the frame.
    #[must_use]
    pub fn frame(&self) -> Frame<'_> {
        scan::frame(&self.bytes, self.entry.frame, self.entry.offset)
    }
}

/// A frame, or the header, that has changed since the index was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// The frame; `None` for the header.
    pub entry: Option<Entry>,
    /// The change.
    pub change: Change,
}

impl Damage {
    /// Returns the bit that was flipped, if a single one explains the damage.
    #[must_use]
    pub const fn bit(&self) -> Option<Bit> {
        self.change.bit()
    }

    /// Returns the damage as a finding.
    #[must_use]
    pub fn finding(&self) -> Finding {
        let change = self.change;
        match self.entry {
            None => Finding::new(Rule::HeaderChanged { change }).at(0),
            Some(entry) => Finding::new(Rule::FrameChanged { change })
                .at(entry.offset)
                .step(entry.frame)
                .tick(Some(entry.tick)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::format::IndexBuilder;

    #[test]
    fn an_index_that_lies_is_told() {
        let recording = crate::doc_example();
        let replay = crate::read(&recording).unwrap();
        let mut bytes = IndexBuilder::of(&replay).unwrap();
        let index = Index::open(&bytes).unwrap();
        let odd = Entry {
            frame: u64::MAX,
            ..index.entry(0).unwrap().unwrap()
        };
        assert!(index.damage(&recording, odd).unwrap().is_some());

        // The forged index claims all bytes for the first frame, and again for the last one.
        let (start, end) = (replay.header_size(), recording.len() as u64);
        for (frame, offset) in [start, end, start].into_iter().enumerate() {
            let at = HEAD + frame * ENTRY;
            bytes[at..at + 8].copy_from_slice(&offset.to_le_bytes());
        }
        let index = Index::open(&bytes).unwrap();
        let mut signed = index;
        signed.head.entries_checksum = crc32fast::hash(&bytes[HEAD..]);
        assert!(!index.is_whole().unwrap() && !signed.is_whole().unwrap());
        let mut mended = recording.clone();
        let (turned, left) = index.mend(&mut mended).unwrap();
        assert_eq!((turned.len(), left.len()), (0, 3));
        assert_eq!(mended, recording);
    }

    #[test]
    fn a_frame_is_that_of_its_tick() {
        let recording = crate::doc_example();
        let mut bytes = IndexBuilder::of(&crate::read(&recording).unwrap()).unwrap();
        bytes[HEAD + 2 * ENTRY + 8] = 9;
        let index = Index::open(&bytes).unwrap();
        assert!(!index.is_whole().unwrap());
        let error = index.frame(&recording, 9).unwrap_err();
        assert_eq!(error.code(), "murk.frame-changed");
        assert!(error.to_string().contains("another tick"), "{error}");
    }
}
