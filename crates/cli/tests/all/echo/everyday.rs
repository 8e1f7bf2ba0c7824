//! Looking at matches.

use std::fs;

use serde_json::{Value, json as value_of};

use super::support::{FRAMES, fine, folder, frames, json, names, outputs};

#[test]
fn a_match_says_the_same_of_itself_in_every_form() {
    let folder = folder();
    let path = folder.path();
    let infos = ["text.echoreplay", "zip.echoreplay", "match.butter"]
        .map(|name| json(&fine(path, &format!("inspect --json {name}"))));
    for info in &infos {
        let keys: Vec<&String> = info.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "path",
                "format",
                "format_version",
                "bytes",
                "duration_ms",
                "steps",
                "details"
            ]
        );
        assert_eq!(info["steps"], FRAMES);
        assert_eq!(info["duration_ms"], infos[0]["duration_ms"]);
        let details = &info["details"];
        for key in [
            "recorded_from",
            "recorded_to",
            "rate_hz",
            "map",
            "match_type",
            "private",
        ] {
            assert_eq!(details[key], infos[0]["details"][key], "{key}");
        }
        for key in [
            "session_id",
            "client",
            "blue_points",
            "blue_rounds",
            "bone_frames",
            "players",
        ] {
            assert_eq!(details[key], infos[0]["details"][key], "{key}");
        }
        assert_eq!(details["bone_frames"], FRAMES);
        assert_eq!(details["players"].as_array().unwrap().len(), 4);
    }
    let [text, zip, butter] = infos;
    assert_eq!(text["details"]["container"], "text");
    assert_eq!(zip["details"]["container"], "zip");
    assert_eq!(butter["details"]["compression"], "zstd3");
    assert_eq!(butter["details"]["keyframe_every"], 30);
    assert_eq!(butter["details"]["chunks"], 3);
    assert_eq!(butter["format_version"], 3);
}

#[test]
fn accounts_and_addresses_are_shown_to_who_asks() {
    let folder = folder();
    let path = folder.path();
    let frame = &frames()[0];
    let address = frame.session.sessionip.as_str();
    let account = frame.session.teams[0].players[0].userid.to_string();
    let client = frame.session.client_name.as_str();
    for name in ["text.echoreplay", "zip.echoreplay", "match.butter"] {
        for args in [
            "inspect",
            "inspect --json",
            "dump",
            "stats",
            "stats --json",
            "verify -v",
        ] {
            let out = fine(path, &format!("{args} {name}"));
            assert!(!out.contains(address), "{args} {name}");
            assert!(!out.contains(&account), "{args} {name}");
        }
        for args in [
            "inspect --show-secrets",
            "inspect --json --show-secrets",
            "dump --show-secrets",
        ] {
            let out = fine(path, &format!("{args} {name}"));
            assert!(out.contains(address), "{args} {name}");
            assert!(out.contains(&account), "{args} {name}");
            assert!(out.contains(client), "{args} {name}");
        }
        // In a folder, only headers are read.
        let header = fine(
            path,
            &format!("inspect --json {}", path.join("*").display()),
        );
        assert!(!header.contains(address) && !header.contains(&account));
        assert_eq!(header.lines().count(), 3);
        assert!(header.lines().all(|line| json(line)["steps"].is_null()));
    }
}

#[test]
fn frames_are_dumped_one_by_one() {
    let folder = folder();
    let path = folder.path();
    let all = fine(path, "dump text.echoreplay");
    assert_eq!(all.lines().count() as u64, FRAMES);
    for (at, (line, frame)) in all.lines().zip(frames()).enumerate() {
        let value = json(line);
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["step", "time_ms", "time", "session", "bones"]);
        assert_eq!(value["step"], at);
        assert_eq!(value["time"], frame.time.to_string());
        assert_eq!(value["time_ms"], frame.time.0 - frames()[0].time.0);
        assert_eq!(value["session"]["sessionip"], "<hidden>");
        let bones = value["bones"]["user_bones"].as_array().unwrap();
        assert_eq!(bones.len(), 4);
    }
    assert_eq!(fine(path, "dump zip.echoreplay"), all);
    let one = fine(path, "dump --at step:77 match.butter");
    assert_eq!(json(&one)["step"], 77);
    assert_eq!(
        fine(path, "dump match.butter").lines().nth(77),
        Some(one.trim_end())
    );
    let (_, err) = outputs(path, "dump --at step:90 match.butter", 2);
    assert_eq!(
        err,
        "gametape: match.butter: step 90 is not recorded: the recording ends at step 89\n"
    );
    let state = fine(
        path,
        "dump --state --at step:77 --table players --columns name,head_x match.butter",
    );
    let players = json(&one)["session"]["teams"][0]["players"].clone();
    let first = json(state.lines().next().unwrap());
    assert_eq!(first["name"], players[0]["name"]);
    assert_eq!(first["head_x"], players[0]["head"]["position"][0]);
}

#[test]
fn statistics_are_those_of_the_match() {
    let folder = folder();
    let path = folder.path();
    let value = json(&fine(path, "stats --json zip.echoreplay"));
    assert_eq!(value["frames"], FRAMES);
    assert_eq!(value["players"].as_array().unwrap().len(), 4);
    for key in ["score", "goals", "rounds", "pauses", "status", "joins"] {
        assert!(value["timeline"][key].is_array(), "{key}");
    }
    assert!(value["possession"]["playing_ms"].is_u64());
    let out = fine(path, "stats zip.echoreplay");
    let name = frames()[0].session.teams[1].players[0].name.to_string();
    // In the tables of players, of their pings and of what the game counts.
    assert_eq!(out.matches(&format!("    {name} ")).count(), 3, "{out}");
    assert!(!out.contains('{') && !out.contains('['), "{out}");
}

#[test]
fn sound_matches_pass() {
    let folder = folder();
    let path = folder.path();
    for name in ["text.echoreplay", "zip.echoreplay", "match.butter"] {
        let verdict = json(&fine(path, &format!("verify --json {name}")));
        let keys: Vec<&String> = verdict.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["path", "format", "verdict", "facts", "findings", "advice"]
        );
        assert_eq!(verdict["verdict"], "pass", "{verdict}");
    }
}

#[test]
fn forms_of_a_match_compare_with_each_other() {
    let folder = folder();
    let path = folder.path();
    for (a, b) in [
        ("text.echoreplay", "zip.echoreplay"),
        ("match.butter", "match.butter"),
    ] {
        assert_eq!(
            fine(path, &format!("diff {a} {b}")),
            "the recordings are the same\n"
        );
        assert!(json(&fine(path, &format!("diff --json {a} {b}")))["precision"].is_null());
    }
    // What a .butter rounds and does not keep, in either order.
    for (a, b) in [
        ("text.echoreplay", "match.butter"),
        ("match.butter", "zip.echoreplay"),
    ] {
        let said = fine(path, &format!("diff {a} {b}"));
        let (start, left_out) = said.split_once("; not compared: ").unwrap();
        let (start, apart) = start.split_once(": up to ").unwrap();
        assert_eq!(
            start,
            "the recordings are the same within the precision of a .butter"
        );
        assert!(apart.contains(" m ("), "{said}");
        assert!(apart.contains(" deg ("), "{said}");
        assert!(left_out.contains("team names, "), "{said}");
        assert_eq!(said.lines().count(), 1);
        let precision = json(&fine(path, &format!("diff --json {a} {b}")))["precision"].clone();
        assert_eq!(precision["of"], "a .butter");
        let rounded = precision["rounded"].as_array().unwrap();
        let head = rounded.iter().find(|one| one["field"] == "head position");
        let head = head.unwrap();
        assert_eq!(head["unit"], "m");
        let error = head["max_error"].as_f64().unwrap();
        assert!(error > 0.0 && error < 0.05, "{error}");
        let not_compared = precision["not_compared"].as_array().unwrap();
        assert!(
            not_compared.contains(&value_of!("team names")),
            "{precision}"
        );
    }
    // Differences are named as in the API.
    let mut changed = frames();
    changed[40].session.teams[1].players[0].head.position[2] += 0.5;
    changed[41].session.blue_points += 1.0;
    fs::write(
        path.join("changed.butter"),
        super::support::butter(&changed),
    )
    .unwrap();
    for other in ["text.echoreplay", "match.butter"] {
        let (out, err) = outputs(path, &format!("diff {other} changed.butter"), 1);
        assert_eq!(err, "");
        assert!(out.starts_with("frame 40 (2022/01/02 03:00:0"), "{out}");
        assert!(out.contains("): teams[1].players[0] \""), "{out}");
        assert!(out.contains("head.position.z is "), "{out}");
        let (out, _) = outputs(path, &format!("diff --json {other} changed.butter"), 1);
        let value = json(&out);
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            &[
                "same",
                "first",
                "step",
                "tick",
                "time_ms",
                "more",
                "header",
                "details",
                "tables",
                "precision"
            ][..keys.len()]
        );
        // The numbers that are near enough differ, too.
        assert!(keys.len() == 10 || other == "match.butter", "{value}");
        assert_eq!(
            (&value["step"], &value["tick"]),
            (&value_of!(40), &Value::Null)
        );
        assert_eq!(value["details"]["field"], "head position");
        assert!((value["details"]["apart"].as_f64().unwrap() - 0.5).abs() < 0.04);
    }
    let short = super::support::text(&frames()[..60]);
    fs::write(path.join("short.echoreplay"), short).unwrap();
    let (out, _) = outputs(path, "diff match.butter short.echoreplay", 1);
    assert!(
        out.contains("the second recording has ended; the first has 90 frames, the second 60\n29 more frames differ after it\n"),
        "{out}"
    );
    let others = Value::from(names(path));
    assert!(others.to_string().contains("short"), "nothing was removed");
}
