//! Crates outside of this workspace: a format with the manifest that CONTRIBUTING.md shows, over the sources that it
//! says to copy; and the example for Bevy.

use std::fs;
use std::path::Path;

use crate::ran::{Ran, counted};
use crate::{cargo, root};

/// The name of these tests.
pub const NAME: &str = "the manifest in CONTRIBUTING.md";

/// The heading over the manifest.
const BEFORE: &str = "### A format outside of this repository";

/// Builds and tests a copy of the example with that manifest.
pub fn test() -> Result<Ran, String> {
    let root = root();
    let folder = root.join("target/outside");
    let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
    let _ = fs::remove_dir_all(&folder);
    for part in ["src", "tests", "docs"] {
        copy(
            &root.join("examples/own-format").join(part),
            &folder.join(part),
        )
        .map_err(fail)?;
    }
    // With our versions, nothing has to be fetched.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(fail)?;
    let read = |path: &str| fs::read_to_string(root.join(path)).map_err(fail);
    let text = manifest(&read("CONTRIBUTING.md")?, &read("Cargo.toml")?, &root)?;
    fs::write(folder.join("Cargo.toml"), text).map_err(fail)?;
    // In our target folder, what the workspace has built is not built again.
    counted(
        cargo()
            .args([
                "test",
                "--offline",
                "--no-fail-fast",
                "--target-dir",
                "target",
            ])
            .args(["--manifest-path", "target/outside/Cargo.toml"]),
    )
}

/// The name of the tests of the example for Bevy.
pub const BEVY: &str = "examples/bevy";

/// The manifest of that example, a workspace of its own.
pub const BEVY_MANIFEST: &str = "examples/bevy/Cargo.toml";

/// Tests the example for Bevy, and runs it. It fails if its clients don't see what its server has.
pub fn bevy() -> Result<Ran, String> {
    let of = |command: &str| {
        let mut cargo = cargo();
        cargo.args([command, "--locked", "--manifest-path", BEVY_MANIFEST]);
        // A folder of its own, so that neither waits for the other's builds.
        cargo.args(["--target-dir", "target/bevy"]);
        cargo
    };
    let mut ran = counted(&mut of("test"))?;
    if ran.success {
        let run = of("run").output().map_err(|error| error.to_string())?;
        ran.success = run.status.success();
        for text in [run.stdout, run.stderr] {
            ran.output.push_str(&String::from_utf8_lossy(&text));
        }
    }
    Ok(ran)
}

/// The manifest of the text, with a package, the path of this repository, and its profiles: with others, all would
/// be built anew.
fn manifest(text: &str, ours: &str, root: &Path) -> Result<String, String> {
    let shown = text
        .split_once(BEFORE)
        .and_then(|(_, rest)| rest.split_once("```toml\n"))
        .and_then(|(_, rest)| rest.split_once("```"));
    let (shown, _) =
        shown.ok_or_else(|| format!("CONTRIBUTING.md has no block of TOML after {BEFORE:?}"))?;
    let profiles = ours.find("\n[profile.").and_then(|at| ours.get(at..));
    let package = "[package]\nname = \"own-format\"\nedition = \"2024\"\n\n[workspace]\n\n";
    let shown = shown.replace('…', &root.to_string_lossy());
    Ok([package, &shown, profiles.unwrap_or_default()].concat())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use toml::Table;

    use super::*;

    #[test]
    fn the_manifest_of_the_text_parses_and_has_what_the_example_has() {
        let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let text = manifest(&read("CONTRIBUTING.md"), &read("Cargo.toml"), &root()).unwrap();
        let outside: Table = text.parse().unwrap();
        let inside: Table = read("examples/own-format/Cargo.toml").parse().unwrap();
        for part in ["dependencies", "dev-dependencies"] {
            let [inside, outside] = [&inside, &outside].map(|manifest| {
                let all = manifest[part].as_table().unwrap();
                all.keys().cloned().collect::<Vec<_>>()
            });
            assert_eq!(inside, outside, "{part}");
        }
        assert!(
            outside["profile"]["dev"]["package"]
                .get("zlib-rs")
                .is_some()
        );
        assert!(manifest("# Contributing", "", Path::new("")).is_err());
    }
}
