//! Helpers of all parts of the demo.

use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use gametape::core::Spell as _;
use gametape::{Audit, Existing, Format, Recording};

use crate::commands::verify::{audited, print_audit};
use crate::ui::Ui;

/// Play, simulate, record, verify and tamper, from nothing
#[derive(Parser, Debug)]
#[command(name = "demo")]
pub(super) struct Args {
    /// The folder for the recordings
    #[arg(value_name = "FOLDER", default_value = "demo-recordings")]
    pub(super) folder: PathBuf,
    /// The seed of the games
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

/// Writes a recording; returns its path, or a message.
pub(super) fn save(
    folder: &Path,
    name: &str,
    make: impl FnOnce() -> Result<Vec<u8>, String>,
) -> Result<String, String> {
    let path = folder.join(name);
    gametape::write_file(&path, &make()?, Existing::Replace).map_err(|error| error.to_string())?;
    Ok(path.spelled().into_owned())
}

/// Audits a recording; returns the audit, or a message.
pub(super) fn audit(path: &str) -> Result<Audit, String> {
    Recording::open(path)
        .and_then(|recording| recording.audit())
        .map_err(|error| error.to_string())
}

/// Prints an audit as `verify` does.
pub(super) fn print(path: &str, audit: &Audit, ui: &mut Ui) -> io::Result<()> {
    if ui.json {
        let format = gametape::formats()
            .from_extension(Path::new(path))
            .map(<dyn Format>::name);
        return ui.object(&audited(path.as_ref(), format, audit));
    }
    print_audit(path, audit, &[], false, ui)
}
