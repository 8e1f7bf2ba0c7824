//! A slice, a source and pieces: all three read the same.

use std::io::Read;

use gametape_echo::echoreplay::{Feed, Line, Lines, Reader, open_with, read_with};
use gametape_echo::{Error, Fed, Finding, Frame, Limits, ReadOptions, Strictness};
use proptest::prelude::*;

use super::SESSION;

/// The output of a reader: the lines or frames, its error, its findings.
#[derive(PartialEq, Debug, Default)]
struct Output {
    lines: Vec<(Vec<u8>, u64, u64)>,
    frames: Vec<String>,
    error: Option<Finding>,
    findings: Vec<Finding>,
}

impl Output {
    fn line(&mut self, line: Option<Line<'_>>, frame: Option<&Frame>) {
        let (mut bytes, line) = (Vec::new(), line.expect("it was given"));
        line.write(&mut bytes);
        self.lines.push((bytes, line.index, line.offset));
        self.frames.extend(frame.map(|frame| format!("{frame:?}")));
    }

    fn failed(&mut self, error: Error) {
        self.error = error.into_finding();
    }
}

/// Reads everything from a reader with a source.
macro_rules! read_all {
    ($reader:ident, $typed:ident) => {{
        let mut said = Output::default();
        loop {
            let next = if $typed {
                $reader.next_frame().map(|frame| frame.is_some())
            } else {
                $reader.next_line().map(|line| line.is_some())
            };
            match next {
                Ok(true) => said.line($reader.line(), $typed.then_some($reader.frame())),
                Ok(false) => break,
                Err(error) => {
                    said.failed(error);
                    break;
                }
            }
        }
        said.findings = $reader.findings().iter().cloned().collect();
        said
    }};
}

fn slice(mut lines: Lines<'_>, typed: bool) -> Output {
    read_all!(lines, typed)
}

fn source(mut reader: Reader<impl Read>, typed: bool) -> Output {
    read_all!(reader, typed)
}

fn pieces<'a>(mut feed: Feed, mut pieces: impl Iterator<Item = &'a [u8]>, typed: bool) -> Output {
    let mut said = Output::default();
    loop {
        let next = if typed {
            feed.next_frame().map(|fed| match fed {
                Fed::Item(_) => Fed::Item(()),
                Fed::NeedMore => Fed::NeedMore,
                Fed::End => Fed::End,
            })
        } else {
            feed.next_line().map(|fed| match fed {
                Fed::Item(_) => Fed::Item(()),
                Fed::NeedMore => Fed::NeedMore,
                Fed::End => Fed::End,
            })
        };
        match next {
            Ok(Fed::Item(())) => said.line(feed.line(), typed.then_some(feed.frame())),
            Ok(Fed::NeedMore) => match pieces.next() {
                Some(piece) => feed.push(piece),
                None => feed.finish(),
            },
            Ok(Fed::End) => break,
            Err(error) => {
                said.failed(error);
                break;
            }
        }
    }
    said.findings = feed.findings().iter().cloned().collect();
    said
}

/// Returns a few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let size = self.1.min(into.len());
        self.0
            .take(size as u64)
            .read(into)
            .inspect(|count| self.0 = &self.0[*count..])
    }
}

fn part() -> impl Strategy<Value = String> {
    let session = prop_oneof![
        4 => Just(SESSION.to_owned()),
        1 => Just("{\"err_code\":-6}".to_owned()),
        1 => Just("404".to_owned()),
        1 => Just("{\"game_clock\":}".to_owned()),
        1 => Just("{\"client_name\":\"é\",\"x\":[1,{}]}".to_owned()),
        1 => (0..300_usize).prop_map(|n| format!("{{\"x\":\"{}\",\"game_clock\":1}}", "y".repeat(n))),
    ];
    let bones = prop_oneof![
        Just(""),
        Just("\t"),
        Just("\t{\"err_code\":0}"),
        Just("\tx"),
        Just("\t{\"user_bones\":[{\"bone_t\":[1]}]}"),
    ];
    let ending = prop_oneof![4 => Just("\r\n"), 2 => Just("\n"), 1 => Just("\r"), 1 => Just("")];
    prop_oneof![
        6 => (session, bones, ending).prop_map(|(session, bones, ending)| {
            format!("2022/01/02 03:00:00.000\t{session}{bones}{ending}")
        }),
        1 => Just("\r\n".to_owned()),
        1 => Just("\u{FEFF}".to_owned()),
        1 => "[\\x00-\\x7f\t\n]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn all_readers_say_the_same(
        parts in prop::collection::vec(part(), 0..8),
        cut in any::<prop::sample::Index>(),
        sizes in prop::collection::vec(1..90_usize, 1..20),
        strict in any::<bool>(),
        typed in any::<bool>(),
        limit in prop_oneof![Just(4 << 20), 20..300_u64],
    ) {
        let text = parts.concat().into_bytes();
        let text = &text[..text.len() - cut.index(text.len() + 1) / 4];
        let options = ReadOptions {
            strictness: if strict { Strictness::Strict } else { Strictness::Lenient },
            limits: Limits { max_line_bytes: limit, ..Limits::DEFAULT },
        };
        let expected = slice(read_with(text, options), typed);
        prop_assert_eq!(&source(Reader::with_options(text, options), typed), &expected);
        prop_assert_eq!(&source(Reader::with_options(Slow(text, sizes[0]), options), typed), &expected);
        let mut rest = text;
        let cut = sizes.iter().cycle().map_while(|size| {
            let (piece, after) = rest.split_at(rest.len().min(*size));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        });
        prop_assert_eq!(&pieces(Feed::with_options(options), cut, typed), &expected);
        let file = std::io::Cursor::new(text);
        prop_assert_eq!(&source(open_with(file, options).unwrap(), typed), &expected);
    }
}

#[test]
fn a_growing_recording_is_read_as_it_grows() {
    let text: String = (0..5).map(|second| super::line(second, SESSION)).collect();
    let mut feed = Feed::new();
    let mut count = 0;
    for (at, byte) in text.bytes().enumerate() {
        feed.push(&[byte]);
        let expected = text[..=at].matches('\n').count();
        if let Fed::Item(frame) = feed.next_frame().unwrap() {
            count += 1;
            assert_eq!(frame.time.0 % 60_000, (count as i64 - 1) * 1000);
            assert_eq!(feed.offset(), at as u64 + 1);
        }
        assert_eq!(count, expected);
    }
    assert!(feed.findings().is_empty());
}

/// A seeming end is undone, strictly and leniently: in a cut line, and in one that lacks its ending.
#[test]
fn a_seeming_end_is_undone_by_more_bytes() {
    let text: String = (0..3).map(|second| super::line(second, SESSION)).collect();
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        let options = ReadOptions {
            strictness,
            ..ReadOptions::default()
        };
        for cut in 0..text.len() {
            let mut feed = Feed::with_options(options);
            let mut times = Vec::new();
            let mut take = |feed: &mut Feed| loop {
                match feed.next_frame() {
                    Ok(Fed::Item(frame)) => times.push(frame.time.0 % 60_000),
                    Ok(Fed::NeedMore | Fed::End) => break true,
                    Err(error) => {
                        assert!(error.is_truncated(), "{cut}: {error}");
                        break false;
                    }
                }
            };
            feed.push(&text.as_bytes()[..cut]);
            feed.finish();
            take(&mut feed);
            feed.push(&text.as_bytes()[cut..]);
            feed.finish();
            assert!(take(&mut feed), "{cut}");
            assert_eq!(times, [0, 1000, 2000], "{cut}");
            assert!(feed.findings().is_empty(), "{cut}: {:?}", feed.findings());
        }
    }
}

#[test]
fn an_error_of_the_source_says_where_and_can_be_tried_again() {
    struct Flaky<'a>(&'a [u8], bool);
    impl Read for Flaky<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(std::io::Error::other("unplugged"));
            }
            let size = self.0.len().min(into.len()).min(50);
            into[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }
    let text = super::line(0, SESSION);
    let mut reader = Reader::new(Flaky(text.as_bytes(), true));
    let mut errors = Vec::new();
    let line = loop {
        match reader.next_line() {
            Ok(line) => break line,
            Err(error) => errors.push((error.code(), error.offset())),
        }
    };
    assert_eq!(line.unwrap().size(), text.len());
    assert_eq!(errors, [("io", Some(50))]);
}
