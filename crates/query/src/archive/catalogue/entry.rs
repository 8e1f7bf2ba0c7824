//! A file, as a catalogue knows it.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use gametape::TableDef;

/// The size and the times of a file when it was indexed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Was {
    pub bytes: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    /// When anything of the file changed: no program can set this time. 0 where the system has none.
    pub changed: i64,
}

impl Was {
    pub fn of(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(gametape::file_of(path))?;
        // A folder that is a recording can change without its own time.
        if !meta.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let since = meta.modified()?.duration_since(UNIX_EPOCH);
        Ok(Self {
            bytes: meta.len(),
            modified: since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(0)),
            changed: changed(&meta),
        })
    }
}

#[cfg(unix)]
fn changed(meta: &fs::Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt as _;
    let second = meta.ctime().saturating_mul(1_000_000_000);
    second.saturating_add(meta.ctime_nsec())
}

#[cfg(not(unix))]
const fn changed(_: &fs::Metadata) -> i64 {
    0
}

/// A file that is in a catalogue.
#[derive(Clone)]
pub(crate) enum Entry {
    Recording {
        kind: &'static str,
        tables: Arc<[TableDef]>,
        work: Vec<u64>,
        bytes: u64,
        /// Why its rows end early, if the catalogue knows that.
        problem: Option<String>,
    },
    /// A file that is no recording.
    Other,
    Broken(String),
}
