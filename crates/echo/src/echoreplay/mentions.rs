//! Names and accounts in members whose meaning is unknown.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use compact_str::CompactString;

use super::decode::Cursor;
use super::json::Writer;

/// A name is looked for within texts if it has this many bytes at the least. A shorter one would be found in
/// words.
const SHORTEST: usize = 3;
/// And this many at most; the game's have 20 characters.
const LONGEST: usize = 80;

/// A value within a member of unknown meaning.
pub(super) enum Mention<'t> {
    /// A text, which may be a key.
    Text(Cow<'t, str>),
    Number(u64),
}

/// The names and accounts that were met.
#[derive(Clone, Copy)]
pub(super) struct Met<'m> {
    pub names: &'m HashMap<CompactString, u64>,
    pub ids: &'m HashMap<u64, u64>,
}

/// Finds the texts and numbers of JSON that has been read before; gives where each starts and ends.
pub(super) fn mentions<'t>(json: &'t str, mut found: impl FnMut(usize, usize, Mention<'t>)) {
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = json.get(at..).unwrap_or_default();
        match byte {
            b'"' => {
                let mut cursor = Cursor::new(rest);
                let Ok(text) = cursor.string() else {
                    return;
                };
                let end = at + cursor.at();
                found(at, end, Mention::Text(text));
                at = end;
            }
            b'0'..=b'9' => {
                let is_part =
                    |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                let length = rest.bytes().take_while(is_part).count();
                let digits = rest.get(..length).unwrap_or_default();
                if let Ok(number) = digits.parse() {
                    found(at, at + length, Mention::Number(number));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
}

impl Met<'_> {
    /// The JSON that replaces a value; `None` if it says nothing of a player.
    pub fn replaced(self, mention: &Mention<'_>) -> Option<String> {
        match mention {
            Mention::Number(number) => self.ids.get(number).map(u64::to_string),
            Mention::Text(text) => {
                let mut out = Vec::new();
                Writer::new(&mut out).text(&self.text(text)?);
                String::from_utf8(out).ok()
            }
        }
    }

    /// The JSON of a member of unknown meaning, if it mentions a player.
    pub fn json(self, json: &str) -> Option<String> {
        let (mut out, mut done) = (String::new(), 0);
        mentions(json, |from, to, mention| {
            if let Some(new) = self.replaced(&mention) {
                out.push_str(json.get(done..from).unwrap_or_default());
                out.push_str(&new);
                done = to;
            }
        });
        out.push_str(json.get(done..).unwrap_or_default());
        (done > 0).then_some(out)
    }

    fn text(self, text: &str) -> Option<String> {
        if let Some(new) = self.word(text) {
            return Some(new);
        }
        let mut out = String::new();
        let mut done = 0;
        let mut ends = true;
        for (at, letter) in text.char_indices() {
            let starts = std::mem::replace(&mut ends, !letter.is_alphanumeric());
            if at < done || !starts {
                continue;
            }
            if let Some((end, new)) = self.longest(text, at) {
                out.push_str(text.get(done..at).unwrap_or_default());
                out.push_str(&new);
                done = end;
            }
        }
        out.push_str(text.get(done..).unwrap_or_default());
        (done > 0).then_some(out)
    }

    /// The longest name or account that starts at a place in a text.
    fn longest(self, text: &str, at: usize) -> Option<(usize, String)> {
        let rest = text.get(at..)?;
        let ends = rest.char_indices().map(|(end, _)| end).skip(1);
        let ends = ends.take_while(|end| *end <= LONGEST).chain([rest.len()]);
        let mut best = None;
        for end in ends.filter(|end| (SHORTEST..=LONGEST).contains(end)) {
            let goes_on = rest.get(end..).and_then(|rest| rest.chars().next());
            let word = rest.get(..end)?;
            if !goes_on.is_some_and(char::is_alphanumeric)
                && let Some(new) = self.word(word)
            {
                best = Some((at + end, new));
            }
        }
        best
    }

    /// What replaces a name, or an account that is written as a text.
    fn word(self, word: &str) -> Option<String> {
        let mut out = String::new();
        if let Some(number) = self.names.get(word) {
            let _ = write!(out, "Player {number}");
        } else {
            let id = word.parse().ok().filter(|_| !word.starts_with('+'))?;
            let _ = write!(out, "{}", self.ids.get(&id)?);
        }
        Some(out)
    }
}
