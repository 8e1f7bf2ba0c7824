//! Captures as other programs leave them: whatever MCAP allows is read, and said once.

use std::fs;

use gametape_capture::container::walk;
use gametape_capture::{Feed, Options, Writer};
use gametape_core::feed::Fed;
use gametape_core::tape::{Depth, Dump, Secrets, Verdict, Work};
use gametape_delta::wire::Header;
use proptest::prelude::*;

use super::{Recording, codes, dumped, none, opened, shared};
use crate::common::container::{How, Packing, Part, rewritten};
use crate::common::{assert_seeks, by_hand_with, bytes_of, capture_of, schema, small, stream};

/// One of the shared inputs. Without them, the test is skipped.
fn report(name: &str) -> Option<Recording> {
    let path = shared("reports")?.join(format!("capture-{name}.mcap"));
    Some(opened(fs::read(path).unwrap(), "tape.mcap"))
}

fn bytes(recording: &Recording) -> Vec<u8> {
    let input = recording.tape.input();
    input.range(0, input.size()).unwrap().into_owned()
}

fn messages(recording: &Recording) -> Vec<String> {
    let audit = recording.audit();
    audit.findings.iter().map(ToString::to_string).collect()
}

/// The packets, states and durations are those of the unspoilt capture, in every way of reading.
fn assert_same(recording: &Recording, unspoilt: &Recording) {
    let (packets, others) = (recording.packets().packets(), unspoilt.packets().packets());
    let (packets, others) = (packets.unwrap(), others.unwrap());
    assert_eq!(bytes_of(&packets), bytes_of(&others));
    assert_eq!(packets.tick_ns(), others.tick_ns());
    for tick in [1, 2, 30, 31, 60, 100] {
        assert_eq!(
            packets.state_at(tick).unwrap(),
            others.state_at(tick).unwrap()
        );
    }
    for depth in [Depth::Header, Depth::Whole] {
        let described = |recording: &Recording| {
            let tape = &recording.tape;
            let info = tape
                .describe(depth, Secrets::Hide, &Work::default())
                .unwrap();
            assert!(info.problem.is_none(), "{:?}", info.problem);
            info.value.duration_ms
        };
        let (here, there) = (described(recording), described(unspoilt));
        // The times of the chunks tell nothing where other programs have messages in them.
        let is_untold = depth == Depth::Header && here.is_none();
        assert!(is_untold || here == there, "{depth:?}: {here:?}, {there:?}");
    }
    let rows = |recording: &Recording| dumped(recording, &Dump::default());
    assert_eq!(rows(recording), rows(unspoilt));
    assert!(recording.diff(unspoilt).unwrap().same);
    let converted = |recording: &Recording| recording.convert("delta", &none()).unwrap().0;
    assert_eq!(converted(recording), converted(unspoilt));
}

#[test]
fn the_reported_captures_are_read_and_said_once() {
    let Some(base) = report("base") else { return };
    for (name, said) in [
        ("base", None),
        (
            "annotated",
            Some(
                "info capture.foreign-channel: 3 messages of channel notes, of another program: they are not read",
            ),
        ),
        (
            "no-message-index",
            Some(
                "info capture.no-message-index: 1 chunk without message indexes, which MCAP allows: seeking unpacks it",
            ),
        ),
        (
            "no-metadata",
            Some(
                "warning capture.metadata: the metadata of the capture is missing: by the log times a tick takes 16,666,667 ns; gametape repair writes it",
            ),
        ),
        (
            "unchunked",
            Some("info capture.loose-message: 60 messages outside of chunks: they are read"),
        ),
    ] {
        let recording = report(name).unwrap();
        assert_eq!(messages(&recording), Vec::from_iter(said), "{name}");
        assert_same(&recording, &base);
        let (kept, repaired) = recording.repair().unwrap();
        assert!(!repaired.lossy, "{name}: {:?}", repaired.actions);
        let kept = opened(kept, "tape.mcap");
        assert_eq!(kept.audit().verdict(), Verdict::Pass, "{name}");
        assert_same(&kept, &base);
    }
}

/// Every way of leaving out what MCAP allows to leave out.
fn hows() -> impl Strategy<Value = How> {
    let packing = prop_oneof![
        Just(Packing::Loose),
        prop_oneof![Just("lz4"), Just("zstd"), Just("")].prop_map(Packing::Chunks),
    ];
    let parts = proptest::sample::subsequence(Part::ALL.to_vec(), 0..=Part::ALL.len());
    (packing, parts).prop_map(|(packing, parts)| How { packing, parts })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_is_left_out_the_packets_are_read(how in hows(), full_every in 5_u32..40, added: bool) {
        let (packets, states) = stream(60, 4, full_every, 1);
        let options = Options {
            tick_ns: Some(16_666_667),
            keyframe_every: added.then_some(6),
            ..small()
        };
        let whole = capture_of(&packets, options);
        let unspoilt = opened(whole.clone(), "tape.mcap");
        let bytes = rewritten(&whole, &how);
        let mut feed = Feed::new();
        feed.push(&bytes);
        let mut fed = Vec::new();
        while let Fed::Item(packet) = feed.next_packet().unwrap() {
            if packet.role.is_of_stream() {
                fed.extend_from_slice(packet.bytes);
            }
        }
        prop_assert_eq!(fed, packets.concat());
        let recording = opened(bytes, "tape.mcap");
        assert_same(&recording, &unspoilt);
        assert_seeks(&recording.packets().packets().unwrap(), &states);

        let audit = recording.audit();
        let expected = if how.has(Part::Metadata) { Verdict::Pass } else { Verdict::Warn };
        prop_assert_eq!(audit.verdict(), expected, "{:?}", audit.findings);
        let said = codes(&audit);
        let mut once = said.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), said.len(), "{:?}", said);
        prop_assert_eq!(said.contains(&"capture.foreign-channel"), how.has(Part::Foreign));
        prop_assert_eq!(said.contains(&"capture.foreign-record"), how.has(Part::Foreign));
        prop_assert_eq!(said.contains(&"capture.metadata"), !how.has(Part::Metadata));

        let (kept, repaired) = recording.repair().unwrap();
        // What belongs to other programs is not written again, which is said.
        prop_assert_eq!(repaired.lossy, how.has(Part::Foreign) && !how.has(Part::Metadata), "{:?}", repaired.actions);
        let kept = opened(kept, "tape.mcap");
        prop_assert_eq!(kept.audit().verdict(), Verdict::Pass);
        assert_same(&kept, &unspoilt);
    }
}

/// Gives packet `at` of a stream another tick.
fn with_tick(packets: &[Vec<u8>], at: usize, tick: u32) -> Vec<Vec<u8>> {
    let mut packets = packets.to_vec();
    packets[at][16..20].copy_from_slice(&tick.to_le_bytes());
    packets
}

/// A capture of packets as they are, in whatever order their ticks are: our writer refuses that.
fn as_they_are(packets: &[Vec<u8>], chunk_bytes: u64) -> Vec<u8> {
    let messages: Vec<(usize, u32, &[u8])> = packets
        .iter()
        .map(|packet| {
            let (header, _) = Header::read(packet).unwrap();
            let channel = usize::from(header.baseline().is_some());
            (channel, header.tick, &packet[..])
        })
        .collect();
    by_hand_with(
        mcap::WriteOptions::new().chunk_size(Some(chunk_bytes)),
        &messages,
    )
}

#[test]
fn a_tick_that_is_far_off_is_named_and_stretches_nothing() {
    let Some(base) = report("base") else { return };
    let recording = report("one-tick-far-off-in-the-middle").unwrap();
    assert_same(&recording, &base);
    assert_eq!(
        messages(&recording),
        [
            "error capture.wild-tick, packet 30 (tick 31, 0.500000010 s, byte 970): its tick is 2,147,483,632, far from those of the packets around it: by these it is tick 31"
        ]
    );
    let (kept, repaired) = recording.repair().unwrap();
    assert!(!repaired.lossy);
    assert_eq!(
        repaired.actions,
        [
            "packet 30 (tick 31): wrote tick 31, which the packets around it tell, in place of 2,147,483,632",
            "wrote a new index",
            "kept 60 packets, up to tick 60"
        ]
    );
    let kept = opened(kept, "tape.mcap");
    assert_eq!(kept.audit().verdict(), Verdict::Pass);
    assert_same(&kept, &base);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_wild_tick_loses_nothing_wherever_it_is(
        at in 2_usize..57, tick in prop_oneof![5_000_000_u32.., Just(u32::MAX)], size in 300_u64..20_000, lag in 1_u32..3,
    ) {
        let (packets, states) = stream(60, 4, 1000, lag);
        let bytes = as_they_are(&with_tick(&packets, at, tick), size);
        let recording = opened(bytes, "tape.mcap");
        let capture = recording.packets().packets().unwrap();
        let audit = recording.audit();
        let is_mended = codes(&audit).contains(&"capture.wild-tick");
        // At the border of two chunks, no neighbour in its own tells the tick.
        prop_assert!(is_mended || size < 15_000, "{:?}", audit.findings);
        if is_mended {
            prop_assert_eq!(audit.findings.len(), 2, "{:?}", audit.findings);
            prop_assert_eq!(bytes_of(&capture), packets.concat());
            assert_seeks(&capture, &states);
            prop_assert_eq!(recording.info().unwrap().details["last_tick"].as_u64(), Some(60));
        }
    }

    /// Legitimate leaps of the tick are no damage.
    #[test]
    fn a_leap_of_the_tick_is_left_alone(at in 1_usize..59, by in 2_000_000_u32..1_000_000_000, size in 300_u64..20_000) {
        let (_, states) = stream(60, 4, 1000, 1);
        let mut writer = Writer::new(Vec::new(), &schema(), Options { chunk_bytes: size, ..small() }).unwrap();
        for (number, state) in states.into_iter().enumerate() {
            let mut state = state;
            state.set_tick(state.tick() + if number < at { 0 } else { by });
            writer.push_state(&state, None).unwrap();
        }
        let recording = opened(writer.finish().unwrap(), "tape.mcap");
        prop_assert_eq!(recording.audit().verdict(), Verdict::Pass, "{:?}", recording.audit().findings);
    }
}

#[test]
fn captures_one_after_another_are_told_and_parted() {
    let Some(base) = report("base") else { return };
    let first = bytes(&base);
    let (packets, _) = stream(10, 3, 100, 1);
    let second = capture_of(&packets, small());
    for rest in [vec![second.clone()], vec![first.clone(), second.clone()]] {
        let joined = opened([&first[..], &rest.concat()].concat(), "tape.mcap");
        assert_eq!(
            messages(&joined),
            [
                "error capture.joined, byte 12,302: another capture begins at byte 12,302, and is not read: gametape repair writes each to a file of its own",
            ]
        );
        assert!(joined.convert("delta", &none()).is_err());
        let (kept, repaired) = joined.repair().unwrap();
        assert!(!repaired.lossy);
        assert_same(&opened(kept, "tape.mcap"), &base);
        let files: Vec<Vec<u8>> = repaired
            .beside
            .iter()
            .map(|file| file.bytes.clone())
            .collect();
        assert_eq!(files, rest);
        assert_eq!(repaired.beside[0].extension, "2.mcap");
    }
}

#[test]
fn zeros_and_other_bytes_after_the_end_are_called_that() {
    let Some(base) = report("base") else { return };
    let first = bytes(&base);
    for (bytes, said) in [
        (
            vec![0; 4096],
            "4,096 bytes after the end of the capture are zero",
        ),
        (
            b"\r\n".to_vec(),
            "2 bytes after the end of the capture are no capture",
        ),
    ] {
        let recording = opened([&first[..], &bytes].concat(), "tape.mcap");
        assert_eq!(
            messages(&recording),
            [format!("warning capture.after-end, byte 12,302: {said}"),]
        );
        assert_same(&recording, &base);
        let (kept, _) = recording.repair().unwrap();
        assert_eq!(opened(kept, "tape.mcap").audit().verdict(), Verdict::Pass);
    }
    // The power failed while the file grew.
    let data_end = 10_948;
    let recording = opened([&first[..data_end], &[0; 512]].concat(), "tape.mcap");
    assert_eq!(
        codes(&recording.audit()),
        ["capture.no-summary", "capture.after-end"]
    );
    assert_same(&recording, &base);
}

#[test]
fn a_capture_that_was_cut_has_one_finding_and_no_echo() {
    let (packets, _) = stream(60, 4, 1000, 1);
    let whole = capture_of(&packets, small());
    let recording = opened(whole[..whole.len() / 2].to_vec(), "tape.mcap");
    assert_eq!(codes(&recording.audit()), ["capture.truncated"]);
    // Zeros in place of the end are counted.
    let chunk = walk(&whole).unwrap().chunks[5].at as usize;
    let recording = opened([&whole[..chunk + 20], &[0; 100]].concat(), "tape.mcap");
    let said = messages(&recording);
    assert!(said[0].ends_with(" of them are zero"), "{said:?}");
    // In its first chunk, nothing is left; that it has no packets need not be said.
    let Some(base) = report("base") else { return };
    let recording = opened(bytes(&base)[..5000].to_vec(), "tape.mcap");
    assert_eq!(codes(&recording.audit()), ["capture.truncated"]);
}
