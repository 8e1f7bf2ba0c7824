//! Objects as one table of comma-separated values.

use std::io::{self, Write};

use gametape::{CsvStyle, CsvWriter};
use serde_json::{Map, Value};

/// A table with a row for each object and a column for each of their keys, in the order in which they
/// come. The keys of an object within an object follow its own, after a dot; a list is JSON.
///
/// The table is written at the end, since the last object may have a key of its own.
#[derive(Default)]
pub struct Sheet {
    style: CsvStyle,
    heads: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Sheet {
    pub fn new(style: CsvStyle) -> Self {
        Self {
            style,
            ..Self::default()
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
            if let Value::Object(object) = value {
                self.fill(&format!("{name}."), object, row);
                continue;
            }
            let known = self.heads.iter().position(|head| *head == name);
            let at = known.unwrap_or_else(|| {
                self.heads.push(name);
                self.heads.len() - 1
            });
            if row.len() <= at {
                row.resize(at + 1, Value::Null);
            }
            if let Some(place) = row.get_mut(at) {
                *place = value.clone();
            }
        }
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let mut writer = CsvWriter::new(self.style, out)?;
        writer.texts(self.heads.iter().map(String::as_str))?;
        for row in &self.rows {
            let missing = self.heads.len() - row.len();
            let missing = std::iter::repeat_n(&Value::Null, missing);
            for cell in row.iter().chain(missing) {
                match cell {
                    Value::Null => writer.text("")?,
                    Value::String(text) => writer.text(text)?,
                    other => writer.number(other.to_string())?,
                }
            }
            writer.end_row()?;
        }
        writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn for_a_spreadsheet_no_text_is_a_formula() {
        let mut sheet = Sheet::new(CsvStyle::Excel);
        let object = json!({ "path": "=A1", "n": -1, "@": "-1", "x": "a=1", "list": ["=A1"] });
        sheet.add(object.as_object().unwrap());
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\u{feff}path,n,'@,x,list\r\n'=A1,-1,'-1,a=1,\"[\"\"=A1\"\"]\"\r\n"
        );
    }

    #[test]
    fn objects_of_different_keys_share_a_table() {
        let mut sheet = Sheet::default();
        for object in [
            json!({ "path": "a, b", "n": 1, "board": { "cols": 9 } }),
            json!({ "path": "c", "n": null, "names": ["x", "y"], "board": { "rows": 3 } }),
        ] {
            sheet.add(object.as_object().unwrap());
        }
        let mut out = Vec::new();
        sheet.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "path,n,board.cols,names,board.rows\n\"a, b\",1,9,,\nc,,,\"[\"\"x\"\",\"\"y\"\"]\",3\n"
        );
    }
}
