//! Hands, mice and clocks: whether somebody can have played this, with that program, on a machine.
//!
//! What is measured rides in the pass over the events that serves everything else. Moves wait in a
//! small buffer and are measured many at a time: a store is all that a quiet one costs in the pass.

mod cursor;
mod fit;
mod grid;
mod moves;
mod pace;
mod place;
mod points;
mod presses;
mod release;
mod shift;
mod times;
mod ways;

use crate::metrics::Played;
use crate::rmv::Findings;
use crate::{Buttons, Game, MouseEvent};
use cursor::Cursor;
use moves::Moves;
use points::Points;
use presses::{Presses, is_press};
use release::Release;
use times::Times;
use ways::Ways;

/// What is measured while a game is replayed.
pub(super) struct Hands {
    waiting: Moves,
    /// Mouse events that have been measured.
    measured: u32,
    times: Times,
    cursor: Cursor,
    presses: Presses,
    points: Points,
    ways: Ways,
}

impl Hands {
    pub fn new(game: &Game<'_>) -> Self {
        let square = i32::from(game.square_size()).max(1);
        Self {
            waiting: Moves::new(),
            measured: 0,
            times: Times::default(),
            cursor: Cursor::new(square),
            presses: Presses::default(),
            points: Points::new(square),
            ways: Ways::new(square),
        }
    }

    /// Whether what waits has to be measured before anything else.
    #[inline(always)]
    pub const fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// One more mouse event, where there is room.
    #[inline(always)]
    pub fn take_quiet(&mut self, event: &MouseEvent) {
        self.waiting.push(event);
    }

    /// One more mouse event.
    pub fn take(&mut self, event: &MouseEvent) {
        if self.waiting.is_full() {
            self.measure();
        }
        self.waiting.push(event);
    }

    /// One more mouse event, of a button; these were down before it.
    pub fn take_button(&mut self, before: Buttons, event: &MouseEvent) {
        self.ways.take(&self.waiting);
        self.take(event);
        self.waiting.end_way();
        self.presses
            .take(before, event, self.measured + self.waiting.len() as u32 - 1);
        if before == Buttons::NONE && is_press(event.action) {
            self.points.take(event);
        }
    }

    /// Measures what waits.
    #[inline(never)]
    fn measure(&mut self) {
        self.times.take(&self.waiting);
        self.cursor.take(&self.waiting);
        self.measured += self.waiting.len() as u32;
        self.waiting.clear();
    }

    /// What is to be said of it all.
    pub fn check(&mut self, game: &Game<'_>, played: &Played, findings: &mut Findings) {
        self.measure();
        pace::check(game, played, findings);
        let release = Release::of(game);
        let clock = self.times.clock(game, release, findings);
        self.times.check(
            game,
            (release, clock),
            || self.presses.wild_holds(),
            findings,
        );
        let moves = played
            .clicks
            .mouse_events
            .saturating_sub(self.presses.events());
        self.cursor
            .check(game, (played.clicks.path_px, moves), release, findings);
        self.presses
            .check(game, clock, self.times.shares(), findings);
        self.points.check(findings);
        self.ways.check(findings);
    }
}
