//! Code shared by the tests: real files, small matches, readers and writers of whole recordings, and what is
//! read of an input.

pub mod arena;
pub mod raw;

use std::io::{self, Cursor};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use gametape_core::table::{Owned, Scan, kit};
use gametape_core::tape::Tape;
use gametape_core::{Altered, Input, Part, ReadAt};
use gametape_echo::butter::{
    self, Compression, Dialect, Feed, File, Journal, Options, Salvaged, Seen, read_with,
};
use gametape_echo::diff::{Differ, Tolerance};
use gametape_echo::{
    Fed, Findings, Frame, Game, Player, ReadOptions, Rule, SalvageError, echoreplay,
};
use gametape_samples::echo::{Match, MatchOptions};
use proptest::prelude::ProptestConfig;

/// A recording; `None`, with a loud message, if the recordings are not beside the project.
pub fn recording(path: &str) -> Option<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes");
    let bytes = std::fs::read(folder.join(path)).ok();
    if bytes.is_none() {
        eprintln!("SKIPPED: no {path} beside the project; this test has not checked it");
    }
    bytes
}

/// A file of the reference, or the source of one.
pub fn tape(name: &str) -> Option<Vec<u8>> {
    recording(&format!("butter/{name}"))
}

/// The names of the recordings in a folder; none if they are not beside the project.
pub fn recording_names(folder: &str) -> Vec<String> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tapes");
    let Ok(entries) = std::fs::read_dir(shared.join(folder)) else {
        eprintln!("SKIPPED: no {folder} beside the project; this test has not checked it");
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A file that the reference would write, and what it was made of: see `tests/reference/README.md`.
pub struct Reference {
    pub name: String,
    pub bytes: Vec<u8>,
    pub recorded: Vec<Frame>,
}

pub fn reference(name: &str) -> Reference {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
    let file = |name: String| std::fs::read(folder.join(name)).unwrap();
    Reference {
        name: name.to_owned(),
        bytes: file(format!("{name}.butter")),
        recorded: read_strictly(&file(format!("{name}.recorded.butter"))).frames,
    }
}

/// Matches as the reference would write them: in arena, with more keyframes, and in combat.
pub fn reference_matches() -> [Reference; 3] {
    ["arena", "arena-keyframes", "combat"].map(reference)
}

/// The frames of an .echoreplay.
pub fn lines(bytes: &[u8]) -> Vec<Frame> {
    let lines = echoreplay::read(bytes);
    lines.map(|line| line.unwrap().frame().unwrap()).collect()
}

/// The .echoreplay of frames.
pub fn in_lines(frames: &[Frame]) -> Vec<u8> {
    echoreplay::write(frames).unwrap()
}

/// The step and the values of each row of a scan.
pub fn rows(tape: &dyn Tape, scan: &Scan) -> Vec<(u64, Vec<Owned>)> {
    let rows = kit::scanned(tape, scan).into_iter();
    rows.map(|row| (row.stamp.step, row.values)).collect()
}

/// The frames that may be altered.
pub fn altered_steps<'a>(altered: impl Iterator<Item = &'a Altered<Rule>>) -> Vec<(u64, u64)> {
    let steps = |altered: &Altered<Rule>| match &altered.part {
        Part::Steps(steps) => (steps.start, steps.end),
        Part::Beside(what) => panic!("{what}"),
    };
    altered.map(steps).collect()
}

/// All players of a frame, blue first.
pub fn everybody(frame: &mut Frame) -> impl Iterator<Item = &mut Player> {
    let teams = frame.session.teams.iter_mut();
    teams.flat_map(|team| &mut team.players)
}

pub const fn options(keyframe_interval: u16, compression: Compression) -> Options {
    Options {
        keyframe_interval,
        compression,
    }
}

/// The outcome of a reader: the frames, whether each was a keyframe, and why it stopped before the end.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    pub frames: Vec<Frame>,
    pub keyframes: Vec<bool>,
    pub error: Option<String>,
    pub truncated: bool,
    pub findings: Findings,
}

/// All frames of a slice.
pub fn read_all(bytes: &[u8], options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let file = match read_with(bytes, options) {
        Ok(file) => file,
        Err(error) => {
            outcome.fail(&error);
            return outcome;
        }
    };
    let mut frames = file.frames();
    loop {
        match frames.next_frame() {
            Ok(Some(frame)) => outcome.frames.push(frame.clone()),
            Ok(None) => break,
            Err(error) => {
                outcome.fail(&error);
                break;
            }
        }
        outcome.keyframes.push(frames.is_keyframe());
    }
    outcome.findings = frames.findings().clone();
    outcome
}

impl Outcome {
    pub fn fail(&mut self, error: &gametape_echo::Error) {
        self.truncated = error.is_truncated();
        self.error = Some(error.to_string());
    }
}

/// All frames of a file that is whole.
pub fn read_strictly(bytes: &[u8]) -> Outcome {
    let outcome = read_all(bytes, ReadOptions::default());
    assert_eq!(outcome.error, None);
    outcome
}

/// The reader's counts at the end of a file.
pub fn seen(bytes: &[u8]) -> Seen {
    let file = butter::read(bytes).unwrap();
    let mut frames = file.frames();
    while frames.next_frame().unwrap().is_some() {}
    frames.seen()
}

/// All frames of a file's chunks, each read alone, taking `dialect` as its writer.
pub fn read_as(bytes: &[u8], dialect: Dialect) -> Vec<Frame> {
    chunks_of(&butter::read(bytes).unwrap().written_by(dialect)).concat()
}

pub fn write(frames: &[Frame], options: Options) -> Vec<u8> {
    butter::write(frames, options).unwrap()
}

/// An unfinished recording, and the end of each of its frames.
pub fn journal(frames: &[Frame], options: Options) -> (Vec<u8>, Vec<usize>) {
    let mut journal = Journal::new(Cursor::new(Vec::new()), options);
    let mut ends = Vec::new();
    for frame in frames {
        journal.push(frame).unwrap();
        ends.push(journal.get_ref().get_ref().len());
    }
    assert_eq!(journal.frames(), frames.len() as u64);
    (journal.get_ref().get_ref().clone(), ends)
}

pub fn salvaged(bytes: &[u8]) -> Result<(Salvaged, Vec<u8>), SalvageError> {
    let (out, salvaged) = butter::salvage(bytes)?;
    assert_eq!(salvaged.written.bytes, out.len() as u64);
    Ok((salvaged, out))
}

/// Checks a file of ours against its frames: every value is as near as the nearest half floats are. Returns the
/// reader's counts.
pub fn check_correct(frames: &[Frame], bytes: &[u8], what: &str) -> Seen {
    check(frames, bytes, what, Tolerance::NEAREST, |_, _| {})
}

/// The reference takes differences from the recorded values: what it cuts off adds up from keyframe to keyframe.
const DRIFT: Tolerance = Tolerance {
    absolute: 1.0,
    coordinate: 0.3,
    rotation_deg: 0.8,
    bone_metres: 0.3,
    bone_deg: 180.0,
    clock_seconds: 0.06,
    ..Tolerance::BUTTER
};

/// Checks a file of the reference against its frames; `excuse` sets right what is known to be wrong in a frame.
pub fn check_reference(
    frames: &[Frame],
    bytes: &[u8],
    what: &str,
    excuse: impl Fn(&mut Frame, &Frame),
) -> Seen {
    check(frames, bytes, what, DRIFT, excuse)
}

fn check(
    frames: &[Frame],
    bytes: &[u8],
    what: &str,
    tolerance: Tolerance,
    excuse: impl Fn(&mut Frame, &Frame),
) -> Seen {
    let file = butter::read(bytes).unwrap();
    let mut reader = file.frames();
    let mut differ = Differ::new(tolerance);
    for frame in frames {
        let mut read = reader.next_frame().unwrap().expect(what).clone();
        excuse(&mut read, frame);
        differ.push(Some(frame), Some(&read));
    }
    assert!(reader.next_frame().unwrap().is_none(), "{what}");
    let diff = differ.finish();
    assert!(diff.is_same(), "{what}: {diff}");
    reader.seen()
}

/// A number of cases, without a file for those that fail: the seed is printed.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        // For a longer search: PROPTEST_CASES.
        cases: std::env::var("PROPTEST_CASES")
            .ok()
            .and_then(|text| text.parse().ok())
            .unwrap_or(cases),
        failure_persistence: None,
        ..Default::default()
    }
}

/// A generated match.
pub fn frames_of(options: MatchOptions) -> Vec<Frame> {
    Match::new(options).collect()
}

/// Matches of all kinds: arena, private arena and combat, with and without bones, joins, pauses.
pub fn match_options(seed: u64, frames: u64) -> MatchOptions {
    MatchOptions {
        seed,
        game: if seed % 4 == 3 {
            Game::Combat
        } else {
            Game::Arena
        },
        rate_hz: [30, 15, 60, 10, 1][(seed % 5) as usize],
        frames: Some(frames),
        players_per_team: [5, 1, 4][(seed % 3) as usize],
        spectators: (seed % 3) as u8,
        bones: seed % 2 == 1,
        private: seed % 4 >= 2,
        pauses: seed % 3 != 1,
        joins: true,
        ..MatchOptions::default()
    }
}

fn by_growing(bytes: &[u8], size: usize, options: ReadOptions) -> Outcome {
    let mut outcome = Outcome::default();
    let mut feed = Feed::with_options(options);
    let mut pieces = bytes.chunks(size);
    let mut done = false;
    while !done {
        if let Some(piece) = pieces.next() {
            feed.push(piece);
        } else {
            feed.finish();
            done = true;
        }
        loop {
            match feed.next_frame() {
                Ok(Fed::Item(frame)) => outcome.frames.push(frame.clone()),
                Ok(Fed::NeedMore | Fed::End) => break,
                Err(error) => {
                    outcome.fail(&error);
                    return outcome;
                }
            }
            outcome.keyframes.push(feed.is_keyframe());
        }
    }
    outcome.findings = feed.findings().clone();
    outcome
}

/// Checks that a slice and bytes as they come give the same; that all ways do, on any input, is the promise of the
/// fuzz check `butter_read`. Returns the outcomes, strict and lenient.
pub fn agree(bytes: &[u8], size: usize) -> [Outcome; 2] {
    let said = |o: &Outcome| {
        let told = (o.frames.len(), o.truncated, o.findings.clone());
        (o.error.clone(), told)
    };
    [ReadOptions::strict(), ReadOptions::lenient()].map(|options| {
        let mut slice = read_all(bytes, options);
        if slice.error.is_some() {
            // Only readers that reach the end report findings.
            slice.findings = Findings::default();
        }
        let fed = by_growing(bytes, size, options);
        assert_eq!(said(&fed), said(&slice), "in pieces of {size}");
        // Damage may produce NaN, which equals nothing.
        let equal = fed == slice || format!("{fed:?}") == format!("{slice:?}");
        assert!(equal, "in pieces of {size}: other frames");
        slice
    })
}

/// The frames of each chunk of a whole file, read alone.
pub fn by_chunks(bytes: &[u8], options: ReadOptions) -> Vec<Vec<Frame>> {
    chunks_of(&read_with(bytes, options).unwrap())
}

/// The frames of each chunk, read alone.
pub fn chunks_of(file: &File<'_>) -> Vec<Vec<Frame>> {
    file.par_chunks(|_, mut chunk| {
        let mut frames = Vec::new();
        while let Some(frame) = chunk.next_frame().unwrap() {
            frames.push(frame.clone());
        }
        frames
    })
}

/// The bytes of a recording, and which of them were read.
pub struct Watched {
    bytes: Vec<u8>,
    read: Mutex<Vec<Range<u64>>>,
}

impl Watched {
    pub fn new(bytes: Vec<u8>) -> (Arc<Self>, Input) {
        let read = Mutex::default();
        let this = Arc::new(Self { bytes, read });
        let input = Input::at(this.clone()).unwrap();
        (this, input)
    }

    /// Returns the number of bytes that were read since the last call, and where the first and the last of
    /// them were.
    pub fn taken(&self) -> (u64, Range<u64>) {
        let read = std::mem::take(&mut *self.read.lock().unwrap());
        let from = read.iter().map(|range| range.start).min().unwrap_or(0);
        let to = read.iter().map(|range| range.end).max().unwrap_or(0);
        (
            read.iter().map(|range| range.end - range.start).sum(),
            from..to,
        )
    }
}

impl ReadAt for Watched {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        self.read
            .lock()
            .unwrap()
            .push(offset..offset + count as u64);
        Ok(count)
    }
}
