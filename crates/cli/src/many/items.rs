//! What is behind the paths of a command line.

use std::collections::HashSet;
#[cfg(any(feature = "live", feature = "tools"))]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use gametape::{Error, Formats, Found};
#[cfg(any(feature = "live", feature = "tools"))]
use gametape::{OpenOptions, Recording};

/// One of them.
pub enum Item {
    /// Standard input.
    Input,
    /// A file, or a folder that is one recording.
    Found(Found),
    /// Nothing, and why.
    Nothing(Error),
}

/// All of them, in order, each path once.
pub fn items(formats: &Formats, paths: &[OsString]) -> Vec<Item> {
    let of = |path: &OsString| {
        if path == "-" {
            return vec![Item::Input];
        }
        let found = formats.find(path).into_iter();
        found
            .map(|found| found.map_or_else(Item::Nothing, Item::Found))
            .collect()
    };
    let mut items: Vec<Item> = paths.iter().flat_map(of).collect();
    if paths.len() > 1 {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        items.retain(|item| seen.insert(item.path().to_owned()));
    }
    items
}

/// The recordings behind some paths, each with whether it was named one by one, or why it can't be
/// opened. Files of other kinds that were merely found are left out.
#[cfg(any(feature = "live", feature = "tools"))]
pub fn recordings<'a>(
    formats: &'a Formats,
    paths: &[OsString],
    options: &'a OpenOptions,
    standard_input: impl Fn(&OsStr) -> Result<Recording, Error> + 'a,
) -> impl Iterator<Item = Result<(Recording, bool), Error>> + 'a {
    items(formats, paths).into_iter().filter_map(move |item| {
        let (opened, named) = match item {
            Item::Input => (standard_input("-".as_ref()), true),
            Item::Nothing(error) => (Err(error), true),
            Item::Found(found) => (formats.open_with(&found.path, options), found.named),
        };
        match opened {
            Err(Error::UnknownFormat { .. }) if !named => None,
            opened => Some(opened.map(|recording| (recording, named))),
        }
    })
}

impl Item {
    fn path(&self) -> &Path {
        match self {
            Self::Input => Path::new("-"),
            Self::Found(found) => &found.path,
            Self::Nothing(error) => error.path(),
        }
    }

    /// How much there is to read, as far as that is known.
    pub fn size(&self) -> u64 {
        match self {
            Self::Found(found) => size(&found.path),
            Self::Input | Self::Nothing(_) => 0,
        }
    }
}

/// The size of a file; of the files in a folder that is a recording.
pub fn size(path: &Path) -> u64 {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            let metas = entries.filter_map(|entry| entry.metadata().ok());
            metas.map(|meta| meta.len()).sum()
        }
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}
