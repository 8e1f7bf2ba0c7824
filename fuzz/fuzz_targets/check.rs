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

// A name that is none ends it before libFuzzer takes that for a crash.
libfuzzer_sys::fuzz_target!(
    init: {
        LazyLock::force(&RUN);
    },
    |data: &[u8]| RUN(data)
);
