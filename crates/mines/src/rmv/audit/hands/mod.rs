//! Hands, mice and clocks: could a person have played this game, with that program, on a real
//! machine?
//!
//! The measurements use the same pass over the events as everything else; there, mouse events
//! [wait](crate::replay::Moves) until there are many of them.

mod cursor;
mod gaps;
mod grid;
mod pace;
mod paths;
mod points;
mod presses;
mod rhythm;
mod shift;
mod times;

use crate::metrics::Played;
use crate::replay::Moves;
use crate::rmv::Findings;
use crate::{Buttons, Game, MouseEvent};
use cursor::Cursor;
use paths::Paths;
use points::Points;
use presses::Presses;
use rhythm::is_press;
use times::{ReleaseClock, Times};

/// The measurements during a replay.
pub(super) struct Hands {
    times: Times,
    cursor: Cursor,
    presses: Presses,
    points: Points,
    paths: Paths,
}

impl Hands {
    pub fn new(game: &Game<'_>) -> Self {
        let cell_size = i32::from(game.cell_size()).max(1);
        Self {
            times: Times::default(),
            cursor: Cursor::new(&game.board, cell_size),
            presses: Presses::default(),
            points: Points::new(&game.board, cell_size),
            paths: Paths::new(cell_size),
        }
    }

    /// Takes a button event. `before` are the buttons that were down before it, and `waiting` the
    /// mouse events before it.
    pub fn take_button(&mut self, before: Buttons, event: &MouseEvent, waiting: &Moves) {
        self.paths.take(waiting);
        self.presses.take(before, event, waiting.events());
        if before == Buttons::NONE && is_press(event.action) {
            self.points.take(event);
        }
    }

    /// Measures the waiting events.
    pub fn measure(&mut self, waiting: &Moves) {
        self.times.take(waiting);
        self.cursor.take(waiting);
    }

    /// Adds the findings.
    pub fn check(&mut self, game: &Game<'_>, played: &Played, findings: &mut Findings) {
        pace::check(game, played, findings);
        let release = ReleaseClock::of(game);
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
        let path = (played.clicks.path_px, moves, self.paths.far());
        self.cursor.check(game, path, release, findings);
        self.presses
            .check(game, clock, self.times.shares(), findings);
        self.points.check(findings);
        self.paths.check(clock, release, findings);
    }
}
