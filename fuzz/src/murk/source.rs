//! Sources with difficult behaviour.

use std::cell::Cell;
use std::io::{self, Read};

/// The behaviour of a source at a stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Stop {
    /// Returns no more bytes, like a file that is still growing.
    Pause,
    /// Returns an error.
    Fail,
}

/// Returns its bytes in pieces, is sometimes interrupted, and stops once at each of some offsets
/// before it continues.
pub(super) struct Pieces<'a, S> {
    data: &'a [u8],
    size: S,
    reads: usize,
    stops: &'a [usize],
    stop: Stop,
    /// The number of bytes returned so far, visible to other code.
    given: &'a Cell<usize>,
}

impl<'a, S: Fn(usize) -> usize> Pieces<'a, S> {
    /// `stops` must ascend.
    pub const fn new(
        data: &'a [u8],
        size: S,
        stops: &'a [usize],
        stop: Stop,
        given: &'a Cell<usize>,
    ) -> Self {
        Self {
            data,
            size,
            reads: 0,
            stops,
            stop,
            given,
        }
    }
}

impl<S: Fn(usize) -> usize> Read for Pieces<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads % 16 == 3 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let given = self.given.get();
        let next = match self.stops.split_first() {
            Some((&stop, later)) if stop <= given => {
                self.stops = later;
                return match self.stop {
                    Stop::Pause => Ok(0),
                    Stop::Fail => Err(io::Error::other("unplugged")),
                };
            }
            Some((&stop, _)) => stop,
            None => self.data.len(),
        };
        let size = (self.size)(self.reads).min(next - given).min(buffer.len());
        buffer[..size].copy_from_slice(&self.data[given..given + size]);
        self.given.set(given + size);
        Ok(size)
    }
}
