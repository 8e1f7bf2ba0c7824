//! Reads any bytes as a packet.

use gametape_delta::{
    ComponentSize, Decoder, EncodeError, Encoder, Error, Header, Kind, Limits, Packet, PacketError,
    ReadOptions, Rule, Schema, Share, Size, Sizes, Snapshot, Tag, settle, wire,
};

use super::model::Model;
use super::seeds;
use super::structured::{Script, schema, state};

/// Reads any bytes as a packet of a schema, strictly and leniently, with the usual limits, tiny
/// ones and none.
///
/// Nothing panics. An error has a known code and an offset within the packet. The lenient reader
/// gives the same error at the same place, except for the three rules that only strict readers
/// enforce; it accepts what strict readers accept, with the same result. An accepted packet is
/// written back byte for byte; a packet that only the lenient reader accepts is written in a
/// strictly valid form. Every bit is counted once, and each share
/// of a packet is in its sizes. A packet has the same effect on a state as on
/// the model, a map of maps; after an error the resulting state is empty. The baseline does not
/// change.
pub fn delta_packet(data: &[u8]) {
    let mut script = Script::new(data);
    let kind = script.byte();
    let number = usize::from(kind & 7);
    let (schema, baseline) = if number < seeds::KNOWN {
        seeds::known(number)
    } else {
        let schema = schema(&mut script);
        let baseline = state(&mut script, &schema, 7, 8);
        (schema, baseline)
    };
    let mut packet = script.rest().to_vec();
    if kind & 8 != 0 {
        mend(&mut packet, &schema, baseline.tick());
    }
    let limits = match kind >> 4 & 3 {
        0 | 1 => Limits::DEFAULT,
        2 => TINY,
        _ => Limits::NONE,
    };
    consistent(&schema, &baseline, &packet, limits);
}

/// Small enough to be reached by small packets.
const TINY: Limits = Limits {
    max_packet_bytes: 100,
    max_sections: 2,
    max_section_bytes: 50,
    max_entities_create: 3,
    max_entities_update: 2,
    max_entities_destroy: 2,
    max_components: 3,
    max_fields: 4,
    max_entities: 5,
};

/// Gives a packet a readable header, and keeps its kind and tick.
fn mend(packet: &mut [u8], schema: &Schema, tick: u32) {
    let payload = packet.len() as u32;
    let Some(bytes) = packet.first_chunk_mut::<28>() else {
        return;
    };
    let full = bytes[6] & 1 == 1;
    let kind = if full {
        Kind::Full
    } else {
        let given = u32::from_le_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]);
        let baseline = if given % 8 == 3 { given } else { tick };
        Kind::Delta { baseline }
    };
    let header = Header {
        kind,
        schema_hash: schema.hash(),
        tick: u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]),
    };
    *bytes = header.to_bytes(payload - 28);
}

/// True for the three rules that only strict readers enforce.
pub(super) fn is_only_strict(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::Padding { .. } | Rule::VaruintNotMinimal | Rule::TickOrder { .. }
    )
}

/// Asserts everything that must be true for any packet.
pub(super) fn consistent(schema: &Schema, baseline: &Snapshot, packet: &[u8], limits: Limits) {
    let strict = Decoder::with_options(schema, ReadOptions::strict().limits(limits));
    let lenient = Decoder::with_options(schema, ReadOptions::lenient().limits(limits));
    let read = strict.packet(packet);
    let taken = lenient.packet(packet);
    agree(&read, &taken, packet, limits);
    for (decoder, read) in [(&strict, &read), (&lenient, &taken)] {
        header(decoder, read, packet);
        sizes(decoder, schema, read, packet);
        applies(decoder, baseline, read, packet, limits);
    }
    let limited = Encoder::new(schema).limits(limits);
    match (&read, &taken) {
        (Ok(read), _) => written_back(limited, read, packet),
        (Err(_), Ok(taken)) => written_strictly(limited, &strict, taken, packet),
        (Err(_), Err(_)) => {}
    }
    cut(&strict, &read, packet);
}

/// Compares a strict and a lenient result.
fn agree<T: PartialEq + std::fmt::Debug>(
    strict: &Result<T, Error>,
    lenient: &Result<T, Error>,
    packet: &[u8],
    limits: Limits,
) {
    match (strict, lenient) {
        (Ok(strict), lenient) => assert_eq!(lenient.as_ref(), Ok(strict)),
        (Err(error), Err(other)) if !is_only_strict(&error.rule) => assert_eq!(error, other),
        (Err(error), lenient) => {
            assert!(is_only_strict(&error.rule), "only a strict reader: {error}");
            if let Err(error) = lenient {
                assert!(!is_only_strict(&error.rule), "a lenient reader: {error}");
            }
        }
    }
    for error in [strict, lenient]
        .into_iter()
        .filter_map(|r| r.as_ref().err())
    {
        sound(error, packet, limits);
    }
}

fn is_known(error: &Error) -> bool {
    Rule::ALL.iter().any(|rule| rule.code == error.code())
}

/// Asserts the properties of every error.
fn sound(error: &Error, packet: &[u8], limits: Limits) {
    assert!(
        error.offset() <= packet.len(),
        "{error} of {}",
        packet.len()
    );
    assert!(is_known(error), "{}", error.code());
    assert!(error.to_string().len() > 10, "{error}");
    assert!(error.is_limit() == matches!(error.rule, Rule::Limit { .. }));
    assert!(!error.is_limit() || limits != Limits::NONE, "{error}");
    assert!(!(error.is_limit() && error.is_truncated()), "{error}");
}

/// Checks header and framing.
fn header(decoder: &Decoder, read: &Result<Packet, Error>, packet: &[u8]) {
    let header = decoder.header(packet);
    match (read, &header) {
        (Ok(read), header) => {
            assert_eq!(header.as_ref(), Ok(&read.header));
            assert_eq!(wire::packet_len(packet), Ok(packet.len() as u64));
            let payload = packet.len() as u32 - 28;
            assert_eq!(read.header.to_bytes(payload)[..], packet[..28]);
        }
        (Err(error), Err(other)) => assert_eq!(error, other),
        // The error is after the header.
        (Err(_), Ok(_)) => {}
    }
}

/// A packet that is cut off cannot be read, and the error says so.
fn cut(decoder: &Decoder, read: &Result<Packet, Error>, packet: &[u8]) {
    if read.is_err() {
        return;
    }
    for len in [0, 27, 28, packet.len() / 2, packet.len() - 1] {
        if len < packet.len() {
            let error = decoder.packet(&packet[..len]).expect_err("it is cut");
            assert!(error.is_truncated(), "{error}");
        }
    }
}

fn sizes(decoder: &Decoder, schema: &Schema, read: &Result<Packet, Error>, packet: &[u8]) {
    let none = Sizes::new(schema);
    let mut sizes = none.clone();
    let added = sizes.add(decoder, packet);
    shares(decoder, packet, &sizes);
    let read = match (read, added) {
        (Ok(read), added) => {
            assert_eq!(added, Ok(read.header));
            read
        }
        (Err(error), added) => {
            assert_eq!(added.as_ref(), Err(error));
            assert!(sizes == none, "a packet that is refused is counted");
            return;
        }
    };
    let bits = packet.len() as u64 * 8;
    let sum = |sizes: &[Size]| sizes.iter().map(|size| size.bits).sum::<u64>();
    let components: u64 = sizes.components.iter().map(ComponentSize::bits).sum();
    let (heads, framing, padding) = (
        sum(&sizes.entity_heads),
        sizes.framing.bits,
        sizes.padding.bits,
    );
    assert_eq!((sizes.packets.count, sizes.packets.bits), (1, bits));
    assert_eq!(
        224 + framing + heads + components + padding,
        bits,
        "by kind"
    );
    let entities: u64 = sizes.entities.values().map(|size| size.bits).sum();
    assert_eq!(224 + framing + entities + padding, bits, "by entity");
    assert_eq!(224 + sum(&sizes.sections), bits, "by section");
    // The counts equal those of the packet's parts.
    let count = |sizes: &[Size]| sizes.iter().map(|size| size.count).sum::<u64>();
    let named = read.sections.iter().flat_map(|s| &s.entities);
    assert_eq!(count(&sizes.entity_heads), named.clone().count() as u64);
    let parts = named.flat_map(|entity| &entity.components);
    let masks = sizes.components.iter().map(|c| c.masks.count).sum::<u64>();
    assert_eq!(masks, parts.clone().count() as u64);
    let values = sizes.components.iter().flat_map(|c| &c.fields);
    let values: u64 = values.map(|(_, size)| size.count).sum();
    assert_eq!(
        values,
        parts.map(|part| part.fields.len() as u64).sum::<u64>()
    );
    // Counting it again doubles the sizes.
    let once = sizes.clone();
    sizes.add(decoder, packet).expect("as before");
    assert_eq!(sizes.packets.bits, 2 * bits);
    assert_eq!(sum(&sizes.sections), 2 * sum(&once.sections));
}

/// Compares the shares of a packet's bits with its sizes, and with its entities and components.
fn shares(decoder: &Decoder, packet: &[u8], sizes: &Sizes) {
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

/// Applies the packet to a state and to a model of it.
fn applies(
    decoder: &Decoder,
    baseline: &Snapshot,
    read: &Result<Packet, Error>,
    packet: &[u8],
    limits: Limits,
) {
    // The previous content and schema of the result do not matter.
    let mut full = Snapshot::new(&seeds::known(1).0, 3);
    full.entry(9);
    let mut delta = baseline.clone();
    delta.set_tick(99);
    let before = baseline.clone();
    let results = [
        (true, decoder.full(packet, &mut full), full),
        (false, decoder.delta(baseline, packet, &mut delta), delta),
    ];
    assert!(*baseline == before, "the baseline is changed");
    for (is_full, result, state) in results {
        assert_eq!(state.schema(), baseline.schema());
        if let Err(error) = &result {
            assert!(state.is_empty(), "half a packet is applied: {error}");
            assert_eq!(Model::of(&state), Model::default());
            sound(error, packet, limits);
        }
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                let other = result.expect_err("it can't be read");
                // The sections of a delta are read interleaved, so another of several errors may be
                // found.
                assert!(is_full || is_known(&other));
                if is_full && !matches!(other.rule, Rule::Kind { .. }) {
                    assert_eq!(*error, other);
                }
                continue;
            }
        };
        match (is_full, read.header.kind) {
            (true, Kind::Delta { .. }) | (false, Kind::Full) => {
                let error = result.expect_err("it is of the other kind");
                assert_eq!(error.code(), "delta.kind");
                continue;
            }
            (false, Kind::Delta { baseline: tick }) if tick != baseline.tick() => {
                let error = result.expect_err("it is of another baseline");
                assert!(error.needs_full(), "{error}");
                continue;
            }
            _ => {}
        }
        let mut model = if is_full {
            Model::default()
        } else {
            Model::of(baseline)
        };
        match model.apply(read, baseline.schema(), limits.max_entities) {
            Ok(()) => {
                assert_eq!(result, Ok(()));
                assert_eq!(state.tick(), read.header.tick);
                assert_eq!(Model::of(&state), model);
                written_again(baseline, &state);
            }
            Err(refusals) => {
                let error = result.expect_err("the model refuses it");
                let codes = refusals.iter().map(|refusal| refusal.code());
                assert!(codes.clone().any(|code| code == error.code()), "{error}");
            }
        }
    }
}

/// A received state can be sent again.
fn written_again(baseline: &Snapshot, state: &Snapshot) {
    let schema = state.schema();
    let mut encoder = Encoder::new(schema).limits(Limits::NONE);
    let decoder = Decoder::with_options(schema, ReadOptions::strict().limits(Limits::NONE));
    let mut packet = Vec::new();
    let mut back = Snapshot::new(schema, 0);
    encoder.full(state, &mut packet).expect("no limits");
    decoder.full(&packet, &mut back).expect("it was encoded");
    assert!(back == *state, "{back:?} is not {state:?}");
    match encoder.delta(baseline, state, &mut packet) {
        Ok(()) => {
            decoder
                .delta(baseline, &packet, &mut back)
                .expect("it was encoded");
            let mut settled = state.clone();
            settle(baseline, &mut settled);
            assert!(back == settled, "{back:?} is not {settled:?}");
        }
        Err(error) => assert!(
            match error {
                EncodeError::TickOrder { .. } => state.tick() <= baseline.tick(),
                EncodeError::BaselineZero => baseline.tick() == 0,
                _ => false,
            },
            "{error}"
        ),
    }
}

/// A packet that a strict reader accepts is written back byte for byte.
fn written_back(mut encoder: Encoder, read: &Packet, packet: &[u8]) {
    let mut again = vec![1, 2, 3];
    encoder.packet(read, &mut again).expect("it was read");
    assert_eq!(again, packet);
}

/// A packet that only a lenient reader accepts is written in a strictly valid form, if its tick
/// allows it.
fn written_strictly(mut encoder: Encoder, strict: &Decoder, taken: &Packet, packet: &[u8]) {
    let mut again = vec![1, 2, 3];
    match encoder.packet(taken, &mut again) {
        Ok(()) => {
            assert!(again.len() <= packet.len());
            assert_eq!(strict.packet(&again).as_ref(), Ok(taken));
        }
        Err(PacketError::Rule(error)) => {
            assert_eq!(error.code(), "delta.tick-order");
            assert!(again.is_empty());
        }
        Err(error) => panic!("it was read, but {error}"),
    }
}
