//! The files that start a cluster.

use std::path::Path;
use std::process::Command;

use crate::bucket::python;
use crate::started::PROGRAM;

fn deployed() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy"))
}

#[test]
fn kubernetes_would_take_the_manifest() {
    let Some(python) = python() else {
        return;
    };
    let script = "\
import sys, yaml, kubernetes_validate
for document in yaml.safe_load_all(open(sys.argv[1])):
    version = kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
    print(document['kind'], version)";
    let output = Command::new(python)
        .args(["-c", script])
        .arg(deployed().join("kubernetes.yaml"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(told.lines().count(), 3, "{told}");
}

/// The help of a part of the program.
fn help(of: &str) -> String {
    let help = Command::new(PROGRAM).args([of, "--help"]).output().unwrap();
    String::from_utf8(help.stdout).unwrap()
}

/// The options that a text names.
fn options(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
    words.filter(|word| {
        word.strip_prefix("--")
            .is_some_and(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()))
    })
}

#[test]
fn the_options_of_the_page_are_known() {
    let page = std::fs::read_to_string(deployed().join("../docs/src/cluster.md")).unwrap();
    let known = ["scheduler", "executor", "query"].map(help).join("");
    // This one is an option of cargo's.
    let named: Vec<_> = options(&page).filter(|name| *name != "--path").collect();
    assert!(named.len() > 10, "{named:?}");
    for option in named {
        assert!(known.contains(option), "{option}");
    }
}

#[test]
fn the_options_of_units_and_manifest_are_known() {
    for (file, role) in [
        ("systemd/gametape-scheduler.service", "scheduler"),
        ("systemd/gametape-executor.service", "executor"),
        ("kubernetes.yaml", "executor"),
    ] {
        let text = std::fs::read_to_string(deployed().join(file)).unwrap();
        let help = help(role);
        let mut named = options(&text).peekable();
        assert!(named.peek().is_some(), "{file}");
        for option in named {
            assert!(help.contains(option), "{file}: {option}");
        }
    }
}
