//! Objects as one table of comma-separated values.

use std::io::{self, Write};

use serde_json::{Map, Value};

/// A table with a row for each object and a column for each of their keys, in the order in which they
/// come. The keys of an object within an object follow its own, after a dot; a list is JSON.
///
/// The table is written at the end, since the last object may have a key of its own.
#[derive(Default)]
pub struct Sheet {
    heads: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

impl Sheet {
    pub fn add(&mut self, object: &Map<String, Value>) {
        let mut row = Vec::new();
        self.fill("", object, &mut row);
        self.rows.push(row);
    }

    fn fill(&mut self, before: &str, object: &Map<String, Value>, row: &mut Vec<Option<String>>) {
        for (key, value) in object {
            let name = format!("{before}{key}");
            let cell = match value {
                Value::Object(object) => {
                    self.fill(&format!("{name}."), object, row);
                    continue;
                }
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            let known = self.heads.iter().position(|head| *head == name);
            let at = known.unwrap_or_else(|| {
                self.heads.push(name);
                self.heads.len() - 1
            });
            if row.len() <= at {
                row.resize(at + 1, None);
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
        let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(out);
        writer.write_record(&self.heads)?;
        for row in &self.rows {
            let missing = self.heads.len() - row.len();
            let cells = row.iter().map(|cell| cell.as_deref().unwrap_or_default());
            writer.write_record(cells.chain(std::iter::repeat_n("", missing)))?;
        }
        writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
