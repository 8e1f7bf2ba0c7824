//! Lines as recorders write them, and what remains of broken ones.

use std::io::Read;

use gametape_echo::echoreplay::{Feed, Reader, read, read_with};
use gametape_echo::{Fed, Limits, ReadOptions, Strictness};

use super::{SESSION, lenient, line, strict_error};

type Code = (&'static str, Option<u64>, Option<u64>);

/// The number of frames, and the findings: code, byte, frame.
fn codes(text: &[u8]) -> (usize, Vec<Code>) {
    let (frames, findings) = lenient(text);
    let codes = findings
        .iter()
        .map(|f| (f.code(), f.place.offset, f.place.step))
        .collect();
    (frames.len(), codes)
}

#[test]
fn tolerated_spellings_are_read_strictly_and_kept() {
    let text = format!(
        "\u{FEFF}2022/01/02 03:00:00.000\t{SESSION}\n\
         2022/01/02 03.00.01.000\t{SESSION}\t\r\n\
         \r\n\n\
         2022/01/02 03:00:02.1\t {SESSION} \t{{\"err_code\":0}}\r\n\
         2022/01/02 03:00:03.1234567\t{SESSION}\t\tmore\n\
         2022/01/02 03:00:04\t{SESSION}"
    );
    let mut lines = read(text.as_bytes());
    let mut copy = Vec::new();
    let mut times = Vec::new();
    let mut endings = Vec::new();
    for line in lines.by_ref() {
        let line = line.unwrap();
        let before = copy.len();
        line.write(&mut copy);
        assert_eq!(line.size(), copy.len() - before);
        times.push(line.time().unwrap().0 % 60_000);
        endings.push(line.ending.len());
        assert_eq!(text.as_bytes()[line.offset as usize], b'2');
    }
    assert_eq!(times, [0, 1000, 2100, 3123, 4000]);
    assert_eq!(endings, [1, 2, 2, 1, 0]);
    // Only the mark and the blank lines were left out, with a finding each.
    let expected = text.replace('\u{FEFF}', "").replace("\r\n\r\n\n", "\r\n");
    assert_eq!(String::from_utf8(copy).unwrap(), expected);
    let found: Vec<_> = lines
        .findings()
        .iter()
        .map(|f| (f.code(), f.place.offset))
        .collect();
    assert_eq!(found[0], ("echoreplay.bom", Some(0)));
    assert_eq!(found[1].0, "echoreplay.time-spelling");
    assert_eq!(found[2].0, "echoreplay.blank-line");
    assert_eq!(found[3].0, "echoreplay.no-newline");
    assert_eq!(found.len(), 4);
}

#[test]
fn an_empty_recording_has_no_frames() {
    assert_eq!(codes(b""), (0, vec![]));
    assert_eq!(codes("\u{FEFF}".as_bytes()).0, 0);
}

#[test]
fn broken_lines_are_skipped_and_reported() {
    let good = line(0, SESSION);
    let size = Some(good.len() as u64);
    for (bad, code) in [
        ("404\r\n".to_owned(), "echoreplay.columns"),
        (format!("yesterday\t{SESSION}\n"), "echoreplay.time"),
        (format!("\t{SESSION}\n"), "echoreplay.time"),
        (
            format!("2022/02/30 03:00:00.000\t{SESSION}\n"),
            "echoreplay.time",
        ),
    ] {
        let text = format!("{good}{bad}{good}");
        assert_eq!(codes(text.as_bytes()), (2, vec![(code, size, Some(1))]));
        assert_eq!(strict_error(text.as_bytes()), (code, good.len() as u64));
        // Lines that are not decoded report it, too.
        assert_eq!(read(text.as_bytes()).filter(Result::is_err).count(), 1);
    }
}

#[test]
fn the_last_line_is_taken_if_it_is_whole() {
    let good = line(0, SESSION);
    let last = line(1, SESSION);
    let last = last.trim_end();
    for size in 1..=last.len() {
        let text = format!("{good}{}", &last[..size]);
        if size == last.len() {
            let start = Some(good.len() as u64);
            assert_eq!(
                codes(text.as_bytes()),
                (2, vec![("echoreplay.no-newline", start, Some(1))])
            );
            continue;
        }
        let found = codes(text.as_bytes());
        assert_eq!(found.0, 1);
        assert_eq!(found.1[0].0, "echoreplay.truncated", "{size}");
        let error = read(text.as_bytes()).find_map(Result::err).unwrap();
        assert!(error.is_truncated() && !error.is_limit(), "{error}");
        assert_eq!(error.offset(), Some(good.len() as u64));
    }
    let bones = format!("{good}{last}\t{{\"user_bones\":[");
    assert_eq!(codes(bones.as_bytes()).1[0].0, "echoreplay.truncated");
}

#[test]
fn long_lines_are_a_limit() {
    let long = line(1, &format!("{{\"x\":\"{}\"}}", "y".repeat(200)));
    let text = format!("{0}{long}{0}{long}", line(0, SESSION));
    let limits = Limits {
        max_line_bytes: 100,
        ..Limits::DEFAULT
    };
    let mut lines = read_with(text.as_bytes(), ReadOptions::lenient().limits(limits));
    assert_eq!(lines.by_ref().count(), 2);
    let finding = lines.findings().iter().next().unwrap();
    assert_eq!((finding.code(), finding.repeats), ("echoreplay.limit", 1));
    let mut lines = read_with(text.as_bytes(), ReadOptions::strict().limits(limits));
    let error = lines.find_map(Result::err).unwrap();
    assert!(error.is_limit() && !error.is_truncated(), "{error}");
    assert_eq!(error.offset(), Some(line(0, SESSION).len() as u64));
}

#[test]
fn errors_read_like_sentences() {
    let text = line(0, SESSION) + &line(1, "{\"game_clock\":x}");
    let mut lines = read(text.as_bytes());
    lines.next_frame().unwrap();
    let error = lines.next_frame().unwrap_err();
    assert_eq!(
        error.to_string(),
        "frame 1 (1.000 s, line 2, byte 98): the session can't be read: a number is expected"
    );
}

#[test]
fn the_content_of_broken_lines_is_not_shown() {
    for (text, told) in [
        ("10.1.2.3 12345678901", "##.#.#.# ###########"),
        ("12345678901\t{}", "###########"),
        ("2022/01/02 03:00:00.000\tno 10.1.2.3", "no ##.#.#.#"),
        ("2022/01/02 03:00:00.000\t404", "404"),
    ] {
        let text = format!("{text}\r\n");
        let mut lines = read(text.as_bytes());
        let error = lines.next_frame().unwrap_err();
        assert!(
            error.to_string().contains(&format!("\"{told}\"")),
            "{error}"
        );
    }
}

#[test]
fn broken_lines_are_named_by_their_number() {
    let good = "2022/01/02 03:00:00.000\t{\"game_clock\":1.5}\r\n";
    let text = format!("\u{feff}{good}\r\n404\n{good}nothing\n{good}");
    let mut lines = read_with(text.as_bytes(), ReadOptions::lenient());
    while lines.next_frame().unwrap().is_some() {}
    let found: Vec<_> = lines
        .findings()
        .iter()
        .map(|f| (f.code(), f.place.line))
        .collect();
    let expected = [
        ("echoreplay.bom", Some(1)),
        ("echoreplay.blank-line", Some(2)),
        ("echoreplay.columns", Some(3)),
    ];
    assert_eq!(found, expected);
    let place = lines.findings().iter().last().unwrap().place.to_string();
    assert!(place.starts_with("frame 1 (line 3, byte "), "{place}");
}

/// A seeming end is undone, strictly and leniently: in a cut line, and in one that lacks its ending.
#[test]
fn a_seeming_end_is_undone_by_more_bytes() {
    let text: String = (0..3).map(|second| line(second, SESSION)).collect();
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
    let text = line(0, SESSION);
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
