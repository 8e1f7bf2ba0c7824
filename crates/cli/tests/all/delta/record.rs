//! `gametape record stream`: packets over UDP become a capture.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use gametape::delta::{Codec, Component, Feedback, Field, Schema, Sender, Snapshot};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::support::{
    SHIPS, fine, folder, gametape, held, names, packets, packets_of, refused, said, words,
};
#[cfg(target_os = "linux")]
use super::support::{full_at, within};

const LISTEN: &str = "record stream --udp 127.0.0.1:0 --schema run.schema.json";

/// A command that listens.
struct Recorder {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    at: SocketAddr,
}

impl Recorder {
    /// Starts `record stream` on a port of the system's choice, and waits until it listens.
    fn start(folder: &Path, args: &str) -> Self {
        let mut command = Command::new(cargo_bin("gametape"));
        command
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .args(words(LISTEN))
            .args(words(args));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let at = line
            .strip_prefix("listening at ")
            .and_then(|line| line.strip_suffix("; Ctrl-C ends the recording\n"))
            .unwrap_or_else(|| panic!("{line}"));
        let at = at.parse().unwrap();
        Self { child, stderr, at }
    }

    /// Waits for its end; its exit code, standard output and the rest of standard error.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.stderr.read_to_string(&mut err).unwrap();
        self.child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        let status = self.child.wait().unwrap();
        (status.code(), out, err)
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(status.success());
    }
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    socket
}

/// Waits for an answer to a packet, so that nothing runs over.
fn answered(socket: &UdpSocket) -> Feedback {
    let mut bytes = [0; 64];
    let (length, _) = socket.recv_from(&mut bytes).unwrap();
    Feedback::from_bytes(&bytes[..length]).unwrap()
}

/// Sends packets one by one, each when the one before was answered.
fn send(socket: &UdpSocket, to: SocketAddr, packets: &[Vec<u8>]) {
    for packet in packets {
        socket.send_to(packet, to).unwrap();
        assert!(matches!(answered(socket), Feedback::Ack { .. }));
    }
}

#[test]
fn a_stream_with_loss_is_recorded_and_idle_ends_it() {
    let folder = folder();
    let path = folder.path();
    let server = socket();
    let join = server.local_addr().unwrap();
    let recorder = Recorder::start(
        path,
        &format!("--join {join} --idle 3 --keyframe-every 30 --tick-rate 60 out.mcap"),
    );
    // It says hello: what it needs is a full snapshot.
    let mut bytes = [0; 64];
    let (length, from) = server.recv_from(&mut bytes).unwrap();
    assert_eq!(from, recorder.at);
    assert_eq!(
        Feedback::from_bytes(&bytes[..length]),
        Some(Feedback::NeedFull { baseline: 0 })
    );
    let schema = Arena::schema();
    let mut sender = Sender::new(&schema);
    let mut arena = Arena::new(SHIPS, 3);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let mut sent = 0;
    for tick in 1..=150_u32 {
        arena.step();
        arena.state(&mut state).unwrap();
        sender.encode(&state, &mut packet).unwrap();
        // Every fourth packet is lost, every fifth answer, and some come twice.
        if tick % 4 == 2 {
            continue;
        }
        sent += 1;
        server.send_to(&packet, from).unwrap();
        let mut answer = answered(&server);
        // A hello that was under way.
        while !matches!(answer, Feedback::Ack { .. }) {
            answer = answered(&server);
        }
        if tick % 5 != 0 {
            sender.feedback(&answer);
        }
        if tick % 30 == 1 {
            server.send_to(&packet, from).unwrap();
            answered(&server);
        }
    }
    let (code, out, err) = recorder.end();
    assert_eq!(err, "");
    assert_eq!(code, Some(0));
    snapbox::assert_data_eq!(
        out,
        str![[r#"
out.mcap: recorded 112 packets (10364 bytes), ticks 1 to 149; 5 packets came late or twice

"#]]
    );
    let bytes = fs::read(path.join("out.mcap")).unwrap();
    let capture = gametape::capture::read(&bytes).unwrap();
    assert_eq!(capture.ticks(), Some((1, 149)));
    let said = fine(path, "verify out.mcap");
    assert!(
        said.starts_with(&format!("pass  out.mcap  {sent} packets, all applied, ")),
        "{said}"
    );
    let info: Value = serde_json::from_str(&fine(path, "inspect --json out.mcap")).unwrap();
    assert_eq!(info["details"]["tick_ns"], 16_666_667);
    assert!(
        info["details"]["added_keyframes"].as_u64().unwrap() >= 3,
        "{info}"
    );
    // What was recorded is what there was.
    let mut arena = Arena::new(SHIPS, 3);
    for _ in 0..149 {
        arena.step();
    }
    arena.state(&mut state).unwrap();
    assert!(capture.state_at(149).unwrap().same_entities(&state));
}

#[test]
fn a_number_of_packets_ends_it() {
    let folder = folder();
    let path = folder.path();
    let recorder = Recorder::start(path, "--packets 7 --json out.mcap");
    send(&socket(), recorder.at, &packets()[..7]);
    let (code, out, _) = recorder.end();
    assert_eq!(code, Some(0));
    let size: usize = packets()[..7].iter().map(Vec::len).sum();
    assert_eq!(
        out,
        format!(
            "{{\"path\":\"out.mcap\",\"format\":\"capture\",\"packets\":7,\"bytes\":{size},\"keyframes_added\":0,\"first_tick\":1,\"last_tick\":7,\"stale\":0,\"unusable\":0,\"other_schema\":0,\"first_other_schema\":null,\"broken\":0,\"first_broken\":null,\"foreign\":0}}\n"
        )
    );
    // The packets are those that were sent.
    fine(path, "verify out.mcap");
    assert_eq!(fine(path, "dump out.mcap").lines().count(), 7);
    let all = fine(path, "dump run.delta");
    assert!(all.starts_with(&fine(path, "dump out.mcap")));
}

/// Waits for a hello: a server that was started again knows nobody.
fn greeted(server: &UdpSocket) -> SocketAddr {
    let mut bytes = [0; 64];
    loop {
        let (length, from) = server.recv_from(&mut bytes).unwrap();
        if Feedback::from_bytes(&bytes[..length]) == Some(Feedback::NeedFull { baseline: 0 }) {
            return from;
        }
    }
}

#[test]
fn a_server_that_is_started_again_is_said_at_once_and_has_a_file_of_its_own() {
    let folder = folder();
    let path = folder.path();
    let server = socket();
    let at = server.local_addr().unwrap();
    let mut recorder = Recorder::start(path, &format!("--join {at} --idle 4 --json out.mcap"));
    assert_eq!(greeted(&server), recorder.at);
    send(&server, recorder.at, &packets()[..30]);
    drop(server);
    // Another process at the same address: it sends to those that say hello.
    let server = UdpSocket::bind(at).unwrap();
    server
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    assert_eq!(greeted(&server), recorder.at);
    let schema = Arena::schema();
    let mut sender = Sender::new(&schema);
    let mut arena = Arena::new(SHIPS, 99);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let mut said = String::new();
    for tick in 1..=40 {
        arena.step();
        arena.state(&mut state).unwrap();
        sender.encode(&state, &mut packet).unwrap();
        server.send_to(&packet, recorder.at).unwrap();
        let mut answer = answered(&server);
        while !matches!(answer, Feedback::Ack { .. }) {
            answer = answered(&server);
        }
        // What was under way when it was started again, and a late packet, are no news.
        if tick == 3 {
            recorder.stderr.read_line(&mut said).unwrap();
            server.send_to(&packets()[1], recorder.at).unwrap();
            server.send_to(&packets()[20], recorder.at).unwrap();
            assert!(matches!(answered(&server), Feedback::Ack { .. }));
        }
        if tick >= 4 {
            sender.feedback(&answer);
        }
        sleep(Duration::from_millis(30));
    }
    assert_eq!(
        said,
        "the sender has begun anew, from tick 1: what comes now goes into out.2.mcap\n"
    );
    let (code, out, err) = recorder.end();
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let files: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [first, second] = files.as_slice() else {
        panic!("{out}");
    };
    assert_eq!(
        (&first["path"], &first["next"]),
        (&"out.mcap".into(), &"out.2.mcap".into())
    );
    assert_eq!(
        (&first["packets"], &first["stale"]),
        (&30.into(), &0.into())
    );
    assert_eq!(
        (&second["path"], second.get("next")),
        (&"out.2.mcap".into(), None)
    );
    assert_eq!(
        (&second["packets"], &second["first_tick"], &second["stale"]),
        (&40.into(), &1.into(), &2.into())
    );
    for (file, packets) in [("out.mcap", 30), ("out.2.mcap", 40)] {
        let said = fine(path, &format!("verify {file}"));
        assert!(
            said.starts_with(&format!("pass  {file}  {packets} packets, all applied, ")),
            "{said}"
        );
    }
}

#[test]
fn packets_that_are_of_no_use_are_counted() {
    let folder = folder();
    let path = folder.path();
    let recorder = Recorder::start(path, "--packets 5 out.mcap");
    let (server, stranger) = (socket(), socket());
    let all = packets();
    // Not answered: what is no packet of the schema. Loopback keeps the order.
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    let foreign = packets_of(&other, &[Snapshot::new(&other, 1)]);
    server.send_to(&foreign[0], recorder.at).unwrap();
    server.send_to(b"hello", recorder.at).unwrap();
    // Nothing it builds on.
    server.send_to(&all[20], recorder.at).unwrap();
    assert_eq!(answered(&server), Feedback::NeedFull { baseline: 20 });
    send(&server, recorder.at, &all[..3]);
    // Twice, late, and from somebody else.
    send(&server, recorder.at, &all[2..3]);
    send(&server, recorder.at, &all[1..2]);
    stranger.send_to(&all[3], recorder.at).unwrap();
    server.send_to(&all[10], recorder.at).unwrap();
    assert_eq!(answered(&server), Feedback::NeedFull { baseline: 10 });
    send(&server, recorder.at, &all[3..5]);
    let (code, out, err) = recorder.end();
    assert_eq!(code, Some(3), "{err}");
    snapbox::assert_data_eq!(
        out,
        str![[r#"
out.mcap: recorded 5 packets (515 bytes), ticks 1 to 5; 2 packets built on states that never came; 1 packet of schema 32f5a224657bee15 came; 1 packet could not be read (the first: byte 5: the packet has 5 bytes, a header has 28); 2 packets came late or twice; 1 packet came from others

"#]]
    );
    assert_eq!(
        fine(path, "verify out.mcap"),
        "pass  out.mcap  5 packets, all applied, 4 entities at tick 5\n"
    );
}

#[test]
fn without_feedback_nothing_is_sent_back() {
    let folder = folder();
    let path = folder.path();
    let recorder = Recorder::start(path, "--no-feedback --packets 40 out.mcap");
    let server = socket();
    for packet in packets() {
        server.send_to(&packet, recorder.at).unwrap();
    }
    let (code, ..) = recorder.end();
    assert_eq!(code, Some(0));
    server.set_nonblocking(true).unwrap();
    assert!(server.recv_from(&mut [0; 64]).is_err());
    let diff = fine(path, "diff out.mcap run.delta");
    assert_eq!(diff, "the recordings are the same\n");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_with_an_index() {
    let folder = folder();
    let path = folder.path();
    let recorder = Recorder::start(path, "out.mcap");
    send(&socket(), recorder.at, &packets()[..10]);
    recorder.signal("-INT");
    let (code, out, err) = recorder.end();
    assert_eq!((code, err.as_str()), (Some(0), ""));
    snapbox::assert_data_eq!(
        out,
        str![[r#"
out.mcap: recorded 10 packets (1028 bytes), ticks 1 to 10

"#]]
    );
    // The index is there: no warning.
    assert_eq!(
        fine(path, "verify out.mcap"),
        "pass  out.mcap  10 packets, all applied, 4 entities at tick 10\n"
    );
    let (out, _) = said(path, "inspect --json .", 0);
    let line = out.lines().find(|line| line.contains("out.mcap")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["frames"], 10);
}

#[cfg(unix)]
#[test]
fn killed_it_leaves_what_it_flushed() {
    let folder = folder();
    let path = folder.path();
    let recorder = Recorder::start(path, "out.mcap");
    let server = socket();
    let all = packets();
    send(&server, recorder.at, &all[..20]);
    // A second later they are safe.
    let flushed = || {
        let run = gametape(path, &["dump", "out.mcap"]).assert();
        String::from_utf8_lossy(&run.get_output().stdout)
            .lines()
            .count()
            == 20
    };
    let in_time = (0..600).any(|_| {
        sleep(Duration::from_millis(100));
        flushed()
    });
    assert!(in_time, "nothing is flushed");
    send(&server, recorder.at, &all[20..25]);
    recorder.signal("-KILL");
    let (code, ..) = recorder.end();
    assert_eq!(code, None);
    let (out, err) = said(path, "dump out.mcap", 0);
    assert_eq!(err, "");
    let there = out.lines().count();
    assert!((20..=25).contains(&there), "{there}");
    let said = fine(path, "verify out.mcap");
    assert!(said.starts_with("warn  out.mcap  "), "{said}");
    assert!(said.contains("warning capture.no-summary: "), "{said}");
    let state = held(&fine(path, "dump --state --at tick:20 out.mcap"));
    let whole = fine(path, "dump --state --at tick:20 run.mcap");
    assert_eq!(state, held(&whole));
    super::support::said(path, "repair out.mcap whole.mcap", 0);
    assert!(fine(path, "verify whole.mcap").starts_with("pass "));
}

#[test]
fn nothing_came() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    let recorder = Recorder::start(path, "--seconds 0.2 out.mcap");
    let (code, out, err) = recorder.end();
    assert_eq!(code, Some(2));
    assert_eq!(out, "");
    assert_eq!(
        err,
        "gametape: 127.0.0.1:0: no packet of this schema came\n"
    );
    assert_eq!(names(path), before);
    // Only packets of another schema.
    let recorder = Recorder::start(path, "--seconds 1 --json out.mcap");
    let other = Schema::new([Component::new(1, [Field::new(1, Codec::Bool)])]).unwrap();
    for packet in packets_of(
        &other,
        &[Snapshot::new(&other, 1), Snapshot::new(&other, 2)],
    ) {
        socket().send_to(&packet, recorder.at).unwrap();
    }
    let (code, out, err) = recorder.end();
    assert_eq!((code, out.as_str()), (Some(2), ""));
    snapbox::assert_data_eq!(
        err,
        str![[r#"
a packet of schema 32f5a224657bee15 came, recorded is 8bd8c1dbe8794429
gametape: 127.0.0.1:0: no packet of this schema came; 2 packets of schema 32f5a224657bee15 came

"#]]
    );
    assert_eq!(names(path), before);
}

#[test]
fn what_it_does_not_begin() {
    let folder = folder();
    let path = folder.path();
    let taken = socket();
    #[cfg(target_os = "linux")]
    let busy = taken.local_addr().unwrap();
    fs::create_dir(path.join("folder.mcap")).unwrap();
    let free = "127.0.0.1:0";
    for (udp, schema, out, complaint) in [
        (free, "run.mcap", "run.mcap", "run.mcap: is there already"),
        (free, "run.mcap", "folder.mcap", "folder.mcap: is a folder"),
        (
            free,
            "run.mcap",
            "none/out.mcap",
            "none/out.mcap: no such folder: none",
        ),
        (
            free,
            "run.mcap",
            "out.delta",
            "out.delta: a stream is recorded into an .mcap file",
        ),
        (
            free,
            "run.mcap",
            "-",
            "-: a stream is recorded into an .mcap file",
        ),
        (free, "none.json", "out.mcap", "none.json: no such file"),
    ] {
        refused(
            path,
            &format!("record stream --seconds 0.1 --udp {udp} --schema {schema} {out}"),
            complaint,
        );
    }
    #[cfg(target_os = "linux")]
    refused(
        path,
        &format!("record stream --seconds 0.1 --udp {busy} --schema run.mcap out.mcap"),
        &format!("{busy}: can't listen here: Address already in use (os error 98)"),
    );
    for (join, complaint) in [
        (
            "[::1]:9",
            "[::1]:9: can't be joined from 127.0.0.1:0: one address is IPv4, the other IPv6",
        ),
        ("127.0.0.1:0", "127.0.0.1:0: a server has a port above 0"),
    ] {
        refused(
            path,
            &format!(
                "record stream --seconds 0.1 --udp {free} --join {join} --schema run.mcap out.mcap"
            ),
            complaint,
        );
    }
    // Where sending fails later, no empty capture stays in the way.
    let line = format!(
        "record stream --seconds 0.5 --udp {free} --join 255.255.255.255:9 --schema run.mcap out.mcap"
    );
    let (out, _) = said(path, &line, 2);
    assert_eq!(out, "");
    assert!(!path.join("out.mcap").exists());
    assert!(fine(path, "verify run.mcap").starts_with("pass "));
    for args in [
        "--udp nowhere",
        "--udp 127.0.0.1",
        "--udp 127.0.0.1:0 --packets 0",
        "--udp 127.0.0.1:0 --seconds 0",
        "--udp 127.0.0.1:0 --idle x",
        "--udp 127.0.0.1:0 --seconds 1e300",
        "--udp 127.0.0.1:0 --tick-rate 0",
        "--udp 127.0.0.1:0 --join x",
        "",
    ] {
        let line = format!("record stream --schema run.mcap out.mcap {args}");
        let run = gametape(path, &words(line.trim_end()))
            .assert()
            .code(2)
            .stdout_eq("");
        let err = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(err.starts_with("error: "), "{err}");
    }
    assert!(!path.join("out.mcap").exists());
}

/// A disk that fills up: what fits can be read.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up() {
    let folder = folder();
    let path = folder.path();
    let line = format!("{LISTEN} out.mcap");
    let mut recorder = Recorder::of(within(&full_at(40), path, &line));
    let server = socket();
    server
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let schema = Arena::schema();
    let mut sender = Sender::new(&schema);
    let mut arena = Arena::new(SHIPS, 3);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    // Until it has ended; slowly, so that a part is flushed before the disk is full.
    for _ in 0..2000 {
        arena.step();
        arena.state(&mut state).unwrap();
        sender.encode(&state, &mut packet).unwrap();
        let _ = server.send_to(&packet, recorder.at);
        let mut bytes = [0; 64];
        if let Ok((length, _)) = server.recv_from(&mut bytes)
            && let Some(feedback) = Feedback::from_bytes(&bytes[..length])
        {
            sender.feedback(&feedback);
        }
        sleep(Duration::from_millis(5));
        if recorder.child.try_wait().unwrap().is_some() {
            break;
        }
    }
    let (code, _, err) = recorder.end();
    assert_eq!(code, Some(2), "{err}");
    assert!(
        err.starts_with("gametape: out.mcap: ") && err.contains("File too large"),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1, "{err}");
    // What was flushed before is there.
    let (_, err) = said(path, "repair out.mcap whole.mcap", 3);
    let kept = err.lines().last().unwrap();
    assert!(
        kept.starts_with("kept ") && !kept.starts_with("kept 0 "),
        "{err}"
    );
    assert!(fine(path, "verify whole.mcap").starts_with("pass "));
}
