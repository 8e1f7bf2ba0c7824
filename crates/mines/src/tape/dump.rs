//! A game, one JSON object an event.

use std::io::{self, Write};

use gametape_core::tape::Error;
use gametape_core::{At, Stamp};

use super::NAME;
use crate::event::game_time;
use crate::{Event, Game};

/// Prints what is `at` a moment, or everything; says whether there was anything. The time of a
/// board event is that of the mouse event that led to it.
pub(super) fn dump(game: &Game<'_>, at: Option<At>, out: &mut dyn Write) -> Result<bool, Error> {
    if let Some(at @ At::Tick(_)) = at {
        return Err(Error::NoClock {
            what: NAME,
            at,
            instead: "name a time, or a step",
        });
    }
    let wanted = |step: u32, time_ms: u32| {
        at.is_none_or(|at| {
            at.is(Stamp {
                step: step.into(),
                tick: None,
                time: Some(game_time(time_ms)),
            })
        })
    };
    let mut found = false;
    let mut time_ms = 0;
    for (step, event) in (0..).zip(game.events.iter()) {
        if let Event::Mouse(mouse) = event {
            time_ms = mouse.time_ms;
        }
        if wanted(step, time_ms) {
            found = true;
            line(step, time_ms, event, out).map_err(Error::Output)?;
        }
    }
    let step = game.events.len();
    if let Some(ending) = game.ending.filter(|ending| wanted(step, ending.time_ms)) {
        found = true;
        writeln!(
            out,
            r#"{{"step":{step},"type":"end","time_ms":{},"outcome":"{}"}}"#,
            ending.time_ms, ending.outcome
        )
        .map_err(Error::Output)?;
    }
    Ok(found)
}

fn line(step: u32, time_ms: u32, event: Event, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Mouse(mouse) => writeln!(
            out,
            r#"{{"step":{step},"type":"mouse","time_ms":{time_ms},"action":"{}","x":{},"y":{},"buttons":{},"reduced":{}}}"#,
            mouse.action.name(),
            mouse.x,
            mouse.y,
            mouse.buttons.0,
            mouse.reduced
        ),
        Event::Board(board) => writeln!(
            out,
            r#"{{"step":{step},"type":"board","time_ms":{time_ms},"col":{},"row":{},"shows":"{}"}}"#,
            board.cell.col,
            board.cell.row,
            board.face.name()
        ),
        Event::Timestamp(value) => writeln!(
            out,
            r#"{{"step":{step},"type":"timestamp","time_ms":{time_ms},"value":{value}}}"#
        ),
    }
}
