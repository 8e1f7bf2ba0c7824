//! How often the cells of a grid changed.

use gametape::core::table::Owned;
use gametape::{Batch, Value};

use super::cells::{Cells, whole};

/// How often each cell changed, while rows were read.
pub struct Changes {
    /// By the number of the cell.
    pub counts: Vec<u32>,
    held: Vec<Option<Owned>>,
}

impl Changes {
    /// Of cells none of which is known.
    pub fn new(cells: &Cells) -> Self {
        Self {
            counts: vec![0; cells.room()],
            held: vec![None; cells.room()],
        }
    }

    /// Some rows: their keys, across, down and deep, as far as there are such; then the value. What a
    /// cell held first is no change.
    pub fn see(&mut self, cells: &Cells, keys: usize, batch: &Batch) {
        for row in 0..batch.len() {
            let mut at = [0; 3];
            for (key, at) in at.iter_mut().enumerate().take(keys) {
                *at = whole(batch.get(row, key)).unwrap_or(i64::MAX);
            }
            let index = cells.place(at).and_then(|place| cells.index(place));
            let Some((held, count)) =
                index.and_then(|index| self.held.get_mut(index).zip(self.counts.get_mut(index)))
            else {
                continue;
            };
            let value = batch.get(row, keys);
            match held {
                Some(held) if same(held.value(), value) => continue,
                Some(_) => *count = count.saturating_add(1),
                None => {}
            }
            *held = Some(value.into());
        }
    }
}

/// Whether a cell still holds the same: what is no number is the same as itself.
fn same(one: Value<'_>, other: Value<'_>) -> bool {
    match (one, other) {
        (Value::Float32(one), Value::Float32(other)) => one.to_bits() == other.to_bits(),
        (Value::Float64(one), Value::Float64(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}
