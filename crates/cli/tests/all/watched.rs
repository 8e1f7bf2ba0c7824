//! Recordings that are watched while they are recorded.

use std::io::{BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::common::Running;
use crate::echo::record::game::{Game, a_match, frames};
use crate::echo::record::{self, MANY, wait_for};
use crate::live::get;

const RECORDING: &str = "/r/match.echoreplay/recording.json";

/// The objects that a recorder prints.
struct Printed(BufReader<ChildStdout>);

impl Printed {
    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }
}

fn start(game: &Game, folder: &std::path::Path, more: &str) -> (Running, Printed, String) {
    let args = format!("--serve=127.0.0.1:0 --json{more} match.echoreplay");
    let mut recorder = record::start(folder, game, &args);
    let mut printed = Printed(BufReader::new(recorder.child.stdout.take().unwrap()));
    let address = printed.next()["address"].as_str().unwrap().to_owned();
    (recorder, printed, address)
}

/// The server's entry of the recording, once its `live` has this value.
fn live_entry(address: &str, live: bool) -> Value {
    for _ in 0..600 {
        let answer = get(address, RECORDING);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        if head.starts_with("HTTP/1.1 200") {
            let json: Value = serde_json::from_str(body).unwrap();
            if json["live"] == live {
                return json;
            }
        }
        sleep(Duration::from_millis(50));
    }
    panic!("live is never {live}");
}

fn ended(mut recorder: Running, mut printed: Printed) -> Option<i32> {
    let mut rest = String::new();
    printed.0.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    recorder.child.wait().unwrap().code()
}

#[test]
fn a_match_is_watched_while_it_is_recorded_and_when_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let game = Game::start(a_match(1, 400), frames(400));
    let (mut recorder, mut printed, address) = start(&game, folder.path(), " --frames 400");
    let live = live_entry(&address, true);
    assert_eq!(live["socket"], "live");
    let recorded = printed.next();
    assert_eq!(recorded["frames"], 400);
    // It goes on being served, and is judged.
    let done = live_entry(&address, false);
    assert_eq!(done["steps"], 400);
    assert!(done["socket"].is_null() && done["verdict"].is_string());
    assert_eq!(done["schema"], live["schema"]);
    while !recorder.says().contains("can still be watched") {}
    recorder.signal("-INT");
    assert_eq!(ended(recorder, printed), Some(0));
}

#[test]
fn outside_of_a_terminal_one_signal_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let game = Game::start(a_match(1, MANY as u64), frames(MANY));
    let (recorder, mut printed, address) = start(&game, folder.path(), "");
    live_entry(&address, true);
    wait_for(&game, 25);
    recorder.signal("-TERM");
    assert_eq!(printed.next()["frames"], game.served());
    assert_eq!(ended(recorder, printed), Some(0));
}

#[test]
fn a_recording_that_cannot_be_served_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    let game = Game::start(a_match(1, 10), frames(10));
    let args = "--serve=0.0.0.0:0 match.echoreplay";
    let (code, _, err) = record::start(folder.path(), &game, args).end();
    assert_eq!(code, Some(2));
    assert!(err.contains("that needs a token"), "{err}");
    assert!(!folder.path().join("match.echoreplay").exists());
}
