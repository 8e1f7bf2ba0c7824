//! Recordings beside the project: written by a recorder, and by the game.

use crate::common::{lines, recording, tape};
use gametape_echo::diff::{Tolerance, compare};
use gametape_echo::echoreplay::{Redactor, Writer, read, write_frame};
use gametape_echo::{Frame, Holding, Map, TeamId};
use serde_json::Value;

use super::frame_of;

fn recordings() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    ["a_single", "b_scenario", "c_combat"]
        .into_iter()
        .filter_map(|name| Some((name, tape(&format!("{name}.echoreplay"))?)))
}

/// Removes allowed differences of spelling: `1` and `1.0`, `7.6360002` and `7.6360003`, and members that
/// are false or missing.
fn plain(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let rounded = number.as_f64().unwrap() as f32;
            *value = if number.is_u64() && number.as_u64().unwrap() > 1 << 24 {
                Value::from(number.as_u64().unwrap().to_string())
            } else {
                Value::from(rounded.to_bits())
            };
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(members) => {
            members.retain(|name, value| name != "is_emote_playing" || *value != false);
            members.values_mut().for_each(plain);
            members.sort_keys();
        }
        _ => {}
    }
}

#[test]
fn lines_are_written_as_they_were_read() {
    for (name, bytes) in recordings() {
        let mut writer = Writer::new(Vec::new());
        for line in read(&bytes) {
            writer.push_line(&line.unwrap()).unwrap();
        }
        assert!(writer.finish().unwrap() == bytes, "{name}");
    }
}

#[test]
fn frames_survive_writing_and_keep_every_member() {
    for (name, bytes) in recordings() {
        let mut lines = read(&bytes);
        let mut count = 0;
        while let Some(frame) = lines.next_frame().unwrap().cloned() {
            let line = lines.line().unwrap();
            assert_eq!(line.frame().unwrap(), frame, "{name}: in place or not");
            assert!(
                frame.session.unknown.is_empty(),
                "{name}: {:?}",
                frame.session.unknown
            );
            let mut writer = Writer::new(Vec::new());
            writer.push(&frame).unwrap();
            let text = writer.finish().unwrap();
            let back = read(&text).next().unwrap().unwrap();
            // Debug distinguishes -0.0 from 0.0, which == does not.
            assert_eq!(format!("{:?}", back.frame().unwrap()), format!("{frame:?}"));

            let mut before: Value = serde_json::from_slice(line.session).unwrap();
            let mut after: Value = serde_json::from_slice(back.session).unwrap();
            plain(&mut before);
            plain(&mut after);
            assert_eq!(before, after, "{name}, frame {count}");
            count += 1;
        }
        assert!(lines.findings().is_empty(), "{name}");
        let expected = bytes.split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(count, expected, "{name}");
    }
}

#[test]
fn a_frame_is_read_as_it_is_spelled() {
    let Some(bytes) = tape("a_single.echoreplay") else {
        return;
    };
    let frame = frame_of(&bytes);
    assert_eq!(frame.time.to_string(), "2022/01/02 03:00:00.000");
    let session = &frame.session;
    assert_eq!(session.map_name, Map::Arena);
    assert_eq!(session.possession, Some([1, 1]));
    assert_eq!(session.inputs.left_shoulder, 1.0);
    assert_eq!((session.blue_points, session.orange_points), (15.0, 8.0));
    assert_eq!(
        session.disc.unwrap().velocity,
        [3.1090002, 3.4870002, -3.0960002]
    );
    assert_eq!(
        session.last_throw.unwrap().throw_move_penalty,
        0.026_893_407
    );
    assert_eq!(session.last_score.as_ref().unwrap().team, TeamId::Orange);
    assert_eq!(session.teams.len(), 3);
    assert!(session.teams[2].stats.is_none());
    let fox = &session.teams[1].players[0];
    assert_eq!(
        (fox.name.as_str(), fox.userid),
        ("Fox6", 1_000_000_000_000_036)
    );
    assert_eq!(fox.holding_left, Some(Holding::Disc));
    assert_eq!(fox.lhand.position, [-1.6670001, 0.19800001, 34.412003]);
    assert_eq!(fox.stats.unwrap().shots_taken, 4);
}

/// As the reference spells it: both possible members of a position, one of them `null`.
#[test]
fn positions_by_either_name_are_read_copied_and_redacted() {
    let Some(bytes) = tape("compat/both-keys.echoreplay") else {
        return;
    };
    let mut copied = Writer::new(Vec::new());
    let mut redacted = Vec::new();
    let mut redactor = Redactor::new();
    let mut frames = Vec::new();
    for line in read(&bytes) {
        let line = line.unwrap();
        copied.push_line(&line).unwrap();
        line.redacted(&mut redactor, &mut redacted).unwrap();
        frames.push(line.frame().unwrap());
    }
    assert!(copied.finish().unwrap() == bytes);

    // The same position under one name, under the other, and, for the last body, under both.
    let here = [1.5, 2.25, -3.0];
    for (at, frame) in frames.iter().enumerate() {
        let player = &frame.session.teams[0].players[0];
        let body = if at == 2 { [4.0, 5.0, 6.0] } else { here };
        let poses = [player.head, player.body, player.lhand, player.rhand];
        let positions = poses.map(|pose| pose.position);
        assert_eq!(positions, [here, body, here, here], "frame {at}");
        assert!(frame.session.unknown.is_empty());
        // Written under the name that the game uses, it is the same frame.
        let mut text = Vec::new();
        write_frame(frame, &mut text).unwrap();
        assert_eq!(frame_of(&text), *frame);
    }
    // The spelling makes no difference.
    let spelled_once = Frame {
        time: frames[1].time,
        ..frames[0].clone()
    };
    assert_eq!(compare(&spelled_once, &frames[1], &Tolerance::EXACT), None);

    // Every byte outside of names stays.
    let mut plain = String::from_utf8(bytes).unwrap();
    for (secret, public) in [
        ("\"Ann\"", "\"Player 1\""),
        ("1001", "1"),
        ("10.20.30.40", "0.0.0.0"),
    ] {
        assert!(plain.contains(secret));
        plain = plain.replace(secret, public);
    }
    assert_eq!(String::from_utf8(redacted).unwrap(), plain);
}

#[test]
fn the_sign_of_zero_is_kept() {
    let Some(bytes) = tape("c_combat.echoreplay") else {
        return;
    };
    let frames = lines(&bytes);
    let zeros = bytes.windows(5).filter(|text| text == b"-0.0,").count();
    assert_eq!(format!("{frames:?}").matches("-0.0,").count(), zeros);
    assert!(zeros > 0);
}

#[test]
fn the_games_own_response_is_a_session() {
    let Some(json) = recording("echo/example_frame_2021-11-20.json") else {
        return;
    };
    // The game's own response has line breaks, which a recorder leaves out.
    let value: Value = serde_json::from_slice(&json).unwrap();
    let text = super::line(0, &value.to_string());
    let frame = frame_of(text.as_bytes());
    assert_eq!(frame.session.players().count(), 10);
    assert_eq!(frame.session.err_code, Some(0));
    assert!(frame.session.unknown.is_empty());
}
