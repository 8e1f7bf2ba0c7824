//! Seed recordings, made with the public API.

use gametape_murk::{
    Build, Command, CommandBuf, Envelope, Header, IndexBuilder, Payload, Writer, read, write_header,
};

use crate::noise;

/// A header with short values, which tiny limits accept.
fn header() -> Header<'static> {
    Header {
        build: Build {
            toolchain: "1.95".into(),
            target_triple: "x86".into(),
            murk_version: "0.1".into(),
            compile_flags: "\u{e4}".into(),
        },
        seed: 42,
        config_hash: 0xDB72_5513_6063_E1AF,
        field_count: 2,
        cell_count: 9,
        space_descriptor: [1, 2, 3].as_slice().into(),
    }
}

/// A header as recorders write it.
fn long_header() -> Header<'static> {
    Header {
        build: Build {
            toolchain: "1.78.0".into(),
            target_triple: "x86_64-unknown-linux-gnu".into(),
            murk_version: "0.1.9".into(),
            compile_flags: "release".into(),
        },
        space_descriptor: vec![0xA5; 101].into(),
        ..header()
    }
}

/// Without a source and a sequence, with one of them, and with both.
const ENVELOPES: [Envelope; 4] = {
    let plain = Envelope {
        priority_class: 1,
        source_id: None,
        source_seq: None,
        expires_after_tick: u64::MAX,
        arrival_seq: 0,
    };
    [
        plain,
        Envelope {
            source_id: Some(0),
            ..plain
        },
        Envelope {
            priority_class: 0,
            source_seq: Some(u64::MAX),
            expires_after_tick: 3,
            ..plain
        },
        Envelope {
            priority_class: 255,
            source_id: Some(7),
            source_seq: Some(8),
            expires_after_tick: 0,
            arrival_seq: 9,
        },
    ]
};

fn payloads() -> [Payload<'static>; 8] {
    [
        Payload::SetField {
            coord: (&[1, 2]).into(),
            field: 1,
            value: -0.5,
        },
        Payload::Move {
            entity_id: 5,
            target: (&[-1, 0, i32::MAX]).into(),
        },
        Payload::Spawn {
            coord: (&[4]).into(),
            field_values: (&[(0, 1.0), (1, f32::NAN)]).into(),
        },
        Payload::Despawn { entity_id: 5 },
        Payload::Custom {
            type_id: 77,
            data: b"anything",
        },
        Payload::SetParameter { key: 3, value: 0.1 },
        Payload::SetParameterBatch {
            parameters: (&[(0, f64::NEG_INFINITY), (9, -0.0)]).into(),
        },
        Payload::Spawn {
            coord: (&[]).into(),
            field_values: (&[]).into(),
        },
    ]
}

/// A recording with these ticks and their commands.
fn recording(header: &Header<'_>, ticks: &[(u64, &[(Envelope, Payload<'_>)])]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header).expect("short texts");
    for &(tick, list) in ticks {
        let mut commands = CommandBuf::new();
        for (envelope, payload) in list {
            commands.push(envelope, payload).expect("a short payload");
        }
        let hash = tick.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let commands = commands.as_commands();
        writer.push(tick, commands, hash).expect("memory");
    }
    writer.finish().expect("memory")
}

/// A recording of one frame whose payloads are any bytes.
fn stored(payloads: &[(u8, &[u8])]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header()).expect("short texts");
    let commands = payloads.iter().map(|&(payload_type, payload)| Command {
        payload_type,
        payload,
        envelope: Envelope::default(),
    });
    writer.push_each(1, commands, 11).expect("memory");
    writer.finish().expect("memory")
}

/// A valid header followed by the start of a frame.
fn claim(tick: u64, count: u32, command: &[u8]) -> Vec<u8> {
    let mut bytes = write_header(&Header::default()).expect("short texts");
    bytes.extend(tick.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(command);
    bytes
}

fn broken(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let [set, ..] = payloads();
    let mut bytes = recording(&header(), &[(1, &[(ENVELOPES[3], set)]), (2, &[])]);
    change(&mut bytes);
    bytes
}

/// The number of [`recordings`] that a strict reader accepts; they come first.
pub const SOUND: usize = 10;

/// Small recordings of every kind.
pub fn recordings() -> Vec<Vec<u8>> {
    let envelopes = || ENVELOPES.into_iter().cycle();
    let all: Vec<_> = envelopes().zip(payloads()).collect();
    let each: Vec<_> = (1..).zip(all.chunks(1)).collect();
    let threes: Vec<_> = (10..).zip(all.chunks(3)).collect();
    let odd_ticks: Vec<_> = [5, 5, 3, 0, u64::MAX, 1]
        .into_iter()
        .zip([&all[..1], &[], &all[3..4], &[], &all[..2], &[]])
        .collect();
    let mut files = vec![
        recording(&Header::default(), &[]),
        recording(&long_header(), &[(1, &all[..1])]),
        recording(&header(), &[(1, &[]), (2, &[]), (3, &[])]),
        recording(&header(), &each),
        recording(&header(), &threes),
        recording(&header(), &[(1, &all), (2, &[])]),
        recording(&header(), &odd_ticks),
        // Undefined types, bytes after a payload, payloads that are too short.
        stored(&[(7, b""), (255, b"what"), (2, b"8 bytes, and more")]),
        stored(&[(0, b""), (1, &[1, 0, 0, 0]), (2, &[0; 7]), (4, &[0; 9])]),
        // Lists that claim more than exists: 2^32-1, 65,537 and 2^30 entries.
        stored(&[
            (6, &[0xFF; 4]),
            (1, &[0, 0, 0, 0, 1, 0, 1, 0, 9, 9]),
            (3, &[0, 0, 0, 0x40, 1, 2, 3, 4]),
            (4, &[1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 5]),
        ]),
    ];
    debug_assert_eq!(files.len(), SOUND);
    let whole = broken(|_| {});
    let body = read(&whole).map_or(0, |replay| replay.header_size() as usize);
    files.extend([
        broken(|bytes| bytes[3] = b'k'),
        broken(|bytes| bytes[4] = 2),
        // Within the last string.
        broken(|bytes| bytes[5 + 8 + 7 + 7 + 4 + 1] = 0xFF),
        // The presence flags.
        broken(|bytes| bytes[body + 12 + 5 + 20 + 1] = 2),
        broken(|bytes| bytes[body + 12 + 5 + 20 + 10] = 255),
        broken(|bytes| bytes.truncate(bytes.len() - 1)),
        broken(|bytes| bytes.truncate(bytes.len() - 13)),
        broken(|bytes| bytes.truncate(body + 40)),
        claim(1, 1_000_000, &[]),
        claim(1, 1_000_001, &[0; 30]),
        claim(2, u32::MAX, &[0; 30]),
        claim(3, 2, &[4, 0, 0, 0, 4, 1, 2, 3]),
        claim(4, 2, &[4, 1, 0, 0, 4, 1, 2, 3]),
        claim(5, 2, &[4, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]),
        // The largest length that four bytes can express, for the first string and for the
        // descriptor.
        {
            let mut bytes = b"MURK\x03".to_vec();
            bytes.extend([0xFF, 0xFF, 0x0F, 0, b'1']);
            bytes
        },
        {
            let mut bytes = write_header(&Header::default()).expect("short texts");
            bytes.truncate(49);
            bytes.extend([0, 0, 0, 4, 9, 9, 9]);
            bytes
        },
    ]);
    files
}

/// Short files with large claims: memory must not be reserved for claims.
pub fn claims() -> Vec<Vec<u8>> {
    let claims = |bytes: &Vec<u8>| bytes.len() < 100;
    let mut files: Vec<_> = recordings().into_iter().skip(SOUND).collect();
    files.retain(claims);
    files
}

/// Large recordings, for the memory test.
pub fn large_recordings() -> Vec<Vec<u8>> {
    const LARGE: usize = 1 << 20;
    let [set, ..] = payloads();
    let commands: Vec<_> = (0..LARGE / 50).map(|_| (ENVELOPES[0], set)).collect();
    let small: Vec<_> = commands.chunks(4).zip(1..).map(|(c, t)| (t, c)).collect();
    let empty: Vec<_> = (0..LARGE as u64 / 20).map(|tick| (tick, &[][..])).collect();
    let data = vec![7; LARGE];
    let blob = Payload::Custom {
        type_id: 1,
        data: &data,
    };
    let blobs = [(ENVELOPES[1], blob), (ENVELOPES[0], set)];
    let coord = vec![-1; LARGE / 4];
    let far = Payload::Move {
        entity_id: 1,
        target: coord.as_slice().into(),
    };
    let values = vec![(1, 0.5); LARGE / 12];
    let batch = Payload::SetParameterBatch {
        parameters: values.as_slice().into(),
    };
    let wide = Header {
        build: Build {
            toolchain: "t".repeat(LARGE).into(),
            target_triple: "t".repeat(LARGE).into(),
            murk_version: "v".repeat(LARGE).into(),
            compile_flags: "f".repeat(LARGE).into(),
        },
        ..header()
    };
    let described = Header {
        space_descriptor: data.clone().into(),
        ..header()
    };
    vec![
        recording(&header(), &small),
        recording(&header(), &empty),
        recording(&header(), &[(1, &commands), (2, &[])]),
        recording(&header(), &[(1, &blobs), (2, &blobs[1..])]),
        recording(&header(), &[(1, &[(ENVELOPES[0], far)])]),
        recording(&header(), &[(1, &[(ENVELOPES[0], batch)])]),
        recording(&wide, &[(1, &[]), (2, &[])]),
        recording(&described, &[(1, &[]), (2, &commands[..9])]),
    ]
}

/// Indexes followed by their recordings, some of them wrong; recordings; scripts.
pub fn with_indexes() -> Vec<Vec<u8>> {
    let recordings = recordings();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for recording in &recordings[..SOUND] {
        let replay = read(recording).expect("a sound one");
        let index = IndexBuilder::of(&replay).expect("a sound one");
        inputs.push([&index[..], recording].concat());
        // Entries in the wrong order, so that they overlap.
        if index.len() >= 48 + 40 {
            let mut lies = index.clone();
            lies[48..].rotate_left(20);
            inputs.push([&lies[..], recording].concat());
        }
    }
    inputs.extend(recordings);
    inputs.extend(noise(12, 300));
    inputs
}
