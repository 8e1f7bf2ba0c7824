//! The losses of the files of a folder, in one sentence.

use std::fmt;

use gametape::core::text::{Counted, significant};
use serde_json::Value;

/// The losses of all files, from the reports of formats that measure them.
#[derive(Default)]
pub struct Losses {
    /// The largest error of each unit: the unit, the kind of number, the error.
    off: Vec<(String, String, f64)>,
    /// Kinds of values that were changed, each with the number of files.
    changed: Vec<(String, u64)>,
    /// Kinds of values that were not kept, or not in all frames.
    not_kept: Vec<(String, u64)>,
}

impl Losses {
    /// Adds the report of a file (`Report::data`).
    pub fn add(&mut self, report: &Value) {
        for number in list(report, "numbers") {
            let (Some(field), Some(error)) = (text(number, "field"), number["max_error"].as_f64())
            else {
                continue;
            };
            let unit = text(number, "unit").unwrap_or_default();
            if error <= 0.0 {
                continue;
            }
            match self.off.iter_mut().find(|(known, ..)| known == unit) {
                Some((.., most)) if *most >= error => {}
                Some((_, of, most)) => {
                    field.clone_into(of);
                    *most = error;
                }
                None => self.off.push((unit.to_owned(), field.to_owned(), error)),
            }
        }
        count(list(report, "changed"), &mut self.changed);
        count(list(report, "not_kept"), &mut self.not_kept);
    }
}

fn list<'a>(report: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    report[key].as_array().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value[key].as_str()
}

fn count<'a>(changes: impl Iterator<Item = &'a Value>, counts: &mut Vec<(String, u64)>) {
    for field in changes.filter_map(|change| text(change, "field")) {
        match counts.iter_mut().find(|(known, _)| known == field) {
            Some((_, files)) => *files += 1,
            None => counts.push((field.to_owned(), 1)),
        }
    }
}

/// Clauses with semicolons between them; nothing if no report says anything.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let off = self.off.iter().map(|(unit, field, error)| {
            let space = if unit.is_empty() { "" } else { " " };
            format!("{}{space}{unit} ({field})", significant(*error))
        });
        let files = |counts: &[(String, u64)]| -> Vec<String> {
            let named = counts
                .iter()
                .map(|(field, files)| format!("{field} ({})", Counted(*files, "file")));
            named.collect()
        };
        let clauses = [
            ("off by up to", off.collect()),
            ("changed:", files(&self.changed)),
            ("not kept, or not in every frame:", files(&self.not_kept)),
        ];
        let clauses = clauses.iter().filter(|(_, what)| !what.is_empty());
        let clauses: Vec<String> = clauses
            .map(|(title, what)| format!("{title} {}", what.join(", ")))
            .collect();
        f.write_str(&clauses.join("; "))
    }
}
