//! Checks the recorded result against the rest of the file, and the conditions of the ranking.

use std::collections::BTreeSet;

use crate::game::Encoding;
use crate::metrics::Played;
use crate::rmv::{Finding, Findings, ResultString, Rule};
use crate::{Cell, Game, Level, Mode, Outcome, Release};

pub(super) fn check(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    level(game, played, findings);
    let computed = played.bbbv();
    if let Some(declared) = game
        .declared_bbbv()
        .filter(|&declared| declared != computed)
    {
        findings.push(Finding::new(Rule::Bbbv { declared, computed }));
    }
    let result = match &game.encoding {
        Encoding::V1 { result } => Some(ResultString::parse(result.as_bytes())),
        Encoding::V2 { .. } => None,
    };
    let by_result = result.and_then(|result| result.number("NF"));
    if game.declared_nf() || by_result.is_some_and(|nf| nf != 0) {
        no_flags(game, played, findings);
    }
    if let Some(result) = result {
        result_string(game, &result, findings);
    }
}

/// Checks a game that declares itself a non-flagging one.
fn no_flags(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    let (flags, unflags) = (played.clicks.flags, played.clicks.unflags);
    if flags > 0 {
        findings.push(Finding::new(Rule::NfFlags { flags, unflags }));
    }
    let Some(preflags) = game.preflags.as_ref().filter(|flags| !flags.is_empty()) else {
        return;
    };
    let mines: BTreeSet<Cell> = game.board.mines.iter().collect();
    let (mut all, mut on_mines) = (0, 0);
    for cell in preflags.iter() {
        all += 1;
        on_mines += u32::from(mines.contains(&cell));
    }
    if all > 0 {
        let preflags = all;
        findings.push(Finding::new(Rule::NfPreflags { preflags, on_mines }));
    }
}

fn level(game: &Game<'_>, played: &Played, findings: &mut Findings) {
    let actual = played.level;
    match game.declared_level() {
        Some(Level::Custom) if actual != Level::Custom => {
            findings.push(Finding::new(Rule::LevelCustom { actual }));
        }
        Some(declared) if declared != actual => {
            findings.push(Finding::new(Rule::LevelBoard { declared, actual }));
        }
        // The reader reports an unknown level.
        _ => {}
    }
}

fn result_string(game: &Game<'_>, result: &ResultString<'_>, findings: &mut Findings) {
    let missing = ResultString::KEYS
        .into_iter()
        .find(|key| result.get(key).is_none());
    if !result.is_well_formed() || missing.is_some() {
        let missing = missing.unwrap_or("its line breaks");
        findings.push(Finding::new(Rule::ResultForm { missing }));
    }
    if let Some(key) = result.duplicate() {
        let key = String::from_utf8_lossy(key).into_owned();
        findings.push(Finding::new(Rule::ResultDuplicate { key }));
    }
    score(game, result, findings);

    let mut contradicts = |key, found: Option<&[u8]>, expected: String| {
        if let Some(found) = found.filter(|found| !found.eq_ignore_ascii_case(expected.as_bytes()))
        {
            let found = String::from_utf8_lossy(found).into_owned();
            findings.push(Finding::new(Rule::ResultValue {
                key,
                found,
                expected,
            }));
        }
    };
    if let Some(level) = game.declared_level() {
        contradicts("LEVEL", result.get("LEVEL"), level.name().to_owned());
    }
    let timestamp = game.board.timestamp.to_string();
    contradicts("TIMESTAMP", result.get("TIMESTAMP"), timestamp);
    // Only a 3BV that is not a number: a number is compared with the board elsewhere.
    if let Some(text) = result.get("3BV")
        && result.number("3BV").is_none()
    {
        contradicts("3BV", Some(text), "a number".into());
    }
    if let Some(text) = result.get("NF") {
        let expected = u32::from(game.declared_nf());
        match result.number("NF") {
            Some(found) if found == expected => {}
            Some(found @ (0 | 1)) => {
                findings.push(Finding::new(Rule::ResultNf { found, expected }));
            }
            // The value is neither yes nor no.
            _ => findings.push(Finding::new(Rule::ResultValue {
                key: "NF",
                found: String::from_utf8_lossy(text).into_owned(),
                expected: expected.to_string(),
            })),
        }
    }
    name("NAME", result.get("NAME"), game.player.name(), findings);
    if game.player.len() > 1 {
        let nick = result.get("NICK");
        // Tournament editions put the token into NICK.
        if nick != Some(game.player.token()) {
            name("NICK", nick, game.player.nickname(), findings);
        }
    }
}

fn score(game: &Game<'_>, result: &ResultString<'_>, findings: &mut Findings) {
    let (Some(text), Some(ending)) = (result.get("SCORE"), game.ending) else {
        return;
    };
    let score = String::from_utf8_lossy(text).into_owned();
    let expected = u64::from(ending.time_ms / 10);
    // Releases after 2.2 are known to write the time itself. If no release is named, four player
    // fields mean 4.0 or later.
    let release = Release::of(game.version_info.as_bytes());
    let may_add = release.map_or(game.player.len() < 4, |release| release.major() < 3);
    findings.push(Finding::new(match result.score_hundredths() {
        Some(found) if found == expected => return,
        Some(found) if may_add && found == expected + 100 => Rule::ResultScorePlusOne { score },
        _ => Rule::ResultScore {
            score,
            time_ms: ending.time_ms,
        },
    }));
}

fn name(key: &'static str, found: Option<&[u8]>, field: &[u8], findings: &mut Findings) {
    let Some(found) = found.filter(|&found| found != field) else {
        return;
    };
    // If both are plain ASCII, the difference is not one of encodings.
    findings.push(Finding::new(if found.is_ascii() && field.is_ascii() {
        Rule::ResultText { key }
    } else {
        Rule::ResultTextEncoding { key }
    }));
}

/// Checks the conditions of the ranking.
pub(super) fn check_ranking(game: &Game<'_>, played: &Played, findings: &mut Findings) {
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
