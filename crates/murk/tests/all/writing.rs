//! The bytes that a writer writes, and when.

use std::fs::{self, File};

use crate::common::Grid;
use gametape_murk::{
    Command, CommandBuf, Envelope, Header, Limits, ReadOptions, WriteError, Writer, read,
    read_with, write_header,
};

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
