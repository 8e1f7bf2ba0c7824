//! Rules: the requirements that a recording can break or stretch, each defined once.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// How much a finding affects the question "is this recording what it claims to be?".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(
    feature = "tape",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
pub enum Severity {
    /// A fact worth knowing, or a deviation of known writers.
    Info,
    /// Something unusual that a person should look at.
    Warning,
    /// The recording is not what it claims to be.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whose fault an error is, and what might fix it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Class {
    /// The source or the destination failed.
    Io,
    /// The file breaks a rule.
    File,
    /// The file ends too early: more bytes might fix it.
    Truncated,
    /// The recording exceeds a limit of the reader: larger limits might fix it.
    Limit,
    /// The caller asked for something impossible.
    Caller,
    /// The recording is fine, but does not meet a bound that the caller set.
    Refused,
}

/// An error or finding with a stable code, common to all parts of gametape.
pub trait Coded: core::error::Error {
    /// Returns a short stable code, documented in the book: `murk.truncated`.
    fn code(&self) -> &'static str;

    /// Returns whose fault it is.
    fn class(&self) -> Class;

    /// Returns the offset in the file, in bytes.
    fn offset(&self) -> Option<u64> {
        None
    }

    /// Returns the path of the file at fault if it is not the recording: a world, a schema.
    #[cfg(feature = "std")]
    fn path(&self) -> Option<&std::path::Path> {
        None
    }

    /// Returns true if the file ends too early, so that more bytes might fix it.
    fn is_truncated(&self) -> bool {
        self.class() == Class::Truncated
    }

    /// Returns true if a limit was exceeded, so that larger limits might fix it.
    fn is_limit(&self) -> bool {
        self.class() == Class::Limit
    }
}

/// A rule of a format, or of recordings in general, with the data of a violation.
///
/// [`rules!`](crate::rules) defines an enum of rules. Its `Display` is the sentence without the
/// place.
pub trait Rule: Clone + fmt::Debug + fmt::Display {
    /// The name of a step of the recording: `frame`, `event`, `packet`.
    const STEP: &'static str;

    /// Returns the stable code, such as `rmv.file-size`.
    fn code(&self) -> &'static str;

    /// Returns how much breaking this rule matters.
    fn severity(&self) -> Severity;

    /// Returns whose fault it is when this rule stops a reader: [`Class::File`],
    /// [`Class::Truncated`] or [`Class::Limit`].
    fn class(&self) -> Class;

    /// Separates findings that share a code but are about different things. Findings are aggregated
    /// by code and group.
    fn group(&self) -> u64 {
        0
    }

    /// Returns the data of the sentence, by name.
    fn data(&self) -> Vec<(&'static str, Datum)>;
}

/// A rule as it is listed in the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleInfo {
    /// The stable code.
    pub code: &'static str,
    /// How much breaking it matters.
    pub severity: Severity,
    /// The documentation of its variant: what it means, and what to do about it.
    pub doc: &'static str,
    /// The names of its data fields.
    pub data: &'static [&'static str],
}

/// A piece of data of a rule. The sentence of a finding is rendered from its data, and JSON
/// contains them as fields.
#[derive(Clone, PartialEq, Debug)]
pub enum Datum {
    /// Unknown or absent.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// Text, and values that are best written as text: hashes, bytes in hexadecimal.
    Text(Cow<'static, str>),
    /// Several values: a cell, a vector.
    List(Vec<Datum>),
    /// Several named values.
    Map(Vec<(&'static str, Datum)>),
}

/// A type that can be data of a rule.
pub trait ToDatum {
    /// Returns the value as data.
    fn to_datum(&self) -> Datum;
}

macro_rules! whole {
    ($variant:ident($into:ty): $($ty:ty)*) => {$(
        impl ToDatum for $ty {
            fn to_datum(&self) -> Datum {
                Datum::$variant(*self as $into)
            }
        }
    )*};
}

whole!(Uint(u64): u8 u16 u32 u64 usize);
whole!(Int(i64): i8 i16 i32 i64 isize);

impl ToDatum for bool {
    fn to_datum(&self) -> Datum {
        Datum::Bool(*self)
    }
}

impl ToDatum for f64 {
    fn to_datum(&self) -> Datum {
        Datum::Float(*self)
    }
}

impl ToDatum for f32 {
    /// Keeps the decimal digits: an `f32` of 0.1 becomes 0.1.
    fn to_datum(&self) -> Datum {
        Datum::Float(
            self.to_string()
                .parse()
                .unwrap_or_else(|_| f64::from(*self)),
        )
    }
}

impl ToDatum for str {
    fn to_datum(&self) -> Datum {
        Datum::Text(String::from(self).into())
    }
}

impl ToDatum for String {
    fn to_datum(&self) -> Datum {
        self.as_str().to_datum()
    }
}

impl<T: ToDatum + ?Sized> ToDatum for &T {
    fn to_datum(&self) -> Datum {
        (**self).to_datum()
    }
}

impl<T: ToDatum + ?Sized> ToDatum for Box<T> {
    fn to_datum(&self) -> Datum {
        (**self).to_datum()
    }
}

impl<T: ToDatum> ToDatum for Option<T> {
    fn to_datum(&self) -> Datum {
        self.as_ref().map_or(Datum::Null, ToDatum::to_datum)
    }
}

impl<T: ToDatum> ToDatum for [T] {
    fn to_datum(&self) -> Datum {
        Datum::List(self.iter().map(ToDatum::to_datum).collect())
    }
}

impl<T: ToDatum> ToDatum for Vec<T> {
    fn to_datum(&self) -> Datum {
        self.as_slice().to_datum()
    }
}

impl<T: ToDatum, const N: usize> ToDatum for [T; N] {
    fn to_datum(&self) -> Datum {
        self.as_slice().to_datum()
    }
}

impl<A: ToDatum, B: ToDatum> ToDatum for (A, B) {
    fn to_datum(&self) -> Datum {
        Datum::List([self.0.to_datum(), self.1.to_datum()].into())
    }
}

/// Defines the enum of a crate's rules from one table: the variants, their codes and severities,
/// their sentences (through `thiserror`, which the crate must depend on), their data, and the
/// documentation that the book lists.
///
/// ```
/// gametape_core::rules! {
///     /// What a note can break.
///     pub enum Rule: "line";
///
///     /// The file ends within a line. `repair` keeps the lines before it.
///     #[error("the line is cut off after {bytes} bytes")]
///     Cut { bytes: u64 } = "note.cut", Error, Truncated;
///     /// A line says nothing.
///     #[error("an empty line")]
///     Empty = "note.empty", Info;
/// }
///
/// use gametape_core::{Class, Datum, Rule as _};
/// let rule = Rule::Cut { bytes: 7 };
/// assert_eq!(rule.to_string(), "the line is cut off after 7 bytes");
/// assert_eq!((rule.code(), rule.class()), ("note.cut", Class::Truncated));
/// assert_eq!(rule.data(), [("bytes", Datum::Uint(7))]);
/// assert_eq!(Rule::ALL[1].doc.trim(), "A line says nothing.");
/// ```
///
/// A rule may end with a class, [`Class::Truncated`] or [`Class::Limit`]; the default is
/// [`Class::File`]. To count rules of one code separately (see [`Rule::group`]), write `group =
/// path` after the name of a step, where `path` is a function that returns the group of a rule.
#[macro_export]
macro_rules! rules {
    (
        $(#[$meta:meta])*
        $vis:vis enum $rule:ident: $step:literal $(, group = $group:path)?;
        $(
            $(#[doc = $doc:expr])*
            #[error($($error:tt)*)]
            $name:ident $({ $($(#[$fmeta:meta])* $field:ident : $ty:ty),* $(,)? })? = $code:literal, $severity:ident $(, $class:ident)?;
        )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug, thiserror::Error)]
        #[non_exhaustive]
        $vis enum $rule {
            $(
                $(#[doc = $doc])*
                #[error($($error)*)]
                $name $({ $(
                    $(#[$fmeta])*
                    #[allow(missing_docs)]
                    $field: $ty
                ),* })?,
            )*
        }

        impl $rule {
            /// Every rule, in the order of the enum.
            pub const ALL: &'static [$crate::RuleInfo] = &[$($crate::RuleInfo {
                code: $code,
                severity: $crate::Severity::$severity,
                doc: concat!($($doc, "\n",)*),
                data: &[$($(stringify!($field)),*)?],
            }),*];

            /// The stable code, documented in the book.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                match self { $(Self::$name { .. } => $code,)* }
            }

            /// How much breaking this rule matters.
            #[must_use]
            pub const fn severity(&self) -> $crate::Severity {
                match self { $(Self::$name { .. } => $crate::Severity::$severity,)* }
            }
        }

        impl $crate::Rule for $rule {
            const STEP: &'static str = $step;

            fn code(&self) -> &'static str {
                self.code()
            }

            fn severity(&self) -> $crate::Severity {
                self.severity()
            }

            fn class(&self) -> $crate::Class {
                match self { $(Self::$name { .. } => $crate::rules!(@class $($class)?),)* }
            }

            $(fn group(&self) -> u64 {
                $group(self)
            })?

            fn data(&self) -> $crate::private::Vec<(&'static str, $crate::Datum)> {
                match self { $(
                    Self::$name $({ $($field),* })? => {
                        $crate::private::vec![$($((stringify!($field), $crate::ToDatum::to_datum($field))),*)?]
                    }
                )* }
            }
        }
    };
    (@class) => { $crate::Class::File };
    (@class $class:ident) => { $crate::Class::$class };
}
