//! Code shared by the tests: real files, small matches, readers and writers of whole recordings, a walk
//! over two frames, and bounds of rounding.

pub mod arena;
pub mod bounds;
pub mod coming;
mod matches;
pub mod old;
pub mod raw;
pub mod walk;
pub mod watched;
pub mod ways;

use std::io::Cursor;
use std::path::Path;

pub use matches::{frames_of, match_options};

use bounds::Bounds;
use gametape_echo::butter::{self, Compression, Dialect, Journal, Options, Salvaged, Seen};
use gametape_echo::{Findings, Frame, Player, ReadOptions, SalvageError, echoreplay};
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
    let file = match butter::read_with(bytes, options) {
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
    ways::chunks_of(&butter::read(bytes).unwrap().written_by(dialect)).concat()
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

/// Checks a file of ours against its frames. Returns the largest part of its bound that each field
/// has used, and the reader's counts.
pub fn check_correct(frames: &[Frame], bytes: &[u8], what: &str) -> (Bounds, Seen) {
    let mut before = Frame::default();
    check(frames, bytes, what, |bounds, frame, read, at, keyframe| {
        let from = Some(&before).filter(|_| !keyframe);
        bounds.check_correct(frame, read, from, &format!("{what}, frame {at}"));
        before.clone_from(read);
    })
}

/// Checks a file of the reference against its frames, except for the excused fields.
pub fn check_reference(
    frames: &[Frame],
    bytes: &[u8],
    what: &str,
    excused: &[&str],
) -> (Bounds, Seen) {
    check(frames, bytes, what, |bounds, frame, read, at, keyframe| {
        let from = (!keyframe).then(|| &frames[at - 1]);
        bounds.check_reference(frame, read, from, &format!("{what}, frame {at}"), excused);
    })
}

fn check(
    frames: &[Frame],
    bytes: &[u8],
    what: &str,
    mut each: impl FnMut(&mut Bounds, &Frame, &Frame, usize, bool),
) -> (Bounds, Seen) {
    let mut bounds = Bounds::default();
    let file = butter::read(bytes).unwrap();
    let mut reader = file.frames();
    for (at, frame) in frames.iter().enumerate() {
        let read = reader.next_frame().unwrap().expect(what).clone();
        each(&mut bounds, frame, &read, at, reader.is_keyframe());
    }
    assert!(reader.next_frame().unwrap().is_none(), "{what}");
    (bounds, reader.seen())
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
