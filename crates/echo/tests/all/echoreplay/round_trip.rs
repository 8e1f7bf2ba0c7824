//! From the model to text and back, and writers that are stopped.

use std::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::rc::Rc;

use gametape_echo::echoreplay::{Writer, read, write_frame};
use gametape_echo::*;
use proptest::prelude::*;

use super::{SESSION, any_frames, frame_of, lenient, line};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn frames_are_read_as_they_were_written(
        frames in any_frames(),
    ) {
        let mut text = Vec::new();
        for frame in &frames {
            write_frame(frame, &mut text).unwrap();
        }
        // One frame for all: nothing is left over for the next.
        let mut lines = read(&text);
        for frame in &frames {
            let back = lines.next_frame().unwrap().unwrap();
            prop_assert_eq!(back, frame);
            // Debug distinguishes -0.0 from 0.0, which == does not.
            prop_assert_eq!(format!("{:?}", back), format!("{:?}", frame));
        }
        prop_assert!(lines.next_frame().unwrap().is_none());
        for finding in lines.findings() {
            let codes = ["echoreplay.unknown", "echoreplay.member"];
            prop_assert!(codes.contains(&finding.code()), "{}", finding);
        }
        // serde_json reads it, too.
        for line in read(&text) {
            let line = line.unwrap();
            for json in [Some(line.session), line.bones].into_iter().flatten() {
                serde_json::from_slice::<serde_json::Value>(json).unwrap();
            }
        }
    }

    #[test]
    fn any_number_is_read_as_it_was_written(
        // The one number whose shortest text gives another number when it is parsed as an f64 first.
        bits in prop_oneof![20 => any::<u32>(), 1 => prop::sample::select(vec![0x15AE_43FD, 0x95AE_43FD])],
    ) {
        let number = f32::from_bits(bits);
        let mut frame = Frame::default();
        frame.session.game_clock = number;
        let mut text = Vec::new();
        let written = write_frame(&frame, &mut text);
        if !number.is_finite() {
            let refused = matches!(written, Err(WriteError::Unstorable { what: "game_clock", .. }));
            prop_assert!(refused);
            prop_assert!(text.is_empty());
            return Ok(());
        }
        let back = frame_of(&text);
        prop_assert_eq!(back.session.game_clock.to_bits(), bits);
    }
}

fn unknown(object: Object, name: &str, json: &str) -> Unknown {
    Unknown {
        object,
        name: name.into(),
        json: json.into(),
    }
}

#[test]
fn values_without_a_text_are_refused_and_nothing_is_written() {
    let refused = |change: &dyn Fn(&mut Frame)| {
        let mut frame = Frame::default();
        change(&mut frame);
        let mut out = b"before".to_vec();
        let error = write_frame(&frame, &mut out).unwrap_err();
        assert!(matches!(error, WriteError::Unstorable { .. }), "{error}");
        assert_eq!(out, b"before", "{error}");
        error.to_string()
    };
    let text = refused(&|frame| frame.session.inputs.left_shoulder = f32::NAN);
    assert_eq!(
        text,
        "left_shoulder_pressed NaN; the format holds finite numbers"
    );
    refused(&|frame| {
        frame.session.teams.push(Team::default());
        frame.session.teams[0].players.push(Player::default());
        frame.session.teams[0].players[0].head.up[1] = f32::INFINITY;
    });
    refused(&|frame| frame.time = Time(i64::MAX));
    refused(&|frame| frame.time = Time(-62_167_219_200_001));
    refused(&|frame| frame.session.teams = vec![Team::default(); 256]);
    refused(&|frame| {
        let players = vec![Player::default(); 200];
        frame.session.teams = vec![
            Team {
                players,
                ..Team::default()
            };
            3
        ];
    });
    for (object, name, json) in [
        (Object::Disc, "x", "1"),
        (Object::Player(0, 0), "x", "1"),
        (Object::Bones, "x", "1"),
        (Object::Session, "game_clock", "1"),
        (Object::Session, "possession", "[1,2]"),
        (Object::Session, "possession", "null"),
        (Object::Session, "x", ""),
        (Object::Session, "x", "{"),
        (Object::Session, "x", "1,\"y\":2"),
        (Object::Session, "x", "1}\r\n"),
        (Object::Session, "x", "[1,\t2]"),
        (Object::Session, "x", " 1"),
    ] {
        refused(&|frame| frame.session.unknown = vec![unknown(object, name, json)]);
    }
    refused(&|frame| {
        frame.bones = Some(Bones {
            user_bones: vec![PlayerBones::default(); 256],
            unknown: Vec::new(),
        });
    });
    refused(&|frame| {
        frame.bones = Some(Bones {
            user_bones: vec![PlayerBones::default()],
            unknown: vec![unknown(Object::UserBones(1), "x", "1")],
        });
    });
}

#[test]
fn foreign_members_come_out_in_their_objects() {
    let text = line(
        0,
        r#"{"new":[1, 2],"disc":{"spin":"fast","position":[1,2,3]},"teams":[{"players":[{"name":"A","head":{"tilt":null}}],"logo":{}}]}"#,
    );
    let frame = frame_of(text.as_bytes());
    let found = [
        unknown(Object::Session, "new", "[1, 2]"),
        unknown(Object::Disc, "spin", "\"fast\""),
        unknown(Object::Team(0), "logo", "{}"),
        unknown(Object::Pose(0, 0, 0), "tilt", "null"),
    ];
    assert_eq!(frame.session.unknown, found);
    let mut out = Vec::new();
    write_frame(&frame, &mut out).unwrap();
    let line = read(&out).next().unwrap().unwrap();
    assert_eq!(line.frame().unwrap(), frame);
    let value: serde_json::Value = serde_json::from_slice(line.session).unwrap();
    assert_eq!(value["disc"]["spin"], "fast");
    assert_eq!(
        value["teams"][0]["players"][0]["head"]["tilt"],
        serde_json::Value::Null
    );
    assert_eq!(value["new"][1], 2);
}

fn frame(at: i64) -> Frame {
    Frame {
        time: Time(at * 1000),
        ..Frame::default()
    }
}

#[test]
fn a_stopped_writer_leaves_whole_lines_and_another_continues() {
    let mut writer = Writer::new(Vec::new());
    for at in 0..3 {
        writer.push(&frame(at)).unwrap();
    }
    let text = writer.finish().unwrap();
    for size in 0..=text.len() {
        let (frames, findings) = lenient(&text[..size]);
        let lines = memchr::memchr_iter(b'\n', &text[..size]).count();
        // A line that lacks only its ending is whole, too.
        assert!(
            frames.len() == lines || findings.has("echoreplay.no-newline"),
            "{size}"
        );

        let file = Cursor::new(text[..size].to_vec());
        let (writer, resumed) = Writer::resume(file).unwrap();
        assert_eq!(resumed.frames, frames.len() as u64, "{size}");
        assert_eq!(resumed.last.as_ref(), frames.last(), "{size}");
        assert_eq!(resumed.dropped > 0, resumed.problem.is_some(), "{size}");
        // Nothing is cut off before a frame comes, and only the cut line then.
        assert_eq!(writer.get_ref().get_ref(), &text[..size], "{size}");
        let mut writer = writer;
        writer.push(&frame(9)).unwrap();
        assert_eq!(writer.frames(), frames.len() as u64 + 1);
        let text = writer.finish().unwrap().into_inner();
        let (again, findings) = lenient(&text);
        assert_eq!(again.len(), frames.len() + 1, "{size}");
        assert!(again.starts_with(&frames) && findings.is_empty(), "{size}");
    }
}

#[test]
fn a_missing_end_is_written_though_no_frame_comes() {
    let text = line(0, SESSION);
    for ending in ["", "\r", "\n", "\r\n"] {
        let file = Cursor::new(format!("{}{ending}", text.trim_end()).into_bytes());
        let (writer, resumed) = Writer::resume(file).unwrap();
        assert_eq!((resumed.frames, resumed.dropped), (1, 0));
        let whole = writer.finish().unwrap().into_inner();
        let expected = if ending == "\n" { "\n" } else { "\r\n" };
        let expected = format!("{}{expected}", text.trim_end());
        assert_eq!(String::from_utf8(whole).unwrap(), expected);
    }
}

#[test]
fn other_files_are_not_resumed() {
    let good = line(0, SESSION);
    let followed = format!("{good}2026 my notes, after a recording");
    let lines = format!("{good}hello\n");
    let long = format!("{good}2022/01/02 03:00:01.000\t{{{}", "x".repeat(5 << 20));
    for (text, code) in [
        ("PK\x03\x04....", "echoreplay.zipped"),
        ("hello\n", "echoreplay.damaged"),
        ("hello", "echoreplay.damaged"),
        ("\n\n", "echoreplay.damaged"),
        ("2026 my notes, all on one line", "echoreplay.damaged"),
        ("2026/01/02 03:04:05.678 my notes", "echoreplay.damaged"),
        ("2026/01/02 03:04:05.678\tmy notes", "echoreplay.damaged"),
        (followed.as_str(), "echoreplay.damaged"),
        (lines.as_str(), "echoreplay.damaged"),
        (long.as_str(), "echoreplay.damaged"),
    ] {
        let file = Cursor::new(text.as_bytes().to_vec());
        let error = Writer::resume(file).unwrap_err();
        assert_eq!(error.code(), code, "{text:.60}");
    }
}

#[test]
fn a_long_last_line_is_found() {
    let long = format!(
        "2022/01/02 03:00:00.000\t{{\"sessionid\":\"{}\"}}\n",
        "x".repeat(200_000)
    );
    let text = format!("{}{long}{}", line(0, SESSION), &line(1, SESSION)[..40]);
    let (_, resumed) = Writer::resume(Cursor::new(text.into_bytes())).unwrap();
    assert_eq!((resumed.frames, resumed.dropped), (2, 40));
    assert_eq!(resumed.last.unwrap().session.sessionid.len(), 200_000);
}

/// A disk that is full for a while.
#[derive(Default)]
struct Disk {
    written: Vec<u8>,
    left: usize,
    writes: usize,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Disk>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut disk = self.0.borrow_mut();
        disk.writes += 1;
        let size = bytes.len().min(disk.left);
        if size == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        disk.left -= size;
        disk.written.extend_from_slice(&bytes[..size]);
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_that_failed_does_not_spoil_the_next() {
    for left in [0, 1, 10, 24, 100] {
        let disk = Shared::default();
        disk.0.borrow_mut().left = left;
        let mut writer = Writer::new(Stream(disk.clone()));
        assert!(matches!(writer.push(&frame(0)), Err(WriteError::Io(_))));
        disk.0.borrow_mut().left = usize::MAX;
        disk.0.borrow_mut().writes = 0;
        writer.push(&frame(1)).unwrap();
        writer.push(&frame(2)).unwrap();
        assert_eq!(writer.frames(), 2);
        assert_eq!(disk.0.borrow().writes, 2, "one write a line");
        let (frames, findings) = lenient(&disk.0.borrow().written);
        assert_eq!(frames, [frame(1), frame(2)]);
        assert_eq!(findings.len(), usize::from(left > 0));
    }
}

#[test]
fn a_last_line_without_an_ending_gets_one() {
    let text = line(0, SESSION);
    let mut writer = Writer::new(Vec::new());
    for line in read(text.trim_end().as_bytes()) {
        writer.push_line(&line.unwrap()).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), text.as_bytes());
}
