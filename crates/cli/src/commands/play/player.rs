//! The player: the recording on the screen, the state of each view, and the actions of keys. It does not
//! depend on a terminal.

pub mod actions;

use std::collections::BTreeMap;
use std::time::Duration;

use gametape::core::surface::{Marker, MarkerKind, sort_markers};
use gametape::{At, Batch, Scan, Secrets, Stamp, TableDef};

use super::clock::Clock;
use super::messages::{Opened, Query, Request, Response};
use super::view_state::ViewState;
use gametape_picture::scene::range::Bounds;
use gametape_picture::scene::views::{View, views};

/// The player.
pub struct Player {
    pub opened: Opened,
    pub clock: Clock,
    pub views: Vec<View>,
    /// The number of the current view.
    pub view: usize,
    view_states: Vec<ViewState>,
    pub response: Option<Response>,
    /// The response before it, of another moment.
    pub before: Option<Response>,
    /// The worst first, then by time.
    pub marks: Vec<Marker>,
    /// Whether the search for markers is over.
    pub searched: bool,
    /// The damage of the recording.
    pub damage: Option<String>,
    /// The moment that is typed.
    pub typing: Option<String>,
    /// A message about the last key.
    pub message: Option<String>,
    pub help: bool,
    /// All rows of short tables of events.
    pub whole: BTreeMap<String, Vec<Batch>>,
    secrets: Secrets,
    to: Option<At>,
    steps: i64,
    number: u64,
    /// The number of the last request that was answered.
    answered: u64,
    /// The clock follows the response to this request.
    follows: Option<u64>,
    asked: Option<(Option<At>, Query)>,
    waited: Duration,
}

impl Player {
    /// Starts at the first moment, paused.
    pub fn new(opened: Opened, secrets: Secrets) -> Self {
        let views = views(&opened.tables);
        let clock = Clock::new(opened.span);
        Self {
            to: Some(clock.moment()),
            clock,
            view_states: vec![ViewState::default(); views.len()],
            views,
            opened,
            view: 0,
            response: None,
            before: None,
            marks: Vec::new(),
            searched: false,
            damage: None,
            typing: None,
            message: None,
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

    /// The current view and its state.
    pub fn seen(&self) -> Option<(&View, &ViewState)> {
        self.views
            .get(self.view)
            .zip(self.view_states.get(self.view))
    }

    pub fn table(&self, name: &str) -> Option<&TableDef> {
        self.opened.tables.iter().find(|table| table.name == name)
    }

    /// The moment on the screen.
    pub fn now(&self) -> Stamp {
        let response = self.response.as_ref();
        response.map_or(self.opened.span.first, |response| response.stamp)
    }

    /// Whether a response is so late that the screen says so.
    pub fn is_late(&self) -> bool {
        self.waited > Duration::from_millis(300)
    }

    /// Shows the view of this name; false if there is none.
    pub fn choose(&mut self, name: &str) -> bool {
        let found = self.views.iter().position(|view| view.name() == name);
        self.view = found.unwrap_or(self.view);
        found.is_some()
    }

    /// Goes to a moment; the clock follows.
    pub fn go(&mut self, at: At) {
        self.to = Some(at);
        self.steps = 0;
        self.follows = Some(self.number + 1);
    }

    /// Advances by a real time. True if the screen has to be drawn.
    pub fn tick(&mut self, by: Duration) -> bool {
        let late = self.is_late();
        if self.number > self.answered {
            self.waited += by;
        } else {
            self.waited = Duration::ZERO;
        }
        // The clock waits for the response that it follows.
        let moved = self.follows.is_none() && self.steps == 0 && self.clock.tick(by);
        if moved {
            self.to = Some(self.clock.moment());
        }
        moved || late != self.is_late()
    }

    /// Returns the next request, if there is anything to read.
    pub fn request(&mut self) -> Option<Request> {
        let query = self.query();
        let to = self.to.take();
        let steps = std::mem::take(&mut self.steps);
        let known = self.asked.as_ref().is_some_and(|(at, asked)| {
            // The same moment need not be read again.
            *asked == query && (to.is_none() || to == *at && self.follows.is_none())
        });
        if known && steps == 0 {
            return None;
        }
        self.number += 1;
        if steps != 0 {
            self.follows = Some(self.number);
        }
        let place = if steps == 0 { to } else { None };
        self.asked = Some((place, query.clone()));
        Some(Request {
            number: self.number,
            to,
            steps,
            query,
        })
    }

    /// The query of the current view.
    fn query(&self) -> Query {
        let Some(view) = self.views.get(self.view) else {
            return Query::default();
        };
        let events = match view {
            View::Events(table) if !self.whole.contains_key(table) => Some(Scan {
                secrets: self.secrets,
                ..Scan::table(table)
            }),
            _ => None,
        };
        Query {
            states: view.scans(self.secrets),
            trail: matches!(view, View::Map(_)),
            events,
        }
    }

    /// The damage of the recording, or a problem of the playback.
    pub fn problem(&self) -> Option<String> {
        let damage = self.damage.as_ref();
        let damage = damage.map(|damage| format!("damaged: {damage}"));
        let made = || self.response.as_ref()?.problem.as_ref();
        let made = || made().map(|made| format!("not as recorded: {made}"));
        damage.or_else(made)
    }

    /// Takes a response.
    pub fn show(&mut self, response: Response) {
        self.answered = self.answered.max(response.number);
        if self
            .response
            .as_ref()
            .is_some_and(|old| old.number > response.number)
        {
            return;
        }
        let follows = self.follows.is_some_and(|number| number <= response.number);
        if follows || (!self.clock.is_playing() && response.number == self.number) {
            self.clock.go(self.clock.place(response.stamp));
        }
        if follows {
            self.follows = None;
        }
        self.learn(&response);
        let old = self.response.replace(response);
        let moved = |old: &Response| {
            self.response
                .as_ref()
                .is_some_and(|response| response.stamp != old.stamp)
        };
        if let Some(old) = old.filter(moved) {
            self.before = Some(old);
        }
    }

    fn learn(&mut self, response: &Response) {
        for (view, view_state) in self.views.iter().zip(&mut self.view_states) {
            match view {
                View::Grid(grid) => {
                    let table = self
                        .opened
                        .tables
                        .iter()
                        .find(|table| table.name == grid.table);
                    if let Some((batch, table)) = response.state(&grid.table).zip(table) {
                        view_state.learn_grid(grid, table, batch);
                    }
                }
                View::Map(map) if response.query.trail => {
                    for (points, batch) in map.iter().zip(&response.states) {
                        view_state.learn_points(points, batch);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes the failure of a request.
    pub fn refuse(&mut self, number: u64, why: String) {
        self.answered = self.answered.max(number);
        if self.follows.is_some_and(|follows| follows <= number) {
            self.follows = None;
        }
        self.message = Some(why);
        self.clock.pause();
        // The clock goes back to the moment on the screen.
        if let Some(response) = &self.response {
            self.clock.go(self.clock.place(response.stamp));
        }
        // Without a response yet, show the first moment.
        if self.response.is_none() {
            self.to = Some(At::Step(self.opened.span.first.step));
        }
    }

    /// Adds markers.
    pub fn mark(&mut self, marks: Vec<Marker>) {
        self.marks.extend(marks);
        sort_markers(&mut self.marks);
    }

    /// Takes the bounds of the positions in a table.
    pub fn bound(&mut self, table: &str, bounds: &Bounds) {
        for (view, view_state) in self.views.iter().zip(&mut self.view_states) {
            if let View::Map(map) = view
                && map.iter().any(|points| points.table == table)
            {
                view_state.bound(bounds);
            }
        }
    }

    /// The worst marker at the current step.
    pub fn mark_here(&self) -> Option<&Marker> {
        let step = self.now().step;
        let here = |mark: &&Marker| mark.stamp.is_some_and(|stamp| stamp.step == step);
        self.marks.iter().find(here)
    }

    /// The events of a table around now, and the number of those up to now.
    pub fn events(&self, table: &str) -> (Vec<(&Batch, usize)>, usize) {
        let read = self.response.as_ref().map_or(&[][..], |response| {
            let of = response
                .query
                .events
                .as_ref()
                .is_some_and(|scan| scan.table == table);
            if of { &response.events[..] } else { &[] }
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

    /// The number of findings or events of a kind.
    pub fn count(&self, kind: MarkerKind) -> u64 {
        let marks = self.marks.iter().filter(|mark| mark.kind == kind);
        marks.map(|mark| mark.count).sum()
    }
}
