//! Bytes per frame with every compression, compared with the zipped text; and the errors of bones.

use std::io::Cursor;

use gametape_echo::butter::{self, Compression, Options};
use gametape_echo::echoreplay::ZipWriter;
use gametape_echo::loss::FieldErrors;
use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

use super::frames::options;

/// The number of frames in each recording: three minutes at 10 Hz, half a minute at 60 Hz.
const FRAMES: usize = 1800;

pub(super) fn run(wants: &dyn Fn(&str) -> bool) {
    for (game, name) in [(Game::Arena, "arena"), (Game::Combat, "combat")] {
        for bones in [false, true] {
            for rate_hz in [10, 30, 60] {
                let kind = if bones { "bones" } else { "plain" };
                let title = format!("echo-size/{name}-{kind}-{rate_hz}Hz");
                if wants(&title) {
                    let options = MatchOptions {
                        rate_hz,
                        joins: true,
                        ..options(game, bones, FRAMES)
                    };
                    let frames: Vec<Frame> = Match::new(options).collect();
                    measure(&title, &frames);
                    if bones {
                        errors(&title, &frames);
                    }
                }
            }
        }
    }
}

fn measure(title: &str, frames: &[Frame]) {
    let count = frames.len() as f64;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", 6).expect("memory");
    for frame in frames {
        zip.push(frame).expect("finite numbers");
    }
    let zip = zip.finish().expect("memory").into_inner().len();
    print!("{title} zip={:.1}", zip as f64 / count);
    for compression in Compression::ALL {
        let options = Options {
            keyframe_interval: 300,
            compression,
        };
        let bytes = butter::write(frames, options).expect("ten players").len();
        print!(" {}={:.1}", compression.name(), bytes as f64 / count);
    }
    println!(" bytes/frame");
}

/// The errors of bones after writing and reading a match: millimetres and degrees, mean and worst.
fn errors(title: &str, frames: &[Frame]) {
    let options = Options {
        keyframe_interval: 300,
        compression: Compression::None,
    };
    let bytes = butter::write(frames, options).expect("ten players");
    let file = butter::read(&bytes).expect("just written");
    let mut read = file.frames();
    let mut errors = FieldErrors::new();
    for frame in frames {
        let stored = read.next_frame().expect("just written");
        errors.push(frame, stored.expect("as many frames"));
    }
    let report = errors.report();
    let of = |field: &str| report.numbers.iter().find(|number| number.field == field);
    let (position, rotation) = (of("bone position"), of("bone rotation"));
    let (position, rotation) = (position.expect("bones"), rotation.expect("bones"));
    println!(
        "{title}-error bytes/frame={:.1} position_mm={:.2} worst={:.2} \
             rotation_deg={:.3} worst={:.3}",
        bytes.len() as f64 / frames.len() as f64,
        position.mean_error * 1e3,
        position.max_error * 1e3,
        rotation.mean_error,
        rotation.max_error,
    );
}
