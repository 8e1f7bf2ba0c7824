//! Captures that were cut, damaged or forged: the readable part is read, and never anything wrong.

use crate::common::{bytes_of, capture_of, small, stream};
use gametape_capture::{CaptureRule, Ending, Error, Options, Packets};
use gametape_delta::wire::Header;
use proptest::prelude::*;

#[test]
fn a_capture_that_was_cut_anywhere_opens_up_to_its_last_whole_chunk() {
    let (packets, states) = stream(60, 5, 25, 1);
    let bytes = capture_of(&packets, small());
    let whole = gametape_capture::read(&bytes).unwrap();
    assert_eq!(whole.ending(), Ending::Whole);
    let mut before = 0;
    let mut opened_from = None;
    for cut in 0..bytes.len() {
        let part = &bytes[..cut];
        let capture = match gametape_capture::read(part) {
            Ok(capture) => capture,
            Err(error) => {
                assert!(opened_from.is_none(), "cut at {cut}: {error}");
                continue;
            }
        };
        opened_from.get_or_insert(cut);
        assert_ne!(capture.ending(), Ending::Whole, "cut at {cut}");
        let packets_of = Packets::Capture(Box::new(capture));
        let found = bytes_of(&packets_of);
        assert!(packets.concat().starts_with(&found));
        assert!(
            found.len() >= before,
            "cut at {cut}: what could be read stays readable"
        );
        if found.len() > before {
            before = found.len();
            let last = last_tick(&packets_of);
            let state = packets_of.state_at(u32::MAX).unwrap();
            assert_eq!(state, states[last as usize - 1]);
        }
    }
    // The header and the facts take less than a kilobyte; the rest is chunks and their index.
    assert!(opened_from.unwrap() < 1200, "{opened_from:?}");
    assert_eq!(
        before,
        packets.concat().len(),
        "the index is not needed for any packet"
    );
}

fn last_tick(packets: &Packets<'_>) -> u32 {
    let mut cursor = packets.cursor();
    let mut last = 0;
    while let Some(packet) = cursor.next_packet().unwrap() {
        last = Header::read(packet.bytes).unwrap().0.tick;
    }
    last
}

/// The first error of a capture whose index is intact.
fn first_error(bytes: &[u8]) -> Error {
    let capture = gametape_capture::read(bytes).unwrap();
    let mut cursor = capture.packets();
    loop {
        match cursor.next_packet() {
            Ok(packet) => assert!(packet.is_some(), "nothing is wrong"),
            Err(error) => return error,
        }
    }
}

#[test]
fn a_chunk_that_claims_too_much_is_refused_before_anything_is_allocated() {
    let (packets, _) = stream(5, 3, 8, 1);
    let mut bytes = capture_of(&packets, small());
    let at = (0..bytes.len())
        .find(|at| bytes[*at..].starts_with(b"\x04\0\0\0zstd"))
        .unwrap();
    // The unpacked size is stored before the checksum.
    bytes[at - 12..at - 4].copy_from_slice(&(4_u64 << 30).to_le_bytes());
    let error = first_error(&bytes);
    assert_eq!(error.code(), "capture.limit");
    assert_eq!(
        error.finding().unwrap().message(),
        "the chunk claims 4,294,967,296 bytes when unpacked, the limit is 268,435,456"
    );
}

#[test]
fn a_chunk_that_unpacks_to_more_than_it_claims_is_refused() {
    let (packets, _) = stream(40, 3, 8, 1);
    let mut bytes = capture_of(&packets, Options::default());
    let at = (0..bytes.len())
        .find(|at| bytes[*at..].starts_with(b"\x04\0\0\0zstd"))
        .unwrap();
    bytes[at - 12..at - 4].copy_from_slice(&100_u64.to_le_bytes());
    let error = first_error(&bytes);
    assert_eq!(error.code(), "capture.unpack");
    assert_eq!(
        error.finding().unwrap().message(),
        "the chunk can't be unpacked: it holds more than the 100 bytes it claims"
    );
    let rule = CaptureRule::UnpackedSize {
        claimed: 100,
        more: true,
    };
    assert_eq!(error.rule().unwrap().recording(), Some(&rule));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A damaged capture never gives a wrong state: it gives the original one or an error.
    #[test]
    fn a_damaged_capture_never_gives_another_state(at: proptest::sample::Index, value in 1..=255_u8, lag in 1..4_u32) {
        let (packets, states) = stream(40, 4, 15, lag);
        let mut bytes = capture_of(&packets, Options { keyframe_every: Some(6), ..small() });
        let at = at.index(bytes.len());
        bytes[at] ^= value;
        if let Ok(capture) = gametape_capture::read(&bytes) {
            for state in &states {
                if let Ok(found) = capture.state_at(state.tick()) {
                    prop_assert_eq!(&found, &states[found.tick() as usize - 1]);
                }
            }
        }
    }
}
