//! Messages of errors.

use std::fmt::Write;
use std::io;

use datafusion::common::DataFusionError;
use gametape::ColumnDef;
use gametape_tables::ArrowTable;

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
    // A wrong query is taken for a bug of the engine, and a call for a choice of all signatures.
    let ends = [
        "\nThis issue was likely caused by a bug",
        "\n\tCandidate functions:",
    ];
    let end = ends.iter().filter_map(|end| text.find(end)).min();
    let text = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    wrong_call(text).unwrap_or_else(|| {
        text.replace("datafusion.public.", "")
            .replace("datafusion.", "")
    })
}

/// A call with values of the wrong type, in a line.
fn wrong_call(text: &str) -> Option<String> {
    let coerced = text.strip_prefix("Failed to coerce arguments to satisfy a call to '");
    let (function, types) = if let Some(call) = coerced {
        let (function, rest) = call.split_once("' function: coercion from ")?;
        (function, rest.split_once(" to the signature")?.0)
    } else {
        let call = text.strip_prefix("Internal error: Function '")?;
        let (function, rest) = call.split_once("' failed to match any signature")?;
        let (_, types) = rest.split_once("DataType: ")?;
        (function, types.split_once(").")?.0)
    };
    Some(format!("{function} does not take {types}"))
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
    if let Some(name) = text.strip_prefix("No field named ").and_then(first_name)
        && let Some(secret) = secret_column(archive, &name)
    {
        let _ = write!(text, "\n  {secret} is secret: --show-secrets shows it");
    }
    if text.contains("not found") && text.starts_with("table ") {
        let name = text.split('\'').nth(1).unwrap_or_default();
        let of_kinds = kinds_with(archive, name);
        if of_kinds.len() > 1 {
            return format!(
                "several kinds of recordings have a table {name}: write {}",
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

/// The name at the start of a text, without that of its table: of `g.user_id. Did you mean …`, `user_id`.
fn first_name(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let name = text.get(..end)?.trim_end_matches('.');
    let (_, name) = name.rsplit_once('.').unwrap_or(("", name));
    Some(name.trim_matches('"').to_owned())
}

/// Returns the name if a table has a secret column of it.
fn secret_column<'n>(archive: &Archive, name: &'n str) -> Option<&'n str> {
    let kinds = archive.kinds();
    let mut tables = kinds.iter().flat_map(|kind| archive.tables(kind)).flatten();
    let is_secret = |column: &ColumnDef| column.secret && column.name == name;
    let has = |table: ArrowTable| table.definition().columns.iter().any(is_secret);
    tables.any(has).then_some(name)
}

/// Returns the full names of a table that several kinds of recordings have.
fn kinds_with(archive: &Archive, name: &str) -> Vec<String> {
    let has = |kind: &&str| {
        let tables = archive.tables(kind);
        let mut tables = tables.iter().flatten();
        tables.any(|table| table.definition().name == name)
    };
    let kinds = archive.kinds().into_iter().filter(has);
    kinds.map(|kind| format!("{kind}.{name}")).collect()
}
