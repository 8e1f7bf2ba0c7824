//! The code of a shape: its fields, writing and reading.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, Type};

use super::shape::{Replicated, Shape, Variant};
use crate::kind::{Encoded, How, Kind};

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
        let constants = fields
            .iter()
            .filter_map(|field| constant(field, krate))
            .collect();
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

/// Returns a type as one that says itself what its fields are, or the module in its place. Errors point
/// to the type.
fn part(ty: &Type, how: &How, krate: &Path) -> TokenStream {
    if let How::With(module) = how {
        return module.to_token_stream();
    }
    let encoding = encoding(how, krate).map(|(ty, _)| ty);
    quote_spanned!(ty.span()=> <#ty as #krate::ReplicateField<#encoding>>)
}

/// Returns the argument that a type takes and a module does not.
fn argument(encoded: &Encoded, encoding: &Ident) -> Option<TokenStream> {
    match encoded.how {
        How::With(_) => None,
        _ => Some(quote!(&#encoding,)),
    }
}

fn constant(field: &Replicated, krate: &Path) -> Option<TokenStream> {
    let Kind::Fields(encoded) = &field.kind else {
        return None;
    };
    let name = &field.encoding;
    let (ty, value) = encoding(&encoded.how, krate)?;
    Some(quote!(const #name: #ty = #value;))
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
    match (field.kind.count(), &field.kind) {
        (Some(count), _) => quote!(#count),
        (None, Kind::Fields(encoded)) => {
            let part = part(&encoded.ty, &encoded.how, krate);
            quote!(#part::FIELDS)
        }
        (None, Kind::Skip) => TokenStream::new(),
    }
}

/// Returns the statements that add the fields on the wire to `list`.
fn listing(field: &Replicated, krate: &Path) -> TokenStream {
    let Kind::Fields(encoded) = &field.kind else {
        return TokenStream::new();
    };
    let name = &field.name;
    let start = field
        .id
        .map(|id| quote!(#krate::FieldList::start_at(&mut list, #id);));
    let threshold = encoded.threshold.map_or_else(
        || quote!(::core::option::Option::None),
        |units| quote!(::core::option::Option::Some(#units)),
    );
    let part = part(&encoded.ty, &encoded.how, krate);
    let encoding = argument(encoded, &field.encoding);
    quote! {
        #start
        #krate::FieldList::add(&mut list, #name, #threshold, #part::fields(#encoding));
    }
}

/// Returns the statements that write the field at `place`.
fn write(field: &Replicated, place: &TokenStream, krate: &Path) -> TokenStream {
    let Kind::Fields(encoded) = &field.kind else {
        return TokenStream::new();
    };
    let part = part(&encoded.ty, &encoded.how, krate);
    let encoding = argument(encoded, &field.encoding);
    quote!(#part::write(&#place, #encoding to)?;)
}

/// Returns the expression that reads a field.
fn read(field: &Replicated, krate: &Path) -> TokenStream {
    let Kind::Fields(encoded) = &field.kind else {
        return quote!(::core::default::Default::default());
    };
    let encoding = argument(encoded, &field.encoding);
    let one = |ty: &Type| {
        let part = part(ty, &encoded.how, krate);
        quote!(#part::read(#encoding from)?)
    };
    match &encoded.array {
        // One by one: the array's own implementation needs a vector.
        Some((element, length)) => {
            let reads = std::iter::repeat_n(one(element), *length);
            quote!([#(#reads),*])
        }
        None => one(&encoded.ty),
    }
}
