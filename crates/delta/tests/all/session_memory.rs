//! The bound on the memory of senders.

use gametape_delta::{
    Codec, Component, Feedback, Field, Schema, Sender, SenderOptions, Snapshot, Value, World,
};
use proptest::prelude::*;

use crate::session_audience::random;
use crate::session_network::modes;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Senders of one world, of which each sees more entities than the one before, and hears of some
    /// of its packets or of none.
    #[test]
    fn senders_take_no_more_than_their_bound(
        seed: u64,
        window in 2..80_usize,
        budget in prop_oneof![60..300_usize, 300..20_000_usize],
        populations in prop::collection::vec(1..800_u32, 1..5),
        mode in modes(),
        silent in 0..5_usize,
        groups in 0..4_u32,
    ) {
        let mut rng = random(seed);
        let schema = Schema::new([Component::new(1, [Field::new(1, Codec::VarUInt)])]).unwrap();
        let options = SenderOptions { window, budget, mode, ..SenderOptions::default() };
        let mut senders: Vec<Sender> = Vec::new();
        senders.resize_with(populations.len(), || Sender::with_options(&schema, options));
        let most = populations.iter().copied().max().unwrap_or(0);
        let mut world = World::new(&schema);
        let mut state = Snapshot::new(&schema, 0);
        let mut packet = Vec::new();
        for tick in 1..=100 {
            state.set_tick(tick);
            for id in 0..most {
                match rng(16) {
                    0 => drop(state.remove(id)),
                    1..9 => drop(state.entry(id).set(1, &[Value::VarUInt(tick)]).unwrap()),
                    _ => {}
                }
                if id.is_multiple_of(3) {
                    world.group(id, groups.checked_sub(1).map(|_| id / (3 * groups.max(1))));
                }
            }
            world.update(&state).unwrap();
            for (at, (sender, population)) in senders.iter_mut().zip(&populations).enumerate() {
                let weight = |id: u32| u32::from(id < *population);
                let sent = sender.encode_visible(&mut world, weight, &mut packet)?;
                if at != silent && rng(3) == 0 {
                    let earlier = u64::from(rng(u32::MAX)) * 0x1_0000_0001;
                    sender.feedback(&Feedback::Ack { tick: sent.tick, earlier });
                }
                let (found, bound) = (sender.memory(), options.max_memory(*population as usize));
                prop_assert!(found <= bound, "{found} bytes, {bound} at most, tick {tick}");
            }
        }
    }
}
