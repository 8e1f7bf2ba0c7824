//! The state of a simulation at a tick, as a copy.

use crate::simulation::Simulation;
use crate::simulation::hash::snapshot_hash;

/// The values of all fields at a tick.
///
/// ```
/// use gametape_murk::{State, snapshot_hash};
/// let state = State::from_fields([[1.0, 2.0].as_slice(), &[3.0]]);
/// assert_eq!(state.field(1), Some([3.0].as_slice()));
/// assert_eq!(state.hash(), snapshot_hash([[1.0, 2.0].as_slice(), &[3.0]]));
/// ```
#[derive(Clone, Default, Debug)]
pub struct State {
    lengths: Vec<usize>,
    values: Vec<f32>,
}

impl State {
    /// Copies the state of a simulation, its first `field_count` fields.
    pub fn of<S: Simulation + ?Sized>(simulation: &S, field_count: u32) -> Self {
        let mut state = Self::default();
        state.copy(simulation, field_count);
        state
    }

    /// Creates a state with these fields.
    pub fn from_fields<'a>(fields: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut state = Self::default();
        for values in fields {
            state.lengths.push(values.len());
            state.values.extend_from_slice(values);
        }
        state
    }

    /// [`State::of`] into the memory of an existing state.
    pub(crate) fn copy<S: Simulation + ?Sized>(&mut self, simulation: &S, field_count: u32) {
        self.lengths.clear();
        self.values.clear();
        for field in 0..field_count {
            let values = simulation.field(field).unwrap_or_default();
            self.lengths.push(values.len());
            self.values.extend_from_slice(values);
        }
    }

    /// Returns the number of values of each field.
    #[must_use]
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Returns all values, field after field.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Returns an iterator over the fields.
    pub fn fields(&self) -> impl DoubleEndedIterator<Item = &[f32]> + ExactSizeIterator {
        let mut start = 0;
        let bounds: Vec<_> = self
            .lengths
            .iter()
            .map(|length| {
                let from = start;
                start += length;
                from..start
            })
            .collect();
        bounds
            .into_iter()
            .map(|range| self.values.get(range).unwrap_or_default())
    }

    /// Returns the values of a field; `None` for a field that does not exist.
    #[must_use]
    pub fn field(&self, field: u32) -> Option<&[f32]> {
        self.fields().nth(field as usize)
    }

    /// Returns the hash of the state.
    #[must_use]
    pub fn hash(&self) -> u64 {
        snapshot_hash(self.fields())
    }

    /// Returns the size of all values in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.values.len() * size_of::<f32>()
    }
}

/// Compares bits: a NaN equals itself, and +0 is not -0.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.lengths == other.lengths
            && self
                .values
                .iter()
                .map(|value| value.to_bits())
                .eq(other.values.iter().map(|value| value.to_bits()))
    }
}

impl Eq for State {}
