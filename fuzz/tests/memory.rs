//! No input makes a reader allocate more than a small multiple of its size.
//!
//! One test alone in its program, because the allocator counts for the whole process.

#[path = "memory/echo.rs"]
mod echo;

use std::cell::Cell;
use std::hint::black_box;

use gametape_delta as delta;
use gametape_fuzz::near;
use gametape_mines::rmv::{Limits, ReadOptions, Strictness, read_from, read_with};
use gametape_murk as murk;
use gametape_murk::engine::World;
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

#[derive(Default)]
struct Peaks {
    inputs: usize,
    slice: usize,
    /// Of inputs below 1 MiB, and per byte of the others.
    stream: usize,
    stream_per_byte: f64,
}

impl Peaks {
    fn measure(&mut self, data: &[u8]) {
        self.inputs += 1;
        let allowed = (8 * data.len()).max(1 << 20);
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            for limits in [
                Limits::DEFAULT,
                Limits {
                    max_video_bytes: 64,
                },
            ] {
                let options = ReadOptions { strictness, limits };
                // The slice reader says that its memory does not depend on the input.
                let slice = peak(|| read_with(data, options));
                assert!(
                    slice <= 32 << 10,
                    "{slice} bytes for a slice of {}",
                    data.len()
                );
                let stream = peak(|| read_from(data, options));
                assert!(
                    stream <= allowed,
                    "{stream} bytes for a stream of {}",
                    data.len()
                );
                self.slice = self.slice.max(slice);
                if data.len() < 1 << 17 {
                    self.stream = self.stream.max(stream);
                } else {
                    let per_byte = stream as f64 / data.len() as f64;
                    self.stream_per_byte = self.stream_per_byte.max(per_byte);
                }
            }
        }
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
    echo::reading();
    echo::writing();
}

fn rmv() {
    let mut peaks = Peaks::default();
    for (number, seed) in gametape_fuzz::rmv::seeds::recordings().iter().enumerate() {
        near(number, seed, |_, data| peaks.measure(data));
    }
    for mut large in gametape_fuzz::rmv::seeds::large_recordings() {
        peaks.measure(&large);
        peaks.measure(&large[..large.len() / 2]);
        // The fixed part, where all the sizes are.
        for at in 0..30 {
            large[at] ^= 0xFF;
            peaks.measure(&large);
            large[at] ^= 0xFF;
        }
    }
    eprintln!(
        "rmv: {} inputs: at most {} bytes for a slice, {} for a small stream, {:.2} a byte of a large one",
        peaks.inputs, peaks.slice, peaks.stream, peaks.stream_per_byte
    );
}

/// What a reader reads at a time, three times over: its buffer grows by copying.
const SMALL_STREAM: usize = 300_000;

#[derive(Default)]
struct MurkPeaks {
    inputs: usize,
    slice: usize,
    /// Of inputs below 1 KiB, and per byte of those above 128 KiB.
    reader: usize,
    reader_per_byte: f64,
    feed: usize,
    feed_per_byte: f64,
}

impl MurkPeaks {
    fn measure(&mut self, data: &[u8]) {
        self.inputs += 1;
        for strictness in [murk::Strictness::Strict, murk::Strictness::Lenient] {
            for limits in [murk::Limits::DEFAULT, murk::Limits::NONE] {
                let options = murk::ReadOptions { strictness, limits };
                self.slice = self.slice.max(slice(data, options));
                let allowed = (8 * data.len()).max(SMALL_STREAM);
                let reader = peak(|| reader(data, options));
                assert!(reader <= allowed, "{reader} bytes for {}", data.len());
                // In pieces that a socket might give, and all at once.
                for size in [1460, usize::MAX] {
                    let feed = peak(|| feed(data, options, size));
                    let allowed = 8 * data.len() + 1000;
                    assert!(feed <= allowed, "{feed} bytes for {}", data.len());
                    if data.len() < 1 << 10 {
                        self.feed = self.feed.max(feed);
                    } else {
                        let per_byte = feed as f64 / data.len() as f64;
                        self.feed_per_byte = self.feed_per_byte.max(per_byte);
                    }
                }
                if data.len() < 1 << 10 {
                    self.reader = self.reader.max(reader);
                } else if data.len() > 1 << 17 {
                    let per_byte = reader as f64 / data.len() as f64;
                    self.reader_per_byte = self.reader_per_byte.max(per_byte);
                }
            }
        }
    }
}

/// Nothing for the header, nothing for frames, commands and payloads; an error has a box and a name.
fn slice(data: &[u8], options: murk::ReadOptions) -> usize {
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
    assert!(all <= allowed, "{all} bytes for a slice of {}", data.len());
    all
}

fn reader(data: &[u8], options: murk::ReadOptions) {
    let mut reader = murk::Reader::with_options(data, options);
    while let Ok(Some(frame)) = reader.next_frame() {
        black_box(frame.tick);
    }
}

fn feed(data: &[u8], options: murk::ReadOptions, size: usize) {
    let mut feed = murk::Feed::with_options(options);
    for piece in data.chunks(size) {
        feed.push(piece);
        while let Ok(murk::Fed::Item(frame)) = feed.next_frame() {
            black_box(frame.tick);
        }
    }
    feed.finish();
    black_box(feed.next_frame().is_ok());
}

fn murk() {
    let mut peaks = MurkPeaks::default();
    for (number, seed) in gametape_fuzz::murk::seeds::recordings().iter().enumerate() {
        near(number, seed, |_, data| peaks.measure(data));
    }
    let claims = gametape_fuzz::murk::seeds::claims();
    assert!(claims.len() >= 8);
    for claim in claims {
        peaks.measure(&claim);
    }
    for mut large in gametape_fuzz::murk::seeds::large_recordings() {
        peaks.measure(&large);
        peaks.measure(&large[..large.len() / 2]);
        peaks.measure(&large[..large.len() - 1]);
        // The sizes at the beginning, and those of the first frame.
        let header = murk::read(&large).map_or(0, |replay| replay.header_size() as usize);
        for at in (5..9).chain(header + 8..header + 17) {
            large[at] ^= 0x03;
            peaks.measure(&large);
            large[at] ^= 0x03;
        }
    }
    eprintln!(
        "murk: {} inputs: at most {} bytes for a slice, {} for a small stream, {:.2} a byte of a \
         large one, {} for a small one fed by hand, {:.2} a byte of a large one",
        peaks.inputs,
        peaks.slice,
        peaks.reader,
        peaks.reader_per_byte,
        peaks.feed,
        peaks.feed_per_byte
    );
}

/// What is said of a recording, with or without its index.
fn murk_beside() {
    let mut peaks = [0.0_f64; 2];
    let mut inputs = 0;
    let mut measure = |data: &[u8], recording: &[u8], index: &[u8]| {
        inputs += 1;
        let size = data.len() as f64;
        let opened = peak(|| {
            let index = murk::Index::open(index).ok()?;
            let _ = index.is_whole();
            let tick = index.entry(0).ok()?.map_or(0, |entry| entry.tick);
            black_box(index.find(tick).ok()?);
            let damages = index.damages(recording).map_while(Result::ok);
            Some(damages.filter(|one| one.bit().is_some()).count())
        });
        assert_eq!(opened, 0, "an index is borrowed");
        let mut copy = recording.to_vec();
        let mended = peak(|| {
            let index = murk::Index::open(index).ok()?;
            let _ = black_box(index.check(recording));
            let _ = black_box(index.frame(recording, 1));
            Some(index.mend(&mut copy))
        });
        assert!(mended <= 16 * index.len() + 1000, "{mended} for {size}");
        let looked = peak(|| {
            let _ = black_box(murk::salvage(recording));
            murk::audit(recording)
        });
        assert!(
            looked <= 8 * recording.len() + (32 << 10),
            "{looked} for {size}"
        );
        if data.len() > 1 << 17 {
            peaks[0] = peaks[0].max(mended as f64 / size);
            peaks[1] = peaks[1].max(looked as f64 / size);
        }
    };
    for (number, seed) in gametape_fuzz::murk::seeds::with_indexes()
        .iter()
        .enumerate()
    {
        near(number, seed, |_, data| measure(data, data, data));
    }
    for large in gametape_fuzz::murk::seeds::large_recordings() {
        let replay = murk::read(&large).expect("a sound one");
        let mut index = murk::IndexBuilder::of(&replay).expect("a sound one");
        measure(&large, &large, &index);
        // Every frame is another.
        for entry in index[48..].chunks_mut(20) {
            entry[16] ^= 1;
        }
        measure(&large, &large, &index);
    }
    eprintln!(
        "murk: {inputs} inputs: {:.2} a byte to mend a large one, {:.2} to audit it",
        peaks[0], peaks[1]
    );
}

/// What is claimed is not reserved; a description that is refused has cost little.
fn murk_worlds() {
    let (mut inputs, mut most, mut built) = (0, 0, 0);
    let mut measure = |text: &[u8]| {
        inputs += 1;
        let read = peak(|| {
            let text = std::str::from_utf8(text).ok()?;
            let world = World::from_toml(text).ok()?;
            black_box(world.checker().is_ok());
            Some(world.canonical())
        });
        // Nested lists cost the TOML parser most: some 100 bytes a byte.
        let allowed = 128 * text.len() + (64 << 10);
        assert!(read <= allowed, "{read} bytes for {}", text.len());
        most = most.max(read);
    };
    for claim in gametape_fuzz::murk::world::seeds::claims() {
        measure(&claim);
    }
    for (number, seed) in gametape_fuzz::murk::world::seeds::worlds()
        .iter()
        .enumerate()
    {
        let text = seed.split(|&byte| byte == 0).next().unwrap_or_default();
        near(number, text, |_, data| measure(data));
    }
    // The engine's own buffers are the same for all small worlds.
    for text in gametape_fuzz::murk::world::seeds::worlds()
        .into_iter()
        .chain(gametape_fuzz::murk::world::seeds::claims())
    {
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        let world = std::str::from_utf8(text).ok().map(World::from_toml);
        let Some(Ok(world)) = world else { continue };
        if world.cell_count() < 10_000 {
            let memory = peak(|| world.build());
            // Three buffers of 64 MiB, which the system fills when they are used; and the queue.
            let allowed = (193 << 20) + 128 * world.max_ingress_queue as usize;
            assert!(
                memory <= allowed,
                "{memory} for {} cells",
                world.cell_count()
            );
            built = built.max(memory);
        }
    }
    eprintln!("murk: {inputs} descriptions: at most {most} bytes; {built} for a small world");
}

#[derive(Default)]
struct DeltaPeaks {
    inputs: usize,
    /// Of small inputs, and per byte of large ones: into a state, and as data.
    small: [usize; 2],
    per_byte: [f64; 2],
}

impl DeltaPeaks {
    fn measure(&mut self, data: &[u8]) {
        let Some((number, packet)) = data.split_first() else {
            return;
        };
        self.inputs += 1;
        let (schema, baseline) = gametape_fuzz::delta::known((number & 7).into());
        for strictness in [delta::Strictness::Strict, delta::Strictness::Lenient] {
            for limits in [delta::Limits::DEFAULT, delta::Limits::NONE] {
                let options = delta::ReadOptions { strictness, limits };
                let decoder = delta::Decoder::with_options(&schema, options);
                let none = peak(|| decoder.header(packet).is_ok());
                assert_eq!(none, 0, "a header is borrowed");
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
                let read = peak(|| decoder.packet(packet).is_ok());
                let counted = peak(|| sum.add(&decoder, packet).is_ok());
                let states = [applied, changed].into_iter().max().unwrap_or(0);
                // A value of one bit becomes one of 64; vectors grow by copying. What the baseline
                // has is copied too.
                let allowed = 100 * packet.len() + (16 << 10);
                assert!(states <= allowed, "{states} bytes for {}", packet.len());
                let most = read.max(counted);
                let allowed = 300 * packet.len() + 1000;
                assert!(most <= allowed, "{most} bytes for {}", packet.len());
                for (at, peak) in [states, most].into_iter().enumerate() {
                    if packet.len() < 1 << 10 {
                        self.small[at] = self.small[at].max(peak);
                    } else {
                        let per_byte = peak as f64 / packet.len() as f64;
                        self.per_byte[at] = self.per_byte[at].max(per_byte);
                    }
                }
            }
        }
    }
}

fn delta() {
    let mut peaks = DeltaPeaks::default();
    for (number, seed) in gametape_fuzz::delta::seeds::packets().iter().enumerate() {
        near(number, seed, |_, data| peaks.measure(data));
    }
    for claim in gametape_fuzz::delta::seeds::claims() {
        peaks.measure(&claim);
    }
    for large in gametape_fuzz::delta::seeds::large() {
        peaks.measure(&large);
        peaks.measure(&large[..large.len() / 2]);
    }
    eprintln!(
        "delta: {} inputs: at most {} bytes for a state of a small packet, {} as data, {:.2} and \
         {:.2} a byte of a large one",
        peaks.inputs, peaks.small[0], peaks.small[1], peaks.per_byte[0], peaks.per_byte[1]
    );
}

/// A capture whose chunks all claim one message index: what is listed stays in proportion.
fn capture() {
    let bytes = include_bytes!("../regressions/capture_read/shared-message-index");
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let listed = gametape_capture::read(bytes).and_then(|capture| Ok(capture.keyframes()?.len()));
    let peak = MEMORY.peak_usage() - before;
    black_box(listed.ok());
    assert!(peak <= 16 * bytes.len(), "{peak} bytes for {}", bytes.len());
}
