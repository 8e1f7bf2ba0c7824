//! The state of a simulation at a tick, copied out of it.

use crate::hash::snapshot_hash;
use crate::simulation::Simulation;

/// All fields' values at a tick.
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
    /// The state of a simulation, its first `field_count` fields.
    pub fn of<S: Simulation + ?Sized>(simulation: &S, field_count: u32) -> Self {
        let mut state = Self::default();
        state.copy(simulation, field_count);
        state
    }

    /// A state of these fields.
    pub fn from_fields<'a>(fields: impl IntoIterator<Item = &'a [f32]>) -> Self {
        let mut state = Self::default();
        for values in fields {
            state.lengths.push(values.len());
            state.values.extend_from_slice(values);
        }
        state
    }

    /// [`State::of`], into the space that is there.
    pub(crate) fn copy<S: Simulation + ?Sized>(&mut self, simulation: &S, field_count: u32) {
        self.lengths.clear();
        self.values.clear();
        for field in 0..field_count {
            let values = simulation.field(field).unwrap_or_default();
            self.lengths.push(values.len());
            self.values.extend_from_slice(values);
        }
    }

    /// How many values each field has.
    #[must_use]
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// All values, field after field.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The fields, one after the other.
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

    /// A field's values; a field that does not exist has none.
    #[must_use]
    pub fn field(&self, field: u32) -> Option<&[f32]> {
        self.fields().nth(field as usize)
    }

    /// The state's hash.
    #[must_use]
    pub fn hash(&self) -> u64 {
        snapshot_hash(self.fields())
    }

    /// Bytes of all values.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.values.len() * size_of::<f32>()
    }
}

/// Bit for bit: a NaN equals itself, and +0 is not -0.
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
