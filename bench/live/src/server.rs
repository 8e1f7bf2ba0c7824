//! The server, in a process of its own.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use gametape_echo::echoreplay::Writer;
use gametape_live::Page;
use gametape_live::server::{ServeOptions, Server};
use gametape_samples::echo::{Match, MatchOptions};

/// The match that is recorded: 5 against 5, with bones.
pub fn game(rate: usize) -> Match {
    Match::new(MatchOptions {
        rate_hz: rate as u32,
        bones: true,
        pauses: false,
        ..MatchOptions::default()
    })
}

pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.expect("after 1970").as_nanos() as u64
}

/// Serves a recording that it writes, frame by frame, and says when it wrote each.
pub fn run(path: &str, rate: usize) {
    let path = PathBuf::from(path);
    let options = ServeOptions::default();
    let server = Server::bind(&[], gametape::formats(), Page::built(), options).expect("listens");
    println!("{}", server.address());
    let growth = server.growth();
    std::thread::spawn(move || server.run());
    let mut writer = Writer::new(File::create(&path).expect("a file"));
    let mut begun = false;
    let period = Duration::from_secs(1) / rate as u32;
    let mut next = Instant::now();
    for (step, frame) in game(rate).enumerate() {
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        next += period;
        let from = now();
        writer.push(&frame).expect("written");
        if !begun {
            begun = true;
            growth.begin(&path).expect("there");
        }
        growth.grew();
        println!("{step} {from}");
    }
}

/// A server that runs.
pub struct Running {
    child: Child,
    pub address: String,
    /// When each step was written.
    pub written: Arc<Mutex<Vec<u64>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub fn start(path: &Path, rate: usize) -> Self {
        let own = std::env::current_exe().expect("itself");
        let mut child = Command::new(own)
            .arg("server")
            .arg(path)
            .arg(rate.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let address = lines.next().expect("an address").expect("an address");
        let written = Arc::new(Mutex::new(Vec::new()));
        let into = written.clone();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let time = line.split(' ').nth(1).and_then(|time| time.parse().ok());
                into.lock().expect("lock").push(time.expect("a time"));
            }
        });
        Self {
            child,
            address,
            written,
        }
    }

    /// Kilobytes that it holds.
    pub fn resident(&self) -> u64 {
        let status = self.proc("status");
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number
            .and_then(|number| number.parse().ok())
            .expect("VmRSS")
    }

    /// Seconds of processor time that it took.
    pub fn seconds(&self) -> f64 {
        seconds(&self.proc("stat"))
    }

    fn proc(&self, name: &str) -> String {
        let path = format!("/proc/{}/{name}", self.child.id());
        std::fs::read_to_string(path).expect("/proc")
    }
}

/// Seconds of processor time that this process took.
pub fn own_seconds() -> f64 {
    seconds(&std::fs::read_to_string("/proc/self/stat").expect("/proc"))
}

fn seconds(stat: &str) -> f64 {
    let (_, rest) = stat.rsplit_once(") ").expect("a name");
    let ticks = rest.split(' ').skip(11).take(2);
    let ticks: u64 = ticks
        .map(|ticks| ticks.parse::<u64>().expect("ticks"))
        .sum();
    // Linux counts in hundredths.
    ticks as f64 / 100.0
}

/// Says what it is told at once.
pub fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().expect("stdout");
}
