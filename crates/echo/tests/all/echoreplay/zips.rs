//! Recordings in zips: several, cut, foreign, broken.

use std::io::{Cursor, Write};

use gametape_echo::echoreplay::{Reader, ZipWriter, open, open_with, read};
use gametape_echo::{Error, Findings, ReadOptions};
use zip::CompressionMethod::{self, Deflated, Stored};
use zip::ZipWriter as Zip;
use zip::write::SimpleFileOptions;

use super::{SESSION, line};

fn text(lines: usize, first: u8) -> String {
    let mut random = fastrand::Rng::with_seed(u64::from(first));
    (0..lines)
        .map(|_| {
            let noise: String = (0..60).map(|_| random.alphanumeric()).collect();
            line(
                first,
                &format!(r#"{{"sessionid":"{noise}","game_clock":1.5}}"#),
            )
        })
        .collect()
}

fn zip(files: &[(&str, &str, CompressionMethod)]) -> Vec<u8> {
    let mut zip = Zip::new(Cursor::new(Vec::new()));
    for (name, text, method) in files {
        let options = SimpleFileOptions::default().compression_method(*method);
        if name.ends_with('/') {
            zip.add_directory(*name, options).unwrap();
            continue;
        }
        zip.start_file(*name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// As writers do that can't seek: sizes stand behind the data.
fn streamed(text: &str) -> Vec<u8> {
    let mut zip = Zip::new_stream(Vec::new());
    for name in ["a.echoreplay", "b.echoreplay"] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn lines(mut reader: Reader<Cursor<&[u8]>>) -> Result<(Vec<u8>, Findings), Error> {
    let mut text = Vec::new();
    while let Some(line) = reader.next_line()? {
        line.write(&mut text);
    }
    Ok((text, reader.findings().clone()))
}

fn strict(zip: &[u8]) -> Result<(Vec<u8>, Findings), Error> {
    lines(open(Cursor::new(zip))?)
}

fn lenient(zip: &[u8]) -> (Vec<u8>, Findings) {
    lines(open_with(Cursor::new(zip), ReadOptions::lenient()).unwrap()).unwrap()
}

#[test]
fn files_of_a_zip_are_read_one_after_the_other() {
    let (a, b, c) = (text(3, 0), text(200, 1), text(1, 2));
    let bytes = zip(&[
        ("a.echoreplay", &a, Deflated),
        ("folder/", "", Stored),
        ("folder/b.echoreplay", &b, Stored),
        ("nothing", "", Deflated),
        ("c.echoreplay", c.trim_end(), Deflated),
    ]);
    let (read, findings) = strict(&bytes).unwrap();
    assert_eq!(
        String::from_utf8(read).unwrap(),
        a.clone() + &b + c.trim_end()
    );
    let codes: Vec<_> = findings
        .iter()
        .map(|f| {
            (
                f.code(),
                f.place.offset,
                f.place.step,
                f.place.within.as_deref(),
            )
        })
        .collect();
    let expected = [
        ("echoreplay.zip-members", None, None, None),
        (
            "echoreplay.no-newline",
            Some(0),
            Some(203),
            Some("c.echoreplay in the zip"),
        ),
    ];
    assert_eq!(codes, expected);
    assert!(
        findings
            .iter()
            .next()
            .unwrap()
            .message()
            .contains("4 files")
    );

    // Frames are counted through, bytes in each file.
    let mut reader = open(Cursor::new(bytes.as_slice())).unwrap();
    let mut places = Vec::new();
    while reader.next_frame().unwrap().is_some() {
        let line = reader.line().unwrap();
        places.push((line.index, line.offset));
    }
    assert_eq!(places.len(), 204);
    assert_eq!(places[2], (2, a.len() as u64 / 3 * 2));
    assert_eq!(places[3], (3, 0));
}

#[test]
fn zips_are_written_and_read() {
    let text = text(500, 0);
    for level in [0, 1, 6, 9] {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()), "x.echoreplay", level).unwrap();
        for line in read(text.as_bytes()) {
            writer.push_line(&line.unwrap()).unwrap();
        }
        assert_eq!(writer.frames(), 500);
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(bytes.len() < text.len(), level > 0, "level {level}");
        let (read, findings) = strict(&bytes).unwrap();
        assert!(read == text.as_bytes() && findings.is_empty());
    }
    let empty = Zip::new(Cursor::new(Vec::new()))
        .finish()
        .unwrap()
        .into_inner();
    assert_eq!(strict(&empty).unwrap().0, b"");
    let (read, _) = strict(&streamed(&text)).unwrap();
    assert!(read == (text.clone() + &text).as_bytes());
}

#[test]
fn a_cut_zip_gives_the_lines_that_are_in_it() {
    let (a, b) = (text(120, 0), text(40, 1));
    let both = a.clone() + &b;
    let ours = {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()), "x", 6).unwrap();
        for line in read(both.as_bytes()) {
            writer.push_line(&line.unwrap()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    };
    let twice = a.clone() + &a;
    for (bytes, text) in [
        (zip(&[("a", &a, Deflated), ("b", &b, Deflated)]), &both),
        (zip(&[("a", &a, Stored), ("b", &b, Stored)]), &both),
        (
            zip(&[
                ("a", &a, Stored),
                ("none", "", Deflated),
                ("b", &b, Deflated),
            ]),
            &both,
        ),
        (ours, &both),
        (streamed(&a), &twice),
    ] {
        let mut before = 0;
        for size in (4..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            let cut = &bytes[..size];
            assert!(strict(cut).is_err_and(|error| error.code() == "echoreplay.zip-truncated"));
            let (read, findings) = lenient(cut);
            assert!(findings.has("echoreplay.zip-truncated"), "{size}");
            assert!(
                text.as_bytes().starts_with(&read),
                "{size} of {}",
                bytes.len()
            );
            // Whole lines, and not fewer than of a shorter cut.
            assert!(read.len() >= before, "{size}");
            let whole = read.is_empty() || read.ends_with(b"\n");
            assert!(whole || findings.has("echoreplay.no-newline"), "{size}");
            before = read.len();
        }
        // All of it is there when only the table is missing.
        assert_eq!(before, text.len());
    }
}

/// A zip that was being written when the machine stopped: sizes were never filled in.
#[test]
fn an_unfinished_zip_gives_the_lines_that_are_in_it() {
    let text = text(120, 0);
    for method in [Deflated, Stored] {
        let mut bytes = zip(&[("a", &text, method)]);
        bytes[14..26].fill(0);
        let end = bytes.len() - 80;
        let (read, findings) = lenient(&bytes[..end]);
        assert!(read.len() > text.len() / 2, "{method:?}: {}", read.len());
        assert!(text.as_bytes().starts_with(&read));
        assert!(findings.has("echoreplay.zip-truncated"));
    }
}

/// What is stored may hold the end of a zip itself: a zip that was cut behind it is no empty one.
#[test]
fn an_end_that_is_stored_in_a_zip_is_not_its_own() {
    let lines = text(2, 0);
    let end = format!("PK\x05\x06{}", "\0".repeat(18));
    let bytes = zip(&[("a", &format!("{lines}{end}\r\n{lines}"), Stored)]);
    let without_table = bytes.len() - 22;
    for cut in [&bytes[..without_table], &bytes[..without_table - 60]] {
        assert!(strict(cut).is_err_and(|error| error.code() == "echoreplay.zip-truncated"));
        let (read, findings) = lenient(cut);
        assert!(findings.has("echoreplay.zip-truncated"));
        assert!(read.starts_with(lines.as_bytes()));
    }
}

#[test]
fn files_that_cannot_be_read_are_told_of() {
    let good = text(2, 0);
    let bytes = zip(&[("a", &good, Deflated), ("b", &good, Deflated)]);
    let second = memchr::memmem::rfind(&bytes, b"PK\x03\x04").unwrap();
    let entry = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
    let check = |bytes: &[u8], code: &str, lines: usize| {
        let error = strict(bytes).unwrap_err();
        assert_eq!(error.code(), code);
        let (read, findings) = lenient(bytes);
        assert!(findings.has(code), "{findings:?}");
        assert_eq!(
            read.split(|byte| *byte == b'\n').count() - 1,
            lines,
            "{code}"
        );
    };
    // In the table, and then without it.
    let without_end = bytes.len() - 22;
    for (offset, byte, code) in [
        (8, 1, "echoreplay.zip-encrypted"),
        (10, 12, "echoreplay.zip-method"),
        (10, 93, "echoreplay.zip-method"),
    ] {
        let mut changed = bytes.clone();
        changed[entry + offset] = byte;
        check(&changed, code, 2);
        let mut changed = bytes[..without_end].to_vec();
        changed[offset - 2] = byte;
        let (read, findings) = lenient(&changed);
        assert!(findings.has(code) && findings.has("echoreplay.zip-truncated"));
        assert!(read == good.as_bytes(), "{code}");
    }
    let mut changed = bytes.clone();
    changed[entry + 16] ^= 1;
    check(&changed, "echoreplay.zip-checksum", 4);
    let mut changed = bytes.clone();
    changed[31] = 0xFF;
    check(&changed, "echoreplay.zip-inflate", 2);
    let mut changed = bytes.clone();
    changed[entry + 20] -= 9;
    // As far as it goes: the first line of the first file is in there.
    check(&changed, "echoreplay.zip-truncated", 3);
    let mut changed = bytes.clone();
    changed[second] = 0;
    check(&changed, "echoreplay.zip-truncated", 2);
    let stored = zip(&[("a", &good, Stored)]);
    let mut changed = stored.clone();
    changed[40] ^= 1;
    assert!(lenient(&changed).1.has("echoreplay.zip-checksum"));
}

#[test]
fn broken_zips_do_no_harm() {
    let (a, b) = (text(30, 0), text(20, 1));
    let whole = zip(&[("a", &a, Deflated), ("b", &b, Stored)]);
    let streamed = streamed(&a);
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..3000 {
        let mut bytes = if round % 2 == 0 {
            whole.clone()
        } else {
            streamed.clone()
        };
        for _ in 0..random.usize(1..6) {
            let at = random.usize(4..bytes.len());
            bytes[at] = random.u8(..);
        }
        bytes.truncate(random.usize(bytes.len() / 2..=bytes.len()));
        let (read, _) = lenient(&bytes);
        assert!(read.len() < 100_000);
        let _ = strict(&bytes);
    }
}

/// A little zip that is one long line: no more than the limit of it is held.
#[test]
fn a_bomb_is_read_in_bounded_memory() {
    let mut writer = Zip::new(Cursor::new(Vec::new()));
    writer
        .start_file("x", SimpleFileOptions::default())
        .unwrap();
    let block = vec![b' '; 1 << 20];
    for _ in 0..9 {
        writer.write_all(&block).unwrap();
    }
    writer
        .write_all(format!("\n{}", line(0, SESSION)).as_bytes())
        .unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    assert!(bytes.len() < 20_000);
    let (read, findings) = lenient(&bytes);
    assert_eq!(read, line(0, SESSION).as_bytes());
    assert!(findings.has("echoreplay.limit"));
}

#[test]
fn what_is_odd_about_a_zip_is_told_once() {
    let (a, b) = (text(50, 0), text(50, 1));
    let two = zip(&[("a", &a, Deflated), ("b", &b, Deflated)]);
    let one = zip(&[("a", &a, Deflated)]);
    for (bytes, code) in [
        (two.as_slice(), "echoreplay.zip-members"),
        (&two[..two.len() - 30], "echoreplay.zip-members"),
        (&one[..one.len() / 2], "echoreplay.zip-truncated"),
    ] {
        let (_, findings) = lenient(bytes);
        let finding = findings.iter().find(|f| f.code() == code).unwrap();
        assert_eq!(finding.repeats, 0, "{finding}");
    }
    let (_, findings) = lenient(&one[..one.len() / 2]);
    let message = findings.iter().next().unwrap().message();
    assert!(
        message.starts_with("the zip ends early: it was not finished"),
        "{message}"
    );
}
