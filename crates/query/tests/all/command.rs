//! The command as people call it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::samples::fill;

fn query(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn answers_come_in_the_form_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let sql = "SELECT outcome, count(*) AS games FROM games GROUP BY 1 ORDER BY 1";
    let (code, out, _) = query(folder.path(), &[sql, ".", "--format", "csv"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("outcome,games\n"), "{out}");
    let (_, out, _) = query(folder.path(), &[sql, "."]);
    let line: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert!(line["games"].is_u64(), "{line}");
    let (_, out, _) = query(folder.path(), &[sql, ".", "--format", "table"]);
    assert!(out.contains("| outcome | games |"), "{out}");
    for (file, start) in [("a.parquet", b"PAR1".as_slice()), ("a.arrow", &[255; 4])] {
        let (code, out, error) = query(folder.path(), &[sql, ".", "--out", file]);
        assert_eq!((code, out.as_str(), error.as_str()), (0, "", ""));
        assert!(
            fs::read(folder.path().join(file))
                .unwrap()
                .starts_with(start)
        );
    }
    let (_, out, _) = query(
        folder.path(),
        &[
            "SELECT recording FROM games WHERE false",
            ".",
            "--format",
            "csv",
        ],
    );
    assert_eq!(out, "recording\n");
}

#[test]
fn what_is_broken_is_said_and_counts_if_it_should() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let text = fs::read(folder.path().join("match.echoreplay")).unwrap();
    fs::write(
        folder.path().join("cut.echoreplay"),
        &text[..text.len() / 2],
    )
    .unwrap();
    let args = [
        "SELECT count(*) FROM goals",
        "cut.echoreplay",
        "match.echoreplay",
    ];
    let (code, _, error) = query(folder.path(), &args);
    assert_eq!(code, 0);
    assert!(error.starts_with("gametape query: 1 of 2 recordings is broken; the rows before the damage are in the answer\n  cut.echoreplay: "), "{error}");
    // It has as long a duration as can be read.
    let sql = "SELECT duration_ms > 1000 AS long FROM recordings";
    let (_, out, _) = query(folder.path(), &[sql, "cut.echoreplay"]);
    assert_eq!(out, "{\"long\":true}\n");
    let strict: Vec<&str> = args.iter().copied().chain(["--strict"]).collect();
    assert_eq!(query(folder.path(), &strict).0, 1);
}

#[test]
fn what_cannot_be_answered_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    for (args, wanted) in [
        (
            ["SELECT * FROM nothing", "."],
            "table 'nothing' not found\n  there are ",
        ),
        (
            ["SELEC 1", "."],
            "query: Expected: an SQL statement, found: SELEC",
        ),
        (["SELECT 1", "not-there.rmv"], "not-there.rmv"),
        (["SELECT nonsense FROM games", "."], "nonsense"),
        (
            ["SELECT player_token FROM games", "."],
            "player_token is secret: --show-secrets shows it",
        ),
        (
            ["SELECT user_id FROM echo.players", "."],
            "user_id is secret: ",
        ),
        (
            ["SELECT sum(player_name) FROM games", "."],
            "query: sum does not take Utf8\n",
        ),
        (
            [
                "SELECT date_bin(INTERVAL '1 second', time_ms) FROM mouse_events",
                ".",
            ],
            "query: date_bin does not take Interval(MonthDayNano), Float64\n",
        ),
        (["SELECT 3bv FROM games", "."], "stands in quotes: \"3bv\""),
        (
            ["SELECT * FROM players", "."],
            "write capture.players or echo.players",
        ),
        (
            [
                "COPY (SELECT g.*, m.* FROM games g, mines m) TO 'x.parquet'",
                ".",
            ],
            "two columns are named recording",
        ),
    ] {
        let (code, out, error) = query(folder.path(), &args);
        assert_eq!((code, out.as_str()), (2, ""), "{error}");
        assert!(
            error.starts_with("gametape query: ") && error.contains(wanted),
            "{error}"
        );
    }
}

#[test]
fn a_query_can_come_from_standard_input() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
        .current_dir(folder.path())
        .args([".", "--format", "csv"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"SELECT count(*) AS games FROM games\n")
        .unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(out).unwrap(), "games\n4\n");
}

#[test]
fn a_policy_of_ones_own_decides() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fs::write(
        folder.path().join("p.toml"),
        "[rmv]\nreject = [\"error\"]\n",
    )
    .unwrap();
    let sql = "SELECT count(*) AS n FROM verdicts WHERE admitted";
    let (code, out, error) = query(
        folder.path(),
        &[sql, ".", "--policy", "p.toml", "--format", "csv"],
    );
    assert_eq!((code, out.as_str()), (0, "n\n4\n"), "{error}");
    fs::write(folder.path().join("p.toml"), "[rmv]\nrejects = 1\n").unwrap();
    let (code, _, error) = query(folder.path(), &[sql, ".", "--policy", "p.toml"]);
    assert_eq!(code, 2);
    assert!(error.starts_with("gametape query: p.toml: "), "{error}");
}

#[test]
fn the_book_names_every_option_and_no_other() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/query.md");
    let page = fs::read_to_string(page).unwrap();
    let (code, help, _) = query(Path::new("."), &["--help"]);
    assert_eq!(code, 0);
    let named = |text: &str| -> std::collections::BTreeSet<String> {
        let options = text.match_indices("--").map(|(at, _)| &text[at + 2..]);
        let name = |text: &str| {
            let end = text.find(|c: char| !c.is_ascii_lowercase() && c != '-');
            text[..end.unwrap_or(text.len())].to_owned()
        };
        options.map(name).filter(|name| name.len() > 1).collect()
    };
    let mut known = named(&help);
    assert!(known.remove("help") && known.remove("version"));
    let mut written = named(&page);
    // Of cargo, and of moments.
    written.remove("path");
    written.remove("at");
    assert_eq!(written, known);
}

#[test]
fn an_answer_that_cannot_be_written_leaves_the_file_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let old = folder.path().join("old.csv");
    fs::write(&old, "old").unwrap();
    let (code, _, error) = query(
        folder.path(),
        &["SELECT 1 / 0 FROM games", ".", "--out", "old.csv"],
    );
    assert_eq!(code, 2, "{error}");
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
    let one = ["SELECT 1 AS one", ".", "--out", "old.csv"];
    let (code, _, error) = query(folder.path(), &one);
    assert_eq!(
        (code, &*error),
        (
            2,
            "gametape query: old.csv exists and is not replaced; --replace replaces it\n"
        )
    );
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
    let replacing = [&one[..], &["--replace"]].concat();
    for args in [&replacing[..], &one] {
        let (code, _, error) = query(folder.path(), args);
        assert_eq!((code, &*error), (0, ""), "{args:?}");
        assert_eq!(fs::read_to_string(&old).unwrap(), "one\n1\n");
    }
    let (code, _, error) = query(folder.path(), &["SELECT 1", ".", "--out", "no/such/a.csv"]);
    assert_eq!(code, 2);
    assert!(error.contains("no/such"), "{error}");
    let names = fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        !names
            .iter()
            .any(|name| name.to_string_lossy().contains("partial")),
        "{names:?}"
    );
    if cfg!(target_os = "linux") {
        for form in ["csv", "jsonl", "table", "arrow", "parquet"] {
            let args = ["SELECT * FROM mouse_events", ".", "--format", form];
            let full = fs::File::create("/dev/full").unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
                .current_dir(folder.path())
                .args(args)
                .stdout(full)
                .output()
                .unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{form}: {error}");
            assert_eq!(
                error, "gametape query: No space left on device (os error 28)\n",
                "{form}"
            );
        }
    }
}

#[test]
fn a_sort_that_is_larger_than_memory_uses_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let sql = "SELECT max(r) AS r FROM (SELECT row_number() OVER (ORDER BY value % 1000, value) AS r FROM generate_series(1, 1000000))";
    let ask = |memory| {
        query(
            folder.path(),
            &[sql, ".", "--memory", memory, "--format", "csv"],
        )
    };
    for memory in ["32MB", "2MB"] {
        let (code, out, error) = ask(memory);
        assert_eq!((code, out.as_str()), (0, "r\n1000000\n"), "{error}");
    }
    let (code, _, error) = ask("50KB");
    assert_eq!(code, 2);
    assert!(
        error.starts_with("gametape query: the query needs more than --memory allows"),
        "{error}"
    );
}

#[test]
fn a_query_is_read_as_it_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let ask = |args: &[&str]| {
        let (code, out, error) = query(folder.path(), args);
        assert_eq!((code, error.as_str()), (0, ""), "{args:?}: {out}");
        out
    };
    // A comment before it looks like an option.
    let commented = "-- the games\nSELECT count(*) AS games FROM games";
    assert_eq!(ask(&[commented, "."]), "{\"games\":4}\n");
    assert_eq!(ask(&["SELECT 1 AS n -- 3bv", ".", "--json"]), "{\"n\":1}\n");
    // A value that is no number is told as `dump` tells it.
    let sql = "SELECT rotation_deg(0, 0, 0, 0, 0, 0, 0, 1) AS deg, 1.5 AS x";
    assert_eq!(ask(&[sql, "."]), "{\"deg\":\"NaN\",\"x\":1.5}\n");
    // All times are of one type.
    let sql = "SELECT total_time_ms / 1000 AS s, board_cols / 2 AS half FROM games WHERE recording LIKE '%beginner-win.rmv' LIMIT 1";
    let line: serde_json::Value = serde_json::from_str(&ask(&[sql, "."])).unwrap();
    assert!(line["s"].as_f64().unwrap().fract() > 0.0, "{line}");
    // Each column of a table has its unit and its documentation, each table is listed once.
    let columns = ask(&["DESCRIBE echo.roster", ".", "--format", "csv"]);
    assert!(columns.contains("distance,Float64,m,"), "{columns}");
    assert!(columns.contains("person,Int64,,,true,"), "{columns}");
    let tables = ask(&["SHOW TABLES", ".", "--format", "csv"]);
    let mut lines: Vec<&str> = tables.lines().skip(1).collect();
    assert!(
        lines.contains(&"rmv,games") && !lines.contains(&"public,games"),
        "{tables}"
    );
    let count = lines.len();
    lines.dedup();
    assert_eq!(lines.len(), count);
}

#[test]
fn tables_and_values_of_ones_own_are_part_of_a_query() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    fs::write(
        folder.path().join("names.csv"),
        "player,real\nSynthetic Player,Ada\n",
    )
    .unwrap();
    let sql = "SELECT real, count(*) AS games FROM games g JOIN names n ON n.player = g.player_name WHERE total_time_ms > $least GROUP BY 1";
    let args = [
        sql,
        ".",
        "--table",
        "names=names.csv",
        "--param",
        "least=5000",
    ];
    let (code, out, error) = query(folder.path(), &args);
    assert_eq!((code, error.as_str()), (0, ""));
    assert_eq!(out, "{\"real\":\"Ada\",\"games\":3}\n");
    for (param, wanted) in [
        ("x=5", "{\"x\":5,\"kind\":\"Int64\"}\n"),
        ("x='5'", "{\"x\":\"5\",\"kind\":\"Utf8\"}\n"),
        ("x='it''s'", "{\"x\":\"it's\",\"kind\":\"Utf8\"}\n"),
        ("x=it's", "{\"x\":\"it's\",\"kind\":\"Utf8\"}\n"),
        ("x='", "{\"x\":\"'\",\"kind\":\"Utf8\"}\n"),
    ] {
        let sql = "SELECT $x AS x, arrow_typeof($x) AS kind";
        let (code, out, error) = query(folder.path(), &[sql, ".", "--param", param]);
        assert_eq!((code, out.as_str(), error.as_str()), (0, wanted, ""));
    }
    // The answer of a query is a table of the next one, in every form.
    for file in ["of.parquet", "of.arrow", "of.jsonl", "of.csv"] {
        let (code, _, error) = query(
            folder.path(),
            &["SELECT level, clicks FROM games", ".", "--out", file],
        );
        assert_eq!((code, error.as_str()), (0, ""), "{file}");
        let table = format!("mine={file}");
        let (_, out, error) = query(
            folder.path(),
            &["SELECT count(*) AS n FROM mine", ".", "--table", &table],
        );
        assert_eq!(
            (out.as_str(), error.as_str()),
            ("{\"n\":4}\n", ""),
            "{file}"
        );
    }
    for (args, wanted) in [
        (["--table", "names"], "names is no table: write NAME=FILE"),
        (["--table", "names=none.csv"], "none.csv: No such file"),
        (
            ["--table", "names=notes.txt"],
            "a table of your own is a file",
        ),
        (["--param", "x"], "x is no value: write NAME=VALUE"),
        (["--out", "x.xlsx"], "in which form?"),
    ] {
        let (code, _, error) = query(folder.path(), &["SELECT 1", ".", args[0], args[1]]);
        assert!(code == 2 && error.contains(wanted), "{error}");
    }
}

#[test]
fn no_two_columns_of_an_answer_have_one_name() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let sql = "SELECT p.*, d.* FROM echo.players p JOIN echo.disc d ON p.recording = d.recording AND p.step = d.step ORDER BY p.recording, p.step, p.person LIMIT 3";
    let (_, csv, error) = query(folder.path(), &[sql, ".", "--format", "csv"]);
    let names: Vec<&str> = csv.lines().next().expect(&error).split(',').collect();
    assert!(
        names.contains(&"step") && names.contains(&"d.step"),
        "{names:?}"
    );
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    let (_, json, _) = query(folder.path(), &[sql, "."]);
    for line in json.lines() {
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        assert_eq!(row["step"], row["d.step"]);
        assert_eq!(line.matches("\"step\"").count(), 1);
    }
}

#[test]
fn a_window_by_step_gives_the_same_in_each_run() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let sql = "SELECT sum(opened - before) AS opened FROM (SELECT c.opened, lag(c.opened) OVER (PARTITION BY c.recording ORDER BY c.step) AS before
        FROM counters c JOIN games g ON g.recording = c.recording)";
    let once = query(folder.path(), &[sql, ".", "--threads", "1"]).1;
    assert!(once.starts_with("{\"opened\":"), "{once}");
    for threads in ["1", "2", "8", "2", "8"] {
        assert_eq!(
            query(folder.path(), &[sql, ".", "--threads", threads]).1,
            once
        );
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_query_whatever_it_computes_and_nothing_is_left() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    const ENDLESS: &str = "generate_series(1, 1000000000000)";
    const NUMBERS: &str = "(SELECT value FROM generate_series(1, 300000))";
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let at = |name: &str| folder.path().join(name);
    for name in ["many", "one", "out", "spilled"] {
        fs::create_dir(at(name)).unwrap();
    }
    fs::rename(at("expert-win.rmv"), at("one/expert-win.rmv")).unwrap();
    for number in 0..2_000 {
        let link = format!("many/{number}.echoreplay");
        fs::hard_link(at("match.echoreplay"), at(&link)).unwrap();
    }
    let files = |folder: &str| fs::read_dir(at(folder)).unwrap().count();
    let written = format!("SELECT value, sin(value) AS sin FROM {ENDLESS}");
    let spilling = ["one", "--memory", "32MB"];
    let mut queries = vec![
        (
            "SELECT max(head_x), max(ping) FROM echo.players".to_owned(),
            vec!["many"],
        ),
        (
            format!("SELECT value FROM {ENDLESS} ORDER BY sin(value)"),
            spilling.to_vec(),
        ),
        (
            format!("SELECT value % 1000003, sum(value) FROM {ENDLESS} GROUP BY 1"),
            spilling.to_vec(),
        ),
        (
            format!(
                "SELECT count(*) FROM {ENDLESS} a JOIN {NUMBERS} b ON a.value % 300007 = b.value"
            ),
            vec!["one"],
        ),
        // Each row with each other one. With one thread, nothing else runs: no signal is heard there.
        (
            format!(
                "SELECT count(*) FROM {NUMBERS} a JOIN {NUMBERS} b ON a.value < b.value AND sin(a.value) > cos(b.value)"
            ),
            vec!["one"],
        ),
        (
            format!(
                "SELECT a.value % 7, sum(sin(a.value * b.value)) FROM {NUMBERS} a, {NUMBERS} b GROUP BY 1"
            ),
            vec!["one"],
        ),
        (
            format!(
                "SELECT max(s) FROM (SELECT sum(value) OVER (ORDER BY value) AS s FROM {ENDLESS})"
            ),
            vec!["one"],
        ),
    ];
    for out in ["out/a.csv", "out/a.jsonl", "out/a.arrow", "out/a.parquet"] {
        queries.push((written.clone(), vec!["one", "--out", out]));
    }
    for form in ["csv", "parquet"] {
        queries.push((format!("COPY ({written}) TO 'out/a.{form}'"), vec!["one"]));
    }
    for (number, (sql, args)) in queries.iter().enumerate() {
        let (signal, code, threads) = [("INT", 130, "1"), ("TERM", 143, "4")][number % 2];
        let mut child = Command::new(env!("CARGO_BIN_EXE_gametape-query"))
            .current_dir(folder.path())
            .env("TMPDIR", at("spilled"))
            .arg(sql)
            .args(args)
            .args(["--threads", threads])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        let writes = args.len() > 1 || sql.starts_with("COPY");
        let is_early = || begun.elapsed() < Duration::from_millis(1_500);
        let waits = || writes && files("out") + files("spilled") == 0;
        while is_early() || (waits() && begun.elapsed() < Duration::from_secs(30)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(child.try_wait().unwrap().is_none(), "{sql} takes long");
        assert!(!waits(), "{sql} writes nothing");
        let asked = Instant::now();
        let mut kill = Command::new("kill");
        kill.args([format!("-{signal}"), child.id().to_string()]);
        assert!(kill.status().unwrap().success());
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), Some(code), "{sql}");
        // Two seconds, and as many for a machine with other work.
        assert!(asked.elapsed() < Duration::from_secs(4), "{sql}");
        assert_eq!(
            (files("out"), files("spilled")),
            (0, 0),
            "{sql} leaves files"
        );
    }
}
