//! The files that start a cluster.

use std::path::Path;
use std::process::Command;

use crate::started::PROGRAM;
use crate::stores::python;

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

#[test]
fn the_options_of_units_and_manifest_are_known() {
    for (file, role) in [
        ("systemd/gametape-scheduler.service", "scheduler"),
        ("systemd/gametape-executor.service", "executor"),
        ("kubernetes.yaml", "executor"),
    ] {
        let text = std::fs::read_to_string(deployed().join(file)).unwrap();
        let help = Command::new(PROGRAM)
            .args([role, "--help"])
            .output()
            .unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        let words = text.split([' ', '\n', '"', ',', '=']);
        let options = words.filter(|word| word.starts_with("--") && *word != "---");
        let mut count = 0;
        for option in options {
            assert!(help.contains(option), "{file}: {option}");
            count += 1;
        }
        assert!(count > 0, "{file}");
    }
}
