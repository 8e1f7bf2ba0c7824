//! Converting the text of .echoreplay to frames, compared with the JSON library's own parsing of
//! the same text.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use gametape_echo::{Game, echoreplay};
use gametape_samples::echo::Match;

use super::best;
use super::frames::options;
use crate::alloc;

/// The number of rounds of a case, all contenders in turns; the fastest round of each counts.
const ROUNDS: u32 = 5;

/// The number of lines in a text: too many for the cache, as in a real recording.
const LINES: usize = 1000;

/// The lines of an invented match.
pub(super) fn text(game: Game, bones: bool, lines: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for frame in Match::new(options(game, bones, lines)) {
        echoreplay::write_frame(&frame, &mut text).expect("finite numbers");
    }
    text
}

/// A real frame from the game, as one line; `None` if there is no such file next to the repository.
fn real() -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/tapes/echo");
    let file = folder.join("example_frame_2021-11-20.json");
    let text = std::fs::read_to_string(file).ok()?;
    let value: sonic_rs::Value = sonic_rs::from_str(&text).ok()?;
    let line = sonic_rs::to_string(&value).ok()?;
    let line = format!("2021/11/20 03:00:00.000\t{line}\r\n");
    Some(line.repeat(LINES).into_bytes())
}

/// Makes a text, if it is available.
type Text = dyn Fn() -> Option<Vec<u8>>;

pub(super) fn run(wants: &dyn Fn(&str) -> bool) {
    let texts: [(&str, &Text); 5] = [
        ("arena-plain", &|| Some(text(Game::Arena, false, LINES))),
        ("arena-bones", &|| Some(text(Game::Arena, true, LINES))),
        ("combat-plain", &|| Some(text(Game::Combat, false, LINES))),
        ("combat-bones", &|| Some(text(Game::Combat, true, LINES))),
        ("real-frame", &real),
    ];
    for (name, text) in texts {
        let title = format!("echo-json/{name}");
        if !wants(&title) {
            continue;
        }
        match text() {
            Some(text) => measure(&title, &text),
            None => eprintln!("SKIPPED: no real frame beside the repository"),
        }
    }
}

/// Times all contenders on the same lines, in turns.
fn measure(title: &str, text: &[u8]) {
    let lines: Vec<(&[u8], Option<&[u8]>)> = echoreplay::read(text)
        .map(|line| line.expect("a line"))
        .map(|line| (line.session, line.bones))
        .collect();
    let ours = || {
        let mut lines = echoreplay::read(black_box(text));
        while let Some(frame) = lines.next_frame().expect("sound") {
            black_box(frame);
        }
    };
    ours();
    let allocations = alloc::count(ours).1.calls;
    let each = |parse: &dyn Fn(&[u8])| {
        for (session, bones) in black_box(&lines) {
            parse(session);
            if let Some(bones) = bones {
                parse(bones);
            }
        }
    };
    let value = |json: &[u8]| {
        drop(black_box(
            sonic_rs::from_slice::<sonic_rs::Value>(json).expect("sound"),
        ));
    };
    let ignored = |json: &[u8]| {
        black_box(sonic_rs::from_slice::<serde::de::IgnoredAny>(json).expect("sound"));
    };
    let lazy = |json: &[u8]| {
        black_box(sonic_rs::from_slice::<sonic_rs::LazyValue<'_>>(json).expect("sound"));
    };
    let mut times = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        let round = [
            best(1, ours),
            best(1, || each(&value)),
            best(1, || each(&ignored)),
            best(1, || each(&lazy)),
        ];
        for (time, now) in times.iter_mut().zip(round) {
            *time = now.min(*time);
        }
    }
    let speed = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
    let [ours, value, ignored, lazy] = times.map(speed);
    println!(
        "{title} ours={ours:.0} value={value:.0} ignored={ignored:.0} lazy={lazy:.0} MB/s \
         ratio={:.2} bytes/line={} frames/s={:.0} allocations/frame={:.4}",
        ours / value,
        text.len() / lines.len(),
        ours * 1e6 / (text.len() / lines.len()) as f64,
        allocations as f64 / lines.len() as f64,
    );
}
