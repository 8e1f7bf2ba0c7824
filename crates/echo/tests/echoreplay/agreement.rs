//! A slice, a source and pieces: all three read the same.

use std::io::Read;

use gametape_echo::echoreplay::{Decoder, Lines, Progress, ReadOptions, Reader, Strictness};
use gametape_echo::{Error, Finding, Frame, Limits};
use proptest::prelude::*;

use super::SESSION;

/// All that a reader says: the lines or frames, its error, its findings.
#[derive(PartialEq, Debug, Default)]
struct Said {
    lines: Vec<(Vec<u8>, u64, u64)>,
    frames: Vec<String>,
    error: Option<Finding>,
    findings: Vec<Finding>,
}

impl Said {
    fn line(&mut self, line: &gametape_echo::echoreplay::Line<'_>, frame: Option<&Frame>) {
        let mut bytes = Vec::new();
        line.write(&mut bytes);
        self.lines.push((bytes, line.index, line.offset));
        self.frames.extend(frame.map(|frame| format!("{frame:?}")));
    }

    fn failed(&mut self, error: Error) {
        self.error = error.into_finding();
    }
}

fn slice(mut lines: Lines<'_>, typed: bool) -> Said {
    let mut said = Said::default();
    let mut frame = Frame::default();
    loop {
        let line = if typed {
            lines.next_frame(&mut frame)
        } else {
            lines.next().transpose()
        };
        match line {
            Ok(Some(line)) => said.line(&line, typed.then_some(&frame)),
            Ok(None) => break,
            Err(error) => {
                said.failed(error);
                break;
            }
        }
    }
    said.findings = lines.findings().iter().cloned().collect();
    said
}

fn source(mut reader: Reader<impl Read>, typed: bool) -> Said {
    let mut said = Said::default();
    let mut frame = Frame::default();
    loop {
        let line = if typed {
            reader.next_frame(&mut frame)
        } else {
            reader.next_line()
        };
        match line {
            Ok(Some(line)) => said.line(&line, typed.then_some(&frame)),
            Ok(None) => break,
            Err(error) => {
                said.failed(error);
                break;
            }
        }
    }
    said.findings = reader.findings().iter().cloned().collect();
    said
}

fn pieces<'a>(
    mut decoder: Decoder,
    mut pieces: impl Iterator<Item = &'a [u8]>,
    typed: bool,
) -> Said {
    let mut said = Said::default();
    let mut frame = Frame::default();
    loop {
        let progress = if typed {
            decoder.next_frame(&mut frame)
        } else {
            decoder.next_line()
        };
        match progress {
            Ok(Progress::Line(line)) => said.line(&line, typed.then_some(&frame)),
            Ok(Progress::NeedMore) => match pieces.next() {
                Some(piece) => decoder.push(piece),
                None => decoder.finish_input(),
            },
            Ok(Progress::End) => break,
            Err(error) => {
                said.failed(error);
                break;
            }
        }
    }
    said.findings = decoder.findings().iter().cloned().collect();
    said
}

/// Gives a few bytes at a time.
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
        let expected = slice(options.read(text), typed);
        prop_assert_eq!(&source(options.reader(text), typed), &expected);
        prop_assert_eq!(&source(options.reader(Slow(text, sizes[0])), typed), &expected);
        let mut rest = text;
        let cut = sizes.iter().cycle().map_while(|size| {
            let (piece, behind) = rest.split_at(rest.len().min(*size));
            rest = behind;
            (!piece.is_empty()).then_some(piece)
        });
        prop_assert_eq!(&pieces(Decoder::new(options), cut, typed), &expected);
        let file = std::io::Cursor::new(text);
        prop_assert_eq!(&source(options.open(file).unwrap(), typed), &expected);
    }
}

#[test]
fn a_growing_recording_is_read_as_it_grows() {
    let text: String = (0..5).map(|second| super::line(second, SESSION)).collect();
    let mut decoder = Decoder::new(ReadOptions::strict());
    let mut frame = Frame::default();
    let mut count = 0;
    for (at, byte) in text.bytes().enumerate() {
        decoder.push(&[byte]);
        let expected = text[..=at].matches('\n').count();
        if let Progress::Line(_) = decoder.next_frame(&mut frame).unwrap() {
            count += 1;
            assert_eq!(frame.time.0 % 60_000, (count as i64 - 1) * 1000);
            assert_eq!(decoder.offset(), at as u64 + 1);
        }
        assert_eq!(count, expected);
    }
    assert!(decoder.findings().is_empty());
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
