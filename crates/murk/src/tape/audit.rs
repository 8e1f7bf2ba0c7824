//! Audit: checks all rules of the format, and replays the recording.

use std::time::Duration;

use gametape_core::tape::{Audit, Error, Options, Work};
use gametape_core::text::{Counted, Grouped};

use super::beside::{Beside, IndexComparison};
use super::explain::{self, Diverged, Replaying};
use super::opened::MurkTape;
use super::world;
use crate::engine::{Checker, EngineError, EngineWorld, World};
use crate::read::WholeFrames;
use crate::{
    AnyWorld, Auditor, ConfigForm, Finding, Findings, Hash, Header, Progress, ReadOptions, Reader,
    Rule, Simulation, VerifyError,
};

/// The result of the replay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplayResult {
    /// There is no world that fits.
    NotTried,
    /// Every hash is right so far.
    Right,
    /// The replay differs from the recording, or could not continue.
    Diverged,
}

pub(super) fn audit(tape: &MurkTape, options: &Options, work: &Work<'_>) -> Result<Audit, Error> {
    let input = &tape.input;
    let beside = Beside::of(tape);
    let mut reader = Reader::with_options(input.stream(), ReadOptions::lenient());
    let header = match reader.header() {
        Ok(header) => header.clone(),
        // The header is the only finding, except for those of the index.
        Err(error) => return unreadable(tape, error, beside.as_ref()),
    };
    let mut auditor = Auditor::new(&header);
    let mut index = IndexComparison::new(beside.as_ref(), input, &mut auditor);
    let world = world_of(&header, tape, &mut auditor)?;
    let mut simulation = world
        .as_ref()
        .and_then(|world| match simulation(world, &header) {
            Ok(simulation) => Some(simulation),
            Err(rule) => {
                auditor.note(Finding::new(rule));
                None
            }
        });
    let mut replaying = replaying(&header, simulation.as_mut(), &mut auditor);
    let mut result = match replaying {
        Some(_) => ReplayResult::Right,
        None => ReplayResult::NotTried,
    };
    let checker = world.as_ref().and_then(|world| checker(world, &header));
    let mut whole = WholeFrames::default();
    while let Some(frame) = reader.next_frame()? {
        if whole.push(&frame).is_some() {
            let bytes = input.zeros_from(frame.offset).map_err(Error::Io)?;
            auditor.note(frame.finding(Rule::Blank { bytes }));
            break;
        }
        match &checker {
            Some(checker) => auditor.push(&frame, checker),
            None => auditor.push(&frame, &AnyWorld),
        }
        index.frame(input, &frame, &mut auditor);
        match replaying.as_mut().map(|replaying| replaying.push(&frame)) {
            Some(Ok(Some(world))) => {
                if let Some(reason) = world.failure() {
                    let reason = reason.to_owned();
                    auditor.note(frame.finding(Rule::TickFailed { reason }));
                }
            }
            Some(Err(error)) => {
                (replaying, result) = (None, ReplayResult::Diverged);
                auditor.note(outcome(error));
            }
            // The frames after a divergence may explain it.
            Some(Ok(None)) | None => {}
        }
        work.done(frame.offset)?;
    }
    // The zeros may begin within the last hash; then it is not the state that is wrong.
    let frames = whole.frames;
    let is_torn = auditor.frames() > frames;
    match replaying.map(Replaying::finish) {
        Some(Err(error)) => {
            result = ReplayResult::Diverged;
            auditor.note(outcome(error));
        }
        Some(Ok(Err(diverged))) if !is_torn || diverged.divergence.frame != frames => {
            result = ReplayResult::Diverged;
            if let Some(world) = &world {
                let limits = (explain::limit(options), work);
                note_explanation(tape, (&header, world), diverged, limits, &mut auditor)?;
            }
        }
        Some(Ok(_)) | None => {}
    }
    if !reader.findings().is_empty() {
        index.explain(input, frames, &mut auditor);
    }
    let reasons = ["murk.world", "murk.unknown-kind"];
    let has_reason = reasons.iter().any(|code| auditor.findings().has(code));
    if world.is_none() && !has_reason && frames > 0 {
        auditor.note(Finding::new(Rule::NotSimulated { frames }));
    }
    let findings = auditor.finish(reader.findings());
    Ok(timed(&findings, world.as_ref(), summary(frames, result)))
}

/// Starts the replay, if there is a world that fits.
fn replaying<'s>(
    header: &Header<'_>,
    simulation: Option<&'s mut EngineWorld>,
    auditor: &mut Auditor,
) -> Option<Replaying<'s>> {
    let simulation = simulation?;
    if let Some(form @ (ConfigForm::Counts | ConfigForm::Descriptor)) =
        simulation.config_form(header)
    {
        auditor.note(Finding::new(Rule::ConfigPartial { form }));
    }
    let replaying = Replaying::new(header, simulation);
    replaying.map_err(|error| auditor.note(outcome(error))).ok()
}

/// Adds the findings about a divergence and its explanation.
fn note_explanation(
    tape: &MurkTape,
    (header, world): (&Header<'_>, &World),
    diverged: Diverged,
    (limit, work): (Duration, &Work<'_>),
    auditor: &mut Auditor,
) -> Result<(), Error> {
    let tick = Grouped(diverged.divergence.tick);
    let mut watch = |progress: Progress| {
        work.say(&format!(
            "tick {tick}: looking for the slip that explains it, {} tried, {:.0}% of the time",
            Counted(progress.tried, "slip"),
            progress.share * 100.0
        ));
        work.wanted().is_ok()
    };
    let before = explain::other_carried(tape, header, world);
    let (judged, found) = diverged.explained(tape, world, before.as_ref(), limit, &mut watch)?;
    work.wanted()?;
    if let Some(finding) = found.and_then(|found| explain::finding(&judged, found)) {
        auditor.note(finding);
    }
    auditor.note(outcome(VerifyError::<EngineError>::SnapshotMismatch(
        judged,
    )));
    Ok(())
}

/// Returns the findings, with times if the world is known.
fn timed(findings: &Findings, world: Option<&World>, summary: String) -> Audit {
    let mut audit = Audit::new(findings, summary);
    if let Some(world) = world {
        for finding in &mut audit.findings {
            finding.place.time = finding
                .place
                .tick
                .map(|tick| world::time_of(tick, world.dt));
        }
    }
    audit
}

fn summary(frames: u64, replay: ReplayResult) -> String {
    let proven = match replay {
        _ if frames == 0 => "nothing to replay",
        ReplayResult::Diverged => "replayed: diverges",
        ReplayResult::Right => "replayed: every hash is right",
        ReplayResult::NotTried => "not replayed",
    };
    format!("{}, {proven}", Counted(frames, "tick"))
}

fn unreadable(
    tape: &MurkTape,
    error: crate::Error,
    beside: Option<&Result<Beside, crate::Unused>>,
) -> Result<Audit, Error> {
    let Some(finding) = error.finding().cloned() else {
        return Err(error.into());
    };
    let mut auditor = Auditor::default();
    auditor.note(finding);
    IndexComparison::new(beside, &tape.input, &mut auditor);
    Ok(Audit::new(auditor.findings(), String::new()))
}

/// Returns the world to replay in, and adds findings about it.
fn world_of(
    header: &Header<'_>,
    tape: &MurkTape,
    auditor: &mut Auditor,
) -> Result<Option<World>, Error> {
    let world = match (tape.given(), world::carried(header, tape.kinds())) {
        // A broken world file is the caller's error; a broken world in the header is a finding.
        (Some(file), _) => file.read()?,
        (None, None) => return Ok(None),
        (None, Some(Ok(world))) => world,
        (None, Some(Err(error))) => {
            auditor.note(Finding::new(world::broken(&error)));
            return Ok(None);
        }
    };
    if world::misfit(header, &world).is_none() && world.seed != header.seed {
        auditor.note(Finding::new(Rule::WorldShape {
            what: "seed",
            recorded: header.seed,
            expected: world.seed,
        }));
    }
    Ok(Some(world))
}

/// Returns the world's checker of commands, if the world fits the recording.
fn checker(world: &World, header: &Header<'_>) -> Option<Checker> {
    match world::misfit(header, world) {
        None => world.checker().ok(),
        Some(_) => None,
    }
}

/// Builds the world for the replay.
fn simulation(world: &World, header: &Header<'_>) -> Result<EngineWorld, Rule> {
    match world::misfit(header, world) {
        Some(rule) => Err(rule),
        None => world.build().map_err(|error| world::broken(&error)),
    }
}

/// Returns the finding for the error that stopped a replay.
pub(super) fn outcome<E: std::error::Error>(error: VerifyError<E>) -> Finding {
    match error {
        VerifyError::SnapshotMismatch(divergence) => {
            let (offset, frame, tick) = (divergence.offset, divergence.frame, divergence.tick);
            Finding::new(Rule::SnapshotMismatch { divergence })
                .at(offset)
                .step(frame)
                .tick(Some(tick))
        }
        VerifyError::ConfigMismatch { recorded, expected } => Finding::new(Rule::ConfigMismatch {
            recorded: Hash(recorded),
            expected: Hash(expected),
        }),
        VerifyError::Simulation {
            frame,
            tick,
            source,
        } => Finding::new(Rule::Simulation {
            reason: source.to_string(),
        })
        .step(frame)
        .tick(Some(tick)),
        other => Finding::new(Rule::Simulation {
            reason: other.to_string(),
        }),
    }
}
