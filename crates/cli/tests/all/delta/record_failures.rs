//! `gametape record stream` that has nothing to record, or can't write. Transcripts have the calls that are
//! refused at once.

use std::thread::sleep;
use std::time::Duration;

use gametape::delta::{Codec, Component, Feedback, Field, Schema, Sender, Snapshot, World};
use gametape_samples::delta::Arena;
use snapbox::str;

use super::record::{LISTEN, Recorder, socket};
use super::support::{SHIPS, fine, folder, names, outputs, packets_of, refused};
#[cfg(target_os = "linux")]
use super::support::{full_at, within};

#[test]
fn packets_of_another_schema_are_none() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
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
#[cfg(target_os = "linux")]
fn an_address_that_is_taken() {
    let folder = folder();
    let taken = socket();
    let busy = taken.local_addr().unwrap();
    refused(
        folder.path(),
        &format!("record stream --seconds 0.1 --udp {busy} --schema run.mcap out.mcap"),
        &format!("{busy}: can't listen here: Address already in use (os error 98)"),
    );
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
        if recorder.running.child.try_wait().unwrap().is_some() {
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
