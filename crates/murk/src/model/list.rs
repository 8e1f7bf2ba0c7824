//! Lists in payloads.

use std::fmt;

use gametape_core::ByteReader;

/// A coordinate, with one number for each dimension of the space.
pub type Coord<'a> = List<'a, i32>;

/// The type of the entries of a [`List`].
pub trait Item: Copy + PartialEq + fmt::Debug + sealed::Sealed {
    /// The size of an entry in the file, in bytes.
    #[doc(hidden)]
    const BYTES: usize;
    #[doc(hidden)]
    fn get(bytes: &[u8]) -> Self;
    #[doc(hidden)]
    fn put(self, out: &mut Vec<u8>);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for (u32, f32) {}
    impl Sealed for (u32, f64) {}
}

impl Item for i32 {
    const BYTES: usize = 4;

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        ByteReader::new(bytes).i32_le().unwrap_or_default()
    }

    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

macro_rules! pairs {
    ($($number:ident by $get:ident in $bytes:literal,)*) => {$(
        impl Item for (u32, $number) {
            const BYTES: usize = $bytes;

            #[inline]
            fn get(bytes: &[u8]) -> Self {
                let mut input = ByteReader::new(bytes);
                let first = input.u32_le().unwrap_or_default();
                (first, input.$get().unwrap_or_default())
            }

            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                let mut bytes = [0; $bytes];
                bytes[..4].copy_from_slice(&self.0.to_le_bytes());
                bytes[4..].copy_from_slice(&self.1.to_le_bytes());
                out.extend_from_slice(&bytes);
            }
        }
    )*};
}

pairs! {
    f32 by f32_le in 8,
    f64 by f64_le in 12,
}

/// A list in a payload. It borrows the bytes of a recording, or the values to be written.
#[derive(Clone, Copy)]
pub struct List<'a, T: Item>(Stored<'a, T>);

#[derive(Clone, Copy)]
enum Stored<'a, T> {
    /// Complete entries, encoded.
    Bytes(&'a [u8]),
    Values(&'a [T]),
}

impl<'a, T: Item> List<'a, T> {
    /// Creates a list of these values.
    #[must_use]
    pub const fn new(values: &'a [T]) -> Self {
        Self(Stored::Values(values))
    }

    #[inline]
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (items, rest) = rest.split_at_checked(count.checked_mul(T::BYTES)?)?;
        Some((Self(Stored::Bytes(items)), rest))
    }

    /// Returns the size of the list with its count, in bytes.
    #[inline]
    pub(crate) const fn size(&self) -> usize {
        self.len().saturating_mul(T::BYTES).saturating_add(4)
    }

    #[inline]
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.len() as u32).to_le_bytes());
        match self.0 {
            Stored::Bytes(bytes) => out.extend_from_slice(bytes),
            Stored::Values(values) => values.iter().for_each(|value| value.put(out)),
        }
    }

    /// Returns the number of entries.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Stored::Bytes(bytes) => bytes.len() / T::BYTES,
            Stored::Values(values) => values.len(),
        }
    }

    /// Returns true if there is no entry.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the entries.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'a, T> {
        ListIter(self.0)
    }
}

impl<'a, T: Item> From<&'a [T]> for List<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Self::new(values)
    }
}

impl<'a, T: Item, const N: usize> From<&'a [T; N]> for List<'a, T> {
    fn from(values: &'a [T; N]) -> Self {
        Self::new(values)
    }
}

impl<T: Item> PartialEq for List<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(*other)
    }
}

impl<T: Item> PartialEq<[T]> for List<'_, T> {
    fn eq(&self, other: &[T]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<T: Item> fmt::Debug for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<'a, T: Item> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Item> IntoIterator for &List<'a, T> {
    type Item = T;
    type IntoIter = ListIter<'a, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'a, T> {
        self.iter()
    }
}

/// An iterator over the entries of a [`List`].
#[derive(Clone)]
pub struct ListIter<'a, T: Item>(Stored<'a, T>);

impl<T: Item> Iterator for ListIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match &mut self.0 {
            Stored::Bytes(bytes) => {
                let (item, rest) = bytes.split_at_checked(T::BYTES)?;
                *bytes = rest;
                Some(T::get(item))
            }
            Stored::Values(values) => {
                let (value, rest) = values.split_first()?;
                *values = rest;
                Some(*value)
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = List(self.0).len();
        (left, Some(left))
    }
}

impl<T: Item> ExactSizeIterator for ListIter<'_, T> {}
