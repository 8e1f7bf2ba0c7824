//! Why two schemas are not one.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::model::{Change, Codec, Component, Field};

/// One thing that differs between two schemas: ours and theirs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Difference {
    /// Theirs lacks a component.
    ComponentMissing {
        /// Its id.
        component: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// Theirs has a component more.
    ComponentAdded {
        /// Its id.
        component: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// The same components stand in another order, which is the order of the wire.
    ComponentOrder {
        /// The ids in our order.
        ours: Vec<u16>,
        /// The ids in theirs.
        theirs: Vec<u16>,
    },
    /// Theirs lacks a field.
    FieldMissing {
        /// Id of the component, which both have.
        component: u16,
        /// Id of the field, within its component, that only ours has.
        field: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// Theirs has a field more.
    FieldAdded {
        /// Id of the component, which both have.
        component: u16,
        /// Id of the field, within its component, that only theirs has.
        field: u16,
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// The same fields stand in another order.
    FieldOrder {
        /// Id of the component whose fields these are.
        component: u16,
        /// The ids in our order.
        ours: Vec<u16>,
        /// The ids in theirs.
        theirs: Vec<u16>,
    },
    /// A field is written in another way.
    Codec {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component, the same in both.
        field: u16,
        /// Its name, where it has one.
        name: Option<String>,
        /// How we write it.
        ours: Codec,
        /// How they do.
        theirs: Codec,
    },
    /// A field is sent at other times.
    Change {
        /// Id of the component that the field is in.
        component: u16,
        /// Id of the field within its component, the same in both.
        field: u16,
        /// Its name, where it has one.
        name: Option<String>,
        /// When we send it.
        ours: Change,
        /// When they do.
        theirs: Change,
    },
}

/// `component 1, field 2 (x)`: a component or one of its fields, and its name, where it has one.
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
    /// The component or the field that it is about.
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

/// Both, if what they have in common stands in different orders.
fn reordered(ours: Vec<u16>, theirs: Vec<u16>) -> Option<(Vec<u16>, Vec<u16>)> {
    let common = |of: &[u16], other: &[u16]| -> Vec<u16> {
        of.iter().copied().filter(|id| other.contains(id)).collect()
    };
    (common(&ours, &theirs) != common(&theirs, &ours)).then_some((ours, theirs))
}
