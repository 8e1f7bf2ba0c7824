//! The state of a simulation, and its hash.
//!
//! The specification names the algorithm ("Snapshot Hash"). Its coverage and order were read off
//! the origin implementation (formats/murk.md has the vectors, and the tests repeat them).

use crate::simulation::Simulation;

/// The start value of FNV-1a.
pub(crate) const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
/// The multiplier of FNV-1a.
pub(crate) const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Returns `PRIME` to the power of `n`, the factor of `n` zero bytes.
const fn prime_power(n: u32) -> u64 {
    let mut power = 1_u64;
    let mut i = 0;
    while i < n {
        power = power.wrapping_mul(PRIME);
        i += 1;
    }
    power
}

#[inline(always)]
const fn absorb_byte(hash: u64, byte: u32) -> u64 {
    (hash ^ (byte & 0xff) as u64).wrapping_mul(PRIME)
}

#[inline(always)]
pub(crate) const fn absorb_u32(hash: u64, value: u32) -> u64 {
    let hash = absorb_byte(hash, value);
    let hash = absorb_byte(hash, value >> 8);
    let hash = absorb_byte(hash, value >> 16);
    absorb_byte(hash, value >> 24)
}

#[inline]
const fn absorb_u64(hash: u64, value: u64) -> u64 {
    absorb_u32(absorb_u32(hash, value as u32), (value >> 32) as u32)
}

/// The number of values that are tested together for being all zero.
const BLOCK: usize = 16;
/// The factor of a block of zeros.
const ZERO_BLOCK: u64 = prime_power(4 * BLOCK as u32);

#[inline(always)]
fn is_zero(block: &[f32]) -> bool {
    block.iter().fold(0, |bits, value| bits | value.to_bits()) == 0
}

fn absorb_values(mut hash: u64, values: &[f32]) -> u64 {
    let mut blocks = values.chunks_exact(BLOCK);
    for block in &mut blocks {
        if is_zero(block) {
            hash = hash.wrapping_mul(ZERO_BLOCK);
        } else {
            for value in block {
                hash = absorb_u32(hash, value.to_bits());
            }
        }
    }
    for value in blocks.remainder() {
        hash = absorb_u32(hash, value.to_bits());
    }
    hash
}

/// Hashes a state that arrives in pieces.
///
/// ```
/// use gametape_murk::SnapshotHasher;
/// let mut hasher = SnapshotHasher::new();
/// hasher.field();               // field 0
/// hasher.values(&[1.0]);
/// hasher.values(&[2.0, 3.0]);   // as if it were one slice
/// assert_eq!(hasher.finish(), 0x6255_2b9e_a71e_5908);
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotHasher {
    hash: u64,
    fields: u32,
}

impl Default for SnapshotHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl SnapshotHasher {
    /// Creates the hash of no field.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            hash: OFFSET_BASIS,
            fields: 0,
        }
    }

    /// Starts the next field; the first call starts field 0. A field that does not exist counts as
    /// one without values.
    pub const fn field(&mut self) {
        self.hash = absorb_u32(self.hash, self.fields);
        self.fields = self.fields.wrapping_add(1);
    }

    /// Adds values of the field.
    pub fn values(&mut self, values: &[f32]) {
        self.hash = absorb_values(self.hash, values);
    }

    /// Returns the hash of everything so far.
    #[must_use]
    pub const fn finish(&self) -> u64 {
        self.hash
    }
}

/// Returns the hash of a state: of the fields' values in the given order.
///
/// Bits count: +0 and -0 differ, and each payload of NaN is another value.
///
/// ```
/// use gametape_murk::snapshot_hash;
/// assert_eq!(snapshot_hash([[0.0].as_slice()]), 0xa8c7_f832_281a_39c5);
/// assert_eq!(snapshot_hash([[-0.0].as_slice()]), 0xa8c7_7832_2819_6045);
/// ```
#[must_use]
pub fn snapshot_hash<'a>(fields: impl IntoIterator<Item = &'a [f32]>) -> u64 {
    let mut hasher = SnapshotHasher::new();
    for values in fields {
        hasher.field();
        hasher.values(values);
    }
    hasher.finish()
}

/// The number of states that [`snapshot_hashes`] hashes at the same time.
pub const LANES: usize = 8;

/// Computes the hashes of many states of one shape, faster than one after the other: FNV-1a waits
/// for its own last multiplication, so [`LANES`] states are processed together.
///
/// Each state is a slice with the values of all its fields; `lengths` has the number of values of
/// each field. Values beyond the sum of `lengths` are not hashed.
///
/// ```
/// use gametape_murk::{snapshot_hash, snapshot_hashes};
/// let (monday, tuesday) = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]);
/// let mut hashes = [0; 2];
/// snapshot_hashes(&[&monday, &tuesday], &[2, 1], &mut hashes);
/// assert_eq!(hashes[1], snapshot_hash([[1.0, 2.0].as_slice(), &[4.0]]));
/// ```
pub fn snapshot_hashes(states: &[&[f32]], lengths: &[usize], hashes: &mut [u64]) {
    let needed: usize = lengths
        .iter()
        .fold(0, |sum, length| sum.saturating_add(*length));
    for (group, output) in states.chunks(LANES).zip(hashes.chunks_mut(LANES)) {
        match (
            <&[&[f32]; LANES]>::try_from(group),
            <&mut [u64; LANES]>::try_from(&mut *output),
        ) {
            (Ok(group), Ok(output)) if group.iter().all(|state| state.len() >= needed) => {
                hash_lanes(group, lengths, output);
            }
            _ => hash_each(group, lengths, output),
        }
    }
}

fn hash_each(states: &[&[f32]], lengths: &[usize], hashes: &mut [u64]) {
    for (state, hash) in states.iter().zip(hashes) {
        let mut rest = *state;
        let mut hasher = SnapshotHasher::new();
        for &length in lengths {
            let (values, after) = rest.split_at(length.min(rest.len()));
            hasher.field();
            hasher.values(values);
            rest = after;
        }
        *hash = hasher.finish();
    }
}

fn hash_lanes(states: &[&[f32]; LANES], lengths: &[usize], hashes: &mut [u64; LANES]) {
    let mut rest = *states;
    let mut lanes = [OFFSET_BASIS; LANES];
    for (field, &length) in (0_u32..).zip(lengths) {
        lanes = lanes.map(|hash| absorb_u32(hash, field));
        let values = rest.map(|state| state.split_at(length.min(state.len())).0);
        rest = rest.map(|state| state.split_at(length.min(state.len())).1);
        absorb_lanes(&mut lanes, &values);
    }
    *hashes = lanes;
}

/// Absorbs values; all slices have the same length.
fn absorb_lanes(lanes: &mut [u64; LANES], values: &[&[f32]; LANES]) {
    let mut rest = *values;
    while let Some(blocks) = next_blocks(&mut rest) {
        if blocks.iter().all(|block| is_zero(*block)) {
            *lanes = lanes.map(|hash| hash.wrapping_mul(ZERO_BLOCK));
        } else {
            absorb_blocks(lanes, &blocks);
        }
    }
    for (hash, values) in lanes.iter_mut().zip(rest) {
        *hash = absorb_values(*hash, values);
    }
}

/// Splits one block off each slice, if all have one left.
#[inline(always)]
fn next_blocks<'a>(rest: &mut [&'a [f32]; LANES]) -> Option<[&'a [f32; BLOCK]; LANES]> {
    let mut blocks = [&[0.0; BLOCK]; LANES];
    let mut after = [[].as_slice(); LANES];
    for ((block, after), slice) in blocks.iter_mut().zip(&mut after).zip(&*rest) {
        (*block, *after) = slice.split_first_chunk()?;
    }
    *rest = after;
    Some(blocks)
}

#[inline(always)]
fn absorb_blocks(lanes: &mut [u64; LANES], blocks: &[&[f32; BLOCK]; LANES]) {
    let mut hashes = *lanes;
    for at in 0..BLOCK {
        for (hash, block) in hashes.iter_mut().zip(blocks) {
            if let Some(value) = block.get(at) {
                *hash = absorb_u32(*hash, value.to_bits());
            }
        }
    }
    *lanes = hashes;
}

/// Returns the hash of a world's configuration.
///
/// The fields' definitions and the propagators are not included, unless the descriptor contains
/// them.
///
/// ```
/// let hash = gametape_murk::config_hash(42, 0.1, 5, 100, &[]);
/// assert_eq!(hash, 0xdb72_5513_6063_e1af);
/// ```
#[must_use]
pub fn config_hash(
    seed: u64,
    dt: f64,
    field_count: u32,
    cell_count: u64,
    space_descriptor: &[u8],
) -> u64 {
    let hash = absorb_u64(OFFSET_BASIS, seed);
    let hash = absorb_u64(hash, dt.to_bits());
    let hash = absorb_u32(hash, field_count);
    let hash = absorb_u64(hash, cell_count);
    space_descriptor
        .iter()
        .fold(hash, |hash, &byte| absorb_byte(hash, u32::from(byte)))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(fields: &[&[f32]]) -> u64 {
        snapshot_hash(fields.iter().copied())
    }

    #[test]
    fn the_vectors_of_the_origin() {
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(&[&[]]), 0x4d25_767f_9dce_13f5);
        assert_eq!(hash(&[&[], &[]]), 0x08cd_4c29_d1e4_7d34);
        assert_eq!(hash(&[&[0.0]]), 0xa8c7_f832_281a_39c5);
        assert_eq!(hash(&[&[-0.0]]), 0xa8c7_7832_2819_6045);
        assert_eq!(hash(&[&[1.0, 2.0, 3.0]]), 0x6255_2b9e_a71e_5908);
        assert_eq!(
            hash(&[&[f32::from_bits(0x7fc0_0000)]]),
            0xab54_2932_2a44_1248
        );
        assert_eq!(
            hash(&[&[f32::from_bits(0x7f80_0001)]]),
            0x0a7f_d329_d355_4419
        );
        assert_eq!(hash(&[&[1.0, 2.0], &[1.0, 2.0]]), 0x30d5_b4f3_a900_8ae4);
        assert_eq!(config_hash(42, 0.1, 5, 100, &[]), 0xdb72_5513_6063_e1af);
        assert_eq!(
            config_hash(42, 0.1, 5, 100, &[1, 2, 3]),
            0x810b_683b_d89e_a201
        );
    }
}
