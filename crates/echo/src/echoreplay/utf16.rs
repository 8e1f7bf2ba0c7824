//! UTF-16, as PowerShell's `>` writes it, to UTF-8.

use std::collections::VecDeque;

/// The byte order mark, as a unit.
const MARK: u16 = 0xFEFF;

/// A text in UTF-16 that is being read.
#[derive(Debug)]
pub(super) struct Utf16 {
    is_big: bool,
    /// The first byte of a unit.
    half: Option<u8>,
    /// The first unit of a pair.
    high: Option<u16>,
    /// Nothing was read yet.
    at_start: bool,
    /// What was read.
    ready: VecDeque<u8>,
}

impl Utf16 {
    /// Recognises a text in UTF-16 by its mark, or by the digits of a time.
    pub fn of(start: &[u8]) -> Option<Self> {
        let is_big = match start {
            // A mark of UTF-32 looks like this, too; but a recording starts with a digit.
            [0xFF, 0xFE, ..] | [b'0'..=b'9', 0, b'0'..=b'9', 0, ..] => false,
            [0xFE, 0xFF, ..] | [0, b'0'..=b'9', 0, b'0'..=b'9', ..] => true,
            _ => return None,
        };
        Some(Self {
            is_big,
            half: None,
            high: None,
            at_start: true,
            ready: VecDeque::new(),
        })
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let Some(first) = self.half.take() else {
                self.half = Some(*byte);
                continue;
            };
            let unit = if self.is_big {
                u16::from_be_bytes([first, *byte])
            } else {
                u16::from_le_bytes([first, *byte])
            };
            let is_mark = std::mem::take(&mut self.at_start) && unit == MARK;
            if !is_mark {
                self.unit(unit);
            }
        }
    }

    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                self.put(c);
                return;
            }
            self.put(char::REPLACEMENT_CHARACTER);
        }
        match unit {
            0xD800..0xDC00 => self.high = Some(unit),
            _ => self.put(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn put(&mut self, c: char) {
        self.ready.extend(c.encode_utf8(&mut [0; 4]).bytes());
    }

    /// No more bytes come. Returns whether a part of a character was left.
    pub fn end(&mut self) -> bool {
        let is_left = self.half.take().is_some() | self.high.take().is_some();
        if is_left {
            self.put(char::REPLACEMENT_CHARACTER);
        }
        is_left
    }

    /// Takes what was read.
    pub fn take(&mut self, into: &mut [u8]) -> usize {
        let count = self.ready.len().min(into.len());
        for (to, from) in into.iter_mut().zip(self.ready.drain(..count)) {
            *to = from;
        }
        count
    }
}
