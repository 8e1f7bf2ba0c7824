//! The grid of the Windows tick: t = floor(k · 15.625 + p/8) ms, with one p a game.
//!
//! In eighths of a millisecond a time is on the grid of phase p where p - 8t is 0 to 7, modulo 125.
//! By chance that is so for 8 of 125 times.

use crate::rmv::Rule;
use crate::{Event, Game};

/// Milliseconds after which the grid repeats itself: eight ticks.
const PERIOD: usize = 125;
/// The tick.
pub(super) const TICK_MS: f64 = 15.625;
/// Eighths of a millisecond that one millisecond covers.
const WIDTH: usize = 8;
/// What chance puts on a grid.
const CHANCE: f64 = WIDTH as f64 / PERIOD as f64;
/// Below a false alarm in a million, of 125 phases, -ln P is 18.6. A mouse that reports every 16 ms
/// puts three times in a row on one grid: they count as one.
const CERTAIN: f64 = 3.0 * 18.6;

/// How the times lie to the grid.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grid {
    /// All on it.
    Whole,
    /// More on one than chance puts there, and not all.
    Part,
    /// As chance has it; how many.
    Off { on: u32 },
    /// Too few times to say.
    Unknown,
}

/// Whether a time is on the grid of a phase.
const fn is_on(time_ms: u32, phase: usize) -> bool {
    (phase + PERIOD - (time_ms as usize * 8) % PERIOD) % PERIOD < WIDTH
}

/// How unlikely it is, as -ln P, that chance puts so many of the times on a grid.
fn surprise(on: u32, times: u32) -> f64 {
    let share = f64::from(on) / f64::from(times.max(1));
    if share <= CHANCE {
        return 0.0;
    }
    let rest = if share < 1.0 {
        (1.0 - share) * ((1.0 - share) / (1.0 - CHANCE)).ln()
    } else {
        0.0
    };
    f64::from(times) * (share * (share / CHANCE).ln() + rest)
}

pub(super) fn judge(times: &[(u32, u32)]) -> Grid {
    let count = times.len() as u32;
    if surprise(count, count) < CERTAIN {
        return Grid::Unknown;
    }
    let mut places = [0u32; PERIOD];
    for &(_, time) in times {
        if let Some(place) = places.get_mut(time as usize * 8 % PERIOD) {
            *place += 1;
        }
    }
    // On the grid of a phase is what is up to seven eighths below it.
    let below = |phase: usize| (0..WIDTH).map(move |down| (phase + PERIOD - down) % PERIOD);
    let on = |phase: usize| below(phase).filter_map(|at| places.get(at)).sum();
    // A game begins at 0, which is on the grid of eight phases alone.
    let on_best = (0..WIDTH).map(on).max().unwrap_or(0);
    if on_best == count {
        return Grid::Whole;
    }
    let on_any = (0..PERIOD).map(on).max();
    if surprise(on_any.unwrap_or(0), count) >= CERTAIN {
        return Grid::Part;
    }
    Grid::Off { on: on_best }
}

/// The times that differ from the one before, each with the number of mouse events before it.
pub(super) fn times_of(game: &Game<'_>) -> Vec<(u32, u32)> {
    let mut times = Vec::new();
    let mut count = 0;
    game.events.iter().for_each(|event| {
        if let Event::Mouse(mouse) = event {
            if times.last().is_none_or(|&(_, last)| last != mouse.time_ms) {
                times.push((count, mouse.time_ms));
            }
            count += 1;
        }
    });
    times
}

/// A stretch of times that are on the grid of one phase.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    phase: usize,
    from: usize,
    /// Behind its last time.
    to: usize,
    score: f64,
}

/// What a time on the grid says for it, and one beside it against it: logarithms of how much
/// likelier that is on a grid, where one time in a hundred is off it, than by chance.
const FOR: f64 = 2.74;
const AGAINST: f64 = 4.54;

/// The stretch that says most, in some part of the times.
fn stretch(times: &[(u32, u32)], start: usize) -> Option<Stretch> {
    let of_phase = |phase: usize| {
        let (mut best, mut from, mut score) = (None, 0, 0.0);
        for (at, &(_, time)) in times.iter().enumerate() {
            if is_on(time, phase) {
                score += FOR;
            } else {
                score -= AGAINST;
            }
            if score <= 0.0 {
                (score, from) = (0.0, at + 1);
            }
            if best.is_none_or(|best: Stretch| score > best.score) {
                best = Some(Stretch {
                    phase,
                    from: start + from,
                    to: start + at + 1,
                    score,
                });
            }
        }
        best
    };
    let stretches = (0..PERIOD).filter_map(of_phase);
    stretches.max_by(|a, b| a.score.total_cmp(&b.score))
}

/// Where times that were on one grid leave it, or times get onto one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// How many mouse events are before it.
    pub mouse: u32,
    times: u32,
    /// How many times are on the grid that most are on.
    on: u32,
    /// How many are on another one, and by how many milliseconds the later one is shifted.
    other: Option<(u32, f64)>,
}

impl Change {
    /// Whether nearly all times are on the one grid or the other.
    pub fn explains(&self, times: u32) -> bool {
        let other = self.other.map_or(0, |(on, _)| on);
        (self.on + other) * 10 >= times * 9
    }

    pub const fn rule(&self) -> Rule {
        let Self { on, times, .. } = *self;
        match self.other {
            Some((other, shift)) => Rule::ClockShift {
                on,
                other,
                times,
                shift,
            },
            None => Rule::ClockPart { on, times },
        }
    }
}

/// The change that says most.
pub(super) fn change(times: &[(u32, u32)]) -> Option<Change> {
    let best = stretch(times, 0)?;
    let on = |phase| {
        times
            .iter()
            .filter(|&&(_, time)| is_on(time, phase))
            .count() as u32
    };
    let inside = times.get(best.from..best.to).unwrap_or_default();
    let stray = (inside.iter()).position(|&(_, time)| !is_on(time, best.phase));
    let (place, rest) = if best.from > 1 {
        (best.from, times.get(..best.from).unwrap_or_default())
    } else if best.to < times.len() {
        (best.to, times.get(best.to..).unwrap_or_default())
    } else {
        // One time or another is off the grid; at the least the first, where the game does not
        // begin when the clock did.
        (best.from + stray.unwrap_or(0), &[][..])
    };
    let other = stretch(rest, 0).filter(|other| other.score >= CERTAIN / 3.0);
    let &(mouse, _) = times.get(place)?;
    Some(Change {
        mouse,
        times: times.len() as u32,
        on: on(best.phase),
        other: other.map(|other| {
            let (from, to) = if best.from > 1 {
                (other.phase, best.phase)
            } else {
                (best.phase, other.phase)
            };
            (on(other.phase), shift_ms(from, to))
        }),
    })
}

/// From one phase to another, at most half a tick.
fn shift_ms(from: usize, to: usize) -> f64 {
    let eighths = ((to + PERIOD - from) % PERIOD) as f64;
    let period = PERIOD as f64;
    let least = if eighths * 2.0 > period {
        eighths - period
    } else {
        eighths
    };
    least / 8.0
}
