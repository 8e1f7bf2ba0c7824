//! Decisions of policies, and errors in policy files.

use gametape::mines::{Mode, property, rmv};
use gametape::{Decision, Lane, Policy, Recording, formats};
use gametape_samples::mines::{record, scenarios};

fn game(name: &str) -> Recording {
    let scenarios = scenarios();
    let scenario = scenarios
        .iter()
        .find(|scenario| scenario.name == name)
        .unwrap();
    let game = record(scenario, 7).unwrap();
    Recording::from_bytes(rmv::write(&game).unwrap(), "game.rmv").unwrap()
}

fn judged(policy: &str, game: &Recording) -> Decision {
    let policy = match policy {
        "" => Policy::of(&formats()),
        text => Policy::parse(text, &formats()),
    };
    policy.unwrap().judge(game, &game.audit().unwrap()).unwrap()
}

fn reasons(policy: &str, name: &str) -> Vec<(String, String)> {
    let decision = judged(policy, &game(name));
    assert_eq!(
        decision.admitted,
        Some(decision.reasons.is_empty()),
        "{name}"
    );
    let reasons = decision.reasons.into_iter();
    reasons
        .map(|reason| (reason.code, reason.message))
        .collect()
}

#[test]
fn the_ranking_admits_won_games_of_the_levels_in_the_normal_mode() {
    for level in [
        "beginner-win",
        "intermediate-win",
        "expert-win",
        "v1-expert-win",
    ] {
        assert_eq!(reasons("", level), [], "{level}");
    }
    let of = |name| reasons("", name);
    let require = |message: &str| ("policy.require".to_owned(), message.to_owned());
    assert_eq!(
        of("mode-win7"),
        [require("mode is \"win7\", \"normal\" is required")]
    );
    assert_eq!(
        of("loss")[0],
        require("outcome is \"blast\", \"win\" is required")
    );
    assert_eq!(
        of("mode-upk"),
        [require("mode is \"upk\", \"normal\" is required")]
    );
    assert_eq!(
        of("custom-wide"),
        [(
            "policy.class".to_owned(),
            "it is none of beginner, intermediate, expert: board_cols is 255, board_mines is 60, board_rows is 3".to_owned()
        )]
    );
}

/// By default, only the normal mode is admitted; a policy can admit others.
#[test]
fn no_other_mode_is_let_in_by_itself() {
    let base = record(&scenarios()[0], 7).unwrap();
    for mode in Mode::ALL {
        let mut game = base.clone();
        game.properties.to_mut()[property::MODE] = mode.code();
        let game = Recording::from_bytes(rmv::write(&game).unwrap(), "game.rmv").unwrap();
        let admitted = judged("", &game).admitted;
        assert_eq!(admitted, Some(mode == Mode::Normal), "{}", mode.name());
        let asked = format!("[rmv.require]\nmode = [\"upk\", \"{}\"]\n", mode.name());
        assert_eq!(
            judged(&asked, &game).admitted,
            Some(true),
            "{}",
            mode.name()
        );
    }
}

#[test]
fn findings_reject_by_severity_and_by_code_unless_they_are_admitted() {
    let game = game("loss");
    let rejected = |text: &str| {
        let decision = judged(text, &game);
        decision
            .reasons
            .into_iter()
            .map(|reason| reason.code)
            .collect::<Vec<String>>()
    };
    assert!(rejected("[rmv]\nreject = [\"error\", \"warning\"]\n").is_empty());
    assert_eq!(
        rejected("[rmv]\nreject = [\"rmv.rank-outcome\"]\n"),
        ["rmv.rank-outcome"]
    );
    let infos = rejected("[rmv]\nreject = [\"info\"]\n");
    assert!(infos.contains(&"rmv.rank-outcome".to_owned()), "{infos:?}");
    let admit = "[rmv]\nreject = [\"info\"]\nadmit = [\"rmv.rank-outcome\"]\n";
    assert_eq!(rejected(admit).len(), infos.len() - 1);
    // A recording of a format without a table is not judged.
    assert_eq!(
        judged("[murk]\nreject = [\"error\"]\n", &game).admitted,
        None
    );
}

/// A policy with more conditions still rejects forged recordings.
#[test]
fn errors_reject_unless_it_is_said_what_does() {
    let mut forged = rmv::write(&record(&scenarios()[0], 7).unwrap()).unwrap();
    let time = forged.len() - 1;
    forged[time] ^= 1;
    let forged = Recording::from_bytes(forged, "forged.rmv").unwrap();
    let admitted = |text: &str| judged(text, &forged).admitted;
    let findings = forged.audit().unwrap().findings;
    assert!(findings.iter().any(|finding| finding.code() == "rmv.tail"));
    assert_eq!(admitted("[rmv.require]\noutcome = \"win\"\n"), Some(false));
    assert_eq!(admitted("[rmv]\n"), Some(false));
    assert_eq!(admitted("[rmv]\nreject = []\n"), Some(true));
}

#[test]
fn conditions_are_over_all_facts() {
    let game = game("beginner-win");
    let admitted = |condition: &str| {
        judged(&format!("[rmv.require]\n{condition}\n"), &game).admitted == Some(true)
    };
    for holds in [
        "bbbv = { min = 1, max = 1000, not = 3 }",
        "player_name = \"Synthetic Player\"",
        "player_country = [\"\", \"UK\"]",
        "marks = false",
        "ioe = { min = 0.1 }",
        "clone_id = 0",
        "mode = { not = [\"upk\", \"cheat\"] }",
        "board_cols = 8.0",
    ] {
        assert!(admitted(holds), "{holds}");
    }
    for fails in [
        "bbbv = { min = 1000 }",
        "player_name = \"somebody\"",
        "marks = true",
        "mode = { not = \"normal\" }",
    ] {
        assert!(!admitted(fails), "{fails}");
    }
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    for (text, error) in [
        (
            "[rmvv]\n",
            "line 1: there is no format \"rmvv\"; the nearest is \"rmv\"",
        ),
        (
            "[rmv]\nrejct = []\n",
            "line 2: unknown field `rejct`, expected one of `reject`, `admit`, `require`, `class`",
        ),
        (
            "[rmv]\nreject = [\n  \"error\",\n  \"rmv.timee\",\n]\n",
            "line 4: rmv has no finding \"rmv.timee\"; the nearest is \"rmv.time\"",
        ),
        (
            "[rmv]\nadmit = \"rmv.time\"\n",
            "line 2: invalid type: string \"rmv.time\", expected a sequence",
        ),
        (
            "[rmv]\nreject = [\"rmv.time\"]\nadmit = [\"rmv.time\"]\n",
            "line 1: rmv.time is both to reject and to admit",
        ),
        (
            "\n[rmv.require]\nmode = \"nromal\"\n",
            "line 3: mode is never \"nromal\"; the nearest is \"normal\"",
        ),
        ("[rmv.require]\nmode = 0\n", "line 2: mode is text, not 0"),
        (
            "[rmv.require]\ntotal_time_ms = { max = \"30 s\" }\n",
            "line 2: total_time_ms is a whole number in ms, not \"30 s\"",
        ),
        (
            "[rmv.require]\nbbbv = -1\n",
            "line 2: bbbv is never below 0",
        ),
        (
            "[rmv.require]\nbbbv = {}\n",
            "line 2: the condition says nothing about bbbv",
        ),
        (
            "[rmv.require]\nmode = { min = \"normal\" }\n",
            "line 2: mode is text: it has no least or most",
        ),
        (
            "[rmv.require]\nbbbv = { least = 2 }\n",
            "line 2: unknown field `least`, expected one of `min`, `max`, `not`",
        ),
        (
            "[rmv.require]\nplayer_token = \"x\"\n",
            "line 2: player_token is secret: a policy that asks for it would tell it",
        ),
        (
            "[[rmv.class]]\nwhen = { bbbv = 2 }\n",
            "line 1: missing field `name`",
        ),
        (
            "[rmv.require]\nbbbv = { min = 50, max = 40 }\n",
            "line 2: no bbbv is at least 50 and at most 40",
        ),
        ("", "line 1: it has no rules for any format"),
        ("# All of it\n", "line 1: it has no rules for any format"),
        ("[rmv\n", "line 1: "),
    ] {
        let wrong = Policy::parse(text, &formats()).unwrap_err().to_string();
        assert!(wrong.starts_with(error), "{text}: {wrong}");
    }
}

/// The policy that is printed is the one used by default. It says which formats it does not judge, and the
/// table that it shows for them is one.
#[test]
fn the_default_judges_the_formats_that_declare_a_policy() {
    let formats = formats();
    let text = Policy::text(&formats);
    assert_eq!(Policy::parse(&text, &formats), Policy::of(&formats));
    let (_, about_others) = text.split_once("# Recordings of other formats").unwrap();
    let (names, shown) = about_others.split_once(". A table").unwrap();
    for format in formats.iter() {
        let name = format.name();
        let judged = text.lines().any(|line| line == format!("[{name}]"));
        assert_eq!(judged, format.info().policy.is_some(), "{name}");
        let named = names.split([',', ':', ' ']).any(|word| word == name);
        assert_eq!(named, !judged, "{name}");
    }
    let shown = shown.split_once("#\n").unwrap().1.replace("# ", "");
    assert!(Policy::parse(&shown, &formats).is_ok(), "{shown}");

    // A simulation is neither admitted nor rejected by what a ranking of games says.
    let world = gametape::murk::engine::World::from_toml(gametape_samples::murk::HEAT).unwrap();
    let run = gametape_samples::murk::record(&world, world.build().unwrap(), 1, 5).unwrap();
    let run = Recording::from_bytes(run, "run.murk").unwrap();
    assert_eq!(judged("", &run), Decision::default());
    assert_eq!(judged("[murk]\n", &run).admitted, Some(true));
}

#[test]
fn the_label_of_a_reason_names_the_column_of_a_condition() {
    let labels = |policy: &str, name: &str| {
        let reasons = judged(policy, &game(name)).reasons.into_iter();
        reasons
            .map(|reason| reason.label())
            .collect::<Vec<String>>()
    };
    let both = "[rmv.require]\nmode = \"normal\"\nbbbv = { min = 1000 }\n";
    assert_eq!(
        labels(both, "mode-win7"),
        ["policy.require:bbbv", "policy.require:mode"]
    );
    assert_eq!(labels("", "custom-wide"), ["policy.class"]);
    // A finding may have data of that name.
    assert_eq!(
        labels("[rmv]\nreject = [\"rmv.rank-outcome\"]\n", "loss"),
        ["rmv.rank-outcome"]
    );
}

#[test]
fn a_ranking_lists_the_facts_of_its_format_and_of_its_policy() {
    let game = game("expert-win");
    let audit = game.audit().unwrap();
    let listed = |policy: &Policy| policy.facts(&game, &audit).unwrap();
    let default = Policy::of(&formats()).unwrap();
    let facts = listed(&default);
    let columns: Vec<&str> = facts.keys().map(String::as_str).collect();
    let wanted = [
        "player_name",
        "level",
        "total_time_ms",
        "mode",
        "outcome",
        "board_cols",
        "board_mines",
        "board_rows",
        "bbbv",
    ];
    assert_eq!(columns, wanted);
    assert_eq!(facts["level"], "expert");
    assert!(facts["player_name"].is_string() && facts["total_time_ms"].is_u64());
    let decision = default.judge(&game, &audit).unwrap();
    assert_eq!(decision.class.as_deref(), Some("expert"));
    // What another policy looks at, and one that does not judge the format.
    let policy = Policy::parse("[rmv.require]\nzini = { min = 1 }\n", &formats()).unwrap();
    let facts = listed(&policy);
    assert!(
        facts
            .keys()
            .eq(["player_name", "level", "total_time_ms", "zini"])
    );
    assert!(facts["zini"].as_u64() > Some(1));
    assert_eq!(policy.judge(&game, &audit).unwrap().class, None);
    let other = Policy::parse("[murk]\n", &formats()).unwrap();
    assert!(listed(&other).is_empty());
}

#[test]
fn what_a_ranking_lists_are_facts_that_are_no_secrets() {
    for format in formats().iter() {
        let tables = format.tables();
        for name in format.info().ranked {
            let facts = tables.iter().filter(|table| table.lane == Lane::Facts);
            let mut columns = facts.flat_map(|table| &table.columns);
            let column = columns.find(|column| column.name == *name);
            assert!(column.is_some_and(|column| !column.secret), "{name}");
        }
    }
}

#[test]
fn a_code_without_its_format_is_recognised() {
    let error = Policy::parse("[rmv]\nadmit = [\"board-event\"]\n", &formats()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: rmv has no finding \"board-event\"; the nearest is \"rmv.board-event\""
    );
}
