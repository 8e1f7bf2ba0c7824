//! The check that `GAMETAPE_CHECK` names, under libFuzzer: `cargo xtask fuzz` sets it.

#![no_main]

use std::sync::LazyLock;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("GAMETAPE_CHECK").unwrap_or_default();
    let mut names = Vec::new();
    for check in gametape_fuzz::checks() {
        if check.name == name {
            return check.run;
        }
        names.push(check.name);
    }
    eprintln!("GAMETAPE_CHECK is {name:?}; it can be {}", names.join(", "));
    std::process::exit(2);
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| RUN(data));
