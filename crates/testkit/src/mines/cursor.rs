//! Removed and inserted moves.

use gametape_mines::{Game, MouseAction, MouseEvent};
use gametape_samples::mines::person::Clock;

use super::remake::Forgery;
use super::remake::clock_of;
use super::remake::{mouse_of, remake, remake_led};

pub(super) const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "moves-removed",
        code: "rmv.cursor-jumps",
        make: |game, _| kept(game, |_, _| false),
    },
    Forgery {
        name: "moves-thinned",
        code: "rmv.hint-steps",
        make: |game, rng| {
            // So that steps are half a cell long.
            let every = every_for(game, 0.5 + 0.1 * rng.f64())?;
            kept(game, |_, place| place % every == 0)
        },
    },
    Forgery {
        name: "ways-removed",
        code: "rmv.hint-jump",
        make: |game, rng| {
            let kept_ways: Vec<bool> = (0..64).map(|_| rng.u8(..) < 170).collect();
            kept(game, |way, _| kept_ways.get(way % 64) == Some(&true))
        },
    },
    Forgery {
        name: "ways-straight",
        code: "rmv.straight",
        make: |game, _| straight(game, 0.0),
    },
    Forgery {
        name: "ways-steady",
        code: "rmv.steady",
        make: |game, rng| {
            // A tick of Windows hides the speed of the cursor.
            let Clock::Millisecond = clock_of(game) else {
                return None;
            };
            straight(game, 0.1 + 0.1 * rng.f64())
        },
    },
    Forgery {
        name: "jumps-in-steps",
        code: "rmv.cursor-jumps",
        make: |game, rng| {
            let steps = rng.u32(1..=3);
            jumps(game, steps)
        },
    },
];

/// One in how many moves to keep so that steps have this mean length in cells.
fn every_for(game: &Game<'_>, cells: f64) -> Option<usize> {
    let mouse = mouse_of(game);
    let moves = mouse
        .iter()
        .filter(|event| event.action == MouseAction::Move);
    let pixels: f64 = mouse
        .windows(2)
        .filter_map(|pair| match pair {
            [a, b] => Some(f64::from(b.x - a.x).hypot(f64::from(b.y - a.y))),
            _ => None,
        })
        .sum();
    let mean = pixels / moves.count().max(1) as f64;
    let every = cells * f64::from(game.cell_size()) / mean.max(0.1);
    (every >= 2.0).then_some(every.ceil() as usize)
}

/// The game with only some of its moves. `keep` receives the index of the path between button
/// events and the place in that path. The last move of each path stays, so that clicks keep their
/// positions.
fn kept(game: &Game<'_>, keep: impl Fn(usize, usize) -> bool) -> Option<Game<'static>> {
    let mouse = mouse_of(game);
    let (mut way, mut place) = (0, 0);
    let mut left = Vec::new();
    for (at, event) in mouse.iter().enumerate() {
        if event.action != MouseAction::Move {
            (way, place) = (way + 1, 0);
            left.push(*event);
            continue;
        }
        place += 1;
        let is_last = mouse
            .get(at + 1)
            .is_none_or(|next| next.action != MouseAction::Move);
        if is_last || keep(way, place) {
            left.push(*event);
        }
    }
    remake(game, &left)
}

/// The game with paths of constant speed: straight ones, or curves whose height is `bow` of their
/// length.
fn straight(game: &Game<'_>, bow: f64) -> Option<Game<'static>> {
    let clock = clock_of(game);
    let mut mouse = mouse_of(game);
    let buttons: Vec<usize> = mouse
        .iter()
        .enumerate()
        .filter(|(_, event)| event.action != MouseAction::Move)
        .map(|(at, _)| at)
        .collect();
    for ends in buttons.windows(2) {
        let &[start, end] = ends else { continue };
        let (Some(&from), Some(&to)) = (mouse.get(start), mouse.get(end)) else {
            continue;
        };
        let count = (end - start) as f64;
        for at in start + 1..end {
            let share = (at - start) as f64 / count;
            if let Some(event) = mouse.get_mut(at) {
                *event = between(event, &from, &to, share, bow);
                event.time_ms = clock.show(event.time_ms).clamp(from.time_ms, to.time_ms);
            }
        }
    }
    remake_led(game, &mouse)
}

fn between(
    event: &MouseEvent,
    from: &MouseEvent,
    to: &MouseEvent,
    share: f64,
    bow: f64,
) -> MouseEvent {
    let (dx, dy) = (f64::from(to.x - from.x), f64::from(to.y - from.y));
    let aside = bow * (std::f64::consts::PI * share).sin();
    // Version 1 cannot store positions further outside of the board.
    let at = |a: i32, way: f64, least: i32| (a + way.round() as i32).max(least);
    MouseEvent {
        time_ms: from.time_ms + (f64::from(to.time_ms - from.time_ms) * share) as u32,
        x: at(from.x, dx * share - dy * aside, -12),
        y: at(from.y, dy * share + dx * aside, -56),
        ..*event
    }
}

/// The game with a cursor that stays in place, moving slightly, and reaches the place of a click in
/// a few steps of a cell or more, one millisecond each.
fn jumps(game: &Game<'_>, steps: u32) -> Option<Game<'static>> {
    let clock = clock_of(game);
    let mouse = mouse_of(game);
    let mut made: Vec<MouseEvent> = Vec::new();
    let mut way: Vec<MouseEvent> = Vec::new();
    for event in &mouse {
        if event.action == MouseAction::Move {
            way.push(*event);
            continue;
        }
        if let (Some(&from), Some(last)) = (made.last(), way.last()) {
            let cells = f64::from(event.x - from.x).hypot(f64::from(event.y - from.y))
                / f64::from(game.cell_size());
            let steps = steps.min(cells as u32).max(1);
            let begins = event.time_ms.saturating_sub(60).max(from.time_ms);
            let rest = way
                .iter()
                .filter(|at| at.time_ms < begins)
                .zip([1, 0].into_iter().cycle());
            let stirred = rest.map(|(at, stir)| MouseEvent {
                x: from.x + stir,
                y: from.y,
                ..*at
            });
            made.extend(stirred);
            for step in 1..=steps {
                let share = f64::from(step) / f64::from(steps);
                let mut moved = between(last, &from, event, share, 0.0);
                moved.time_ms = clock.show((begins + step).min(event.time_ms));
                made.push(moved);
            }
        }
        way.clear();
        made.push(*event);
    }
    made.extend(way);
    // The clock may make a step later than the following events.
    let mut latest = u32::MAX;
    for event in made.iter_mut().rev() {
        event.time_ms = event.time_ms.min(latest);
        latest = event.time_ms;
    }
    remake(game, &made)
}
