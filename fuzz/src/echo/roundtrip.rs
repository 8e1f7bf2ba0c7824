//! Files that are written can be read, and are written the same again.

use std::io::Cursor;

use gametape_echo::butter::{self, Compression, Feed, Journal, Options, Writer};
use gametape_echo::{Fed, Frame, ReadOptions, echoreplay};
use gametape_testkit::echo::frames;

use super::butter::LIMITS;
use super::{all, assert_same};
use crate::delta::Script;

/// Frames with any values, or those of a file: they are written, read strictly, and written again,
/// byte for byte the same.
///
/// A refused frame leaves nothing behind. A journal contains the frames after each write; if it is
/// cut at any byte, it contains the complete frames before the cut and can be resumed. A frame that
/// was read can be converted to JSON, unless it has numbers that are not finite.
pub fn butter_roundtrip(data: &[u8]) {
    if matches!(data.first(), Some(1..=3)) {
        of_a_file(data);
        return;
    }
    let mut script = Script::new(data);
    let options = options(&mut script);
    let frames = frames::any(&mut script);
    let frames = accepted(&frames, options);
    let bytes = written(&frames, options);
    again(&bytes, frames.len(), options);
    journal(&frames, options, &mut script);
}

fn options(script: &mut Script<'_>) -> Options {
    const COMPRESSIONS: [Compression; 8] = [
        Compression::None,
        Compression::None,
        Compression::None,
        Compression::None,
        Compression::None,
        Compression::Gzip,
        Compression::Zstd3,
        Compression::Zstd7,
    ];
    Options {
        keyframe_interval: [0, 1, 2, 3, 5, 300, 300, 65_535][script.below(8)],
        compression: COMPRESSIONS[script.below(8)],
    }
}

/// The frames that the format can store.
fn accepted(frames: &[Frame], options: Options) -> Vec<Frame> {
    let mut writer = Writer::new(Cursor::new(Vec::new()), options);
    let accepted: Vec<Frame> = frames
        .iter()
        .filter(|frame| writer.push(frame).is_ok())
        .cloned()
        .collect();
    let mut bytes = Vec::new();
    let told = writer.finish(&mut bytes).expect("memory");
    assert_eq!(told.frames, accepted.len() as u64);
    assert_eq!(told.bytes, bytes.len() as u64);
    assert!(
        bytes == written(&accepted, options),
        "refused, and yet there"
    );
    accepted
}

fn written(frames: &[Frame], options: Options) -> Vec<u8> {
    butter::write(frames, options).expect("accepted before")
}

/// Reads a file of ours and writes it again.
fn again(bytes: &[u8], count: usize, options: Options) {
    let file = butter::read(bytes).expect("just written");
    let frames = all(&file).expect("just written");
    assert_eq!(frames.len(), count);
    assert_eq!(file.trailing_bytes(), 0);
    let second = written(&frames, options);
    let differs = bytes.iter().zip(&second).position(|(a, b)| a != b);
    assert_eq!(differs, None, "of {} and {}", bytes.len(), second.len());
    assert_eq!(bytes.len(), second.len());
    let mut line = Vec::new();
    for frame in &frames {
        line.clear();
        if echoreplay::write_frame(frame, &mut line).is_ok() {
            let read = echoreplay::read(&line).next().expect("a line");
            let back = read.and_then(|line| line.frame()).expect("just written");
            assert_same(frame, &back, "as JSON");
        }
    }
}

/// A file is read, whatever its content; once we have written it, writing it again gives the same
/// bytes.
fn of_a_file(data: &[u8]) {
    let options = ReadOptions::lenient().limits(LIMITS);
    let Ok(file) = butter::read_with(data, options) else {
        return;
    };
    let Some(frames) = all(&file) else { return };
    let interval = file.header().map_or(300, |header| header.keyframe_interval);
    let options = Options {
        keyframe_interval: interval,
        compression: Compression::None,
    };
    // If a file names one of its 255 players twice, fewer remain, never more.
    if let Ok(bytes) = butter::write(&frames, options) {
        again(&bytes, frames.len(), options);
    }
}

fn journal(frames: &[Frame], options: Options, script: &mut Script<'_>) {
    let mut journal = Journal::new(Cursor::new(Vec::new()), options);
    let mut ends = Vec::new();
    for frame in frames {
        journal.push(frame).expect("accepted before");
        ends.push(journal.get_ref().get_ref().len());
    }
    let bytes = journal.get_ref().get_ref().clone();
    let cut = usize::from(script.word::<u16>()) % (bytes.len() + 1);
    let whole = ends.iter().filter(|&&end| end <= cut).count();

    let mut feed = Feed::new();
    feed.push(&bytes[..cut]);
    assert_eq!(count(&mut feed), whole, "cut at {cut} of {}", bytes.len());
    feed.push(&bytes[cut..]);
    feed.finish();
    assert_eq!(count(&mut feed), frames.len() - whole);

    let torn = Cursor::new(bytes[..cut].to_vec());
    match Journal::resume(torn, options) {
        Ok((mut journal, resumed)) => {
            assert_eq!(journal.frames(), whole as u64);
            assert_eq!(resumed.frames, whole as u64);
            for frame in &frames[whole..] {
                journal.push(frame).expect("accepted before");
            }
            finished(journal, frames.len());
        }
        // The header was incomplete, so there is nothing to resume.
        Err(error) => assert!(whole == 0, "{error}"),
    }
    finished(journal, frames.len());
}

fn count(feed: &mut Feed) -> usize {
    let mut count = 0;
    while let Fed::Item(_) = feed.next_frame().expect("a journal") {
        count += 1;
    }
    count
}

fn finished(journal: Journal<Cursor<Vec<u8>>>, frames: usize) {
    let mut out = Vec::new();
    let written = journal.finish(Cursor::new(Vec::new()), &mut out);
    let written = written.expect("memory");
    assert_eq!(written.frames, frames as u64);
    assert_eq!(written.bytes, out.len() as u64);
    let file = butter::read(&out).expect("just written");
    assert_eq!(all(&file).map(|all| all.len()), Some(frames));
}
