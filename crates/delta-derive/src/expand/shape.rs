//! The parts of a struct or an enum.

use proc_macro2::Span;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Ident, Member, Result};

use super::{nonzero, snake_case};
use crate::attrs::{FieldAttrs, VariantAttrs};
use crate::kind::{Kind, MAX_FIELDS};

/// A struct or an enum, with the encoding of its fields.
pub enum Shape {
    Struct(Vec<Replicated>),
    Enum {
        /// The name of the field that says which variant it is.
        name: String,
        variants: Vec<Variant>,
    },
}

pub struct Variant {
    pub ident: Ident,
    pub fields: Vec<Replicated>,
}

/// A field of a struct or a variant, with its encoding.
pub struct Replicated {
    pub member: Member,
    pub kind: Kind,
    /// The name of the constant for its encoding, if it has one.
    pub encoding: Ident,
    /// The name on the wire, before those of the fields within it.
    pub name: String,
    /// The id of the first of its fields on the wire, if it is given.
    pub id: Option<u16>,
}

/// Whose ids the fields get.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    /// Their own: it is a component.
    Own,
    /// Those of the component that contains it.
    OfComponent,
}

impl Shape {
    /// Reads the fields; returns all errors at once.
    pub fn read(input: &DeriveInput, ids: Ids) -> Result<Self> {
        let what = match ids {
            Ids::Own => "a component",
            Ids::OfComponent => "a part of a component",
        };
        if !input.generics.params.is_empty() && !matches!(input.data, Data::Union(_)) {
            return Err(Error::new_spanned(
                &input.generics,
                format!("{what} has one layout, so it can't be generic"),
            ));
        }
        let mut reader = Reader::new(ids);
        let shape = match &input.data {
            Data::Struct(data) => {
                // A newtype adds nothing to the name of what contains it.
                let newtype = ids == Ids::OfComponent
                    && matches!(&data.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
                Self::Struct(reader.fields(&data.fields, None, newtype))
            }
            Data::Enum(data) if data.variants.is_empty() => {
                return Err(Error::new_spanned(
                    &input.ident,
                    "an enum without variants has no values",
                ));
            }
            Data::Enum(data) => {
                let name = match ids {
                    Ids::Own => "kind".to_owned(),
                    Ids::OfComponent => String::new(),
                };
                reader.count(Some(1), input.ident.span());
                let mut variants = Vec::new();
                for variant in &data.variants {
                    let attrs = match VariantAttrs::parse(&variant.attrs) {
                        Ok(attrs) => attrs,
                        Err(why) => {
                            reader.refuse(why);
                            continue;
                        }
                    };
                    let name = attrs.name.map_or_else(
                        || snake_case(&variant.ident.unraw().to_string()),
                        |name| name.value(),
                    );
                    let one = matches!(&variant.fields, Fields::Unnamed(fields) if fields.unnamed.len() == 1);
                    variants.push(Variant {
                        ident: variant.ident.clone(),
                        fields: reader.fields(&variant.fields, Some(&name), one),
                    });
                }
                Self::Enum { name, variants }
            }
            Data::Union(_) => {
                return Err(Error::new_spanned(
                    &input.ident,
                    format!("only a struct or an enum can be {what}, this is a union"),
                ));
            }
        };
        match reader.errors {
            Some(errors) => Err(errors),
            None => Ok(shape),
        }
    }
}

/// Reads fields, and checks those ids that are known before the program is compiled.
struct Reader {
    ids: Ids,
    errors: Option<Error>,
    /// The id of the next field; `None` after one whose number of fields only the compiler knows.
    next: Option<u64>,
    taken: Vec<u16>,
    fields: usize,
}

impl Reader {
    const fn new(ids: Ids) -> Self {
        Self {
            ids,
            errors: None,
            next: Some(1),
            taken: Vec::new(),
            fields: 0,
        }
    }

    fn refuse(&mut self, why: Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(why),
            None => self.errors = Some(why),
        }
    }

    /// Reads the fields of a struct, or of a variant with this name. The only one of a tuple is
    /// `plain`: it has no name of its own.
    fn fields(&mut self, fields: &Fields, variant: Option<&str>, plain: bool) -> Vec<Replicated> {
        let mut all = Vec::new();
        for (member, field) in fields.members().zip(fields) {
            let parsed = FieldAttrs::parse(&field.attrs)
                .and_then(|attrs| Ok((Kind::new(&field.ty, &attrs)?, attrs)));
            let (kind, attrs) = match parsed {
                Ok(parsed) => parsed,
                Err(why) => {
                    self.refuse(why);
                    continue;
                }
            };
            let own = match (&attrs.name, &member) {
                (Some(name), _) => name.value(),
                (None, Member::Named(ident)) => ident.unraw().to_string(),
                (None, Member::Unnamed(_)) if plain => String::new(),
                (None, Member::Unnamed(index)) => index.index.to_string(),
            };
            let name = match variant {
                None => own,
                Some(variant) if own.is_empty() => variant.to_owned(),
                Some(variant) => format!("{variant}_{own}"),
            };
            let span = attrs.id.map_or_else(|| field.span(), |id| id.span);
            if let Some(id) = attrs.id {
                self.next = Some(id.value);
                if self.ids == Ids::OfComponent {
                    self.refuse(Error::new(
                        span,
                        "ids belong to the component: write `id` at its field",
                    ));
                }
            }
            self.count(kind.count(), span);
            all.push(Replicated {
                member,
                kind,
                encoding: format_ident!("ENCODING_{}", self.fields),
                name,
                id: attrs.id.and_then(|id| nonzero(id.value)),
            });
            self.fields += 1;
        }
        all
    }

    /// Gives ids to fields on the wire.
    fn count(&mut self, fields: Option<usize>, span: Span) {
        let Some(fields) = fields else {
            self.next = None;
            return;
        };
        for _ in 0..fields {
            if self.taken.len() == MAX_FIELDS {
                self.refuse(Error::new(
                    span,
                    format!("a component has at most {MAX_FIELDS} fields, this is one more"),
                ));
                return;
            }
            let Some(next) = self.next else {
                return;
            };
            let Some(id) = nonzero(next) else {
                self.refuse(Error::new(
                    span,
                    format!("a field's id goes from 1 to 65535, this is {next}"),
                ));
                return;
            };
            if self.taken.contains(&id) {
                self.refuse(Error::new(span, format!("two fields have the id {id}")));
                return;
            }
            self.taken.push(id);
            self.next = Some(next + 1);
        }
    }
}
