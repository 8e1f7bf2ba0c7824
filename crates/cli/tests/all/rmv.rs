//! Recordings of Minesweeper beside each other, and moments of them.

use std::fs;

use gametape::mines::{PlayerFields, rmv};
use gametape_cli::kit::Kit;
use gametape_samples::mines::{record, scenarios};
use gametape_testkit::mines::{mouse_of, remake};
use snapbox::cmd::cargo_bin;
use snapbox::str;

use crate::common::{expect, fine, gametape, json, outputs, words};

/// A game, by a player with a token.
fn game(seed: u64, player: &str, token: &str) -> Vec<u8> {
    let mut game = record(&scenarios()[0], seed).unwrap();
    game.player = PlayerFields::new([player, player, "UK", token]).unwrap();
    rmv::write(&game).unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("game.rmv", game(1, "Ada", "TOKEN-ONE")),
        ("other.rmv", game(2, "Ada", "TOKEN-ONE")),
        ("renamed.rmv", game(1, "Bob", "TOKEN-ONE")),
        ("token.rmv", game(1, "Ada", "TOKEN-TWO")),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn diff_says_where_two_games_part() {
    let folder = folder();
    let path = folder.path();
    fs::copy(path.join("game.rmv"), path.join("copy.rmv")).unwrap();
    expect(path, "diff game.rmv copy.rmv", 0)
        .stdout_eq("the recordings are the same\n")
        .stderr_eq("");
    expect(path, "diff --json game.rmv copy.rmv", 0)
        .stdout_eq("{\"same\":true,\"first\":null,\"step\":null,\"tick\":null,\"time_ms\":null,\"more\":0,\"header\":[],\"details\":{},\"tables\":[]}\n");
    expect(path, "diff game.rmv other.rmv", 1)
        .stdout_eq(str![[r#"
header: generated is "2025-01-13T14:30:34Z" in the first, "2024-08-25T20:42:04Z" in the second
header: declared_bbbv is 10 in the first, 12 in the second
header: duration_ms is 2472 in the first, 5238 in the second
header: steps is 275 in the first, 422 in the second
mouse_events: step 0, 0.000 s: x is 76 px in the first, 106 px in the second
420 more events differ after it
game: 1 row differs (generated in 1, declared_bbbv in 1, total_time_ms in 1, bbbv in 1, solved_bbbv in 1, bbbv_per_s in 1, 24 more); generated is "2025-01-13T14:30:34Z" in the first, "2024-08-25T20:42:04Z" in the second
mines: 10 rows differ (row in 9, col in 8); col 0, row 2: row is 2 in the first, 5 in the second
mouse_events: 14 rows differ (x in 14, y in 14, col in 11, row in 5, action in 3, reduced in 3, 3 more); 189 rows only in the first; 326 rows only in the second; first at step 0, 0.000 s: x is 76 px in the first, 106 px in the second
board_events: 2 rows differ (col in 2, row in 2, face in 1); 69 rows only in the first; 79 rows only in the second; first at step 1, 0.000 s: col is 4 in the first, 6 in the second
cursor: 338 rows differ (x in 335, y in 332, col in 287, row in 196, right in 102, left in 69); 191 rows only in the second; first at step 0, 0.000 s: x is 76 px in the first, 106 px in the second
board: 110 rows differ (recorded in 110, rules in 110); 29 rows only in the second; first at step 1, 0.000 s: col 4, row 7: recorded is "pressed" in the first, "closed" in the second
counters: 43 rows differ (solved_bbbv in 43, opened in 43, left_clicks in 37, mines_left in 36, right_clicks in 36, double_clicks in 36, 3 more); 23 rows only in the second; first at step 0, 0.000 s: solved_bbbv is 1 in the first, 0 in the second

"#]])
        .stderr_eq("");
    expect(path, "diff game.rmv renamed.rmv", 1)
        .stdout_eq(str![[r#"
header: player is {"name":"Ada","nickname":"Ada","country":"UK","token":"<hidden>"} in the first, {"name":"Bob","nickname":"Bob","country":"UK","token":"<hidden>"} in the second
game: 1 row differs (player_name in 1, player_nickname in 1); player_name is "Ada" in the first, "Bob" in the second

"#]]);
    let run = expect(path, "diff --json game.rmv other.rmv", 1);
    let diff: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let keys: Vec<&String> = diff.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "same", "first", "step", "tick", "time_ms", "more", "header", "details", "tables"
        ]
    );
    assert_eq!(diff["same"], false);
    assert!(diff["tick"].is_null());
    assert!(diff["step"].is_u64() && diff["time_ms"].is_u64());
    assert!(diff["more"].as_u64().unwrap() > 0);
}

/// A difference between hidden values is reported without the values.
#[test]
fn secrets_alone_make_a_difference() {
    let folder = folder();
    let path = folder.path();
    for args in [
        &["diff", "game.rmv", "token.rmv"][..],
        &["diff", "--json", "game.rmv", "token.rmv"],
    ] {
        let run = gametape(path, args).assert().code(1).stderr_eq("");
        let printed = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert!(printed.contains("player_token"), "{printed}");
        assert!(!printed.contains("TOKEN"), "{printed}");
    }
}

#[test]
fn diff_needs_two_whole_games() {
    let folder = folder();
    let path = folder.path();
    let bytes = fs::read(path.join("game.rmv")).unwrap();
    fs::write(path.join("cut.rmv"), &bytes[..600]).unwrap();
    for args in [
        ["diff", "cut.rmv", "game.rmv"],
        ["diff", "game.rmv", "cut.rmv"],
    ] {
        gametape(path, &args)
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(str![[r#"
gametape: cut.rmv: event [..] the file ends in the video section: [..]

"#]]);
    }
    expect(path, "diff game.rmv none.rmv", 2).stderr_eq("gametape: none.rmv: no such file\n");
}

#[test]
fn dump_shows_one_moment() {
    let folder = folder();
    let path = folder.path();
    let dumped = |args: &[&str]| {
        let run = gametape(path, args).assert().code(0).stderr_eq("");
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    let at = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
    let all = dumped(&["dump", "game.rmv"]);
    // A moment is the mouse events of that millisecond, each with what it did on the board.
    let mut time = 0;
    let mut moments: Vec<(u64, String)> = Vec::new();
    for line in all.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        time = event["time_ms"].as_u64().unwrap_or(time);
        match moments.last_mut() {
            Some((at, text)) if *at == time => *text = format!("{text}{line}\n"),
            _ => moments.push((time, format!("{line}\n"))),
        }
    }
    assert!(moments.len() > 20);
    for (time, text) in moments.iter().step_by(7) {
        assert_eq!(dumped(&["dump", "--at", &at(*time), "game.rmv"]), *text);
    }
    // Between two events the first holds still.
    let (time, text) = &moments[7];
    assert!(moments[8].0 > time + 1);
    assert_eq!(dumped(&["dump", "--at", &at(time + 1), "game.rmv"]), *text);
    let nowhere = gametape(path, &["dump", "--at", &at(999_999), "game.rmv"]);
    nowhere
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq("gametape: game.rmv: 16:39.999 is not recorded: the recording ends at [..]\n");
}

/// Whatever a finding or `inspect` says of a moment can be given as one.
#[test]
fn a_moment_is_given_as_it_is_read() {
    let folder = folder();
    let path = folder.path();
    let dumped = |at: &str| {
        let run = gametape(path, &["dump", "game.rmv", "--at", at]).assert();
        String::from_utf8(run.code(0).get_output().stdout.clone()).unwrap()
    };
    let step = dumped("step:9");
    assert!(step.contains("\"step\":9,"), "{step}");
    for at in ["step 9", "event:9", "event 9"] {
        assert_eq!(dumped(at), step, "{at}");
    }
    let ms = |text: &str| {
        json(text.lines().next().unwrap())["time_ms"]
            .as_f64()
            .unwrap()
    };
    let end = ms(&dumped("end"));
    let before = dumped("-200ms");
    assert!(
        ms(&before) <= end - 200.0 && ms(&before) > end - 400.0,
        "{before}"
    );
    for at in [
        format!("{} s", (end - 200.0) / 1000.0),
        format!("{}ms", end - 200.0),
    ] {
        assert_eq!(dumped(&at), before, "{at}");
    }
    for (at, complaint) in [
        (
            "frame:9",
            "frame 9: the recording has events: write event:9\n",
        ),
        (
            "-1:00",
            "is not recorded: the recording starts at 0.000 s\n",
        ),
    ] {
        let refused = gametape(path, &["dump", "game.rmv", "--at", at]);
        let refused = refused.output().unwrap();
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(error.ends_with(complaint), "{error}");
    }
}

#[test]
fn rows_are_data_as_the_recording_has_them() {
    let folder = folder();
    let path = folder.path();
    let odd = "A\u{1b}[31md\u{7}a, \"too\"";
    fs::write(path.join("odd.rmv"), game(1, odd, "T")).unwrap();
    let args = ["dump", "--table", "game", "--columns", "player_name"];
    let run = gametape(path, &[&args[..], &["--csv", "odd.rmv"]].concat()).assert();
    let csv = String::from_utf8(run.code(0).get_output().stdout.clone()).unwrap();
    assert!(
        csv.ends_with("\"A\u{1b}[31md\u{7}a, \"\"too\"\"\"\n"),
        "{csv:?}"
    );
    let run = gametape(path, &[&args[..], &["odd.rmv"]].concat()).assert();
    let row: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    assert_eq!(row["player_name"], odd);
    // On the way to people it stays harmless.
    let run = gametape(path, &["inspect", "odd.rmv"]).assert();
    assert!(!run.get_output().stdout.contains(&0x1b));
}

#[test]
fn a_moment_of_a_table_is_the_newest_step() {
    let folder = folder();
    let path = folder.path();
    let args = [
        "dump",
        "--table",
        "mouse_events",
        "--columns",
        "time_ms,x,y",
        "--at",
    ];
    let at = |moment: &str| {
        let run = gametape(path, &[&args[..], &[moment, "game.rmv"]].concat()).assert();
        String::from_utf8(run.code(0).get_output().stdout.clone()).unwrap()
    };
    let rows: Vec<serde_json::Value> = at("1.0101")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let time = rows[0]["time_ms"].as_f64().unwrap();
    assert!(time <= 1010.1 && rows.iter().all(|row| row["time_ms"] == time));
    let ms = format!("{}", time / 1000.0);
    assert_eq!(at(&ms), at("1.0101"));
    for (more, complaint) in [
        (&["--at", "1:00:00"][..], "1:00:00.000 is not recorded"),
        (&["--columns", "x,x"], "x is asked for twice"),
        (&["--columns", "step,x,step"], "step is asked for twice"),
        (
            &["--columns", "time"],
            "mouse_events has no column \"time\"",
        ),
        (
            &["--columns", "x", "--where", "step=a"],
            "step is of kind uint and can't be \"a\"",
        ),
        (
            &["--where", "nothing"],
            "a condition is a column, one of = != < <= > >=, and a value: x>=1.5",
        ),
    ] {
        let args = [&["dump", "--table", "mouse_events", "game.rmv"][..], more].concat();
        let run = gametape(path, &args).assert().code(2).stdout_eq("");
        let printed = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(printed.contains(complaint), "{printed}");
    }
    let (_, err) = outputs(path, "dump --table game game.rmv --where outcome=won", 2);
    assert_eq!(
        err,
        "gametape: game.rmv: outcome is never \"won\" (did you mean \"win\"?); it is win, blast, other\n"
    );
    for (table, condition, near) in [
        ("mouse_events", "action=lmb_dwn", "lmb_down"),
        ("board_events", "face=flga", "flag"),
        ("board", "recorded=closd", "closed"),
        ("board", "rules=open_9", "open_0"),
    ] {
        let args = format!("dump --table {table} game.rmv --where {condition}");
        let (_, err) = outputs(path, &args, 2);
        let (column, value) = condition.split_once('=').unwrap();
        let refused = format!("{column} is never {value:?} (did you mean {near:?}?)");
        assert!(err.contains(&refused), "{err}");
    }
    expect(path, "--json dump --table game --csv game.rmv", 2)
        .stdout_eq("{\"error\":{\"code\":\"failed\",\"message\":\"either --json or --csv\"}}\n")
        .stderr_eq("gametape: either --json or --csv\n");
}

#[test]
fn stamps_are_columns() {
    let folder = folder();
    let path = folder.path();
    let first = |args: &[&str], lines: usize| {
        let args = [&["dump", "--table"], args, &["game.rmv"]].concat();
        let run = gametape(path, &args).assert().code(0);
        let out = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        out.lines().take(lines).collect::<Vec<_>>().join("\n")
    };
    // Exactly what was named, in the order in which it was.
    let all: serde_json::Value = serde_json::from_str(&first(&["mouse_events"], 1)).unwrap();
    let stamped = first(
        &["mouse_events", "--columns", "y,time_ms,x,step,tick,ended"],
        1,
    );
    let (y, time, x) = (&all["y"], &all["time_ms"], &all["x"]);
    let wanted = format!(
        r#"{{"y":{y},"time_ms":{time},"x":{x},"step":{},"tick":null,"ended":false}}"#,
        all["step"]
    );
    assert_eq!(stamped, wanted);
    let csv = first(&["mouse_events", "--csv", "--columns", "y,time_ms"], 2);
    assert_eq!(csv, format!("y,time_ms\n{y},{time}"));
    assert_eq!(
        first(&["mouse_events", "--columns", "x"], 1),
        format!(r#"{{"x":{x}}}"#)
    );
    assert_eq!(first(&["game", "--columns", "step"], 2), r#"{"step":0}"#);
    // JSON has the key `ended` whether it was asked for or not; here for a state.
    let state = first(&["cursor", "--state", "--columns", "step,x"], 1);
    assert!(state.starts_with(r#"{"table":"cursor","step":"#), "{state}");
}

/// A pause in the middle: all that follows is later, and nothing else differs.
#[test]
fn inserted_rows_are_one_difference() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let game = record(&scenarios()[0], 1).unwrap();
    let mut mouse = mouse_of(&game);
    let length = mouse.len();
    for event in &mut mouse[length / 2..] {
        event.time_ms += 25;
    }
    let mut more = mouse[length / 2 - 1];
    more.time_ms += 10;
    more.x += 3;
    mouse.insert(length / 2, more);
    let paused = remake(&game, &mouse).unwrap();
    for (name, game) in [("game.rmv", &game), ("paused.rmv", &paused)] {
        fs::write(path.join(name), rmv::write(game).unwrap()).unwrap();
    }
    let run = expect(path, "diff --json game.rmv paused.rmv", 1);
    let diff: serde_json::Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let tables = diff["tables"].as_array().unwrap();
    let clicks = tables
        .iter()
        .find(|table| table["table"] == "mouse_events")
        .unwrap();
    assert_eq!(
        (&clicks["rows"], &clicks["only_first"]),
        (&0.into(), &0.into()),
        "{clicks}"
    );
    assert_eq!(clicks["only_second"], 1, "{clicks}");
    assert!(clicks["moved"].as_u64().unwrap() > 50, "{clicks}");
    assert!(diff["more"].as_u64().unwrap() < 12, "{diff}");
}

/// Conditions and limits select the rows that a full dump has.
#[test]
fn rows_are_selected() {
    let folder = folder();
    let path = folder.path();
    let rows = |args: &str| -> Vec<serde_json::Value> {
        let out = fine(
            path,
            format!("dump game.rmv --table mouse_events {args}").trim(),
        );
        out.lines().map(json).collect()
    };
    let all = rows("");
    let number = |row: &serde_json::Value, name: &str| row[name].as_f64().unwrap();
    for (args, holds) in [
        (
            "--where x>100",
            &(|row: &serde_json::Value| number(row, "x") > 100.0) as &dyn Fn(&_) -> bool,
        ),
        ("--where time_ms<=1000.5 --where y<80", &|row| {
            number(row, "time_ms") <= 1000.5 && number(row, "y") < 80.0
        }),
        ("--where action!=move --where reduced!=true", &|row| {
            row["action"] != "move" && row["reduced"] != true
        }),
    ] {
        let wanted: Vec<_> = all.iter().filter(|row| holds(row)).cloned().collect();
        assert!(!wanted.is_empty() && wanted.len() < all.len(), "{args}");
        assert_eq!(rows(args), wanted, "{args}");
        assert_eq!(rows(&format!("{args} --limit 2")), wanted[..2], "{args}");
        // A column that is not asked for is compared and not printed.
        let ys = rows(&format!("{args} --columns y"));
        assert_eq!(ys.len(), wanted.len());
        assert!(ys.iter().all(|row| row.as_object().unwrap().len() == 1));
    }
    let csv = fine(
        path,
        "dump game.rmv --table mouse_events --csv --columns y,x --where step>3 --limit 1",
    );
    assert_eq!(csv.lines().next(), Some("y,x"));
    assert_eq!(csv.lines().count(), 2);
    assert_eq!(fine(path, "dump game.rmv --limit 3").lines().count(), 3);
    assert_eq!(fine(path, "dump game.rmv --limit 0"), "");
    let states = fine(path, "dump game.rmv --state --limit 4");
    assert_eq!(states.lines().count(), 4);
    let (_, err) = outputs(path, "dump game.rmv --csv", 2);
    assert_eq!(
        err,
        "gametape: game.rmv: --csv is for rows of a table: add --table with one of game, mines, \
         mouse_events, board_events, cursor, board, counters\n"
    );
}

/// A folder is one table, with a row for each file and a column for each key.
#[test]
fn a_folder_is_a_table() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("broken.rmv"), &game(1, "Ada", "T")[..300]).unwrap();
    for (verb, code, column) in [("inspect", 1, "details.player.name"), ("stats", 1, "bbbv")] {
        let (out, _) = outputs(path, &format!("{verb} --csv ."), code);
        let heads: Vec<&str> = out.lines().next().unwrap().split(',').collect();
        assert_eq!(heads[0], "path", "{out}");
        assert!(
            heads.contains(&column) && heads.contains(&"error.code"),
            "{out}"
        );
        assert_eq!(out.lines().count(), 1 + 5, "{out}");
    }
}

/// A spreadsheet takes a text for a formula; other programs get what is recorded.
#[test]
fn for_a_spreadsheet_no_text_is_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (at, player) in ["=1+1", "+1", "-1", "@A1", "\ta", "a=1", "-B, \"C\""]
        .iter()
        .enumerate()
    {
        fs::write(path.join(format!("{at}.rmv")), game(1, player, "T")).unwrap();
        let dump = "dump --table game --columns player_name,total_time_ms";
        let plain = fine(path, &format!("{dump} --csv {at}.rmv"));
        assert_eq!(plain, fine(path, &format!("{dump} --csv=plain {at}.rmv")));
        assert!(!plain.contains(['\u{feff}', '\r', '\'']), "{plain:?}");
        let sheet = fine(path, &format!("{dump} --csv=excel {at}.rmv"));
        let escaped = if *player == "a=1" { "" } else { "'" };
        let line = plain.lines().nth(1).unwrap();
        let quoted = line.strip_prefix('"').map_or_else(
            || format!("{escaped}{line}"),
            |rest| format!("\"{escaped}{rest}"),
        );
        assert_eq!(
            sheet,
            format!("\u{feff}player_name,total_time_ms\r\n{quoted}\r\n")
        );
    }
    for (verb, name) in [
        ("inspect", "details.player.name"),
        ("verify --policy default", "player_name"),
    ] {
        let line = format!("{verb} --csv=excel .");
        let out = gametape(path, &words(&line)).output().unwrap().stdout;
        let out = String::from_utf8(out).unwrap();
        let text = out.strip_prefix('\u{feff}').unwrap();
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
        let mut rows = csv::Reader::from_reader(text.as_bytes());
        let heads = rows.headers().unwrap().clone();
        let at = heads.iter().position(|head| head == name);
        let at = at.unwrap_or_else(|| panic!("{verb}: {heads:?}"));
        let names: Vec<String> = rows
            .records()
            .map(|row| row.unwrap()[at].to_owned())
            .collect();
        let wanted = ["'=1+1", "'+1", "'-1", "'@A1", "'\ta", "a=1", "'-B, \"C\""];
        assert_eq!(names, wanted, "{verb}");
    }
    fs::copy(path.join("0.rmv"), path.join("=2.rmv")).unwrap();
    let stats = fine(path, "stats --csv=excel =2.rmv");
    assert!(stats.contains("\r\n'=2.rmv,rmv,pass,"), "{stats}");
    // Numbers are numbers.
    let moves = "dump 0.rmv --table mouse_events --columns time_ms,x,y";
    let plain = fine(path, &format!("{moves} --csv"));
    let sheet = fine(path, &format!("{moves} --csv=excel"));
    assert_eq!(sheet, format!("\u{feff}{}", plain.replace('\n', "\r\n")));
    let (_, err) = outputs(path, &format!("{moves} --csv=calc"), 2);
    assert!(err.contains("[possible values: plain, excel]"), "{err}");
}

/// Of a table that is longer than what a pipe holds, too.
#[test]
fn a_closed_pipe_ends_a_table_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut all = scenarios().into_iter();
    let expert = all.find(|one| one.name == "v1-expert-win").unwrap();
    let long = record(&expert, 1).unwrap();
    fs::write(path.join("long.rmv"), rmv::write(&long).unwrap()).unwrap();
    fs::create_dir(path.join("many")).unwrap();
    let one = game(1, "Ada", "T");
    for at in 0..500 {
        fs::write(path.join(format!("many/{at:0200}.rmv")), &one).unwrap();
    }
    let lines = [
        "dump long.rmv --table mouse_events --csv",
        "dump long.rmv --table cursor --state --csv",
        "inspect --csv many",
        "stats --csv=excel many",
        "verify --policy default --csv many",
    ];
    for line in &lines[2..] {
        let table = gametape(path, &words(line)).output().unwrap().stdout;
        assert!(table.len() > 100_000, "{line}: {}", table.len());
    }
    assert!(fine(path, lines[0]).len() > 100_000);
    Kit::new(cargo_bin("gametape"), Vec::new()).printing(path, &lines, || ());
}
