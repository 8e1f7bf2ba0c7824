//! Objects as one table of comma-separated values.

use std::io::{self, Write};

use gametape::{CsvStyle, CsvWriter};
use serde_json::{Map, Value};

/// The longest list that is one cell.
const SHORT: usize = 16;

/// A table with a row for each object and a column for each of their keys, in the order in which they
/// come. The keys of an object within an object follow its own, after a dot. A short list of plain values is
/// one cell, with semicolons; other lists are left out, since they are tables of their own. Of an error, the
/// code and the sentence are cells.
///
/// The table is written at the end, since the last object may have a key of its own.
#[derive(Default)]
pub struct Sheet {
    style: CsvStyle,
    heads: Vec<String>,
    /// The number of first columns that are there even if they are empty; `None` for all.
    kept: Option<usize>,
    rows: Vec<Vec<Value>>,
}

impl Sheet {
    pub fn new(style: CsvStyle) -> Self {
        Self {
            style,
            ..Self::default()
        }
    }

    /// Begins with these columns, and leaves out others that are empty in all rows.
    pub fn of_columns(self, heads: &[&str]) -> Self {
        Self {
            heads: heads.iter().map(|head| (*head).to_owned()).collect(),
            kept: Some(heads.len()),
            ..self
        }
    }

    pub fn add(&mut self, object: &Map<String, Value>) {
        let mut row = Vec::new();
        self.fill("", object, &mut row);
        self.rows.push(row);
    }

    fn fill(&mut self, before: &str, object: &Map<String, Value>, row: &mut Vec<Value>) {
        for (key, value) in object {
            let name = format!("{before}{key}");
            // The sentence has the rest of it.
            if before == "error." && !matches!(&**key, "code" | "message") {
                continue;
            }
            if let Value::Object(object) = value {
                self.fill(&format!("{name}."), object, row);
                continue;
            }
            let Some(cell) = cell(value) else { continue };
            let known = self.heads.iter().position(|head| *head == name);
            let at = known.unwrap_or_else(|| {
                self.heads.push(name);
                self.heads.len() - 1
            });
            if row.len() <= at {
                row.resize(at + 1, Value::Null);
            }
            if let Some(place) = row.get_mut(at) {
                *place = cell;
            }
        }
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let is_filled = |at: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(at));
            cells.any(|cell| !cell.is_null() && *cell != "")
        };
        let is_kept = |at: &usize| self.kept.is_none_or(|kept| *at < kept) || is_filled(*at);
        let columns: Vec<(usize, &str)> =
            (0..).zip(self.heads.iter().map(String::as_str)).collect();
        let columns = columns.into_iter().filter(|(at, _)| is_kept(at));
        let (columns, heads): (Vec<usize>, Vec<&str>) = columns.unzip();
        let mut writer = CsvWriter::new(self.style, out)?;
        writer.texts(heads)?;
        for row in &self.rows {
            for at in &columns {
                match row.get(*at) {
                    None | Some(Value::Null) => writer.text("")?,
                    Some(Value::String(text)) => writer.text(text)?,
                    Some(other) => writer.number(other.to_string())?,
                }
            }
            writer.end_row()?;
        }
        writer.flush()
    }
}

/// The cell for a value that is no object; `None` for a list that does not fit into one.
fn cell(value: &Value) -> Option<Value> {
    let Value::Array(values) = value else {
        return Some(value.clone());
    };
    if values.len() > SHORT || values.iter().any(|one| one.is_array() || one.is_object()) {
        return None;
    }
    Some(match values.as_slice() {
        [] => Value::Null,
        [one] => one.clone(),
        all => {
            let texts = all.iter().map(|one| match one {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            texts.collect::<Vec<String>>().join("; ").into()
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn for_a_spreadsheet_no_text_is_a_formula() {
        let mut sheet = Sheet::new(CsvStyle::Excel);
        let object = json!({ "path": "=A1", "n": -1, "@": "-1", "x": "a=1", "list": ["=A1", 2] });
        sheet.add(object.as_object().unwrap());
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\u{feff}path,n,'@,x,list\r\n'=A1,-1,'-1,a=1,'=A1; 2\r\n"
        );
    }

    #[test]
    fn objects_of_different_keys_share_a_table() {
        let mut sheet = Sheet::default();
        for object in [
            json!({ "path": "a, b", "n": 1, "board": { "cols": 9 } }),
            json!({ "path": "c", "n": null, "names": ["x", "y"], "board": { "rows": 3 },
                "players": [{ "name": "x" }], "long": vec![1; 17], "one": [7], "none": [] }),
        ] {
            sheet.add(object.as_object().unwrap());
        }
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "path,n,board.cols,names,board.rows,one,none\n\"a, b\",1,9,,,,\nc,,,x; y,3,7,\n"
        );
    }

    #[test]
    fn columns_that_nothing_fills_are_left_out_unless_they_are_asked_for() {
        let mut sheet = Sheet::default().of_columns(&["path", "format", "verdict"]);
        let fine =
            json!({ "path": "a", "n": null, "text": "", "list": [], "m": 0, "format": null });
        sheet.add(fine.as_object().unwrap());
        let broken = json!({ "path": "b", "verdict": "fail", "error": { "code": "io", "step": null, "offset": 3, "message": "gone" } });
        sheet.add(broken.as_object().unwrap());
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "path,format,verdict,m,error.code,error.message\na,,,0,,\nb,,fail,,io,gone\n"
        );
    }
}
