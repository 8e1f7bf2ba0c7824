//! Writing what was read gives the same bytes; reading what was written gives the same recording.

use arbitrary::Unstructured;
use gametape_murk::{CommandBuf, Frame, MAGIC, ReadOptions, Replay, Writer, read, write_header};
use gametape_testkit::murk::Body;

use super::expected::slice;
use super::structured::{Deed, Recording, recording};
use super::writer::{Plan, TakesBack, check_output, check_resume};
use crate::odd_size;

/// Bytes that start like a recording are treated as one: its header and its complete frames are
/// written back byte for byte, however they are passed to the writer. The same is true for typed
/// commands without trailing bytes.
///
/// Other bytes are a script from which a recording is built with the public API, with commands of
/// every kind: reading it gives the same content, floats bit by bit.
///
/// Both are also written to outputs that accept a few bytes, fail, and continue. Such an output
/// always contains a prefix of the recording, without an incomplete frame if bytes can be taken
/// back; after it has recovered, nothing is missing. A file that was cut anywhere is resumed and
/// ends the same.
pub fn murk_roundtrip(data: &[u8]) {
    if data.starts_with(&MAGIC) {
        let Ok(replay) = read(data) else { return };
        file(&replay, data);
    } else {
        let mut script = Unstructured::new(data);
        if let Ok(recording) = recording(&mut script) {
            let bytes = recording.write();
            same(&recording, &bytes);
            let replay = read(&bytes).expect("what was written");
            file(&replay, script.take_rest());
        }
    }
}

fn same(recording: &Recording, bytes: &[u8]) {
    let read = slice(bytes, &ReadOptions::default()).expect("what was written");
    assert_eq!(read.header, recording.header);
    assert!(read.failure.is_none(), "{:?}", read.failure);
    assert_eq!(read.frames.len(), recording.frames.len());
    for (frame, tick) in read.frames.iter().zip(&recording.frames) {
        assert_eq!((frame.tick, frame.snapshot_hash), (tick.number, tick.hash));
        assert_eq!(frame.commands().len(), tick.commands.len());
        for (command, (envelope, deed)) in frame.commands().iter().zip(&tick.commands) {
            assert_eq!(&command.envelope, envelope);
            match deed {
                Deed::Stored(payload_type, payload) => {
                    assert_eq!(command.payload_type, *payload_type);
                    assert_eq!(command.payload, payload);
                }
                Deed::Typed(body) => {
                    let payload = command.payload().expect("it was typed");
                    assert_eq!(&Body::of(&payload), body);
                    assert_eq!(command.trailing().map(<[u8]>::len), Ok(0));
                }
            }
        }
    }
}

fn file(replay: &Replay<'_>, plan: &[u8]) {
    let frames: Vec<_> = replay.frames().map_while(Result::ok).collect();
    let end = replay.header_size() + frames.iter().map(Frame::size).sum::<u64>();
    let whole = &replay.as_bytes()[..end as usize];
    let header = write_header(replay.header()).expect("what was read");
    assert_eq!(header, whole[..replay.header_size() as usize]);

    let mut pushed = Vec::new();
    let mut writer = Writer::new(&mut pushed, replay.header()).expect("what was read");
    for frame in &frames {
        writer
            .push(frame.tick, frame.commands(), frame.snapshot_hash)
            .expect("memory");
    }
    drop(writer);
    assert_eq!(pushed, whole, "dropped without being finished");

    let mut writer = Writer::new(Vec::new(), replay.header()).expect("what was read");
    for frame in &frames {
        // One by one, typed if that keeps everything.
        let mut typed = CommandBuf::new();
        for command in *frame {
            let done = match (command.payload(), command.trailing()) {
                (Ok(payload), Ok([])) => typed.push(&command.envelope, &payload),
                _ => typed.push_stored(&command),
            };
            done.expect("what was read");
        }
        assert!(typed.as_commands() == frame.commands(), "{frame:?}");
        writer
            .push_each(frame.tick, *frame, frame.snapshot_hash)
            .expect("memory");
    }
    assert_eq!(writer.finish().expect("memory"), whole);

    // A single byte of the plan decides little, so that changing it changes little.
    for (at, takes_back) in [TakesBack::Always, TakesBack::Never, TakesBack::Sometimes]
        .into_iter()
        .enumerate()
    {
        let from = plan.len().saturating_sub(40 * odd_size(plan, at) / 16);
        let plan = Plan {
            steps: &plan[from..],
            takes_back,
            buffer: 8 * (odd_size(plan, at + 3) - 1) + at % 2,
        };
        check_output(replay.header(), &frames, whole, plan);
    }
    // Files are slow.
    if odd_size(plan, 6) % 4 == 1 {
        let cut = whole.len() * odd_size(plan, 7) / 60;
        check_resume(replay, &frames, whole, cut);
    }
}
