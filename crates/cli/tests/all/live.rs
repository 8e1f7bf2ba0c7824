//! Recordings in a browser: what the commands print, and what they leave.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use snapbox::str;

use crate::common::gametape;

/// Two games, one of them cut, a file that is none, and a page.
fn folder() -> tempfile::TempDir {
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

fn run(folder: &Path, args: &[&str]) -> snapbox::cmd::OutputAssert {
    gametape(folder, &[args, &PAGE].concat()).assert()
}

#[test]
fn publish_says_a_line_a_recording_and_what_is_lost_of_it() {
    let folder = folder();
    let path = folder.path();
    run(path, &["publish", "games", "--out", "site"])
        .code(3)
        .stdout_eq(str![[r#"
games/a.rmv  as a.rmv
games/cut.rmv  as cut.rmv
2 recordings in site; any web server serves it, such as: python3 -m http.server --directory site

"#]])
        .stderr_eq(str![[r#"
not all of it: event [..]: the file ends in the video section: [..] bytes needed, [..] are left

"#]]);
    for file in ["index.html", "library.json", "r/cut.rmv/recording.json"] {
        assert!(path.join("site").join(file).exists(), "{file}");
    }
    run(path, &["publish", "games/a.rmv", "--out", "site", "--json"])
        .success()
        .stdout_eq(str![[r#"
{"path":"games/a.rmv","id":"a.rmv","format":"rmv","verdict":"pass","lost":[]}

"#]])
        .stderr_eq("");
    run(path, &["publish", "games/a.rmv", "--single", "a.html"])
        .success()
        .stdout_eq(str![[r#"
games/a.rmv  as a.rmv
1 recording in a.html: open it in a browser

"#]]);
    let html = fs::read_to_string(path.join("a.html")).unwrap();
    assert!(html.contains("data-file=\"r/a.rmv/recording.json\""));
}

#[test]
fn what_can_not_be_published_is_said_and_nothing_is_lost() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("taken"), "a file").unwrap();
    fs::create_dir(path.join("theirs")).unwrap();
    fs::write(path.join("empty.rmv"), "").unwrap();
    fs::write(path.join("theirs/library.json"), "[1]").unwrap();
    let cases = [
        (
            &["publish", "nowhere.rmv", "--out", "site"][..],
            "nowhere.rmv: no such file",
        ),
        (
            &["publish", "games/notes.txt", "--out", "site"],
            "games/notes.txt: ",
        ),
        (&["publish", "games/a.rmv", "--out", "taken"], "taken: "),
        (
            &["publish", "games/a.rmv", "--out", "theirs"],
            "theirs/library.json: no list of recordings: ",
        ),
        (&["publish", "games/a.rmv", "--single", "games"], "games: "),
        (
            &["publish", "games/a.rmv", "--single", "nowhere/a.html"],
            "nowhere",
        ),
        (
            &["publish", "games/a.rmv"],
            "error: the following required arguments",
        ),
        (
            &["publish", "games/a.rmv", "--out", "a", "--single", "b"],
            "error: the argument",
        ),
        (&["watch", "nowhere.rmv"], "nowhere.rmv: no such file"),
        (
            &["watch", "games/notes.txt", "--no-open"],
            "games/notes.txt: ",
        ),
        (
            &["watch", "empty.rmv", "--no-open"],
            "empty.rmv: byte 0: the file ends in the header",
        ),
        (
            &["serve", "games", "--listen", "0.0.0.0:0"],
            "can be reached from elsewhere: that needs a token",
        ),
        (&["serve", "nowhere"], "nowhere: no such file"),
    ];
    for (args, sentence) in cases {
        let said = run(path, args).code(2).get_output().stderr.clone();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(sentence), "{args:?}: {said}");
        let site = path.join("site/library.json");
        assert!(!site.exists(), "{args:?}");
    }
    assert_eq!(fs::read_to_string(path.join("taken")).unwrap(), "a file");
    assert_eq!(
        fs::read_to_string(path.join("theirs/library.json")).unwrap(),
        "[1]"
    );
    let page = ["publish", "games/a.rmv", "--out", "site", "--page", "games"];
    gametape(path, &page).assert().code(2).stderr_eq(str![[r#"
gametape: games: no built page: site/index.html is not in it

"#]]);
}

pub fn get(address: &str, path: &str) -> String {
    let host = address
        .strip_prefix("http://")
        .unwrap()
        .trim_end_matches('/');
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
#[cfg(unix)]
fn watch_serves_until_it_is_interrupted() {
    let folder = folder();
    let mut child = Command::new(snapbox::cmd::cargo_bin!("gametape"))
        .current_dir(folder.path())
        .args(["watch", "games", "--no-open", "--json"])
        .args(PAGE)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut line).unwrap();
    let said: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = said["address"].as_str().unwrap();
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
    assert!(cut.contains("\"lost\":[\""), "{cut}");
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut rest = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut rest)
        .unwrap();
    assert_eq!(rest, "");
}
