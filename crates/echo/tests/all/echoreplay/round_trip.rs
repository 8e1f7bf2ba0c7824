//! From the model to text and back.

use gametape_echo::echoreplay::{read, write_frame};
use gametape_echo::*;
use proptest::prelude::*;

use super::{any_frames, frame_of};

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
    let text = super::line(
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
