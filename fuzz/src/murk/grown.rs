//! Compares the readers that get their bytes piece by piece with the slice reader.

use std::cell::Cell;

use gametape_murk::{Error, Fed, Feed, Finding, Findings, ReadOptions, Reader};

use super::expected::{Expected, Outcome, slice};
use super::source::{Pieces, Stop};

/// A [`Reader`] gives the results of the slice reader.
pub(super) fn reader(
    whole: &Outcome<'_>,
    data: &[u8],
    options: &ReadOptions,
    size: impl Fn(usize) -> usize,
) {
    let given = Cell::new(0);
    let source = Pieces::new(data, size, &[], Stop::Pause, &given);
    let mut reader = Reader::with_options(source, *options);
    let whole = match (whole, reader.header()) {
        (Ok(whole), Ok(header)) => {
            assert_eq!(header, &whole.header);
            whole
        }
        (Err(slice), Err(stream)) => {
            assert_eq!(slice.error.to_string(), stream.to_string());
            assert_eq!(slice, &Box::from(stream));
            let again = reader.next_frame().expect_err("there is no header");
            return assert_eq!(slice, &Box::from(again));
        }
        (slice, stream) => panic!("{stream:?}, the slice: {slice:?}"),
    };
    for frame in &whole.frames {
        assert_eq!(reader.offset(), frame.offset);
        assert!(reader.findings().is_empty(), "a frame behind a problem");
        let next = reader.next_frame().expect("the slice's");
        assert_eq!(next.as_ref(), Some(frame));
    }
    // After the end, the result stays the same.
    for _ in 0..2 {
        let failure = reader.next_frame().map(|frame| assert_eq!(frame, None));
        assert_eq!(failure.err().map(Box::from), whole.failure);
        assert_eq!(only(reader.findings()), whole.problem.as_ref());
        assert_eq!(reader.offset(), whole.end);
    }
}

/// A [`Reader`] of a file that grows while it is read, or of a source that sometimes fails: at each
/// stop it gives the result for a slice of the bytes so far, or the source's error, and then
/// continues.
pub(super) fn stopping_reader(
    whole: &Outcome<'_>,
    data: &[u8],
    options: &ReadOptions,
    size: impl Fn(usize) -> usize,
    (stops, stop): (&[usize], Stop),
) {
    let given = Cell::new(0);
    let source = Pieces::new(data, size, stops, stop, &given);
    let mut reader = Reader::with_options(source, *options);
    // One for each stop, one for the end, and one more for its repetition.
    let mut ends = stops.len() + 2;
    // After a stop within the header, reading continues.
    while let Err(error) = reader.header() {
        let prefix = slice(&data[..given.get()], options);
        let expected = prefix.expect_err("the header was whole");
        if stop == Stop::Fail && expected.truncated && given.get() < data.len() {
            source_failed(&error, given.get());
        } else if error.code() != "io" {
            assert_eq!(Box::from(error), expected);
        }
        ends -= 1;
        if ends == 0 {
            return assert!(whole.is_err(), "the header came: {whole:?}");
        }
    }
    let whole = whole.as_ref().expect("the header was read");
    let mut frames = whole.frames.iter();
    while ends > 0 {
        match reader.next_frame() {
            Ok(Some(frame)) => {
                assert_eq!(Some(&frame), frames.next());
                continue;
            }
            Err(error @ Error::Io { .. }) => {
                assert_eq!(stop, Stop::Fail);
                source_failed(&error, given.get());
            }
            other => {
                let failure = other.map(drop).err().map(Box::from);
                let so_far = slice(&data[..given.get()], options).expect("a header");
                assert_eq!(frames.len(), whole.frames.len() - so_far.frames.len());
                assert_eq!(failure, so_far.failure);
                assert_eq!(only(reader.findings()), so_far.problem.as_ref());
                assert_eq!(reader.offset(), so_far.end);
            }
        }
        ends -= 1;
    }
    assert_eq!(frames.next(), None, "all frames came");
    assert_eq!(reader.offset(), whole.end);
    assert_eq!(only(reader.findings()), whole.problem.as_ref());
}

/// The problem that stopped a lenient reader; there is at most one.
fn only(findings: &Findings) -> Option<&Finding> {
    assert!(findings.len() < 2);
    findings.iter().next()
}

fn source_failed(error: &Error, given: usize) {
    assert_eq!(error.code(), "io", "{error}");
    assert_eq!(error.offset(), Some(given as u64), "{error}");
    assert!(!error.is_truncated() && !error.is_limit());
}

/// Why a feed returns no frame.
#[derive(Debug)]
enum Pause {
    NeedMore,
    End,
    Failed(Error),
}

/// How a feed is fed.
pub(super) struct Feeding<S, A> {
    /// The size of each piece, by its number.
    pub size: S,
    /// The action after each piece, by the piece's number.
    pub ask: A,
}

/// The action after a piece.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ask {
    /// Nothing; the next piece follows.
    Nothing,
    /// Frames are taken.
    Frames,
    /// Frames are taken, and the result after them is compared, both before and after declaring the
    /// end of the input.
    All,
}

/// A [`Feed`] whose bytes arrive piece by piece, with or without declaring the end of the input in
/// between, always gives the result for a slice of the bytes so far.
pub(super) fn feed<S: Fn(usize) -> usize, A: Fn(usize) -> Ask>(
    whole: &Outcome<'_>,
    data: &[u8],
    options: &ReadOptions,
    feeding: &Feeding<S, A>,
) {
    let mut feed = Feed::with_options(*options);
    let mut taken = 0;
    let mut pushed = 0;
    let mut piece = 0;
    loop {
        let ask = if pushed == data.len() {
            Ask::All
        } else {
            (feeding.ask)(piece)
        };
        if ask != Ask::Nothing {
            let pause = take(&mut feed, whole.as_ref().ok(), &mut taken);
            if ask == Ask::All {
                at_a_pause(&mut feed, pause, taken, &data[..pushed], options);
            }
        }
        if pushed == data.len() {
            break;
        }
        piece += 1;
        let size = (feeding.size)(piece).min(data.len() - pushed);
        feed.push(&data[pushed..pushed + size]);
        pushed += size;
    }
    match whole {
        Ok(whole) => assert_eq!(taken, whole.frames.len()),
        Err(_) => assert_eq!(taken, 0),
    }
}

/// Takes frames as long as there are any.
fn take(feed: &mut Feed, whole: Option<&Expected<'_>>, taken: &mut usize) -> Pause {
    loop {
        match feed.next_frame() {
            Ok(Fed::Item(frame)) => {
                let expected = whole.and_then(|whole| whole.frames.get(*taken));
                assert_eq!(Some(&frame), expected);
                *taken += 1;
            }
            Ok(Fed::NeedMore) => return Pause::NeedMore,
            Ok(Fed::End) => return Pause::End,
            Err(error) => return Pause::Failed(error),
        }
    }
}

fn at_a_pause(feed: &mut Feed, pause: Pause, taken: usize, so_far: &[u8], options: &ReadOptions) {
    let expected = slice(so_far, options);
    let frames = expected.as_ref().map_or(0, |e| e.frames.len());
    assert_eq!(taken, frames, "frames come when they are whole");
    let end = expected.as_ref().map_or(0, |e| e.end);
    assert_eq!(feed.offset(), end);
    let open = match &expected {
        Err(failure) => failure.truncated,
        Ok(expected) => expected.is_open(),
    };
    if open {
        assert!(matches!(pause, Pause::NeedMore), "{pause:?}");
        assert!(feed.findings().is_empty());
    } else {
        ended(feed, pause, &expected);
    }
    header(feed, &expected, open);

    feed.finish();
    for _ in 0..2 {
        let pause = take(feed, None, &mut 0);
        ended(feed, pause, &expected);
        assert_eq!(feed.offset(), end);
    }
    header(feed, &expected, false);
}

fn ended(feed: &Feed, pause: Pause, expected: &Outcome<'_>) {
    match expected {
        Ok(Expected {
            failure: None,
            problem,
            ..
        }) => {
            assert!(matches!(pause, Pause::End), "{pause:?}");
            assert_eq!(only(feed.findings()), problem.as_ref());
        }
        Ok(Expected {
            failure: Some(failure),
            ..
        })
        | Err(failure) => {
            let Pause::Failed(failed) = pause else {
                panic!("{pause:?} is no {failure:?}")
            };
            assert_eq!(&Box::from(failed), failure);
            assert!(feed.findings().is_empty());
        }
    }
}

fn header(feed: &mut Feed, expected: &Outcome<'_>, open: bool) {
    match (feed.header(), expected) {
        (Ok(Some(header)), Ok(expected)) => assert_eq!(header, &expected.header),
        (Ok(None), Err(_)) => assert!(open, "the input ended"),
        (Err(error), Err(failure)) => {
            assert!(!open, "{error}");
            assert_eq!(&Box::from(error), failure);
        }
        (header, expected) => panic!("{header:?}, the slice: {expected:?}"),
    }
}
