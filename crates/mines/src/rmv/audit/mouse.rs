//! Checks the mouse events themselves: buttons, times, speed.

use super::hands::Hands;
use crate::replay::{EventIndex, Moves, Observer, PlayedEvent};
use crate::rmv::deviations::at_event;
use crate::rmv::events::is_short_step;
use crate::rmv::{Finding, Findings, Rule};
use crate::{Buttons, Game, MouseAction, MouseEvent, Version};

/// A step of at least this length, in pixels, that is also fast, is a hint. The longest step in
/// known games is 43 pixels.
const JUMP_PX: f64 = 60.0;
/// A step of at most this many pixels on each axis is certainly shorter than [`JUMP_PX`].
const LONG_STEP: i32 = 40;
/// In pixels per millisecond: 10 are about 2.6 m/s at 96 pixels per inch.
const JUMP_PX_PER_MS: f64 = 10.0;
/// In milliseconds. The longest known pause within a game is 1.4 s.
const PAUSE_MS: u32 = 20_000;

/// About one cell, in pixels. Two clicks at the same time that are further apart need two hands.
const CELL_PX: f64 = 16.0;

/// Checks the mouse while a game is replayed.
pub(super) struct Watch<'f> {
    findings: &'f mut Findings,
    offset: u64,
    version: Version,
    /// Width and height of the board in pixels.
    board: (i32, i32),
    /// True until the first mouse event.
    none_yet: bool,
    /// The last event that was not a move.
    last_button: Option<MouseEvent>,
    hands: &'f mut Hands,
}

impl<'f> Watch<'f> {
    pub fn new(game: &Game<'_>, hands: &'f mut Hands, findings: &'f mut Findings) -> Self {
        let cell_size = i32::from(game.cell_size());
        Self {
            findings,
            offset: game.events.offset(),
            version: game.version(),
            board: (
                i32::from(game.board.cols) * cell_size,
                i32::from(game.board.rows) * cell_size,
            ),
            none_yet: true,
            last_button: None,
            hands,
        }
    }

    /// Adds the findings that need all events.
    pub fn finish(self) {
        if self.none_yet {
            self.findings.push(Finding::new(Rule::NoMouseEvent));
        }
    }

    #[cold]
    fn found(&mut self, rule: Rule, at: EventIndex, time_ms: u32) {
        let offset = self.offset + at.position as u64;
        self.findings
            .push(at_event(rule, offset, at.index, time_ms));
    }

    #[cold]
    fn first(&mut self, event: &MouseEvent, at: EventIndex) -> Buttons {
        let (action, time_ms) = (event.action, event.time_ms);
        if action != MouseAction::LeftUp || time_ms != 0 {
            self.found(Rule::FirstEvent { action, time_ms }, at, time_ms);
        }
        // The left button was pressed before the recording began.
        Buttons(u8::from(action == MouseAction::LeftUp))
    }

    /// Checks that two button events at the same time are not far apart.
    fn instant(&mut self, event: &MouseEvent, at: EventIndex) {
        if let Some(last) = self.last_button.replace(*event)
            && last.time_ms == event.time_ms
        {
            let (dx, dy) = (event.x - last.x, event.y - last.y);
            let pixels = f64::from(dx).hypot(f64::from(dy));
            if pixels > CELL_PX {
                let pixels = pixels.round() as u32;
                self.found(Rule::HintInstant { pixels }, at, event.time_ms);
            }
        }
    }

    const fn is_on_board(&self, event: &MouseEvent) -> bool {
        let (width, height) = self.board;
        0 <= event.x && event.x < width && 0 <= event.y && event.y < height
    }

    /// Checks nFlags. `last` is the mouse event before, if there was one.
    fn buttons(
        &mut self,
        last: Option<&MouseEvent>,
        before: Buttons,
        event: &MouseEvent,
        at: EventIndex,
    ) {
        if event.action != MouseAction::Move {
            self.instant(event, at);
        }
        let (action, time_ms, recorded) = (event.action, event.time_ms, event.buttons.0);
        if recorded > 7 {
            self.found(Rule::ButtonsUnknown { recorded }, at, time_ms);
        }
        let before = Buttons(before.0 & 7);
        let expected = before.after(action).0;
        let is_from_beside = last.is_some_and(|last| !self.is_on_board(last));
        let gains = recorded & expected == expected && recorded & 7 != expected;
        if action == MouseAction::Move && is_from_beside && gains {
            let rule = Rule::ButtonOutside {
                before: expected,
                recorded: recorded & 7,
            };
            self.found(rule, at, time_ms);
        } else if recorded & 7 != expected {
            let rule = Rule::Buttons {
                recorded: recorded & 7,
                expected,
                action,
            };
            self.found(rule, at, time_ms);
        } else if action != MouseAction::Move && before.0 == expected {
            let down = matches!(
                action,
                MouseAction::LeftDown | MouseAction::RightDown | MouseAction::MiddleDown
            );
            self.found(Rule::HintButton { action, down }, at, time_ms);
        }
    }

    fn step(&mut self, last: &MouseEvent, event: &MouseEvent, at: EventIndex) {
        let ms = event.time_ms.saturating_sub(last.time_ms);
        let (dx, dy) = (event.x - last.x, event.y - last.y);
        if self.version == Version::V2
            && event.action == MouseAction::Move
            && !event.reduced
            && is_short_step(last, event)
        {
            self.found(Rule::ReducibleMove, at, event.time_ms);
        }
        // The cursor may leave the window and return elsewhere.
        if dx.abs().max(dy.abs()) > LONG_STEP && self.is_on_board(last) && self.is_on_board(event) {
            let pixels = f64::from(dx).hypot(f64::from(dy));
            if pixels > JUMP_PX && pixels / f64::from(ms.max(1)) > JUMP_PX_PER_MS {
                let pixels = pixels.round() as u32;
                let rule = Rule::HintSpeed { pixels, ms };
                self.found(rule, at, event.time_ms);
            }
        }
        if ms > PAUSE_MS {
            let rule = Rule::HintPause { ms };
            self.found(rule, at, event.time_ms);
        }
    }
}

impl Observer for Watch<'_> {
    fn mouse(&mut self, step: &PlayedEvent<'_>) {
        let PlayedEvent { at, event, .. } = *step;
        self.none_yet = false;
        let before = match step.last {
            Some(last) => {
                self.step(last, event, at);
                last.buttons
            }
            None => self.first(event, at),
        };
        // A move that does not change the buttons is fine, unless unknown buttons are down.
        if event.action != MouseAction::Move || event.buttons != before || event.buttons.0 > 7 {
            self.buttons(step.last, before, event, at);
        }
        if event.action != MouseAction::Move {
            self.hands.take_button(before, event, step.waiting);
        }
    }

    fn measure(&mut self, waiting: &Moves) {
        self.hands.measure(waiting);
    }

    fn timestamp(&mut self, at: EventIndex, last: Option<&MouseEvent>, value: u32) {
        let time_ms = last.map_or(0, |last| last.time_ms);
        self.found(Rule::TimestampEvent { value }, at, time_ms);
    }
}
