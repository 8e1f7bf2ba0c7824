//! Writes the seeds to `fuzz/corpus/<target>/`, where libFuzzer begins; further folders of
//! recordings named as arguments are copied there for the targets that read recordings.

use std::io;
use std::path::{Path, PathBuf};

use gametape_fuzz::CHECKS;

fn main() -> io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut recordings: Vec<PathBuf> = Vec::new();
    for folder in std::env::args_os().skip(1) {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rmv") {
                recordings.push(path);
            }
        }
    }
    for check in CHECKS {
        let folder = fuzz.join("corpus").join(check.name);
        std::fs::create_dir_all(&folder)?;
        let seeds = (check.seeds)();
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:02}")), seed)?;
        }
        // Scripts are not recordings.
        let reads = check.name != "rmv_engine";
        for path in recordings.iter().filter(|_| reads) {
            if let Some(name) = path.file_name() {
                std::fs::copy(path, folder.join(name))?;
            }
        }
        let copied = if reads { recordings.len() } else { 0 };
        println!(
            "{}: {} seeds, {copied} recordings",
            folder.display(),
            seeds.len()
        );
    }
    Ok(())
}
