//! The limits, to the byte: both sides write and read the largest size, and refuse one more.

use gametape_murk::{
    Build, Command, CommandBuf, Envelope, Error, Header, Payload, WriteError, Writer, read,
};
use gametape_testkit::murk::{
    End, Tape, seen, seen_by_origin, seen_by_slice, seen_by_stream, stored,
};
use murk_replay::{ReplayError, ReplayWriter, SerializedCommand};

use super::{build, every_kind, init, specimens};

pub const MAX_STRING: usize = 1 << 20;
const MAX_BLOB: usize = 64 << 20;
const MAX_COMMANDS: usize = 1_000_000;

#[track_caller]
fn assert_too_large<T>(result: Result<T, WriteError>, size: usize, limit: usize) {
    match result {
        Err(WriteError::DataTooLarge {
            size: their_size,
            limit: their_limit,
            ..
        }) => assert_eq!((their_size, their_limit), (size as u64, limit as u64)),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("{size} were written"),
    }
}

/// The header alone, with one of its strings of this length.
pub fn with_string(which: usize, length: usize) -> Tape {
    let mut meta = build();
    let string = match which {
        0 => &mut meta.toolchain,
        1 => &mut meta.target_triple,
        2 => &mut meta.murk_version,
        _ => &mut meta.compile_flags,
    };
    *string = "x".repeat(length);
    Tape {
        meta,
        init: init(),
        frames: vec![],
    }
}

#[test]
fn strings_of_a_mebibyte() {
    for which in 0..4 {
        let tape = with_string(which, MAX_STRING);
        let bytes = Writer::new(Vec::new(), &tape.header())
            .unwrap()
            .finish()
            .unwrap();
        assert_eq!(bytes, tape.by_origin());
        assert_eq!(read(&bytes).unwrap().header(), &tape.header());
        assert_eq!(Tape::from_origin(&bytes).unwrap(), tape);

        let mut untouched = Vec::new();
        let tape = with_string(which, MAX_STRING + 1);
        let writer = Writer::new(&mut untouched, &tape.header());
        assert_too_large(writer, MAX_STRING + 1, MAX_STRING);
        assert!(untouched.is_empty());
    }
}

#[test]
fn descriptors_of_64_mebibytes() {
    let mut tape = with_string(0, 1);
    tape.init.space_descriptor = vec![7; MAX_BLOB];
    let bytes = Writer::new(Vec::new(), &tape.header())
        .unwrap()
        .finish()
        .unwrap();
    assert!(bytes == tape.by_origin());
    assert!(read(&bytes).unwrap().header() == &tape.header());
    assert!(Tape::from_origin(&bytes).unwrap() == tape);

    // A claim of one more, with the bytes for it.
    let mut more = bytes;
    let at = more.len() - MAX_BLOB - 4;
    more[at..at + 4].copy_from_slice(&(MAX_BLOB as u32 + 1).to_le_bytes());
    more.push(7);
    assert_eq!(seen_by_origin(&more).end, End::Malformed);
    assert_eq!(seen_by_slice(&more).end, End::Malformed);
    assert_eq!(seen_by_stream(&more).end, End::Malformed);
    let error = read(&more).unwrap_err();
    assert!(error.is_limit(), "{error}");
    assert_eq!(error.offset(), Some(at as u64));

    let mut untouched = Vec::new();
    tape.init.space_descriptor.push(7);
    assert_too_large(
        Writer::new(&mut untouched, &tape.header()),
        MAX_BLOB + 1,
        MAX_BLOB,
    );
    assert!(untouched.is_empty());
    assert!(matches!(
        ReplayWriter::new(Vec::new(), &tape.meta, &tape.init),
        Err(ReplayError::DataTooLarge { .. })
    ));
}

/// Both sides read one frame and refuse the next; ours reports a limit.
fn limited_in_frame_1(bytes: &[u8]) -> Error {
    let ours = seen_by_slice(bytes);
    assert_eq!((ours.frames.len(), ours.end), (1, End::Malformed));
    assert!(seen_by_origin(bytes) == ours && seen_by_stream(bytes) == ours);
    let mut frames = read(bytes).unwrap().frames();
    let error = frames.find_map(Result::err).unwrap();
    assert!(error.is_limit(), "{error}");
    error
}

#[test]
fn payloads_of_64_mebibytes() {
    let mut tape = specimens().swap_remove(1);
    let large = SerializedCommand {
        payload_type: 4,
        payload: vec![0; MAX_BLOB],
        ..every_kind().swap_remove(3)
    };
    tape.frames[1].commands = vec![large];
    let mut large = tape.frames[1].commands[0].clone();
    large.payload[4..8].copy_from_slice(&(MAX_BLOB as u32 - 8).to_le_bytes());
    tape.frames[1].commands = vec![large.clone()];
    let origin = tape.by_origin();
    assert!(seen_by_origin(&origin) == seen_by_slice(&origin));
    assert!(seen_by_stream(&origin).frames == tape.frames);

    // Typed.
    let custom = |data| Payload::Custom { type_id: 0, data };
    let data = vec![0; MAX_BLOB - 7];
    let envelope = stored(&large).envelope;
    let mut commands = CommandBuf::new();
    commands.push(&envelope, &custom(&data[1..])).unwrap();
    let one = commands.clone();
    assert_too_large(
        commands.push(&envelope, &custom(&data)),
        MAX_BLOB + 1,
        MAX_BLOB,
    );
    assert!(commands == one, "nothing was added");

    // Stored.
    let over = vec![0; MAX_BLOB + 1];
    let over = Command {
        payload: &over,
        ..stored(&large)
    };
    assert_too_large(commands.push_stored(&over), MAX_BLOB + 1, MAX_BLOB);
    assert!(commands == one, "nothing was added");
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &tape.header()).unwrap();
    for frame in &tape.frames {
        let refused = [stored(&large), over];
        assert_too_large(writer.push_each(9, refused, 9), MAX_BLOB + 1, MAX_BLOB);
        if frame.commands.is_empty() {
            writer
                .push_each(frame.tick_id, [], frame.snapshot_hash)
                .unwrap();
        } else {
            writer
                .push(frame.tick_id, one.as_commands(), frame.snapshot_hash)
                .unwrap();
        }
    }
    assert_eq!(writer.frames(), 3);
    writer.finish().unwrap();
    assert!(bytes == origin, "nothing of what was refused");

    // A claim of one more, with the bytes for it.
    let at = tape.header_size() + 20 + 12 + 1;
    bytes[at..at + 4].copy_from_slice(&(MAX_BLOB as u32 + 1).to_le_bytes());
    bytes.insert(at + 4, 0);
    let error = limited_in_frame_1(&bytes);
    assert_eq!((error.step(), error.offset()), (Some(1), Some(at as u64)));
}

#[test]
fn a_million_commands() {
    let mut tape = specimens().swap_remove(1);
    let command = every_kind().swap_remove(8);
    tape.frames[1].commands = vec![command.clone(); MAX_COMMANDS];
    let origin = tape.by_origin();
    assert!(seen_by_origin(&origin).frames == tape.frames);
    assert!(seen_by_slice(&origin).frames == tape.frames);
    assert!(seen_by_stream(&origin).frames == tape.frames);

    let mut kept = CommandBuf::new();
    for _ in 0..MAX_COMMANDS {
        kept.push_stored(&stored(&command)).unwrap();
    }
    let full = kept.clone();
    assert_too_large(
        kept.push_stored(&stored(&command)),
        MAX_COMMANDS + 1,
        MAX_COMMANDS,
    );
    let despawn = Payload::Despawn { entity_id: 0 };
    assert_too_large(
        kept.push(&Envelope::default(), &despawn),
        MAX_COMMANDS + 1,
        MAX_COMMANDS,
    );
    assert!(kept == full, "nothing was added");

    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &tape.header()).unwrap();
    for (at, frame) in tape.frames.iter().enumerate() {
        let refused = std::iter::repeat_n(stored(&command), MAX_COMMANDS + 1);
        assert_too_large(
            writer.push_each(9, refused, 9),
            MAX_COMMANDS + 1,
            MAX_COMMANDS,
        );
        if at == 1 {
            writer
                .push(frame.tick_id, full.as_commands(), frame.snapshot_hash)
                .unwrap();
        } else {
            let commands = frame.commands.iter().map(stored);
            writer
                .push_each(frame.tick_id, commands, frame.snapshot_hash)
                .unwrap();
        }
    }
    assert_eq!(writer.frames(), 3);
    writer.finish().unwrap();
    assert!(bytes == origin, "nothing of what was refused");

    // A claim of one more, with the command for it.
    let at = tape.header_size() + 20 + 8;
    bytes[at..at + 4].copy_from_slice(&(MAX_COMMANDS as u32 + 1).to_le_bytes());
    let size = 24 + command.payload.len();
    bytes.extend_from_within(at + 4..at + 4 + size);
    limited_in_frame_1(&bytes);

    // A claim of a million in a short file is a cut to both.
    let short = &origin[..tape.header_size() + 100];
    assert_eq!(seen(short, &String::new).end, End::Truncated);
}

/// A header can't be longer than its strings require.
#[test]
fn the_smallest_header() {
    let header = Header {
        build: Build::default(),
        ..Header::default()
    };
    let bytes = gametape_murk::write_header(&header).unwrap();
    assert_eq!(bytes.len() as u64, gametape_murk::MIN_HEADER_BYTES);
    assert_eq!(seen(&bytes, &String::new).end, End::Clean);
}
