//! Recordings in a browser: what the commands print, and what they leave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

/// Two games, one of them cut, a file that is none, and a page.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let game = gametape_samples::mines::example();
    fs::create_dir_all(at("games")).unwrap();
    fs::write(at("games/a.rmv"), &game).unwrap();
    fs::write(at("games/cut.rmv"), &game[..game.len() * 2 / 3]).unwrap();
    fs::write(at("games/notes.txt"), "none").unwrap();
    for name in ["dist/site", "dist/single"] {
        fs::create_dir_all(at(name)).unwrap();
        fs::write(at(name).join("index.html"), "<p>page</p><!-- data -->").unwrap();
    }
    folder
}

const PAGE: [&str; 2] = ["--page", "dist"];

pub fn get(address: &str, path: &str) -> String {
    get_as(address, path, None)
}

/// As somebody to whom the server goes by this name.
fn get_as(address: &str, path: &str, host: Option<&str>) -> String {
    let address = address
        .strip_prefix("http://")
        .unwrap()
        .trim_end_matches('/');
    let host = host.unwrap_or(address);
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A server that runs, and the address that it says it has.
#[cfg(unix)]
struct Serving {
    child: std::process::Child,
    address: String,
}

#[cfg(unix)]
impl Serving {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(snapbox::cmd::cargo_bin!("gametape"))
            .current_dir(folder)
            .args(args)
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let printed: serde_json::Value = serde_json::from_str(&line).unwrap();
        let address = printed["address"].as_str().unwrap().to_owned();
        Self { child, address }
    }

    /// Ctrl-C: it ends well, and has complained of nothing.
    fn interrupt(mut self) {
        let pid = self.child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
    }
}

#[test]
#[cfg(unix)]
fn watch_serves_until_it_is_interrupted() {
    let folder = folder();
    let args = [&["watch", "games", "--no-open"], &PAGE[..]].concat();
    let serving = Serving::start(folder.path(), &args);
    let address = &*serving.address;
    assert!(get(address, "/").contains("<p>page</p>"));
    let listed = get(address, "/library.json");
    assert!(listed.contains("\"id\":\"a.rmv\"") && !listed.contains("notes"));
    // It was written just now: the server looks for a moment whether it grows.
    let cut = loop {
        let cut = get(address, "/r/cut.rmv/recording.json");
        if !cut.starts_with("HTTP/1.1 202") {
            break cut;
        }
    };
    assert!(cut.contains("\"lost\":[{\"text\":\"event "), "{cut}");
    serving.interrupt();
}

#[test]
#[cfg(unix)]
fn a_match_answers_in_the_place_of_the_game_whoever_may_ask() {
    let folder = folder();
    let path = folder.path();
    let frames = gametape_samples::echo::Match::new(gametape_samples::echo::MatchOptions {
        frames: Some(60),
        ..Default::default()
    });
    let frames: Vec<_> = frames.collect();
    let mut text = Vec::new();
    for frame in &frames {
        gametape::echo::echoreplay::write_frame(frame, &mut text).unwrap();
    }
    fs::write(path.join("match.echoreplay"), &text).unwrap();
    let shown = ["--as-game", "--listen", "127.0.0.1:0", "--show-secrets"];
    let args = [
        &["serve", "match.echoreplay", "--from", "step:30", "--loop"],
        &shown[..],
    ];
    let serving = Serving::start(path, &args.concat());
    let address = serving.address.strip_suffix("/session").unwrap();
    let text = String::from_utf8(text).unwrap();
    let recorded: Vec<&str> = text
        .lines()
        .map(|line| line.split('\t').nth(1).unwrap())
        .collect();
    let told = get(address, "/session");
    let (head, told) = told.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert_eq!(told, recorded[30]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    let later = get(address, "/session");
    let (_, later) = later.split_once("\r\n\r\n").unwrap();
    assert!(recorded[30..].contains(&later) && later != told);
    assert!(get(address, "/player_bones").starts_with("HTTP/1.1 404"));
    assert!(get(address, "/library.json").starts_with("HTTP/1.1 404"));
    let forged = get_as(address, "/session", Some("game.example.org"));
    assert!(forged.starts_with("HTTP/1.1 421"), "{forged}");
    serving.interrupt();
}
