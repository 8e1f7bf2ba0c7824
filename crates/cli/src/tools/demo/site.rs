//! Publishes the recordings of the demo for a browser.

use std::io;
use std::path::{Path, PathBuf};

use gametape::core::Spell as _;
use gametape::core::text::Counted;
use gametape::{Existing, Recording, Work};
use gametape_live::{Error, Page, PublishOptions, Site, Store};

use crate::ui::Ui;

/// The folder of the site, beside that of the recordings.
fn folder_beside(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push("-site");
    name.into()
}

/// Publishes the recordings in a folder, and says where.
pub fn publish(folder: &Path, ui: &mut Ui) -> io::Result<Result<(), String>> {
    let out = folder_beside(folder);
    let (published, page) = match make(folder, &out) {
        Ok(made) => made,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let out = out.spelled();
    let what = Counted(published, "recording");
    if page {
        ui.line(format_args!(
            "{what} are published in {out}, for any web server: python3 -m http.server --directory {out}"
        ))?;
    } else {
        ui.line(format_args!(
            "In {out} {what} are published, without the page that plays them: {}",
            Error::NoPage
        ))?;
    }
    Ok(Ok(()))
}

fn make(folder: &Path, out: &Path) -> Result<(u64, bool), Error> {
    let mut site = Site::new(Store::folder(out)?)?;
    let mut published = 0;
    let options = PublishOptions {
        existing: Existing::Replace,
        ..PublishOptions::default()
    };
    for found in gametape::find(folder) {
        let found = found?;
        // Other files in the folder are skipped.
        let Ok(recording) = Recording::open(&found.path) else {
            continue;
        };
        site.add(&recording, &found.below, options, &Work::default())?;
        published += 1;
    }
    let page = match site.with_page(&Page::built()) {
        Ok(()) => true,
        Err(Error::NoPage) => false,
        Err(error) => return Err(error),
    };
    site.finish()?;
    Ok((published, page))
}
