//! Reads numbers and slices from the front of a byte slice.

/// Fewer bytes are left than were requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short {
    /// The number of requested bytes.
    pub needed: u64,
    /// The number of bytes left.
    pub left: u64,
}

/// Reads a byte slice from front to back.
///
/// ```
/// use gametape_core::ByteReader;
/// let mut input = ByteReader::new(&[1, 0, 2, 0xFF]);
/// assert_eq!(input.u16_le(), Ok(1));
/// assert_eq!(input.offset(), 2);
/// let short = input.u32_be().unwrap_err();
/// assert_eq!((short.needed, short.left), (4, 2));
/// assert_eq!(input.take(2), Ok(&[2, 0xFF][..]));
/// assert!(input.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a> {
    rest: &'a [u8],
    whole: usize,
}

macro_rules! numbers {
    ($($le:ident $be:ident $ty:ident)*) => {$(
        #[doc = concat!("The next ", stringify!($ty), ", little-endian.")]
        ///
        /// # Errors
        /// [`Short`]; then nothing is consumed.
        #[inline(always)]
        pub fn $le(&mut self) -> Result<$ty, Short> {
            self.array().map($ty::from_le_bytes)
        }

        #[doc = concat!("The next ", stringify!($ty), ", big-endian.")]
        ///
        /// # Errors
        /// [`Short`]; then nothing is consumed.
        #[inline(always)]
        pub fn $be(&mut self) -> Result<$ty, Short> {
            self.array().map($ty::from_be_bytes)
        }
    )*};
}

impl<'a> ByteReader<'a> {
    /// Creates a reader at the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            whole: bytes.len(),
        }
    }

    /// Returns the bytes that are left.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the number of bytes left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Returns true if no bytes are left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the number of bytes consumed.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.whole - self.rest.len()
    }

    #[cold]
    const fn short(&self, needed: usize) -> Short {
        Short {
            needed: needed as u64,
            left: self.rest.len() as u64,
        }
    }

    /// Reads the next `N` bytes.
    ///
    /// # Errors
    /// [`Short`]; then nothing is consumed.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.short(N));
        };
        self.rest = rest;
        Ok(*taken)
    }

    /// Reads the next `count` bytes.
    ///
    /// # Errors
    /// [`Short`]; then nothing is consumed.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Short> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.short(count));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Reads the next byte.
    ///
    /// # Errors
    /// [`Short`].
    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8, Short> {
        self.array().map(|[byte]| byte)
    }

    numbers! {
        u16_le u16_be u16
        u32_le u32_be u32
        u64_le u64_be u64
        i16_le i16_be i16
        i32_le i32_be i32
        i64_le i64_be i64
        f32_le f32_be f32
        f64_le f64_be f64
    }
}
