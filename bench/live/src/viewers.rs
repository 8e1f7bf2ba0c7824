//! Many who watch one recording that grows.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use serde_json::Value as Json;

use crate::client::{connect, recording};
use crate::server::{Running, now, own_seconds, say};

const ID: &str = "match.echoreplay";

/// One who watches.
struct Viewer {
    stream: TcpStream,
    /// What came and is not whole.
    bytes: Vec<u8>,
    upgraded: bool,
    /// The step of the next packet.
    next: Option<u64>,
}

/// What was measured.
#[derive(Default)]
struct Measured {
    /// Steps, and when they were received.
    got: Vec<(u32, u64)>,
    dropped: HashMap<String, usize>,
    bytes: u64,
}

pub fn run(count: usize, rate: usize, seconds: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Running::start(&folder.path().join(ID), rate);
    let index = recording(&server.address, ID);
    assert_eq!(index["socket"], "live");
    std::thread::sleep(Duration::from_secs(2));
    let alone = server.resident();
    let mut poll = Poll::new().expect("polls");
    let mut viewers = Vec::new();
    let mut warming = Measured::default();
    let mut events = Events::with_capacity(4096);
    for at in 0..count {
        viewers.push(Some(Viewer::come(&server.address, at, &poll)));
        // A thousand a second.
        if at % 10 == 9 {
            turn(
                &mut poll,
                &mut events,
                &mut viewers,
                &mut warming,
                Duration::from_millis(10),
            );
        }
    }
    hear(
        &mut poll,
        &mut events,
        &mut viewers,
        &mut warming,
        Duration::from_secs(3),
    );
    let (cpu, own) = (server.seconds(), own_seconds());
    let mut measured = Measured::default();
    let lasts = Duration::from_secs(seconds as u64);
    hear(&mut poll, &mut events, &mut viewers, &mut measured, lasts);
    let (cpu, own) = (server.seconds() - cpu, own_seconds() - own);
    let held = server.resident();
    let written = server.written.lock().expect("lock").clone();
    let mut delays: Vec<u64> = measured
        .got
        .iter()
        .map(|(step, at)| at - written[*step as usize])
        .collect();
    delays.sort_unstable();
    let at = |share: f64| {
        let place = ((delays.len() - 1) as f64 * share) as usize;
        delays[place] as f64 / 1e6
    };
    let left = viewers.iter().flatten().count();
    let expected = left * seconds * rate;
    say(&format!(
        "viewers/{count}-at-{rate}-hz p50_ms={:.1} p99_ms={:.1} p99.9_ms={:.1} max_ms={:.1} received={} of={expected} \
         dropped={} kb_per_viewer={:.1} server_kb={held} server_cpu={:.2} viewers_cpu={:.2} bytes_per_viewer_s={:.0}",
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        delays.len(),
        count - left,
        held.saturating_sub(alone) as f64 / count as f64,
        cpu / seconds as f64,
        own / seconds as f64,
        measured.bytes as f64 / left as f64 / seconds as f64,
    ));
    for (why, count) in warming.dropped.iter().chain(&measured.dropped) {
        eprintln!("dropped {count}: {why}");
    }
}

fn hear(
    poll: &mut Poll,
    events: &mut Events,
    viewers: &mut [Option<Viewer>],
    measured: &mut Measured,
    lasts: Duration,
) {
    let from = Instant::now();
    while from.elapsed() < lasts {
        turn(poll, events, viewers, measured, Duration::from_millis(100));
    }
}

fn turn(
    poll: &mut Poll,
    events: &mut Events,
    viewers: &mut [Option<Viewer>],
    measured: &mut Measured,
    most: Duration,
) {
    poll.poll(events, Some(most)).expect("polls");
    for event in events.iter() {
        let place = &mut viewers[event.token().0];
        let Some(viewer) = place else {
            continue;
        };
        if let Err(why) = viewer.hear(measured) {
            *measured.dropped.entry(why).or_default() += 1;
            *place = None;
        }
    }
}

impl Viewer {
    fn come(to: &str, at: usize, poll: &Poll) -> Self {
        let mut stream = connect(to, at);
        let request = format!(
            "GET /r/{ID}/live HTTP/1.1\r\nHost: {to}\r\nOrigin: http://{to}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("asks");
        stream.set_nonblocking(true).expect("a socket");
        let mut stream = TcpStream::from_std(stream);
        let registry = poll.registry();
        registry
            .register(&mut stream, Token(at), Interest::READABLE)
            .expect("polls");
        Self {
            stream,
            bytes: Vec::new(),
            upgraded: false,
            next: None,
        }
    }

    fn hear(&mut self, measured: &mut Measured) -> Result<(), String> {
        let mut buffer = [0; 64 << 10];
        loop {
            let count = match self.stream.read(&mut buffer) {
                Ok(0) => return Err("hung up".to_owned()),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            let at = now();
            measured.bytes += count as u64;
            self.bytes.extend_from_slice(&buffer[..count]);
            self.take(at, measured)?;
        }
    }

    fn take(&mut self, at: u64, measured: &mut Measured) -> Result<(), String> {
        if !self.upgraded {
            let Some(end) = self.bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
                return Ok(());
            };
            let head = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
            if !head.starts_with("HTTP/1.1 101") {
                return Err(head.lines().next().unwrap_or_default().to_owned());
            }
            self.upgraded = true;
            self.bytes.drain(..end + 4);
        }
        let mut from = 0;
        while let Some((kind, start, length)) = message(&self.bytes[from..]) {
            let payload = from + start..from + start + length;
            from = payload.end;
            let payload = self.bytes[payload].to_vec();
            match kind {
                1 => self.told(&serde_json::from_slice(&payload).map_err(|e| e.to_string())?),
                2 => self.records(&payload, at, measured),
                8 => {
                    let code = payload
                        .get(..2)
                        .map_or(0, |code| u16::from_be_bytes([code[0], code[1]]));
                    return Err(format!("closed with {code}"));
                }
                9 => self.pong(&payload).map_err(|error| error.to_string())?,
                _ => {}
            }
        }
        self.bytes.drain(..from);
        Ok(())
    }

    fn told(&mut self, json: &Json) {
        let last = |segment: &Json| segment["to"]["step"].as_u64().expect("a step") + 1;
        match json["kind"].as_str() {
            Some("begin") => {
                let segments = json["segments"].as_array().expect("segments");
                self.next = segments.last().map(last);
            }
            Some("segment") => {
                assert_eq!(
                    self.next,
                    Some(last(&json["segment"])),
                    "a packet is missing"
                );
            }
            _ => {}
        }
    }

    fn records(&mut self, mut bytes: &[u8], at: u64, measured: &mut Measured) {
        while let Some((head, rest)) = bytes.split_at_checked(5) {
            let length = u32::from_le_bytes(head[1..].try_into().expect("four")) as usize;
            bytes = &rest[length..];
            // The very first state is a full snapshot.
            let is_first = head[0] == 1 && self.next.is_none();
            if head[0] != 2 && !is_first {
                continue;
            }
            let step = self.next.unwrap_or(0);
            self.next = Some(step + 1);
            measured.got.push((step as u32, at));
        }
    }

    fn pong(&mut self, payload: &[u8]) -> std::io::Result<()> {
        // Masked with zeros, which leaves it as it is.
        let mut frame = vec![0x8a, 0x80 | payload.len() as u8, 0, 0, 0, 0];
        frame.extend_from_slice(payload);
        self.stream.write_all(&frame)
    }
}

/// The next message, if it is whole: what it is, where what it says begins, and how long that is.
fn message(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let (kind, short) = (bytes.first()? & 0x0f, bytes.get(1)? & 0x7f);
    let (start, length) = match short {
        126 => (
            4,
            u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?).into(),
        ),
        127 => (
            10,
            u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize,
        ),
        short => (2, short.into()),
    };
    (bytes.len() >= start + length).then_some((kind, start, length))
}
