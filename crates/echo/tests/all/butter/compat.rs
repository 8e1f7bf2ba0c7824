//! Compat output against the reference's files: byte for byte, gzip after inflating.

use std::io::Read;

use gametape_echo::Frame;
use gametape_echo::butter::{self, Compression, Mode, Options};

use crate::common::{lines, tape};

fn frames(name: &str) -> Option<Vec<Frame>> {
    tape(name).map(|bytes| lines(&bytes))
}

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

#[test]
fn files_of_the_reference_come_out_byte_for_byte() {
    for (name, interval) in [("a_single", 300), ("b_scenario", 5), ("c_combat", 4)] {
        let Some(frames) = frames(&format!("{name}.echoreplay")) else {
            return;
        };
        for (compression, suffix) in [(Compression::None, "none"), (Compression::Gzip, "gzip")] {
            let options = Options {
                mode: Mode::Compat,
                keyframe_interval: interval,
                compression,
            };
            let ours = butter::write(&frames, options).unwrap();
            let theirs = tape(&format!("{name}.k{interval}.{suffix}.butter")).unwrap();
            let (our_header, our_chunks) = inflated(&ours);
            let (their_header, their_chunks) = inflated(&theirs);
            assert_eq!(our_header, their_header, "{name}");
            for (at, (ours, theirs)) in our_chunks.iter().zip(&their_chunks).enumerate() {
                let first = ours.iter().zip(theirs).position(|(a, b)| a != b);
                assert_eq!(
                    first,
                    None,
                    "{name} {suffix}, chunk {at} of {} and {} bytes",
                    ours.len(),
                    theirs.len()
                );
                assert_eq!(ours.len(), theirs.len());
            }
            assert_eq!(our_chunks.len(), their_chunks.len());
            if compression == Compression::None {
                assert_eq!(ours, theirs);
            }
        }
    }
}

/// Checks one of the reference's small cases; its keyframe interval is in the name of its file.
fn check_case(name: &str, keyframe_interval: u16) {
    let Some(frames) = frames(&format!("compat/{name}.echoreplay")) else {
        return;
    };
    let options = Options {
        mode: Mode::Compat,
        keyframe_interval,
        compression: Compression::None,
    };
    let ours = butter::write(&frames, options).unwrap();
    let theirs = tape(&format!("compat/{name}.k{keyframe_interval}.none.butter")).unwrap();
    let first = ours.iter().zip(&theirs).position(|(a, b)| a != b);
    assert_eq!(first, None, "{name}");
    assert_eq!(ours.len(), theirs.len(), "{name}");
}

#[test]
fn positions_by_either_name_come_out_byte_for_byte() {
    check_case("both-keys", 3);
}
