//! One driver for all formats: a slice, any source, bytes fed by hand, and a file that grows while it is read give the
//! same. A format says how it is read in each of these ways.

use std::cell::Cell;
use std::fmt::Debug;
use std::io::{self, Read, Seek, SeekFrom};

use gametape_core::feed::Fed;
use gametape_core::{ReadError, Rule};

use crate::odd_size;

/// The visible properties of an error.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Failure {
    pub message: String,
    pub code: &'static str,
    pub offset: Option<u64>,
    pub truncated: bool,
    pub limit: bool,
}

impl<R: Rule> From<ReadError<R>> for Failure {
    fn from(error: ReadError<R>) -> Self {
        Self::of(&error)
    }
}

impl Failure {
    pub fn of<R: Rule>(error: &ReadError<R>) -> Self {
        Self {
            message: error.to_string(),
            code: error.code(),
            offset: error.offset(),
            truncated: error.is_truncated(),
            limit: error.is_limit(),
        }
    }
}

/// Reads one item after the other: a frame, an event or a line, as plain data.
pub(crate) trait Way<F: Format> {
    /// The next item; `None` at the end of what there is so far.
    fn next(&mut self) -> Result<Option<F::Item>, Failure>;

    /// All that is known besides, such as header, findings and offset; `None` without a header.
    fn known(&mut self) -> Option<F::Known>;
}

/// The same for a reader that gets its bytes by hand.
pub(crate) trait FedWay<F: Format> {
    fn push(&mut self, bytes: &[u8]);
    fn finish(&mut self);
    fn next(&mut self) -> Result<Fed<F::Item>, Failure>;
    fn known(&mut self) -> Option<F::Known>;
}

/// A format's ways to read.
pub(crate) trait Format: Sized {
    type Options: Copy;
    type Item: PartialEq + Debug;
    type Known: PartialEq + Debug;

    /// The errors after which a reader is left that goes on after them. Others return the same one again.
    const ERRORS: usize = 1;
    /// Whether the beginning of a file is read like a file that ends there, and can be continued.
    const GROWS: bool = true;

    fn slice(data: &[u8], options: Self::Options) -> impl Way<Self>;
    fn source(source: impl Read, options: Self::Options) -> impl Way<Self>;
    fn feed(options: Self::Options) -> impl FedWay<Self>;

    /// Whether this is an error only if no more bytes come than the first `read`.
    fn waits(failure: &Failure, read: usize) -> bool {
        let _ = read;
        failure.truncated
    }

    /// Whether a reader that knows this is at its end, whatever comes.
    fn is_over(known: &Self::Known) -> bool {
        let _ = known;
        false
    }
}

/// What a way gave: the number of items before the first error, the first error, and what is known.
#[derive(PartialEq, Debug)]
pub(crate) struct Given<K> {
    pub items: usize,
    pub failure: Option<Failure>,
    pub known: Option<K>,
}

/// The most items of one input that are examined: packed data can be long.
const MOST: usize = 4000;

/// What a slice gives.
pub(crate) fn given<F: Format>(data: &[u8], options: F::Options) -> Given<F::Known> {
    let mut slice = F::slice(data, options);
    let (mut items, mut failure) = (0, None);
    while items < MOST && failure.is_none() {
        match slice.next() {
            Ok(None) => break,
            Ok(Some(_)) => items += 1,
            Err(error) => failure = Some(error),
        }
    }
    let known = slice.known();
    Given {
        items,
        failure,
        known,
    }
}

/// Reads in two ways in step, which give the same. Returns what the first one gives.
pub(crate) fn in_step<F: Format>(a: &mut impl Way<F>, b: &mut impl Way<F>) -> Given<F::Known> {
    let (mut items, mut all, mut errors, mut first) = (0, 0, 0, None);
    while all < MOST && errors < F::ERRORS {
        all += 1;
        match (a.next(), b.next()) {
            (Ok(None), Ok(None)) => break,
            (Ok(Some(a)), Ok(Some(b))) => {
                assert!(a == b, "item {all}: {b:?}\nthe slice: {a:?}");
                items += usize::from(first.is_none());
            }
            (Err(a), Err(b)) => {
                assert_eq!(b, a, "after {items} items");
                errors += 1;
                first.get_or_insert(a);
            }
            (a, b) => panic!("after {items} items: {b:?}\nthe slice: {a:?}"),
        }
    }
    let known = a.known();
    // After the end, the result stays the same.
    for _ in 0..2 {
        assert!(
            known.is_none() || b.known() == known,
            "{:?}\n{known:?}",
            b.known()
        );
        if F::ERRORS == 1 && all < MOST {
            assert_eq!(
                b.next().map(|item| item.is_some()),
                first.clone().map_or(Ok(false), Err)
            );
        }
    }
    Given {
        items,
        failure: first,
        known,
    }
}

/// Asserts that all ways agree, and returns what the slice gives. `vary` chooses the sizes of pieces, and which of the
/// slower comparisons are made.
pub(crate) fn agree<F: Format>(data: &[u8], options: F::Options, vary: usize) -> Given<F::Known> {
    let odd = |at| odd_size(data, at + vary);
    // A read costs a reader 64 KiB of zeros, and items are compared one by one: only small inputs come in tiny pieces.
    let few = |at| odd(at) * (1 + data.len() / 300);
    let tiny = |_| {
        if data.len() < 600 {
            [1, 7][vary % 2]
        } else {
            usize::MAX
        }
    };
    let sourced = |size: &dyn Fn(usize) -> usize| {
        let mut source = F::source(Pieces::new(data, size), options);
        in_step(&mut F::slice(data, options), &mut source)
    };
    let whole = sourced(&few);
    sourced(&|_| usize::MAX);
    if data.len() < 200 {
        sourced(&tiny);
    }
    // Every fourth piece is empty.
    let with_empty = |at| if at % 4 == 3 { 0 } else { few(at) };
    for size in [&tiny as &dyn Fn(usize) -> usize, &with_empty] {
        let mut fed = ByHand::<F, _>::new(data, options, size);
        in_step(&mut F::slice(data, options), &mut fed);
    }
    if F::GROWS {
        let mut stops = [1, 2, 3].map(|at| odd(at) * data.len() / 62).to_vec();
        stops.sort_unstable();
        stops.dedup();
        growing_feed::<F>(&whole, data, options, &stops);
        for fails in [false, true] {
            stopping::<F>(&whole, data, options, (&stops, fails));
        }
    }
    whole
}

/// A source that gives pieces, and is sometimes interrupted. It stops once at each of some offsets before it goes on:
/// gives no bytes, as a file that grows, or fails.
pub(crate) struct Pieces<'a, S> {
    data: &'a [u8],
    size: S,
    reads: usize,
    stops: (&'a [usize], bool),
    given: usize,
    /// Tells others how much was given.
    told: Option<&'a Cell<usize>>,
}

impl<'a, S: Fn(usize) -> usize> Pieces<'a, S> {
    /// `size` gives the size of a piece by its number.
    pub const fn new(data: &'a [u8], size: S) -> Self {
        Self {
            data,
            size,
            reads: 0,
            stops: (&[], false),
            given: 0,
            told: None,
        }
    }
}

impl<S: Fn(usize) -> usize> Read for Pieces<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads % 16 == 3 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let next = match self.stops.0.split_first() {
            Some((&stop, later)) if stop <= self.given => {
                self.stops.0 = later;
                return if self.stops.1 {
                    Err(io::Error::other("unplugged"))
                } else {
                    Ok(0)
                };
            }
            Some((&stop, _)) => stop,
            None => self.data.len(),
        };
        let rest = self.data.get(self.given..next).unwrap_or_default();
        let size = (self.size)(self.reads).min(rest.len()).min(buffer.len());
        buffer[..size].copy_from_slice(&rest[..size]);
        self.given += size;
        if let Some(told) = self.told {
            told.set(self.given);
        }
        Ok(size)
    }
}

impl<S: Fn(usize) -> usize> Seek for Pieces<'_, S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut at = io::Cursor::new(self.data);
        at.set_position(self.given as u64);
        let at = at.seek(to)?;
        self.given = at as usize;
        Ok(at)
    }
}

/// A feed that gets its next piece when it needs more.
pub(crate) struct ByHand<'a, F: Format, S> {
    feed: Box<dyn FedWay<F> + 'a>,
    rest: &'a [u8],
    size: S,
    pieces: usize,
    is_finished: bool,
}

impl<'a, F: Format + 'a, S: Fn(usize) -> usize> ByHand<'a, F, S> {
    pub fn new(rest: &'a [u8], options: F::Options, size: S) -> Self
    where
        F::Options: 'a,
    {
        Self {
            feed: Box::new(F::feed(options)),
            rest,
            size,
            pieces: 0,
            is_finished: false,
        }
    }
}

impl<F: Format, S: Fn(usize) -> usize> Way<F> for ByHand<'_, F, S> {
    fn next(&mut self) -> Result<Option<F::Item>, Failure> {
        loop {
            match self.feed.next()? {
                Fed::Item(item) => return Ok(Some(item)),
                Fed::End => {
                    let is_over = |known| F::is_over(&known);
                    assert!(
                        self.is_finished || self.feed.known().is_some_and(is_over),
                        "nobody said that this is all"
                    );
                    return Ok(None);
                }
                Fed::NeedMore => assert!(!self.is_finished, "this is all"),
            }
            if self.rest.is_empty() {
                self.feed.finish();
                self.is_finished = true;
                continue;
            }
            self.pieces += 1;
            let size = (self.size)(self.pieces).min(self.rest.len());
            let (piece, rest) = self.rest.split_at(size);
            self.feed.push(piece);
            self.rest = rest;
        }
    }

    fn known(&mut self) -> Option<F::Known> {
        self.feed.known()
    }
}

/// Feeds a file that seems to end at each stop, and there gives what a slice of the bytes so far gives.
fn growing_feed<F: Format>(
    whole: &Given<F::Known>,
    data: &[u8],
    options: F::Options,
    stops: &[usize],
) {
    let mut feed = F::feed(options);
    let mut slice = F::slice(data, options);
    let (mut pushed, mut taken) = (0, 0);
    // No bytes at all are no growth.
    let end = Some(data.len()).filter(|end| stops.last() != Some(end));
    for stop in stops.iter().copied().chain(end) {
        feed.push(&data[pushed..stop]);
        pushed = stop;
        let so_far = given::<F>(&data[..stop], options);
        let mut paused = loop {
            match feed.next() {
                Ok(Fed::Item(item)) => {
                    let expected = slice.next().expect("it came before");
                    assert!(
                        expected.as_ref() == Some(&item),
                        "{item:?}\nthe slice: {expected:?}"
                    );
                    taken += 1;
                }
                paused => break paused.map(|fed| matches!(fed, Fed::NeedMore)),
            }
        };
        let waits = |failure| F::waits(failure, stop);
        if so_far.failure.as_ref().is_none_or(waits) {
            let is_over = so_far.known.as_ref().is_some_and(F::is_over);
            assert_eq!(
                paused,
                Ok(!is_over),
                "at {stop}, where a slice gives {so_far:?}"
            );
        } else {
            assert_eq!(paused.as_ref().err(), so_far.failure.as_ref());
        }
        feed.finish();
        for _ in 0..2 {
            paused = feed.next().map(|fed| !matches!(fed, Fed::End));
            assert_eq!(
                paused,
                so_far.failure.clone().map_or(Ok(false), Err),
                "at {stop}"
            );
            assert!(
                so_far.known.is_none() || feed.known() == so_far.known,
                "at {stop}"
            );
        }
        assert_eq!(taken, so_far.items, "items come when they are whole");
    }
    assert_eq!(taken, whole.items);
}

/// Reads a file that grows, or a source that fails now and then: at each stop it gives what a slice of the bytes so far
/// gives, or the source's error, and goes on.
fn stopping<F: Format>(
    whole: &Given<F::Known>,
    data: &[u8],
    options: F::Options,
    stops: (&[usize], bool),
) {
    let given_so_far = Cell::new(0);
    let source = Pieces {
        stops,
        told: Some(&given_so_far),
        ..Pieces::new(data, |at| odd_size(data, at) * (1 + data.len() / 300))
    };
    let mut reader = F::source(source, options);
    let mut slice = F::slice(data, options);
    // One for each stop, one for the end, and one more for its repetition.
    let (mut ends, mut taken) = (stops.0.len() + 2, 0);
    while ends > 0 {
        let end = match reader.next() {
            Ok(Some(item)) => {
                let expected = slice.next().expect("it came before");
                assert!(
                    expected.as_ref() == Some(&item),
                    "{item:?}\nthe slice: {expected:?}"
                );
                taken += 1;
                continue;
            }
            Ok(None) => None,
            Err(failure) => Some(failure),
        };
        ends -= 1;
        let at = given_so_far.get();
        if let Some(failure) = end.as_ref().filter(|failure| failure.code == "io") {
            assert!(
                stops.1 && !failure.truncated && !failure.limit,
                "{failure:?}"
            );
            assert_eq!(failure.offset, Some(at as u64));
            continue;
        }
        let so_far = given::<F>(&data[..at], options);
        assert_eq!((&end, taken), (&so_far.failure, so_far.items), "at {at}");
        assert!(
            so_far.known.is_none() || reader.known() == so_far.known,
            "at {at}"
        );
    }
    assert_eq!(taken, whole.items, "all items came");
}
