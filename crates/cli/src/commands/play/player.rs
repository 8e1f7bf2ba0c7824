//! The show: what is played, how it is looked at, and what keys do to it. No terminal is in it.

mod jumps;

use std::collections::BTreeMap;
use std::time::Duration;

use gametape::core::table::{Marker, MarkerKind, sort_markers};
use gametape::{At, Batch, Scan, Secrets, Stamp, TableDef};

use super::clock::Clock;
use super::news::{Look, Opened, Shot, Wish};
use super::sight::Sight;
use crate::scene::range::Bounds;
use crate::scene::views::{View, views};

/// What a key means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Quit,
    Toggle,
    /// Twice as fast, or half.
    Faster(i32),
    /// So many steps on, or back.
    Step(i64),
    /// So many seconds.
    Jump(i64),
    Start,
    End,
    /// To the next marker, or the one before.
    Mark(i64),
    /// A view by its number, from 0.
    View(usize),
    NextView(i64),
    /// Right, and down.
    Move(i64, i64),
    Value,
    Slice(i64),
    Plane,
    Close,
    Help,
    /// A moment is going to be typed.
    Ask,
    Letter(char),
    Erase,
    Enter,
    Cancel,
}

/// Whether the show goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    On,
    End,
}

/// The show.
pub struct Player {
    pub opened: Opened,
    pub clock: Clock,
    pub views: Vec<View>,
    /// Which of them is seen.
    pub view: usize,
    sights: Vec<Sight>,
    pub shot: Option<Shot>,
    /// The one before it, of another moment.
    pub before: Option<Shot>,
    /// Worst first, then by their time.
    pub marks: Vec<Marker>,
    /// Whether all of them are there.
    pub searched: bool,
    /// What is wrong with the recording.
    pub damage: Option<String>,
    /// What is being typed.
    pub typing: Option<String>,
    /// A sentence for whoever pressed a key.
    pub said: Option<String>,
    pub help: bool,
    /// All rows of tables of events that are short.
    pub whole: BTreeMap<String, Vec<Batch>>,
    secrets: Secrets,
    to: Option<At>,
    steps: i64,
    number: u64,
    /// Of which wish the answer came.
    answered: u64,
    /// The clock goes where this wish leads.
    follows: Option<u64>,
    asked: Option<(Option<At>, Look)>,
    waited: Duration,
}

impl Player {
    /// At the start, standing.
    pub fn new(opened: Opened, secrets: Secrets) -> Self {
        let views = views(&opened.tables);
        let clock = Clock::new(opened.span);
        Self {
            to: Some(clock.moment()),
            clock,
            sights: vec![Sight::default(); views.len()],
            views,
            opened,
            view: 0,
            shot: None,
            before: None,
            marks: Vec::new(),
            searched: false,
            damage: None,
            typing: None,
            said: None,
            help: false,
            whole: BTreeMap::new(),
            secrets,
            steps: 0,
            number: 0,
            answered: 0,
            follows: None,
            asked: None,
            waited: Duration::ZERO,
        }
    }

    /// The view that is seen, and how.
    pub fn seen(&self) -> Option<(&View, &Sight)> {
        self.views.get(self.view).zip(self.sights.get(self.view))
    }

    pub fn table(&self, name: &str) -> Option<&TableDef> {
        self.opened.tables.iter().find(|table| table.name == name)
    }

    /// The moment that is seen.
    pub fn now(&self) -> Stamp {
        let shot = self.shot.as_ref();
        shot.map_or(self.opened.span.first, |shot| shot.stamp)
    }

    /// True where an answer is so late that somebody wonders.
    pub fn is_late(&self) -> bool {
        self.waited > Duration::from_millis(300)
    }

    /// Looks at the view of this name; true where there is one.
    pub fn choose(&mut self, name: &str) -> bool {
        let found = self.views.iter().position(|view| view.name() == name);
        self.view = found.unwrap_or(self.view);
        found.is_some()
    }

    /// Goes to a moment, and the clock with it.
    pub fn go(&mut self, at: At) {
        self.to = Some(at);
        self.steps = 0;
        self.follows = Some(self.number + 1);
    }

    /// So much time went by. True where something is to be drawn.
    pub fn tick(&mut self, by: Duration) -> bool {
        let late = self.is_late();
        if self.number > self.answered {
            self.waited += by;
        } else {
            self.waited = Duration::ZERO;
        }
        // The clock waits until it is known where it goes.
        let moved = self.follows.is_none() && self.steps == 0 && self.clock.tick(by);
        if moved {
            self.to = Some(self.clock.moment());
        }
        moved || late != self.is_late()
    }

    /// What has to be read, if anything has.
    pub fn wish(&mut self) -> Option<Wish> {
        let look = self.look();
        let to = self.to.take();
        let steps = std::mem::take(&mut self.steps);
        let known = self.asked.as_ref().is_some_and(|(at, asked)| {
            // A moment that is sought once more is where it was.
            *asked == look && (to.is_none() || to == *at && self.follows.is_none())
        });
        if known && steps == 0 {
            return None;
        }
        self.number += 1;
        if steps != 0 {
            self.follows = Some(self.number);
        }
        let place = if steps == 0 { to } else { None };
        self.asked = Some((place, look.clone()));
        Some(Wish {
            number: self.number,
            to,
            steps,
            look,
        })
    }

    /// What the view needs.
    fn look(&self) -> Look {
        let Some(view) = self.views.get(self.view) else {
            return Look::default();
        };
        let events = match view {
            View::Events(table) if !self.whole.contains_key(table) => Some(Scan {
                secrets: self.secrets,
                ..Scan::table(table)
            }),
            _ => None,
        };
        Look {
            states: view.scans(self.secrets),
            trail: matches!(view, View::Map(_)),
            events,
        }
    }

    /// What is wrong with the recording, or with what is seen of it.
    pub fn wrong(&self) -> Option<String> {
        let damage = self.damage.as_ref();
        let damage = damage.map(|damage| format!("damaged: {damage}"));
        let made = || self.shot.as_ref()?.problem.as_ref();
        let made = || made().map(|made| format!("not as recorded: {made}"));
        damage.or_else(made)
    }

    /// A moment was read.
    pub fn show(&mut self, shot: Shot) {
        self.answered = self.answered.max(shot.number);
        if self
            .shot
            .as_ref()
            .is_some_and(|old| old.number > shot.number)
        {
            return;
        }
        let follows = self.follows.is_some_and(|number| number <= shot.number);
        if follows || (!self.clock.is_playing() && shot.number == self.number) {
            self.clock.go(self.clock.place(shot.stamp));
        }
        if follows {
            self.follows = None;
        }
        self.learn(&shot);
        let old = self.shot.replace(shot);
        let moved = |old: &Shot| {
            self.shot
                .as_ref()
                .is_some_and(|shot| shot.stamp != old.stamp)
        };
        if let Some(old) = old.filter(moved) {
            self.before = Some(old);
        }
    }

    fn learn(&mut self, shot: &Shot) {
        for (view, sight) in self.views.iter().zip(&mut self.sights) {
            match view {
                View::Grid(grid) => {
                    let table = self
                        .opened
                        .tables
                        .iter()
                        .find(|table| table.name == grid.table);
                    if let Some((batch, table)) = shot.state(&grid.table).zip(table) {
                        sight.learn_grid(grid, table, batch);
                    }
                }
                View::Map(map) if shot.look.trail => {
                    for (points, batch) in map.iter().zip(&shot.states) {
                        sight.learn_points(points, batch);
                    }
                }
                _ => {}
            }
        }
    }

    /// What was wished for can't be had.
    pub fn refuse(&mut self, number: u64, why: String) {
        self.answered = self.answered.max(number);
        if self.follows.is_some_and(|follows| follows <= number) {
            self.follows = None;
        }
        self.said = Some(why);
        self.clock.pause();
        // What is seen is where it is.
        if let Some(shot) = &self.shot {
            self.clock.go(self.clock.place(shot.stamp));
        }
        // Something has to be seen.
        if self.shot.is_none() {
            self.to = Some(At::Step(self.opened.span.first.step));
        }
    }

    /// More markers.
    pub fn mark(&mut self, marks: Vec<Marker>) {
        self.marks.extend(marks);
        sort_markers(&mut self.marks);
    }

    /// From where to where the positions of a table go.
    pub fn bound(&mut self, table: &str, bounds: &Bounds) {
        for (view, sight) in self.views.iter().zip(&mut self.sights) {
            if let View::Map(map) = view
                && map.iter().any(|points| points.table == table)
            {
                sight.bound(bounds);
            }
        }
    }

    /// The worst marker at the step that is seen.
    pub fn mark_here(&self) -> Option<&Marker> {
        let step = self.now().step;
        let here = |mark: &&Marker| mark.stamp.is_some_and(|stamp| stamp.step == step);
        self.marks.iter().find(here)
    }

    /// The rows of the events that are seen, and how many of them are not after now.
    pub fn events(&self, table: &str) -> (Vec<(&Batch, usize)>, usize) {
        let read = self.shot.as_ref().map_or(&[][..], |shot| {
            let of = shot
                .look
                .events
                .as_ref()
                .is_some_and(|scan| scan.table == table);
            if of { &shot.events[..] } else { &[] }
        });
        let batches = self.whole.get(table).map_or(read, |whole| whole);
        let rows = batches
            .iter()
            .flat_map(|batch| (0..batch.len()).map(move |row| (batch, row)));
        let rows: Vec<(&Batch, usize)> = rows.collect();
        let now = self.now().step;
        let upto = rows.partition_point(|(batch, row)| batch.stamp(*row).step <= now);
        (rows, upto)
    }

    /// Does what a key means.
    pub fn act(&mut self, act: Act) -> Then {
        self.said = None;
        match act {
            Act::Quit => return Then::End,
            Act::Toggle => {
                let at = self.clock.at();
                self.clock.toggle();
                if self.clock.at() != at {
                    self.moved();
                }
            }
            Act::Faster(times) => {
                self.clock.faster(times);
                self.said = Some(format!("speed {}", self.clock.speed()));
            }
            Act::Step(steps) => {
                self.clock.pause();
                self.steps += steps;
            }
            Act::Jump(seconds) => {
                self.clock.jump(seconds);
                self.moved();
            }
            Act::Start => {
                self.clock.go(i64::MIN);
                self.moved();
            }
            Act::End => {
                self.clock.go(i64::MAX);
                self.clock.pause();
                self.moved();
            }
            Act::Mark(on) => self.go_mark(on),
            Act::View(view) if view < self.views.len() => self.view = view,
            Act::View(_) => {}
            Act::NextView(on) => {
                let count = i64::try_from(self.views.len()).unwrap_or(1).max(1);
                let view = i64::try_from(self.view).unwrap_or_default() + on;
                self.view = usize::try_from(view.rem_euclid(count)).unwrap_or_default();
            }
            Act::Help => self.help = !self.help,
            Act::Ask => self.typing = Some(String::new()),
            Act::Letter(letter) => self.typing.get_or_insert_default().push(letter),
            Act::Erase => {
                if let Some(typing) = &mut self.typing {
                    typing.pop();
                }
            }
            Act::Cancel => {
                self.typing = None;
                self.help = false;
            }
            Act::Enter => self.enter(),
            Act::Move(..) | Act::Value | Act::Slice(_) | Act::Plane | Act::Close => self.turn(act),
        }
        Then::On
    }

    /// The clock was set.
    fn moved(&mut self) {
        self.to = Some(self.clock.moment());
        self.steps = 0;
        self.follows = None;
    }

    /// Looks at the view in another way.
    fn turn(&mut self, act: Act) {
        let events = match self.views.get(self.view) {
            Some(View::Events(table)) => {
                let (rows, upto) = self.events(table);
                (rows.len(), upto)
            }
            _ => (0, 0),
        };
        let marks = self.marks.len();
        let rows = |shot: &Shot, table: &str| shot.state(table).map_or(0, Batch::len);
        let Some((view, sight)) = self
            .views
            .get(self.view)
            .zip(self.sights.get_mut(self.view))
        else {
            return;
        };
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match (act, view) {
            // A line is broken: down is on.
            (Act::Move(right, down), View::Grid(grid)) if grid.down.is_none() => {
                sight.probe(right + 10 * down, 0);
            }
            (Act::Move(right, down), View::Grid(_)) => sight.probe(right, down),
            (Act::Move(right, down), _) => {
                let (least, most) = match view {
                    View::Events(_) => {
                        let (rows, upto) = events;
                        (1 - count(upto), count(rows) - count(upto))
                    }
                    View::Marks => (0, count(marks) - 1),
                    View::Rows(table) => {
                        // A single row stands on its side: its columns are scrolled.
                        let shot = self.shot.as_ref();
                        let rows = shot.map_or(0, |shot| rows(shot, table));
                        let table = self.opened.tables.iter().find(|other| other.name == *table);
                        let columns = table.map_or(0, |table| table.columns.len());
                        (0, count(if rows > 1 { rows } else { columns }) - 1)
                    }
                    View::Grid(_) | View::Map(_) => (0, 0),
                };
                sight.down = sight
                    .down
                    .saturating_add(down)
                    .clamp(least.min(0), most.max(0));
                sight.right = sight.right.saturating_add(right).clamp(0, 400);
            }
            (Act::Value, View::Grid(grid)) => {
                sight.value = (sight.value + 1) % grid.values.len().max(1);
            }
            (Act::Slice(by), View::Grid(_)) => sight.slice(by),
            (Act::Close, View::Grid(_)) => sight.close = !sight.close,
            (Act::Plane, View::Map(_)) => sight.plane = sight.plane.next(),
            _ => {}
        }
    }

    /// How many findings or events there are of a kind.
    pub fn count(&self, kind: MarkerKind) -> u64 {
        let marks = self.marks.iter().filter(|mark| mark.kind == kind);
        marks.map(|mark| mark.count).sum()
    }
}
