//! Removing the players' identities from text and model.

use gametape_echo::echoreplay::{Redactor, read, write_frame};
use gametape_echo::*;
use proptest::prelude::*;

use super::{any_frames, frame_of, line};

fn redacted(text: &str, redactor: &mut Redactor) -> Result<String, Error> {
    let mut out = Vec::new();
    for line in read(text.as_bytes()) {
        line?.redacted(redactor, &mut out)?;
    }
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn only_identities_are_replaced() {
    let before = line(
        0,
        r#"{ "client_name" : "B\u006fb","sessionip":"10.1.2.3","sessionid":"1-2","teams":[{"team":"Ann's team","players":[{"name":"Ann","userid":12345678901, "holding_left":"98765432109","new":"Ann"},{"userid":98765432109,"name":"Bob","holding_right":98765432109,"holding_left":"none"}]},{"players":[{"name":"[INVALID]","userid":0,"holding_left":"7"}]}],"last_score":{"person_scored":"Cy","assist_scored":"[INVALID]","team":"blue"},"rules_changed_by":"Ann"}"#,
    );
    let after = line(
        0,
        r#"{ "client_name" : "Player 2","sessionip":"0.0.0.0","sessionid":"1-2","teams":[{"team":"Ann's team","players":[{"name":"Player 1","userid":1, "holding_left":"2","new":"Player 1"},{"userid":2,"name":"Player 2","holding_right":2,"holding_left":"none"}]},{"players":[{"name":"[INVALID]","userid":0,"holding_left":"7"}]}],"last_score":{"person_scored":"Player 3","assist_scored":"[INVALID]","team":"blue"},"rules_changed_by":"Player 1"}"#,
    );
    let mut redactor = Redactor::new();
    assert_eq!(redacted(&before, &mut redactor).unwrap(), after);
    // The same people in another order and spelling, and one more.
    let before = line(
        1,
        r#"{"teams":[{"players":[{"name":"Dee","userid":5},{"name":"Cy"},{"name":"Bo\u0062","userid":98765432109}]}],"client_name":null}"#,
    );
    let after = line(
        1,
        r#"{"teams":[{"players":[{"name":"Player 4","userid":3},{"name":"Player 3"},{"name":"Player 2","userid":2}]}],"client_name":null}"#,
    );
    assert_eq!(redacted(&before, &mut redactor).unwrap(), after);
}

#[test]
fn members_of_unknown_meaning_say_no_names() {
    let players = r#""teams":[{"players":[{"name":"Alpha_1","userid":1000000000000001},{"name":"Bo","userid":7}]}]"#;
    for (before, after) in [
        (r#"{"killer":"Alpha_1"}"#, r#"{"killer":"Player 1"}"#),
        (r#"{"Alpha_1":[1000000000000001]}"#, r#"{"Player 1":[1]}"#),
        (r#""1000000000000001""#, r#""1""#),
        (
            r#""Alpha_1 hits \"Alpha_1\", not Alpha_12""#,
            r#""Player 1 hits \"Player 1\", not Alpha_12""#,
        ),
        (
            r#"["Bo","Body",7,70,7.5]"#,
            r#"["Player 2","Body",2,70,7.5]"#,
        ),
        (r#""nobody of them""#, r#""nobody of them""#),
    ] {
        let text = |value: &str| line(0, &format!(r#"{{"zz_unknown":{value},{players}}}"#));
        let mut redactor = Redactor::new();
        let found = redacted(&text(before), &mut redactor).unwrap();
        let start = found.split(r#","teams""#).next().unwrap();
        assert!(
            start.ends_with(&format!(r#""zz_unknown":{after}"#)),
            "{found}"
        );
        assert_eq!(redactor.unknown(), 1);

        // The model says the same.
        let mut frame = frame_of(text(before).as_bytes());
        let mut redactor = Redactor::new();
        redactor.frame(&mut frame);
        assert_eq!(frame.session.unknown[0].json, after);
        assert_eq!(redactor.unknown(), 1);
    }
}

#[test]
fn nothing_secret_is_written_of_a_broken_session() {
    let mut refused = 0;
    for session in [
        r#"{"client_name":"Ann","teams":[{"players":[{"userid":"12"}]}]}"#,
        r#"{"client_name":["Ann"]}"#,
        r#"{"sessionip":["10.0.0.1"]}"#,
        r#"{"client_name":"Ann"#,
        r#"{"client_name":"Ann"} {"client_name":"Bob"}"#,
        "Ann was here",
    ] {
        let text = line(0, session);
        let mut out = Vec::new();
        let line = read(text.as_bytes()).next().unwrap().unwrap();
        if let Err(error) = line.redacted(&mut Redactor::new(), &mut out) {
            assert_eq!(error.code(), "echoreplay.json");
            assert!(!error.to_string().contains("Ann"), "{error}");
            assert!(out.is_empty());
            refused += 1;
        }
        // What can be read of it is written without what is secret.
        let out = String::from_utf8(out).unwrap();
        let secret = ["Ann", "Bob", "10.0.0.1", "\"12\""];
        assert!(!secret.iter().any(|secret| out.contains(secret)), "{out}");
    }
    assert!(refused >= 2, "{refused}");
}

#[test]
fn absent_accounts_and_descriptions_of_errors_are_removed() {
    // A held player has left and comes back; 255 is a playerid.
    let before = [
        line(
            0,
            r#"{"err_description":"10.1.2.3 is down","teams":[{"players":[{"holding_right":"98765432109","userid":12345678901,"holding_left":"300"},{"holding_left":255,"holding_right":400}]}]}"#,
        ),
        line(
            1,
            r#"{"err_description":"","teams":[{"players":[{"userid":98765432109}]}]}"#,
        ),
    ];
    let after = [
        line(
            0,
            r#"{"err_description":"<hidden>","teams":[{"players":[{"holding_right":"3","userid":1,"holding_left":"2"},{"holding_left":255,"holding_right":4}]}]}"#,
        ),
        line(
            1,
            r#"{"err_description":"","teams":[{"players":[{"userid":3}]}]}"#,
        ),
    ];
    let (mut redactor, mut model) = (Redactor::new(), Redactor::new());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(&redacted(before, &mut redactor).unwrap(), after);
        let mut frame_before = frame_of(before.as_bytes());
        model.frame(&mut frame_before);
        assert_eq!(frame_before, frame_of(after.as_bytes()));
    }
}

#[test]
fn names_in_members_that_nobody_knows_are_replaced_in_every_object() {
    let mentions = r#""more":{"by":"Anna","id":12345678901}"#;
    for object in ["head", "body", "lhand", "rhand", "stats"] {
        let text = line(
            0,
            &format!(
                r#"{{"teams":[{{"players":[{{"{object}":{{{mentions}}},"name":"Anna","userid":12345678901}}]}}]}}"#
            ),
        );
        let after = redacted(&text, &mut Redactor::new()).unwrap();
        assert!(
            !after.contains("Anna") && !after.contains("12345678901"),
            "{after}"
        );
    }
    let playspace = format!(
        r#"{{"player":{{{mentions}}},"teams":[{{"players":[{{"name":"Anna","userid":12345678901}}]}}]}}"#
    );
    let after = redacted(&line(0, &playspace), &mut Redactor::new()).unwrap();
    assert!(
        !after.contains("Anna") && !after.contains("12345678901"),
        "{after}"
    );
    // And in the answer about bones, whether it can be read or not. A number of a bone is no account.
    let session = r#"{"teams":[{"players":[{"name":"Anna","userid":7}]}]}"#;
    for (bones, wanted) in [
        (
            r#"{"by":"Anna","user_bones":[{"bone_t":[7,0.5],"of":7}]}"#,
            r#"{"by":"Player 1","user_bones":[{"bone_t":[7,0.5],"of":1}]}"#,
        ),
        (
            r#"{"by":"Anna","user_bones":[{]"#,
            r#"{"by":"Player 1","user_bones":[{]"#,
        ),
    ] {
        let text = line(0, session).trim_end().to_owned() + "\t" + bones + "\r\n";
        let after = redacted(&text, &mut Redactor::new()).unwrap();
        assert!(after.contains(wanted), "{after}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Redacting text and reading it equals reading it and redacting the model.
    #[test]
    fn text_and_model_are_redacted_alike(
        mut frames in any_frames(),
    ) {
        let mut text = Vec::new();
        for frame in &frames {
            write_frame(frame, &mut text).unwrap();
        }
        let text = String::from_utf8(text).unwrap();
        let after = redacted(&text, &mut Redactor::new()).unwrap();
        let mut redactor = Redactor::new();
        for (frame, line) in frames.iter_mut().zip(read(after.as_bytes())) {
            redactor.frame(frame);
            prop_assert_eq!(&line.unwrap().frame().unwrap(), &*frame);
        }
    }
}
