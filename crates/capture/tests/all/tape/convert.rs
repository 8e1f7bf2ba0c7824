//! Conversion between the forms, and to another schema.

use gametape_capture::{Options, Writer};
use gametape_core::tape::{Depth, OptionValue, Secrets, Verdict, Work};
use proptest::prelude::*;

use super::{Recording, assert_clean, file, none, opened};
use crate::common::{capture_of, narrow_schema, next_schema, schema, small, stream};

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
    let wish = none().with("schema", file(&next_schema()));
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
    let wish = none().with("schema", file(&narrow_schema()));
    let error = recording.convert("delta", &wish).unwrap_err();
    assert_eq!(error.code(), "capture.migrate");
    let message = error.to_string();
    assert!(message.starts_with("the recording can't be carried over to the schema: tick 1: entity 8, component 1, field 2: 8 does not fit UInt of 3 bits, which holds 0 to 7"), "{message}");
}
