//! The state of a game at a moment, found with checkpoints.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use gametape_core::table::{Batch, Playback, Scan, Span, State, TableDef};
use gametape_core::tape::Error;
use gametape_core::{At, Clocks, Stamp};

use super::columns::{BOARD, COUNTERS, CURSOR, CellRow, MINES, Mouse};
use super::course::{Happening, Showing, course, stamp};
use super::facts::{Facts, GAME, mines};
use super::of;
use crate::metrics::{Clicks, Moment, moments};
use crate::rmv::EventPlace;
use crate::{BoardEvent, Event, Game};

/// The least number of events from one checkpoint to the next: these take some microseconds to
/// play.
const EVERY: u64 = 256;
/// The most bytes of all checkpoints together. One takes two bytes per cell and some two hundred
/// more. If a game has many events on a large board, checkpoints are further apart.
const MOST: u64 = 8 << 20;

/// The state after an event, and the place where the events continue.
#[derive(Clone)]
struct Checkpoint {
    /// The index of the next event.
    next: u32,
    place: EventPlace,
    /// The stamp of the last event.
    now: Stamp,
    showing: Showing,
}

impl Checkpoint {
    fn start(game: &Game<'_>) -> Self {
        Self {
            next: 0,
            place: game.events.iter().place(),
            now: stamp(0, 0),
            showing: Showing::new(game),
        }
    }

    fn copy(&mut self, other: &Self) {
        (self.next, self.place, self.now) = (other.next, other.place, other.now);
        self.showing.copy(&other.showing);
    }
}

/// A game at a moment.
///
/// Opening plays the game once and stores checkpoints. To go to a moment, playback starts at the
/// nearest checkpoint before it and applies the events from there. The effects of mouse events by
/// the rules are remembered, up to a limit ([`RememberedMoments`]).
pub(in crate::tape) struct Seeking {
    game: Game<'static>,
    tables: Vec<TableDef>,
    last: Stamp,
    /// The checkpoints in order; the first one is after the first event.
    points: Vec<Checkpoint>,
    window: RememberedMoments,
    at: Checkpoint,
}

impl Seeking {
    pub fn new(game: Game<'static>) -> Result<Self, Error> {
        let size = (size_of::<Checkpoint>() + Showing::new(&game).size()) as u64;
        let events = u64::from(game.events.len());
        let every = events.saturating_mul(size).div_ceil(MOST).max(EVERY);
        Self::spaced(game, every, RememberedMoments::default())
    }

    fn spaced(
        game: Game<'static>,
        every: u64,
        mut window: RememberedMoments,
    ) -> Result<Self, Error> {
        let mut at = Checkpoint::start(&game);
        let mut points = Vec::new();
        let mut events = game.events.iter();
        course(&game, |stamp, happening| {
            at.showing.take(&happening);
            match happening {
                Happening::Rules(moment) => window.push(moment),
                Happening::Event(_) => {
                    events.next();
                    (at.next, at.now) = (at.next + 1, stamp);
                    if stamp.step.is_multiple_of(every) {
                        at.place = events.place();
                        points.push(at.clone());
                    }
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let last = at.now;
        match points.first() {
            Some(first) => at.copy(first),
            None => points.push(at.clone()),
        }
        Ok(Self {
            tables: of(&game),
            last,
            points,
            window,
            at,
            game,
        })
    }

    fn first(&self) -> Stamp {
        self.points.first().map_or(self.last, |point| point.now)
    }

    /// The stamp of the last step that is not after a moment.
    fn find(&self, at: At) -> Result<Stamp, Error> {
        Clocks::TIMES.check(Some(at))?;
        let upto = |stamp: Stamp| at.order(stamp).is_some_and(Ordering::is_le);
        let is_after = at.order(self.last) == Some(Ordering::Less);
        let before = self.points.partition_point(|point| upto(point.now));
        let point = before.checked_sub(1).and_then(|at| self.points.get(at));
        let Some(point) = point.filter(|_| !is_after) else {
            return Err(Error::not_recorded(at));
        };
        let mut found = point.now;
        let mut time_ms = point.showing.time_ms();
        let events = self.game.events.iter_from(point.place);
        for (step, event) in (point.next..).zip(events) {
            if let Event::Mouse(mouse) = event {
                time_ms = mouse.time_ms;
            }
            let stamp = stamp(step, time_ms);
            if !upto(stamp) {
                break;
            }
            found = stamp;
        }
        Ok(found)
    }

    /// Goes to a step.
    fn go(&mut self, step: u64) {
        let before = self.points.partition_point(|point| point.now.step <= step);
        let point = before.checked_sub(1).and_then(|at| self.points.get(at));
        if let Some(point) = point
            && (self.at.now.step > step || self.at.now.step < point.now.step)
        {
            self.at.copy(point);
        }
        self.forward(step);
    }

    /// Applies the events up to a step.
    fn forward(&mut self, step: u64) {
        let mut events = self.game.events.iter_from(self.at.place);
        while u64::from(self.at.next) <= step {
            let Some(event) = events.next() else { break };
            let at = &mut self.at;
            if let Some((clicks, shown)) = self.window.moment(&self.game, at.next) {
                at.showing.rules(clicks, shown);
            }
            at.showing.event(&event);
            at.now = stamp(at.next, at.showing.time_ms());
            at.next += 1;
        }
        self.at.place = events.place();
    }
}

impl Playback for Seeking {
    fn span(&self) -> Span {
        Span {
            first: self.first(),
            last: self.last,
        }
    }

    fn now(&self) -> Stamp {
        self.at.now
    }

    fn seek(&mut self, at: At) -> Result<Stamp, Error> {
        let found = self.find(at)?;
        self.go(found.step);
        Ok(self.at.now)
    }

    fn step(&mut self) -> Result<Option<Stamp>, Error> {
        let now = self.at.now.step;
        if now >= self.last.step {
            return Ok(None);
        }
        self.forward(now + 1);
        Ok(Some(self.at.now))
    }

    fn state(&mut self, scan: &Scan) -> Result<Batch, Error> {
        let table = scan.find(&self.tables)?;
        let mut rows = State::new(table, scan, self.at.now)?;
        let showing = &self.at.showing;
        match &*table.name {
            name if name == GAME.name => {
                let facts = Facts::new(&self.game, scan.secrets);
                rows.row(|column| GAME.value(&facts, column));
            }
            name if name == MINES.name => {
                for mine in mines(&self.game.board) {
                    rows.row(|column| MINES.value(&mine, column));
                }
            }
            name if name == CURSOR.name => {
                if let Some(mouse) = showing.cursor {
                    let row = Mouse::of(&self.game, mouse);
                    rows.row(|column| CURSOR.value(&row, column));
                }
            }
            name if name == COUNTERS.name => {
                let row = showing.counters();
                rows.row(|column| COUNTERS.value(&row, column));
            }
            _ => {
                for cell in showing.cells() {
                    if let Some(faces) = showing.faces(cell) {
                        let row = CellRow::new(cell, faces);
                        rows.row(|column| BOARD.value(&row, column));
                    }
                }
            }
        }
        Ok(rows.rows())
    }
}

/// The most bytes of remembered moments. The moments of a game take about four times as much memory
/// as its recording, so those of any real game fit. But in a forged recording three bytes can make
/// the rules change eighteen cells.
const MOST_REMEMBERED: usize = 16 << 20;

/// The moments of a part of a game, usually of all of it. If they do not fit, a part is kept, and
/// the game is played again when another part is needed.
#[derive(Debug)]
struct RememberedMoments {
    most: usize,
    /// The first event of the part; the part ends where the limit was reached.
    from: u32,
    full: Option<u32>,
    kept: Vec<Remembered>,
    shown: Vec<BoardEvent>,
}

#[derive(Debug)]
struct Remembered {
    step: u32,
    /// The end of its board events; they begin where those of the previous moment end.
    end: usize,
    clicks: Clicks,
}

impl Default for RememberedMoments {
    fn default() -> Self {
        Self::of(MOST_REMEMBERED)
    }
}

impl RememberedMoments {
    /// An empty window of at most `most` bytes.
    const fn of(most: usize) -> Self {
        Self {
            most,
            from: 0,
            full: None,
            kept: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Its size in bytes.
    const fn size(&self) -> usize {
        self.kept.len() * size_of::<Remembered>() + self.shown.len() * size_of::<BoardEvent>()
    }

    /// Adds the next moment if there is space. The first one always fits.
    fn push(&mut self, moment: &Moment) {
        if self.full.is_some() || moment.step < self.from {
            return;
        }
        let more = size_of::<Remembered>() + moment.shown.len() * size_of::<BoardEvent>();
        if self.size() + more > self.most && !self.kept.is_empty() {
            self.full = Some(moment.step);
            return;
        }
        self.shown.extend_from_slice(&moment.shown);
        self.kept.push(Remembered {
            step: moment.step,
            end: self.shown.len(),
            clicks: moment.clicks.clone(),
        });
    }

    /// The effect of an event by the rules: the counts and the board events.
    fn moment(&mut self, game: &Game<'_>, step: u32) -> Option<(&Clicks, &[BoardEvent])> {
        if step < self.from || self.full.is_some_and(|full| step >= full) {
            self.kept.clear();
            self.shown.clear();
            (self.from, self.full) = (step, None);
            moments(game, |moment| self.push(moment));
        }
        let at = self.kept.partition_point(|kept| kept.step < step);
        let kept = self.kept.get(at).filter(|kept| kept.step == step)?;
        let before = at.checked_sub(1).and_then(|at| self.kept.get(at));
        let start = before.map_or(0, |kept| kept.end);
        Some((&kept.clicks, self.shown.get(start..kept.end)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rmv;

    #[test]
    fn however_few_checkpoints_there_are_and_however_little_is_remembered_the_same_holds() {
        let bytes = gametape_samples::mines::example();
        let game = || rmv::read(&bytes).unwrap().into_owned();
        let spaced = |every, most| Seeking::spaced(game(), every, RememberedMoments::of(most));
        let mut wanted = spaced(1, usize::MAX).unwrap();
        let last = wanted.span().last.step;
        for (every, most) in [(1, 0), (7, 1000), (100, 5000), (u64::MAX, 0), (3, 1 << 20)] {
            let mut play = spaced(every, most).unwrap();
            assert!(play.window.size() <= most.max(500));
            for step in [
                last,
                0,
                last / 3,
                last / 3 + 1,
                last / 3,
                last * 3 / 4,
                last / 2,
            ] {
                play.seek(At::Step(step)).unwrap();
                wanted.seek(At::Step(step)).unwrap();
                for table in [BOARD.name, CURSOR.name, COUNTERS.name] {
                    let scan = Scan::table(table);
                    let [now, then] = [play.state(&scan).unwrap(), wanted.state(&scan).unwrap()];
                    assert_eq!(now, then, "{table} at {step}, {every} {most}");
                }
            }
        }
    }
}
