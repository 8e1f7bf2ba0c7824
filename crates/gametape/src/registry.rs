//! The formats that a program knows.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use gametape_archive::is_of_system;
use gametape_core::Input;
use gametape_core::tape::{Disk, Files, Format, OptionDef, Verb};

use crate::Error;

/// A list of formats, which are asked in order to recognise a recording. Formats of other crates
/// can do everything that gametape's own can.
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

/// Returns gametape's own formats whose cargo features are enabled.
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
    /// Creates an empty list.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Adds a format, which is asked before others of the same
    /// [`sniff_order`](gametape_core::tape::FormatInfo). It replaces a format of the same name.
    #[must_use]
    pub fn with(mut self, format: impl Format + 'static) -> Self {
        self.0.retain(|known| known.name() != format.info().name);
        self.0.insert(0, Arc::new(format));
        // The sort is stable.
        self.0.sort_by_key(|format| format.info().sniff_order);
        self
    }

    /// Returns all formats, in the order in which they are asked.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.0.iter().map(|format| &**format)
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Format> {
        self.iter().find(|format| format.name() == name)
    }

    /// Returns the registered format of this type, with the values it was registered with.
    #[must_use]
    pub fn registered<F: Format>(&self) -> Option<&F> {
        self.iter().find_map(|format| {
            let any: &dyn Any = format;
            any.downcast_ref()
        })
    }

    /// Returns the format with this file name extension.
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

    /// Returns the format that recognises the content, or else the one with this extension.
    pub(crate) fn of(&self, input: &Input, path: &Path) -> Option<Arc<dyn Format>> {
        // On a Mac, `._final.rmv` holds what the system knows of `final.rmv`.
        if path.to_str().is_some_and(is_of_system) {
            return None;
        }
        let recognised = self.recognise(input);
        recognised
            .or_else(|| self.shared_from_extension(path))
            .cloned()
    }

    /// Returns the format that recognises the content.
    pub(crate) fn recognise(&self, input: &Input) -> Option<&Arc<dyn Format>> {
        self.0.iter().find(|format| format.sniff(input))
    }

    /// Returns the format that reads this folder as one recording.
    pub(crate) fn of_folder(&self, path: &Path, files: &dyn Files) -> Option<&Arc<dyn Format>> {
        let reads = |format: &&Arc<dyn Format>| {
            let folders = format.folders();
            folders.is_some_and(|folders| folders.is_recording(path, files))
        };
        self.0.iter().find(reads)
    }

    /// Returns true if the folder as a whole is one recording.
    #[must_use]
    pub fn is_folder(&self, path: &Path) -> bool {
        path.is_dir() && self.of_folder(path, &Disk).is_some()
    }

    /// Returns the options of all formats for some verbs. Options of the same name are merged, with
    /// bounds that include those of all formats; each format still checks its own bounds.
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

    /// Returns every declaration of an option for one of these verbs, with the format's name: formats may
    /// mean something of their own by it.
    #[must_use]
    pub fn declared(&self, option: &str, verbs: &[Verb]) -> Vec<(&'static str, OptionDef)> {
        let of = |format: &dyn Format| {
            let name = format.name();
            let defs: Vec<&OptionDef> = verbs
                .iter()
                .flat_map(|verb| format.options(*verb))
                .collect();
            defs.into_iter().map(move |def| (name, *def))
        };
        let defs = self.iter().flat_map(of);
        defs.filter(|(_, def)| def.name == option).collect()
    }

    /// Refuses a file name whose extension belongs to another format, because it would mislead
    /// readers.
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
    use gametape_core::surface::tables_page;
    use gametape_core::table::kit;

    /// After an intended change, run with `GAMETAPE_BLESS=1` and look at the difference.
    #[test]
    fn the_books_page_of_tables_is_what_the_formats_declare() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/tables.md");
        let page = std::fs::read_to_string(path).unwrap();
        let (head, _) = page.split_once("-->\n").unwrap();
        let mut wanted = format!("{head}-->\n");
        let mut told: Vec<String> = Vec::new();
        for format in super::formats().iter() {
            let tables = tables_page(&format.tables());
            // Formats of one kind have the same tables.
            if !told.contains(&tables) {
                let about = format.about();
                wanted.extend(["\n## ", about, "\n\n", tables.trim_end(), "\n"]);
                told.push(tables);
            }
        }
        kit::blessed(path, &wanted);
    }
}
