//! Recordings that are being written, watched.

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use gametape::echo::echoreplay::Writer;
use gametape_delta::Schema;
use gametape_live::server::ServeOptions;
use gametape_samples::echo::{Match, MatchOptions};
use serde_json::{Value as Json, from_value};

use crate::kit::{Served, library, serve};
use crate::viewer::{Socket, Viewer, connect, fetched, finished, records, states};

const ID: &str = "live.echoreplay";

/// Each frame of a match, as it is written.
fn lines(frames: u64) -> Vec<Vec<u8>> {
    of_match(MatchOptions {
        frames: Some(frames),
        ..MatchOptions::default()
    })
}

/// The same of a match in which more happens from frame to frame.
fn frames(frames: u64, rate_hz: u32) -> Vec<Vec<u8>> {
    of_match(MatchOptions {
        frames: Some(frames),
        rate_hz,
        players_per_team: 1,
        ..MatchOptions::default()
    })
}

fn of_match(options: MatchOptions) -> Vec<Vec<u8>> {
    let mut text = Writer::new(Vec::new());
    for frame in Match::new(options) {
        text.push(&frame).unwrap();
    }
    let text = text.finish().unwrap();
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.map(<[u8]>::to_vec).collect()
}

/// A recorder in the same process, with so many frames written.
struct Recorder {
    served: Served,
    path: PathBuf,
    file: File,
    lines: Vec<Vec<u8>>,
    written: usize,
}

impl Recorder {
    fn begin(frames: u64, written: usize) -> Self {
        Self::of(lines(frames), written)
    }

    fn of(lines: Vec<Vec<u8>>, written: usize) -> Self {
        let folder = library();
        let path = folder.path().join("games").join(ID);
        let file = File::create(&path).unwrap();
        let served = serve(folder, ServeOptions::default());
        let mut recorder = Self {
            served,
            path,
            file,
            lines,
            written: 0,
        };
        recorder.write(written);
        recorder
    }

    /// So many more frames.
    fn write(&mut self, frames: usize) {
        let lines = &self.lines[self.written..][..frames];
        self.file.write_all(&lines.concat()).unwrap();
        self.written += frames;
    }

    fn is_done(&self) -> bool {
        self.written == self.lines.len()
    }

    fn grew(&self) {
        self.served.growth.grew();
    }
}

/// The records of all segments of a finished recording.
fn published(served: &Served, index: &Json) -> Vec<Vec<u8>> {
    let segments = index["segments"].as_array().unwrap().iter();
    segments
        .map(|segment| fetched(served, ID, segment))
        .collect()
}

/// In the end, a viewer has the states that were published, and no others.
fn assert_same(viewer: &Viewer, recorder: &Recorder, frames: usize) {
    let last = finished(&recorder.served, ID);
    assert_eq!(last["schema"], viewer.index["schema"]);
    assert!(last["socket"].is_null());
    let seen = viewer.all(&recorder.served, ID);
    let all = published(&recorder.served, &last);
    assert!(
        all.concat().starts_with(&seen.concat()),
        "records are those of the segments"
    );
    let schema: Schema = from_value(last["schema"].clone()).unwrap();
    let (seen, all) = (states(&schema, &seen), states(&schema, &all));
    assert_eq!(all.len(), frames);
    let ended = &viewer.ended;
    assert!(seen == all, "{} and {}: {ended:?}", seen.len(), all.len());
}

/// A viewer that joins once a segment is complete, however long the server takes to say so.
fn joined_late(served: &Served) -> (Viewer, Socket) {
    for _ in 0..400 {
        let joined = Viewer::join(served, ID);
        if joined.0.index["segments"].as_array().unwrap().len() > 1 {
            return joined;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no segment becomes whole");
}

#[test]
fn a_live_recording_is_watched_to_its_end() {
    let mut recorder = Recorder::begin(600, 30);
    let id = recorder.served.growth.begin(&recorder.path).unwrap();
    assert_eq!(id, ID);
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    let mut late = None;
    while !recorder.is_done() {
        // A part of a frame says nothing yet.
        let next = recorder.lines[recorder.written].clone();
        let (one, other) = next.split_at(next.len() / 2);
        recorder.file.write_all(one).unwrap();
        recorder.grew();
        recorder.file.write_all(other).unwrap();
        recorder.written += 1;
        recorder.write(recorder.lines.len().min(recorder.written + 4) - recorder.written);
        recorder.grew();
        std::thread::sleep(Duration::from_millis(5));
        if late.is_none() && recorder.written > 400 {
            late = Some(joined_late(&recorder.served));
        }
    }
    recorder.served.growth.end(&recorder.path).unwrap();
    let (mut late, mut late_socket) = late.unwrap();
    while viewer.hear(&mut socket) {}
    while late.hear(&mut late_socket) {}
    for viewer in [&viewer, &late] {
        assert_eq!(viewer.ended.as_deref(), Some("the recording is done"));
        assert_eq!(viewer.closed, Some(1000));
        assert_same(viewer, &recorder, 600);
    }
    assert!(viewer.messages > 50, "{} messages", viewer.messages);
    assert!(viewer.heard.len() > 2, "segments became whole meanwhile");
    // A late viewer has got the earlier part as segments.
    assert!(late.heard.len() < viewer.heard.len());
    let last = finished(&recorder.served, ID);
    let events = last["markers"].as_array().unwrap().iter();
    let events: Vec<&Json> = events.filter(|mark| mark["kind"] == "event").collect();
    assert_eq!(viewer.markers.iter().collect::<Vec<_>>(), events);
}

#[test]
fn however_many_events_there_are_all_new_ones_are_sent_and_no_others() {
    let mut recorder = Recorder::of(frames(4000, 5), 300);
    recorder.served.growth.begin(&recorder.path).unwrap();
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    while !recorder.is_done() {
        let left = recorder.lines.len() - recorder.written;
        recorder.write(left.min(60));
        recorder.grew();
        std::thread::sleep(Duration::from_millis(100));
    }
    recorder.served.growth.end(&recorder.path).unwrap();
    while viewer.hear(&mut socket) {}
    let last = finished(&recorder.served, ID);
    let events = last["markers"].as_array().unwrap().iter();
    let events: Vec<&Json> = events.filter(|mark| mark["kind"] == "event").collect();
    let throws = events.iter().filter(|mark| mark["source"] == "throws");
    let rows = &last["description"]["tables"].as_array().unwrap();
    let rows = rows.iter().find(|table| table["name"] == "throws").unwrap()["rows"].as_u64();
    assert!(rows.unwrap() > 60, "{rows:?}");
    assert_eq!(throws.count() as u64, rows.unwrap());
    assert_eq!(viewer.markers.iter().collect::<Vec<_>>(), events);
    let all = last["markers"].to_string().len();
    assert!(viewer.texts < 4 * all, "{} and {all}", viewer.texts);
}

#[test]
fn a_writer_that_is_killed_in_the_middle_of_a_frame_leaves_its_whole_frames() {
    let mut recorder = Recorder::begin(300, 100);
    let writing = std::thread::spawn({
        let (mut file, lines) = (recorder.file.try_clone().unwrap(), recorder.lines.clone());
        move || {
            for line in &lines[100..250] {
                file.write_all(line).unwrap();
                std::thread::sleep(Duration::from_millis(15));
            }
            file.write_all(&lines[250][..lines[250].len() / 3]).unwrap();
        }
    });
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    writing.join().unwrap();
    recorder.written = 250;
    let from = Instant::now();
    while viewer.hear(&mut socket) {}
    assert!(
        from.elapsed() > Duration::from_secs(5),
        "it might have gone on"
    );
    assert!(viewer.ended.as_deref().unwrap().contains("10 seconds"));
    assert_eq!(viewer.closed, Some(1000));
    assert_same(&viewer, &recorder, 250);
}

#[test]
fn a_frame_is_there_a_moment_after_it_was_written() {
    let mut recorder = Recorder::begin(300, 60);
    recorder.served.growth.begin(&recorder.path).unwrap();
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    // The content that was there already.
    while viewer.tail.is_empty() {
        assert!(viewer.hear(&mut socket));
    }
    let mut delays = Vec::new();
    for tell in [true, false].into_iter().cycle().take(100) {
        let before = viewer.tail.len();
        let from = Instant::now();
        recorder.write(1);
        // The file of a writer that does not report is looked at again and again.
        if tell {
            recorder.grew();
        }
        let whole = viewer.whole.len();
        while viewer.tail.len() == before && viewer.whole.len() == whole {
            assert!(viewer.hear(&mut socket));
        }
        delays.push(from.elapsed());
        std::thread::sleep(Duration::from_millis(2));
    }
    delays.sort();
    assert!(delays[50] < Duration::from_millis(50), "{delays:?}");
}

#[test]
fn a_recording_that_is_replaced_is_followed_from_the_start() {
    let mut recorder = Recorder::begin(200, 100);
    recorder.served.growth.begin(&recorder.path).unwrap();
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    let other = lines(40);
    fs::write(&recorder.path, other.concat()).unwrap();
    recorder.grew();
    while viewer.hear(&mut socket) {}
    assert!(viewer.ended.is_some());
    let (mut again, mut socket) = loop {
        let index = recorder.served.recording(ID);
        if index["socket"] == "live" {
            break Viewer::join(&recorder.served, ID);
        }
    };
    // The server has let them in.
    assert!(again.hear(&mut socket));
    let mut file = File::options().append(true).open(&recorder.path).unwrap();
    file.write_all(&lines(41)[40]).unwrap();
    recorder.grew();
    recorder.served.growth.end(&recorder.path).unwrap();
    while again.hear(&mut socket) {}
    recorder.written = 41;
    assert_same(&again, &recorder, 41);
}

#[test]
fn where_there_is_nothing_yet_one_waits() {
    let mut recorder = Recorder::begin(20, 0);
    recorder.served.growth.begin(&recorder.path).unwrap();
    let answer = recorder.served.get(&format!("/r/{ID}/recording.json"));
    assert_eq!(answer.status, 202, "{answer:?}");
    let listed = recorder.served.get("/library.json").json();
    let entries = listed["recordings"].as_array().unwrap().iter();
    let entry = entries.clone().find(|entry| entry["id"] == ID).unwrap();
    assert_eq!(entry["live"], true);
    recorder.write(10);
    recorder.grew();
    let (mut viewer, mut socket) = Viewer::join(&recorder.served, ID);
    recorder.write(10);
    recorder.served.growth.end(&recorder.path).unwrap();
    while viewer.hear(&mut socket) {}
    assert_same(&viewer, &recorder, 20);
}

#[test]
fn the_clock_is_known_from_the_first_row_on() {
    for rows in [1, 2, 3, 100] {
        let mut recorder = Recorder::begin(300, 0);
        recorder.served.growth.begin(&recorder.path).unwrap();
        recorder.write(rows);
        recorder.grew();
        let (viewer, _socket) = Viewer::join(&recorder.served, ID);
        let of = &viewer.index["description"]["made_of"];
        assert_eq!(of["times"], true, "{rows} rows: {of}");
        assert_eq!(of["ticks"], false, "{rows} rows: {of}");
        assert_eq!(of["first"]["time_ns"], 0, "{rows} rows: {of}");
        assert_eq!(of["last"]["step"], rows - 1, "{rows} rows: {of}");
    }
}

#[test]
fn a_recording_that_is_not_live_has_no_socket() {
    let recorder = Recorder::begin(20, 20);
    drop(recorder.file);
    let index = recorder.served.recording("a.rmv");
    assert!(index["socket"].is_null());
    let status = crate::viewer::try_connect(&recorder.served, "/r/a.rmv/live", &[]);
    assert_eq!(status.err(), Some(404));
    let status = crate::viewer::try_connect(&recorder.served, "/r/nobody/live", &[]);
    assert_eq!(status.err(), Some(404));
}

#[test]
fn missing_segments_are_listed_and_wrong_ones_are_not_kept() {
    let mut recorder = Recorder::begin(900, 900);
    recorder.served.growth.begin(&recorder.path).unwrap();
    let index = recorder.served.recording(ID);
    let segments = index["segments"].as_array().unwrap();
    assert!(segments.len() > 3);
    recorder.write(0);
    let file = |at: usize| segments[at]["file"].as_str().unwrap().to_owned();
    let last = segments.len() - 1;
    for (after, keep) in [
        (String::new(), 0),
        (format!("?after={}", file(0)), 1),
        (format!("?x=1&after={}", file(last - 1)), last),
        // One in the making is no segment that stays.
        (format!("?after={}", file(last)), 0),
        ("?after=../../x".to_owned(), 0),
    ] {
        let mut socket = connect(&recorder.served, &format!("/r/{ID}/live{after}"));
        let begin = socket.read().unwrap().into_text().unwrap();
        let begin: Json = serde_json::from_str(&begin).unwrap();
        assert_eq!(begin["keep"], keep, "{after}");
        let lacks = begin["segments"].as_array().unwrap();
        assert_eq!(lacks, &segments[keep..last]);
        // The tail is the segment in the making.
        let mut tail = Vec::new();
        let whole = fetched(&recorder.served, ID, &segments[last]);
        while tail.len() < whole.len() {
            if let tungstenite::Message::Binary(bytes) = socket.read().unwrap() {
                assert_eq!(records(&bytes)[0].0 == 1, tail.is_empty());
                tail.extend_from_slice(&bytes);
            }
        }
        assert!(tail == whole);
    }
}
