//! Continuing an existing recording.

use std::fs;

use gametape_echo::{Frame, butter, echoreplay};
use gametape_record::echo::{RecordOptions, Recorded, record};

use super::game::{Game, a_match, answers, frames};
use super::{assert_same, butter_frames, lines, options, recorded};

/// Makes the file that a killed recorder leaves, cut anywhere.
#[test]
fn cut_anywhere_a_recording_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let played = a_match(1, 12);
    let (before, after) = played.split_at(6);
    // As the recorder has it before it finishes.
    let mut journal = std::io::Cursor::new(Vec::new());
    let mut ends = vec![0];
    {
        let mut writer = butter::Journal::new(&mut journal, butter::Options::default());
        for frame in before {
            writer.push(frame).unwrap();
            ends.push(writer.get_ref().get_ref().len());
        }
    }
    let journal = journal.into_inner();
    let mut text = Vec::new();
    let mut text_ends = vec![0];
    for frame in before {
        echoreplay::write_frame(frame, &mut text).unwrap();
        text_ends.push(text.len());
    }
    for (bytes, ends, name) in [
        (&journal, &ends, "match.butter"),
        (&text, &text_ends, "match.echoreplay"),
    ] {
        for (frames_there, end) in ends.iter().enumerate() {
            for cut in [*end, end + 1, end + 40] {
                let Some(left) = bytes.get(..cut) else {
                    continue;
                };
                let path = folder.path().join(name);
                fs::write(&path, left).unwrap();
                let game = Game::start(after.to_vec(), frames(after.len()));
                let again = RecordOptions {
                    resume: true,
                    ..options(&game, &path)
                };
                let (recorded, _) = recorded(&game, &again);
                assert_eq!(recorded.frames, 6, "{name} {cut}");
                assert_eq!(recorded.dropped, (cut - end) as u64, "{name} {cut}");
                assert_eq!(recorded.resumed, frames_there > 0);
                assert_eq!(recorded.files.len(), 1);
                let whole = [&before[..frames_there], after].concat();
                if name == "match.butter" {
                    assert_same(&butter_frames(&path), &whole);
                } else {
                    let expected: Vec<_> = whole.iter().map(answers).collect();
                    assert_eq!(lines(&path), expected);
                }
                fs::remove_file(&path).unwrap();
            }
        }
    }
}

#[test]
fn going_on_goes_on_in_the_right_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.butter");
    let resume = |played: Vec<Frame>| {
        let count = played.len();
        let game = Game::start(played, frames(count));
        let options = RecordOptions {
            resume: true,
            ..options(&game, &path)
        };
        record(&options, &game.over, |_| {})
    };
    let names = |recorded: &Recorded| -> Vec<String> {
        let names = recorded.files.iter();
        names
            .map(|file| file.path.file_name().unwrap().display().to_string())
            .collect()
    };
    // Without a file, it creates one.
    let first = resume(a_match(1, 4)).unwrap();
    assert_eq!(
        (names(&first), first.resumed),
        (vec!["match.butter".into()], false)
    );
    // Finished: the next file.
    let second = resume(a_match(1, 4)).unwrap();
    assert_eq!(names(&second), ["match.2.butter"]);
    // Unfinished, and another match: each in its own.
    let mut journal = butter::Journal::new(
        fs::File::create_new(folder.path().join("match.3.butter")).unwrap(),
        butter::Options::default(),
    );
    let there = a_match(3, 4);
    for frame in &there {
        journal.push(frame).unwrap();
    }
    drop(journal);
    let third = resume(a_match(4, 4)).unwrap();
    assert!(third.resumed);
    assert_eq!(names(&third), ["match.3.butter", "match.4.butter"]);
    assert_eq!((third.files[0].frames, third.files[1].frames), (0, 4));
    assert_same(&butter_frames(&third.files[0].path), &there);
    assert_same(&butter_frames(&third.files[1].path), &a_match(4, 4));
    // A file that is not a recording is left alone.
    fs::write(folder.path().join("match.5.butter"), [9; 100]).unwrap();
    let error = resume(a_match(1, 4)).unwrap_err();
    assert!(
        error.message().starts_with("can't be continued: "),
        "{error}"
    );
    assert_eq!(
        fs::read(folder.path().join("match.5.butter")).unwrap(),
        [9; 100]
    );
}
