//! MCAP files that other programs wrote.

use gametape_capture::Limits;
use gametape_capture::container::walk;

use crate::common::{by_hand_with, bytes_of, stream};

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
        bytes_of(&gametape_capture::Packets::Capture(Box::new(whole))),
        packets.concat()
    );
}
