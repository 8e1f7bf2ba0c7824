//! A library of published recordings: a folder, or one HTML file with the page that plays them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf, absolute};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gametape::Recording;
use gametape::core::Spell as _;
use gametape::core::tape::Work;

use crate::index::{Index, Library, VERSION};
use crate::page::Page;
use crate::{Error, PublishOptions, Store, publish};

const LIBRARY: &str = "library.json";

/// A folder for any web host: recordings, their list, and the page that plays them.
#[derive(Debug)]
pub struct Site {
    store: Store,
    library: Library,
}

impl Site {
    /// Opens a site in a store; recordings that are published there stay.
    ///
    /// # Errors
    /// [`Error::Library`] if the existing list can't be read; [`Error::Io`].
    pub fn new(store: Store) -> Result<Self, Error> {
        let none = Library {
            version: VERSION,
            recordings: Vec::new(),
        };
        let wrong = |reason: String| Error::Library {
            path: store.path(LIBRARY),
            reason,
        };
        let library = match store.get(LIBRARY)? {
            None => none,
            Some(json) => {
                let read: Library =
                    serde_json::from_slice(&json).map_err(|error| wrong(error.to_string()))?;
                if read.version != VERSION {
                    let version = read.version;
                    return Err(wrong(format!("it is of version {version}, not {VERSION}")));
                }
                read
            }
        };
        Ok(Self { store, library })
    }

    /// Publishes a recording under an id made from a name, such as that of its file: see [`names`]. The same
    /// name has the same id in every site, and no other name has it.
    ///
    /// # Errors
    /// As [`publish`].
    pub fn add(
        &mut self,
        recording: &Recording,
        name: &Path,
        options: PublishOptions,
        work: &Work<'_>,
    ) -> Result<Index, Error> {
        let index = publish(recording, &id_of(name), options, &mut self.store, work)?;
        let recordings = &mut self.library.recordings;
        recordings.retain(|entry| entry.id != index.entry.id);
        recordings.push(index.entry.clone());
        recordings.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok(index)
    }

    /// Adds the page that plays them.
    ///
    /// # Errors
    /// [`Error::NoPage`], [`Error::Io`].
    pub fn with_page(&mut self, page: &Page) -> Result<(), Error> {
        for (name, bytes) in page.site()? {
            self.store.put(name, bytes)?;
        }
        Ok(())
    }

    /// Writes the list of recordings.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn finish(mut self) -> Result<(Store, Library), Error> {
        let json = serde_json::to_vec(&self.library).map_err(|error| Error::Library {
            path: self.store.path(LIBRARY),
            reason: error.to_string(),
        })?;
        self.store.put(LIBRARY, &json)?;
        Ok((self.store, self.library))
    }
}

/// Returns the names of recordings that are published together. Each comes as its path and as the path below the
/// folder that was searched, or its file name. The latter is its name. Where several recordings have the same, so
/// many of their folders come before it as tell them apart, whatever their order.
///
/// ```
/// use std::path::Path;
/// let found = [("x/b.rmv", "b.rmv"), ("y/b.rmv", "b.rmv"), ("c.rmv", "c.rmv")];
/// let found = found.map(|(path, below)| (Path::new(path), Path::new(below)));
/// assert_eq!(gametape_live::names(&found), ["x/b.rmv", "y/b.rmv", "c.rmv"].map(Path::new));
/// ```
#[must_use]
pub fn names(found: &[(&Path, &Path)]) -> Vec<PathBuf> {
    let real = |path: &Path| fs::canonicalize(path).or_else(|_| absolute(path));
    let paths = found.iter().map(|(path, _)| real(path));
    let paths = paths
        .zip(found)
        .map(|(real, (path, _))| real.unwrap_or(path.to_path_buf()));
    let paths: Vec<PathBuf> = paths.collect();
    let mut names: Vec<PathBuf> = found.iter().map(|(_, below)| below.to_path_buf()).collect();
    loop {
        let mut named: BTreeMap<PathBuf, BTreeSet<&Path>> = BTreeMap::new();
        for (name, path) in names.iter().zip(&paths) {
            named.entry(name.clone()).or_default().insert(path);
        }
        let mut longer = false;
        for (name, path) in names.iter_mut().zip(&paths) {
            if named.get(name).is_some_and(|paths| paths.len() > 1) {
                let parts = path.components().count();
                let left_out = parts.saturating_sub(name.components().count() + 1);
                let tail: PathBuf = path.components().skip(left_out).collect();
                longer |= tail != *name;
                *name = tail;
            }
        }
        if !longer {
            return names;
        }
    }
}

/// The digits of a hash at the end of an id.
const DIGITS: usize = 10;
/// The most characters of an id.
const LONGEST: usize = 80;

/// Returns a name as part of an address. A short name of letters, digits, `.`, `-` and `_` is its own id. Any other
/// is told by a hash at the end, after what can be read of it; and so is one that ends like that.
pub(crate) fn id_of(name: &Path) -> String {
    let text = spelled(name);
    let looks_hashed = text.rsplit_once('-').is_some_and(|(_, end)| {
        end.len() == DIGITS && end.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    let is_short = (1..=LONGEST).contains(&text.len()) && !text.starts_with('.');
    if is_short && !looks_hashed && text.chars().all(is_plain) {
        text
    } else {
        hashed(name, name)
    }
}

/// Returns what can be read of a name, and a hash of `whole`.
pub(crate) fn hashed(name: &Path, whole: &Path) -> String {
    let name = spelled(name);
    let plain = name.chars().map(|c| if is_plain(c) { c } else { '-' });
    let plain = plain.skip_while(|c| *c == '.');
    let plain: String = plain.take(LONGEST - DIGITS - 1).collect();
    let hash = blake3::hash(spelled(whole).as_bytes()).to_hex();
    let (digits, _) = hash.split_at(DIGITS);
    format!("{plain}-{digits}")
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "._-".contains(c)
}

/// A path in the same spelling on every system.
fn spelled(path: &Path) -> String {
    let parts = path.components().map(|part| part.as_os_str().spelled());
    parts.collect::<Vec<_>>().join("/")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_an_id_of_its_own_which_stays() {
        let long = "x".repeat(81);
        let other = format!("{long}y");
        let odd = [
            "\u{738b}.rmv",
            "\u{5609}.rmv",
            "a b.rmv",
            "a/b.rmv",
            ".a",
            "",
            &long,
            &other,
        ];
        let ids = odd.map(|name| id_of(Path::new(name)));
        assert_eq!(BTreeSet::from(ids.clone()).len(), odd.len(), "{ids:?}");
        assert_eq!(ids[0], "-.rmv-90d065d79d");
        assert_eq!(ids[3], "a-b.rmv-5ff0acd059");
        // Neither is a name that looks like an id, nor an id that is a name.
        for id in &ids {
            assert!(id.len() <= LONGEST && !id.starts_with('.'), "{id}");
            assert_ne!(*id, id_of(Path::new(id)));
        }
        for plain in ["a.rmv", "A_1-2.rmv", &long[1..]] {
            assert_eq!(id_of(Path::new(plain)), plain);
        }
    }
}
