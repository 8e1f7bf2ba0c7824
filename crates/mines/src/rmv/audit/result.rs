//! What the recording says of its result, against the rest of the file.

use crate::game::Encoding;
use crate::rmv::{Finding, Findings, ResultString, Rule};
use crate::{Game, Level, Metrics};

pub(super) fn check(game: &Game<'_>, metrics: &Metrics, findings: &mut Findings) {
    level(game, metrics, findings);
    let computed = metrics.board.bbbv;
    if let Some(declared) = game
        .declared_bbbv()
        .filter(|&declared| declared != computed)
    {
        findings.push(Finding::new(Rule::Bbbv { declared, computed }));
    }
    if game.declared_nf() && metrics.clicks.flags > 0 {
        let flags = metrics.clicks.flags;
        findings.push(Finding::new(Rule::NfFlags { flags }));
    }
    if let Encoding::V1 { result } = &game.encoding {
        result_string(game, &ResultString::parse(result.as_bytes()), findings);
    }
}

fn level(game: &Game<'_>, metrics: &Metrics, findings: &mut Findings) {
    let actual = metrics.level;
    match game.declared_level() {
        Some(Level::Custom) if actual != Level::Custom => {
            findings.push(Finding::new(Rule::LevelCustom { actual }));
        }
        Some(declared) if declared != actual => {
            findings.push(Finding::new(Rule::LevelBoard { declared, actual }));
        }
        // An unknown level is the reader's finding.
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
    // A 3BV that is no number; one that is, is compared with the board.
    if let Some(text) = result.get("3BV")
        && result.number("3BV").is_none()
    {
        contradicts("3BV", Some(text), "a number".into());
    }
    if let Some(text) = result.get("NF") {
        let expected = u32::from(game.declared_nf());
        match result.number("NF") {
            Some(found) if found == expected => {}
            Some(found) => findings.push(Finding::new(Rule::ResultNf { found, expected })),
            None => findings.push(Finding::new(Rule::ResultValue {
                key: "NF",
                found: String::from_utf8_lossy(text).into_owned(),
                expected: expected.to_string(),
            })),
        }
    }
    name("NAME", result.get("NAME"), game.player.name(), findings);
    if game.player.len() > 1 {
        let nick = result.get("NICK");
        // Tournament editions put the token there.
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
    let before_4_0 = game.player.len() < 4;
    findings.push(Finding::new(match result.score_hundredths() {
        Some(found) if found == expected => return,
        Some(found) if before_4_0 && found == expected + 100 => Rule::ResultScorePlusOne { score },
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
    // Where both are plain ASCII, no difference of encodings explains it.
    findings.push(Finding::new(if found.is_ascii() && field.is_ascii() {
        Rule::ResultText { key }
    } else {
        Rule::ResultTextEncoding { key }
    }));
}
