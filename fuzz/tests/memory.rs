//! No input makes a reader allocate more than a small multiple of its size.
//!
//! One test alone in its program, because the allocator counts for the whole process.

use std::cell::Cell;
use std::hint::black_box;

use gametape_fuzz::{large_seeds, murk_claims, murk_large_seeds, murk_seeds, seeds};
use gametape_mines::rmv::{Limits, ReadOptions, Strictness, read_from};
use gametape_murk as murk;
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
                let slice = peak(|| options.read(data));
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
}

fn rmv() {
    let mut peaks = Peaks::default();
    for mut seed in seeds() {
        peaks.measure(&seed);
        for cut in 0..seed.len() {
            peaks.measure(&seed[..cut]);
        }
        for at in 0..seed.len() {
            for change in [0x01, 0xFF] {
                seed[at] ^= change;
                peaks.measure(&seed);
                seed[at] ^= change;
            }
        }
    }
    for mut large in large_seeds() {
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
    decoder: usize,
    decoder_per_byte: f64,
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
                    let decoder = peak(|| decoder(data, options, size));
                    let allowed = 8 * data.len() + 1000;
                    assert!(decoder <= allowed, "{decoder} bytes for {}", data.len());
                    if data.len() < 1 << 10 {
                        self.decoder = self.decoder.max(decoder);
                    } else {
                        let per_byte = decoder as f64 / data.len() as f64;
                        self.decoder_per_byte = self.decoder_per_byte.max(per_byte);
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
        let replay = options.read(data).inspect_err(|_| failed.set(true))?;
        let mut frames = replay.frames();
        for frame in &mut frames {
            let frame = frame.inspect_err(|_| failed.set(true))?;
            for command in frame {
                black_box(command.payload()).ok();
            }
        }
        if frames.problem().is_some() {
            failed.set(true);
        }
        Ok::<_, murk::Error>(())
    });
    let allowed = if failed.get() { 400 } else { 0 };
    assert!(all <= allowed, "{all} bytes for a slice of {}", data.len());
    all
}

fn reader(data: &[u8], options: murk::ReadOptions) {
    if let Ok(mut reader) = murk::Reader::with_options(data, options) {
        while let Ok(Some(frame)) = reader.next_frame() {
            black_box(frame.tick);
        }
    }
}

fn decoder(data: &[u8], options: murk::ReadOptions, size: usize) {
    let mut decoder = murk::Decoder::new(options);
    for piece in data.chunks(size) {
        decoder.feed(piece);
        while let Ok(murk::Progress::Frame(frame)) = decoder.next_frame() {
            black_box(frame.tick);
        }
    }
    decoder.finish_input();
    black_box(decoder.next_frame().is_ok());
}

fn murk() {
    let mut peaks = MurkPeaks::default();
    for mut seed in murk_seeds() {
        peaks.measure(&seed);
        for cut in 0..seed.len() {
            peaks.measure(&seed[..cut]);
        }
        for at in 0..seed.len() {
            for change in [0x01, 0xFF] {
                seed[at] ^= change;
                peaks.measure(&seed);
                seed[at] ^= change;
            }
        }
    }
    let claims = murk_claims();
    assert!(claims.len() >= 8);
    for claim in claims {
        peaks.measure(&claim);
    }
    for mut large in murk_large_seeds() {
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
        peaks.decoder,
        peaks.decoder_per_byte
    );
}
