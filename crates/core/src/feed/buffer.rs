//! The bytes that wait for a decoder.

use alloc::vec::Vec;
use core::ops::Range;

/// Bytes that have come and are not done with, and where they are in the recording.
#[derive(Clone, Default, Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// Bytes of the buffer that have come; behind them is space for more.
    filled: usize,
    /// Bytes of the buffer that were taken.
    taken: usize,
    /// The last piece that was taken.
    piece: Range<usize>,
    /// Where the first byte of the buffer is in the recording.
    base: u64,
    /// Where the bytes have to reach before it makes sense to look again.
    wanted: u64,
    ended: bool,
}

/// What does not come about is kept out of the way: where the next item starts is then foretold by
/// the processor, and not waited for.
#[cold]
const fn none() -> &'static [u8] {
    never(&[])
}

#[cold]
const fn never<T: Copy>(value: T) -> T {
    value
}

impl Buffer {
    /// Bytes that have come and were not taken.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &[u8] {
        match self.bytes.get(self.taken..self.filled) {
            Some(rest) => rest,
            None => none(),
        }
    }

    /// Takes bytes off the front of the rest: they stay readable as [`Buffer::piece`] until more
    /// are asked of the source.
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

    /// The last piece that was taken.
    #[inline]
    #[must_use]
    pub fn piece(&self) -> &[u8] {
        match self.bytes.get(self.piece.clone()) {
            Some(piece) => piece,
            None => none(),
        }
    }

    /// Where the rest starts in the recording.
    #[inline]
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.base + self.taken as u64
    }

    /// Where the bytes that have come end in the recording.
    #[inline]
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.base + self.filled as u64
    }

    /// True where no more bytes will come, as far as is known.
    #[inline]
    #[must_use]
    pub const fn is_ended(&self) -> bool {
        self.ended
    }

    /// Says that nothing can be told before the rest has so many bytes: until then (or the end) the
    /// decoder is not asked. It costs nothing to wait for what will never come.
    pub const fn want(&mut self, bytes: u64) {
        self.wanted = self.offset().saturating_add(bytes);
    }

    /// Whether it makes sense to look.
    #[inline]
    pub(super) const fn is_ripe(&self) -> bool {
        self.ended || self.end() >= self.wanted
    }

    /// Takes the next bytes of the recording.
    pub fn push(&mut self, bytes: &[u8]) {
        self.make_room();
        self.bytes.truncate(self.filled);
        self.bytes.extend_from_slice(bytes);
        self.filled = self.bytes.len();
        if !bytes.is_empty() {
            self.ended = false;
        }
    }

    /// Says that no more bytes will come. Pushing more takes it back.
    pub const fn end_input(&mut self) {
        self.ended = true;
    }

    /// What ended before may have grown since; true where it had ended.
    #[cfg(feature = "std")]
    pub(super) const fn reopen(&mut self) -> bool {
        core::mem::replace(&mut self.ended, false)
    }

    /// Forgets what it holds: what comes now is at `offset` of the recording.
    pub fn restart(&mut self, offset: u64) {
        *self = Self {
            bytes: core::mem::take(&mut self.bytes),
            base: offset,
            ..Self::default()
        };
    }

    /// Lets go of what was taken.
    fn make_room(&mut self) {
        if self.taken > 0 {
            self.bytes.copy_within(self.taken..self.filled, 0);
            self.base += self.taken as u64;
            self.filled -= self.taken;
            self.taken = 0;
        }
        self.piece = 0..0;
    }

    /// Reads once more from a source; 0 at its end.
    ///
    /// # Errors
    /// What the source says, interruptions aside.
    #[cfg(feature = "std")]
    pub fn read_from(&mut self, source: &mut impl std::io::Read) -> std::io::Result<usize> {
        /// Bytes asked of a source at a time.
        const CHUNK: usize = 64 << 10;
        self.make_room();
        let held = self.filled;
        let wanted = usize::try_from(self.wanted.saturating_sub(self.base)).unwrap_or(usize::MAX);
        // What is large is read in large pieces, but never in larger ones than have come so far: a
        // claim alone reserves nothing.
        let chunk = CHUNK.max(held.min(wanted));
        if self.bytes.len() < held + chunk {
            self.bytes.resize(held + chunk, 0);
        }
        // All the space that there is: the fewer the reads, the less often the rest moves up.
        let spare = self.bytes.get_mut(held..).unwrap_or_default();
        let count = loop {
            match source.read(spare) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                // No more than there is space for, whatever the source says.
                other => break other?.min(spare.len()),
            }
        };
        self.filled += count;
        self.ended = count == 0;
        Ok(count)
    }
}
