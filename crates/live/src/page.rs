//! The built page that plays recordings.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gametape::core::Spell as _;

use crate::Error;

mod built {
    include!(concat!(env!("OUT_DIR"), "/page.rs"));
}

/// The names of the one-file page and of the site among the built files.
const SINGLE: &str = "single/index.html";
const SITE: &str = "site/";

/// The page: files by their names.
#[derive(Clone, Debug)]
pub struct Page {
    files: BTreeMap<String, Cow<'static, [u8]>>,
}

impl Page {
    /// Returns the page that was built before this library; it may be empty.
    #[must_use]
    pub fn built() -> Self {
        let files = built::FILES.iter();
        Self {
            files: files
                .map(|(name, bytes)| ((*name).to_owned(), Cow::Borrowed(*bytes)))
                .collect(),
        }
    }

    /// Reads a page that `cargo xtask viewer` built in a folder: `site/` and `single/`. Links to folders are
    /// not followed.
    ///
    /// # Errors
    /// [`Error::Page`], [`Error::Io`].
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut files = BTreeMap::new();
        read(folder, "", &mut files)?;
        let page = Self { files };
        if page.site().is_err() {
            return Err(Error::Page {
                path: folder.to_owned(),
                reason: "no built page: site/index.html is not in it".to_owned(),
            });
        }
        Ok(page)
    }

    /// Returns the files of the page, by their names in a site.
    ///
    /// # Errors
    /// [`Error::NoPage`].
    pub fn site(&self) -> Result<Vec<(&str, &[u8])>, Error> {
        let files = self.files.iter();
        let files = files.filter_map(|(name, bytes)| Some((name.strip_prefix(SITE)?, &**bytes)));
        let files: Vec<(&str, &[u8])> = files.collect();
        if files.iter().any(|(name, _)| *name == "index.html") {
            Ok(files)
        } else {
            Err(Error::NoPage)
        }
    }

    /// Returns the one-file page, into which data is put.
    ///
    /// # Errors
    /// [`Error::NoPage`].
    pub fn single(&self) -> Result<&[u8], Error> {
        self.files
            .get(SINGLE)
            .map(|bytes| &**bytes)
            .ok_or(Error::NoPage)
    }
}

fn read(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Cow<'static, [u8]>>,
) -> Result<(), Error> {
    let fail = |source| Error::Io {
        path: folder.to_owned(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = format!("{prefix}{}", entry.file_name().spelled());
        let path = entry.path();
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            read(&path, &format!("{name}/"), files)?;
        } else if path.is_file() {
            let bytes = fs::read(&path).map_err(|source| Error::Io { path, source })?;
            files.insert(name, bytes.into());
        }
    }
    Ok(())
}
