//! All ways to read a recording agree.

use std::io::Read;

use gametape_core::feed::Fed;
use gametape_mines::rmv::{
    self, EventLog, Feed, Findings, Limits, ReadOptions, Reader, Reading, Strictness, read_each,
    read_from, read_header, read_with,
};
use gametape_mines::{Event, Game};

use crate::ways::{Failure, FedWay, Format, Given, Way, agree};

/// A slice (whole or event by event), any [`Read`], and a file that grows: all ways to read give
/// the same game and events, the same findings, or the same error, for any bytes, strictly and
/// leniently, with and without a limit that interferes.
///
/// Strict reading fails exactly if lenient reading has findings, and its error is the first of
/// them. Reading only the header gives the same header as reading everything.
pub fn rmv_read(data: &[u8]) {
    for (at, max_video_bytes) in [(0, Limits::DEFAULT.max_video_bytes), (2, 64)] {
        let limits = Limits { max_video_bytes };
        let options = |strictness| ReadOptions { strictness, limits };
        let strict = every_way(data, options(Strictness::Strict), at);
        let lenient = every_way(data, options(Strictness::Lenient), at + 1);
        strictnesses(&strict, &lenient);
    }
}

struct Rmv;

/// The game without its events, and the findings.
type RmvKnown = (Game<'static>, Findings);

impl Format for Rmv {
    type Options = ReadOptions;
    type Item = Event;
    type Known = RmvKnown;

    fn slice(data: &[u8], options: ReadOptions) -> impl Way<Self> {
        let mut events = Vec::new();
        let read = read_each(data, options, |event| events.push(event));
        RmvSlice {
            read: read.map_err(Failure::from),
            events: events.into_iter(),
        }
    }

    fn source(source: impl Read, options: ReadOptions) -> impl Way<Self> {
        Reader::with_options(source, options)
    }

    fn feed(options: ReadOptions) -> impl FedWay<Self> {
        Feed::with_options(options)
    }

    fn waits(failure: &Failure, read: usize) -> bool {
        // A signature is judged when it is whole, and what stands at the end is judged there.
        let is_begun = failure.code == "rmv.signature" && read < rmv::SIGNATURE.len();
        let at_the_end = ["rmv.file-size-wrong", "rmv.trailing-bytes"];
        failure.truncated || is_begun || at_the_end.contains(&failure.code)
    }
}

struct RmvSlice<'a> {
    read: Result<Reading<'a>, Failure>,
    events: std::vec::IntoIter<Event>,
}

impl Way<Rmv> for RmvSlice<'_> {
    fn next(&mut self) -> Result<Option<Event>, Failure> {
        match (self.events.next(), &self.read) {
            (None, Err(failure)) => Err(failure.clone()),
            (event, _) => Ok(event),
        }
    }

    fn known(&mut self) -> Option<RmvKnown> {
        let reading = self.read.as_ref().ok()?;
        Some((without_events(&reading.game), reading.findings.clone()))
    }
}

impl<R: Read> Way<Rmv> for Reader<R> {
    fn next(&mut self) -> Result<Option<Event>, Failure> {
        self.next_event().map_err(Failure::from)
    }

    fn known(&mut self) -> Option<RmvKnown> {
        let game = self.game().ok()?.clone();
        Some((game, self.findings().clone()))
    }
}

/// The rules that end the events although more bytes follow: then nobody knows whether the recording is complete.
const UNREADABLE: [&str; 4] = [
    "rmv.event-code",
    "rmv.event-time-range",
    "rmv.event-position",
    "rmv.event-reduced-first",
];

impl FedWay<Rmv> for Feed {
    fn push(&mut self, bytes: &[u8]) {
        self.push(bytes);
    }

    fn finish(&mut self) {
        self.finish();
    }

    fn next(&mut self) -> Result<Fed<Event>, Failure> {
        let fed = self.next_event().map_err(Failure::from)?;
        if fed == Fed::End {
            let is_cut = self.findings().has("rmv.truncated");
            let lost = UNREADABLE.iter().any(|code| self.findings().has(code));
            assert!(
                self.is_complete() || is_cut || lost,
                "{:?}",
                self.findings()
            );
            assert!(!self.is_complete() || !is_cut, "{:?}", self.findings());
        }
        assert!(
            fed.item().is_none() || self.game().is_some(),
            "the header comes first"
        );
        Ok(fed)
    }

    fn known(&mut self) -> Option<RmvKnown> {
        Some((self.game()?.clone(), self.findings().clone()))
    }
}

fn without_events(game: &Game<'_>) -> Game<'static> {
    let mut game = game.clone().into_owned();
    game.events = EventLog::empty(game.version());
    game
}

/// The properties that the equality of logs ignores.
fn log_details(log: &EventLog<'_>) -> (u32, u64, u32) {
    (log.len(), log.offset(), log.last_time_ms())
}

fn every_way(data: &[u8], options: ReadOptions, vary: usize) -> Given<RmvKnown> {
    let given = agree::<Rmv>(data, options, vary);
    match (read_with(data, options), read_from(data, options)) {
        (Ok(slice), Ok(stream)) => {
            assert_eq!(slice, stream);
            let log = &slice.game.events;
            assert_eq!(log_details(log), log_details(&stream.game.events));
            assert_eq!(
                log.iter().count(),
                log.len() as usize,
                "the log counts its events"
            );
            header_alone(data, &slice);
        }
        (slice, stream) => {
            let [slice, stream] = [slice, stream].map(|read| read.err().map(Failure::from));
            assert_eq!((&slice, &stream), (&given.failure, &given.failure));
        }
    }
    given
}

fn strictnesses(strict: &Given<RmvKnown>, lenient: &Given<RmvKnown>) {
    match (&strict.failure, &lenient.failure) {
        (None, None) => {
            assert!(
                strict
                    .known
                    .as_ref()
                    .is_none_or(|(_, findings)| findings.is_empty())
            );
            assert_eq!(strict, lenient);
        }
        (Some(strict), None) => {
            let findings = lenient.known.as_ref().map(|(_, findings)| findings);
            let first = findings.and_then(|findings| findings.iter().next().cloned());
            let first = first.map(|mut first| {
                first.repeats = 0;
                Failure::from(gametape_mines::rmv::Error::from(first))
            });
            assert_eq!(
                Some(strict),
                first.as_ref(),
                "the first finding is the strict error"
            );
        }
        (Some(_), Some(_)) => {}
        (None, Some(lenient)) => panic!("strict reads what lenient can't: {lenient:?}"),
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
