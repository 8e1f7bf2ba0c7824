//! Times that no clock produced, and speeds that no hand reaches.

use gametape_mines::{Buttons, Level, MouseAction, MouseEvent, Outcome};

use super::remake::Forgery;
use super::remake::mouse_of;
use super::remake::{phase_of, retimed, retimed_by_clock};

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
];

/// This number of milliseconds or slightly more. Eight ticks, or nearly so, would not be a jump of
/// the clock.
fn off_the_grid(mut ms: u32) -> u32 {
    while !(16..110).contains(&(ms * 8 % 125)) {
        ms += 1;
    }
    ms
}
