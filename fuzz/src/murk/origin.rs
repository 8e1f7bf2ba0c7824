//! Compares reader, writer and hashes with those of the origin.

use arbitrary::Unstructured;
use gametape_murk::{
    Command, Error, Frame, Header, LANES, PayloadError, ReadOptions, Rule, config_hash, read,
    snapshot_hash, snapshot_hashes,
};
use murk_core::{
    CommandPayload, FieldId, ParameterVersion, SnapshotAccess, TickId, WorldGenerationId,
};
use murk_replay::codec::{deserialize_command, serialize_command};
use murk_replay::{
    BuildMetadata, InitDescriptor, ReplayError, ReplayReader, ReplayWriter, SerializedCommand,
};

use super::expected::{is_cut, slice};
use super::payload::{double, signed, single, words};
use super::{odd_size, structured};

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
        (Some((header, frames)), Some((meta, init, read))) => {
            same_header(header, meta, init);
            assert_eq!(frames.len(), read.len(), "frames");
            for (ours, theirs) in frames.iter().zip(read) {
                same_frame(ours, theirs);
            }
            let written = write(meta, init, read);
            assert_eq!(written, data[..end], "the origin writes otherwise");
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

type Origin = (BuildMetadata, InitDescriptor, Vec<murk_replay::Frame>);

fn origin(data: &mut &[u8]) -> (Option<Origin>, Option<ReplayError>) {
    let mut reader = match ReplayReader::open(data) {
        Ok(reader) => reader,
        Err(error) => return (None, Some(error)),
    };
    let mut frames = Vec::new();
    let error = loop {
        match reader.next_frame() {
            Ok(Some(frame)) => frames.push(frame),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    let header = (reader.metadata().clone(), reader.init_descriptor().clone());
    (Some((header.0, header.1, frames)), error)
}

fn same_header(ours: &Header<'_>, meta: &BuildMetadata, init: &InitDescriptor) {
    assert_eq!(ours.build.toolchain, meta.toolchain);
    assert_eq!(ours.build.target_triple, meta.target_triple);
    assert_eq!(ours.build.murk_version, meta.murk_version);
    assert_eq!(ours.build.compile_flags, meta.compile_flags);
    assert_eq!(ours.seed, init.seed);
    assert_eq!(ours.config_hash, init.config_hash);
    assert_eq!(ours.field_count, init.field_count);
    assert_eq!(ours.cell_count, init.cell_count);
    assert_eq!(*ours.space_descriptor, *init.space_descriptor);

    let dt = f64::from_bits(ours.seed.rotate_left(17));
    let (fields, cells) = (ours.field_count, ours.cell_count);
    assert_eq!(
        config_hash(ours.seed, dt, fields, cells, &ours.space_descriptor),
        murk_replay::config_hash(
            ours.seed,
            dt.to_bits(),
            fields,
            cells,
            &init.space_descriptor
        )
    );
}

fn same_frame(ours: &Frame<'_>, theirs: &murk_replay::Frame) {
    assert_eq!(ours.tick, theirs.tick_id);
    assert_eq!(ours.snapshot_hash, theirs.snapshot_hash);
    assert_eq!(ours.commands().len(), theirs.commands.len());
    for (ours, theirs) in ours.commands().iter().zip(&theirs.commands) {
        assert_eq!(ours.payload_type, theirs.payload_type);
        assert_eq!(ours.payload, theirs.payload);
        assert_eq!(ours.envelope.priority_class, theirs.priority_class);
        assert_eq!(ours.envelope.source_id, theirs.source_id);
        assert_eq!(ours.envelope.source_seq, theirs.source_seq);
        assert_eq!(ours.envelope.expires_after_tick, theirs.expires_after_tick);
        assert_eq!(ours.envelope.arrival_seq, theirs.arrival_seq);
        same_payload(&ours, theirs);
    }
}

fn same_payload(ours: &Command<'_>, theirs: &SerializedCommand) {
    let typed = match ours.payload() {
        Ok(typed) => typed,
        Err(PayloadError::UnknownType { tag: ours }) => {
            let error = deserialize_command(theirs).expect_err("an unknown type");
            let ReplayError::UnknownPayloadType { tag } = error else {
                panic!("{error}")
            };
            return assert_eq!(tag, ours);
        }
        Err(error) => {
            // The origin reserves memory for all claimed entries, which can kill the process.
            if claimed_entries(theirs) <= FAR / 16 {
                let origins = deserialize_command(theirs).expect_err("too short for us");
                assert!(
                    matches!(origins, ReplayError::MalformedFrame { .. }),
                    "{error}: {origins}"
                );
            }
            return;
        }
    };
    let command = deserialize_command(theirs).expect("it is long enough for us");
    assert_eq!(words(&typed), origin_words(&command.payload));
    let again = serialize_command(&command).expect("it was short enough");
    let trailing = ours.trailing().map_or(0, <[u8]>::len);
    let kept = ours.payload.len() - trailing;
    assert_eq!(again.payload, ours.payload[..kept]);
    assert_eq!(again.payload_type, ours.payload_type);
    assert_eq!(command.expires_after_tick.0, theirs.expires_after_tick);
}

/// The number of entries that a list claims and for which the origin reserves memory.
fn claimed_entries(command: &SerializedCommand) -> u64 {
    let number = |at: u64| {
        let bytes = command.payload.get(usize::try_from(at).ok()?..)?;
        Some(u64::from(u32::from_le_bytes(*bytes.first_chunk()?)))
    };
    let entries = match command.payload_type {
        1 => number(0).and_then(|dimensions| number(4 + 4 * dimensions)),
        6 => number(0),
        _ => None,
    };
    entries.unwrap_or(0)
}

fn origin_words(payload: &CommandPayload) -> Vec<u64> {
    let coord = |coord: &[i32]| {
        let mut words = vec![coord.len() as u64];
        words.extend(coord.iter().copied().map(signed));
        words
    };
    match payload {
        CommandPayload::Move {
            entity_id,
            target_coord,
        } => [vec![0, *entity_id], coord(target_coord)].concat(),
        CommandPayload::Spawn {
            coord: at,
            field_values,
        } => {
            let values = field_values.iter().flat_map(|&(f, v)| single((f.0, v)));
            let count = vec![field_values.len() as u64];
            [vec![1], coord(at), count, values.collect()].concat()
        }
        CommandPayload::Despawn { entity_id } => vec![2, *entity_id],
        CommandPayload::SetField {
            coord: at,
            field_id,
            value,
        } => {
            let pair = single((field_id.0, *value));
            [vec![3], coord(at), pair.to_vec()].concat()
        }
        CommandPayload::Custom { type_id, data } => {
            let head = vec![4, u64::from(*type_id), data.len() as u64];
            [head, data.iter().copied().map(u64::from).collect()].concat()
        }
        CommandPayload::SetParameter { key, value } => {
            [vec![5], double((key.0, *value)).to_vec()].concat()
        }
        CommandPayload::SetParameterBatch { params } => {
            let values = params.iter().flat_map(|&(key, v)| double((key.0, v)));
            [vec![6, params.len() as u64], values.collect()].concat()
        }
    }
}

fn write(meta: &BuildMetadata, init: &InitDescriptor, frames: &[murk_replay::Frame]) -> Vec<u8> {
    let mut written = Vec::new();
    let mut writer = ReplayWriter::new(&mut written, meta, init).expect("memory");
    for frame in frames {
        writer.write_raw_frame(frame).expect("memory");
    }
    drop(writer);
    written
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
    let behind = used as u64 - offset;
    match rule {
        // Of truncated frames, the origin reports only those with 1 to 7 bytes as malformed; for
        // the others it returns an I/O error.
        Rule::Truncated { left, .. } => {
            assert!(detail.contains("for tick_id"), "{context}");
            assert!((1..8).contains(left) && behind == *left, "{context}");
        }
        Rule::Limit { claimed, limit, .. } => {
            let numbers = format!("{claimed} exceeds limit {limit}");
            assert!(detail.contains(&numbers), "{context}");
            assert_eq!(behind, 4, "{context}");
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
            assert_eq!(behind, 1, "{context}");
        }
        _ => panic!("{context}"),
    }
}

/// A world with some fields; fields for which the split leaves no values do not exist.
struct World<'a>(Vec<&'a [f32]>);

impl SnapshotAccess for World<'_> {
    fn read_field(&self, field: FieldId) -> Option<&[f32]> {
        let values = self.0.get(field.0 as usize)?;
        (!values.is_empty()).then_some(values)
    }

    fn tick_id(&self) -> TickId {
        TickId(0)
    }

    fn world_generation_id(&self) -> WorldGenerationId {
        WorldGenerationId(0)
    }

    fn parameter_version(&self) -> ParameterVersion {
        ParameterVersion(0)
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
                let (values, behind) = rest.split_at(length);
                rest = behind;
                values
            });
            let world = World(fields.collect());
            let theirs = murk_replay::snapshot_hash(&world, lengths.len() as u32);
            assert_eq!(snapshot_hash(world.0), theirs);
            theirs
        })
        .collect();
    let slices: Vec<&[f32]> = states.iter().map(Vec::as_slice).collect();
    let mut hashes = vec![0; slices.len()];
    snapshot_hashes(&slices, &lengths, &mut hashes);
    assert_eq!(hashes, expected);
}
