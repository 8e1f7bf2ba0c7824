//! Recordings in zips: several, cut, foreign, broken.

use std::io::{Cursor, Write};

use gametape_core::Part;
use gametape_echo::echoreplay::{Reader, Salvaged, ZipWriter, open, open_with, read, salvage};
use gametape_echo::{Error, Findings, ReadOptions, Rule};
use zip::CompressionMethod::{self, Deflated, Stored};
use zip::ZipWriter as Zip;
use zip::write::SimpleFileOptions;

use super::{SESSION, line};
use crate::common::altered_steps;

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

/// As written by writers that can't seek: sizes follow the data.
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

    // Frames are counted throughout, bytes in each file.
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
fn a_cut_zip_gives_its_lines() {
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
            // Whole lines, and no fewer than with a shorter cut.
            assert!(read.len() >= before, "{size}");
            let whole = read.is_empty() || read.ends_with(b"\n");
            assert!(whole || findings.has("echoreplay.no-newline"), "{size}");
            before = read.len();
        }
        // If only the table is missing, all lines are there.
        assert_eq!(before, text.len());
    }
}

/// A zip that was being written when the machine stopped: sizes were never filled in.
#[test]
fn an_unfinished_zip_gives_its_lines() {
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

/// Stored data may contain the end of a zip. A zip that was cut after it is not an empty one.
#[test]
fn a_stored_end_of_a_zip_is_not_its_own() {
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
fn files_that_cannot_be_read_are_reported() {
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
    // With the table, and then without it.
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
    // As far as it goes: the first line of the first file is there.
    check(&changed, "echoreplay.zip-truncated", 3);
    let mut changed = bytes.clone();
    changed[second] = 0;
    check(&changed, "echoreplay.zip-truncated", 2);
    let stored = zip(&[("a", &good, Stored)]);
    let mut changed = stored.clone();
    changed[40] ^= 1;
    assert!(lenient(&changed).1.has("echoreplay.zip-checksum"));
}

/// A small zip that is one long line: memory is bounded by the limit.
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
fn each_oddity_of_a_zip_is_reported_once() {
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

/// The lines that are kept, and those that may be altered.
fn kept(zip: &[u8]) -> (Vec<u8>, Salvaged, Vec<(u64, u64)>) {
    let (text, done) = salvage(zip).unwrap();
    let altered = altered_steps(done.altered.iter());
    (text, done, altered)
}

/// The positions of the table's entries.
fn entries(zip: &[u8]) -> Vec<usize> {
    memchr::memmem::find_iter(zip, b"PK\x01\x02").collect()
}

#[test]
fn a_wrong_checksum_names_its_frames() {
    let (a, b, c) = (text(3, 0), text(2, 1), text(4, 2));
    let sound = zip(&[
        ("a", &a, Deflated),
        ("none", "", Deflated),
        ("b", &b, Deflated),
        ("c", &c, Stored),
    ]);
    let entry = entries(&sound);
    let mut bytes = sound.clone();
    bytes[entry[2] + 17] ^= 1;
    let error = strict(&bytes).unwrap_err();
    let (lines, findings) = lenient(&bytes);
    let text = a.clone() + &b + &c;
    assert_eq!(String::from_utf8(lines).unwrap(), text);
    let finding = findings.get("echoreplay.zip-checksum").unwrap();
    assert_eq!(Some(finding), error.finding());
    let place = &finding.place;
    assert_eq!((place.step, place.offset), (Some(3), Some(0)));
    assert_eq!(place.within.as_deref(), Some("b in the zip"));
    let Rule::ZipChecksum {
        frames: 2,
        found,
        stored,
    } = finding.rule
    else {
        panic!("{finding}");
    };
    assert_eq!(found.0 ^ stored.0, 1 << 8);
    // They are kept. Nothing is left out, and nothing is corrected.
    let (lines, done, altered) = kept(&bytes);
    assert_eq!(String::from_utf8(lines).unwrap(), text);
    assert_eq!(altered, [(3, 5)]);
    assert!(done.left_out().next().is_none() && !done.nothing_to_do());
    let said = format!(
        "kept, but may be altered: frames 3 to 4 (byte 0 of b in the zip): a file in the zip, of 2 frames, has checksum {found}; {stored} is stored"
    );
    assert_eq!(done.altered.sentences(), [said]);
    // Several files, one of which has no frame.
    for entry in [entry[0], entry[1], entry[3]] {
        bytes[entry + 16] ^= 1;
    }
    let (lines, _, altered) = kept(&bytes);
    assert_eq!(String::from_utf8(lines).unwrap(), text);
    assert_eq!(altered, [(0, 3), (3, 3), (3, 5), (5, 9)]);
    assert_eq!(
        lenient(&bytes)
            .1
            .get("echoreplay.zip-checksum")
            .unwrap()
            .repeats,
        3
    );
}

/// The table counts, as for all readers of zips; without it, a file's own header.
#[test]
fn a_checksum_is_in_the_table_and_before_the_file() {
    let lines = text(9, 0);
    let sound = zip(&[("a", &lines, Deflated)]);
    let entry = entries(&sound)[0];
    let mut bytes = sound.clone();
    bytes[14] ^= 1;
    assert!(kept(&bytes).1.nothing_to_do());
    assert_eq!(strict(&bytes).unwrap().0, lines.as_bytes());
    let without_table = &bytes[..entry];
    let (text, done, altered) = kept(without_table);
    assert_eq!(text, lines.as_bytes());
    assert_eq!(altered, [(0, 9)]);
    // The missing table is another finding.
    let left_out: Vec<_> = done.left_out().map(gametape_echo::Finding::code).collect();
    assert_eq!(left_out, ["echoreplay.zip-truncated"]);
    assert!(kept(&sound[..entry]).2.is_empty());
    let mut bytes = sound;
    bytes[entry + 16] ^= 1;
    assert_eq!(kept(&bytes).2, [(0, 9)]);
}

/// If the writer can't seek, checksum and sizes follow the file. Without the table, there is nothing else
/// to check it by.
#[test]
fn a_checksum_after_the_file_counts_if_there_is_no_table() {
    let lines = text(9, 0);
    let sound = streamed(&lines);
    let sound = &sound[..entries(&sound)[0]];
    let twice = lines.clone() + &lines;
    let described: Vec<usize> = memchr::memmem::find_iter(sound, b"PK\x07\x08").collect();
    let [first, second] = described[..] else {
        panic!("{described:?}");
    };
    let mut unsigned = sound.to_vec();
    unsigned.drain(first..first + 4);
    for (bytes, first, second) in [
        (sound, first + 4, second + 4),
        (&unsigned[..], first, second),
    ] {
        let (text, _, altered) = kept(bytes);
        assert_eq!(String::from_utf8(text).unwrap(), twice);
        assert_eq!(altered, Vec::<(u64, u64)>::new());
        let mut changed = bytes.to_vec();
        changed[first] ^= 1;
        let (text, done, altered) = kept(&changed);
        assert_eq!(String::from_utf8(text).unwrap(), twice);
        assert_eq!(altered, [(0, 9)], "{:?}", done.findings);
        changed[second] ^= 1;
        assert_eq!(kept(&changed).2, [(0, 9), (9, 18)]);
    }
}

/// Data that does not inflate to its end was damaged earlier.
#[test]
fn lines_before_broken_data_may_be_altered() {
    let (a, b) = (text(1200, 0), text(3, 1));
    let mut writer = Zip::new(Cursor::new(Vec::new()));
    writer
        .start_file("a", SimpleFileOptions::default())
        .unwrap();
    let (first, second) = a.split_at(a.len() / 2);
    writer.write_all(first.as_bytes()).unwrap();
    // An empty block, which stores its length twice.
    writer.flush().unwrap();
    writer.write_all(second.as_bytes()).unwrap();
    writer
        .start_file("b", SimpleFileOptions::default())
        .unwrap();
    writer.write_all(b.as_bytes()).unwrap();
    let mut bytes = writer.finish().unwrap().into_inner();
    let block = memchr::memmem::find(&bytes, b"\0\0\xFF\xFF").unwrap();
    bytes[block] ^= 1;
    let (text, done, altered) = kept(&bytes);
    assert!(done.findings.has("echoreplay.zip-inflate"));
    assert!(done.frames > 200, "{}", done.frames);
    assert_eq!(altered, [(0, done.frames - 3)]);
    assert!(String::from_utf8(text).unwrap().ends_with(&b));
}

/// Whatever bit is flipped, lines that are kept and not reported as altered are unchanged.
#[test]
fn no_line_is_altered_in_silence() {
    let (a, b) = (text(60, 0), text(60, 1));
    let table = zip(&[("a", &a, Deflated), ("b", &b, Deflated)]);
    let without = table[..entries(&table)[0]].to_vec();
    for (bytes, text) in [
        (&table, a.clone() + &b),
        (&without, a.clone() + &b),
        (&streamed(&a), a.clone() + &a),
    ] {
        let mut told = 0;
        for bit in (4 * 8..bytes.len() * 8).step_by(29) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok((lines, done)) = salvage(&bytes) else {
                continue;
            };
            let mut whole = text.lines();
            for (at, line) in (0..).zip(String::from_utf8_lossy(&lines).lines()) {
                let said = done.altered.iter().any(|altered| match &altered.part {
                    Part::Steps(steps) => steps.contains(&at),
                    Part::Beside(_) => false,
                });
                told += u64::from(said);
                assert!(
                    said || whole.any(|whole| whole == line),
                    "bit {bit}, line {at}: {:?}",
                    done.findings
                );
            }
            let all = done.frames == 120;
            assert!(all || done.left_out().next().is_some(), "bit {bit}");
        }
        assert!(told > 1000, "{told}");
    }
}
