//! The actions of keys.

use gametape::{At, Batch, ParseWhenError, When};

use super::Player;
use crate::commands::play::messages::Response;
use gametape_picture::scene::views::View;

/// The action of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    Quit,
    Toggle,
    /// Doubles the speed this many times; halves it if negative.
    Faster(i32),
    /// Goes this many steps on; back if negative.
    Step(i64),
    /// Goes this many seconds on; back if negative.
    Jump(i64),
    Start,
    End,
    /// Goes to the next marker, or to the previous one if negative.
    Mark(i64),
    /// Shows the view with this number, from 0.
    View(usize),
    NextView(i64),
    /// Moves right and down.
    Move(i64, i64),
    Value,
    Slice(i64),
    Plane,
    Close,
    Help,
    /// Starts typing a moment.
    Ask,
    Letter(char),
    Erase,
    Enter,
    Cancel,
}

/// Whether the player goes on after an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    On,
    End,
}

impl Player {
    /// Performs an action.
    pub fn act(&mut self, act: Action) -> Then {
        self.message = None;
        match act {
            Action::Quit => return Then::End,
            Action::Toggle => {
                let at = self.clock.at();
                self.clock.toggle();
                if self.clock.at() != at {
                    self.moved();
                }
            }
            Action::Faster(times) => {
                self.clock.faster(times);
                self.message = Some(format!("speed {}", self.clock.speed()));
            }
            Action::Step(steps) => {
                self.clock.pause();
                self.steps += steps;
            }
            Action::Jump(seconds) => {
                self.clock.jump(seconds);
                self.moved();
            }
            Action::Start => {
                self.clock.go(i64::MIN);
                self.moved();
            }
            Action::End => {
                self.clock.go(i64::MAX);
                self.clock.pause();
                self.moved();
            }
            Action::Mark(on) => self.go_mark(on),
            Action::View(view) if view < self.views.len() => self.view = view,
            Action::View(_) => {}
            Action::NextView(on) => {
                let count = i64::try_from(self.views.len()).unwrap_or(1).max(1);
                let view = i64::try_from(self.view).unwrap_or_default() + on;
                self.view = usize::try_from(view.rem_euclid(count)).unwrap_or_default();
            }
            Action::Help => self.help = !self.help,
            Action::Ask => self.typing = Some(String::new()),
            Action::Letter(letter) => self.typing.get_or_insert_default().push(letter),
            Action::Erase => {
                if let Some(typing) = &mut self.typing {
                    typing.pop();
                }
            }
            Action::Cancel => {
                self.typing = None;
                self.help = false;
            }
            Action::Enter => self.enter(),
            Action::Move(..) | Action::Value | Action::Slice(_) | Action::Plane | Action::Close => {
                self.turn(act);
            }
        }
        Then::On
    }

    /// Requests the moment of the clock.
    fn moved(&mut self) {
        self.to = Some(self.clock.moment());
        self.steps = 0;
        self.follows = None;
    }

    /// Changes the state of the current view.
    fn turn(&mut self, act: Action) {
        let events = match self.views.get(self.view) {
            Some(View::Events(table)) => {
                let (rows, upto) = self.events(table);
                (rows.len(), upto)
            }
            _ => (0, 0),
        };
        let marks = self.marks.len();
        let rows = |response: &Response, table: &str| response.state(table).map_or(0, Batch::len);
        let Some((view, view_state)) = self
            .views
            .get(self.view)
            .zip(self.view_states.get_mut(self.view))
        else {
            return;
        };
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match (act, view) {
            // The line is broken into lines of the screen: down means on.
            (Action::Move(right, down), View::Grid(grid)) if grid.down.is_none() => {
                view_state.probe(right + 10 * down, 0);
            }
            (Action::Move(right, down), View::Grid(_)) => view_state.probe(right, down),
            (Action::Move(right, down), _) => {
                let (least, most) = match view {
                    View::Events(_) => {
                        let (rows, upto) = events;
                        (1 - count(upto), count(rows) - count(upto))
                    }
                    View::Marks => (0, count(marks) - 1),
                    View::Rows(table) => {
                        // A single row is shown as a column: its columns scroll.
                        let response = self.response.as_ref();
                        let rows = response.map_or(0, |response| rows(response, table));
                        let table = self.opened.tables.iter().find(|other| other.name == *table);
                        let columns = table.map_or(0, |table| table.columns.len());
                        (0, count(if rows > 1 { rows } else { columns }) - 1)
                    }
                    View::Grid(_) | View::Map(_) => (0, 0),
                };
                view_state.down = view_state
                    .down
                    .saturating_add(down)
                    .clamp(least.min(0), most.max(0));
                view_state.right = view_state.right.saturating_add(right).clamp(0, 400);
            }
            (Action::Value, View::Grid(grid)) => {
                view_state.value = (view_state.value + 1) % grid.values.len().max(1);
            }
            (Action::Slice(by), View::Grid(_)) => view_state.slice(by),
            (Action::Close, View::Grid(_)) => view_state.close = !view_state.close,
            (Action::Plane, View::Map(_)) => view_state.plane = view_state.plane.next(),
            _ => {}
        }
    }

    /// Goes to the next marker, or to the previous one if `on` is negative.
    fn go_mark(&mut self, on: i64) {
        let (here, step) = (self.clock.at(), self.heading());
        // While playing, a marker of the last second counts as passed.
        let passed = if self.clock.is_playing() {
            1_000_000_000
        } else {
            0
        };
        let places = self.marks.iter().filter_map(|mark| {
            let stamp = mark.stamp?;
            Some((self.clock.place(stamp), stamp.step))
        });
        let found = if on > 0 {
            places.filter(|place| *place > (here, step)).min()
        } else {
            // Several steps may share a time.
            let back = here.saturating_sub(passed);
            places.filter(|place| *place < (back, step)).max()
        };
        if let Some((at, step)) = found {
            self.clock.go(at);
            self.go(At::Step(step));
        } else {
            let which = if on > 0 { "after" } else { "before" };
            self.message = Some(format!("no marker {which} this moment"));
        }
    }

    /// The step that is requested, else the one on the screen.
    fn heading(&self) -> u64 {
        let asked = self.asked.as_ref().filter(|_| self.number > self.answered);
        match self.to.or(asked.and_then(|(at, _)| *at)) {
            Some(At::Step(step)) => step,
            _ => self.now().step,
        }
    }

    /// Goes to the typed moment, or to the chosen item of a list.
    fn enter(&mut self) {
        if let Some(typed) = self.typing.take() {
            return self.go_typed(typed.trim());
        }
        let Some((view, view_state)) = self.seen() else {
            return;
        };
        let stamp = match view {
            View::Marks => usize::try_from(view_state.down)
                .ok()
                .and_then(|at| self.marks.get(at)?.stamp),
            View::Events(table) => {
                let (rows, upto) = self.events(table);
                let at = i64::try_from(upto).unwrap_or(i64::MAX) - 1 + view_state.down;
                let at = usize::try_from(at).ok();
                at.and_then(|at| rows.get(at))
                    .map(|(batch, row)| batch.stamp(*row))
            }
            _ => return,
        };
        match stamp {
            Some(stamp) => self.go(At::Step(stamp.step)),
            None => self.message = Some("it is of the recording as a whole".to_owned()),
        }
        let view = self.view;
        if let (Some(View::Events(_)), Some(view_state)) =
            (self.views.get(view), self.view_states.get_mut(view))
        {
            view_state.down = 0;
        }
    }

    fn go_typed(&mut self, typed: &str) {
        let part = typed.strip_suffix('%').map(str::parse::<f64>);
        let times = self.opened.span.last.time.is_some();
        match (part, typed.parse::<When>(), typed.parse::<u64>()) {
            (Some(Ok(part)), ..) if (0.0..=100.0).contains(&part) => {
                self.clock.go_part(part / 100.0);
                self.moved();
            }
            // A number without a unit is a step if the recording has no times.
            (None, _, Ok(step)) if !times => self.go(At::Step(step)),
            (None, Ok(when), _) => match when.within(self.opened.span, self.opened.step) {
                Ok(at) => self.go(at),
                Err(error) => self.message = Some(error.to_string()),
            },
            _ if typed.is_empty() => {}
            _ => {
                self.message = Some(format!("{typed:?}: {ParseWhenError}, or 50%"));
            }
        }
    }
}
