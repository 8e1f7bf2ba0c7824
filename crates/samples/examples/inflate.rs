//! Inflates and parses the recordings in a folder on two threads. This is the minimal work of a
//! conversion.
//!
//! `cargo run --release --example inflate -p gametape-samples -- FOLDER`

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use gametape_echo::echoreplay;

type Failed = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let folder = std::env::args().nth(1).ok_or("usage: inflate FOLDER")?;
    let mut files = Vec::new();
    find(Path::new(&folder), &mut files)?;
    let files = Mutex::new(files.into_iter());
    let frames = thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(|| inflate(&files)));
        let frames = threads
            .into_iter()
            .map(|one| one.join().map_err(|_| "a thread panicked")?);
        frames.sum::<Result<u64, Failed>>()
    })?;
    println!("{frames} frames");
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn inflate(files: &Mutex<impl Iterator<Item = PathBuf>>) -> Result<u64, Failed> {
    let mut frames = 0;
    loop {
        let next = files.lock().map_err(|_| "a thread panicked")?.next();
        let Some(path) = next else {
            return Ok(frames);
        };
        let mut reader = echoreplay::open(fs::File::open(path)?)?;
        while let Some(frame) = reader.next_frame()? {
            std::hint::black_box(frame);
            frames += 1;
        }
    }
}
