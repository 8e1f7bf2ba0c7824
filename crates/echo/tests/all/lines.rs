//! Seeking in lines: the index that is kept next to a recording, and the text of zips.

use std::fs::{self, File, FileTimes};
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_core::table::{Scan, Value, kit};
use gametape_core::tape::{Companions, Error, Format, Options, Source, Tape, Work};
use gametape_core::{At, Input};
use gametape_echo::Frame;
use gametape_echo::tape::{Butter, Echoreplay};
use zip::write::SimpleFileOptions;

use crate::common::{Watched, frames_of, in_lines, match_options};

fn frames() -> Vec<Frame> {
    frames_of(match_options(7, 40))
}

/// A recording in a folder of its own.
struct Lying {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Lying {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.echoreplay");
        fs::write(&path, bytes).unwrap();
        Self {
            _folder: folder,
            path,
        }
    }

    fn index(&self) -> PathBuf {
        self.path.with_extension("echoreplay.index")
    }

    fn open(&self, options: Options) -> Result<Arc<dyn Tape>, Error> {
        let input = Input::file(File::open(&self.path).unwrap()).unwrap();
        let source = Source {
            options,
            ..Source::new(input).lying_at(&self.path)
        };
        Echoreplay.open(source)
    }

    fn keep(&self) -> Result<Arc<dyn Tape>, Error> {
        self.open(Options::new().flag("keep-index"))
    }

    /// The clocks at all steps, read from the last to the first.
    fn clocks(&self) -> Result<Vec<String>, Error> {
        clocks(&self.open(Options::new())?)
    }
}

fn clocks(tape: &Arc<dyn Tape>) -> Result<Vec<String>, Error> {
    let mut play = tape.playback()?;
    let scan = Scan::table("game").columns(["clock"]);
    let last = play.span().last.step;
    let mut clocks = Vec::new();
    for step in (0..=last).rev() {
        let now = play.seek(At::Step(step))?;
        let state = play.state(&scan)?;
        clocks.push(format!("{now:?} {:?}", state.get(0, 0)));
    }
    Ok(clocks)
}

fn of_bytes(bytes: &[u8]) -> Vec<String> {
    let tape = Echoreplay.open(Source::new(bytes.to_vec())).unwrap();
    clocks(&tape).unwrap()
}

fn modified(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

/// Replaces the bytes of the file without changing its time of modification.
fn overwrite(path: &Path, bytes: &[u8]) {
    let times = FileTimes::new().set_modified(modified(path));
    let mut file = File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_times(times).unwrap();
}

#[test]
fn an_index_is_kept_on_request_and_plays_the_same() {
    let bytes = in_lines(&frames());
    let lying = Lying::new(&bytes);
    let without = lying.clocks().unwrap();
    assert!(!lying.index().exists());
    assert_eq!(clocks(&lying.keep().unwrap()).unwrap(), without);
    let index = fs::read(lying.index()).unwrap();
    assert_eq!(index.len(), 48 + 40 * 28);
    assert_eq!(lying.clocks().unwrap(), without);
    kit::check(&lying.open(Options::new()).unwrap());
    // The second time, nothing is written.
    let made = modified(&lying.index());
    lying.keep().unwrap();
    assert!(modified(&lying.index()) == made || cfg!(not(unix)));
    // Copying the recording changes its time. The index stays valid, and is rewritten with the new time.
    let copied = FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    let recording = File::options().write(true).open(&lying.path).unwrap();
    recording.set_times(copied).unwrap();
    assert_eq!(lying.clocks().unwrap(), without);
    assert_eq!(fs::read(lying.index()).unwrap(), index);
    lying.keep().unwrap();
    assert_eq!(fs::read(lying.index()).unwrap() != index, cfg!(unix));
    assert_eq!(lying.clocks().unwrap(), without);
    assert_eq!(fs::read(&lying.path).unwrap(), bytes);
}

#[test]
fn an_index_that_is_damaged_or_hostile_changes_nothing() {
    let lying = Lying::new(&in_lines(&frames()[..8]));
    let wanted = lying.clocks().unwrap();
    lying.keep().unwrap();
    let index = fs::read(lying.index()).unwrap();
    for at in 0..index.len() {
        let mut flipped = index.clone();
        flipped[at] ^= 1 << (at % 8);
        for bytes in [&index[..at], &flipped] {
            fs::write(lying.index(), bytes).unwrap();
            assert_eq!(lying.clocks().unwrap(), wanted, "byte {at}");
        }
    }
    // With valid checksums, but wrong lines.
    let sealed = |mut index: Vec<u8>| {
        let sum = crc32fast::hash(&index[48..]).to_le_bytes();
        index[40..44].copy_from_slice(&sum);
        let sum = crc32fast::hash(&index[..44]).to_le_bytes();
        index[44..48].copy_from_slice(&sum);
        index
    };
    for count in [0, 7, 9, u64::MAX, u64::MAX / 28 + 1] {
        let mut index = index.clone();
        index[32..40].copy_from_slice(&count.to_le_bytes());
        fs::write(lying.index(), sealed(index)).unwrap();
        assert_eq!(lying.clocks().unwrap(), wanted, "{count} lines");
    }
    for (at, byte) in (48..index.len()).flat_map(|at| [(at, 0), (at, 255), (at, 77)]) {
        let mut index = index.clone();
        index[at] = byte;
        fs::write(lying.index(), sealed(index)).unwrap();
        // A wrong time alone shows only when its line is reached.
        match lying.clocks() {
            Ok(clocks) => assert_eq!(clocks, wanted, "byte {at} is {byte}"),
            Err(error) => assert!(error.to_string().contains("open it again"), "{error}"),
        }
        assert_eq!(lying.clocks().unwrap(), wanted, "byte {at} is {byte}");
    }
    fs::write(lying.index(), vec![0; 1 << 20]).unwrap();
    assert_eq!(lying.clocks().unwrap(), wanted);
}

#[test]
fn an_index_of_another_recording_never_gives_a_wrong_frame() {
    let frames = frames();
    let bytes = in_lines(&frames);
    // An invalid line, which shifts the steps of all lines after it; another clock; and one line fewer.
    let mut broken = bytes.clone();
    let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    broken[second] = b'x';
    let mut other = bytes.clone();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let (at, _) = text.match_indices("\"game_clock\":").nth(20).unwrap();
    other[at + 13] = if bytes[at + 13] == b'1' { b'2' } else { b'1' };
    let shorter = in_lines(&frames[1..]);
    for changed in [&broken, &other, &shorter] {
        let wanted = of_bytes(changed);
        assert_ne!(wanted, of_bytes(&bytes));
        let lying = Lying::new(&bytes);
        lying.keep().unwrap();
        fs::write(&lying.path, changed).unwrap();
        assert_eq!(lying.clocks().unwrap(), wanted);
        // When asked for again, the index is made again.
        lying.keep().unwrap();
        assert_eq!(lying.clocks().unwrap(), wanted);
        // Even if the time of modification is wrong.
        overwrite(&lying.path, &bytes);
        assert_eq!(lying.clocks().unwrap(), of_bytes(&bytes));
    }
}

#[test]
fn a_recording_that_changes_while_it_is_played_gives_no_wrong_frame() {
    let frames = frames();
    let bytes = in_lines(&frames);
    let lying = Lying::new(&bytes);
    let tape = lying.open(Options::new()).unwrap();
    let mut play = tape.playback().unwrap();
    play.seek(At::Step(30)).unwrap();
    // The same times, other clocks.
    let other = String::from_utf8(bytes).unwrap();
    overwrite(
        &lying.path,
        other
            .replace("\"game_clock\":", "\"Game_clock\":")
            .as_bytes(),
    );
    let clock = Scan::table("game").columns(["clock"]);
    assert_eq!(play.state(&clock).unwrap().get(0, 0), Value::Null);
    overwrite(&lying.path, b"");
    play.seek(At::Step(12)).unwrap();
    assert!(play.state(&clock).is_err());
}

#[test]
fn a_missing_index_is_reported_and_nothing_is_lost() {
    let bytes = in_lines(&frames());
    let refused = |lying: &Lying| lying.keep().err().unwrap();
    // A folder, and another program's file.
    let lying = Lying::new(&bytes);
    fs::create_dir(lying.index()).unwrap();
    let error = refused(&lying);
    assert!(
        error
            .to_string()
            .ends_with("can't be kept: is not a regular file"),
        "{error}"
    );
    assert_eq!(error.code(), "io");
    fs::remove_dir(lying.index()).unwrap();
    fs::write(lying.index(), "mine").unwrap();
    assert!(refused(&lying).to_string().contains("is not an index"));
    assert_eq!(fs::read(lying.index()).unwrap(), b"mine");
    Echoreplay.replaced(&lying.path, &Input::from(bytes.clone()));
    assert_eq!(fs::read(lying.index()).unwrap(), b"mine");
    // No path, and a zip.
    let source = Source {
        options: Options::new().flag("keep-index"),
        ..Source::new(bytes.clone())
    };
    let error = Echoreplay.open(source).err().unwrap();
    assert!(error.to_string().contains("has no path"), "{error}");
    let zipped = Lying::new(&zip(&[("a.echoreplay", &bytes)]));
    assert!(refused(&zipped).to_string().contains("is a zip"));
    assert!(!zipped.index().exists());
    // A recording that can't be read has no index.
    let broken = Lying::new(b"2022/01/02 03:00:00.000\t{");
    let kept = broken.keep().err().map(|error| error.to_string());
    assert!(!broken.index().exists() || kept.is_none());
}

#[test]
fn an_index_goes_with_the_recording_that_it_was_of() {
    let lying = Lying::new(&in_lines(&frames()));
    lying.keep().unwrap();
    let now = || Input::file(File::open(&lying.path).unwrap()).unwrap();
    Echoreplay.replaced(&lying.path, &now());
    assert!(lying.index().exists());
    fs::write(&lying.path, in_lines(&frames()[3..])).unwrap();
    Butter.replaced(&lying.path, &now());
    assert!(!lying.index().exists());
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn zips_of_any_kind_are_sought_as_they_are_scanned() {
    let frames = frames();
    let whole = in_lines(&frames[..10]);
    let mut marked = b"\xEF\xBB\xBF".to_vec();
    marked.extend(in_lines(&frames[10..15]));
    // Without an ending; cut in a line; with invalid and blank lines.
    let unended = &whole[..whole.len() - 2];
    let cut = &whole[..whole.len() - 30];
    let mut odd = b"\r\n404\r\n".to_vec();
    odd.extend(in_lines(&frames[15..18]));
    odd.extend(b"\n\n2022/01/02 03:00:00.000\t{\"a\r\n");
    odd.extend(in_lines(&frames[18..20]));
    for files in [
        vec![("a", &*whole)],
        vec![("a", unended), ("b", &*marked), ("c", &*odd)],
        vec![("a", &*odd), ("b", cut), ("c", &*marked)],
        vec![("a", cut), ("b", b""), ("c", &*whole)],
    ] {
        let bytes = zip(&files);
        // Whole, and without its table.
        for bytes in [&*bytes, &bytes[..bytes.len() - 30]] {
            let tape = Echoreplay.open(Source::new(bytes.to_vec())).unwrap();
            kit::check(&tape);
            // The text is kept by now; faults are reported as before.
            let told = |tape: &dyn Tape| {
                let mut rows = 0;
                let scanned = tape.scan_table(&Scan::table("game"), &Work::default(), |batch| {
                    rows += batch.len();
                    Ok(ControlFlow::Continue(()))
                });
                format!("{rows} {:?}", scanned.unwrap().problem)
            };
            let fresh = Echoreplay.open(Source::new(bytes.to_vec())).unwrap();
            assert_eq!(told(&*tape), told(&*fresh));
        }
    }
}

/// What is read of a source at once, twice.
const BLOCKS: u64 = 128 << 10;

/// The steps of the rows, and whether there is a problem.
fn steps_of(tape: &dyn Tape, scan: &Scan) -> (Vec<u64>, bool) {
    let mut steps = Vec::new();
    let scanned = tape.scan_table(scan, &Work::default(), |batch| {
        steps.extend(batch.steps());
        Ok(ControlFlow::Continue(()))
    });
    (steps, scanned.unwrap().problem.is_some())
}

// Elsewhere the system does not say when the recording was changed, so all of it is compared.
#[cfg(unix)]
#[test]
fn a_range_with_an_index_is_read_from_its_first_line() {
    let frames = frames_of(match_options(5, 100));
    let lying = Lying::new(&in_lines(&frames));
    lying.keep().unwrap();
    let bytes = fs::read(&lying.path).unwrap();
    let size = bytes.len() as u64;
    assert!(size > 6 * BLOCKS);
    let (watched, input) = Watched::new(bytes);
    let tape = Echoreplay
        .open(Source::new(input).lying_at(&lying.path))
        .unwrap();
    let time = |step: usize| At::Time(frames[step].time.since(frames[0].time));
    let pieces = tape.pieces(&Scan::table("game"), 4).unwrap();
    assert_eq!(pieces.len(), 4);
    for (from, to) in [(At::Step(80), At::Step(84)), (time(80), time(84))] {
        watched.taken();
        let (steps, problem) = steps_of(&*tape, &Scan::table("game").from(from).to(to));
        assert_eq!(steps, [80, 81, 82, 83, 84]);
        assert!(!problem);
        let (count, read) = watched.taken();
        assert!(read.end < size, "{read:?} of {size}");
        // The line before the range says which rows end.
        assert!(count <= 7 * size / 100 + BLOCKS, "{count} of {size}");
    }
    // Lines that are no frames are reported by a scan that passes them.
    let mut broken = fs::read(&lying.path).unwrap();
    let second = broken.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    broken.splice(second..second, *b"nothing\n");
    let lying = Lying::new(&broken);
    lying.keep().unwrap();
    let tape = lying.open(Options::new()).unwrap();
    assert_eq!(
        steps_of(&*tape, &Scan::table("game").from(At::Step(98))),
        (vec![98, 99], true)
    );
}

#[test]
fn facts_of_the_first_frame_are_read_from_it() {
    let bytes = in_lines(&frames_of(match_options(5, 100)));
    let (watched, input) = Watched::new(bytes);
    let tape = Echoreplay.open(Source::new(input)).unwrap();
    let read = |columns: &[&str]| {
        watched.taken();
        let scan = Scan::table("match").columns(columns.iter().copied());
        let mut rows = Vec::new();
        tape.scan_table(&scan, &Work::default(), |batch| {
            rows.extend((0..columns.len()).map(|at| format!("{:?}", batch.get(0, at))));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap()
        .readable();
        (rows, watched.taken().0)
    };
    let first = [
        "map",
        "game",
        "match_type",
        "private",
        "tournament",
        "session_id",
        "client",
        "rounds_of",
    ];
    let (alone, count) = read(&first);
    assert!(count <= BLOCKS, "{count}");
    let (whole, _) = read(&[&first[..], &["frames"]].concat());
    assert_eq!(alone, whole[..first.len()]);
    assert_eq!(whole.last().unwrap(), "Uint(100)");
}
