//! The index beside a recording.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gametape_murk::{self as format, Auditor, Frame, Index, IndexBuilder, Rule};

use super::{broken, json, problem, reader};
use crate::format::{Partial, Repaired};
use crate::source::{Limits, Source};
use crate::{Error, Format, Recording};

/// Where the index of a recording lies: `run.murk` has `run.murk.index`.
#[must_use]
pub fn index_path(recording: &Path) -> PathBuf {
    let mut name = OsString::from(recording);
    name.push(".index");
    name.into()
}

/// Refuses to replace an index that knows how to mend the recording.
fn keep_what_helps(path: &Path, recording: &[u8], target: &Path) -> Result<(), Error> {
    let Ok(source) = Source::open(target, &Limits::default()) else {
        return Ok(());
    };
    match fitting(&source, recording).and_then(|index| index.damages(recording).next()) {
        None => Ok(()),
        Some(damage) => Err(refused(
            path,
            &damage,
            "repair the recording, or remove its index to have another one made of it as it is",
        )),
    }
}

/// Refuses to go on with a recording that is not what it was when its index was made: only as long as
/// it is, the index knows how to mend it. True where there is an index, and it is of the recording as
/// it is.
pub(super) fn vouches(path: &Path) -> Result<bool, Error> {
    let Some(Ok(index)) = find_beside(path) else {
        return Ok(false);
    };
    let recording = Source::open(path, &Limits::default())?;
    let Some(index) = fitting(&index, &recording) else {
        return Ok(false);
    };
    let advice = |damage: &format::Damage| match damage.bit {
        Some(_) => "nothing was changed: `gametape repair` turns it back",
        None => {
            "nothing was changed: `gametape repair` can't turn that back; without its index the \
             recording is gone on with, if it can be replayed"
        }
    };
    match index.damages(&recording).next() {
        None => Ok(true),
        Some(damage) => Err(refused(path, &damage, advice(&damage))),
    }
}

/// An index that is undamaged, and of this recording.
fn fitting<'i>(index: &'i [u8], recording: &[u8]) -> Option<Index<'i>> {
    check_whole(index, recording).ok()?;
    Index::open(index).ok()
}

/// What the index knows of damage, and what to do about it.
fn refused(path: &Path, damage: &format::Damage, advice: &str) -> Error {
    let finding = damage.finding();
    Error::Broken {
        path: path.to_owned(),
        code: finding.code(),
        offset: finding.offset,
        message: format!("{}: {}; {advice}", finding.place(), finding.message()),
    }
}

/// Makes the index of a recording, and puts it beside it; gives its path and the frames in it.
///
/// # Errors
/// [`Error::Broken`] where the recording can't be read to its end: what is damaged already can't
/// be vouched for. [`Error::Unsupported`] for a recording of another format, or one that is in no
/// file.
pub fn index(recording: &Recording) -> Result<(PathBuf, u64), Error> {
    let path = recording.path();
    if recording.format() != Format::Murk {
        return Err(Error::Unsupported {
            path: path.to_owned(),
            message: format!(
                "{} recordings have no index; murk recordings do",
                recording.format()
            ),
        });
    }
    if path == Path::new("-") {
        return Err(Error::Unsupported {
            path: path.to_owned(),
            message: "an index lies beside a file".into(),
        });
    }
    let mut reader = reader(path, recording.source())?;
    let mut builder = IndexBuilder::new();
    let header = usize::try_from(reader.offset()).unwrap_or(usize::MAX);
    let mut frames = 0;
    while let Some(frame) = reader.next_frame().map_err(|error| broken(path, error))? {
        builder.push(&frame);
        frames += 1;
    }
    if let Some(problem) = problem(path, reader.problem()) {
        return Err(problem);
    }
    let header = recording.bytes().get(..header).unwrap_or_default();
    let target = index_path(path);
    keep_what_helps(path, recording.bytes(), &target)?;
    crate::write_file(&target, &builder.finish(header))?;
    Ok((target, frames))
}

/// An index that was found beside a recording.
pub(super) struct Beside(Source);

impl Beside {
    /// The index, if it is one of this recording.
    pub fn open(&self, recording: &[u8]) -> Option<Index<'_>> {
        let index = Index::open(&self.0).ok()?;
        index.check(recording).ok()?;
        Some(index)
    }
}

/// Removes the index beside a recording that was made anew, unless it fits. What is there and is no
/// index at all is not ours.
pub(crate) fn remove_stale_index(path: &Path, recording: &[u8]) {
    let stale = match find_beside(path) {
        Some(Ok(source)) => match Index::open(&source) {
            Ok(index) => {
                index.check(recording).is_err() || index.damages(recording).next().is_some()
            }
            Err(_) => false,
        },
        _ => false,
    };
    if stale {
        // A stale index is refused wherever it is met: nothing is lost if it stays.
        let _ = std::fs::remove_file(index_path(path));
    }
}

/// Looks at all of an index: one that is damaged itself would find damage where there is none.
fn check_whole(index: &[u8], recording: &[u8]) -> Result<(), String> {
    let index = Index::open(index).map_err(|error| error.to_string())?;
    if !index.is_whole() {
        return Err("it is damaged itself".into());
    }
    index.check(recording).map_err(|error| error.to_string())
}

/// The index beside a recording; one that does not fit is a finding.
pub(super) fn beside(path: &Path, recording: &[u8], auditor: &mut Auditor) -> Option<Beside> {
    let refused = match find_beside(path)? {
        Err(reason) => reason,
        Ok(source) => match check_whole(&source, recording) {
            Ok(()) => return Some(Beside(source)),
            Err(reason) => reason,
        },
    };
    auditor.note(format::Finding::new(Rule::IndexStale { reason: refused }));
    None
}

/// The file beside a recording; `None` where there is none, and why where it can't be read.
fn find_beside(path: &Path) -> Option<Result<Source, String>> {
    // Standard input has no place that anything could lie beside.
    if path == Path::new("-") {
        return None;
    }
    match Source::open(&index_path(path), &Limits::default()) {
        Ok(source) => Some(Ok(source)),
        Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(error.message())),
    }
}

/// Compares a frame with what the index says it was.
pub(super) fn compare(
    index: &Index<'_>,
    recording: &[u8],
    frame: &Frame<'_>,
    auditor: &mut Auditor,
) {
    let mut same = false;
    if let Some(entry) = index.entry(frame.index) {
        same = entry.offset == frame.offset && entry.checksum == IndexBuilder::checksum(frame);
        if !same && let Some(damage) = index.damage(recording, entry) {
            auditor.note(damage.finding());
            return;
        }
    }
    if !same {
        let rule = Rule::FrameChanged {
            damage: "the index has it elsewhere".into(),
        };
        auditor.note(
            format::Finding::new(rule)
                .at(frame.offset)
                .in_frame(frame.index, Some(frame.tick)),
        );
    }
}

/// Says what the index knows of the frame at which reading stopped.
pub(super) fn explain(index: &Index<'_>, recording: &[u8], frame: u64, auditor: &mut Auditor) {
    if let Some(damage) = index
        .entry(frame)
        .and_then(|entry| index.damage(recording, entry))
    {
        auditor.note(damage.finding());
    }
}

/// Dumps one tick: through the index where there is one that fits, else by looking for it.
pub(super) fn dump_tick(
    path: &Path,
    source: &Source,
    tick: u64,
    out: &mut dyn Write,
) -> io::Result<Result<Partial<()>, Error>> {
    // In constant time: the index is looked at as a whole only where it leads nowhere.
    if let Some(Ok(index)) = find_beside(path)
        && let Ok(index) = Index::open(&index)
        && index.check(source).is_ok()
    {
        match index.frame(source, tick) {
            Ok(Some(frame)) => {
                json::write_frame(&frame, out)?;
                return Ok(Ok(Partial {
                    value: (),
                    problem: None,
                }));
            }
            Ok(None) if index.is_whole() => return Ok(Err(absent(path, tick))),
            Err(error) if index.is_whole() => return Ok(Err(broken(path, error))),
            Ok(None) | Err(_) => {}
        }
    }
    let mut reader = match reader(path, source) {
        Ok(reader) => reader,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) if frame.tick == tick => {
                json::write_frame(&frame, out)?;
                return Ok(Ok(Partial {
                    value: (),
                    problem: None,
                }));
            }
            Ok(Some(_)) => {}
            Ok(None) => {
                return Ok(Err(
                    problem(path, reader.problem()).unwrap_or_else(|| absent(path, tick))
                ));
            }
            Err(error) => return Ok(Err(broken(path, error))),
        }
    }
}

fn absent(path: &Path, tick: u64) -> Error {
    Error::NoTick {
        path: path.to_owned(),
        tick,
    }
}

/// Keeps the whole frames at the start; before that, turns flipped bits back where an index knows
/// them.
pub(super) fn repair<'a>(path: &Path, bytes: &'a [u8]) -> Result<Repaired<'a>, Error> {
    let mut actions = Vec::new();
    let unused = |reason: &dyn std::fmt::Display| {
        format!("the index beside the recording is not used: {reason}")
    };
    let beside = find_beside(path);
    if let Some(Err(reason)) = &beside {
        actions.push(unused(reason));
    }
    if let Some(Ok(source)) = &beside {
        match check_whole(source, bytes)
            .and_then(|()| Index::open(source).map_err(|e| e.to_string()))
        {
            Err(reason) => actions.push(unused(&reason)),
            Ok(index) if index.damages(bytes).next().is_some() => {
                let mut copy = bytes.to_vec();
                let (mended, left) = index.mend(&mut copy);
                let place = |damage: &format::Damage| match damage.entry {
                    None => "header".to_owned(),
                    Some(entry) => format!("frame {} (tick {})", entry.frame, entry.tick),
                };
                for damage in &mended {
                    actions.push(format!("{}: turned back: {damage}", place(damage)));
                }
                for damage in &left {
                    actions.push(format!("{}: not mended: {damage}", place(damage)));
                }
                let salvaged = format::salvage(&copy).map_err(|error| broken(path, error))?;
                let lossy = salvaged.dropped > 0 || !left.is_empty();
                actions.extend(dropped(&salvaged));
                let kept = salvaged.bytes.len();
                copy.truncate(kept);
                return Ok(Repaired {
                    content: copy.into(),
                    actions,
                    lossy,
                    beside: Vec::new(),
                });
            }
            Ok(_) => {}
        }
    }
    let salvaged = format::salvage(bytes).map_err(|error| broken(path, error))?;
    actions.extend(dropped(&salvaged));
    Ok(Repaired {
        content: salvaged.bytes.into(),
        lossy: salvaged.dropped > 0,
        actions,
        beside: Vec::new(),
    })
}

fn dropped(salvaged: &format::Salvaged<'_>) -> Option<String> {
    let problem = salvaged.problem.as_ref()?;
    let last = match salvaged.last_tick {
        Some(tick) if salvaged.frames == 1 => format!("kept 1 whole frame, tick {tick}"),
        Some(tick) => format!("kept {} whole frames, up to tick {tick}", salvaged.frames),
        None => "kept the header; no frame is whole".to_owned(),
    };
    Some(format!(
        "{last}; dropped {} bytes behind them: {}: {}",
        salvaged.dropped,
        problem.place(),
        problem.message()
    ))
}
