//! Kills and resumes a recorder.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use gametape_murk::{Frame, Replay, ResumeError, Writer, read};

/// A recording that was cut anywhere continues after its last complete frame, and ends as if
/// nothing had happened; if its commands are of unknown types, it is resumed with knowledge of the
/// frame that was cut. A recording with any other damage is refused and left unchanged.
pub(super) fn check(replay: &Replay<'_>, frames: &[Frame<'_>], whole: &[u8], cut: usize) {
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
