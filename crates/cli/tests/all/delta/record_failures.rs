//! `gametape record stream` that has nothing to record, or cannot begin or write.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use gametape::delta::{Codec, Component, Feedback, Field, Schema, Sender, Snapshot, World};
use gametape_samples::delta::Arena;
use snapbox::str;

use super::record::{LISTEN, Recorder, UNTIMED, socket};
use super::support::{SHIPS, fine, folder, gametape, names, outputs, packets_of, refused, words};
#[cfg(target_os = "linux")]
use super::support::{full_at, within};

#[test]
fn nothing_came() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    let recorder = Recorder::start(path, "--seconds 0.2 out.mcap");
    // The port that was listened at, not the 0 that asks for any.
    let at = recorder.at;
    assert_ne!(at.port(), 0);
    let (code, out, err) = recorder.end();
    assert_eq!(code, Some(2));
    assert_eq!(out, "");
    assert_eq!(
        err,
        format!("gametape: {at}: no packet of this schema came\n")
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
    assert_eq!(code, Some(2));
    assert!(out.contains("no packet of this schema came"), "{out}");
    snapbox::assert_data_eq!(
        err,
        str![[r#"
a packet of schema 32f5a224657bee15 came; the recorded schema is 8bd8c1dbe8794429
gametape: 127.0.0.1:[..]: no packet of this schema came; 2 packets of schema 32f5a224657bee15 came

"#]]
    );
    assert_eq!(names(path), before);
}

#[test]
fn recordings_that_do_not_begin() {
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
    // If sending fails later, no empty capture is left.
    let line = format!(
        "record stream --seconds 0.5 --udp {free} --join 255.255.255.255:9 --schema run.mcap out.mcap"
    );
    let (out, _) = outputs(path, &line, 2);
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
    let mut world = World::new(&schema);
    let mut arena = Arena::new(SHIPS, 3);
    let mut state = Snapshot::new(&schema, 0);
    let mut packet = Vec::new();
    // Until it has ended; slowly, so that a part is flushed before the disk is full.
    for _ in 0..2000 {
        arena.step();
        arena.state(&mut state).unwrap();
        world.update(&state).unwrap();
        sender.encode(&mut world, &mut packet).unwrap();
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
    // Everything that was flushed is there.
    let (_, err) = outputs(path, "repair out.mcap whole.mcap", 3);
    let kept = err.lines().last().unwrap();
    assert!(
        kept.starts_with("kept ") && !kept.starts_with("kept 0 "),
        "{err}"
    );
    assert!(fine(path, "verify whole.mcap").starts_with("pass "));
}

#[test]
fn without_a_rate_the_capture_has_no_times() {
    let folder = folder();
    let path = folder.path();
    for (rate, said) in [("", UNTIMED), (" --tick-rate 20", "")] {
        let (_, err) = outputs(path, &format!("{LISTEN} --seconds 0.1 out.mcap{rate}"), 2);
        let (listening, rest) = err.split_once("; Ctrl-C ends the recording\n").unwrap();
        let at = listening.strip_prefix("listening at ").unwrap();
        assert_eq!(
            rest,
            format!("{said}gametape: {at}: no packet of this schema came\n")
        );
    }
}

#[test]
fn a_port_without_an_address_is_refused_with_what_is_meant() {
    let folder = folder();
    let path = folder.path();
    for (args, said) in [
        (
            "record stream --udp 7777 --schema run.mcap out.mcap",
            "a port needs an address: 127.0.0.1:7777 for this machine, 0.0.0.0:7777 for others, too",
        ),
        (
            "serve . --listen 8420",
            "a port needs an address: 127.0.0.1:8420 for this machine, 0.0.0.0:8420 for others, too",
        ),
        (
            "record echo --serve=8420 out.butter",
            "a port needs an address: 127.0.0.1:8420 for this machine, 0.0.0.0:8420 for others, too",
        ),
        (
            "record stream --udp localhost --schema run.mcap out.mcap",
            "an address has a port: 127.0.0.1:7777, or [::1]:7777",
        ),
    ] {
        let (out, err) = outputs(path, args, 2);
        assert_eq!(out, "", "{args}");
        assert!(err.contains(said), "{args}: {err}");
    }
}
