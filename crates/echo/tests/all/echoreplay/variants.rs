//! Recordings as real machines and programs write them.

use std::io::Cursor;

use gametape_echo::echoreplay::{Reader, Redactor, Writer, open_with, salvage};
use gametape_echo::{Findings, Frame, ReadOptions, butter};
use gametape_testkit::echo::spoiled_match_keeps_its_frames;

use crate::common::{recording, recording_names, tape};

/// A recording as a reader sees it.
struct Seen {
    frames: Vec<Frame>,
    lines: Vec<u8>,
    redacted: Vec<u8>,
    findings: Findings,
}

fn seen(bytes: &[u8], options: ReadOptions) -> Seen {
    let mut reader: Reader<_> = open_with(Cursor::new(bytes), options).unwrap();
    let mut frames = Vec::new();
    let mut writer = Writer::new(Vec::new());
    let (mut redactor, mut redacted) = (Redactor::new(), Vec::new());
    while let Some(frame) = reader.next_frame().unwrap().cloned() {
        frames.push(frame);
        let line = reader.line().unwrap();
        line.redacted(&mut redactor, &mut redacted).unwrap();
        writer.push_line(&line).unwrap();
    }
    Seen {
        frames,
        lines: writer.finish().unwrap(),
        redacted,
        findings: reader.findings().clone(),
    }
}

/// What is right for a file: the finding that names its kind, and how many frames have it.
const RIGHT: [(&str, &str, u64); 17] = [
    ("api-2018.echoreplay", "echoreplay.old-api", 12),
    ("date-dots.echoreplay", "echoreplay.time-spelling", 12),
    ("date-hyphens.echoreplay", "echoreplay.time-spelling", 12),
    ("entry-twice-empty.echoreplay", "echoreplay.zip-twice", 1),
    ("entry-twice.echoreplay", "echoreplay.zip-twice", 1),
    ("ids-as-text.echoreplay", "echoreplay.spelling", 12),
    ("mac.echoreplay", "echoreplay.zip-system", 1),
    ("name-half-emoji.echoreplay", "echoreplay.text", 12),
    ("name-latin1.echoreplay", "echoreplay.text", 12),
    ("nul-after-json.echoreplay", "echoreplay.nul", 12),
    ("null-hand.echoreplay", "echoreplay.member", 1),
    ("summer-time-back.echoreplay", "", 0),
    ("timers.echoreplay", "echoreplay.unknown", 7),
    ("unknown-member.echoreplay", "echoreplay.unknown", 12),
    ("utf-16.echoreplay", "echoreplay.utf16", 1),
    ("year-buddhist.echoreplay", "echoreplay.calendar", 12),
    ("zero-tail.echoreplay", "echoreplay.zeros", 1),
];

#[test]
fn every_variant_is_read() {
    for name in recording_names("echo/variants") {
        // Archives are unpacked by the paths of gametape, whose tests read them.
        let is_archive = matches!(
            &*name,
            "gzip-members.echoreplay.gz" | "zip-in-zip.echoreplay"
        );
        if name == "README.md" || is_archive {
            continue;
        }
        let Some((_, code, count)) = RIGHT.iter().find(|(known, ..)| *known == name) else {
            panic!("{name} is not in the table");
        };
        let bytes = recording(&format!("echo/variants/{name}")).unwrap();
        let read = seen(&bytes, ReadOptions::lenient());
        let frames = if name == "timers.echoreplay" { 7 } else { 12 };
        println!("{name}: {} frames", read.frames.len());
        for finding in &read.findings {
            println!("    {finding}");
        }
        assert_eq!(read.frames.len(), frames, "{name}: {:?}", read.findings);
        if !code.is_empty() {
            let finding = read.findings.get(code).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(finding.repeats + 1, *count, "{name}: {finding}");
        }
        if name == "mac.echoreplay" {
            assert_eq!(read.findings.worst(), Some(gametape_echo::Severity::Info));
        }
        // Plain text stays as it is, but for zeros after it.
        if bytes.starts_with(b"2") {
            let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
            assert!(read.lines == bytes[..bytes.len() - zeros], "{name}");
        }
        let text = String::from_utf8_lossy(&read.redacted);
        let players = read.frames.iter().flat_map(|frame| frame.session.players());
        for (_, player) in players {
            let named = [player.name.to_string(), player.userid.to_string()];
            let is_told = named
                .iter()
                .any(|named| named.len() > 2 && text.contains(named));
            assert!(!is_told, "{name}: {named:?}");
        }
        let times: Vec<i64> = read.frames.iter().map(|frame| frame.time.0).collect();
        if let Some(base) = tape("b_scenario.echoreplay")
            && frames == 12
            && name != "summer-time-back.echoreplay"
        {
            let right = seen(&base, ReadOptions::strict()).frames;
            let right: Vec<i64> = right.iter().map(|frame| frame.time.0).collect();
            assert_eq!(times, right, "{name}");
        }
        let made = butter::write(&read.frames, butter::Options::default()).unwrap();
        let file = butter::read(&made).unwrap();
        let mut back = file.frames();
        for frame in &read.frames {
            let stored = back.next_frame().unwrap().expect(&name);
            assert_eq!(stored.time, frame.time, "{name}");
        }
        let (_, salvaged) = salvage(&bytes).unwrap();
        assert_eq!(salvaged.frames, frames as u64, "{name}");
        let left_out: Vec<_> = salvaged.left_out().collect();
        assert!(left_out.is_empty(), "{name}: {left_out:?}");
    }
}

/// Random matches, spoiled in the ways of real machines; thousands more are tried by `cargo xtask fuzz`.
#[test]
fn spoiled_matches_keep_their_frames() {
    (0..300).for_each(spoiled_match_keeps_its_frames);
}
