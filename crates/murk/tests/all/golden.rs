//! Golden outputs, by their hashes: the bytes that are written do not change.
//!
//! After an intended change: `GAMETAPE_BLESS=1 cargo test -p gametape-murk golden`.

use std::fmt::Write as _;
use std::path::Path;

use crate::common::recording;
use gametape_murk::{
    Build, CommandBuf, Envelope, Header, IndexBuilder, Payload, Writer, audit, read, write_header,
};
use sha2::{Digest, Sha256};

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// One command of each kind.
fn every_kind() -> Vec<u8> {
    let header = Header {
        build: Build {
            toolchain: "1.78.0".into(),
            target_triple: "x86_64-unknown-linux-gnu".into(),
            murk_version: "0.1.9".into(),
            compile_flags: "release".into(),
        },
        seed: u64::MAX,
        config_hash: 0x0123_4567_89ab_cdef,
        field_count: 3,
        cell_count: 1 << 40,
        space_descriptor: b"\0\xff opaque".as_slice().into(),
    };
    let mut commands = CommandBuf::new();
    let full = Envelope {
        priority_class: 0,
        source_id: Some(0),
        source_seq: Some(u64::MAX),
        expires_after_tick: 12,
        arrival_seq: 3,
    };
    for payload in [
        Payload::Move {
            entity_id: 7,
            target: (&[-1, i32::MAX, 3]).into(),
        },
        Payload::Spawn {
            coord: (&[]).into(),
            field_values: (&[(1, f32::NAN), (2, -0.0)]).into(),
        },
        Payload::Despawn { entity_id: 1 << 63 },
        Payload::SetField {
            coord: (&[1, 2]).into(),
            field: u32::MAX,
            value: f32::MIN_POSITIVE,
        },
        Payload::Custom {
            type_id: 9,
            data: b"\x01\x02",
        },
        Payload::SetParameter {
            key: 4,
            value: f64::NEG_INFINITY,
        },
        Payload::SetParameterBatch {
            parameters: (&[(1, 0.1), (1, 0.2)]).into(),
        },
    ] {
        commands.push(&full, &payload).unwrap();
        commands.push(&Envelope::default(), &payload).unwrap();
    }
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    writer.push(0, commands.as_commands(), 1).unwrap();
    writer
        .push(u64::MAX, CommandBuf::new().as_commands(), u64::MAX)
        .unwrap();
    writer.finish().unwrap()
}

#[test]
fn outputs_are_what_they_were() {
    let kinds = every_kind();
    let grid = recording(120, 31);
    let index = IndexBuilder::of(&read(&grid).unwrap()).unwrap();
    // The name of this machine's compiler is not golden.
    let mut findings = String::new();
    for finding in &audit(&kinds).findings {
        if !finding.code().starts_with("murk.other") {
            writeln!(findings, "{finding}").unwrap();
        }
    }
    let outputs = [
        ("header", write_header(&Header::default()).unwrap()),
        ("every-kind", kinds),
        ("findings", findings.into_bytes()),
        ("grid", grid),
        ("grid-index", index),
    ];
    let mut text = String::new();
    for (name, bytes) in &outputs {
        writeln!(text, "{} {name}", hex(bytes)).unwrap();
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/golden.txt");
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap_or_default());
}
