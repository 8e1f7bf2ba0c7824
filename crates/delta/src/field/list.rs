//! Fields that get their ids and their names.

use alloc::format;
use alloc::vec::Vec;

use crate::schema::{Change, Codec, Field};

/// Collects the fields of a component or of a part of one, and numbers them from 1. Derived code
/// uses it; code by hand can.
///
/// ```
/// use gametape_delta::{FieldList, ReplicateField, Bits};
///
/// let mut list = FieldList::new();
/// list.add("hull", None, <u8 as ReplicateField<Bits>>::fields(&Bits(7)));
/// list.start_at(10);
/// list.add("lights", None, <[bool; 2]>::fields(&()));
/// let fields = list.finish();
/// let named: Vec<_> = fields.iter().map(|f| (f.id, f.name.as_deref())).collect();
/// assert_eq!(named, [(1, Some("hull")), (10, Some("lights_0")), (11, Some("lights_1"))]);
/// ```
#[derive(Debug)]
pub struct FieldList {
    fields: Vec<Field>,
    next: u16,
}

impl Default for FieldList {
    fn default() -> Self {
        Self::new()
    }
}

impl FieldList {
    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            fields: Vec::new(),
            next: 1,
        }
    }

    /// Sets the id of the next field; those after it count on from there.
    pub const fn start_at(&mut self, id: u16) {
        self.next = id;
    }

    /// Adds fields, with `name` before their names. If `threshold` is given, it is that of all
    /// fields but bools.
    pub fn add(
        &mut self,
        name: &str,
        threshold: Option<u32>,
        fields: impl IntoIterator<Item = Field>,
    ) {
        for mut field in fields {
            field.id = self.next;
            // After the last id comes 0, which no schema accepts.
            self.next = self.next.wrapping_add(1);
            field.name = match field.name.take() {
                own if name.is_empty() => own,
                None => Some(name.into()),
                Some(own) => Some(format!("{name}_{own}")),
            };
            if let Some(threshold_q) = threshold
                && field.codec != Codec::Bool
            {
                field.change = Change::Threshold { threshold_q };
            }
            self.fields.push(field);
        }
    }

    /// Returns the fields.
    #[must_use]
    pub fn finish(self) -> Vec<Field> {
        self.fields
    }
}

impl From<Field> for FieldList {
    fn from(field: Field) -> Self {
        let mut list = Self::new();
        list.add("", None, [field]);
        list
    }
}

impl IntoIterator for FieldList {
    type Item = Field;
    type IntoIter = alloc::vec::IntoIter<Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.fields.into_iter()
    }
}
