//! Files that are made of the code.

use std::fs;
use std::path::Path;

use crate::{RuleInfo, findings_page};

/// Checks that a file has this text. After an intended change, run the test with `GAMETAPE_BLESS=1`, which
/// writes the file, and look at the difference.
///
/// # Panics
/// If the file differs, or can't be read or written.
pub fn blessed(path: impl AsRef<Path>, wanted: &str) {
    compare(
        path.as_ref(),
        wanted,
        std::env::var_os("GAMETAPE_BLESS").is_some(),
    );
}

/// Checks that a page of findings is [what these rules say](findings_page), like [`blessed`].
///
/// # Panics
/// If the page differs, or can't be read or written; if a rule is not documented.
pub fn findings(path: impl AsRef<Path>, rules: &[RuleInfo]) {
    let path = path.as_ref();
    let page =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match findings_page(&page, rules) {
        Ok(wanted) => blessed(path, &wanted),
        Err(wrong) => panic!("{}", wrong.join("\n")),
    }
}

fn compare(path: &Path, wanted: &str, bless: bool) {
    let name = path.display();
    let found = fs::read_to_string(path).unwrap_or_default();
    if found == wanted {
        return;
    }
    if bless {
        fs::write(path, wanted).unwrap_or_else(|error| panic!("{name}: {error}"));
        return;
    }
    let line = |text: &str, at| text.lines().nth(at).unwrap_or("its end").to_owned();
    let mut lines = (0..).map(|at| (at + 1, line(&found, at), line(wanted, at)));
    let differs = lines.find(|(_, found, wanted)| found != wanted || found == "its end");
    panic!("{name} differs from the code, first in {differs:?}: GAMETAPE_BLESS=1 writes it anew");
}

#[test]
fn a_file_that_differs_is_written_when_it_is_blessed() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let differs = || std::panic::catch_unwind(|| compare(file.path(), "new", false)).is_err();
    fs::write(file.path(), "old").unwrap();
    assert!(differs());
    compare(file.path(), "new", true);
    assert!(!differs());
    assert_eq!(fs::read_to_string(file.path()).unwrap(), "new");
}
