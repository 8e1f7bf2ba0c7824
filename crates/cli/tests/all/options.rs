//! Every option that is named anywhere exists: in messages, in the help, on the page, in the book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::Command;

use crate::common::{files, outputs};
use crate::echo::support as echo;

/// Lines with calls of other programs have options of their own.
const OTHERS: [&str; 4] = [
    "cargo ",
    "gametape query --cluster",
    "http.server",
    "--ships",
];

/// The options of each verb, by its words: `record stream`.
fn options() -> BTreeMap<String, BTreeSet<String>> {
    fn of(
        command: &Command,
        words: &str,
        above: &BTreeSet<String>,
        all: &mut BTreeMap<String, BTreeSet<String>>,
    ) {
        let mut own = above.clone();
        for arg in command.get_arguments() {
            own.extend(arg.get_long().map(ToOwned::to_owned));
            own.extend(
                arg.get_all_aliases()
                    .into_iter()
                    .flatten()
                    .map(ToOwned::to_owned),
            );
        }
        for verb in command.get_subcommands() {
            let words = format!("{words} {}", verb.get_name());
            of(verb, words.trim_start(), &own, all);
        }
        // Said of a group of verbs, an option is one of any of them.
        let group = format!("{words} ");
        let verbs = all
            .iter()
            .filter(|(verb, _)| !words.is_empty() && verb.starts_with(&group));
        let theirs: Vec<String> = verbs.flat_map(|(_, options)| options.clone()).collect();
        own.extend(theirs);
        all.insert(words.to_owned(), own);
    }
    let mut all = BTreeMap::new();
    let command = gametape_cli::tools::app(gametape::formats()).command();
    let always = ["help", "version"].map(ToOwned::to_owned).into();
    of(&command, "", &always, &mut all);
    all
}

/// The options that a text names, each without its dashes.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, _)| {
        let (before, name) = (text[..at].chars().next_back(), &text[at + 2..]);
        let end = name.find(|letter: char| {
            !letter.is_ascii_lowercase() && letter != '-' && !letter.is_ascii_digit()
        });
        let name = name[..end.unwrap_or(name.len())].trim_end_matches('-');
        let begins = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '-');
        (begins && name.starts_with(|letter: char| letter.is_ascii_lowercase())).then_some(name)
    })
}

/// Texts that users read, with the files they are in: sources without their tests, the book.
fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = vec![root.join("README.md")];
    all.extend(files(&root.join("docs/src")));
    all.extend(files(&root.join("viewer/src")));
    for folder in fs::read_dir(root.join("crates")).unwrap() {
        let folder = folder.unwrap().path();
        // `gametape-query` and `gametape-cluster` are programs of their own, whose tests hold their pages to
        // their options.
        let is_other = ["testkit", "query", "cluster"].map(|name| folder.ends_with(name));
        if !is_other.contains(&true) {
            all.extend(files(&folder.join("src")));
            all.push(folder.join("README.md"));
        }
    }
    let read = |path: PathBuf| {
        let others = [
            "docs/src/query.md",
            "docs/src/cluster.md",
            "src/tools/query.rs",
        ];
        if others.iter().any(|other| path.ends_with(other)) {
            return None;
        }
        let extension = path.extension()?.to_str()?.to_owned();
        let is_test = path.components().any(|part| {
            ["tests", "tests.rs", "kit"]
                .iter()
                .any(|name| part.as_os_str() == *name)
        });
        if is_test || !["rs", "ts", "md"].contains(&&*extension) {
            return None;
        }
        let text = fs::read_to_string(&path).ok()?;
        let text = text.split("mod tests {").next()?.to_owned();
        Some((path, text))
    };
    all.into_iter().filter_map(read).collect()
}

/// Colours and sizes of style sheets are written like options.
fn of_styles() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../viewer/src");
    let mut styles = BTreeSet::new();
    for path in files(&root) {
        let text = fs::read_to_string(path).unwrap_or_default();
        let defined = named(&text).filter(|name| text.contains(&format!("--{name}:")));
        styles.extend(defined.map(ToOwned::to_owned));
    }
    styles
}

#[test]
fn every_option_that_is_named_anywhere_exists() {
    let (verbs, styles) = (options(), of_styles());
    let all: BTreeSet<&String> = verbs.values().flatten().collect();
    assert!(all.len() > 60, "{all:?}");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (path, text) in texts() {
        let is_page = path.extension().is_some_and(|extension| extension == "ts");
        let mut before = "";
        for (number, line) in text.lines().enumerate() {
            // Such a call may go on in the next line.
            let is_other = |line: &str| OTHERS.iter().any(|other| line.contains(other));
            if is_other(line) || is_other(before) {
                before = line;
                continue;
            }
            before = line;
            let at = || format!("{}:{}", path.display(), number + 1);
            for name in named(line) {
                let known = all.contains(&name.to_owned());
                let is_style = is_page && (styles.contains(name) || name.starts_with("stage"));
                seen += 1;
                if !known && !is_style {
                    wrong.push(format!("{}: --{name} is an option of no verb", at()));
                }
            }
            // A whole command line: the verb has to have the option.
            for call in line.split("gametape ").skip(1) {
                let call = call
                    .split(['|', '`', '"', ';', '(', '#', '>'])
                    .next()
                    .unwrap_or_default();
                let words: Vec<&str> = call.split_whitespace().collect();
                let verb = [2, 1].iter().find_map(|count| {
                    let verb = words.get(..*count)?.join(" ");
                    verbs.contains_key(&verb).then_some(verb)
                });
                let Some(verb) = verb else {
                    continue;
                };
                for name in named(call).filter(|name| !verbs[&verb].contains(*name)) {
                    wrong.push(format!("{}: gametape {verb} has no --{name}", at()));
                }
            }
        }
    }
    assert!(seen > 200, "{seen}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The help of a verb begins with calls to copy.
#[test]
fn every_example_in_the_help_is_a_call_that_the_command_takes() {
    fn of(command: &Command, all: &mut Vec<String>) {
        let help = command.clone().render_long_help().to_string();
        let calls = help
            .lines()
            .take_while(|line| line.starts_with("  gametape "));
        all.extend(calls.map(|call| call.trim().to_owned()));
        for verb in command.get_subcommands() {
            of(verb, all);
        }
    }
    let command = gametape_cli::tools::app(gametape::formats()).command();
    let mut calls = Vec::new();
    of(&command, &mut calls);
    let count = |of: &str| calls.iter().filter(|call| call.starts_with(of)).count();
    assert_eq!(
        (count("gametape record murk "), count("gametape cut ")),
        (2, 3)
    );
    for call in &calls {
        let parsed = command.clone().try_get_matches_from(call.split(' '));
        assert!(parsed.is_ok(), "{call}: {parsed:?}");
    }
}

/// A published page names the options of `publish`, not those of other verbs.
#[cfg(feature = "live")]
#[test]
fn options_that_a_published_page_names_are_those_of_what_publishes() {
    let folder = echo::folder();
    let path = folder.path();
    outputs(path, "publish match.butter text.echoreplay --out site", 0);
    let verbs = options();
    let mut said_of = 0;
    for id in ["match.butter", "text.echoreplay"] {
        let json = fs::read_to_string(path.join(format!("site/r/{id}/recording.json"))).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        for note in json["notes"].as_array().unwrap() {
            let note = note.as_str().unwrap();
            said_of += usize::from(note.contains("secret"));
            for name in named(note) {
                for verb in ["publish", "serve", "watch", "record echo", "record stream"] {
                    assert!(verbs[verb].contains(name), "{note}: {verb} has no --{name}");
                }
            }
        }
    }
    assert!(said_of > 0);
}
