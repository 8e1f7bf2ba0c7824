//! RMV as one of gametape's formats, as tools use it.

use std::io::Cursor;
use std::sync::Arc;

use gametape_core::surface::diff_tables;
use gametape_core::tape::{
    Depth, Dump, Error, Format, OptionError, OptionValue, Options, Secrets, Source, Started, Tape,
    Target, Verb, Verdict, Work,
};
use gametape_core::{At, Input, Time};
use gametape_mines::rmv::{self, WriteError};
use gametape_mines::tape::{Rmv, RmvTape};
use gametape_mines::{Event, Face, PlayerFields, Version};
use serde_json::Value;

use crate::common;

fn game(name: &str) -> Vec<u8> {
    let mut game = common::game(name, 1);
    game.player = PlayerFields::new(["Ada", "ada", "UK", "TOKEN-ONE"]).unwrap();
    rmv::write(&game).unwrap()
}

fn open(bytes: &[u8]) -> Arc<dyn Tape> {
    assert!(Rmv.sniff(&bytes.to_vec().into()));
    Rmv.open(Source::new(bytes.to_vec())).unwrap()
}

fn dumped(bytes: &[u8], at: Option<At>) -> Result<String, Error> {
    let mut out = Vec::new();
    let wanted = Dump {
        at,
        ..Dump::default()
    };
    let dumped = open(bytes).dump(&wanted, &mut out)?;
    dumped.problem.map_or(Ok(()), Err)?;
    Ok(String::from_utf8(out).unwrap())
}

fn converted(bytes: &[u8], options: &Options) -> Result<(Vec<u8>, Vec<String>), Error> {
    let mut out = Cursor::new(Vec::new());
    let to = Target {
        format: "rmv",
        options,
    };
    let converted = open(bytes).convert(to, &mut out, &Work::default())?;
    Ok((out.into_inner(), converted.losses))
}

#[test]
fn header_and_info_tell_of_the_game_and_not_of_secrets() {
    let bytes = game("beginner-win");
    let tape = open(&bytes);
    let header = tape
        .describe(Depth::Header, Secrets::Hide, &Work::default())
        .unwrap();
    let info = tape
        .describe(Depth::Whole, Secrets::Hide, &Work::default())
        .unwrap();
    assert!(header.problem.is_none() && info.problem.is_none());
    assert_eq!(header.value.steps, None);
    let events = rmv::read(&bytes).unwrap().events.len();
    assert_eq!(info.value.steps, Some(u64::from(events) + 1));
    assert_eq!(header.value.details, info.value.details);
    assert_eq!(header.value.started, info.value.started);
    let generated = header.value.details["generated"].as_str().unwrap();
    assert_eq!(
        header.value.started,
        Some(Started::Utc(generated.to_owned()))
    );
    let keys: Vec<&str> = info.value.details.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "program",
            "player",
            "board",
            "generated",
            "declared_level",
            "mode",
            "marks",
            "nf",
            "cell_size",
            "declared_bbbv",
            "outcome",
            "text",
            "file_size",
            "checksum_bytes",
            "clone_id",
            "clone_major",
            "extensions"
        ]
    );
    assert!(!info.value.to_string().contains("TOKEN"));
    let shown = tape
        .describe(Depth::Whole, Secrets::Show, &Work::default())
        .unwrap()
        .value;
    assert_eq!(shown.details["player"]["token"], "TOKEN-ONE");
    assert_eq!(
        tape.stats(&Options::new(), &Work::default())
            .unwrap()
            .value
            .stats["outcome"],
        "win"
    );
    let mine = tape.of_type::<RmvTape>().unwrap();
    assert_eq!(*mine.bytes().unwrap(), bytes);
}

#[test]
fn a_broken_header_can_be_checked_all_the_same() {
    let tape = open(b"*rmv\0\x09");
    assert_eq!(
        tape.describe(Depth::Header, Secrets::Hide, &Work::default())
            .unwrap_err()
            .code(),
        "rmv.file-type"
    );
    let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
    assert_eq!((audit.findings.len(), audit.verdict()), (1, Verdict::Fail));
    assert_eq!(audit.summary, "");
}

/// The values in the sentence are also available as data.
#[test]
fn findings_carry_their_figures() {
    let bytes = game("beginner-win");
    let audit = open(&bytes)
        .audit(&Options::new(), &Work::default())
        .unwrap();
    assert!(
        audit.summary.starts_with("beginner win "),
        "{}",
        audit.summary
    );
    let mut forged = bytes.clone();
    let ending = rmv::read(&bytes).unwrap();
    let at = ending.events.offset() as usize + ending.events.as_bytes().len();
    forged[at] = 15;
    let audit = open(&forged)
        .audit(&Options::new(), &Work::default())
        .unwrap();
    let finding = serde_json::to_value(&audit.findings[0]).unwrap();
    assert_eq!(finding["code"], "rmv.outcome");
    assert_eq!(finding["step"], u64::from(ending.events.len()));
    assert_eq!(finding["tick"], Value::Null);
    assert_eq!(
        finding["time_ms"],
        f64::from(ending.ending.unwrap().time_ms)
    );
    assert_eq!(finding["offset"], at);
    assert_eq!(finding["data"]["recorded"], "blast");
    assert_eq!(finding["data"]["expected"], "win");

    let mut log = rmv::EventLog::empty(ending.version());
    let mut forged = false;
    for mut event in &ending.events {
        if let Event::Board(board) = &mut event
            && board.face == Face::Number(0)
            && !forged
        {
            board.face = Face::Number(3);
            forged = true;
        }
        log.push(event).unwrap();
    }
    let mut game = ending.into_owned();
    game.events = log;
    let audit = open(&rmv::write(&game).unwrap())
        .audit(&Options::new(), &Work::default())
        .unwrap();
    let finding = serde_json::to_value(&audit.findings[0]).unwrap();
    assert_eq!(finding["code"], "rmv.board-event");
    let (recorded, expected) = (&finding["data"]["recorded"], &finding["data"]["expected"]);
    assert_eq!(recorded["face"], "open_3");
    assert_eq!(expected["face"], "open_0");
    assert_eq!(recorded["cell"], expected["cell"]);
    assert_eq!(recorded["cell"].as_array().unwrap().len(), 2);
}

#[test]
fn every_event_has_a_step_and_a_time() {
    let bytes = game("beginner-win");
    let all = dumped(&bytes, None).unwrap();
    let mut time = 0;
    let mut moments: Vec<(u64, String)> = Vec::new();
    for (step, line) in all.lines().enumerate() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert_eq!(event["step"], step);
        let now = event["time_ms"].as_u64().unwrap();
        assert!(now >= time && (now == time || event["type"] != "board"));
        time = now;
        match moments.last_mut() {
            Some((at, text)) if *at == time => *text = format!("{text}{line}\n"),
            _ => moments.push((time, format!("{line}\n"))),
        }
        assert_eq!(
            dumped(&bytes, Some(At::Step(step as u64))).unwrap(),
            format!("{line}\n")
        );
    }
    // A moment includes the mouse events of its millisecond, each with its board events.
    assert!(moments.len() > 20);
    for (time, text) in moments.iter().step_by(7) {
        let at = At::Time(Time::from_ms(*time as i64));
        assert_eq!(dumped(&bytes, Some(at)).unwrap(), *text);
    }
}

#[test]
fn a_moment_that_is_not_recorded_is_an_error() {
    let bytes = game("beginner-win");
    let error = |bytes: &[u8], at| dumped(bytes, Some(at)).unwrap_err();
    let late = At::Time(Time::from_ms(999_999));
    assert!(matches!(error(&bytes, late), Error::NotRecorded { at, .. } if at == late));
    assert_eq!(
        error(&bytes, At::Step(1 << 40)).to_string(),
        "step 1099511627776 is not recorded"
    );
    let error_at = error(&bytes, At::Tick(5));
    assert_eq!(error_at.code(), "no-clock");
    assert_eq!(
        error_at.to_string(),
        "tick 5: the recording has no ticks; name a time, or a step"
    );
    // The moment may have been in the lost part.
    assert_eq!(
        error(&bytes[..bytes.len() - 100], late).code(),
        "rmv.truncated"
    );
}

#[test]
fn two_games_differ_at_a_step_and_a_time() {
    let bytes = game("beginner-win");
    let (tape, same) = (open(&bytes), open(&bytes));
    assert_eq!(
        diff_tables([&tape, &same], &Work::default())
            .unwrap()
            .value
            .tables,
        []
    );
    let other = open(&game("loss"));
    let found = diff_tables([&tape, &other], &Work::default())
        .unwrap()
        .value;
    let names: Vec<&str> = found.tables.iter().map(|table| &*table.table).collect();
    assert_eq!(
        names,
        [
            "game",
            "mines",
            "mouse_events",
            "board_events",
            "cursor",
            "board",
            "counters"
        ]
    );
    let (table, first) = found.first().unwrap();
    assert_eq!(
        (table, first.column.as_deref()),
        ("mouse_events", Some("x"))
    );
    let stamp = first.stamp.unwrap();
    assert!(stamp.time.is_some() && stamp.tick.is_none());
    let cut = open(&bytes[..600]);
    let found = diff_tables([&cut, &tape], &Work::default()).unwrap();
    assert_eq!(found.problem.unwrap().code(), "rmv.truncated");
    let found = diff_tables([&tape, &cut], &Work::default()).unwrap();
    assert!(matches!(found.problem, Some(Error::Other(error)) if error.code() == "rmv.truncated"));
}

#[test]
fn without_a_wish_a_conversion_changes_nothing() {
    let bytes = game("beginner-win");
    let same = converted(&bytes, &Options::new()).unwrap();
    assert_eq!(same, (bytes.clone(), vec![]));
    let error = open(&bytes)
        .convert(
            Target {
                format: "mcap",
                options: &Options::new(),
            },
            &mut Cursor::new(Vec::new()),
            &Work::default(),
        )
        .unwrap_err();
    assert_eq!(error.to_string(), "rmv can't be converted to mcap");
    let cut = converted(&bytes[..bytes.len() - 100], &Options::new()).unwrap_err();
    assert!(cut.is_broken() && cut.code() == "rmv.truncated");
}

#[test]
fn versions_and_tokens_are_options() {
    let bytes = game("beginner-win");
    let version = Options::new().with("format-version", OptionValue::Count(1));
    version
        .check("to write rmv", Rmv.info().options_for(Verb::Write))
        .unwrap();
    let (v1, losses) = converted(&bytes, &version).unwrap();
    assert_eq!(rmv::read(&v1).unwrap().version(), Version::V1);
    assert!(
        losses.iter().any(|loss| loss.contains("clone id")),
        "{losses:?}"
    );
    let unwritable = converted(&game("mode-win7"), &version).unwrap_err();
    assert_eq!(unwritable.code(), "unwritable");
    assert!(unwritable.of_format::<WriteError>().is_some());

    let redact = Options::new().flag("redact");
    redact
        .check("to convert rmv", Rmv.info().options_for(Verb::Convert))
        .unwrap();
    let (redacted, losses) = converted(&bytes, &redact).unwrap();
    assert!(losses.contains(&"the player's token".to_owned()));
    assert!(!redacted.windows(5).any(|w| w == b"TOKEN"));
    let keep = |words: &str| OptionValue::Text(words.to_owned());
    let kept = redact.clone().with("keep", keep("nick,date"));
    kept.check("to convert rmv", Rmv.info().options_for(Verb::Convert))
        .unwrap();
    let (kept, _) = converted(&bytes, &kept).unwrap();
    let kept = rmv::read(&kept).unwrap();
    assert!(kept.player.iter().eq([&b""[..], b"ada", b"", b""]));
    assert_ne!(kept.board.timestamp, 0);
    for wrong in [
        redact.with("keep", keep("nick,dates")),
        Options::new().with("keep", keep("nick")),
    ] {
        let refused = wrong.check("to convert rmv", Rmv.info().options_for(Verb::Convert));
        assert!(refused.is_err(), "{wrong:?}");
    }

    let third = Options::new().with("format-version", OptionValue::Count(3));
    let refused = third.check("to write rmv", Rmv.info().options_for(Verb::Write));
    assert!(matches!(refused, Err(OptionError::Value { .. })));
}

#[test]
fn what_is_whole_of_a_cut_game_is_kept() {
    let bytes = game("beginner-win");
    let repaired = |bytes: &[u8]| {
        let mut out = Cursor::new(Vec::new());
        let repaired = open(bytes).repair(&Options::new(), &mut out, &Work::default());
        repaired.map(|repaired| (out.into_inner(), repaired))
    };
    let (same, whole) = repaired(&bytes).unwrap();
    assert_eq!(
        (same, whole.lossy, whole.actions),
        (bytes.clone(), false, vec![])
    );
    let (mended, cut) = repaired(&bytes[..bytes.len() - 100]).unwrap();
    assert!(cut.lossy && rmv::read(&mended).is_ok(), "{:?}", cut.actions);
    let mut hopeless = bytes.clone();
    hopeless[24] = 0x7F;
    assert_eq!(repaired(&hopeless).unwrap_err().code(), "rmv.limit");
}

#[test]
fn progress_is_heard_and_a_cancelled_conversion_ends() {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    let bytes = game("loss");
    let heard = AtomicU64::new(0);
    let hear = |done| heard.store(done, Ordering::Relaxed);
    let cancel = AtomicBool::new(true);
    let work = Work {
        progress: Some(&hear),
        cancel: Some(&cancel),
        ..Work::default()
    };
    let options = Options::new();
    let to = Target {
        format: "rmv",
        options: &options,
    };
    let mut out = Cursor::new(Vec::new());
    let ended = open(&bytes).convert(to.clone(), &mut out, &work);
    assert_eq!(ended.unwrap_err().code(), "cancelled");
    assert_eq!(out.get_ref().len(), 0, "before anything is written");
    cancel.store(false, Ordering::Relaxed);
    open(&bytes).convert(to, &mut out, &work).unwrap();
    assert_eq!(heard.into_inner(), bytes.len() as u64);
}

/// The file is larger than any game, so nothing of it is read.
#[test]
fn a_file_that_no_game_fills_is_refused() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(1 << 33).unwrap();
    let tape = Rmv.open(Source::new(Input::file(file).unwrap())).unwrap();
    assert_eq!(
        tape.describe(Depth::Whole, Secrets::Hide, &Work::default())
            .unwrap_err()
            .code(),
        "rmv.limit"
    );
    let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
    assert_eq!(audit.findings[0].rule.code, "rmv.limit");
}
