//! A writer whose output fails, and a recorder that is killed and resumed.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::rc::Rc;

use arbitrary::Unstructured;
use gametape_murk::{
    CommandBuf, Error, Frame, Header, MAGIC, Output, ReadOptions, Replay, ResumeError, WriteError,
    Writer, read, write_header,
};
use gametape_testkit::murk::Body;

use super::expected::slice;
use super::structured::{Deed, Recording, recording};
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

/// The behaviour of an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    /// The behaviour at each call, one byte per call; after these, every call succeeds.
    pub steps: &'a [u8],
    /// Whether written bytes can be taken back.
    pub takes_back: TakesBack,
    /// The size of the writer's own buffer.
    pub buffer: usize,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TakesBack {
    Always,
    Never,
    /// As the steps say.
    Sometimes,
}

/// An output that accepts as many bytes, and fails as often, as its plan says.
#[derive(Debug)]
struct Flaky<'a> {
    bytes: Vec<u8>,
    plan: Plan<'a>,
    /// Whether it was asked to take back a part of a frame and refused.
    refused: bool,
}

/// Shared between the writer and the check.
#[derive(Clone, Debug)]
struct Shared<'a>(Rc<RefCell<Flaky<'a>>>);

impl Flaky<'_> {
    fn step(&mut self) -> Option<u8> {
        let (&step, later) = self.plan.steps.split_first()?;
        self.plan.steps = later;
        Some(step)
    }
}

impl Write for Shared<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut flaky = self.0.borrow_mut();
        let size = match flaky.step() {
            None => bytes.len(),
            Some(step) => match step % 8 {
                0 => return Err(io::Error::other("full")),
                1 => return Ok(0),
                2 => return Err(io::ErrorKind::Interrupted.into()),
                _ => bytes.len().min(1 + 5 * usize::from(step / 8)),
            },
        };
        flaky.bytes.extend_from_slice(&bytes[..size]);
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.borrow_mut().step() {
            Some(step) if step % 8 == 0 => Err(io::Error::other("full")),
            _ => Ok(()),
        }
    }
}

impl Output for Shared<'_> {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        let mut flaky = self.0.borrow_mut();
        assert!(bytes > 0, "nothing to take back");
        let takes_back = match flaky.plan.takes_back {
            TakesBack::Always => true,
            TakesBack::Never => false,
            TakesBack::Sometimes => flaky.step().is_none_or(|step| step % 2 == 0),
        };
        if !takes_back {
            flaky.refused = true;
            return Err(io::ErrorKind::Unsupported.into());
        }
        let keep = flaky.bytes.len().checked_sub(bytes as usize);
        flaky
            .bytes
            .truncate(keep.expect("more than was ever written"));
        Ok(())
    }
}

/// Writes the frames to an output that behaves as planned. It always contains a prefix of the
/// recording, without an incomplete frame if bytes can be taken back; in the end it contains
/// everything.
pub(super) fn check_output(
    header: &Header<'_>,
    frames: &[Frame<'_>],
    recording: &[u8],
    plan: Plan<'_>,
) {
    let check = OutputCheck {
        recording,
        shared: Shared(Rc::new(RefCell::new(Flaky {
            bytes: Vec::new(),
            plan,
            refused: false,
        }))),
    };
    let mut writer = Writer::new(check.shared.clone(), header).expect("what was read");
    writer.set_buffer(plan.buffer);
    for (count, frame) in (1..).zip(frames) {
        let pushed = if count % 2 == 0 {
            writer.push_each(frame.tick, frame.commands(), frame.snapshot_hash)
        } else {
            writer.push(frame.tick, frame.commands(), frame.snapshot_hash)
        };
        check.after(pushed);
        assert_eq!(writer.frames(), count, "the frame is kept");
        if count % 5 == 0 {
            check.after(writer.flush());
        }
    }
    // Some plans end before the frames do; others leave the last error to `finish`.
    if plan.buffer.is_multiple_of(2) {
        let mut flushes = 0;
        while check.after(writer.flush()).is_none() {
            flushes += 1;
            assert!(flushes <= plan.steps.len(), "flushing leads to nothing");
        }
        assert_eq!(check.shared.0.borrow().bytes, recording);
    }
    let finished = writer.finish().map(drop);
    if check.after(finished).is_some() {
        assert_eq!(check.shared.0.borrow().bytes, recording);
    }
}

struct OutputCheck<'a> {
    recording: &'a [u8],
    shared: Shared<'a>,
}

impl OutputCheck<'_> {
    /// Checks the output after a call; `None` if the output failed.
    fn after(&self, done: Result<(), WriteError>) -> Option<()> {
        let mut flaky = self.shared.0.borrow_mut();
        assert!(
            self.recording.starts_with(&flaky.bytes),
            "no part of the recording: {:02x?}",
            flaky.bytes
        );
        match done {
            Ok(()) => Some(()),
            Err(WriteError::Io(_)) => {
                let refused = std::mem::take(&mut flaky.refused);
                if !refused && flaky.plan.takes_back == TakesBack::Always {
                    whole_frames(&flaky.bytes);
                }
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn whole_frames(written: &[u8]) {
    if written.is_empty() {
        return;
    }
    let replay = read(written).unwrap_or_else(|error| panic!("a part of the header: {error}"));
    let frames: Result<Vec<_>, Error> = replay.frames().collect();
    frames.unwrap_or_else(|error| panic!("a part of a frame: {error}"));
}

/// A recording that was cut anywhere continues after its last complete frame, and ends as if
/// nothing had happened; if its commands are of unknown types, it is resumed with knowledge of the
/// frame that was cut. A recording with any other damage is refused and left unchanged.
pub(super) fn check_resume(replay: &Replay<'_>, frames: &[Frame<'_>], whole: &[u8], cut: usize) {
    let cut = cut.min(whole.len());
    let left = &whole[..cut];
    let mut file = file_of(left);
    let resumed = Writer::resume(clone(&file));
    if cut < replay.header_size() as usize {
        let error = resumed.map(drop).expect_err("the header is cut");
        let cut = matches!(&error, ResumeError::Read(error) if error.is_truncated());
        assert!(cut, "{error}");
        assert_eq!(contents(&mut file), left, "not left alone");
    } else {
        let before = |frame: &&Frame<'_>| frame.offset + frame.size() <= cut as u64;
        let kept = frames.iter().take_while(before).count();
        let last = kept.checked_sub(1).map(|last| &frames[last]);
        let end = last.map_or(replay.header_size(), |f| f.offset + f.size());
        let resumed = match resumed {
            Err(ResumeError::NotTorn { .. }) => {
                assert_eq!(contents(&mut file), left, "not left alone");
                let next = &whole[end as usize..][..frames[kept].size() as usize];
                Writer::resume_before(clone(&file), next)
            }
            other => other,
        };
        let (mut writer, resumed) = resumed.expect("it was cut");
        assert_eq!(&resumed.header, replay.header());
        assert_eq!(resumed.frames, kept as u64);
        assert_eq!(resumed.last_tick, last.map(|frame| frame.tick));
        assert_eq!(resumed.dropped, cut as u64 - end);
        assert_eq!(resumed.problem.is_some(), resumed.dropped > 0);
        // Reading moves the position, which both handles share.
        assert_eq!(file.stream_position().expect("a file"), end);
        assert_eq!(contents(&mut file), whole[..end as usize]);
        file.seek(SeekFrom::Start(end)).expect("a file");
        for frame in &frames[kept..] {
            let commands = frame.commands();
            writer
                .push(frame.tick, commands, frame.snapshot_hash)
                .expect("a file");
        }
        assert_eq!(writer.frames(), frames.len() as u64);
        drop(writer.finish().expect("a file"));
        assert_eq!(contents(&mut file), whole, "resumed");
    }

    // The original input, including the bytes after the complete frames.
    let data = replay.as_bytes();
    let error = read(data).expect("a header").frames().find_map(Result::err);
    if let Some(error) = error {
        let mut file = file_of(data);
        match Writer::resume(clone(&file)) {
            Ok((writer, resumed)) => {
                assert!(error.is_truncated(), "{error}");
                assert_eq!(resumed.dropped, (data.len() - whole.len()) as u64);
                assert_eq!(resumed.problem, error.into_finding());
                drop(writer);
                assert_eq!(contents(&mut file), whole, "cut off");
            }
            Err(refused) => {
                if let ResumeError::NotTorn { problem, .. } = refused {
                    assert!(error.is_truncated(), "{error}");
                    assert_eq!(Some(*problem), error.into_finding());
                } else {
                    assert!(!error.is_truncated(), "{error}");
                    assert_eq!(refused.to_string(), error.to_string());
                }
                assert_eq!(contents(&mut file), data, "not left alone");
            }
        }
    }
}

/// A temporary file without a name.
fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(bytes).expect("a file");
    file
}

/// The same file with a shared position.
fn clone(file: &File) -> File {
    file.try_clone().expect("a file")
}

fn contents(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).expect("a file");
    file.read_to_end(&mut bytes).expect("a file");
    bytes
}
