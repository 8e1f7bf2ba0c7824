//! Captures that were cut, damaged, forged, or written by other programs: the readable part is read,
//! and never anything wrong.

use crate::common::{by_hand_with, bytes_of, capture_of, small, stream};
use gametape_capture::container::walk;
use gametape_capture::{CaptureRule, Ending, Error, Limits, Options, Packets};
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

#[test]
fn captures_of_others_are_refused_with_their_profile() {
    let mut writer = mcap::WriteOptions::new()
        .profile("ros2")
        .create(std::io::Cursor::new(Vec::new()))
        .unwrap();
    let channel = writer
        .add_channel(0, "/imu", "cdr", &std::collections::BTreeMap::new())
        .unwrap();
    let header = mcap::records::MessageHeader {
        channel_id: channel,
        sequence: 1,
        log_time: 5,
        publish_time: 5,
    };
    writer.write_to_known_channel(&header, &[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    let bytes = writer.into_inner().into_inner();
    let error = gametape_capture::read(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "an MCAP file, but not a capture: its profile is \"ros2\", that of captures is \"gametape\""
    );
    assert_eq!(error.code(), "capture.foreign");
}

#[test]
fn messages_outside_of_chunks_and_chunks_outside_of_the_index_are_not_passed_over() {
    let (packets, states) = stream(5, 3, 100, 1);
    let messages: Vec<(usize, u32, &[u8])> = (1..)
        .zip(&packets)
        .map(|(tick, packet)| (usize::from(tick > 1), tick, &packet[..]))
        .collect();
    let bytes = by_hand_with(mcap::WriteOptions::new().use_chunks(false), &messages);
    let loose = gametape_capture::read(&bytes).unwrap();
    assert!(loose.problem().is_none());
    assert_eq!(&loose.state_at(5).unwrap(), states.last().unwrap());

    let unlisted = mcap::WriteOptions::new().emit_chunk_indexes(false);
    let bytes = by_hand_with(unlisted, &messages);
    let capture = gametape_capture::read(&bytes).unwrap();
    assert!(capture.problem().is_none());
    assert_eq!(&capture.state_at(5).unwrap(), states.last().unwrap());
}

#[test]
fn a_message_of_no_channel_loses_only_itself() {
    let (packets, _) = stream(5, 3, 1, 1);
    let messages: Vec<(usize, u32, &[u8])> = (1..)
        .zip(&packets)
        .map(|(tick, packet)| (0, tick, &packet[..]))
        .collect();
    let mut bytes = by_hand_with(mcap::WriteOptions::new().use_chunks(false), &messages);
    let at = |bytes: &[u8]| {
        let third = packets[2].as_slice();
        let found = bytes.windows(third.len()).position(|here| here == third);
        found.unwrap()
    };
    let channel = at(&bytes) - 22;
    bytes[channel] = 99;
    let capture = gametape_capture::read(&bytes).unwrap();
    let mut cursor = capture.packets();
    let (mut read, mut errors) = (0, Vec::new());
    loop {
        match cursor.next_packet() {
            Ok(Some(_)) => read += 1,
            Ok(None) => break,
            Err(error) => errors.push(error.to_string()),
        }
    }
    assert_eq!(read, 4);
    assert_eq!(
        errors,
        [format!(
            "byte {}: a message on channel 99, which the capture does not define",
            channel - 9
        )]
    );
}

#[test]
fn a_record_outside_of_chunks_that_is_too_large_is_refused() {
    let (packets, _) = stream(1, 3, 1, 1);
    let bytes = by_hand_with(
        mcap::WriteOptions::new().use_chunks(false),
        &[(0, 1, &packets[0])],
    );
    let definitions = walk(&bytes).unwrap().chunks[0].clone();
    assert!(definitions.loose_to.is_some());
    let limits = Limits {
        max_chunk_bytes: 100,
    };
    let limited = gametape_capture::read_with(&bytes, limits).unwrap();
    let error = limited.unpack(0, &mut Vec::new()).unwrap_err();
    assert_eq!(error.code(), "capture.limit");
    let whole = gametape_capture::read(&bytes).unwrap();
    assert_eq!(
        bytes_of(&Packets::Capture(Box::new(whole))),
        packets.concat()
    );
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
