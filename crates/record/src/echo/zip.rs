//! Makes a finished .echoreplay the zip that other programs expect.

use std::fmt::Display;
use std::fs::File;
use std::path::Path;

use gametape::{Draft, Error, Existing};
use gametape_echo::ReadOptions;
use gametape_echo::echoreplay::{Reader, ZipWriter};

/// The usual compression level of zip programs.
const LEVEL: u8 = 6;

/// Replaces the text by a zip; if that fails, the text stays.
pub(super) fn replace(path: &Path) -> Result<(), Error> {
    let failed = |error: &dyn Display| Error::Unwritable {
        path: path.to_owned(),
        message: format!("can't be made a zip: {error}; all frames are in it, as text"),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = Draft::of(path)?;
    let mut zip = ZipWriter::new(draft, &name, LEVEL).map_err(|error| failed(&error))?;
    {
        let text = File::open(path).map_err(Error::io(path))?;
        let size = text.metadata().map_err(Error::io(path))?.len();
        let mut lines = Reader::with_options(text, ReadOptions::lenient());
        let mut bytes = 0;
        while let Some(line) = lines.next_line().map_err(|error| failed(&error))? {
            bytes += line.size() as u64;
            zip.push_line(&line).map_err(|error| failed(&error))?;
        }
        if bytes != size {
            // The file was continued, and had other content before its frames.
            return Err(failed(&"not all of it is lines"));
        }
    }
    let draft = zip.finish().map_err(|error| failed(&error))?;
    let put = draft
        .finish()
        .and_then(|content| content.put(path, Existing::Replace));
    put.map_err(|error| failed(&error.message()))
}
