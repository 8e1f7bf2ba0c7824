//! The game's API, played by the test: a small HTTP server with a script, in which the game behaves
//! as games do.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gametape::echo::{Frame, echoreplay};
use gametape_samples::echo::{Match, MatchOptions};

/// The answer to one request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// The next frame.
    Frame,
    /// This text.
    Text(&'static str),
    /// This HTTP status, with a page.
    Status(u16),
    /// The first half of a frame; then the connection is gone.
    Half,
    /// Nothing; the connection is gone.
    Gone,
    /// A frame, so late that no recorder waits for it.
    Late(Duration),
    /// The next frame, after a while.
    Slow(Duration),
    /// The game is closed, and opened again after a while.
    Restart(Duration),
}

/// Frames in a row.
pub fn frames(count: usize) -> Vec<Reply> {
    vec![Reply::Frame; count]
}

/// A match with everything.
pub fn a_match(seed: u64, frames: u64) -> Vec<Frame> {
    Match::new(MatchOptions {
        seed,
        frames: Some(frames),
        bones: true,
        ..MatchOptions::default()
    })
    .collect()
}

/// The two answers that are a frame, as the game gives them.
pub fn answers(frame: &Frame) -> (Vec<u8>, Vec<u8>) {
    let mut line = Vec::new();
    echoreplay::write_frame(frame, &mut line).unwrap();
    let line = echoreplay::read(&line).next().unwrap().unwrap();
    (
        line.session.to_vec(),
        line.bones.unwrap_or_default().to_vec(),
    )
}

#[derive(Debug, Default)]
struct Play {
    frames: VecDeque<Frame>,
    session: VecDeque<Reply>,
    bones: VecDeque<Reply>,
    last_bones: Vec<u8>,
    served: usize,
}

/// The game, until it is dropped.
#[derive(Debug)]
pub struct Game {
    at: SocketAddr,
    play: Arc<Mutex<Play>>,
    /// Set when the script has come to its end and the recorder asks for more.
    pub over: Arc<AtomicBool>,
    closed: Arc<AtomicBool>,
    server: Option<JoinHandle<()>>,
}

impl Game {
    /// The game plays these frames by this script; after its end there is no match.
    pub fn start(frames: Vec<Frame>, script: Vec<Reply>) -> Self {
        Self::start_at("127.0.0.1:0".parse().unwrap(), frames, script)
    }

    /// At this address.
    pub fn start_at(at: SocketAddr, frames: Vec<Frame>, script: Vec<Reply>) -> Self {
        let listener = bind(at);
        let at = listener.local_addr().unwrap();
        let play = Arc::new(Mutex::new(Play {
            frames: frames.into(),
            session: script.into(),
            ..Play::default()
        }));
        let over = Arc::new(AtomicBool::new(false));
        let closed = Arc::new(AtomicBool::new(false));
        let server = Server {
            at,
            play: Arc::clone(&play),
            over: Arc::clone(&over),
            closed: Arc::clone(&closed),
        };
        Self {
            at,
            play,
            over,
            closed,
            server: Some(thread::spawn(move || server.run(listener))),
        }
    }

    /// The answers of `/player_bones` to the first requests, in place of the bones.
    pub fn with_bones(self, script: Vec<Reply>) -> Self {
        self.play.lock().unwrap().bones = script.into();
        self
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// Frames that were answered.
    pub fn served(&self) -> usize {
        self.play.lock().unwrap().served
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        if let Some(server) = self.server.take() {
            server.join().unwrap();
        }
    }
}

struct Server {
    at: SocketAddr,
    play: Arc<Mutex<Play>>,
    over: Arc<AtomicBool>,
    closed: Arc<AtomicBool>,
}

impl Server {
    fn run(&self, mut listener: TcpListener) {
        while !self.closed.load(Ordering::Relaxed) {
            let Ok((stream, _)) = listener.accept() else {
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            // The recorder has one connection at a time, and may go away at any.
            if let Ok(Some(pause)) = self.serve(stream) {
                drop(listener);
                thread::sleep(pause);
                listener = bind(self.at);
            }
        }
    }

    /// Answers the requests of a connection. Returns for how long the game is to be closed.
    fn serve(&self, mut stream: TcpStream) -> io::Result<Option<Duration>> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_millis(20)))?;
        stream.set_nodelay(true)?;
        let mut request = Vec::new();
        loop {
            let mut piece = [0; 4096];
            match stream.read(&mut piece) {
                Ok(0) => return Ok(None),
                Ok(read) => request.extend_from_slice(&piece[..read]),
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    if self.closed.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error),
            }
            if !request.ends_with(b"\r\n\r\n") {
                continue;
            }
            let head = String::from_utf8(std::mem::take(&mut request)).unwrap();
            let (reply, body) = self.reply(head.split(' ').nth(1).unwrap());
            match reply {
                Reply::Frame | Reply::Text(_) => send(&mut stream, 200, &body, body.len())?,
                Reply::Status(status) => send(&mut stream, status, &body, body.len())?,
                Reply::Late(late) | Reply::Slow(late) => {
                    thread::sleep(late);
                    send(&mut stream, 200, &body, body.len())?;
                }
                Reply::Half => {
                    send(&mut stream, 200, &body[..body.len() / 2], body.len())?;
                    return Ok(None);
                }
                Reply::Gone => return Ok(None),
                Reply::Restart(pause) => return Ok(Some(pause)),
            }
        }
    }

    fn reply(&self, page: &str) -> (Reply, Vec<u8>) {
        let mut play = self.play.lock().unwrap();
        let is_session = match page {
            "/session" => true,
            "/player_bones" => false,
            other => panic!("the recorder asks for {other}"),
        };
        let reply = if is_session {
            play.session.pop_front().unwrap_or_else(|| {
                self.over.store(true, Ordering::Relaxed);
                Reply::Status(404)
            })
        } else {
            play.bones.pop_front().unwrap_or(Reply::Frame)
        };
        let body = match &reply {
            Reply::Text(text) => text.as_bytes().to_vec(),
            Reply::Status(_) => b"<html><body>no</body></html>".to_vec(),
            Reply::Gone | Reply::Restart(_) => Vec::new(),
            Reply::Frame | Reply::Slow(_) if is_session => {
                play.served += 1;
                let frame = play.frames.pop_front().expect("the script has more frames");
                let (session, bones) = answers(&frame);
                play.last_bones = bones;
                session
            }
            Reply::Half | Reply::Late(_) if is_session => answers(&play.frames[0]).0,
            Reply::Frame | Reply::Slow(_) | Reply::Half | Reply::Late(_) => play.last_bones.clone(),
        };
        (reply, body)
    }
}

/// A port that was open a moment ago may take a moment.
fn bind(at: SocketAddr) -> TcpListener {
    let listener = (0..500)
        .find_map(|_| {
            let bound = TcpListener::bind(at);
            if bound.is_err() {
                thread::sleep(Duration::from_millis(10));
            }
            bound.ok()
        })
        .unwrap();
    listener.set_nonblocking(true).unwrap();
    listener
}

fn send(stream: &mut TcpStream, status: u16, body: &[u8], length: usize) -> io::Result<()> {
    let mut answer = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    answer.extend_from_slice(body);
    stream.write_all(&answer)
}
