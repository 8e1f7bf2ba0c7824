//! Packets from bytes as they arrive: pieces of any size give the same result, which is also that
//! of reading by the index.

use gametape_capture::{DeltaFile, Error, Feed, Options, Packets, Reader, Role, Writer, read};
use gametape_core::feed::Fed;
use gametape_delta::{Encoder, Schema, Snapshot};
use proptest::prelude::*;

use crate::common::{schema, world};

type Found = (u64, u64, Role, Vec<u8>);

fn packets() -> Vec<Vec<u8>> {
    let schema = schema();
    let mut encoder = Encoder::new(&schema);
    let states: Vec<Snapshot> = (1..=120).map(|tick| world(tick, 9)).collect();
    let packet = |at: usize| {
        let mut packet = Vec::new();
        let encoded = match at.checked_sub(1) {
            Some(before) => encoder.delta(&states[before], &states[at], &mut packet),
            None => encoder.full(&states[at], &mut packet),
        };
        encoded.unwrap();
        packet
    };
    (0..states.len()).map(packet).collect()
}

fn capture() -> Vec<u8> {
    let options = Options {
        chunk_bytes: 1500,
        keyframe_every: Some(25),
        tick_ns: Some(50_000_000),
        view: false,
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for packet in packets() {
        writer.push(&packet).unwrap();
    }
    writer.finish().unwrap()
}

fn kept(packet: &gametape_capture::Packet<'_>) -> Found {
    (
        packet.index,
        packet.offset,
        packet.role,
        packet.bytes.to_vec(),
    )
}

/// Feeds the bytes in pieces; if `ends` is true, declares the end of the input after each piece.
fn fed(bytes: &[u8], bare: bool, sizes: &[usize], ends: bool) -> (Vec<Found>, Option<String>) {
    let mut feed = if bare {
        Feed::of_packets()
    } else {
        Feed::new()
    };
    let (mut found, mut rest) = (Vec::new(), bytes);
    let mut sizes = sizes.iter().cycle();
    let mut take = |feed: &mut Feed| loop {
        match feed.next_packet() {
            Ok(Fed::Item(packet)) => found.push(kept(&packet)),
            Ok(_) => return None,
            Err(error) => return Some(error),
        }
    };
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
        feed.push(piece);
        rest = behind;
        if ends {
            feed.finish();
        }
        match take(&mut feed) {
            Some(error) if !ends || !error.is_truncated() => {
                return (found, Some(error.to_string()));
            }
            _ => {}
        }
    }
    feed.finish();
    let end = take(&mut feed).map(|error| error.to_string());
    (found, end)
}

fn streamed(bytes: &[u8], bare: bool) -> (Vec<Found>, Option<String>) {
    let mut reader = if bare {
        Reader::of_packets(bytes)
    } else {
        Reader::new(bytes)
    };
    let mut found = Vec::new();
    loop {
        match reader.next_packet() {
            Ok(Some(packet)) => found.push(kept(&packet)),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error.to_string())),
        }
    }
}

/// The complete packets and chunks, read by the index.
fn indexed(packets: &Packets<'_>) -> (Vec<Found>, Option<Error>) {
    let mut cursor = packets.cursor();
    let mut found = Vec::new();
    loop {
        match cursor.next_packet() {
            Ok(Some(packet)) => found.push(kept(&packet)),
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error)),
        }
    }
}

proptest! {
    #[test]
    fn pieces_give_the_packets_of_the_whole(
        sizes in proptest::collection::vec(1_usize..400, 1..6),
        cut in any::<proptest::sample::Index>(),
        ends: bool,
    ) {
        let whole = capture();
        let cut_capture = &whole[..cut.index(whole.len())];
        for bytes in [&whole[..], cut_capture] {
            let (found, end) = fed(bytes, false, &sizes, ends);
            prop_assert_eq!(&(found.clone(), end), &streamed(bytes, false));
            let wanted = read(bytes).map(|capture| indexed(&Packets::Capture(Box::new(capture))));
            if let Ok((wanted, error)) = wanted {
                prop_assert_eq!(found, wanted);
                prop_assert!(error.is_none());
            }
        }
        let whole = packets().concat();
        for bytes in [&whole[..], &whole[..cut.index(whole.len())]] {
            let (found, end) = fed(bytes, true, &sizes, ends);
            prop_assert_eq!(&(found.clone(), end), &streamed(bytes, true));
            let file = DeltaFile::new(bytes, schema());
            prop_assert_eq!(found, indexed(&Packets::Delta(file)).0);
        }
    }

    #[test]
    fn whatever_is_damaged_is_told_alike(
        sizes in proptest::collection::vec(1_usize..400, 1..6),
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        ends: bool,
    ) {
        for (bare, mut bytes) in [(false, capture()), (true, packets().concat())] {
            for (at, byte) in &damage {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            let found = fed(&bytes, bare, &sizes, ends);
            prop_assert_eq!(found, streamed(&bytes, bare));
        }
    }
}

#[test]
fn a_feed_knows_what_the_first_chunk_says() {
    let bytes = capture();
    let mut feed = Feed::new();
    assert_eq!(feed.schema(), None);
    feed.push(&bytes);
    assert!(matches!(feed.next_packet(), Ok(Fed::Item(_))));
    assert_eq!(feed.schema().map(Schema::hash), Some(schema().hash()));
    assert_eq!(feed.tick_ns(), Some(50_000_000));
    let error = streamed(b"no capture", false).1;
    assert_eq!(
        error.as_deref(),
        Some("byte 0: the file does not start as an MCAP file does")
    );
}
