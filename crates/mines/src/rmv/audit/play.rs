//! Checks the played game against the rules.

use crate::replay::{Divergence, Doubted, Replayed};
use crate::rmv::deviations::at_event;
use crate::rmv::{Finding, Findings, Rule};
use crate::{ButtonEvents, Game, Outcome, Release};

pub(super) fn check(game: &Game<'_>, replayed: &Replayed, findings: &mut Findings) {
    let offset = game.events.offset();
    if let Some(mode) = game.mode()
        && mode.rules().unknown.is_some()
    {
        findings.push(Finding::new(Rule::ModeUnproven { mode }));
    }
    buttons(game, replayed, findings);
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

/// The releases that are known to record a button event before the move that it brings.
const BUTTON_BEFORE_MOVE: &str = "3.0.2";

fn buttons(game: &Game<'_>, replayed: &Replayed, findings: &mut Findings) {
    let mut found = |first: ButtonEvents, rule| {
        let at = game.events.offset() + first.position as u64;
        let mut finding = at_event(rule, at, first.event, first.button.time_ms);
        finding.repeats = first.times.saturating_sub(1).into();
        findings.push(finding);
    };
    if let Some(first) = replayed.moved {
        let action = first.button.action;
        let release = Release::of(game.version_info.as_bytes());
        let release = release.map(|release| release.name.into_owned());
        let is_known = (release.as_ref()).is_some_and(|name| name.starts_with(BUTTON_BEFORE_MOVE));
        let rule = if is_known {
            Rule::ButtonMoved { action }
        } else {
            Rule::ButtonMovedUnknown { action, release }
        };
        found(first, rule);
    }
    if let Some(first) = replayed.unmoved {
        let ButtonEvents { button, before, .. } = first;
        let (dx, dy) = (button.x - before.x, button.y - before.y);
        let rule = Rule::ButtonPlace {
            action: button.action,
            pixels: f64::from(dx).hypot(f64::from(dy)),
        };
        found(first, rule);
    }
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
