//! Checks the conditions of the ranking.

use crate::metrics::Played;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Game, Level, Mode, Outcome};

pub(super) fn check(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    if let Some(mode @ (Mode::Upk | Mode::Cheat)) = game.mode() {
        findings.push(Finding::new(Rule::RankMode { mode }));
    }
    let level = played.level;
    let bbbv = played.bbbv();
    match level.ranking_min_bbbv() {
        Some(min) if bbbv < min => {
            findings.push(Finding::new(Rule::RankBbbv { bbbv, min, level }));
        }
        Some(_) => {}
        None => {
            debug_assert_eq!(level, Level::Custom);
            findings.push(Finding::new(Rule::RankBoard));
        }
    }
    if played.outcome != Some(Outcome::Win) {
        findings.push(Finding::new(Rule::RankOutcome));
    }
}
