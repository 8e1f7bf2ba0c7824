//! Lines that don't end with a line feed: with a carriage return alone, or where zeros stand in place of
//! their rest.

use crate::model::read_time;

/// So many zeros are none that a program wrote.
const ZEROS: usize = 16;
/// So many are never a part of a line.
const PAGE: usize = 4096;
/// A time and a tab are in so many bytes.
const AHEAD: usize = 192;

/// Where a line is torn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Torn {
    /// At a carriage return that another line follows.
    Return(usize),
    /// At zeros.
    Zeros(usize),
}

impl Torn {
    pub(super) const fn at(self) -> usize {
        match self {
            Self::Return(at) | Self::Zeros(at) => at,
        }
    }
}

/// The result of a search for such a place.
pub(super) enum TornSearch {
    Found(Torn),
    Nothing,
    /// More bytes must show whether this is one.
    Open(usize),
}

/// Finds the first place at which a line is torn in a text that is not to be continued.
pub(super) fn find(text: &[u8]) -> Option<Torn> {
    match search(text, true) {
        TornSearch::Found(torn) => Some(torn),
        TornSearch::Nothing | TornSearch::Open(_) => None,
    }
}

/// Searches for the first place at which a line is torn. `is_all` says that the text is not to be
/// continued.
#[cold]
pub(super) fn search(text: &[u8], is_all: bool) -> TornSearch {
    let mut at = 0;
    match place(text, is_all, &mut at) {
        Some(torn) => TornSearch::Found(torn),
        None if at < text.len() => TornSearch::Open(at),
        None => TornSearch::Nothing,
    }
}

/// Like [`search`]; `at` is set to the place that is still open, or to the end.
fn place(text: &[u8], is_all: bool, open: &mut usize) -> Option<Torn> {
    let mut start = 0;
    loop {
        *open = text.len();
        let at = start + memchr::memchr2(b'\r', 0, text.get(start..)?)?;
        *open = at;
        let rest = text.get(at..)?;
        if rest.first() == Some(&b'\r') {
            let returns = rest.iter().take_while(|byte| **byte == b'\r').count();
            if starts_line(rest.get(returns..)?, is_all)? {
                return Some(Torn::Return(at + returns - 1));
            }
            start = at + returns;
            continue;
        }
        let zeros = rest.iter().take_while(|byte| **byte == 0).count();
        if zeros >= PAGE {
            return Some(Torn::Zeros(at));
        }
        let after = rest.get(zeros..)?;
        if after.is_empty() && !is_all {
            return None;
        }
        let is_end = after.trim_ascii().is_empty() && zeros >= ZEROS;
        if is_end || starts_line(after, is_all)? {
            return (at > 0).then_some(Torn::Zeros(at));
        }
        start = at + zeros;
    }
}

/// Whether a line starts here: a time and a tab. `None` if that is not known yet.
fn starts_line(text: &[u8], is_all: bool) -> Option<bool> {
    let start = text.get(..AHEAD).unwrap_or(text);
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    match memchr::memchr(b'\t', text) {
        Some(tab) => Some(
            text.get(..tab)
                .is_some_and(|time| read_time(time).is_some()),
        ),
        None if start.len() < AHEAD && !is_all => None,
        None => Some(false),
    }
}
