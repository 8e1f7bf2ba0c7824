//! Hands, mice and clocks: could a person have played this game, with that program, on a real
//! machine?
//!
//! The measurements use the same pass over the events as everything else; there, mouse events
//! [wait](crate::replay::Moves) until there are many of them.

mod cursor;
mod gaps;
mod grid;
mod paths;
mod presses;
mod rhythm;
mod shift;
mod times;

use crate::metrics::Played;
use crate::replay::Moves;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, Game, Level, Mode, MouseEvent, Outcome};
use cursor::Cursor;
use paths::Paths;
use presses::{Points, Presses};
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
        check_speed(game, played, findings);
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

/// Fewer 3BV are only a click or two, which may follow each other immediately.
const RATE_FROM: u32 = 4;
/// The 3BV/s that nobody can sustain: twice that of the best known players on larger boards.
const LONG_RATE: f64 = 10.0;
/// The additional 3BV/s for small boards, whose few clicks may come in a burst.
const BURST: f64 = 100.0;
/// The least time per click in milliseconds: fifty clicks per second, more than twice what fingers
/// can do.
const CLICK_MS: u32 = 20;

/// The highest plausible 3BV/s for a board with this 3BV.
fn most(bbbv: u32) -> f64 {
    LONG_RATE + BURST / f64::from(bbbv.max(1))
}

/// The shortest plausible time of a win, in milliseconds. The records are longer by a third or
/// more: 26.6 s (expert) and about 6 s (intermediate).
const fn least_ms(level: Level) -> Option<u32> {
    match level {
        Level::Expert => Some(20_000),
        Level::Intermediate => Some(4_000),
        Level::Beginner | Level::Custom => None,
    }
}

/// Checks the speeds: some no hand reaches.
fn check_speed(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    let bbbv = played.clicks.solved_bbbv;
    let time_ms = played.time_ms;
    // A time of 0 is at least as fast as 1 ms.
    let rate = f64::from(bbbv) * 1000.0 / f64::from(time_ms.max(1));
    let most = most(bbbv);
    if bbbv >= RATE_FROM && rate > most {
        findings.push(Finding::new(Rule::Rate { rate, bbbv, most }));
    }
    // Clicks without an effect may come from a worn-out button.
    let clicks = played.clicks.effective();
    let least = CLICK_MS
        .saturating_mul(clicks.saturating_sub(1))
        .saturating_sub(10);
    if clicks > 1 && time_ms < least {
        findings.push(Finding::new(Rule::ClickRate { clicks, time_ms }));
    }
    // A player who knows the board, or starts with flags on it, needs less time.
    let helped = matches!(game.mode(), Some(Mode::Upk | Mode::Cheat))
        || game
            .preflags
            .as_ref()
            .is_some_and(|flags| !flags.is_empty());
    if played.outcome == Some(Outcome::Win)
        && !helped
        && let Some(least_ms) = least_ms(played.level)
        && time_ms < least_ms
    {
        let level = played.level;
        findings.push(Finding::new(Rule::Pace {
            time_ms,
            level,
            least_ms,
        }));
    }
}
