//! The page of the book about this crate is what happens: its commands are run, and its code is ours.

use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/murk/own.md");

/// The blocks of a kind of text.
fn blocks<'p>(page: &'p str, kind: &str) -> Vec<&'p str> {
    let start = format!("```{kind}\n");
    let blocks = page.split(start.as_str()).skip(1);
    blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// The commands of blocks, and what each says.
fn commands(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in blocks(page, "console").into_iter().flat_map(str::lines) {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command, Vec::new())),
            None => commands.last_mut().unwrap().1.push(line),
        }
    }
    commands
}

fn ours(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

#[test]
fn the_code_of_the_page_is_this_crates() {
    let page = fs::read_to_string(PAGE).unwrap();
    let code = ours("src/lib.rs") + &ours("src/main.rs");
    let rust = blocks(&page, "rust");
    assert!(rust.len() >= 4);
    for block in rust {
        assert!(code.contains(block), "not in the crate:\n{block}");
    }
    assert!(blocks(&page, "toml").contains(&&*ours("basin.toml")));
    for block in blocks(&page, "json") {
        assert!(ours("storm.jsonl").contains(block), "{block}");
    }
    assert_eq!(ours("storm.jsonl").lines().count(), 24);
}

/// Whether a command says what the page has: a line that ends with `…` may go on, and one that is `…` is
/// any number of lines.
fn is_said(said: &[&str], expected: &[&str]) -> bool {
    match (said, expected) {
        (_, ["…"]) | ([], []) => true,
        (said, ["…", rest @ ..]) => (0..=said.len()).any(|from| is_said(&said[from..], rest)),
        ([line, said @ ..], [wanted, rest @ ..]) => {
            let (line, wanted) = (without_offset(line), without_offset(wanted));
            let same = match wanted.strip_suffix('…') {
                Some(start) => line.starts_with(start),
                None => line == wanted,
            };
            same && is_said(said, rest)
        }
        _ => false,
    }
}

/// A header names the build, so that its length is that of the build's name.
fn without_offset(line: &str) -> String {
    let Some((before, behind)) = line.split_once(", byte ") else {
        return line.to_owned();
    };
    let rest = behind.trim_start_matches(|digit: char| digit.is_ascii_digit() || digit == ',');
    format!("{before}, byte N{rest}")
}

/// After a change that is meant: `GAMETAPE_BLESS=1 cargo test -p own-world`.
#[test]
#[cfg(unix)]
fn the_commands_of_the_page_say_what_it_says() {
    let page = fs::read_to_string(PAGE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for file in ["basin.toml", "storm.jsonl"] {
        fs::write(folder.path().join(file), ours(file)).unwrap();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_basin")).parent().unwrap();
    let mut blessed = page.clone();
    for (command, expected) in commands(&page) {
        let run = Command::new("bash")
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .arg("-c")
            .arg(format!(
                "PATH=\"{}:$PATH\"; {command} 2>&1",
                binary.display()
            ))
            .output()
            .unwrap();
        let said = String::from_utf8(run.stdout).unwrap();
        let is_said = is_said(&said.lines().collect::<Vec<_>>(), &expected);
        if std::env::var_os("GAMETAPE_BLESS").is_none() {
            assert!(is_said, "{command}\n{said}\n{expected:#?}");
        } else if !is_said {
            let before: String = expected.iter().flat_map(|line| [*line, "\n"]).collect();
            let place = format!("$ {command}\n{before}");
            assert!(blessed.contains(&place), "{command}");
            blessed = blessed.replacen(&place, &format!("$ {command}\n{said}"), 1);
        }
    }
    if std::env::var_os("GAMETAPE_BLESS").is_some() {
        fs::write(PAGE, blessed).unwrap();
    }
}

/// What the page is about: with one thread and with four the first gauge says something else, the
/// second does not.
#[test]
fn the_first_gauge_diverges_and_the_second_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let basin = |workers: &str, args: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_basin"))
            .current_dir(folder.path())
            .env("WORKERS", workers)
            .args(args)
            .output()
            .unwrap();
        run.status.code().unwrap()
    };
    fs::write(folder.path().join("storm.jsonl"), ours("storm.jsonl")).unwrap();
    for (kind, verdict) in [("gauge", 1), ("steady_gauge", 0)] {
        let world = ours("basin.toml").replace("\"gauge\"", &format!("{kind:?}"));
        fs::write(folder.path().join("world.toml"), world).unwrap();
        let out = format!("{kind}.murk");
        let commands = ["--commands", "storm.jsonl", "--ticks", "100"];
        let record = ["record", "murk", "--world", "world.toml"];
        assert_eq!(basin("1", &[&record[..], &commands, &[&out]].concat()), 0);
        for (workers, verdict) in [("1", 0), ("4", verdict), ("3", verdict)] {
            assert_eq!(
                basin(workers, &["verify", &out]),
                verdict,
                "{kind} {workers}"
            );
        }
        assert_eq!(basin("4", &["sync-test", &out, "--rollback", "5"]), 0);
    }
}
