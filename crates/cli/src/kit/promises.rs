//! The promises of every format about a sound recording.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::calls::process;
use super::{Ended, Kit, READERS, Sample, SampleFolder};

impl Kit {
    /// Checks the promises of every format about a sound recording: verbs succeed, JSON has its keys, a copy is
    /// the same byte for byte, a moment can be named by its step, a part is a recording, and nothing is left
    /// behind.
    ///
    /// # Panics
    /// If a promise is not kept.
    pub fn promises(&self) {
        self.each_sample(|sample| self.promised(sample));
    }

    fn promised(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        folder.put_sample(sample);
        let before = folder.names();
        let name = sample.name.as_str();
        for verb in READERS {
            self.run(&folder, &[verb, name]).code(0);
            let json = self.run(&folder, &["--json", verb, name]);
            json.code(0);
            for line in json.text().lines() {
                let value: Result<Value, _> = serde_json::from_str(line);
                json.expect(value.is_ok_and(|v| v.is_object()), "an object a line");
            }
        }
        for verb in READERS.iter().chain(&["tables"]) {
            self.same_spawned(&folder, &[verb, name]);
        }
        self.same_spawned(&folder, &["verify", name, "--no-such-option"]);
        self.same_spawned(&folder, &["convert", "--help"]);
        self.dumps(&folder, name);
        self.tables(&folder, name);
        self.findings(&folder, name);
        #[cfg(feature = "live")]
        self.published(&folder, name);
        self.run(&folder, &["diff", name, name]).code(0);
        // An existing file is replaced by a whole file, and only if that is asked for.
        let copy = format!("copy.{}", sample.extension());
        folder.put(&copy, b"old");
        for verb in ["convert", "repair"] {
            let refused = self.run(&folder, &[verb, name, &copy]);
            refused
                .unusable(&format!(
                    "{copy} exists and is not replaced; --replace replaces it"
                ))
                .expect(
                    fs::read(folder.path.join(&copy)).is_ok_and(|bytes| bytes == b"old"),
                    "the file of before",
                );
        }
        let copied = self.run(&folder, &["convert", name, &copy, "--replace"]);
        copied.code(0);
        let bytes = fs::read(folder.path.join(&copy)).unwrap_or_default();
        copied.expect(
            bytes == sample.bytes,
            "a copy that is the same byte for byte",
        );
        let mut onto_itself = vec!["convert", name, name];
        if !sample.beside.is_empty() {
            // The file beside it may be spelled in another way.
            onto_itself.push("--replace");
        }
        let over = self.run(&folder, &onto_itself);
        over.code(0);
        let bytes = fs::read(folder.path.join(name)).unwrap_or_default();
        over.expect(
            bytes == sample.bytes,
            "a copy onto itself that changes nothing",
        );
        // A pipe can't take a file that must lie beside the recording: that is a loss.
        let piped = self.run(&folder, &["convert", name, "-"]);
        piped
            .code(if sample.beside.is_empty() { 0 } else { 3 })
            .expect(piped.stdout == sample.bytes, "the same bytes");
        if sample.beside.is_empty() {
            self.piped(&folder, sample);
        }
        self.run(&folder, &["repair", name, &copy]).code(0);
        self.cuts(&folder, sample);
        let left: Vec<String> = folder
            .names()
            .into_iter()
            .filter(|there| !before.contains(there) && !there.starts_with("copy."))
            .collect();
        folder.expect(
            left.is_empty(),
            &format!("nothing left beside {name}, not {left:?}"),
        );
    }

    /// A recording can come from a pipe, and go into one.
    fn piped(&self, folder: &SampleFolder, sample: &Sample) {
        let through = |args: &[&str]| {
            let file = File::open(folder.path.join(&sample.name))
                .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let mut command = Command::new(&self.command);
            command.args(args).stdin(file);
            process(command, self.call(folder, args), Stdio::piped())
        };
        let [named, piped] = [
            self.run(folder, &["--json", "verify", &sample.name]),
            through(&["--json", "verify", "-"]),
        ];
        let said = |ended: &Ended| {
            let value: Value = serde_json::from_str(&ended.text()).unwrap_or_default();
            (value.get("format").cloned(), value.get("verdict").cloned())
        };
        piped
            .code(0)
            .expect(said(&piped) == said(&named), "the same verdict");
        let copied = through(&["convert", "-", "-"]);
        copied
            .code(0)
            .expect(copied.stdout == sample.bytes, "the same bytes");
    }

    fn dumps(&self, folder: &SampleFolder, name: &str) {
        let dump = self.run(folder, &["dump", name]);
        let text = dump.text();
        let mut last = None;
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let step = value.get("step").and_then(Value::as_u64);
            dump.expect(step.is_some() && step >= last, "steps that rise");
            last = step;
            for key in ["frame", "event", "packet"] {
                dump.expect(
                    !value.get(key).is_some_and(Value::is_u64),
                    "an ordinal that is called step",
                );
            }
        }
        let Some(last) = last else { return };
        let one = self.run(folder, &["dump", "--at", &format!("step:{last}"), name]);
        one.code(0).expect(
            text.ends_with(&one.text()) && !one.stdout.is_empty(),
            &format!(
                "the last step as in the whole dump, which ends {:?}",
                text.lines().last()
            ),
        );
        self.run(
            folder,
            &["dump", "--at", &format!("step:{}", last + 1), name],
        )
        .unusable("is not recorded");
        self.run(folder, &["dump", "--at", "yesterday", name])
            .code(2);
    }

    /// A recording is published as a whole; whether there is a page depends on how the command was built.
    #[cfg(feature = "live")]
    fn published(&self, folder: &SampleFolder, name: &str) {
        let site = folder.path.join("site");
        let ended = self.run(folder, &["--json", "publish", name, "--out", "site"]);
        ended.expect(matches!(ended.code, Some(0 | 3)), "0, or 3 without a page");
        let said: Value = serde_json::from_str(&ended.text()).unwrap_or_default();
        ended.expect(said["lost"] == serde_json::json!([]), "nothing lost");
        let id = said["id"].as_str().unwrap_or_default();
        let read = |name: &str| fs::read(site.join(name)).unwrap_or_default();
        let index = read(&format!("r/{id}/recording.json"));
        let index: Value = serde_json::from_slice(&index).unwrap_or_default();
        ended.expect(index["name"] == name, "a recording of its name");
        let segments = index["segments"].as_array();
        ended.expect(segments.is_some_and(|all| !all.is_empty()), "segments");
        for segment in segments.into_iter().flatten() {
            let file = segment["file"].as_str().unwrap_or_default();
            let bytes = read(&format!("r/{id}/{file}")).len();
            ended.expect(segment["bytes"] == bytes, "segments that are there");
        }
        let again = self.run(folder, &["--json", "publish", name, "--out", "site"]);
        again.expect(
            again.text() == ended.text(),
            "the same again is no replacement",
        );
        let _ = fs::remove_dir_all(site);
    }

    /// Every table can be dumped as JSON and as comma-separated values, and has a state at the end.
    fn tables(&self, folder: &SampleFolder, name: &str) {
        self.run(folder, &["tables", name]).code(0);
        let described = self.run(folder, &["--json", "tables", name]);
        described.code(0);
        for line in described.text().lines() {
            let table: Value = serde_json::from_str(line).unwrap_or_default();
            let (Some(table_name), Some(lane)) = (table["table"].as_str(), table["lane"].as_str())
            else {
                described.expect(false, "the table's name and lane");
                return;
            };
            let columns = table["columns"].as_array().map_or(0, Vec::len);
            let rows = self.run(folder, &["dump", "--table", table_name, name]);
            rows.code(0);
            for line in rows.text().lines() {
                let row: Value = serde_json::from_str(line).unwrap_or_default();
                rows.expect(row["step"].is_u64(), "a step in each row");
                let row = row.as_object().map_or(0, serde_json::Map::len);
                rows.expect(row > columns, "all columns in each row");
            }
            let csv = self.run(folder, &["dump", "--table", table_name, "--csv", name]);
            csv.code(0);
            let lines = |ended: &Ended| ended.text().lines().count();
            csv.expect(
                lines(&csv) == lines(&rows) + 1,
                "a line a row under the names",
            );
            let state = self.run(folder, &["dump", "--table", table_name, "--state", name]);
            if lane == "events" {
                state.unusable("is a table of events");
            } else {
                state.code(0);
            }
            self.run(
                folder,
                &["dump", "--table", table_name, "--columns", "nothing", name],
            )
            .unusable("has no column \"nothing\"");
        }
        self.run(folder, &["dump", "--table", "nothing", name])
            .unusable("there is no table");
    }

    fn findings(&self, folder: &SampleFolder, name: &str) {
        let verified = self.run(folder, &["--json", "verify", name]);
        let value: Value = serde_json::from_str(&verified.text()).unwrap_or_default();
        verified.expect(
            ["path", "format", "verdict", "facts", "findings"]
                .iter()
                .all(|key| value.get(key).is_some()),
            "path, format, verdict, facts, findings",
        );
        let findings = value.get("findings").and_then(Value::as_array);
        for finding in findings.into_iter().flatten() {
            let keys = [
                "code",
                "severity",
                "step",
                "tick",
                "time_ms",
                "line",
                "offset",
                "offset_in",
                "repeats",
                "message",
                "data",
            ];
            verified.expect(
                keys.iter().all(|key| finding.get(key).is_some()),
                "findings with all their keys",
            );
        }
    }
}
