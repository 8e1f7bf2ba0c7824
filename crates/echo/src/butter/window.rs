//! A sliding window over a recording.

use crate::error::Error;
use crate::ranges::Ranges;

/// The number of bytes read at a time.
const STEP: usize = 1 << 20;

/// The part of a recording that is in memory.
pub struct Window<'a, B: ?Sized> {
    input: &'a B,
    base: u64,
    bytes: Vec<u8>,
}

impl<'a, B: Ranges + ?Sized> Window<'a, B> {
    pub const fn new(input: &'a B, base: u64) -> Self {
        let bytes = Vec::new();
        Self { input, base, bytes }
    }

    /// Drops the bytes before `before`.
    pub fn forget(&mut self, before: u64) {
        let gone = usize::try_from(before - self.base).unwrap_or(usize::MAX);
        self.bytes.drain(..gone.min(self.bytes.len()));
        self.base = before;
    }

    /// Returns the bytes from `at` on, which must not be before the window: at least `count` bytes, or all
    /// that exist.
    pub fn from(&mut self, at: u64, count: usize) -> Result<&[u8], Error> {
        let from = usize::try_from(at - self.base).unwrap_or(usize::MAX);
        let held = self.base + self.bytes.len() as u64;
        let lacks = from.saturating_add(count).saturating_sub(self.bytes.len());
        if lacks > 0 && held < self.input.size() {
            let more = (lacks.max(STEP) as u64).min(self.input.size() - held);
            let read = self.input.range(held, more);
            self.bytes
                .extend_from_slice(&read.map_err(|source| Error::io(held, source))?);
        }
        Ok(self.bytes.get(from..).unwrap_or_default())
    }
}
