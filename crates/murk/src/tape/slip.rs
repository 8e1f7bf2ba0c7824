//! The search for the slip that explains a divergence of a recording.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gametape_core::tape::{Error, Options};

use super::opened::MurkTape;
use crate::engine::{EngineWorld, SavedWorld, World};
use crate::replay::comparison::HashComparison;
use crate::replay::sync_test::compare;
use crate::slip::{Budget, Case, Window, explain_window};
use crate::{
    Cause, Checkpoint, Divergence, Explanation, Finding, Frame, Parted, Progress, Rule, SLIP_TIME,
    Simulation, Slip, State,
};

/// The number of frames between saved states while a recording is verified.
const EVERY: u64 = 64;
/// The number of saved states: the oldest is before all frames that a search looks at.
const KEPT: usize = 3;
/// The maximum size of a saved state in bytes. With larger states a search replays the recording from its
/// start.
const MOST_BYTES: usize = 8 << 20;

/// The last saved states of a replay, each with the next frame.
#[derive(Default)]
pub(crate) struct Recent(VecDeque<(u64, SavedWorld)>);

impl Recent {
    /// Saves the world after a frame, if it is due.
    pub fn stepped(&mut self, frame: &Frame<'_>, world: &EngineWorld) {
        let next = frame.index + 1;
        if !next.is_multiple_of(EVERY) {
            return;
        }
        let bytes: usize = (0..)
            .map_while(|field| world.field(field))
            .map(size_of_val)
            .sum();
        if bytes > MOST_BYTES {
            return;
        }
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back((next, world.checkpoint()));
    }

    /// Returns the last saved state before a frame.
    fn before(&self, frame: u64) -> Option<&(u64, SavedWorld)> {
        self.0.iter().rev().find(|(next, _)| *next <= frame)
    }
}

/// Returns the time limit of a search, from the option `explain`.
pub(super) fn limit(options: &Options) -> Duration {
    options
        .number("explain")
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(SLIP_TIME)
}

/// A recording that was verified up to where it diverges.
pub(crate) struct Diverged<'a> {
    pub tape: &'a MurkTape,
    pub world: &'a World,
    /// The world in the recording, if another one was given.
    pub before: Option<&'a World>,
    pub divergence: &'a Divergence,
    pub recent: Recent,
    /// The duration of the verification.
    pub took: Duration,
}

/// If verification took at most this fraction of the search's time limit, the recording is replayed from its
/// start, otherwise from the last saved state.
const FROM_START: u32 = 20;
/// The number of frames after the divergence up to which two runs are compared.
const AHEAD: u64 = 80;
/// The maximum number of pairs of runs that are compared.
const PAIRS: usize = 4;

impl Diverged<'_> {
    /// Searches for the slip; `None` if the world can't be built again.
    ///
    /// # Errors
    /// The errors of the input.
    pub fn explain(
        &self,
        limit: Duration,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Option<Explanation>, Error> {
        let found = self.search(limit, watch)?;
        let Some(mut found) = found else {
            return Ok(None);
        };
        // If the runs did not show where they part, or in which values, they are compared.
        let unclear = |parted: &&mut Parted| parted.went_back || parted.count == 0;
        if let Some(parted) = found.parted.as_mut().filter(unclear) {
            let start = Instant::now();
            let (frame, limit) = (parted.frame, limit / 2);
            for _ in 0..PAIRS {
                let left = limit.saturating_sub(start.elapsed());
                if let Some(runs) = self.side_by_side(frame, left)? {
                    *parted = runs;
                    break;
                }
            }
        }
        Ok(Some(found))
    }

    fn search(
        &self,
        limit: Duration,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Option<Explanation>, Error> {
        let (world, divergence) = (self.world, self.divergence);
        let Ok(mut simulation) = world.build() else {
            return Ok(None);
        };
        let first = Window::begin(divergence.frame);
        let mut from = 0;
        if self.took > limit / FROM_START
            && let Some((next, state)) = self.recent.before(first)
            && simulation.restore(state).is_ok()
        {
            from = *next;
        }
        let fields = world.field_count();
        let mut window = Window::new(first, divergence.frame);
        let mut checks = HashComparison::new(fields);
        let mut parted = None;
        let mut reader = self.tape.reader();
        while let Some(frame) = reader.next_frame()? {
            match frame.index {
                index if index < from || (index < first && parted.is_some()) => {}
                index if index < first => {
                    let stepped = simulation.step(frame.tick, frame.commands());
                    parted = match stepped {
                        Ok(()) => checks
                            .stepped(&simulation, &frame)
                            .err()
                            .map(|again| Parted::of(&again, from > 0)),
                        Err(error) => Some(Parted::failed(
                            (frame.index, frame.tick),
                            frame.snapshot_hash,
                            error.to_string(),
                            from > 0,
                        )),
                    };
                }
                _ if !window.push(&frame) => break,
                _ => {}
            }
        }
        if window.len() <= window.at() {
            return Ok(None);
        }
        let mut rest = || checks.compare(&simulation).err();
        let parted = parted.or_else(|| rest().map(|again| Parted::of(&again, from > 0)));
        if let Some(parted) = parted {
            return Ok(Some(Explanation::of_parted(&window, parted)));
        }
        let commands = window.commands(window.at()).len() as u32;
        let case = Case {
            window: &window,
            fields,
            replayed: divergence.replayed_hash,
            went_back: from > 0,
        };
        let budget = Budget::new(limit, watch);
        let variants = world.slips(self.before, commands);
        let mut fresh = || world.build().ok();
        Ok(Some(explain_window(
            &mut simulation,
            &mut fresh,
            case,
            budget,
            variants,
        )))
    }

    /// Runs two worlds from the start, and returns where they differ from each other or from the verified run.
    /// `None` if they agree up to a little after this frame, or until the time is over.
    fn side_by_side(&self, frame: u64, limit: Duration) -> Result<Option<Parted>, Error> {
        let (Ok(mut one), Ok(mut other)) = (self.world.build(), self.world.build()) else {
            return Ok(None);
        };
        let (fields, at) = (self.world.field_count(), self.divergence.frame);
        let last = frame.max(at) + AHEAD;
        let start = Instant::now();
        let mut unnamed = None;
        let mut reader = self.tape.reader();
        while let Some(frame) = reader.next_frame()?
            && frame.index <= last
            && start.elapsed() < limit
        {
            let place = (frame.index, frame.tick);
            let was = match frame.index {
                index if index < at => Some(frame.snapshot_hash),
                index if index == at => Some(self.divergence.replayed_hash),
                _ => None,
            };
            let both = [&mut one, &mut other].map(|run| {
                let stepped = run.step(frame.tick, frame.commands());
                stepped.map(|()| State::of(run, fields))
            });
            let parted = match both {
                [Ok(ours), Ok(theirs)] if ours.hash() != theirs.hash() => {
                    let (differences, count) = compare(&one, &ours, &theirs);
                    let hashes = (ours.hash(), theirs.hash());
                    Parted::of_values(place, hashes, (differences, count), false)
                }
                [Ok(ours), Ok(_)] => match was {
                    Some(was) if was != ours.hash() => {
                        Parted::of_state(&one, place, was, &ours, false)
                    }
                    _ => continue,
                },
                [Ok(made), Err(error)] | [Err(error), Ok(made)] => {
                    Parted::failed(place, made.hash(), error.to_string(), false)
                }
                [Err(_), Err(_)] => break,
            };
            // A difference that only the hash shows may have values a tick later.
            if parted.count > 0 {
                return Ok(Some(parted));
            }
            unnamed = unnamed.or(Some(parted));
        }
        Ok(unnamed)
    }
}

/// Adds the result of a search to the divergence.
pub(crate) fn judged(mut divergence: Box<Divergence>, found: &Explanation) -> Box<Divergence> {
    if found.parted.is_some() && matches!(divergence.cause, Cause::OtherTick { .. }) {
        // A world that is not deterministic can have any state at any tick.
        divergence.cause = Cause::Many;
    }
    if let Some(cause) = &found.cause {
        if divergence.cause.value() != cause.value() {
            // It is about another value.
            divergence.written_by = None;
        }
        divergence.cause = cause.clone();
        divergence.evidence = found.evidence;
    }
    divergence
}

/// Returns the result of a search as a finding at the divergence; `None` if it is only the value that the
/// divergence names.
pub(super) fn finding(divergence: &Divergence, found: Explanation) -> Option<Finding> {
    if let Some(parted) = found.parted {
        let (frame, tick) = (parted.frame, parted.tick);
        let parted = Box::new(parted);
        let finding = Finding::new(Rule::NotDeterministic { parted });
        let finding = if frame == divergence.frame {
            finding.at(divergence.offset)
        } else {
            finding
        };
        return Some(finding.step(frame).tick(Some(tick)));
    }
    if found
        .slips
        .iter()
        .any(|slip| matches!(slip, Slip::Value { .. }))
    {
        return None;
    }
    let found = Box::new(found);
    let rule = if found.slips.is_empty() {
        Rule::NoSlip { found }
    } else {
        Rule::OneSlip { found }
    };
    let finding = Finding::new(rule)
        .at(divergence.offset)
        .step(divergence.frame)
        .tick(Some(divergence.tick));
    Some(finding)
}

/// Explains a divergence of a recording in this world, with the default time limit.
///
/// # Errors
/// The errors of the input.
pub(crate) fn explain_in(
    tape: &MurkTape,
    world: &World,
    divergence: &Divergence,
) -> Result<Option<Explanation>, Error> {
    let diverged = Diverged {
        tape,
        world,
        before: None,
        divergence,
        recent: Recent::default(),
        took: Duration::ZERO,
    };
    diverged.explain(SLIP_TIME, &mut |_| true)
}
