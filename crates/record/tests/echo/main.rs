//! Records Echo VR live, against a game that restarts, stalls and answers badly.

mod as_game;
#[allow(dead_code)] // The command's tests need more of it.
mod game;
mod resume;

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::{Game, Reply, a_match, answers, frames};
use gametape_echo::{Frame, Map, butter, echoreplay};
use gametape_record::echo::{Event, Fault, Faults, RecordOptions, Recorded, record};

fn options(game: &Game, output: &Path) -> RecordOptions {
    RecordOptions {
        url: game.url(),
        rate: 120,
        // The machine may be busy with other tests.
        timeout: Duration::from_secs(20),
        ..RecordOptions::new(output)
    }
}

/// Records until the game's script is over. What happened, as words; each frame is told when it is in
/// its file.
fn recorded(game: &Game, options: &RecordOptions) -> (Recorded, Vec<String>) {
    let (mut events, mut frames) = (Vec::new(), 0);
    let told = |event: Event<'_>| match event {
        Event::Frame => frames += 1,
        event => events.push(word(event)),
    };
    let recorded = record(options, &game.over, told).unwrap();
    assert_eq!(frames, recorded.frames);
    (recorded, events)
}

fn word(event: Event<'_>) -> String {
    match event {
        Event::Begun => "begun".to_owned(),
        Event::Waiting(fault) => format!("waiting: {fault}"),
        Event::Appeared(session) => format!("appeared: {}", session.map_name.as_str()),
        Event::NextMatch(session) => format!("next match: {}", session.map_name.as_str()),
        Event::NextFile(path) => {
            format!("next file: {}", path.file_name().unwrap().display())
        }
        Event::Disappeared(fault) => format!("disappeared: {fault}"),
        other => panic!("{other:?}"),
    }
}

/// The lines of a recording: session and bones, as they are.
fn lines(path: &Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    echoreplay::read(&fs::read(path).unwrap())
        .map(|line| {
            let line = line.unwrap();
            assert_eq!(line.ending, b"\r\n");
            (
                line.session.to_vec(),
                line.bones.unwrap_or_default().to_vec(),
            )
        })
        .collect()
}

/// The frames of a .butter, strictly read.
fn butter_frames(path: &Path) -> Vec<Frame> {
    let bytes = fs::read(path).unwrap();
    let file = butter::read(&bytes).unwrap();
    let mut frames = file.frames();
    let mut all = Vec::new();
    while let Some(frame) = frames.next_frame().unwrap() {
        all.push(frame.clone());
    }
    all
}

/// That frames of a .butter are these, as far as a .butter can.
fn assert_same(read: &[Frame], played: &[Frame]) {
    assert_eq!(read.len(), played.len());
    for (read, played) in read.iter().zip(played) {
        let (read, played) = (&read.session, &played.session);
        assert!(read.sessionid.eq_ignore_ascii_case(&played.sessionid));
        assert_eq!(read.map_name, played.map_name);
        assert!((read.game_clock - played.game_clock).abs() < 0.01);
        assert_eq!(read.blue_points.to_bits(), played.blue_points.to_bits());
        let names = |frame: &gametape_echo::Session| -> Vec<String> {
            let names = frame.players().map(|(_, player)| player.name.to_string());
            names.collect()
        };
        assert_eq!(names(read), names(played));
        for ((_, read), (_, played)) in read.players().zip(played.players()) {
            let (read, played) = (read.head.position, played.head.position);
            for (read, played) in read.into_iter().zip(played) {
                assert!((read - played).abs() < 0.01, "{read} {played}");
            }
        }
    }
    let times = read.windows(2).all(|pair| pair[0].time <= pair[1].time);
    assert!(times, "time goes back");
}

#[test]
fn every_answer_is_a_line_byte_for_byte_whatever_comes_between() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let played = a_match(1, 40);
    let script = [
        vec![
            Reply::Status(404),
            Reply::Text(r#"{"err_code":-6,"err_description":"not in a match"}"#),
        ],
        frames(10),
        vec![
            Reply::Half,
            Reply::Text("<html>what?</html>"),
            Reply::Text(""),
            Reply::Text("{\"sessionid\":\"A\",\"teams\":["),
            Reply::Status(500),
            Reply::Gone,
        ],
        frames(10),
        vec![Reply::Restart(Duration::from_millis(200))],
        frames(20),
    ];
    let game = Game::start(played.clone(), script.concat());
    let (recorded, events) = recorded(&game, &options(&game, &path));
    let expected: Vec<_> = played.iter().map(answers).collect();
    assert!(expected.iter().all(|(_, bones)| bones.len() > 1000));
    assert_eq!(lines(&path), expected);
    assert_eq!(recorded.frames, 40);
    assert_eq!(recorded.matches, 1);
    assert_eq!(recorded.files.len(), 1);
    assert_eq!(recorded.files[0].path, path);
    assert_eq!(recorded.files[0].frames, 40);
    assert_eq!(recorded.files[0].bytes, fs::metadata(&path).unwrap().len());
    let Faults {
        status,
        no_match,
        malformed,
        bones,
        ..
    } = recorded.faults;
    // The last is the one that says the script is over.
    assert_eq!(
        (status, no_match, bones),
        (3, 1, 0),
        "{:?}",
        recorded.faults
    );
    // A connection that is gone may be either.
    assert!(malformed >= 4, "{:?}", recorded.faults);
    let start = ["begun", "waiting: HTTP status 404", "appeared: mpl_arena_a"];
    assert_eq!(events[..3], start);
}

#[test]
fn a_butter_is_finished_and_holds_one_match() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.butter");
    let mut played = a_match(1, 25);
    played.extend(a_match(2, 25));
    let mut lobby = a_match(2, 5);
    for frame in &mut lobby {
        frame.session.map_name = Map::from("mpl_lobby_b2");
    }
    played.extend(lobby);
    // An existing file is not touched.
    fs::write(folder.path().join("match.2.butter"), "other").unwrap();
    let game = Game::start(played.clone(), frames(55));
    let options = options(&game, &path);
    let (recorded, events) = recorded(&game, &options);
    assert_eq!((recorded.frames, recorded.matches), (55, 3));
    let names: Vec<_> = recorded
        .files
        .iter()
        .map(|file| file.path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["match.butter", "match.3.butter", "match.4.butter"]);
    let (first, rest) = played.split_at(25);
    let (second, third) = rest.split_at(25);
    for (file, played) in recorded.files.iter().zip([first, second, third]) {
        assert_same(&butter_frames(&file.path), played);
        let bytes = fs::read(&file.path).unwrap();
        assert!(!butter::read(&bytes).unwrap().is_unfinished());
        assert_eq!(file.frames, played.len() as u64);
    }
    assert_eq!(
        events,
        [
            "begun",
            "appeared: mpl_arena_a",
            "next match: mpl_arena_a",
            "next file: match.3.butter",
            "next match: mpl_lobby_b2",
            "next file: match.4.butter",
        ]
    );
    // Nothing is left beside them.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    let error = record(&options, &game.over, |_| {}).unwrap_err();
    assert_eq!(error.message(), "is there already");
}

#[test]
fn one_echoreplay_has_all_matches_unless_it_is_split() {
    let folder = tempfile::tempdir().unwrap();
    let mut played = a_match(1, 5);
    played.extend(a_match(2, 5));
    let expected: Vec<_> = played.iter().map(answers).collect();
    let path = folder.path().join("all.echoreplay");
    let game = Game::start(played.clone(), frames(10));
    let (together, _) = recorded(&game, &options(&game, &path));
    assert_eq!((together.matches, together.files.len()), (2, 1));
    assert_eq!(lines(&path), expected);
    let path = folder.path().join("each.echoreplay");
    let game = Game::start(played, frames(10));
    let options = RecordOptions {
        split: true,
        zip: true,
        ..options(&game, &path)
    };
    let (apart, _) = recorded(&game, &options);
    assert_eq!((apart.matches, apart.files.len()), (2, 2));
    for (file, expected) in apart.files.iter().zip(expected.chunks(5)) {
        let bytes = fs::read(&file.path).unwrap();
        assert!(bytes.starts_with(b"PK"));
        let mut reader = echoreplay::open(std::io::Cursor::new(bytes)).unwrap();
        for expected in expected {
            let line = reader.next_line().unwrap().unwrap();
            assert_eq!(line.session, expected.0);
        }
        assert!(reader.next_line().unwrap().is_none());
    }
}

#[test]
fn bones_that_do_not_come_leave_the_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let played = a_match(1, 6);
    let game = Game::start(played.clone(), frames(6)).with_bones(vec![
        Reply::Frame,
        Reply::Status(404),
        Reply::Half,
        Reply::Text("{\"user_bones\":[{\"bone_t\":[1,2]}]}"),
    ]);
    let (recorded, _) = recorded(&game, &options(&game, &path));
    let mut expected: Vec<_> = played.iter().map(answers).collect();
    for (_, bones) in &mut expected[1..4] {
        bones.clear();
    }
    assert_eq!(lines(&path), expected);
    assert_eq!((recorded.frames, recorded.faults.bones), (6, 3));
    // Not asked for, none are missing.
    let path = folder.path().join("without.echoreplay");
    let game = Game::start(played.clone(), frames(6));
    let options = RecordOptions {
        bones: false,
        ..options(&game, &path)
    };
    let (recorded, _) = self::recorded(&game, &options);
    assert_eq!((recorded.frames, recorded.faults.bones), (6, 0));
    assert!(lines(&path).iter().all(|(_, bones)| bones.is_empty()));
}

#[test]
fn an_answer_on_many_lines_becomes_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let game = Game::start(
        Vec::new(),
        vec![
            Reply::Text(
                "{\r\n\t\"sessionid\" : \"A\",\r\n\t\"client_name\": \"a \\\"b\\\" c\",\r\n\t\"game_clock\": 1.50\r\n}\r\n",
            ),
            Reply::Text("{\"sessionid\": \"A\", \"game_clock\": 1.25}"),
        ],
    );
    let options = RecordOptions {
        bones: false,
        ..options(&game, &path)
    };
    let (recorded, _) = recorded(&game, &options);
    assert_eq!(recorded.frames, 2);
    let sessions: Vec<_> = lines(&path)
        .into_iter()
        .map(|(session, _)| String::from_utf8(session).unwrap())
        .collect();
    assert_eq!(
        sessions,
        [
            r#"{"sessionid":"A","client_name":"a \"b\" c","game_clock":1.50}"#,
            r#"{"sessionid": "A", "game_clock": 1.25}"#,
        ]
    );
}

#[test]
fn the_game_is_waited_for_and_late_answers_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.butter");
    // A port on which no program listens yet.
    let at = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .unwrap();
    let played = a_match(1, 8);
    let mut game = None;
    let mut events = Vec::new();
    let stop = AtomicBool::new(false);
    let options = RecordOptions {
        url: at.to_string(),
        rate: 120,
        frames: Some(8),
        ..RecordOptions::new(&path)
    };
    let late = vec![Reply::Late(Duration::from_millis(2_500))];
    let script = [frames(4), late, frames(4)].concat();
    let recorded = record(&options, &stop, |event| {
        if let Event::Waiting(fault) = event {
            assert!(matches!(fault, Fault::Unreachable(_)), "{fault}");
            game = Some(Game::start_at(at, played.clone(), script.clone()));
        }
        if !matches!(event, Event::Frame) {
            events.push(word(event));
        }
    })
    .unwrap();
    assert_same(&butter_frames(&path), &played);
    assert_eq!(recorded.frames, 8);
    assert!(recorded.faults.unreachable >= 1);
    assert!(recorded.faults.timeout >= 1);
    // Nothing came for two seconds: at 120 Hz, frames are missed, and that is reported.
    assert!(recorded.skipped >= 100, "{}", recorded.skipped);
    assert_eq!(
        events[..4],
        [
            "begun",
            "waiting: no answer: no program listens there",
            "appeared: mpl_arena_a",
            "disappeared: no answer in time",
        ]
    );
}

/// Slow answers make the recorder try other connections; the server here has one at a time, as small
/// servers do.
#[test]
fn a_slow_game_is_recorded_through_whatever_connections() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let played = a_match(1, 40);
    let game = Game::start(
        played.clone(),
        vec![Reply::Slow(Duration::from_millis(25)); 40],
    );
    let (recorded, _) = recorded(&game, &options(&game, &path));
    let expected: Vec<_> = played.iter().map(answers).collect();
    assert_eq!(lines(&path), expected);
    assert_eq!(recorded.faults.timeout, 0);
    assert!(recorded.skipped > 0);
}

#[test]
fn it_stops_when_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.butter");
    let game = Game::start(a_match(1, 3), frames(3));
    // Nothing came: nothing is left.
    let stopped = AtomicBool::new(true);
    let nothing = record(&options(&game, &path), &stopped, |_| {}).unwrap();
    assert_eq!(nothing, Recorded::default());
    assert!(!path.exists());
    // The match is over, and the game idle.
    let going = AtomicBool::new(false);
    let idle = RecordOptions {
        idle: Some(Duration::from_millis(1_500)),
        ..options(&game, &path)
    };
    let start = Instant::now();
    let recorded = record(&idle, &going, |_| {}).unwrap();
    assert_eq!(recorded.frames, 3, "{recorded:?}");
    assert!(start.elapsed() >= Duration::from_millis(1_500));
    let short = RecordOptions {
        duration: Some(Duration::from_millis(200)),
        ..options(&game, &folder.path().join("short.butter"))
    };
    let start = Instant::now();
    assert_eq!(record(&short, &going, |_| {}).unwrap().frames, 0);
    assert!(start.elapsed() >= Duration::from_millis(200));
    assert!(!going.load(Ordering::Relaxed));
    let beyond = RecordOptions {
        output: folder.path().join("match.rmv"),
        ..short.clone()
    };
    let error = record(&beyond, &going, |_| {}).unwrap_err();
    assert_eq!(
        error.message(),
        "a match is recorded into a .butter or an .echoreplay file"
    );
    let nowhere = RecordOptions {
        output: folder.path().join("none/match.butter"),
        ..short
    };
    let error = record(&nowhere, &going, |_| {}).unwrap_err();
    assert!(error.message().starts_with("no such folder: "), "{error}");
}
