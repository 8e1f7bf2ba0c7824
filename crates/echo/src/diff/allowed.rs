//! Differences between two recordings that count as the same.

use crate::field::Field;

/// Differences between two recordings that are not counted because of the [`Tolerance`](super::Tolerance).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allowed {
    /// Numbers that are apart, and the largest distance, in the unit of the field.
    pub rounded: Vec<(Field, f32)>,
    /// Fields that a .butter does not keep.
    pub not_compared: Vec<Field>,
    /// Fields with values that have no code in a .butter, such as a goal of type `[NO GOAL]`.
    pub uncoded: Vec<Field>,
}

impl Allowed {
    /// Whether there is nothing of the kind.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rounded.is_empty() && self.not_compared.is_empty() && self.uncoded.is_empty()
    }
}

/// Collects what is allowed. Nearly every number of a .butter comes here, hence the arrays, which are
/// indexed by [`Field`].
#[derive(Clone, Debug)]
pub(super) struct Allowing {
    apart: [f32; Field::COUNT],
    not_compared: [bool; Field::COUNT],
    uncoded: [bool; Field::COUNT],
}

impl Default for Allowing {
    fn default() -> Self {
        Self {
            apart: [0.0; Field::COUNT],
            not_compared: [false; Field::COUNT],
            uncoded: [false; Field::COUNT],
        }
    }
}

impl Allowing {
    #[inline]
    pub fn apart(&mut self, field: Field, apart: f32) {
        if let Some(largest) = self.apart.get_mut(field as usize) {
            *largest = largest.max(apart);
        }
    }

    pub fn not_compared(&mut self, field: Field) {
        mark(&mut self.not_compared, field);
    }

    pub fn uncoded(&mut self, field: Field) {
        mark(&mut self.uncoded, field);
    }

    pub fn finish(&self) -> Allowed {
        let apart = Field::ALL.iter().copied().zip(self.apart);
        Allowed {
            rounded: apart.filter(|(_, apart)| *apart > 0.0).collect(),
            not_compared: marked(&self.not_compared),
            uncoded: marked(&self.uncoded),
        }
    }
}

fn mark(marks: &mut [bool], field: Field) {
    if let Some(mark) = marks.get_mut(field as usize) {
        *mark = true;
    }
}

fn marked(marks: &[bool]) -> Vec<Field> {
    let fields = Field::ALL.iter().zip(marks);
    let marked = fields.filter(|(_, mark)| **mark);
    marked.map(|(field, _)| *field).collect()
}
