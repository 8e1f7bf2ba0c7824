//! The name of a new format: its forms, and whether it is fit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// The names of a format in their forms.
pub struct Names {
    /// One word in lower case.
    pub word: String,
    /// The type.
    pub ty: String,
}

impl Names {
    pub fn of(name: &str) -> Self {
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
    pub fn replaced(&self, text: &str) -> String {
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

pub fn read(root: &Path, path: &str) -> Result<String, String> {
    fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
}

/// The words that a name can't be, each with the reason.
pub type Taken = BTreeMap<String, String>;

/// Keywords of Rust, also those that are reserved, and crates that every crate sees.
const RUST: [&str; 55] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "pub", "ref", "return", "self", "static", "std", "struct", "super", "test", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Refuses a name that is not fit.
pub fn check(name: &str, taken: &Taken) -> Result<(), String> {
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
pub fn taken(root: &Path) -> Result<Taken, String> {
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
    use super::*;
    use crate::root;

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
