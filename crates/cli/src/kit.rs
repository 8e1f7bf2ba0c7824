//! A test kit for a command over formats: what every format has to stand, whoever wrote it.
//!
//! A test gives it the command and a few sound recordings, and gets the same matrix of bad inputs and
//! bad outputs that gametape's own formats are held to:
//!
//! ```no_run
//! # const COMMAND: &str = "";
//! use gametape_cli::kit::{Kit, Sample};
//! // env!("CARGO_BIN_EXE_my-command")
//! let kit = Kit::new(COMMAND, vec![Sample::new("a.track", *b"0,1,0,0,0\n")]);
//! kit.promises();
//! kit.bad_inputs();
//! kit.bad_outputs();
//! kit.captures();
//! ```
//!
//! Each check panics with the command line, its output, and what was expected.

mod captures;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A sound recording.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its file name, with the format's extension.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What has to lie beside it: names and bytes.
    pub beside: Vec<(String, Vec<u8>)>,
}

impl Sample {
    /// With nothing beside it.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            beside: Vec::new(),
        }
    }

    /// With a file beside it.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.beside.push((name.into(), bytes.into()));
        self
    }

    fn extension(&self) -> &str {
        self.name
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }

    /// Other bytes under another name, with the same beside them.
    fn called(&self, stem: &str, bytes: &[u8]) -> Self {
        let (own, extension) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let beside = self.beside.iter().map(|(name, bytes)| {
            let rest = name.strip_prefix(own).filter(|rest| rest.starts_with('.'));
            let name = rest.map_or_else(|| name.clone(), |rest| format!("{stem}{rest}"));
            (name, bytes.clone())
        });
        Self {
            name: format!("{stem}.{extension}"),
            bytes: bytes.to_vec(),
            beside: beside.collect(),
        }
    }
}

/// A command, and recordings of the formats that it is tried on.
#[derive(Debug)]
pub struct Kit {
    command: PathBuf,
    samples: Vec<Sample>,
    also: Vec<String>,
}

/// How a call ended.
#[derive(Debug)]
pub struct Ended {
    call: String,
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

/// A folder of its own for each check, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "gametape-kit-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(path)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn put_sample(&self, sample: &Sample) {
        self.put(&sample.name, &sample.bytes);
        for (name, bytes) in &sample.beside {
            self.put(name, bytes);
        }
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Whoever looks at a failed check may want the rest of it to be gone, too.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Ended {
    /// The text of standard output.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    #[track_caller]
    fn expect(&self, holds: bool, what: &str) -> &Self {
        assert!(
            holds,
            "{}\n  exit code {:?}\n  stdout: {}\n  stderr: {}\n  expected: {what}",
            self.call,
            self.code,
            self.text().chars().take(2000).collect::<String>(),
            self.stderr.chars().take(2000).collect::<String>(),
        );
        self
    }

    /// It ended by itself, with a code of the contract, and did not panic.
    #[track_caller]
    fn calmly(&self) -> &Self {
        self.expect(
            matches!(self.code, Some(0..=3)) && !self.stderr.contains("panicked"),
            "an exit code of 0 to 3, and no panic",
        )
    }

    #[track_caller]
    fn code(&self, code: i32) -> &Self {
        self.calmly()
            .expect(self.code == Some(code), &format!("exit code {code}"))
    }

    /// It could not do anything: says why, and gives nothing.
    #[track_caller]
    fn unusable(&self, why: &str) -> &Self {
        self.code(2)
            .expect(self.stdout.is_empty(), "nothing on standard output")
            .expect(
                self.stderr.contains(why) && self.stderr.lines().count() == 1,
                &format!("{why:?} on standard error, in one line"),
            )
    }
}

/// Verbs that read a recording and print.
const READERS: [&str; 4] = ["inspect", "verify", "stats", "dump"];

/// Those of them that take many recordings.
const READERS_OF_MANY: [&str; 3] = ["inspect", "verify", "stats"];

/// Longest that a call on a small file may take: what hangs is found out.
const LONGEST: Duration = Duration::from_mins(1);

impl Kit {
    /// A kit for a command.
    pub fn new(command: impl Into<PathBuf>, samples: Vec<Sample>) -> Self {
        Self {
            command: command.into(),
            samples,
            also: Vec::new(),
        }
    }

    /// Tries these on bad inputs as well: `minimise {} out`, in which `{}` is the file.
    #[must_use]
    pub fn also<'a>(mut self, lines: impl IntoIterator<Item = &'a str>) -> Self {
        self.also.extend(lines.into_iter().map(str::to_owned));
        self
    }

    fn call(&self, folder: &Path, args: &[&str], stdout: Stdio) -> Ended {
        let mut command = Command::new(&self.command);
        command.args(args).stdin(Stdio::null());
        Self::ended(command, folder, args, stdout)
    }

    /// With no more than a gigabyte of memory, where that can be said: what claims more must not get
    /// it.
    fn sparingly(&self, folder: &Folder, args: &[&str]) -> Ended {
        let mut command = if cfg!(target_os = "linux") {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", "ulimit -v 1048576; exec \"$0\" \"$@\""])
                .arg(&self.command);
            shell
        } else {
            Command::new(&self.command)
        };
        command.args(args).stdin(Stdio::null());
        Self::ended(command, &folder.0, args, Stdio::piped())
    }

    fn ended(mut command: Command, folder: &Path, args: &[&str], stdout: Stdio) -> Ended {
        let started = Instant::now();
        let call = format!("gametape {}", args.join(" "));
        let mut child = command
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{call}: {error}"));
        let out = child.stdout.take().map(|mut out| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = out.read_to_end(&mut bytes);
                bytes
            })
        });
        let err = child.stderr.take().map(|mut err| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = err.read_to_end(&mut bytes);
                bytes
            })
        });
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if started.elapsed() > LONGEST => {
                    let _ = child.kill();
                    panic!("{call}: takes longer than {LONGEST:?}");
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Err(error) => panic!("{call}: {error}"),
            }
        };
        let joined = |thread: Option<std::thread::JoinHandle<Vec<u8>>>| {
            thread
                .and_then(|thread| thread.join().ok())
                .unwrap_or_default()
        };
        Ended {
            call,
            code: status.code(),
            stdout: joined(out),
            stderr: String::from_utf8_lossy(&joined(err)).into_owned(),
        }
    }

    fn run(&self, folder: &Folder, args: &[&str]) -> Ended {
        self.call(&folder.0, args, Stdio::piped())
    }

    /// What every format promises of a sound recording: verbs succeed, JSON has its keys, a copy is
    /// the same byte for byte, a moment can be named by its step, and nothing is left behind.
    ///
    /// # Panics
    /// Where a promise is not kept.
    pub fn promises(&self) {
        for sample in &self.samples {
            let folder = Folder::new();
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
            self.dumps(&folder, name);
            self.tables(&folder, name);
            self.findings(&folder, name);
            self.run(&folder, &["diff", name, name]).code(0);
            // What is there is replaced, by a whole file.
            let copy = format!("copy.{}", sample.extension());
            folder.put(&copy, b"old");
            let copied = self.run(&folder, &["convert", name, &copy]);
            copied.code(0);
            let bytes = fs::read(folder.0.join(&copy)).unwrap_or_default();
            copied.expect(
                bytes == sample.bytes,
                "a copy that is the same byte for byte",
            );
            let over = self.run(&folder, &["convert", name, name]);
            over.code(0);
            let bytes = fs::read(folder.0.join(name)).unwrap_or_default();
            over.expect(
                bytes == sample.bytes,
                "a copy onto itself that changes nothing",
            );
            // What has to lie beside a recording, a pipe can't take: that is a loss.
            let piped = self.run(&folder, &["convert", name, "-"]);
            piped
                .code(if sample.beside.is_empty() { 0 } else { 3 })
                .expect(piped.stdout == sample.bytes, "the same bytes");
            if sample.beside.is_empty() {
                self.piped(&folder, sample);
            }
            self.run(&folder, &["repair", name, &copy]).code(0);
            let left: Vec<String> = folder
                .names()
                .into_iter()
                .filter(|there| !before.contains(there) && !there.starts_with("copy."))
                .collect();
            assert!(left.is_empty(), "{name}: left behind: {left:?}");
        }
    }

    /// It can come from a pipe, and go into one.
    fn piped(&self, folder: &Folder, sample: &Sample) {
        let through = |args: &[&str]| {
            let file = File::open(folder.0.join(&sample.name))
                .unwrap_or_else(|error| panic!("{}: {error}", sample.name));
            let mut command = Command::new(&self.command);
            command.args(args).stdin(file);
            Self::ended(command, &folder.0, args, Stdio::piped())
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

    fn dumps(&self, folder: &Folder, name: &str) {
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
            "the last step as in the whole dump",
        );
        self.run(
            folder,
            &["dump", "--at", &format!("step:{}", last + 1), name],
        )
        .unusable("is not recorded");
        self.run(folder, &["dump", "--at", "yesterday", name])
            .code(2);
    }

    /// Every table can be dumped, as JSON and as comma-separated values, and says what holds at the end.
    fn tables(&self, folder: &Folder, name: &str) {
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

    fn findings(&self, folder: &Folder, name: &str) {
        let verified = self.run(folder, &["--json", "verify", name]);
        let value: Value = serde_json::from_str(&verified.text()).unwrap_or_default();
        verified.expect(
            ["path", "format", "verdict", "findings"]
                .iter()
                .all(|key| value.get(key).is_some()),
            "path, format, verdict, findings",
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

    /// Inputs that are no sound recording: missing, empty, a folder, cut anywhere, with lengths of
    /// 4 GiB anywhere, noise, of another format, a pipe that closes, a disk that is full.
    ///
    /// # Panics
    /// Where the command panics, hangs, is killed, ends with a code outside of the contract, or loses
    /// what it was given.
    pub fn bad_inputs(&self) {
        for sample in &self.samples {
            let folder = Folder::new();
            folder.put_sample(sample);
            let extension = sample.extension();
            let bad = format!("bad.{extension}");
            let out = format!("out.{extension}");
            self.nothing_there(&folder, &out);
            let damaged = damaged(&sample.bytes);
            self.all_at_once(sample, &damaged);
            for bytes in damaged {
                folder.put_sample(&sample.called("bad", &bytes));
                let ended = self.sparingly(&folder, &["dump", &bad]);
                ended.calmly();
                if ended.code != Some(0) && sample.bytes.starts_with(&bytes) {
                    // What is asked for may be in what was cut off.
                    let at = self.sparingly(&folder, &["dump", "--at", "step:4000000000", &bad]);
                    at.unusable("").expect(
                        !at.stderr.contains("is not recorded"),
                        "what is wrong with the recording",
                    );
                }
                self.sparingly(&folder, &["diff", &bad, &sample.name])
                    .calmly();
                self.sparingly(&folder, &["dump", "--state", &bad]).calmly();
                #[cfg(feature = "picture")]
                for more in [&[][..], &["--over", ".."]] {
                    let args = ["picture", &bad, "-"];
                    self.sparingly(&folder, &[&args, more].concat()).calmly();
                }
                for line in &self.also {
                    let line = line.replace("{}", &bad);
                    let args: Vec<&str> = line.split(' ').collect();
                    self.sparingly(&folder, &args).calmly();
                }
                let ended = self.sparingly(&folder, &["repair", &bad, &out]);
                ended.calmly();
                if matches!(ended.code, Some(0 | 3)) {
                    self.run(&folder, &["convert", &out, "again"]).calmly();
                    let checked = self.run(&folder, &["inspect", &out]);
                    checked.code(0);
                }
                let there = fs::read(folder.0.join(&bad)).unwrap_or_default();
                ended.expect(there == bytes, "an input that stays as it was");
                let _ = fs::remove_file(folder.0.join(&out));
            }
            // Of what is nothing, nothing can be kept.
            folder.put(&bad, &[0xFF; 300]);
            let ended = self.run(&folder, &["repair", &bad, &out]);
            ended.code(2);
            ended.expect(!folder.0.join(&out).exists(), "no file of nothing");
            let name = &sample.name;
            let mut lines = READERS.map(|verb| format!("{verb} {name}")).to_vec();
            lines.extend(["convert", "repair"].map(|verb| format!("{verb} {name} -")));
            lines.push(format!("diff {name} {name}"));
            self.printing(&folder.0, &lines, || ());
            self.forbidden(&folder, sample);
        }
    }

    /// One call goes on from each to the next, and says what is wrong with it.
    fn all_at_once(&self, sample: &Sample, damaged: &[Vec<u8>]) {
        let folder = Folder::new();
        let mut names = Vec::new();
        for (number, bytes) in damaged.iter().enumerate() {
            let copy = sample.called(&format!("bad-{number}"), bytes);
            folder.put_sample(&copy);
            names.push(copy.name);
        }
        for verb in READERS_OF_MANY {
            let args: Vec<&str> = [verb]
                .into_iter()
                .chain(names.iter().map(String::as_str))
                .collect();
            let ended = self.sparingly(&folder, &args);
            ended.calmly();
            let said = ended.text() + &ended.stderr;
            for name in &names {
                ended.expect(said.contains(name), &format!("a word about {name}"));
            }
        }
    }

    #[cfg(unix)]
    fn forbidden(&self, folder: &Folder, sample: &Sample) {
        use std::os::unix::fs::PermissionsExt;
        let name = format!("forbidden.{}", sample.extension());
        folder.put(&name, &sample.bytes);
        let path = folder.0.join(&name);
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
    fn forbidden(&self, _folder: &Folder, _sample: &Sample) {}

    fn nothing_there(&self, folder: &Folder, out: &str) {
        let missing = format!("missing-{out}");
        for verb in READERS {
            self.run(folder, &[verb, &missing]).unusable("no such file");
        }
        for verb in ["convert", "repair"] {
            self.run(folder, &[verb, &missing, out])
                .unusable("no such file");
            let _ = fs::create_dir(folder.0.join("folder"));
            self.run(folder, &[verb, "folder", out])
                .unusable("is a folder");
        }
        self.run(folder, &["dump", "folder"])
            .unusable("is a folder");
        self.run(folder, &["verify", "folder"])
            .unusable("no recordings found");
    }

    /// Command lines that end well and print something, in this folder: where standard output is full
    /// they say so; where its reader has gone away they end quietly. Before each this is done.
    ///
    /// # Panics
    /// Where one does not.
    #[cfg(unix)]
    pub fn printing(&self, folder: &Path, lines: &[impl AsRef<str>], before: impl Fn()) {
        for line in lines {
            let args: Vec<&str> = line.as_ref().split(' ').collect();
            // The read end is closed before anything is written.
            if let Ok((reader, writer)) = std::io::pipe() {
                drop(reader);
                before();
                let ended = self.call(folder, &args, writer.into());
                ended.calmly().expect(
                    matches!(ended.code, Some(0 | 3)) && !ended.stderr.contains("can't write"),
                    "a quiet end",
                );
            }
            if let Ok(full) = File::options().write(true).open("/dev/full") {
                before();
                let ended = self.call(folder, &args, full.into());
                ended.code(2).expect(
                    ended
                        .stderr
                        .contains("can't write the output: No space left on device"),
                    "that the output can't be written",
                );
            }
        }
    }

    /// There is nothing that is always full here.
    #[cfg(not(unix))]
    pub fn printing(&self, _folder: &Path, _lines: &[impl AsRef<str>], _before: impl Fn()) {}

    /// Outputs that can't be: a folder, a folder that is not there, a full disk, the name of another
    /// format; options that nobody knows. What was there before is there still.
    ///
    /// # Panics
    /// Where it is not, or something is left behind.
    pub fn bad_outputs(&self) {
        for sample in &self.samples {
            let folder = Folder::new();
            folder.put_sample(sample);
            let _ = fs::create_dir(folder.0.join("folder"));
            let name = sample.name.as_str();
            let extension = sample.extension();
            let before = folder.names();
            let nowhere = format!("nowhere/out.{extension}");
            let a_folder = format!("a-folder.{extension}");
            let _ = fs::create_dir(folder.0.join(&a_folder));
            for verb in ["convert", "repair"] {
                self.run(&folder, &[verb, name, &nowhere])
                    .unusable(&format!("{nowhere}: no such folder: nowhere"));
                self.run(&folder, &[verb, name, &a_folder])
                    .unusable(&format!("{a_folder}: is a folder"));
                self.run(&folder, &[verb, name, "out", "--no-such-option"])
                    .code(2);
            }
            self.run(&folder, &["convert", name, "out.xyz"])
                .unusable("out.xyz");
            let _ = fs::remove_dir(folder.0.join(&a_folder));
            assert_eq!(folder.names(), before, "{name}: left behind");
            let there = fs::read(folder.0.join(name)).unwrap_or_default();
            assert!(there == sample.bytes, "{name}: the input has changed");
            #[cfg(unix)]
            if Path::new("/dev/full").exists() {
                let link = format!("full.{extension}");
                let _ = std::os::unix::fs::symlink("/dev/full", folder.0.join(&link));
                for verb in ["convert", "repair"] {
                    self.run(&folder, &[verb, name, &link])
                        .unusable("No space left on device");
                }
            }
        }
    }
}

/// Copies of a recording that are not sound: cut at many places, with a length of 4 GiB at many
/// places, with flipped bytes, and nothing that makes sense.
fn damaged(bytes: &[u8]) -> Vec<Vec<u8>> {
    /// Places of each kind: few enough for a test, and all that small recordings have.
    const PLACES: usize = 24;
    let places = |count: usize| {
        let step = count.div_ceil(PLACES).max(1);
        // Headers are at the start: look closer there.
        (0..count.min(12)).chain((12..count).step_by(step))
    };
    let mut damaged = vec![Vec::new(), vec![0], vec![0xFF; 100], b"PK\x03\x04".to_vec()];
    for at in places(bytes.len()) {
        damaged.push(bytes.get(..at).unwrap_or_default().to_vec());
    }
    for at in places(bytes.len().saturating_sub(4)) {
        let mut copy = bytes.to_vec();
        if let Some(length) = copy.get_mut(at..at + 4) {
            length.fill(0xFF);
        }
        damaged.push(copy);
    }
    for at in places(bytes.len()) {
        let mut copy = bytes.to_vec();
        if let Some(byte) = copy.get_mut(at) {
            *byte ^= 0x55;
        }
        damaged.push(copy);
    }
    damaged
}
