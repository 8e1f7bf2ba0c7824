//! A new format in this repository: a copy of `examples/own-format` under its name, and its lines in the files
//! that list formats. The example is compiled and tested like everything else, and so are its fuzz check and its
//! benchmark: there are no other templates.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::{cargo, root, run as call};

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
    let package = format!("gametape-{name}");
    call(cargo().args(["fmt", "--package", &package, "--package", "gametape"]))?;
    call(cargo().args([
        "fmt",
        "--package",
        "gametape-cli",
        "--package",
        "gametape-fuzz",
    ]))?;
    call(cargo().args(["fmt", "--package", "xtask"]))?;
    call(cargo().args(["fmt", "--manifest-path", "bench/Cargo.toml"]))?;
    for path in files.keys() {
        println!("{path}");
    }
    println!("{}", next(name));
    Ok(())
}

fn next(name: &str) -> String {
    let commands = [
        (
            "GAMETAPE_BLESS=1 cargo test -p gametape books_page".to_owned(),
            "writes its tables into docs/src/tables.md",
        ),
        (format!("cargo test -p gametape-{name}"), "its own tests"),
        (
            "cargo test -p gametape-cli --test all kit::".to_owned(),
            "every format stands bad inputs and outputs",
        ),
        (
            format!("cargo test -p gametape-fuzz {name}"),
            "its fuzz check, on the inputs near to a seed",
        ),
    ];
    let lines = commands.map(|(command, what)| format!("  {command:<52}{what}\n"));
    format!(
        "\nIt is a format with two tables, and does what the example does. Next:\n\n{}\n\
         Then change crates/{name}/src/lib.rs into your format, and with it docs/src/{name} and fuzz/src/{name}.rs.\n\
         bench/src/{name}.rs is for a peer: without one, remove it and its lines in bench. CONTRIBUTING.md says\n\
         what else a format can have.",
        lines.concat()
    )
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The names of a format in their forms.
struct Names {
    /// One word in lower case.
    word: String,
    /// The type.
    ty: String,
}

impl Names {
    fn of(name: &str) -> Self {
        let mut ty = name.to_owned();
        if let Some(first) = ty.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Self {
            word: name.to_owned(),
            ty,
        }
    }

    /// A text of the example, with these names.
    fn replaced(&self, text: &str) -> String {
        let Self { word, ty } = self;
        text.replace("own_format", &format!("gametape_{word}"))
            .replace("own-format", &format!("gametape-{word}"))
            .replace(
                "/docs/findings.md",
                &format!("/../../docs/src/{word}/findings.md"),
            )
            .replace("../../../docs/src/", "../")
            .replace(", the example of a format", "")
            .replace("track", word)
            .replace("Track", ty)
    }
}

/// The files of the example, and those that they become; `NAME` is the format's.
const COPIES: [(&str, &str); 7] = [
    ("examples/own-format/Cargo.toml", "crates/NAME/Cargo.toml"),
    ("examples/own-format/src/lib.rs", "crates/NAME/src/lib.rs"),
    (
        "examples/own-format/tests/format.rs",
        "crates/NAME/tests/format.rs",
    ),
    (
        "examples/own-format/docs/format.md",
        "docs/src/NAME/format.md",
    ),
    (
        "examples/own-format/docs/findings.md",
        "docs/src/NAME/findings.md",
    ),
    ("fuzz/src/track.rs", "fuzz/src/NAME.rs"),
    ("bench/src/track.rs", "bench/src/NAME.rs"),
];

fn place(to: &str, name: &str) -> String {
    to.replace("NAME", name)
}

/// Where a line goes, after the first line that starts with a text.
enum At {
    /// Before the first line that starts with this.
    Before(&'static str),
    /// Among the lines that start with this, by the alphabet.
    Among(&'static str),
    /// At the end.
    End,
}

use At::{Among, Before, End};

/// The lines that a format has in the files that list formats: the file, the start of the line that they come
/// after, their place, and the lines, in which `NAME` and `TYPE` are the format's.
const LINES: [(&str, &str, At, &str); 18] = [
    (
        "Cargo.toml",
        "[workspace.dependencies]",
        Among("gametape-"),
        "gametape-NAME = { path = \"crates/NAME\", version = \"0.1.0\" }",
    ),
    (
        "xtask/src/arrows.rs",
        "const ARROWS",
        Before("    (\"live\""),
        "    (\"NAME\", &[\"core\"]),",
    ),
    (
        "crates/gametape/Cargo.toml",
        "[features]",
        Before("# "),
        "# Recordings in the format `NAME`.\nNAME = [\"dep:gametape-NAME\"]",
    ),
    (
        "crates/gametape/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME = { workspace = true, optional = true }",
    ),
    (
        "crates/gametape/src/registry.rs",
        "pub fn formats()",
        Before("    formats"),
        "    #[cfg(feature = \"NAME\")]\n    let formats = formats.with(gametape_NAME::TYPE);",
    ),
    (
        "crates/gametape/src/lib.rs",
        "pub use gametape_core as core",
        Before("/// Compiles"),
        "/// Recordings in the format `NAME`.\n#[cfg(feature = \"NAME\")]\npub use gametape_NAME as NAME;\n",
    ),
    (
        "crates/gametape/tests/all/samples.rs",
        "pub fn samples",
        Before("        other =>"),
        "        \"NAME\" => vec![gametape::NAME::EXAMPLE.into()],",
    ),
    (
        "crates/cli/tests/all/kit.rs",
        "fn samples",
        Before("        other =>"),
        "        \"NAME\" => vec![Sample::new(\"a.NAME\", gametape::NAME::EXAMPLE)],",
    ),
    (
        "fuzz/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME.workspace = true",
    ),
    (
        "fuzz/src/lib.rs",
        "mod check;",
        Among("pub mod "),
        "pub mod NAME;",
    ),
    (
        "fuzz/src/lib.rs",
        "const ALL",
        Before("    track::CHECKS"),
        "    NAME::CHECKS,",
    ),
    (
        "fuzz/src/tables.rs",
        "use gametape_murk",
        Before("use crate::"),
        "use crate::NAME;",
    ),
    (
        "fuzz/src/tables.rs",
        "    let kinds = [",
        Before("    ];"),
        "        NAME::seeds(),",
    ),
    (
        "fuzz/README.md",
        "| check |",
        Before("| `track_repair`"),
        "| `NAME_repair` | a file | An audit ends. A recording without errors is repaired to the same bytes; another \
         one to a shorter recording without errors, or it is refused. |",
    ),
    (
        "bench/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME = { path = \"../crates/NAME\" }",
    ),
    (
        "bench/src/main.rs",
        "mod alloc;",
        Among("mod "),
        "mod NAME;",
    ),
    (
        "bench/src/main.rs",
        "const NAMED",
        Before("];"),
        "    (\"NAME\", NAME::run),",
    ),
    (
        "docs/src/SUMMARY.md",
        "# Formats",
        End,
        "- [The format `NAME`](NAME/format.md)\n  - [Findings, and what to do about them](NAME/findings.md)",
    ),
];

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
    let of_command = [
        "gametape ",
        "gametape-cli ",
        "snapbox",
        "tempfile",
        "publish",
    ];
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

/// The words that a name can't be, each with the reason.
type Taken = BTreeMap<String, String>;

/// Keywords of Rust, also those that are reserved, and crates that every crate sees.
const RUST: [&str; 55] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "pub", "ref", "return", "self", "static", "std", "struct", "super", "test", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Refuses a name that is not fit.
fn check(name: &str, taken: &Taken) -> Result<(), String> {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !is_word {
        return Err(format!(
            "{name:?} is no name of a format: one word of lower-case letters and digits, which starts with a letter"
        ));
    }
    if RUST.contains(&name) {
        return Err(format!(
            "{name} is a word of Rust's: a module can't be called that"
        ));
    }
    match taken.get(name) {
        Some(why) => Err(format!("{name} is taken: {why}")),
        None => Ok(()),
    }
}

/// The names of this repository.
fn taken(root: &Path) -> Result<Taken, String> {
    let mut taken = Taken::new();
    for (folder, what) in [
        ("crates", "a crate"),
        ("examples", "an example"),
        ("fuzz/src", "a module of the fuzz checks"),
        ("bench/src", "a module of the benchmarks"),
        ("docs/src", "a part of the book"),
    ] {
        let entries = fs::read_dir(root.join(folder));
        for entry in entries
            .map_err(|error| format!("{folder}: {error}"))?
            .flatten()
        {
            let path = entry.path();
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
                continue;
            };
            let name = entry.file_name();
            let why = format!("{folder}/{} is {what}", name.to_string_lossy());
            taken.entry(stem.to_owned()).or_insert(why);
            if folder == "crates" {
                of_formats(&path.join("src"), &mut taken)?;
            }
        }
    }
    let registry = read(root, "crates/gametape/src/lib.rs")?;
    for line in registry.lines() {
        let module = line
            .strip_prefix("mod ")
            .or(line.rsplit_once(" as ").map(|(_, name)| name));
        let module = module.and_then(|rest| rest.strip_suffix(';'));
        let why = "crates/gametape has a module of this name";
        if let Some(name) = module {
            taken
                .entry(name.to_owned())
                .or_insert_with(|| why.to_owned());
        }
    }
    let manifest: Table = read(root, "crates/gametape/Cargo.toml")?
        .parse()
        .map_err(|error| format!("crates/gametape/Cargo.toml: {error}"))?;
    let features = manifest.get("features").and_then(Value::as_table);
    for feature in features.into_iter().flat_map(Table::keys) {
        let why = format!("crates/gametape has the feature {feature}");
        taken.entry(feature.clone()).or_insert(why);
    }
    // The type is named after the format.
    for source in [
        "examples/own-format/src/lib.rs",
        "examples/own-format/tests/format.rs",
    ] {
        let text = read(root, source)?;
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let lower = word.to_ascii_lowercase();
            if word != "Track" && Names::of(&lower).ty == word {
                let why =
                    format!("its type would be {word}, which {source} means something else by");
                taken.entry(lower).or_insert(why);
            }
        }
    }
    Ok(taken)
}

/// Adds the names and file name extensions of the formats below a folder of sources.
fn of_formats(folder: &Path, taken: &mut Taken) -> Result<(), String> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            of_formats(&path, taken)?;
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let line = line.trim_start();
            let named = line
                .split_once("FormatInfo::new(")
                .map(|(_, rest)| (rest, "name"));
            let extensions = line
                .strip_prefix("extensions: &[")
                .map(|rest| (rest, "extension"));
            let Some((rest, what)) = named.or(extensions) else {
                continue;
            };
            let quoted = rest.split('"').skip(1).step_by(2);
            for word in quoted.take(if what == "name" { 1 } else { usize::MAX }) {
                let why = format!("it is the {what} of a format");
                taken.entry(word.to_owned()).or_insert(why);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

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

    #[test]
    fn names_that_are_not_fit_are_refused_with_the_reason() {
        let taken = taken(&root()).unwrap();
        for (name, why) in [
            ("", "one word"),
            ("Dice", "one word"),
            ("two words", "one word"),
            ("two-words", "one word"),
            ("3d", "one word"),
            ("würfel", "one word"),
            ("match", "a word of Rust's"),
            ("std", "a word of Rust's"),
            ("murk", "crates/murk is a crate"),
            ("rmv", "fuzz/src/rmv is a module"),
            ("echoreplay", "of a format"),
            ("mcap", "the extension of a format"),
            ("rows", "a module of this name"),
            ("default", "the feature default"),
            ("track", "a module of the fuzz checks"),
            ("walk", "its type would be Walk"),
            ("rule", "its type would be Rule"),
        ] {
            let refused = check(name, &taken).unwrap_err();
            assert!(refused.contains(why), "{name}: {refused}");
        }
        for name in ["dice", "avf", "evf2", "nevrcap", "tape2"] {
            assert_eq!(check(name, &taken), Ok(()), "{name}");
        }
    }
}
