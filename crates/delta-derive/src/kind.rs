//! The encoding of a field, from its type and its attributes.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Lit, Result, Type};

use crate::attrs::FieldAttrs;

/// The maximum number of fields in a component, because the mask of a delta is one 64-bit word.
pub const MAX_FIELDS: usize = 64;

/// A supported type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primitive {
    Bool,
    Unsigned(u8),
    Signed(u8),
    Float(u8),
}

impl Primitive {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "u8" => Self::Unsigned(8),
            "u16" => Self::Unsigned(16),
            "u32" => Self::Unsigned(32),
            "u64" => Self::Unsigned(64),
            "i8" => Self::Signed(8),
            "i16" => Self::Signed(16),
            "i32" => Self::Signed(32),
            "i64" => Self::Signed(64),
            "f32" => Self::Float(32),
            "f64" => Self::Float(64),
            _ => return None,
        })
    }

    pub fn name(self) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Unsigned(bits) => format!("u{bits}"),
            Self::Signed(bits) => format!("i{bits}"),
            Self::Float(bits) => format!("f{bits}"),
        }
    }
}

/// The encoding of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Codec {
    Bool,
    UInt {
        bits: u8,
    },
    SInt {
        bits: u8,
    },
    VarUInt,
    VarSInt,
    Fixed {
        min: f64,
        max: f64,
        scale: u32,
        clamp: bool,
    },
}

/// The fields on the wire for a field of the struct.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// One field on the wire.
    One(Value),
    /// One field for each element.
    Array(Value, usize),
    /// Four fields.
    Rotation { bits: u8 },
    /// No field.
    Skip,
}

/// A number or a bool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Value {
    pub primitive: Primitive,
    pub codec: Codec,
    /// The threshold in quantised units.
    pub threshold: Option<u32>,
}

impl Kind {
    pub fn new(ty: &Type, attrs: &FieldAttrs) -> Result<Self> {
        if attrs.skip {
            attrs.only(&["skip"], "a field that is skipped")?;
            return Ok(Self::Skip);
        }
        let (element, length) = array(ty)?;
        let primitive = primitive(element);
        let is_quaternion = primitive == Some(Primitive::Float(32)) && length == Some(4);
        if let Some(bits) = attrs.rotation {
            if !is_quaternion {
                let at = attrs.span_of("rotation").unwrap_or_else(|| ty.span());
                return Err(Error::new(
                    at,
                    format!(
                        "`rotation` is for a quaternion, [f32; 4], not for {}",
                        text(ty)
                    ),
                ));
            }
            attrs.only(&["rotation", "id", "name"], "a rotation")?;
            return Ok(Self::Rotation {
                bits: bits.value as u8,
            });
        }
        let Some(primitive) = primitive else {
            return Err(unsupported(ty, element));
        };
        let value = Value::new(primitive, attrs).map_err(|why| match why {
            Refusal::At(why) => why,
            Refusal::NeedsFixed => {
                let or = if is_quaternion {
                    ", or `rotation(bits = …)` if this is one"
                } else {
                    ""
                };
                Error::new_spanned(
                    ty,
                    format!(
                        "{} needs bounds and a precision: `fixed(min = …, max = …, step = …)`{or}",
                        primitive.name()
                    ),
                )
            }
        })?;
        Ok(match length {
            Some(length) => Self::Array(value, length),
            None => Self::One(value),
        })
    }

    /// Returns the suffixes of the names of its fields on the wire.
    pub fn suffixes(&self) -> Vec<String> {
        match self {
            Self::One(_) => vec![String::new()],
            Self::Array(_, length) => (0..*length).map(|at| format!("_{at}")).collect(),
            Self::Rotation { .. } => ["_place", "_a", "_b", "_c"].map(String::from).to_vec(),
            Self::Skip => Vec::new(),
        }
    }
}

enum Refusal {
    At(Error),
    NeedsFixed,
}

impl From<Error> for Refusal {
    fn from(why: Error) -> Self {
        Self::At(why)
    }
}

impl Value {
    fn new(primitive: Primitive, attrs: &FieldAttrs) -> core::result::Result<Self, Refusal> {
        let name = primitive.name();
        let codec = match primitive {
            Primitive::Bool => {
                attrs.only(&["id", "name"], "a bool")?;
                Codec::Bool
            }
            Primitive::Unsigned(width) | Primitive::Signed(width) => {
                attrs.only(&["id", "name", "bits", "varint", "threshold"], &name)?;
                integer(primitive, width, attrs)?
            }
            Primitive::Float(_) => {
                attrs.only(&["id", "name", "fixed", "clamp", "threshold"], &name)?;
                let fixed = attrs.fixed.as_ref().ok_or(Refusal::NeedsFixed)?;
                Codec::Fixed {
                    min: fixed.min,
                    max: fixed.max,
                    scale: fixed.scale,
                    clamp: attrs.clamp,
                }
            }
        };
        Ok(Self {
            primitive,
            codec,
            threshold: threshold(codec, attrs)?,
        })
    }
}

fn integer(primitive: Primitive, width: u8, attrs: &FieldAttrs) -> Result<Codec> {
    let name = primitive.name();
    let signed = matches!(primitive, Primitive::Signed(_));
    if attrs.varint {
        if let Some(bits) = attrs.bits {
            return Err(Error::new(
                bits.span,
                "`bits` and `varint` are two ways to write a number: choose one",
            ));
        }
        return match width {
            ..=32 if signed => Ok(Codec::VarSInt),
            ..=32 => Ok(Codec::VarUInt),
            _ => Err(Error::new(
                attrs
                    .span_of("varint")
                    .unwrap_or_else(proc_macro2::Span::call_site),
                format!(
                    "a varint holds 32 bits, {name} has {width}: choose a smaller type or `bits`"
                ),
            )),
        };
    }
    let bits = match attrs.bits {
        None => width,
        Some(bits) => match u8::try_from(bits.value) {
            Ok(value) if (1..=width).contains(&value) => value,
            _ => {
                return Err(Error::new(
                    bits.span,
                    format!(
                        "the `bits` of {name} go from 1 to {width}, these are {}",
                        bits.value
                    ),
                ));
            }
        },
    };
    Ok(if signed {
        Codec::SInt { bits }
    } else {
        Codec::UInt { bits }
    })
}

fn threshold(codec: Codec, attrs: &FieldAttrs) -> Result<Option<u32>> {
    let Some(threshold) = attrs.threshold else {
        return Ok(None);
    };
    let units = match codec {
        Codec::Fixed { scale, .. } => (threshold.value * f64::from(scale)).round(),
        _ if threshold.value.fract() != 0.0 => {
            return Err(Error::new(
                threshold.span,
                format!(
                    "the `threshold` of an integer is a whole number, {} is not",
                    threshold.value
                ),
            ));
        }
        _ => threshold.value,
    };
    if threshold.value < 0.0 {
        return Err(Error::new(
            threshold.span,
            format!("a `threshold` is not below 0, this is {}", threshold.value),
        ));
    }
    if units > f64::from(u32::MAX) {
        return Err(Error::new(
            threshold.span,
            format!("a `threshold` is at most 4294967295 units, this is {units}"),
        ));
    }
    Ok(Some(units as u32))
}

/// Removes the invisible groups that a `macro_rules!` puts around a type.
fn bare(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            other => return other,
        };
    }
}

/// Returns the element and the length of an array type; for other types the type itself.
fn array(ty: &Type) -> Result<(&Type, Option<usize>)> {
    let Type::Array(array) = bare(ty) else {
        return Ok((bare(ty), None));
    };
    let mut length = &array.len;
    while let Expr::Group(group) = length {
        length = &group.expr;
    }
    let Expr::Lit(ExprLit {
        lit: Lit::Int(digits),
        ..
    }) = length
    else {
        return Err(Error::new_spanned(
            &array.len,
            "the length has to be a number like 3: each element is a field of its own",
        ));
    };
    match digits.base10_parse::<usize>() {
        Ok(length) if length <= MAX_FIELDS => Ok((bare(&array.elem), Some(length))),
        _ => Err(Error::new_spanned(
            digits,
            format!("a component has at most {MAX_FIELDS} fields, this array alone has {digits}"),
        )),
    }
}

fn primitive(ty: &Type) -> Option<Primitive> {
    let Type::Path(path) = ty else {
        return None;
    };
    Primitive::of(&path.path.get_ident()?.to_string())
}

fn unsupported(ty: &Type, element: &Type) -> Error {
    let advice = match text(element).as_str() {
        "usize" => "its width differs between machines: use u32 or u64",
        "isize" => "its width differs between machines: use i32 or i64",
        "u128" | "i128" => "the wire holds 64 bits",
        _ => {
            "bool, u8 to u64, i8 to i64, f32, f64 and arrays of them can be; others can be skipped with `skip`"
        }
    };
    Error::new_spanned(ty, format!("{} can't be replicated: {advice}", text(ty)))
}

/// Returns the source text of a type.
fn text(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    text.replace(" ;", ";")
        .replace("< ", "<")
        .replace(" <", "<")
        .replace(" >", ">")
        .replace(" :: ", "::")
}
