//! All ways to read a recording agree.

use std::io::{self, Read};

use gametape_mines::rmv::{
    Error, EventLog, Fed, Feed, Finding, Limits, ReadOptions, Reading, Strictness, read_each,
    read_from, read_header, read_with,
};
use gametape_mines::{Event, Game};

use crate::check::odd_size;

/// A slice (whole or event by event), any [`Read`], and a file that grows: all ways to read give
/// the same game and events, the same findings, or the same error, for any bytes, strictly and
/// leniently, with and without a limit that interferes.
///
/// Strict reading fails exactly if lenient reading has findings, and its error is the first of
/// them. A source that fails gives its own error, or one that the bytes before it cause anyway.
/// Reading only the header gives the same header as reading everything.
pub fn rmv_read(data: &[u8]) {
    for limits in [
        Limits::DEFAULT,
        Limits {
            max_video_bytes: 64,
        },
    ] {
        let options = |strictness| ReadOptions { strictness, limits };
        let strict = three_ways(data, options(Strictness::Strict));
        let lenient = three_ways(data, options(Strictness::Lenient));
        strictnesses(&strict, &lenient);
        for reading in [strict, lenient].iter().flatten() {
            header_alone(data, reading);
        }
    }
}

/// The visible properties of an error.
#[derive(PartialEq, Debug)]
struct Failure {
    message: String,
    code: &'static str,
    offset: Option<u64>,
    truncated: bool,
    limit: bool,
    finding: Option<Finding>,
}

impl From<Error> for Box<Failure> {
    fn from(error: Error) -> Self {
        Self::new(Failure {
            message: error.to_string(),
            code: error.code(),
            offset: error.offset(),
            truncated: error.is_truncated(),
            limit: error.is_limit(),
            finding: error.into_finding(),
        })
    }
}

type Outcome<'a> = Result<Reading<'a>, Box<Failure>>;

fn three_ways(data: &[u8], options: ReadOptions) -> Outcome<'_> {
    let slice = read_with(data, options).map_err(Box::from);
    if let Ok(reading) = &slice {
        assert_eq!(
            reading.game.events.iter().count(),
            reading.game.events.len() as usize,
            "the log counts its events"
        );
    }

    let one_by_one = Dribble::new(data, |_| 1);
    same(&slice, &read_from(one_by_one, options), "a byte at a time");
    let odd = Dribble::new(data, |at| odd_size(data, at));
    same(&slice, &read_from(odd, options), "odd pieces");
    same(&slice, &read_from(data, options), "one piece");

    let mut handed = Vec::new();
    let each = read_each(data, options, |event| handed.push(event));
    same(&slice, &each, "event by event");

    let grown = same_grown(&slice, data, options, |_| 1);
    assert_eq!(grown, handed, "the same events, up to the same error");
    same_grown(&slice, data, options, |at| odd_size(data, at));
    // Every second piece is empty.
    same_grown(&slice, data, options, |at| {
        if at % 2 == 0 { 0 } else { odd_size(data, at) }
    });
    failing(&slice, data, options);
    slice
}

/// Returns its bytes in pieces, is sometimes interrupted, and can fail.
struct Dribble<'a, S> {
    rest: &'a [u8],
    size: S,
    at: usize,
    fails: bool,
}

impl<'a, S: Fn(usize) -> usize> Dribble<'a, S> {
    const fn new(rest: &'a [u8], size: S) -> Self {
        Self {
            rest,
            size,
            at: 0,
            fails: false,
        }
    }
}

impl<S: Fn(usize) -> usize> Read for Dribble<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.at += 1;
        if self.at % 16 == 3 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty() && self.fails {
            return Err(io::Error::other("unplugged"));
        }
        let size = (self.size)(self.at).min(self.rest.len()).min(buffer.len());
        let (piece, rest) = self.rest.split_at(size);
        buffer[..size].copy_from_slice(piece);
        self.rest = rest;
        Ok(size)
    }
}

fn same(slice: &Outcome<'_>, stream: &Result<Reading<'_>, Error>, way: &str) {
    match (slice, stream) {
        (Ok(slice), Ok(stream)) => {
            assert_eq!(slice, stream, "{way}");
            assert_eq!(
                log_details(&slice.game.events),
                log_details(&stream.game.events),
                "{way}"
            );
        }
        (Err(slice), Err(stream)) => {
            assert_eq!(slice.message, stream.to_string(), "{way}");
            assert_eq!(slice.code, stream.code(), "{way}");
            assert_eq!(slice.offset, stream.offset(), "{way}");
            assert_eq!(slice.truncated, stream.is_truncated(), "{way}");
            assert_eq!(slice.limit, stream.is_limit(), "{way}");
        }
        (slice, stream) => panic!("{way}: {stream:?}, the slice: {slice:?}"),
    }
}

/// The properties that the equality of logs ignores.
fn log_details(log: &EventLog<'_>) -> (u32, u64, u32) {
    (log.len(), log.offset(), log.last_time_ms())
}

/// The rules that end the events although more bytes follow.
const UNREADABLE: [&str; 4] = [
    "rmv.event-code",
    "rmv.event-time-range",
    "rmv.event-position",
    "rmv.event-reduced-first",
];

/// Feeds the bytes piece by piece, each when more are requested. Returns the events.
fn same_grown(
    slice: &Outcome<'_>,
    data: &[u8],
    options: ReadOptions,
    size: impl Fn(usize) -> usize,
) -> Vec<Event> {
    let mut feed = Feed::with_options(options);
    let mut events: Vec<Event> = Vec::new();
    let mut rest = data;
    let mut finished = false;
    let mut at = 0;
    let failure = loop {
        match feed.next_event() {
            Ok(Fed::NeedMore) => {
                assert!(!finished, "more is needed after the end");
                let pushed = (data.len() - rest.len()) as u64;
                assert!(
                    feed.offset() <= pushed,
                    "read {} of {pushed}",
                    feed.offset()
                );
                if rest.is_empty() {
                    feed.finish();
                    finished = true;
                } else {
                    at += 1;
                    let (piece, after) = rest.split_at(size(at).min(rest.len()));
                    feed.push(piece);
                    rest = after;
                }
            }
            Ok(Fed::Item(event)) => {
                assert!(feed.game().is_some(), "the header comes first");
                events.push(event);
            }
            Ok(Fed::End) => break None,
            Err(error) => break Some(error),
        }
    };
    match (slice, failure) {
        (Ok(slice), None) => {
            assert!(finished);
            assert_eq!(feed.next_event().ok(), Some(Fed::End), "the end is the end");
            // After an unreadable event, nobody knows whether the recording is complete.
            let is_cut = slice.findings.has("rmv.truncated");
            let lost = UNREADABLE.iter().any(|code| slice.findings.has(code));
            assert!(feed.is_complete() || is_cut || lost, "{:?}", slice.findings);
            assert!(!feed.is_complete() || !is_cut, "{:?}", slice.findings);
            assert!(!feed.is_complete() || feed.offset() == data.len() as u64);
            assert_eq!(&slice.findings, feed.findings());
            assert!(
                events.iter().copied().eq(&slice.game.events),
                "the same events"
            );
            let game = feed.game().expect("a header was read");
            assert!(game.events.is_empty());
            assert_eq!(&without_events(&slice.game), game);
        }
        (Err(slice), Some(error)) => {
            let again = feed.next_event().expect_err("the same again");
            assert_eq!(again.to_string(), error.to_string());
            assert_eq!(slice, &Box::from(error));
        }
        (slice, grown) => panic!("grown: {grown:?}, the slice: {slice:?}"),
    }
    events
}

fn without_events(game: &Game<'_>) -> Game<'static> {
    let mut game = game.clone().into_owned();
    game.events = EventLog::empty(game.version());
    game
}

/// A source that fails after its last byte.
fn failing(slice: &Outcome<'_>, data: &[u8], options: ReadOptions) {
    let mut source = Dribble::new(data, |at| odd_size(data, at));
    source.fails = true;
    let error = match read_from(source, options) {
        Ok(reading) => panic!("a source that fails was read: {reading:?}"),
        Err(error) => error,
    };
    if error.code() == "io" {
        assert_eq!(error.offset(), Some(data.len() as u64));
    } else {
        assert_eq!(slice.as_ref().err(), Some(&Box::from(error)));
    }
}

fn strictnesses(strict: &Outcome<'_>, lenient: &Outcome<'_>) {
    match (strict, lenient) {
        (Ok(strict), Ok(lenient)) => {
            assert!(strict.findings.is_empty());
            assert_eq!(strict, lenient);
        }
        (Err(strict), Ok(lenient)) => {
            let mut first = lenient.findings.iter().next().cloned();
            if let Some(first) = &mut first {
                first.repeats = 0;
            }
            assert_eq!(
                strict.finding, first,
                "the first finding is the strict error"
            );
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(lenient)) => panic!("strict reads what lenient can't: {lenient:?}"),
    }
}

fn header_alone(data: &[u8], reading: &Reading<'_>) {
    let header = read_header(data, ReadOptions::lenient()).expect("the whole was read");
    if !header.findings.is_empty() {
        assert!(!reading.findings.is_empty(), "{:?}", header.findings);
    }
    let header = header.game;
    let mut whole = without_events(&reading.game);
    // The ending of a file that was cut is a guess; so is an ending without the usual bytes after
    // it.
    let usual = whole
        .ending
        .map(|end| Game::canonical_tail(whole.version(), end.time_ms));
    if !reading.findings.is_empty() || usual.is_none_or(|usual| *whole.tail != usual) {
        whole.ending = header.ending;
        whole.tail = header.tail.clone().into_owned().into();
    }
    if reading.findings.has("rmv.truncated") {
        whole.checksum = header.checksum.clone().into_owned().into();
    }
    assert_eq!(header, whole);
}
