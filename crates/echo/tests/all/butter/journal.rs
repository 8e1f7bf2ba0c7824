//! Recording live. That a file is read and gone on with wherever it is cut is the promise of the fuzz check
//! `butter_roundtrip`.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use crate::common::{
    check_correct, everybody, frames_of, journal, match_options, options, read_all, write,
};
use gametape_echo::butter::{self, Compression, Journal};
use gametape_echo::{Frame, Output, Player, ReadOptions, WriteError};
use gametape_samples::echo::MatchOptions;

/// A match in which two players join, one of them twice, and one leaves.
fn joining(frames: u64) -> Vec<Frame> {
    let mut frames = frames_of(MatchOptions {
        players_per_team: 1,
        rate_hz: 30,
        joins: false,
        ..match_options(0, frames)
    });
    for (at, frame) in frames.iter_mut().enumerate() {
        let mut join = |userid: u64, name: &str| {
            frame.session.teams[1].players.push(Player {
                name: name.into(),
                userid,
                number: 7,
                level: 50,
                ..Player::default()
            });
        };
        if at >= 5 {
            join(70, "Quinn");
        }
        if (8..11).contains(&at) || at > 13 {
            join(71, "Робин");
        }
    }
    frames
}

/// Checks a recording against its frames. A name outside ASCII has no letters there.
fn check(frames: &[Frame], bytes: &[u8], what: &str) {
    let mut frames = frames.to_vec();
    for player in frames.iter_mut().flat_map(everybody) {
        if !player.name.is_ascii() {
            player.name = "?????".into();
        }
    }
    check_correct(&frames, bytes, what);
}

fn finish<F: Read + Seek + Output>(journal: Journal<F>) -> Vec<u8> {
    let mut out = Vec::new();
    let written = journal.finish(Cursor::new(Vec::new()), &mut out).unwrap();
    assert_eq!(written.bytes, out.len() as u64);
    out
}

const OPTIONS: butter::Options = butter::Options {
    keyframe_interval: 6,
    compression: Compression::Zstd3,
};

#[test]
fn finished_it_is_as_if_written_at_once_but_for_keyframes_where_players_join() {
    let frames = joining(5);
    let (bytes, _) = journal(&frames, OPTIONS);
    let (journal, _) = Journal::resume(Cursor::new(bytes), OPTIONS).unwrap();
    assert_eq!(finish(journal), write(&frames, OPTIONS));
    assert!(finish(Journal::new(Cursor::new(Vec::new()), OPTIONS)).is_empty());
}

#[test]
fn finished_files_and_other_files_are_not_resumed() {
    let frames = joining(6);
    for compression in [Compression::None, Compression::Zstd3] {
        let bytes = write(&frames, options(4, compression));
        let error = Journal::resume(Cursor::new(bytes), OPTIONS).unwrap_err();
        assert_eq!(error.code(), "butter.finished");
    }
    let error = Journal::resume(Cursor::new(b"{\"err_code\":-6}".to_vec()), OPTIONS).unwrap_err();
    assert_eq!(error.code(), "butter.version");
    // An empty file is a recording that has not begun.
    assert_eq!(
        Journal::resume(Cursor::new(Vec::new()), OPTIONS)
            .unwrap()
            .0
            .frames(),
        0
    );
}

/// A disk with room for so many bytes; room comes back when it is told.
struct Full {
    file: Cursor<Vec<u8>>,
    room: usize,
}

impl Read for Full {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.file.read(to)
    }
}

impl Write for Full {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let left = self.room.saturating_sub(self.file.get_ref().len());
        if left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write(&from[..left.min(from.len())])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Output for Full {
    fn take_back(&mut self, bytes: u64) -> io::Result<()> {
        self.file.take_back(bytes)
    }
}

#[test]
fn a_write_that_fails_loses_nothing_else() {
    let frames = joining(18);
    let (bytes, _) = journal(&frames, OPTIONS);
    for room in (0..bytes.len()).step_by(3) {
        let mut file = Full {
            file: Cursor::new(Vec::new()),
            room,
        };
        let mut journal = Journal::new(&mut file, OPTIONS);
        let mut kept = Vec::new();
        for frame in &frames {
            match journal.push(frame) {
                Ok(()) => kept.push(frame.clone()),
                Err(WriteError::Io(error)) => assert_eq!(error.kind(), io::ErrorKind::StorageFull),
                Err(error) => panic!("{error}"),
            }
        }
        assert!(kept.len() < frames.len());
        assert_eq!(journal.frames(), kept.len() as u64);
        drop(journal);
        // What was kept can be read, though half a frame may lie after it.
        let read = read_all(file.file.get_ref(), ReadOptions::lenient());
        assert_eq!(read.frames.len(), kept.len());
        // There is room again, and the frame that failed is tried again.
        let mut journal = Journal::new(
            Full {
                file: Cursor::new(Vec::new()),
                room,
            },
            OPTIONS,
        );
        let mut failed = 0;
        for frame in &frames {
            if journal.push(frame).is_err() {
                failed += 1;
                // Room for good, after the first failure.
                journal = {
                    let mut bytes = journal.get_ref().file.get_ref().clone();
                    let (mut grown, _) = Journal::resume(
                        Full {
                            file: Cursor::new(std::mem::take(&mut bytes)),
                            room: usize::MAX,
                        },
                        OPTIONS,
                    )
                    .unwrap();
                    grown.push(frame).unwrap();
                    grown
                };
            }
        }
        assert_eq!(failed, 1);
        let live = journal.get_ref().file.get_ref().clone();
        check(&frames, &live, &format!("room {room}"));
        check(&frames, &finish(journal), &format!("room {room}, finished"));
    }
}

#[test]
fn the_same_journal_goes_on_after_a_failed_write() {
    // Also where the frame that failed was to tell of a new player.
    struct Stumbles(Cursor<Vec<u8>>, u32);
    impl Read for Stumbles {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.0.read(to)
        }
    }
    impl Write for Stumbles {
        fn write(&mut self, from: &[u8]) -> io::Result<usize> {
            self.1 += 1;
            // Each frame fails once, after half of it.
            match self.1 % 3 {
                1 => self.0.write(&from[..from.len() / 2]),
                2 => Err(io::Error::other("stumbled")),
                _ => self.0.write(from),
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Stumbles {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }
    impl Output for Stumbles {
        fn take_back(&mut self, bytes: u64) -> io::Result<()> {
            self.0.take_back(bytes)
        }
    }
    let frames = joining(18);
    let mut journal = Journal::new(Stumbles(Cursor::new(Vec::new()), 0), OPTIONS);
    for (at, frame) in frames.iter().enumerate() {
        journal.push(frame).unwrap_err();
        assert_eq!(journal.frames(), at as u64);
        journal.push(frame).unwrap();
    }
    let live = journal.get_ref().0.get_ref().clone();
    check(&frames, &live, "stumbling");
    check(&frames, &finish(journal), "stumbling, finished");
}
