//! How the command is called: in a process of its own, or inside of a worker that is asked for one call
//! after the other.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::App;

/// The longest that a call on a small file may take: a call that hangs is found out.
const LONGEST: Duration = Duration::from_mins(1);

/// The memory that a call may have, in kilobytes, where that can be limited. A file that claims more must
/// not get it.
const MEMORY: &str = "1048576";

/// Where a worker finds the kit.
const ADDRESS: &str = "GAMETAPE_KIT_ADDRESS";

/// The exit code of a process that panics.
const PANICKED: u8 = 101;

/// A call of the command, as a failure tells of it.
#[derive(Clone, Debug)]
pub(super) struct KitCall {
    /// The command line.
    line: String,
    folder: PathBuf,
    /// What the input is, where it is not a sample as it was given.
    input: String,
}

impl KitCall {
    pub(super) fn new(command: &Path, folder: &Path, args: &[&str]) -> Self {
        let command = command.display().to_string();
        let words = [command.as_str()].into_iter().chain(args.iter().copied());
        let words: Vec<String> = words.map(quoted).collect();
        Self {
            line: words.join(" "),
            folder: folder.to_owned(),
            input: String::new(),
        }
    }

    /// Says what the input is.
    pub(super) fn of(self, input: String) -> Self {
        Self { input, ..self }
    }

    /// Fails. The folder stays: its `Drop` sees the panic.
    #[track_caller]
    fn fail(&self, came: &str, expected: &str) -> ! {
        let Self {
            line,
            folder,
            input,
        } = self;
        let input = match input.as_str() {
            "" => String::new(),
            input => format!("\n  input: {input}"),
        };
        panic!(
            "{line}{input}\n{came}\n  expected: {expected}\n  the files are kept: cd {}",
            folder.display()
        );
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The start of a text, and how much more there is.
fn start_of(text: &str) -> String {
    const MOST: usize = 2000;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} … and {} bytes more", &text[..at], text.len() - at),
        None => text.trim_end().to_owned(),
    }
}

/// How a call ended.
#[derive(Debug)]
pub struct Ended {
    call: KitCall,
    /// The exit code; `None` where a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// The text of standard output.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    #[track_caller]
    pub(super) fn expect(&self, holds: bool, what: &str) -> &Self {
        if !holds {
            let code = self.code.map(|code| code.to_string());
            let came = format!(
                "  exit code: {}\n  stdout: {}\n  stderr: {}",
                code.as_deref().unwrap_or("none, a signal ended it"),
                start_of(&self.text()),
                start_of(&self.stderr),
            );
            self.call.fail(&came, what);
        }
        self
    }

    pub(super) fn is_calm(&self) -> bool {
        matches!(self.code, Some(0..=3 | 141)) && !self.stderr.contains("panicked")
    }

    /// Expects that it ended by itself, with a code of the contract, and did not panic.
    #[track_caller]
    pub(super) fn calmly(&self) -> &Self {
        self.expect(
            self.is_calm(),
            "an exit code of 0 to 3 or 141, and no panic",
        )
    }

    #[track_caller]
    pub(super) fn code(&self, code: i32) -> &Self {
        self.calmly()
            .expect(self.code == Some(code), &format!("exit code {code}"))
    }

    /// Expects that it could do nothing: it says why, in one line, and prints no results.
    #[track_caller]
    pub(super) fn unusable(&self, why: &str) -> &Self {
        let is_told = if self.call.line.split(' ').any(|word| word == "--json") {
            self.text().contains("\"error\":{")
        } else {
            self.stdout.is_empty()
        };
        self.code(2)
            .expect(is_told, "nothing on standard output, or an error as JSON")
            .expect(
                self.stderr.contains(why) && self.stderr.lines().count() == 1,
                &format!("{why:?} on standard error, in one line"),
            )
    }
}

/// A program with limited memory, where that can be limited.
pub(super) fn sparing(program: &OsStr) -> Command {
    if !cfg!(target_os = "linux") {
        return Command::new(program);
    }
    let mut shell = Command::new("sh");
    let limit = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    shell.args(["-c", &limit]).arg(program);
    shell
}

/// Runs a process to its end, and kills it where that takes too long.
pub(super) fn process(mut command: Command, call: KitCall, stdout: Stdio) -> Ended {
    let started = Instant::now();
    let mut child = command
        .current_dir(&call.folder)
        .env("NO_COLOR", "1")
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| call.fail(&format!("  {error}"), "a command that can be run"));
    let out = child.stdout.take().map(read_beside);
    let err = child.stderr.take().map(read_beside);
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() > LONGEST => {
                let _ = child.kill();
                call.fail("  it still runs, and was killed", &in_time());
            }
            Ok(None) => thread::sleep(Duration::from_millis(1)),
            Err(error) => call.fail(&format!("  {error}"), "an end"),
        }
    };
    let joined = |thread: Option<thread::JoinHandle<Vec<u8>>>| {
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

fn in_time() -> String {
    format!("an end within {LONGEST:?}")
}

/// Reads a stream to its end in a thread.
fn read_beside(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        bytes
    })
}

/// A process that runs the command as often as it is asked to, in the folder that it is asked to. Its
/// memory is limited, and all that it prints goes to two files, which are emptied before each call.
#[derive(Debug)]
pub(super) struct Worker {
    process: Child,
    asked: TcpStream,
    out: File,
    err: File,
    /// True once the process has ended.
    pub(super) gone: bool,
}

impl Worker {
    /// Starts this test program anew, with the one test that calls [`serve`].
    pub(super) fn start(test: &str) -> Self {
        Self::try_start(test).unwrap_or_else(|error| panic!("a worker that runs {test}: {error}"))
    }

    fn try_start(test: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut process = sparing(std::env::current_exe()?.as_os_str())
            .args([test, "--exact", "--nocapture", "--test-threads=1"])
            .env(ADDRESS, listener.local_addr()?.to_string())
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(err.try_clone()?)
            .spawn()?;
        let started = Instant::now();
        let asked = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if started.elapsed() > LONGEST || process.try_wait()?.is_some() {
                        let _ = process.kill();
                        let why = "no such test, or it does not call gametape_cli::kit::serve";
                        return Err(io::Error::other(why));
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                Err(error) => return Err(error),
            }
        };
        asked.set_nonblocking(false)?;
        asked.set_nodelay(true)?;
        asked.set_read_timeout(Some(LONGEST))?;
        Ok(Self {
            process,
            asked,
            out,
            err,
            gone: false,
        })
    }

    /// Calls the command in a folder.
    pub(super) fn call(&mut self, call: KitCall, command: &Path, args: &[&str]) -> Ended {
        let code = self
            .try_call(&call.folder, command, args)
            .unwrap_or_else(|error| call.fail(&format!("  {error}"), &in_time()));
        let printed = |mut file: &File| {
            let mut bytes = Vec::new();
            let _ = file.seek(SeekFrom::Start(0));
            let _ = file.read_to_end(&mut bytes);
            bytes
        };
        Ended {
            call,
            code,
            stdout: printed(&self.out),
            stderr: String::from_utf8_lossy(&printed(&self.err)).into_owned(),
        }
    }

    fn try_call(
        &mut self,
        folder: &Path,
        command: &Path,
        args: &[&str],
    ) -> io::Result<Option<i32>> {
        for mut file in [&self.out, &self.err] {
            file.set_len(0)?;
            // The worker's handles are copies of these: it writes where they stand.
            file.seek(SeekFrom::Start(0))?;
        }
        let (folder, command) = (folder.to_string_lossy(), command.to_string_lossy());
        let asked: Vec<&str> = [&*folder, &*command]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let mut line = serde_json::to_vec(&asked)?;
        line.push(b'\n');
        let mut code = [0];
        let answer = self.asked.write_all(&line);
        match answer.and_then(|()| self.asked.read_exact(&mut code)) {
            Ok(()) => Ok(Some(i32::from(code[0]))),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let _ = self.process.kill();
                Err(io::Error::other("it still runs, and was killed"))
            }
            // It called exit, ran out of memory or was killed.
            Err(_) => {
                self.gone = true;
                Ok(self.process.wait()?.code())
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the command for a [`Kit`](super::Kit) that asks for it; returns at once where none does. A test calls
/// it, and [`Kit::served_by`](super::Kit::served_by) names that test.
///
/// # Panics
/// Where the kit that asks can't be reached.
pub fn serve(app: &App) {
    let Some(address) = std::env::var_os(ADDRESS) else {
        return;
    };
    let address = address.to_string_lossy().into_owned();
    // As much stack as the main thread of a process has.
    let asked = thread::Builder::new().stack_size(8 << 20);
    thread::scope(|scope| {
        let served = asked.spawn_scoped(scope, || answer(app, &address));
        let served = served.map(thread::ScopedJoinHandle::join);
        assert!(
            matches!(served, Ok(Ok(Ok(())))),
            "no kit to be reached at {address}"
        );
    });
}

/// Runs the command lines that come from this address, and answers each with its exit code.
fn answer(app: &App, address: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    for line in BufReader::new(stream.try_clone()?).lines() {
        let asked: Vec<String> = serde_json::from_str(&line?)?;
        let [folder, args @ ..] = asked.as_slice() else {
            continue;
        };
        std::env::set_current_dir(folder)?;
        let exit = catch_unwind(AssertUnwindSafe(|| app.run_from(args)));
        let _ = io::stdout().flush();
        stream.write_all(&[exit.map_or(PANICKED, crate::Exit::code)])?;
    }
    Ok(())
}
