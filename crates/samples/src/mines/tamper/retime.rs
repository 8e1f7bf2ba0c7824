//! Changes the times of mouse events.

use gametape_mines::{Game, MouseEvent};

use super::super::person::Clock;
use super::remake::{mouse_of, remake};

/// The game with other times; `time` receives the index and the old time of each mouse event.
pub(super) fn retimed(
    game: &Game<'_>,
    mut time: impl FnMut(usize, u32) -> u32,
) -> Option<Game<'static>> {
    let mouse = mouse_of(game).into_iter().enumerate();
    let mouse: Vec<MouseEvent> = mouse
        .map(|(at, event)| MouseEvent {
            time_ms: time(at, event.time_ms),
            ..event
        })
        .collect();
    remake(game, &mouse)
}

/// Like [`retimed`], but rounds to the game's clock, as a careful forger would.
pub(super) fn retimed_by_clock(
    game: &Game<'_>,
    mut time: impl FnMut(usize, u32) -> u32,
) -> Option<Game<'static>> {
    let clock = clock_of(game);
    retimed(game, |place, at| clock.show(time(place, at)))
}

/// The clock of a game.
pub(super) fn clock_of(game: &Game<'_>) -> Clock {
    phase_of(game).map_or(Clock::Millisecond, Clock::Tick)
}

/// The phase of the Windows tick, if all times of a game are on such a tick.
pub(super) fn phase_of(game: &Game<'_>) -> Option<u8> {
    let mouse = mouse_of(game);
    let is_on = |time: u32, phase: u8| {
        // The last tick before the end of this millisecond.
        let clock = Clock::Tick(phase);
        [time, time + 1].iter().any(|&at| clock.show(at) == time)
    };
    (0..8).find(|&phase| mouse.iter().all(|event| is_on(event.time_ms, phase)))
}
