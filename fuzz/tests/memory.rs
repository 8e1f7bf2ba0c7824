//! No input makes a reader allocate more than a small multiple of its size.
//!
//! One test alone in its program, because the allocator counts for the whole process.

use std::cell::Cell;
use std::hint::black_box;
use std::io::Cursor;

use gametape_core::feed::Fed;
use gametape_core::{Input, ReadOptions, Strictness};
use gametape_delta as delta;
use gametape_echo::{self as echo, butter, echoreplay};
use gametape_fuzz::{self as fuzz, near};
use gametape_mines::rmv;
use gametape_murk as murk;
use gametape_murk::engine::World;
use gametape_samples::echo::{Match, MatchOptions};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The most bytes that were held at once while `work` ran, over what was held before.
fn peak<T>(work: impl FnOnce() -> T) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    drop(work());
    MEMORY.peak_usage() - before
}

/// Inputs below this size are small: of larger ones, bytes are told for each byte of the input.
const SMALL: usize = 1 << 10;

/// The most that was allocated for some kinds of work.
struct Peaks<const N: usize> {
    of: &'static str,
    work: [&'static str; N],
    inputs: usize,
    small: [usize; N],
    per_byte: [f64; N],
}

impl<const N: usize> Peaks<N> {
    const fn new(of: &'static str, work: [&'static str; N]) -> Self {
        Self {
            of,
            work,
            inputs: 0,
            small: [0; N],
            per_byte: [0.0; N],
        }
    }

    /// Notes a peak of one kind of work on an input of this size.
    fn note(&mut self, work: usize, peak: usize, allowed: usize, size: usize) {
        let what = self.work[work];
        assert!(peak <= allowed, "{what}: {peak} bytes for {size}");
        if size < SMALL {
            self.small[work] = self.small[work].max(peak);
        } else {
            let per_byte = peak as f64 / size as f64;
            self.per_byte[work] = self.per_byte[work].max(per_byte);
        }
    }

    fn tell(&self) {
        eprintln!("{}: {} inputs", self.of, self.inputs);
        for ((work, small), per_byte) in self.work.iter().zip(self.small).zip(self.per_byte) {
            eprintln!(
                "  {work}: at most {small} bytes for a small one, {per_byte:.2} a byte of a large one"
            );
        }
    }
}

/// Both strictnesses, with each of these limits.
fn options<L: Copy, const N: usize>(limits: [L; N]) -> impl Iterator<Item = ReadOptions<L>> {
    [Strictness::Strict, Strictness::Lenient]
        .into_iter()
        .flat_map(move |strictness| limits.map(|limits| ReadOptions { strictness, limits }))
}

/// The seeds, and what is one step away from them.
fn near_all(seeds: &[Vec<u8>], mut visit: impl FnMut(&[u8])) {
    for (number, seed) in seeds.iter().enumerate() {
        near(number, seed, |_, data| visit(data));
    }
}

/// A large input, its first half, and the input with some of its bytes changed.
fn damaged(
    mut large: Vec<u8>,
    places: impl Iterator<Item = usize>,
    change: u8,
    mut visit: impl FnMut(&[u8]),
) {
    visit(&large);
    visit(&large[..large.len() / 2]);
    visit(&large[..large.len() - 1]);
    for at in places {
        large[at] ^= change;
        visit(&large);
        large[at] ^= change;
    }
}

/// Takes items until there are none; what they hold is dropped.
fn drain<T, E>(mut next: impl FnMut() -> Result<Option<T>, E>) {
    while let Ok(Some(item)) = next() {
        black_box(item);
    }
}

#[test]
fn memory_is_bounded() {
    rmv();
    murk();
    murk_beside();
    murk_worlds();
    delta();
    capture();
    echo_reading();
    echo_writing();
}

fn rmv() {
    let mut peaks = Peaks::new("rmv", ["a slice", "a stream"]);
    let mut measure = |data: &[u8]| {
        peaks.inputs += 1;
        let little = rmv::Limits {
            max_video_bytes: 64,
        };
        for options in options([rmv::Limits::DEFAULT, little]) {
            // The slice reader says that its memory does not depend on the input.
            let slice = peak(|| rmv::read_with(data, options));
            peaks.note(0, slice, 32 << 10, data.len());
            let stream = peak(|| rmv::read_from(data, options));
            peaks.note(1, stream, (8 * data.len()).max(1 << 20), data.len());
        }
    };
    near_all(&fuzz::rmv::seeds::recordings(), &mut measure);
    for large in fuzz::rmv::seeds::large_recordings() {
        // The fixed part, where all the sizes are.
        damaged(large, 0..30, 0xFF, &mut measure);
    }
    peaks.tell();
}

/// What a reader reads at a time, three times over: its buffer grows by copying.
const SMALL_STREAM: usize = 300_000;

/// Nothing for the header, nothing for frames, commands and payloads; an error has a box and a name.
fn murk_slice(data: &[u8], options: murk::ReadOptions) -> (usize, usize) {
    let failed = Cell::new(false);
    let all = peak(|| {
        let replay = murk::read_with(data, options).inspect_err(|_| failed.set(true))?;
        let mut frames = replay.frames();
        for frame in &mut frames {
            let frame = frame.inspect_err(|_| failed.set(true))?;
            for command in frame {
                black_box(command.payload()).ok();
            }
        }
        if !frames.findings().is_empty() {
            failed.set(true);
        }
        Ok::<_, murk::Error>(())
    });
    // A lenient reader has what stopped it in a list of findings, which starts with room for four.
    let allowed = match (failed.get(), options.is_lenient()) {
        (false, _) => 0,
        (true, false) => 400,
        (true, true) => 1000,
    };
    (all, allowed)
}

fn murk_feed(data: &[u8], options: murk::ReadOptions, size: usize) {
    let mut feed = murk::Feed::with_options(options);
    for piece in data.chunks(size) {
        feed.push(piece);
        while let Ok(Fed::Item(frame)) = feed.next_frame() {
            black_box(frame.tick);
        }
    }
    feed.finish();
    black_box(feed.next_frame().is_ok());
}

fn murk() {
    let mut peaks = Peaks::new("murk", ["a slice", "a stream", "fed by hand"]);
    let mut measure = |data: &[u8]| {
        peaks.inputs += 1;
        let size = data.len();
        for options in options([murk::Limits::DEFAULT, murk::Limits::NONE]) {
            let (slice, allowed) = murk_slice(data, options);
            peaks.note(0, slice, allowed, size);
            let stream = peak(|| {
                let mut reader = murk::Reader::with_options(data, options);
                drain(|| {
                    reader
                        .next_frame()
                        .map(|frame| frame.map(|frame| frame.tick))
                });
                reader
            });
            peaks.note(1, stream, (8 * size).max(SMALL_STREAM), size);
            // In pieces that a socket might give, and all at once.
            for piece in [1460, usize::MAX] {
                let feed = peak(|| murk_feed(data, options, piece));
                peaks.note(2, feed, 8 * size + 1000, size);
            }
        }
    };
    near_all(&fuzz::murk::seeds::recordings(), &mut measure);
    let claims = fuzz::murk::seeds::claims();
    assert!(claims.len() >= 8);
    for claim in &claims {
        measure(claim);
    }
    for large in fuzz::murk::seeds::large_recordings() {
        // The sizes at the beginning, and those of the first frame.
        let header = murk::read(&large).map_or(0, |replay| replay.header_size() as usize);
        damaged(
            large,
            (5..9).chain(header + 8..header + 17),
            0x03,
            &mut measure,
        );
    }
    peaks.tell();
}

/// What is said of a recording, with or without its index.
fn murk_beside() {
    let mut peaks = Peaks::new("murk, with its index", ["opened", "mended", "audited"]);
    let mut measure = |recording: &[u8], index: &[u8]| {
        peaks.inputs += 1;
        let size = recording.len();
        let opened = peak(|| {
            let index = murk::Index::open(index).ok()?;
            let _ = index.is_whole();
            let tick = index.entry(0).ok()?.map_or(0, |entry| entry.tick);
            black_box(index.find(tick).ok()?);
            let damages = index.damages(recording).map_while(Result::ok);
            Some(damages.filter(|one| one.bit().is_some()).count())
        });
        peaks.note(0, opened, 0, size);
        let mut copy = recording.to_vec();
        let mended = peak(|| {
            let index = murk::Index::open(index).ok()?;
            let _ = black_box(index.check(recording));
            let _ = black_box(index.frame(recording, 1));
            Some(index.mend(&mut copy))
        });
        peaks.note(1, mended, 16 * index.len() + 1000, size);
        let looked = peak(|| {
            let _ = black_box(murk::salvage(recording));
            murk::audit(recording)
        });
        peaks.note(2, looked, 8 * size + (32 << 10), size);
    };
    near_all(&fuzz::murk::seeds::with_indexes(), |data| {
        measure(data, data);
    });
    for large in fuzz::murk::seeds::large_recordings() {
        let replay = murk::read(&large).expect("a sound one");
        let mut index = murk::IndexBuilder::of(&replay).expect("a sound one");
        measure(&large, &index);
        // Every frame is another.
        for entry in index[48..].chunks_mut(20) {
            entry[16] ^= 1;
        }
        measure(&large, &index);
    }
    peaks.tell();
}

/// What is claimed is not reserved; a description that is refused has cost little.
fn murk_worlds() {
    let mut peaks = Peaks::new("murk, worlds", ["described", "built"]);
    let mut measure = |text: &[u8]| {
        peaks.inputs += 1;
        let read = peak(|| {
            let text = std::str::from_utf8(text).ok()?;
            let world = World::from_toml(text).ok()?;
            black_box(world.checker().is_ok());
            Some(world.canonical())
        });
        // Nested lists cost the TOML parser most: some 100 bytes a byte.
        peaks.note(0, read, 128 * text.len() + (64 << 10), text.len());
    };
    let claims = fuzz::murk::world::seeds::claims();
    let text = |seed: &Vec<u8>| seed.split(|&byte| byte == 0).next().map(<[u8]>::to_vec);
    let worlds: Vec<Vec<u8>> = (fuzz::murk::world::seeds::worlds().iter())
        .filter_map(text)
        .collect();
    for claim in &claims {
        measure(claim);
    }
    near_all(&worlds, measure);
    // The engine's own buffers are the same for all small worlds.
    for text in worlds.iter().chain(&claims) {
        let world = std::str::from_utf8(text).ok().map(World::from_toml);
        let Some(Ok(world)) = world else { continue };
        if world.cell_count() < 10_000 {
            // Three buffers of 64 MiB, which the system fills when they are used; and the queue.
            let allowed = (193 << 20) + 128 * world.max_ingress_queue as usize;
            peaks.note(1, peak(|| world.build()), allowed, text.len());
        }
    }
    peaks.tell();
}

fn delta() {
    let mut peaks = Peaks::new("delta", ["a header", "a state", "data"]);
    let mut measure = |data: &[u8]| {
        let Some((number, packet)) = data.split_first() else {
            return;
        };
        peaks.inputs += 1;
        let size = packet.len();
        let (schema, baseline) = fuzz::delta::known((number & 7).into());
        for options in options([delta::Limits::DEFAULT, delta::Limits::NONE]) {
            let decoder = delta::Decoder::with_options(&schema, options);
            peaks.note(0, peak(|| decoder.header(packet).is_ok()), 0, size);
            let empty = delta::Snapshot::new(&schema, 0);
            let mut sum = delta::Sizes::new(&schema);
            let applied = peak(|| {
                let mut state = empty.clone();
                let full = decoder.full(packet, &mut state).is_ok();
                (full, state)
            });
            let changed = peak(|| {
                let mut state = empty.clone();
                let delta = decoder.delta(&baseline, packet, &mut state).is_ok();
                (delta, state)
            });
            // A value of one bit becomes one of 64; vectors grow by copying. What the baseline
            // has is copied too.
            peaks.note(1, applied.max(changed), 100 * size + (16 << 10), size);
            let read = peak(|| decoder.packet(packet).is_ok());
            let counted = peak(|| sum.add(&decoder, packet).is_ok());
            peaks.note(2, read.max(counted), 300 * size + 1000, size);
        }
    };
    near_all(&fuzz::delta::seeds::packets(), &mut measure);
    for claim in fuzz::delta::seeds::claims() {
        measure(&claim);
    }
    for large in fuzz::delta::seeds::large() {
        damaged(large, std::iter::empty(), 0, &mut measure);
    }
    peaks.tell();
}

/// A capture whose chunks all claim one message index: what is listed stays in proportion.
fn capture() {
    let bytes = include_bytes!("../regressions/capture_read/shared-message-index");
    let listed = peak(|| {
        let capture = gametape_capture::read(bytes)?;
        capture.keyframes().map(|keyframes| keyframes.len())
    });
    assert!(
        listed <= 16 * bytes.len(),
        "{listed} bytes for {}",
        bytes.len()
    );
}

/// A limit of packed chunks that inputs can reach.
const ECHO_LIMITS: echo::Limits = echo::Limits {
    max_chunk_bytes: 1 << 16,
    max_line_bytes: 1 << 16,
    ..echo::Limits::DEFAULT
};

const SLICE_STREAM_FEED: [&str; 3] = ["a slice", "a stream", "fed by hand"];

/// Measures the three ways to read: `$next` of what `$open`s the input.
macro_rules! three_ways {
    ($peaks:ident, $data:ident, $options:ident, $slice:expr, $format:ident, $allowed:expr) => {
        let slice = peak(|| {
            let mut frames = $slice?;
            drain(|| frames.next_frame().map(|frame| frame.map(|_| ())));
            Some(frames)
        });
        let stream = peak(|| {
            let mut reader = $format::Reader::with_options($data, $options);
            drain(|| reader.next_frame().map(|frame| frame.map(|_| ())));
            reader
        });
        let feed = peak(|| {
            let mut feed = $format::Feed::with_options($options);
            for piece in $data.chunks(1460) {
                feed.push(piece);
                while let Ok(Fed::Item(frame)) = feed.next_frame() {
                    black_box(frame);
                }
            }
            feed
        });
        for (way, (peak, allowed)) in [slice, stream, feed].into_iter().zip($allowed).enumerate() {
            $peaks.note(way, peak, allowed, $data.len());
        }
    };
}

/// `limits` are those of the file: a packed one counts as what it may become.
fn butter_peaks(peaks: &mut Peaks<5>, data: &[u8], limits: echo::Limits) {
    peaks.inputs += 1;
    // Inflating takes some 200 KB. The smallest player of a frame is 4 bytes, and a frame has
    // some 1,000 for each, but for no more than three times 255.
    let size = data.len();
    let allowed = 16 * size + (1 << 20);
    for options in options([limits]) {
        let slice = || Some(butter::read_with(data, options).ok()?.frames());
        three_ways!(peaks, data, options, slice(), butter, [allowed; 3]);
    }
    let audit = peak(|| butter::audit_with(data, limits));
    peaks.note(3, audit, 2 * allowed, size);
    let input = Input::from(data.to_vec());
    let salvage = peak(|| {
        let (spool, mut out) = (Cursor::new(Vec::new()), Vec::new());
        let done = butter::salvage_to(&input, limits, spool, &mut out).is_ok();
        (done, out)
    });
    peaks.note(4, salvage, 2 * allowed, size);
}

fn text_peaks(peaks: &mut Peaks<3>, data: &[u8]) {
    peaks.inputs += 1;
    for options in options([ECHO_LIMITS]) {
        // A member is 7 bytes or more, and a player is `{},`.
        let allowed = 400 * data.len().min(1 << 16) + (64 << 10);
        let all = [allowed, allowed + (256 << 10), allowed];
        let slice = || Some(echoreplay::read_with(data, options));
        three_ways!(peaks, data, options, slice(), echoreplay, all);
    }
}

fn echo_reading() {
    // Threads that work on chunks keep what they have.
    let warm = butter::read(&fuzz::echo::seeds::butters()[0]).map(|file| file.index().len());
    black_box(warm.is_ok());
    let [slice, stream, feed] = SLICE_STREAM_FEED;
    let mut peaks = Peaks::new("butter", [slice, stream, feed, "audited", "salvaged"]);
    let mut texts = Peaks::new("echoreplay", SLICE_STREAM_FEED);
    near_all(&fuzz::echo::seeds::butters(), |data| {
        butter_peaks(&mut peaks, data, ECHO_LIMITS);
    });
    for claim in fuzz::echo::seeds::claims() {
        butter_peaks(&mut peaks, &claim, ECHO_LIMITS);
    }
    near_all(&fuzz::echo::seeds::texts(), |data| {
        text_peaks(&mut texts, data);
    });
    let [packed, plain, text] = fuzz::echo::seeds::large();
    for file in [packed, plain] {
        butter_peaks(&mut peaks, &file, echo::Limits::DEFAULT);
        butter_peaks(&mut peaks, &file[..file.len() / 2], echo::Limits::DEFAULT);
    }
    // A line of many players, and one of many members that nobody knows.
    let line = |json: String| format!("2022/01/02 03:00:00.000\t{json}\n").into_bytes();
    let players = vec!["{}"; 20_000].join(",");
    let players = line(format!(r#"{{"teams":[{{"players":[{players}]}}]}}"#));
    let members = line(format!("{{{}}}", vec![r#""a":0"#; 9000].join(",")));
    for large in [text, players, members] {
        text_peaks(&mut texts, &large);
    }
    peaks.tell();
    texts.tell();
}

/// What a writer holds does not grow with the match. (`bench` writes two hours of it.)
fn echo_writing() {
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
