//! Real recordings, which lie beside the project and not in it.

use std::path::PathBuf;

/// The real recordings, by name; none, and loudly so, where they are not there.
pub fn real_files() -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes/rmv");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!(
            "SKIPPED: no real recordings at {}; this test has checked nothing",
            folder.display()
        );
        return Vec::new();
    };
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}
