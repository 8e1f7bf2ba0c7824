//! Moves that were taken out, or put in.

use gametape_mines::{Game, MouseAction, MouseEvent};

use super::retime::clock_of;
use super::{Forgery, mouse_of, remake};

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
            // To steps of half a square.
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
        make: |game, _| straight(game),
    },
];

/// One move of so many, and the way is as long as that for each.
fn every_for(game: &Game<'_>, squares: f64) -> Option<usize> {
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
    let every = squares * f64::from(game.square_size()) / mean.max(0.1);
    (every >= 2.0).then_some(every.ceil() as usize)
}

/// The game with some of its moves: of which way between button events, and at which place in it.
/// The last of each way stays, so that clicks are where they were.
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

/// The game with straight ways at constant speed.
fn straight(game: &Game<'_>) -> Option<Game<'static>> {
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
                *event = between(event, &from, &to, share);
                event.time_ms = clock.show(event.time_ms).clamp(from.time_ms, to.time_ms);
            }
        }
    }
    remake(game, &mouse)
}

fn between(event: &MouseEvent, from: &MouseEvent, to: &MouseEvent, share: f64) -> MouseEvent {
    let between = |a: i32, b: i32| a + (f64::from(b - a) * share).round() as i32;
    MouseEvent {
        time_ms: from.time_ms + (f64::from(to.time_ms - from.time_ms) * share) as u32,
        x: between(from.x, to.x),
        y: between(from.y, to.y),
        ..*event
    }
}
