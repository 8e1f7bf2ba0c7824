//! Presses that no hand made, and two hands in one game.

use gametape_mines::{Buttons, Game, MouseAction, MouseEvent};
use gametape_samples::mines::person::Clock;

use super::remake::Forgery;
use super::remake::{clock_of, retimed_by_clock};
use super::remake::{mouse_of, remake, remake_led};

pub(super) const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "no-holds",
        code: "rmv.hint-hold",
        make: |game, rng| held(game, |_, _| rng.u32(0..4)),
    },
    Forgery {
        name: "holds-alike",
        code: "rmv.hint-same-hold",
        make: |game, rng| {
            // The tick of Windows would spread the durations.
            let Clock::Millisecond = clock_of(game) else {
                return None;
            };
            let ms = rng.u32(30..120);
            held(game, |_, _| ms)
        },
    },
    Forgery {
        name: "right-clicks-without-holds",
        code: "rmv.hint-hold",
        make: |game, rng| {
            let clicks = clicks_of(game, MouseAction::RightDown, MouseAction::RightUp);
            (clicks.len() >= 8).then_some(())?;
            held_between(game, &clicks, |_, _| rng.u32(0..4))
        },
    },
    Forgery {
        name: "holds-of-two-lengths",
        code: "rmv.hint-same-hold",
        make: |game, rng| {
            let Clock::Millisecond = clock_of(game) else {
                return None;
            };
            let clicks = clicks_of(game, MouseAction::LeftDown, MouseAction::LeftUp);
            (clicks.len() >= 16).then_some(())?;
            let (short, long) = (rng.u32(40..60), rng.u32(65..90));
            held_between(game, &clicks, |_, _| if rng.bool() { short } else { long })
        },
    },
    Forgery {
        name: "another-hand-behind",
        code: "rmv.hint-hands",
        make: |game, rng| {
            // As two different people would hold the buttons.
            let (short, long) = (rng.u32(30..45), rng.u32(85..110));
            let half = mouse_of(game).len() / 2;
            let clicks = plain_clicks(game);
            let early = clicks.partition_point(|&place| place < half);
            if early.min(clicks.len() - early) < 12 {
                return None;
            }
            held(game, |place, _| {
                let usual = if place > half { long } else { short };
                usual + rng.u32(0..=usual / 3)
            })
        },
    },
    Forgery {
        name: "presses-even",
        code: "rmv.presses-even",
        make: |game, rng| {
            let ms = rng.u32(500..900);
            even_presses(game, false, || ms)
        },
    },
    Forgery {
        name: "presses-of-chords-even",
        code: "rmv.presses-even",
        make: |game, rng| {
            let ms = rng.u32(250..500);
            even_presses(game, true, || ms)
        },
    },
    Forgery {
        name: "presses-nearly-even",
        code: "rmv.presses-even",
        make: |game, rng| {
            needs_presses(game, 20)?;
            even_presses(game, false, || rng.u32(570..630))
        },
    },
    Forgery {
        name: "presses-by-turns",
        code: "rmv.presses-even",
        make: |game, _| {
            needs_presses(game, 20)?;
            let mut turns = [450, 700].into_iter().cycle();
            even_presses(game, false, || turns.next().unwrap_or_default())
        },
    },
    Forgery {
        name: "clicks-central",
        code: "rmv.same-point",
        make: |game, _| central(game, || Some((0, 0))),
    },
    Forgery {
        name: "clicks-on-two-pixels",
        code: "rmv.same-point",
        make: |game, _| {
            let mut turns = [(-5, 3), (2, -4)].into_iter().cycle();
            central(game, || turns.next())
        },
    },
    Forgery {
        name: "half-of-the-clicks-central",
        code: "rmv.same-point",
        make: |game, rng| {
            needs_presses(game, 30)?;
            central(game, || rng.bool().then_some((0, 0)))
        },
    },
    Forgery {
        name: "clicks-nearly-central",
        code: "rmv.hint-centre",
        make: |game, rng| central(game, || Some((rng.i32(-1..=1), rng.i32(-1..=1)))),
    },
    Forgery {
        name: "clicks-near-centres",
        code: "rmv.hint-centre",
        make: |game, rng| {
            needs_presses(game, 30)?;
            central(game, || Some((rng.i32(-2..=2), rng.i32(-2..=2))))
        },
    },
];

/// `None` if at most `few` clicks and chords begin: fewer prove nothing.
fn needs_presses(game: &Game<'_>, few: usize) -> Option<()> {
    let presses = mouse_of(game).into_iter().filter(is_first_press).count();
    (presses > few).then_some(())
}

/// Whether a click or a chord begins.
fn is_first_press(event: &MouseEvent) -> bool {
    use MouseAction::{LeftDown, MiddleDown, RightDown};
    let is_press = matches!(event.action, LeftDown | RightDown | MiddleDown);
    is_press && event.buttons.0.is_power_of_two()
}

/// The indices where the left button is pressed alone and its release is the next button event.
fn plain_clicks(game: &Game<'_>) -> Vec<usize> {
    let clicks = clicks_of(game, MouseAction::LeftDown, MouseAction::LeftUp);
    clicks.into_iter().map(|(down, _)| down).collect()
}

/// The indices where a button is pressed alone and its release is the next button event, as pairs.
fn clicks_of(game: &Game<'_>, down: MouseAction, up: MouseAction) -> Vec<(usize, usize)> {
    let mouse = mouse_of(game);
    let buttons = mouse.iter().enumerate();
    let buttons: Vec<_> = buttons
        .filter(|(_, event)| event.action != MouseAction::Move)
        .collect();
    let clicks = buttons.windows(2).filter_map(|pair| match pair {
        [(at, first), (end, then)] => {
            let is_click = first.action == down && is_first_press(first) && then.action == up;
            is_click.then_some((*at, *end))
        }
        _ => None,
    });
    clicks.collect()
}

/// The game with other durations of left clicks. `hold` receives the index of the press and the old
/// duration. Later events are shifted by the difference.
fn held(game: &Game<'_>, hold: impl FnMut(usize, u32) -> u32) -> Option<Game<'static>> {
    let mut downs = Vec::new();
    let mut down = None;
    for (at, event) in mouse_of(game).iter().enumerate() {
        match event.action {
            MouseAction::LeftDown => down = Some(at),
            MouseAction::LeftUp => downs.extend(down.take().map(|down| (down, at))),
            _ => {}
        }
    }
    held_between(game, &downs, hold)
}

/// The game with other durations between these indices of presses and releases.
fn held_between(
    game: &Game<'_>,
    clicks: &[(usize, usize)],
    mut hold: impl FnMut(usize, u32) -> u32,
) -> Option<Game<'static>> {
    let clock = clock_of(game);
    let mut mouse = mouse_of(game);
    let time = |mouse: &[MouseEvent], at: usize| mouse.get(at).map_or(0, |event| event.time_ms);
    let mut later = 0i64;
    let mut done = 0;
    let original = mouse.clone();
    for &(down, up) in clicks {
        let (from, to) = (time(&original, down), time(&original, up));
        let wanted = hold(down, to - from);
        move_by(&mut mouse, done..down + 1, later);
        let share = f64::from(wanted) / f64::from((to - from).max(1));
        for at in down + 1..=up {
            let since = f64::from(time(&original, at) - from) * share;
            let at_ms = i64::from(from) + later + since as i64;
            if let Some(event) = mouse.get_mut(at) {
                event.time_ms = at_ms.max(0) as u32;
            }
        }
        later += i64::from(wanted) - i64::from(to - from);
        done = up + 1;
    }
    let end = mouse.len();
    move_by(&mut mouse, done..end, later);
    for event in &mut mouse {
        event.time_ms = clock.show(event.time_ms);
    }
    remake(game, &mouse)
}

fn move_by(mouse: &mut [MouseEvent], range: std::ops::Range<usize>, ms: i64) {
    for event in mouse.get_mut(range).unwrap_or_default() {
        event.time_ms = (i64::from(event.time_ms) + ms).max(0) as u32;
    }
}

/// The game with other intervals between presses: either all presses, or those without another
/// button down.
fn even_presses(
    game: &Game<'_>,
    all: bool,
    mut apart: impl FnMut() -> u32,
) -> Option<Game<'static>> {
    let mouse = mouse_of(game);
    let mut before = Buttons::NONE;
    let mut presses = vec![(0, 0)];
    for event in &mouse {
        let is_press = event.buttons.0 & !before.0 != 0;
        let (last, shown) = presses.last().copied().unwrap_or_default();
        if is_press && (all || before == Buttons::NONE) && event.time_ms > last {
            presses.push((event.time_ms, shown + apart()));
        }
        before = event.buttons;
    }
    retimed_by_clock(game, |_, time| {
        let next = presses.partition_point(|&(at, _)| at <= time);
        let (from, shown) = presses
            .get(next.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        match presses.get(next) {
            Some(&(to, later)) => {
                let share = f64::from(time - from) / f64::from(to - from);
                shown + (f64::from(later - shown) * share) as u32
            }
            None => shown + (time - from),
        }
    })
}

/// The game with button events moved to the centre of their cell plus the offset that `beside`
/// returns, or left unchanged for `None`. The paths in between are bent accordingly.
fn central(
    game: &Game<'_>,
    mut beside: impl FnMut() -> Option<(i32, i32)>,
) -> Option<Game<'static>> {
    let cell_size = i32::from(game.cell_size());
    let mouse = mouse_of(game);
    let mut off = |event: &MouseEvent| {
        let Some((right, below)) = beside() else {
            return (0, 0);
        };
        let off = |at: i32| cell_size / 2 - at.rem_euclid(cell_size);
        (off(event.x) + right, off(event.y) + below)
    };
    let anchors: Vec<(usize, (i32, i32))> = mouse
        .iter()
        .enumerate()
        .filter(|(_, event)| event.action != MouseAction::Move)
        .map(|(at, event)| (at, off(event)))
        .collect();
    let bent = mouse.iter().enumerate().map(|(at, event)| {
        let next = anchors.partition_point(|&(anchor, _)| anchor < at);
        let (to, b) = anchors.get(next).copied().unwrap_or((at, (0, 0)));
        let before = next.checked_sub(1).and_then(|last| anchors.get(last));
        let (from, a) = before.copied().unwrap_or((0, b));
        // Starts after the last button event, so that the cursor rests where a hand would.
        let (from, count) = (from + 1, to.saturating_sub(from + 1).max(1));
        let share = at.saturating_sub(from) as f64 / count as f64;
        let mix = |a: i32, b: i32| (f64::from(a) + f64::from(b - a) * share).round() as i32;
        let (dx, dy) = if at == to {
            b
        } else {
            (mix(a.0, b.0), mix(a.1, b.1))
        };
        MouseEvent {
            x: event.x + dx,
            y: event.y + dy,
            ..*event
        }
    });
    let bent: Vec<MouseEvent> = bent.collect();
    remake_led(game, &bent)
}
