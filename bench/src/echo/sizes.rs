//! Bytes a frame: every compression, both modes, beside the zipped text.

use std::io::Cursor;

use gametape_echo::butter::{self, Compression, Mode, Options};
use gametape_echo::echoreplay::ZipWriter;
use gametape_echo::{Frame, Game};
use gametape_samples::echo::{Match, MatchOptions};

use super::frames::options;

/// As many frames as each recording has: three minutes at 10 Hz, half a minute at 60.
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
                    measure(&title, &Match::new(options).collect::<Vec<Frame>>(), bones);
                }
            }
        }
    }
}

fn measure(title: &str, frames: &[Frame], bones: bool) {
    let count = frames.len() as f64;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()), "match.echoreplay", 6).expect("memory");
    for frame in frames {
        zip.push(frame).expect("finite numbers");
    }
    let zip = zip.finish().expect("memory").into_inner().len();
    print!("{title} zip={:.1}", zip as f64 / count);
    for compression in Compression::ALL {
        let [correct, compat] = [Mode::Correct, Mode::Compat].map(|mode| {
            let options = Options {
                mode,
                keyframe_interval: 300,
                compression,
            };
            butter::write(frames, options).expect("ten players").len()
        });
        print!(
            " {}={:.1}/{:.1}",
            compression.name(),
            correct as f64 / count,
            compat as f64 / count
        );
        if !bones && correct > compat && compression != Compression::None {
            print!("(!)");
        }
    }
    println!(" bytes/frame correct/compat");
}
