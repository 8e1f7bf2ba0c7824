//! Every check, on every input that is kept, on the seeds, and on all that is one step away
//! from them. No libFuzzer: an ordinary test.

use std::any::Any;
use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Once;

use gametape_fuzz::{
    BUTTER_SOUND, CHECKS, Check, DELTA_SOUND, MURK_SOUND, MURK_SOUND_WORLDS, butter_seeds,
    delta_known, delta_seeds, murk_seeds, murk_world_seeds, seeds,
};
use gametape_mines::rmv;
use gametape_murk::engine::World;

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
        run.input(|| format!("seed {number}"), &seed);
        for cut in 0..seed.len() {
            run.input(|| format!("seed {number} cut at {cut}"), &seed[..cut]);
        }
        let mut changed = seed;
        for at in 0..changed.len() {
            for change in [0x01, 0xFF] {
                changed[at] ^= change;
                run.input(
                    || format!("seed {number}, byte {at} ^ {change:#04x}"),
                    &changed,
                );
                changed[at] ^= change;
            }
        }
    }
    run.end();
}

macro_rules! checks {
    ($($name:ident = $index:literal;)*) => {
        mod kept_inputs {
            $(#[test] fn $name() { super::kept(super::CHECKS[$index]); })*
        }
        mod one_step_from_a_seed {
            $(#[test] fn $name() { super::one_step_away(super::CHECKS[$index]); })*
        }
        #[test]
        fn every_check_is_tested() {
            let names = CHECKS.map(|check| check.name);
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

checks! {
    rmv_read = 0;
    rmv_roundtrip = 1;
    rmv_engine = 2;
    rmv_audit = 3;
    murk_read = 4;
    murk_roundtrip = 5;
    murk_origin = 6;
    murk_index = 7;
    murk_world = 8;
    delta_packet = 9;
    delta_apply = 10;
    delta_roundtrip = 11;
    delta_origin = 12;
    delta_session = 13;
    capture_read = 14;
    butter_read = 15;
    butter_roundtrip = 16;
    echoreplay_line = 17;
    echoreplay_zip = 18;
}

#[test]
fn most_seeds_are_sound_recordings() {
    let seeds = seeds();
    let sound = seeds.iter().filter(|seed| rmv::read(seed).is_ok()).count();
    assert_eq!((sound, seeds.len()), (10, 16));
    for seed in &seeds {
        assert!(rmv::read_with(seed, rmv::ReadOptions::lenient()).is_ok());
        assert!(seed.len() < 600, "{} bytes", seed.len());
    }
}

#[test]
fn the_first_murk_seeds_are_sound_recordings() {
    let sound: Vec<bool> = murk_seeds()
        .iter()
        .map(|seed| {
            let replay = gametape_murk::read(seed);
            replay.is_ok_and(|replay| replay.frames().all(|frame| frame.is_ok()))
        })
        .collect();
    assert!(sound[..MURK_SOUND].iter().all(|&sound| sound));
    assert!(!sound[MURK_SOUND..].iter().any(|&sound| sound));
    for seed in murk_seeds() {
        assert!(seed.len() < 700, "{} bytes", seed.len());
    }
}

#[test]
fn the_first_murk_worlds_are_sound() {
    let sound: Vec<bool> = murk_world_seeds()
        .iter()
        .map(|seed| {
            let text = seed.split(|&byte| byte == 0).next().unwrap_or_default();
            let text = std::str::from_utf8(text).ok();
            text.is_some_and(|text| World::from_toml(text).is_ok())
        })
        .collect();
    let expected: Vec<bool> = (0..sound.len()).map(|at| at < MURK_SOUND_WORLDS).collect();
    assert_eq!(sound, expected);
    for seed in murk_world_seeds() {
        assert!(seed.len() < 1500, "{} bytes", seed.len());
    }
}

#[test]
fn the_first_delta_packets_can_be_applied() {
    let sound: Vec<bool> = delta_seeds()
        .iter()
        .map(|seed| {
            let (schema, baseline) = delta_known(seed[0] & 7);
            let decoder = gametape_delta::Decoder::new(&schema);
            let mut state = baseline.clone();
            let full = decoder.full(&seed[1..], &mut state);
            let delta = decoder.delta(&baseline, &seed[1..], &mut state);
            full.is_ok() || delta.is_ok()
        })
        .collect();
    assert!(sound[..DELTA_SOUND].iter().all(|&sound| sound));
    assert!(!sound[DELTA_SOUND..].iter().any(|&sound| sound));
}

#[test]
fn the_first_butter_seeds_are_sound_recordings() {
    let sound: Vec<bool> = butter_seeds()
        .iter()
        .map(|seed| {
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
        })
        .collect();
    let expected: Vec<bool> = (0..sound.len()).map(|at| at < BUTTER_SOUND).collect();
    assert_eq!(sound, expected);
    for seed in butter_seeds() {
        assert!(seed.len() < 800, "{} bytes", seed.len());
    }
}
