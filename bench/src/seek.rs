//! Going to a moment and reading the state there; scanning some columns of a table.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gametape::capture::{self, Writer};
use gametape::core::table::Playback;
use gametape::{At, OpenOptions, Options, Recording, Scan};
use gametape_delta::Snapshot;
use gametape_echo::{ReadOptions, butter, echoreplay};
use gametape_mines::{Event, MouseAction, rmv};
use gametape_murk::engine::World;
use gametape_samples::delta::Arena;
use gametape_samples::echo::{Match, MatchOptions};
use gametape_samples::{mines, murk};

use crate::alloc;
use crate::echo::best;

/// The number of moments.
const MOMENTS: usize = 60;
/// The number of visits to each moment; the fastest one counts.
const ROUNDS: usize = 4;

/// The length of recordings in minutes and in ticks: an hour and 10,000 ticks for the full
/// measurement.
struct Sizes {
    minutes: u64,
    ticks: u64,
}

/// Measures the cases whose names contain `filter`.
pub fn run(filter: &str) {
    let wants = |name: &str| name.contains(filter);
    let sizes = match std::env::var_os("FULL") {
        Some(_) => Sizes {
            minutes: 60,
            ticks: 10_000,
        },
        None => Sizes {
            minutes: 3,
            ticks: 500,
        },
    };
    let folder = tempfile::tempdir().expect("space for temporary files");
    let folder = folder.path();
    if wants("seek/rmv") {
        rmv_game(folder);
    }
    if wants("seek/murk-one-value") {
        murk_world("seek/murk-one-value", folder, PLATE, sizes.ticks);
    }
    if wants("seek/murk-six-values") {
        let stoves = murk::HEAT.replace("rows = 16", "rows = 256");
        let stoves = stoves.replace("cols = 16", "cols = 256");
        murk_world("seek/murk-six-values", folder, &stoves, sizes.ticks);
    }
    if wants("seek/capture") {
        capture(folder, sizes.minutes);
    }
    echo(folder, sizes.minutes, &wants);
}

fn open(path: &Path) -> Recording {
    Recording::open(path).expect("just written")
}

/// Goes to moments all over the recording, in random order, and reads these tables there.
fn measure(title: &str, path: &Path, tables: &[&str], warm: bool) {
    let recording = open(path);
    let opening = Instant::now();
    let mut play = recording.tape().playback().expect("just written");
    let opening = opening.elapsed();
    let last = play.span().last.step;
    let mut first_pass = Duration::ZERO;
    if warm {
        let start = Instant::now();
        go(&mut *play, last, tables);
        first_pass = start.elapsed();
        assert_eq!(play.reach(), play.span().last);
    }
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let steps: Vec<u64> = (0..MOMENTS).map(|_| next() % (last + 1)).collect();
    let mut times = vec![Duration::MAX; MOMENTS];
    for _ in 0..ROUNDS {
        for (time, step) in times.iter_mut().zip(&steps) {
            let start = Instant::now();
            go(&mut *play, *step, tables);
            *time = start.elapsed().min(*time);
        }
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{title} steps={} bytes={} median_ms={:.3} worst_ms={:.3} open_ms={:.1} first_pass_ms={:.0}",
        last + 1,
        path.metadata().map_or(0, |meta| meta.len()),
        ms(times[MOMENTS / 2]),
        ms(times[MOMENTS - 1]),
        ms(opening),
        ms(first_pass),
    );
}

fn go(play: &mut dyn Playback, step: u64, tables: &[&str]) {
    play.seek(At::Step(step)).expect("a step of the recording");
    for table in tables {
        let state = play.state(&Scan::table(*table)).expect("a state");
        black_box(state.len());
    }
}

/// A game on an expert board in which the mouse moves so often that there are 30,000 events.
fn rmv_game(folder: &Path) {
    const EVENTS: usize = 30_000;
    let scenarios = mines::scenarios();
    let expert = scenarios.iter().find(|one| one.name == "expert-win");
    let game = mines::record(expert.expect("a scenario"), 1).expect("a game");
    let events: Vec<Event> = game.events.iter().collect();
    let is_move = |event: &Event| match event {
        Event::Mouse(mouse) => mouse.action == MouseAction::Move,
        _ => false,
    };
    let moves = events.iter().filter(|event| is_move(event)).count();
    let more = EVENTS.saturating_sub(events.len());
    let mut padded = game.clone().into_owned();
    padded.events = rmv::EventLog::empty(game.version());
    let mut at = 0;
    for event in &events {
        let mut times = 1;
        if is_move(event) {
            // All moves are repeated equally often, within one.
            times += (at + 1) * more / moves - at * more / moves;
            at += 1;
        }
        for _ in 0..times {
            padded.events.push(*event).expect("an event of the game");
        }
    }
    let path = folder.join("game.rmv");
    std::fs::write(&path, rmv::write(&padded).expect("a game")).expect("space");
    measure("seek/rmv", &path, &["board", "cursor", "counters"], false);
}

/// A world with only heat.
const PLATE: &str = r#"
dt = 0.1
[space]
kind = "square4"
rows = 256
cols = 256
edge = "absorb"
[[field]]
name = "heat"
type = "scalar"
mutability = "per_tick"
[[propagator]]
kind = "scalar_diffusion"
input_field = "heat"
output_field = "heat"
coefficient = 0.5
sources = [[0, 100.0], [40000, -20.0]]
"#;

/// A world of 256 × 256 squares.
fn murk_world(title: &str, folder: &Path, text: &str, ticks: u64) {
    let world = World::from_toml(text).expect("a world");
    let bytes = murk::record(&world, world.build().expect("a world"), 1, ticks);
    let path = folder.join("world.murk");
    std::fs::write(&path, bytes.expect("a recording")).expect("space");
    measure(title, &path, &["heat"], true);
}

/// A thousand ships at 10 Hz, with a full snapshot every ten seconds.
fn capture(folder: &Path, minutes: u64) {
    let path = folder.join("ships.mcap");
    let schema = Arena::schema();
    let options = capture::Options {
        tick_ns: Some(100_000_000),
        keyframe_every: Some(100),
        ..capture::Options::default()
    };
    let output = BufWriter::new(File::create(&path).expect("space"));
    let mut writer = Writer::new(output, &schema, options).expect("a schema");
    let mut arena = Arena::new(1000, 1);
    let mut state = Snapshot::new(&schema, 0);
    for _ in 0..minutes * 600 {
        arena.step();
        arena.state(&mut state).expect("a state");
        writer.push_state(&state, None).expect("a state");
    }
    let mut output = writer.finish().expect("space");
    output.flush().expect("space");
    measure("seek/capture", &path, &["ship"], false);
}

/// A match of eight players at 30 Hz, as .butter and as .echoreplay.
fn echo(folder: &Path, minutes: u64, wants: &dyn Fn(&str) -> bool) {
    let seeks = |kind: &str| wants(&format!("seek/{kind}"));
    let scans = |kind: &str| titles(kind).any(|title| wants(&title));
    let kinds = ["butter", "echoreplay", "zip", "indexed"];
    if !kinds.iter().any(|kind| seeks(kind) || scans(kind)) {
        return;
    }
    let options = MatchOptions {
        seed: 1,
        players_per_team: 4,
        ..MatchOptions::default()
    };
    let frames = Match::new(options.lasting(Duration::from_secs(minutes * 60)));
    let (butter, replay, zip) = written(folder, frames);
    for (kind, path) in [("butter", &butter), ("echoreplay", &replay), ("zip", &zip)] {
        if seeks(kind) {
            measure(&format!("seek/{kind}"), path, &["players"], false);
        }
        if scans(kind) {
            columns(kind, path, wants);
        }
    }
    if seeks("indexed") {
        // A file that has just been changed may change again within the resolution of its time;
        // then all of it would be compared.
        std::thread::sleep(Duration::from_millis(100));
        let options = OpenOptions {
            options: Options::new().flag("keep-index"),
            ..OpenOptions::default()
        };
        let kept = gametape::formats().open_with(&replay, &options);
        drop(kept.expect("space beside it"));
        measure("seek/indexed", &replay, &["players"], false);
    }
}

fn written(folder: &Path, frames: Match) -> (PathBuf, PathBuf, PathBuf) {
    let names = ["match.butter", "match.echoreplay", "zipped.echoreplay"];
    let [butter_path, replay_path, zip_path] = names.map(|name| folder.join(name));
    let create = |path: &Path| File::create(path).expect("space");
    let mut replay = echoreplay::Writer::new(create(&replay_path));
    let zip = create(&zip_path);
    let mut zip = echoreplay::ZipWriter::new(zip, "match.echoreplay", 6).expect("space");
    let spool = tempfile::tempfile_in(folder).expect("space");
    let mut butter = butter::Writer::new(spool, butter::Options::default());
    for frame in frames {
        butter.push(&frame).expect("eight players");
        replay.push(&frame).expect("space");
        zip.push(&frame).expect("space");
    }
    let mut out = BufWriter::new(create(&butter_path));
    butter.finish(&mut out).expect("space");
    out.flush().expect("space");
    replay.finish().expect("space");
    zip.finish().expect("space");
    (butter_path, replay_path, zip_path)
}

/// Columns that users often request together.
const PAIRS: &[(&str, [&str; 2])] = &[
    ("players", ["head_x", "head_y"]),
    ("players", ["name", "ping"]),
    ("players", ["velocity_x", "velocity_z"]),
    ("players", ["points", "stuns"]),
    ("players", ["head_forward_x", "head_forward_z"]),
    ("game", ["status", "clock"]),
    ("disc", ["x", "z"]),
];

/// The cases of [`columns`]: two columns of each table, and all columns of the players.
fn cases() -> impl Iterator<Item = (String, Scan)> {
    let pairs = PAIRS.iter().map(|(table, pair)| {
        let what = format!("{table} {}", pair.join(","));
        (what, Scan::table(*table).columns(*pair))
    });
    let all = ("players (all columns)".to_owned(), Scan::table("players"));
    pairs.chain([all])
}

fn titles(kind: &str) -> impl Iterator<Item = String> {
    cases().map(move |(what, _)| format!("scan/{kind} {what}"))
}

/// Two columns of a table, and all columns of the players, compared with decoding every frame.
fn columns(kind: &str, path: &Path, wants: &dyn Fn(&str) -> bool) {
    let recording = open(path);
    let scan = |scan: Scan| {
        let mut rows = 0;
        let read = recording.scan(&scan, |batch| {
            rows += black_box(batch).len();
            Ok(std::ops::ControlFlow::Continue(()))
        });
        assert!(read.expect("just written").problem.is_none() && rows > 0);
    };
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    // The processor time of all threads together, and the elapsed time.
    let timed = |work: &dyn Fn()| (best(3, work), wall(work));
    let (decode_spent, decode_wall) = timed(&|| decode(path));
    print!(
        "scan/{kind} decode_ms={:.1} decode_wall_ms={:.1}",
        ms(decode_spent),
        ms(decode_wall)
    );
    if kind == "butter" {
        print!(
            " decode_beside_wall_ms={:.1}",
            ms(wall(&|| decode_beside(path)))
        );
    }
    println!();
    for (what, wanted) in cases() {
        let title = format!("scan/{kind} {what}");
        if !wants(&title) {
            continue;
        }
        let (spent, clock) = timed(&|| scan(wanted.clone()));
        let ((), peak) = alloc::peak(|| scan(wanted.clone()));
        println!(
            "{title} ms={:.1} decode/this={:.2} wall_ms={:.1} decode/this={:.2} peak_MiB={:.1}",
            ms(spent),
            decode_spent.as_secs_f64() / spent.as_secs_f64(),
            ms(clock),
            decode_wall.as_secs_f64() / clock.as_secs_f64(),
            peak as f64 / f64::from(1 << 20),
        );
    }
}

/// The elapsed time of the fastest of some rounds; if other programs use the cores, it is an upper
/// bound.
fn wall(work: &dyn Fn()) -> Duration {
    let mut best = Duration::MAX;
    let all = Instant::now();
    while best == Duration::MAX || all.elapsed() < Duration::from_secs(1) {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}

/// Decodes every frame of a .butter, chunks in parallel.
fn decode_beside(path: &Path) {
    let bytes = std::fs::read(path).expect("just written");
    let file = butter::read(&bytes).expect("just written");
    let counts = file.par_chunks(|_, mut frames| {
        let mut count = 0_u64;
        while let Some(frame) = frames.next_frame().expect("just written") {
            black_box(frame);
            count += 1;
        }
        count
    });
    assert!(counts.iter().sum::<u64>() > 0);
}

/// Decodes every frame of a match.
fn decode(path: &Path) {
    let file = File::open(path).expect("just written");
    let mut count = 0;
    if path
        .extension()
        .is_some_and(|extension| extension == "butter")
    {
        let bytes = std::fs::read(path).expect("just written");
        let file = butter::read(&bytes).expect("just written");
        let mut frames = file.frames();
        while let Some(frame) = frames.next_frame().expect("just written") {
            black_box(frame);
            count += 1;
        }
    } else {
        let mut reader = echoreplay::open_with(file, ReadOptions::default()).expect("just written");
        while let Some(frame) = reader.next_frame().expect("just written") {
            black_box(frame);
            count += 1;
        }
    }
    assert!(count > 0);
}
