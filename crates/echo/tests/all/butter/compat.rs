//! Compat output against the reference's files: byte for byte, gzip after inflating.

use std::io::Read;

use gametape_echo::WriteError;
use gametape_echo::butter::{self, Compression, Mode};

use crate::common::{
    by_reference, lines, model, options, read_strictly, recording_names, tape, write,
};
use gametape_samples::echo::odd_match;

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

/// Compares a file with the reference's.
fn compare(ours: &[u8], theirs: &[u8], name: &str) {
    let (our_header, our_chunks) = inflated(ours);
    let (their_header, their_chunks) = inflated(theirs);
    assert_eq!(our_header, their_header, "{name}");
    for (at, (ours, theirs)) in our_chunks.iter().zip(&their_chunks).enumerate() {
        let first = ours.iter().zip(theirs).position(|(a, b)| a != b);
        let sizes = [ours.len(), theirs.len()];
        let what = format!("{name}, chunk {at} of {sizes:?} bytes");
        assert_eq!(first, None, "{what}");
        assert_eq!(ours.len(), theirs.len(), "{what}");
    }
    assert_eq!(our_chunks.len(), their_chunks.len());
}

/// Writes what was recorded as the reference did, if it is there, and compares with what that wrote.
fn check(name: &str, interval: u16, compression: Compression) {
    let Some(recorded) = tape(&format!("{name}.echoreplay")) else {
        return;
    };
    let options = options(Mode::Compat, interval, compression);
    let theirs = tape(&format!("{name}.k{interval}.{compression}.butter")).unwrap();
    // By what the frames say, and by what their lines say.
    let ways: [Vec<u8>; 2] = [
        write(&lines(&recorded), options),
        by_reference(&recorded, options).unwrap(),
    ];
    for ours in ways {
        compare(&ours, &theirs, &format!("{name} {compression}"));
        if compression == Compression::None {
            assert_eq!(ours, theirs);
        }
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

/// The frame that the reference names where it throws: `encoding frame 2: …`.
fn frame_of(throws: &[u8]) -> u64 {
    let text = str::from_utf8(throws).unwrap();
    let rest = text.split("frame ").nth(1).unwrap();
    rest.split(':').next().unwrap().parse().unwrap()
}

#[test]
fn every_case_of_the_reference_comes_out_byte_for_byte_or_is_refused() {
    for name in recording_names("butter/compat") {
        let Some((stem, rest)) = name.split_once(".k") else {
            continue;
        };
        let Some((interval, ending)) = rest.split_once('.') else {
            continue;
        };
        let recorded = tape(&format!("compat/{stem}.echoreplay")).unwrap();
        let options = options(Mode::Compat, interval.parse().unwrap(), Compression::None);
        let ours = by_reference(&recorded, options);
        let theirs = tape(&format!("compat/{name}")).unwrap();
        match ending {
            "none.butter" => {
                let ours = ours.unwrap_or_else(|error| panic!("{stem}: {error}"));
                compare(&ours, &theirs, stem);
                assert_eq!(ours, theirs, "{stem}");
            }
            "throws" => match ours {
                Err(WriteError::Reference { frame, .. }) => {
                    assert_eq!(frame, frame_of(&theirs), "{stem}");
                }
                other => panic!("{stem}: {other:?}"),
            },
            _ => {}
        }
    }
}

/// Writes a match by the crate and by the model; how they end: written, or refused.
fn agree(text: &[u8], interval: u16, what: &str) -> bool {
    let ours = by_reference(text, options(Mode::Compat, interval, Compression::None));
    let theirs = model::write(str::from_utf8(text).unwrap(), interval.into());
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            let first = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            let sizes = [ours.len(), theirs.len()];
            assert_eq!(first, None, "{what}: {sizes:?} bytes");
            assert_eq!(ours.len(), theirs.len(), "{what}");
            // What was written reads, strictly.
            assert!(ours.is_empty() || !read_strictly(&ours).frames.is_empty());
            true
        }
        (Err(WriteError::Reference { frame, member, .. }), Err(theirs)) => {
            assert!(!member.is_empty());
            assert_eq!(frame, theirs as u64, "{what}: {member}");
            false
        }
        (ours, theirs) => panic!(
            "{what}: {:?}, the model {:?}",
            ours.map(|ours| ours.len()),
            theirs.map(|theirs| theirs.len())
        ),
    }
}

/// How many matches: for a longer search, `ODD_MATCHES`.
fn odd_matches() -> std::ops::Range<u64> {
    let count = std::env::var("ODD_MATCHES").ok();
    0..count.and_then(|count| count.parse().ok()).unwrap_or(1500)
}

#[test]
fn odd_matches_come_out_as_the_model_of_the_reference_writes_them() {
    let mut written = 0;
    for seed in odd_matches() {
        let text = odd_match(seed);
        let interval = [1, 2, 3, 7, 300][(seed % 5) as usize];
        written += u64::from(agree(&text, interval, &format!("seed {seed}")));
    }
    // Neither is rare.
    let all = odd_matches().count() as u64;
    assert!((all / 2..all).contains(&written), "{written} of {all}");
}

#[test]
fn the_model_writes_what_the_reference_wrote() {
    for name in recording_names("butter/compat") {
        let Some((stem, ending)) = name.split_once(".k") else {
            continue;
        };
        let Some((interval, ending)) = ending.split_once('.') else {
            continue;
        };
        let recorded = tape(&format!("compat/{stem}.echoreplay")).unwrap();
        let ours = model::write(
            str::from_utf8(&recorded).unwrap(),
            interval.parse().unwrap(),
        );
        let theirs = tape(&format!("compat/{name}")).unwrap();
        match ending {
            "none.butter" => assert!(ours == Ok(theirs), "{stem}"),
            "throws" => assert_eq!(ours.unwrap_err() as u64, frame_of(&theirs), "{stem}"),
            _ => {}
        }
    }
}
