//! What is whole is kept, and verifies clean.

use gametape_capture::Options;
use gametape_capture::container::{WalkEnd, walk};
use gametape_core::tape::{Depth, Dump, Secrets, Verdict, Work};
use gametape_delta::wire::Header;
use proptest::prelude::*;

use super::{assert_clean, audit, clean, codes, none, opened};
use crate::common::{bytes_of, capture_of, schema, small, stream};

#[test]
fn a_recording_whose_recorder_was_killed_is_told_so_and_given_its_index() {
    let (packets, _) = stream(30, 5, 100, 1);
    let mut killed = capture_of(&packets, Options::default());
    let WalkEnd::DataEnd { at, .. } = walk(&killed).unwrap().end else {
        panic!("it is whole");
    };
    killed.truncate(at as usize);
    let audit = audit(&killed);
    assert_eq!(codes(&audit), ["capture.no-summary"]);
    assert_eq!(audit.verdict(), Verdict::Warn);
    assert_clean(&opened(killed, "tape").repair().unwrap().0);
}

#[test]
fn repair_of_cut_and_damaged_captures_verifies_clean() {
    let (packets, _) = stream(80, 5, 15, 1);
    let options = Options {
        keyframe_every: Some(5),
        ..small()
    };
    let bytes = capture_of(&packets, options);
    let (mut losses, mut exact) = (0, 0);
    for step in (600..bytes.len()).step_by(113) {
        for cut in [true, false] {
            let mut broken = bytes.clone();
            if cut {
                broken.truncate(step);
            } else {
                broken[step] ^= 0x10;
            }
            let recording = opened(broken, "tape.mcap");
            let readable = match recording.packets().packets() {
                Ok(packets) if cut => bytes_of(&packets).len(),
                _ => 0,
            };
            let (kept, repaired) = match recording.repair() {
                Ok(repaired) => repaired,
                // What says what the file is can be lost, or all packets.
                Err(error) => {
                    let none = readable == 0 && error.to_string().contains("nothing to keep");
                    assert!(step < 1200 || cut && none, "byte {step}: {error}");
                    continue;
                }
            };
            losses += u32::from(repaired.lossy);
            let kept = opened(kept, "tape.mcap");
            let audit = kept.audit();
            assert!(
                clean(&audit),
                "byte {step}, {cut}: {:?} {:?}",
                audit.findings,
                repaired.actions
            );
            let kept = bytes_of(&kept.packets().packets().unwrap()).len();
            if cut {
                // Nothing of what is whole is lost; what was cut off nobody knows.
                assert_eq!(kept, readable, "cut at byte {step}: {:?}", repaired.actions);
                // Nor is anything, where only the index is cut off.
                let all = kept == packets.concat().len();
                assert!(!(all && repaired.lossy), "{:?}", repaired.actions);
                continue;
            }
            let less = kept < packets.concat().len();
            // A chunk that can't be read may have held nothing but definitions: nobody knows.
            assert!(
                repaired.lossy || !less,
                "byte {step}: {:?}",
                repaired.actions
            );
            exact += u32::from(repaired.lossy == less);
        }
    }
    assert!(losses > 20 && exact > 20, "{losses} {exact}");
}

#[test]
fn repair_of_a_damaged_file_of_packets_keeps_what_can_be_applied() {
    let (packets, _) = stream(60, 5, 12, 1);
    let bytes = packets.concat();
    let starts: Vec<usize> = packets
        .iter()
        .scan(0, |at, packet| {
            *at += packet.len();
            Some(*at - packet.len())
        })
        .collect();
    // The length of packet 20 is damaged: packets 20 to 23 can't be applied, tick 25 is full.
    for (at, value, dropped) in [
        (starts[20] + 24, 0xff, 4),
        (starts[20], 0, 3),
        (starts[30] + 16, 0xff, 6),
    ] {
        let mut broken = bytes.clone();
        broken[at] ^= value;
        if value == 0 {
            // Half a packet is gone.
            broken.drain(at..at + packets[20].len() / 2);
        }
        let recording = opened(broken, "tape.delta");
        assert_eq!(recording.audit().verdict(), Verdict::Fail);
        let (kept, repaired) = recording.repair().unwrap();
        assert!(repaired.lossy);
        assert_eq!(repaired.beside.len(), 1);
        let kept = opened(kept, "tape.delta");
        assert_eq!(kept.audit().verdict(), Verdict::Pass);
        let frames = kept.info().unwrap().steps.unwrap();
        assert!(
            60 - frames <= dropped + 1,
            "{} dropped: {:?}",
            60 - frames,
            repaired.actions
        );
    }
}

/// Of what is nothing, nothing can be kept; what is empty is not broken.
#[test]
fn no_file_of_nothing_is_made() {
    let (packets, _) = stream(3, 5, 12, 1);
    for bytes in [vec![0xFF; 300], packets[1..].concat()] {
        let error = opened(bytes, "tape.delta").repair().unwrap_err();
        assert_eq!(
            error.to_string(),
            "no packet of it can be applied: there is nothing to keep"
        );
    }
    let (kept, repaired) = opened(Vec::new(), "tape.delta").repair().unwrap();
    assert!(kept.is_empty() && !repaired.lossy);
    // A capture that was cut in its first chunk, and one whose recorder was stopped before any packet.
    let whole = capture_of(&packets, small());
    let empty = capture_of(&[], small());
    let chunk = walk(&whole).unwrap().chunks[0].at as usize;
    let error = opened(whole[..chunk + 100].to_vec(), "tape.mcap").repair();
    assert_eq!(
        error.unwrap_err().to_string(),
        "no packet of it can be applied: there is nothing to keep"
    );
    let WalkEnd::DataEnd { at, .. } = walk(&empty).unwrap().end else {
        panic!("it is whole");
    };
    let (kept, repaired) = opened(empty[..at as usize].to_vec(), "tape.mcap")
        .repair()
        .unwrap();
    assert_eq!(opened(kept, "tape.mcap").info().unwrap().steps, Some(0));
    assert!(!repaired.lossy, "{:?}", repaired.actions);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done with it.
    #[test]
    fn damaged_captures_never_panic_and_are_repaired_clean(flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6), cut: proptest::sample::Index) {
        let (packets, _) = stream(25, 4, 9, 2);
        let mut bytes = capture_of(&packets, Options { keyframe_every: Some(3), ..small() });
        for (at, value) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        if cut.index(3) == 0 {
            bytes.truncate(cut.index(bytes.len()) + 1);
        }
        let recording = opened(bytes, "tape.mcap");
        recording.audit();
        recording.info().ok();
        recording.tape.describe(Depth::Header, Secrets::Hide, &Work::default()).ok();
        recording.tape.stats(&none(), &Work::default()).ok();
        recording.tape.dump(&Dump::default(), &mut Vec::new()).ok();
        recording.convert("delta", &none()).ok();
        recording.diff(&recording).ok();
        if let Ok(packets) = recording.packets().packets() {
            for tick in 0..27 {
                packets.state_at(tick).ok();
            }
        }
        if let Ok((kept, repaired)) = recording.repair() {
            let audit = opened(kept, "tape.mcap").audit();
            prop_assert!(clean(&audit), "{:?} {:?}", audit.findings, repaired.actions);
        }
    }

    #[test]
    fn damaged_files_of_packets_never_panic_and_are_repaired_clean(flips in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6), cut: proptest::sample::Index) {
        let (packets, _) = stream(25, 4, 9, 2);
        let mut bytes = packets.concat();
        for (at, value) in &flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let headers = (0..bytes.len()).filter_map(|at| Header::read(&bytes[at..]).ok());
        let schemas: Vec<u64> = headers.map(|(header, _)| header.schema_hash).collect();
        let recording = opened(bytes, "tape.delta");
        if !schemas.is_empty() && !schemas.contains(&schema().hash()) {
            // All that is left says that it is of another one: nobody can tell that this is damage.
            let refused = format!("its packets are of schema {:016x}", schemas[0]);
            let audit = recording.tape.audit(&none(), &Work::default()).map(drop);
            for refusal in [audit, recording.info().map(drop), recording.repair().map(drop)] {
                let message = refusal.unwrap_err().to_string();
                prop_assert!(message.starts_with(&refused), "{}", message);
            }
            return Ok(());
        }
        recording.audit();
        let _ = recording.info();
        if let Ok((kept, _)) = recording.repair() {
            let audit = opened(kept, "tape.delta").audit();
            prop_assert!(clean(&audit), "{:?}", audit.findings);
        }
    }
}
