//! Hands, mice and clocks: whether somebody can have played this, with that program, on a machine.
//!
//! What is measured rides in the pass over the events that serves everything else. Moves wait in a
//! small buffer and are measured many at a time: a store is all that a quiet one costs in the pass.

mod cursor;
mod fit;
mod grid;
mod moves;
mod pace;
mod points;
mod presses;
mod release;
mod shift;
mod times;
mod ways;

use crate::rmv::{Finding, Rule};
use crate::rmv::{Findings, deviations::at_event};
use crate::{Buttons, Event, Game, Metrics, MouseAction, MouseEvent};
use cursor::Cursor;
use moves::Moves;
use points::Points;
use presses::Presses;
use release::Release;
use times::Times;
use ways::Ways;

/// Where the cursor was, and when.
#[derive(Clone, Copy, Default, Debug)]
struct Sample {
    time_ms: u32,
    x: i32,
    y: i32,
}

/// What is measured while a game is replayed.
pub(super) struct Hands {
    waiting: Moves,
    /// All of the way since the last button event waits.
    is_whole_way: bool,
    times: Times,
    cursor: Cursor,
    presses: Presses,
    points: Points,
    ways: Ways,
    /// How many events of buttons there were.
    buttons: u32,
}

impl Hands {
    pub fn new(game: &Game<'_>) -> Self {
        let square = i32::from(game.square_size()).max(1);
        Self {
            waiting: Moves::new(),
            is_whole_way: true,
            times: Times::default(),
            cursor: Cursor::new(square),
            presses: Presses::default(),
            points: Points::new(square),
            ways: Ways::new(square),
            buttons: 0,
        }
    }

    /// One more mouse event.
    #[inline(always)]
    pub fn take(&mut self, event: &MouseEvent) {
        if self.waiting.is_full() {
            self.measure(false);
            self.is_whole_way = false;
        }
        self.waiting.push(event);
    }

    /// One more mouse event, of a button; these were down before it.
    pub fn take_button(&mut self, before: Buttons, event: &MouseEvent) {
        if self.is_whole_way {
            self.ways.take(&self.waiting);
        }
        self.buttons += 1;
        self.take(event);
        self.measure(true);
        self.is_whole_way = true;
        self.presses.take(before, event, self.times.shorts());
        if before == Buttons::NONE && is_press(event.action) {
            self.points.take(event);
        }
    }

    /// Measures what waits: moves, and at times the button event that ends their way.
    #[inline(never)]
    fn measure(&mut self, ends_in_button: bool) {
        self.times.take(self.waiting.times(), ends_in_button);
        self.cursor.take(&self.waiting);
        self.waiting.clear();
    }

    /// What is to be said of it all.
    pub fn check(&mut self, game: &Game<'_>, metrics: &Metrics, findings: &mut Findings) {
        self.measure(false);
        pace::check(game, metrics, findings);
        let release = Release::of(game);
        let clock = self.times.clock(game, release, findings);
        self.times.check(game, &self.presses, clock, findings);
        let moves = metrics.clicks.mouse_events.saturating_sub(self.buttons);
        self.cursor
            .check(game, (metrics.clicks.path_px, moves), release, findings);
        self.presses.check(game, clock, findings);
        self.points.check(findings);
        self.ways.check(findings);
    }
}

/// Whether a button goes down.
const fn is_press(action: MouseAction) -> bool {
    matches!(
        action,
        MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
    )
}

/// What is to be said at a mouse event, of which is known how many are before it.
#[cold]
fn at_mouse(game: &Game<'_>, before: u32, rule: Rule) -> Finding {
    let mut events = game.events.iter();
    let (mut index, mut count) = (0, 0);
    loop {
        let position = events.position();
        match events.next() {
            Some(Event::Mouse(mouse)) if count == before => {
                let offset = game.events.offset() + position as u64;
                return at_event(rule, offset, index, mouse.time_ms);
            }
            Some(Event::Mouse(_)) => count += 1,
            Some(_) => {}
            None => return Finding::new(rule),
        }
        index += 1;
    }
}
