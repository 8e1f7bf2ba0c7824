//! The header in the repository is the one that cbindgen makes of the crate.

use std::process::Command;
use std::{env, fs};

use crate::common::skipped;

/// Other versions may write another header. `xtask/src/test.rs` installs this one.
const CBINDGEN: &str = "cbindgen 0.29.4";

#[test]
fn the_header_is_made_of_the_crate() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/include/gametape.h");
    let run = |args: &[&str]| {
        let output = Command::new("cbindgen")
            .current_dir(folder)
            .args(args)
            .output();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        output.map(|output| {
            (
                output.status.success(),
                text(output.stdout),
                text(output.stderr),
            )
        })
    };
    let version = match run(&["--version"]) {
        Ok((_, version, _)) => version,
        Err(error) => {
            skipped(&format!("the header was not made again: cbindgen: {error}"));
            assert!(
                env::var("CI").as_deref() != Ok("true"),
                "cargo install cbindgen"
            );
            return;
        }
    };
    assert_eq!(version.trim(), CBINDGEN);
    let made = run(&["--quiet", "--config", "cbindgen.toml", "src/lib.rs"]).unwrap();
    let (success, header, problems) = made;
    assert!(success, "{problems}");
    if env::var_os("GAMETAPE_BLESS").is_some() {
        fs::write(&path, &header).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == header,
        "include/gametape.h is not what cbindgen makes: GAMETAPE_BLESS=1 cargo test -p gametape-c header"
    );
}
