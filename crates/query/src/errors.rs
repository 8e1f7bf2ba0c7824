//! Messages of errors.

use std::fmt::Write;
use std::io;

use datafusion::common::DataFusionError;

use crate::archive::Archive;

/// Whether the reader of the answer is gone, as `head` is once it has its lines.
pub(crate) fn is_closed(error: &DataFusionError) -> bool {
    matches!(error, DataFusionError::IoError(error) if error.kind() == io::ErrorKind::BrokenPipe)
}

/// The error without DataFusion's own words before it.
pub(crate) fn plain(error: &DataFusionError) -> String {
    let text = error.strip_backtrace();
    let own = [
        "Error during planning: ",
        "Schema error: ",
        "External error: ",
        "IO error: ",
        "Execution error: ",
    ];
    let mut text = text.as_str();
    // DataFusion loses the reason of this one.
    if text.contains("Error encountered while finalizing writes") {
        return "COPY could not finish its file: the disk may be full, or the folder gone"
            .to_owned();
    }
    for prefix in own {
        text = text.strip_prefix(prefix).unwrap_or(text);
    }
    text.replace("datafusion.public.", "")
        .replace("datafusion.", "")
}

/// The error without DataFusion's own words before it; where a table is not there, with those that are.
pub(crate) fn told(error: &DataFusionError, archive: &Archive) -> String {
    if matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)) {
        return "the query needs more than --memory allows, in a part that cannot use the disk: allow more, or \
                use fewer --threads"
            .to_owned();
    }
    if let DataFusionError::SQL(error, _) = error.find_root() {
        let text = error.to_string();
        return text
            .strip_prefix("sql parser error: ")
            .unwrap_or(&text)
            .to_owned();
    }
    let mut text = plain(error);
    if text.contains("not found") && text.starts_with("table ") {
        for kind in archive.kinds() {
            let mut names = Vec::new();
            for table in archive.tables(kind) {
                match table {
                    Ok(table) => names.push(format!("{kind}.{}", table.definition().name)),
                    Err((name, differs)) => {
                        let _ = write!(text, "\n  {kind}.{name} is left out: {differs}");
                    }
                }
            }
            text.push_str("\n  there are ");
            text.push_str(&names.join(", "));
        }
    }
    text
}
