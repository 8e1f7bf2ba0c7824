//! Texts that are damaged, and spans of values that may be.

use std::fmt::Write as _;

/// Reads what is between the quotes of a text, with a replacement sign for what is no character. Also
/// returns what is wrong with it.
pub(super) fn text(inner: &[u8]) -> (String, Option<&'static str>) {
    let mut out = String::with_capacity(inner.len());
    let mut why = None;
    let decoded = String::from_utf8_lossy(inner);
    if matches!(decoded, std::borrow::Cow::Owned(_)) {
        why = Some("is not UTF-8");
    }
    let mut rest = &*decoded;
    while let Some(c) = rest.chars().next() {
        if c != '\\' {
            let is_control = c < ' ';
            if is_control {
                why = why.or(Some("holds a control character"));
            }
            out.push(if is_control { '\u{FFFD}' } else { c });
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            continue;
        }
        let (c, size, fault) = escape(rest);
        why = why.or(fault);
        out.push(c);
        rest = rest.get(size..).unwrap_or_default();
    }
    (out, why)
}

/// The character of an escape, its size, and what is wrong with it.
fn escape(rest: &str) -> (char, usize, Option<&'static str>) {
    const REPLACED: char = '\u{FFFD}';
    let unit = |at: usize| {
        let digits = rest.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)
    };
    let plain = match rest.get(1..).and_then(|rest| rest.chars().next()) {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\x08',
        Some('f') => '\x0C',
        Some(c @ ('"' | '\\' | '/')) => c,
        Some('u') => {
            return match (unit(0), unit(6)) {
                (Some(high @ 0xD800..0xDC00), Some(low @ 0xDC00..0xE000)) => {
                    let code = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(code).unwrap_or(REPLACED), 12, None)
                }
                (Some(code), _) => match char::from_u32(code) {
                    Some(c) => (c, 6, None),
                    None => (REPLACED, 6, Some("holds half a surrogate pair")),
                },
                (None, _) => (REPLACED, 2, Some("holds an escape that is none")),
            };
        }
        Some(c) => {
            return (
                REPLACED,
                1 + c.len_utf8(),
                Some("holds an escape that is none"),
            );
        }
        None => return (REPLACED, 1, Some("holds an escape that is none")),
    };
    (plain, 2, None)
}

/// Writes a text as JSON.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\0'..'\x20' => {
                // Writing to a string can't fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The size of the value at the start of the bytes, which may be damaged; `None` if it does not end.
pub(super) fn span(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'"' => string(bytes),
        b'{' | b'[' => {
            let mut depth = 0_usize;
            let mut at = 0;
            loop {
                match bytes.get(at)? {
                    b'"' => at += string(bytes.get(at..)?)?,
                    b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
                    b'}' | b']' => {
                        (depth, at) = (depth - 1, at + 1);
                        if depth == 0 {
                            return Some(at);
                        }
                    }
                    _ => at += 1,
                }
            }
        }
        _ => bytes
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')),
    }
}

/// The size of the string at the start of the bytes, with its quotes.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What is between the quotes of a string.
pub(super) fn unquoted(span: &[u8]) -> Option<&[u8]> {
    match span {
        [b'"', inner @ .., b'"'] => Some(inner),
        _ => None,
    }
}
