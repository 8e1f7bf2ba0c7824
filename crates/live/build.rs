//! Carries the page along: the one that lies in the package, or that `cargo xtask viewer` built, where it was.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=GAMETAPE_PAGE");
    println!("cargo::rerun-if-changed=build.rs");
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let page = env::var_os("GAMETAPE_PAGE").map(PathBuf::from);
    // A package can't reach what lies beside it: for a release, the page is put into it. In the repository, what a
    // release left there is out of date.
    let is_package = !manifest.join("../../viewer/build.ts").exists();
    let page = page.unwrap_or_else(|| {
        manifest.join(if is_package {
            "page"
        } else {
            "../../target/viewer/dist"
        })
    });
    // Built or gone, it is to be noticed: cargo looks at what is there, however deep.
    println!("cargo::rerun-if-changed={}", page.display());
    let mut files = Vec::new();
    find(&page, "", &mut files);
    files.sort();
    let mut code = String::from("pub const FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in files {
        let _ = writeln!(
            code,
            "    ({name:?}, include_bytes!({:?})),",
            path.to_string_lossy()
        );
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    if let Err(error) = fs::write(out.join("page.rs"), code) {
        println!("cargo::error=page.rs can't be written: {error}");
    }
}

fn find(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let Ok(path) = entry.path().canonicalize() else {
            continue;
        };
        // A link to a folder may lead back to this one.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&path, &format!("{name}/"), files);
        } else if path.is_file() {
            files.push((name, path));
        }
    }
}
