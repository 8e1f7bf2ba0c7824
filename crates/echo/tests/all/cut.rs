//! Cutting a part out of a match: its lines, chunks and frames are those of the whole.

use std::io::Cursor;

use gametape_core::At;
use gametape_core::tape::{Cut, Cutout, Format, Options as Told, Source, Work};
use gametape_echo::butter::{self, Compression};
use gametape_echo::loss::FieldErrors;
use gametape_echo::tape::{Butter, Echoreplay};
use gametape_echo::{Frame, ReadOptions, Rule, echoreplay};

use crate::butter::teams::agree_where_stored;
use crate::common::{
    frames_of, lines, match_options, options, read_all, read_strictly, reference,
    reference_matches, tape, write,
};

pub fn cut(format: &dyn Format, bytes: &[u8], range: Cut, told: &Told) -> (Vec<u8>, Cutout) {
    let mut out = Cursor::new(Vec::new());
    let tape = format.open(Source::new(bytes.to_vec())).unwrap();
    let cutout = tape.cut(&range, told, &mut out, &Work::default());
    (out.into_inner(), cutout.unwrap())
}

pub fn steps(from: usize, to: usize) -> Cut {
    Cut::new(Some(At::Step(from as u64)), Some(At::Step(to as u64)))
}

/// The differences between the frames of a part and of the whole.
pub fn errors(whole: &[Frame], part: &[Frame]) -> FieldErrors {
    assert_eq!(whole.len(), part.len());
    let mut errors = FieldErrors::new();
    whole.iter().zip(part).for_each(|(a, b)| errors.push(a, b));
    errors
}

#[test]
fn lines_stay_as_they_are_with_any_ending() {
    let text = echoreplay::write(&frames_of(match_options(1, 12))).unwrap();
    let mut all: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    // The last line has no ending.
    let last = all.pop().unwrap();
    all.push(last.strip_suffix(b"\r\n").unwrap());
    let whole = all.concat();
    for (from, to) in [(0, 0), (3, 7), (5, 11), (11, 11)] {
        let (part, cutout) = cut(&Echoreplay, &whole, steps(from, to), &Told::new());
        assert!(part == all[from..=to].concat(), "{from} to {to}");
        assert!(cutout.is_less() && !cutout.converted.is_lossy());
        let zipped = cut(
            &Echoreplay,
            &whole,
            steps(from, to),
            &Told::new().flag("zip"),
        )
        .0;
        assert!(zipped.starts_with(b"PK"));
        // A zip stays a zip.
        let inner = to - from;
        let (again, _) = cut(&Echoreplay, &zipped, steps(inner, inner), &Told::new());
        assert!(again.starts_with(b"PK") || inner == 0);
        let plain = cut(
            &Echoreplay,
            &zipped,
            steps(inner, inner),
            &Told::new().flag("plain"),
        )
        .0;
        assert!(plain.starts_with(all[to].trim_ascii_end()));
    }
}

#[test]
fn whole_chunks_and_the_first_frames_of_a_chunk_are_copied() {
    for (seed, compression) in [
        (1, Compression::None),
        (2, Compression::Zstd7),
        (3, Compression::Gzip),
    ] {
        let frames = frames_of(match_options(seed, 64));
        let whole = write(&frames, options(10, compression));
        let (table, decoded) = (butter::read(&whole).unwrap(), read_strictly(&whole).frames);
        let (part, cutout) = cut(&Butter, &whole, steps(20, 44), &Told::new());
        assert!(cutout.converted.report.is_none() && cutout.converted.notes.is_empty());
        assert_eq!(read_strictly(&part).frames, decoded[20..45]);
        let made = butter::read(&part).unwrap();
        assert_eq!(made.header(), table.header());
        let stored = |file: &butter::File<'_>, bytes: &[u8], chunk: usize| {
            let entry = file.chunks()[chunk];
            bytes[entry.offset as usize..(entry.offset + entry.size) as usize].to_vec()
        };
        for chunk in [0, 1] {
            assert!(stored(&made, &part, chunk) == stored(&table, &whole, chunk + 2));
        }
        // A range that starts within a chunk costs only that chunk.
        let (part, cutout) = cut(&Butter, &whole, steps(27, 44), &Told::new());
        assert_eq!(read_strictly(&part).frames[3..], decoded[30..45]);
        assert!(cutout.converted.notes[0].starts_with("frames 27 to 29 are written anew"));
        let report = errors(&decoded[27..45], &read_strictly(&part).frames).report();
        assert!(report.numbers.iter().all(|number| number.beyond == 0));
        // No errors add up: after the keyframe, a frame is as near as it was.
        let after = errors(&decoded[28..45], &read_strictly(&part).frames[1..]).report();
        for number in &after.numbers {
            assert!(number.beyond == 0, "{}: {}", number.field, number.max_error);
        }
    }
}

#[test]
fn parts_of_the_references_files_read_like_the_whole() {
    for file in reference_matches() {
        let decoded = read_strictly(&file.bytes).frames;
        for (from, to) in [(0, 20), (28, 70), (33, 119), (61, 62)] {
            let (part, cutout) = cut(&Butter, &file.bytes, steps(from, to), &Told::new());
            let report = errors(&decoded[from..=to], &read_strictly(&part).frames).report();
            let beyond = report.numbers.iter().find(|number| number.beyond > 0);
            assert!(
                beyond.is_none(),
                "{}, {from} to {to}: {beyond:?}",
                file.name
            );
            assert_eq!(report.is_lossless(), cutout.converted.report.is_none());
        }
    }
}

#[test]
fn real_recordings_are_cut() {
    for name in ["b_scenario.k5.gzip.butter", "c_combat.k4.none.butter"] {
        let Some(whole) = tape(name) else { return };
        let decoded = read_strictly(&whole).frames;
        let last = decoded.len() - 1;
        for from in 0..=last {
            let (part, _) = cut(&Butter, &whole, steps(from, last), &Told::new());
            let report = errors(&decoded[from..], &read_strictly(&part).frames).report();
            let beyond = report.numbers.iter().find(|number| number.beyond > 0);
            assert!(beyond.is_none(), "{name}, from {from}: {beyond:?}");
        }
    }
    let Some(text) = tape("b_scenario.echoreplay") else {
        return;
    };
    let (part, _) = cut(&Echoreplay, &text, steps(2, 5), &Told::new());
    assert_eq!(lines(&part), lines(&text)[2..6]);
}

/// Why no part is made.
fn refused(format: &dyn Format, bytes: &[u8], range: Cut) -> String {
    let tape = format.open(Source::new(bytes.to_vec())).unwrap();
    let mut out = Cursor::new(Vec::new());
    let cut = tape.cut(&range, &Told::new(), &mut out, &Work::default());
    cut.unwrap_err().code().to_owned()
}

/// The part would get a checksum of its own, and nothing in it would show the damage.
#[test]
fn frames_that_may_be_altered_are_not_cut_out() {
    let frames = frames_of(match_options(2, 40));
    for (compression, from_end) in [(Compression::Gzip, 7), (Compression::Zstd3, 3)] {
        let sound = write(&frames, options(10, compression));
        let chunk = butter::read(&sound).unwrap().chunks()[2];
        let mut bytes = sound.clone();
        bytes[(chunk.offset + chunk.size) as usize - from_end] ^= 1;
        for range in [(20, 20), (22, 25), (12, 21), (5, 39), (29, 35), (33, 35)] {
            let code = refused(&Butter, &bytes, steps(range.0, range.1));
            assert_eq!(code, "butter.checksum", "{range:?}");
        }
        // The frames before them are sound.
        for range in [(0, 5), (3, 19), (10, 19), (0, 19)] {
            let range = steps(range.0, range.1);
            let [(a, _), (b, _)] =
                [&sound, &bytes].map(|bytes| cut(&Butter, bytes, range, &Told::new()));
            assert!(a == b, "{range:?}");
        }
    }
    // A chunk that breaks off in the middle was damaged earlier.
    let sound = write(&frames, options(10, Compression::Gzip));
    let chunk = butter::read(&sound).unwrap().chunks()[2];
    let end = (chunk.offset + chunk.size) as usize;
    let mut random = fastrand::Rng::with_seed(5);
    let broken = (0..1000).find_map(|_| {
        let mut bytes = sound.clone();
        random.fill(&mut bytes[end - 90..end - 60]);
        let file = butter::read_with(&bytes, ReadOptions::lenient()).unwrap();
        let told = file.index().remove(2);
        let inflate = matches!(told.error, Some(Rule::Inflate { .. }));
        (inflate && told.frames > 2).then_some(bytes)
    });
    let bytes = broken.expect("a chunk of which some frames can be had");
    assert_eq!(refused(&Butter, &bytes, steps(20, 20)), "butter.inflate");
    assert_eq!(refused(&Butter, &bytes, steps(15, 21)), "butter.inflate");
    let (part, _) = cut(&Butter, &bytes, steps(3, 19), &Told::new());
    assert_eq!(read_strictly(&part).frames.len(), 17);
}

#[test]
fn lines_that_may_be_altered_are_not_cut_out() {
    let text = echoreplay::write(&frames_of(match_options(1, 12))).unwrap();
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, lines) in [("a", &lines[..4]), ("b", &lines[4..9]), ("c", &lines[9..])] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, &lines.concat()).unwrap();
    }
    let sound = zip.finish().unwrap().into_inner();
    let table: Vec<usize> = memchr::memmem::find_iter(&sound, b"PK\x01\x02").collect();
    let mut bytes = sound.clone();
    bytes[table[1] + 16] ^= 1;
    for range in [(4, 4), (5, 7), (0, 6), (8, 10)] {
        let code = refused(&Echoreplay, &bytes, steps(range.0, range.1));
        assert_eq!(code, "echoreplay.zip-checksum", "{range:?}");
    }
    // In the other files, every line is unaltered.
    for range in [(0, 3), (9, 10)] {
        let (part, _) = cut(
            &Echoreplay,
            &bytes,
            steps(range.0, range.1),
            &Told::new().flag("plain"),
        );
        assert!(part == lines[range.0..=range.1].concat(), "{range:?}");
    }
}

/// Chunks of the reference; the first and the last are cut.
#[test]
fn stats_of_a_team_that_come_back_are_those_of_the_whole() {
    let file = reference("emptying-arena");
    let (salvaged, _) = butter::salvage(&file.bytes).unwrap();
    assert!(salvaged == file.bytes);
    for (from, to) in [(70, 133), (60, 159), (0, 100)] {
        let (part, _) = cut(&Butter, &file.bytes, steps(from, to), &Told::new());
        let part = read_all(&part, ReadOptions::lenient());
        assert!(!part.findings.has("butter.team-stats"));
        let recorded = file.recorded[from..=to].iter();
        for (at, (a, b)) in recorded.zip(&part.frames).enumerate() {
            assert!(agree_where_stored(a, b), "frame {at} of {from}");
        }
    }
}
