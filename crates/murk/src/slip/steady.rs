//! Checks that the replay is the same each time. A search compares changed logs with recorded
//! hashes. If the same log leads to different hashes from one time to the next, any change may lead
//! to the recorded ones by chance. The search then proves nothing, and no slip is named.

use super::BuildVariant;
use super::edit::Edit;
use super::search::{Fresh, Search};
use super::window::Window;
use crate::divergence::Parted;
use crate::replay::comparison::hash_of;
use crate::replay::sync_test::compare;
use crate::simulation::hash::State;
use crate::simulation::{Checkpoint, Simulation};

/// The number of frames after the divergence that are made again.
const AHEAD: usize = 80;
/// How often the diverging tick is made again; if two runs differed, further ones may, too.
const AGAIN: usize = 6;
/// The number of further simulations that make the frames around the divergence, if they can be
/// made.
const RUNS: usize = 2;
/// How often a slip is tried again before it is named.
const TRIES: usize = 2;
/// How often a tick is made to see which values differ.
const LOOKS: usize = 8;

/// A tick that differs from the first time.
struct Mismatch {
    place: usize,
    /// The hash of the first time, and the state now, or why there is none.
    was: u64,
    is: Result<State, String>,
}

/// Makes a tick as recorded, and compares it with the first time.
fn compare_tick<S: Simulation>(
    simulation: &mut S,
    (window, fields): (&Window, u32),
    place: usize,
    was: Option<u64>,
) -> Result<(), Mismatch> {
    let stepped = simulation.step(window.tick(place), window.commands(place));
    let Some(was) = was else { return Ok(()) };
    let is = match stepped {
        Err(error) => Err(error.to_string()),
        Ok(()) if hash_of(simulation, fields) == was => return Ok(()),
        Ok(()) => Ok(State::of(simulation, fields)),
    };
    Err(Mismatch { place, was, is })
}

impl<S: Checkpoint> Search<'_, '_, S> {
    /// Returns the hash of the first replay at a place.
    fn was(&self, place: usize) -> Option<u64> {
        let at = self.case.window.at();
        match place.checked_sub(at) {
            None => self.case.window.hash(place),
            Some(0) => Some(self.case.replayed),
            Some(after) => self.plain.get(after).copied(),
        }
    }

    /// Makes a tick of the unchanged log; returns false if it differs from the first time.
    pub(super) fn check(&mut self, place: usize, went_back: bool) -> bool {
        let (was, of) = (self.was(place), (self.case.window, self.case.fields));
        match compare_tick(self.simulation, of, place, was) {
            Ok(()) => true,
            Err(mismatch) => {
                self.part(mismatch, went_back, true);
                false
            }
        }
    }

    /// Returns true if the state after this tick of the unchanged log equals the first one.
    pub(super) fn is_unchanged(&mut self, place: usize) -> bool {
        let Some(was) = self.was(place) else {
            return true;
        };
        if hash_of(self.simulation, self.case.fields) == was {
            return true;
        }
        let is = Ok(State::of(self.simulation, self.case.fields));
        self.part(Mismatch { place, was, is }, true, true);
        false
    }

    /// Records that a tick that was made once could not be made again.
    pub(super) fn failed(&mut self, place: usize, reason: String) {
        if let Some(was) = self.was(place) {
            let is = Err(reason);
            self.part(Mismatch { place, was, is }, true, false);
        }
    }

    /// Records that two replays differ, the first time that it is seen; `again` tells whether the
    /// unchanged log leads there.
    fn part(&mut self, mismatch: Mismatch, went_back: bool, again: bool) {
        if self.parted.is_some() {
            return;
        }
        let (window, place) = (self.case.window, mismatch.place);
        let at = (window.index(place), window.tick(place));
        let state = match mismatch.is {
            Err(reason) => {
                self.parted = Some(Parted::failed(at, mismatch.was, reason, went_back));
                return;
            }
            Ok(state) => state,
        };
        let mut parted = Parted::of_state(self.simulation, at, mismatch.was, &state, went_back);
        if parted.count == 0
            && again
            && let Some(other) = self.other_than(&state, place)
        {
            parted.hash = other.hash();
            (parted.differences, parted.count) = compare(self.simulation, &other, &state);
        }
        self.parted = Some(parted);
    }

    /// Looks for another state that the unchanged log leads to at this place, for a few runs.
    fn other_than(&mut self, state: &State, place: usize) -> Option<State> {
        for _ in 0..LOOKS {
            let (at, saved) = self.marks.iter().rev().find(|(at, _)| *at <= place)?;
            self.simulation.restore(saved).ok()?;
            for place in *at..=place {
                let window = self.case.window;
                let (tick, commands) = (window.tick(place), window.commands(place));
                self.simulation.step(tick, commands).ok()?;
            }
            let other = State::of(self.simulation, self.case.fields);
            if other.hash() != state.hash() {
                return Some(other);
            }
        }
        None
    }

    /// Makes the frames around the divergence again, in this simulation and in others of the same
    /// world. Each tick must equal the first one.
    pub fn check_again(&mut self, fresh: Fresh<'_, S>, share: f64) {
        self.check_divergence();
        let end = self.case.window.at() + self.plain.len().min(AHEAD);
        for run in 0..=RUNS {
            let mut own = if run == 0 { None } else { fresh() };
            let Some((_, start)) = self.marks.first() else {
                return;
            };
            let restored = match &mut own {
                None if run > 0 => return,
                None => self.simulation.restore(start),
                Some(own) => own.restore(start),
            };
            if restored.is_err() {
                continue;
            }
            for place in 0..end {
                if !self.lasts(share) {
                    return;
                }
                let (was, of) = (self.was(place), (self.case.window, self.case.fields));
                let result = match &mut own {
                    None => compare_tick(self.simulation, of, place, was),
                    Some(own) => compare_tick(own, of, place, was),
                };
                if let Err(mismatch) = result {
                    return self.part(mismatch, true, true);
                }
            }
        }
    }

    /// Makes the tick of the divergence again, several times.
    pub fn check_divergence(&mut self) {
        let at = self.case.window.at();
        for _ in 0..AGAIN {
            if self.parted.is_some() || self.go_before(at).is_none() || !self.check(at, true) {
                return;
            }
        }
    }

    /// Tries an edit again that led to the recorded hashes up to the divergence. It must do so each
    /// time.
    pub fn try_again(&mut self, edit: &Edit) {
        for _ in 0..TRIES {
            let Some(script) = edit.script(self.case.window) else {
                return;
            };
            if self.go_before(script.from).is_none() {
                return;
            }
            let window = self.case.window;
            let after = (script.then..=window.at()).map(|place| {
                let tick = window.tick(place);
                (tick, window.commands(place), Some(place))
            });
            let changed = script.steps.iter();
            let changed =
                changed.map(|step| (step.tick, step.commands.as_commands(), step.expects));
            for (tick, commands, expects) in changed.chain(after) {
                let stepped = self.simulation.step(tick, commands);
                let Some(place) = expects else { continue };
                let Some(was) = window.hash(place) else {
                    return;
                };
                let is = match stepped {
                    Err(error) => Err(error.to_string()),
                    Ok(()) if hash_of(self.simulation, self.case.fields) == was => continue,
                    Ok(()) => Ok(State::of(self.simulation, self.case.fields)),
                };
                return self.part(Mismatch { place, was, is }, true, false);
            }
        }
    }

    /// Builds a variant again that led to the recorded hash at the divergence, where it is now. It
    /// must do so each time.
    pub(super) fn build_again(&mut self, build: &BuildVariant<'_, S>, before: &S::State, own: &S) {
        let (window, fields) = (self.case.window, self.case.fields);
        let place = window.at();
        let Some(was) = window.hash(place) else {
            return;
        };
        for _ in 0..TRIES {
            let Some(mut again) = build(before) else {
                return;
            };
            if let Err(mismatch) = compare_tick(&mut again, (window, fields), place, Some(was)) {
                self.part(mismatch, true, false);
                // Both states are available here.
                if let Some(parted) = self.parted.as_mut().filter(|parted| parted.count == 0) {
                    let states = (State::of(own, fields), State::of(&again, fields));
                    (parted.differences, parted.count) = compare(own, &states.0, &states.1);
                }
                return;
            }
        }
    }
}
