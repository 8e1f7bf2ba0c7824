//! How numbers, places and names are formatted for people.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::clock::Time;
use crate::rule::{Datum, ToDatum};

/// A 32-bit checksum, shown in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Crc32(pub u32);

impl fmt::Display for Crc32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl ToDatum for Crc32 {
    fn to_datum(&self) -> Datum {
        Datum::Text(self.to_string().into())
    }
}

/// A number with its digits in groups of three.
///
/// ```
/// assert_eq!(gametape_core::text::Grouped(4_294_967_295).to_string(), "4,294,967,295");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Grouped(pub u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// A count with its noun, which is given in the singular.
///
/// ```
/// use gametape_core::text::Counted;
/// assert_eq!(Counted(1, "frame").to_string(), "1 frame");
/// assert_eq!(Counted(27_000, "frame").to_string(), "27,000 frames");
/// assert_eq!(Counted(2, "entity").to_string(), "2 entities");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(pub u64, pub &'a str);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, one) = *self;
        write!(f, "{} ", Grouped(count))?;
        if count == 1 {
            f.write_str(one)
        } else {
            Many(one).fmt(f)
        }
    }
}

/// The plural of a noun, which is given in the singular.
///
/// ```
/// use gametape_core::text::Many;
/// let many = ["frame", "entry", "key press"].map(|one| Many(one).to_string());
/// assert_eq!(many, ["frames", "entries", "key presses"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Many<'a>(pub &'a str);

impl fmt::Display for Many<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(one) = *self;
        match one.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o']) => write!(f, "{stem}ies"),
            _ if one.ends_with(['s', 'x']) || one.ends_with("ch") || one.ends_with("sh") => {
                write!(f, "{one}es")
            }
            _ => write!(f, "{one}s"),
        }
    }
}

/// A number of bytes: `1 byte`, `65,536 bytes`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Counted(self.0, "byte").fmt(f)
    }
}

/// A remaining count: `1 is left`, `212 are left`.
#[derive(Clone, Copy, Debug)]
pub struct Left(pub u64);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.0 == 1 { "is" } else { "are" };
        write!(f, "{} {verb} left", Grouped(self.0))
    }
}

/// Returns the name that people read for the key of a value in JSON: without the unit of a time, which
/// [`figure`] and [`Time`] write with the value.
///
/// ```
/// use gametape_core::text::name;
/// let names = ["duration_ms", "estimated_time_s", "bbbv_per_s", "board_cols"].map(name);
/// assert_eq!(names, ["duration", "estimated time", "bbbv per s", "board cols"]);
/// ```
#[must_use]
pub fn name(key: &str) -> String {
    let (name, _) = unit_of_time(key).unwrap_or((key, 0));
    name.replace('_', " ")
}

/// Returns the number of a JSON object as people read it: a time by its key, the digits of a number
/// that names something, any other in groups of three.
///
/// ```
/// use gametape_core::text::figure;
/// assert_eq!(figure("duration_ms", 98_763), "1:38.763");
/// assert_eq!(figure("bytes", 65_536), "65,536");
/// assert_eq!(figure("user_id", 65_536), "65536");
/// ```
#[must_use]
pub fn figure(key: &str, number: u64) -> String {
    if let Some((_, ms)) = unit_of_time(key) {
        let ms = number.saturating_mul(ms);
        return Time::from_ms(i64::try_from(ms).unwrap_or(i64::MAX)).to_string();
    }
    // People copy these.
    let word = key.rsplit('_').next();
    if matches!(word, Some("id" | "seed" | "number")) {
        return number.to_string();
    }
    Grouped(number).to_string()
}

/// Returns a number with a fraction as the time that its key says it is, to the millisecond; `None` if
/// the key says no such thing.
///
/// ```
/// use gametape_core::text::time_figure;
/// assert_eq!(time_figure("estimated_time_s", 41.2641).as_deref(), Some("41.264 s"));
/// assert_eq!(time_figure("lag_ms", -2.75).as_deref(), Some("-0.003 s"));
/// assert_eq!(time_figure("bbbv_per_s", 3.5), None);
/// ```
#[must_use]
pub fn time_figure(key: &str, number: f64) -> Option<String> {
    let (_, ms) = unit_of_time(key)?;
    // Half a millisecond more, rounded down, is the nearest; `f64::round` needs the standard library.
    let more = number * ms as f64 + 0.5;
    let ms = more as i64;
    let ms = ms.saturating_sub(i64::from(ms as f64 > more));
    Some(Time::from_ms(ms).to_string())
}

/// Returns a positive number with three significant digits, or `0`.
///
/// ```
/// use gametape_core::text::significant;
/// let numbers = [0.0, 0.029_312, 1.5, 1234.5, 2.5e-7].map(significant);
/// assert_eq!(numbers, ["0", "0.0293", "1.50", "1234", "2.5e-7"]);
/// ```
#[must_use]
pub fn significant(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    if number < 1e-6 {
        return format!("{number:.1e}");
    }
    // The logarithm needs the standard library.
    let (mut digits, mut shifted) = (0, number);
    while shifted < 100.0 {
        shifted *= 10.0;
        digits += 1;
    }
    format!("{number:.digits$}")
}

/// Splits the unit off the key of a time, which is so many milliseconds.
fn unit_of_time(key: &str) -> Option<(&str, u64)> {
    let (name, ms) = match key.strip_suffix("_ms") {
        Some(name) => (name, 1),
        None => (key.strip_suffix("_s")?, 1000),
    };
    (!name.is_empty() && !name.ends_with("_per")).then_some((name, ms))
}

/// A 64-bit hash, shown as 16 hexadecimal digits. As a [`Datum`] it is text too.
///
/// ```
/// assert_eq!(gametape_core::text::Hash(0xBEEF).to_string(), "000000000000beef");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hash(pub u64);

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl ToDatum for Hash {
    fn to_datum(&self) -> Datum {
        Datum::Text(self.to_string().into())
    }
}

/// Returns true for control characters and characters that change the text direction.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Replaces control characters, so that neither the content of a file nor its name can control the
/// terminal.
///
/// ```
/// assert_eq!(gametape_core::text::printable("a\u{1b}[2Jb"), "a\u{FFFD}[2Jb");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    // Almost all texts are plain ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| if steers(c) { '\u{FFFD}' } else { c })
        .collect()
}

/// Shortens long text for a table on a terminal, so that one long name does not push the other
/// columns off the screen.
///
/// ```
/// use gametape_core::text::shortened;
/// assert_eq!(shortened("mpl_arena_a"), "mpl_arena_a");
/// assert_eq!(shortened(&"x".repeat(100_000)).chars().count(), 60);
/// ```
#[must_use]
pub fn shortened(text: &str) -> String {
    /// The maximum number of characters shown.
    const MOST: usize = 60;
    if text.chars().nth(MOST).is_none() {
        return text.to_owned();
    }
    text.chars().take(MOST - 1).chain(['…']).collect()
}

/// A table of aligned columns for people. Numbers are right-aligned. A column name may have several
/// lines, separated by newlines. A column that is empty in all rows is left out.
///
/// ```
/// use gametape_core::text::TextTable;
/// let mut table = TextTable::new(["field", "note", "max\nerror"]);
/// let empty = (String::new(), false);
/// table.row([("head position (m)".to_owned(), false), empty, ("0.0332".to_owned(), true)]);
/// assert_eq!(table.lines(), [
///     "                      max",
///     "field               error",
///     "head position (m)  0.0332",
/// ]);
/// ```
#[derive(Clone, Debug)]
pub struct TextTable {
    heads: Vec<String>,
    rows: Vec<Vec<(String, bool)>>,
}

impl TextTable {
    /// Creates a table with these column names.
    pub fn new<S: Into<String>>(heads: impl IntoIterator<Item = S>) -> Self {
        Self {
            heads: heads.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of cells. Each cell is a text, and whether it is a number.
    pub fn row(&mut self, cells: impl IntoIterator<Item = (String, bool)>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns the lines. Columns are two spaces apart; trailing spaces are removed.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let cells_of = |at: usize| self.rows.iter().map(move |row| row.get(at));
        let has_text = |at: usize| cells_of(at).flatten().any(|(text, _)| !text.is_empty());
        let heads = self.heads.iter().enumerate();
        let shown: Vec<(usize, &String)> = heads
            .filter(|(at, _)| self.rows.is_empty() || has_text(*at))
            .collect();
        let heights = shown.iter().map(|(_, head)| head.split('\n').count());
        let height = heights.max().unwrap_or(0);
        let mut lines = alloc::vec![String::new(); height + self.rows.len()];
        for (place, (at, head)) in shown.into_iter().enumerate() {
            let cells = || cells_of(at);
            let number = cells().flatten().any(|(_, number)| *number);
            let empty = height - head.split('\n').count();
            let heads = core::iter::repeat_n("", empty).chain(head.split('\n'));
            let texts: Vec<&str> = heads
                .chain(cells().map(|cell| cell.map_or("", |(text, _)| text.as_str())))
                .collect();
            let widths = texts.iter().map(|text| text.chars().count());
            let width = widths.max().unwrap_or(0);
            for (line, text) in lines.iter_mut().zip(texts) {
                if place > 0 {
                    line.push_str("  ");
                }
                // `{:>width$}` panics for widths beyond 65,535.
                let pad = width - text.chars().count();
                let spaces = core::iter::repeat_n(' ', pad);
                if number {
                    line.extend(spaces);
                    line.push_str(text);
                } else {
                    line.push_str(text);
                    line.extend(spaces);
                }
            }
        }
        for line in &mut lines {
            line.truncate(line.trim_end().len());
        }
        lines
    }
}

/// Returns the known name most similar to an unknown one, for "did you mean" hints.
///
/// ```
/// use gametape_core::text::nearest;
/// assert_eq!(nearest("keyframe", ["mode", "keyframes"]), Some("keyframes"));
/// assert_eq!(nearest("colour", ["mode", "keyframes"]), None);
/// assert_eq!(nearest("cvs", ["csv", "json"]), Some("csv"));
/// // The words at the start of a name say more than as many letters elsewhere.
/// assert_eq!(nearest("time", ["tick", "time_ms"]), Some("time_ms"));
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let begins = |other: &str| {
        let rest = other.strip_prefix(name).filter(|_| !name.is_empty());
        rest.is_some_and(|rest| rest.starts_with(['_', '-']))
    };
    let (off, best) = known
        .into_iter()
        .map(|other| {
            let off = if begins(other) {
                1
            } else {
                distance(name, other)
            };
            (off, other)
        })
        .min_by_key(|(off, _)| *off)?;
    (off <= 1 + name.chars().count() / 4).then_some(best)
}

/// The number of letters to insert, remove or replace, or of neighbours to exchange: the Levenshtein distance, in
/// which two letters in the wrong order are one mistake, as they are on a keyboard.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // The rows of the two letters of `a` before the current one.
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let mut earlier_a = None;
    for (line, a) in a.chars().enumerate() {
        let mut row = alloc::vec![line + 1];
        let mut earlier_b = None;
        for (at, b) in b.iter().enumerate() {
            let cell = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 1);
            let mut least = cell(&last, at) + usize::from(a != *b);
            least = least.min(cell(&row, at) + 1).min(cell(&last, at + 1) + 1);
            if earlier_a == Some(*b) && earlier_b == Some(a) {
                // Both letters are there, so that `at` is at least 1.
                least = least.min(cell(&before, at.saturating_sub(1)) + 1);
            }
            row.push(least);
            earlier_b = Some(*b);
        }
        earlier_a = Some(a);
        before = core::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_levenshtein_with_exchanges() {
        for (a, b, off) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("same", "same", 0),
            ("cvs", "csv", 1),
            ("ab", "ba", 1),
            ("verfiy", "verify", 1),
            ("abcd", "badc", 2),
            ("ca", "abc", 3),
            ("aab", "aba", 1),
        ] {
            assert_eq!(distance(a, b), off, "{a} {b}");
        }
    }
}
