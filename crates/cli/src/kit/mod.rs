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
//! kit.folders();
//! ```
//!
//! Each check panics with the command line, its output, and what was expected.

mod bad_inputs;
mod bad_outputs;
mod captures;
mod cuts;
mod folders;
mod promises;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A sound recording.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Its file name, with the format's extension.
    pub name: String,
    /// What the file holds.
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
            matches!(self.code, Some(0..=3 | 141)) && !self.stderr.contains("panicked"),
            "an exit code of 0 to 3 or 141, and no panic",
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
}
