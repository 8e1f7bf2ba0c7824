//! Choices made by bytes.

use arbitrary::{Arbitrary, Unstructured};

/// Interprets any bytes as the requested values; after the end come zeros.
#[derive(Debug)]
pub struct Script<'a>(Unstructured<'a>);

impl<'a> Script<'a> {
    /// Begins with the first byte.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self(Unstructured::new(data))
    }

    /// Any value.
    pub fn word<T: Arbitrary<'a> + Default>(&mut self) -> T {
        self.0.arbitrary().unwrap_or_default()
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.word()
    }

    /// A number less than `end`, which is at most 256.
    pub fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end.max(1)
    }

    /// True after the last byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that are left.
    #[must_use]
    pub fn rest(self) -> &'a [u8] {
        self.0.take_rest()
    }
}
