//! No input makes a reader allocate more than a small multiple of its size.
//!
//! One test alone in its program, because the allocator counts for the whole process.

use gametape_fuzz::{large_seeds, seeds};
use gametape_mines::rmv::{Limits, ReadOptions, Strictness, read_from};
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
        "{} inputs: at most {} bytes for a slice, {} for a small stream, {:.2} a byte of a large one",
        peaks.inputs, peaks.slice, peaks.stream, peaks.stream_per_byte
    );
}
