//! The ways to read a .butter, one frame at a time.

use std::fmt::Display;
use std::io::{self, Read};

use gametape_echo::butter::{Feed, File, Frames, Header, Reader, Seen};
use gametape_echo::{Error, Fed, Finding, Findings, Frame, ReadOptions, Rule};

/// A reader of frames.
pub(super) trait Way {
    fn next(&mut self) -> Result<Option<&Frame>, Error>;
    fn findings(&self) -> &Findings;
    fn seen(&self) -> Seen;
    fn is_keyframe(&self) -> bool;
    /// The names of the players in the header.
    fn players(&self) -> Vec<Vec<u8>>;
}

impl Way for Frames<'_> {
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        self.next_frame()
    }

    fn findings(&self) -> &Findings {
        self.findings()
    }

    fn seen(&self) -> Seen {
        self.seen()
    }

    fn is_keyframe(&self) -> bool {
        self.is_keyframe()
    }

    fn players(&self) -> Vec<Vec<u8>> {
        players(self.header())
    }
}

fn players(header: Option<&Header>) -> Vec<Vec<u8>> {
    let players = header.map(|header| header.players.as_slice());
    let players = players.unwrap_or_default().iter();
    players.map(|player| player.name.clone()).collect()
}

impl<R: Read> Way for Reader<R> {
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        self.next_frame()
    }

    fn findings(&self) -> &Findings {
        self.findings()
    }

    fn seen(&self) -> Seen {
        self.seen()
    }

    fn is_keyframe(&self) -> bool {
        self.is_keyframe()
    }

    fn players(&self) -> Vec<Vec<u8>> {
        players(self.header())
    }
}

/// A feed that gets more bytes when it has nothing more to give.
pub(super) struct ByHand<'a, S> {
    feed: Feed,
    rest: &'a [u8],
    size: S,
    pieces: usize,
    finished: bool,
    frame: Frame,
}

impl<'a, S: Fn(usize) -> usize> ByHand<'a, S> {
    /// `size` gives the size of each piece by its number.
    pub fn new(data: &'a [u8], options: ReadOptions, size: S) -> Self {
        Self {
            feed: Feed::with_options(options),
            rest: data,
            size,
            pieces: 0,
            finished: false,
            frame: Frame::default(),
        }
    }
}

impl<S: Fn(usize) -> usize> Way for ByHand<'_, S> {
    fn next(&mut self) -> Result<Option<&Frame>, Error> {
        loop {
            match self.feed.next_frame()? {
                Fed::Item(frame) => {
                    self.frame.clone_from(frame);
                    return Ok(Some(&self.frame));
                }
                Fed::End => {
                    assert!(self.finished, "nobody said that this is all");
                    return Ok(None);
                }
                Fed::NeedMore => assert!(!self.finished, "this is all"),
            }
            let size = (self.size)(self.pieces).min(self.rest.len());
            let (piece, rest) = self.rest.split_at(size);
            self.pieces += 1;
            self.rest = rest;
            self.feed.push(piece);
            if rest.is_empty() {
                // Until now, the feed could not know that all bytes have arrived.
                if self.pieces.is_multiple_of(2)
                    && let Fed::Item(frame) = self.feed.next_frame()?
                {
                    self.frame.clone_from(frame);
                    return Ok(Some(&self.frame));
                }
                self.feed.finish();
                self.finished = true;
            }
        }
    }

    fn findings(&self) -> &Findings {
        self.feed.findings()
    }

    fn seen(&self) -> Seen {
        self.feed.seen()
    }

    fn is_keyframe(&self) -> bool {
        self.feed.is_keyframe()
    }

    fn players(&self) -> Vec<Vec<u8>> {
        players(self.feed.header())
    }
}

/// A source that returns pieces and is sometimes interrupted.
pub(super) struct Pieces<'a, S> {
    rest: &'a [u8],
    size: S,
    asked: usize,
}

impl<'a, S: Fn(usize) -> usize> Pieces<'a, S> {
    pub const fn new(rest: &'a [u8], size: S) -> Self {
        Self {
            rest,
            size,
            asked: 0,
        }
    }
}

impl<S: Fn(usize) -> usize> Read for Pieces<'_, S> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.asked += 1;
        if self.asked.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let size = (self.size)(self.asked).min(into.len());
        self.rest.read(&mut into[..size])
    }
}

/// The most frames of one input that are examined, because packed data can be long.
const MOST: usize = 4000;

/// The number of errors after which a reader that continues is abandoned.
const ERRORS: usize = 3;

/// Asserts that both give the same frames; returns their number and the first error.
pub(super) fn agree(a: &mut dyn Way, b: &mut dyn Way) -> (usize, Option<Error>) {
    let (mut frames, mut errors, mut first) = (0, 0, None);
    loop {
        match (a.next(), b.next()) {
            (Ok(None), Ok(None)) => break,
            (Ok(Some(x)), Ok(Some(y))) => {
                // Comparing as text is slow, but treats all NaNs as equal.
                if x != y {
                    assert_same(x, y, format_args!("frame {frames}"));
                }
                assert_eq!(a.is_keyframe(), b.is_keyframe(), "frame {frames}");
                if first.is_none() {
                    frames += 1;
                }
            }
            (Err(x), Err(y)) => {
                assert_eq!(told(&x), told(&y));
                assert_eq!(x.is_truncated(), y.is_truncated());
                errors += 1;
                first.get_or_insert(x);
                if errors == ERRORS {
                    break;
                }
            }
            (x, y) => panic!("after {frames} frames {x:?}\n{y:?}"),
        }
        if frames == MOST {
            break;
        }
    }
    assert_eq!(a.findings(), b.findings());
    assert_eq!(a.players(), b.players());
    // All counts agree, however the bytes arrived.
    let (x, y) = (a.seen(), b.seen());
    assert_eq!((x.frames, x.keyframes), (y.frames, y.keyframes));
    assert_eq!(x, y);
    (frames, first)
}

/// All frames of a file, up to the limit; `None` if there is an error.
pub(super) fn all(file: &File<'_>) -> Option<Vec<Frame>> {
    let mut frames = file.frames();
    let mut all = Vec::new();
    while let Some(frame) = frames.next_frame().ok()? {
        all.push(frame.clone());
        if all.len() == MOST {
            return None;
        }
    }
    Some(all)
}

/// Asserts that both frames are equal, bit for bit except for the payload of NaNs.
#[track_caller]
pub(super) fn assert_same(a: &Frame, b: &Frame, what: impl Display) {
    let (a, b) = (format!("{a:?}"), format!("{b:?}"));
    let at = a.bytes().zip(b.bytes()).position(|(a, b)| a != b);
    if let Some(at) = at.or((a.len() != b.len()).then_some(a.len().min(b.len()))) {
        let near = |text: &str| {
            let bytes = &text.as_bytes()[at.saturating_sub(150).min(text.len())..];
            String::from_utf8_lossy(&bytes[..bytes.len().min(230)]).into_owned()
        };
        panic!("{what}:\n{}\n{}", near(&a), near(&b));
    }
}

/// The visible properties of an error.
pub(super) fn told(error: &Error) -> (String, &'static str, Option<u64>) {
    (error.to_string(), error.code(), error.offset())
}

/// Whether the finding's code is a known one, with the right severity.
pub(super) fn is_known(finding: &Finding) -> bool {
    let told = (finding.code(), finding.severity());
    let mut rules = Rule::ALL.iter();
    rules.any(|rule| (rule.code, rule.severity) == told)
}
