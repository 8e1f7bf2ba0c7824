//! Checks the played game against the rules.

use crate::replay::{Divergence, Doubted, Replayed};
use crate::rmv::deviations::at_event;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Game, Outcome, Release};

pub(super) fn check(game: &Game<'_>, replayed: &Replayed, findings: &mut Findings) {
    let offset = game.events.offset();
    if let Some(mode) = game.mode()
        && mode.rules().unknown.is_some()
    {
        findings.push(Finding::new(Rule::ModeUnproven { mode }));
    }
    if let Some(lag) = replayed.lag {
        let at = offset + lag.position as u64;
        let release = Release::of(game.version_info.as_bytes());
        let release = release.map(|release| release.name.into_owned());
        let mut finding = at_event(Rule::BoardEventLag { release }, at, lag.event, lag.time_ms);
        finding.repeats = lag.times.saturating_sub(1).into();
        findings.push(finding);
    }
    let mut found = |divergence: Divergence, rule| {
        let at = offset + divergence.position as u64;
        findings.push(at_event(rule, at, divergence.event, divergence.time_ms));
    };
    if let Some(fault) = replayed.fault {
        let (recorded, expected) = (fault.recorded, fault.expected);
        found(fault, Rule::BoardEvent { recorded, expected });
    }
    if let Some(Doubted { first, why, times }) = replayed.doubted {
        let rule = Rule::BoardEventUnproven {
            recorded: first.recorded,
            expected: first.expected,
            why,
            times,
        };
        found(first, rule);
    }
    end(game, replayed, findings);
    time(game, findings);
}

fn end(game: &Game<'_>, replayed: &Replayed, findings: &mut Findings) {
    if let Some((index, position, event)) = replayed.after_end {
        let action = event.action;
        let at = game.events.offset() + position as u64;
        findings.push(at_event(
            Rule::AfterEnd { action },
            at,
            index,
            event.time_ms,
        ));
    }
    let Some(ending) = game.ending else {
        return;
    };
    let expected = replayed.status.outcome();
    let recorded = ending.outcome;
    if recorded != expected {
        let offset = game.events.offset() + game.events.as_bytes().len() as u64;
        let rule = Rule::Outcome { recorded, expected };
        findings.push(at_event(rule, offset, game.events.len(), ending.time_ms));
    }
}

fn time(game: &Game<'_>, findings: &mut Findings) {
    let Some(ending) = game.ending else {
        return;
    };
    let (time_ms, last_ms) = (ending.time_ms, game.events.last_time_ms());
    if time_ms == last_ms {
        return;
    }
    let offset = game.events.offset() + game.events.as_bytes().len() as u64;
    let rule = if ending.outcome == Outcome::Other && time_ms > last_ms {
        Rule::EndTimeLater { time_ms, last_ms }
    } else {
        Rule::EndTime { time_ms, last_ms }
    };
    findings.push(at_event(rule, offset, game.events.len(), time_ms));
}
