//! Rows of a game, held to the whole dump of it.

use std::fs;

use crate::common::{fine, gametape, json, outputs};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("game.rmv"),
        gametape_samples::mines::example(),
    )
    .unwrap();
    folder
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
