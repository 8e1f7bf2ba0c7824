//! Recordings as captures: their tables have the same rows.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::{Ended, Kit, Sample, SampleFolder};

/// A table, as the command describes it.
struct Table {
    name: String,
    described: Value,
    /// Its columns, and how far each may be off.
    columns: Vec<(String, bool, f64)>,
}

impl Kit {
    /// Checks that a recording can be converted to a sound capture (.mcap), whose tables have the same rows
    /// at the same moments and which names its origin. A recording that can't be read to its end is not
    /// converted.
    ///
    /// # Panics
    /// If that does not hold.
    pub fn captures(&self) {
        self.each_sample(|sample| self.captured(sample));
    }

    fn captured(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        folder.put_sample(sample);
        let name = sample.name.as_str();
        let before = folder.names();
        self.run(&folder, &["convert", name, "made.mcap"]).code(0);
        let left = folder.names();
        let mut left = left.iter().filter(|name| !before.contains(name));
        folder.expect(
            left.next().is_some_and(|name| name == "made.mcap") && left.next().is_none(),
            "made.mcap and nothing else beside the recording",
        );
        self.run(&folder, &["verify", "made.mcap"]).code(0);
        self.run(&folder, &["inspect", "made.mcap"]).code(0);
        for table in self.described(&folder, "made.mcap") {
            if table.described["lane"] != "events" {
                let state = ["dump", "--table", &table.name, "--state", "made.mcap"];
                self.run(&folder, &state).code(0);
            }
        }
        self.same_tables(&folder, name);
        let nowhere = self.run(&folder, &["convert", name, "nowhere/made.mcap"]);
        nowhere.code(2);
        self.cut(sample);
    }

    /// A capture is made of a cut recording only if the format calls it whole.
    fn cut(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        for share in [0, 1, 2, 3] {
            let bytes = sample.bytes.get(..sample.bytes.len() * share / 4);
            let cut = sample.called("cut", bytes.unwrap_or_default());
            folder.put_sample(&cut);
            folder.holds(format!(
                "{} is the first {share}/4 of {}",
                cut.name, sample.name
            ));
            let made = self.run(&folder, &["convert", &cut.name, "made.mcap"]);
            made.calmly();
            let there = folder.names().contains(&"made.mcap".to_owned());
            made.expect(there == (made.code != Some(2)), "a file where one was made");
            if there {
                self.run(&folder, &["verify", "made.mcap"]).calmly();
                let _ = fs::remove_file(folder.path.join("made.mcap"));
            }
        }
    }

    fn described(&self, folder: &SampleFolder, name: &str) -> Vec<Table> {
        let tables = self.run(folder, &["--json", "tables", name]);
        tables.code(0);
        let table = |line: &str| {
            let described: Value = serde_json::from_str(line).unwrap_or_default();
            let columns = described["columns"].as_array().cloned().unwrap_or_default();
            let columns = columns.iter().map(|column| {
                let name = column["name"].as_str().unwrap_or_default().to_owned();
                let is_key = column["key"] == true;
                (name, is_key, column["precision"].as_f64().unwrap_or(0.0))
            });
            Table {
                name: described["table"].as_str().unwrap_or_default().to_owned(),
                columns: columns.collect(),
                described,
            }
        };
        tables.text().lines().map(table).collect()
    }

    fn same_tables(&self, folder: &SampleFolder, name: &str) {
        let made = self.described(folder, "made.mcap");
        for original in self.described(folder, name) {
            let made = made.iter().find(|table| table.name == original.name);
            // Tables of secrets alone are not in it.
            let Some(made) = made else { continue };
            folder.expect(
                made.described["lane"] == original.described["lane"],
                &format!("{} in the same lane in made.mcap as in {name}", made.name),
            );
            let columns: Vec<&str> = made.columns.iter().map(|(name, ..)| &**name).collect();
            let columns = columns.join(",");
            let [wanted, found] = [name, "made.mcap"].map(|file| {
                let args = ["dump", "--table", &made.name, "--columns", &columns, file];
                let dump = self.run(folder, &args);
                dump.code(0);
                dump
            });
            let [wanted_rows, found_rows] = [&wanted, &found].map(|dump| rows(dump, made));
            let place = &made.name;
            found.expect(
                found_rows.len() == wanted_rows.len(),
                &format!("{} rows of {place}", wanted_rows.len()),
            );
            for (wanted, row) in wanted_rows.iter().zip(&found_rows) {
                found.expect(
                    same(made, wanted, row),
                    &format!("the row of {place}: {wanted}"),
                );
            }
        }
    }
}

/// The rows of a dump, sorted by step and then by key; rows of one key keep their order.
fn rows(dump: &Ended, table: &Table) -> Vec<Value> {
    let text = dump.text();
    let lines = text.lines().map(serde_json::from_str);
    let mut rows: Vec<Value> = lines.map(Result::unwrap_or_default).collect();
    let events = table.described["lane"] == "events";
    rows.sort_by_cached_key(|row| {
        let keys = table.columns.iter().filter(|(_, key, _)| *key && !events);
        let keys: BTreeMap<&str, String> = keys
            .map(|(name, ..)| (name.as_str(), row[name].to_string()))
            .collect();
        (row["step"].as_u64(), format!("{keys:?}"))
    });
    rows
}

fn same(table: &Table, a: &Value, b: &Value) -> bool {
    let stamps = ["step", "tick", "time_ms", "ended"];
    let near = |(name, _, precision): &(String, bool, f64)| {
        let numbers = a[name].as_f64().zip(b[name].as_f64());
        a[name] == b[name] || numbers.is_some_and(|(a, b)| (a - b).abs() <= *precision)
    };
    stamps.iter().all(|stamp| a.get(stamp) == b.get(stamp)) && table.columns.iter().all(near)
}
