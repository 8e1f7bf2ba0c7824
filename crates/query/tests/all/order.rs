//! Many recordings, which are read in the order of their names and steps.

use std::fs;

use gametape_samples::mines::{record, scenarios};

use crate::samples::Asked;

/// Games under names that are not in the order of their paths' parts, with and without a folder.
fn many() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    let scenario = &scenarios()[0];
    for seed in 0..6 {
        let game = gametape::mines::rmv::write(&record(scenario, seed).unwrap()).unwrap();
        for copy in 0..16 {
            let name = match copy % 4 {
                0 => format!("a/{seed}-{copy}.rmv"),
                1 => format!("a-{seed}-{copy}.rmv"),
                2 => format!("A {copy}é{seed}.rmv"),
                _ => format!("{copy}{seed}.rmv"),
            };
            fs::write(folder.path().join(name), &game).unwrap();
        }
    }
    folder
}

const WINDOW: &str = "SELECT recording, step, time_ms - lag(time_ms) OVER (PARTITION BY recording ORDER BY step) AS gap FROM mouse_events";

#[test]
fn windows_groups_and_joins_by_recording_are_right_and_sort_nothing() {
    let folder = many();
    let asked = Asked::of(&[folder.path().to_owned()]);
    let plan = format!("{:?}", asked.rows(&format!("EXPLAIN {WINDOW}")));
    assert!(
        !plan.contains("SortExec") && !plan.contains("RepartitionExec"),
        "{plan}"
    );
    let mut rows = asked.rows(WINDOW);
    rows.sort();
    // By hand, recording by recording.
    let mut expected = Vec::new();
    for file in asked.archive.files() {
        let one = Asked::in_order(std::path::Path::new(&**file.name()));
        let events = one.rows("SELECT recording, step, time_ms FROM mouse_events");
        let mut last: Option<f64> = None;
        for event in events {
            let time: f64 = event[2].parse().unwrap();
            let gap = last.map_or("null".to_owned(), |last| format!("{:?}", time - last));
            expected.push(vec![event[0].clone(), event[1].clone(), gap]);
            last = Some(time);
        }
    }
    expected.sort();
    assert_eq!(rows, expected);

    let files = asked.archive.files().len().to_string();
    assert_eq!(files, "96");
    let all = asked.value("SELECT count(*) FROM mouse_events");
    for (sql, expected) in [
        // With itself, grouped: both sides are divided alike.
        (
            "SELECT count(*) FROM mouse_events e JOIN (SELECT recording, max(step) AS last FROM mouse_events GROUP BY 1) m ON m.recording = e.recording AND m.last = e.step",
            &files,
        ),
        // With rows that are divided by DataFusion itself.
        (
            "SELECT count(*) FROM mouse_events e JOIN (SELECT recording, count(*) AS n FROM games GROUP BY 1) g ON g.recording = e.recording",
            &all,
        ),
        (
            "SELECT count(*) FROM mouse_events e JOIN games g ON g.recording = e.recording",
            &all,
        ),
        (
            "SELECT count(*) FROM mouse_events WHERE recording IN (SELECT recording FROM board_events GROUP BY 1 HAVING count(*) > 1)",
            &all,
        ),
        (
            "SELECT count(*) FROM (SELECT recording FROM mouse_events GROUP BY 1)",
            &files,
        ),
    ] {
        assert_eq!(asked.value(sql), *expected, "{sql}");
    }
    let ordered = asked.rows("SELECT recording, step FROM mouse_events ORDER BY recording, step");
    let mut sorted = ordered.clone();
    sorted.sort_by_key(|row| (row[0].clone(), row[1].parse::<u64>().unwrap()));
    assert_eq!(ordered, sorted);
}

#[test]
fn states_at_moments_are_in_order_too() {
    let folder = many();
    let asked = Asked::of(&[folder.path().to_owned()]);
    let held = "state_at('rmv.board', 'every 2 s')";
    let sql = format!("SELECT recording, step FROM {held} ORDER BY recording, step");
    let plan = format!("{:?}", asked.rows(&format!("EXPLAIN {sql}")));
    assert!(!plan.contains("SortExec"), "{plan}");
    let rows = asked.rows(&sql);
    let mut sorted = rows.clone();
    sorted.sort_by_key(|row| (row[0].clone(), row[1].parse::<u64>().unwrap()));
    assert!(rows == sorted);
    // Moments that lie close to each other share a step, which is given once.
    let twice = "SELECT count(*) FROM (SELECT recording, step FROM state_at('counters', 'every 1ms') GROUP BY 1, 2 HAVING count(*) > 1)";
    assert_eq!(asked.value(twice), "0");
}
