//! Sends any states of any schema.

use gametape_delta::{Decoder, Encoder, Limits, ReadOptions, Schema, Snapshot, settle};

use super::model::Model;
use super::packet::consistent;
use super::structured::{Script, edit, mutate, schema, state};

/// Sends two states, built from any parts, as full snapshots and as a delta.
///
/// The received state is the sent one, within its thresholds; a field without a threshold is equal.
/// An unchanged state needs only an empty packet. Each of these packets, with a few changed bytes,
/// must also pass [`delta_packet`](super::delta_packet).
pub fn delta_apply(data: &[u8]) {
    let mut script = Script::new(data);
    let schema = schema(&mut script);
    let mut baseline = state(&mut script, &schema, 1, 10);
    baseline.set_tick(script.word::<u32>().clamp(1, u32::MAX - 1));
    let mut target = baseline.clone();
    target.set_tick(baseline.tick() + 1);
    edit(&mut script, &mut target);
    if script.byte() == 255 {
        target = state(&mut script, &schema, u32::MAX, 10);
    }
    let (full, delta) = sent(&schema, &baseline, &target);
    consistent(&schema, &baseline, &full, Limits::NONE);
    consistent(&schema, &baseline, &delta, Limits::NONE);
    let mut changes = 0;
    while !script.is_empty() && changes < 8 {
        changes += 1;
        let mut packet = match script.byte() & 3 {
            0 => full.clone(),
            _ => delta.clone(),
        };
        for _ in 0..=script.byte() & 1 {
            mutate(&mut script, &mut packet);
        }
        consistent(&schema, &baseline, &packet, Limits::NONE);
    }
}

/// The full and the delta packet, after checking their content.
pub(super) fn sent(schema: &Schema, baseline: &Snapshot, target: &Snapshot) -> (Vec<u8>, Vec<u8>) {
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    let decoder = Decoder::with_options(schema, ReadOptions::strict().limits(Limits::NONE));
    let (mut full, mut delta) = (vec![9], vec![9]);
    let mut received = Snapshot::new(schema, 0);

    encoder.full(target, &mut full).expect("no limits");
    decoder.full(&full, &mut received).expect("it was encoded");
    assert!(received == *target, "{received:?} is not {target:?}");
    assert_eq!(Model::of(&received), Model::of(target));

    encoder
        .delta(baseline, target, &mut delta)
        .expect("no limits");
    decoder
        .delta(baseline, &delta, &mut received)
        .expect("it was encoded");
    let mut settled = target.clone();
    settle(baseline, &mut settled);
    assert!(received == settled, "{received:?} is not {settled:?}");
    let model = Model::of(target).settled(&Model::of(baseline), schema);
    assert_eq!(Model::of(&received), model);
    assert_eq!(delta.len() == 28, settled.same_entities(baseline));

    // After one packet nothing is left to send.
    let mut again = Vec::new();
    if settled.tick() < u32::MAX {
        let mut later = target.clone();
        later.set_tick(settled.tick() + 1);
        encoder
            .delta(&settled, &later, &mut again)
            .expect("no limits");
        assert_eq!(again.len(), 28, "{settled:?} to {later:?}");
    }
    (full, delta)
}
