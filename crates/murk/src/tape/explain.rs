//! Verifies a recording, and searches for the slip that explains where it diverges.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gametape_core::tape::{Error, Options, Work};

use super::opened::MurkTape;
use super::world::carried;
use crate::engine::{EngineError, EngineWorld, SavedWorld, World};
use crate::replay::sync_test::compare;
use crate::slip::{Approach, Budget, Window};
use crate::{
    Cause, Checkpoint, Divergence, Explanation, Finding, Frame, Header, Parted, Progress, Rule,
    SLIP_TIME, Simulation, Slip, State, Verifier, VerifyError,
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
struct Recent(VecDeque<(u64, SavedWorld)>);

impl Recent {
    /// Saves the world after a frame, if it is due.
    fn stepped(&mut self, frame: &Frame<'_>, world: &EngineWorld) {
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

    /// Returns the last saved state before the frames that a search looks at.
    fn before(&self, divergence: &Divergence) -> Option<&(u64, SavedWorld)> {
        let first = Window::begin(divergence.frame);
        self.0.iter().rev().find(|(next, _)| *next <= first)
    }
}

/// Returns the time limit of a search, from the option `explain`.
pub(super) fn limit(options: &Options) -> Duration {
    options
        .number("explain")
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(SLIP_TIME)
}

/// A replay that is compared with its recording, up to where they differ.
pub(crate) struct Replaying<'s> {
    verifier: Verifier<'s, EngineWorld>,
    recent: Recent,
    start: Instant,
    diverged: Option<Diverged>,
}

/// The first difference of a replay from its recording.
pub(crate) struct Diverged {
    pub divergence: Box<Divergence>,
    recent: Recent,
    /// The duration of the verification.
    took: Duration,
}

impl<'s> Replaying<'s> {
    pub fn new(
        header: &Header<'_>,
        simulation: &'s mut EngineWorld,
    ) -> Result<Self, VerifyError<EngineError>> {
        Ok(Self {
            verifier: Verifier::new(header, simulation)?,
            recent: Recent::default(),
            start: Instant::now(),
            diverged: None,
        })
    }

    /// Replays a frame. Returns the world after it; `None` if it differs, or did so before.
    ///
    /// # Errors
    /// Any error but a difference.
    pub fn push(
        &mut self,
        frame: &Frame<'_>,
    ) -> Result<Option<&EngineWorld>, VerifyError<EngineError>> {
        if self.diverged.is_none() {
            match self.verifier.push(frame) {
                Ok(()) => {
                    self.recent.stepped(frame, self.verifier.simulation());
                    return Ok(Some(self.verifier.simulation()));
                }
                Err(error) => self.part(error)?,
            }
        }
        Ok(None)
    }

    /// Ends the replay. Returns the number of frames that match, or the difference.
    ///
    /// # Errors
    /// Any error but a difference.
    pub fn finish(mut self) -> Result<Result<u64, Diverged>, VerifyError<EngineError>> {
        if self.diverged.is_none()
            && let Err(error) = self.verifier.settle()
        {
            self.part(error)?;
        }
        Ok(match self.diverged {
            Some(diverged) => Err(diverged),
            None => Ok(self.verifier.verified().frames),
        })
    }

    fn part(&mut self, error: VerifyError<EngineError>) -> Result<(), VerifyError<EngineError>> {
        let VerifyError::SnapshotMismatch(divergence) = error else {
            return Err(error);
        };
        self.diverged = Some(Diverged {
            divergence,
            recent: std::mem::take(&mut self.recent),
            took: self.start.elapsed(),
        });
        Ok(())
    }
}

/// Replays a recording from its start, up to where it differs, or to its end. `other` makes an error of
/// any error of the replay but a difference.
///
/// # Errors
/// Those errors; the problem of an incomplete recording; [`Error::Cancelled`].
pub(crate) fn replayed(
    tape: &MurkTape,
    header: &Header<'_>,
    simulation: &mut EngineWorld,
    work: &Work<'_>,
    other: impl Fn(VerifyError<EngineError>) -> Error,
) -> Result<Result<u64, Diverged>, Error> {
    let mut replaying = Replaying::new(header, simulation).map_err(&other)?;
    let mut reader = tape.reader();
    while let Some(frame) = reader.next_frame()? {
        if replaying.push(&frame).map_err(&other)?.is_none() {
            break;
        }
        work.done(frame.offset)?;
    }
    let result = replaying.finish().map_err(&other)?;
    match reader.findings().problem() {
        Some(problem) if result.is_ok() => Err(problem),
        _ => Ok(result),
    }
}

/// The world in a recording, if it is replayed in another one.
pub(crate) fn other_carried(tape: &MurkTape, header: &Header<'_>, world: &World) -> Option<World> {
    let carried = carried(header, tape.kinds()).and_then(Result::ok);
    carried.filter(|carried| carried != world)
}

impl Diverged {
    /// A difference whose recording is replayed from its start again to explain it.
    pub fn anew(divergence: Box<Divergence>) -> Self {
        Self {
            divergence,
            recent: Recent::default(),
            took: Duration::ZERO,
        }
    }

    /// Searches for the slip; `before` is the world in the recording, if another one was given. Returns
    /// the difference with the result, and the result; none if the limit is 0, or if the world can't be
    /// built again.
    ///
    /// # Errors
    /// The errors of the input.
    pub fn explained(
        self,
        tape: &MurkTape,
        world: &World,
        before: Option<&World>,
        limit: Duration,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<(Box<Divergence>, Option<Explanation>), Error> {
        if limit.is_zero() {
            return Ok((self.divergence, None));
        }
        let explaining = Explaining {
            tape,
            world,
            before,
            diverged: &self,
        };
        let found = explaining.explain(limit, watch)?;
        let divergence = match &found {
            Some(found) => judged(self.divergence, found),
            None => self.divergence,
        };
        Ok((divergence, found))
    }
}

/// The search for the slip that explains a difference.
struct Explaining<'a> {
    tape: &'a MurkTape,
    world: &'a World,
    before: Option<&'a World>,
    diverged: &'a Diverged,
}

/// If verification took at most this fraction of the search's time limit, the recording is replayed from its
/// start, otherwise from the last saved state.
const FROM_START: u32 = 20;
/// The number of frames after the divergence up to which two runs are compared.
const AHEAD: u64 = 80;
/// The maximum number of pairs of runs that are compared.
const PAIRS: usize = 4;

impl Explaining<'_> {
    /// Searches for the slip; `None` if the world can't be built again.
    fn explain(
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
        let (world, diverged) = (self.world, self.diverged);
        let Ok(mut simulation) = world.build() else {
            return Ok(None);
        };
        let mut from = 0;
        if diverged.took > limit / FROM_START
            && let Some((next, state)) = diverged.recent.before(&diverged.divergence)
            && simulation.restore(state).is_ok()
        {
            from = *next;
        }
        let mut approach = Approach::new(&diverged.divergence, world.field_count(), from);
        let mut reader = self.tape.reader();
        while let Some(frame) = reader.next_frame()? {
            match approach.push(&mut simulation, &frame) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => approach.failed(&frame, error.to_string()),
            }
        }
        if !approach.is_there() {
            return Ok(None);
        }
        let variants = world.slips(self.before, approach.commands());
        let budget = Budget::new(limit, watch);
        let mut fresh = || world.build().ok();
        Ok(Some(approach.explain(
            &mut simulation,
            &mut fresh,
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
        let (fields, divergence) = (self.world.field_count(), &self.diverged.divergence);
        let at = divergence.frame;
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
                index if index == at => Some(divergence.replayed_hash),
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
