//! Every member in the table is compared, checked and redacted.

use gametape_echo::audit::SessionAudit;
use gametape_echo::diff::{Tolerance, compare};
use gametape_echo::echoreplay::{Redactor, read};
use gametape_echo::{
    Field, Finding, Findings, Frame, Holding, Loadout, MEMBERS, Map, Member, Payload, WriteError,
};
use serde_json::{Value, json};

use crate::losses::full;

/// Frames of an arena and of combat in which every member is present.
fn frames() -> [Frame; 2] {
    [Map::Arena, Map::Dyson].map(|map| {
        let mut frame = full();
        let session = &mut frame.session;
        session.private_match = map == Map::Arena;
        session.map_name = map;
        session.payload = Some(Payload::default());
        session.pause.get_or_insert_default();
        session.possession = Some([0, 1]);
        session.rules_changed_by = Some("player-01".into());
        session.rules_changed_at = Some(7);
        session.err_code = Some(0);
        session.err_description = Some("all is well".into());
        for player in session.teams.iter_mut().flat_map(|team| &mut team.players) {
            player.loadout = Some(Loadout::default());
            player.holding_left = Some(Holding::Disc);
            player.holding_right = Some(Holding::Number(1_000_000));
            player.is_emote_playing = true;
        }
        frame
    })
}

/// The responses in a line.
fn answers(frame: &Frame) -> Result<[Value; 2], WriteError> {
    let mut text = Vec::new();
    gametape_echo::echoreplay::write_frame(frame, &mut text)?;
    let text = String::from_utf8(text).unwrap();
    let mut columns = text.trim_end().split('\t').skip(1);
    Ok([(); 2].map(|()| serde_json::from_str(columns.next().unwrap()).unwrap()))
}

fn line([session, bones]: &[Value; 2]) -> String {
    // A number that is infinite in 32 bits has a text in JSON.
    format!("2022/01/02 03:00:02.000\t{session}\t{bones}\r\n")
}

fn frame(answers: &[Value; 2]) -> Frame {
    let text = line(answers);
    let mut lines = read(text.as_bytes());
    lines.next().unwrap().unwrap().frame().unwrap()
}

/// The members in the table, by their object, that are present.
fn members(value: &Value, of: &str, found: &mut Vec<(String, &'static Member)>, at: &str) {
    let (_, members) = MEMBERS.iter().find(|(object, _)| *object == of).unwrap();
    for member in *members {
        let Some(inner) = value.get(member.name) else {
            continue;
        };
        let at = format!("{at}/{}", member.name);
        let object = match member.name {
            "disc" | "pause" | "last_score" | "last_throw" | "player" => {
                format!("`{}`", member.name)
            }
            "teams" | "players" | "user_bones" => format!("Each of `{}`", member.name),
            "stats" => "`stats` of a team or a player".to_owned(),
            "head" | "body" | "lhand" | "rhand" => "`head`, `body`, `lhand` and `rhand`".to_owned(),
            _ => String::new(),
        };
        if let (Value::Array(list), false) = (inner, object.is_empty()) {
            // One entry stands for all.
            let last = list.len() - 1;
            let at = format!("{at}/{last}");
            self::members(&list[last], &object, found, &at);
        } else if !object.is_empty() {
            self::members(inner, &object, found, &at);
        }
        found.push((at, member));
    }
}

/// The members that are present, each with its response and a pointer.
fn all(answers: &mut [Value; 2]) -> Vec<(usize, String, &'static Member)> {
    // The last team has players and stats, so it can stand for all.
    answers[0]["teams"].as_array_mut().unwrap().truncate(2);
    let mut all = Vec::new();
    for (which, of) in ["The session", "The answer of `/player_bones`"]
        .into_iter()
        .enumerate()
    {
        let mut found = Vec::new();
        members(&answers[which], of, &mut found, "");
        all.extend(found.into_iter().map(|(at, member)| (which, at, member)));
    }
    all
}

/// Replaces a value by another of the same type.
fn change(value: &mut Value) {
    *value = match &*value {
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) if number.is_f64() => json!(number.as_f64().unwrap() + 1.0),
        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
        Value::String(_) => json!("geo"),
        Value::Array(list) => {
            let mut list = list.clone();
            match &mut list[0] {
                number @ Value::Number(_) => change(number),
                _ => drop(list.pop()),
            }
            json!(list)
        }
        _ => Value::Null,
    };
}

#[test]
fn a_change_of_any_member_is_reported_with_its_field_in_the_table() {
    let mut told = std::collections::BTreeMap::new();
    for original in frames() {
        let mut answers = answers(&original).unwrap();
        for (which, at, member) in all(&mut answers) {
            let mut changed = answers.clone();
            change(changed[which].pointer_mut(&at).unwrap());
            let (a, b) = (frame(&answers), frame(&changed));
            let found = compare(&a, &b, &Tolerance::EXACT);
            let found = found.unwrap_or_else(|| panic!("{at} is not compared"));
            let is_gone = found.field == Field::Presence && member.kind == "object"
                || found.field == Field::MissingMembers;
            let known = is_gone || member.fields.contains(&found.field);
            *told.entry(at).or_insert(false) |= known;
        }
    }
    assert!(told.len() > 140, "{}", told.len());
    for (at, known) in told {
        assert!(known, "{at} is told by another field");
    }
}

#[test]
fn any_number_that_is_not_finite_is_found() {
    let mut numbers = 0;
    for original in frames() {
        let mut answers = answers(&original).unwrap();
        for (which, at, member) in all(&mut answers) {
            let mut changed = answers.clone();
            let value = changed[which].pointer_mut(&at).unwrap();
            match member.kind {
                "number" => *value = json!(1e39),
                "numbers" | "three numbers" => value[1] = json!(1e39),
                _ => continue,
            }
            let mut findings = Findings::default();
            SessionAudit::new().push(0, &frame(&changed), &mut findings);
            let codes: Vec<_> = findings.iter().map(Finding::code).collect();
            let expected = if member.range.is_some() {
                &["echo.inputs", "echo.packet-loss"][..]
            } else {
                &["echo.not-finite"]
            };
            let found = codes.iter().any(|code| expected.contains(code));
            assert!(found, "{at}: {codes:?}");
            numbers += 1;
        }
    }
    assert!(numbers > 100, "{numbers}");
}

#[test]
fn secrets_of_the_table_are_redacted_in_text_and_model() {
    const SECRET: &str = "987654321012";
    let mut redacted = 0;
    for original in frames() {
        let mut answers = answers(&original).unwrap();
        for (which, at, member) in all(&mut answers) {
            if !matches!(member.kind, "text" | "text or number") && member.name != "userid" {
                assert!(!member.redacted, "{at}");
                continue;
            }
            let mut changed = answers.clone();
            let value = changed[which].pointer_mut(&at).unwrap();
            *value = match &*value {
                Value::Number(_) => json!(SECRET.parse::<u64>().unwrap()),
                _ => json!(SECRET),
            };
            let text = line(&changed);
            let line = read(text.as_bytes()).next().unwrap().unwrap();
            let mut out = Vec::new();
            line.redacted(&mut Redactor::new(), &mut out).unwrap();
            let mut frame = frame(&changed);
            Redactor::new().frame(&mut frame);
            let mut model = Vec::new();
            gametape_echo::echoreplay::write_frame(&frame, &mut model).unwrap();
            for text in [out, model] {
                let there = String::from_utf8(text).unwrap().contains(SECRET);
                assert_eq!(there, !member.redacted, "{at}");
            }
            redacted += u32::from(member.redacted);
        }
    }
    assert!(redacted >= 2 * 10, "{redacted}");
}

#[test]
fn every_field_of_reports_is_some_member() {
    let told = |field: Field| {
        let mut members = MEMBERS.iter().flat_map(|(_, members)| *members);
        members.any(|member| member.fields.contains(&field))
    };
    let none: Vec<_> = Field::ALL.iter().filter(|field| !told(**field)).collect();
    // Members that are no fields, and fields that stand for several members.
    let known = [
        Field::Time,
        Field::Orientation,
        Field::SessionIdCase,
        Field::PayloadElsewhere,
        Field::UnknownMembers,
        Field::MissingMembers,
    ];
    assert_eq!(none, known.iter().collect::<Vec<_>>());
}
