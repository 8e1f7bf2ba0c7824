//! Values as recorders and versions of the game spell them.

use gametape_echo::*;

use super::{frame_of, lenient, line, strict_error};

fn session(json: &str) -> Session {
    frame_of(line(0, json).as_bytes()).session
}

#[test]
fn flags_and_numbers_are_spelled_in_many_ways() {
    for (spelling, number) in [("true", 1.0), ("1", 1.0), ("1.0", 1.0), ("0.25", 0.25)] {
        let session = session(&format!(
            r#"{{"left_shoulder_pressed":{spelling},"blue_team_restart_request":{spelling}}}"#
        ));
        assert_eq!(session.inputs.left_shoulder, number, "{spelling}");
        assert!(session.blue_team_restart_request, "{spelling}");
    }
    for spelling in ["false", "0", "0.0", "-0.0", "null"] {
        let session = session(&format!(
            r#"{{"left_shoulder_pressed":{spelling},"blue_team_restart_request":{spelling}}}"#
        ));
        assert_eq!(session.inputs.left_shoulder, 0.0, "{spelling}");
        assert!(!session.blue_team_restart_request, "{spelling}");
    }
    for spelling in ["7", "7.0", "70e-1"] {
        let session = session(&format!(
            r#"{{"blue_points":{spelling},"blue_round_score":{spelling},"rules_changed_at":{spelling}}}"#
        ));
        assert_eq!(session.blue_points, 7.0);
        assert_eq!(session.blue_round_score, 7);
        assert_eq!(session.rules_changed_at, Some(7));
    }
}

#[test]
fn contents_of_hands() {
    for (spelling, holding) in [
        ("\"none\"", Some(Holding::None)),
        ("\"disc\"", Some(Holding::Disc)),
        ("\"12\"", Some(Holding::Number(12))),
        ("12", Some(Holding::Number(12))),
        ("\"012\"", Some(Holding::Other("012".into()))),
        ("null", None),
    ] {
        let json = format!(r#"{{"teams":[{{"players":[{{"holding_left":{spelling}}}]}}]}}"#);
        let session = session(&json);
        assert_eq!(
            session.teams[0].players[0].holding_left, holding,
            "{spelling}"
        );
    }
}

#[test]
fn possession_other_than_two_numbers() {
    assert_eq!(
        session(r#"{"possession":[-1,-1]}"#).possession,
        Some([-1, -1])
    );
    assert_eq!(
        session(r#"{"possession": [ 1.0 , 2 ] }"#).possession,
        Some([1, 2])
    );
    assert_eq!(session(r#"{"possession":null,"game_clock":1}"#).unknown, []);
    for other in [
        "[]",
        "[1]",
        "[1,2,3]",
        "\"blue\"",
        "{\"team\":[0]}",
        "[1,\"x\"]",
        "7",
    ] {
        let session = session(&format!(r#"{{"possession":{other},"game_clock":2.5}}"#));
        assert_eq!(session.possession, None);
        assert_eq!(session.unknown[0].json, other);
        assert_eq!(session.game_clock, 2.5);
    }
}

#[test]
fn missing_is_null_is_the_default() {
    let full = r#"{"disc":{"bounce_count":3},"pause":{"paused_state":"paused"},"last_score":{},
        "teams":[{"team":"A","players":[{"name":"B","stats":{"points":1}}],"stats":{}}],
        "contested":true,"err_code":0,"rules_changed_by":"C","sessionid":"D","new":1}"#
        .replace('\n', " ");
    let text = line(0, &full)
        + &line(
            1,
            r#"{"disc":null,"pause":null,"last_score":null,"teams":null,"contested":null,
            "err_code":null,"rules_changed_by":null,"sessionid":null}"#
                .replace('\n', " ")
                .as_str(),
        )
        + &line(2, &full)
        + &line(3, r#"{"game_clock":0.0}"#)
        + &line(4, &full)
        + &line(5, r#"{"teams":[{},null]}"#);
    let (frames, findings) = lenient(text.as_bytes());
    let codes: Vec<&str> = findings.iter().map(Finding::code).collect();
    for code in codes {
        let is_noted = ["member", "missing", "unknown"].map(|name| format!("echoreplay.{name}"));
        assert!(is_noted.iter().any(|noted| noted == code), "{code}");
    }
    // What is null or absent is missing, and has the default value.
    let missing = |at: usize| frames[at].session.missing;
    assert_eq!(missing(1).count(), missing(3).count() + 1);
    assert_eq!(frames[3].session.clock(), Some(0.0));
    assert_eq!(frames[1].session.clock(), None);
    let expected = |at: usize| Session {
        missing: missing(at),
        ..Session::default()
    };
    assert_eq!(frames[1].session, expected(1));
    assert_eq!(frames[3].session, expected(3));
    let teams = &frames[5].session.teams;
    assert_eq!(teams.len(), 2);
    assert!(teams.iter().all(|team| *team == Team::default()));
    assert_eq!(frames[0].session, frames[4].session);
    assert!(frames[0].session.payload.unwrap().contested);
    assert_eq!(
        frames[0].session.teams[0].players[0].stats.unwrap().points,
        1
    );
}

#[test]
fn the_last_of_repeated_members_counts() {
    let session = session(
        r#"{"disc":{"bounce_count":3,"x":1},"disc":{"velocity":[1,2,3],"x":2},
        "teams":[{"team":"A"},{"team":"B","logo":1}],"teams":[{"possession":true}],
        "game_clock":1,"game_clock":2,"sessionid":"A","sessionid":null}"#
            .replace('\n', " ")
            .as_str(),
    );
    let disc = session.disc.unwrap();
    assert_eq!((disc.bounce_count, disc.velocity), (0, [1.0, 2.0, 3.0]));
    assert_eq!(
        session.teams,
        [Team {
            possession: true,
            ..Team::default()
        }]
    );
    assert_eq!(session.game_clock, 2.0);
    assert_eq!(session.sessionid, "");
    // Nothing unknown is dropped, unless it has no place any more.
    let kept: Vec<&str> = session.unknown.iter().map(|member| &*member.json).collect();
    assert_eq!(kept, ["1", "2"]);
}

#[test]
fn pos_counts_unless_it_is_null_and_then_position() {
    const POS: [f32; 3] = [1.0, -2.5, 3.0];
    const POSITION: [f32; 3] = [4.0, 5.0, -6.5];
    for (members, right) in [
        (r#""position":[4,5,-6.5]"#, POSITION),
        (r#""pos":[1,-2.5,3]"#, POS),
        // As the reference spells heads and bodies, and hands; and the other way round.
        (r#""pos":null,"position":[4,5,-6.5]"#, POSITION),
        (r#""pos":[1,-2.5,3],"position":null"#, POS),
        (r#""position":[4,5,-6.5],"pos":null"#, POSITION),
        (r#""position":null,"pos":[1,-2.5,3]"#, POS),
        (r#""pos":[1,-2.5,3],"position":[4,5,-6.5]"#, POS),
        (r#""position":[4,5,-6.5],"pos":[1,-2.5,3]"#, POS),
        // If a member occurs twice, the last one.
        (
            r#""pos":[1,-2.5,3],"position":[4,5,-6.5],"pos":null"#,
            POSITION,
        ),
        (r#""pos":null,"position":null"#, [0.0; 3]),
        // Zero is a position.
        (r#""pos":[0,0,0],"position":[4,5,-6.5]"#, [0.0; 3]),
    ] {
        let limbs = ["head", "body", "lhand", "rhand"]
            .map(|limb| format!(r#""{limb}":{{"forward":[0,0,1],{members},"up":[0,1,0]}}"#));
        let json = format!(r#"{{"teams":[{{"players":[{{{}}}]}}]}}"#, limbs.join(","));
        let session = session(&json);
        let player = &session.teams[0].players[0];
        for pose in [&player.head, &player.body, &player.lhand, &player.rhand] {
            assert_eq!(pose.position, right, "{members}");
            assert_eq!((pose.forward[2], pose.up[1]), (1.0, 1.0), "{members}");
        }
        assert_eq!(session.unknown, []);
    }
}

#[test]
fn json_that_is_no_session_is_reported_with_its_place() {
    let of = |session: &str, kept: usize| {
        let text = line(0, session);
        let (code, offset) = strict_error(text.as_bytes());
        let (frames, findings) = lenient((line(1, "{\"a\":1}") + &text).as_bytes());
        assert_eq!(frames.len(), 1 + kept, "{session}");
        assert!(findings.has(code) || kept == 1);
        assert!(
            kept == 0 || findings.has("echoreplay.member") || findings.has("echoreplay.spelling")
        );
        (code, offset - 24)
    };
    let at = |session: &str| of(session, 0);
    assert_eq!(at(r#"{"game_clock":1,}"#), ("echoreplay.json", 16));
    // A lenient reader loses the member alone.
    let member = |session: &str| of(session, 1);
    assert_eq!(member(r#"{"game_clock":1.}"#), ("echoreplay.json", 14));
    assert_eq!(member(r#"{"game_clock":[1]}"#), ("echoreplay.json", 14));
    for session in [
        r#"{"disc":{"position":[1,2]}}"#,
        r#"{"disc":{"position":[1,2,3,4]}}"#,
        r#"{"blue_round_score":2147483648}"#,
        r#"{"blue_round_score":1.5}"#,
    ] {
        assert_eq!(member(session).0, "echoreplay.json");
    }
    assert_eq!(
        at(r#"{"teams":[{"players":[{"userid":-1}]}]}"#).0,
        "echoreplay.json"
    );
    assert_eq!(at(r#"{"game_clock":1} x"#), ("echoreplay.json", 17));
    assert_eq!(
        at(r#"{"err_code":-6,"err_description":"no match"}"#),
        ("echoreplay.no-session", 0)
    );
    assert_eq!(at("{}").0, "echoreplay.no-session");
    assert_eq!(at("404").0, "echoreplay.no-session");
    assert_eq!(at("").0, "echoreplay.no-session");
    assert_eq!(at("<!DOCTYPE html><html>").0, "echoreplay.no-session");
    assert_eq!(at("[1]").0, "echoreplay.no-session");
}

#[test]
fn broken_strings_are_reported_with_their_place() {
    let mut text = line(0, "{\"client_name\":\"??\"}").into_bytes();
    let at = text.iter().position(|byte| *byte == b'?').unwrap();
    text[at] = 0xFF;
    assert_eq!(strict_error(&text), ("echoreplay.utf8", at as u64));
}

#[test]
fn hostile_json_does_no_harm() {
    let deep = |open: &str| open.repeat(200_000);
    for session in [
        format!(r#"{{"x":{}"#, deep("[")),
        format!(r#"{{"x":{}"#, deep("{\"a\":")),
        format!(r#"{{"disc":{}"#, deep("[")),
        format!(r#"{{"possession":{}"#, deep("[")),
        format!(r#"{{"teams":{}"#, deep("[")),
        format!(r#"{{"teams":[{}"#, deep("{\"players\":[")),
        deep("["),
        deep("{"),
        format!(r#"{{"teams":[{}{{}}]}}"#, deep("{},")),
        format!(r#"{{"teams":[{{"players":[{}{{}}]}}]}}"#, deep("{},")),
        format!("{{{}\"game_clock\":1}}", deep("\"\":1,")),
        format!("{{{}\"game_clock\":1", deep("\"disc\":{\"a\":1},")),
        format!(r#"{{"game_clock":{}}}"#, "1".repeat(1_000_000) + "e"),
        format!(r#"{{"game_clock":1e{}.}}"#, "1".repeat(1_000_000)),
    ] {
        let text = line(0, &session);
        strict_error(text.as_bytes());
        let (frames, findings) = lenient(text.as_bytes());
        assert!(frames.is_empty() || findings.has("echoreplay.member"));
    }
    // A long text is not wrong.
    let digits = "1".repeat(1_000_000);
    assert!(
        session(&format!(r#"{{"game_clock":{digits}}}"#))
            .game_clock
            .is_infinite()
    );
    let zeros = "0".repeat(100_000);
    let small = session(&format!(r#"{{"game_clock":1{zeros}e-100000}}"#));
    assert_eq!(small.game_clock, 1.0);
}

const BONES: &str = r#"{"user_bones":[{"bone_t":[T],"bone_o":[O],"XPID":"a"}],"err_code":0}"#;

fn bones(positions: usize, rotations: usize) -> String {
    let numbers = |count: usize| {
        let numbers: Vec<String> = (0..count).map(|n| format!("{n}.5")).collect();
        numbers.join(",")
    };
    BONES
        .replace("[T]", &format!("[{}]", numbers(positions)))
        .replace("[O]", &format!("[{}]", numbers(rotations)))
}

#[test]
fn bones_are_there_or_not() {
    let with = |third: &str| {
        let text = line(0, &format!("{{\"game_clock\":1}}{third}"));
        let (mut frames, findings) = lenient(text.as_bytes());
        assert_eq!(frames.len(), 1, "{third}");
        let codes: Vec<_> = findings
            .iter()
            .map(|f| (f.code(), f.place.offset))
            .collect();
        if let Some((code, offset)) = codes.first() {
            assert_eq!(strict_error(text.as_bytes()), (*code, offset.unwrap()));
        }
        (frames.remove(0).bones, codes)
    };
    for none in [
        "",
        "\t",
        "\t ",
        "\t{\"err_code\":0}",
        "\t{\"user_bones\":[],\"err_code\":0}",
        "\t{}",
    ] {
        assert_eq!(with(none), (None, vec![]), "{none:?}");
    }
    let (read, codes) = with(&format!("\t{}", bones(69, 92)));
    assert!(codes.is_empty());
    let read = read.unwrap();
    assert_eq!(read.user_bones[0].positions[22], [66.5, 67.5, 68.5]);
    assert_eq!(read.user_bones[0].rotations[22][3], 91.5);
    assert_eq!(read.unknown[0].object, Object::UserBones(0));

    // The line up to the third column has 41 bytes.
    let start = 24 + 16 + 1;
    for (positions, rotations) in [(68, 92), (70, 92), (69, 91), (69, 0), (690, 92)] {
        let (read, codes) = with(&format!("\t{}", bones(positions, rotations)));
        assert!(read.is_none());
        assert_eq!(codes, [("echoreplay.bones-length", Some(start))]);
    }
    assert_eq!(with("\t404").1, [("echoreplay.bones", Some(start))]);
    assert_eq!(
        with("\t{\"user_bones\":[}").1,
        [("echoreplay.bones", Some(start + 15))]
    );
    assert_eq!(with("\t{}\t").1, []);
}
