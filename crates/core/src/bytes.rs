//! Numbers and pieces off the front of bytes.

/// More bytes were asked for than are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short {
    /// Bytes that were asked for.
    pub needed: u64,
    /// Bytes that are left.
    pub left: u64,
}

/// Bytes that are read one behind the other.
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
        /// [`Short`]; nothing is taken then.
        #[inline(always)]
        pub fn $le(&mut self) -> Result<$ty, Short> {
            self.array().map($ty::from_le_bytes)
        }

        #[doc = concat!("The next ", stringify!($ty), ", big-endian.")]
        ///
        /// # Errors
        /// [`Short`]; nothing is taken then.
        #[inline(always)]
        pub fn $be(&mut self) -> Result<$ty, Short> {
            self.array().map($ty::from_be_bytes)
        }
    )*};
}

impl<'a> ByteReader<'a> {
    /// At the first byte.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            whole: bytes.len(),
        }
    }

    /// What is left.
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Bytes that are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    /// True where nothing is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Bytes that were taken.
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

    /// The next `N` bytes.
    ///
    /// # Errors
    /// [`Short`]; nothing is taken then.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.short(N));
        };
        self.rest = rest;
        Ok(*taken)
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// [`Short`]; nothing is taken then.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Short> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.short(count));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// The next byte.
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
