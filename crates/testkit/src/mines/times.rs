//! Times that no clock produced, speeds that no hand reaches, and moves that were removed or inserted.

use gametape_mines::{Buttons, Game, Level, MouseAction, MouseEvent, Outcome};
use gametape_samples::mines::person::Clock;

use super::remake::{
    Forgery, clock_of, mouse_of, phase_of, remake, remake_led, retimed, retimed_by_clock,
};

pub(super) const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "times-scaled",
        code: "rmv.clock-scaled",
        make: |game, rng| {
            phase_of(game)?;
            let factor = 0.3 + 0.65 * rng.f64();
            retimed(game, |_, at| (f64::from(at) * factor) as u32)
        },
    },
    Forgery {
        name: "times-in-one-millisecond",
        code: "rmv.click-rate",
        make: |game, _| {
            let end = game.events.last_time_ms();
            retimed(game, |_, at| u32::from(at == end && at > 0))
        },
    },
    Forgery {
        name: "times-beyond-hands",
        code: "rmv.rate",
        make: |game, rng| {
            let factor = 0.02 + 0.03 * rng.f64();
            retimed_by_clock(game, |_, at| (f64::from(at) * factor) as u32)
        },
    },
    Forgery {
        name: "times-beyond-records",
        code: "rmv.pace",
        make: |game, rng| {
            let level = Level::of(game.board.cols, game.board.rows, game.board.mines.len());
            let record_ms = match level {
                Level::Expert => 26_000.0,
                Level::Intermediate => 5_500.0,
                Level::Beginner | Level::Custom => return None,
            };
            let ending = game
                .ending
                .filter(|ending| ending.outcome == Outcome::Win)?;
            let factor = record_ms * (0.5 + 0.2 * rng.f64()) / f64::from(ending.time_ms.max(1));
            retimed_by_clock(game, |_, at| (f64::from(at) * factor) as u32)
        },
    },
    Forgery {
        name: "times-even",
        code: "rmv.times-even",
        make: |game, _| {
            let last = mouse_of(game).len().checked_sub(1).filter(|&n| n > 0)?;
            let end = u64::from(game.events.last_time_ms());
            retimed(game, |at, _| (end * at as u64 / last as u64) as u32)
        },
    },
    Forgery {
        name: "times-random",
        code: "rmv.times-invented",
        make: |game, rng| {
            let count = mouse_of(game).len();
            let end = game.events.last_time_ms();
            let mut times: Vec<u32> = (0..count).map(|_| rng.u32(0..=end)).collect();
            times.sort_unstable();
            // From the first event to the end of the game.
            if let Some(first) = times.first_mut() {
                *first = 0;
            }
            if let Some(last) = times.last_mut() {
                *last = end;
            }
            retimed(game, |at, _| times.get(at).copied().unwrap_or(end))
        },
    },
    Forgery {
        name: "times-shuffled",
        code: "rmv.hint-times",
        make: |game, rng| {
            if phase_of(game).is_some() {
                return None;
            }
            // The gaps between moves without a button; the durations of presses stay.
            let mouse = mouse_of(game);
            let is_free = |event: &MouseEvent| {
                event.action == MouseAction::Move && event.buttons == Buttons::NONE
            };
            let gaps = mouse.windows(2).filter_map(|pair| match pair {
                [a, b] => is_free(b).then_some(b.time_ms - a.time_ms),
                _ => None,
            });
            let mut gaps: Vec<u32> = gaps.collect();
            // With a mouse that reports every few milliseconds, all gaps are alike.
            let quick = gaps.iter().filter(|&&gap| gap == 1).count();
            if quick * 20 < gaps.len() {
                return None;
            }
            rng.shuffle(&mut gaps);
            let (mut was, mut now) = (0, 0);
            retimed(game, |place, time| {
                let free = place > 0 && mouse.get(place).is_some_and(is_free);
                now += if free {
                    gaps.pop().unwrap_or(0)
                } else {
                    time - was
                };
                was = time;
                now
            })
        },
    },
    Forgery {
        name: "time-cut-out",
        code: "rmv.clock-shift",
        make: |game, rng| {
            phase_of(game)?;
            // The longest pause in the middle becomes shorter.
            let mouse = mouse_of(game);
            let third = mouse.len() / 3;
            let pauses = mouse.windows(2).enumerate().skip(third).take(third);
            let (at, pause) = pauses
                .filter_map(|(at, pair)| match pair {
                    [a, b] => Some((at, b.time_ms - a.time_ms)),
                    _ => None,
                })
                .max_by_key(|&(_, pause)| pause)?;
            let less = off_the_grid(rng.u32(1..pause.checked_sub(20)?));
            retimed(game, |place, time| time - if place > at { less } else { 0 })
        },
    },
    Forgery {
        name: "clock-jumps",
        code: "rmv.clock-shift",
        make: |game, rng| {
            phase_of(game)?;
            let from = mouse_of(game).len() / 2;
            let more = off_the_grid(rng.u32(10..300));
            retimed(game, |place, time| {
                time + if place > from { more } else { 0 }
            })
        },
    },
    Forgery {
        name: "another-clock-behind",
        code: "rmv.clock-part",
        make: |game, rng| {
            phase_of(game)?;
            let from = mouse_of(game).len() * 2 / 3;
            let mut last = 0;
            retimed(game, |place, time| {
                let time = if place > from {
                    time + rng.u32(0..15)
                } else {
                    time
                };
                last = time.max(last);
                last
            })
        },
    },
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

/// This number of milliseconds or slightly more. Eight ticks, or nearly so, would not be a jump of
/// the clock.
fn off_the_grid(mut ms: u32) -> u32 {
    while !(16..110).contains(&(ms * 8 % 125)) {
        ms += 1;
    }
    ms
}

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
