//! Compat output against the reference's files: byte for byte, gzip after inflating.

use std::io::Read;

use gametape_echo::butter::{self, Compression, Mode};

use crate::common::{lines, options, tape, write};

/// The file with its chunks inflated.
fn inflated(bytes: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let file = butter::read(bytes).unwrap();
    let mut header = Vec::new();
    file.header().unwrap().write(&mut header);
    let chunks = file
        .chunks()
        .iter()
        .map(|chunk| {
            let start = chunk.offset as usize;
            let stored = &bytes[start..start + chunk.size as usize];
            let mut raw = Vec::new();
            if stored.starts_with(&[0x1F, 0x8B]) {
                flate2::read::GzDecoder::new(stored)
                    .read_to_end(&mut raw)
                    .unwrap();
            } else {
                raw.extend_from_slice(stored);
            }
            raw
        })
        .collect();
    (header, chunks)
}

/// Writes what was recorded as the reference did, if it is there, and compares with what that wrote.
fn check(name: &str, interval: u16, compression: Compression) {
    let Some(recorded) = tape(&format!("{name}.echoreplay")) else {
        return;
    };
    let options = options(Mode::Compat, interval, compression);
    let ours = write(&lines(&recorded), options);
    let theirs = tape(&format!("{name}.k{interval}.{compression}.butter")).unwrap();
    let (our_header, our_chunks) = inflated(&ours);
    let (their_header, their_chunks) = inflated(&theirs);
    assert_eq!(our_header, their_header, "{name}");
    for (at, (ours, theirs)) in our_chunks.iter().zip(&their_chunks).enumerate() {
        let first = ours.iter().zip(theirs).position(|(a, b)| a != b);
        let sizes = [ours.len(), theirs.len()];
        let what = format!("{name} {compression}, chunk {at} of {sizes:?} bytes");
        assert_eq!(first, None, "{what}");
        assert_eq!(ours.len(), theirs.len(), "{what}");
    }
    assert_eq!(our_chunks.len(), their_chunks.len());
    if compression == Compression::None {
        assert_eq!(ours, theirs);
    }
}

#[test]
fn files_of_the_reference_come_out_byte_for_byte() {
    for (name, interval) in [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)] {
        for compression in [Compression::None, Compression::Gzip] {
            check(name, interval, compression);
        }
    }
}

#[test]
fn positions_by_either_name_come_out_byte_for_byte() {
    check("compat/both-keys", 3, Compression::None);
}
