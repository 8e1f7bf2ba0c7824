//! A cursor over JSON text.
//!
//! This crate has its own, for three reasons that real recordings show. sonic-rs reads the `-0.0` that the
//! game writes as `0.0`, and the sign changes a .butter. Its typed reading is half as fast as its own
//! parsing, and this cursor is faster than both. It skips values without a type by unbounded recursion, so
//! that a line of brackets ends the process. Besides, redaction needs the position of each value in the
//! text.

use std::borrow::Cow;

use super::number::{self, Number};

/// The deepest nesting allowed in members that the model does not know. The API's responses are six levels
/// deep.
const DEEPEST: usize = 128;

/// Reading stopped. The cursor holds the position and the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::echoreplay) struct Stop;

pub(in crate::echoreplay) type Read<T = ()> = Result<T, Stop>;

/// A position in a JSON text.
#[derive(Clone, Debug)]
pub(in crate::echoreplay) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    why: &'static str,
    /// A value was read that is not spelled as the API spells it, or is missing.
    pub(in crate::echoreplay) odd: bool,
    /// A `null` was read.
    pub(in crate::echoreplay) nulled: bool,
}

impl<'t> Cursor<'t> {
    pub(in crate::echoreplay) const fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            why: "",
            odd: false,
            nulled: false,
        }
    }

    pub(in crate::echoreplay) const fn at(&self) -> usize {
        self.at
    }

    /// The reason why reading stopped.
    pub(in crate::echoreplay) const fn why(&self) -> &'static str {
        self.why
    }

    #[cold]
    pub(in crate::echoreplay) const fn stop(&mut self, why: &'static str) -> Stop {
        self.why = why;
        Stop
    }

    #[inline]
    fn byte(&self) -> u8 {
        // JSON never contains this byte, so it can stand for the end.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The next byte that is not white space; 0 at the end.
    #[inline]
    pub(in crate::echoreplay) fn peek(&mut self) -> u8 {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                byte => return byte,
            }
        }
    }

    #[inline]
    fn require(&mut self, byte: u8, why: &'static str) -> Read {
        if self.peek() != byte {
            return Err(self.stop(why));
        }
        self.at += 1;
        Ok(())
    }

    /// Checks that only white space follows.
    pub(in crate::echoreplay) fn end(&mut self) -> Read {
        if self.peek() == 0 && self.at >= self.text.len() {
            return Ok(());
        }
        Err(self.stop("something follows the JSON"))
    }

    pub(in crate::echoreplay) fn open_object(&mut self) -> Read {
        self.require(b'{', "an object is expected")
    }

    /// Returns the name of the next member, with the cursor before its value, or `None` after the object.
    #[inline]
    pub(in crate::echoreplay) fn member(&mut self, first: &mut bool) -> Read<Option<Cow<'t, str>>> {
        let mut byte = self.peek();
        if byte == b'}' {
            self.at += 1;
            return Ok(None);
        }
        if !*first {
            if byte != b',' {
                return Err(self.stop("a comma or the end of the object is expected"));
            }
            self.at += 1;
            byte = self.peek();
        }
        *first = false;
        if byte != b'"' {
            return Err(self.stop("the name of a member is expected"));
        }
        let name = self.string()?;
        self.require(b':', "a colon is expected")?;
        Ok(Some(name))
    }

    pub(in crate::echoreplay) fn open_list(&mut self) -> Read {
        self.require(b'[', "a list is expected")
    }

    /// Whether there is another item. The cursor is before it, or else after the list.
    #[inline]
    pub(in crate::echoreplay) fn item(&mut self, first: &mut bool) -> Read<bool> {
        let byte = self.peek();
        if *first {
            *first = false;
            if byte == b']' {
                self.at += 1;
            }
            return Ok(byte != b']');
        }
        self.at += 1;
        match byte {
            b',' => Ok(true),
            b']' => Ok(false),
            _ => {
                self.at -= 1;
                Err(self.stop("a comma or the end of the list is expected"))
            }
        }
    }

    /// Consumes a `null`, if the value is one.
    #[inline]
    pub(in crate::echoreplay) fn null(&mut self) -> Read<bool> {
        if self.peek() != b'n' {
            return Ok(false);
        }
        self.literal("null")?;
        self.nulled = true;
        Ok(true)
    }

    #[inline]
    fn literal(&mut self, literal: &'static str) -> Read {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(literal.as_bytes()) {
            return Err(self.stop("a value is expected"));
        }
        self.at += literal.len();
        Ok(())
    }

    #[inline]
    pub(in crate::echoreplay) fn flag(&mut self) -> Read<bool> {
        let flag = self.peek() == b't';
        self.literal(if flag { "true" } else { "false" })?;
        Ok(flag)
    }

    /// Reads a number as the nearest `f64`.
    #[inline(always)]
    pub(in crate::echoreplay) fn float(&mut self) -> Read<f64> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if let Some((number, size)) = number::usual(rest) {
            self.at += size;
            return Ok(number);
        }
        let number = self.number()?.float();
        self.odd |= number.abs() > f64::from(f32::MAX);
        Ok(number)
    }

    /// Reads a number, which is returned if it is whole, however it is spelled.
    #[inline]
    pub(in crate::echoreplay) fn whole(&mut self) -> Read<Option<i128>> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if let Some((number, size)) = number::usual_whole(rest) {
            self.at += size;
            return Ok(Some(number.into()));
        }
        let number = self.number()?;
        self.odd |= !number.whole;
        Ok(number.whole())
    }

    #[cold]
    pub(super) fn number(&mut self) -> Read<Number<'t>> {
        match number::number(self.text.get(self.at..).unwrap_or_default()) {
            Ok(number) => {
                self.at += number.text.len();
                Ok(number)
            }
            Err(why) => Err(self.stop(why)),
        }
    }

    /// Reads the string whose opening quote is next.
    #[inline]
    pub(in crate::echoreplay) fn string(&mut self) -> Read<Cow<'t, str>> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += plain(self.text.as_bytes().get(at..).unwrap_or_default());
            match self.text.as_bytes().get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    let text = self.text.get(start..at).unwrap_or_default();
                    return Ok(Cow::Borrowed(text));
                }
                Some(b'\\') => return self.escaped(start, at).map(Cow::Owned),
                Some(0..0x20) => {
                    self.at = at;
                    return Err(self.stop("a text holds a control character"));
                }
                Some(_) => at += 1,
                None => {
                    self.at = at;
                    return Err(self.stop("a text does not end"));
                }
            }
        }
    }

    /// Reads the rest of a string whose first escape is at `escape`.
    #[cold]
    fn escaped(&mut self, start: usize, escape: usize) -> Read<String> {
        let mut text = self.text.get(start..escape).unwrap_or_default().to_owned();
        self.at = escape;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let mut chars = rest.chars();
            match chars.next() {
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => {
                    let char = match chars.next() {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('r') => '\r',
                        Some('b') => '\x08',
                        Some('f') => '\x0C',
                        Some(char @ ('"' | '\\' | '/')) => char,
                        Some('u') => {
                            text.push(self.unicode()?);
                            continue;
                        }
                        _ => return Err(self.stop("this is no escape")),
                    };
                    text.push(char);
                    self.at += 2;
                }
                Some('\0'..'\x20') => {
                    return Err(self.stop("a text holds a control character"));
                }
                Some(char) => {
                    text.push(char);
                    self.at += char.len_utf8();
                }
                None => return Err(self.stop("a text does not end")),
            }
        }
    }

    /// Reads the character of a `\uXXXX` or of a surrogate pair.
    fn unicode(&mut self) -> Read<char> {
        let unit = |rest: &str| {
            let digits = rest.strip_prefix("\\u")?.get(..4)?;
            let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            u32::from_str_radix(digits, 16).ok().filter(|_| hex)
        };
        let rest = self.text.get(self.at..).unwrap_or_default();
        let first = unit(rest);
        let (char, size) = match first {
            Some(high @ 0xD800..0xDC00) => match rest.get(6..).and_then(unit) {
                Some(low @ 0xDC00..0xE000) => {
                    let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(code), 12)
                }
                _ => (None, 6),
            },
            Some(code) => (char::from_u32(code), 6),
            None => (None, 6),
        };
        let Some(char) = char else {
            return Err(self.stop("this is no escape of a character"));
        };
        self.at += size;
        Ok(char)
    }

    /// Skips a value and returns its text.
    pub(in crate::echoreplay) fn raw(&mut self) -> Read<&'t str> {
        self.peek();
        let start = self.at;
        self.skip(DEEPEST)?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn skip(&mut self, deepest: usize) -> Read {
        let mut first = true;
        match self.peek() {
            b'{' | b'[' if deepest == 0 => Err(self.stop("nested deeper than 128")),
            b'{' => {
                self.at += 1;
                while self.member(&mut first)?.is_some() {
                    self.skip(deepest - 1)?;
                }
                Ok(())
            }
            b'[' => {
                self.at += 1;
                while self.item(&mut first)? {
                    self.skip(deepest - 1)?;
                }
                Ok(())
            }
            b'"' => self.string().map(drop),
            b'-' | b'0'..=b'9' => self.number().map(drop),
            b't' | b'f' => self.flag().map(drop),
            _ => self.literal("null"),
        }
    }
}

/// The number of bytes at the start of a text that contain no quote, backslash or control character.
#[inline]
fn plain(text: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let mut count = 0;
    while let Some(eight) = text.get(count..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        // Sets the top bit of every byte below a limit. The bits above the first such byte may be wrong.
        let below = |bytes: u64, limit: u64| bytes.wrapping_sub(ONES * limit) & !bytes;
        let quote = below(eight ^ (ONES * 0x22), 1);
        let backslash = below(eight ^ (ONES * 0x5C), 1);
        let found = (quote | backslash | below(eight, 0x20)) & (ONES * 0x80);
        if found != 0 {
            return count + (found.trailing_zeros() / 8) as usize;
        }
        count += 8;
    }
    count
}

/// Whether the whole text is one JSON value.
pub(in crate::echoreplay) fn is_whole(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| {
        let mut json = Cursor::new(text);
        json.raw().is_ok() && json.end().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_json(text: &str) -> bool {
        let mut cursor = Cursor::new(text);
        cursor.raw().is_ok() && cursor.end().is_ok()
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |open: &str, close: &str, n: usize| open.repeat(n) + "1" + &close.repeat(n);
        assert!(is_json(&nested("[", "]", DEEPEST)));
        assert!(!is_json(&nested("[", "]", DEEPEST + 1)));
        assert!(!is_json(&nested("{\"a\":", "}", 100_000)));
        assert!(!is_json(&"[".repeat(1_000_000)));
    }

    #[test]
    fn texts_are_read_as_serde_json_reads_them() {
        for text in [
            r#""""#,
            r#""a""#,
            r#""seven77""#,
            r#""eight888""#,
            r#""Ünïcödé and more of it""#,
            r#""\"\\\/\b\f\n\r\t""#,
            r#""\u0041\u00e9\ud83d\ude00!""#,
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ude00""#,
            r#""\u12""#,
            r#""\u+123""#,
            r#""\x""#,
            "\"\n\"",
            "\"1234567\n\"",
            "\"\\\n\"",
            "\"a",
            "\"12345678",
            "\"\\",
            r#""\ud83d\u0041""#,
        ] {
            let right = serde_json::from_str::<String>(text).ok();
            let mut cursor = Cursor::new(text);
            let ours = cursor.string().ok().map(Cow::into_owned);
            assert_eq!(ours, right, "{text}");
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<bool>().prop_map(|flag| flag.to_string()),
            any::<f64>().prop_map(|number| serde_json::to_string(&number).unwrap()),
            any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[ {} ]", items.join(" ,")));
            let object = prop::collection::vec((any::<String>(), inner), 0..5).prop_map(|pairs| {
                let pair = |(name, value): &(String, String)| {
                    format!("{}: {value}", serde_json::to_string(name).unwrap())
                };
                let pairs: Vec<String> = pairs.iter().map(pair).collect();
                format!("{{{}}}", pairs.join(", "))
            });
            prop_oneof![list, object]
        })
    }

    proptest! {
        /// Inserts, removes or changes a byte. The result is accepted if and only if serde_json accepts it.
        #[test]
        fn accepts_exactly_what_serde_json_accepts(
            text in json(),
            at in any::<prop::sample::Index>(),
            put in prop::sample::select(b" ,:[]{}\"\\0123.-+eEtfnu\x01a".to_vec()),
            how in 0..3_u8,
        ) {
            prop_assert!(is_json(&text));
            let mut bytes = text.into_bytes();
            let at = at.index(bytes.len());
            match how {
                0 => bytes.insert(at, put),
                1 => drop(bytes.remove(at)),
                _ => bytes[at] = put,
            }
            if let Ok(text) = String::from_utf8(bytes) {
                let right = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                prop_assert_eq!(is_json(&text), right, "{}", text);
            }
        }
    }
}
