//! Parses `#[replicate(…)]`, without knowledge of the field's type.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Lit, LitInt, LitStr, Path, Result, Token};

/// A number in an attribute: `0.05`, `-512`.
#[derive(Clone, Copy)]
pub struct Number {
    pub value: f64,
    pub span: Span,
}

impl Parse for Number {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let minus: Option<Token![-]> = input.parse()?;
        let start = input.span();
        let value: f64 = match input.parse::<Lit>() {
            Ok(Lit::Float(value)) => value.base10_parse()?,
            Ok(Lit::Int(value)) => value.base10_parse()?,
            _ => return Err(Error::new(start, "a number like -512.0 is expected here")),
        };
        if !value.is_finite() {
            return Err(Error::new(start, "this number is too large for an f64"));
        }
        let span = minus.map_or(start, |minus| minus.span().join(start).unwrap_or(start));
        let value = if minus.is_some() { -value } else { value };
        Ok(Self { value, span })
    }
}

/// A whole number and its position.
#[derive(Clone, Copy)]
pub struct Whole {
    pub value: u64,
    pub span: Span,
}

impl Parse for Whole {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let value: LitInt = input
            .parse()
            .map_err(|why| Error::new(why.span(), "a whole number is expected here"))?;
        Ok(Self {
            value: value.base10_parse()?,
            span: value.span(),
        })
    }
}

/// `range(min = …, max = …)`.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub min: i64,
    pub max: i64,
    pub span: Span,
}

impl Bounds {
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let (mut min, mut max): (Option<Integer>, Option<Integer>) = (None, None);
        let mut seen = Vec::new();
        meta.parse_nested_meta(|meta| {
            let key = key_of(&meta);
            once(&mut seen, &key, &meta)?;
            match key.as_str() {
                "min" => min = Some(meta.value()?.parse()?),
                "max" => max = Some(meta.value()?.parse()?),
                _ => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        format!("`range` has no `{key}`: known are `min` and `max`"),
                    ));
                }
            }
            Ok(())
        })?;
        let span = meta.path.span();
        let (Some(Integer(min)), Some(Integer(max))) = (min, max) else {
            return Err(Error::new(
                span,
                "`range` needs both bounds: `min = 1, max = 100`",
            ));
        };
        if min >= max {
            return Err(Error::new(
                span,
                format!("`min` has to be below `max`: {min} is not below {max}"),
            ));
        }
        Ok(Self { min, max, span })
    }
}

/// A whole number that may be negative.
struct Integer(i64);

impl Parse for Integer {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let minus: Option<Token![-]> = input.parse()?;
        let start = input.span();
        let digits: LitInt = input
            .parse()
            .map_err(|why| Error::new(why.span(), "a whole number is expected here"))?;
        let value: i128 = digits.base10_parse()?;
        let value = if minus.is_some() { -value } else { value };
        let value = i64::try_from(value);
        value
            .map(Self)
            .map_err(|_| Error::new(start, "this number is too large for an i64"))
    }
}

/// The attributes of a struct or an enum that is a part of a component.
#[derive(Default)]
pub struct PartAttrs {
    pub krate: Option<Path>,
}

impl PartAttrs {
    pub fn parse(attrs: &[Attribute]) -> Result<Self> {
        let mut all = Self::default();
        for_each_key(attrs, |key, meta| {
            match key {
                "crate" => all.krate = Some(meta.value()?.parse::<LitStr>()?.parse()?),
                "component" => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        "a part of a component has no id of its own: write `#[derive(Replicate)]` for a component",
                    ));
                }
                _ => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        format!("a part of a component has no `{key}`: known is `crate`"),
                    ));
                }
            }
            Ok(())
        })?;
        Ok(all)
    }
}

/// The attributes of a variant.
#[derive(Default)]
pub struct VariantAttrs {
    pub name: Option<LitStr>,
}

impl VariantAttrs {
    pub fn parse(attrs: &[Attribute]) -> Result<Self> {
        let mut all = Self::default();
        for_each_key(attrs, |key, meta| {
            if key != "name" {
                return Err(Error::new_spanned(
                    &meta.path,
                    format!("a variant has no `{key}`: known is `name`"),
                ));
            }
            all.name = Some(meta.value()?.parse()?);
            Ok(())
        })?;
        Ok(all)
    }
}

/// The attributes of a struct or an enum that is a component.
#[derive(Default)]
pub struct StructAttrs {
    pub component: Option<Whole>,
    pub name: Option<LitStr>,
    pub krate: Option<Path>,
}

impl StructAttrs {
    pub fn parse(attrs: &[Attribute]) -> Result<Self> {
        let mut all = Self::default();
        for_each_key(attrs, |key, meta| {
            match key {
                "component" => all.component = Some(meta.value()?.parse()?),
                "name" => all.name = Some(meta.value()?.parse()?),
                "crate" => all.krate = Some(meta.value()?.parse::<LitStr>()?.parse()?),
                _ => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        format!(
                            "a component has no `{key}`: known are `component`, `name` and `crate`"
                        ),
                    ));
                }
            }
            Ok(())
        })?;
        Ok(all)
    }
}

/// `fixed(min = …, max = …, step = …)`, or with `scale` instead of `step`.
pub struct Fixed {
    pub min: f64,
    pub max: f64,
    /// The number of units per 1.0.
    pub scale: u32,
}

impl Fixed {
    fn parse(meta: &ParseNestedMeta<'_>) -> Result<Self> {
        let (mut min, mut max): (Option<Number>, Option<Number>) = (None, None);
        let (mut step, mut scale): (Option<Number>, Option<Whole>) = (None, None);
        let mut seen = Vec::new();
        meta.parse_nested_meta(|meta| {
            let key = key_of(&meta);
            once(&mut seen, &key, &meta)?;
            match key.as_str() {
                "min" => min = Some(meta.value()?.parse()?),
                "max" => max = Some(meta.value()?.parse()?),
                "step" => step = Some(meta.value()?.parse()?),
                "scale" => scale = Some(meta.value()?.parse()?),
                _ => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        format!(
                            "`fixed` has no `{key}`: known are `min`, `max`, `step` and `scale`"
                        ),
                    ));
                }
            }
            Ok(())
        })?;
        let (Some(min), Some(max)) = (min, max) else {
            return Err(Error::new_spanned(
                &meta.path,
                "`fixed` needs both bounds: `min` and `max`",
            ));
        };
        let scale = match (step, scale) {
            (Some(step), None) => scale_of_step(step)?,
            (None, Some(scale)) => match u32::try_from(scale.value) {
                Ok(value @ 1..) => value,
                _ => {
                    return Err(Error::new(
                        scale.span,
                        format!("`scale` goes from 1 to 4294967295, this is {}", scale.value),
                    ));
                }
            },
            _ => {
                return Err(Error::new_spanned(
                    &meta.path,
                    "`fixed` needs its precision, once: `step = 0.01`, or `scale = 100` units per 1.0",
                ));
            }
        };
        if min.value >= max.value {
            return Err(Error::new(
                min.span,
                format!(
                    "`min` has to be below `max`: {} is not below {}",
                    min.value, max.value
                ),
            ));
        }
        for bound in [min, max] {
            // Beyond 2^53, an f64 cannot distinguish neighbouring units.
            if (bound.value * f64::from(scale)).abs() > 9_007_199_254_740_992.0 {
                return Err(Error::new(
                    bound.span,
                    format!(
                        "{} at scale {scale} is more than 2^53 units: an f64 is not that precise",
                        bound.value
                    ),
                ));
            }
        }
        Ok(Self {
            min: min.value,
            max: max.value,
            scale,
        })
    }
}

/// The maximum relative difference between `1 / step` and a whole number, so that a third can be
/// written as 0.333333333.
const STEP_TOLERANCE: f64 = 1e-8;

fn scale_of_step(step: Number) -> Result<u32> {
    let scale = (1.0 / step.value).round();
    if step.value > 0.0
        && (1.0..=f64::from(u32::MAX)).contains(&scale)
        && (scale * step.value - 1.0).abs() <= STEP_TOLERANCE
    {
        return Ok(scale as u32);
    }
    Err(Error::new(
        step.span,
        format!(
            "`step` has to be 1 divided by a whole number, like 0.01 or 0.125: {} is not",
            step.value
        ),
    ))
}

/// The attributes of a field.
#[derive(Default)]
pub struct FieldAttrs {
    pub id: Option<Whole>,
    pub name: Option<LitStr>,
    pub bits: Option<Whole>,
    pub threshold: Option<Number>,
    pub fixed: Option<Fixed>,
    pub rotation: Option<Whole>,
    pub angle: Option<Whole>,
    pub range: Option<Bounds>,
    pub with: Option<Path>,
    pub varint: bool,
    pub clamp: bool,
    pub skip: bool,
    /// The keys and their positions.
    keys: Vec<(String, Span)>,
}

impl FieldAttrs {
    pub fn parse(attrs: &[Attribute]) -> Result<Self> {
        let mut all = Self::default();
        let keys = for_each_key(attrs, |key, meta| {
            match key {
                "id" => all.id = Some(meta.value()?.parse()?),
                "name" => all.name = Some(meta.value()?.parse()?),
                "bits" => all.bits = Some(meta.value()?.parse()?),
                "threshold" => all.threshold = Some(meta.value()?.parse()?),
                "fixed" => all.fixed = Some(Fixed::parse(meta)?),
                "rotation" => all.rotation = Some(parse_bits(meta, "rotation", 2, 24)?),
                "angle" => all.angle = Some(parse_bits(meta, "angle", 1, 32)?),
                "range" => all.range = Some(Bounds::parse(meta)?),
                "with" => all.with = Some(meta.value()?.parse()?),
                "varint" => all.varint = true,
                "clamp" => all.clamp = true,
                "skip" => all.skip = true,
                _ => {
                    return Err(Error::new_spanned(
                        &meta.path,
                        format!(
                            "a field has no `{key}`: known are `angle`, `bits`, `clamp`, `fixed`, `id`, `name`, `range`, `rotation`, `skip`, `threshold`, `varint` and `with`"
                        ),
                    ));
                }
            }
            Ok(())
        })?;
        all.keys = keys;
        Ok(all)
    }

    /// Returns the position of a key.
    pub fn span_of(&self, key: &str) -> Option<Span> {
        let (_, span) = self.keys.iter().find(|(name, _)| name == key)?;
        Some(*span)
    }

    /// Returns an error at the first key that is not in `known`.
    pub fn only(&self, known: &[&str], what: &str) -> Result<()> {
        match self
            .keys
            .iter()
            .find(|(key, _)| !known.contains(&key.as_str()))
        {
            Some((key, span)) => Err(Error::new(
                *span,
                format!("`{key}` does not apply to {what}"),
            )),
            None => Ok(()),
        }
    }
}

/// Parses `rotation(bits = …)` and `angle(bits = …)`.
fn parse_bits(meta: &ParseNestedMeta<'_>, what: &str, min: u64, max: u64) -> Result<Whole> {
    let mut bits: Option<Whole> = None;
    let mut seen = Vec::new();
    meta.parse_nested_meta(|meta| {
        let key = key_of(&meta);
        once(&mut seen, &key, &meta)?;
        if key != "bits" {
            return Err(Error::new_spanned(
                &meta.path,
                format!("`{what}` has no `{key}`: known is `bits`"),
            ));
        }
        bits = Some(meta.value()?.parse()?);
        Ok(())
    })?;
    let article = if what == "angle" { "an" } else { "a" };
    match bits {
        Some(bits) if (min..=max).contains(&bits.value) => Ok(bits),
        Some(bits) => Err(Error::new(
            bits.span,
            format!(
                "the `bits` of {article} {what} go from {min} to {max}, these are {}",
                bits.value
            ),
        )),
        None => Err(Error::new_spanned(
            &meta.path,
            format!("`{what}` needs its precision: `bits = 10`"),
        )),
    }
}

fn key_of(meta: &ParseNestedMeta<'_>) -> String {
    let segments = meta.path.segments.iter();
    let names: Vec<_> = segments.map(|part| part.ident.to_string()).collect();
    names.join("::")
}

fn once(seen: &mut Vec<(String, Span)>, key: &str, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if seen.iter().any(|(other, _)| other == key) {
        return Err(Error::new_spanned(
            &meta.path,
            format!("`{key}` is given twice"),
        ));
    }
    seen.push((key.to_owned(), meta.path.span()));
    Ok(())
}

/// Visits the keys of all `#[replicate(…)]`, and returns them with their positions.
fn for_each_key(
    attrs: &[Attribute],
    mut take: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<()>,
) -> Result<Vec<(String, Span)>> {
    let mut seen = Vec::new();
    for attr in attrs {
        if attr.path().is_ident("replicate") {
            attr.parse_nested_meta(|meta| {
                let key = key_of(&meta);
                once(&mut seen, &key, &meta)?;
                take(&key, &meta)
            })?;
        }
    }
    Ok(seen)
}
