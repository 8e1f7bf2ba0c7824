//! Steps, ticks and times; refused requests; cancellation; fetched ranges.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape_capture::tape::Mcap;
use gametape_capture::{Options, Writer};
use gametape_core::table::Scan;
use gametape_core::tape::{
    Depth, Dump, Error, Format, OptionValue, Secrets, Source, Target, Verb, Verdict, Work,
};
use gametape_core::{At, Fetched, Input, Missing, Time};
use serde_json::json;

use super::{Recording, dumped, none, opened};
use crate::common::{capture_of, schema, small, stream};

/// Ten ticks of 50 ms, starting at tick 1.
fn timed() -> Recording {
    let options = Options {
        tick_ns: Some(50_000_000),
        keyframe_every: Some(3),
        ..small()
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for packet in stream(10, 3, 100, 1).0 {
        writer.push(&packet).unwrap();
    }
    opened(writer.finish().unwrap(), "tape.mcap")
}

fn at(at: At) -> Dump {
    Dump {
        at: Some(at),
        ..Dump::default()
    }
}

#[test]
fn a_packet_is_found_by_step_tick_and_time() {
    let recording = timed();
    let all = dumped(&recording, &Dump::default());
    assert_eq!(all.len(), 10);
    let [step, tick, time] = ["step", "tick", "time_ms"].map(|key| all[4][key].clone());
    assert_eq!((step, tick, time), (json!(4), json!(5), json!(200)));
    let mut play = recording.tape.playback().unwrap();
    // A time selects the state at that time.
    let then = [200, 249].map(|ms| At::Time(Time::from_ms(ms)));
    for moment in [At::Step(4), At::Tick(5)].into_iter().chain(then) {
        assert_eq!(dumped(&recording, &at(moment)), [all[4].clone()]);
        assert_eq!(play.seek(moment).unwrap().tick, Some(5));
        assert_eq!(play.state(&Scan::table("ship")).unwrap().len(), 3);
    }
    for moment in [
        At::Step(10),
        At::Tick(0),
        At::Tick(1 << 40),
        At::Time(Time::from_ms(10_000)),
    ] {
        let error = recording.tape.dump(&at(moment), &mut Vec::new());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::NotRecorded { .. }), "{error}");
        let error = play.seek(moment).unwrap_err();
        assert!(matches!(error, Error::NotRecorded { .. }), "{error}");
    }
    let untimed = opened(capture_of(&stream(3, 2, 9, 1).0, small()), "tape.mcap");
    assert_eq!(dumped(&untimed, &Dump::default())[1].get("time_ms"), None);
    let error = untimed
        .tape
        .dump(&at(At::Time(Time::START)), &mut Vec::new())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "0.000 s: the recording has no times; name a tick, or a step"
    );
}

#[test]
fn a_finding_has_the_time_of_its_packet() {
    let (mut packets, _) = stream(10, 3, 100, 1);
    packets.remove(6);
    let options = Options {
        tick_ns: Some(50_000_000),
        ..small()
    };
    let mut writer = Writer::new(Vec::new(), &schema(), options).unwrap();
    for packet in &packets {
        writer.push(packet).unwrap();
    }
    let audit = opened(writer.finish().unwrap(), "tape.mcap").audit();
    let places: Vec<String> = audit
        .findings
        .iter()
        .map(|finding| finding.place.to_string())
        .collect();
    assert!(
        places[0].starts_with("packet 6 (tick 8, 0.350 s, byte "),
        "{places:?}"
    );
    assert_eq!(
        audit.findings[1].message(),
        "2 packets, the last of tick 10, build on packets that could not be applied"
    );
    assert_eq!(places[1], "");
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let recording = timed();
    for options in [
        none().with("tick-rate", OptionValue::Number(20.0)),
        none().with("keyframe-every", OptionValue::Count(3)),
    ] {
        let error = recording.convert("delta", &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bare packets hold no tick rate and no keyframes that were added: captures do"
        );
        assert!(
            options
                .check("to write", Mcap.info().options_for(Verb::Write))
                .is_ok()
        );
    }
    let error = recording.convert("rmv", &none()).unwrap_err();
    assert_eq!(error.code(), "no-conversion");
}

#[test]
fn conversion_and_repair_tell_how_far_they_are_and_stop_when_told() {
    let recording = timed();
    let cancel = AtomicBool::new(false);
    let progress = |_: u64| cancel.store(true, Ordering::Relaxed);
    let work = Work {
        progress: Some(&progress),
        cancel: Some(&cancel),
        ..Work::default()
    };
    let mut out = Cursor::new(Vec::new());
    let target = Target {
        format: "delta",
        options: &none(),
    };
    let error = recording.tape.convert(target, &mut out, &work).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
    let first = &stream(10, 3, 100, 1).0[0];
    assert_eq!(out.get_ref(), first, "one packet, and no more");
    cancel.store(false, Ordering::Relaxed);
    let error = recording.tape.repair(&none(), &mut out, &work).unwrap_err();
    assert!(matches!(error, Error::Cancelled), "{error}");
}

#[test]
fn what_is_not_there_yet_is_asked_for() {
    let bytes = capture_of(&stream(30, 3, 100, 1).0, small());
    let fetched = Arc::new(Fetched::new(bytes.len() as u64));
    let source = Source::new(Input::ranges(fetched.clone()));
    let tape = Mcap.open(source).unwrap();
    let info = loop {
        match tape.describe(Depth::Whole, Secrets::Hide, &Work::default()) {
            Ok(info) => break info.value,
            Err(error) => {
                let Missing { offset, length } = Missing::of(&error).expect("a request");
                let range = offset as usize..(offset + length) as usize;
                fetched.supply(offset, bytes[range].to_vec());
            }
        }
    };
    assert_eq!(info.steps, Some(30));
    assert_eq!(
        tape.audit(&none(), &Work::default()).unwrap().verdict(),
        Verdict::Pass
    );
}

#[test]
fn what_is_wrong_with_the_other_recording_is_told_as_its_own() {
    let other = opened(b"no capture".to_vec(), "other.mcap");
    let error = timed().diff(&other).unwrap_err();
    assert!(matches!(error, Error::Other(_)), "{error:?}");
    assert_eq!(error.code(), "capture.magic");
}
