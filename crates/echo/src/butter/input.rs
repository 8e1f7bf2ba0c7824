//! The bytes of a recording, by whatever way they come.

use gametape_core::feed::Buffer;

/// Bytes that have come and are not done with.
pub trait Bytes {
    /// More may come behind what seems to be the end.
    const GROW: bool;

    fn rest(&self) -> &[u8];
    fn take(&mut self, count: usize);
    /// Where the rest starts in the recording.
    fn offset(&self) -> u64;
    /// Where the bytes that have come end in the recording.
    fn end(&self) -> u64;
    fn is_ended(&self) -> bool;
    /// Nothing can be told before the rest has so many bytes.
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
