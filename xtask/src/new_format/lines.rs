//! The files that a format is copied from, and its lines in the files that list formats.

/// The files of the example, and those that they become; `NAME` is the format's.
pub const COPIES: [(&str, &str); 7] = [
    ("examples/own-format/Cargo.toml", "crates/NAME/Cargo.toml"),
    ("examples/own-format/src/lib.rs", "crates/NAME/src/lib.rs"),
    (
        "examples/own-format/tests/format.rs",
        "crates/NAME/tests/format.rs",
    ),
    (
        "examples/own-format/docs/format.md",
        "docs/src/NAME/format.md",
    ),
    (
        "examples/own-format/docs/findings.md",
        "docs/src/NAME/findings.md",
    ),
    ("fuzz/src/track.rs", "fuzz/src/NAME.rs"),
    ("bench/src/track.rs", "bench/src/NAME.rs"),
];

/// Where a line goes, after the first line that starts with a text.
pub enum At {
    /// Before the first line that starts with this.
    Before(&'static str),
    /// Among the lines that start with this, by the alphabet.
    Among(&'static str),
    /// At the end.
    End,
}

use At::{Among, Before, End};

/// The lines that a format has in the files that list formats: the file, the start of the line that they come
/// after, their place, and the lines, in which `NAME` and `TYPE` are the format's.
pub const LINES: [(&str, &str, At, &str); 17] = [
    (
        "Cargo.toml",
        "[workspace.dependencies]",
        Among("gametape-"),
        "gametape-NAME = { path = \"crates/NAME\", version = \"0.1.0\" }",
    ),
    (
        "xtask/src/arrows.rs",
        "const ARROWS",
        Before("    (\"live\""),
        "    (\"NAME\", &[\"core\"]),",
    ),
    (
        "crates/gametape/Cargo.toml",
        "[features]",
        Before("# "),
        "# Recordings in the format `NAME`.\nNAME = [\"dep:gametape-NAME\"]",
    ),
    (
        "crates/gametape/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME = { workspace = true, optional = true }",
    ),
    (
        "crates/gametape/src/registry.rs",
        "pub fn formats()",
        Before("    formats"),
        "    #[cfg(feature = \"NAME\")]\n    let formats = formats.with(gametape_NAME::TYPE);",
    ),
    (
        "crates/gametape/src/lib.rs",
        "pub use gametape_core as core",
        Before("/// Compiles"),
        "/// Recordings in the format `NAME`.\n#[cfg(feature = \"NAME\")]\npub use gametape_NAME as NAME;\n",
    ),
    (
        "crates/gametape/tests/all/samples.rs",
        "pub fn samples",
        Before("        other =>"),
        "        \"NAME\" => vec![gametape::NAME::EXAMPLE.into()],",
    ),
    (
        "crates/cli/tests/all/kit.rs",
        "pub fn samples",
        Before("        other =>"),
        "        \"NAME\" => vec![Sample::new(\"a.NAME\", gametape::NAME::EXAMPLE)],",
    ),
    (
        "fuzz/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME.workspace = true",
    ),
    (
        "fuzz/src/lib.rs",
        "mod check;",
        Among("pub mod "),
        "pub mod NAME;",
    ),
    (
        "fuzz/src/lib.rs",
        "const ALL",
        Before("    track::CHECKS"),
        "    NAME::CHECKS,",
    ),
    (
        "fuzz/src/tables.rs",
        "    let kinds = [",
        Before("    ];"),
        "        crate::NAME::seeds(),",
    ),
    (
        "fuzz/README.md",
        "| check |",
        Before("| `track_repair`"),
        "| `NAME_repair` | a file | An audit ends. A recording without errors is repaired to the same bytes; another \
         one to a shorter recording without errors, or it is refused. |",
    ),
    (
        "bench/Cargo.toml",
        "[dependencies]",
        Among("gametape-"),
        "gametape-NAME = { path = \"../crates/NAME\" }",
    ),
    (
        "bench/src/main.rs",
        "mod alloc;",
        Among("mod "),
        "mod NAME;",
    ),
    (
        "bench/src/main.rs",
        "const NAMED",
        Before("];"),
        "    (\"NAME\", NAME::run),",
    ),
    (
        "docs/src/SUMMARY.md",
        "# Formats",
        End,
        "- [The format `NAME`](NAME/format.md)\n  - [Findings, and what to do about them](NAME/findings.md)",
    ),
];
