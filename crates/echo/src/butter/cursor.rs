//! Bytes that are read one behind the other.

use crate::rule::Rule;

/// What is left of some bytes.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub const fn left(&self) -> usize {
        self.rest.len()
    }

    /// What is left.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[cold]
    fn short(&self, what: &'static str, needed: usize) -> Rule {
        Rule::Truncated {
            what,
            needed: needed as u64,
            left: self.rest.len() as u64,
        }
    }

    #[inline(always)]
    pub fn take<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Rule> {
        let Some((taken, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.short(what, N));
        };
        self.rest = rest;
        Ok(*taken)
    }

    #[inline(always)]
    pub fn u8(&mut self, what: &'static str) -> Result<u8, Rule> {
        let [byte] = self.take(what)?;
        Ok(byte)
    }

    #[inline(always)]
    pub fn u16(&mut self, what: &'static str) -> Result<u16, Rule> {
        self.take(what).map(u16::from_le_bytes)
    }

    #[inline(always)]
    pub fn u32(&mut self, what: &'static str) -> Result<u32, Rule> {
        self.take(what).map(u32::from_le_bytes)
    }

    pub fn bytes(&mut self, what: &'static str, count: usize) -> Result<&'a [u8], Rule> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else {
            return Err(self.short(what, count));
        };
        self.rest = rest;
        Ok(taken)
    }

    /// Up to a NUL, which is taken too.
    pub fn text(&mut self, what: &'static str) -> Result<&'a [u8], Rule> {
        let Some(end) = memchr::memchr(0, self.rest) else {
            return Err(self.short(what, self.rest.len() + 1));
        };
        let text = self.bytes(what, end)?;
        self.u8(what)?;
        Ok(text)
    }

    /// [`Cursor::text`] of at most so many bytes: more are not waited for.
    pub fn text_within(&mut self, what: &'static str, limit: u64) -> Result<&'a [u8], Rule> {
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        match self.rest.get(..=most.min(usize::MAX - 1)) {
            Some(start) if memchr::memchr(0, start).is_none() => Err(Rule::Limit {
                what,
                size: limit + 1,
                limit,
            }),
            _ => self.text(what),
        }
    }

    /// Three numbers of 16 bits.
    #[inline(always)]
    pub fn three(&mut self, what: &'static str) -> Result<[u16; 3], Rule> {
        let [x0, x1, y0, y1, z0, z1] = self.take(what)?;
        Ok([[x0, x1], [y0, y1], [z0, z1]].map(u16::from_le_bytes))
    }
}
