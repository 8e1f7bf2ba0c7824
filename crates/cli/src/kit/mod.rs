//! A test kit for a command over formats: what every format must withstand, whoever wrote it.
//!
//! A test passes the command and a few sound recordings. The kit then checks the same matrix of bad inputs and
//! bad outputs that gametape's own formats are checked with:
//!
//! ```no_run
//! # const COMMAND: &str = "";
//! use gametape_cli::kit::{self, Kit, Sample};
//! // env!("CARGO_BIN_EXE_my-command")
//! let kit = Kit::new(COMMAND, vec![Sample::new("a.track", *b"0,1,0,0,0\n")]);
//! // Optional, and faster: the test `command` runs most calls inside of its process.
//! let kit = kit.served_by("command");
//! # /*
//! #[test]
//! fn command() {
//!     kit::serve(&my_app());
//! }
//! # */
//! kit.promises();
//! kit.bad_inputs();
//! kit.bad_outputs();
//! kit.captures();
//! kit.folders();
//! ```
//!
//! Each check panics with the command line, the input (which sample, and where it was cut or changed), the
//! output, what was expected, and the folder in which all files of the call are kept.

mod bad_inputs;
mod bad_outputs;
mod calls;
mod captures;
mod cuts;
mod folders;
mod promises;
mod sample;

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;

use rayon::prelude::*;

pub use calls::{Ended, serve};
use calls::{KitCall, Worker, process, sparing};
pub use sample::Sample;
use sample::SampleFolder;

/// A command, and recordings of the formats that it is tried on.
#[derive(Debug)]
pub struct Kit {
    command: PathBuf,
    samples: Vec<Sample>,
    also: Vec<String>,
    /// The test that calls [`serve`].
    served_by: Option<String>,
    /// Workers that wait for a call.
    idle: Mutex<Vec<Worker>>,
}

/// Verbs that read a recording and print.
const READERS: [&str; 4] = ["inspect", "verify", "stats", "dump"];

/// Those of them that take many recordings.
const READERS_OF_MANY: [&str; 3] = ["inspect", "verify", "stats"];

impl Kit {
    /// A kit for a command.
    pub fn new(command: impl Into<PathBuf>, samples: Vec<Sample>) -> Self {
        Self {
            command: command.into(),
            samples,
            also: Vec::new(),
            served_by: None,
            idle: Mutex::default(),
        }
    }

    /// Also tries these command lines on bad inputs: `minimise {} out`, in which `{}` is the file.
    #[must_use]
    pub fn also<'a>(mut self, lines: impl IntoIterator<Item = &'a str>) -> Self {
        self.also.extend(lines.into_iter().map(str::to_owned));
        self
    }

    /// The full name of a test in the same program that calls [`serve`]. Most calls then run inside of
    /// a few processes of this test, which is several times as fast as a process for each call.
    #[must_use]
    pub fn served_by(mut self, test: impl Into<String>) -> Self {
        self.served_by = Some(test.into());
        self
    }

    /// Checks samples side by side.
    fn each_sample(&self, check: impl Fn(&Sample) + Send + Sync) {
        self.samples.par_iter().for_each(check);
    }

    /// Calls the command: inside of a worker, or in a process of its own where there are no workers.
    fn run(&self, folder: &SampleFolder, args: &[&str]) -> Ended {
        let Some(test) = &self.served_by else {
            return self.spawned(folder, args);
        };
        let idle = self.idle.lock().ok().and_then(|mut idle| idle.pop());
        let mut worker = idle.unwrap_or_else(|| Worker::start(test));
        let ended = worker.call(self.call(folder, args), &self.command, args);
        if !worker.gone
            && let Ok(mut idle) = self.idle.lock()
        {
            idle.push(worker);
        }
        ended
    }

    /// Calls the command in a process of its own, with limited memory.
    fn spawned(&self, folder: &SampleFolder, args: &[&str]) -> Ended {
        let mut command = sparing(self.command.as_os_str());
        command.args(args).stdin(Stdio::null());
        process(command, self.call(folder, args), Stdio::piped())
    }

    /// What a failure tells of a call.
    fn call(&self, folder: &SampleFolder, args: &[&str]) -> KitCall {
        KitCall::new(&self.command, &folder.path, args).of(folder.input.borrow().clone())
    }

    /// A call inside of a worker and a process of its own end alike.
    fn same_spawned(&self, folder: &SampleFolder, args: &[&str]) {
        if self.served_by.is_none() {
            return;
        }
        let (spawned, served) = (self.spawned(folder, args), self.run(folder, args));
        spawned.expect(
            spawned.code == served.code
                && spawned.stdout == served.stdout
                && spawned.stderr == served.stderr,
            &format!("what a worker gives: {served:?}"),
        );
    }
}
