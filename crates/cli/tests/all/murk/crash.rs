//! A recorder that is killed: every whole frame survives, and recording goes on to the same bytes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gametape::murk::{ReadOptions, read, read_with};
use snapbox::cmd::cargo_bin;

/// Recorders that are killed.
const KILLS: u64 = 200;

/// Diffusion on a plate, large enough that a recording takes a while.
const PLATE: &str = r#"dt = 0.1

[space]
kind = "square4"
rows = 48
cols = 48
edge = "wrap"

[[field]]
name = "stove"
type = "scalar"
mutability = "sparse"

[[field]]
name = "heat"
type = "scalar"
mutability = "per_tick"

[[propagator]]
kind = "scalar_diffusion"
input_field = "stove"
output_field = "heat"
coefficient = 0.5
"#;

const TICKS: u64 = 240;

/// Random enough, and the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Commands in most ticks, none in some, many in others: frames of all sizes.
fn commands() -> String {
    let mut random = Random(1);
    let mut lines = String::new();
    for tick in 1..=TICKS {
        let count = match random.below(4) {
            0 => 0,
            1..3 => random.below(3),
            _ => random.below(60),
        };
        for _ in 0..count {
            let [row, col, value] = [random.below(48), random.below(48), random.below(1000)];
            let source = random.below(5);
            // Writing to a string does not fail.
            let _ = writeln!(
                lines,
                r#"{{"tick":{tick},"kind":"set_field","coord":[{row},{col}],"field":"stove","value":{value},"source_id":{source}}}"#
            );
        }
    }
    lines
}

struct Studio {
    folder: tempfile::TempDir,
    /// The recording of an undisturbed recorder.
    whole: Vec<u8>,
    /// How long that takes.
    took: Duration,
}

impl Studio {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("plate.toml"), PLATE).unwrap();
        fs::write(folder.path().join("commands.jsonl"), commands()).unwrap();
        let mut studio = Self {
            folder,
            whole: Vec::new(),
            took: Duration::ZERO,
        };
        let started = Instant::now();
        let mut child = studio.start("whole.murk", false);
        assert!(child.wait().unwrap().success());
        studio.took = started.elapsed();
        studio.whole = fs::read(studio.path("whole.murk")).unwrap();
        assert_eq!(read(&studio.whole).unwrap().frames().count() as u64, TICKS);
        studio
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn gametape(&self, args: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("gametape"));
        command
            .current_dir(self.folder.path())
            .env("NO_COLOR", "1")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.gametape(args).output().unwrap()
    }

    /// A recorder at work.
    fn start(&self, out: &str, resume: bool) -> Child {
        let ticks = TICKS.to_string();
        let mut args = vec!["record", "murk", "--world", "plate.toml"];
        args.extend(["--commands", "commands.jsonl", "--ticks", &ticks, out]);
        if resume {
            args.push("--resume");
        }
        self.gametape(&args).spawn().unwrap()
    }

    /// Checks the file of a killed recorder and continues it. Returns the number of whole frames that
    /// were there.
    fn check(&self, name: &str) -> u64 {
        let left = fs::read(self.path(name)).unwrap_or_default();
        assert!(
            self.whole.starts_with(&left),
            "{name}: {} bytes",
            left.len()
        );
        let header = read_with(&left, ReadOptions::lenient());
        let whole_frames = header.map(|replay| {
            let mut frames = replay.frames();
            let count = frames.by_ref().flatten().count() as u64;
            (count, frames.offset() as usize)
        });
        let frames = match whole_frames {
            // Not even the header is whole: there is nothing to keep.
            Err(error) => {
                assert!(error.is_truncated(), "{error}");
                0
            }
            Ok((frames, end)) => {
                self.repaired(name, &left, end);
                frames
            }
        };
        let resumed = self.start(name, true).wait_with_output().unwrap();
        let printed = String::from_utf8_lossy(&resumed.stderr);
        assert_eq!(resumed.status.code(), Some(0), "{name}: {printed}");
        // Byte-identical, so that what verifies the undisturbed recording verifies this one.
        let now = fs::read(self.path(name)).unwrap();
        assert!(now == self.whole, "{name}, cut at {}", left.len());
        frames
    }

    /// Repairing a copy keeps every whole frame, and what it keeps verifies.
    fn repaired(&self, name: &str, left: &[u8], end: usize) {
        let (copy, mended) = (format!("copy-{name}"), format!("mended-{name}"));
        fs::write(self.path(&copy), left).unwrap();
        let repaired = self.run(&["repair", &copy, &mended]);
        let wanted = if end == left.len() { 0 } else { 3 };
        let printed = String::from_utf8_lossy(&repaired.stderr);
        assert_eq!(repaired.status.code(), Some(wanted), "{name}: {printed}");
        assert_eq!(fs::read(self.path(&mended)).unwrap(), left[..end]);
        let verified = self.run(&["verify", &mended]);
        let printed = String::from_utf8_lossy(&verified.stdout);
        assert_eq!(verified.status.code(), Some(0), "{name}: {printed}");
        for name in [copy, mended] {
            fs::remove_file(self.path(&name)).unwrap();
        }
    }

    fn verify_whole(&self, name: &str) {
        let verified = self.run(&["verify", name]);
        let printed = String::from_utf8(verified.stdout).unwrap();
        assert_eq!(
            printed,
            format!("pass  {name}  {TICKS} ticks, replayed: every hash is right\n")
        );
    }
}

/// How large a file is; 0 while there is none.
fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |meta| meta.len())
}

/// Two lanes, as the kills of one leave a core idle.
fn in_lanes(work: impl Fn(u64) + Sync) {
    std::thread::scope(|scope| {
        for lane in 0..2 {
            let work = &work;
            scope.spawn(move || work(lane));
        }
    });
}

#[test]
fn a_recorder_that_is_killed_loses_no_whole_frame() {
    let studio = Studio::new();
    studio.verify_whole("whole.murk");
    let length = studio.whole.len() as u64;
    let landed: std::sync::Mutex<Vec<u64>> = std::sync::Mutex::default();
    in_lanes(|lane| {
        let mut random = Random(100 + lane);
        for kill in (lane..KILLS).step_by(2) {
            let name = format!("killed-{kill}.murk");
            let path = studio.path(&name);
            let mut child = studio.start(&name, false);
            // Half of them after some time, the others at some size.
            if kill % 4 < 2 {
                let micros = studio.took.as_micros() as u64;
                std::thread::sleep(Duration::from_micros(random.below(micros)));
            } else {
                let wanted = random.below(length);
                while size(&path) < wanted && child.try_wait().unwrap().is_none() {
                    std::thread::sleep(Duration::from_micros(100));
                }
            }
            child.kill().unwrap();
            child.wait().unwrap();
            if path.exists() {
                let frames = studio.check(&name);
                landed.lock().unwrap().push(frames);
                // Going on may be killed, too.
                if kill % 10 == 0 {
                    fs::write(&path, &studio.whole[..(random.below(length)) as usize]).unwrap();
                    let mut child = studio.start(&name, true);
                    let micros = studio.took.as_micros() as u64;
                    std::thread::sleep(Duration::from_micros(random.below(micros)));
                    child.kill().unwrap();
                    child.wait().unwrap();
                    studio.check(&name);
                }
                if kill % 20 == 0 {
                    studio.verify_whole(&name);
                }
                fs::remove_file(&path).unwrap();
            } else {
                landed.lock().unwrap().push(0);
            }
        }
    });
    // The kills were worth something: most of them came while frames were written.
    let landed = landed.into_inner().unwrap();
    let amid = landed
        .iter()
        .filter(|frames| (1..TICKS).contains(frames))
        .count();
    assert_eq!(landed.len() as u64, KILLS);
    assert!(amid as u64 > KILLS / 4, "{amid} of {KILLS}: {landed:?}");
}
