//! One HTML file with recordings and the page that plays them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::page::Page;
use crate::{Error, Store};

/// The place for data, marked by `cargo xtask viewer`.
const PLACE: &str = "<!-- data -->";

/// Returns the page with these files, each in an element with its name: JSON as text, everything else in
/// base64.
///
/// # Errors
/// [`Error::NoPage`]; [`Error::Page`] if the page has no place for data.
pub fn single(page: &Page, files: &Store) -> Result<Vec<u8>, Error> {
    let wrong = |reason: &str| Error::Page {
        path: "single/index.html".into(),
        reason: reason.to_owned(),
    };
    let html = std::str::from_utf8(page.single()?).map_err(|_| wrong("it is not UTF-8"))?;
    let (before, after) = html
        .split_once(PLACE)
        .ok_or_else(|| wrong("it has no place for data"))?;
    let Store::Memory(files) = files else {
        return Err(wrong("its data is not in memory"));
    };
    let mut out = before.as_bytes().to_vec();
    for (name, bytes) in files {
        // Segments and labels are compressed, and thus not UTF-8.
        if let Ok(json) = std::str::from_utf8(bytes) {
            let head = format!("<script type=\"application/json\" data-file=\"{name}\">");
            out.extend_from_slice(head.as_bytes());
            // Without `<`, nothing ends the element or begins a comment; in JSON `<` occurs only in texts.
            out.extend_from_slice(json.replace('<', "\\u003c").as_bytes());
        } else {
            let head = format!("<script type=\"text/plain\" data-file=\"{name}\">");
            out.extend_from_slice(head.as_bytes());
            out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
        }
        out.extend_from_slice(b"</script>\n");
    }
    out.extend_from_slice(after.as_bytes());
    Ok(out)
}
