//! Recordings of Echo VR.

use std::hint::black_box;

use gametape_core::{Input, Strictness};
use gametape_echo::{self as echo, butter, echoreplay};
use gametape_fuzz::near;
use gametape_samples::echo::{Match, MatchOptions};

use super::peak;

/// What a packed chunk may become.
const CHUNK: usize = 1 << 16;

const ECHO_LIMITS: echo::Limits = echo::Limits {
    max_chunk_bytes: CHUNK as u64,
    max_line_bytes: 1 << 16,
    ..echo::Limits::DEFAULT
};

const BOTH: [Strictness; 2] = [Strictness::Strict, Strictness::Lenient];

#[derive(Default)]
struct EchoPeaks {
    inputs: usize,
    /// A .butter: slice, source, fed by hand; looked at; mended. A text: the three ways.
    most: [usize; 8],
}

impl EchoPeaks {
    fn note(&mut self, way: usize, peak: usize, allowed: usize, bytes: usize) {
        assert!(peak <= allowed, "way {way}: {peak} bytes for {bytes}");
        self.most[way] = self.most[way].max(peak);
    }

    /// `limits` are those of the file: a packed one counts as what it may become.
    fn butter(&mut self, data: &[u8], limits: echo::Limits) {
        self.inputs += 1;
        // Inflating takes some 200 KB. The smallest player of a frame is 4 bytes, and a frame has
        // some 1,000 for each, but for no more than three times 255.
        let size = data.len();
        let allowed = 16 * size + (1 << 20);
        for strictness in BOTH {
            let options = echo::ReadOptions { strictness, limits };
            let slice = peak(|| {
                let mut frames = butter::read_with(data, options).ok()?.frames();
                while let Ok(Some(frame)) = frames.next_frame() {
                    black_box(frame);
                }
                Some(frames)
            });
            self.note(0, slice, allowed, size);
            let reader = peak(|| {
                let mut reader = butter::Reader::with_options(data, options);
                while let Ok(Some(frame)) = reader.next_frame() {
                    black_box(frame);
                }
                reader
            });
            self.note(1, reader, allowed, size);
            let feed = peak(|| {
                let mut feed = butter::Feed::with_options(options);
                for piece in data.chunks(1460) {
                    feed.push(piece);
                    while let Ok(echo::Fed::Item(frame)) = feed.next_frame() {
                        black_box(frame);
                    }
                }
                feed
            });
            self.note(2, feed, allowed, size);
        }
        let audit = peak(|| butter::audit_with(data, limits));
        self.note(3, audit, 2 * allowed, size);
        let input = Input::from(data.to_vec());
        let salvage = peak(|| {
            let (spool, mut out) = (std::io::Cursor::new(Vec::new()), Vec::new());
            let done = butter::salvage_to(&input, limits, spool, &mut out).is_ok();
            (done, out)
        });
        self.note(4, salvage, 2 * allowed, size);
    }

    fn text(&mut self, data: &[u8]) {
        self.inputs += 1;
        for strictness in BOTH {
            let limits = ECHO_LIMITS;
            let options = echo::ReadOptions { strictness, limits };
            // A member is 7 bytes or more, and a player is `{},`.
            let allowed = 400 * data.len().min(1 << 16) + (64 << 10);
            let slice = peak(|| {
                let mut lines = echoreplay::read_with(data, options);
                while let Ok(Some(frame)) = lines.next_frame() {
                    black_box(frame);
                }
                lines
            });
            self.note(5, slice, allowed, data.len());
            let reader = peak(|| {
                let mut reader = echoreplay::Reader::with_options(data, options);
                while let Ok(Some(frame)) = reader.next_frame() {
                    black_box(frame);
                }
                reader
            });
            self.note(6, reader, allowed + (256 << 10), data.len());
            let feed = peak(|| {
                let mut feed = echoreplay::Feed::with_options(options);
                for piece in data.chunks(1460) {
                    feed.push(piece);
                    while let Ok(echo::Fed::Item(frame)) = feed.next_frame() {
                        black_box(frame);
                    }
                }
                feed
            });
            self.note(7, feed, allowed, data.len());
        }
    }
}

pub fn reading() {
    // Threads that work on chunks keep what they have.
    let warm =
        butter::read(&gametape_fuzz::echo::seeds::butters()[0]).map(|file| file.index().len());
    black_box(warm.is_ok());
    let mut peaks = EchoPeaks::default();
    for (number, seed) in gametape_fuzz::echo::seeds::butters().iter().enumerate() {
        near(number, seed, |_, data| peaks.butter(data, ECHO_LIMITS));
    }
    for claim in gametape_fuzz::echo::seeds::claims() {
        peaks.butter(&claim, ECHO_LIMITS);
    }
    for (number, seed) in gametape_fuzz::echo::seeds::texts().iter().enumerate() {
        near(number, seed, |_, data| peaks.text(data));
    }
    let small = peaks.most;
    let mut large = EchoPeaks::default();
    let [packed, plain, text] = gametape_fuzz::echo::seeds::large();
    for file in [packed, plain] {
        large.butter(&file, echo::Limits::DEFAULT);
        large.butter(&file[..file.len() / 2], echo::Limits::DEFAULT);
    }
    large.text(&text);
    // A line of many players, and one of many members that nobody knows.
    let line = |json: String| format!("2022/01/02 03:00:00.000\t{json}\n");
    let players = vec!["{}"; 20_000].join(",");
    large.text(line(format!(r#"{{"teams":[{{"players":[{players}]}}]}}"#)).as_bytes());
    let members = vec![r#""a":0"#; 9000].join(",");
    large.text(line(format!("{{{members}}}")).as_bytes());
    eprintln!(
        "echo: {} inputs: at most {small:?} bytes for small ones, {:?} for large ones (.butter: a \
         slice, a source, fed by hand, audited, salvaged; text: a slice, a source, fed by hand)",
        peaks.inputs + large.inputs,
        large.most
    );
}

/// What a writer holds does not grow with the match. (`bench` writes two hours of it.)
pub fn writing() {
    let minutes = |minutes: u64| {
        let options = MatchOptions {
            rate_hz: 60,
            bones: true,
            frames: Some(minutes * 3600),
            ..MatchOptions::default()
        };
        peak(|| {
            let spool = tempfile::tempfile().expect("a temporary file");
            let mut out = tempfile::tempfile().expect("a temporary file");
            let mut writer = butter::Writer::new(spool, butter::Options::default());
            let mut game = Match::new(options);
            let mut frame = echo::Frame::default();
            while game.next_into(&mut frame) {
                writer.push(&frame).expect("few players");
            }
            writer.finish(&mut out).expect("space").frames
        })
    };
    let (short, long) = (minutes(1), minutes(10));
    eprintln!("echo: {short} bytes to write a minute with bones, {long} for ten");
    // Ten times the table of chunks, and no more.
    assert!(long <= short + short / 4 + (64 << 10), "{short}, {long}");
    assert!(long < 64 << 20, "{long}");
}
