//! A server and its clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use gametape_live::Page;
use gametape_live::server::{Growth, ServeOptions, Server, Stop};
use serde_json::Value as Json;
use tempfile::TempDir;

pub struct Served {
    pub address: SocketAddr,
    pub growth: Growth,
    pub folder: TempDir,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// A page, and two recordings below each other.
pub fn library() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("games/old")).unwrap();
    let game = gametape_samples::mines::example();
    fs::write(folder.path().join("games/a.rmv"), &game).unwrap();
    let scenario = &gametape_samples::mines::scenarios()[1];
    let other = gametape_samples::mines::record(scenario, 9).unwrap();
    let other = gametape::mines::rmv::write(&other).unwrap();
    fs::write(folder.path().join("games/old/b c.rmv"), other).unwrap();
    fs::write(folder.path().join("games/notes.txt"), "no recording").unwrap();
    fs::create_dir_all(folder.path().join("dist/site/assets")).unwrap();
    let page = "<!doctype html><title>page</title>".repeat(40);
    fs::write(folder.path().join("dist/site/index.html"), page).unwrap();
    fs::write(folder.path().join("dist/site/assets/a.js"), "1").unwrap();
    folder
}

pub fn options() -> ServeOptions {
    ServeOptions::default()
}

pub fn serve(folder: TempDir, options: ServeOptions) -> Served {
    let page = Page::read(&folder.path().join("dist")).unwrap();
    let games = folder.path().join("games");
    let server = Server::bind(&[games], gametape::formats(), page, options).unwrap();
    let (address, stop, growth) = (server.address(), server.stop(), server.growth());
    let thread = std::thread::spawn(move || server.run().unwrap());
    Served {
        address,
        growth,
        folder,
        stop,
        thread: Some(thread),
    }
}

impl Served {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream
    }

    pub fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        // A client that is refused in the middle of a request may be cut off.
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(&bytes)));
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Answer {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            write!(request, "Host: {}\r\n", self.address).unwrap();
        }
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        self.raw(&format!("{request}\r\n"))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[])
    }

    /// The description of a recording, once it is made.
    pub fn made(&self, id: &str) -> Answer {
        loop {
            let answer = self.get(&format!("/r/{id}/recording.json"));
            if answer.status != 202 {
                return answer;
            }
            assert!(answer.json()["making"].as_f64().unwrap() <= 1.0);
        }
    }

    pub fn recording(&self, id: &str) -> Json {
        let answer = self.made(id);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }
}
