//! Is the replay the same each time? A search holds changed logs against recorded hashes. Where the same
//! log leads to other hashes from one time to the next, any change may lead to the recorded ones: nothing
//! can be told by that, and nothing is.

use super::edit::Edit;
use super::search::{Fresh, Search};
use super::variant::Build;
use super::window::Window;
use crate::checks::hash_of;
use crate::divergence::Parted;
use crate::simulation::{Checkpoint, Simulation};
use crate::state::State;
use crate::sync_test::compare;

/// Frames behind the divergence that are made again.
const AHEAD: usize = 80;
/// How often the tick in question is made again: where two runs went different ways, more may.
const AGAIN: usize = 6;
/// Other runs that make the frames around the divergence, where others can be had.
const RUNS: usize = 2;
/// How often what is to be named is tried again.
const TRIES: usize = 2;
/// How often a tick is made to see which values differ.
const LOOKS: usize = 8;

/// A tick that is not what it was.
struct Odd {
    place: usize,
    /// What it was, and what it is now: a state, or why there is none.
    was: u64,
    is: Result<State, String>,
}

/// Makes a tick as it is recorded, and holds it against what it was.
fn hold<S: Simulation>(
    simulation: &mut S,
    (window, fields): (&Window, u32),
    place: usize,
    was: Option<u64>,
) -> Result<(), Odd> {
    let stepped = simulation.step(window.tick(place), window.commands(place));
    let Some(was) = was else { return Ok(()) };
    let is = match stepped {
        Err(error) => Err(error.to_string()),
        Ok(()) if hash_of(simulation, fields) == was => return Ok(()),
        Ok(()) => Ok(State::of(simulation, fields)),
    };
    Err(Odd { place, was, is })
}

impl<S: Checkpoint> Search<'_, '_, S> {
    /// The hash that the replay had at a place the first time.
    fn was(&self, place: usize) -> Option<u64> {
        let at = self.case.window.at();
        match place.checked_sub(at) {
            None => self.case.window.hash(place),
            Some(0) => Some(self.case.replayed),
            Some(behind) => self.plain.get(behind).copied(),
        }
    }

    /// Makes a tick of the log as it is; false where it is not what it was.
    pub(super) fn hold(&mut self, place: usize, went_back: bool) -> bool {
        let (was, of) = (self.was(place), (self.case.window, self.case.fields));
        match hold(self.simulation, of, place, was) {
            Ok(()) => true,
            Err(odd) => {
                self.part(odd, went_back, true);
                false
            }
        }
    }

    /// True if the state is what it was behind this tick of the log as it is.
    pub(super) fn held(&mut self, place: usize) -> bool {
        let Some(was) = self.was(place) else {
            return true;
        };
        if hash_of(self.simulation, self.case.fields) == was {
            return true;
        }
        let is = Ok(State::of(self.simulation, self.case.fields));
        self.part(Odd { place, was, is }, true, true);
        false
    }

    /// A tick that was made once could not be made again.
    pub(super) fn failed(&mut self, place: usize, reason: String) {
        if let Some(was) = self.was(place) {
            let is = Err(reason);
            self.part(Odd { place, was, is }, true, false);
        }
    }

    /// Notes that two replays part, the first time that it is seen; `again` is whether the log as it is
    /// leads there.
    fn part(&mut self, odd: Odd, went_back: bool, again: bool) {
        if self.parted.is_some() {
            return;
        }
        let (window, place) = (self.case.window, odd.place);
        let at = (window.index(place), window.tick(place));
        let state = match odd.is {
            Err(reason) => {
                self.parted = Some(Parted::failed(at, odd.was, reason, went_back));
                return;
            }
            Ok(state) => state,
        };
        let mut parted = Parted::of_state(self.simulation, at, odd.was, &state, went_back);
        if parted.count == 0
            && again
            && let Some(other) = self.other_than(&state, place)
        {
            parted.hash = other.hash();
            (parted.differences, parted.count) = compare(self.simulation, &other, &state);
        }
        self.parted = Some(parted);
    }

    /// Another state that the log as it is leads to at this place, if it is seen soon.
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

    /// Makes the frames around the divergence again, in this simulation and in others of the same world:
    /// each tick has to be what it was.
    pub fn hold_again(&mut self, fresh: Fresh<'_, S>, share: f64) {
        self.hold_tick();
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
                let held = match &mut own {
                    None => hold(self.simulation, of, place, was),
                    Some(own) => hold(own, of, place, was),
                };
                if let Err(odd) = held {
                    return self.part(odd, true, true);
                }
            }
        }
    }

    /// Makes the tick of the divergence again, some times.
    pub fn hold_tick(&mut self) {
        let at = self.case.window.at();
        for _ in 0..AGAIN {
            if self.parted.is_some() || self.go_before(at).is_none() || !self.hold(at, true) {
                return;
            }
        }
    }

    /// Tries an edit again that led to the recorded hashes up to the divergence: it has to do so each time.
    pub fn try_again(&mut self, edit: &Edit) {
        for _ in 0..TRIES {
            let Some(script) = edit.script(self.case.window) else {
                return;
            };
            if self.go_before(script.from).is_none() {
                return;
            }
            let window = self.case.window;
            let behind = (script.then..=window.at()).map(|place| {
                let tick = window.tick(place);
                (tick, window.commands(place), Some(place))
            });
            let changed = script.steps.iter();
            let changed =
                changed.map(|step| (step.tick, step.commands.as_commands(), step.expects));
            for (tick, commands, expects) in changed.chain(behind) {
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
                return self.part(Odd { place, was, is }, true, false);
            }
        }
    }

    /// Builds another world again that led to the recorded hash at the divergence, where it stands now: it has
    /// to do so each time.
    pub(super) fn build_again(&mut self, build: &Build<'_, S>, before: &S::State, own: &S) {
        let (window, fields) = (self.case.window, self.case.fields);
        let place = window.at();
        let Some(was) = window.hash(place) else {
            return;
        };
        for _ in 0..TRIES {
            let Some(mut again) = build(before) else {
                return;
            };
            if let Err(odd) = hold(&mut again, (window, fields), place, Some(was)) {
                self.part(odd, true, false);
                // Here both states are at hand.
                if let Some(parted) = self.parted.as_mut().filter(|parted| parted.count == 0) {
                    let states = (State::of(own, fields), State::of(&again, fields));
                    (parted.differences, parted.count) = compare(own, &states.0, &states.1);
                }
                return;
            }
        }
    }
}
