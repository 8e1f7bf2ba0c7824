//! What the manifest of a crate has to say before it can be published.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

/// The categories of crates.io that our crates use. It drops one that it does not know.
const CATEGORIES: &[&str] = &[
    "command-line-utilities",
    "development-tools::testing",
    "encoding",
    "game-development",
    "games",
    "network-programming",
    "no-std",
    "parser-implementations",
    "science",
    "simulation",
    "visualization",
    "web-programming::http-server",
];

/// The files that every package carries.
const FILES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Returns a sentence for everything that is missing from the crates that are published.
pub fn check(root: &Path) -> Result<Vec<String>, String> {
    let workspace = read(&root.join("Cargo.toml"))?;
    let mut wrong = unversioned(&workspace);
    let crates = root.join("crates");
    let entries =
        fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        let manifest = read(&folder.join("Cargo.toml"))?;
        let missing = missing(&manifest, |file| fs::read_to_string(folder.join(file)).ok());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        wrong.extend(missing.iter().map(|what| format!("crates/{name}: {what}")));
    }
    Ok(wrong)
}

fn read(path: &Path) -> Result<Table, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.parse()
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// A path means nothing to those who download a package: each of our crates needs the workspace's version beside it.
fn unversioned(workspace: &Table) -> Vec<String> {
    let at = |table: &str| workspace.get("workspace")?.get(table)?.as_table();
    let version = at("package").and_then(|package| package.get("version"));
    let dependencies = at("dependencies").into_iter().flatten();
    let ours = dependencies.filter(|(_, of)| of.get("path").is_some());
    ours.filter(|(_, of)| version.is_none() || of.get("version") != version)
        .map(|(name, _)| format!("Cargo.toml: {name} needs the version of the workspace"))
        .collect()
}

/// Returns what a crate lacks; nothing if it is not published. `file` reads a file of the crate.
fn missing(manifest: &Table, file: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let package = manifest.get("package").and_then(Value::as_table);
    let Some(package) = package else {
        return vec!["Cargo.toml has no package".to_owned()];
    };
    if package.get("publish").and_then(Value::as_bool) == Some(false) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    let text = |key: &str| package.get(key).and_then(Value::as_str);
    for key in ["authors", "edition", "license", "rust-version", "version"] {
        let inherited = package.get(key).and_then(|value| value.get("workspace"));
        if inherited != Some(&Value::Boolean(true)) {
            wrong.push(format!("{key}.workspace = true is missing"));
        }
    }
    if text("description").is_none_or(str::is_empty) {
        wrong.push("description is missing".to_owned());
    }
    if text("readme") != Some("README.md") {
        wrong.push("readme = \"README.md\" is missing".to_owned());
    }
    let docs = format!("https://docs.rs/{}", text("name").unwrap_or_default());
    if text("documentation") != Some(&docs) {
        wrong.push(format!("documentation = {docs:?} is missing"));
    }
    let words = |key: &str| -> Vec<&str> {
        let list = package.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    };
    for key in ["keywords", "categories"] {
        let count = words(key).len();
        if !(1..=5).contains(&count) {
            wrong.push(format!("{count} {key}: crates.io takes 1 to 5"));
        }
    }
    let words_against = words("keywords");
    let against = words_against.iter().filter(|word| !is_keyword(word));
    wrong.extend(against.map(|word| format!("crates.io does not take the keyword {word:?}")));
    let categories = words("categories");
    let unknown = categories.iter().filter(|of| !CATEGORIES.contains(of));
    wrong.extend(unknown.map(|of| {
        format!("{of:?} is not in xtask/src/manifests.rs: is it a category of crates.io?")
    }));
    let docs_rs = package
        .get("metadata")
        .and_then(|of| of.get("docs"))
        .and_then(|of| of.get("rs"));
    let all = docs_rs.and_then(|of| of.get("all-features"));
    if manifest.contains_key("features") && all != Some(&Value::Boolean(true)) {
        wrong.push("[package.metadata.docs.rs] all-features = true is missing".to_owned());
    }
    for name in FILES {
        match file(name) {
            None => wrong.push(format!("{name} is missing")),
            Some(text) => {
                let links = text.split("](").skip(1).filter(|link| !is_absolute(link));
                let links = links.filter_map(|link| link.split(')').next());
                wrong.extend(
                    links.map(|link| format!("{name}: the link {link} leads out of the package")),
                );
            }
        }
    }
    wrong
}

/// Whether crates.io takes a keyword.
fn is_keyword(word: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+-_".contains(c);
    word.len() <= 20
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && word.chars().all(allowed)
}

/// Whether a link of a README means the same wherever the README is shown.
fn is_absolute(link: &str) -> bool {
    ["https://", "http://", "#"]
        .iter()
        .any(|start| link.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = r#"
        [package]
        name = "gametape-dice"
        description = "Throws of dice"
        version.workspace = true
        edition.workspace = true
        rust-version.workspace = true
        license.workspace = true
        authors.workspace = true
        readme = "README.md"
        documentation = "https://docs.rs/gametape-dice"
        keywords = ["dice"]
        categories = ["games"]
        [features]
        tape = []
        [package.metadata.docs.rs]
        all-features = true
    "#;

    fn of(manifest: &str, readme: &str) -> Vec<String> {
        let manifest = manifest.parse().unwrap();
        missing(&manifest, |name| {
            let is_readme = name == "README.md";
            Some(if is_readme { readme } else { "a licence" }.to_owned())
        })
    }

    #[test]
    fn a_crate_that_says_all_lacks_nothing() {
        let readme = "[docs](https://docs.rs/gametape-dice), [below](#below)";
        assert_eq!(of(SOUND, readme), [""; 0]);
    }

    #[test]
    fn each_line_that_is_taken_away_is_missed() {
        let lines = SOUND.lines().filter(|line| line.contains(" = "));
        for line in lines.filter(|line| !line.contains("name =") && !line.contains("tape =")) {
            assert_eq!(of(&SOUND.replace(line, ""), "").len(), 1, "{line}");
        }
    }

    #[test]
    fn a_crate_that_is_not_published_may_lack_all() {
        let manifest = "[package]\nname = \"dice\"\npublish = false\n"
            .parse()
            .unwrap();
        assert_eq!(missing(&manifest, |_| None), [""; 0]);
    }

    #[test]
    fn what_crates_io_refuses_is_refused_here() {
        let keywords = |words: &str| of(&SOUND.replace("[\"dice\"]", words), "");
        assert_eq!(keywords("['a', 'b', 'c', 'd', 'e', 'f']").len(), 1);
        assert_eq!(keywords("['-dice']").len(), 1);
        assert_eq!(keywords("['dice and other things']").len(), 1);
        assert_eq!(of(&SOUND.replace("[\"games\"]", "['gaming']"), "").len(), 1);
    }

    #[test]
    fn files_are_missed_and_links_out_of_the_package_are_found() {
        let manifest = SOUND.parse().unwrap();
        assert_eq!(missing(&manifest, |_| None).len(), FILES.len());
        assert_eq!(of(SOUND, "[up](../../README.md)").len(), 1);
    }

    #[test]
    fn our_crates_have_a_version_beside_their_path() {
        let with = |dice: &str| {
            let text = format!(
                "[workspace.package]\nversion = \"0.2.0\"\n[workspace.dependencies]\nserde = \"1\"\n{dice}"
            );
            unversioned(&text.parse().unwrap()).len()
        };
        assert_eq!(with("dice = { path = \"dice\", version = \"0.2.0\" }"), 0);
        assert_eq!(with("dice = { path = \"dice\", version = \"0.1.0\" }"), 1);
        assert_eq!(with("dice = { path = \"dice\" }"), 1);
    }
}
