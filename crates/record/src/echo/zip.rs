//! A finished .echoreplay as the zip that other programs expect.

use std::fmt::Display;
use std::io::BufWriter;
use std::path::Path;

use gametape::{Error, Recording};
use gametape_echo::echoreplay::{ReadOptions, ZipWriter};

/// Between speed and size, as zip programs choose it.
const LEVEL: u8 = 6;

/// Puts a zip in the place of the text, which stays where that fails.
pub(super) fn replace(path: &Path) -> Result<(), Error> {
    let failed = |error: &dyn Display| Error::Unwritable {
        path: path.to_owned(),
        message: format!("can't be made a zip: {error}; all frames are in it, as text"),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = gametape::folder_for(path)?.unwrap_or_default();
    let file = gametape::unfinished(&folder, Some(path)).map_err(|error| failed(&error))?;
    let mut zip =
        ZipWriter::new(BufWriter::new(file), &name, LEVEL).map_err(|error| failed(&error))?;
    {
        let recording = Recording::open(path)?;
        let text = recording.bytes();
        let mut bytes = 0;
        for line in ReadOptions::lenient().read(text) {
            let line = line.map_err(|error| failed(&error))?;
            bytes += line.size();
            zip.push_line(&line).map_err(|error| failed(&error))?;
        }
        if bytes != text.len() {
            // It was gone on with, and held more before than frames.
            return Err(failed(&"not all of it is lines"));
        }
    }
    let file = zip.finish().map_err(|error| failed(&error))?;
    let file = file.into_inner().map_err(|error| failed(&error))?;
    gametape::place(path, file).map_err(|error| failed(&error.message()))
}
