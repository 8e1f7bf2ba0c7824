//! A viewer that follows the book.

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;

use flate2::read::GzDecoder;
use gametape_delta::{Decoder, Encoder, Schema, Snapshot};
use serde_json::Value as Json;
use socket2::{Domain, Type};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::client::Request;
use tungstenite::http::HeaderValue;
use tungstenite::{Error, Message, WebSocket};

use crate::kit::Served;

pub type Socket = WebSocket<TcpStream>;

/// A request for a socket, with the server's own origin.
fn requested(served: &Served, path: &str) -> Request {
    let address = served.address;
    let mut request = format!("ws://{address}{path}")
        .into_client_request()
        .unwrap();
    let own = HeaderValue::try_from(format!("http://{address}")).unwrap();
    request.headers_mut().insert("Origin", own);
    request
}

/// Asks for a socket, with these headers on top of its own origin.
pub fn try_connect(served: &Served, path: &str, headers: &[(&str, &str)]) -> Result<Socket, u16> {
    let mut request = requested(served, path);
    for (name, value) in headers {
        let name = tungstenite::http::HeaderName::try_from(*name).unwrap();
        request.headers_mut().remove(&name);
        if !value.is_empty() {
            request
                .headers_mut()
                .insert(name, HeaderValue::try_from(*value).unwrap());
        }
    }
    upgraded(request, served.connect())
}

/// A socket that takes little before its owner reads.
pub fn connect_narrow(served: &Served, path: &str) -> Socket {
    let request = requested(served, path);
    let socket = socket2::Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(4 << 10).unwrap();
    socket.connect(&served.address.into()).unwrap();
    upgraded(request, socket.into()).unwrap()
}

fn upgraded(request: Request, stream: TcpStream) -> Result<Socket, u16> {
    match tungstenite::client(request, stream) {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(error) => panic!("{error}"),
    }
}

pub fn connect(served: &Served, path: &str) -> Socket {
    try_connect(served, path, &[]).unwrap()
}

/// The records of a message, one after the other: their kinds and bytes.
pub fn records(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(5) {
        let length = u32::from_le_bytes(head[1..].try_into().unwrap());
        let (record, rest) = rest.split_at(length as usize);
        found.push((head[0], record.to_vec()));
        bytes = rest;
    }
    assert!(bytes.is_empty(), "a record is never cut in two");
    found
}

/// The states that records lead to, by the bytes that they are written as.
pub fn states(schema: &Schema, segments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let decoder = Decoder::new(schema);
    let mut encoder = Encoder::new(schema);
    let mut states = Vec::new();
    for segment in segments {
        let mut now = Snapshot::new(schema, 0);
        for (at, (kind, bytes)) in records(segment).into_iter().enumerate() {
            assert!(at > 0 || kind == 1, "a segment begins with a full snapshot");
            if kind > 2 || (kind == 1 && at > 0) {
                continue;
            }
            let mut next = Snapshot::new(schema, 0);
            if decoder.header(&bytes).unwrap().baseline().is_none() {
                decoder.full(&bytes, &mut next).unwrap();
            } else {
                decoder.delta(&now, &bytes, &mut next).unwrap();
            }
            now = next;
            let mut written = Vec::new();
            encoder.full(&now, &mut written).unwrap();
            states.push(written);
        }
    }
    // The first state of a segment repeats the last one of the previous segment.
    states.dedup();
    states
}

/// The data that a viewer has.
#[derive(Default)]
pub struct Viewer {
    /// `recording.json`, as it was asked for first.
    pub index: Json,
    /// The entries of complete segments.
    pub whole: Vec<Json>,
    /// The records of those that came over the socket, by their places.
    pub heard: Vec<(usize, Vec<u8>)>,
    /// The records since.
    pub tail: Vec<u8>,
    pub markers: Vec<Json>,
    /// Bytes of text that it has heard.
    pub texts: usize,
    pub messages: usize,
    pub ended: Option<String>,
    pub closed: Option<u16>,
    since_begin: bool,
}

impl Viewer {
    /// Asks for the existing data, and then for the rest.
    pub fn join(served: &Served, id: &str) -> (Self, Socket) {
        let index = served.recording(id);
        assert_eq!(index["live"], true, "{index}");
        assert_eq!(index["socket"], "live");
        let mut whole = index["segments"].as_array().unwrap().clone();
        whole.pop();
        let after = whole
            .last()
            .map(|segment| segment["file"].as_str().unwrap());
        let after = after.map_or(String::new(), |file| format!("?after={file}"));
        let socket = connect(served, &format!("/r/{id}/live{after}"));
        let viewer = Self {
            index,
            whole,
            ..Self::default()
        };
        (viewer, socket)
    }

    /// Takes a message; false at the end.
    pub fn hear(&mut self, socket: &mut Socket) -> bool {
        match socket.read() {
            Ok(message) => self.take(message),
            Err(Error::ConnectionClosed | Error::AlreadyClosed) => false,
            Err(error) => panic!("{error}"),
        }
    }

    fn take(&mut self, message: Message) -> bool {
        self.messages += 1;
        match message {
            Message::Binary(bytes) => {
                assert!(self.since_begin);
                records(&bytes);
                self.tail.extend_from_slice(&bytes);
            }
            Message::Text(text) => {
                self.texts += text.len();
                self.told(&serde_json::from_str(&text).unwrap());
            }
            Message::Close(close) => {
                self.closed = close.map(|close| close.code.into());
                return false;
            }
            _ => {}
        }
        true
    }

    fn told(&mut self, json: &Json) {
        match json["kind"].as_str().unwrap() {
            "begin" => {
                assert!(!self.since_begin && json["version"] == 1);
                self.since_begin = true;
                self.whole.truncate(json["keep"].as_u64().unwrap() as usize);
                let more = json["segments"].as_array().unwrap();
                self.whole.extend(more.iter().cloned());
            }
            "segment" => {
                let tail = std::mem::take(&mut self.tail);
                self.heard.push((self.whole.len(), tail));
                self.whole.push(json["segment"].clone());
            }
            "markers" => {
                let all = json["markers"].as_array().unwrap();
                self.markers.clone_from(all);
            }
            "marked" => {
                self.markers
                    .truncate(json["keep"].as_u64().unwrap() as usize);
                let others = json["markers"].as_array().unwrap();
                self.markers.extend(others.iter().cloned());
            }
            "end" => self.ended = Some(json["why"].as_str().unwrap().to_owned()),
            "still" => {}
            other => panic!("{other}"),
        }
    }

    /// All records that it knows, by segments: those that it has not heard are fetched.
    pub fn all(&self, served: &Served, id: &str) -> Vec<Vec<u8>> {
        let heard = |at: usize| self.heard.iter().find(|(place, _)| *place == at);
        let segments = self.whole.iter().enumerate().map(|(at, segment)| {
            let fetched = fetched(served, id, segment);
            if let Some((_, heard)) = heard(at) {
                assert!(*heard == fetched, "segment {at} differs from the messages");
            }
            fetched
        });
        let mut all: Vec<Vec<u8>> = segments.collect();
        all.push(self.tail.clone());
        all
    }
}

/// The records of a segment, from the server.
pub fn fetched(served: &Served, id: &str, segment: &Json) -> Vec<u8> {
    let file = segment["file"].as_str().unwrap();
    let answer = served.get(&format!("/r/{id}/{file}"));
    assert_eq!(answer.status, 200, "{segment}");
    let mut records = Vec::new();
    let mut unpacked = GzDecoder::new(&answer.body[..]);
    unpacked.read_to_end(&mut records).unwrap();
    records
}

/// The description of a recording that was written to its end.
pub fn finished(served: &Served, id: &str) -> Json {
    for _ in 0..400 {
        let index = served.recording(id);
        if index["live"] == false {
            return index;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it is never done");
}
