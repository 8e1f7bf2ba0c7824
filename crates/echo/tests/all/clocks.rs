//! Clocks that are changed, and lines in the wrong order: one duration everywhere, by the game.

use gametape_core::surface::Relations;
use gametape_core::tape::{Depth, Diff, Dump, Format, Options, Secrets, Source, Work};
use gametape_core::{At, table::Scan};
use gametape_echo::Frame;
use gametape_echo::tape::Echoreplay;

use crate::common::{frames_of, in_lines, lines, match_options, recording, rows};

const HALF_HOUR_MS: i64 = 1_800_000;

/// The durations that the audit, the description, the statistics and the dump give, and the codes of the
/// findings.
fn durations(bytes: &[u8]) -> ([u64; 4], Vec<&'static str>) {
    let tape = Echoreplay.open(Source::new(bytes.to_vec())).unwrap();
    let work = Work::default();
    let info = tape.describe(Depth::Whole, Secrets::Show, &work).unwrap();
    let info = info.readable().duration_ms.unwrap();
    let stats = tape.stats(&Options::new(), &work).unwrap().readable();
    let stats = stats.stats["duration_ms"].as_u64().unwrap();
    let mut dump = Vec::new();
    let steps = tape.abilities().steps.unwrap();
    let wanted = Dump {
        at: None,
        secrets: Secrets::Show,
        options: Options::new(),
    };
    steps.dump_steps(&wanted, &mut dump).unwrap().readable();
    let times = dump.split(|byte| *byte == b'\n').filter_map(|line| {
        let line: serde_json::Value = serde_json::from_slice(line).ok()?;
        Some(line["time_ms"].as_i64().unwrap())
    });
    let last = u64::try_from(times.inspect(|ms| assert!(*ms >= 0)).max().unwrap()).unwrap();
    let audit = gametape_echo::echoreplay::audit(bytes);
    let codes = audit.findings.iter().map(gametape_echo::Finding::code);
    ([audit.duration_ms, info, stats, last], codes.collect())
}

#[test]
fn the_reports_have_one_duration() {
    for (name, code) in [
        ("midnight-date-stands-still", Some("echo.wall-clock")),
        ("midnight-right-date", None),
        ("two-lines-swapped", Some("echo.time-backwards")),
    ] {
        let Some(bytes) = recording(&format!("reports/echo-{name}.echoreplay")) else {
            return;
        };
        let (found, codes) = durations(&bytes);
        assert_eq!(found, [330; 4], "{name}");
        assert_eq!(codes.first().copied(), code, "{name}: {codes:?}");
    }
}

#[test]
fn a_change_of_the_clock_is_no_cut() {
    for seed in [5, 10] {
        let whole = frames_of(match_options(seed, 600));
        let (before, old) = durations(&in_lines(&whole));
        assert_eq!(before, [before[0]; 4], "seed {seed}");
        let playing: Vec<usize> = (1..whole.len())
            .filter(|at| {
                let played = |at: usize| whole[at].session.game_status.as_str() == "playing";
                let clock = |at: usize| whole[at].session.game_clock;
                let ms = whole[*at].time.0 - whole[at - 1].time.0;
                let lost = (clock(at - 1) - clock(*at)) * 1_000.0;
                played(*at) && played(at - 1) && (lost - ms as f32).abs() < 500.0 && lost > 1.0
            })
            .collect();
        for halves in [1, -2, 24, -48] {
            let mut changed = whole.clone();
            for at in [playing[playing.len() / 3], playing[playing.len() / 2]] {
                for frame in &mut changed[at..] {
                    frame.time.0 += halves * HALF_HOUR_MS;
                }
            }
            let (found, codes) = durations(&in_lines(&changed));
            assert_eq!(found, before, "seed {seed}, {halves} half hours");
            let new: Vec<_> = codes.iter().filter(|code| !old.contains(code)).collect();
            assert_eq!(
                new,
                [&"echo.wall-clock"],
                "seed {seed}, {halves} half hours"
            );
        }
    }
}

#[test]
fn a_date_that_stands_still_in_a_pause_is_no_cut_either() {
    let mut frames = crate::common::arena::frames(40, |_, frame| {
        frame.session.game_status = gametape_echo::GameStatus::Score;
    });
    for frame in &mut frames[20..] {
        frame.time.0 -= 48 * HALF_HOUR_MS;
    }
    let (found, codes) = durations(&in_lines(&frames));
    assert_eq!(found, [3_900; 4]);
    assert_eq!(codes, ["echo.wall-clock"]);
}

fn relations(recordings: &[&[u8]]) -> Vec<(u32, &'static str)> {
    let mut all = Relations::new();
    for bytes in recordings {
        let tape = Echoreplay.open(Source::new(bytes.to_vec())).unwrap();
        let audit = tape.audit(&Options::new(), &Work::default()).unwrap();
        all.add(Echoreplay.info().relations, &audit.traces);
    }
    let found = all.find();
    let relations = found.iter();
    relations
        .map(|found| (found.tape, found.relation.code))
        .collect()
}

#[test]
fn one_match_recorded_twice_is_told() {
    let whole = frames_of(match_options(1, 200));
    let other = in_lines(&frames_of(match_options(5, 200)));
    let mut client = whole.clone();
    for frame in &mut client {
        frame.time.0 += 400;
        frame.session.client_name = "another".into();
    }
    // A day later, the same session is another match.
    let mut later = whole.clone();
    for frame in &mut later {
        frame.time.0 += 86_400_000;
    }
    let [whole, client, later] = [&whole, &client, &later].map(|frames| in_lines(frames));
    let (same, copy) = ("echo.same-match", "echo.same-frames");
    assert_eq!(relations(&[&whole, &other]), []);
    assert_eq!(relations(&[&whole, &later]), []);
    assert_eq!(relations(&[&whole, &client]), [(0, same), (1, same)]);
    assert_eq!(relations(&[&whole, &whole]), [(0, copy), (1, copy)]);
    let report = |name: &str| {
        recording(&format!(
            "reports/echo-one-match-two-clients-{name}.echoreplay"
        ))
    };
    if let (Some(a), Some(b)) = (report("a"), report("b")) {
        assert_eq!(relations(&[&a, &b]), [(0, same), (1, same)]);
    }
}

fn diff(a: &[u8], b: &[u8]) -> Diff {
    let [a, b] = [a, b].map(|bytes| Echoreplay.open(Source::new(bytes.to_vec())).unwrap());
    let compare = a.abilities().compare.unwrap();
    compare.compare(&*b, &Work::default()).unwrap().unwrap()
}

#[test]
fn two_clients_are_compared_by_the_game_clock() {
    let whole = frames_of(match_options(1, 300));
    // The second client starts later, ends earlier, and its clock is 400 ms ahead.
    let mut client = whole[20..280].to_vec();
    for frame in &mut client {
        frame.time.0 += 400;
        frame.session.client_name = "another".into();
    }
    let found = diff(&in_lines(&whole), &in_lines(&client));
    assert!(found.same, "{:?}", found.first);
    let precision = found.precision.unwrap();
    assert_eq!(precision.rounded[0].max_error, 400.0);
    assert_eq!(
        precision.not_compared[1],
        "40 frames that only the first has"
    );

    client[100].session.blue_points += 1.0;
    let found = diff(&in_lines(&whole), &in_lines(&client));
    assert!(!found.same);
    assert!(found.first.unwrap().contains("blue_points"));
    let report = |name: &str| {
        recording(&format!(
            "reports/echo-one-match-two-clients-{name}.echoreplay"
        ))
    };
    if let (Some(a), Some(b)) = (report("a"), report("b")) {
        let found = diff(&a, &b);
        assert!(found.same, "{:?}", found.first);
    }
}

#[test]
fn swapped_lines_are_found_by_their_times() {
    let Some(bytes) = recording("reports/echo-two-lines-swapped.echoreplay") else {
        return;
    };
    let at = |text: &str| text.parse::<At>().unwrap();
    let scan = Scan::table("game").from(at("0.12")).to(at("0.15"));
    let tape = Echoreplay.open(Source::new(bytes.clone())).unwrap();
    let steps: Vec<u64> = rows(&*tape, &scan)
        .into_iter()
        .map(|(step, _)| step)
        .collect();
    assert_eq!(steps, [3]);
    let mut dump = Vec::new();
    let wanted = Dump {
        at: Some(at("0.15")),
        secrets: Secrets::Show,
        options: Options::new(),
    };
    tape.abilities()
        .steps
        .unwrap()
        .dump_steps(&wanted, &mut dump)
        .unwrap()
        .readable();
    let line: serde_json::Value = serde_json::from_slice(&dump).unwrap();
    assert_eq!((&line["step"], &line["time_ms"]), (&3.into(), &127.into()));

    // Any two lines of a match.
    let whole = frames_of(match_options(5, 100));
    let (before, _) = durations(&in_lines(&whole));
    for first in [10, 77] {
        let mut swapped = whole.clone();
        swapped.swap(first, first + 1);
        assert_eq!(durations(&in_lines(&swapped)).0, before);
        let back: Vec<Frame> = lines(&in_lines(&swapped));
        assert_eq!(back.len(), whole.len());
    }
}
