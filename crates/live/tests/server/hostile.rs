//! Hostile clients on a socket.

use std::fs::File;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use gametape::echo::echoreplay::Writer;
use gametape_live::server::ServeOptions;
use gametape_samples::echo::{Match, MatchOptions};
use tungstenite::Message;
use tungstenite::protocol::frame::Frame;
use tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::kit::{Served, library, serve};
use crate::viewer::{Socket, Viewer, connect, connect_narrow, try_connect};

const ID: &str = "live.echoreplay";
const LIVE: &str = "/r/live.echoreplay/live";

/// A recording that this process writes.
fn live(options: ServeOptions) -> (Served, Writer<File>, Match) {
    let folder = library();
    let path = folder.path().join("games").join(ID);
    let mut writer = Writer::new(File::create(&path).unwrap());
    let mut frames = Match::new(MatchOptions::default());
    for frame in frames.by_ref().take(40) {
        writer.push(&frame).unwrap();
    }
    let served = serve(folder, options);
    served.growth.begin(&path).unwrap();
    if served.get("/").status == 200 {
        served.recording(ID);
    }
    (served, writer, frames)
}

/// The code with which it is closed.
fn closed(socket: &mut Socket) -> Option<u16> {
    loop {
        match socket.read() {
            Ok(Message::Close(close)) => return close.map(|close| close.code.into()),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

#[test]
fn no_other_page_watches() {
    let (served, ..) = live(ServeOptions::default());
    let port = served.address.port();
    let other = format!("http://127.0.0.1:{}", port ^ 1);
    for (status, headers) in [
        (403, [("Origin", "")]),
        (403, [("Origin", "null")]),
        (403, [("Origin", "http://evil.example")]),
        (403, [("Origin", &*other)]),
        (421, [("Host", "evil.example")]),
        (403, [("Sec-Fetch-Site", "cross-site")]),
    ] {
        let refused = try_connect(&served, LIVE, &headers);
        assert_eq!(refused.err(), Some(status), "{headers:?}");
    }
    connect(&served, LIVE).read().unwrap();
    // A request for a page there gets an error message.
    let own = format!("http://{}", served.address);
    let plain = served.get_with(LIVE, &[("Origin", &own)]);
    assert_eq!(plain.status / 100, 4);
    assert!(plain.json()["error"].is_string());
}

#[test]
fn without_the_token_a_client_does_not_watch() {
    let with = ServeOptions {
        token: Some("s3cret".to_owned()),
        ..ServeOptions::default()
    };
    let (served, ..) = live(with);
    let bearer = ("Authorization", "Bearer s3cret");
    let answer = served.get_with(&format!("/r/{ID}/recording.json"), &[bearer]);
    assert!([200, 202].contains(&answer.status));
    assert_eq!(try_connect(&served, LIVE, &[]).err(), Some(401));
    let wrong = [("Cookie", "gametape-token=s3cres")];
    assert_eq!(try_connect(&served, LIVE, &wrong).err(), Some(401));
    std::thread::sleep(Duration::from_millis(500));
    for right in [("Cookie", "gametape-token=s3cret"), bearer] {
        try_connect(&served, LIVE, &[right])
            .unwrap()
            .read()
            .unwrap();
    }
}

#[test]
fn a_client_that_sends_anything_is_disconnected() {
    let (served, ..) = live(ServeOptions::default());
    let huge = vec![0; 1 << 20];
    for (message, length) in [
        (Message::text("hello"), 5),
        (Message::binary(vec![1, 2, 3]), 3),
        (Message::text("x".repeat(2000)), 2000),
        (Message::binary(huge), 1 << 20),
    ] {
        let mut socket = connect(&served, LIVE);
        let _ = socket.send(message);
        let code = closed(&mut socket);
        // A client that goes on sending is cut off, and may not get the reason.
        assert!(
            code == Some(1008) || code.is_none() && length > 1000,
            "{code:?}"
        );
    }
    // One that is never whole.
    let mut socket = connect(&served, LIVE);
    let part = Frame::message(vec![7; 800], OpCode::Data(Data::Binary), false);
    socket.send(Message::Frame(part)).unwrap();
    for _ in 0..10_000 {
        let part = Frame::message(vec![7; 800], OpCode::Data(Data::Continue), false);
        if socket.send(Message::Frame(part)).is_err() {
            break;
        }
    }
    closed(&mut socket);
    // A client that pings again and again.
    let mut socket = connect(&served, LIVE);
    for _ in 0..1000 {
        if socket.send(Message::Ping(vec![0; 100].into())).is_err() {
            break;
        }
    }
    assert!(matches!(closed(&mut socket), Some(1008) | None));
    // Bytes that are not a frame.
    for noise in [
        &b"\xff\xff\xff\xff\xff\xff\xff\xff"[..],
        b"GET / HTTP/1.1\r\n\r\n",
        &[0; 4096],
    ] {
        let mut socket = connect(&served, LIVE);
        let _ = socket.get_mut().write_all(noise);
        closed(&mut socket);
    }
    connect(&served, LIVE).read().unwrap();
}

/// Bytes that this process holds, where that can be seen.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes = line.split_whitespace().nth(1)?;
    kilobytes
        .parse()
        .ok()
        .map(|kilobytes: u64| kilobytes * 1024)
}

#[test]
fn a_client_that_does_not_read_is_dropped_and_no_other_waits() {
    let (served, mut writer, frames) = live(ServeOptions::default());
    let idle: Vec<Socket> = (0..50).map(|_| connect(&served, LIVE)).collect();
    let (mut viewer, mut socket) = Viewer::join(&served, ID);
    let before = resident();
    let hearing = std::thread::spawn(move || {
        while viewer.hear(&mut socket) {}
        viewer
    });
    // As much as no socket takes unread.
    for (at, frame) in frames.enumerate().take(4000) {
        writer.push(&frame).unwrap();
        served.growth.grew();
        if at % 20 == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    let path = served.folder.path().join("games").join(ID);
    served.growth.end(&path).unwrap();
    let viewer = hearing.join().unwrap();
    assert_eq!(
        viewer.closed,
        Some(1000),
        "a client that reads gets all of it"
    );
    if let Some((before, after)) = before.zip(resident()) {
        let grown = after.saturating_sub(before);
        assert!(grown < 300 << 20, "{grown} bytes for those who do not read");
    }
    for mut socket in idle {
        // Messages on the way still arrive; then the socket is closed, or cut.
        let code = closed(&mut socket);
        assert!(matches!(code, Some(1000 | 4000) | None), "{code:?}");
    }
    assert_eq!(served.get("/library.json").status, 200);
}

#[test]
fn a_client_that_is_too_slow_gets_a_code_and_may_come_back() {
    let (served, mut writer, mut frames) = live(ServeOptions::default());
    let mut behind = connect_narrow(&served, LIVE);
    behind.read().unwrap();
    // Far more than there is room for on the way.
    for frame in frames.by_ref().take(4000) {
        writer.push(&frame).unwrap();
        served.growth.grew();
        std::thread::sleep(Duration::from_micros(500));
    }
    assert_eq!(closed(&mut behind), Some(4000));
    let (mut viewer, mut socket) = Viewer::join(&served, ID);
    let path = served.folder.path().join("games").join(ID);
    served.growth.end(&path).unwrap();
    while viewer.hear(&mut socket) {}
    assert_eq!(viewer.closed, Some(1000));
}

#[test]
fn a_thousand_connects_a_second_and_half_of_a_handshake_harm_nobody() {
    let (served, mut writer, mut frames) = live(ServeOptions::default());
    let (mut viewer, mut socket) = Viewer::join(&served, ID);
    let mut kept = Vec::new();
    let from = Instant::now();
    let (mut watched, mut refused) = (0, 0);
    for at in 0..2500 {
        let mut stream = served.connect();
        match at % 4 {
            0 => {
                let half = format!("GET {LIVE} HTTP/1.1\r\nHost: {}\r\nUpgra", served.address);
                let _ = stream.write_all(half.as_bytes());
                kept.push(stream);
            }
            1 => drop(stream),
            _ => match try_connect(&served, LIVE, &[]) {
                Ok(_) => watched += 1,
                Err(429) => refused += 1,
                Err(other) => panic!("{other}"),
            },
        }
        if at % 25 == 0 {
            writer.push(&frames.next().unwrap()).unwrap();
            served.growth.grew();
        }
    }
    let a_second = 2500.0 / from.elapsed().as_secs_f64();
    assert!(
        watched > 0 && a_second > 300.0,
        "{a_second} a second, {watched}, {refused}"
    );
    let path = served.folder.path().join("games").join(ID);
    served.growth.end(&path).unwrap();
    while viewer.hear(&mut socket) {}
    assert_eq!(viewer.closed, Some(1000));
    for mut stream in kept {
        stream
            .set_read_timeout(Some(Duration::from_millis(1)))
            .unwrap();
        let _ = stream.read(&mut [0; 16]);
    }
}
