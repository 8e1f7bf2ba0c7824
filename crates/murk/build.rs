//! Tells the crate what builds it: recordings carry it, and audits compare it.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        // `rustc 1.95.0 (…)`
        .and_then(|line| line.split_whitespace().nth(1).map(str::to_owned))
        .unwrap_or_default();
    println!("cargo::rustc-env=GAMETAPE_TOOLCHAIN={version}");
    for (name, variable) in [("TARGET", "TARGET"), ("PROFILE", "PROFILE")] {
        let value = env::var(variable).unwrap_or_default();
        println!("cargo::rustc-env=GAMETAPE_{name}={value}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
