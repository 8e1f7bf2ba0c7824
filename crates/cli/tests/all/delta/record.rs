//! `gametape record stream`: packets over UDP become a capture.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use gametape::delta::{Codec, Component, Feedback, Field, Schema, Sender, Snapshot, World};
use gametape_samples::delta::Arena;
use serde_json::Value;
use snapbox::cmd::cargo_bin;
use snapbox::str;

use super::support::{
    Running, SHIPS, fine, folder, gametape, outputs, packets, packets_of, state_rows, words,
};

pub(super) const LISTEN: &str = "record stream --udp 127.0.0.1:0 --schema run.schema.json";

/// A command that listens, and where.
pub(super) struct Recorder {
    pub(super) running: Running,
    pub(super) at: SocketAddr,
}

/// The remark of a recorder that is not told the rate of the ticks.
pub(super) const UNTIMED: &str = "without --tick-rate HZ the capture has ticks and no times; convert --tick-rate HZ adds them later\n";

impl Recorder {
    /// Starts `record stream` on a port of the system's choice, and waits until it listens.
    pub(super) fn start(folder: &Path, args: &str) -> Self {
        let mut command = Command::new(cargo_bin("gametape"));
        command
            .current_dir(folder)
            .env("NO_COLOR", "1")
            .args(words(LISTEN))
            .args(words(args));
        Self::of(command)
    }

    pub(super) fn of(mut command: Command) -> Self {
        let mut running = Running::of(&mut command);
        let line = running.says();
        let at = line
            .strip_prefix("listening at ")
            .and_then(|line| line.strip_suffix("; Ctrl-C ends the recording\n"))
            .unwrap_or_else(|| panic!("{line}"));
        let at = at.parse().unwrap();
        Self { running, at }
    }

    /// Waits for its end; its exit code, standard output and what else it says.
    pub(super) fn end(self) -> (Option<i32>, String, String) {
        let (code, out, err) = self.running.end();
        let said = err.strip_prefix(UNTIMED).unwrap_or(&err);
        (code, out, said.to_owned())
    }
}

pub(super) fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    socket
}

/// Waits for an answer to a packet, so that nothing runs over.
pub(super) fn answered(socket: &UdpSocket) -> Feedback {
    let mut bytes = [0; 64];
    let (length, _) = socket.recv_from(&mut bytes).unwrap();
    Feedback::from_bytes(&bytes[..length]).unwrap()
}

/// Waits for the acknowledgement of a packet. A recorder that joins may have said hello once more before.
fn acknowledged(socket: &UdpSocket) -> Feedback {
    loop {
        match answered(socket) {
            Feedback::NeedFull { baseline: 0 } => {}
            answer => {
                assert!(matches!(answer, Feedback::Ack { .. }), "{answer:?}");
                return answer;
            }
        }
    }
}

/// Sends packets one by one, each when the one before was answered.
pub(super) fn send(socket: &UdpSocket, to: SocketAddr, packets: &[Vec<u8>]) {
    for packet in packets {
        socket.send_to(packet, to).unwrap();
        acknowledged(socket);
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
    let mut world = World::new(&schema);
    let mut arena = Arena::new(SHIPS, 3);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let mut sent = 0;
    for tick in 1..=150_u32 {
        arena.step();
        arena.state(&mut state).unwrap();
        world.update(&state).unwrap();
        sender.encode(&mut world, &mut packet).unwrap();
        // Every fourth packet is lost, every fifth answer, and some come twice.
        if tick % 4 == 2 {
            continue;
        }
        sent += 1;
        server.send_to(&packet, from).unwrap();
        let answer = acknowledged(&server);
        if tick % 5 != 0 {
            sender.feedback(&answer);
        }
        if tick % 30 == 1 {
            server.send_to(&packet, from).unwrap();
            acknowledged(&server);
        }
    }
    let (code, out, err) = recorder.end();
    assert_eq!(err, "");
    assert_eq!(code, Some(0));
    snapbox::assert_data_eq!(
        out,
        str![[r#"
out.mcap: recorded 112 packets (10,398 bytes), ticks 1 to 149; 37 ticks are missing; 5 packets came late or twice

"#]]
    );
    let bytes = fs::read(path.join("out.mcap")).unwrap();
    let capture = gametape::capture::read(&bytes).unwrap();
    assert_eq!(capture.ticks(), Some((1, 149)));
    let printed = fine(path, "verify out.mcap");
    assert!(
        printed.starts_with(&format!("pass  out.mcap  {sent} packets, all applied, ")),
        "{printed}"
    );
    let info: Value = serde_json::from_str(&fine(path, "inspect --json out.mcap")).unwrap();
    assert_eq!(info["details"]["tick_ns"], 16_666_667);
    assert_eq!(info["details"]["missing_ticks"], 37);
    assert!(
        info["details"]["added_keyframes"].as_u64().unwrap() >= 3,
        "{info}"
    );
    // The recording equals the states that were sent.
    let mut arena = Arena::new(SHIPS, 3);
    for _ in 0..149 {
        arena.step();
    }
    arena.state(&mut state).unwrap();
    assert!(capture.state_at(149).unwrap().same_entities(&state));
}

#[test]
fn a_number_of_packets_ends_it() {
    for (option, view) in [("", Value::Bool(true)), ("--wire ", Value::Null)] {
        let folder = folder();
        let path = folder.path();
        let recorder = Recorder::start(path, &format!("{option}--packets 7 --json out.mcap"));
        send(&socket(), recorder.at, &packets()[..7]);
        let (code, out, _) = recorder.end();
        assert_eq!(code, Some(0));
        let size: usize = packets()[..7].iter().map(Vec::len).sum();
        assert_eq!(
            out,
            format!(
                "{{\"path\":\"out.mcap\",\"format\":\"capture\",\"packets\":7,\"bytes\":{size},\"added_keyframes\":0,\"first_tick\":1,\"last_tick\":7,\"missing_ticks\":0,\"stale\":0,\"unusable\":0,\"other_schema\":0,\"first_other_schema\":null,\"broken\":0,\"first_broken\":null,\"foreign\":0}}\n"
            )
        );
        // The capture says what it holds, and a copy of it, too.
        fine(path, "verify out.mcap");
        fine(path, "convert --tick-rate 60 out.mcap copy.mcap");
        for file in ["out.mcap", "copy.mcap"] {
            let info = fine(path, &format!("inspect --json {file}"));
            let info: Value = serde_json::from_str(&info).unwrap();
            assert_eq!(info["details"]["view"], view, "{option}{file}");
        }
        // The states are those that were sent.
        assert_eq!(fine(path, "dump out.mcap").lines().count(), 7);
        let all = fine(path, "dump run.delta");
        assert!(all.starts_with(&fine(path, "dump out.mcap")));
    }
}

/// Waits for a hello: a server that was started again knows nobody.
pub(super) fn greeted(server: &UdpSocket) -> SocketAddr {
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
    let mut recorder = Recorder::start(path, &format!("--join {at} --packets 70 --json out.mcap"));
    assert_eq!(greeted(&server), recorder.at);
    send(&server, recorder.at, &packets()[..30]);
    // Another process at the same address: it sends to those that say hello. The socket stays, since another
    // test may get the port of one that is closed.
    assert_eq!(greeted(&server), recorder.at);
    let schema = Arena::schema();
    let mut sender = Sender::new(&schema);
    let mut world = World::new(&schema);
    let mut arena = Arena::new(SHIPS, 99);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    let mut printed = String::new();
    for tick in 1..=40 {
        arena.step();
        arena.state(&mut state).unwrap();
        world.update(&state).unwrap();
        sender.encode(&mut world, &mut packet).unwrap();
        server.send_to(&packet, recorder.at).unwrap();
        let answer = acknowledged(&server);
        // Packets from before the restart, and a late packet, are not reported.
        if tick == 3 {
            assert_eq!(recorder.running.says(), UNTIMED);
            printed = recorder.running.says();
            server.send_to(&packets()[1], recorder.at).unwrap();
            server.send_to(&packets()[20], recorder.at).unwrap();
            acknowledged(&server);
        }
        if tick >= 4 {
            sender.feedback(&answer);
        }
        sleep(Duration::from_millis(30));
    }
    assert_eq!(
        printed,
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
        let printed = fine(path, &format!("verify {file}"));
        assert!(
            printed.starts_with(&format!("pass  {file}  {packets} packets, all applied, ")),
            "{printed}"
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
    recorder.running.signal("-INT");
    let (code, out, err) = recorder.end();
    assert_eq!((code, err.as_str()), (Some(0), ""));
    snapbox::assert_data_eq!(
        out,
        str![[r#"
out.mcap: recorded 10 packets (1,028 bytes), ticks 1 to 10

"#]]
    );
    // The index is there: no warning.
    assert_eq!(
        fine(path, "verify out.mcap"),
        "pass  out.mcap  10 packets, all applied, 4 entities at tick 10\n"
    );
    let (out, _) = outputs(path, "inspect --json .", 0);
    let line = out.lines().find(|line| line.contains("out.mcap")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["steps"], 10);
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
    recorder.running.signal("-KILL");
    let (code, ..) = recorder.end();
    assert_eq!(code, None);
    let (out, err) = outputs(path, "dump out.mcap", 0);
    assert_eq!(err, "");
    let there = out.lines().count();
    assert!((20..=25).contains(&there), "{there}");
    let printed = fine(path, "verify out.mcap");
    assert!(printed.starts_with("warn  out.mcap  "), "{printed}");
    assert!(
        printed.contains("warning capture.no-summary: "),
        "{printed}"
    );
    let state = state_rows(&fine(path, "dump --state --at tick:20 out.mcap"));
    let whole = fine(path, "dump --state --at tick:20 run.mcap");
    assert_eq!(state, state_rows(&whole));
    outputs(path, "repair out.mcap whole.mcap", 0);
    assert!(fine(path, "verify whole.mcap").starts_with("pass "));
}
