//! Recordings that a server has, which now and then misbehaves.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use gametape::echo::{butter, echoreplay};
use gametape_samples::echo::{Match, MatchOptions};

use crate::samples::Asked;

/// A way not to answer.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// It says that it is busy.
    Busy,
    /// It hangs up in the middle.
    HangsUp,
}

#[derive(Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    faults: VecDeque<Fault>,
    /// Each request from now on changes the files first.
    changes: bool,
    version: u32,
    sent: u64,
    requests: u32,
}

/// Serves files over HTTP, whole and in ranges.
struct Server {
    address: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    fn of(files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let files = files
            .into_iter()
            .map(|(name, bytes)| (format!("/{name}"), bytes));
        let state = Arc::new(Mutex::new(State {
            files: files.collect(),
            ..State::default()
        }));
        let own = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let own = Arc::clone(&own);
                // The client hangs up when it has what it wants.
                thread::spawn(move || stream.map(|stream| answer(&stream, &own)));
            }
        });
        Self { address, state }
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("{}/{name}", self.address))
    }

    fn ask(&self, name: &str) -> Asked {
        Asked::of(&[self.path(name)])
    }
}

fn answer(stream: &TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_owned());
        }
        let mut state = state.lock().unwrap();
        state.requests += 1;
        let mut first = head[0].split(' ');
        let (method, path) = (first.next().unwrap(), first.next().unwrap());
        let fault = if method == "GET" {
            state.faults.pop_front()
        } else {
            None
        };
        if fault == Some(Fault::Busy) {
            write!(out, "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        }
        if state.changes && method == "GET" {
            state.version += 1;
        }
        let Some(file) = state.files.get(path) else {
            write!(out, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
            continue;
        };
        let range = head.iter().find_map(|line| {
            let (name, range) = line.split_once(':')?;
            let range = range.trim().strip_prefix("bytes=")?;
            let (from, to) = range.split_once('-')?;
            name.eq_ignore_ascii_case("range")
                .then(|| from.parse().unwrap()..to.parse::<usize>().unwrap() + 1)
        });
        let all = file.len();
        let body = file[range.clone().unwrap_or(0..all)].to_vec();
        let status = match &range {
            Some(range) => {
                let last = range.end - 1;
                format!(
                    "206 Part\r\nContent-Range: bytes {}-{last}/{all}",
                    range.start
                )
            }
            None => "200 OK".to_owned(),
        };
        write!(
            out,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"{}\"\r\n\r\n",
            body.len(),
            state.version
        )?;
        if method == "HEAD" {
            continue;
        }
        state.sent += body.len() as u64;
        if fault == Some(Fault::HangsUp) {
            out.write_all(&body[..body.len() / 2])?;
            return Ok(());
        }
        out.write_all(&body)?;
    }
}

/// A match of 600 frames, as text: 7 MB.
fn text() -> Vec<u8> {
    let options = MatchOptions {
        frames: Some(600),
        ..MatchOptions::default()
    };
    let mut text = echoreplay::Writer::new(Vec::new());
    for frame in Match::new(options) {
        text.push(&frame).unwrap();
    }
    text.finish().unwrap()
}

fn packed(frames: u64) -> Vec<u8> {
    let options = MatchOptions {
        frames: Some(frames),
        ..MatchOptions::default()
    };
    let frames: Vec<_> = Match::new(options).collect();
    butter::write(&frames, butter::Options::default()).unwrap()
}

const SQL: &str = "SELECT count(*), sum(ping), avg(head_x) FROM players";

#[test]
fn a_server_has_the_same_rows_as_a_folder_even_if_it_stumbles() {
    let game = gametape_samples::mines::example();
    let (text, packed) = (text(), packed(3000));
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("game.rmv", game),
        ("match.echoreplay", text),
        ("match.butter", packed),
    ];
    for (name, bytes) in &files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let server = Server::of(files);
    for (name, sql) in [
        (
            "game.rmv",
            "SELECT count(*), sum(x), max(time_ms) FROM mouse_events",
        ),
        ("match.echoreplay", SQL),
        ("match.butter", SQL),
    ] {
        let local = Asked::of(&[folder.path().join(name)]).rows(sql);
        for faults in [vec![], vec![Fault::Busy, Fault::Busy], vec![Fault::HangsUp]] {
            server.state.lock().unwrap().faults = faults.into();
            let far = server.ask(name);
            assert_eq!(far.rows(sql), local, "{name}");
            assert!(
                far.archive.broken().is_empty(),
                "{:?}",
                far.archive.broken()
            );
        }
    }
    let asked = server.ask("game.rmv");
    let name = asked.value("SELECT recording FROM recordings");
    assert_eq!(name, format!("{}/game.rmv", server.address));
}

#[test]
fn a_large_object_is_read_in_few_pieces_and_a_part_of_it_costs_a_part() {
    let text = text();
    let size = text.len() as u64;
    assert!(size > 5_000_000, "{size}");
    let server = Server::of([("match.echoreplay", text), ("match.butter", packed(3000))]);
    server
        .ask("match.echoreplay")
        .value("SELECT count(*) FROM players");
    let whole = std::mem::take(&mut *server.state.lock().unwrap());
    assert!(whole.requests < 40, "{} requests", whole.requests);
    server.state.lock().unwrap().files = whole.files;
    let asked = server.ask("match.butter");
    let before = server.state.lock().unwrap().sent;
    let rows = "SELECT count(*) FROM players WHERE step BETWEEN 1500 AND 1510";
    assert_ne!(asked.value(rows), "0");
    let sent = server.state.lock().unwrap().sent - before;
    let size = server.state.lock().unwrap().files["/match.butter"].len() as u64;
    assert!(sent < size / 2, "{sent} of {size} bytes");
}

#[test]
fn a_few_steps_near_the_start_cost_as_much_as_those_of_a_shorter_recording() {
    let [short, long] = [3000, 12_000].map(|frames| {
        let server = Server::of([("match.butter", packed(frames))]);
        let asked = server.ask("match.butter");
        let rows = "SELECT count(*) FROM players WHERE step BETWEEN 1000 AND 1009";
        assert_ne!(asked.value(rows), "0");
        let state = server.state.lock().unwrap();
        (state.sent, state.files["/match.butter"].len() as u64)
    });
    assert!(long.1 > 3 * short.1, "{short:?} {long:?}");
    // The table of its chunks is longer, and more is read ahead.
    assert!(long.0 < short.0 + long.1 / 8, "{short:?} {long:?}");
}

#[test]
fn an_object_that_changes_is_no_mixture_of_old_and_new() {
    let server = Server::of([("match.echoreplay", text())]);
    let asked = server.ask("match.echoreplay");
    server.state.lock().unwrap().changes = true;
    asked.batches(SQL).unwrap();
    let broken = asked.archive.broken();
    let (name, problem) = broken.first_key_value().expect("it changed");
    assert_eq!(*name, format!("{}/match.echoreplay", server.address));
    assert!(
        problem.contains("the object changed while it was read"),
        "{problem}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let server = Server::of([("match.butter", packed(3000))]);
    for (name, message) in [
        ("nothing.butter", "there is no such object"),
        ("folder/", "http"),
        ("match.butter?token=1", "an address with a query"),
    ] {
        let asked = server.ask(name);
        let broken = asked.archive.broken();
        let (address, problem) = broken.first_key_value().expect("an error");
        assert_eq!(*address, format!("{}/{name}", server.address));
        assert!(problem.contains(message), "{problem}");
    }
    let asked = Asked::of(&[PathBuf::from("ftp://example.com/a.rmv")]);
    let broken = asked.archive.broken();
    let problem = broken.values().next().expect("an error");
    assert!(problem.contains("give s3://"), "{problem}");
}
