//! The encoding of a field, from its type and its attributes.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, GenericArgument, Lit, Path, PathArguments, Result, Type};

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

/// The fields on the wire for a field of the struct.
pub enum Kind {
    /// No field.
    Skip,
    /// Those that the type has with an encoding, or a module in its place.
    Fields(Box<Encoded>),
}

/// A type with its encoding.
pub struct Encoded {
    pub ty: Type,
    pub how: How,
    /// The threshold in quantised units.
    pub threshold: Option<u32>,
    /// The number of fields, where the macro knows it.
    pub count: Option<usize>,
    /// The elements of an array of numbers and their count: they are read in place.
    pub array: Option<(Type, usize)>,
}

/// The encoding that a type is given, or the module that replaces it.
pub enum How {
    Plain,
    Bits(u8),
    VarInt,
    Fixed {
        min: f64,
        max: f64,
        scale: u32,
        clamp: bool,
    },
    Rotation {
        bits: u8,
    },
    Angle {
        bits: u8,
    },
    Range {
        min: i64,
        max: i64,
    },
    With(Path),
}

impl Kind {
    pub fn new(ty: &Type, attrs: &FieldAttrs) -> Result<Self> {
        if attrs.skip {
            attrs.only(&["skip"], "a field that is skipped")?;
            return Ok(Self::Skip);
        }
        let encoded = |how, threshold, count, array| {
            Self::Fields(Box::new(Encoded {
                ty: bare(ty).clone(),
                how,
                threshold,
                count,
                array,
            }))
        };
        if let Some(path) = &attrs.with {
            attrs.only(&["with", "id", "name"], "a field that a module replicates")?;
            return Ok(encoded(How::With(path.clone()), None, None, None));
        }
        let (element, length) = array(ty)?;
        let primitive = primitive(element);
        let is_quaternion = primitive == Some(Primitive::Float(32)) && length == Some(4);
        if let Some(bits) = attrs.rotation {
            if primitive.is_some() && !is_quaternion {
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
            let bits = bits.value as u8;
            let count = is_quaternion.then_some(4);
            return Ok(encoded(How::Rotation { bits }, None, count, None));
        }
        let or = match primitive {
            None => ", or `angle(bits = …)`",
            Some(_) if is_quaternion => ", or `rotation(bits = …)` if this is one",
            Some(_) => "",
        };
        let mut leaves = Leaves::default();
        leaves.collect(ty)?;
        for primitive in &leaves.primitives {
            primitive.check(ty, or, attrs)?;
        }
        let how = How::new(ty, &leaves, attrs)?;
        let threshold = threshold(&how, attrs)?;
        Ok(match (primitive, length) {
            (Some(_), Some(length)) => {
                let array = Some((element.clone(), length));
                encoded(how, threshold, Some(length), array)
            }
            (Some(_), None) => encoded(how, threshold, Some(1), None),
            (None, _) => encoded(how, threshold, None, None),
        })
    }

    /// Returns the number of its fields on the wire; `None` if only the type knows.
    pub const fn count(&self) -> Option<usize> {
        match self {
            Self::Skip => Some(0),
            Self::Fields(encoded) => encoded.count,
        }
    }
}

impl How {
    /// Determines the encoding that the attributes choose; each number in the type allows it.
    fn new(ty: &Type, leaves: &Leaves, attrs: &FieldAttrs) -> Result<Self> {
        let mut given = ["bits", "varint", "fixed", "angle", "range"]
            .into_iter()
            .filter_map(|key| Some((key, attrs.span_of(key)?)));
        if let (Some((first, _)), Some((second, span))) = (given.next(), given.next()) {
            return Err(Error::new(
                span,
                format!("`{first}` and `{second}` are two ways to write a number: choose one"),
            ));
        }
        Ok(if let Some(fixed) = &attrs.fixed {
            Self::Fixed {
                min: fixed.min,
                max: fixed.max,
                scale: fixed.scale,
                clamp: attrs.clamp,
            }
        } else if let Some(span) = attrs.span_of("clamp") {
            return Err(Error::new(span, "`clamp` needs `fixed` beside it"));
        } else if let Some(bits) = attrs.bits {
            match u8::try_from(bits.value) {
                Ok(value @ 1..=64) => Self::Bits(value),
                _ => {
                    return Err(Error::new(
                        bits.span,
                        format!(
                            "the `bits` of an integer go from 1 to 64, these are {}",
                            bits.value
                        ),
                    ));
                }
            }
        } else if attrs.varint {
            Self::VarInt
        } else if let Some(angle) = attrs.angle {
            attrs.only(&["angle", "id", "name"], "an angle")?;
            Self::Angle {
                bits: angle.value as u8,
            }
        } else if let Some(range) = attrs.range {
            Self::Range {
                min: range.min,
                max: range.max,
            }
        } else {
            if leaves.others
                && let Some(threshold) = attrs.threshold
            {
                return Err(Error::new(
                    threshold.span,
                    format!(
                        "`threshold` does not apply to {}, which has fields of its own: write it there",
                        text(ty)
                    ),
                ));
            }
            Self::Plain
        })
    }
}

/// The types that an `Option`, an array or a tuple consists of.
#[derive(Default)]
struct Leaves {
    primitives: Vec<Primitive>,
    /// Whether there are types that are not known by name.
    others: bool,
}

impl Leaves {
    fn collect(&mut self, ty: &Type) -> Result<()> {
        match bare(ty) {
            Type::Array(array) => self.collect(&array.elem),
            Type::Tuple(tuple) if !tuple.elems.is_empty() => {
                tuple.elems.iter().try_for_each(|part| self.collect(part))
            }
            Type::Path(path) => {
                let last = path.path.segments.last();
                let name = last.map(|last| last.ident.to_string()).unwrap_or_default();
                if let Some(primitive) = primitive(bare(ty)) {
                    self.primitives.push(primitive);
                } else if UNSUPPORTED.iter().any(|(known, _)| *known == name) {
                    return Err(unsupported(ty, &name));
                } else if let ("Option", Some(inner)) = (name.as_str(), last.and_then(argument)) {
                    self.collect(inner)?;
                } else {
                    self.others = true;
                }
                Ok(())
            }
            Type::Macro(_) => {
                self.others = true;
                Ok(())
            }
            other => Err(unsupported(other, "")),
        }
    }
}

/// Returns the type between the brackets.
fn argument(segment: &syn::PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

impl Primitive {
    /// Checks that the attributes of a field of type `ty` suit this number in it. `or` is the advice
    /// besides `fixed`.
    fn check(self, ty: &Type, or: &str, attrs: &FieldAttrs) -> Result<()> {
        let name = self.name();
        match self {
            Self::Bool => attrs.only(&["id", "name"], "a bool"),
            Self::Unsigned(width) | Self::Signed(width) => {
                let known = ["id", "name", "bits", "varint", "range", "threshold"];
                attrs.only(&known, &name)?;
                check_range(self, width, attrs)?;
                check_integer(&name, width, attrs)
            }
            Self::Float(_) => {
                let known = ["id", "name", "fixed", "clamp", "angle", "threshold"];
                attrs.only(&known, &name)?;
                if attrs.fixed.is_some() || attrs.angle.is_some() {
                    return Ok(());
                }
                Err(Error::new_spanned(
                    ty,
                    format!(
                        "{name} needs bounds and a precision: `fixed(min = …, max = …, step = …)`{or}"
                    ),
                ))
            }
        }
    }
}

/// Checks that a type holds all numbers of its range.
fn check_range(primitive: Primitive, width: u8, attrs: &FieldAttrs) -> Result<()> {
    let Some(range) = attrs.range else {
        return Ok(());
    };
    let (least, most) = if matches!(primitive, Primitive::Signed(_)) {
        (i128::MIN >> (128 - width), i128::MAX >> (128 - width))
    } else {
        (0, i128::MAX >> (127 - width))
    };
    if least <= range.min.into() && i128::from(range.max) <= most {
        return Ok(());
    }
    Err(Error::new(
        range.span,
        format!(
            "{} holds {least} to {most}, this range goes from {} to {}",
            primitive.name(),
            range.min,
            range.max
        ),
    ))
}

/// Checks the encoding of an integer of `width` bits.
fn check_integer(name: &str, width: u8, attrs: &FieldAttrs) -> Result<()> {
    if attrs.varint {
        if let Some(bits) = attrs.bits {
            return Err(Error::new(
                bits.span,
                "`bits` and `varint` are two ways to write a number: choose one",
            ));
        }
        if width > 32 {
            return Err(Error::new(
                attrs
                    .span_of("varint")
                    .unwrap_or_else(proc_macro2::Span::call_site),
                format!(
                    "a varint holds 32 bits, {name} has {width}: choose a smaller type or `bits`"
                ),
            ));
        }
    }
    match attrs.bits {
        Some(bits) if !(1..=u64::from(width)).contains(&bits.value) => Err(Error::new(
            bits.span,
            format!(
                "the `bits` of {name} go from 1 to {width}, these are {}",
                bits.value
            ),
        )),
        _ => Ok(()),
    }
}

fn threshold(how: &How, attrs: &FieldAttrs) -> Result<Option<u32>> {
    let Some(threshold) = attrs.threshold else {
        return Ok(None);
    };
    let units = match how {
        How::Fixed { scale, .. } => (threshold.value * f64::from(*scale)).round(),
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
        // The compiler knows the length, but the macro does not.
        return Ok((bare(ty), None));
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

const TEXT: &str = "the wire has no texts: send a number that stands for it, use `with = module`, or leave it out with `skip`";
const LIST: &str = "the number of its elements changes: make each an entity, use an array, use `with = module`, or leave it out with `skip`";
const POINTER: &str =
    "only what it points to could be: use `with = module`, or leave it out with `skip`";

/// Types that are often tried, and the advice.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "usize",
        "its width differs between machines: use u32 or u64",
    ),
    (
        "isize",
        "its width differs between machines: use i32 or i64",
    ),
    ("u128", "the wire holds 64 bits"),
    ("i128", "the wire holds 64 bits"),
    ("String", TEXT),
    ("str", TEXT),
    ("char", TEXT),
    ("Vec", LIST),
    ("VecDeque", LIST),
    ("HashMap", LIST),
    ("HashSet", LIST),
    ("BTreeMap", LIST),
    ("BTreeSet", LIST),
    ("Box", POINTER),
    ("Rc", POINTER),
    ("Arc", POINTER),
];

fn unsupported(ty: &Type, name: &str) -> Error {
    let advice = UNSUPPORTED
        .iter()
        .find(|(known, _)| *known == name)
        .map_or(POINTER, |(_, advice)| advice);
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
