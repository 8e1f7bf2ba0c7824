//! Thresholds without drift: values coded against the receiver's state stay within the threshold. That they
//! do whatever is lost is the promise of the fuzz checks `delta_apply` and `delta_session`.

use crate::common::{Oracle, form};
use gametape_delta::Value::FixedPoint;
use gametape_delta::{Codec, Component, Decoder, Encoder, Field, Schema, Snapshot};

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
        assert!((value(&truth) - value(&held)).abs() <= 5);
    }
    assert_eq!(value(&at(11)), 50);
    assert_eq!(value(&form::back(&schema, &theirs)), 0, "50 units off");
    assert!(value(&held) >= 45);
}
