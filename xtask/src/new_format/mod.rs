//! A new format in this repository: a copy of `examples/own-format` under its name, and its lines in the files
//! that list formats. The example is compiled and tested like everything else, and so are its fuzz check and its
//! benchmark: there are no other templates.

mod lines;
mod name;

use std::collections::BTreeMap;
use std::fs;

use crate::{fmt, root};
use lines::At::{self, Among, Before, End};
use lines::{COPIES, LINES};
use name::{Names, check, read, taken};

/// Writes the format into the repository.
pub fn run(args: &[&str]) -> Result<(), String> {
    let [name] = args else {
        return Err("the name of a format is needed: cargo xtask new-format dice".into());
    };
    let root = root();
    check(name, &taken(&root)?)?;
    let files = files(&Names::of(name), &|path| read(&root, path))?;
    if let Some(path) = files.keys().find(|path| {
        let is_new = COPIES.iter().any(|(_, to)| place(to, name) == **path);
        is_new && root.join(path).exists()
    }) {
        return Err(format!("{path} exists: the name {name} is taken"));
    }
    for (path, text) in &files {
        let path = root.join(path);
        let fail = |error: std::io::Error| format!("{}: {error}", path.display());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fail)?;
        }
        fs::write(&path, text).map_err(fail)?;
    }
    // Names of another length break lines elsewhere.
    fmt(&[])?;
    for path in files.keys() {
        println!("{path}");
    }
    println!("{}", next(name));
    Ok(())
}

/// What comes first is done most often: the crate is edited and built alone before the command is built with it.
fn next(name: &str) -> String {
    let lines = |commands: &[(&str, &str)]| -> String {
        let line = |(command, what): &(&str, &str)| format!("  {command:<56}{what}\n");
        commands.iter().map(line).collect()
    };
    let alone = lines(&[
        (
            &format!("cargo test -p gametape-{name}"),
            "its tests, in tests/format.rs",
        ),
        (
            &format!("GAMETAPE_BLESS=1 cargo test -p gametape-{name} page"),
            "writes its rules into its page of findings",
        ),
    ]);
    let with_all = lines(&[
        (
            "GAMETAPE_BLESS=1 cargo test -p gametape books_page",
            "writes its tables into docs/src/tables.md",
        ),
        (
            "cargo test -p gametape-cli --test all kit::",
            "every format stands bad inputs and outputs",
        ),
        (
            &format!("cargo test -p gametape-fuzz {name}"),
            "its fuzz check, on the inputs near to a seed",
        ),
    ]);
    format!(
        "\nIt reads what the example reads, lines with positions and marks, under a name of its own. Next:\n\n\
         1. Change crates/{name}/src/lib.rs into your format, and with it crates/{name}/tests/format.rs,\n   \
         docs/src/{name} and fuzz/src/{name}.rs. bench/src/{name}.rs is for a peer: without one, remove it and its\n   \
         lines in bench.\n\n{alone}\n\
         2. Once these pass, the longer builds:\n\n{with_all}\n\
         3. Commit both lock files, which builds bring up to date: Cargo.lock and bench/Cargo.lock (`cargo xtask lint`\n   \
         builds what is in bench). Once `publish = false` is gone from the manifest, the lint says what a package\n   \
         lacks. CONTRIBUTING.md says what else a format can have."
    )
}

fn place(to: &str, name: &str) -> String {
    to.replace("NAME", name)
}

/// The new texts of all files that a format touches, by their paths.
fn files(
    names: &Names,
    read: &dyn Fn(&str) -> Result<String, String>,
) -> Result<BTreeMap<String, String>, String> {
    let mut files = BTreeMap::new();
    for (from, to) in COPIES {
        let text = read(from)?;
        let text = if from.ends_with("Cargo.toml") {
            manifest(&text, names)
        } else {
            names.replaced(&text)
        };
        files.insert(place(to, &names.word), text);
    }
    for (path, after, at, line) in &LINES {
        let text = match files.get(*path) {
            Some(text) => text.clone(),
            None => read(path)?,
        };
        let line = line.replace("NAME", &names.word).replace("TYPE", &names.ty);
        let text = with(&text, after, at, &line).map_err(|what| format!("{path}: {what}"))?;
        files.insert((*path).to_owned(), text);
    }
    let path = "crates/gametape/Cargo.toml";
    if let Some(text) = files.get_mut(path) {
        let all = "default = [";
        *text = text.replacen(all, &format!("{all}\"{}\", ", names.word), 1);
    }
    Ok(files)
}

/// The text with a line more.
fn with(text: &str, after: &str, at: &At, line: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.lines().collect();
    let missing = |what: &str| format!("no line starts with {what:?}");
    let start = lines.iter().position(|old| old.starts_with(after));
    let start = start.ok_or_else(|| missing(after))? + 1;
    let mut rest = lines.iter().enumerate().skip(start);
    let at = match at {
        End => Some(lines.len()),
        Before(what) => {
            let found = rest.find(|(_, old)| old.starts_with(what));
            Some(found.ok_or_else(|| missing(what))?.0)
        }
        Among(what) => {
            let like = rest
                .skip_while(|(_, old)| !old.starts_with(what))
                .take_while(|(_, old)| old.starts_with(what));
            let like: Vec<(usize, &&str)> = like.collect();
            let next = like.iter().find(|(_, old)| **old > line);
            let last = like.last().map(|(at, _)| at + 1);
            next.map(|(at, _)| *at).or(last)
        }
    };
    let (before, rest) = lines.split_at(at.ok_or_else(|| missing("the like"))?);
    Ok([before, &[line], rest].concat().join("\n") + "\n")
}

/// The manifest of the example without its command.
fn manifest(text: &str, names: &Names) -> String {
    let mut sections: Vec<String> = Vec::new();
    for line in text.lines() {
        match sections.last_mut() {
            Some(section) if !line.starts_with('[') => {
                section.push_str(line);
                section.push('\n');
            }
            _ => sections.push(format!("{line}\n")),
        }
    }
    let of_command = ["[features]", "[[bin]]", "[[test]]"];
    sections.retain(|section| !of_command.iter().any(|head| section.starts_with(head)));
    let of_command = ["gametape ", "gametape-cli ", "snapbox", "tempfile"];
    let about = format!("description = \"Recordings in the format {}\"", names.word);
    let lines = sections.iter().flat_map(|section| section.lines());
    let lines = lines.filter(|line| !of_command.iter().any(|start| line.starts_with(start)));
    let lines = lines.map(|line| {
        if line.starts_with("description") {
            about.clone()
        } else {
            names.replaced(line)
        }
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toml::Table;

    use super::*;

    fn made(name: &str) -> BTreeMap<String, String> {
        files(&Names::of(name), &|path| read(&root(), path)).unwrap()
    }

    #[test]
    fn every_manifest_and_source_that_is_written_parses() {
        let made = made("dice");
        let listed: BTreeSet<&str> = LINES.iter().map(|(path, ..)| *path).collect();
        assert_eq!(made.len(), COPIES.len() + listed.len());
        for (path, text) in &made {
            let is_sound = match path.rsplit_once('.').map(|(_, extension)| extension) {
                Some("toml") => text.parse::<Table>().is_ok(),
                Some("rs") => text.parse::<proc_macro2::TokenStream>().is_ok(),
                _ => true,
            };
            assert!(is_sound, "{path}:\n{text}");
            assert!(text.contains("dice"), "{path}");
            assert!(
                !text.replace("NAMED", "").contains("NAME") && text.ends_with('\n'),
                "{path}"
            );
        }
    }

    #[test]
    fn nothing_of_the_example_is_left_in_the_copies() {
        let made = made("dice");
        for (_, to) in COPIES {
            let text = &made[&place(to, "dice")];
            for word in [
                "track",
                "own-format",
                "own_format",
                "gametape-cli",
                "example of",
            ] {
                let lower = text.to_ascii_lowercase();
                assert!(!lower.contains(word), "{to} has {word:?}:\n{text}");
            }
        }
        let manifest: Table = made["crates/dice/Cargo.toml"].parse().unwrap();
        let keys: Vec<&String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .keys()
            .collect();
        assert_eq!(keys, ["gametape-core", "thiserror"]);
        assert_eq!(manifest["package"]["name"].as_str(), Some("gametape-dice"));
        // Before it is published, the lint asks for what every package has.
        assert_eq!(manifest["package"]["publish"].as_bool(), Some(false));
        assert!(manifest.get("features").is_none() && manifest.get("bin").is_none());
    }

    #[test]
    fn the_registry_lists_it_and_its_manifest_has_it() {
        let made = made("dice");
        let registry = &made["crates/gametape/src/registry.rs"];
        let (_, body) = registry.split_once("pub fn formats()").unwrap();
        let (body, _) = body.split_once("\n}\n").unwrap();
        let end = "    #[cfg(feature = \"dice\")]\n    let formats = formats.with(gametape_dice::Dice);\n    formats";
        assert!(body.ends_with(end), "{body}");
        let manifest: Table = made["crates/gametape/Cargo.toml"].parse().unwrap();
        let features = manifest["features"].as_table().unwrap();
        let default = features["default"].as_array().unwrap();
        assert!(default.iter().any(|one| one.as_str() == Some("dice")));
        // Every feature that is there by default still is one.
        let known: BTreeSet<&str> = features.keys().map(String::as_str).collect();
        assert!(
            default
                .iter()
                .all(|one| known.contains(one.as_str().unwrap()))
        );
        assert_eq!(features["dice"][0].as_str(), Some("dep:gametape-dice"));
        assert!(manifest["dependencies"].get("gametape-dice").is_some());
        let workspace: Table = made["Cargo.toml"].parse().unwrap();
        let ours = &workspace["workspace"]["dependencies"]["gametape-dice"];
        assert_eq!(ours["path"].as_str(), Some("crates/dice"));
    }

    #[test]
    fn editing_comes_before_the_long_builds() {
        let next = next("dice");
        let places = [
            "crates/dice/src/lib.rs",
            "crates/dice/tests/format.rs",
            "cargo test -p gametape-dice\u{20}",
            "cargo test -p gametape-cli",
            "bench/Cargo.lock",
        ]
        .map(|what| next.find(what).expect(what));
        assert!(places.is_sorted(), "{next}");
        // Every test that it names exists.
        let tests = &made("dice")["crates/dice/tests/format.rs"];
        assert!(tests.contains("fn the_page_of_findings"), "{tests}");
    }

    #[test]
    fn a_second_format_can_follow() {
        let first = made("dice");
        let read = |path: &str| match first.get(path) {
            Some(text) => Ok(text.clone()),
            None => read(&root(), path),
        };
        let both = files(&Names::of("avf"), &read).unwrap();
        for (path, ..) in &LINES {
            let text = &both[*path];
            assert!(text.contains("avf") && text.contains("dice"), "{path}");
        }
        // By the alphabet, where the others are.
        let workspace = &both["Cargo.toml"];
        let place = |name: &str| workspace.find(&format!("\ngametape-{name} = ")).unwrap();
        assert!(place("avf") < place("capture") && place("delta-derive") < place("dice"));
        assert!(place("dice") < place("echo"));
    }
}
