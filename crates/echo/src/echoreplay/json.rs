//! Writing JSON: objects, lists, numbers, texts.

use crate::error::WriteError;
use crate::model::Holding;

/// Appends values to a buffer.
pub(super) struct JsonWriter<'o> {
    out: &'o mut Vec<u8>,
    numbers: zmij::Buffer,
}

impl<'o> JsonWriter<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        Self {
            out,
            numbers: zmij::Buffer::new(),
        }
    }

    /// Starts the next column.
    pub(super) fn separate(&mut self) {
        self.out.push(b'\t');
    }

    /// Starts an object.
    pub(super) fn object(&mut self) -> JsonMembers<'_, 'o> {
        self.out.push(b'{');
        JsonMembers {
            json: self,
            first: true,
        }
    }

    pub(super) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut Self, T) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        self.out.push(b'[');
        for (at, value) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            item(self, value)?;
        }
        self.out.push(b']');
        Ok(())
    }

    /// Writes the shortest text that reads as the same number, if it is parsed as an `f64` and cast, as
    /// every reader does.
    pub(super) fn number(&mut self, name: &'static str, number: f32) -> Result<(), WriteError> {
        if !number.is_finite() {
            return Err(WriteError::Unstorable {
                what: name,
                found: number.to_string(),
                holds: "finite numbers",
            });
        }
        // A single number (and its negative) has a shortest text, 7.038531e-26, that parsed as an `f64` and
        // cast gives its neighbour: the text lies halfway between the two. It needs more digits.
        let text = if number.to_bits() & 0x7FFF_FFFF == 0x15AE_43FD {
            self.numbers.format_finite(f64::from(number))
        } else {
            self.numbers.format_finite(number)
        };
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    pub(super) fn whole(&mut self, number: i64) {
        if number < 0 {
            self.out.push(b'-');
        }
        self.count(number.unsigned_abs());
    }

    fn count(&mut self, mut number: u64) {
        let mut digits = [0_u8; 20];
        let mut used = 0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
            used += 1;
            if number == 0 {
                break;
            }
        }
        let start = digits.len() - used;
        self.out
            .extend_from_slice(digits.get(start..).unwrap_or_default());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.out.push(b'"');
        let mut rest = text.as_bytes();
        let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
        while let Some((plain, (byte, after))) = rest
            .iter()
            .position(special)
            .and_then(|at| rest.split_at_checked(at))
            .and_then(|(plain, after)| Some((plain, after.split_first()?)))
        {
            self.out.extend_from_slice(plain);
            match byte {
                b'"' => self.out.extend_from_slice(b"\\\""),
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                b'\r' => self.out.extend_from_slice(b"\\r"),
                b'\t' => self.out.extend_from_slice(b"\\t"),
                control => {
                    let hex = |nibble: u8| {
                        let digit = char::from_digit(nibble.into(), 16);
                        digit.map_or(b'0', |digit| digit as u8)
                    };
                    self.out.extend_from_slice(b"\\u00");
                    self.out.push(hex(control >> 4));
                    self.out.push(hex(control & 15));
                }
            }
            rest = after;
        }
        self.out.extend_from_slice(rest);
        self.out.push(b'"');
    }
}

/// Writes the members of an object, one after another.
pub(super) struct JsonMembers<'w, 'o> {
    json: &'w mut JsonWriter<'o>,
    first: bool,
}

impl<'o> JsonMembers<'_, 'o> {
    fn name(&mut self, name: &str) {
        if !self.first {
            self.json.out.push(b',');
        }
        self.first = false;
        self.json.out.push(b'"');
        self.json.out.extend_from_slice(name.as_bytes());
        self.json.out.extend_from_slice(b"\":");
    }

    pub(super) fn member(
        &mut self,
        name: &'static str,
        value: impl FnOnce(&mut JsonWriter<'o>) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        self.name(name);
        value(self.json)
    }

    pub(super) fn number(&mut self, name: &'static str, number: f32) -> Result<(), WriteError> {
        self.name(name);
        self.json.number(name, number)
    }

    pub(super) fn numbers(
        &mut self,
        name: &'static str,
        numbers: &[f32],
    ) -> Result<(), WriteError> {
        self.name(name);
        self.json
            .list(numbers, |json, number| json.number(name, *number))
    }

    pub(super) fn whole(&mut self, name: &'static str, number: i64) {
        self.name(name);
        self.json.whole(number);
    }

    pub(super) fn count(&mut self, name: &'static str, number: u64) {
        self.name(name);
        self.json.count(number);
    }

    pub(super) fn flag(&mut self, name: &'static str, flag: bool) {
        self.name(name);
        let text: &[u8] = if flag { b"true" } else { b"false" };
        self.json.out.extend_from_slice(text);
    }

    pub(super) fn text(&mut self, name: &'static str, text: &str) {
        self.name(name);
        self.json.text(text);
    }

    pub(super) fn holding(&mut self, name: &'static str, holding: &Holding) {
        match holding {
            Holding::None => self.text(name, "none"),
            Holding::Geo => self.text(name, "geo"),
            Holding::Disc => self.text(name, "disc"),
            Holding::Other(text) => self.text(name, text),
            Holding::Number(number) => {
                self.name(name);
                self.json.out.push(b'"');
                self.json.count(*number);
                self.json.out.push(b'"');
            }
        }
    }

    /// Writes a member of any name, whose value is already JSON.
    pub(super) fn raw(&mut self, name: &str, json: &str) {
        if !self.first {
            self.json.out.push(b',');
        }
        self.first = false;
        self.json.text(name);
        self.json.out.push(b':');
        self.json.out.extend_from_slice(json.as_bytes());
    }

    pub(super) fn end(self) {
        self.json.out.push(b'}');
    }
}
