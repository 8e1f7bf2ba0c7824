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
    let (code, out, error) = ask("32MB");
    assert_eq!((code, out.as_str()), (0, "r\n1000000\n"), "{error}");
    let (code, _, error) = ask("1MB");
    assert_eq!(code, 2);
    assert!(
        error.starts_with("gametape query: the query needs more than --memory allows"),
        "{error}"
    );
}
