//! Inputs that are not sound recordings.

use std::fs;

use super::{Ended, Kit, READERS, READERS_OF_MANY, Sample, SampleFolder};

impl Kit {
    /// Checks inputs that are not sound recordings: missing, empty, a folder, cut anywhere, with lengths of
    /// 4 GiB anywhere, noise, of another format; and outputs that close or are full.
    ///
    /// # Panics
    /// If the command panics, hangs, is killed, ends with a code outside the contract, or changes its
    /// input.
    pub fn bad_inputs(&self) {
        self.each_sample(|sample| self.bad_inputs_like(sample));
    }

    fn bad_inputs_like(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        folder.put_sample(sample);
        let bad = format!("bad.{}", sample.extension());
        let out = format!("out.{}", sample.extension());
        self.nothing_there(&folder, &out);
        let damaged = damaged(&sample.bytes);
        for Damaged { how, bytes } in &damaged {
            folder.put_sample(&sample.called("bad", bytes));
            folder.holds(format!("{bad} is {}{how}", sample.name));
            self.only_read(&folder, sample, &bad, bytes);
            self.shown(&folder, &bad);
            for line in &self.also {
                let line = line.replace("{}", &bad);
                let args: Vec<&str> = line.split(' ').collect();
                self.run(&folder, &args).calmly();
            }
            self.kept(&folder, &bad, &out, bytes);
        }
        self.all_at_once(sample, &damaged);
        self.bad_spawned(&folder, sample, &bad, &out);
        // Nothing of noise can be kept.
        folder.put(&bad, &[0xFF; 300]);
        folder.holds(format!("{bad} is 300 bytes ff"));
        let ended = self.run(&folder, &["repair", &bad, &out]);
        ended.code(2);
        ended.expect(!folder.path.join(&out).exists(), "no file of nothing");
        let name = &sample.name;
        let mut lines = READERS.map(|verb| format!("{verb} {name}")).to_vec();
        lines.extend(["convert", "repair"].map(|verb| format!("{verb} {name} -")));
        lines.push(format!("diff {name} {name}"));
        if self.is_cut(&folder, name) {
            lines.push(format!("cut {name} - --to step:0"));
        }
        folder.holds(String::new());
        self.printing(&folder.path, &lines, || ());
        self.forbidden(&folder, sample);
    }

    /// Verbs that print the rows of a damaged copy.
    fn only_read(&self, folder: &SampleFolder, sample: &Sample, bad: &str, bytes: &[u8]) {
        let ended = self.run(folder, &["dump", bad]);
        ended.calmly();
        reads_alone(&ended);
        let tables = self.run(folder, &["tables", bad]);
        tables.calmly();
        reads_alone(&tables);
        tables.expect(
            tables.code != Some(1) || ended.code != Some(0),
            "damage that only a further reading meets is not reported",
        );
        if ended.code != Some(0) && sample.bytes.starts_with(bytes) {
            // The step may be in the part that was cut off.
            let at = self.run(folder, &["dump", "--at", "step:4000000000", bad]);
            at.unusable("").expect(
                !at.stderr.contains("is not recorded"),
                "what is wrong with the recording",
            );
        }
        self.run(folder, &["diff", bad, &sample.name]).calmly();
        let state = self.run(folder, &["dump", "--state", bad]);
        state.calmly();
        reads_alone(&state);
    }

    /// Verbs that show a damaged copy.
    #[cfg_attr(
        not(any(feature = "picture", feature = "live")),
        expect(unused_variables, clippy::unused_self)
    )]
    fn shown(&self, folder: &SampleFolder, bad: &str) {
        #[cfg(feature = "picture")]
        for more in [&[][..], &["--from", "step:0"]] {
            let args = ["picture", bad, "-"];
            self.run(folder, &[&args, more].concat()).calmly();
        }
        #[cfg(feature = "live")]
        {
            let ended = self.run(folder, &["publish", bad, "--out", "site"]);
            ended.calmly();
            let listed = folder.path.join("site/library.json").exists();
            ended.expect(
                listed == matches!(ended.code, Some(0 | 3)),
                "a library where something was published, and nowhere else",
            );
            let _ = fs::remove_dir_all(folder.path.join("site"));
        }
    }

    /// Verbs that keep a part of a damaged copy.
    fn kept(&self, folder: &SampleFolder, bad: &str, out: &str, bytes: &[u8]) {
        let cut = self.run(folder, &["cut", bad, out, "--from", "step:1"]);
        cut.calmly().expect(
            matches!(cut.code, Some(0 | 3)) == folder.path.join(out).exists(),
            "a part where there is one, and nothing else",
        );
        let _ = fs::remove_file(folder.path.join(out));
        let ended = self.run(folder, &["repair", bad, out]);
        ended.calmly();
        if matches!(ended.code, Some(0 | 3)) {
            let input = folder.input.take();
            folder.holds(format!("{out} is what repair made of {bad}; {input}"));
            self.run(folder, &["convert", out, "again"]).calmly();
            self.run(folder, &["inspect", out]).code(0);
            folder.holds(input);
        }
        let there = fs::read(folder.path.join(bad)).unwrap_or_default();
        ended.expect(there == bytes, "an input that stays as it was");
        let _ = fs::remove_file(folder.path.join(out));
    }

    /// Each verb on a copy that was cut, in a process of its own: it ends as it does in a worker.
    fn bad_spawned(&self, folder: &SampleFolder, sample: &Sample, bad: &str, out: &str) {
        let half = sample.bytes.get(..sample.bytes.len() / 2);
        folder.put_sample(&sample.called("bad", half.unwrap_or_default()));
        folder.holds(format!("{bad} is the first half of {}", sample.name));
        for verb in READERS.iter().chain(&["tables"]) {
            self.same_spawned(folder, &["--json", verb, bad]);
        }
        for line in &self.also {
            let line = line.replace("{}", bad);
            self.same_spawned(folder, &line.split(' ').collect::<Vec<_>>());
        }
        self.same_spawned(folder, &["diff", bad, &sample.name]);
        self.same_spawned(folder, &["cut", bad, out, "--from", "step:1"]);
        self.same_spawned(folder, &["repair", bad, out]);
        self.same_spawned(folder, &["convert", bad, out]);
        #[cfg(feature = "picture")]
        self.same_spawned(folder, &["picture", bad, "-"]);
        #[cfg(feature = "live")]
        self.same_spawned(folder, &["publish", bad, "--out", "site"]);
        let _ = fs::remove_file(folder.path.join(out));
    }

    /// A call with many files continues after each broken one, and names it.
    fn all_at_once(&self, sample: &Sample, damaged: &[Damaged]) {
        let folder = SampleFolder::new();
        let (mut names, mut inputs) = (Vec::new(), Vec::new());
        for (number, Damaged { how, bytes }) in damaged.iter().enumerate() {
            let copy = sample.called(&format!("bad-{number}"), bytes);
            folder.put_sample(&copy);
            inputs.push(format!("{} is {}{how}", copy.name, sample.name));
            names.push(copy.name);
        }
        for verb in READERS_OF_MANY {
            let args: Vec<&str> = [verb]
                .into_iter()
                .chain(names.iter().map(String::as_str))
                .collect();
            let ended = self.run(&folder, &args);
            if !ended.is_calm() {
                // One of them alone says more.
                for (name, input) in names.iter().zip(&inputs) {
                    folder.holds(input.clone());
                    self.run(&folder, &[verb, name]).calmly();
                }
            }
            ended.calmly();
            let said = ended.text() + &ended.stderr;
            for (name, input) in names.iter().zip(&inputs) {
                ended.expect(
                    said.contains(name),
                    &format!("a word about {name} ({input})"),
                );
            }
        }
    }

    #[cfg(unix)]
    fn forbidden(&self, folder: &SampleFolder, sample: &Sample) {
        use std::os::unix::fs::PermissionsExt;
        let name = format!("forbidden.{}", sample.extension());
        folder.put(&name, &sample.bytes);
        let path = folder.path.join(&name);
        let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o000));
        if fs::read(&path).is_ok() {
            // This user may read everything.
            return;
        }
        for verb in READERS {
            self.run(folder, &[verb, &name])
                .unusable("Permission denied");
        }
        for verb in ["convert", "repair"] {
            self.run(folder, &[verb, &name, "out"])
                .unusable("Permission denied");
        }
    }

    #[cfg(not(unix))]
    fn forbidden(&self, _folder: &SampleFolder, _sample: &Sample) {}

    fn nothing_there(&self, folder: &SampleFolder, out: &str) {
        let missing = format!("missing-{out}");
        for verb in READERS {
            self.run(folder, &[verb, &missing]).unusable("no such file");
        }
        for verb in ["convert", "repair"] {
            self.run(folder, &[verb, &missing, out])
                .unusable("no such file");
            let _ = fs::create_dir(folder.path.join("folder"));
            self.run(folder, &[verb, "folder", out])
                .unusable("is a folder");
        }
        self.run(folder, &["cut", &missing, out, "--to", "1"])
            .unusable("no such file");
        self.run(folder, &["cut", "folder", out, "--to", "1"])
            .unusable("is a folder");
        self.run(folder, &["dump", "folder"])
            .unusable("is a folder");
        self.run(folder, &["verify", "folder"])
            .unusable("no recordings found");
    }
}

/// Reading loses nothing: damage is a problem that was found.
fn reads_alone(ended: &Ended) {
    ended.expect(ended.code != Some(3), "no loss of what is only read");
}

/// A copy of a recording that is not sound.
struct Damaged {
    /// What was done, as it is told after the name of the sample.
    how: String,
    bytes: Vec<u8>,
}

/// Some of so many places: few enough for a test, and all of a small recording.
fn places(count: usize) -> impl Iterator<Item = usize> {
    let step = count.div_ceil(24).max(1);
    // Headers are at the start: look closer there.
    (0..count.min(12)).chain((12..count).step_by(step))
}

/// Copies of a recording that are not sound: cut at many places, with a length of 4 GiB at many
/// places, with flipped bytes, without fields of its lines; and noise.
fn damaged(bytes: &[u8]) -> Vec<Damaged> {
    let mut damaged = Vec::new();
    let mut add = |how: String, bytes: Vec<u8>| damaged.push(Damaged { how, bytes });
    add(" without its bytes".to_owned(), Vec::new());
    add(", all of it replaced by a byte 00".to_owned(), vec![0]);
    add(
        ", all of it replaced by 100 bytes ff".to_owned(),
        vec![0xFF; 100],
    );
    let zip = b"PK\x03\x04".to_vec();
    add(
        ", all of it replaced by the signature of a zip".to_owned(),
        zip,
    );
    for at in places(bytes.len()) {
        let how = format!(", cut after {at} of its {} bytes", bytes.len());
        add(how, bytes.get(..at).unwrap_or_default().to_vec());
    }
    for at in places(bytes.len().saturating_sub(4)) {
        let mut copy = bytes.to_vec();
        if let Some(length) = copy.get_mut(at..at + 4) {
            length.fill(0xFF);
        }
        add(format!(", with ff in bytes {at} to {}", at + 3), copy);
    }
    for at in places(bytes.len()) {
        let mut copy = bytes.to_vec();
        if let Some(byte) = copy.get_mut(at) {
            let was = *byte;
            *byte ^= 0x55;
            add(
                format!(", with {byte:02x} in place of {was:02x} in byte {at}"),
                copy,
            );
        }
    }
    damaged.extend(without_fields(bytes));
    damaged
}

/// Copies of a text in which a line lacks a field, and ends as before: a reader that counts on the
/// number of fields takes such a line for sound. Nothing for what is no text.
fn without_fields(bytes: &[u8]) -> Vec<Damaged> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let is_separator = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && !"+-._".contains(c);
    let all: Vec<(usize, &str)> = text.match_indices(is_separator).collect();
    let pairs: Vec<_> = all.iter().zip(all.iter().skip(1)).collect();
    let holes = places(pairs.len()).filter_map(|at| {
        let ((from, before), (to, _)) = pairs.get(at)?;
        // The first field of a line goes with the separator after it.
        let first = usize::from(*before == "\n");
        Some((from + first, to + first))
    });
    holes
        .filter_map(|(from, to)| {
            let kept = [text.get(..from)?, text.get(to..)?].concat();
            Some(Damaged {
                how: format!(", without {:?} in byte {from}", text.get(from..to)?),
                bytes: kept.into_bytes(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of lines of three numbers which checks each number and counts on there being three.
    fn sum(text: &str) -> Option<u64> {
        let line = |line: &str| {
            let fields: Option<Vec<u64>> =
                line.split(',').map(|field| field.parse().ok()).collect();
            fields.map(|fields| fields[0] + fields[1] + fields[2])
        };
        text.lines().map(line).sum()
    }

    #[test]
    fn a_reader_that_counts_on_the_fields_of_a_line_meets_one_that_has_less() {
        let text = "0,15,300\n20,7,1\n";
        assert_eq!(sum(text), Some(343));
        let stands = |damaged: &Damaged| {
            let text = String::from_utf8_lossy(&damaged.bytes).into_owned();
            std::panic::catch_unwind(|| sum(&text)).is_ok()
        };
        let found = without_fields(text.as_bytes());
        let told: Vec<&str> = found.iter().map(|damaged| &*damaged.how).collect();
        assert_eq!(
            told,
            [
                ", without \",15\" in byte 1",
                ", without \",300\" in byte 4",
                ", without \"20,\" in byte 9",
                ", without \",7\" in byte 11",
                ", without \",1\" in byte 13",
            ]
        );
        assert!(!found.iter().any(stands));
        // No text.
        assert_eq!(without_fields(&[b',', 0xFF, b',']).len(), 0);
    }
}
