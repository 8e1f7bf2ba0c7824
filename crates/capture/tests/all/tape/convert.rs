//! Conversion between the forms and to another schema, and cutting.

use std::io::Cursor;

use gametape_capture::{Options, Writer};
use gametape_core::At;
use gametape_core::tape::{Cut, Cutout, Depth, OptionValue, Secrets, Tape, Verdict, Work};
use proptest::prelude::*;

use super::{Recording, assert_clean, file, none, opened};
use crate::common::{
    SHAPES, bytes_of, capture_of, narrow_schema, next_schema, schema, small, stream,
};

#[test]
fn times_and_tick_length_are_kept_and_told_as_lost_where_they_are() {
    let (packets, _) = stream(4, 2, 100, 1);
    let options = Options {
        tick_ns: Some(16_666_667),
        ..small()
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for (packet, time) in packets.iter().zip(1_700_000_000_000_000_000..) {
        writer.push_at(packet, time).unwrap();
    }
    let recording = opened(writer.finish().unwrap(), "tape.mcap");
    let info = recording.info().unwrap();
    assert_eq!(info.duration_ms, Some(50));
    let (_, converted) = recording.convert("delta", &none()).unwrap();
    assert_eq!(
        converted.losses,
        [
            "the length of a tick, 16666667 ns",
            "when packets were recorded (4 times)"
        ]
    );
    // If the recording is rewritten with added keyframes, both remain.
    let wish = none().with("keyframe-every", OptionValue::Count(2));
    let (bytes, again) = recording.convert("capture", &wish).unwrap();
    assert!(again.losses.is_empty());
    let capture = gametape_capture::read(&bytes).unwrap();
    assert_eq!(capture.tick_ns(), Some(16_666_667));
    let mut cursor = capture.packets();
    let times = cursor.next_packet().unwrap().unwrap().times.unwrap();
    assert_eq!(
        (times.log_time, times.publish_time),
        (16_666_667, 1_700_000_000_000_000_000)
    );
    assert_eq!(
        recording
            .tape
            .describe(Depth::Header, Secrets::Hide, &Work::default())
            .unwrap()
            .value
            .steps,
        Some(4)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn streams_of_any_shape_survive_all_forms(ticks in 1..60_u32, entities in 0..12_u32, full_every in 1..50_u32, lag in 1..12_u32, every in 1..20_u32) {
        let (packets, states) = stream(ticks, entities, full_every, lag);
        let bytes = capture_of(&packets, Options { keyframe_every: Some(every), ..small() });
        assert_clean(&bytes);
        let recording = opened(bytes, "tape.mcap");
        let (delta, _) = recording.convert("delta", &none()).unwrap();
        prop_assert_eq!(delta, packets.concat());
        let all = recording.packets().packets().unwrap();
        let target = &states[states.len() / 2];
        prop_assert_eq!(&all.state_at(target.tick()).unwrap(), target);
    }
}

#[test]
fn a_recording_is_carried_over_to_another_schema_in_both_forms() {
    let (packets, _) = stream(40, 8, 15, 4);
    let recording = opened(packets.concat(), "tape.delta");
    let wish = none().with("to-schema", file(&next_schema()));
    for to in ["capture", "delta"] {
        let (bytes, converted) = recording.convert(to, &wish).unwrap();
        assert_eq!(converted.losses, ["component 2"]);
        let migrated = Recording::of(bytes, "tape", &next_schema());
        assert_eq!(migrated.format.name(), to);
        let audit = migrated.audit();
        assert_eq!(audit.verdict(), Verdict::Pass, "{:?}", audit.findings);
        assert_eq!(
            migrated.info().unwrap().details["keyframes"],
            recording.info().unwrap().details["keyframes"]
        );
    }
    let wish = none().with("to-schema", file(&narrow_schema()));
    let error = recording.convert("delta", &wish).unwrap_err();
    assert_eq!(error.code(), "capture.migrate");
    let message = error.to_string();
    assert!(message.starts_with("the recording can't be carried over to the schema: tick 1: entity 8, component 1, field 2: 8 does not fit UInt of 3 bits, which holds 0 to 7"), "{message}");
}

/// A part of a stream has the states of the whole, and the original packets as far as they do not
/// build on earlier ones.
fn cut(recording: &Recording, range: Cut) -> Result<(Vec<u8>, Cutout), String> {
    let mut out = Cursor::new(Vec::new());
    let tape: &dyn Tape = &*recording.tape;
    let cutout = tape.cut(&range, &none(), &mut out, &Work::default());
    let cutout = cutout.map_err(|error| error.to_string())?;
    Ok((out.into_inner(), cutout))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_part_has_the_states_of_the_whole(
        shape in 0..SHAPES.len(), from in 1..50_u32, length in 0..50_u32, bare: bool, again in 0..20_u32,
    ) {
        let (full_every, lag, added) = SHAPES[shape];
        let (packets, states) = stream(50, 7, full_every, lag);
        let name = if bare { "a.delta" } else { "a.mcap" };
        let whole = if bare {
            packets.concat()
        } else {
            capture_of(&packets, Options { keyframe_every: added, tick_ns: Some(1000), ..small() })
        };
        let to = (from + length).min(50);
        let ticks = |from: u32, to: u32| Cut::new(
            Some(At::Tick(from.into())),
            Some(At::Tick(to.into())),
        );
        let (bytes, cutout) = cut(&opened(whole.clone(), name), ticks(from, to)).unwrap();
        prop_assert_eq!(&cutout.kept.steps, &(u64::from(from) - 1..u64::from(to)));
        if cutout.kept.is_all {
            prop_assert!(bytes == whole);
        }
        prop_assert_eq!(cutout.converted.beside.len(), usize::from(bare));
        assert_clean(&bytes_or_capture(&bytes, bare));
        let part = opened(bytes.clone(), name);
        let opened_part = part.packets().packets().unwrap();
        for state in &states[from as usize - 1..to as usize] {
            prop_assert_eq!(&opened_part.state_at(state.tick()).unwrap(), state);
        }
        // Packets that do not need earlier ones are unchanged.
        let kept: Vec<&Vec<u8>> = packets[from as usize - 1..to as usize].iter().collect();
        let all = bytes_of(&opened_part);
        for packet in kept.iter().skip(lag as usize) {
            let found = all.windows(packet.len()).any(|window| window == packet.as_slice());
            prop_assert!(found, "a packet that stays as it was");
        }
        let notes = &cutout.converted.notes;
        let rebuilt = (from + 1..=to).any(|tick| {
            let is_full = (tick - 1).is_multiple_of(full_every);
            !is_full && tick.saturating_sub(lag).max(1) < from
        });
        prop_assert_eq!(!notes.is_empty(), rebuilt, "{:?}", notes);
        // A part of a part is a part of the whole.
        let inner = ticks(from + again.min(to - from), to);
        let (of_part, _) = cut(&part, inner).unwrap();
        let of_part = opened(of_part, name);
        let of_part = of_part.packets().packets().unwrap();
        for state in states.iter().filter(|state| state.tick() >= from + again && state.tick() <= to) {
            prop_assert_eq!(&of_part.state_at(state.tick()).unwrap(), state);
        }
    }
}

/// Bare packets have no index that could be wrong; in a capture they are nevertheless checked.
fn bytes_or_capture(bytes: &[u8], bare: bool) -> Vec<u8> {
    if !bare {
        return bytes.to_vec();
    }
    let recording = opened(bytes.to_vec(), "a.delta");
    recording.convert("capture", &none()).unwrap().0
}

#[test]
fn what_is_lost_within_a_range_refuses_it_and_after_it_does_not() {
    let (packets, _) = stream(40, 5, 100, 1);
    let mut broken = capture_of(&packets, small());
    broken.truncate(broken.len() * 2 / 3);
    let recording = opened(broken, "a.mcap");
    let range = |to: Option<u64>| Cut::new(Some(At::Tick(3)), to.map(At::Tick));
    assert!(cut(&recording, range(Some(6))).is_ok());
    assert!(cut(&recording, range(None)).is_err());
    let mut missing = packets;
    missing.remove(9);
    let recording = opened(missing.concat(), "a.delta");
    assert!(cut(&recording, range(Some(9))).is_ok());
    assert!(cut(&recording, range(Some(12))).unwrap_err().contains("10"));
}
