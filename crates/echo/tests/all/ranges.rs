//! A range of a .butter is read from the chunk in which it starts, and has the rows that it has when all
//! chunks are read.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use gametape_core::table::{Batch, Scan};
use gametape_core::tape::{Companions, Format, Options, Source, Tape, Work};
use gametape_core::{At, Input, Time};
use gametape_echo::butter::{self, Compression, audit};
use gametape_echo::tape::Butter;
use gametape_echo::{Frame, Game};
use gametape_samples::echo::MatchOptions;

use crate::common::{Watched, frames_of, match_options, options, reference, write};

/// Returns each row as text, and whether there is a problem.
fn rows_of(bytes: Vec<u8>, scan: &Scan) -> (Vec<String>, bool) {
    rows_in(&*Butter.open(Source::new(bytes)).unwrap(), scan)
}

fn rows_in(tape: &dyn Tape, scan: &Scan) -> (Vec<String>, bool) {
    let mut rows = Vec::new();
    let scanned = tape.scan_table(scan, &Work::default(), |batch: Batch| {
        rows.extend((0..batch.len()).map(|row| {
            let values: Vec<_> = batch.columns().iter().map(|c| c.get(row)).collect();
            let (stamp, ends) = (batch.stamp(row), batch.is_end(row));
            format!("{stamp:?} {ends} {values:?}")
        }));
        Ok(ControlFlow::Continue(()))
    });
    match scanned {
        Ok(scanned) => (rows, scanned.problem.is_some()),
        Err(error) => (vec![error.to_string()], true),
    }
}

/// Returns the rows of the same recording with a byte after its end: such a recording is read in order.
fn in_order(bytes: &[u8], scan: &Scan) -> Vec<String> {
    rows_of([bytes, &[7]].concat(), scan).0
}

fn scans() -> Vec<Scan> {
    vec![
        Scan::table("players"),
        Scan::table("players").columns([
            "player",
            "team",
            "name",
            "number",
            "holding_left",
            "packet_loss",
            "velocity_y",
            "possession_time",
            "points",
            "weapon",
            "head_z",
            "body_up_x",
            "left_hand_x",
        ]),
        Scan::table("game").columns(["status", "clock", "blue_points", "paused"]),
        Scan::table("players").columns(["head_x", "name"]),
        Scan::table("players").from(At::Step(27)).to(At::Step(64)),
        // The last frame of a chunk, its first, and one after the end.
        Scan::table("players").from(At::Step(29)).to(At::Step(29)),
        Scan::table("players").from(At::Step(30)).to(At::Step(31)),
        Scan::table("players").from(At::Step(1_000)),
        Scan::table("players")
            .columns(["head_x"])
            .from(At::Time(Time::from_ms(1_003))),
        Scan::table("game")
            .from(At::Time(Time::from_ms(2_000)))
            .to(At::Time(Time::from_ms(2_100))),
        Scan::table("bones")
            .columns(["x"])
            .from(At::Step(41))
            .to(At::Step(43)),
        Scan::table("game"),
        Scan::table("disc")
            .columns(["x", "forward_z"])
            .from(At::Step(31)),
        Scan::table("bones").columns(["x"]).to(At::Step(12)),
        Scan::table("payload"),
    ]
}

/// Matches of ours and of the reference, 10 frames to a chunk. Of one of the last it is open what the stats of a team
/// mean once they are back.
fn recordings(compression: Compression) -> Vec<Vec<u8>> {
    let ours = matches();
    let ours = ours
        .iter()
        .map(|frames| write(frames, options(10, compression)));
    let theirs = ["arena-keyframes", "emptying-arena"].map(|name| reference(name).bytes);
    let doubt = twice(&reference("doubt").bytes);
    ours.chain(theirs).chain([doubt]).collect()
}

/// A recording of one chunk, with this chunk once more.
fn twice(bytes: &[u8]) -> Vec<u8> {
    let file = butter::read(bytes).unwrap();
    let [only] = file.chunks() else { panic!() };
    let chunk = &bytes[only.offset as usize..];
    let size = (chunk.len() as u32).to_le_bytes();
    let mut twice = Vec::new();
    file.header().unwrap().write(&mut twice);
    twice.extend([2_u32.to_le_bytes(), size, size].concat());
    twice.extend([chunk, chunk].concat());
    twice
}

fn matches() -> Vec<Vec<Frame>> {
    let mut matches: Vec<Vec<Frame>> = [Game::Arena, Game::Combat]
        .into_iter()
        .map(|game| {
            frames_of(MatchOptions {
                game,
                bones: game == Game::Arena,
                joins: true,
                ..match_options(11, 95)
            })
        })
        .collect();
    // Somebody goes within a chunk, somebody between two, and comes back so.
    for frame in &mut matches[0][30..50] {
        frame.session.teams[0].players.pop();
        if let Some(bones) = &mut frame.bones {
            bones.user_bones.clear();
        }
    }
    let mut once = matches[1].clone();
    once[43].session.teams[1].players.pop();
    matches.push(once);
    matches
}

#[test]
fn the_last_recording_leaves_something_open() {
    let last = recordings(Compression::None).pop().unwrap();
    assert!(audit(&last).findings.has("butter.team-stats"));
}

#[test]
fn a_range_has_the_rows_that_it_has_when_all_chunks_are_read() {
    for compression in [Compression::None, Compression::Zstd3] {
        for (at, bytes) in recordings(compression).iter().enumerate() {
            for scan in scans() {
                let (rows, broken) = rows_of(bytes.clone(), &scan);
                assert!(!broken);
                assert_eq!(rows, in_order(bytes, &scan), "{at} {scan:?}");
            }
        }
    }
}

#[test]
fn a_visitor_that_stops_the_scan_gets_no_more_rows() {
    let bytes = write(&matches()[1], options(10, Compression::Zstd3));
    let tape = Butter.open(Source::new(bytes)).unwrap();
    let mut batches = 0;
    tape.scan_table(&Scan::table("players"), &Work::default(), |_| {
        batches += 1;
        Ok(ControlFlow::Break(()))
    })
    .unwrap()
    .whole()
    .unwrap();
    assert_eq!(batches, 1);
}

#[test]
fn damaged_chunks_have_the_rows_that_they_have_in_order() {
    let frames = &matches()[2];
    for compression in [Compression::None, Compression::Zstd3] {
        let bytes = write(frames, options(10, compression));
        let scan = Scan::table("players").columns(["head_x", "stunned"]);
        for at in (0..bytes.len()).step_by(bytes.len() / 150) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            let (rows, _) = rows_of(flipped.clone(), &scan);
            assert_eq!(rows, in_order(&flipped, &scan), "byte {at}");
        }
    }
}

#[test]
fn a_chunk_whose_checksum_is_wrong_is_a_problem_of_every_scan_that_reads_it() {
    let frames = frames_of(match_options(2, 60));
    let sound = write(&frames, options(10, Compression::Zstd3));
    let chunk = butter::read(&sound).unwrap().chunks()[3];
    let mut bytes = sound.clone();
    bytes[(chunk.offset + chunk.size) as usize - 3] ^= 1;
    for scan in scans() {
        let [a, b] = [&sound, &bytes].map(|bytes| rows_of(bytes.clone(), &scan));
        assert!(a.0 == b.0, "{scan:?}");
        assert!(!a.1, "{scan:?}");
        // A scan whose range ends before the recording does not ask about the rest.
        let ends_early = matches!(scan.to, Some(At::Step(to)) if to < 59);
        assert_eq!(b.1, !ends_early, "{scan:?}");
    }
}

#[test]
fn damaged_chunks_have_the_rows_of_a_range_that_they_have_in_order() {
    let frames = &matches()[2];
    let columns = |scan: Scan| scan.columns(["clock", "paused", "blue_points"]);
    let scans = [
        Scan::table("players").from(At::Step(43)),
        columns(Scan::table("game"))
            .from(At::Step(61))
            .to(At::Step(75)),
        columns(Scan::table("game")).from(At::Time(Time::from_ms(2_000))),
    ];
    let ours = [Compression::None, Compression::Zstd3];
    let ours = ours.map(|compression| write(frames, options(10, compression)));
    let theirs = reference("emptying-arena").bytes;
    for (which, bytes) in ours.into_iter().chain([theirs]).enumerate() {
        let first = butter::read(&bytes).unwrap().chunks()[0].offset as usize;
        for at in (first..bytes.len()).step_by(bytes.len() / 150) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            for scan in &scans {
                let (rows, _) = rows_of(flipped.clone(), scan);
                assert_eq!(
                    rows,
                    in_order(&flipped, scan),
                    "{which}, byte {at}, {scan:?}"
                );
            }
        }
    }
}

#[test]
fn a_range_reads_nothing_after_its_chunks() {
    /// What is read at once, twice.
    const BLOCKS: u64 = 128 << 10;
    let frames = frames_of(MatchOptions {
        bones: true,
        ..match_options(5, 600)
    });
    let bytes = write(&frames, options(20, Compression::None));
    let chunks = butter::read(&bytes).unwrap().chunks().to_vec();
    let end = |chunk: usize| chunks[chunk].offset + chunks[chunk].size;
    assert!(end(29) > end(6) + 3 * BLOCKS);
    let time = |step: usize| At::Time(frames[step].time.since(frames[0].time));
    // The numbers of persons depend on all frames before.
    for (table, column) in [("players", "head_x"), ("disc", "x"), ("game", "clock")] {
        for (from, to) in [
            (At::Step(105), At::Step(114)),
            (At::Step(100), At::Step(119)),
            (time(105), time(114)),
        ] {
            let (watched, input) = Watched::new(bytes.clone());
            let tape = Butter.open(Source::new(input)).unwrap();
            let scan = Scan::table(table).columns([column]).from(from).to(to);
            let mut rows = 0;
            let mut scan = || {
                tape.scan_table(&scan, &Work::default(), |batch| {
                    rows += batch.len();
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap()
                .readable();
                watched.taken()
            };
            let (_, read) = scan();
            assert!(read.end <= end(6) + BLOCKS, "{table}, {from:?}: {read:?}");
            // What was surveyed is not surveyed again.
            let (count, read) = scan();
            assert!(read.end <= end(6) + BLOCKS, "{table}, {from:?}: {read:?}");
            let most = end(6) - chunks[4].offset + chunks[0].offset + BLOCKS;
            assert!(count <= most, "{table}, {from:?}: {count} of {most}");
            assert!(rows >= 20, "{table}, {from:?}: {rows}");
        }
    }
}

/// Opens a recording in a folder.
fn open(path: &Path, options: Options) -> Arc<dyn Tape> {
    let input = Input::file(File::open(path).unwrap()).unwrap();
    let source = Source {
        options,
        ..Source::new(input).lying_at(path)
    };
    Butter.open(source).unwrap()
}

/// Writes recordings, and an index beside each.
fn keep(folder: &Path, recordings: &[Vec<u8>]) {
    let path = |at: usize| folder.join(format!("{at}.butter"));
    for (at, bytes) in recordings.iter().enumerate() {
        fs::write(path(at), bytes).unwrap();
    }
    for at in 0..recordings.len() {
        open(&path(at), Options::new().flag("keep-index"));
    }
}

#[test]
fn an_index_changes_no_row_of_any_range() {
    let folder = tempfile::tempdir().unwrap();
    let recordings = recordings(Compression::Zstd3);
    keep(folder.path(), &recordings);
    for (at, bytes) in recordings.iter().enumerate() {
        let path = folder.path().join(format!("{at}.butter"));
        let index = fs::read(path.with_extension("butter.index")).unwrap();
        let chunks = butter::read(bytes).unwrap().chunks().len();
        assert_eq!(index.len(), 48 + chunks * 27);
        for scan in scans() {
            let with = rows_in(&*open(&path, Options::new()), &scan);
            assert_eq!(with, rows_of(bytes.clone(), &scan), "{at} {scan:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn with_an_index_a_range_reads_only_its_chunks() {
    let frames = frames_of(MatchOptions {
        bones: true,
        ..match_options(5, 1200)
    });
    let bytes = write(&frames, options(20, Compression::None));
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), std::slice::from_ref(&bytes));
    let path = folder.path().join("0.butter");
    for (table, column) in [("players", "head_x"), ("bones", "x"), ("game", "clock")] {
        let taken = |path: &Path| {
            let (watched, input) = Watched::new(bytes.clone());
            let tape = Butter.open(Source::new(input).lying_at(path)).unwrap();
            let scan = Scan::table(table).columns([column]);
            let scan = scan.from(At::Step(705)).to(At::Step(714));
            let (rows, broken) = rows_in(&*tape, &scan);
            assert!(!broken && rows.len() >= 10);
            watched.taken().0
        };
        let (with, without) = (taken(&path), taken(Path::new("elsewhere.butter")));
        assert!(with < bytes.len() as u64 / 8, "{table}: {with}");
        assert!(without > bytes.len() as u64 / 2, "{table}: {without}");
    }
}

#[test]
fn an_index_of_other_bytes_or_a_damaged_one_is_not_used() {
    let frames = frames_of(match_options(5, 95));
    let bytes = write(&frames, options(10, Compression::None));
    let folder = tempfile::tempdir().unwrap();
    keep(folder.path(), std::slice::from_ref(&bytes));
    let path = folder.path().join("0.butter");
    let index_path = folder.path().join("0.butter.index");
    let index = fs::read(&index_path).unwrap();
    let scan = Scan::table("players").from(At::Step(61)).to(At::Step(63));
    let wanted = rows_of(bytes.clone(), &scan);
    for at in 0..index.len() {
        let mut flipped = index.clone();
        flipped[at] ^= 1 << (at % 8);
        for bytes in [&index[..at], &flipped] {
            fs::write(&index_path, bytes).unwrap();
            assert_eq!(rows_in(&*open(&path, Options::new()), &scan), wanted);
        }
    }
    // The bytes of the chunk are compared, whatever the system says of the file.
    fs::write(&index_path, &index).unwrap();
    let chunk = butter::read(&bytes).unwrap().chunks()[6];
    let mut other = bytes.clone();
    other[(chunk.offset + chunk.size) as usize - 20] ^= 1;
    let tape = Butter.open(Source::new(other.clone()).lying_at(&path));
    assert_eq!(rows_in(&*tape.unwrap(), &scan), rows_of(other, &scan));
    // Another recording of as many chunks, of the same size.
    let mut turned = frames;
    turned[..40].reverse();
    let turned = write(&turned, options(10, Compression::None));
    fs::write(&path, &turned).unwrap();
    assert_eq!(
        rows_in(&*open(&path, Options::new()), &scan),
        rows_of(turned, &scan)
    );
    // It goes with its recording.
    let now = Input::file(File::open(&path).unwrap()).unwrap();
    Butter.replaced(&path, &now);
    assert!(!index_path.exists());
    // Nothing is kept of a damaged recording, whose chunks are read in order, nor of a single chunk.
    let cut = bytes[..bytes.len() - 40].to_vec();
    let single = write(
        &frames_of(match_options(5, 5)),
        options(10, Compression::None),
    );
    keep(folder.path(), &[cut, single]);
    assert!(!index_path.exists());
    assert!(!folder.path().join("1.butter.index").exists());
}
