//! The size and the errors of bones, compared with the reference.

use gametape_echo::butter::{self, Compression, Mode};
use gametape_echo::loss::FieldErrors;
use gametape_echo::{Frame, Game};
use gametape_samples::echo::MatchOptions;

use crate::common::{frames_of, options, write};

/// The sizes, and the errors of bones' positions and rotations, mean and largest.
fn of(frames: &[Frame], mode: Mode) -> (Vec<usize>, Vec<[f64; 2]>) {
    let size = |compression| write(frames, options(mode, 300, compression)).len();
    let sizes = [Compression::None, Compression::Gzip, Compression::Zstd7].map(size);
    let bytes = write(frames, options(mode, 300, Compression::None));
    let file = butter::read(&bytes).unwrap();
    let mut read = file.frames();
    let mut errors = FieldErrors::new();
    for frame in frames {
        errors.push(frame, read.next_frame().unwrap().unwrap());
    }
    let report = errors.report();
    let bones = report
        .numbers
        .iter()
        .filter(|number| number.field.starts_with("bone"));
    let bones: Vec<_> = bones
        .inspect(|number| assert!(mode == Mode::Compat || number.beyond == 0, "{number:?}"))
        .map(|number| [number.mean_error, number.max_error])
        .collect();
    assert_eq!(bones.len(), 2);
    (sizes.to_vec(), bones)
}

#[test]
fn bones_are_smaller_and_nearer_than_the_references() {
    for game in [Game::Arena, Game::Combat] {
        for rate_hz in [10, 30, 60] {
            for seed in 4..7 {
                let frames = frames_of(MatchOptions {
                    seed,
                    game,
                    rate_hz,
                    bones: true,
                    frames: Some(600),
                    ..MatchOptions::default()
                });
                let what = format!("{game:?}, {rate_hz} Hz, seed {seed}");
                let (correct, near) = of(&frames, Mode::Correct);
                let (compat, far) = of(&frames, Mode::Compat);
                for (ours, theirs) in correct.iter().zip(&compat) {
                    assert!(ours < theirs, "{what}: {correct:?} {compat:?}");
                }
                for (ours, theirs) in near.iter().flatten().zip(far.iter().flatten()) {
                    // A tenth of it at 30 Hz and more, half of it at 10 Hz.
                    assert!(ours * 1.5 < *theirs, "{what}: {near:?} {far:?}");
                }
            }
        }
    }
}
