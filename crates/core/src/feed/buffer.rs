//! The input buffer of a decoder.

use alloc::vec::Vec;
use core::ops::Range;

/// Bytes that have arrived and are not consumed yet, and their position in the recording.
#[derive(Clone, Default, Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// The number of bytes in the buffer that have arrived; the space after them is free.
    filled: usize,
    /// The number of bytes in the buffer that were consumed.
    taken: usize,
    /// The last piece that was consumed.
    piece: Range<usize>,
    /// The position of the buffer's first byte in the recording.
    base: u64,
    /// The position that the input must reach before it is worth decoding again.
    wanted: u64,
    ended: bool,
}

/// Marks a branch that never happens as cold. The processor then predicts where the next item
/// starts instead of waiting for it.
#[cold]
const fn none() -> &'static [u8] {
    never(&[])
}

#[cold]
const fn never<T: Copy>(value: T) -> T {
    value
}

impl Buffer {
    /// Returns the bytes that have arrived and were not consumed.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        match self.bytes.get(self.taken..self.filled) {
            Some(rest) => rest,
            None => none(),
        }
    }

    /// Consumes bytes from the front of the rest. They stay readable as [`Buffer::piece`] until
    /// more input arrives.
    #[inline]
    pub fn take(&mut self, count: usize) {
        let from = self.taken;
        let to = from + count;
        self.taken = if to <= self.filled {
            to
        } else {
            never(self.filled)
        };
        self.piece = from..self.taken;
    }

    /// Returns the last piece that was consumed.
    #[inline]
    #[must_use]
    pub fn piece(&self) -> &[u8] {
        match self.bytes.get(self.piece.clone()) {
            Some(piece) => piece,
            None => none(),
        }
    }

    /// Returns the position of the rest in the recording.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Returns the end position of the input so far.
    #[inline]
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// Returns true if no more bytes will come, as far as is known.
    #[inline]
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        self.ended
    }

    /// Tells the caller that the decoder needs the rest to have at least this many bytes. The
    /// decoder is not called again before that, or before the end of the input. Nothing is
    /// allocated for bytes that never arrive.
    pub const fn want(&mut self, bytes: u64) {
        self.wanted = self.offset().saturating_add(bytes);
    }

    /// Returns whether it is worth decoding again.
    #[inline]
    pub(super) const fn is_ripe(&self) -> bool {
        self.ended || self.end() >= self.wanted
    }

    /// Appends the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.make_room();
        self.bytes.truncate(self.filled);
        self.bytes.extend_from_slice(bytes);
        self.filled = self.bytes.len();
        if !bytes.is_empty() {
            self.ended = false;
        }
    }

    /// Marks the end of the input. Pushing more bytes clears the mark.
    pub const fn end_input(&mut self) {
        self.ended = true;
    }

    /// Clears the end mark, because the source may have grown; returns whether it was set.
    #[cfg(feature = "std")]
    pub(super) const fn reopen(&mut self) -> bool {
        core::mem::replace(&mut self.ended, false)
    }

    /// Discards the content; the next bytes are at `offset` of the recording.
    pub fn restart(&mut self, offset: u64) {
        *self = Self {
            bytes: core::mem::take(&mut self.bytes),
            base: offset,
            ..Self::default()
        };
    }

    /// Discards consumed bytes.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.bytes.copy_within(self.taken..self.filled, 0);
            self.base += self.taken as u64;
            self.filled -= self.taken;
            self.taken = 0;
        }
        self.piece = 0..0;
    }

    /// Reads once more from a source. Returns the number of bytes read; 0 at its end.
    ///
    /// # Errors
    /// Any error of the source except [`Interrupted`](std::io::ErrorKind::Interrupted), after which
    /// the read is retried.
    #[cfg(feature = "std")]
    pub fn read_from(&mut self, source: &mut impl std::io::Read) -> std::io::Result<usize> {
        /// The minimum number of bytes requested from a source at once.
        const CHUNK: usize = 64 << 10;
        self.make_room();
        let held = self.filled;
        let wanted = usize::try_from(self.wanted.saturating_sub(self.base)).unwrap_or(usize::MAX);
        // Large items are read in large pieces, but never in pieces larger than the input so far.
        // So a length claimed by the file reserves no memory by itself.
        let chunk = CHUNK.max(held.min(wanted));
        if self.bytes.len() < held + chunk {
            self.bytes.resize(held + chunk, 0);
        }
        // Use all free space: with fewer reads, the rest is moved less often.
        let spare = self.bytes.get_mut(held..).unwrap_or_default();
        let count = loop {
            match source.read(spare) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // A faulty source may report more bytes than fit.
                other => break other?.min(spare.len()),
            }
        };
        self.filled += count;
        self.ended = count == 0;
        Ok(count)
    }
}
