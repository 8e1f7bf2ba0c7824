//! Folders of recordings, and their output below another folder.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::calls::process;
use super::{Ended, Kit, Sample, SampleFolder};

/// The files below a folder, and their bytes.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// The number of times that a call is killed.
const KILLS: u64 = 8;

impl Kit {
    /// Checks whole folders: a broken file among sound ones does not end the run; finished outputs are kept;
    /// outputs that were cut, edited, renamed or made from another input are made anew; a call that is killed
    /// or finds the disk full leaves no wrong output, and the next call does the rest, to the same bytes; the
    /// input is never written to.
    ///
    /// # Panics
    /// If that does not hold.
    pub fn folders(&self) {
        self.each_sample(|sample| {
            self.made_once(sample);
            self.made_anew(sample);
            self.killed(sample);
            self.hindered(sample);
            self.beside_the_input(sample);
            self.odd_names(sample);
        });
    }

    fn statuses(&self, folder: &SampleFolder, args: &[&str]) -> (Ended, BTreeMap<String, String>) {
        let ended = self.run(folder, &[&["--json"], args].concat());
        ended.calmly();
        let mut statuses = BTreeMap::new();
        for line in ended.text().lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            let text = |key: &str| value[key].as_str().map(str::to_owned);
            if let (Some(path), Some(status)) = (text("path"), text("status")) {
                statuses.insert(path, status);
            }
        }
        let last = ended.text().lines().last().map(str::to_owned);
        let last: Value = serde_json::from_str(&last.unwrap_or_default()).unwrap_or_default();
        let counted = |status: &str| statuses.values().filter(|s| *s == status).count();
        for status in ["made", "kept", "failed", "skipped"] {
            ended.expect(
                last["summary"][status] == counted(status),
                "a summary that counts right",
            );
        }
        (ended, statuses)
    }

    fn made_once(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        let before = archive(&folder, sample);
        let extension = sample.extension();
        folder.put(&format!("archive/bad.{extension}"), &[0xFF; 300]);
        folder.holds(format!(
            "archive/bad.{extension} is 300 bytes ff, the others are sound"
        ));
        let args = ["convert", "archive", "--out", "made"];
        let (dry, would) = self.statuses(&folder, &[&args[..], &["--dry-run"]].concat());
        dry.expect(!folder.path.join("made").exists(), "nothing done");
        let (ended, statuses) = self.statuses(&folder, &args);
        ended.code(2);
        let made = tree(&folder.path.join("made"));
        for stem in ["a", "b", "inner/c"] {
            let name = format!("{stem}.{extension}");
            let there = made.get(Path::new(&name)) == before.get(Path::new(&name));
            ended.expect(there, &format!("{name} byte for byte"));
            let path = format!("archive/{name}");
            let status = |of: &BTreeMap<String, String>| of.get(&path).cloned();
            ended.expect(
                status(&statuses).as_deref() == Some("made")
                    && status(&would).as_deref() == Some("would-make"),
                "files that are made, and were to be",
            );
        }
        let bad = statuses.get(&format!("archive/bad.{extension}"));
        ended.expect(bad.is_some_and(|s| s == "failed"), "a file that fails");
        let skipped = statuses.get("archive/notes.txt");
        ended.expect(skipped.is_some_and(|s| s == "skipped"), "a file skipped");
        let plain = self.run(&folder, &args);
        plain
            .code(2)
            .expect(plain.stderr.contains("bad."), "a word about the bad file")
            .expect(plain.text().contains("3 kept"), "the others kept")
            .expect(tree(&folder.path.join("made")) == made, "the same tree");
        for verb in ["verify", "stats", "inspect"] {
            let read = self.run(&folder, &[verb, "archive"]);
            read.calmly();
            let said = read.text() + &read.stderr;
            for name in ["a", "bad", "inner/c"] {
                let name = format!("archive/{name}.{extension}");
                read.expect(said.contains(&name), &format!("a word about {name}"));
            }
        }
        let repaired = self.run(&folder, &["repair", "archive", "--out", "mended"]);
        repaired.code(2).expect(
            names(&tree(&folder.path.join("mended"))) == names(&made),
            "all but the bad",
        );
    }

    fn made_anew(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        archive(&folder, sample);
        let extension = sample.extension();
        let [a, b] = ["a", "b"].map(|stem| format!("archive/{stem}.{extension}"));
        let args = ["convert", "archive", "--out", "made"];
        self.run(&folder, &args).code(0);
        let whole = tree(&folder.path.join("made"));
        let out = folder.path.join(format!("made/a.{extension}"));
        let mut edited = sample.bytes.clone();
        if let Some(byte) = edited.last_mut() {
            *byte ^= 1;
        }
        let cut = sample.bytes.get(1..).unwrap_or_default().to_vec();
        for bytes in [edited, cut, Vec::new()] {
            let _ = fs::write(&out, &bytes);
            let (ended, statuses) = self.statuses(&folder, &args);
            // Whoever changed it may want to keep it.
            ended
                .code(2)
                .expect(statuses.get(&a).is_some_and(|s| s == "failed"), "a failure")
                .expect(
                    fs::read(&out).is_ok_and(|there| there == bytes),
                    "the file that was changed",
                );
            let (ended, statuses) = self.statuses(&folder, &[&args[..], &["--replace"]].concat());
            let [is_a, is_b] = [&a, &b].map(|path| statuses.get(path).map(String::as_str));
            ended
                .code(0)
                .expect(
                    is_a == Some("made") && is_b == Some("kept"),
                    "what changed made anew",
                )
                .expect(tree(&folder.path.join("made")) == whole, "the same tree");
        }
        // The files beside the output belong to it, and so do those beside the input.
        for (name, bytes) in &sample.called("a", &sample.bytes).beside {
            let _ = fs::remove_file(folder.path.join("made").join(name));
            let (ended, statuses) = self.statuses(&folder, &args);
            ended.expect(statuses.get(&a).is_some_and(|s| s == "made"), "made anew");
            let mut other = bytes.clone();
            other.extend(b"\n\n");
            folder.put(&format!("archive/{name}"), &other);
            let (ended, statuses) = self.statuses(&folder, &args);
            ended.expect(statuses.get(&a).is_some_and(|s| s == "made"), "made anew");
        }
        // Another input of the same name that can't be read: the output is not lost.
        folder.put(&a, &[0xFF; 300]);
        let before = fs::read(&out).ok();
        let (ended, statuses) = self.statuses(&folder, &args);
        ended
            .code(2)
            .expect(statuses.get(&a).is_some_and(|s| s == "failed"), "a failure")
            .expect(fs::read(&out).ok() == before, "the file of before");
        // Notes that are damaged cost time, and nothing else.
        folder.put_sample(&sample.called("archive/a", &sample.bytes));
        let _ = fs::write(
            folder.path.join("made/.gametape-made.jsonl"),
            b"{\"out\":\x00\n{}\n\xff",
        );
        let (ended, statuses) = self.statuses(&folder, &args);
        let all_made = statuses.values().all(|s| s == "made" || s == "skipped");
        ended
            .code(0)
            .expect(all_made, "all made")
            .expect(tree(&folder.path.join("made")) == whole, "the same tree");
    }

    fn killed(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        archive(&folder, sample);
        for number in 0..8 {
            folder.put_sample(&sample.called(&format!("archive/more-{number}"), &sample.bytes));
        }
        let args = ["convert", "archive", "--to", "mcap", "--out"];
        let unkilled = self.run(&folder, &[&args[..], &["unkilled"]].concat());
        unkilled.calmly();
        let args = [&args[..], &["killed"]].concat();
        for kill in 0..KILLS {
            let child = Command::new(&self.command)
                .args(&args)
                .current_dir(&folder.path)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            if let Ok(mut child) = child {
                std::thread::sleep(Duration::from_millis(3 + kill * 7));
                let _ = child.kill();
                let _ = child.wait();
            }
        }
        let ended = self.run(&folder, &args);
        ended.expect(
            ended.code == unkilled.code,
            "the end of a call that is not killed",
        );
        let [killed, unkilled] = ["killed", "unkilled"].map(|name| tree(&folder.path.join(name)));
        ended.expect(killed == unkilled, "the tree of a call that is not killed");
    }

    /// A full disk, and folders that must not be written to.
    fn hindered(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        let before = archive(&folder, sample);
        let args = ["convert", "archive", "--out", "made"];
        if cfg!(target_os = "linux") {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
                .arg(&self.command)
                .args(args)
                .stdin(Stdio::null());
            let full = process(shell, self.call(&folder, &args), Stdio::piped());
            full.code(2)
                .expect(full.stderr.contains("too large"), "what the system says")
                .expect(
                    tree(&folder.path.join("made")).is_empty(),
                    "nothing left behind",
                );
        }
        folder.put("file", b"");
        self.run(&folder, &["convert", "archive", "--out", "file"])
            .unusable("file: is no folder");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let locked = folder.path.join("locked");
            let _ = fs::create_dir(&locked);
            let _ = fs::set_permissions(&locked, fs::Permissions::from_mode(0o555));
            // Some users may write everywhere.
            if fs::write(locked.join("try"), b"").is_err() {
                self.run(&folder, &["convert", "archive", "--out", "locked"])
                    .unusable("Permission denied");
            }
            let _ = fs::set_permissions(&locked, fs::Permissions::from_mode(0o755));
        }
        self.run(&folder, &args).code(0);
        let there = tree(&folder.path.join("archive"));
        folder.expect(
            there == before,
            "an archive, an input, that does not change",
        );
    }

    /// Outputs that would be found as inputs, or would replace them.
    fn beside_the_input(&self, sample: &Sample) {
        let folder = SampleFolder::new();
        let before = archive(&folder, sample);
        let inside = ["convert", "archive", "--out", "archive/made"];
        self.run(&folder, &inside).code(0);
        let made = tree(&folder.path.join("archive/made"));
        let (ended, statuses) = self.statuses(&folder, &inside);
        ended
            .expect(
                statuses.values().all(|s| s == "kept" || s == "skipped"),
                "all kept",
            )
            .expect(
                tree(&folder.path.join("archive/made")) == made,
                "nothing made of it",
            );
        let _ = fs::remove_dir_all(folder.path.join("archive/made"));
        self.run(&folder, &["convert", "archive", "--out", "archive"])
            .unusable("is where the recordings are");
        let name = format!("archive/a.{}", sample.extension());
        self.run(&folder, &["convert", &name, "--out", "archive"])
            .unusable("is one of the recordings themselves");
        let _ = fs::create_dir(folder.path.join("other"));
        folder.put_sample(&sample.called("other/a", &sample.bytes));
        let both = self.run(&folder, &["convert", "archive", "other", "--out", "made"]);
        both.unusable("would all become").expect(
            both.stderr.contains(&name) && both.stderr.contains("other/a."),
            "both names",
        );
        #[cfg(unix)]
        {
            let _ = fs::create_dir(folder.path.join("linked"));
            let real = folder.path.join(&name);
            let link = folder.path.join(format!("linked/a.{}", sample.extension()));
            let _ = std::os::unix::fs::symlink(real, link);
            self.run(&folder, &["convert", "archive", "--out", "linked"])
                .unusable("is one of the recordings themselves");
        }
        let there = tree(&folder.path.join("archive"));
        folder.expect(
            there == before,
            "an archive, an input, that does not change",
        );
    }

    #[cfg(unix)]
    fn odd_names(&self, sample: &Sample) {
        use std::os::unix::ffi::OsStringExt;
        if !sample.beside.is_empty() {
            return;
        }
        let folder = SampleFolder::new();
        let _ = fs::create_dir(folder.path.join("archive"));
        let mut names: Vec<OsString> = [&b"\xff"[..], b"\xfe", b"a\nb\x1b", "é ".as_bytes()]
            .map(|stem| {
                let name = [stem, b".", sample.extension().as_bytes()].concat();
                OsString::from_vec(name)
            })
            .to_vec();
        // Not every file system has such names.
        names.retain(|name| {
            fs::write(folder.path.join("archive").join(name), &sample.bytes).is_ok()
        });
        let args = ["convert", "archive", "--out", "made"];
        self.run(&folder, &args).code(0);
        let made = tree(&folder.path.join("made"));
        for name in &names {
            folder.expect(
                made.get(Path::new(name)) == Some(&sample.bytes),
                &format!("made/{} byte for byte", name.display()),
            );
        }
        let again = self.run(&folder, &args);
        let kept = format!("{} kept", names.len());
        again.code(0).expect(again.text().contains(&kept), &kept);
    }

    #[cfg(not(unix))]
    fn odd_names(&self, _sample: &Sample) {}
}

fn archive(folder: &SampleFolder, sample: &Sample) -> Tree {
    let _ = fs::create_dir_all(folder.path.join("archive/inner"));
    for stem in ["a", "b", "inner/c"] {
        // What lies beside it lies beside it there, too.
        folder.put_sample(&sample.called(&format!("archive/{stem}"), &sample.bytes));
    }
    folder.put("archive/notes.txt", b"no recording");
    tree(&folder.path.join("archive"))
}

fn names(tree: &Tree) -> Vec<&PathBuf> {
    tree.keys().collect()
}

fn tree(root: &Path) -> Tree {
    fn add(root: &Path, below: &Path, tree: &mut Tree) {
        let entries = fs::read_dir(root.join(below));
        for entry in entries.into_iter().flatten().flatten() {
            let path = below.join(entry.file_name());
            if entry.path().is_dir() {
                add(root, &path, tree);
            } else {
                let bytes = fs::read(entry.path()).unwrap_or_default();
                tree.insert(path, bytes);
            }
        }
    }
    let mut tree = Tree::new();
    add(root, Path::new(""), &mut tree);
    tree
}
