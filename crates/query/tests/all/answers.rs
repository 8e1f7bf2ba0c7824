//! Tables of the archive, beside the recordings themselves.

use std::collections::BTreeMap;
use std::fs;

use gametape::core::table::kit::{all_of, scanned};
use gametape::{At, Recording, Secrets, Time};

use crate::samples::{Asked, fill};

/// The recordings of an archive.
fn recordings(asked: &Asked) -> Vec<Recording> {
    let files = asked.archive.files().iter();
    files
        .map(|file| Recording::open(&**file.name()).unwrap())
        .collect()
}

#[test]
fn every_table_has_the_rows_of_all_its_recordings() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for recording in recordings(&asked) {
        for table in recording.tables().unwrap() {
            let rows = scanned(&**recording.tape(), &all_of(&table)).len();
            let key = (recording.format().kind().to_owned(), table.name.to_string());
            *counts.entry(key).or_default() += rows;
        }
    }
    assert!(counts.len() > 20);
    for ((kind, table), count) in counts {
        let counted = asked.value(&format!("SELECT count(*) FROM {kind}.\"{table}\""));
        assert_eq!(counted, count.to_string(), "{kind}.{table}");
        // All columns, too, and so each value fits into its column.
        let rows = asked.rows(&format!("SELECT * FROM {kind}.\"{table}\""));
        assert_eq!(rows.len(), count, "{kind}.{table}");
    }
    assert_eq!(asked.archive.broken().len(), 0);
}

#[test]
fn a_name_that_several_kinds_have_needs_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    // One row for each recording, under the plural.
    assert_eq!(asked.value("SELECT count(*) FROM games"), "4");
    assert_eq!(asked.value("SELECT count(*) FROM runs"), "2");
    // Captures have the tables of the matches that they were made of.
    let error = asked.batches("SELECT * FROM players").unwrap_err();
    assert!(error.contains("players"), "{error}");
    assert_ne!(asked.value("SELECT count(*) FROM echo.players"), "0");
    let matches = Asked::of(&[folder.path().join("match.echoreplay")]);
    assert_ne!(matches.value("SELECT count(*) FROM players"), "0");
}

#[test]
fn headers_findings_and_verdicts_are_those_of_the_recordings() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let mut headers = Vec::new();
    let mut findings = Vec::new();
    let mut verdicts = Vec::new();
    for recording in recordings(&asked) {
        let name = recording.path().to_string_lossy().into_owned();
        let info = recording.header(Secrets::Hide).unwrap().whole().unwrap();
        let option =
            |value: Option<u64>| value.map_or("null".to_owned(), |value| value.to_string());
        headers.push(vec![
            name.clone(),
            info.format.to_owned(),
            info.bytes.to_string(),
            {
                let whole = recording.info(Secrets::Hide).unwrap().value;
                // Some headers do not say it; then all of the recording does.
                assert!(
                    info.duration_ms
                        .is_none_or(|ms| whole.duration_ms == Some(ms))
                );
                format!("{:?}", whole.duration_ms.unwrap() as f64)
            },
        ]);
        let audit = recording.audit().unwrap();
        for finding in &audit.findings {
            findings.push(vec![
                name.clone(),
                finding.code().to_owned(),
                option(finding.place.step),
                finding.message(),
            ]);
        }
        verdicts.push(vec![name, audit.verdict().to_string()]);
    }
    let sql = "SELECT recording, format, bytes, duration_ms FROM recordings ORDER BY recording";
    assert_eq!(asked.rows(sql), headers);
    let mut found = asked.rows("SELECT recording, code, step, message FROM findings");
    found.sort();
    findings.sort();
    assert!(!findings.is_empty());
    assert_eq!(found, findings);
    let sql = "SELECT recording, verdict FROM verdicts ORDER BY recording";
    assert_eq!(asked.rows(sql), verdicts);
}

#[test]
fn the_state_at_a_moment_is_that_of_a_player() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    for ms in [0, 1000, 4321] {
        let mut wanted = 0;
        for recording in recordings(&asked) {
            if recording.format().kind() == "echo" {
                let mut play = recording.playback().unwrap();
                play.seek(At::Time(Time::from_ms(ms))).unwrap();
                wanted += play.state(&gametape::Scan::table("players")).unwrap().len();
            }
        }
        let sql = format!("SELECT count(*) FROM state_at('echo.players', {ms})");
        assert_eq!(asked.value(&sql), wanted.to_string(), "{ms}");
    }
    let cells = asked.value("SELECT count(*) FROM state_at('murk.heat', 'tick:7')");
    assert_eq!(cells, "512"); // of two runs
    let error = asked
        .batches("SELECT * FROM state_at('match', 1)")
        .unwrap_err();
    assert!(
        error.contains("no table \"match\" of states, cells or events"),
        "{error}"
    );
    let error = asked
        .batches("SELECT * FROM state_at('players', 1)")
        .unwrap_err();
    assert!(error.contains("write "), "{error}");
}

fn whole(value: gametape::Value<'_>) -> String {
    match value {
        gametape::Value::Uint(value) => value.to_string(),
        value => panic!("{value:?} is no count"),
    }
}

#[test]
fn states_can_be_asked_for_at_each_row_of_a_table_and_every_so_often() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    // By hand: the counters when a button went down.
    let mut expected = Vec::new();
    let mut each_second = Vec::new();
    for recording in recordings(&asked) {
        if recording.format().kind() != "rmv" {
            continue;
        }
        let name = recording.path().to_string_lossy().into_owned();
        let scan = gametape::Scan::table("counters").columns(["opened"]);
        let mut play = recording.playback().unwrap();
        let rows = scanned(&**recording.tape(), &gametape::Scan::table("board_events"));
        let mut steps: Vec<u64> = rows.iter().map(|row| row.stamp.step).collect();
        steps.dedup();
        for step in steps {
            let stamp = play.seek(At::Step(step)).unwrap();
            let held = play.state(&scan).unwrap();
            let opened = whole(held.get(0, 0));
            expected.push(vec![name.clone(), stamp.step.to_string(), opened]);
        }
        let mut play = recording.playback().unwrap();
        let last = play.span().last.time.unwrap();
        for second in 0.. {
            let at = Time::from_ms(1000 * second);
            if at > last {
                break;
            }
            let stamp = play.seek(At::Time(at)).unwrap();
            let opened = whole(play.state(&scan).unwrap().get(0, 0));
            each_second.push(vec![name.clone(), stamp.step.to_string(), opened]);
        }
    }
    expected.sort();
    each_second.sort();
    each_second.dedup();
    assert!(expected.len() > 100 && each_second.len() > 50);
    for (moments, expected) in [("board_events", &expected), ("every 1 s", &each_second)] {
        let sql = format!("SELECT recording, step, opened FROM state_at('counters', '{moments}')");
        let mut rows = asked.rows(&sql);
        rows.sort();
        assert_eq!(rows, *expected, "{moments}");
    }
    // The as-of join.
    let joined = asked.value(
        "SELECT count(*) FROM board_events e JOIN state_at('counters', 'board_events') c
         ON c.recording = e.recording AND c.step = e.step",
    );
    assert_eq!(joined, asked.value("SELECT count(*) FROM board_events"));
    for (moments, message) in [
        ("every x", "write 'every 1 s'"),
        ("every -1 s", "write 'every 1 s'"),
        (
            "nothing",
            "or give a table, for the moments of its rows: mouse_events, ",
        ),
    ] {
        let sql = format!("SELECT * FROM state_at('counters', '{moments}')");
        let error = asked.batches(&sql).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn ticks_and_times_of_a_recording_are_those_of_its_clock() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    let wrong = asked.value(
        "SELECT count(*) FROM ticks
         WHERE (time_at(recording, tick) IS DISTINCT FROM time_ms) OR (tick_at(recording, time_ms) IS DISTINCT FROM tick)",
    );
    assert_eq!(wrong, "0");
    assert_ne!(
        asked.value("SELECT count(time_at(recording, tick)) FROM ticks"),
        "0"
    );
    // Beyond the recording, of a clock that it lacks, of no recording.
    for missing in [
        "SELECT time_at(recording, 0) FROM games LIMIT 1",
        "SELECT tick_at(recording, -5.0) FROM runs LIMIT 1",
        "SELECT time_at('nothing', 3)",
    ] {
        assert_eq!(asked.value(missing), "null", "{missing}");
    }
}

#[test]
fn a_broken_recording_gives_its_rows_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let text = fs::read(folder.path().join("match.echoreplay")).unwrap();
    let cut = folder.path().join("cut.echoreplay");
    fs::write(&cut, &text[..text.len() / 2]).unwrap();
    fs::write(folder.path().join("empty.rmv"), "").unwrap();
    let asked = Asked::of(&[
        cut.clone(),
        folder.path().join("match.echoreplay"),
        folder.path().join("empty.rmv"),
    ]);
    let sql = format!(
        "SELECT count(*) FROM game WHERE recording = '{}'",
        cut.display()
    );
    let rows: u64 = asked.value(&sql).parse().unwrap();
    assert!((100..200).contains(&rows), "{rows}");
    let broken = asked.archive.broken();
    assert_eq!(broken.len(), 2, "{broken:?}");
    assert!(broken.contains_key(&*cut.to_string_lossy()));
    // Also the one that cannot be opened.
    let sql = "SELECT DISTINCT file(recording), code FROM findings WHERE severity = 'error' ORDER BY 1, 2";
    let findings = asked.rows(sql);
    assert!(
        findings.iter().any(|row| row[0] == "cut.echoreplay"),
        "{findings:?}"
    );
    assert!(
        findings.contains(&vec!["empty.rmv".to_owned(), "unreadable".to_owned()]),
        "{findings:?}"
    );
}

#[test]
fn a_format_from_outside_is_queried_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.track"), own_format::EXAMPLE).unwrap();
    fs::write(folder.path().join("b.track"), own_format::EXAMPLE).unwrap();
    let formats = gametape::formats().with(own_format::Track);
    let asked = Asked::with(formats, &[folder.path().to_owned()]);
    assert_eq!(asked.value("SELECT count(*) FROM track.marks"), "2");
    assert_eq!(
        asked.value("SELECT max(z) FROM positions WHERE entity = 2"),
        "5.5"
    );
    assert_eq!(
        asked.value("SELECT count(*) FROM recordings WHERE format = 'track'"),
        "2"
    );
}

#[test]
fn the_newest_event_at_a_moment_is_the_one_before_it() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let asked = Asked::of(&[folder.path().to_owned()]);
    // Each right click with the left click before it, if there is one.
    let found = asked.rows(
        "SELECT recording, step, event_step, age_ms, x FROM state_at('rmv.board_events', 'mouse_events') b
         JOIN mouse_events m USING (recording, step) WHERE m.action = 'rmb_down' ORDER BY 1, 2",
    );
    // A second time, by hand: the last board event of all before the click.
    let expected = asked.rows(
        "SELECT m.recording, m.step, max(b.step), m.time_ms - max(b.time_ms), max(m.x) FROM mouse_events m
         JOIN board_events b ON b.recording = m.recording AND b.step <= m.step
         WHERE m.action = 'rmb_down' GROUP BY 1, 2, m.time_ms ORDER BY 1, 2",
    );
    assert!(found.len() > 10);
    assert_eq!(found, expected);
}
