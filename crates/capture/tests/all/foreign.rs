//! MCAP files that other programs wrote.

use crate::common::{by_hand_with, stream};

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
    assert_eq!(
        loose.problem().unwrap().to_string(),
        "5 messages are outside of chunks, where captures have none: they are not read"
    );

    let unlisted = mcap::WriteOptions::new().emit_chunk_indexes(false);
    let bytes = by_hand_with(unlisted, &messages);
    let capture = gametape_capture::read(&bytes).unwrap();
    assert!(capture.problem().is_none());
    assert_eq!(&capture.state_at(5).unwrap(), states.last().unwrap());
}
