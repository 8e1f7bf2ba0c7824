//! Input of the decoder: a growing buffer or a slice.

use gametape_core::feed::Buffer;

/// Bytes that have arrived and are not consumed yet.
pub trait Bytes {
    /// Whether bytes may still come after a seeming end.
    const GROW: bool;

    fn rest(&self) -> &[u8];
    fn take(&mut self, count: usize);
    /// The position of the remaining bytes in the recording.
    fn offset(&self) -> u64;
    /// The position in the recording at which the bytes that have arrived end.
    fn end(&self) -> u64;
    fn is_ended(&self) -> bool;
    /// Says that nothing can be decoded before `bytes` bytes remain.
    fn want(&mut self, bytes: u64);
}

impl Bytes for Buffer {
    const GROW: bool = true;

    fn rest(&self) -> &[u8] {
        self.rest()
    }

    fn take(&mut self, count: usize) {
        self.take(count);
    }

    fn offset(&self) -> u64 {
        self.offset()
    }

    fn end(&self) -> u64 {
        self.end()
    }

    fn is_ended(&self) -> bool {
        self.is_ended()
    }

    fn want(&mut self, bytes: u64) {
        self.want(bytes);
    }
}

/// A whole recording in memory.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    bytes: &'a [u8],
    taken: usize,
}

impl<'a> Slice<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }
}

impl Bytes for Slice<'_> {
    const GROW: bool = false;

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.taken..).unwrap_or_default()
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
    }

    fn offset(&self) -> u64 {
        self.taken as u64
    }

    fn end(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn is_ended(&self) -> bool {
        true
    }

    fn want(&mut self, _: u64) {}
}
