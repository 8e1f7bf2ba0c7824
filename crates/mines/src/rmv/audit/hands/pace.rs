//! Speeds that no hand reaches.

use crate::metrics::Played;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Game, Level, Mode, Outcome};

/// Fewer 3BV are a click or two, and those may follow each other at once.
const RATE_FROM: u32 = 4;
/// 3BV/s that nobody keeps up: twice what the best are known for on larger boards.
const LONG_RATE: f64 = 10.0;
/// What a small board may have beyond that: its clicks may be a burst.
const BURST: f64 = 100.0;
/// Milliseconds that a click takes: fifty a second, more than twice what fingers do.
const CLICK_MS: u32 = 20;

/// 3BV/s beyond which nobody plays so much 3BV.
fn most(bbbv: u32) -> f64 {
    LONG_RATE + BURST / f64::from(bbbv.max(1))
}

/// A win in less is beyond all records by a third and more: those are 26.6 s and about 6 s.
const fn least_ms(level: Level) -> Option<u32> {
    match level {
        Level::Expert => Some(20_000),
        Level::Intermediate => Some(4_000),
        Level::Beginner | Level::Custom => None,
    }
}

pub(super) fn check(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    let bbbv = played.clicks.solved_bbbv;
    let time_ms = played.time_ms;
    // In no time at all: as fast as in one millisecond, at least.
    let rate = f64::from(bbbv) * 1000.0 / f64::from(time_ms.max(1));
    let most = most(bbbv);
    if bbbv >= RATE_FROM && rate > most {
        findings.push(Finding::new(Rule::Rate { rate, bbbv, most }));
    }
    // Clicks that do nothing may be those of a worn-out button.
    let clicks = played.clicks.effective();
    let least = CLICK_MS
        .saturating_mul(clicks.saturating_sub(1))
        .saturating_sub(10);
    if clicks > 1 && time_ms < least {
        findings.push(Finding::new(Rule::ClickRate { clicks, time_ms }));
    }
    // Who knows the board, or finds flags on it, needs less.
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
