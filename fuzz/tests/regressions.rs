//! Every check, on every kept input, on the seeds, and on inputs that are one step away from a seed. No
//! libFuzzer: an ordinary test.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, UnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Once;

use gametape_fuzz::{self as fuzz, Check};
use gametape_mines::rmv;
use gametape_murk::engine::World;
use libtest_mimic::{Arguments, Failed, Trial};

/// Enough to see what is wrong.
const SHOWN: usize = 8;

/// Runs a check on many inputs and says which ones fail.
struct Run {
    check: Check,
    runs: usize,
    failures: Vec<String>,
    failed: usize,
}

impl Run {
    fn new(check: Check) -> Self {
        quiet_where_caught();
        Self {
            check,
            runs: 0,
            failures: Vec::new(),
            failed: 0,
        }
    }

    fn input(&mut self, name: impl FnOnce() -> String, data: &[u8]) {
        self.runs += 1;
        QUIET.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| (self.check.run)(data)));
        QUIET.set(false);
        let Err(panic) = result else {
            return;
        };
        self.failed += 1;
        if self.failures.len() < SHOWN {
            let failure = format!("{}: {}\n    {}", name(), message(&*panic), hex(data));
            self.failures.push(failure);
        }
    }

    fn end(self) {
        eprintln!(
            "{}: {} inputs, {} failures",
            self.check.name, self.runs, self.failed
        );
        assert!(
            self.failures.is_empty(),
            "{} of {} inputs break {}:\n{}",
            self.failed,
            self.runs,
            self.check.name,
            self.failures.join("\n")
        );
    }
}

thread_local! {
    /// This thread's panics are caught and told of later.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

fn quiet_where_caught() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                loud(panic);
            }
        }));
    });
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("?")
}

fn hex(data: &[u8]) -> String {
    if data.len() > 1000 {
        return format!("{} bytes", data.len());
    }
    data.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn kept(check: Check) {
    let mut run = Run::new(check);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("regressions")
        .join(check.name);
    if let Ok(entries) = std::fs::read_dir(folder) {
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("a folder").path())
            .collect();
        paths.sort();
        for path in paths {
            let data = std::fs::read(&path).expect("a file");
            run.input(|| path.display().to_string(), &data);
        }
    }
    run.end();
}

fn one_step_away(check: Check) {
    let mut run = Run::new(check);
    for (number, seed) in (check.seeds)().into_iter().enumerate() {
        fuzz::near(number, &seed, |what, data| run.input(what, data));
    }
    run.end();
}

/// The first seeds are sound, so many of them, and all are small.
#[track_caller]
fn first_are_sound(seeds: &[Vec<u8>], sound: usize, most: usize, is_sound: impl Fn(&[u8]) -> bool) {
    for (number, seed) in seeds.iter().enumerate() {
        assert_eq!(is_sound(seed), number < sound, "seed {number}");
        assert!(seed.len() < most, "seed {number}: {} bytes", seed.len());
    }
}

fn the_first_games_are_sound() {
    let seeds = fuzz::rmv::seeds::recordings();
    first_are_sound(&seeds, 10, 600, |seed| rmv::read(seed).is_ok());
    for seed in seeds {
        assert!(rmv::read_with(&seed, rmv::ReadOptions::lenient()).is_ok());
    }
}

fn the_first_murk_recordings_are_sound() {
    use fuzz::murk::seeds::{SOUND, recordings};
    first_are_sound(&recordings(), SOUND, 700, |seed| {
        let replay = gametape_murk::read(seed);
        replay.is_ok_and(|replay| replay.frames().all(|frame| frame.is_ok()))
    });
}

fn the_first_worlds_are_sound() {
    use fuzz::murk::world::seeds::{SOUND, worlds};
    first_are_sound(&worlds(), SOUND, 1500, |seed| {
        let text = seed.split(|&byte| byte == 0).next().unwrap_or_default();
        let text = std::str::from_utf8(text).ok();
        text.is_some_and(|text| World::from_toml(text).is_ok())
    });
}

fn the_first_delta_packets_can_be_applied() {
    use fuzz::delta::seeds::{SOUND, packets};
    first_are_sound(&packets(), SOUND, usize::MAX, |seed| {
        let (schema, baseline) = fuzz::delta::known((seed[0] & 7).into());
        let decoder = gametape_delta::Decoder::new(&schema);
        let mut state = baseline.clone();
        let full = decoder.full(&seed[1..], &mut state);
        let delta = decoder.delta(&baseline, &seed[1..], &mut state);
        full.is_ok() || delta.is_ok()
    });
}

fn the_first_butter_files_are_sound() {
    use fuzz::echo::seeds::{SOUND, butters};
    first_are_sound(&butters(), SOUND, 800, |seed| {
        let Ok(file) = gametape_echo::butter::read(seed) else {
            return false;
        };
        let mut frames = file.frames();
        loop {
            match frames.next_frame() {
                Ok(Some(_)) => {}
                end => return end.is_ok(),
            }
        }
    });
}

/// A check that lost its name, or its inputs, would be missed by nobody.
fn each_folder_of_kept_inputs_is_of_a_check() {
    let names: Vec<&str> = fuzz::checks().map(|check| check.name).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
    let folders = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("regressions");
    for folder in std::fs::read_dir(folders).expect("kept inputs") {
        let name = folder.expect("a folder").file_name();
        let name = name.to_str().expect("the name of a check");
        assert!(unique.contains(name), "{name} is no check");
    }
}

/// Ordinary tests, by their names.
macro_rules! plain {
    ($($test:ident),* $(,)?) => {
        vec![$(Trial::test(stringify!($test), || passes($test))),*]
    };
}

fn main() -> ExitCode {
    let args = Arguments::from_args();
    let mut trials = plain![
        each_folder_of_kept_inputs_is_of_a_check,
        the_first_games_are_sound,
        the_first_murk_recordings_are_sound,
        the_first_worlds_are_sound,
        the_first_delta_packets_can_be_applied,
        the_first_butter_files_are_sound,
    ];
    for check in fuzz::checks() {
        let name = check.name;
        trials.push(Trial::test(format!("kept_inputs::{name}"), move || {
            passes(|| kept(check))
        }));
        let name = format!("one_step_from_a_seed::{name}");
        trials.push(Trial::test(name, move || passes(|| one_step_away(check))));
    }
    libtest_mimic::run(&args, trials).exit_code()
}

/// What a test panics with, as the harness wants it.
fn passes(test: impl FnOnce() + UnwindSafe) -> Result<(), Failed> {
    catch_unwind(test).map_err(|panic| message(&*panic).to_owned().into())
}
