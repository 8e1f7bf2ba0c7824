//! Writes the seeds to `fuzz/corpus/<check>/`, where libFuzzer begins; further folders of
//! recordings named as arguments are copied there for the checks that read recordings. Prints the
//! name of each check and how much it begins with: whoever runs them all reads the names here.

use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut recordings: Vec<PathBuf> = Vec::new();
    for folder in std::env::args_os().skip(1) {
        for entry in std::fs::read_dir(folder)? {
            recordings.push(entry?.path());
        }
    }
    for check in gametape_fuzz::checks() {
        let folder = fuzz.join("corpus").join(check.name);
        std::fs::create_dir_all(&folder)?;
        let seeds = (check.seeds)();
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number:02}")), seed)?;
        }
        // Scripts are not recordings, nor are single packets.
        let reads = match check.name {
            "rmv_engine" | "rmv_laws" | "echoreplay_spoiled" | "murk_world" => None,
            name if name.starts_with("delta_") => None,
            name => name.split('_').next(),
        };
        let mut copied = 0;
        for path in &recordings {
            if let (Some(extension), Some(name)) = (path.extension(), path.file_name())
                && extension.to_str() == reads
            {
                std::fs::copy(path, folder.join(name))?;
                copied += 1;
            }
        }
        println!("{}: {} seeds, {copied} recordings", check.name, seeds.len());
    }
    Ok(())
}
