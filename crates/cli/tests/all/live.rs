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

/// Neither a name that is no ASCII nor one that is there twice loses a recording.
#[test]
fn a_recording_is_only_replaced_if_that_is_asked_for() {
    let folder = folder();
    let path = folder.path();
    let game = fs::read(path.join("games/a.rmv")).unwrap();
    let other = &gametape_samples::mines::scenarios()[1];
    let other = gametape_samples::mines::record(other, 9).unwrap();
    let other = gametape::mines::rmv::write(&other).unwrap();
    for name in ["x", "y"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    fs::write(path.join("x/\u{738b}.rmv"), &game).unwrap();
    fs::write(path.join("x/\u{5609}.rmv"), &other).unwrap();
    fs::write(path.join("x/b.rmv"), &game).unwrap();
    fs::write(path.join("y/b.rmv"), &other).unwrap();
    let ids = |args: &[&str], code: i32| -> Vec<String> {
        let args = [&["publish", "--json", "--out", "site"], args].concat();
        let ended = run(path, &args).code(code);
        let out = String::from_utf8(ended.get_output().stdout.clone()).unwrap();
        let lines = out.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["id"].as_str().map(str::to_owned)
        });
        lines.flatten().collect()
    };
    let listed = || {
        let list = fs::read(path.join("site/library.json")).unwrap();
        let list: serde_json::Value = serde_json::from_slice(&list).unwrap();
        list["recordings"].as_array().unwrap().len()
    };
    let [first, second] = ["x/\u{738b}.rmv", "x/\u{5609}.rmv"].map(|name| ids(&[name], 0));
    assert_ne!(first, second);
    assert_eq!(listed(), 2);
    // In one call, both are told by their folders, in whatever order they come.
    let mut both = ids(&["x/b.rmv", "y/b.rmv"], 0);
    assert_eq!(listed(), 4);
    both.reverse();
    assert_eq!(ids(&["y/b.rmv", "./x/b.rmv"], 0), both);
    assert_eq!(listed(), 4);
    // In two, the second needs the flag; the same again does not.
    for _ in 0..2 {
        assert_eq!(ids(&["x/b.rmv"], 0), ["b.rmv"]);
    }
    let index = path.join("site/r/b.rmv/recording.json");
    let before = fs::read(&index).unwrap();
    run(path, &["publish", "y/b.rmv", "--out", "site"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
gametape: site/r/b.rmv exists and is not replaced; --replace replaces it

"#]]);
    assert_eq!(fs::read(&index).unwrap(), before);
    // The rest is published all the same; below a folder, a name is its path there.
    assert_eq!(ids(&["y", "games/a.rmv"], 2), ["a.rmv"]);
    assert_eq!(ids(&["y", "--replace"], 0), ["b.rmv"]);
    assert_ne!(fs::read(&index).unwrap(), before);
    assert_eq!(listed(), 6);
}

#[test]
fn a_failed_publication_is_reported_and_loses_nothing() {
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
            "theirs/library.json: not a list of recordings: ",
        ),
        (&["publish", "games/a.rmv", "--single", "games"], "games: "),
        (
            &["publish", "games/a.rmv", "--single", "nowhere/a.html"],
            "nowhere",
        ),
        (
            &["publish", "games/a.rmv", "--single", "taken"],
            "taken exists and is not replaced; --replace replaces it",
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
        let printed = run(path, args).code(2).get_output().stderr.clone();
        let printed = String::from_utf8(printed).unwrap();
        assert!(printed.contains(sentence), "{args:?}: {printed}");
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

    let cases = [
        (
            &["serve", "--as-game", "games/a.rmv"][..],
            "games/a.rmv: rmv recordings are not of Echo VR",
        ),
        (
            &["serve", "--as-game", "games", "match.echoreplay"],
            "only one recording can be served this way",
        ),
        (
            &[
                "serve",
                "--as-game",
                "match.echoreplay",
                "--from",
                "1:00:00",
            ],
            "1:00:00.000 is not recorded",
        ),
        (
            &["serve", "--as-game", "match.echoreplay", "--speed", "0"],
            "from 0.01 to 1000",
        ),
        (
            &[
                "serve",
                "--as-game",
                "match.echoreplay",
                "--listen",
                "0.0.0.0:0",
            ],
            "that needs a token",
        ),
        (
            &["serve", "--as-game", "match.echoreplay", "--page", "dist"],
            "cannot be used with",
        ),
        (&["serve", "games", "--loop"], "--as-game"),
    ];
    for (args, sentence) in cases {
        let printed = gametape(path, args).assert().code(2);
        let printed = String::from_utf8(printed.get_output().stderr.clone()).unwrap();
        assert!(printed.contains(sentence), "{args:?}: {printed}");
    }
}
