//! Compares reader, writer and hashes with those of the origin.

use arbitrary::Unstructured;
use gametape_murk::{
    Error, Header, LANES, ReadOptions, Rule, config_hash, read, snapshot_hash, snapshot_hashes,
};
use gametape_testkit::murk::{Fields, Tape, origin_frame, same_typed, stored};
use murk_replay::codec::serialize_command;
use murk_replay::{ReplayError, ReplayReader, SerializedCommand};

use super::expected::{is_cut, slice};
use super::structured;
use crate::odd_size;

/// If the claimed size exceeds the available bytes by more than this, the origin is not called,
/// because it allocates the claimed size.
const FAR: u64 = 1 << 20;

/// Bytes that start with an `M` are treated as a recording. Our reader and the origin's
/// (`murk-replay` 0.1.9) give the same header and the same frames, and stop at the same byte for
/// the same reason. Both interpret a command in the same way, or neither can. The origin writes the
/// recording in the same way as we do.
///
/// Other bytes are a script from which we build and write a recording: the origin reads it and
/// writes the same bytes.
///
/// All bytes are also used as the state of a world: its hashes (of one state, of several at once,
/// and of the configuration) are those of the origin.
pub fn murk_origin(data: &[u8]) {
    if data.first().is_none_or(|&first| first == b'M') {
        file(data);
    } else if let Ok(recording) = structured::recording(&mut Unstructured::new(data)) {
        file(&recording.write());
    }
    hashes(data);
}

fn file(data: &[u8]) {
    let options = ReadOptions::default();
    let (ours, error) = match read(data) {
        Ok(replay) => {
            let mut frames = Vec::new();
            let mut error = None;
            for frame in replay.frames() {
                match frame {
                    Ok(frame) => frames.push(frame),
                    Err(e) => error = Some(e),
                }
            }
            (Some((replay.header().clone(), frames)), error)
        }
        Err(error) => (None, Some(error)),
    };
    let end = slice(data, &options).map_or(0, |expected| expected.end as usize);
    // A part with a large claim is cut off; the origin must then come to a clean end.
    let asked = if error.as_ref().is_some_and(|e| claims_much(e, &data[end..])) {
        &data[..end]
    } else {
        data
    };
    let cut_off = asked.len() < data.len();
    if cut_off && ours.is_none() {
        return;
    }

    let mut rest = asked;
    let (theirs, their_error) = origin(&mut rest);
    let used = asked.len() - rest.len();
    match (&ours, &theirs) {
        (None, None) => {}
        (Some((header, frames)), Some(tape)) => {
            assert_eq!(*header, tape.header());
            same_config_hash(header);
            let frames: Vec<_> = frames.iter().map(origin_frame).collect();
            assert_eq!(frames, tape.frames);
            for command in frames.iter().flat_map(|frame| &frame.commands) {
                same_command(command);
            }
            assert_eq!(tape.by_origin(), data[..end], "the origin writes otherwise");
        }
        (ours, _) => panic!("ours {ours:?}, the origin's {their_error:?}"),
    }
    match (error, their_error) {
        (None, None) => assert_eq!(used, data.len()),
        (Some(error), None) if cut_off => assert!(error.is_truncated(), "{error}"),
        (Some(error), Some(theirs)) => same_error(&error, &theirs, used, data),
        (ours, theirs) => panic!("ours {ours:?}, the origin's {theirs:?}"),
    }
}

/// True if the origin would allocate a size that is only claimed and below its limits.
fn claims_much(error: &Error, frame: &[u8]) -> bool {
    let needed = match error.rule() {
        Some(Rule::Truncated { needed, .. } | Rule::PayloadTruncated { needed, .. }) => *needed,
        _ => 0,
    };
    let count = frame.get(8..12).and_then(<[u8]>::first_chunk);
    let count = count.map_or(0, |&count| u32::from_le_bytes(count));
    let is_frame = error.step().is_some();
    error.is_truncated() && (needed > FAR || is_frame && u64::from(count) > FAR / 100)
}

fn origin(data: &mut &[u8]) -> (Option<Tape>, Option<ReplayError>) {
    let mut reader = match ReplayReader::open(data) {
        Ok(reader) => reader,
        Err(error) => return (None, Some(error)),
    };
    let mut tape = Tape {
        meta: reader.metadata().clone(),
        init: reader.init_descriptor().clone(),
        frames: Vec::new(),
    };
    let error = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => tape.frames.push(frame),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    (Some(tape), error)
}

fn same_config_hash(header: &Header<'_>) {
    let dt = f64::from_bits(header.seed.rotate_left(17));
    let (fields, cells) = (header.field_count, header.cell_count);
    let descriptor = &header.space_descriptor;
    assert_eq!(
        config_hash(header.seed, dt, fields, cells, descriptor),
        murk_replay::config_hash(header.seed, dt.to_bits(), fields, cells, descriptor)
    );
}

/// Both decode the command alike, and encoding it again gives the same bytes.
fn same_command(command: &SerializedCommand) {
    let Some(typed) = same_typed(command) else {
        return;
    };
    let again = serialize_command(&typed.origin()).expect("it was short enough");
    let trailing = stored(command).trailing().map_or(0, <[u8]>::len);
    let kept = command.payload.len() - trailing;
    assert_eq!(again.payload, command.payload[..kept]);
    assert_eq!(again.payload_type, command.payload_type);
}

/// Asserts the same reason and the same place: the origin does not report a place, but has consumed
/// `used` bytes.
fn same_error(ours: &Error, theirs: &ReplayError, used: usize, data: &[u8]) {
    let offset = ours.offset().expect("a slice does not fail");
    let context = format!("ours: {ours}; the origin's: {theirs}, after {used}");
    let rule = ours.rule().expect("a slice does not fail");
    let detail = match (rule, theirs) {
        (Rule::Magic { .. }, ReplayError::InvalidMagic) => {
            return assert_eq!(used, 4, "{context}");
        }
        (Rule::Version { found: ours }, ReplayError::UnsupportedVersion { found: theirs }) => {
            return assert_eq!((ours, used), (theirs, 5), "{context}");
        }
        (rule, ReplayError::Io(error)) => {
            assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof, "{context}");
            assert!(is_cut(rule), "{context}");
            return assert_eq!(used, data.len(), "{context}");
        }
        (_, ReplayError::MalformedFrame { detail }) => detail,
        _ => panic!("{context}"),
    };
    let after = used as u64 - offset;
    match rule {
        // Of truncated frames, the origin reports only those with 1 to 7 bytes as malformed; for
        // the others it returns an I/O error.
        Rule::Truncated { left, .. } => {
            assert!(detail.contains("for tick_id"), "{context}");
            assert!((1..8).contains(left) && after == *left, "{context}");
        }
        Rule::Limit { claimed, limit, .. } => {
            let numbers = format!("{claimed} exceeds limit {limit}");
            assert!(detail.contains(&numbers), "{context}");
            assert_eq!(after, 4, "{context}");
        }
        Rule::Utf8 { at, .. } => {
            assert!(detail.contains("invalid UTF-8"), "{context}");
            // It reports the same position within the string.
            let position = format!("index {at}");
            let incomplete = detail.contains("incomplete");
            assert!(incomplete || detail.ends_with(&position), "{context}");
        }
        Rule::PresenceFlag { what, found, .. } => {
            let words = format!("invalid {what} presence flag: {found}");
            assert_eq!(detail, &words, "{context}");
            assert_eq!(after, 1, "{context}");
        }
        _ => panic!("{context}"),
    }
}

fn hashes(data: &[u8]) {
    let values: Vec<f32> = data
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    let mut lengths = Vec::new();
    let mut left = values.len();
    for at in 0..4 {
        let length = (odd_size(data, at) * values.len() / 90).min(left);
        lengths.push(length);
        left -= length;
    }
    // One state more than are hashed at a time. Some ranges are zero in all states, and most of the
    // other cells are zero.
    let cell = |lane, at, value| {
        let stretch = at / 20;
        let kept = stretch % 3 != 1 && stretch % (lane + 1) == lane;
        if kept { value } else { 0.0 }
    };
    let states: Vec<Vec<f32>> = (0..=LANES)
        .map(|lane| {
            let cells = values.iter().enumerate();
            cells.map(|(at, &value)| cell(lane, at, value)).collect()
        })
        .collect();
    let expected: Vec<u64> = states
        .iter()
        .map(|state| {
            let mut rest = state.as_slice();
            let fields = lengths.iter().map(|&length| {
                let (values, after) = rest.split_at(length);
                rest = after;
                // A field for which the split leaves no values does not exist.
                (!values.is_empty()).then_some(values)
            });
            let fields = Fields(fields.collect());
            let theirs = fields.origin_hash();
            assert_eq!(snapshot_hash(fields.slices()), theirs);
            theirs
        })
        .collect();
    let slices: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
    let mut hashes = vec![0; slices.len()];
    snapshot_hashes(&slices, &lengths, &mut hashes);
    assert_eq!(hashes, expected);
}
