//! Killed writers, failing outputs and flipped bits: whole frames stay whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::common::{Grid, Noise, bounds, commands, recording};
use gametape_core::Coded as _;
use gametape_murk::{
    Command, CommandBuf, Envelope, Error, Header, Limits, Output, Payload, ReadOptions, Reader,
    Recorder, Replay, Stream, WriteError, Writer, read, read_with, salvage, verify, write_header,
};

fn open(path: &Path) -> File {
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap()
}

/// Cut at every byte: all whole frames are there, and continuing the recording gives the bytes of
/// an undisturbed recorder.
#[test]
fn a_recording_cut_at_any_byte_keeps_its_whole_frames_and_can_be_resumed() {
    let whole = recording(12, 21);
    let bounds = bounds(&whole);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.murk");
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let salvaged = salvage(&whole[..cut]);
        if cut < bounds[0] {
            assert!(salvaged.unwrap_err().is_truncated());
            let error = Writer::resume(open(&path)).unwrap_err();
            assert!(error.is_truncated());
            assert_eq!(fs::read(&path).unwrap(), whole[..cut]);
            continue;
        }
        let frames = bounds.iter().filter(|end| **end <= cut).count() as u64 - 1;
        let (kept, salvaged) = salvaged.unwrap();
        assert_eq!(salvaged.frames, frames);
        assert_eq!(kept.len(), bounds[frames as usize]);
        assert_eq!(salvaged.dropped as usize, cut - kept.len());
        assert_eq!(salvaged.problem.is_some(), salvaged.dropped > 0);

        // Continued with the commands of the missing ticks.
        let (writer, resumed) = Writer::resume(open(&path)).unwrap();
        assert_eq!(resumed.frames, frames);
        assert_eq!(resumed.last_tick, (frames > 0).then_some(frames));
        assert_eq!(resumed.dropped, salvaged.dropped);
        let mut grid = Grid::new();
        let mut recorder = Recorder::new(writer, &resumed.header);
        let mut noise = Noise(21);
        for tick in 1..=12 {
            let commands = commands(&mut noise);
            if tick <= frames {
                use gametape_murk::Simulation;
                grid.step(tick, commands.as_commands()).unwrap();
            } else {
                recorder
                    .step(&mut grid, tick, commands.as_commands())
                    .unwrap();
            }
        }
        recorder.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    assert!(verify(&read(&whole).unwrap(), &mut Grid::new()).is_ok());
}

#[test]
fn a_broken_frame_in_the_middle_is_not_thrown_away_by_resuming() {
    let mut bytes = recording(12, 22);
    let bounds = bounds(&bytes);
    // More commands than a frame may have.
    bytes[bounds[5] + 11] = 0xff;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.murk");
    fs::write(&path, &bytes).unwrap();
    let error = Writer::resume(open(&path)).unwrap_err();
    assert!(error.is_limit() && error.finding().unwrap().place.step == Some(5));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    let (kept, salvaged) = salvage(&bytes).unwrap();
    assert_eq!((salvaged.frames, kept.len()), (5, bounds[5]));
}

/// An output that takes some bytes, fails for a while, and then takes the rest.
#[derive(Debug)]
struct Flaky {
    taken: Vec<u8>,
    fail_at: usize,
    failures: usize,
    step: usize,
    back: bool,
}

impl Write for Flaky {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.taken.len() >= self.fail_at && self.failures > 0 {
            self.failures -= 1;
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut count = bytes.len().min(self.step);
        if self.failures > 0 {
            count = count.min(self.fail_at - self.taken.len());
        }
        self.taken.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output for Flaky {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        if !self.back {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.taken.take_back(bytes)
    }
}

/// Pushes every frame, even after failures.
fn push_all<O: Output>(writer: &mut Writer<O>, replay: &Replay<'_>) -> Vec<Result<(), WriteError>> {
    let frames = replay.frames().map(Result::unwrap);
    frames
        .map(|frame| writer.push(frame.tick, frame.commands(), frame.snapshot_hash))
        .collect()
}

#[test]
fn an_output_that_fails_at_any_byte_ends_with_a_whole_frame_and_loses_nothing() {
    let whole = recording(9, 23);
    let bounds = bounds(&whole);
    let replay = read(&whole).unwrap();
    for fail_at in 0..whole.len() {
        for (back, buffer) in [(true, 0), (true, 100), (false, 100), (true, 1 << 16)] {
            let flaky = |failures| Flaky {
                taken: Vec::new(),
                fail_at,
                failures,
                step: 33,
                back,
            };
            let mut mended = flaky(2);
            let mut writer = Writer::new(&mut mended, replay.header()).unwrap();
            writer.set_buffer(buffer);
            for pushed in push_all(&mut writer, &replay) {
                match pushed {
                    Ok(()) => {}
                    Err(WriteError::Io(error)) => {
                        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
            while writer.flush().is_err() {}
            assert_eq!(writer.frames(), 9);
            writer.finish().unwrap();
            assert_eq!(mended.taken, whole, "failed at {fail_at}");

            // A permanent failure: the output ends with the last whole frame that fitted.
            let mut full = flaky(usize::MAX);
            let mut writer = Writer::new(&mut full, replay.header()).unwrap();
            writer.set_buffer(buffer);
            push_all(&mut writer, &replay);
            assert!(writer.finish().is_err());
            let fits = bounds.iter().rfind(|end| **end <= fail_at);
            let expected = if back {
                fits.copied().unwrap_or(0)
            } else {
                fail_at
            };
            assert_eq!(full.taken.len(), expected, "failed at {fail_at}");
            assert_eq!(full.taken, whole[..expected]);
        }
    }
}

#[test]
fn a_full_disk_leaves_a_file_of_whole_frames() {
    // A file that can't grow: /dev/full takes nothing.
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        println!("SKIPPED: there is no /dev/full here");
        return;
    };
    let mut writer = Writer::new(Stream(full), &Grid::header()).unwrap();
    let error = writer.flush().unwrap_err();
    assert!(matches!(error, WriteError::Io(error) if error.kind() == io::ErrorKind::StorageFull));
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

#[test]
fn what_readers_would_refuse_is_not_written() {
    let long = "x".repeat((1 << 20) + 1);
    let header = Header {
        build: gametape_murk::Build {
            toolchain: long.into(),
            ..gametape_murk::Build::default()
        },
        ..Header::default()
    };
    assert!(matches!(
        write_header(&header),
        Err(WriteError::DataTooLarge {
            size: 1_048_577,
            limit: 1_048_576,
            ..
        })
    ));
    let header = Header {
        space_descriptor: vec![0; (64 << 20) + 1].into(),
        ..Header::default()
    };
    assert!(matches!(
        write_header(&header),
        Err(WriteError::DataTooLarge { .. })
    ));

    let large = vec![0; (64 << 20) + 1];
    let command = |payload| Command {
        payload_type: 4,
        payload,
        envelope: Envelope::default(),
    };
    let mut writer = Writer::new(Vec::new(), &Header::default()).unwrap();
    writer
        .push_each(1, [command(b"fine".as_slice())], 1)
        .unwrap();
    let two = [command(b"fine".as_slice()), command(&large)];
    let error = writer.push_each(2, two, 1).unwrap_err();
    assert!(matches!(
        error,
        WriteError::DataTooLarge {
            what: "a payload",
            ..
        }
    ));
    let many = std::iter::repeat_n(command(b"".as_slice()), 1_000_001);
    let error = writer.push_each(2, many, 1).unwrap_err();
    assert!(matches!(
        error,
        WriteError::DataTooLarge {
            what: "a frame",
            size: 1_000_001,
            limit: 1_000_000,
            ..
        }
    ));
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
    let mut commands = CommandBuf::new();
    assert!(commands.push_stored(&command(&large)).is_err());
    let payload = Payload::Custom {
        type_id: 1,
        data: &large,
    };
    assert!(commands.push(&Envelope::default(), &payload).is_err());
    assert!(commands.as_commands().is_empty() && commands.as_commands().as_bytes().is_empty());
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

#[test]
fn a_recording_that_grows_is_read_to_its_end_again_and_again() {
    let whole = recording(12, 24);
    let mut file = tempfile::tempfile().unwrap();
    let mut writer = file.try_clone().unwrap();
    for options in [ReadOptions::default(), ReadOptions::lenient()] {
        file.set_len(0).unwrap();
        file.rewind().unwrap();
        writer.write_all(&whole[..60]).unwrap();
        let mut source = GrowingFile {
            bytes: &whole,
            end: 0,
            at: 0,
        };
        let mut reader = Reader::with_options(&mut source, options);
        let mut frames = 0;
        for end in (0..=whole.len()).step_by(7).chain([whole.len()]) {
            // The source has grown.
            reader.get_mut().end = end;
            loop {
                match reader.next_frame() {
                    Ok(Some(frame)) => {
                        assert_eq!(frame.index, frames);
                        frames += 1;
                    }
                    Ok(None) => break,
                    Err(error) => {
                        assert!(error.is_truncated(), "{error}");
                        break;
                    }
                }
            }
        }
        assert_eq!(frames, 12);
        writer.rewind().unwrap();
    }
}

struct GrowingFile<'a> {
    bytes: &'a [u8],
    end: usize,
    at: usize,
}

impl Read for GrowingFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = &self.bytes[self.at..self.end];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

#[test]
fn a_source_that_fails_says_where_and_can_be_asked_again() {
    struct Once<'a>(&'a [u8], usize, bool);
    impl Read for Once<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.1 >= 100 && !self.2 {
                self.2 = true;
                return Err(io::ErrorKind::TimedOut.into());
            }
            let rest = &self.0[self.1..];
            let count = rest.len().min(buffer.len()).min(50);
            buffer[..count].copy_from_slice(&rest[..count]);
            self.1 += count;
            Ok(count)
        }
    }
    let whole = recording(12, 25);
    let mut reader = Reader::new(Once(&whole, 0, false));
    let (mut frames, mut failures) = (0, 0);
    loop {
        match reader.next_frame() {
            Ok(Some(_)) => frames += 1,
            Ok(None) => break,
            Err(Error::Io { offset, source }) => {
                assert_eq!((offset, source.kind()), (100, io::ErrorKind::TimedOut));
                failures += 1;
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!((frames, failures), (12, 1));
}
