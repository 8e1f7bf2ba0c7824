//! The formats that a program knows.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gametape_core::Input;
use gametape_core::tape::{Format, OptionDef, Verb};

use crate::Error;

/// Formats, asked in turn whose a recording is. gametape's own and those of others differ in
/// nothing.
///
/// ```
/// let formats = gametape::formats();
/// assert!(formats.get("rmv").is_some());
/// let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
/// println!("{}", names.join(", "));
/// ```
#[derive(Clone, Default)]
pub struct Formats(Vec<Arc<dyn Format>>);

impl fmt::Debug for Formats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(<dyn Format>::name))
            .finish()
    }
}

/// gametape's own formats: those whose cargo feature is on.
#[must_use]
pub fn formats() -> Formats {
    let formats = Formats::none();
    #[cfg(feature = "murk")]
    let formats = formats.with(gametape_murk::tape::Murk::new());
    #[cfg(feature = "capture")]
    let formats = formats
        .with(gametape_capture::tape::Mcap)
        .with(gametape_capture::tape::Delta);
    #[cfg(feature = "mines")]
    let formats = formats.with(gametape_mines::tape::Rmv);
    #[cfg(feature = "echo")]
    let formats = formats
        .with(gametape_echo::tape::Echoreplay)
        .with(gametape_echo::tape::Butter);
    formats
}

impl Formats {
    /// No format yet.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// With one more, which is asked before the others. Of two with one name the new one counts.
    #[must_use]
    pub fn with(mut self, format: impl Format + 'static) -> Self {
        self.0.retain(|known| known.name() != format.info().name);
        self.0.insert(0, Arc::new(format));
        // The sort is stable.
        self.0.sort_by_key(|format| format.info().sniff_order);
        self
    }

    /// All of them, in the order they are asked.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.0.iter().map(|format| &**format)
    }

    /// The format of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Format> {
        self.iter().find(|format| format.name() == name)
    }

    /// The format of this type, as it was registered: what it was given there can be asked.
    #[must_use]
    pub fn registered<F: Format>(&self) -> Option<&F> {
        self.iter().find_map(|format| {
            let any: &dyn Any = format;
            any.downcast_ref()
        })
    }

    /// The format with this file name extension.
    #[must_use]
    pub fn from_extension(&self, path: &Path) -> Option<&dyn Format> {
        self.shared_from_extension(path).map(|format| &**format)
    }

    fn shared_from_extension(&self, path: &Path) -> Option<&Arc<dyn Format>> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        self.0
            .iter()
            .find(|format| format.extensions().contains(&extension.as_str()))
    }

    /// The format whose recordings start as this one does, else the one with this extension.
    pub(crate) fn of(&self, input: &Input, path: &Path) -> Option<Arc<dyn Format>> {
        let sniffed = self.0.iter().find(|format| format.sniff(input));
        sniffed
            .or_else(|| self.shared_from_extension(path))
            .cloned()
    }

    /// The format of which a folder is one recording.
    pub(crate) fn of_folder(&self, path: &Path) -> Option<&Arc<dyn Format>> {
        let reads = |format: &&Arc<dyn Format>| {
            let folders = format.folders();
            folders.is_some_and(|folders| folders.is_recording(path))
        };
        self.0.iter().find(reads)
    }

    /// True where a folder as a whole is one recording.
    #[must_use]
    pub fn is_folder(&self, path: &Path) -> bool {
        path.is_dir() && self.of_folder(path).is_some()
    }

    /// Formats that recordings of this one convert to, itself among them.
    pub fn kin(&self, format: &dyn Format) -> impl Iterator<Item = &dyn Format> {
        let kind = format.kind();
        self.iter().filter(move |other| other.kind() == kind)
    }

    /// What any of the formats can be told for some verbs: a name once, with the bounds of all; each
    /// format holds to its own.
    #[must_use]
    pub fn options(&self, verbs: &[Verb]) -> Vec<OptionDef> {
        let mut defs: Vec<OptionDef> = Vec::new();
        for format in self.iter() {
            for def in verbs.iter().flat_map(|verb| format.options(*verb)) {
                match defs.iter_mut().find(|known| known.name == def.name) {
                    Some(known) => known.kind = known.kind.widened(def.kind),
                    None => defs.push(*def),
                }
            }
        }
        defs
    }

    /// Refuses a file name that says another format than this: whoever met the file would be misled.
    ///
    /// # Errors
    /// [`Error::Name`].
    pub fn check_name(&self, format: &dyn Format, path: &Path) -> Result<(), Error> {
        match self.from_extension(path) {
            Some(other) if other.name() != format.name() => Err(Error::Name {
                path: path.to_owned(),
                says: other.name(),
                format: format.name(),
                extensions: format.extensions(),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(all(test, feature = "default"))]
mod tests {
    use gametape_core::table::tables_page;

    /// After a change that is meant, run with `GAMETAPE_BLESS=1` and look at the difference.
    #[test]
    fn the_books_page_of_tables_is_what_the_formats_declare() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/tables.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (head, _) = page.split_once("-->\n").unwrap();
        let mut wanted = format!("{head}-->\n");
        let mut told: Vec<String> = Vec::new();
        for format in super::formats().iter() {
            let tables = tables_page(&format.tables());
            // The encodings of one kind have the same.
            if !told.contains(&tables) {
                let about = format.about();
                wanted.extend(["\n## ", about, "\n\n", tables.trim_end(), "\n"]);
                told.push(tables);
            }
        }
        if std::env::var_os("GAMETAPE_BLESS").is_some() {
            std::fs::write(path, &wanted).unwrap();
        }
        assert!(
            std::fs::read_to_string(path).unwrap() == wanted,
            "the page is not what the formats declare: GAMETAPE_BLESS=1 writes it anew"
        );
    }
}
