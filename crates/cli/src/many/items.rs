//! What is behind the paths of a command line.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use gametape::{Error, Formats, Found};

/// One of them.
pub enum Item {
    /// Standard input.
    Input,
    /// A file, or a folder that is one recording.
    Found(Found),
    /// Nothing, and why.
    Nothing(Error),
}

/// All of them, in order.
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
    paths.iter().flat_map(of).collect()
}

impl Item {
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
