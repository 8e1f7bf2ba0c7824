//! The search: each candidate is replayed from a state before it and held against the recorded
//! hashes, first up to the divergence alone; what explains that is run on.

use std::collections::BTreeMap;

use super::budget::Budget;
use super::candidates;
use super::edit::Edit;
use super::named::slip;
use super::variant::Variant;
use super::window::{BACK, Window, run};
use crate::checks::hash_of;
use crate::divergence::{CommandAt, Difference, Parted, Slip};
use crate::explain::{Candidate, explain};
use crate::payload::Payload;
use crate::simulation::Checkpoint;
use crate::state::State;

/// Frames between saved states of the frames before the divergence.
const MARK: usize = 16;
/// Frames that a candidate is run on by in the first round; each round is longer.
const ROUND: usize = 64;
/// Candidates that are remembered; of more it is counted how much they explain.
const MOST_FOUND: usize = 1024;
/// Bytes of the states that they are run on from, each of which is a copy of the whole.
const MOST_BYTES: usize = 64 << 20;

/// How a candidate goes on.
enum Rest<S: Checkpoint> {
    /// From a state of the simulation.
    State(S::State),
    /// In a simulation of its own.
    Own(Box<S>),
    /// As all others that are where the recording was.
    Recorded,
    /// Not at all: the next hash is another.
    Contradicted,
    /// Nobody knows: there is no room for its state.
    Unknown,
}

/// A candidate that explains the hash at the divergence.
pub(super) struct Found<S: Checkpoint> {
    pub slip: Slip,
    /// Recorded hashes from the divergence on that it explains.
    pub explained: u64,
    /// The frame that comes next.
    next: usize,
    /// True while it was not contradicted, and frames are left.
    pub open: bool,
    rest: Rest<S>,
    /// What was changed, to try it again.
    pub edit: Option<Edit>,
}

impl<S: Checkpoint> Found<S> {
    /// One that can't be run on.
    #[cfg(all(test, feature = "engine"))]
    pub const fn new(slip: Slip, explained: u64, open: bool) -> Self {
        Self {
            slip,
            explained,
            next: 0,
            open,
            rest: Rest::Unknown,
            edit: None,
        }
    }

    /// True where more of the hashes can be tried.
    const fn runs(&self) -> bool {
        self.open && !matches!(self.rest, Rest::Unknown)
    }
}

/// The replay as it is, from the divergence on.
pub(super) struct Base {
    /// Its hashes.
    pub hashes: Vec<u64>,
    /// The values that explain the recorded hash.
    pub values: Vec<Candidate>,
}

/// The divergence to explain, as the first replay had it.
#[derive(Clone, Copy)]
pub(crate) struct Case<'w> {
    pub window: &'w Window,
    pub fields: u32,
    /// The hash that it led to.
    pub replayed: u64,
    /// True where the simulation was taken to the window's start from a saved state.
    pub went_back: bool,
}

/// Makes another simulation of the same world, at its start; `None` where none can be had.
pub(crate) type Fresh<'f, S> = &'f mut dyn FnMut() -> Option<S>;

pub(super) struct Search<'a, 'w, S: Checkpoint> {
    pub(super) simulation: &'a mut S,
    pub(super) case: Case<'a>,
    window: &'a Window,
    fields: u32,
    /// Bytes of a state.
    bytes: usize,
    budget: Budget<'w>,
    /// States before some frames of the window, by place.
    pub(super) marks: Vec<(usize, S::State)>,
    /// The hashes of the replay as it is, from the divergence on, as far as they are known.
    pub(super) plain: Vec<u64>,
    /// Where two replays are not the same: nothing more is looked for.
    pub(super) parted: Option<Parted>,
    pub(super) tried: u64,
    pub(super) complete: bool,
    pub(super) found: Vec<Found<S>>,
    /// Found beyond those that are kept.
    pub(super) beyond: Beyond,
    /// Where a simulation that shows all that it knows comes to, once it is where the recording was.
    recorded: Option<Recorded<S>>,
}

struct Recorded<S: Checkpoint> {
    next: usize,
    open: bool,
    state: S::State,
}

/// Candidates that were found and are not kept, by how many hashes they explain.
#[derive(Default)]
pub(super) struct Beyond {
    contradicted: BTreeMap<u64, u64>,
    recorded: u64,
}

impl<'a, 'w, S: Checkpoint> Search<'a, 'w, S> {
    /// A search with a simulation that stands before the window's first frame.
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
        // With the tick in question, of which it is then known without going back that it is the same.
        for place in 0..=window.at() {
            if !search.hold(place, case.went_back) {
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

    /// True while this share of the time lasts, and there is something to look for.
    pub(super) fn lasts(&mut self, share: f64) -> bool {
        self.parted.is_none() && self.budget.lasts(share, self.tried)
    }

    pub const fn window(&self) -> &'a Window {
        self.window
    }

    /// Up to which share of the time more is looked for: where a slip explains all there is, a little
    /// while, for others that may as well.
    pub fn share_for_more(&self) -> f64 {
        const MOST: f64 = 0.9;
        if self.found.iter().any(|one| one.explained > self.behind()) {
            (self.budget.share() + 0.2).min(MOST)
        } else {
            MOST
        }
    }

    /// Hashes behind the divergence.
    pub fn behind(&self) -> u64 {
        self.window.len().saturating_sub(self.window.at() + 1) as u64
    }

    /// Goes to where a frame comes next: all before it has to be what it was.
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
        // What went another way on the way there is another state there.
        (place == at || self.held(place - 1)).then_some(())
    }

    /// Makes a tick as it is recorded.
    fn step(&mut self, place: usize) -> Option<()> {
        let (tick, commands) = (self.window.tick(place), self.window.commands(place));
        self.simulation.step(tick, commands).ok()
    }

    fn hash(&self) -> u64 {
        hash_of(self.simulation, self.fields)
    }

    /// Makes a tick as it is recorded; true if it leads to the recorded hash.
    fn agrees(&mut self, place: usize) -> Option<bool> {
        self.step(place)?;
        Some(self.window.hash(place) == Some(self.hash()))
    }

    /// The replay as it is; and what its hash, its values and its frames say.
    pub fn base(&mut self) -> Option<Base> {
        /// As many as are needed to see by how much frames are shifted.
        const AHEAD: usize = 80;
        const FAR_AHEAD: usize = 4096;
        let at = self.window.at();
        let recorded = self.window.hash(at)?;
        self.go_before(at)?;
        if !self.hold(at, true) || self.case.replayed == recorded {
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
            // Further only to see how far a shift goes.
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
        let right_behind = next.is_some() && next == self.window.hash(at + 1);
        // Where a value explains all 64 bits, they are no damage.
        if one_bit || (right_behind && base.values.is_empty()) {
            let slip = Slip::Hash {
                bits: changed.count_ones(),
                bit: changed.trailing_zeros(),
            };
            self.add((slip, None), 1, at + 1, Rest::State(after));
        }
        self.values(&base.values, right_behind);
        Some(base)
    }

    /// Each value that explains the hash, as if it had become so by itself; for this tick alone, where the
    /// replay is right behind it.
    fn values(&mut self, values: &[Candidate], right_behind: bool) {
        for value in values {
            let slip = Slip::Value {
                value: self.difference(value),
                lasts: !right_behind,
            };
            if self.value(&slip, value, !right_behind).is_none() {
                self.add((slip, None), 1, self.window.at() + 1, Rest::Unknown);
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
            self.add((slip.clone(), None), 1, at + 1, Rest::State(here));
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
        rest: Rest<S>,
    ) {
        if self.found.iter().any(|found| found.slip == slip) {
            return;
        }
        if self.found.len() >= MOST_FOUND && !self.make_room(&slip, explained, &rest) {
            return;
        }
        let holds = |rest: &Rest<S>| matches!(rest, Rest::State(_) | Rest::Own(_));
        let held = self.found.iter().filter(|found| holds(&found.rest)).count();
        let rest = if holds(&rest) && held > 0 && (held + 1) * self.bytes > MOST_BYTES {
            self.complete = false;
            Rest::Unknown
        } else {
            rest
        };
        let open = next < self.window.len() && !matches!(rest, Rest::Contradicted);
        self.found.push(Found {
            slip,
            explained,
            next,
            open,
            rest,
            edit,
        });
    }

    /// Makes room for a slip by one that explains less, or as much; false where there is none, or where it
    /// is this one. Of what is not kept it is known how much it explains.
    fn make_room(&mut self, slip: &Slip, explained: u64, rest: &Rest<S>) -> bool {
        if matches!(rest, Rest::Recorded) {
            self.beyond.recorded += 1;
            return false;
        }
        let contradicted = self.found.iter().enumerate();
        let contradicted = contradicted.filter(|(_, one)| !one.open && one.edit.is_some());
        let least = contradicted.min_by_key(|(_, one)| one.explained);
        let least = least.map(|(place, one)| (place, one.explained));
        let is_contradicted = matches!(rest, Rest::Contradicted);
        match least {
            Some((place, less)) if !is_contradicted || less < explained => {
                self.found.swap_remove(place);
                *self.beyond.contradicted.entry(less).or_default() += 1;
                true
            }
            _ if is_contradicted => {
                let dropped = slip.command();
                let in_vain = matches!(slip, Slip::Aimed { .. } | Slip::Given { .. })
                    && dropped.is_some_and(|at| self.is_as_good_as_dropped(at, explained));
                if !in_vain {
                    *self.beyond.contradicted.entry(explained).or_default() += 1;
                }
                false
            }
            // How much it explains will not be known.
            _ => {
                self.complete = false;
                false
            }
        }
    }

    /// How many of those that are not kept explain so much.
    pub fn beyond(&self, explained: u64) -> u64 {
        let recorded = self.recorded.as_ref();
        let of_recorded = recorded.map(|all| (all.next - self.window.at()) as u64);
        let contradicted = self.beyond.contradicted.get(&explained);
        let recorded = (of_recorded == Some(explained)).then_some(self.beyond.recorded);
        contradicted.copied().unwrap_or(0) + recorded.unwrap_or(0)
    }

    /// Tries edits as long as this share of the time lasts.
    pub fn edits(&mut self, edits: impl Iterator<Item = Edit>, share: f64) {
        for edit in edits {
            if !self.lasts(share) {
                self.complete = false;
                return;
            }
            self.edit(&edit);
        }
    }

    /// What is likely: each command left out, or aimed elsewhere; then the rest.
    pub fn near(&mut self, base: &Base, share: f64) {
        let window = self.window;
        let gives: Vec<Edit> = self.gives(base).collect();
        self.edits(gives.into_iter(), share);
        self.drops(share);
        self.edits(candidates::near(window), share);
    }

    /// Each command of the tick left out. What is left shows as well where else it may have been aimed
    /// at, so that a tick with many commands is gone through once for both.
    fn drops(&mut self, share: f64) {
        let at = self.window.at();
        for command in 0..self.window.commands(at).len() {
            if !self.lasts(share) {
                self.complete = false;
                return;
            }
            let drop = Edit::Drop { frame: at, command };
            if self.edit(&drop) == Some(false) {
                let aims = self.aims(command).unwrap_or_default();
                self.edits(aims.into_iter(), share);
            }
        }
    }

    /// What is tried while time is left.
    pub fn far(&mut self, share: f64) {
        let window = self.window;
        self.edits(candidates::far(window), share);
        self.edits(candidates::frames(window), share);
        // Of a simulation that shows all it knows, what changes no hash before changes none behind.
        if !self.simulation.shows_all() {
            for frame in (0..window.at()).rev() {
                self.edits(candidates::back(window, frame), share);
            }
        }
        self.edits(candidates::cells(window, self.elements()), share);
    }

    /// Every element of every field, with what a command has to name to write it.
    fn elements(&self) -> Vec<(u32, usize, Vec<i32>)> {
        let window = self.window;
        // Nobody has to list the cells of a large world for a tick without commands.
        if window.commands(window.at()).is_empty() {
            return Vec::new();
        }
        let elements = (0..self.fields).flat_map(|field| {
            let count = self.simulation.field(field).unwrap_or_default().len();
            (0..count).filter_map(move |element| {
                Some((field, element, self.simulation.coord_of(field, element)?))
            })
        });
        elements.take(candidates::MOST_CELLS).collect()
    }

    /// Commands that write a value which differs, with the value that was recorded.
    fn gives(&self, base: &Base) -> impl Iterator<Item = Edit> {
        let at = self.window.at();
        base.values.iter().flat_map(move |value| {
            let target = Some((value.field, value.element));
            let commands = self.window.commands(at).iter().enumerate();
            commands
                .filter(move |(_, command)| self.simulation.target(command) == target)
                .map(move |(command, _)| Edit::Give {
                    frame: at,
                    command,
                    value: value.recorded,
                })
        })
    }

    /// Where else a command may have been aimed at, by the tick without it, which was just made: one
    /// change has to explain the hash, to the value that it sets.
    fn aims(&self, command: usize) -> Option<Vec<Edit>> {
        let at = self.window.at();
        let stored = self.window.commands(at).iter().nth(command)?;
        let Ok(Payload::SetField { value, .. }) = stored.payload() else {
            return None;
        };
        let state = State::of(self.simulation, self.fields);
        let found = explain(&state, self.window.hash(at)?);
        let same = found
            .into_iter()
            .filter(|found| found.recorded.to_bits() == value.to_bits());
        let aims = same.filter_map(|found| {
            Some(Edit::Aim {
                frame: at,
                command,
                field: found.field,
                element: found.element,
                coord: self.simulation.coord_of(found.field, found.element)?,
            })
        });
        Some(aims.collect())
    }

    /// True where a command is known to be as good as dropped up to the frame at a place: where else its
    /// write went until then, or what it was, has no effect of its own.
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

    /// Replays an edit up to the divergence; what explains it is kept. False where it leads to another
    /// hash, behind which the simulation then stands; `None` where it can't be, or is no other.
    fn edit(&mut self, edit: &Edit) -> Option<bool> {
        let window = self.window;
        let at = window.at();
        if let Some((frame, command, until)) = edit.needs_effect()
            && self.simulation.shows_all()
            && self.is_dropped(frame, command, until)
        {
            return None;
        }
        if let Edit::Remove { frame } = edit
            && !candidates::is_repeated(window, *frame)
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

    /// Keeps a slip that explains the hash. Where a simulation shows all it knows, those that are where
    /// the recording was after as many ticks are the same from there on: one is run on for all of them.
    fn meet(&mut self, slip: (Slip, Option<Edit>), mut next: usize, keeps_count: bool) {
        let window = self.window;
        let at = window.at();
        // A command that was moved may be one tick behind.
        let meeting = window.len().min(at + 2);
        while next < meeting {
            if self.agrees(next) != Some(true) {
                return self.add(slip, (next - at) as u64, next, Rest::Contradicted);
            }
            next += 1;
        }
        let rest = if next == meeting && keeps_count && self.simulation.shows_all() {
            if self.recorded.is_none() {
                self.recorded = Some(Recorded {
                    next,
                    open: next < window.len(),
                    state: self.simulation.checkpoint(),
                });
            }
            Rest::Recorded
        } else {
            Rest::State(self.simulation.checkpoint())
        };
        self.add(slip, (next - at) as u64, next, rest);
    }

    /// Other simulations, each from the state before the divergence on.
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
                self.add(slip, 1, at + 1, Rest::Own(Box::new(own)));
            }
        }
    }

    /// Runs on what was found, in turns, to the end of the frames or up to the first hash that it
    /// does not explain; true if the time sufficed.
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
                // What all share is known of each.
                if lasts || matches!(one.rest, Rest::Recorded) {
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

    fn run_recorded(&mut self, recorded: &mut Recorded<S>, round: usize, share: f64) -> bool {
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
            Rest::Recorded => {
                let recorded = self.recorded.as_ref();
                let (next, open) = recorded.map_or((one.next, false), |r| (r.next, r.open));
                let next = next.max(one.next);
                one.explained += (next - one.next) as u64;
                one.next = next;
                one.open = open;
                return true;
            }
            Rest::Own(own) => run(own.as_mut(), window, fields, one.next..end),
            Rest::State(state) => {
                if self.simulation.restore(state).is_err() {
                    one.rest = Rest::Unknown;
                    return true;
                }
                let ran = run(self.simulation, window, fields, one.next..end);
                *state = self.simulation.checkpoint();
                ran
            }
            Rest::Contradicted | Rest::Unknown => return true,
        };
        one.explained += (ran - one.next) as u64;
        one.open = ran == end && end < window.len();
        one.next = ran;
        self.lasts(share)
    }
}
