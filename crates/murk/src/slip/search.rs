//! The search: each candidate is replayed from a saved state and compared with the recorded hashes,
//! first up to the divergence alone. Candidates that explain it are then replayed further.

use std::collections::BTreeMap;

use super::edit::{Edit, slip};
use super::window::{BACK, Window, is_repeated, run};
use super::{Budget, Variant};
use crate::divergence::{Candidate, CommandAt, Difference, Parted, Slip, explain};
use crate::replay::comparison::hash_of;
use crate::simulation::Checkpoint;
use crate::simulation::hash::State;

/// The number of frames between saved states before the divergence.
const MARK: usize = 16;
/// The number of frames that a candidate is replayed further in the first round; each round is
/// longer.
const ROUND: usize = 64;
/// The most candidates that are kept. Of further ones, only the number of explained hashes is
/// counted.
const MOST_FOUND: usize = 1024;
/// The most bytes of the saved states from which candidates are replayed further.
const MOST_BYTES: usize = 64 << 20;

/// How the replay of a candidate continues.
enum Continuation<S: Checkpoint> {
    /// From a saved state of the simulation.
    State(S::State),
    /// In its own simulation.
    Own(Box<S>),
    /// Together with all others that are in the recorded state.
    Recorded,
    /// It ends: the next hash differs.
    Contradicted,
    /// Unknown: there is no room for its state.
    Unknown,
}

/// A candidate that explains the hash at the divergence.
pub(super) struct Found<S: Checkpoint> {
    pub slip: Slip,
    /// The number of recorded hashes that it explains, from the divergence on.
    pub explained: u64,
    /// The next frame.
    next: usize,
    /// True if it was not contradicted and frames are left.
    pub open: bool,
    rest: Continuation<S>,
    /// The edit, to try it again.
    pub edit: Option<Edit>,
}

impl<S: Checkpoint> Found<S> {
    /// Creates a candidate that is not replayed further.
    #[cfg(all(test, feature = "engine"))]
    pub const fn new(slip: Slip, explained: u64, open: bool) -> Self {
        Self {
            slip,
            explained,
            next: 0,
            open,
            rest: Continuation::Unknown,
            edit: None,
        }
    }

    /// Returns true if more hashes can be tried.
    const fn runs(&self) -> bool {
        self.open && !matches!(self.rest, Continuation::Unknown)
    }
}

/// The unchanged replay from the divergence on.
pub(super) struct Base {
    /// Its hashes.
    pub hashes: Vec<u64>,
    /// The values that explain the recorded hash.
    pub values: Vec<Candidate>,
}

/// The divergence to explain, from the first replay.
#[derive(Clone, Copy)]
pub(crate) struct Case<'w> {
    pub window: &'w Window,
    pub fields: u32,
    /// The replayed hash.
    pub replayed: u64,
    /// True if a saved state was restored to take the simulation to the start of the window.
    pub went_back: bool,
}

/// Makes another simulation of the same world in its initial state; `None` if that is not possible.
pub(crate) type Fresh<'f, S> = &'f mut dyn FnMut() -> Option<S>;

pub(super) struct Search<'a, 'w, S: Checkpoint> {
    pub(super) simulation: &'a mut S,
    pub(super) case: Case<'a>,
    pub(super) window: &'a Window,
    pub(super) fields: u32,
    /// The size of a state in bytes.
    bytes: usize,
    budget: Budget<'w>,
    /// The states before some frames of the window, by place.
    pub(super) marks: Vec<(usize, S::State)>,
    /// The hashes of the unchanged replay from the divergence on, as far as they are known.
    pub(super) plain: Vec<u64>,
    /// Set if two replays differ. The search ends then.
    pub(super) parted: Option<Parted>,
    pub(super) tried: u64,
    pub(super) complete: bool,
    pub(super) found: Vec<Found<S>>,
    /// The found candidates that are not kept.
    pub(super) beyond: Beyond,
    /// For a simulation without hidden state: the shared replay from the recorded state.
    recorded: Option<RecordedRun<S>>,
}

struct RecordedRun<S: Checkpoint> {
    next: usize,
    open: bool,
    state: S::State,
}

/// The number of candidates that were found and not kept, by the number of hashes that they
/// explain.
#[derive(Default)]
pub(super) struct Beyond {
    contradicted: BTreeMap<u64, u64>,
    recorded: u64,
}

impl<'a, 'w, S: Checkpoint> Search<'a, 'w, S> {
    /// Creates a search with a simulation that is before the window's first frame.
    pub fn new(simulation: &'a mut S, case: Case<'a>, budget: Budget<'w>) -> Self {
        let (window, fields) = (case.window, case.fields);
        let bytes: usize = (0..fields)
            .map(|field| size_of_val(simulation.field(field).unwrap_or_default()))
            .sum();
        let marks = vec![(0, simulation.checkpoint())];
        let mut search = Self {
            simulation,
            case,
            window,
            fields,
            bytes,
            budget,
            marks,
            plain: Vec::new(),
            parted: None,
            tried: 0,
            complete: true,
            found: Vec::new(),
            beyond: Beyond::default(),
            recorded: None,
        };
        let may_mark = bytes.saturating_mul(BACK as usize / MARK) <= MOST_BYTES;
        // Including the diverging tick, which is thereby known to be the same without going back.
        for place in 0..=window.at() {
            if !search.check(place, case.went_back) {
                break;
            }
            let next = place + 1;
            let is_mark = (may_mark && next.is_multiple_of(MARK)) || next + 1 >= window.at();
            if is_mark && next <= window.at() {
                let state = search.simulation.checkpoint();
                search.marks.push((next, state));
            }
        }
        search
    }

    /// Returns true while less than this share of the time has passed and the search is not over.
    pub(super) fn lasts(&mut self, share: f64) -> bool {
        self.parted.is_none() && self.budget.lasts(share, self.tried)
    }

    pub const fn window(&self) -> &'a Window {
        self.window
    }

    /// Returns the share of the time in which further candidates are looked for. If a slip explains
    /// everything, only a short time is spent on others that may explain it, too.
    pub fn share_for_more(&self) -> f64 {
        const MOST: f64 = 0.9;
        if self.found.iter().any(|one| one.explained > self.after()) {
            (self.budget.share() + 0.2).min(MOST)
        } else {
            MOST
        }
    }

    /// Returns the number of hashes after the divergence.
    pub fn after(&self) -> u64 {
        self.window.len().saturating_sub(self.window.at() + 1) as u64
    }

    /// Goes to the state before a frame. All ticks before it must be the same as the first time.
    pub(super) fn go_before(&mut self, place: usize) -> Option<()> {
        let (at, state) = self.marks.iter().rev().find(|(at, _)| *at <= place)?;
        let at = *at;
        self.simulation.restore(state).ok()?;
        for place in at..place {
            let (tick, commands) = (self.window.tick(place), self.window.commands(place));
            if let Err(error) = self.simulation.step(tick, commands) {
                self.failed(place, error.to_string());
                return None;
            }
        }
        // The way there may have led to another state.
        (place == at || self.is_unchanged(place - 1)).then_some(())
    }

    /// Makes a tick as recorded.
    fn step(&mut self, place: usize) -> Option<()> {
        let (tick, commands) = (self.window.tick(place), self.window.commands(place));
        self.simulation.step(tick, commands).ok()
    }

    fn hash(&self) -> u64 {
        hash_of(self.simulation, self.fields)
    }

    /// Makes a tick as recorded; returns whether it leads to the recorded hash.
    fn agrees(&mut self, place: usize) -> Option<bool> {
        self.step(place)?;
        Some(self.window.hash(place) == Some(self.hash()))
    }

    /// Makes the unchanged replay, and keeps the slips that follow from its hash, its values and
    /// its frames.
    pub fn base(&mut self) -> Option<Base> {
        /// Enough frames to find the size of a shift.
        const AHEAD: usize = 80;
        const FAR_AHEAD: usize = 4096;
        let at = self.window.at();
        let recorded = self.window.hash(at)?;
        self.go_before(at)?;
        if !self.check(at, true) || self.case.replayed == recorded {
            return None;
        }
        let state = State::of(self.simulation, self.fields);
        let after = self.simulation.checkpoint();
        let hash = self.hash();
        let mut base = Base {
            hashes: vec![hash],
            values: explain(&state, recorded),
        };
        let window = self.window;
        for place in at + 1..window.len() {
            // The rest is only needed to see how far a shift extends.
            let is_far = base.hashes.len() >= AHEAD;
            let before = (0..at).filter_map(|place| window.hash(place));
            if is_far
                && (!before
                    .chain(base.hashes.iter().copied())
                    .any(|hash| hash == recorded)
                    || base.hashes.len() >= FAR_AHEAD
                    || !self.budget.lasts(0.2, self.tried))
            {
                break;
            }
            let Some(()) = self.step(place) else { break };
            base.hashes.push(self.hash());
        }
        self.plain.clone_from(&base.hashes);
        let changed = recorded ^ hash;
        let one_bit = changed.is_power_of_two();
        let next = base.hashes.get(1).copied();
        let right_after = next.is_some() && next == self.window.hash(at + 1);
        // A value that explains all 64 bits rules out damage of the hash.
        if one_bit || (right_after && base.values.is_empty()) {
            let slip = Slip::Hash {
                bits: changed.count_ones(),
                bit: changed.trailing_zeros(),
            };
            self.add((slip, None), 1, at + 1, Continuation::State(after));
        }
        self.values(&base.values, right_after);
        Some(base)
    }

    /// Adds each value that explains the hash, as one that changed by itself; for this tick alone
    /// if the replay matches after it.
    fn values(&mut self, values: &[Candidate], right_after: bool) {
        for value in values {
            let slip = Slip::Value {
                value: self.difference(value),
                lasts: !right_after,
            };
            if self.value(&slip, value, !right_after).is_none() {
                self.add((slip, None), 1, self.window.at() + 1, Continuation::Unknown);
            }
        }
    }

    fn value(&mut self, slip: &Slip, value: &Candidate, lasts: bool) -> Option<()> {
        let at = self.window.at();
        self.go_before(at)?;
        self.step(at)?;
        let here = self.simulation.checkpoint();
        if lasts {
            let (field, element) = (value.field, value.element);
            let state = self
                .simulation
                .with_value(&here, field, element, value.recorded)?;
            self.simulation.restore(&state).ok()?;
            self.meet((slip.clone(), None), at + 1, true);
        } else {
            self.add((slip.clone(), None), 1, at + 1, Continuation::State(here));
        }
        Some(())
    }

    fn difference(&self, value: &Candidate) -> Difference {
        Difference::new(
            self.simulation,
            value.field,
            value.element,
            value.replayed,
            value.recorded,
        )
    }

    fn add(
        &mut self,
        (slip, edit): (Slip, Option<Edit>),
        explained: u64,
        next: usize,
        rest: Continuation<S>,
    ) {
        if self.found.iter().any(|found| found.slip == slip) {
            return;
        }
        if self.found.len() >= MOST_FOUND && !self.make_room(&slip, explained, &rest) {
            return;
        }
        let holds =
            |rest: &Continuation<S>| matches!(rest, Continuation::State(_) | Continuation::Own(_));
        let held = self.found.iter().filter(|found| holds(&found.rest)).count();
        let rest = if holds(&rest) && held > 0 && (held + 1) * self.bytes > MOST_BYTES {
            self.complete = false;
            Continuation::Unknown
        } else {
            rest
        };
        let open = next < self.window.len() && !matches!(rest, Continuation::Contradicted);
        self.found.push(Found {
            slip,
            explained,
            next,
            open,
            rest,
            edit,
        });
    }

    /// Makes room for a slip in place of one that explains less, or as much. Returns false if there
    /// is none, or if it is this one. For slips that are not kept, the number of explained hashes
    /// is counted.
    fn make_room(&mut self, slip: &Slip, explained: u64, rest: &Continuation<S>) -> bool {
        if matches!(rest, Continuation::Recorded) {
            self.beyond.recorded += 1;
            return false;
        }
        let contradicted = self.found.iter().enumerate();
        let contradicted = contradicted.filter(|(_, one)| !one.open && one.edit.is_some());
        let least = contradicted.min_by_key(|(_, one)| one.explained);
        let least = least.map(|(place, one)| (place, one.explained));
        let is_contradicted = matches!(rest, Continuation::Contradicted);
        match least {
            Some((place, less)) if !is_contradicted || less < explained => {
                self.found.swap_remove(place);
                *self.beyond.contradicted.entry(less).or_default() += 1;
                true
            }
            _ if is_contradicted => {
                let dropped = slip.command();
                let in_vain = matches!(slip, Slip::Aimed { .. } | Slip::OtherValue { .. })
                    && dropped.is_some_and(|at| self.is_as_good_as_dropped(at, explained));
                if !in_vain {
                    *self.beyond.contradicted.entry(explained).or_default() += 1;
                }
                false
            }
            // The number that it explains stays unknown.
            _ => {
                self.complete = false;
                false
            }
        }
    }

    /// Returns the number of slips that were not kept and explain this many hashes.
    pub fn beyond(&self, explained: u64) -> u64 {
        let recorded = self.recorded.as_ref();
        let of_recorded = recorded.map(|all| (all.next - self.window.at()) as u64);
        let contradicted = self.beyond.contradicted.get(&explained);
        let recorded = (of_recorded == Some(explained)).then_some(self.beyond.recorded);
        contradicted.copied().unwrap_or(0) + recorded.unwrap_or(0)
    }

    /// Returns true if a command is known to have no effect up to the frame at a place. Its edits
    /// (another target, another value) then have no effect of their own either.
    fn is_dropped(&self, frame: usize, command: usize, until: usize) -> bool {
        let at = (self.window.index(frame), command as u32);
        let explained = (until + 1).saturating_sub(self.window.at()) as u64;
        self.drops_explain(at, explained)
    }

    fn is_as_good_as_dropped(&self, command: &CommandAt, explained: u64) -> bool {
        self.drops_explain((command.frame, command.command), explained)
    }

    fn drops_explain(&self, at: (u64, u32), explained: u64) -> bool {
        self.found.iter().any(|found| match &found.slip {
            Slip::Dropped(command) => {
                (command.frame, command.command) == at && found.explained >= explained
            }
            _ => false,
        })
    }

    /// Replays an edit up to the divergence, and keeps it if it explains the hash. Returns false if
    /// it leads to another hash, after which the simulation then is; `None` if it is not possible,
    /// or equals the log.
    pub(super) fn edit(&mut self, edit: &Edit) -> Option<bool> {
        let window = self.window;
        let at = window.at();
        if let Some((frame, command, until)) = edit.needs_effect()
            && self.simulation.shows_all()
            && self.is_dropped(frame, command, until)
        {
            return None;
        }
        if let Edit::Remove(frame) = edit
            && !is_repeated(window, *frame)
        {
            return None;
        }
        let script = edit.script(window)?;
        self.tried += 1;
        self.go_before(script.from)?;
        for step in &script.steps {
            let commands = step.commands.as_commands();
            self.simulation.step(step.tick, commands).ok()?;
            if let Some(place) = step.expects
                && window.hash(place) != Some(self.hash())
            {
                return Some(false);
            }
        }
        let mut next = script.then;
        while next <= at {
            if !self.agrees(next)? {
                return Some(false);
            }
            next += 1;
        }
        let slip = slip(window, self.simulation, edit)?;
        self.meet((slip, Some(edit.clone())), next, script.keeps_count());
        Some(true)
    }

    /// Keeps a slip that explains the hash. In a simulation without hidden state, all slips that
    /// are in the recorded state after as many ticks continue equally, so one replay serves all of
    /// them.
    fn meet(&mut self, slip: (Slip, Option<Edit>), mut next: usize, keeps_count: bool) {
        let window = self.window;
        let at = window.at();
        // A moved command may need one more tick.
        let meeting = window.len().min(at + 2);
        while next < meeting {
            if self.agrees(next) != Some(true) {
                return self.add(slip, (next - at) as u64, next, Continuation::Contradicted);
            }
            next += 1;
        }
        let rest = if next == meeting && keeps_count && self.simulation.shows_all() {
            if self.recorded.is_none() {
                self.recorded = Some(RecordedRun {
                    next,
                    open: next < window.len(),
                    state: self.simulation.checkpoint(),
                });
            }
            Continuation::Recorded
        } else {
            Continuation::State(self.simulation.checkpoint())
        };
        self.add(slip, (next - at) as u64, next, rest);
    }

    /// Tries other simulations, each from the state before the divergence.
    pub fn variants<'v>(&mut self, variants: impl Iterator<Item = Variant<'v, S>>, share: f64) {
        let at = self.window.at();
        if self.go_before(at).is_none() {
            return;
        }
        let before = self.simulation.checkpoint();
        for variant in variants {
            if !self.lasts(share) {
                self.complete = false;
                return;
            }
            self.tried += 1;
            let Some(mut own) = (variant.build)(&before) else {
                continue;
            };
            let made = own.step(self.window.tick(at), self.window.commands(at));
            if made.is_ok() && self.window.hash(at) == Some(hash_of(&own, self.fields)) {
                self.build_again(&variant.build, &before, &own);
                let slip = (variant.slip, None);
                self.add(slip, 1, at + 1, Continuation::Own(Box::new(own)));
            }
        }
    }

    /// Replays the found candidates further, in turns, to the end of the frames or to the first
    /// hash that a candidate does not explain. Returns true if the time was enough.
    pub fn run_on(&mut self, share: f64) {
        let mut round = ROUND;
        let mut found = std::mem::take(&mut self.found);
        let mut lasts = true;
        while lasts {
            let mut runs = false;
            if let Some(mut recorded) = self.recorded.take() {
                if recorded.open {
                    lasts = self.run_recorded(&mut recorded, round, share);
                    runs |= recorded.open;
                }
                self.recorded = Some(recorded);
            }
            for one in found.iter_mut().filter(|one| one.runs()) {
                // The shared result holds for each of them.
                if lasts || matches!(one.rest, Continuation::Recorded) {
                    lasts &= self.run_one(one, round, share);
                    runs |= one.runs();
                }
            }
            if !runs {
                break;
            }
            round = (round * 4).min(4096);
        }
        self.complete &= lasts;
        self.found = found;
    }

    fn run_recorded(&mut self, recorded: &mut RecordedRun<S>, round: usize, share: f64) -> bool {
        if self.simulation.restore(&recorded.state).is_err() {
            recorded.open = false;
            return true;
        }
        let end = self.window.len().min(recorded.next + round);
        let ran = run(
            self.simulation,
            self.window,
            self.fields,
            recorded.next..end,
        );
        recorded.open = ran == end && end < self.window.len();
        recorded.next = ran;
        recorded.state = self.simulation.checkpoint();
        self.lasts(share)
    }

    fn run_one(&mut self, one: &mut Found<S>, round: usize, share: f64) -> bool {
        let (window, fields) = (self.window, self.fields);
        let end = window.len().min(one.next + round);
        let ran = match &mut one.rest {
            Continuation::Recorded => {
                let recorded = self.recorded.as_ref();
                let (next, open) = recorded.map_or((one.next, false), |r| (r.next, r.open));
                let next = next.max(one.next);
                one.explained += (next - one.next) as u64;
                one.next = next;
                one.open = open;
                return true;
            }
            Continuation::Own(own) => run(own.as_mut(), window, fields, one.next..end),
            Continuation::State(state) => {
                if self.simulation.restore(state).is_err() {
                    one.rest = Continuation::Unknown;
                    return true;
                }
                let ran = run(self.simulation, window, fields, one.next..end);
                *state = self.simulation.checkpoint();
                ran
            }
            Continuation::Contradicted | Continuation::Unknown => return true,
        };
        one.explained += (ran - one.next) as u64;
        one.open = ran == end && end < window.len();
        one.next = ran;
        self.lasts(share)
    }
}
