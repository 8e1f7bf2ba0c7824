//! The arrows of the house: which crate depends on which, and that the modules of a crate form no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::modules::{self, Uses};

/// The crates of ours that a crate may depend on: arrows point up only.
const ARROWS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("delta-derive", &[]),
    ("delta", &["core", "delta-derive"]),
    ("capture", &["core", "delta"]),
    ("murk", &["core"]),
    ("echo", &["core"]),
    ("mines", &["core"]),
    ("tables", &["core"]),
    ("live", &["capture", "core", "gametape"]),
    ("picture", &["gametape"]),
    ("query", &["core", "gametape", "tables"]),
    ("cluster", &["gametape", "query"]),
];

/// The crates that other languages use: on these nothing depends.
const BINDINGS: [(&str, &[&str]); 2] = [
    ("c", &["capture", "core", "delta"]),
    ("python", &["core", "gametape", "picture", "tables"]),
];

/// The crates that may depend on all others but the surfaces.
const ABOVE: [&str; 3] = ["gametape", "samples", TESTKIT];

/// The crates on top: none but each other depends on them.
const SURFACES: [&str; 2] = ["cli", "record"];

/// The code that tests, fuzz checks and benchmarks share: no other crate depends on it.
const TESTKIT: &str = "testkit";

/// Returns a sentence for every arrow against the design, and for every circle.
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
        let ours = dependencies(&manifest)
            .map_err(|error| format!("crates/{name}/Cargo.toml: {error}"))?;
        if ours.contains(TESTKIT) {
            wrong.push(format!(
                "crates/{name} depends on {TESTKIT}, which is for tests"
            ));
        }
        for (language, _) in BINDINGS.iter().filter(|(of, _)| ours.contains(*of)) {
            wrong.push(format!(
                "crates/{name} depends on bindings/{language}, which is for another language alone"
            ));
        }
        if let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| known == name) {
            let against = ours
                .iter()
                .filter(|other| !allowed.contains(&other.as_str()));
            wrong.extend(against.map(|other| format!("crates/{name} depends on {other}")));
        } else if ABOVE.contains(&name.as_str()) {
            let against = ours
                .iter()
                .filter(|other| SURFACES.contains(&other.as_str()));
            wrong.extend(
                against.map(|other| format!("crates/{name} depends on the surface {other}")),
            );
        } else if !SURFACES.contains(&name.as_str()) {
            wrong.push(format!(
                "crates/{name} is not in xtask/src/arrows.rs: say what it may depend on"
            ));
        }
    }
    for (language, allowed) in BINDINGS {
        let folder = format!("bindings/{language}");
        let manifest = root.join(&folder).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap_or_default();
        let ours =
            dependencies(&manifest).map_err(|error| format!("{folder}/Cargo.toml: {error}"))?;
        let against = ours
            .iter()
            .filter(|other| !allowed.contains(&other.as_str()));
        wrong.extend(against.map(|other| format!("{folder} depends on {other}")));
    }
    let crates = names.iter().map(|name| format!("crates/{name}"));
    let bindings = BINDINGS.map(|(language, _)| format!("bindings/{language}"));
    for folder in crates.chain(bindings).chain(["xtask".to_owned()]) {
        let uses = modules::uses(&root.join(&folder).join("src"))?;
        let circles = circles(&uses);
        let circles = circles.iter().map(|circle| described(circle, &uses));
        wrong.extend(circles.map(|circle| format!("{folder}: {circle}")));
    }
    Ok(wrong)
}

/// Describes a circle: its modules, and each arrow with the path that makes it.
fn described(circle: &[String], uses: &Uses) -> String {
    let root = |module: &str| {
        if module.is_empty() {
            "the root".to_owned()
        } else {
            module.to_owned()
        }
    };
    let names: Vec<String> = circle.iter().map(|module| root(module)).collect();
    let arrows = circle.iter().flat_map(|from| {
        let within = uses.get(from).into_iter().flatten();
        let within = within.filter(|(to, _)| circle.contains(to));
        within.map(move |(to, path)| format!("\n    {} -> {}: {path}", root(from), root(to)))
    });
    let arrows: String = arrows.collect();
    format!("a circle of modules: {}{arrows}", names.join(", "))
}

/// The folders of our crates that a manifest depends on, on any target, without those of its tests.
fn dependencies(manifest: &str) -> Result<BTreeSet<String>, toml::de::Error> {
    let manifest: Table = manifest.parse()?;
    let targets = manifest.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let places = std::iter::once(&manifest).chain(targets.filter_map(Value::as_table));
    let named = places
        .flat_map(|place| ["dependencies", "build-dependencies"].map(|table| place.get(table)))
        .flatten()
        .filter_map(Value::as_table)
        .flatten();
    Ok(named
        .filter_map(|(name, of)| {
            // A dependency may stand under another name than its package's.
            let name = of.get("package").and_then(Value::as_str).unwrap_or(name);
            let folder = match name.strip_prefix("gametape") {
                Some("") => name,
                Some(rest) => rest.strip_prefix('-')?,
                None => return None,
            };
            Some(folder.to_owned())
        })
        .collect())
}

/// Returns the modules that reach each other.
pub fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = uses
        .keys()
        .map(|from| {
            let mut seen = BTreeSet::new();
            let mut open = vec![from];
            while let Some(next) = open.pop() {
                for target in uses.get(next).into_iter().flat_map(BTreeMap::keys) {
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

    fn of(manifest: &str) -> Vec<String> {
        dependencies(manifest).unwrap().into_iter().collect()
    }

    #[test]
    fn dependencies_are_ours_alone_and_not_those_of_tests() {
        let manifest = "[dependencies]\ngametape-core.workspace = true\nserde = \"1\"\n\
                        gametape-delta = { workspace = true }\n[dev-dependencies]\n\
                        gametape-samples.workspace = true\n";
        assert_eq!(of(manifest), ["core", "delta"]);
    }

    #[test]
    fn the_registry_is_a_dependency_too() {
        assert_eq!(
            of("[dependencies]\ngametape.workspace = true\n"),
            ["gametape"]
        );
        assert_eq!(of("[dependencies]\ngametapes = \"1\"\n"), [""; 0]);
        // Under another name, and in a table of its own.
        assert_eq!(
            of("[dependencies.ground]\npackage = \"gametape-core\"\nworkspace = true\n"),
            ["core"]
        );
    }

    #[test]
    fn dependencies_of_one_target_are_dependencies() {
        let manifest = "[target.'cfg(unix)'.dependencies]\ngametape-cli.workspace = true\n\
                        [target.'cfg(unix)'.dev-dependencies]\ngametape-samples = \"1\"\n";
        assert_eq!(of(manifest), ["cli"]);
    }
}
