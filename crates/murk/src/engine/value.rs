//! Values of a description: each type is read from TOML, and written as the canonical text, here.

use std::fmt::Write as _;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, Place, WorldError, shown};

/// The text that is read, and the part of it that is being read.
#[derive(Debug)]
pub struct At<'a> {
    pub text: &'a str,
    pub place: Place,
}

/// The line of a byte of the text, from 1.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    before.split(|&byte| byte == b'\n').count()
}

impl At<'_> {
    pub(super) fn error(&self, span: &Range<usize>, key: &str, fault: Fault) -> WorldError {
        WorldError::new(self.place.clone(), key, fault)
            .at_line(Some(line_of(self.text, span.start)))
    }
}

/// The words for a list of what is known, as an error ends with.
pub(super) fn known(what: &str, words: &[&str]) -> String {
    match words {
        [] => format!("no {what} is known here"),
        _ => format!("known {what}s: {}", words.join(", ")),
    }
}

/// The keys of one table: each is taken once, and none may be left over.
pub(super) struct Keys<'a> {
    table: &'a DeTable<'a>,
    span: Range<usize>,
    taken: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(table: &'a DeTable<'a>, span: Range<usize>) -> Self {
        Self {
            table,
            span,
            taken: Vec::new(),
        }
    }

    /// The value of a key as it stands.
    pub(super) fn raw(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.taken.push(key);
        self.table.get(key)
    }

    /// The value of a key; what is to be taken where there is none.
    pub(super) fn take<T: Value>(
        &mut self,
        at: &At<'_>,
        key: &'static str,
        default: Option<T>,
    ) -> Result<T, WorldError> {
        match self.raw(key) {
            Some(value) => T::read(value, at, key),
            None => default
                .or_else(T::absent)
                .ok_or_else(|| at.error(&self.span, key, Fault::Missing)),
        }
    }

    /// That no key is left over.
    pub(super) fn finish(self, at: &At<'_>) -> Result<(), WorldError> {
        match self
            .table
            .iter()
            .find(|(key, _)| !self.taken.contains(&&**key.get_ref()))
        {
            None => Ok(()),
            Some((key, _)) => Err(at.error(
                &key.span(),
                key.get_ref(),
                Fault::UnknownKey {
                    known: known("key", &self.taken),
                },
            )),
        }
    }
}

/// What stands in a description, in words.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {:?}", shown(text)),
        DeValue::Integer(number) => format!("the integer {}", shown(&number.to_string())),
        DeValue::Float(number) => format!("the number {}", shown(&number.to_string())),
        DeValue::Boolean(yes) => format!("the boolean {yes}"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) => format!("a list of {}", items.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// A type that a key of a description can have.
pub trait Value: Sized {
    /// Reads one.
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError>;

    /// Appends the canonical text.
    fn write(&self, out: &mut String);

    /// The value where the key is left out, for types that have one.
    fn absent() -> Option<Self> {
        None
    }

    /// True where the canonical text leaves the key out.
    fn is_absent(&self) -> bool {
        false
    }

    /// True where a NaN is in it.
    fn has_nan(&self) -> bool {
        false
    }
}

/// The error for a value of another type.
pub(super) fn mistyped(
    value: &Spanned<DeValue<'_>>,
    at: &At<'_>,
    key: &str,
    wanted: &'static str,
) -> WorldError {
    let found = described(value.get_ref());
    at.error(&value.span(), key, Fault::Type { wanted, found })
}

/// The error for a word that is not defined.
pub(super) fn undefined(
    value: &Spanned<DeValue<'_>>,
    at: &At<'_>,
    key: &str,
    what: &str,
    words: &[&str],
) -> WorldError {
    match value.get_ref().as_str() {
        None => mistyped(value, at, key, "a string"),
        Some(found) => at.error(
            &value.span(),
            key,
            Fault::Word {
                found: shown(found),
                known: known(what, words),
            },
        ),
    }
}

impl Value for String {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        match value.get_ref().as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(mistyped(value, at, key, "a string")),
        }
    }

    fn write(&self, out: &mut String) {
        out.push('"');
        for char in self.chars() {
            match char {
                '"' | '\\' => out.extend(['\\', char]),
                '\0'..='\u{1f}' | '\u{7f}' => {
                    let _ = write!(out, "\\u{:04X}", u32::from(char));
                }
                _ => out.push(char),
            }
        }
        out.push('"');
    }
}

impl Value for bool {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        value
            .get_ref()
            .as_bool()
            .ok_or_else(|| mistyped(value, at, key, "true or false"))
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

/// Reads `42`, `0x2a`, and, since TOML's integers end at 2^63, the strings `"42"` and `"0x2a"`.
fn integer(value: &DeValue<'_>) -> Option<u64> {
    let (text, radix) = match value {
        DeValue::Integer(number) => (number.as_str(), number.radix()),
        DeValue::String(text) => match text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (&**text, 10),
        },
        _ => return None,
    };
    u64::from_str_radix(text, radix).ok()
}

impl Value for u64 {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        integer(value.get_ref())
            .ok_or_else(|| mistyped(value, at, key, "an integer from 0 to 2^64-1"))
    }

    fn write(&self, out: &mut String) {
        let _ = match i64::try_from(*self) {
            Ok(number) => write!(out, "{number}"),
            Err(_) => write!(out, "\"{self:#x}\""),
        };
    }
}

impl Value for i64 {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => Self::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| mistyped(value, at, key, "an integer from -2^63 to 2^63-1"))
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

macro_rules! small_integers {
    ($($type:ty: $wanted:literal),*) => {$(
        impl Value for $type {
            fn read(
                value: &Spanned<DeValue<'_>>,
                at: &At<'_>,
                key: &str,
            ) -> Result<Self, WorldError> {
                let number = match value.get_ref() {
                    number @ DeValue::Integer(_) => integer(number),
                    _ => None,
                };
                number
                    .and_then(|number| Self::try_from(number).ok())
                    .ok_or_else(|| mistyped(value, at, key, $wanted))
            }

            fn write(&self, out: &mut String) {
                let _ = write!(out, "{self}");
            }
        }
    )*};
}

small_integers! {
    u16: "an integer from 0 to 65,535",
    u32: "an integer from 0 to 2^32-1"
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Value for $type {
            /// Read as what it is: by way of a wider type it would be rounded twice.
            fn read(
                value: &Spanned<DeValue<'_>>,
                at: &At<'_>,
                key: &str,
            ) -> Result<Self, WorldError> {
                let text = match value.get_ref() {
                    DeValue::Float(number) => Some(number.as_str()),
                    DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
                    _ => None,
                };
                let number = text.and_then(|text| Some((text, text.parse::<Self>().ok()?)));
                match number {
                    None => Err(mistyped(value, at, key, "a number")),
                    Some((_, number)) if number.is_nan() => {
                        Err(at.error(&value.span(), key, Fault::Nan))
                    }
                    Some((text, number)) if number.is_infinite() && !text.contains("inf") => {
                        let wanted = concat!("a number that ", stringify!($type), " can hold");
                        Err(mistyped(value, at, key, wanted))
                    }
                    Some((_, number)) => Ok(number),
                }
            }

            /// The shortest text that reads back as the same bits.
            fn write(&self, out: &mut String) {
                let _ = if self.is_nan() {
                    write!(out, "nan")
                } else {
                    write!(out, "{self:?}")
                };
            }

            fn has_nan(&self) -> bool {
                self.is_nan()
            }
        }
    )*};
}

floats!(f32, f64);

impl<T: Value> Value for Option<T> {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        T::read(value, at, key).map(Some)
    }

    fn write(&self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn has_nan(&self) -> bool {
        self.as_ref().is_some_and(T::has_nan)
    }
}

impl<T: Value> Value for Vec<T> {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        let items = value
            .get_ref()
            .as_array()
            .ok_or_else(|| mistyped(value, at, key, "a list"))?;
        items.iter().map(|item| T::read(item, at, key)).collect()
    }

    fn write(&self, out: &mut String) {
        out.push('[');
        for (index, item) in self.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            item.write(out);
        }
        out.push(']');
    }

    fn has_nan(&self) -> bool {
        self.iter().any(T::has_nan)
    }
}

/// A pair is a list of two.
impl<A: Value, B: Value> Value for (A, B) {
    fn read(value: &Spanned<DeValue<'_>>, at: &At<'_>, key: &str) -> Result<Self, WorldError> {
        match value.get_ref().as_array().map(|items| &**items) {
            Some([a, b]) => Ok((A::read(a, at, key)?, B::read(b, at, key)?)),
            _ => Err(mistyped(value, at, key, "a list of two")),
        }
    }

    fn write(&self, out: &mut String) {
        out.push('[');
        self.0.write(out);
        out.push_str(", ");
        self.1.write(out);
        out.push(']');
    }

    fn has_nan(&self) -> bool {
        self.0.has_nan() || self.1.has_nan()
    }
}

/// What takes keys and their values, one after the other.
pub(super) trait Sink {
    fn key<T: Value>(&mut self, key: &'static str, value: &T);
}

/// The first key with a NaN.
#[derive(Default)]
pub(super) struct FindNan(pub(super) Option<&'static str>);

impl Sink for FindNan {
    fn key<T: Value>(&mut self, key: &'static str, value: &T) {
        if value.has_nan() {
            self.0.get_or_insert(key);
        }
    }
}

/// The canonical text of one table.
pub(super) struct Table<'a> {
    out: &'a mut String,
    /// Between braces, or a key on each line.
    inline: bool,
    empty: bool,
}

impl<'a> Table<'a> {
    /// Keys on lines of their own.
    pub(super) fn lines(out: &'a mut String) -> Self {
        Self {
            out,
            inline: false,
            empty: true,
        }
    }

    /// `{ key = value, … }`, up to [`end`](Self::end).
    pub(super) fn inline(out: &'a mut String) -> Self {
        out.push('{');
        Self {
            out,
            inline: true,
            empty: true,
        }
    }

    pub(super) fn end(self) {
        if self.inline {
            self.out.push('}');
        }
    }
}

impl Sink for Table<'_> {
    fn key<T: Value>(&mut self, key: &'static str, value: &T) {
        if value.is_absent() {
            return;
        }
        if self.inline && !self.empty {
            self.out.push_str(", ");
        }
        self.empty = false;
        self.out.push_str(key);
        self.out.push_str(" = ");
        value.write(self.out);
        if !self.inline {
            self.out.push('\n');
        }
    }
}
