//! Times that no clock gave.

use gametape_mines::{Game, MouseEvent};

use super::{Forgery, mouse_of, remake};

pub(super) const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "times-in-one-millisecond",
        code: "rmv.rate",
        make: |game, _| {
            let end = game.events.last_time_ms();
            retimed(game, |_, at| u32::from(at == end && at > 0))
        },
    },
    Forgery {
        name: "times-beyond-records",
        code: "rmv.rate",
        make: |game, rng| {
            let factor = 0.02 + 0.03 * rng.f64();
            retimed(game, |_, at| (f64::from(at) * factor) as u32)
        },
    },
];

/// The game with other times: of the place of each mouse event, and of its time.
fn retimed(game: &Game<'_>, mut time: impl FnMut(usize, u32) -> u32) -> Option<Game<'static>> {
    let mouse: Vec<MouseEvent> = mouse_of(game)
        .into_iter()
        .enumerate()
        .map(|(at, event)| MouseEvent {
            time_ms: time(at, event.time_ms),
            ..event
        })
        .collect();
    remake(game, &mouse)
}
