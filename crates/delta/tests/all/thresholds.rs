//! Thresholds without drift: the receiver's values are never off by more than the threshold,
//! whatever packets are lost, if deltas are coded against the receiver's state.

use crate::common::{Oracle, Random, UNLIMITED, form, make_state, schemas, step, threshold};
use gametape_delta::Value::FixedPoint;
use gametape_delta::{
    Codec, Component, Decoder, Encoder, Field, ReadOptions, Schema, Snapshot, settle,
};
use proptest::prelude::*;

fn assert_within(truth: &Snapshot, held: &Snapshot) {
    assert_eq!(truth.ids(), held.ids());
    for (truth, held) in truth.iter().zip(held.iter()) {
        let (mut truth, mut held) = (truth.components(), held.components());
        while let (Some(truth), held) = (truth.next(), held.next()) {
            let held = held.expect("the component is there");
            assert_eq!(truth.id(), held.id());
            let fields = &truth.definition().fields;
            for ((field, truth), held) in fields.iter().zip(truth.values()).zip(held.values()) {
                let off = (truth.as_i128() - held.as_i128()).abs();
                assert!(
                    off <= threshold(field),
                    "{field:?}: {truth} is held as {held}"
                );
            }
        }
        assert!(held.next().is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn no_value_drifts_whatever_is_lost(schema in schemas(), seed: u64, loss in 0..90_usize) {
        let mut rng = Random(seed);
        let mut encoder = Encoder::new(&schema).limits(UNLIMITED);
        let decoder = Decoder::with_options(&schema, ReadOptions::strict().limits(UNLIMITED));
        let mut truth = make_state(&schema, 1, seed, 6);
        // The received states, as computed by the sender and as decoded by the receiver.
        let mut settled = vec![truth.clone()];
        let mut received = vec![truth.clone()];
        let (mut packet, mut state) = (Vec::new(), Snapshot::new(&schema, 0));
        for tick in 2..40 {
            step(&mut truth, rng.next(), rng.one_in(4));
            truth.set_tick(tick);
            if rng.below(100) < loss {
                continue;
            }
            // Any state that the receiver has can be the baseline, not only the newest.
            let at = settled.len() - 1 - rng.below(settled.len().min(5));
            encoder.delta(&settled[at], &truth, &mut packet).unwrap();
            decoder.delta(&received[at], &packet, &mut state).unwrap();
            let mut expected = truth.clone();
            settle(&settled[at], &mut expected);
            prop_assert_eq!(&state, &expected);
            assert_within(&truth, &state);
            settled.push(expected);
            received.push(state.clone());
        }
    }
}

/// The value grows by 5 per tick with a threshold of 5, for ten ticks. The oracle codes each delta
/// against the true previous state, and so never sends the value.
#[test]
fn coded_against_true_states_values_drift_without_bound() {
    let codec = Codec::FixedPoint {
        min_q: -1000,
        max_q: 1000,
        scale: 100,
    };
    let field = Field::new(1, codec).threshold(5);
    let schema = Schema::new([Component::new(1, [field])]).unwrap();
    let at = |tick: u32| {
        let mut state = Snapshot::new(&schema, tick);
        let value = FixedPoint(i64::from(tick - 1) * 5);
        state.entry(1).set(1, &[value]).unwrap();
        state
    };
    let value = |state: &Snapshot| state.entity(1).unwrap().value(1, 1).unwrap().as_i128();
    let oracle = Oracle::unlimited(&schema);
    let mut theirs = form::state(&at(1));
    let mut encoder = Encoder::new(&schema);
    let decoder = Decoder::new(&schema);
    let (mut packet, mut held, mut next) = (Vec::new(), at(1), at(1));
    for tick in 2..=11 {
        let truth = at(tick);
        let drifting = oracle.encode_delta(&at(tick - 1), &truth).unwrap();
        theirs = oracle.decode(Some(&theirs), &drifting).unwrap();
        encoder.delta(&held, &truth, &mut packet).unwrap();
        decoder.delta(&held, &packet, &mut next).unwrap();
        std::mem::swap(&mut held, &mut next);
        assert_within(&truth, &held);
    }
    assert_eq!(value(&at(11)), 50);
    assert_eq!(value(&form::back(&schema, &theirs)), 0, "50 units off");
    assert!(value(&held) >= 45);
}
