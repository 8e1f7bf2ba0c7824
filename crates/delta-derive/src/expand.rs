//! Generates the `impl` from the struct.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Member, Path, Result, parse_quote};

use crate::attrs::{FieldAttrs, StructAttrs};
use crate::kind::{Codec, Kind, MAX_FIELDS, Primitive, Value};

/// A field of the struct, with its encoding.
struct Replicated {
    member: Member,
    kind: Kind,
    /// The name of the constant for its quantiser, if it has one.
    quantiser: Ident,
    /// The id and the name of each of its fields on the wire.
    wire: Vec<(u16, String)>,
}

/// A struct, with the encoding of its fields.
struct Replicate {
    ident: Ident,
    component: u16,
    name: String,
    krate: Path,
    fields: Vec<Replicated>,
}

pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    Ok(implementation(&read_struct(input)?))
}

/// Reads the struct and its attributes; returns all errors at once.
fn read_struct(input: &DeriveInput) -> Result<Replicate> {
    let fields = layout(fields_of(input)?);
    let attrs = StructAttrs::parse(&input.attrs);
    let (attrs, fields) = match (attrs, fields) {
        (Ok(attrs), Ok(fields)) => (attrs, fields),
        (Err(mut why), Err(also)) => {
            why.combine(also);
            return Err(why);
        }
        (Err(why), _) | (_, Err(why)) => return Err(why),
    };
    let Some(id) = attrs.component else {
        return Err(Error::new_spanned(
            &input.ident,
            "the component needs an id: `#[replicate(component = 1)]`",
        ));
    };
    let component = nonzero(id.value).ok_or_else(|| {
        let value = id.value;
        let why = format!("a component's id goes from 1 to 65535, this is {value}");
        Error::new(id.span, why)
    })?;
    let name = attrs.name.map_or_else(
        || snake_case(&input.ident.unraw().to_string()),
        |name| name.value(),
    );
    let krate = attrs
        .krate
        .unwrap_or_else(|| parse_quote!(::gametape_delta));
    Ok(Replicate {
        ident: input.ident.clone(),
        component,
        name,
        krate,
        fields,
    })
}

fn fields_of(input: &DeriveInput) -> Result<&Fields> {
    let other = match &input.data {
        Data::Struct(_) if !input.generics.params.is_empty() => {
            return Err(Error::new_spanned(
                &input.generics,
                "a component has one layout, so its struct can't be generic",
            ));
        }
        Data::Struct(data) => return Ok(&data.fields),
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    Err(Error::new_spanned(
        &input.ident,
        format!("only a struct can be a component, this is {other}"),
    ))
}

fn implementation(replicate: &Replicate) -> TokenStream {
    let Replicate {
        ident,
        component,
        name,
        krate,
        fields,
    } = replicate;
    let quantisers = fields.iter().map(|field| quantiser(field, krate));
    let definitions: Vec<_> = fields
        .iter()
        .flat_map(|field| definitions(field, krate))
        .collect();
    let count = definitions.len();
    let writes = fields.iter().map(|field| write(field, krate));
    let reads = fields.iter().map(|field| {
        let (member, value) = (&field.member, read(field));
        quote!(#member: #value)
    });
    quote! {
        const _: () = {
            #(#quantisers)*

            #[automatically_derived]
            #[allow(clippy::cast_possible_truncation)]
            impl #krate::Replicate for #ident {
                const COMPONENT: ::core::primitive::u16 = #component;

                fn component() -> #krate::Component {
                    let fields: [#krate::Field; #count] = [#(#definitions),*];
                    #krate::Component::named(#krate::Component::new(#component, fields), #name)
                }

                #[inline]
                fn write(
                    &self,
                    to: &mut #krate::ValueWriter<'_>,
                ) -> ::core::result::Result<(), #krate::ValueError> {
                    let _ = &to;
                    #(#writes)*
                    ::core::result::Result::Ok(())
                }

                #[inline]
                fn read(
                    from: &mut #krate::ValueReader<'_>,
                ) -> ::core::result::Result<Self, #krate::ValueError> {
                    let _ = &from;
                    ::core::result::Result::Ok(Self { #(#reads),* })
                }
            }
        };
    }
}

/// Determines the ids, names and codecs of all fields; returns all errors at once.
fn layout(fields: &Fields) -> Result<Vec<Replicated>> {
    let mut all: Vec<Replicated> = Vec::new();
    let mut errors: Option<Error> = None;
    let mut refuse = |why: Error| match &mut errors {
        Some(errors) => errors.combine(why),
        None => errors = Some(why),
    };
    let mut next = 1;
    let mut taken: Vec<u16> = Vec::new();
    for (at, (member, field)) in fields.members().zip(fields).enumerate() {
        let parsed = FieldAttrs::parse(&field.attrs)
            .and_then(|attrs| Ok((Kind::new(&field.ty, &attrs)?, attrs)));
        let (kind, attrs) = match parsed {
            Ok(parsed) => parsed,
            Err(why) => {
                refuse(why);
                continue;
            }
        };
        let name = match (&attrs.name, &member) {
            (Some(name), _) => name.value(),
            (None, Member::Named(ident)) => ident.unraw().to_string(),
            (None, Member::Unnamed(index)) => index.index.to_string(),
        };
        if let Some(id) = attrs.id {
            next = id.value;
        }
        let span = attrs.id.map_or_else(|| field.span(), |id| id.span);
        let mut wire = Vec::new();
        for suffix in kind.suffixes() {
            let Some(id) = nonzero(next) else {
                refuse(Error::new(
                    span,
                    format!("a field's id goes from 1 to 65535, this is {next}"),
                ));
                break;
            };
            if taken.contains(&id) {
                refuse(Error::new(span, format!("two fields have the id {id}")));
                break;
            }
            if taken.len() == MAX_FIELDS {
                refuse(Error::new(
                    span,
                    format!("a component has at most {MAX_FIELDS} fields, this is one more"),
                ));
                break;
            }
            taken.push(id);
            wire.push((id, format!("{name}{suffix}")));
            next += 1;
        }
        all.push(Replicated {
            member,
            kind,
            quantiser: format_ident!("QUANTISER_{at}"),
            wire,
        });
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(all),
    }
}

fn nonzero(id: u64) -> Option<u16> {
    u16::try_from(id).ok().filter(|id| *id > 0)
}

fn quantiser(field: &Replicated, krate: &Path) -> TokenStream {
    let name = &field.quantiser;
    match field.kind {
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
        ) => {
            let (min, max) = (literal(min), literal(max));
            quote! {
                const #name: #krate::FixedPoint = #krate::FixedPoint::new(#min, #max, #scale);
            }
        }
        Kind::Rotation { bits } => quote! {
            const #name: #krate::SmallestThree = #krate::SmallestThree::new(#bits);
        },
        _ => TokenStream::new(),
    }
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

/// Returns the definition of each field on the wire.
fn definitions(field: &Replicated, krate: &Path) -> Vec<TokenStream> {
    let quantiser = &field.quantiser;
    let wire = field.wire.iter().enumerate();
    wire.map(|(at, (id, name))| {
        let (codec, threshold) = match field.kind {
            Kind::One(value) | Kind::Array(value, _) => {
                let codec = match value.codec {
                    Codec::Bool => quote!(#krate::Codec::Bool),
                    Codec::UInt { bits } => quote!(#krate::Codec::UInt { bits: #bits }),
                    Codec::SInt { bits } => quote!(#krate::Codec::SInt { bits: #bits }),
                    Codec::VarUInt => quote!(#krate::Codec::VarUInt),
                    Codec::VarSInt => quote!(#krate::Codec::VarSInt),
                    Codec::Fixed { .. } => quote!(#quantiser.codec()),
                };
                (codec, value.threshold)
            }
            Kind::Rotation { .. } | Kind::Skip => (quote!(#quantiser.codecs()[#at]), None),
        };
        let definition = quote!(#krate::Field::named(#krate::Field::new(#id, #codec), #name));
        match threshold {
            Some(units) => quote!(#krate::Field::threshold(#definition, #units)),
            None => definition,
        }
    })
    .collect()
}

/// Returns the statements that write a field.
fn write(field: &Replicated, krate: &Path) -> TokenStream {
    let (member, quantiser) = (&field.member, &field.quantiser);
    match field.kind {
        Kind::One(value) => write_value(value, quantiser, &quote!(self.#member), krate),
        Kind::Array(value, length) => {
            let names: Vec<_> = (0..length).map(|at| format_ident!("value_{at}")).collect();
            let writes = names
                .iter()
                .map(|name| write_value(value, quantiser, &quote!(#name), krate));
            quote! {
                let [#(#names),*] = self.#member;
                #(#writes)*
            }
        }
        Kind::Rotation { .. } => quote!(to.rotation(&#quantiser, self.#member)?;),
        Kind::Skip => TokenStream::new(),
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
fn read(field: &Replicated) -> TokenStream {
    let quantiser = &field.quantiser;
    match field.kind {
        Kind::One(value) => read_value(value, quantiser),
        Kind::Array(value, length) => {
            let reads = (0..length).map(|_| read_value(value, quantiser));
            quote!([#(#reads),*])
        }
        Kind::Rotation { .. } => quote!(from.rotation(&#quantiser)?),
        Kind::Skip => quote!(::core::default::Default::default()),
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

/// Converts a name to snake case: `HTTPShip2` becomes `http_ship2`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let starts_word = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if starts_word {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests;
