//! One who asks, over plain HTTP.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value as Json;
use socket2::{Domain, Socket, Type};

/// Connects from one of many addresses, as many people would: each address may ask only so often.
pub fn connect(to: &str, from: usize) -> TcpStream {
    let to: SocketAddr = to.parse().expect("an address");
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    let own = Ipv4Addr::new(127, 0, 1, 1 + (from % 200) as u8);
    socket
        .bind(&SocketAddr::from((own, 0)).into())
        .expect("loopback");
    socket.connect(&to.into()).expect("connects");
    socket.into()
}

/// An answer, on a connection that stays.
pub fn get(stream: &mut TcpStream, to: &str, path: &str, body: &mut Vec<u8>) -> u16 {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {to}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("asks");
    body.clear();
    let mut buffer = vec![0; 256 << 10];
    let head = loop {
        let count = stream.read(&mut buffer).expect("answers");
        assert!(count > 0, "hung up");
        body.extend_from_slice(&buffer[..count]);
        if let Some(end) = body.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&body[..head]).to_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.expect("a length").parse().expect("a length");
    body.drain(..head);
    while body.len() < length {
        let count = stream.read(&mut buffer).expect("answers");
        assert!(count > 0, "hung up");
        body.extend_from_slice(&buffer[..count]);
    }
    text.split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status")
}

/// What is said of the recording, once it is there.
pub fn recording(to: &str, id: &str) -> Json {
    let mut stream = connect(to, 0);
    let mut body = Vec::new();
    loop {
        if get(
            &mut stream,
            to,
            &format!("/r/{id}/recording.json"),
            &mut body,
        ) == 200
        {
            return serde_json::from_slice(&body).expect("JSON");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
