//! Generates the `impl` from the struct or the enum.

mod code;
mod shape;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DeriveInput, Error, Path, Result, parse_quote};

use crate::attrs::{PartAttrs, StructAttrs};
use shape::{Ids, Shape};

/// Implements `Replicate`.
pub fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let shape = Shape::read(input, Ids::Own);
    let attrs = StructAttrs::parse(&input.attrs);
    let (attrs, shape) = both(attrs, shape)?;
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
    let krate = krate(attrs.krate);
    let ident = &input.ident;
    let code = shape.code(&krate);
    let (constants, count) = (&code.constants, &code.count);
    let (list, write, read) = (&code.list, &code.write, &code.read);
    Ok(quote! {
        const _: () = {
            #constants
            const _: () = ::core::assert!(#count <= 64, "a component has at most 64 fields");

            #[automatically_derived]
            #[allow(clippy::cast_possible_truncation)]
            impl #krate::Replicate for #ident {
                const COMPONENT: ::core::primitive::u16 = #component;

                fn component() -> #krate::Component {
                    let mut list = #krate::FieldList::new();
                    #list
                    #krate::Component::named(
                        #krate::Component::new(#component, #krate::FieldList::finish(list)),
                        #name,
                    )
                }

                #[inline]
                fn write(
                    &self,
                    to: &mut #krate::ValueWriter<'_>,
                ) -> ::core::result::Result<(), #krate::ValueError> {
                    let _ = &to;
                    #write
                    ::core::result::Result::Ok(())
                }

                #[inline]
                fn read(
                    from: &mut #krate::ValueReader<'_>,
                ) -> ::core::result::Result<Self, #krate::ValueError> {
                    let _ = &from;
                    ::core::result::Result::Ok(#read)
                }
            }
        };
    })
}

/// Implements `ReplicateField`.
pub fn expand_field(input: &DeriveInput) -> Result<TokenStream> {
    let shape = Shape::read(input, Ids::OfComponent);
    let (attrs, shape) = both(PartAttrs::parse(&input.attrs), shape)?;
    let krate = krate(attrs.krate);
    let ident = &input.ident;
    let code = shape.code(&krate);
    let (constants, count) = (&code.constants, &code.count);
    let (list, write, read) = (&code.list, &code.write, &code.read);
    Ok(quote! {
        const _: () = {
            #constants

            #[automatically_derived]
            #[allow(clippy::cast_possible_truncation)]
            impl #krate::ReplicateField for #ident {
                const FIELDS: ::core::primitive::usize = #count;

                fn fields((): &()) -> #krate::FieldList {
                    let mut list = #krate::FieldList::new();
                    #list
                    list
                }

                #[inline]
                fn write(
                    &self,
                    (): &(),
                    to: &mut #krate::ValueWriter<'_>,
                ) -> ::core::result::Result<(), #krate::ValueError> {
                    let _ = &to;
                    #write
                    ::core::result::Result::Ok(())
                }

                #[inline]
                fn read(
                    (): &(),
                    from: &mut #krate::ValueReader<'_>,
                ) -> ::core::result::Result<Self, #krate::ValueError> {
                    let _ = &from;
                    ::core::result::Result::Ok(#read)
                }
            }
        };
    })
}

/// Returns both, or all errors at once.
fn both<A, B>(a: Result<A>, b: Result<B>) -> Result<(A, B)> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(mut why), Err(also)) => {
            why.combine(also);
            Err(why)
        }
        (Err(why), _) | (_, Err(why)) => Err(why),
    }
}

fn krate(given: Option<Path>) -> Path {
    given.unwrap_or_else(|| parse_quote!(::gametape_delta))
}

/// Returns an id, which is not 0.
pub fn nonzero(id: u64) -> Option<u16> {
    u16::try_from(id).ok().filter(|id| *id > 0)
}

/// Converts a name to snake case: `HTTPShip2` becomes `http_ship2`.
pub fn snake_case(name: &str) -> String {
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
