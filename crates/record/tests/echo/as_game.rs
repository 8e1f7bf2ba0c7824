//! A recording in the place of the game.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gametape::Secrets;
use gametape_echo::{Frame, butter, echoreplay};
use gametape_record::echo::{AsGame, AsGameOptions};

use crate::game::{a_match, answers};

const NOTHING: &str = r#"{"err_code":-6,"err_description":"not in a match"}"#;

fn lines(frames: &[Frame]) -> Vec<u8> {
    let mut text = Vec::new();
    for frame in frames {
        echoreplay::write_frame(frame, &mut text).unwrap();
    }
    text
}

fn game(path: &Path, options: AsGameOptions) -> AsGame {
    AsGame::new(gametape::formats().open(path).unwrap(), options).unwrap()
}

fn said(game: &AsGame, path: &str, at: Instant) -> (u16, String) {
    let said = game.answer(path, at).unwrap();
    (said.status, String::from_utf8(said.json).unwrap())
}

const SHOWN: AsGameOptions = AsGameOptions {
    speed: 1.0,
    again: false,
    first: 0,
    secrets: Secrets::Show,
};

#[test]
fn each_answer_is_given_at_its_time_byte_for_byte_and_none_after_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let frames = a_match(5, 40);
    fs::write(&path, lines(&frames)).unwrap();
    for (speed, first) in [(1.0, 0), (1.0, 7), (4.0, 0), (0.25, 0)] {
        let start = Instant::now();
        let options = AsGameOptions {
            speed,
            first,
            ..SHOWN
        };
        let game = game(&path, options);
        let begins = frames[first as usize].time.0;
        // The first request gets the first frame, however late it is.
        let start = start + Duration::from_secs(100);
        for ms in (0..1_000_u32).step_by(7) {
            let at = start + Duration::from_millis(ms.into());
            let passed = (f64::from(ms) * speed) as i64;
            let of_now = frames.iter().take_while(|f| f.time.0 <= begins + passed);
            let expected = of_now.last().unwrap();
            let is_last = expected == frames.last().unwrap();
            if is_last && passed > expected.time.0 - begins {
                // The last frame is shown for as long as the previous one.
                continue;
            }
            let (session, bones) = answers(expected);
            let (session, bones) = (String::from_utf8(session), String::from_utf8(bones));
            assert_eq!(said(&game, "/session", at), (200, session.unwrap()), "{ms}");
            assert_eq!(
                said(&game, "/player_bones", at),
                (200, bones.unwrap()),
                "{ms}"
            );
        }
        let late = start + Duration::from_secs(20);
        for path in ["/session", "/player_bones"] {
            assert_eq!(said(&game, path, late), (404, NOTHING.to_owned()));
        }
        assert_eq!(game.answer("/", late), None);
        assert_eq!(game.answer("/session/x", late), None);
    }
}

#[test]
fn it_begins_again_where_it_is_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.echoreplay");
    let frames = a_match(6, 30);
    fs::write(&path, lines(&frames)).unwrap();
    let options = AsGameOptions {
        again: true,
        first: 3,
        ..SHOWN
    };
    let (game, start) = (game(&path, options), Instant::now());
    let (first, _) = answers(&frames[3]);
    let first = (200, String::from_utf8(first).unwrap());
    assert_eq!(said(&game, "/session", start), first);
    let late = start + Duration::from_mins(1);
    assert_eq!(said(&game, "/session", late), first);
    let next = said(&game, "/session", late + Duration::from_millis(500));
    assert_ne!(next, first);
}

#[test]
fn a_butter_answers_as_the_lines_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.butter");
    let frames = a_match(7, 20);
    let bytes = butter::write(&frames, butter::Options::default()).unwrap();
    fs::write(&path, &bytes).unwrap();
    let game = game(&path, SHOWN);
    let start = Instant::now();
    let read = butter::read(&bytes).unwrap();
    let mut read = read.frames();
    let frame = read.next_frame().unwrap().unwrap();
    let (session, bones) = answers(frame);
    let (session, bones) = (String::from_utf8(session), String::from_utf8(bones));
    assert_eq!(said(&game, "/session", start), (200, session.unwrap()));
    assert_eq!(said(&game, "/player_bones", start), (200, bones.unwrap()));
}

#[test]
fn names_are_hidden_unless_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let frames = a_match(8, 5);
    let bytes = butter::write(&frames, butter::Options::default()).unwrap();
    for (name, bytes) in [("a.echoreplay", lines(&frames)), ("a.butter", bytes)] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let shown = said(&game(&path, SHOWN), "/session", Instant::now()).1;
        let hidden = game(&path, AsGameOptions::default());
        let hidden = said(&hidden, "/session", Instant::now()).1;
        for player in frames[0]
            .session
            .teams
            .iter()
            .flat_map(|team| &team.players)
        {
            assert!(shown.contains(&*player.name));
            assert!(!hidden.contains(&*player.name), "{name}: {}", player.name);
            assert!(!hidden.contains(&player.userid.to_string()), "{name}");
        }
        assert!(hidden.contains("Player 1"));
    }
}

#[test]
fn broken_lines_are_left_out_and_other_recordings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let frames = a_match(9, 3);
    let path = folder.path().join("match.echoreplay");
    let mut text = lines(&frames[..1]);
    text.extend_from_slice(b"2022/01/02 03:00:00.040\t{\"sessionid\":\"A\",\r\nnothing\r\n");
    text.extend_from_slice(&lines(&frames[2..]));
    fs::write(&path, text).unwrap();
    let (game, start) = (game(&path, SHOWN), Instant::now());
    said(&game, "/session", start);
    let gone = frames[2].time.0 - frames[0].time.0;
    let at = start + Duration::from_millis(u64::try_from(gone).unwrap());
    let (session, _) = answers(&frames[2]);
    let session = String::from_utf8(session).unwrap();
    assert_eq!(said(&game, "/session", at), (200, session));

    let refused = |path: &Path, options| {
        let recording = gametape::formats().open(path).unwrap();
        let refused = AsGame::new(recording, options).map(|_| ());
        refused.unwrap_err().to_string()
    };
    let past = AsGameOptions { first: 2, ..SHOWN };
    let sentence = refused(&path, past);
    assert!(
        sentence.ends_with("there is no frame 2 to begin with"),
        "{sentence}"
    );
}
