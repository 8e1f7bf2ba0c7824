//! The mouse events by themselves: buttons, times, speed.

use crate::rmv::events::is_short_step;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, Event, Game, MouseAction, MouseEvent, Version};

/// Real games stay below 12 pixels from event to event; a step this long, this fast, is a hint.
const JUMP_PX: f64 = 60.0;
/// Pixels a millisecond: 10 are about 2.6 m/s at 96 pixels an inch.
const JUMP_PX_PER_MS: f64 = 10.0;
/// The longest known pause inside of a game is 1.4 s.
const PAUSE_MS: u32 = 20_000;

pub(super) fn check(game: &Game<'_>, findings: &mut Findings) {
    let mut watch = Watch {
        findings,
        offset: game.events.offset(),
        version: game.version(),
        last: None,
    };
    let mut events = game.events.iter();
    let mut position = 0;
    let mut index = 0;
    while let Some(event) = events.next() {
        match event {
            Event::Mouse(mouse) => watch.mouse(&mouse, index, position),
            Event::Timestamp(value) => {
                let time = watch.last.map_or(0, |last| last.time_ms);
                watch.found(Rule::TimestampEvent { value }, index, time, position);
            }
            Event::Board(_) => {}
        }
        index += 1;
        position = events.position();
    }
    if watch.last.is_none() {
        watch.findings.push(Finding::new(Rule::NoMouseEvent));
    }
}

struct Watch<'f> {
    findings: &'f mut Findings,
    offset: u64,
    version: Version,
    last: Option<MouseEvent>,
}

impl Watch<'_> {
    #[cold]
    fn found(&mut self, rule: Rule, index: u32, time_ms: u32, position: usize) {
        self.findings.push(
            Finding::new(rule)
                .at(self.offset + position as u64)
                .event(index, time_ms),
        );
    }

    fn mouse(&mut self, event: &MouseEvent, index: u32, position: usize) {
        let (action, time_ms) = (event.action, event.time_ms);
        let before = if let Some(last) = self.last {
            self.step(&last, event, index, position);
            last.buttons
        } else {
            if action != MouseAction::LeftUp || time_ms != 0 {
                let rule = Rule::FirstEvent { action, time_ms };
                self.found(rule, index, time_ms, position);
            }
            // The left button went down before the recording began.
            Buttons(u8::from(action == MouseAction::LeftUp))
        };
        let recorded = event.buttons.0;
        if recorded > 7 {
            let rule = Rule::ButtonsUnknown { recorded };
            self.found(rule, index, time_ms, position);
        }
        let before = Buttons(before.0 & 7);
        let expected = before.after(action).0;
        if recorded & 7 != expected {
            let rule = Rule::Buttons {
                recorded: recorded & 7,
                expected,
                action,
            };
            self.found(rule, index, time_ms, position);
        } else if action != MouseAction::Move && before.0 == expected {
            let down = matches!(
                action,
                MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
            );
            self.found(Rule::HintButton { action, down }, index, time_ms, position);
        }
        self.last = Some(*event);
    }

    #[inline]
    fn step(&mut self, last: &MouseEvent, event: &MouseEvent, index: u32, position: usize) {
        let millis = event.time_ms.saturating_sub(last.time_ms);
        let (dx, dy) = (event.x - last.x, event.y - last.y);
        if self.version == Version::V2
            && event.action == MouseAction::Move
            && !event.reduced
            && is_short_step(last, event)
        {
            self.found(Rule::ReducibleMove, index, event.time_ms, position);
        }
        if dx.abs().max(dy.abs()) > 40 {
            let pixels = f64::from(dx).hypot(f64::from(dy));
            if pixels > JUMP_PX && pixels / f64::from(millis.max(1)) > JUMP_PX_PER_MS {
                let pixels = pixels.round() as u32;
                let rule = Rule::HintSpeed { pixels, millis };
                self.found(rule, index, event.time_ms, position);
            }
        }
        if millis > PAUSE_MS {
            let rule = Rule::HintPause { millis };
            self.found(rule, index, event.time_ms, position);
        }
    }
}
