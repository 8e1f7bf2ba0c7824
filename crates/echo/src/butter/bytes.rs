//! Reading texts and other composite values, with errors that name the value that was cut off.

use gametape_core::{ByteReader, Short};

use crate::rule::Rule;

/// Names the value that has too few bytes.
pub trait Of<T> {
    fn of(self, what: &'static str) -> Result<T, Rule>;
}

impl<T> Of<T> for Result<T, Short> {
    #[inline(always)]
    fn of(self, what: &'static str) -> Result<T, Rule> {
        self.map_err(|short| truncated(short, what))
    }
}

#[cold]
const fn truncated(Short { needed, left }: Short, what: &'static str) -> Rule {
    Rule::Truncated { what, needed, left }
}

/// Reads a text up to a NUL; the NUL is consumed.
pub fn text<'a>(input: &mut ByteReader<'a>, what: &'static str) -> Result<&'a [u8], Rule> {
    let rest = input.rest();
    // Without a NUL, at least one byte is missing.
    let end = memchr::memchr(0, rest).unwrap_or(rest.len());
    let text = input.take(end + 1).of(what)?;
    Ok(text.split_last().map_or(text, |(_, text)| text))
}

/// Like [`text`], for at most `limit` bytes. A longer text is an error, even if its NUL may still come.
pub fn text_within<'a>(
    input: &mut ByteReader<'a>,
    what: &'static str,
    limit: u64,
) -> Result<&'a [u8], Rule> {
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    match input.rest().get(..=most.min(usize::MAX - 1)) {
        Some(start) if memchr::memchr(0, start).is_none() => Err(Rule::Limit {
            what,
            size: limit + 1,
            limit,
        }),
        _ => text(input, what),
    }
}

/// Consumes input only if `read` succeeds, so that an invalid value is reported where it starts.
pub fn or_nothing<'a, T>(
    input: &mut ByteReader<'a>,
    read: impl FnOnce(&mut ByteReader<'a>) -> Result<T, Rule>,
) -> Result<T, Rule> {
    let mut ahead = *input;
    let value = read(&mut ahead)?;
    *input = ahead;
    Ok(value)
}

/// Reads three 16-bit numbers.
#[inline(always)]
pub fn three(input: &mut ByteReader<'_>, what: &'static str) -> Result<[u16; 3], Rule> {
    let [x0, x1, y0, y1, z0, z1] = input.array().of(what)?;
    Ok([[x0, x1], [y0, y1], [z0, z1]].map(u16::from_le_bytes))
}
