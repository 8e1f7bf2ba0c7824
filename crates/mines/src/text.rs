//! Texts of recordings. They are kept as bytes, because old files do not say their encoding.

use std::borrow::Cow;
use std::fmt;

use encoding_rs::{GB18030, WINDOWS_1252};

/// A text field as stored.
#[derive(Clone, PartialEq, Eq, Default, Hash)]
pub struct Text<'a>(pub Cow<'a, [u8]>);

impl<'a> Text<'a> {
    /// The stored bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is valid UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text under a rule; see [`TextRule::decode`].
    #[must_use]
    pub fn decode(&self, rule: TextRule) -> (Cow<'_, str>, TextEncoding) {
        rule.decode(&self.0)
    }

    /// True if the text has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same text, independent of the buffer it was read from.
    #[must_use]
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }

    pub(crate) fn borrowed(bytes: &'a [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }
}

impl From<String> for Text<'static> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text.into_bytes()))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// The encoding that the format promises for a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextRule {
    /// v2, and v1 with the utf8 property set.
    Utf8,
    /// v1 otherwise: "the encoding isn't defined".
    Undefined,
}

/// The encoding a text was decoded with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextEncoding {
    /// Only ASCII, which all candidate encodings read alike.
    Ascii,
    /// Valid UTF-8, promised or detected.
    Utf8,
    /// A guess: Chinese text.
    Gb18030,
    /// A guess: Western text.
    Windows1252,
    /// UTF-8 was promised, but the bytes are not valid: U+FFFD replaces the invalid parts.
    InvalidUtf8,
}

impl TextEncoding {
    /// The encoding's usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ASCII",
            Self::Utf8 => "UTF-8",
            Self::Gb18030 => "GB18030",
            Self::Windows1252 => "windows-1252",
            Self::InvalidUtf8 => "invalid UTF-8",
        }
    }
}

impl TextRule {
    /// Decodes `bytes`; also returns the encoding that was used.
    ///
    /// If the format promises no encoding, the candidates are tried in this order: ASCII; UTF-8;
    /// GB18030, if every pair of non-ASCII bytes lies in its two-byte Hanzi area (Western text
    /// seldom has two accented letters in a row); windows-1252, which accepts everything.
    ///
    /// ```
    /// use gametape_mines::{TextEncoding, TextRule};
    /// let (text, how) = TextRule::Undefined.decode(b"M\xfcller");
    /// assert_eq!((&*text, how), ("Müller", TextEncoding::Windows1252));
    /// let (text, how) = TextRule::Undefined.decode(b"\xb9\xf9\xbd\xf8");
    /// assert_eq!((&*text, how), ("郭进", TextEncoding::Gb18030));
    /// ```
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> (Cow<'_, str>, TextEncoding) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            let encoding = if text.is_ascii() {
                TextEncoding::Ascii
            } else {
                TextEncoding::Utf8
            };
            return (Cow::Borrowed(text), encoding);
        }
        if self == Self::Utf8 {
            return (String::from_utf8_lossy(bytes), TextEncoding::InvalidUtf8);
        }
        if looks_like_hanzi(bytes)
            && let Some(text) = GB18030.decode_without_bom_handling_and_without_replacement(bytes)
        {
            return (text, TextEncoding::Gb18030);
        }
        let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
        (text, TextEncoding::Windows1252)
    }
}

/// True if every non-ASCII run consists of GB2312 pairs (lead byte B0–F7, trail byte A1–FE).
fn looks_like_hanzi(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (0..=0x7F, _) => tail,
            (0xB0..=0xF7, [0xA1..=0xFE, after @ ..]) => after,
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_text_is_recognised() {
        let undefined = |bytes| TextRule::Undefined.decode(bytes).1;
        assert_eq!(undefined(b"Tommy"), TextEncoding::Ascii);
        assert_eq!(undefined("aaȑaa".as_bytes()), TextEncoding::Utf8);
        assert_eq!(undefined(b"Jos\xe9"), TextEncoding::Windows1252);
        assert_eq!(undefined(b"\xd5\xc5 san"), TextEncoding::Gb18030);
        assert_eq!(
            TextRule::Utf8.decode(b"\xf4homas").1,
            TextEncoding::InvalidUtf8
        );
    }
}
