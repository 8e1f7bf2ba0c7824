//! The place of a mouse event in the file.

use crate::rmv::deviations::at_event;
use crate::rmv::{Finding, Rule};
use crate::{Event, Game};

/// A finding at the mouse event that has `before` mouse events before it.
#[cold]
pub(super) fn at_mouse(game: &Game<'_>, before: u32, rule: Rule) -> Finding {
    let mut events = game.events.iter();
    let (mut index, mut count) = (0, 0);
    loop {
        let position = events.position();
        match events.next() {
            Some(Event::Mouse(mouse)) if count == before => {
                let offset = game.events.offset() + position as u64;
                return at_event(rule, offset, index, mouse.time_ms);
            }
            Some(Event::Mouse(_)) => count += 1,
            Some(_) => {}
            None => return Finding::new(rule),
        }
        index += 1;
    }
}
