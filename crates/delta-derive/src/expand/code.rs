//! The code of a shape: its fields, writing and reading.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

use super::shape::{Replicated, Shape, Variant};
use crate::kind::{Codec, How, Kind, Other, Primitive, Value};

pub struct Code {
    /// The encodings.
    pub constants: TokenStream,
    /// The number of fields on the wire.
    pub count: TokenStream,
    /// Statements that add the fields to `list`.
    pub list: TokenStream,
    /// Statements that write `self` to `to`.
    pub write: TokenStream,
    /// An expression that reads from `from`.
    pub read: TokenStream,
}

impl Shape {
    pub fn code(&self, krate: &Path) -> Code {
        let fields = self.all_fields();
        let constants = fields.iter().map(|field| constant(field, krate)).collect();
        let counts = fields.iter().map(|field| count(field, krate));
        match self {
            Self::Struct(fields) => {
                let list = fields.iter().map(|field| listing(field, krate));
                let writes = fields.iter().map(|field| {
                    let member = &field.member;
                    write(field, &quote!(self.#member), krate)
                });
                let reads = reads(fields, krate);
                Code {
                    constants,
                    count: quote!((0usize #(+ #counts)*)),
                    list: list.collect(),
                    write: writes.collect(),
                    read: quote!(Self { #reads }),
                }
            }
            Self::Enum { name, variants } => {
                let bits = bits_of(variants.len());
                let listings = fields.iter().map(|field| listing(field, krate));
                let list = quote! {
                    #krate::FieldList::add(
                        &mut list,
                        #name,
                        ::core::option::Option::None,
                        [#krate::Field::part(#krate::Codec::UInt { bits: #bits })],
                    );
                    #(#listings)*
                };
                Code {
                    constants,
                    count: quote!((1usize #(+ #counts)*)),
                    list,
                    write: write_enum(variants, krate),
                    read: read_enum(variants, krate),
                }
            }
        }
    }

    fn all_fields(&self) -> Vec<&Replicated> {
        match self {
            Self::Struct(fields) => fields.iter().collect(),
            Self::Enum { variants, .. } => variants.iter().flat_map(|v| &v.fields).collect(),
        }
    }
}

/// Returns the number of bits for one of `variants` numbers.
const fn bits_of(variants: usize) -> u8 {
    let last = variants.saturating_sub(1);
    let bits = (usize::BITS - last.leading_zeros()) as u8;
    if bits == 0 { 1 } else { bits }
}

/// Returns the numbers of fields of the variants before one, and after it.
fn around(variants: &[Variant], at: usize, krate: &Path) -> (TokenStream, TokenStream) {
    let sum = |part: Option<&[Variant]>| {
        let fields = part.unwrap_or_default().iter().flat_map(|v| &v.fields);
        let counts = fields.map(|field| count(field, krate));
        quote!(const { 0usize #(+ #counts)* })
    };
    (sum(variants.get(..at)), sum(variants.get(at + 1..)))
}

fn write_enum(variants: &[Variant], krate: &Path) -> TokenStream {
    let arms = variants.iter().enumerate().map(|(at, variant)| {
        let ident = &variant.ident;
        let number = at as u64;
        let (before, after) = around(variants, at, krate);
        let patterns = variant.fields.iter().enumerate().map(|(at, field)| {
            let (member, name) = (&field.member, format_ident!("field_{at}"));
            if let Kind::Skip = field.kind {
                return quote!(#member: _);
            }
            quote!(#member: #name)
        });
        let writes = variant.fields.iter().enumerate().map(|(at, field)| {
            let name = format_ident!("field_{at}");
            write(field, &quote!((*#name)), krate)
        });
        quote! {
            Self::#ident { #(#patterns),* } => {
                to.value(#krate::Value::UInt(#number))?;
                to.skip(#before);
                #(#writes)*
                to.skip(#after);
            }
        }
    });
    quote!(match self { #(#arms)* })
}

fn read_enum(variants: &[Variant], krate: &Path) -> TokenStream {
    let count = variants.len() as u32;
    let arms = variants.iter().enumerate().map(|(at, variant)| {
        let ident = &variant.ident;
        let (before, after) = around(variants, at, krate);
        let reads = reads(&variant.fields, krate);
        // `variant` returns no other number.
        let pattern = if at + 1 == variants.len() {
            quote!(_)
        } else {
            let number = at as u32;
            quote!(#number)
        };
        quote! {
            #pattern => {
                from.skip(#before);
                let value = Self::#ident { #reads };
                from.skip(#after);
                value
            }
        }
    });
    quote!(match from.variant(#count)? { #(#arms)* })
}

fn reads(fields: &[Replicated], krate: &Path) -> TokenStream {
    let reads = fields.iter().map(|field| {
        let (member, value) = (&field.member, read(field, krate));
        quote!(#member: #value)
    });
    quote!(#(#reads),*)
}

/// Returns the type and the value of the encoding of a type that says itself what its fields are;
/// `None` for a module.
fn encoding(how: &How, krate: &Path) -> Option<(TokenStream, TokenStream)> {
    Some(match how {
        How::Plain => (quote!(()), quote!(())),
        How::Bits(bits) => (quote!(#krate::Bits), quote!(#krate::Bits(#bits))),
        How::VarInt => (quote!(#krate::VarInt), quote!(#krate::VarInt)),
        How::Fixed {
            min,
            max,
            scale,
            clamp,
        } => {
            let fixed = fixed(*min, *max, *scale, krate);
            if *clamp {
                (quote!(#krate::Clamped), quote!(#krate::Clamped(#fixed)))
            } else {
                (quote!(#krate::FixedPoint), fixed)
            }
        }
        How::Rotation { bits } => (
            quote!(#krate::SmallestThree),
            quote!(#krate::SmallestThree::new(#bits)),
        ),
        How::Angle { bits } => (quote!(#krate::Angle), quote!(#krate::Angle { bits: #bits })),
        How::Range { min, max } => (
            quote!(#krate::Range),
            quote!(#krate::Range { min: #min, max: #max }),
        ),
        How::With(_) => return None,
    })
}

/// Returns the type as one that says itself what its fields are. Errors point to it.
fn part(other: &Other, krate: &Path) -> TokenStream {
    if let How::With(module) = &other.how {
        return module.to_token_stream();
    }
    let encoding = encoding(&other.how, krate).map(|(ty, _)| ty);
    let ty = &other.ty;
    quote_spanned!(ty.span()=> <#ty as #krate::ReplicateField<#encoding>>)
}

/// Returns the argument that a type takes and a module does not.
fn argument(other: &Other, encoding: &Ident) -> Option<TokenStream> {
    match other.how {
        How::With(_) => None,
        _ => Some(quote!(&#encoding,)),
    }
}

fn constant(field: &Replicated, krate: &Path) -> TokenStream {
    let name = &field.encoding;
    let (ty, value) = match &field.kind {
        Kind::One(Value {
            codec: Codec::Fixed {
                min, max, scale, ..
            },
            ..
        })
        | Kind::Array(
            Value {
                codec: Codec::Fixed {
                    min, max, scale, ..
                },
                ..
            },
            _,
        ) => (quote!(#krate::FixedPoint), fixed(*min, *max, *scale, krate)),
        Kind::Rotation { bits } => (
            quote!(#krate::SmallestThree),
            quote!(#krate::SmallestThree::new(#bits)),
        ),
        Kind::Other(other) => match encoding(&other.how, krate) {
            Some(encoding) => encoding,
            None => return TokenStream::new(),
        },
        Kind::One(_) | Kind::Array(..) | Kind::Skip => return TokenStream::new(),
    };
    quote!(const #name: #ty = #value;)
}

fn fixed(min: f64, max: f64, scale: u32, krate: &Path) -> TokenStream {
    let (min, max) = (literal(min), literal(max));
    quote!(#krate::FixedPoint::new(#min, #max, #scale))
}

/// Writes a number as tokens. A literal token cannot be negative.
fn literal(value: f64) -> TokenStream {
    let size = value.abs();
    if value < 0.0 {
        quote!(-#size)
    } else {
        quote!(#size)
    }
}

/// Returns the number of fields on the wire.
fn count(field: &Replicated, krate: &Path) -> TokenStream {
    if let Kind::Other(other) = &field.kind {
        let part = part(other, krate);
        return quote!(#part::FIELDS);
    }
    let count = field.kind.suffixes().map_or(0, |suffixes| suffixes.len());
    quote!(#count)
}

/// Returns the statements that add the fields on the wire to `list`.
fn listing(field: &Replicated, krate: &Path) -> TokenStream {
    let (name, encoding) = (&field.name, &field.encoding);
    let start = field
        .id
        .map(|id| quote!(#krate::FieldList::start_at(&mut list, #id);));
    let (threshold, fields) = match &field.kind {
        Kind::Skip => return TokenStream::new(),
        Kind::One(value) | Kind::Array(value, _) => {
            let codec = match value.codec {
                Codec::Bool => quote!(#krate::Codec::Bool),
                Codec::UInt { bits } => quote!(#krate::Codec::UInt { bits: #bits }),
                Codec::SInt { bits } => quote!(#krate::Codec::SInt { bits: #bits }),
                Codec::VarUInt => quote!(#krate::Codec::VarUInt),
                Codec::VarSInt => quote!(#krate::Codec::VarSInt),
                Codec::Fixed { .. } => quote!(#encoding.codec()),
            };
            (value.threshold, parts(field, krate, |_| codec.clone()))
        }
        Kind::Rotation { .. } => {
            let codec = |at| quote!(#encoding.codecs()[#at]);
            (None, parts(field, krate, codec))
        }
        Kind::Other(other) => {
            let part = part(other, krate);
            let encoding = argument(other, encoding);
            (other.threshold, quote!(#part::fields(#encoding)))
        }
    };
    let threshold = threshold.map_or_else(
        || quote!(::core::option::Option::None),
        |units| quote!(::core::option::Option::Some(#units)),
    );
    quote! {
        #start
        #krate::FieldList::add(&mut list, #name, #threshold, #fields);
    }
}

/// Returns an array of the fields on the wire.
fn parts(field: &Replicated, krate: &Path, codec: impl Fn(usize) -> TokenStream) -> TokenStream {
    let suffixes = field.kind.suffixes().unwrap_or_default();
    let parts = suffixes.iter().enumerate().map(|(at, suffix)| {
        let codec = codec(at);
        let part = quote!(#krate::Field::part(#codec));
        if suffix.is_empty() {
            part
        } else {
            quote!(#krate::Field::named(#part, #suffix))
        }
    });
    let count = suffixes.len();
    quote!({
        let fields: [#krate::Field; #count] = [#(#parts),*];
        fields
    })
}

/// Returns the statements that write the field at `place`.
fn write(field: &Replicated, place: &TokenStream, krate: &Path) -> TokenStream {
    let encoding = &field.encoding;
    match &field.kind {
        Kind::One(value) => write_value(*value, encoding, place, krate),
        Kind::Array(value, length) => {
            let names: Vec<_> = (0..*length).map(|at| format_ident!("value_{at}")).collect();
            let writes = names
                .iter()
                .map(|name| write_value(*value, encoding, &quote!(#name), krate));
            quote! {
                let [#(#names),*] = #place;
                #(#writes)*
            }
        }
        Kind::Rotation { .. } => quote!(to.rotation(&#encoding, #place)?;),
        Kind::Skip => TokenStream::new(),
        Kind::Other(other) => {
            let part = part(other, krate);
            let encoding = argument(other, encoding);
            quote!(#part::write(&#place, #encoding to)?;)
        }
    }
}

fn write_value(value: Value, quantiser: &Ident, from: &TokenStream, krate: &Path) -> TokenStream {
    let (variant, ty) = match value.codec {
        Codec::Fixed { clamp, .. } => {
            let method = if clamp {
                format_ident!("fixed_clamped")
            } else {
                format_ident!("fixed")
            };
            return quote!(to.#method(&#quantiser, ::core::primitive::f64::from(#from))?;);
        }
        Codec::Bool => ("Bool", "bool"),
        Codec::UInt { .. } => ("UInt", "u64"),
        Codec::SInt { .. } => ("SInt", "i64"),
        Codec::VarUInt => ("VarUInt", "u32"),
        Codec::VarSInt => ("VarSInt", "i32"),
    };
    let (variant, ty) = (format_ident!("{variant}"), format_ident!("{ty}"));
    quote!(to.value(#krate::Value::#variant(::core::primitive::#ty::from(#from)))?;)
}

/// Returns the expression that reads a field.
fn read(field: &Replicated, krate: &Path) -> TokenStream {
    let encoding = &field.encoding;
    match &field.kind {
        Kind::One(value) => read_value(*value, encoding),
        Kind::Array(value, length) => {
            let reads = (0..*length).map(|_| read_value(*value, encoding));
            quote!([#(#reads),*])
        }
        Kind::Rotation { .. } => quote!(from.rotation(&#encoding)?),
        Kind::Skip => quote!(::core::default::Default::default()),
        Kind::Other(other) => {
            let part = part(other, krate);
            let encoding = argument(other, encoding);
            quote!(#part::read(#encoding from)?)
        }
    }
}

fn read_value(value: Value, quantiser: &Ident) -> TokenStream {
    let ty = format_ident!("{}", value.primitive.name());
    match value.primitive {
        Primitive::Bool => quote!(from.bool()?),
        Primitive::Unsigned(_) | Primitive::Signed(_) => {
            quote!(from.number::<::core::primitive::#ty>()?)
        }
        Primitive::Float(64) => quote!(from.fixed(&#quantiser)?),
        Primitive::Float(_) => quote!(from.fixed(&#quantiser)? as ::core::primitive::#ty),
    }
}
