//! Worlds that differ from run to run: the report says so, and names no slip.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, thread};

use gametape_core::tape::{Audit, OptionValue, Options, Source, Tape, Work};
use gametape_murk::engine::World;
use gametape_murk::engine::own::{
    Kinds, ParameterError, Parameters, Propagator, StepContext, WriteMode,
};
use gametape_murk::tape::{MurkTape, WorldFile};
use gametape_murk::tools::{CommandList, Minimise, RecordOptions, minimise, record};
use gametape_murk::{CommandBuf, Envelope, Explanation, Slip};
use serde_json::{Value as Json, json};

use super::commands::Dice;
use crate::common::runs::{Acting, LIMIT, explained, recorded};
use crate::common::tapes::temporary;
use crate::common::{only, set};

/// How a tick of a run differs from the same tick of another run.
#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    /// It sums in the order of a map that is made anew in each tick.
    Map,
    /// It sums in the order of a map that each run makes once.
    MapOfRun,
    /// It sums in the order in which threads arrive.
    Threads,
    /// It depends on the time of day.
    Time,
    /// It depends on its address in memory.
    Address,
    /// It depends on its own count of the ticks of the run.
    Count,
    /// A tick can be made this many times, and not once more.
    Fails { tick: u64, after: usize },
    /// At random: the percentage of ticks, or of runs; the first and the last tick; the effect.
    Dice(Of, u64, (u64, u64), What),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Of {
    Runs,
    Ticks,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum What {
    /// It sums from the other end.
    Backwards,
    /// One of this many values is added.
    More(u64),
    /// The water stays unchanged.
    Still,
}

const STEADY: How = How::Dice(Of::Ticks, 0, (1, 1), What::Still);

/// The state shared by all runs of a case.
struct Nature {
    how: How,
    state: Mutex<(Dice, Log)>,
    /// How often a tick was made that can be made only a limited number of times.
    made: AtomicUsize,
}

/// The results of ticks, by number and input. If two results differ, runs were seen to differ.
#[derive(Default)]
struct Log {
    seen: HashMap<(u64, Vec<u32>), Vec<u32>>,
    differ: bool,
}

impl Nature {
    fn new(how: How, seed: u64) -> Arc<Self> {
        let state = Mutex::new((Dice(seed), Log::default()));
        Arc::new(Self {
            how,
            state,
            made: AtomicUsize::new(0),
        })
    }

    fn state(&self) -> MutexGuard<'_, (Dice, Log)> {
        self.state.lock().unwrap()
    }

    /// Forgets the results so far, so that they are not compared with later ones.
    fn forget(&self) {
        self.state().1 = Log::default();
    }

    /// Returns true if runs were seen to differ.
    fn differ(&self) -> bool {
        self.state().1.differ
    }

    fn roll(&self, sides: u64) -> u64 {
        self.state().0.roll(sides)
    }

    fn kinds(self: &Arc<Self>) -> Kinds {
        let (below, beside) = (Arc::clone(self), Arc::clone(self));
        Kinds::new()
            .with("seepage", move |keys| seepage(keys, &below))
            .with("gauge", move |keys| gauge(keys, &beside))
            .with("steady", |keys| gauge(keys, &Nature::new(STEADY, 0)))
    }

    fn world(self: &Arc<Self>, fed: bool) -> World {
        let text = BASIN.replace("FED", &fed.to_string());
        World::from_toml_with(&text, &self.kinds()).unwrap()
    }
}

/// The state of each run.
struct Run {
    nature: Arc<Nature>,
    hasher: RandomState,
    odd: bool,
    ticks: AtomicUsize,
}

impl Run {
    fn new(nature: &Arc<Nature>) -> Self {
        let odd = match nature.how {
            How::Dice(_, percent, ..) => nature.roll(100) < percent,
            _ => false,
        };
        Self {
            nature: Arc::clone(nature),
            hasher: RandomState::new(),
            odd,
            ticks: AtomicUsize::new(0),
        }
    }

    /// Returns the deviation of this tick.
    fn odd(&self, tick: u64) -> Option<What> {
        let How::Dice(of, percent, (from, to), what) = self.nature.how else {
            return None;
        };
        let odd = match of {
            Of::Runs => self.odd,
            Of::Ticks => self.nature.roll(100) < percent,
        };
        (odd && (from..=to).contains(&tick)).then_some(what)
    }

    fn sum(&self, tick: u64, values: &[f32]) -> f32 {
        let in_order = |order: &[usize]| order.iter().map(|at| values[*at]).sum::<f32>();
        let mixed = |by: u64| {
            let mut order: Vec<usize> = (0..values.len()).collect();
            let mut dice = Dice(by);
            for at in (1..order.len()).rev() {
                order.swap(at, dice.roll(at as u64 + 1) as usize);
            }
            in_order(&order)
        };
        match self.nature.how {
            How::Map => {
                let map: HashMap<usize, f32> = values.iter().copied().enumerate().collect();
                map.values().sum()
            }
            How::MapOfRun => {
                let mut map = HashMap::with_hasher(self.hasher.clone());
                map.extend(values.iter().copied().enumerate());
                map.values().sum()
            }
            How::Threads => {
                let (send, receive) = mpsc::channel();
                thread::scope(|scope| {
                    for part in values.chunks(2) {
                        let send = send.clone();
                        scope.spawn(move || send.send(part.iter().sum::<f32>()).unwrap());
                    }
                });
                drop(send);
                receive.iter().sum()
            }
            How::Time => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                mixed(u64::from(now.subsec_nanos()))
            }
            How::Address => {
                let boxed: Vec<Box<f32>> = values.iter().copied().map(Box::new).collect();
                let kept = vec![0_u8; 1 + self.hasher.hash_one(tick) as usize % 4096];
                mixed(std::ptr::from_ref(&*boxed[0]).addr() as u64 ^ kept.as_ptr().addr() as u64)
            }
            How::Count => {
                let ticks = self.ticks.fetch_add(1, Ordering::Relaxed);
                values.iter().sum::<f32>() + ticks as f32
            }
            How::Fails { tick: last, after } => {
                let made = || self.nature.made.fetch_add(1, Ordering::Relaxed);
                assert!(tick != last || made() < after, "no more");
                values.iter().sum()
            }
            How::Dice(..) => match self.odd(tick) {
                Some(What::Backwards) => values.iter().rev().sum(),
                Some(What::More(values_more)) => {
                    let more = 1.0 + self.nature.roll(values_more) as f32;
                    values.iter().sum::<f32>() + more
                }
                _ => values.iter().sum(),
            },
        }
    }

    fn seen(&self, tick: u64, before: &[&[f32]], now: &[f32]) {
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let before = before.iter().flat_map(|values| bits(values)).collect();
        let log = &mut self.nature.state().1;
        let now = bits(now);
        let first = log
            .seen
            .entry((tick, before))
            .or_insert_with(|| now.clone());
        log.differ |= *first != now;
    }
}

type Built = Result<Box<dyn Propagator>, ParameterError>;

/// Rain fills the cells, and water seeps away, faster if there is more, where it is fed back.
fn seepage(keys: &mut Parameters<'_>, nature: &Arc<Nature>) -> Built {
    let (water, rain) = (keys.field("water")?, keys.field("rain")?);
    let (level, fed) = (keys.field("level")?, keys.take_or("fed", true)?);
    let run = Run::new(nature);
    let step = move |ctx: &mut StepContext<'_>| {
        let tick = ctx.tick_id().0;
        let before = |field| ctx.reads_previous().read(field).unwrap().to_vec();
        let (water_before, rain, level) = (before(water), before(rain), before(level));
        let level = if fed { level[0] } else { 1.0 };
        let kept = 1.0 - 0.02 * level / (1.0 + level);
        let still = matches!(run.odd(tick), Some(What::Still));
        let filled: Vec<f32> = (water_before.iter().zip(&rain))
            .map(|(w, r)| if still { *w } else { (w + r * 0.5) * kept })
            .collect();
        run.seen(tick, &[&water_before, &rain, &[level]], &filled);
        ctx.writes().write(water).unwrap().copy_from_slice(&filled);
    };
    Ok(Box::new(Acting {
        reads: Vec::new(),
        previous: vec![water, rain, level],
        writes: (water, WriteMode::Full),
        step,
    }))
}

/// The sum of all the water.
fn gauge(keys: &mut Parameters<'_>, nature: &Arc<Nature>) -> Built {
    let (water, level) = (keys.field("water")?, keys.field("level")?);
    let run = Run::new(nature);
    let step = move |ctx: &mut StepContext<'_>| {
        let tick = ctx.tick_id().0;
        let water = ctx.reads().read(water).unwrap().to_vec();
        let sum = run.sum(tick, &water);
        run.seen(tick, &[&water], &[sum]);
        let out = ctx.writes().write(level).unwrap();
        out.fill(0.0);
        out[0] = sum;
    };
    Ok(Box::new(Acting {
        reads: vec![water],
        previous: Vec::new(),
        writes: (level, WriteMode::Full),
        step,
    }))
}

const BASIN: &str = r#"
dt = 0.5
space = { kind = "square4", rows = 4, cols = 5, edge = "absorb" }
[[field]]
name = "water"
type = "scalar"
mutability = "per_tick"
[[field]]
name = "rain"
type = "scalar"
mutability = "sparse"
[[field]]
name = "level"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "seepage"
water = "water"
rain = "rain"
level = "level"
fed = FED
[[propagator]]
kind = "gauge"
water = "water"
level = "level"
"#;

/// Returns rain in some places.
fn storm(dice: &mut Dice, ticks: u64) -> Vec<CommandBuf> {
    (0..ticks)
        .map(|tick| {
            let mut commands = CommandBuf::new();
            let count = if tick < 4 {
                4
            } else {
                dice.roll(8).saturating_sub(4)
            };
            for _ in 0..count {
                let coord = [dice.roll(4) as i32, dice.roll(5) as i32];
                let value = dice.roll(100) as f32 / 70.0;
                commands
                    .push(&Envelope::default(), &set(&coord, 1, value))
                    .unwrap();
            }
            commands
        })
        .collect()
}

/// A recording of a world.
struct Case {
    nature: Arc<Nature>,
    world: World,
    bytes: Vec<u8>,
}

impl Case {
    /// Records that many ticks. If `fed`, what differs in one tick is seen in the later ones.
    fn new(how: How, seed: u64, fed: bool, ticks: u64) -> Self {
        Self::recorded(how, seed, fed, &storm(&mut Dice(seed), ticks), None)
    }

    /// The same, but a command of a tick (from 1) is not taken.
    fn slipped(how: How, seed: u64, fed: bool, ticks: u64, tick: usize) -> Self {
        let mut log = storm(&mut Dice(seed), ticks);
        log[tick - 1] = only(&set(&[1, 2], 1, 0.625));
        Self::recorded(how, seed, fed, &log, Some(tick))
    }

    fn recorded(how: How, seed: u64, fed: bool, log: &[CommandBuf], slip: Option<usize>) -> Self {
        let nature = Nature::new(how, seed);
        let world = nature.world(fed);
        let mut taken = log.to_vec();
        if let Some(tick) = slip {
            taken[tick - 1] = CommandBuf::new();
        }
        let bytes = recorded(&world, log, &taken);
        Self {
            nature,
            world,
            bytes,
        }
    }

    /// Returns the library's explanation, if the recording diverges.
    fn found(&self) -> Option<Explanation> {
        self.nature.forget();
        explained(&self.world, &self.bytes, LIMIT).map(|(_, found)| found)
    }

    /// Returns the command's audit, with this much time.
    fn audited(&self, seconds: f64) -> Audit {
        self.nature.forget();
        let options = Options::new().with("explain", OptionValue::Number(seconds));
        let audit = self.tape().audit(&options, &Work::default());
        audit.unwrap()
    }

    fn tape(&self) -> MurkTape {
        MurkTape::with_kinds(Source::new(self.bytes.clone()), &self.nature.kinds())
    }

    /// Returns a description as a file, to which the kinds are known.
    fn file(&self, text: &str) -> WorldFile {
        WorldFile {
            path: "basin.toml".into(),
            bytes: text.replace("FED", "true").into(),
            kinds: self.nature.kinds(),
        }
    }
}

fn codes(audit: &Audit) -> Vec<&'static str> {
    let findings = audit.findings.iter().map(gametape_core::Finding::code);
    findings
        .filter(|code| !code.starts_with("murk.other"))
        .collect()
}

/// Checks that an audit says that the world is not deterministic, and returns how it says so.
fn parted(audit: &Audit) -> String {
    assert_eq!(
        codes(audit),
        ["murk.not-deterministic", "murk.snapshot-mismatch"],
        "{:#?}",
        audit.findings
    );
    audit.findings[0].message()
}

/// The case of the issue: a sum over a map whose order differs in each run.
#[test]
fn a_sum_in_the_order_of_a_map_is_no_slip() {
    for seed in 0..8 {
        let audit = Case::new(How::Map, seed, true, 100).audited(600.0);
        let said = parted(&audit);
        let finding = &audit.findings[0];
        let tick = finding.place.tick.unwrap();
        let start = format!(
            "two replays of the same commands differ: at tick {tick} field 2 (level) at [0, 0] is "
        );
        assert!(said.starts_with(&start), "{said}");
        assert!(said.contains(" (hashes "), "{said}");
        assert!(said.ends_with("The world is not deterministic, so no slip is named. Next: gametape sync-test RECORDING --runs 8"), "{said}");
        let data = |key: &str| {
            let of = finding.rule.data.iter().find(|(name, _)| *name == key);
            Json::from(of.unwrap().1.clone())
        };
        let value = &data("values")[0];
        assert_eq!(
            (&value["field_name"], &value["cell"], &value["element"]),
            (&json!("level"), &json!([0, 0]), &json!(0))
        );
        assert_ne!(value["first"], value["second"]);
        let hashes = data("hashes");
        assert!(hashes[0].is_string() && hashes[0] != hashes[1], "{hashes}");
        assert_eq!(
            (data("tick"), data("differing"), data("went_back")),
            (json!(tick), json!(1), json!(false))
        );
        // In the reported mismatch, only the facts from the hash are known.
        let mismatch = &audit.findings[1];
        assert!(!mismatch.message().contains("explains"), "{mismatch}");
    }
}

/// For each kind of difference from run to run.
#[test]
fn what_differs_in_each_run_is_no_slip() {
    for how in [How::Map, How::MapOfRun, How::Time, How::Address] {
        for seed in 0..10 {
            let case = Case::new(how, seed, seed % 2 == 0, 100);
            // The search reaches the divergence from the start of the recording, or from a later
            // state.
            for seconds in [600.0, 0.5] {
                let codes = codes(&case.audited(seconds));
                let one = codes.contains(&"murk.one-slip");
                let said = codes[0] == "murk.not-deterministic" && !one;
                assert!(said, "{how:?} {seed} {codes:?}");
            }
            // The library has only the run that verified the recording and that of the search,
            // which may be equal up to there.
            if let Some(found) = case.found() {
                let is_value = |slip: &Slip| matches!(slip, Slip::Value { .. });
                let unseen = how == How::MapOfRun && found.parted.is_none();
                let values = found.parted.is_some() && found.slips.iter().all(is_value);
                assert!(values || unseen, "{how:?} {seed}: {found}");
            }
        }
    }
}

/// Threads may arrive in the same order for a long time. If no difference is seen, none is
/// reported.
#[test]
fn threads_that_come_as_they_like_are_no_slip() {
    for seed in 0..6 {
        let case = Case::new(How::Threads, seed, seed % 2 == 0, 60);
        let codes = codes(&case.audited(600.0));
        let wrong = if case.nature.differ() {
            "murk.one-slip"
        } else {
            "murk.not-deterministic"
        };
        assert!(!codes.contains(&wrong), "{seed} {codes:?}");
    }
}

/// Deviations now and then, in some runs or in some ticks, from the first one on or later: if two
/// runs differed, no slip is named, and a difference is never reported if there was none.
#[test]
fn what_differs_now_and_then_is_no_slip() {
    let (mut diverged, mut seen, mut parted) = (0, 0, 0);
    let spans = [(1, 1000), (60, 60), (60, 65), (60, 1000), (130, 1000)];
    let whats = [
        What::Backwards,
        What::More(1),
        What::More(2),
        What::More(1 << 30),
        What::Still,
    ];
    let percents = [3, 10, 30, 50, 80];
    let hows = whats.into_iter().flat_map(|what| {
        let spans = spans.into_iter().flat_map(move |span| {
            let dice = move |of| percents.map(|percent| How::Dice(of, percent, span, what));
            [Of::Runs, Of::Ticks].into_iter().flat_map(dice)
        });
        spans.flat_map(|how| (0..4).map(move |seed| (how, seed)))
    });
    for (how, seed) in hows {
        let case = Case::new(how, seed, seed % 2 == 0, 150);
        let audit = case.audited(600.0);
        let (codes, differ) = (codes(&audit), case.nature.differ());
        if codes.is_empty() {
            continue;
        }
        diverged += 1;
        seen += usize::from(differ);
        let said = codes.contains(&"murk.not-deterministic");
        parted += usize::from(said);
        let named = codes.contains(&"murk.one-slip");
        let right = if differ { !named } else { !said };
        let first = !said || codes[0] == "murk.not-deterministic";
        assert!(right && first, "{how:?} {seed}: {:#?}", audit.findings);
    }
    eprintln!("{diverged} diverged, {seen} differ, {parted} are said to");
    assert!(
        diverged > 500 && parted * 20 > seen * 19,
        "{diverged} {seen} {parted}"
    );
}

/// A slip in a world that is not deterministic from some tick on, before the slip shows, at the
/// same time, or later: if runs are seen to differ, nothing is named; a slip that is named is true,
/// and explains as much as reported.
#[test]
fn a_slip_in_a_world_that_is_not_deterministic_is_not_sure() {
    let (mut named, mut parted) = (0, 0);
    for from in [1, 39, 40, 41, 42, 43, 60, 100, 170, 1000] {
        for seed in 0..6 {
            let how = How::Dice(Of::Ticks, 40, (from, 1000), What::Backwards);
            let found = Case::slipped(how, seed, seed % 2 == 0, 200, 40).found();
            let found = found.unwrap();
            let all = || format!("from {from}, {seed}: {found}");
            if found.parted.is_some() {
                parted += 1;
                assert!(found.slips.is_empty() && found.cause.is_none(), "{}", all());
                assert!(from < 130, "{}", all());
                continue;
            }
            // The missing rain is the only thing that is remembered.
            named += 1;
            assert!(from > 100, "{}", all());
            let Some(Slip::Dropped(at)) = found.best() else {
                panic!("{}", all())
            };
            assert_eq!((at.tick, found.after), (40, 160), "{}", all());
            assert_eq!(found.explains_all(), from == 1000, "{}", all());
            assert_eq!(
                found.to_string().contains("explains it"),
                from == 1000,
                "{}",
                all()
            );
        }
    }
    assert_eq!((named, parted), (12, 48));
}

/// In a deterministic world a slip is named as before, whichever way the search takes.
#[test]
fn a_slip_in_a_steady_world_is_named() {
    for (ticks, tick) in [(60, 40), (400, 320)] {
        let case = Case::slipped(STEADY, 5, true, ticks, tick);
        for seconds in [600.0, 0.5] {
            let audit = case.audited(seconds);
            assert_eq!(codes(&audit), ["murk.snapshot-mismatch", "murk.one-slip"]);
            let said = audit.findings[1].message();
            let start = format!(
                "one slip explains it: the recorded simulation did not take command 0 of tick {tick} "
            );
            assert!(said.starts_with(&start), "{said}");
        }
        assert!(!case.nature.differ());
    }
}

/// State that a propagator keeps beside the fields differs after the search went back. The report
/// names this cause, and no slip.
#[test]
fn what_is_kept_beside_the_fields_is_said_to_be() {
    for (ticks, tick) in [(60, 40), (400, 320)] {
        for seconds in [600.0, 0.5] {
            let said = parted(&Case::slipped(How::Count, 3, true, ticks, tick).audited(seconds));
            assert!(said.starts_with("two replays of the same commands differ (one went back to a saved state): at tick "), "{said}");
            assert!(said.contains(" field 2 (level) at [0, 0] is "), "{said}");
            assert!(
                said.ends_with(
                    "Next: gametape sync-test RECORDING --rollback 8, then with --runs 8"
                ),
                "{said}"
            );
        }
    }
}

/// A tick that was made once and can't be made again.
#[test]
fn a_tick_that_fails_the_second_time_is_said_to() {
    // It is made when it is recorded, and when it is verified.
    let case = Case::slipped(How::Fails { tick: 30, after: 2 }, 3, true, 60, 40);
    let audit = case.audited(600.0);
    let said = parted(&audit);
    assert_eq!(audit.findings[0].place.tick, Some(30));
    assert!(said.contains("at tick 30 one has the hash "), "{said}");
    assert!(
        said.contains(
            ", the other could not make the tick: propagator 1 (gauge) panicked: no more"
        ),
        "{said}"
    );
}

/// Several values that differ at once are named as well, because both states are available.
#[test]
fn several_values_that_differ_are_named() {
    let how = How::Dice(Of::Ticks, 50, (30, 1000), What::Still);
    for seed in 0..6 {
        let said = parted(&Case::new(how, seed, true, 80).audited(600.0));
        assert!(
            said.contains(" values differ: field 0 (water) at "),
            "{said}"
        );
    }
}

/// A fault that does not show each time can't be minimised, and the error says so.
#[test]
fn what_is_not_the_same_each_time_is_not_minimised() {
    for how in [How::Map, How::Time] {
        let case = Case::new(how, 1, true, 60);
        let steady = BASIN.replace("kind = \"gauge\"", "kind = \"steady\"");
        for against in [None, Some(case.file(&steady))] {
            let options = Minimise {
                against,
                max_trials: 1000,
                ..Minimise::default()
            };
            let error = minimise(&case.tape(), &options, &Work::default()).unwrap_err();
            assert_eq!(error.code(), "unwritable");
            let said = error.to_string();
            assert!(said.contains("nothing can be minimised"), "{said}");
            assert!(said.contains("field 2 (level) at [0, 0]"), "{said}");
            assert!(
                said.contains("gametape sync-test RECORDING --runs 8"),
                "{said}"
            );
        }
    }
}

/// A recording of such a world is not necessarily damaged if it can't be replayed: the error on
/// resuming it names the other reason.
#[test]
fn going_on_with_what_is_not_the_same_each_time_does_not_blame_the_file_alone() {
    let last = How::Dice(Of::Ticks, 100, (60, 60), What::More(1 << 30));
    // The existing frames can't be replayed, or the next frame differs from the part that was cut
    // off.
    for (how, cut) in [(How::Map, 0), (How::Map, 3), (last, 0), (last, 3)] {
        let mut log = storm(&mut Dice(4), 60);
        log[59] = CommandBuf::new();
        let case = Case::recorded(how, 4, true, &log, None);
        let (_folder, path) = temporary("run.murk");
        let kept = &case.bytes[..case.bytes.len() - cut];
        fs::write(&path, kept).unwrap();
        let options = RecordOptions {
            world: Some(case.file(BASIN)),
            ticks: 70,
            output: path.clone(),
            resume: true,
            ..RecordOptions::default()
        };
        let said = record(&options, &CommandList::none())
            .unwrap_err()
            .to_string();
        assert!(
            said.contains("its world is not deterministic (gametape sync-test tells)"),
            "{said}"
        );
        assert!(said.contains("nothing was changed"), "{said}");
        assert_eq!(fs::read(&path).unwrap(), kept);
    }
}
