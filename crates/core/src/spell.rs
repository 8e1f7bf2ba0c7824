//! How a path is written as text.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, is_separator};

/// A path as text.
pub trait Spell {
    /// Returns the text that stands for a path everywhere: in messages, in JSON, in tables. Different paths have
    /// different texts.
    ///
    /// A path that is Unicode is its own text. A byte that belongs to no character is `\x` and two hexadecimal
    /// digits; so is a backslash in front of `x` and two such digits, which would look like one.
    ///
    /// ```
    /// use std::path::Path;
    /// use gametape_core::Spell as _;
    ///
    /// assert_eq!(Path::new("grün.rmv").spelled(), "grün.rmv");
    /// # #[cfg(unix)] {
    /// use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    /// assert_eq!(OsStr::from_bytes(b"gr\xc3\xbcn\xff.rmv").spelled(), r"grün\xff.rmv");
    /// assert_eq!(OsStr::new(r"grün\xff.rmv").spelled(), r"grün\x5cxff.rmv");
    /// # }
    /// ```
    fn spelled(&self) -> Cow<'_, str>;
}

impl Spell for OsStr {
    fn spelled(&self) -> Cow<'_, str> {
        let bytes = self.as_encoded_bytes();
        match self.to_str() {
            // Where it separates the parts of paths, names have no backslash.
            Some(text) if is_separator('\\') || !text.contains("\\x") => Cow::Borrowed(text),
            _ => Cow::Owned(escaped(bytes)),
        }
    }
}

impl Spell for Path {
    fn spelled(&self) -> Cow<'_, str> {
        self.as_os_str().spelled()
    }
}

fn escaped(bytes: &[u8]) -> String {
    let looks_escaped = |rest: &str| {
        let digits = rest.strip_prefix("\\x").and_then(|rest| rest.get(..2));
        digits.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    let mut all = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            match c {
                '\\' if looks_escaped(chunk.valid().get(at..).unwrap_or_default()) => {
                    all.push_str("\\x5c");
                }
                c => all.push(c),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(all, "\\x{byte:02x}");
        }
    }
    all
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeSet;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    /// All names of a few bytes that are easily confused.
    #[test]
    fn different_names_have_different_texts() {
        let parts: [&[u8]; 6] = [b"\\", b"x", b"5c", b"f", b"\xff", "ü".as_bytes()];
        let mut names: Vec<Vec<u8>> = vec![Vec::new()];
        for _ in 0..5 {
            let longer = names
                .iter()
                .flat_map(|name| parts.map(|part| [name.as_slice(), part].concat()));
            let longer: Vec<Vec<u8>> = longer.collect();
            names.extend(longer);
        }
        let names: BTreeSet<Vec<u8>> = names.into_iter().collect();
        let texts: BTreeSet<String> = names
            .iter()
            .map(|name| OsStr::from_bytes(name).spelled().into_owned())
            .collect();
        assert_eq!(texts.len(), names.len());
    }
}
