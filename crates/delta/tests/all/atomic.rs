//! Corrupted packets never cause a panic or a partial state, and packets that a strict decoder
//! accepts are written back byte for byte.

use crate::common::{Random, Scene, UNLIMITED, decode, published, scenes, spoil, unhex};
use gametape_delta::{
    ComponentSize, Decoder, Encoder, ReadOptions, Schema, Share, Sizes, Snapshot, Tag,
};
use proptest::prelude::*;

struct Check {
    strict: Decoder,
    lenient: Decoder,
    encoder: Encoder,
    state: Snapshot,
    again: Vec<u8>,
    taken: usize,
}

impl Check {
    fn new(schema: &Schema) -> Self {
        Self {
            strict: Decoder::with_options(schema, ReadOptions::strict().limits(UNLIMITED)),
            lenient: Decoder::with_options(schema, ReadOptions::lenient().limits(UNLIMITED)),
            encoder: Encoder::new(schema).limits(UNLIMITED),
            state: Snapshot::new(schema, 0),
            again: Vec::new(),
            taken: 0,
        }
    }

    fn packet(&mut self, baseline: Option<&Snapshot>, packet: &[u8]) {
        for (decoder, is_strict) in [(&self.lenient, false), (&self.strict, true)] {
            // The target contains the state of the previous packet, or nothing.
            let result = decode(decoder, baseline, packet, &mut self.state);
            let read = decoder.packet(packet);
            let mut sizes = Sizes::new(decoder.schema());
            let added = sizes.add(decoder, packet);
            assert_eq!(added.is_ok(), read.is_ok());
            shared(decoder, packet, &sizes);
            if let Err(error) = result {
                assert!(self.state.is_empty(), "{error}: half a state");
                assert!(
                    error.offset() <= packet.len(),
                    "{error}: there is no such byte"
                );
                assert!(!error.to_string().is_empty());
            } else {
                self.taken += 1;
                assert!(self.state.ids().is_sorted_by(|a, b| a < b));
                let read = read.expect("what can be applied can be looked at");
                if is_strict {
                    self.encoder.packet(&read, &mut self.again).unwrap();
                    assert_eq!(self.again, packet);
                }
                // Every bit is counted once.
                let heads = sizes
                    .entity_heads
                    .iter()
                    .map(|heads| heads.bits)
                    .sum::<u64>();
                let components = sizes
                    .components
                    .iter()
                    .map(ComponentSize::bits)
                    .sum::<u64>();
                let all = sizes.headers.bits + sizes.framing.bits + sizes.padding.bits;
                assert_eq!(all + heads + components, packet.len() as u64 * 8);
            }
        }
    }
}

/// Compares the shares of a packet's bits with its sizes, and with its entities and components.
fn shared(decoder: &Decoder, packet: &[u8], sizes: &Sizes) {
    let mut all = Vec::new();
    let read = decoder.shares(packet, |share, bits| all.push((share, bits as u64)));
    let whole = decoder.packet(packet);
    assert_eq!(
        read.as_ref().map_err(ToString::to_string),
        match &whole {
            Ok(whole) => Ok(&whole.header),
            Err(error) => Err(error.to_string()),
        }
    );
    let sum = |is: &dyn Fn(Share) -> bool| -> u64 {
        let of = all.iter().filter(|(share, _)| is(*share));
        of.map(|(_, bits)| bits).sum()
    };
    let bits = packet.len() as u64 * 8;
    let Ok(whole) = whole else {
        assert!(sum(&|_| true) <= bits);
        return;
    };
    assert_eq!(sum(&|_| true), bits);
    assert_eq!(sum(&|share| share == Share::Header), sizes.headers.bits);
    for tag in Tag::ALL {
        let of = sum(&|share| share.tag() == Some(tag));
        assert_eq!(of, sizes.section(tag).bits, "{tag:?}");
    }
    let padding = sum(&|share| matches!(share, Share::Padding(_)));
    assert_eq!(padding, sizes.padding.bits);
    let framing = sum(&|share| matches!(share, Share::Framing(_)));
    assert_eq!(framing, sizes.framing.bits);
    for (at, size) in sizes.components.iter().enumerate() {
        let of =
            sum(&|share| matches!(share, Share::Component { component, .. } if component == at));
        assert_eq!(of, size.bits(), "component {at}");
    }
    for (id, size) in &sizes.entities {
        let of = sum(&|share| match share {
            Share::Entity { entity, .. } | Share::Component { entity, .. } => entity == *id,
            _ => false,
        });
        assert_eq!(of, size.bits, "entity {id}");
    }
    let components = decoder.schema().components();
    let met = all.iter().filter_map(|(share, _)| match *share {
        Share::Entity { entity, .. } => Some((entity, None)),
        Share::Component {
            entity, component, ..
        } => Some((entity, Some(components[component].id))),
        _ => None,
    });
    let entities = whole.sections.iter().flat_map(|section| &section.entities);
    let told = entities.flat_map(|entity| {
        let parts = entity.components.iter().map(|part| Some(part.id));
        std::iter::once(None)
            .chain(parts)
            .map(|part| (entity.id, part))
    });
    assert!(met.eq(told));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn damaged_packets_change_nothing(Scene { schema, from, to } in scenes(true), seed: u64) {
        let mut check = Check::new(&schema);
        let (mut full, mut delta) = (Vec::new(), Vec::new());
        check.encoder.full(&from, &mut full).unwrap();
        check.encoder.delta(&from, &to, &mut delta).unwrap();
        let before = from.clone();
        check.packet(None, &full);
        check.packet(Some(&from), &delta);
        prop_assert_eq!(check.taken, 4);
        let mut rng = Random(seed);
        for _ in 0..20 {
            check.packet(None, &spoil(&full, &mut rng));
            check.packet(Some(&from), &spoil(&delta, &mut rng));
        }
        prop_assert_eq!(before, from);
    }
}

/// Tries every value of every byte in the published vectors, and every length.
#[test]
fn each_byte_of_a_packet_may_be_anything() {
    let first = published::first();
    let mut check = Check::new(first.schema());
    for (packet, baseline) in [(published::FULL, None), (published::DELTA, Some(&first))] {
        let packet = unhex(packet);
        for at in 0..packet.len() {
            check.packet(baseline, &packet[..at]);
            let mut cut = packet[..at].to_vec();
            if let Some(payload) = cut.len().checked_sub(28) {
                cut[24..28].copy_from_slice(&(payload as u32).to_le_bytes());
                check.packet(baseline, &cut);
            }
            let mut changed = packet.clone();
            for byte in 0..=255 {
                changed[at] = byte;
                check.packet(baseline, &changed);
            }
        }
    }
    // Values, ids and ticks may change, so some packets are accepted; most are not.
    assert!(
        (10_000..20_000).contains(&check.taken),
        "{} of 62,464",
        check.taken
    );
}
