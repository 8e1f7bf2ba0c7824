//! Differences between two schemas.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::model::{Change, Codec, Component, Field};

/// A difference between our schema and theirs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Difference {
    /// Their schema lacks a component.
    ComponentMissing {
        /// The id of the component.
        component: u16,
        /// The name of the component, if it has one.
        name: Option<String>,
    },
    /// Their schema has an additional component.
    ComponentAdded {
        /// The id of the component.
        component: u16,
        /// The name of the component, if it has one.
        name: Option<String>,
    },
    /// The components are in another order, which is the order of the wire.
    ComponentOrder {
        /// The ids in our order.
        ours: Vec<u16>,
        /// The ids in their order.
        theirs: Vec<u16>,
    },
    /// Their schema lacks a field.
    FieldMissing {
        /// The id of the component, which both schemas have.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The name of the field, if it has one.
        name: Option<String>,
    },
    /// Their schema has an additional field.
    FieldAdded {
        /// The id of the component, which both schemas have.
        component: u16,
        /// The id of the field within its component.
        field: u16,
        /// The name of the field, if it has one.
        name: Option<String>,
    },
    /// The fields are in another order.
    FieldOrder {
        /// The id of the component.
        component: u16,
        /// The ids in our order.
        ours: Vec<u16>,
        /// The ids in their order.
        theirs: Vec<u16>,
    },
    /// A field has another codec.
    Codec {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component, the same in both schemas.
        field: u16,
        /// The name of the field, if it has one.
        name: Option<String>,
        /// Our codec.
        ours: Codec,
        /// Their codec.
        theirs: Codec,
    },
    /// A field has another change policy.
    Change {
        /// The id of the component.
        component: u16,
        /// The id of the field within its component, the same in both schemas.
        field: u16,
        /// The name of the field, if it has one.
        name: Option<String>,
        /// Our change policy.
        ours: Change,
        /// Their change policy.
        theirs: Change,
    },
}

/// Formats a component or a field with its name, if it has one: `component 1, field 2 (x)`.
pub(crate) struct Named<'a>(pub u16, pub Option<u16>, pub &'a Option<String>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(component, field, name) = self;
        write!(f, "component {component}")?;
        if let Some(field) = field {
            write!(f, ", field {field}")?;
        }
        name.as_ref().map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}

struct Ids<'a>(&'a [u16]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, id) in self.0.iter().enumerate() {
            write!(f, "{}{id}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Difference {
    /// Returns the component or field that differs.
    fn named(&self) -> Option<Named<'_>> {
        match self {
            Self::ComponentMissing { component, name }
            | Self::ComponentAdded { component, name } => Some(Named(*component, None, name)),
            Self::FieldMissing {
                component,
                field,
                name,
            }
            | Self::FieldAdded {
                component,
                field,
                name,
            }
            | Self::Codec {
                component,
                field,
                name,
                ..
            }
            | Self::Change {
                component,
                field,
                name,
                ..
            } => Some(Named(*component, Some(*field), name)),
            Self::ComponentOrder { .. } | Self::FieldOrder { .. } => None,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(named) = self.named() {
            write!(f, "{named} ")?;
        }
        match self {
            Self::ComponentMissing { .. } | Self::FieldMissing { .. } => f.write_str("is missing"),
            Self::ComponentAdded { .. } | Self::FieldAdded { .. } => f.write_str("is added"),
            Self::Codec { ours, theirs, .. } => write!(f, "is {ours} here and {theirs} there"),
            Self::Change { ours, theirs, .. } => {
                write!(f, "is sent {ours} here and {theirs} there")
            }
            Self::ComponentOrder { ours, theirs } => {
                let (ours, theirs) = (Ids(ours), Ids(theirs));
                write!(
                    f,
                    "the components are in the order {ours} here and {theirs} there"
                )
            }
            Self::FieldOrder {
                component,
                ours,
                theirs,
            } => {
                let (ours, theirs) = (Ids(ours), Ids(theirs));
                write!(
                    f,
                    "component {component}: the fields are in the order {ours} here and {theirs} there"
                )
            }
        }
    }
}

pub(super) fn differences(ours: &[Component], theirs: &[Component]) -> Vec<Difference> {
    let mut found = Vec::new();
    let find = |all: &[Component], id| all.iter().position(|component| component.id == id);
    for component in ours {
        match find(theirs, component.id).and_then(|at| theirs.get(at)) {
            Some(other) => fields(component, other, &mut found),
            None => found.push(Difference::ComponentMissing {
                component: component.id,
                name: component.name.clone(),
            }),
        }
    }
    for component in theirs {
        if find(ours, component.id).is_none() {
            found.push(Difference::ComponentAdded {
                component: component.id,
                name: component.name.clone(),
            });
        }
    }
    let ids = |all: &[Component]| all.iter().map(|c| c.id).collect::<Vec<_>>();
    if let Some((ours, theirs)) = reordered(ids(ours), ids(theirs)) {
        found.push(Difference::ComponentOrder { ours, theirs });
    }
    found
}

fn fields(ours: &Component, theirs: &Component, found: &mut Vec<Difference>) {
    let component = ours.id;
    let find = |all: &[Field], id| all.iter().position(|field| field.id == id);
    for field in &ours.fields {
        let Some(other) = find(&theirs.fields, field.id).and_then(|at| theirs.fields.get(at))
        else {
            found.push(Difference::FieldMissing {
                component,
                field: field.id,
                name: field.name.clone(),
            });
            continue;
        };
        if field.codec != other.codec {
            found.push(Difference::Codec {
                component,
                field: field.id,
                name: field.name.clone().or_else(|| other.name.clone()),
                ours: field.codec,
                theirs: other.codec,
            });
        }
        if field.change != other.change {
            found.push(Difference::Change {
                component,
                field: field.id,
                name: field.name.clone().or_else(|| other.name.clone()),
                ours: field.change,
                theirs: other.change,
            });
        }
    }
    for field in &theirs.fields {
        if find(&ours.fields, field.id).is_none() {
            found.push(Difference::FieldAdded {
                component,
                field: field.id,
                name: field.name.clone(),
            });
        }
    }
    let ids = |all: &[Field]| all.iter().map(|f| f.id).collect::<Vec<_>>();
    if let Some((ours, theirs)) = reordered(ids(&ours.fields), ids(&theirs.fields)) {
        found.push(Difference::FieldOrder {
            component,
            ours,
            theirs,
        });
    }
}

/// Returns both lists if their common ids are in different orders.
fn reordered(ours: Vec<u16>, theirs: Vec<u16>) -> Option<(Vec<u16>, Vec<u16>)> {
    let common = |of: &[u16], other: &[u16]| -> Vec<u16> {
        of.iter().copied().filter(|id| other.contains(id)).collect()
    };
    (common(&ours, &theirs) != common(&theirs, &ours)).then_some((ours, theirs))
}
