//! What the ranking accepts.

use crate::rmv::{Finding, Findings, Rule};
use crate::{Game, Level, Metrics, Mode, Outcome};

pub(super) fn check(game: &Game<'_>, metrics: &Metrics, findings: &mut Findings) {
    if let Some(mode @ (Mode::Upk | Mode::Cheat)) = game.mode() {
        findings.push(Finding::new(Rule::RankMode { mode }));
    }
    let level = metrics.level;
    let bbbv = metrics.board.bbbv;
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
    if metrics.outcome != Some(Outcome::Win) {
        findings.push(Finding::new(Rule::RankOutcome));
    }
}
