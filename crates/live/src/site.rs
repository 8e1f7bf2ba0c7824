//! A folder of published recordings.

use std::collections::BTreeSet;

use gametape::Recording;
use gametape::core::Spell as _;
use gametape::core::tape::{Secrets, Work};

use crate::index::{Index, Library, VERSION};
use crate::page::Page;
use crate::{Error, PublishOptions, Store, publish};

const LIBRARY: &str = "library.json";

/// A folder for any web host: recordings, their list, and the page that plays them.
#[derive(Debug)]
pub struct Site {
    store: Store,
    library: Library,
    /// The ids given since the site was opened.
    given: BTreeSet<String>,
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
        Ok(Self {
            store,
            library,
            given: BTreeSet::new(),
        })
    }

    /// Publishes a recording under an id made from its name. A recording that was published under this id
    /// before the site was opened is replaced.
    ///
    /// # Errors
    /// As [`publish`].
    pub fn add(
        &mut self,
        recording: &Recording,
        secrets: Secrets,
        work: &Work<'_>,
    ) -> Result<Index, Error> {
        let name = recording.path().file_name().unwrap_or_default();
        let id = free_id(&id_of(&name.spelled()), |id| self.given.contains(id));
        let options = PublishOptions {
            secrets,
            ..PublishOptions::default()
        };
        let index = publish(recording, &id, options, &mut self.store, work)?;
        self.given.insert(id);
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

/// Returns a name as part of an address: letters, digits, `.`, `-` and `_`; all other characters become `-`.
pub(crate) fn id_of(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '-'
        }
    };
    let id: String = name.chars().take(80).map(plain).collect();
    let id = id.trim_start_matches('.');
    if id.is_empty() {
        "recording".to_owned()
    } else {
        id.to_owned()
    }
}

/// Returns the first of `id`, `id-2`, `id-3` … that is not taken.
pub(crate) fn free_id(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    let mut ids = [id.to_owned()].into_iter().chain(numbered);
    ids.find(|id| !is_taken(id)).unwrap_or_default()
}
