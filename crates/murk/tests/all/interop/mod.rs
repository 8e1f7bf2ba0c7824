//! The origin, `murk-replay` 0.1.9, as an independent implementation.
//!
//! That each reads what the other writes, and that both refuse the same files in the same way, is the promise
//! of the fuzz check `murk_origin`. Where the origin errs (formats/murk.md, "Faults of the origin"), our
//! behaviour is right, and `faults` tests both.

mod faults;
mod generate;
mod limits;

use gametape_murk::{SnapshotHasher, snapshot_hash};
use gametape_testkit::murk::Fields;

/// The hash of a state that comes in pieces is that of the whole, and the origin's.
#[test]
fn a_state_in_pieces_has_one_hash() {
    // Runs of zeros and of others, of the lengths around whole blocks of 16.
    let lengths = [0, 1, 15, 16, 17, 31, 33, 64, 100];
    let field = |first: usize| -> Vec<f32> {
        let runs = lengths
            .iter()
            .cycle()
            .skip(first)
            .take(4)
            .zip([0.0, 1.0].iter().cycle());
        let values =
            runs.flat_map(|(length, scale)| (0..*length).map(move |at| scale * (at as f32 - 7.5)));
        values.collect()
    };
    for first in 0..lengths.len() {
        let state = Fields(vec![Some(field(first)), None, Some(field(first + 3))]);
        let origin = state.origin_hash();
        assert_eq!(snapshot_hash(state.slices()), origin);
        for pieces in [&[1][..], &[7], &[16], &[39, 2], &[5, 16, 30]] {
            let mut hasher = SnapshotHasher::new();
            for mut values in state.slices() {
                hasher.field();
                for piece in pieces.iter().cycle() {
                    let (head, rest) = values.split_at((*piece).min(values.len()));
                    hasher.values(head);
                    values = rest;
                    if values.is_empty() {
                        break;
                    }
                }
            }
            assert_eq!(hasher.finish(), origin, "from {first} in {pieces:?}");
        }
    }
}
