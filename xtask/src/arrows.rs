//! The arrows of the house: which crate stands on which, and that no modules of a crate know each
//! other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What a crate may stand on, of our own: arrows point up only.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("delta-derive", &[]),
    ("delta", &["core", "delta-derive"]),
    ("capture", &["core", "delta"]),
    ("murk", &["core"]),
    ("echo", &["core"]),
    ("mines", &["core"]),
    ("live", &["capture", "core", "gametape"]),
];

/// Who stands on the formats: on any of them, and on each other but for the surfaces.
const ABOVE: [&str; 2] = ["gametape", "samples"];
/// Nobody below stands on these.
const SURFACES: [&str; 2] = ["cli", "record"];

/// Every arrow against the design, and every circle, a sentence each.
pub fn check(root: &Path) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    let crates = root.join("crates");
    let entries =
        fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        let folder = crates.join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let ours = dependencies(&manifest);
        if let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| known == name) {
            let against = ours
                .iter()
                .filter(|other| !allowed.contains(&other.as_str()));
            wrong.extend(against.map(|other| format!("crates/{name} stands on {other}")));
        } else if ABOVE.contains(&name.as_str()) {
            let against = ours
                .iter()
                .filter(|other| SURFACES.contains(&other.as_str()));
            wrong.extend(
                against.map(|other| format!("crates/{name} stands on the surface {other}")),
            );
        } else if !SURFACES.contains(&name.as_str()) {
            wrong.push(format!(
                "crates/{name} is not in xtask/src/arrows.rs: say what it may stand on"
            ));
        }
        let circles = circles(&uses(&folder.join("src")));
        wrong.extend(
            circles
                .iter()
                .map(|circle| format!("crates/{name}: a circle of modules: {}", circle.join(", "))),
        );
    }
    Ok(wrong)
}

/// The names of our crates that a manifest's `[dependencies]` name.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut within = false;
    let mut ours = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            within = line == "[dependencies]";
        } else if within {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if let Some(name) = name.strip_prefix("gametape-") {
                ours.insert(name.to_owned());
            }
        }
    }
    ours
}

/// Modules by their path (`crate::a::b` is `a::b`), and the modules that each takes names from.
fn uses(src: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = BTreeMap::new();
    collect(src, &mut Vec::new(), &mut files);
    let texts: BTreeMap<&String, String> = files
        .iter()
        .map(|(module, path)| (module, code_of(path)))
        .collect();
    let known: BTreeSet<&String> = files.keys().collect();
    // What a module hands on of its children's: `pub use child::Name`.
    let mut handed: BTreeMap<String, String> = BTreeMap::new();
    for (module, text) in &texts {
        for path in paths(text, module) {
            let (from, name) = path.rsplit_once("::").unwrap_or(("", &path));
            if known.contains(&from.to_owned()) && from != module.as_str() {
                handed.insert(join(module, name), from.to_owned());
            }
        }
    }
    files
        .keys()
        .map(|module| {
            let text = texts.get(module).map_or("", String::as_str);
            let targets = paths(text, module)
                .into_iter()
                .filter_map(|path| home(&path, &known, &handed))
                .filter(|target| target != module)
                .collect();
            (module.clone(), targets)
        })
        .collect()
}

/// The module that a name is of: where it is handed on from, followed to the end.
fn home(
    path: &str,
    known: &BTreeSet<&String>,
    handed: &BTreeMap<String, String>,
) -> Option<String> {
    let mut path = path.to_owned();
    for steps in 0..8 {
        if known.contains(&path) {
            return Some(path);
        }
        let (module, name) = path.rsplit_once("::").unwrap_or(("", &path));
        let length = module.len();
        match handed.get(&path) {
            Some(from) => path = join(from, name),
            // What the root itself defines is named directly; else it is nothing of ours.
            None if module.is_empty() && steps > 0 => return None,
            None if known.contains(&module.to_owned()) => return Some(module.to_owned()),
            None => path.truncate(length),
        }
    }
    None
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}::{name}")
    }
}

fn collect(folder: &Path, at: &mut Vec<String>, files: &mut BTreeMap<String, PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if path.is_dir() {
            at.push(stem.to_owned());
            collect(&path, at, files);
            at.pop();
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let mut module = at.clone();
            if !matches!(stem, "mod" | "lib" | "main") {
                module.push(stem.to_owned());
            }
            if stem != "main" && stem != "tests" {
                files.insert(module.join("::"), path);
            }
        }
    }
}

/// A file without comments, and without its tests, which stand at its end.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths of `use` declarations, from the root of the crate; children of `module` that are named
/// by themselves, too.
fn paths(text: &str, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    let declared: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let line = line.strip_prefix("pub ").unwrap_or(line);
            line.strip_prefix("mod ")?.strip_suffix(';')
        })
        .collect();
    for declaration in text.split("use ").skip(1) {
        let Some((tree, _)) = declaration.split_once(';') else {
            continue;
        };
        let tree: String = tree.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut leaves = Vec::new();
        spread("", &tree, &mut leaves);
        for leaf in leaves {
            let mut parts: Vec<&str> = leaf.split("::").collect();
            let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
            match parts.first().copied() {
                Some("crate") => {
                    base.clear();
                    parts.remove(0);
                }
                Some("self") => {
                    parts.remove(0);
                }
                Some("super") => {
                    while parts.first() == Some(&"super") {
                        base.pop();
                        parts.remove(0);
                    }
                }
                Some(first) if declared.contains(&first) => {}
                _ => continue,
            }
            base.extend(parts);
            found.push(base.join("::"));
        }
    }
    found
}

/// `a::{b, c::{d}}` as `a::b`, `a::c::d`.
fn spread(before: &str, tree: &str, leaves: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree).trim();
        match name {
            "" => {}
            "self" => leaves.push(before.trim_end_matches("::").to_owned()),
            name => leaves.push(format!("{before}{}", name.trim_end_matches("::*"))),
        }
        return;
    };
    let (head, rest) = tree.split_at(open);
    let inner = rest.trim_start_matches('{');
    let inner = inner.strip_suffix('}').unwrap_or(inner);
    let before = format!("{before}{}", head.trim());
    let (mut depth, mut from) = (0_u32, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                spread(&before, inner.get(from..at).unwrap_or_default(), leaves);
                from = at + 1;
            }
            _ => {}
        }
    }
    spread(&before, inner.get(from..).unwrap_or_default(), leaves);
}

/// Modules that reach each other.
fn circles(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = uses
        .keys()
        .map(|from| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from];
            while let Some(next) = open.pop() {
                for target in uses.get(next).into_iter().flatten() {
                    if seen.insert(target) {
                        open.push(target);
                    }
                }
            }
            (from, seen)
        })
        .collect();
    let reaches = |a: &String, b: &String| reach.get(a).is_some_and(|seen| seen.contains(b));
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for module in uses.keys().filter(|module| reaches(module, module)) {
        let circle = uses
            .keys()
            .filter(|b| reaches(module, b) && reaches(b, module));
        circles.insert(circle.cloned().collect());
    }
    circles.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modules(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = std::env::temp_dir().join(format!(
            "gametape-arrows-{}-{}",
            std::process::id(),
            files.len() * 1000 + files.iter().map(|(_, text)| text.len()).sum::<usize>()
        ));
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let circles = circles(&uses(&folder));
        fs::remove_dir_all(folder).unwrap();
        circles
    }

    #[test]
    fn circles_are_found_through_groups_and_through_what_is_handed_on() {
        assert_eq!(
            modules(&[
                ("lib.rs", "mod a;\nmod b;\npub use b::B;\n"),
                ("a.rs", "use crate::{B, other::X};\npub struct A;\n"),
                ("b.rs", "use super::a::A;\npub struct B;\n"),
            ]),
            [["a", "b"]]
        );
        assert_eq!(
            modules(&[
                ("lib.rs", "mod a;\nmod c;\npub use a::A;\n"),
                (
                    "a/mod.rs",
                    "mod inner;\npub use inner::Inner;\npub struct A;\n"
                ),
                (
                    "a/inner.rs",
                    "use crate::c::C;\n// use super::A;\npub struct Inner;\n"
                ),
                (
                    "c.rs",
                    "pub struct C;\n\n#[cfg(test)]\nmod tests { use crate::A; }\n"
                ),
            ]),
            Vec::<Vec<String>>::new()
        );
    }

    #[test]
    fn dependencies_are_ours_alone_and_not_those_of_tests() {
        let manifest = "[dependencies]\ngametape-core.workspace = true\nserde = \"1\"\n\
                        gametape-delta = { workspace = true }\n[dev-dependencies]\n\
                        gametape-samples.workspace = true\n";
        let ours: Vec<String> = dependencies(manifest).into_iter().collect();
        assert_eq!(ours, ["core", "delta"]);
    }
}
