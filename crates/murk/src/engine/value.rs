//! The values of a description: how each type is read from TOML, and written as canonical text.
//!
//! Serde does not read them. The `toml` crate gives serde every number as an `f64`, so an `f32` would
//! be rounded twice; serde's tagged enums (`kind = …`) forget the positions of the keys inside; and
//! the keys of a registered propagator are known only when the program runs.

use std::fmt::Write as _;

use gametape_core::text::Grouped;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, WorldError, WorldFault, shown};

/// An error in a description, before its part is known: [`Wrong::at`] adds the part.
#[derive(Debug)]
pub struct Wrong {
    /// The first byte of the text that is wrong, where it is known.
    at: Option<usize>,
    pub(super) key: String,
    pub(super) fault: WorldFault,
}

impl Wrong {
    pub(super) fn new<T>(value: &Spanned<T>, fault: WorldFault) -> Self {
        Self::from_byte(Some(value.span().start), fault)
    }

    /// An error that is nowhere in the text.
    pub(super) const fn unplaced(fault: WorldFault) -> Self {
        Self::from_byte(None, fault)
    }

    const fn from_byte(at: Option<usize>, fault: WorldFault) -> Self {
        let key = String::new();
        Self { at, key, fault }
    }

    /// The error for a value of another type.
    pub(super) fn mistyped(value: &Spanned<DeValue<'_>>, wanted: &'static str) -> Self {
        let found = described(value.get_ref());
        Self::new(value, WorldFault::Type { wanted, found })
    }

    /// The error for a word that is not defined.
    pub(super) fn undefined<T>(value: &Spanned<T>, word: &str, what: &str, words: &[&str]) -> Self {
        let (found, known) = (shown(word), known(what, words));
        Self::new(value, WorldFault::Word { found, known })
    }

    /// Adds the key, unless a key inside its value is known.
    pub(super) fn of_key(mut self, key: &str) -> Self {
        if self.key.is_empty() {
            key.clone_into(&mut self.key);
        }
        self
    }

    /// Adds the part of the description, and the line in its text.
    pub(super) fn at(self, text: &str, place: Place) -> WorldError {
        let line = self.at.map(|byte| line_of(text, byte));
        WorldError::new(place, &self.key, self.fault).at_line(line)
    }
}

/// Returns the line of a byte of the text, counted from 1.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    before.split(|&byte| byte == b'\n').count()
}

/// Parses a text as TOML.
pub(super) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Wrong> {
    DeTable::parse(text).map_err(|error| {
        let message = error.message().to_owned();
        let at = error.span().map(|span| span.start);
        Wrong::from_byte(at, WorldFault::Syntax { message })
    })
}

/// Returns the list of known words that ends an error.
pub(super) fn known(what: &str, words: &[&str]) -> String {
    match words {
        [] => format!("no {what} is known here"),
        _ => format!("known {what}s: {}", words.join(", ")),
    }
}

/// The keys of one table. Each is taken once, and none may be left over.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    table: &'a DeTable<'a>,
    /// The first byte of the table.
    start: usize,
    taken: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(super) const fn new(table: &'a DeTable<'a>, start: usize) -> Self {
        let taken = Vec::new();
        Self {
            table,
            start,
            taken,
        }
    }

    /// The keys of a value, which must be a table.
    pub(super) fn of(value: &'a Spanned<DeValue<'a>>) -> Result<Self, Wrong> {
        match value.get_ref().as_table() {
            Some(table) => Ok(Self::new(table, value.span().start)),
            None => Err(Wrong::mistyped(value, "a table")),
        }
    }

    pub(super) const fn table(&self) -> &'a DeTable<'a> {
        self.table
    }

    /// Returns the unread value of a key.
    pub(super) fn raw(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.taken.push(key);
        self.table.get(key)
    }

    /// Returns the value of a key, or the default if the key is left out.
    pub(super) fn take<T: TomlValue>(
        &mut self,
        key: &'static str,
        default: Option<T>,
    ) -> Result<T, Wrong> {
        let value = match self.raw(key) {
            Some(value) => T::read(value),
            None => default
                .or_else(T::absent)
                .ok_or_else(|| self.wrong(key, WorldFault::Missing)),
        };
        value.map_err(|wrong| wrong.of_key(key))
    }

    /// Returns the error for the value of a key; for the table, if the key is left out.
    pub(super) fn wrong(&self, key: &str, fault: WorldFault) -> Wrong {
        let at = self
            .table
            .get(key)
            .map_or(self.start, |value| value.span().start);
        Wrong::from_byte(Some(at), fault).of_key(key)
    }

    /// Returns the error for a kind that does not exist.
    pub(super) fn undefined(&self, key: &str, kind: &str, what: &str, kinds: &[&str]) -> Wrong {
        let (found, known) = (shown(kind), known(what, kinds));
        self.wrong(key, WorldFault::Word { found, known })
    }

    /// Checks that no key is left over.
    pub(super) fn finish(self) -> Result<(), Wrong> {
        let mut keys = self.table.keys();
        match keys.find(|key| !self.taken.contains(&&**key.get_ref())) {
            None => Ok(()),
            Some(key) => {
                let known = known("key", &self.taken);
                Err(Wrong::new(key, WorldFault::UnknownKey { known }).of_key(key.get_ref()))
            }
        }
    }
}

/// Describes a value, for an error.
fn described(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {:?}", shown(text)),
        DeValue::Integer(number) => format!("the integer {}", shown(&number.to_string())),
        DeValue::Float(number) => format!("the number {}", shown(&number.to_string())),
        DeValue::Boolean(yes) => format!("the boolean {yes}"),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(items) => format!("a list of {}", Grouped(items.len() as u64)),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// A type that a key of a description can have.
pub trait TomlValue: Sized {
    /// Reads a value.
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong>;

    /// Appends the canonical text.
    fn write(&self, out: &mut String);

    /// Returns the value of a key that is left out, for types that have one.
    fn absent() -> Option<Self> {
        None
    }

    /// Returns true if the canonical text leaves the key out.
    fn is_absent(&self) -> bool {
        false
    }

    /// Returns true if the value includes a NaN.
    fn has_nan(&self) -> bool {
        false
    }
}

impl TomlValue for String {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        match value.get_ref().as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(Wrong::mistyped(value, "a string")),
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

impl TomlValue for bool {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        value
            .get_ref()
            .as_bool()
            .ok_or_else(|| Wrong::mistyped(value, "true or false"))
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

/// Reads `42` and `0x2a`. The strings `"42"` and `"0x2a"` are read as well, because TOML's integers
/// end at 2^63.
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

impl TomlValue for u64 {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        integer(value.get_ref())
            .ok_or_else(|| Wrong::mistyped(value, "an integer from 0 to 2^64-1"))
    }

    fn write(&self, out: &mut String) {
        let _ = match i64::try_from(*self) {
            Ok(number) => write!(out, "{number}"),
            Err(_) => write!(out, "\"{self:#x}\""),
        };
    }
}

impl TomlValue for i64 {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        let number = match value.get_ref() {
            DeValue::Integer(number) => Self::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| Wrong::mistyped(value, "an integer from -2^63 to 2^63-1"))
    }

    fn write(&self, out: &mut String) {
        let _ = write!(out, "{self}");
    }
}

macro_rules! small_integers {
    ($($type:ty: $wanted:literal),*) => {$(
        impl TomlValue for $type {
            fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
                let number = match value.get_ref() {
                    number @ DeValue::Integer(_) => integer(number),
                    _ => None,
                };
                number
                    .and_then(|number| Self::try_from(number).ok())
                    .ok_or_else(|| Wrong::mistyped(value, $wanted))
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
        impl TomlValue for $type {
            /// Parses the type's own precision; a detour through a wider type would round twice.
            fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
                let text = match value.get_ref() {
                    DeValue::Float(number) => Some(number.as_str()),
                    DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str()),
                    _ => None,
                };
                let number = text.and_then(|text| Some((text, text.parse::<Self>().ok()?)));
                match number {
                    None => Err(Wrong::mistyped(value, "a number")),
                    Some((_, number)) if number.is_nan() => {
                        Err(Wrong::new(value, WorldFault::Nan))
                    }
                    Some((text, number)) if number.is_infinite() && !text.contains("inf") => {
                        let wanted = concat!("a number that ", stringify!($type), " can hold");
                        Err(Wrong::mistyped(value, wanted))
                    }
                    Some((_, number)) => Ok(number),
                }
            }

            /// Writes the shortest text that reads back as the same bits.
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

impl<T: TomlValue> TomlValue for Option<T> {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        T::read(value).map(Some)
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

impl<T: TomlValue> TomlValue for Vec<T> {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        let items = value
            .get_ref()
            .as_array()
            .ok_or_else(|| Wrong::mistyped(value, "a list"))?;
        items.iter().map(T::read).collect()
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
impl<A: TomlValue, B: TomlValue> TomlValue for (A, B) {
    fn read(value: &Spanned<DeValue<'_>>) -> Result<Self, Wrong> {
        match value.get_ref().as_array().map(|items| &**items) {
            Some([a, b]) => Ok((A::read(a)?, B::read(b)?)),
            _ => Err(Wrong::mistyped(value, "a list of two")),
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

/// A receiver of keys and their values, in order.
pub(super) trait Sink {
    fn key<T: TomlValue>(&mut self, key: &'static str, value: &T);
}

/// Finds the first key with a NaN.
#[derive(Default)]
pub(super) struct FindNan(pub(super) Option<&'static str>);

impl Sink for FindNan {
    fn key<T: TomlValue>(&mut self, key: &'static str, value: &T) {
        if value.has_nan() {
            self.0.get_or_insert(key);
        }
    }
}

/// Writes the canonical text of one table.
pub(super) struct TableWriter<'a> {
    out: &'a mut String,
    /// True between braces, false with a key on each line.
    inline: bool,
    empty: bool,
}

impl<'a> TableWriter<'a> {
    /// Writes each key on its own line.
    pub(super) fn lines(out: &'a mut String) -> Self {
        Self {
            out,
            inline: false,
            empty: true,
        }
    }

    /// Writes `{ key = value, … }`, up to [`end`](Self::end).
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

impl Sink for TableWriter<'_> {
    fn key<T: TomlValue>(&mut self, key: &'static str, value: &T) {
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
