//! The writer: what it writes and when, and how it continues a recording. An incomplete frame is cut off,
//! and nothing else ever is.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};

use gametape_core::Coded as _;
use gametape_murk::{
    Command, CommandBuf, Doubt, Envelope, Header, Limits, Payload, ReadOptions, ResumeError,
    Resumed, WriteError, Writer, read, read_with, salvage, write_frame, write_header,
};

use crate::common::{Grid, Noise, bounds};

/// The number of ticks of the recording.
const TICKS: u64 = 40;

fn header() -> Header<'static> {
    Header {
        seed: 3,
        field_count: 2,
        cell_count: 9,
        space_descriptor: b"a line of nine cells".as_slice().into(),
        ..Header::default()
    }
}

/// The commands of a tick: of all types, with all kinds of envelopes; none in some ticks.
fn commands(noise: &mut Noise) -> CommandBuf {
    let mut commands = CommandBuf::new();
    for _ in 0..noise.below(4) {
        let cell = [noise.below(9) as i32, noise.below(9) as i32];
        let data = [cell[0] as u8; 30];
        let value = noise.below(1000) as f32 / 8.0;
        let number = noise.below(5) as u32;
        let values = [(0, value), (number, 2.0)];
        let parameters = [(1, 0.5), (number, 0.25)];
        let payload = match noise.below(7) {
            0 => Payload::Move {
                entity_id: 300,
                target: (&cell).into(),
            },
            1 => Payload::Spawn {
                coord: (&cell[..1]).into(),
                field_values: (&values).into(),
            },
            2 => Payload::Despawn { entity_id: 7 },
            3 => Payload::SetField {
                coord: (&cell).into(),
                field: number,
                value,
            },
            4 => Payload::Custom {
                type_id: number,
                data: &data,
            },
            5 => Payload::SetParameter {
                key: number,
                value: f64::from(value),
            },
            _ => Payload::SetParameterBatch {
                parameters: (&parameters).into(),
            },
        };
        let envelope = Envelope {
            source_id: (noise.below(2) == 0).then_some(300),
            source_seq: (noise.below(2) == 0).then_some(1),
            // As small as tick numbers.
            expires_after_tick: [u64::MAX, 25, 0][noise.below(3)],
            ..Envelope::default()
        };
        commands.push(&envelope, &payload).unwrap();
    }
    commands
}

fn recording(ticks: u64) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    let mut noise = Noise(5);
    for tick in 1..=ticks {
        let commands = commands(&mut noise);
        let hash = noise.next();
        writer.push(tick, commands.as_commands(), hash).unwrap();
    }
    writer.finish().unwrap()
}

/// Resumes a file with these bytes; returns its content afterwards, too.
fn resume(bytes: &[u8], next: Option<&[u8]>) -> (Result<Resumed, ResumeError>, Vec<u8>) {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let copy: File = file.try_clone().unwrap();
    let resumed = match next {
        None => Writer::resume(copy),
        Some(next) => Writer::resume_before(copy, next),
    };
    // The writer has nothing left to write when it is dropped.
    let resumed = resumed.map(|(_, resumed)| resumed);
    let mut left = Vec::new();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut left).unwrap();
    (resumed, left)
}

/// Returns why it was not resumed.
fn doubt(resumed: Result<Resumed, ResumeError>) -> Doubt {
    match resumed {
        Err(ResumeError::NotTorn { doubt, .. }) => doubt,
        other => panic!("{other:?}"),
    }
}

/// Any byte is damaged in any way, or several in a row: the frames after the damage stay.
#[test]
fn damage_is_not_taken_for_a_cut() {
    let whole = recording(TICKS);
    let bounds = bounds(&whole);
    let last = bounds[TICKS as usize - 1];
    let (mut refused, mut gone_on) = (0, 0);
    let mut check = |damaged: &[u8], at: usize, what: &str| {
        let (resumed, left) = resume(damaged, None);
        let Ok(resumed) = resumed else {
            assert!(left == damaged, "byte {at} {what}");
            refused += 1;
            return;
        };
        let dropped = resumed.dropped as usize;
        assert!(
            dropped == 0 || at >= last && dropped <= whole.len() - last,
            "byte {at} {what}: {dropped} bytes are cut off"
        );
        assert!(left == damaged[..damaged.len() - dropped]);
        gone_on += 1;
    };
    for at in 0..whole.len() {
        let byte = whole[at];
        for damage in [byte ^ 1, byte ^ 0x40, byte.wrapping_add(8), 0xff, 0] {
            let mut damaged = whole.clone();
            damaged[at] = damage;
            check(&damaged, at, &format!("is {damage}"));
        }
        for (len, damage) in [(4, 0), (20, 0), (64, 0), (64, 0xff), (64, 7)] {
            let mut damaged = whole.clone();
            let end = (at + len).min(whole.len());
            damaged[at..end].fill(damage);
            check(&damaged, end - 1, &format!("and those before are {damage}"));
        }
    }
    println!("{refused} refused, {gone_on} gone on with");
    // Most damage that keeps the form of a recording can't be seen without a world.
    assert!(refused > whole.len() / 4 && gone_on > whole.len());
}

/// A length in frame 0 that is too large hides all frames.
#[test]
fn a_length_that_swallows_frames_is_told_and_nothing_is_cut_off() {
    let whole = recording(TICKS);
    let bounds = bounds(&whole);
    let replay = read(&whole).unwrap();
    let mut seen = [false; 7];
    for (frame, start) in replay.frames().zip(&bounds) {
        let frame = frame.unwrap();
        let Some(command) = frame.commands().iter().next() else {
            continue;
        };
        let mut damaged = whole.clone();
        // The first command's length follows tick, count and type.
        damaged[start + 14] ^= 0x40;
        assert_eq!(salvage(&damaged).unwrap().1.frames, frame.index);
        let (resumed, left) = resume(&damaged, None);
        let error = resumed.unwrap_err();
        assert!(!error.is_truncated());
        assert_eq!(error.code(), "murk.payload-truncated");
        assert_eq!(error.finding().unwrap().place.step, Some(frame.index));
        assert_eq!(error.offset(), Some(*start as u64 + 17));
        let (claimed, counted) = (
            command.payload.len() as u64 + 0x4000,
            command.payload.len() as u64,
        );
        let kind = Payload::NAMES[usize::from(command.payload_type)];
        assert_eq!(
            doubt(Err(error)),
            Doubt::PayloadLength {
                command: 0,
                kind,
                claimed,
                counted
            }
        );
        assert_eq!(left, damaged);
        seen[usize::from(command.payload_type)] = true;
    }
    assert_eq!(seen, [true; 7]);
}

/// A cut at any byte is not damage, whatever the commands are.
#[test]
fn what_was_cut_is_cut_off() {
    let whole = recording(TICKS);
    let bounds = bounds(&whole);
    for cut in bounds[0]..whole.len() {
        let end = *bounds.iter().rfind(|end| **end <= cut).unwrap();
        let next = *bounds.iter().find(|end| **end > cut).unwrap();
        for next in [None, Some(&whole[end..next])] {
            let (resumed, left) = resume(&whole[..cut], next);
            let resumed = resumed.unwrap_or_else(|error| panic!("cut at {cut}: {error}"));
            assert_eq!(resumed.dropped as usize, cut - end);
            assert_eq!(resumed.problem.is_some(), cut > end);
            assert_eq!(left, whole[..end]);
        }
    }
}

/// The length of a payload of an undefined type is unknown, unless the next frame is given.
#[test]
fn a_cut_command_of_an_unknown_type_needs_the_next_frame() {
    let mut commands = CommandBuf::new();
    let custom = Command {
        payload_type: 9,
        payload: &[5; 20],
        envelope: Envelope::default(),
    };
    commands.push_stored(&custom).unwrap();
    let mut whole = recording(3);
    let end = whole.len();
    let next = write_frame(4, commands.as_commands(), 77).unwrap();
    whole.extend_from_slice(&next);
    assert_eq!(bounds(&whole).last(), Some(&whole.len()));
    for cut in end..whole.len() {
        let cut_file = &whole[..cut];
        let (resumed, left) = resume(cut_file, None);
        if cut > end + 12 {
            let unknown = Doubt::UnknownPayload { command: 0, tag: 9 };
            assert_eq!(doubt(resumed), unknown);
            assert_eq!(left, cut_file);
        } else {
            assert_eq!(left, whole[..end]);
        }
        let (resumed, left) = resume(cut_file, Some(&next));
        assert_eq!(resumed.unwrap().dropped as usize, cut - end);
        assert_eq!(left, whole[..end]);
        // Any other frame is not the one that was cut.
        let others = [
            write_frame(5, commands.as_commands(), 77),
            write_frame(4, CommandBuf::new().as_commands(), 77),
            write_frame(4, commands.as_commands(), 78),
        ];
        for (other, differs) in others.into_iter().zip([0, 8, next.len() - 8]) {
            let (resumed, left) = resume(cut_file, Some(&other.unwrap()));
            if cut > end + differs {
                assert_eq!(doubt(resumed), Doubt::OtherFrame);
                assert_eq!(left, cut_file);
            } else {
                assert_eq!(resumed.unwrap().dropped as usize, cut - end);
            }
        }
    }
    // Payloads with extra bytes after their counted content are as doubtful.
    let mut trailing = CommandBuf::new();
    let despawn = Command {
        payload_type: 2,
        payload: &[5; 9],
        envelope: Envelope::default(),
    };
    trailing.push_stored(&despawn).unwrap();
    let next = write_frame(4, trailing.as_commands(), 77).unwrap();
    let cut_file = [&whole[..end], &next[..next.len() - 1]].concat();
    let longer = Doubt::PayloadLength {
        command: 0,
        kind: "despawn",
        claimed: 9,
        counted: 8,
    };
    assert_eq!(doubt(resume(&cut_file, None).0), longer);
    assert!(resume(&cut_file, Some(&next)).0.is_ok());
}

/// Falling ticks are legal, and the recording continues. If a frame is cut as well, the ticks may
/// come from a damaged count.
#[test]
fn nothing_is_cut_off_after_ticks_that_fall() {
    let none = CommandBuf::new();
    let mut writer = Writer::new(Vec::new(), &header()).unwrap();
    for tick in [5, 5, 3, 0, 9] {
        writer.push(tick, none.as_commands(), 1).unwrap();
    }
    let whole = writer.finish().unwrap();
    let (resumed, left) = resume(&whole, None);
    let resumed = resumed.unwrap();
    assert_eq!((resumed.frames, resumed.last_tick), (5, Some(9)));
    assert_eq!(left, whole);
    let cut = &whole[..whole.len() - 1];
    let (resumed, left) = resume(cut, None);
    let error = resumed.unwrap_err();
    assert_eq!(
        error.to_string(),
        "frame 4 (tick 9, byte 165): the file ends in the snapshot hash of a frame: 8 bytes needed, 7 are left; tick 5 follows tick 5: this is damage, not a frame that was cut"
    );
    assert_eq!(doubt(Err(error)), Doubt::TickOrder { before: 5, now: 5 });
    assert_eq!(left, cut);
    // The tick of the cut frame may fall, too.
    let mut frames = recording(4);
    frames.extend_from_slice(&4_u64.to_le_bytes());
    assert_eq!(
        doubt(resume(&frames, None).0),
        Doubt::TickOrder { before: 4, now: 4 }
    );
    frames.pop();
    assert_eq!(resume(&frames, None).0.unwrap().dropped, 7);
}

#[test]
fn flush_flushes_and_a_buffer_of_nothing_writes_each_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.murk");
    let header = Grid::header();
    let mut writer = Writer::new(File::create(&path).unwrap(), &header).unwrap();
    let size = || fs::metadata(&path).unwrap().len();
    writer.push(1, CommandBuf::new().as_commands(), 1).unwrap();
    assert_eq!(size(), 0);
    writer.flush().unwrap();
    assert_eq!(size(), 53 + 20);
    writer.set_buffer(0);
    writer.push(2, CommandBuf::new().as_commands(), 1).unwrap();
    assert_eq!(size(), 53 + 40);
    writer.set_buffer(1000);
    writer.push(3, CommandBuf::new().as_commands(), 1).unwrap();
    assert_eq!(size(), 53 + 40);
    drop(writer);
    assert_eq!(size(), 53 + 60);
}

/// The sizes themselves are compared with the origin's, in `interop`.
#[test]
fn what_readers_would_refuse_is_not_written() {
    let command = |payload| Command {
        payload_type: 4,
        payload,
        envelope: Envelope::default(),
    };
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    writer
        .push_each(1, [command(b"fine".as_slice())], 1)
        .unwrap();
    let endless = std::iter::repeat(command(b"".as_slice()));
    assert!(writer.push_each(2, endless, 1).is_err());
    // A frame that was read with larger limits is not written for readers with the usual ones.
    let mut unbounded = write_header(&Header::default()).unwrap();
    unbounded.extend_from_slice(&1_u64.to_le_bytes());
    unbounded.extend_from_slice(&1_000_001_u32.to_le_bytes());
    unbounded.resize(unbounded.len() + 1_000_001 * 24 + 8, 0);
    let options = ReadOptions::strict().limits(Limits::NONE);
    let replay = read_with(&unbounded, options).unwrap();
    let frame = replay.frames().next().unwrap().unwrap();
    assert!(matches!(
        writer.push(2, frame.commands(), 1),
        Err(WriteError::DataTooLarge {
            size: 1_000_001,
            ..
        })
    ));
    // The refused frames left no trace.
    writer.push(2, CommandBuf::new().as_commands(), 1).unwrap();
    let bytes = writer.finish().unwrap();
    let frames: Vec<_> = read(&bytes)
        .unwrap()
        .frames()
        .map(|f| f.unwrap().tick)
        .collect();
    assert_eq!(frames, [1, 2]);
}
