//! One final verdict a file, and one summary of them: all that `verify` says is held to what is known of the
//! files otherwise, which is what is said of each alone, and which of them are copies.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gametape::mines::rmv;
use gametape_samples::mines::{Tampering, record, scenarios};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{gametape, json, outputs, words};

/// A file of a sort: of two with the same letter one is a copy of the other.
fn bytes(sort: char) -> Vec<u8> {
    let game = |seed: u64| {
        let scenarios = scenarios();
        let scenario = scenarios.iter().find(|one| one.name == "expert-win");
        rmv::write(&record(scenario.unwrap(), seed).unwrap()).unwrap()
    };
    match sort {
        'a'..='e' => game(u64::from(sort)),
        'f' => Tampering::ALL
            .iter()
            .find(|tampering| tampering.name() == "tampered-time")
            .and_then(|tampering| tampering.of(&game(99)))
            .unwrap(),
        'X' => b"broken".to_vec(),
        _ => b"notes".to_vec(),
    }
}

const fn is_game(sort: char) -> bool {
    sort.is_ascii_lowercase()
}

/// Files, one a letter, in this order. With their names.
fn lay(sorts: &str) -> (TempDir, Vec<(String, char)>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("games")).unwrap();
    let names = sorts.chars().enumerate().map(|(at, sort)| {
        let extension = if sort == 'T' { "txt" } else { "rmv" };
        let name = format!("games/{at:03}.{extension}");
        let path = folder.path().join(&name);
        match sort {
            'D' => std::os::unix::fs::symlink("nowhere", path),
            _ => fs::write(path, bytes(sort)),
        }
        .unwrap();
        (name, sort)
    });
    let names = names.collect();
    (folder, names)
}

/// The expected result for a file.
#[derive(Clone, Debug)]
struct Known {
    verdict: String,
    codes: Vec<String>,
    severities: Vec<String>,
    admitted: bool,
    reasons: Vec<String>,
    is_unreadable: bool,
    /// The copies of it.
    others: Vec<String>,
}

fn texts(list: &Value, key: &str) -> Vec<String> {
    let texts = list.as_array().unwrap().iter();
    texts
        .map(|one| one[key].as_str().unwrap().to_owned())
        .collect()
}

/// Each file alone, and the copies.
fn known(folder: &Path, files: &[(String, char)]) -> BTreeMap<String, Known> {
    let mut alone: BTreeMap<char, Known> = BTreeMap::new();
    let mut known = BTreeMap::new();
    for (name, sort) in files.iter().filter(|(_, sort)| *sort != 'T') {
        let of_sort = alone.entry(*sort).or_insert_with(|| {
            let run = gametape(folder, &["verify", "--json", "--policy", "default", name]);
            let run = run.output().unwrap();
            let line = json(std::str::from_utf8(&run.stdout).unwrap());
            Known {
                verdict: line["verdict"].as_str().unwrap().to_owned(),
                codes: texts(&line["findings"], "code"),
                severities: texts(&line["findings"], "severity"),
                admitted: line["admitted"].as_bool().unwrap(),
                reasons: texts(&line["reasons"], "code"),
                is_unreadable: run.status.code() == Some(2),
                others: Vec::new(),
            }
        });
        let others = files
            .iter()
            .filter(|(other, of)| of == sort && other != name);
        let others: Vec<String> = others.map(|(other, _)| other.clone()).collect();
        let mut one = of_sort.clone();
        if is_game(*sort) && !others.is_empty() {
            if one.verdict == "pass" {
                "warn".clone_into(&mut one.verdict);
            }
            // The worst first.
            let at = one
                .severities
                .partition_point(|severity| severity != "info");
            one.codes.insert(at, "rmv.same-game".to_owned());
            one.admitted = false;
            one.reasons.push("rmv.same-game".to_owned());
            one.others = others;
        }
        known.insert(name.clone(), one);
    }
    known
}

fn count(known: &BTreeMap<String, Known>, is: impl Fn(&Known) -> bool) -> usize {
    known.values().filter(|one| is(one)).count()
}

/// How the command is to exit.
fn code(known: &BTreeMap<String, Known>, policy: bool) -> i32 {
    let is_bad = |one: &Known| {
        if policy {
            !one.admitted
        } else {
            one.verdict == "fail"
        }
    };
    if count(known, |one| one.is_unreadable) > 0 {
        2
    } else {
        i32::from(count(known, is_bad) > 0)
    }
}

/// The lines that speak of files, and the summary.
fn lines(out: &str) -> (BTreeMap<String, Value>, Vec<Value>, Option<Value>) {
    let mut files = BTreeMap::new();
    let mut others = Vec::new();
    let mut summary = None;
    for line in out.lines().map(json) {
        assert!(summary.is_none(), "behind the summary: {line}");
        match line["path"].as_str() {
            None => summary = Some(line["summary"].clone()),
            Some(_) if line["verdict"].is_null() => {
                assert!(line["skipped"].is_string(), "{line}");
                others.push(line);
            }
            Some(path) => {
                let before = files.insert(path.to_owned(), line.clone());
                assert_eq!(before, None, "a second line: {line}");
            }
        }
    }
    (files, others, summary)
}

fn hold_json(out: &str, known: &BTreeMap<String, Known>, policy: bool) -> Option<Value> {
    let (files, _, summary) = lines(out);
    let printed: Vec<&String> = files.keys().collect();
    assert_eq!(printed, known.keys().collect::<Vec<_>>());
    // In the order of the files.
    let order = out.lines().map(json);
    let order: Vec<String> = order
        .filter_map(|line| Some(line["path"].as_str()?.to_owned()))
        .collect();
    assert!(order.is_sorted(), "{order:?}");
    for (path, one) in known {
        let line = &files[path];
        assert_eq!(line["verdict"], one.verdict.as_str(), "{line}");
        assert_eq!(texts(&line["findings"], "code"), one.codes, "{line}");
        if policy {
            assert_eq!(line["admitted"], one.admitted, "{line}");
            assert_eq!(texts(&line["reasons"], "code"), one.reasons, "{line}");
        }
        if one.others.is_empty() {
            continue;
        }
        let mut findings = line["findings"].as_array().unwrap().iter();
        let data = &findings.find(|one| one["code"] == "rmv.same-game").unwrap()["data"];
        assert_eq!(texts(&data["others"], "path"), one.others, "{path}");
        assert_eq!(data["other"], one.others[0].as_str());
        assert_eq!(data["more"], 0);
    }
    if let Some(summary) = &summary {
        let of = |verdict: &str| count(known, |one| one.verdict == verdict && !one.is_unreadable);
        for verdict in ["pass", "warn", "fail"] {
            assert_eq!(summary[verdict], of(verdict), "{verdict}: {summary}");
        }
        assert_eq!(summary["recordings"], known.len());
        assert_eq!(summary["unreadable"], count(known, |one| one.is_unreadable));
        assert_eq!(
            summary["related"],
            count(known, |one| !one.others.is_empty())
        );
        if policy {
            assert_eq!(summary["admitted"], count(known, |one| one.admitted));
            assert_eq!(summary["rejected"], count(known, |one| !one.admitted));
        }
    }
    summary
}

/// The number before a word of the last line.
fn number(summary: &str, word: &str) -> usize {
    let parts = summary.split([':', ',', ';']).map(str::trim);
    let mut numbers = parts.filter_map(|part| part.strip_suffix(word)?.trim().parse().ok());
    numbers.next().unwrap_or(0)
}

fn hold_text(out: &str, known: &BTreeMap<String, Known>, policy: bool) {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    let mut heads: BTreeMap<&str, usize> = BTreeMap::new();
    for line in out.lines().filter(|line| !line.starts_with(' ')) {
        let words = ["pass", "warn", "fail", "admitted", "rejected", "not judged"];
        let Some((word, rest)) = line
            .split_once("  ")
            .filter(|(word, _)| words.contains(word))
        else {
            continue;
        };
        let path = rest.split("  ").next().unwrap();
        *heads.entry(path).or_default() += 1;
        last.insert(path, word);
    }
    let readable: BTreeMap<String, Known> = known
        .iter()
        .filter(|(_, one)| !one.is_unreadable)
        .map(|(path, one)| (path.clone(), one.clone()))
        .collect();
    assert_eq!(last.len(), readable.len(), "{out}");
    for (path, one) in &readable {
        let word = match (policy, one.admitted) {
            (false, _) => one.verdict.as_str(),
            (true, true) => "admitted",
            (true, false) => "rejected",
        };
        assert_eq!(last[path.as_str()], word, "{path}: {out}");
        let most = if policy || one.others.is_empty() {
            1
        } else {
            2
        };
        assert_eq!(heads[path.as_str()], most, "{path}: {out}");
    }
    let Some(summary) = out.lines().last().filter(|_| readable.len() > 1) else {
        return;
    };
    assert!(
        summary.starts_with(&format!("{} recordings: ", known.len())),
        "{summary}"
    );
    let counts: [(&str, usize); 6] = [
        (
            "pass",
            count(&readable, |one| !policy && one.verdict == "pass"),
        ),
        (
            "warn",
            count(&readable, |one| !policy && one.verdict == "warn"),
        ),
        (
            "fail",
            count(&readable, |one| !policy && one.verdict == "fail"),
        ),
        ("unreadable", known.len() - readable.len()),
        ("admitted", count(&readable, |one| policy && one.admitted)),
        ("rejected", count(&readable, |one| policy && !one.admitted)),
    ];
    for (word, expected) in counts {
        assert_eq!(number(summary, word), expected, "{word}: {summary}");
    }
}

/// All that is said of some files, however it is asked for.
fn hold(folder: &Path, known: &BTreeMap<String, Known>, paths: &str, has_summary: bool) {
    for policy in [false, true] {
        let options = if policy { " --policy default" } else { "" };
        let code = code(known, policy);
        let line = format!("verify --json{options} {paths}");
        let (out, err) = outputs(folder, &line, code);
        assert_eq!(err, "", "{line}");
        let summary = hold_json(&out, known, policy);
        assert_eq!(summary.is_some(), has_summary, "{line}");
        // Again, and nothing is said otherwise; with what is kept back, too.
        for more in ["", " -v"] {
            let again = outputs(folder, &format!("{line}{more}"), code).0;
            let [first, again] = [&out, &again].map(|out| lines(out).0);
            assert_eq!(first, again, "{line}{more}");
            let text = outputs(folder, &format!("verify{options}{more} {paths}"), code).0;
            hold_text(&text, known, policy);
        }
    }
}

#[test]
fn each_file_has_one_final_verdict() {
    for sorts in [
        "a",
        "ab",
        "aa",
        "aab",
        "aba",
        "baa",
        "aaa",
        "abab",
        "aaXa",
        "aDa",
        "DfDbb",
        "XaTa",
        "aTbXcaba",
        "ff",
        "faf",
        "fXaaf",
        "aaaaa",
        "abaabaa",
        "Xff",
        "X",
        "aaaaaaaaaaaa",
        "abcdeabcdeabcde",
    ] {
        let (folder, files) = lay(sorts);
        let known = known(folder.path(), &files);
        hold(folder.path(), &known, "games", true);
        if sorts.len() > 4 {
            continue;
        }
        hold(folder.path(), &known, "games/*.rmv", true);
        // One by one, what is no recording left out.
        let named: Vec<&str> = known.keys().map(String::as_str).collect();
        hold(folder.path(), &known, &named.join(" "), false);
    }
}

/// Checks that each file is reported once, even if two paths lead to it.
fn hold_once(folder: &Path, paths: &str, expected: &[(&str, &str)], repeated: &[(&str, &str)]) {
    for options in ["", " --policy default"] {
        let are_copies = expected.iter().any(|(_, verdict)| *verdict == "warn");
        let code = i32::from(are_copies && !options.is_empty());
        let out = outputs(folder, &format!("verify --json{options} {paths}"), code).0;
        let (files, others, summary) = lines(&out);
        let told: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, line)| (path.as_str(), line["verdict"].as_str().unwrap()))
            .collect();
        assert_eq!(told, expected, "{paths}: {out}");
        let again: Vec<(&str, &str)> = others
            .iter()
            .map(|line| ["path", "same_as"].map(|key| line[key].as_str().unwrap()))
            .map(|[path, first]| (path, first))
            .collect();
        assert_eq!(again, repeated, "{paths}: {out}");
        for line in &others {
            let what = format!("the same file as {}", line["same_as"].as_str().unwrap());
            assert_eq!(line["skipped"], what);
        }
        for (path, line) in &files {
            let finding = line["findings"].as_array().unwrap().iter();
            let mut finding = finding.filter(|finding| finding["code"] == "rmv.same-game");
            let others = finding
                .next()
                .map(|one| texts(&one["data"]["others"], "path"));
            let copies = expected.iter().filter(|(other, verdict)| {
                *verdict == "warn" && line["verdict"] == "warn" && other != path
            });
            let copies: Vec<String> = copies.map(|(other, _)| (*other).to_owned()).collect();
            assert_eq!(others.unwrap_or_default(), copies, "{path}");
        }
        let pass = expected
            .iter()
            .filter(|(_, verdict)| *verdict == "pass")
            .count();
        if let Some(summary) = summary {
            assert_eq!(summary["recordings"], expected.len(), "{summary}");
            assert_eq!(summary["pass"], pass, "{summary}");
            assert_eq!(summary["warn"], expected.len() - pass, "{summary}");
            assert_eq!(summary["repeated"], repeated.len(), "{summary}");
        }
        let text = outputs(folder, &format!("verify{options} {paths}"), code).0;
        let last = text.lines().last().unwrap();
        assert!(
            last.starts_with(&format!("{} recordings: ", expected.len())),
            "{text}"
        );
        let more = match repeated.len() {
            0 => "",
            1 => ", 1 more path to one of them",
            _ => " more paths to some of them",
        };
        assert!(last.ends_with(more), "{text}");
        for (path, _) in repeated {
            assert!(!text.contains(&format!("  {path}  ")), "{text}");
        }
    }
}

#[test]
fn a_file_that_is_given_twice_has_one_verdict() {
    use std::os::unix::fs::symlink;
    let (folder, _) = lay("aab");
    let path = folder.path();
    let [a, b, c] = ["games/000.rmv", "games/001.rmv", "games/002.rmv"];
    let all = [(a, "warn"), (b, "warn"), (c, "pass")];
    hold_once(path, "games games", &all, &[]);
    hold_once(path, "games games/*.rmv", &all, &[]);
    hold_once(path, "games/*0.rmv games/0*", &all, &[]);
    hold_once(path, "games/002.rmv games", &all, &[]);
    let dotted = ["./games/000.rmv", "./games/001.rmv", "./games/002.rmv"];
    let again = [(dotted[0], a), (dotted[1], b), (dotted[2], c)];
    hold_once(path, "games ./games", &all, &again);
    // One copy is no copy, however often it is named.
    hold_once(
        path,
        "games/000.rmv games/000.rmv games/002.rmv",
        &[(a, "pass"), (c, "pass")],
        &[],
    );
    // A folder was looked through, even if nothing in it was new.
    let line = "verify --json games/000.rmv games/001.rmv games/002.rmv ./games";
    assert!(lines(&outputs(path, line, 0).0).2.is_some());
    symlink("002.rmv", path.join("games/003.rmv")).unwrap();
    symlink("games", path.join("linked")).unwrap();
    hold_once(path, "games", &all, &[("games/003.rmv", c)]);
    hold_once(path, "games/*", &all, &[("games/003.rmv", c)]);
    let linked = [
        ("games/003.rmv", c),
        ("linked/000.rmv", a),
        ("linked/001.rmv", b),
        ("linked/002.rmv", c),
        ("linked/003.rmv", c),
    ];
    hold_once(path, "games linked", &all, &linked);
    // A file is named by the first path that leads to it.
    symlink("000.rmv", path.join("games/!.rmv")).unwrap();
    let all = [("games/!.rmv", "warn"), (b, "warn"), (c, "pass")];
    hold_once(
        path,
        "games",
        &all,
        &[(a, "games/!.rmv"), ("games/003.rmv", c)],
    );
    // An unreadable path is reported once as well.
    let (out, err) = outputs(path, "verify missing missing games/nothing* missing", 2);
    assert_eq!(out, "");
    let missing = "gametape: missing: no such file\ngametape: games/nothing*: no such file\n";
    assert_eq!(err, missing);
}

/// A link has other things beside it: a schema that is missing there does not make the packets unreadable.
#[test]
fn a_link_that_can_not_be_read_hides_no_file_that_can() {
    let folder = crate::delta::support::folder();
    let path = folder.path();
    fs::create_dir(path.join("links")).unwrap();
    std::os::unix::fs::symlink("../run.delta", path.join("links/run.delta")).unwrap();
    let line = "verify --json links/run.delta run.delta links/run.delta ./run.delta";
    let (files, others, _) = lines(&outputs(path, line, 2).0);
    assert_eq!(files["links/run.delta"]["verdict"], "fail");
    assert_eq!(files["links/run.delta"]["findings"][0]["code"], "schema");
    assert_eq!(files["run.delta"]["verdict"], "pass");
    let [again] = others.as_slice() else {
        panic!("{others:?}");
    };
    assert_eq!(again["path"], "./run.delta");
    assert_eq!(again["same_as"], "run.delta");
}

/// Ctrl-C while something is read that takes long: what was found until then is said.
#[test]
fn results_so_far_are_printed_when_it_is_stopped() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let (folder, files) = lay("aabfa");
    let path = folder.path();
    let known = known(path, &files);
    for options in [
        &["--json"][..],
        &["--json", "--policy", "default"],
        &["--policy", "default"],
    ] {
        // Until it has come so far that something is held back: before that it just ends.
        let mut wait = Duration::from_millis(100);
        let (out, err) = loop {
            let mut child = Command::new(snapbox::cmd::cargo_bin("gametape"))
                .current_dir(path)
                .env("NO_COLOR", "1")
                .arg("verify")
                .args(options)
                .args(["games", "-", "games/none.rmv"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(wait);
            let id = child.id().to_string();
            assert!(
                Command::new("kill")
                    .args(["-INT", &id])
                    .status()
                    .unwrap()
                    .success()
            );
            let stdin = child.stdin.take();
            let ended = child.wait_with_output().unwrap();
            drop(stdin);
            if ended.status.code() == Some(130) && !ended.stdout.is_empty() {
                let [out, err] =
                    [ended.stdout, ended.stderr].map(|text| String::from_utf8(text).unwrap());
                break (out, err);
            }
            wait *= 2;
            assert!(wait < Duration::from_secs(30), "{ended:?}");
        };
        let policy = options.len() > 1;
        if options[0] == "--json" {
            // The file that is not there was come to while another was read.
            let mut lines: Vec<Value> = out.lines().map(json).collect();
            lines.retain(|line| line["path"] != "games/none.rmv");
            let left = &lines.last().unwrap()["summary"];
            assert_eq!(left["left"], 1, "{out}");
            assert_eq!(left["recordings"], known.len() + 1, "{out}");
            lines.pop();
            let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
            hold_json(&lines.concat(), &known, policy);
            assert_eq!(err, "gametape: stopped: 1 of 7 files are not checked\n");
        } else {
            hold_text(
                &out.replace("6 recordings", "5 recordings")
                    .replace(", 1 unreadable", ""),
                &known,
                policy,
            );
            assert!(
                err.ends_with("gametape: stopped: 1 of 7 files are not checked\n"),
                "{err}"
            );
        }
    }
}

/// Every verb prints one line per path.
#[test]
fn no_verb_speaks_twice_of_a_path() {
    let (folder, _) = lay("abXDT");
    let path = folder.path();
    let paths = "games games/*.rmv games/000.rmv games games/0*";
    let all = ["games/000.rmv", "games/001.rmv"];
    for verb in [
        "verify",
        "stats",
        "inspect",
        "convert --out made",
        "repair --out mended",
    ] {
        let ran = gametape(path, &words(&format!("{verb} --json {paths}"))).output();
        let ran = ran.unwrap();
        let [out, err] = [ran.stdout, ran.stderr].map(|text| String::from_utf8(text).unwrap());
        let lines = out.lines().map(json);
        let mut told: Vec<String> = lines
            .filter(|line| line["skipped"].is_null() && line["status"] != "skipped")
            .filter_map(|line| Some(line["path"].as_str()?.to_owned()))
            .collect();
        // Broken, and not there.
        told.retain(|path| !["games/002.rmv", "games/003.rmv"].contains(&&**path));
        assert_eq!(told, all, "{verb}: {out}");
        for wrong in ["games/002.rmv", "games/003.rmv"] {
            assert!(err.matches(wrong).count() <= 1, "{verb}: {err}");
        }
    }
    #[cfg(feature = "live")]
    {
        let (out, _) = outputs(path, &format!("publish --json {paths} --out site"), 2);
        let lines = out.lines().map(json);
        let told: Vec<String> = lines
            .map(|line| line["path"].as_str().unwrap().to_owned())
            .collect();
        let failed = ["games/002.rmv", "games/003.rmv"];
        assert_eq!(told, [all, failed].concat(), "{out}");
        let library = json(&fs::read_to_string(path.join("site/library.json")).unwrap());
        assert_eq!(library["recordings"].as_array().unwrap().len(), 2);
    }
}

/// Final results are printed while other files are still in progress.
#[test]
fn final_results_do_not_wait() {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let folder = crate::delta::support::folder();
    for verb in ["verify", "stats", "inspect"] {
        let mut child = Command::new(snapbox::cmd::cargo_bin("gametape"))
            .current_dir(folder.path())
            .args([verb, "--json", "run.mcap", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(lines.next().unwrap().unwrap()));
        let line = told.recv_timeout(Duration::from_secs(30));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(json(&line.unwrap())["path"], "run.mcap", "{verb}");
    }
}
