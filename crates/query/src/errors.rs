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
    // It asks to report a bug of the engine where a query is wrong, and lists all signatures of a function.
    let ends = [
        "\nThis issue was likely caused by a bug",
        "\nThis was likely caused by a bug",
        " No function matches the given name",
    ];
    let text = ends
        .iter()
        .filter_map(|end| text.find(end))
        .min()
        .and_then(|end| text.get(..end))
        .unwrap_or(text);
    let text = text
        .replace("datafusion.public.", "")
        .replace("datafusion.", "");
    match text.split_once("Candidate functions:") {
        Some((told, candidates)) => {
            let few: Vec<&str> = candidates
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .take(4)
                .collect();
            format!("{}: it takes {}", told.trim_end(), few.join(" or "))
        }
        None => text,
    }
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
    let secret = archive
        .kinds()
        .iter()
        .flat_map(|kind| archive.tables(kind))
        .flatten()
        .find_map(|table| {
            let mut columns = table
                .definition()
                .columns
                .iter()
                .filter(|column| column.secret);
            let is_named = |name: &str| {
                text.contains(&format!("No field named {name}"))
                    || text.contains(&format!(".{name}."))
            };
            columns
                .find(|column| is_named(&column.name))
                .map(|column| column.name.to_string())
        });
    if let Some(secret) = secret.filter(|_| text.contains("No field named")) {
        let _ = write!(text, "\n  {secret} is secret: --show-secrets shows it");
    }
    if text.contains("not found") && text.starts_with("table ") {
        let wanted = text.split('\'').nth(1).unwrap_or_default().to_owned();
        let has = |kind: &&str| {
            archive
                .tables(kind)
                .iter()
                .flatten()
                .any(|table| table.definition().name == wanted)
        };
        let of_kinds: Vec<String> = archive
            .kinds()
            .iter()
            .copied()
            .filter(|kind| has(kind))
            .map(|kind| format!("{kind}.{wanted}"))
            .collect();
        if of_kinds.len() > 1 {
            return format!(
                "several kinds of recordings have a table {wanted}: write {}",
                of_kinds.join(" or ")
            );
        }
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
