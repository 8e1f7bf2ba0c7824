//! The differences between two recordings.

use crate::divergence::{Cause, Difference};
use crate::error::Error;
use crate::layout::Frame;
use crate::model::Header;
use crate::model::payload::CommandText;
use crate::read::Replay;
use crate::replay::comparison::hash_of;
use crate::replay::sync_test::compare;
use crate::replay::verify::{VerifyError, replayable, run};
use crate::simulation::Simulation;
use crate::simulation::hash::State;
use gametape_core::text::{Bytes, Grouped, Hash};

/// The differences between two recordings.
#[derive(Clone, PartialEq, Debug)]
pub struct Diff {
    /// The differences of the headers: the name of the part, its value in the first recording, and
    /// in the second.
    pub header: Vec<(&'static str, String, String)>,
    /// The first frame that differs.
    pub first: Option<FrameDiff>,
    /// The number of frames after it that differ; if one recording ends earlier, all further frames
    /// of the other count.
    pub more: u64,
    /// The number of frames of each recording.
    pub frames: (u64, u64),
}

impl Diff {
    /// Returns true if nothing differs.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.header.is_empty() && self.first.is_none()
    }
}

/// The first frame that differs between two recordings.
#[derive(Clone, PartialEq, Debug)]
pub struct FrameDiff {
    /// The frame, from 0.
    pub frame: u64,
    /// Its tick in the first recording; `None` if that recording has ended.
    pub tick: Option<u64>,
    /// Its tick in the second recording.
    pub other_tick: Option<u64>,
    /// The first command that differs: its place, and its text in each recording that has it.
    pub command: Option<(u32, Option<CommandText>, Option<CommandText>)>,
    /// Both hashes, if they differ.
    pub hashes: Option<(u64, u64)>,
    /// The differences of the states, if simulations were given: `replayed` is the value of the
    /// first recording, `recorded` of the second.
    pub states: Option<StateDiff>,
}

/// How two states differ.
#[derive(Clone, PartialEq, Debug)]
pub enum StateDiff {
    /// Both recordings match their replays. These are the first values that differ, and the number
    /// of all that do.
    Values(Vec<Difference>, u64),
    /// Both replays have the same state, so at least one recorded hash is wrong. For each
    /// recording: what its hash says about its state; `None` if the hash matches the replay.
    Hashes(Option<Cause>, Option<Cause>),
}

/// Compares two recordings: their headers, and their frames up to the first that differs.
///
/// # Errors
/// If one of them can't be read to its end.
///
/// ```
/// # let a = gametape_murk::doc_example();
/// # let mut b = a.clone();
/// # let end = b.len();
/// # b[end - 1] ^= 1;
/// let diff = gametape_murk::diff(&gametape_murk::read(&a)?, &gametape_murk::read(&b)?)?;
/// let first = diff.first.unwrap();
/// assert_eq!(first.tick, Some(3));
/// assert!(first.command.is_none() && first.hashes.is_some());
/// # Ok::<(), gametape_murk::Error>(())
/// ```
pub fn diff(a: &Replay<'_>, b: &Replay<'_>) -> Result<Diff, Error> {
    diff_while(a, b, &|_| true)
}

/// [`diff`] that ends where `goes_on`, which gets each frame of the first recording, says so. What it returns
/// then is of no use.
pub(crate) fn diff_while(
    a: &Replay<'_>,
    b: &Replay<'_>,
    goes_on: &dyn Fn(&Frame<'_>) -> bool,
) -> Result<Diff, Error> {
    let (mut left, mut right) = (a.frames(), b.frames());
    let mut diff = Diff {
        header: diff_headers(a.header(), b.header()),
        first: None,
        more: 0,
        frames: (0, 0),
    };
    loop {
        let x = left.next().transpose()?;
        let y = right.next().transpose()?;
        diff.frames.0 += u64::from(x.is_some());
        diff.frames.1 += u64::from(y.is_some());
        if !x.as_ref().or(y.as_ref()).is_none_or(goes_on) {
            break;
        }
        let found = match (x, y) {
            (None, None) => break,
            (x, y) => diff_frames(x.as_ref(), y.as_ref()),
        };
        if let Some(found) = found {
            match diff.first {
                None => diff.first = Some(found),
                Some(_) => diff.more += 1,
            }
        }
    }
    for (frames, side) in [(&left, "first"), (&right, "second")] {
        for problem in frames.findings() {
            // Only a lenient reading gets here, so the difference covers the readable part.
            diff.header.push((
                "readable frames",
                format!("the {side} recording"),
                problem.to_string(),
            ));
        }
    }
    Ok(diff)
}

/// [`diff`] with a comparison of the states: both recordings are replayed, each in its own
/// simulation in its initial state, up to the first frame that differs.
///
/// # Errors
/// [`VerifyError::Read`], [`VerifyError::Simulation`], [`VerifyError::TooManyFields`].
pub fn diff_states<S: Simulation>(
    a: &Replay<'_>,
    b: &Replay<'_>,
    first: &mut S,
    second: &mut S,
) -> Result<Diff, VerifyError<S::Error>> {
    diff_states_while([a, b], first, second, &|_| true)
}

/// [`diff_states`] that ends where `goes_on` says so: see [`diff_while`].
pub(crate) fn diff_states_while<S: Simulation>(
    [a, b]: [&Replay<'_>; 2],
    first: &mut S,
    second: &mut S,
    goes_on: &dyn Fn(&Frame<'_>) -> bool,
) -> Result<Diff, VerifyError<S::Error>> {
    let mut diff = diff_while(a, b, goes_on)?;
    if let Some(frame) = &mut diff.first
        && let Some(hashes) = frame.hashes
    {
        let fields = (replayable(a.header())?, replayable(b.header())?);
        let is_first = |at: &Frame<'_>| at.index == frame.frame || !goes_on(at);
        run(a.frames(), first, is_first)?;
        run(b.frames(), second, is_first)?;
        let replayed = (hash_of(first, fields.0), hash_of(second, fields.1));
        let (ours, theirs) = (State::of(first, fields.0), State::of(second, fields.1));
        if replayed == hashes {
            let (values, count) = compare(first, &ours, &theirs);
            frame.states = Some(StateDiff::Values(values, count));
        } else {
            let cause = |simulation: &S, state: &State, recorded: u64, replayed: u64| {
                let hashes = (replayed, recorded);
                (recorded != replayed).then(|| Cause::find(simulation, state, hashes, None))
            };
            frame.states = Some(StateDiff::Hashes(
                cause(first, &ours, hashes.0, replayed.0),
                cause(second, &theirs, hashes.1, replayed.1),
            ));
        }
    }
    Ok(diff)
}

fn diff_headers(a: &Header<'_>, b: &Header<'_>) -> Vec<(&'static str, String, String)> {
    let facts = |header: &Header<'_>| {
        let (build, descriptor) = (&header.build, &header.space_descriptor);
        [
            ("toolchain", build.toolchain.to_string()),
            ("target_triple", build.target_triple.to_string()),
            ("murk_version", build.murk_version.to_string()),
            ("compile_flags", build.compile_flags.to_string()),
            ("seed", header.seed.to_string()),
            ("config_hash", Hash(header.config_hash).to_string()),
            ("field_count", header.field_count.to_string()),
            ("cell_count", Grouped(header.cell_count).to_string()),
            (
                "space_descriptor",
                format!(
                    "{}, CRC-32 {:08x}",
                    Bytes(descriptor.len() as u64),
                    crc32fast::hash(descriptor)
                ),
            ),
        ]
    };
    facts(a)
        .into_iter()
        .zip(facts(b))
        .filter(|((_, x), (_, y))| x != y)
        .map(|((what, x), (_, y))| (what, x, y))
        .collect()
}

fn diff_frames(a: Option<&Frame<'_>>, b: Option<&Frame<'_>>) -> Option<FrameDiff> {
    let mut found = FrameDiff {
        frame: a.or(b)?.index,
        tick: a.map(|frame| frame.tick),
        other_tick: b.map(|frame| frame.tick),
        command: None,
        hashes: None,
        states: None,
    };
    let (Some(a), Some(b)) = (a, b) else {
        return Some(found);
    };
    if a.tick != b.tick {
        // Other ticks have other commands and states, so there is nothing more to compare.
        return Some(found);
    }
    if a.commands() != b.commands() {
        let (mut left, mut right) = (a.commands().iter(), b.commands().iter());
        found.command = (0..=u32::MAX)
            .map(|at| (at, left.next(), right.next()))
            .take_while(|(_, x, y)| x.is_some() || y.is_some())
            .find(|(_, x, y)| x != y)
            .map(|(at, x, y)| {
                (
                    at,
                    x.as_ref().map(CommandText::of),
                    y.as_ref().map(CommandText::of),
                )
            });
    }
    if a.snapshot_hash != b.snapshot_hash {
        found.hashes = Some((a.snapshot_hash, b.snapshot_hash));
    }
    let differs = found.command.is_some() || found.hashes.is_some();
    differs.then_some(found)
}
