//! Parts of recordings.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use super::calls::process;
use super::{Ended, Kit, Sample, SampleFolder};

/// True if a format says that it can't be cut: in one line, and nothing is written.
fn is_uncut(ended: &Ended) -> bool {
    let uncut = ended.stderr.contains("it can't be cut");
    if uncut {
        ended.unusable("it can't be cut");
    }
    uncut
}

impl Kit {
    /// True if recordings of this format can be cut, at least at their ends.
    pub(super) fn is_cut(&self, folder: &SampleFolder, name: &str) -> bool {
        let ended = self.run(folder, &["cut", name, "-", "--to", "step:0"]);
        !is_uncut(&ended)
    }

    /// A part of a recording is a recording with the same rows; invalid ranges are refused.
    pub(super) fn cuts(&self, folder: &SampleFolder, sample: &Sample) {
        let name = sample.name.as_str();
        let part = format!("copy.{}", sample.extension());
        self.run(folder, &["cut", name, &part]).code(2);
        self.run(folder, &["cut", name, &part, "--to", "yesterday"])
            .code(2);
        self.run(folder, &["cut", name, &part, "--around", "nothing:1"])
            .unusable("there is no table \"nothing\"");
        if !self.is_cut(folder, name) {
            return;
        }
        let steps = self.run(folder, &["dump", name]).text().lines().count();
        self.no_range(folder, sample, &part);
        let cut = |args: &[&str]| self.run(folder, &[&["cut", "--replace", name], args].concat());
        let read = |name: &str| fs::read(folder.path.join(name)).unwrap_or_default();
        let whole = cut(&[&part, "--from", "step:0"]);
        whole.code(0).expect(
            read(&part) == sample.bytes,
            "all of it, the same byte for byte",
        );
        cut(&[name, "--from", "step:0"]).code(0);
        let first = cut(&[&part, "--to", "step:0"]);
        self.sound(folder, first.code(0), &part, 1);
        let bytes = read(&part);
        let piped = cut(&["-", "--to", "step:0"]);
        piped
            .code(if sample.beside.is_empty() { 0 } else { 3 })
            .expect(piped.stdout == bytes, "the same bytes");
        self.run(folder, &["cut", &part, &part, "--from", "step:0"])
            .code(0)
            .expect(read(&part) == bytes, "a part that is cut no more");
        if sample.beside.is_empty() {
            let file = File::open(folder.path.join(name));
            let mut command = Command::new(&self.command);
            let args = ["cut", "-", "-", "--to", "step:0"];
            command.args(args);
            if let Ok(file) = file {
                command.stdin(file);
            }
            process(command, self.call(folder, &args), Stdio::piped())
                .code(0)
                .expect(!bytes.is_empty(), "a part");
        }
        if steps > 1 {
            self.run(folder, &["cut", name, &part, "--from", "step:0"])
                .unusable("exists and is not replaced; --replace replaces it")
                .expect(read(&part) == bytes, "the part of before");
            cut(&[name, "--to", "step:0"]).unusable("would be replaced by a file that holds less");
            let json = self.run(
                folder,
                &[
                    "--json",
                    "cut",
                    "--replace",
                    name,
                    &part,
                    "--from",
                    "step:1",
                ],
            );
            if !is_uncut(&json) {
                json.expect(matches!(json.code, Some(0 | 3)), "0, or 3 with loss");
                self.sound(folder, &json, &part, steps - 1);
                let keys = ["path", "out", "format", "bytes", "steps", "from", "to"];
                let said: serde_json::Value =
                    serde_json::from_str(&json.text()).unwrap_or_default();
                json.expect(
                    keys.iter().all(|key| said.get(key).is_some()),
                    "what was kept",
                )
                .expect(said["from"]["step"] == 1, "the first step that is kept");
            }
        }
        let there = read(name);
        whole.expect(there == sample.bytes, "an input that stays as it was");
    }

    /// Invalid ranges, and moments that can't be looked up.
    fn no_range(&self, folder: &SampleFolder, sample: &Sample, part: &str) {
        let name = sample.name.as_str();
        let refused = |range: &[&str], why: &str| {
            let args = [&["cut", name, part][..], range].concat();
            self.run(folder, &args).unusable(why);
        };
        refused(
            &["--from", "step:1", "--to", "step:0"],
            "before it starts at step 1",
        );
        refused(
            &["--from", "step:4000000000"],
            "nothing is recorded from step 4000000000 on",
        );
        let dump = self.run(folder, &["dump", name]).text();
        let line: serde_json::Value =
            serde_json::from_str(dump.lines().next().unwrap_or_default()).unwrap_or_default();
        if line.get("tick").is_none() {
            refused(&["--to", "tick:1"], "the recording has no ticks");
        }
        if line["time_ms"].is_null() {
            refused(&["--to", "1"], "the recording has no times");
        }
    }

    /// The part is sound and has this number of steps.
    fn sound(&self, folder: &SampleFolder, cut: &Ended, part: &str, steps: usize) {
        self.run(folder, &["verify", part]).code(0);
        let dumped = self.run(folder, &["dump", part]);
        dumped.code(0);
        cut.expect(
            dumped.text().lines().count() == steps,
            &format!("{steps} steps in it"),
        );
    }
}
