//! Checking: every rule of the form, and every state, replayed.

use std::path::Path;

use gametape_murk::engine::{EngineWorld, World};
use gametape_murk::{self as format, AnyWorld, Auditor, Rule, Verifier, VerifyError};

use super::{broken, index, reader, world};
use crate::info::printable;
use crate::source::Source;
use crate::{Audit, Check, Error, Finding, Severity};

pub(super) fn audit(path: &Path, source: &Source, check: &Check) -> Result<Audit, Error> {
    let mut reader = match reader(path, source) {
        Ok(reader) => reader,
        Err(error @ Error::Io { .. }) => return Err(error),
        // A header that can't be read is the one finding.
        Err(_) => {
            let mut findings = format::audit(source).findings;
            let mut auditor = Auditor::default();
            if let Some(index) = index::beside(path, source, &mut auditor)
                && let Some(damage) = index.open(source).and_then(|i| i.header_damage(source))
            {
                findings.push(damage.finding());
            }
            return Ok(Audit {
                findings: findings.iter().map(finding).collect(),
                summary: String::new(),
            });
        }
    };
    let header = reader.header().clone();
    let mut auditor = Auditor::new(&header);
    let index = index::beside(path, source, &mut auditor);
    let index = index.as_ref().and_then(|index| index.open(source));
    if let Some(damage) = index.and_then(|index| index.header_damage(source)) {
        auditor.note(damage.finding());
    }
    let world = match world::chosen(&header, check) {
        None => None,
        Some(Ok(world)) => Some(world),
        // A world that somebody named has to be right; one in a recording is the recording's.
        Some(Err(message)) if check.world.is_some() => {
            return Err(Error::World {
                path: path.to_owned(),
                message,
            });
        }
        Some(Err(reason)) => {
            auditor.note(format::Finding::new(Rule::World { reason }));
            None
        }
    };
    if let Some(world) = &world
        && world::misfit(&header, world).is_none()
        && world.seed != header.seed
    {
        auditor.note(format::Finding::new(Rule::WorldShape {
            what: "seed",
            recorded: header.seed,
            expected: world.seed,
        }));
    }
    let mut replaying = world.as_ref().map(|world| Replaying::new(world, &header));
    if let Some(Err(finding)) = &replaying {
        auditor.note(finding.clone());
        replaying = None;
    }
    let mut replaying = replaying.and_then(Result::ok);
    let mut verifier = replaying.as_mut().and_then(|replaying| {
        match Verifier::new(&header, &mut replaying.simulation) {
            Ok(verifier) => Some(verifier),
            Err(error) => {
                auditor.note(outcome(error));
                None
            }
        }
    });
    // What a world that is not the recording's says of its commands means nothing.
    let checker = world
        .as_ref()
        .filter(|world| world::misfit(&header, world).is_none())
        .and_then(|world| world.checker().ok());
    let tried = verifier.is_some();
    let mut diverged = false;
    loop {
        let frame = match reader.next_frame() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(error) => return Err(broken(path, error)),
        };
        match &checker {
            Some(checker) => auditor.push(&frame, checker),
            None => auditor.push(&frame, &AnyWorld),
        }
        if let Some(index) = &index {
            index::compare(index, source, &frame, &mut auditor);
        }
        let Some(running) = &mut verifier else {
            continue;
        };
        if let Err(error) = running.push(&frame) {
            auditor.note(outcome(error));
            verifier = None;
            diverged = true;
        } else if let Some(reason) = running.simulation().failure() {
            let reason = reason.to_owned();
            auditor.note(
                format::Finding::new(Rule::TickFailed { reason })
                    .at(frame.offset)
                    .in_frame(frame.index, Some(frame.tick)),
            );
        }
    }
    if let Some(running) = verifier
        && let Err(error) = running.finish()
    {
        auditor.note(outcome(error));
        diverged = true;
    }
    let frames = auditor.frames();
    if let (Some(index), Some(_)) = (&index, reader.problem()) {
        index::explain(index, source, frames, &mut auditor);
    }
    if world.is_none() && !auditor.findings().has("murk.world") && frames > 0 {
        auditor.note(format::Finding::new(Rule::NotSimulated { frames }));
    }
    let findings = auditor.finish(reader.problem());
    let proven = if frames == 0 {
        "nothing to replay"
    } else if diverged {
        "replayed: diverges"
    } else if tried {
        "replayed: every hash is right"
    } else {
        "not replayed"
    };
    let s = if frames == 1 { "" } else { "s" };
    Ok(Audit {
        findings: findings.iter().map(finding).collect(),
        summary: format!("{frames} tick{s}, {proven}"),
    })
}

/// A world that runs beside the recording.
struct Replaying {
    simulation: EngineWorld,
}

impl Replaying {
    fn new(world: &World, header: &format::Header<'_>) -> Result<Self, format::Finding> {
        if let Some(rule) = world::misfit(header, world) {
            return Err(format::Finding::new(rule));
        }
        match world.build() {
            Ok(simulation) => Ok(Self { simulation }),
            Err(error) => Err(format::Finding::new(Rule::World {
                reason: error.to_string(),
            })),
        }
    }
}

/// Why a replay stopped, as a finding.
fn outcome<E: std::error::Error>(error: VerifyError<E>) -> format::Finding {
    match error {
        VerifyError::SnapshotMismatch(divergence) => format::Finding::new(Rule::SnapshotMismatch {
            description: divergence.to_string(),
        })
        .at(divergence.offset)
        .in_frame(divergence.frame, Some(divergence.tick)),
        VerifyError::ConfigMismatch { recorded, expected } => {
            format::Finding::new(Rule::ConfigMismatch { recorded, expected })
        }
        VerifyError::Simulation {
            frame,
            tick,
            source,
        } => format::Finding::new(Rule::Simulation {
            reason: source.to_string(),
        })
        .in_frame(frame, Some(tick)),
        other => format::Finding::new(Rule::Simulation {
            reason: other.to_string(),
        }),
    }
}

pub(super) fn finding(finding: &format::Finding) -> Finding {
    Finding {
        code: finding.code(),
        severity: match finding.severity() {
            format::Severity::Info => Severity::Info,
            format::Severity::Warning => Severity::Warning,
            format::Severity::Error => Severity::Error,
        },
        offset: finding.offset,
        tick: finding.tick,
        event: finding.frame,
        message: printable(&finding.message()),
        place: finding.place(),
    }
}
