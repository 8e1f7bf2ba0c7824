//! Captures: written and read through C, and what is wrong with some.

use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;

use gametape_c::*;

use crate::common::*;

fn next_packet(capture: &mut Capture) -> Result<CapturePacket, Status> {
    let mut packet = MaybeUninit::uninit();
    match gametape_capture_next_packet(Some(capture), Some(&mut packet), None) {
        // SAFETY: it is set if there was no error.
        Status::Ok => Ok(unsafe { packet.assume_init() }),
        status => Err(status),
    }
}

/// The hull of ship 1 in the next state.
fn next_hull(capture: &mut Capture) -> Result<i64, Status> {
    let mut state = MaybeUninit::uninit();
    let status = gametape_capture_next_state(Some(capture), Some(&mut state), None);
    // SAFETY: it is always set, and valid until the next one is read.
    let state = unsafe { state.assume_init().as_ref() };
    assert_eq!(state.is_some(), status == Status::Ok);
    Ok(values(state.ok_or(status)?, 1, 1).unwrap()[1].integer)
}

/// Records the packets of a session, of ticks 1 to `last`; returns them.
fn record(path: &Path, last: u32, options: CaptureOptions) -> Vec<Vec<u8>> {
    let (schema, mut error) = (schema(), gametape_error_new().unwrap());
    let mut writer = create(path_of(path).as_ptr(), options, &mut error).unwrap();
    let mut world = gametape_world_new(Some(&schema), None).unwrap();
    let mut sender = gametape_sender_new(Some(&schema), None, None).unwrap();
    let mut receiver = gametape_receiver_new(Some(&schema), None, None).unwrap();
    let mut packets = Vec::new();
    for tick in 1..=last {
        let mut ship = state(&schema, tick);
        put(&mut ship, 1, 1, &[0, i64::from(tick)]);
        update(&mut world, &ship);
        let sent = encode(&mut sender, &mut world).unwrap();
        let (data, size) = (sent.packet, sent.size);
        // SAFETY: a packet that the sender still has.
        let status = unsafe {
            gametape_capture_writer_push(
                Some(&mut writer),
                data,
                size,
                1_000 + u64::from(tick),
                None,
            )
        };
        assert_eq!(status, Status::Ok);
        packets.push(bytes(&sent).to_vec());
        let (_, received) = apply(&mut receiver, bytes(&sent));
        feedback(&mut sender, &received.feedback);
    }
    assert_eq!(
        gametape_capture_writer_flush(Some(&mut writer), None),
        Status::Ok
    );
    assert_eq!(
        gametape_capture_writer_finish(Some(&mut writer), None),
        Status::Ok
    );
    // Nothing comes after the end.
    assert_eq!(
        gametape_capture_writer_flush(Some(&mut writer), None),
        Status::Caller
    );
    let status = gametape_capture_writer_finish(Some(&mut writer), Some(&mut error));
    assert_eq!(
        (status, text(&error)),
        (Status::Caller, "the capture was finished")
    );
    gametape_capture_writer_free(Some(writer));
    packets
}

#[test]
fn packets_and_states_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("é.mcap");
    let options = CaptureOptions {
        tick_ns: 33_333_333,
        keyframe_every: 10,
        ..CaptureOptions::default()
    };
    let packets = record(&path, 50, options);
    let mut capture = open(&path, &mut gametape_error_new().unwrap()).unwrap();
    // SAFETY: the capture lives longer.
    let of = unsafe { gametape_capture_schema(Some(&capture)).as_ref() };
    assert_eq!(
        gametape_schema_hash(of),
        gametape_schema_hash(Some(&schema()))
    );
    let (mut stream, mut added) = (Vec::new(), 0);
    // States are read beside the packets, each at its own place.
    let end = loop {
        let packet = match next_packet(&mut capture) {
            Ok(packet) => packet,
            Err(end) => break end,
        };
        if packet.role == PacketRole::Added {
            added += 1;
            continue;
        }
        // SAFETY: valid until the next packet is read.
        let bytes = unsafe { std::slice::from_raw_parts(packet.packet, packet.size) };
        stream.push(bytes.to_vec());
        assert_eq!(
            (packet.tick, packet.time_ns),
            (stream.len() as u32, 1_000 + stream.len() as u64)
        );
        assert_eq!(packet.role == PacketRole::Keyframe, packet.tick == 1);
        assert_eq!(next_hull(&mut capture), Ok(packet.tick.into()));
    };
    assert_eq!((stream, added > 2, end), (packets, true, Status::End));
    assert_eq!(next_hull(&mut capture), Err(Status::End));

    let mut then = state(&schema(), 0);
    let seek = |tick, then: &mut Snapshot| {
        gametape_capture_state_at(Some(&capture), tick, Some(then), None)
    };
    assert_eq!(seek(33, &mut then), Status::Ok);
    assert_eq!(values(&then, 1, 1).unwrap()[1].integer, 33);
    assert_eq!(
        seek(0, &mut then),
        Status::Caller,
        "before the first packet"
    );
    assert_eq!(
        gametape_snapshot_tick(Some(&then)),
        33,
        "unchanged after an error"
    );
}

#[test]
fn a_capture_that_was_cut_is_read_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mcap");
    let options = CaptureOptions {
        chunk_bytes: 1,
        ..CaptureOptions::default()
    };
    record(&path, 50, options);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 3]).unwrap();
    let mut capture = open(&path, &mut gametape_error_new().unwrap()).unwrap();
    let mut read = 0;
    let end = loop {
        match next_hull(&mut capture) {
            Ok(hull) => assert_eq!(hull, read + 1),
            Err(status) => break status,
        }
        read += 1;
    };
    assert!(read > 5 && end == Status::Data, "{read} states, {end:?}");
}

#[test]
fn files_that_cannot_be_opened_or_made() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("there");
    fs::write(&there, "not a capture").unwrap();
    let mut error = gametape_error_new().unwrap();
    let status = |error: &Error| gametape_error_status(Some(error));
    assert!(open(&folder.path().join("absent"), &mut error).is_none());
    assert_eq!(status(&error), Status::Io);
    assert!(text(&error).contains("absent: "), "{}", text(&error));
    assert!(open(&there, &mut error).is_none());
    assert_eq!(status(&error), Status::Data);

    let path = path_of(&there);
    assert!(create(path.as_ptr(), CaptureOptions::default(), &mut error).is_none());
    assert_eq!(status(&error), Status::Io);
    assert_eq!(fs::read_to_string(&there).unwrap(), "not a capture");
    assert!(create(c"\xff".as_ptr(), CaptureOptions::default(), &mut error).is_none());
    assert_eq!(
        (status(&error), text(&error)),
        (Status::Caller, "path is not in UTF-8")
    );

    let fresh = folder.path().join("fresh");
    let options = CaptureOptions {
        tick_ns: u64::MAX,
        ..CaptureOptions::default()
    };
    assert!(create(path_of(&fresh).as_ptr(), options, &mut error).is_none());
    assert_eq!(status(&error), Status::Caller);
    assert!(!fresh.exists(), "options that are refused leave no file");
}

#[test]
fn a_writer_refuses_what_does_not_fit_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (path, schema) = (folder.path().join("a.mcap"), schema());
    let mut error = gametape_error_new().unwrap();
    let mut writer = create(
        path_of(&path).as_ptr(),
        CaptureOptions::default(),
        &mut error,
    )
    .unwrap();
    let mut push = |tick| {
        let mut ship = state(&schema, tick);
        put(&mut ship, 1, 1, &[0, i64::from(tick)]);
        gametape_capture_writer_push_state(Some(&mut writer), Some(&ship), 0, None)
    };
    assert_eq!(
        [push(3), push(3), push(2), push(4)],
        [Status::Ok, Status::Caller, Status::Caller, Status::Ok]
    );
    // SAFETY: an array with its length.
    let status =
        unsafe { gametape_capture_writer_push(Some(&mut writer), [7; 40].as_ptr(), 40, 0, None) };
    assert_eq!(status, Status::Data);
    // Without `finish`: to free it ends the file, too.
    gametape_capture_writer_free(Some(writer));
    let mut capture = open(&path, &mut error).unwrap();
    assert_eq!(
        [next_hull(&mut capture), next_hull(&mut capture)],
        [Ok(3), Ok(4)]
    );
    assert_eq!(next_hull(&mut capture), Err(Status::End));
}
