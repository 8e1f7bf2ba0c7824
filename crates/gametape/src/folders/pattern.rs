//! Patterns, matched name by name. The walk knows of each folder how much of the pattern it matches,
//! and enters a folder only if something in it can match.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A pattern for paths below a folder.
pub struct Pattern {
    parts: Vec<Part>,
    /// The pattern ends in a slash: only folders match, and with them the files in them.
    only_folders: bool,
}

/// The pattern for one name: the text between two slashes.
enum Part {
    /// `**`: any number of folders, or none.
    Folders,
    Name(glob::Pattern),
}

/// How much of a pattern a folder matches: the number of matched parts, for each way to match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Met(Vec<usize>);

/// The reason why a path is not a pattern.
pub enum NoPattern {
    /// It contains no wildcard.
    Plain,
    Said(&'static str),
}

impl Pattern {
    /// A pattern that matches everything.
    pub const fn all() -> Self {
        Self {
            parts: Vec::new(),
            only_folders: false,
        }
    }

    /// Splits a path into the folder that contains all matches, and the pattern below it.
    ///
    /// An existing folder is taken by its name, even if the name contains wildcards.
    pub fn split(path: &Path) -> Result<(PathBuf, Self), NoPattern> {
        let mut root = PathBuf::new();
        let mut parts = Vec::new();
        // Those within it go anyway.
        let components = path.components();
        for component in components.filter(|component| *component != Component::CurDir) {
            if parts.is_empty() {
                let longer = root.join(component);
                if !is_open(component) || longer.symlink_metadata().is_ok() {
                    root = longer;
                    continue;
                }
            }
            parts.push(Part::of(component)?);
        }
        if parts.is_empty() {
            return Err(NoPattern::Plain);
        }
        let last = path.as_os_str().as_encoded_bytes().last();
        let only_folders = last.is_some_and(|byte| std::path::is_separator(char::from(*byte)));
        let pattern = Self {
            parts,
            only_folders,
        };
        Ok((root, pattern))
    }

    /// A pattern for paths below an archive.
    pub fn of(path: &Path) -> Result<Self, NoPattern> {
        if !path.components().any(is_open) {
            return Err(NoPattern::Plain);
        }
        let parts: Result<Vec<Part>, NoPattern> = path.components().map(Part::of).collect();
        Ok(Self {
            parts: parts?,
            only_folders: false,
        })
    }

    /// Whether a path matches, below a folder that matches `within`. An empty path is that folder.
    pub fn matches(&self, within: &Met, path: &Path) -> bool {
        let mut met = within.clone();
        let mut names = path.iter().peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                return self.file(&met, name);
            }
            match self.folder(&met, name) {
                Some(deeper) => met = deeper,
                None => return false,
            }
        }
        self.is_met(within)
    }

    /// Returns how much of the pattern the folder matches where the search starts.
    pub fn begin(&self) -> Met {
        self.met([0])
    }

    /// Returns how much of the pattern a folder matches, within one that matches `within`; `None` if it
    /// need not be entered.
    pub fn folder(&self, within: &Met, name: &OsStr) -> Option<Met> {
        let name = text(name);
        let on = within.0.iter().filter_map(|at| match self.parts.get(*at) {
            None | Some(Part::Folders) => Some(*at),
            Some(Part::Name(pattern)) => pattern.matches(&name).then_some(at + 1),
        });
        Some(self.met(on)).filter(|met| !met.0.is_empty())
    }

    /// Whether a file matches, in a folder that matches `within`.
    pub fn file(&self, within: &Met, name: &OsStr) -> bool {
        let last = self
            .parts
            .len()
            .checked_sub(1)
            .filter(|_| !self.only_folders);
        self.is_met(within)
            || last.is_some_and(|last| match self.parts.get(last) {
                Some(Part::Name(pattern)) => {
                    within.0.contains(&last) && pattern.matches(&text(name))
                }
                _ => false,
            })
    }

    /// Whether all of it is met: then all that is in the folder is meant.
    pub fn is_met(&self, met: &Met) -> bool {
        met.0.contains(&self.parts.len())
    }

    fn met(&self, at: impl IntoIterator<Item = usize>) -> Met {
        let mut met: Vec<usize> = Vec::new();
        for mut at in at {
            met.push(at);
            // Of any number of folders there may be none.
            while matches!(self.parts.get(at), Some(Part::Folders)) {
                at += 1;
                met.push(at);
            }
        }
        met.sort_unstable();
        met.dedup();
        Met(met)
    }
}

impl Part {
    fn of(component: Component<'_>) -> Result<Self, NoPattern> {
        let name = text(component.as_os_str());
        if component == Component::ParentDir {
            return Err(NoPattern::Said(".. comes before the first *, ? or ["));
        }
        if name == "**" {
            return Ok(Self::Folders);
        }
        if name.contains("**") {
            let said = "** stands for folders, and alone between two /";
            return Err(NoPattern::Said(said));
        }
        // One that no other closes stands for itself.
        let plain = || glob::Pattern::new(&name.replace('[', "[[]"));
        let pattern = glob::Pattern::new(&name).or_else(|_| plain());
        Ok(Self::Name(pattern.map_err(|_| NoPattern::Plain)?))
    }
}

fn is_open(component: Component<'_>) -> bool {
    let Component::Normal(name) = component else {
        return false;
    };
    let mut bytes = name.as_encoded_bytes().iter();
    bytes.any(|byte| b"*?[".contains(byte))
}

/// A name as text. A byte that is not text becomes a character that occurs in no name, so that
/// different names stay different.
fn text(name: &OsStr) -> Cow<'_, str> {
    /// The start of the last private characters, which no name uses.
    const BYTES: u32 = 0x10_FF00;
    if let Some(text) = name.to_str() {
        return text.into();
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        let bytes = chunk.invalid().iter();
        text.extend(bytes.filter_map(|byte| char::from_u32(BYTES + u32::from(*byte))));
    }
    text.into()
}
